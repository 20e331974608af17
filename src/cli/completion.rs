//! `completion`: a script for a shell.

use clap_complete::Shell;

use super::{help, output};
use crate::messages::Lang;

/// Writes the script to standard output.
pub(super) fn run(shell: Shell, lang: Lang) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::line(lang), "quarterdeck", &mut script);
    output::write_out(&String::from_utf8_lossy(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut help::line(Lang::En), "quarterdeck", &mut script);
            let script = String::from_utf8(script).unwrap();
            assert!(script.contains("matrix") && script.contains("kubeconfig"), "{shell}");
        }
    }
}
