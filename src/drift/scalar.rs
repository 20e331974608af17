//! Equality of single values (rules N05 to N09): quantities, durations, instants and base64 by what they mean, all else as written.

use base64::Engine as _;
use serde_json::Value as Json;

/// Numbers by value; whole numbers never go through a float (N06). Texts byte by byte.
pub fn plain(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64().is_some() && a.as_f64() == b.as_f64())
        }
        _ => a == b,
    }
}

/// Quantities by value (N07); `milli` rounds up to thousandths first, as the server does in lists of resources.
pub fn quantities(a: &Json, b: &Json, milli: bool) -> bool {
    let value = |json: &Json| {
        let text = match json {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            _ => return None,
        };
        let nano = nanos(&text)?;
        Some(if milli { nano.div_euclid(1_000_000) + i128::from(nano.rem_euclid(1_000_000) != 0) } else { nano })
    };
    value(a).is_some_and(|a| value(b) == Some(a))
}

/// A quantity in billionths, smaller parts rounded up; `None` when it is none or does not fit.
fn nanos(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + part.len() == 0 {
        return None;
    }
    let mantissa: i128 = format!("{whole}{part}").parse().ok()?;
    let (factor, power) = unit(suffix)?;
    let power = power + 9 - i32::try_from(part.len()).ok()?;
    let value = mantissa.checked_mul(factor)?;
    let ten = 10_i128.checked_pow(power.unsigned_abs())?;
    let value = if power >= 0 { value.checked_mul(ten)? } else { (value + ten - 1) / ten };
    Some(if negative { -value } else { value })
}

/// The factor and the power of ten of a suffix.
fn unit(suffix: &str) -> Option<(i128, i32)> {
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const DECIMAL: [(&str, i32); 10] =
        [("", 0), ("n", -9), ("u", -6), ("m", -3), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
    if let Some(at) = BINARY.iter().position(|b| *b == suffix) {
        return Some((1_i128 << (10 * (at + 1)), 0));
    }
    if let Some((_, power)) = DECIMAL.iter().find(|(d, _)| *d == suffix) {
        return Some((1, *power));
    }
    let power: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    (power.abs() <= 30).then_some((1, power))
}

/// Two texts that are both durations of Go, of the same length (N09).
pub fn durations(a: &str, b: &str) -> bool {
    duration(a).is_some_and(|length| duration(b) == Some(length))
}

/// A duration of Go in billionths of a second: one or more of number and unit.
fn duration(text: &str) -> Option<i128> {
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let mut total: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let units = [
            ("ns", 1),
            ("us", 1_000),
            ("µs", 1_000),
            ("ms", 1_000_000),
            ("s", 1_000_000_000),
            ("m", 60_000_000_000),
            ("h", 3_600_000_000_000),
        ];
        let (unit, factor) = units.iter().find(|(unit, _)| after.starts_with(unit))?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if part.len() > 9 {
            return None;
        }
        let mantissa: i128 = format!("{whole}{part}").parse().ok()?;
        let scale = 10_i128.pow(u32::try_from(part.len()).ok()?);
        total = total.checked_add(mantissa.checked_mul(*factor)? / scale)?;
        rest = &after[unit.len()..];
    }
    Some(if negative { -total } else { total })
}

/// The same instant, to the second: the server drops what is smaller.
pub fn instants(a: &str, b: &str) -> bool {
    let second = |text: &str| text.parse::<jiff::Timestamp>().ok().map(|t| t.as_second());
    second(a).is_some_and(|at| second(b) == Some(at))
}

/// The same bytes, in base64; white space in it means nothing.
pub fn bytes(a: &str, b: &str) -> bool {
    decoded(a).is_some_and(|bytes| decoded(b) == Some(bytes))
}

/// What base64 holds.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// Base64 of a text.
pub fn encoded(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// `false`, `0`, `""`, `null`: what a Go program leaves out.
pub fn is_zero(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quantities_are_equal_by_value() {
        for (a, b) in [
            (json!("1000m"), json!("1")),
            (json!(0.1), json!("100m")),
            (json!("1000M"), json!("1G")),
            (json!("3072Mi"), json!("3Gi")),
            (json!("0.5Gi"), json!("512Mi")),
            (json!("0.0005"), json!("1m")),
            (json!("2000000k"), json!("2G")),
            (json!("1e3"), json!(1000)),
            (json!("+5"), json!("5")),
        ] {
            assert!(quantities(&a, &b, true), "{a} {b}");
        }
        assert!(!quantities(&json!("512Mi"), &json!("512M"), true));
        assert!(!quantities(&json!("0.0005"), &json!("1m"), false));
        assert!(!quantities(&json!("abc"), &json!("abd"), true));
    }

    #[test]
    fn durations_numbers_bytes_and_instants() {
        assert!(durations("2160h", "2160h0m0s") && durations("10m", "600s") && durations("1.5h", "90m"));
        assert!(!durations("1d", "24h") && !durations("10", "10s") && !durations("10m", "10s"));
        assert!(plain(&json!(1), &json!(1.0)));
        assert!(!plain(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
        assert!(!plain(&json!("1"), &json!(1)));
        assert!(bytes("aGk=\n", "aGk=") && !bytes("aGk=", "aG8="));
        assert!(instants("2026-01-01T00:00:00Z", "2026-01-01T01:00:00.25+01:00"));
    }
}
