//! What a scalar of a manifest means. The Kubernetes tools read YAML 1.1 by Go's number rules (`yes` is true, `0755` is 493,
//! `08` is 8, `1:30` is a text) and hand it on as JSON, where `1.0` and `1e3` are whole numbers. The rules here were
//! measured with `kubectl`; `tests/corpus.rs` compares the two.

use std::borrow::Cow;

use base64::Engine as _;

use super::text;
use crate::desired::tree::Value;

/// Why a scalar has no meaning; for [`super::yaml::Why`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Infinity or "not a number": JSON has neither.
    NotFinite,
    /// What stands there is not what its tag says, or a `!!binary` that is no base64.
    Tag,
}

/// A plain scalar without a tag.
pub(super) fn plain(text: &str) -> Result<Value, Misfit> {
    Ok(match meaning(text) {
        Meaning::Value(value) => value,
        Meaning::Number(Number::Whole(n)) => Value::Int(n),
        Meaning::Number(Number::Wide(n)) => Value::Float(n),
        Meaning::Number(Number::Real(n)) if n.is_finite() => through_json(n),
        Meaning::Number(Number::Real(_)) => return Err(Misfit::NotFinite),
    })
}

/// The key that a plain scalar without a tag becomes; `None` for what the tools take for no key: `null`, and whole numbers
/// that fit 64 bits without a sign only. Numbers are written as the tools write them: `0755` is `493`, `1e6` is `1e+06`.
pub(super) fn plain_key(text: &str) -> Option<Cow<'_, str>> {
    match meaning(text) {
        Meaning::Value(Value::Text(_)) => Some(text.into()),
        Meaning::Value(Value::Bool(b)) => Some(if b { "true" } else { "false" }.into()),
        Meaning::Number(Number::Whole(n)) => Some(n.to_string().into()),
        Meaning::Number(Number::Real(n)) => Some(short(n).into()),
        Meaning::Value(_) | Meaning::Number(Number::Wide(_)) => None,
    }
}

/// What a plain scalar is before it goes through JSON.
enum Meaning {
    Value(Value),
    Number(Number),
}

/// A number.
enum Number {
    /// Fits 64 bits with a sign.
    Whole(i64),
    /// Whole, and fits 64 bits without a sign only: the tools make a float of it.
    Wide(f64),
    /// Any other; also infinity and "not a number".
    Real(f64),
}

fn meaning(text: &str) -> Meaning {
    let found = match text.bytes().next() {
        None => Some(Meaning::Value(Value::Null)),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text).map(Meaning::Number),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text).map(Meaning::Value)
        }
        Some(_) => None,
    };
    found.unwrap_or_else(|| Meaning::Value(Value::Text(text.into())))
}

/// A scalar with a tag of YAML's own (`int` for `!!int`); unknown tags leave the text as it is.
pub(super) fn tagged(tag: &str, text: &str) -> Result<Value, Misfit> {
    let as_text = || Value::Text(text.into());
    let fits = |value: Value, fits: fn(&Value) -> bool| if fits(&value) { Ok(value) } else { Err(Misfit::Tag) };
    match tag {
        "int" => fits(plain(text)?, |v| matches!(v, Value::Int(_))),
        "float" => fits(plain(text)?, |v| matches!(v, Value::Int(_) | Value::Float(_))),
        "bool" => fits(plain(text)?, |v| matches!(v, Value::Bool(_))),
        "null" => fits(plain(text)?, |v| matches!(v, Value::Null)),
        "timestamp" => fits(as_text(), |v| matches!(v, Value::Text(t) if begins_with_a_year(t))),
        "binary" => binary(text).map(|bytes| Value::Text(text::lossy(&bytes).into())).ok_or(Misfit::Tag),
        _ => Ok(as_text()),
    }
}

/// The words of YAML 1.1. Only these spellings count: `yEs` is a text.
fn word(text: &str) -> Option<Value> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(Value::Bool(true)),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(Value::Bool(false))
        }
        "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        _ => None,
    }
}

/// A number, if it is one. Sexagesimal numbers (`1:30`) are texts for every Kubernetes tool.
fn number(text: &str) -> Option<Number> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Some(Number::Real(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => return Some(Number::Real(f64::NEG_INFINITY)),
        ".nan" | ".NaN" | ".NAN" => return Some(Number::Real(f64::NAN)),
        _ => {}
    }
    let digits: Cow<'_, str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let whole = if text.starts_with('.') { None } else { whole(&digits) };
    whole.or_else(|| decimal(&digits).map(Number::Real))
}

/// A whole number with an optional sign and Go's prefixes: `0x`, `0b`, `0o`, and a bare leading zero for octal. What fits
/// 64 bits without a sign only becomes a float, as it does on its way through JSON.
fn whole(digits: &str) -> Option<Number> {
    let (negative, magnitude) = match digits.as_bytes().first()? {
        b'-' => (true, &digits[1..]),
        b'+' => (false, &digits[1..]),
        _ => (false, digits),
    };
    let (radix, magnitude) = match magnitude.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &magnitude[2..]),
        [b'0', b'b' | b'B', ..] => (2, &magnitude[2..]),
        [b'0', b'o' | b'O', ..] => (8, &magnitude[2..]),
        [b'0', _, ..] => (8, &magnitude[1..]),
        _ => (10, magnitude),
    };
    // `from_str_radix` takes a sign of its own: `++1` and `0x-1` are texts.
    if !magnitude.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    let magnitude = u64::from_str_radix(magnitude, radix).ok()?;
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    #[expect(clippy::cast_precision_loss, reason = "so do the tools")]
    match i64::try_from(value) {
        Ok(n) => Some(Number::Whole(n)),
        Err(_) if negative => None,
        Err(_) => Some(Number::Wide(magnitude as f64)),
    }
}

