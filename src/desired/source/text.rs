//! From the bytes of a file to text: UTF-8, with or without a byte order mark. Everything else is refused by name.

use std::borrow::Cow;

/// Why bytes are no text that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoText {
    /// UTF-16 or UTF-32, told by the byte order mark or by the zero bytes between the letters.
    Wide,
    /// No UTF-8; the line of the first wrong byte, counted from 1.
    NotUtf8(u32),
}

/// The text; a byte order mark is left out.
///
/// UTF-16 is refused although some tools read it: `kubectl` finds no document separator in it and silently leaves out
/// every document but the first.
///
/// # Errors
///
/// See [`NoText`].
pub fn decode(bytes: &[u8]) -> Result<&str, NoText> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wide_mark = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let wide_letters = bytes.len() > 1 && (bytes[0] == 0 || bytes[1] == 0);
    if wide_mark || wide_letters {
        return Err(NoText::Wide);
    }
    std::str::from_utf8(bytes).map_err(|e| NoText::NotUtf8(line_of(bytes, e.valid_up_to())))
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(bytes: &[u8], at: usize) -> u32 {
    let breaks = bytes.get(..at).unwrap_or(bytes).iter().filter(|b| **b == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}

/// Bytes as text as the tools that write JSON do it: each byte that is no UTF-8 becomes one replacement character.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utf_8_is_text() {
        assert_eq!(decode("a: 中\n".as_bytes()), Ok("a: 中\n"));
        assert_eq!(decode(b"\xef\xbb\xbfa: 1\n"), Ok("a: 1\n"));
        assert_eq!(decode(b"\xff\xfea\0:\0"), Err(NoText::Wide));
        assert_eq!(decode(b"\xfe\xff\0a\0:"), Err(NoText::Wide));
        assert_eq!(decode(b"a\0:\0"), Err(NoText::Wide));
        assert_eq!(decode(b"a: 1\nb: \xff\n"), Err(NoText::NotUtf8(2)));
        assert_eq!(decode(b""), Ok(""));
        assert_eq!(lossy(b"a\xff\xe4\xb8z"), "a\u{fffd}\u{fffd}\u{fffd}z");
    }
}
