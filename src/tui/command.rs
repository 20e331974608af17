//! The command line's grammar: `:<screen, kind or action> [argument ...] [/filter] [@clusters] [-l selector]`, with quotes
//! for what contains blanks (context names do), and what completes it.

/// A command line taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// First word.
    pub name: String,
    /// Other words.
    pub args: Vec<String>,
    /// Behind `/`.
    pub filter: Option<String>,
    /// Behind `@`.
    pub at: Option<String>,
    /// Behind `-l`.
    pub selector: Option<String>,
}

/// Why a line cannot be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A quote was opened and not closed.
    Quote,
    /// `-l` without a selector.
    Selector,
}

impl CommandLine {
    /// Takes a line apart. The empty line has an empty name.
    pub fn parse(line: &str) -> Result<Self, Broken> {
        let mut out = Self::default();
        let mut words = words(line)?.into_iter();
        while let Some((text, mark)) = words.next() {
            match mark {
                Some('/') => out.filter = Some(text),
                Some('@') => out.at = Some(text),
                _ if text == "-l" => out.selector = Some(words.next().ok_or(Broken::Selector)?.0),
                _ if out.name.is_empty() => out.name = text,
                _ => out.args.push(text),
            }
        }
        Ok(out)
    }

    /// The filter as the filter language has it, the selector included.
    pub fn whole_filter(&self) -> String {
        let selector = self.selector.as_ref().map(|s| format!("-l {s}"));
        [selector, self.filter.clone()].into_iter().flatten().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word so that it is read back as it is.
pub fn quote(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\');
    if !word.is_empty() && !word.starts_with(['/', '@']) && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Words with their leading mark (`/` or `@`, when it stands outside quotes). Everything behind a `/` up to a following
/// ` @` or ` -l ` belongs to the filter, which has blanks of its own.
fn words(line: &str) -> Result<Vec<(String, Option<char>)>, Broken> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let mark = rest.chars().next().filter(|c| matches!(c, '/' | '@'));
        // The name itself may not begin with a mark: `:/x` filters the screen that is there.
        if mark == Some('/') {
            let (text, after) = filter_text(&rest[1..]);
            out.push((text.to_owned(), mark));
            rest = after.trim_start();
            continue;
        }
        if mark.is_some() {
            rest = &rest[1..];
        }
        let (word, after) = one_word(rest)?;
        out.push((word, mark));
        rest = after.trim_start();
    }
    Ok(out)
}

fn filter_text(text: &str) -> (&str, &str) {
    let mut quoted = false;
    for (i, c) in text.char_indices() {
        let tail = &text[i..];
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted && (tail.starts_with(" @") || tail.starts_with(" -l ")) => {
                return (text[..i].trim_end(), tail);
            }
            _ => {}
        }
    }
    (text.trim_end(), "")
}

fn one_word(text: &str) -> Result<(String, &str), Broken> {
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('"'), '\\') | (None, '\\') => word.extend(chars.next().map(|(_, c)| c)),
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => return Ok((word, &text[i..])),
            (None, c) => word.push(c),
        }
    }
    if quote.is_some() { Err(Broken::Quote) } else { Ok((word, "")) }
}

/// What would complete a line: the rest of the first candidate that begins with its last word. `names` complete the first
/// word, `clusters` one behind `@`, `values(name)` the others.
pub fn complete(
    line: &str,
    names: &[String],
    clusters: &[String],
    values: &dyn Fn(&str) -> Vec<String>,
) -> Option<String> {
    let start = line.rfind(char::is_whitespace).map_or(0, |i| i + 1);
    let last = &line[start..];
    let first = line.split_whitespace().next().unwrap_or("");
    let (typed, candidates) = match last.strip_prefix('@') {
        Some(typed) => (typed, clusters.to_vec()),
        None if start == 0 => (last, names.to_vec()),
        None => (last, values(first)),
    };
    if typed.is_empty() {
        return None;
    }
    let hit = candidates.iter().find(|c| c.len() > typed.len() && c.starts_with(typed))?;
    hit.get(typed.len()..).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar() {
        let parse = |line: &str| {
            let c = CommandLine::parse(line).unwrap();
            let args = c.args.join("|");
            [c.name, args, c.filter.unwrap_or_default(), c.at.unwrap_or_default(), c.selector.unwrap_or_default()]
        };
        for (line, want) in [
            ("fleet", ["fleet", "", "", "", ""]),
            ("  pods  shop /web !test @eu-w1 -l app=x", ["pods", "shop", "web !test", "eu-w1", "app=x"]),
            ("pods -l app=x @env:prod /a b", ["pods", "", "a b", "env:prod", "app=x"]),
            (
                r#"pods @"arn:aws:eks:eu-west-1:1:cluster/my prod""#,
                ["pods", "", "", "arn:aws:eks:eu-west-1:1:cluster/my prod", ""],
            ),
            (r#"pods "/etc" 'it''s'"#, ["pods", "/etc|its", "", "", ""]),
            (r#"pods /name:"a @b" @c"#, ["pods", "", r#"name:"a @b""#, "c", ""]),
            ("/web", ["", "", "web", "", ""]),
            ("", ["", "", "", "", ""]),
            ("theme 支付", ["theme", "支付", "", "", ""]),
        ] {
            assert_eq!(parse(line), want.map(String::from), "{line}");
        }
        assert_eq!(CommandLine::parse("pods \"x"), Err(Broken::Quote));
        assert_eq!(CommandLine::parse("pods -l"), Err(Broken::Selector));
        let c = CommandLine::parse("pods /web -l app=x").unwrap();
        assert_eq!(c.whole_filter(), "-l app=x web");
    }

    #[test]
    fn quoted_words_come_back() {
        for word in ["plain", "a b", "it's", "a\"b\\c", "/x", "@y", "", "支 付"] {
            let line = format!("cmd {}", quote(word));
            assert_eq!(CommandLine::parse(&line).unwrap().args, [word], "{line}");
        }
    }

    #[test]
    fn completion_by_place() {
        let names = ["fleet".to_owned(), "pods".to_owned()];
        let clusters = ["eu-w1".to_owned()];
        let values = |name: &str| if name == "theme" { vec!["dark".to_owned()] } else { Vec::new() };
        let done = |line| complete(line, &names, &clusters, &values).unwrap_or_default();
        assert_eq!(done("fl"), "eet");
        assert_eq!(done("pods @eu"), "-w1");
        assert_eq!(done("theme d"), "ark");
        assert_eq!(done("pods d"), "");
        assert_eq!(done(""), "");
    }
}
