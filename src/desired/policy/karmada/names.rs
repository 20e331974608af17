//! Names as Kubernetes admits them: keys of labels and annotations, values of labels.

/// Longest name, and longest label value, in bytes.
const LONGEST: usize = 63;
/// Longest prefix of a qualified name, in bytes.
const LONGEST_PREFIX: usize = 253;

/// Letters and digits, with `-`, `_` and `.` inside.
fn is_name(text: &str) -> bool {
    let solid = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= LONGEST
        && solid(bytes.first())
        && solid(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Lower-case labels joined by dots.
fn is_subdomain(text: &str) -> bool {
    let label = |part: &str| {
        let bytes = part.as_bytes();
        let solid = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        solid(bytes.first())
            && solid(bytes.last())
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    };
    text.len() <= LONGEST_PREFIX && text.split('.').all(label)
}

/// A key of a label: a name, with or without a domain before it.
pub fn is_qualified(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
        None => is_name(key),
    }
}

/// A value of a label: empty, or a name.
pub fn is_label_value(value: &str) -> bool {
    value.is_empty() || is_name(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_those_that_kubernetes_admits() {
        for (key, right) in [
            ("app", true),
            ("team.example/owner", true),
            ("a.b_c-D", true),
            ("", false),
            ("/x", false),
            ("a/", false),
            ("a/b/c", false),
            ("Team.example/x", false),
            ("-x", false),
            ("x y", false),
            (&"x".repeat(64), false),
        ] {
            assert_eq!(is_qualified(key), right, "{key}");
        }
        for (value, right) in [("", true), ("1.2-rc_1", true), ("a b", false), ("é", false), ("x-", false)] {
            assert_eq!(is_label_value(value), right, "{value}");
        }
    }
}
