//! Details as lines: headings, labelled values, paragraphs and marked items, wrapped to a width.
//!
//! A document is built for one width and drawn line by line; what is drawn, copied and saved is the same text.

use crate::{
    messages::{clean_line, width, wrap},
    tui::theme::Role,
};

/// A run of text in one role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Clean text.
    pub text: String,
    /// Role.
    pub role: Role,
    /// Bold.
    pub bold: bool,
}

impl Span {
    /// A run that is not bold.
    pub fn new(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), role, bold: false }
    }

    /// A bold run.
    pub fn bold(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), role, bold: true }
    }
}

/// One line of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its runs, from the left.
    pub spans: Vec<Span>,
    /// Index into the document's targets, when Enter on this line opens something.
    pub target: Option<usize>,
}

/// A document under construction.
#[derive(Debug)]
pub struct Doc {
    cells: usize,
    label: usize,
    rule: &'static str,
    lines: Vec<Line>,
}

impl Doc {
    /// For so many cells, with labels of at most `label` cells; `rule` draws headings.
    pub fn new(cells: usize, label: usize, rule: &'static str) -> Self {
        // On a narrow pane the value matters more than its label.
        let label = label.min(cells / 3);
        Self { cells, label, rule, lines: Vec::new() }
    }

    /// Other labels follow, of at most so many cells.
    pub fn labels(&mut self, cells: usize) {
        self.label = cells.min(self.cells / 3);
    }

    /// Cells that a value has beside its label.
    pub fn room(&self) -> usize {
        self.cells.saturating_sub(self.label + 1)
    }

    /// The lines.
    pub fn into_lines(self) -> Vec<Line> {
        self.lines
    }

    /// An empty line, unless the last one is empty or there is none.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| !l.spans.is_empty()) {
            self.lines.push(Line::default());
        }
    }

    /// A section's heading, after a gap.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        let dash = self.rule;
        let tail = self.cells.saturating_sub(width(text) + 4);
        self.lines.push(Line {
            spans: vec![
                Span::new(format!("{dash}{dash} "), Role::Border),
                Span::bold(text, Role::Title),
                Span::new(format!(" {}", dash.repeat(tail)), Role::Border),
            ],
            target: None,
        });
    }

    /// A labelled value; nothing when the value is empty. Long values go on under their beginning.
    pub fn field(&mut self, label: &str, value: &str, role: Role) {
        self.field_to(label, value, role, None);
    }

    /// A labelled value that Enter opens.
    pub fn field_to(&mut self, label: &str, value: &str, role: Role, target: Option<usize>) {
        if value.is_empty() {
            return;
        }
        let label = crate::messages::pad_right(label, self.label);
        let indent = self.label + 1;
        for (i, part) in self.wrapped(value, indent).into_iter().enumerate() {
            let head = if i == 0 { format!("{label} ") } else { " ".repeat(indent) };
            self.lines.push(Line { spans: vec![Span::new(head, Role::Muted), Span::new(part, role)], target });
        }
    }

    /// A paragraph.
    pub fn para(&mut self, text: &str, role: Role) {
        for part in self.wrapped(text, 0) {
            self.lines.push(Line { spans: vec![Span::new(part, role)], target: None });
        }
    }

    /// A line with a mark of one cell before it.
    pub fn item(&mut self, mark: &str, mark_role: Role, text: &str, role: Role) {
        self.item_to(mark, mark_role, text, role, None);
    }

    /// A marked line that Enter opens.
    pub fn item_to(&mut self, mark: &str, mark_role: Role, text: &str, role: Role, target: Option<usize>) {
        for (i, part) in self.wrapped(text, 2).into_iter().enumerate() {
            let head = if i == 0 { format!("{mark} ") } else { "  ".into() };
            self.lines.push(Line { spans: vec![Span::new(head, mark_role), Span::new(part, role)], target });
        }
    }

    /// A line as it is; it may be longer than the width.
    pub fn line(&mut self, spans: Vec<Span>, target: Option<usize>) {
        self.lines.push(Line { spans, target });
    }

    fn wrapped(&self, text: &str, indent: usize) -> Vec<String> {
        wrap(&clean_line(text), self.cells.saturating_sub(indent).max(1))
    }
}

/// The text of lines, for copying and saving: no styling, no padding, no rules.
pub fn text_of(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for span in line.spans.iter().filter(|s| s.role != Role::Border) {
            text.push_str(&span.text);
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hang_under_their_beginning_and_copy_without_rules() {
        let mut doc = Doc::new(24, 8, "-");
        doc.heading("record");
        doc.field("Systems", "payments, ledger, risk", Role::Text);
        doc.field("Empty", "", Role::Text);
        doc.item("!", Role::Warn, "one node is not ready now", Role::Text);
        let lines = doc.into_lines();
        let shown: Vec<String> = lines.iter().map(|l| l.spans.iter().map(|s| s.text.as_str()).collect()).collect();
        assert_eq!(shown[0], "-- record --------------");
        assert_eq!(shown[1], "Systems  payments,");
        assert_eq!(shown[2], "         ledger, risk");
        assert_eq!(shown[3], "! one node is not ready");
        assert_eq!(shown[4], "  now");
        assert!(text_of(&lines).starts_with("record\nSystems  payments,\n"), "{}", text_of(&lines));
        assert!(lines.iter().all(|l| width(&l.spans.iter().map(|s| s.text.as_str()).collect::<String>()) <= 24));
    }

    #[test]
    fn any_width_is_survived() {
        for cells in 0..30 {
            let mut doc = Doc::new(cells, 12, "─");
            doc.heading("证书与登录");
            doc.field("提供商", "支付对账 EKS", Role::Text);
            doc.para("a b c", Role::Text);
            doc.item("✗", Role::Bad, "支付", Role::Bad);
            assert!(!doc.into_lines().is_empty());
        }
    }
}
