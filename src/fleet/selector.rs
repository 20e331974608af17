//! Label selectors as `kubectl -l` takes them, and shell globs for names.

/// A parsed label selector; all requirements must hold. The empty one takes everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    /// Also holds where the label is missing, as in Kubernetes.
    NotIn(Vec<String>),
    Exists,
    Missing,
}

impl Selector {
    /// Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k`; `None` when it is broken.
    pub fn parse(text: &str) -> Option<Self> {
        split_outside(text, ',')
            .into_iter()
            .map(str::trim)
            .filter(|p| !p.is_empty())
            .map(requirement)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// True when it takes everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether labels pass; `label` looks a value up.
    pub fn matches<S: AsRef<str>>(&self, label: impl Fn(&str) -> Option<S>) -> bool {
        self.0.iter().all(|r| {
            let value = label(&r.key);
            let listed = |list: &[String]| value.as_ref().is_some_and(|v| list.iter().any(|l| l == v.as_ref()));
            match &r.test {
                Test::In(list) => listed(list),
                Test::NotIn(list) => !listed(list),
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
            }
        })
    }
}

fn requirement(text: &str) -> Option<Requirement> {
    let made = |key: &str, test| Some(Requirement { key: name(key)?, test });
    if let Some(key) = text.strip_prefix('!') {
        return made(key, Test::Missing);
    }
    if let Some((key, set)) = text.split_once('(') {
        let list = set.strip_suffix(')')?.split(',').map(value).collect::<Option<Vec<_>>>()?;
        let (key, word) = key.trim().rsplit_once(char::is_whitespace)?;
        return match word {
            "in" => made(key, Test::In(list)),
            "notin" => made(key, Test::NotIn(list)),
            _ => None,
        };
    }
    if let Some((key, v)) = text.split_once("!=") {
        return made(key, Test::NotIn(vec![value(v)?]));
    }
    if let Some((key, v)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return made(key, Test::In(vec![value(v)?]));
    }
    made(text, Test::Exists)
}

fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    (!text.is_empty() && text.chars().all(fits)).then(|| text.to_owned())
}

fn value(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.chars().all(fits).then(|| text.to_owned())
}

/// Splits at a separator that stands outside parentheses.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Whether a shell glob (`*`, `?`) covers the whole text. Linear in practice: it goes back to the last star only.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, t) = (at + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator() {
        let labels = |key: &str| match key {
            "app" => Some("web"),
            "tier" => Some("gold"),
            "k8s.io/empty" => Some(""),
            _ => None,
        };
        for (text, fits) in [
            ("", true),
            ("app=web", true),
            ("app==web,tier = gold", true),
            ("app=api", false),
            ("app!=api", true),
            ("none!=x", true),
            ("app in (api, web)", true),
            ("app in (api)", false),
            ("app notin (api,web)", false),
            ("none notin (a)", true),
            ("none in (a)", false),
            ("app,tier", true),
            ("none", false),
            ("!none", true),
            ("!app", false),
            ("k8s.io/empty=", true),
        ] {
            assert_eq!(Selector::parse(text).unwrap().matches(labels), fits, "{text}");
        }
        for broken in ["app in web", "app in (a", "=x", "!", "a b", "app=(x)", "a@b=c"] {
            assert_eq!(Selector::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn globs() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("kube-*", "kube-system", true),
            ("kube-*", "my-kube-system", false),
            ("*-sys*em", "kube-system", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }
}
