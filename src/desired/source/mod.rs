//! Sources: from the text of files to objects whose every value knows its line. Pure; `render` reads the files and runs the tools.

mod compose;
pub mod documents;
mod scalar;
pub mod text;
pub mod yaml;
