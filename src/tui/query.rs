//! Two questions to the terminal at the start: its background colour (OSC 11) and whether it knows kitty's keys.
//!
//! Nobody waits for the answers: they come among the keys, late or never, and are told from them by `typed`.

/// What is asked.
pub const QUESTION: &str = "\x1b]11;?\x1b\\\x1b[?u";

/// Whether the background is dark, from the body of an OSC; `None` when it is another answer.
pub fn background(body: &[u8]) -> Option<bool> {
    let colour = std::str::from_utf8(body.strip_prefix(b"11;")?).ok()?;
    Some(luminance(colour)? < 0.5)
}

/// Brightness 0 to 1 of `rgb:RRRR/GGGG/BBBB` (one to four digits each) or `#rrggbb`.
fn luminance(text: &str) -> Option<f32> {
    let parts: Vec<&str> =
        match (text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:")), text.strip_prefix('#')) {
            (Some(rgb), _) => rgb.split('/').take(3).collect(),
            (None, Some(hex)) if hex.len() == 6 && hex.is_ascii() => vec![&hex[..2], &hex[2..4], &hex[4..]],
            _ => return None,
        };
    let value = |part: &&str| {
        let most = 16u32.pow(u32::try_from(part.len()).ok().filter(|n| (1..=4).contains(n))?) - 1;
        let n = u16::from_str_radix(part, 16).ok()?;
        Some(f32::from(n) / most as f32)
    };
    let [r, g, b] = <[f32; 3]>::try_from(parts.iter().map(value).collect::<Option<Vec<f32>>>()?).ok()?;
    Some(0.2126 * r + 0.7152 * g + 0.0722 * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_dark_or_light() {
        for (body, dark) in [
            ("11;rgb:ffff/ffff/ffff", Some(false)),
            ("11;rgb:1c/1c/1c", Some(true)),
            ("11;#fafafa", Some(false)),
            ("11;rgb:1c1c/1c", None),
            ("10;rgb:1c/1c/1c", None),
            ("11;rgb:", None),
        ] {
            assert_eq!(background(body.as_bytes()), dark, "{body}");
        }
    }
}
