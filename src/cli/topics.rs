//! `help`: a command's help, or a topic that belongs to no single command.

use super::{help, output};
use crate::messages::{Lang, Msg, cli as text, desired};

/// Topics by name.
const TOPICS: &[(&str, Msg)] = &[
    ("configuration", text::T_CONFIGURATION),
    ("desired", desired::T_DESIRED),
    ("exit-codes", text::T_EXIT_CODES),
    ("filters", text::T_FILTERS),
    ("json", text::T_JSON),
    ("states", text::T_STATES),
];

/// Writes the help for these words; without any, that of the program and the list of topics.
pub(super) fn run(words: &[String], lang: Lang) -> anyhow::Result<()> {
    output::write_out(&page(words, lang)?)
}

fn page(words: &[String], lang: Lang) -> anyhow::Result<String> {
    let mut at = help::line(lang);
    let Some(first) = words.first() else {
        let names: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
        let topics = text::TOPICS.fill(lang, &[("topics", &names.join(", "))]);
        return Ok(format!("{}\n{topics}\n", at.render_long_help()));
    };
    if let Some((_, msg)) = TOPICS.iter().find(|(name, _)| name == first) {
        return Ok(format!("{}\n", msg.text(lang)));
    }
    for word in words {
        let known: Vec<String> = at.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let Some(sub) = at.find_subcommand(word).cloned() else {
            let all: Vec<&str> = known.iter().map(String::as_str).chain(TOPICS.iter().map(|(n, _)| *n)).collect();
            anyhow::bail!(text::NO_TOPIC.fill(lang, &[("word", word), ("known", &all.join(", "))]));
        };
        at = sub;
    }
    Ok(format!("{}\n", at.render_long_help()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_topics_have_help_and_nonsense_is_told() {
        let of = |words: &[&str]| page(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>(), Lang::En);
        assert!(of(&[]).unwrap().contains("exit-codes"));
        assert!(of(&["matrix"]).unwrap().contains("--output"));
        assert!(of(&["json"]).unwrap().contains("kubernetesVersion"));
        assert!(of(&["nonsense"]).unwrap_err().to_string().contains("nonsense"));
    }
}
