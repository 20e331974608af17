//! `completion`: a script for a shell.

use clap::ValueEnum;
use clap_complete::shells;
use clap_complete_nushell::Nushell;

use super::{help, output};
use crate::messages::Lang;

/// Shells that there is a script for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

/// Writes the script to standard output.
pub(super) fn run(shell: Shell, lang: Lang) -> anyhow::Result<()> {
    output::write_out(&script(shell, lang))
}

fn script(shell: Shell, lang: Lang) -> String {
    let (mut line, mut script) = (help::line(lang), Vec::new());
    let (line, out) = (&mut line, &mut script);
    match shell {
        Shell::Bash => clap_complete::generate(shells::Bash, line, "quarterdeck", out),
        Shell::Elvish => clap_complete::generate(shells::Elvish, line, "quarterdeck", out),
        Shell::Fish => clap_complete::generate(shells::Fish, line, "quarterdeck", out),
        Shell::Nushell => clap_complete::generate(Nushell, line, "quarterdeck", out),
        Shell::Powershell => clap_complete::generate(shells::PowerShell, line, "quarterdeck", out),
        Shell::Zsh => clap_complete::generate(shells::Zsh, line, "quarterdeck", out),
    }
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for (shell, own) in Shell::value_variants().iter().zip([
            "complete -F",
            "edit:completion",
            "complete -c",
            "export extern",
            "Register-ArgumentCompleter",
            "#compdef",
        ]) {
            let script = script(*shell, Lang::En);
            assert!(script.contains("matrix") && script.contains("kubeconfig") && script.contains(own), "{shell:?}");
        }
    }
}
