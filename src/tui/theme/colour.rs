//! What the terminal can show, and the nearest of what it can to what a theme wants.

use ratatui::style::{Color, Style};

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// None: bold, reverse, underline and dim do the work.
    None,
    /// The 16 named ones.
    Ansi,
    /// 256.
    Indexed,
    /// 24 bit.
    True,
}

impl Level {
    /// Word for `info`.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ansi => "16",
            Self::Indexed => "256",
            Self::True => "24-bit",
        }
    }
}

/// Decides the level from `--color` (`auto`, `always`, `never`, `16`, `256`) and the environment (specs: tui a4). terminfo
/// is not read: TERM and COLORTERM say the same for every terminal in use, and degrading is harmless.
pub fn level(choice: &str, var: &dyn Fn(&str) -> Option<String>) -> Level {
    let get = |name| var(name).unwrap_or_default();
    let term = get("TERM");
    match choice {
        "never" => return Level::None,
        "16" => return Level::Ansi,
        "256" => return Level::Indexed,
        "always" => {}
        _ if !get("NO_COLOR").is_empty() || term == "dumb" => return Level::None,
        _ => {}
    }
    if matches!(get("COLORTERM").as_str(), "truecolor" | "24bit") || !get("WT_SESSION").is_empty() {
        return Level::True;
    }
    if term.contains("direct")
        || matches!(term.as_str(), "xterm-kitty" | "alacritty" | "xterm-ghostty" | "wezterm" | "foot")
    {
        return Level::True;
    }
    if term.contains("256color") {
        return Level::Indexed;
    }
    Level::Ansi
}

/// A style with what the level leaves of its colours.
pub fn degrade(style: Style, level: Level) -> Style {
    let map = |c: Option<Color>| c.map(|c| nearest(c, level));
    match level {
        Level::None => Style { fg: None, bg: None, underline_color: None, ..style },
        _ => Style { fg: map(style.fg), bg: map(style.bg), underline_color: None, ..style },
    }
}

fn nearest(colour: Color, level: Level) -> Color {
    match (colour, level) {
        (Color::Rgb(r, g, b), Level::Indexed) => Color::Indexed(nearest_of([r, g, b], 16..=255)),
        (Color::Rgb(r, g, b), Level::Ansi) => NAMED[named([r, g, b])],
        (Color::Indexed(i), Level::Ansi) => NAMED[named(indexed_rgb(i))],
        (other, _) => other,
    }
}

/// The 16 named colours in the order of their numbers.
const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// Typical red, green, blue of the named colours (xterm's).
const NAMED_RGB: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

fn indexed_rgb(i: u8) -> [u8; 3] {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match i {
        0..=15 => NAMED_RGB[usize::from(i)],
        16..=231 => {
            let i = i - 16;
            [STEPS[usize::from(i / 36)], STEPS[usize::from(i / 6 % 6)], STEPS[usize::from(i % 6)]]
        }
        232.. => [8 + (i - 232) * 10; 3],
    }
}

/// Red, green, blue of a colour, typical values for named ones; `None` for the terminal's default.
pub fn rgb(colour: Color) -> Option<[u8; 3]> {
    match colour {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(i) => Some(indexed_rgb(i)),
        other => NAMED.iter().position(|n| *n == other).map(|i| NAMED_RGB[i]),
    }
}

fn nearest_of(want: [u8; 3], among: std::ops::RangeInclusive<u8>) -> u8 {
    let want = oklab(want);
    let distance = |i: &u8| {
        let have = oklab(indexed_rgb(*i));
        want.iter().zip(have).map(|(a, b)| (a - b).powi(2)).sum::<f32>()
    };
    among.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(7)
}

/// The named colour that means the same: of a coloured one the hue counts most, of a grey one the lightness. Plain nearness
/// would turn every pale green and pale yellow into the same grey.
fn named(want: [u8; 3]) -> usize {
    let polar = |rgb| {
        let [l, a, b] = oklab(rgb);
        (l, a.hypot(b), b.atan2(a))
    };
    let (l, chroma, hue) = polar(want);
    let is_grey = |i: usize| matches!(i, 0 | 7 | 8 | 15);
    let distance = |i: usize| {
        let (l2, _, hue2) = polar(NAMED_RGB[i]);
        let turn = (hue - hue2).abs();
        let turn = turn.min(std::f32::consts::TAU - turn);
        (l - l2).abs() + if is_grey(i) { 0.0 } else { 2.0 * turn }
    };
    (0..16)
        .filter(|i| is_grey(*i) == (chroma < 0.045))
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
        .unwrap_or(7)
}

