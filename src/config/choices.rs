//! Words that flags, variables and the fleet file share.

/// `--color`.
pub const COLORS: &[&str] = &["auto", "always", "never", "16", "256"];
/// `--lang`.
pub const LANGS: &[&str] = &["en", "zh"];
/// How text is copied.
pub const CLIPBOARDS: &[&str] = &["auto", "native", "osc52", "off"];
