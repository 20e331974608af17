//! The filter language of every table: text, regex, `!`, `-l` selector, `-f` fuzzy, `column:value` (specs: tui a1).
//!
//! ```text
//! filter = term *( SP term )
//! term   = ["!"] ( "-l" SP selector | "-f" SP text | column op value | value )
//! op     = ":" (contains, regex) | "=" (exact) | "!=" | ">" | "<" | ">=" | "<="
//! ```
//!
//! Bare words are regexes, quoted ones are literal; both ignore case unless they hold a capital. All words must match; of
//! several `:` or `=` terms on one column any must; excludes always win. A term on a column that the table does not have
//! never hides anything: with `:` or `=` it is read as plain text (`nginx:1.27`), else it is inactive.

use std::{cell::RefCell, cmp::Ordering, sync::Arc};

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{Atom, AtomKind, CaseMatching, Normalization},
};
use regex::{Regex, RegexBuilder};

use super::{selector::Selector, typed};

/// Bytes that one compiled pattern may take; a larger one is taken literally.
const PATTERN_LIMIT: usize = 1 << 19;

/// A parsed filter. The empty filter lets everything through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    text: String,
    terms: Arc<[Term]>,
    trouble: Option<Trouble>,
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// What could not be read as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// This is no regex (or too large a one): taken literally.
    Regex(String),
    /// This is no label selector: taken as text.
    Selector(String),
}

#[derive(Clone, Debug)]
struct Term {
    not: bool,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Bare(Regex),
    Labels(Selector),
    Fuzzy(Atom),
    Column { name: String, op: Op, value: String, pattern: Regex, whole: Regex },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Contains,
    Equals,
    Greater,
    Less,
    AtLeast,
    AtMost,
}

impl Op {
    /// Longest first, so that `>=` is not read as `>`.
    const ALL: [(&'static str, Self, bool); 7] = [
        ("!=", Self::Equals, true),
        (">=", Self::AtLeast, false),
        ("<=", Self::AtMost, false),
        (":", Self::Contains, false),
        ("=", Self::Equals, false),
        (">", Self::Greater, false),
        ("<", Self::Less, false),
    ];

    fn is_choice(self) -> bool {
        matches!(self, Self::Contains | Self::Equals)
    }
}

impl Filter {
    /// Parses what was typed. Never fails: a broken regex is taken literally and [`Filter::note`] says so.
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser { rest: text.trim(), trouble: None };
        let mut terms = Vec::new();
        while let Some(term) = parser.term() {
            terms.push(term);
        }
        Self { text: text.trim().to_owned(), terms: terms.into(), trouble: parser.trouble }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The part that was taken literally because it is no regex, or because it is a broken selector.
    pub fn note(&self) -> Option<&str> {
        self.trouble.as_ref().map(|t| match t {
            Trouble::Regex(part) | Trouble::Selector(part) => part.as_str(),
        })
    }

    /// The same with its kind, for the words around it.
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }

    /// Columns that the filter names, as compared: lower case, without `-` and `_`. For marking inactive terms.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|t| match &t.test {
            Test::Column { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether a record passes. `field` gives the text of a named column (`None` = no such column here); `bare` are the
    /// texts that a bare word may match; `labels` looks a label up.
    pub fn matches(
        &self,
        bare: &[&str],
        field: &dyn Fn(&str) -> Option<String>,
        labels: &dyn Fn(&str) -> Option<String>,
    ) -> bool {
        let holds = |t: &Term| t.test.holds(bare, field, labels);
        let excluded = |t: &&Term| t.not && holds(t) == Some(true);
        if self.terms.iter().any(|t| excluded(&t)) {
            return false;
        }
        self.terms.iter().filter(|t| !t.not).all(|term| match holds(term) {
            Some(true) | None => true,
            // Another choice on the same column may hold instead.
            Some(false) => match &term.test {
                Test::Column { name, op, .. } if op.is_choice() => self.terms.iter().any(|other| {
                    !other.not
                        && matches!(&other.test, Test::Column { name: n, op: o, .. } if n == name && o.is_choice())
                        && holds(other) == Some(true)
                }),
                _ => false,
            },
        })
    }
}

impl Test {
    /// Whether it holds; `None` = it has no meaning here.
    fn holds(
        &self,
        bare: &[&str],
        field: &dyn Fn(&str) -> Option<String>,
        labels: &dyn Fn(&str) -> Option<String>,
    ) -> Option<bool> {
        match self {
            Self::Bare(pattern) => Some(bare.iter().any(|b| pattern.is_match(b))),
            Self::Labels(selector) => Some(selector.matches(labels)),
            Self::Fuzzy(atom) => Some(bare.iter().any(|b| fuzzy(atom, b))),
            Self::Column { name, op, value, pattern, whole } => {
                let Some(text) = field(name) else {
                    return op.is_choice().then(|| bare.iter().any(|b| whole.is_match(b)));
                };
                Some(match op {
                    Op::Contains => pattern.is_match(&text),
                    Op::Equals => same(&text, value) || typed::compare(&text, value) == Some(Ordering::Equal),
                    Op::Greater => typed::compare(&text, value) == Some(Ordering::Greater),
                    Op::Less => typed::compare(&text, value) == Some(Ordering::Less),
                    Op::AtLeast => typed::compare(&text, value).is_some_and(Ordering::is_ge),
                    Op::AtMost => typed::compare(&text, value).is_some_and(Ordering::is_le),
                })
            }
        }
    }
}

/// Equal, ignoring case unless the value holds a capital.
fn same(text: &str, value: &str) -> bool {
    if value.chars().any(char::is_uppercase) { text == value } else { text.to_lowercase() == value }
}

thread_local! {
    /// The matcher's scratch memory, large and reusable.
    static MATCHER: RefCell<Matcher> = RefCell::new(Matcher::new(Config::DEFAULT));
}

fn fuzzy(atom: &Atom, text: &str) -> bool {
    MATCHER.with_borrow_mut(|matcher| {
        let mut buffer = Vec::new();
        atom.score(Utf32Str::new(text, &mut buffer), matcher).is_some()
    })
}

/// A smart-case pattern; `None` when it does not compile within the limit.
fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .case_insensitive(!has_capital(pattern))
        .size_limit(PATTERN_LIMIT)
        .dfa_size_limit(PATTERN_LIMIT)
        .build()
        .ok()
}

