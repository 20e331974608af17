//! `man`: the manual pages, the main one to standard output or all of them into a folder.

use std::path::Path;

use super::{help, output};
use crate::messages::Lang;

/// Writes the page, or every page into `dir`.
pub(super) fn run(dir: Option<&Path>, lang: Lang) -> anyhow::Result<()> {
    let line = help::line(lang);
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(line).render(&mut page)?;
        return output::write_out(&String::from_utf8_lossy(&page));
    };
    std::fs::create_dir_all(dir)?;
    clap_mangen::generate_to(line, dir)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_every_command() {
        let dir = tempfile::tempdir().unwrap();
        run(Some(dir.path()), Lang::En).unwrap();
        for page in ["quarterdeck.1", "quarterdeck-matrix.1", "quarterdeck-get.1", "quarterdeck-demo.1"] {
            let text = std::fs::read_to_string(dir.path().join(page)).unwrap_or_default();
            assert!(text.contains(".TH"), "{page}");
        }
    }
}
