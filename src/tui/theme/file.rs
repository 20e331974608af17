//! Theme files: YAML with semantic roles, a palette and `extends`; the embedded ones, and those of the user's folder.

use std::{collections::BTreeMap, fs, path::Path};

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::{
    Role, TILES, Theme,
    colour::{self, Level, degrade},
};

/// The embedded themes by name.
const EMBEDDED: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.yaml")),
    ("light", include_str!("../../../themes/light.yaml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.yaml")),
    ("mono", include_str!("../../../themes/mono.yaml")),
    ("deuteranopia", include_str!("../../../themes/deuteranopia.yaml")),
    ("tritanopia", include_str!("../../../themes/tritanopia.yaml")),
    ("harbour", include_str!("../../../themes/harbour.yaml")),
    ("lighthouse", include_str!("../../../themes/lighthouse.yaml")),
];

/// Deepest chain of `extends`: a longer one is a circle.
const DEEPEST: usize = 8;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    appearance: Option<String>,
    #[serde(default)]
    extends: Option<String>,
    #[serde(default)]
    palette: BTreeMap<String, String>,
    #[serde(default)]
    role: BTreeMap<String, Look>,
    #[serde(default)]
    tiles: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Look {
    Colour(String),
    Full(FullLook),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FullLook {
    #[serde(default)]
    fg: Option<String>,
    #[serde(default)]
    bg: Option<String>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reverse: bool,
}

/// Names of all themes: the embedded ones, then those of the user's folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = EMBEDDED.iter().map(|(n, _)| (*n).to_owned()).collect();
    let mut own: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|e| e.file_name().to_str().and_then(|n| n.strip_suffix(".yaml")).map(ToOwned::to_owned))
        .filter(|n| !all.contains(n))
        .collect();
    own.sort();
    all.extend(own);
    all
}

/// Loads a theme for a terminal of this level. The user's folder wins over the embedded ones. The error names the file and
/// what is wrong in it.
pub fn load(name: &str, folder: &Path, level: Level) -> Result<Theme, String> {
    let mut chain = Vec::new();
    let mut next = Some(name.to_owned());
    while let Some(parent) = next.take() {
        if chain.len() >= DEEPEST {
            return Err(format!("{name}: extends itself"));
        }
        let file = read(&parent, folder)?;
        next.clone_from(&file.extends);
        chain.push(file);
    }
    let dark = chain.iter().find_map(|f| f.appearance.as_deref()).is_none_or(|a| a != "light");
    let mut styles = vec![Style::new(); Role::NAMED.len() + usize::from(TILES)];
    for file in chain.iter().rev() {
        file.paint(&mut styles)?;
    }
    let mut styles: Vec<Style> = styles.into_iter().map(|s| degrade(s, level)).collect();
    if level == Level::Ansi {
        // Sixteen colours have no two dark greys for bars: attributes are certain.
        styles[Role::Selection.index()] = Style::new().add_modifier(Modifier::REVERSED);
        styles[Role::SelectionDim.index()] = Style::new().add_modifier(Modifier::UNDERLINED);
    }
    let name = chain.first().map_or_else(String::new, |f| f.name.clone());
    Ok(Theme { name, dark, styles, colourless: level == Level::None })
}

fn read(name: &str, folder: &Path) -> Result<File, String> {
    // A name is a name, never a path.
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(format!("{name}: no such theme"));
    }
    let path = folder.join(format!("{name}.yaml"));
    let (place, text) = match fs::read_to_string(&path) {
        Ok(text) => (path.display().to_string(), text),
        Err(_) => match EMBEDDED.iter().find(|(n, _)| *n == name) {
            Some((_, text)) => (format!("themes/{name}.yaml"), (*text).to_owned()),
            None => return Err(format!("{name}: no such theme")),
        },
    };
    serde_saphyr::from_str(&text).map_err(|e| format!("{place}: {e}"))
}

impl File {
    fn paint(&self, styles: &mut [Style]) -> Result<(), String> {
        for (name, look) in &self.role {
            let role = Role::NAMED.iter().find(|(n, _)| n == name).map(|(_, r)| *r);
            let Some(role) = role else { return Err(format!("{}: unknown role {name}", self.name)) };
            styles[role.index()] = self.look(look)?;
        }
        for (i, text) in self.tiles.iter().take(usize::from(TILES)).enumerate() {
            let fg = self.colour(text)?;
            styles[Role::NAMED.len() + i] = Style { fg, ..Style::new() };
        }
        Ok(())
    }

    fn look(&self, look: &Look) -> Result<Style, String> {
        let full = match look {
            Look::Colour(text) => FullLook { fg: Some(text.clone()), ..FullLook::default() },
            Look::Full(full) => full.clone(),
        };
        let mut style = Style::new();
        style.fg = full.fg.as_deref().map(|t| self.colour(t)).transpose()?.flatten();
        style.bg = full.bg.as_deref().map(|t| self.colour(t)).transpose()?.flatten();
        for (on, bit) in [
            (full.bold, Modifier::BOLD),
            (full.dim, Modifier::DIM),
            (full.italic, Modifier::ITALIC),
            (full.underline, Modifier::UNDERLINED),
            (full.reverse, Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(bit);
            }
        }
        Ok(style)
    }

    fn colour(&self, text: &str) -> Result<Option<Color>, String> {
        let named = self.palette.get(text).map_or(text, String::as_str);
        colour::parse(named).ok_or_else(|| format!("{}: {text} is no colour", self.name))
    }
}
