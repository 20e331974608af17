//! Comparison of a cell's text with a typed value: ages, sizes, versions, numbers, else text.

use std::cmp::Ordering;

use crate::model::compare_tags;

/// Compares the text of a cell with a value as the value's form asks: `5m` as an age, `2Gi` as a size, `1.10` as a
/// version, `3` as a number. `None` when the cell holds no such thing.
pub(super) fn compare(cell: &str, value: &str) -> Option<Ordering> {
    if value.is_empty() {
        return None;
    }
    if let Ok(number) = value.trim_end_matches('%').parse::<u64>() {
        return Some(leading_number(cell)?.cmp(&number));
    }
    if let Some(wanted) = seconds(value) {
        return Some(seconds(cell.split(' ').next()?)?.cmp(&wanted));
    }
    if let Some(wanted) = bytes(value) {
        return Some(bytes(cell.trim())?.cmp(&wanted));
    }
    if looks_like_version(value) {
        let cell = cell.trim();
        return looks_like_version(cell).then(|| compare_tags(cell, value));
    }
    Some(cell.to_lowercase().cmp(&value.to_lowercase()))
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// `90s`, `5m`, `1h30m`, `3d`, `2w`, `1y`.
fn seconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total = 0u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0)?;
        let number: u64 = rest[..digits].parse().ok()?;
        let mut chars = rest[digits..].chars();
        let unit = match chars.next()? {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 604_800,
            'y' => 31_536_000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = chars.as_str();
    }
    (!text.is_empty()).then_some(total)
}

/// `512Mi`, `2Gi`, `1.5G`, `100k`; a bare number is bytes (in cells).
fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = match text[end..].trim_end_matches('B') {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        "Pi" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    // A bare decimal is a version, not a size.
    if end == text.len() && text.contains('.') {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates when cast")]
    let value = (number * unit) as u64;
    Some(value)
}

fn looks_like_version(text: &str) -> bool {
    let bare = text.strip_prefix('v').unwrap_or(text);
    bare.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_says_how_to_compare() {
        use Ordering::{Equal, Greater, Less};
        for (cell, value, order) in [
            ("12", "9", Some(Greater)),
            ("3 (5m ago)", "3", Some(Equal)),
            ("1/2", "2", Some(Less)),
            ("85%", "90%", Some(Less)),
            ("none", "3", None),
            ("4m", "5m", Some(Less)),
            ("2h", "90m", Some(Greater)),
            ("3d", "1h30m", Some(Greater)),
            ("512Mi", "2Gi", Some(Less)),
            ("2048Mi", "2Gi", Some(Equal)),
            ("v1.9.3", "1.10", Some(Less)),
            ("v1.33.4-eks-1", "v1.33.4", Some(Less)),
            ("web", "1.2", None),
            ("beta", "Alpha", Some(Greater)),
            ("x", "", None),
        ] {
            assert_eq!(compare(cell, value), order, "{cell} {value}");
        }
    }
}