/// A capital letter that is meant: not the one of an escape (`\S`).
fn has_capital(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let counts = !escaped && c.is_uppercase();
        escaped = c == '\\' && !escaped;
        counts
    })
}

struct Parser<'a> {
    rest: &'a str,
    trouble: Option<Trouble>,
}

impl<'a> Parser<'a> {
    fn term(&mut self) -> Option<Term> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                return None;
            }
            let not = self.rest.starts_with('!');
            if not {
                self.rest = &self.rest[1..];
            }
            if let Some((test, inverse)) = self.test() {
                return Some(Term { not: not != inverse, test });
            }
        }
    }

    /// The test and whether its operator inverts it; `None` for a part that says nothing yet (`!`, `-l`, `""`).
    fn test(&mut self) -> Option<(Test, bool)> {
        if let Some(rest) = flag(self.rest, "-l") {
            self.rest = rest;
            return self.selector().map(|t| (t, false));
        }
        if let Some(rest) = flag(self.rest, "-f") {
            self.rest = rest;
            let (value, _) = self.value();
            let atom = Atom::new(&value, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy, false);
            return (!value.is_empty()).then_some((Test::Fuzzy(atom), false));
        }
        if let Some(found) = self.column() {
            return found;
        }
        let (value, quoted) = self.value();
        if value.is_empty() {
            return None;
        }
        Some((Test::Bare(self.pattern(&value, quoted)?), false))
    }

    /// A term on a column; `None` = this is none, `Some(None)` = one that says nothing yet.
    fn column(&mut self) -> Option<Option<(Test, bool)>> {
        let start = self.rest;
        let end = start.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'))?;
        let (name, after) = start.split_at(end);
        let (sign, op, inverse) = Op::ALL.into_iter().find(|(sign, ..)| after.starts_with(sign))?;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        self.rest = &after[sign.len()..];
        let (value, quoted) = self.word();
        if value.is_empty() && !quoted {
            // Still being typed: nothing to compare with yet.
            return Some(None);
        }
        let name = super::columns::plain(name);
        if matches!(name.as_str(), "label" | "labels")
            && let Some(selector) = Selector::parse(&value)
        {
            return Some(Some((Test::Labels(selector), inverse)));
        }
        let written = start[..start.len() - self.rest.len()].trim();
        let Some(whole) = compile(&regex::escape(written)) else { return Some(None) };
        let pattern = if op == Op::Contains { self.pattern(&value, quoted) } else { Some(whole.clone()) };
        Some(pattern.map(|pattern| (Test::Column { name, op, value, pattern, whole }, inverse)))
    }

    fn selector(&mut self) -> Option<Test> {
        self.rest = self.rest.trim_start();
        let text = if self.rest.starts_with(['"', '\'']) { self.value().0 } else { self.selector_text().to_owned() };
        if text.trim().is_empty() {
            return None;
        }
        if let Some(selector) = Selector::parse(&text) {
            return Some(Test::Labels(selector));
        }
        self.trouble.get_or_insert_with(|| Trouble::Selector(text.clone()));
        compile(&regex::escape(text.trim())).map(Test::Bare)
    }

    /// A selector ends at a blank that stands outside parentheses and is not within `a in (b)`, `a = b`, `a, b`.
    fn selector_text(&mut self) -> &'a str {
        let mut depth = 0usize;
        let text = self.rest;
        for (i, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                c if c.is_whitespace() && depth == 0 && !goes_on(&text[..i], text[i..].trim_start()) => {
                    self.rest = &text[i..];
                    return &text[..i];
                }
                _ => {}
            }
        }
        self.rest = "";
        text
    }

    /// A value after blanks.
    fn value(&mut self) -> (String, bool) {
        self.rest = self.rest.trim_start();
        self.word()
    }

    /// A value: quoted (then literal), or up to the next blank.
    fn word(&mut self) -> (String, bool) {
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let inner = &self.rest[1..];
            let end = inner.find(quote).unwrap_or(inner.len());
            self.rest = inner.get(end + 1..).unwrap_or("");
            return (inner[..end].to_owned(), true);
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        (value.to_owned(), false)
    }

    fn pattern(&mut self, value: &str, literal: bool) -> Option<Regex> {
        if !literal {
            if let Some(pattern) = compile(value) {
                return Some(pattern);
            }
            self.trouble.get_or_insert_with(|| Trouble::Regex(value.to_owned()));
        }
        compile(&regex::escape(value))
    }
}

