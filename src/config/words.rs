//! Comparisons of words: globs, and the nearest of several words for "did you mean".

pub use crate::{fleet::selector::glob, shape::nearest};