fn linear(value: u8) -> f32 {
    let v = f32::from(value) / 255.0;
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// Oklab, a space in which distance is what the eye sees (Björn Ottosson, 2020; public domain).
fn oklab(rgb: [u8; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(linear);
    let l = (0.412_221_47 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// WCAG contrast between two colours, 1 to 21.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f32 {
    let luminance = |c: [u8; 3]| {
        let [r, g, b] = c.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Parses `default`, a name (`red`, `bright-black`), an index (`208`) or `#rrggbb`. The outer `None` = no colour at all.
pub fn parse(text: &str) -> Option<Option<Color>> {
    const NAMES: [&str; 16] = [
        "black",
        "red",
        "green",
        "yellow",
        "blue",
        "magenta",
        "cyan",
        "white",
        "bright-black",
        "bright-red",
        "bright-green",
        "bright-yellow",
        "bright-blue",
        "bright-magenta",
        "bright-cyan",
        "bright-white",
    ];
    if text == "default" {
        return Some(None);
    }
    if let Some(i) = NAMES.iter().position(|n| *n == text) {
        return Some(Some(NAMED[i]));
    }
    if let Some(hex) = text.strip_prefix('#').filter(|h| h.len() == 6 && h.is_ascii()) {
        let part = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).ok();
        return Some(Some(Color::Rgb(part(0)?, part(2)?, part(4)?)));
    }
    text.parse::<u8>().ok().map(|i| Some(Color::Indexed(i)))
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    fn pick(choice: &str, vars: &[(&str, &str)]) -> Level {
        level(choice, &|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn the_ladder() {
        assert_eq!(pick("auto", &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Level::True);
        assert_eq!(pick("auto", &[("TERM", "xterm-256color")]), Level::Indexed);
        assert_eq!(pick("auto", &[("TERM", "linux")]), Level::Ansi);
        assert_eq!(pick("auto", &[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), Level::None);
        assert_eq!(pick("auto", &[("TERM", "xterm-256color"), ("NO_COLOR", "")]), Level::Indexed);
        assert_eq!(pick("always", &[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), Level::Indexed);
        assert_eq!(pick("never", &[("COLORTERM", "truecolor")]), Level::None);
        assert_eq!(pick("16", &[("COLORTERM", "truecolor")]), Level::Ansi);
        assert_eq!(pick("auto", &[("TERM", "dumb")]), Level::None);
    }

    #[test]
    fn colours_degrade_to_what_the_eye_takes_for_the_same() {
        let rgb = |r, g, b| Style::new().fg(Color::Rgb(r, g, b));
        assert_eq!(degrade(rgb(255, 0, 0), Level::Indexed).fg, Some(Color::Indexed(196)));
        assert_eq!(degrade(rgb(250, 5, 5), Level::Ansi).fg, Some(Color::LightRed));
        assert_eq!(degrade(rgb(128, 128, 128), Level::Ansi).fg, Some(Color::DarkGray));
        assert_eq!(
            degrade(rgb(1, 2, 3).add_modifier(Modifier::BOLD), Level::None),
            Style::new().add_modifier(Modifier::BOLD)
        );
        assert!((contrast([0, 0, 0], [255, 255, 255]) - 21.0).abs() < 0.01);
    }

    #[test]
    fn colour_names() {
        assert_eq!(parse("default"), Some(None));
        assert_eq!(parse("bright-black"), Some(Some(Color::DarkGray)));
        assert_eq!(parse("#5fafd7"), Some(Some(Color::Rgb(0x5f, 0xaf, 0xd7))));
        assert_eq!(parse("208"), Some(Some(Color::Indexed(208))));
        assert_eq!(parse("#5fafd"), None);
        assert_eq!(parse("puce"), None);
    }
}