/// What follows a flag, if the text starts with it.
fn flag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

fn goes_on(before: &str, after: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or("");
    last.ends_with([',', '=', '!'])
        || matches!(last, "in" | "notin") && after.starts_with('(')
        || after.starts_with([',', '='])
        || after.starts_with("!=")
        || ["in", "notin"].iter().any(|w| after.strip_prefix(w).is_some_and(|r| r.trim_start().starts_with('(')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passes(filter: &str) -> bool {
        let field = |key: &str| {
            Some(
                match key {
                    "name" => "Web-Api-7",
                    "status" => "CrashLoopBackOff",
                    "restarts" => "12 (4m ago)",
                    "age" => "3h",
                    "version" => "v1.9.3",
                    "memory" => "512Mi",
                    "cluster" => "prod-eu",
                    "lastseen" => "5m",
                    _ => return None,
                }
                .to_owned(),
            )
        };
        let labels = |key: &str| match key {
            "app" => Some("web".to_owned()),
            "tier" => Some("gold".to_owned()),
            _ => None,
        };
        Filter::parse(filter).matches(&["Web-Api-7", "shop", "prod-eu", "nginx:1.27"], &field, &labels)
    }

    #[test]
    fn the_whole_grammar() {
        for (filter, pass) in [
            ("", true),
            ("web", true),
            ("Web", true),
            ("WEB", false),
            ("web.*7$", true),
            ("web shop", true),
            ("web nowhere", false),
            ("!web", false),
            ("!nowhere web", true),
            ("\"web.*7\"", false),
            ("'web-api'", true),
            ("nginx:1.27", true),
            ("nginx:1.28", false),
            ("status:crash", true),
            ("status:crash status:running", true),
            ("status:running", false),
            ("status:running status:pending", false),
            ("status:crash cluster:dev", false),
            ("!status:crash status:crash", false),
            ("status=crashloopbackoff", true),
            ("status=crash", false),
            ("status!=running", true),
            ("restarts>3", true),
            ("restarts>=12", true),
            ("restarts<12", false),
            ("restarts=12", true),
            ("age>90m age<1d", true),
            ("age>90m age<2h", false),
            ("version<1.10", true),
            ("memory<2Gi", true),
            ("LAST-SEEN<=5m", true),
            ("unknown>3", true),
            ("restarts>", true),
            ("-l app=web", true),
            ("-l app in (api, web),tier=gold shop", true),
            ("-l app notin (api), !none web", true),
            ("-l app=api", false),
            ("!-l app=web", false),
            ("-l", true),
            ("label:app=web", true),
            ("label:app!=web", false),
            ("-f wap7", true),
            ("-f zzz", false),
            ("!-f wap7", false),
            ("!", true),
            ("\"\"", true),
            ("web(", false),
        ] {
            assert_eq!(passes(filter), pass, "{filter}");
        }
    }

    #[test]
    fn what_is_no_regex_is_text_and_says_so() {
        let field = |_: &str| None;
        let broken = Filter::parse("web(");
        assert_eq!(broken.trouble(), Some(&Trouble::Regex("web(".to_owned())));
        assert!(broken.matches(&["my-web(1)"], &field, &field));
        let huge = Filter::parse("(a{1000}){1000}");
        assert!(huge.note().is_some(), "a pattern too large is no pattern");
        let selector = Filter::parse("-l app@x");
        assert_eq!(selector.trouble(), Some(&Trouble::Selector("app@x".to_owned())));
        assert_eq!(Filter::parse("web status:up").note(), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "\\PC{0,40}", cell in "\\PC{0,20}") {
            let field = |_: &str| Some(cell.clone());
            Filter::parse(&text).matches(&[&cell], &field, &field);
        }

        #[test]
        fn no_near_filter_breaks_it(
            text in "(!|-l |-f |age|name|[:=<>!]|[0-9]{1,25}|[smhdw]|Gi|[()'\", .*+?\\[\\]{}\\\\|a-c]){0,20}",
            cell in "[0-9a-zé.% ]{0,12}",
        ) {
            let filter = Filter::parse(&text);
            let field = |_: &str| Some(cell.clone());
            filter.matches(&[&cell], &field, &field);
            let again = Filter::parse(filter.text());
            prop_assert_eq!(again.text(), filter.text());
        }
    }
}