/// A decimal number as YAML writes it: digits, a dot, an exponent. Too large for a float means that it is a text.
fn decimal(digits: &str) -> Option<f64> {
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let form = all_digits(before) && all_digits(after) && !(before.is_empty() && after.is_empty());
    let power = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && all_digits(e)
    });
    if form && power { digits.parse::<f64>().ok().filter(|n| n.is_finite()) } else { None }
}

/// A float as it is after a way through JSON: whole ones become whole numbers, by the shortest digits that name them.
fn through_json(n: f64) -> Value {
    let whole = n.fract() == 0.0 && n.abs() < 1e21;
    // -0.0 prints as `-0`, which reads as 0.
    let digits = whole.then(|| n.to_string().parse::<i64>().ok()).flatten();
    digits.map_or(Value::Float(n), Value::Int)
}

/// A float as a key: the shortest digits of a 32-bit float, with an exponent from a million on (`1.5`, `1e+06`).
fn short(n: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "so do the tools")]
    let n = n as f32;
    if !n.is_finite() {
        return if n.is_nan() {
            ".nan"
        } else if n > 0.0 {
            ".inf"
        } else {
            "-.inf"
        }
        .to_owned();
    }
    let scientific = format!("{n:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return n.to_string();
    }
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn begins_with_a_year(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-'
}

/// Base64 with line breaks in it.
fn binary(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    base64::engine::general_purpose::STANDARD.decode(joined).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::tree::Node;

    fn json(value: Result<Value, Misfit>) -> String {
        value.map_or_else(|e| format!("{e:?}"), |value| Node { value, ..Node::default() }.to_json().to_string())
    }

    #[test]
    fn plain_scalars_mean_what_kubectl_says() {
        let cases = [
            ("", "null"),
            ("~", "null"),
            ("NULL", "null"),
            ("nULL", r#""nULL""#),
            ("y", "true"),
            ("On", "true"),
            ("yEs", r#""yEs""#),
            ("no", "false"),
            ("0755", "493"),
            ("-0755", "-493"),
            ("0o755", "493"),
            ("0O17", "15"),
            ("0o8", r#""0o8""#),
            ("08", "8"),
            ("-08", "-8"),
            ("09.5", "9.5"),
            ("0x1F", "31"),
            ("-0x1F", "-31"),
            ("0x", r#""0x""#),
            ("0x-1", r#""0x-1""#),
            ("0b101", "5"),
            ("0b2", r#""0b2""#),
            ("1_000.5", "1000.5"),
            ("0x_1F", "31"),
            ("_1", r#""_1""#),
            ("+12", "12"),
            ("++1", r#""++1""#),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("1.10", "1.1"),
            ("1e3", "1000"),
            ("1e18", "1000000000000000000"),
            ("1e21", "1e+21"),
            ("1e400", r#""1e400""#),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5"),
            (".", r#"".""#),
            ("-", r#""-""#),
            ("12e", r#""12e""#),
            (".1_0", "0.1"),
            ("1.2.3", r#""1.2.3""#),
            ("0x1p4", r#""0x1p4""#),
            ("1:30", r#""1:30""#),
            ("00:11:22:33:44:55", r#""00:11:22:33:44:55""#),
            ("2001-12-14", r#""2001-12-14""#),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9.223372036854776e+18"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            ("123456789012345678.0", "123456789012345680"),
            ("0xffffffffffffffff", "1.8446744073709552e+19"),
            ("0x10000000000000000", r#""0x10000000000000000""#),
            ("01777777777777777777777", "1.8446744073709552e+19"),
            (".inf", "NotFinite"),
            ("+.INF", "NotFinite"),
            (".nan", "NotFinite"),
            ("NaN", r#""NaN""#),
            ("inf", r#""inf""#),
            ("<<", r#""<<""#),
        ];
        for (text, meaning) in cases {
            assert_eq!(json(plain(text)), meaning, "{text}");
        }
    }

    #[test]
    fn keys_are_texts_as_kubectl_writes_them() {
        let cases = [
            ("a", Some("a")),
            ("yes", Some("true")),
            ("0755", Some("493")),
            ("1.0", Some("1")),
            ("-0.0", Some("-0")),
            ("1.5", Some("1.5")),
            ("1e3", Some("1000")),
            ("1e6", Some("1e+06")),
            ("1234567.5", Some("1.2345675e+06")),
            ("123456.7", Some("123456.7")),
            ("0.0001", Some("0.0001")),
            ("1e-7", Some("1e-07")),
            ("0.30000000000000004", Some("0.3")),
            ("-.inf", Some("-.inf")),
            ("2001-01-01", Some("2001-01-01")),
            ("~", None),
            ("9223372036854775808", None),
        ];
        for (text, key) in cases {
            assert_eq!(plain_key(text).as_deref(), key, "{text}");
        }
    }

    #[test]
    fn tags_are_obeyed_or_refused() {
        let cases = [
            ("str", "12", r#""12""#),
            ("int", "12", "12"),
            ("int", "x", "Tag"),
            ("int", "", "Tag"),
            ("float", "3", "3"),
            ("bool", "yes", "true"),
            ("null", "", "null"),
            ("null", "x", "Tag"),
            ("binary", "aGVs\nbG8=\n", r#""hello""#),
            ("binary", "!!", "Tag"),
            ("timestamp", "2001-12-14", r#""2001-12-14""#),
            ("timestamp", "x", "Tag"),
            ("foo", "12", r#""12""#),
        ];
        for (tag, text, meaning) in cases {
            assert_eq!(json(tagged(tag, text)), meaning, "{tag} {text}");
        }
    }
}
