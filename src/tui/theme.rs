//! Colours by meaning. Screens name a [`Role`]; a theme says how it looks; the terminal's capability decides what is left
//! of it. Never colour alone: a word or a mark stands beside it.

pub mod colour;
mod file;
#[cfg(test)]
mod tests;

use ratatui::style::{Modifier, Style};

pub use colour::{Level, level};
pub use file::{load, names};

/// Number of hues for cluster tiles.
pub const TILES: u8 = 12;

/// What a piece of the screen means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Normal text.
    Text,
    /// Less important text.
    Muted,
    /// Titles, hints.
    Accent,
    /// The row under the cursor in the focused pane.
    Selection,
    /// The same in a pane without focus.
    SelectionDim,
    /// Works.
    Ok,
    /// To look at.
    Warn,
    /// Does not work.
    Bad,
    /// On its way.
    Busy,
    /// Old.
    Stale,
    /// Cannot be told.
    Unknown,
    /// Added line.
    Added,
    /// Removed line.
    Removed,
    /// Changed value.
    Changed,
    /// Production.
    Prod,
    /// Title of a pane.
    Title,
    /// Border.
    Border,
    /// Border of the focused pane.
    BorderFocus,
    /// Header of a table.
    Header,
    /// A key in a hint.
    Key,
    /// Marked row; hit of a search.
    Mark,
    /// One of the hues by which clusters are told apart.
    Tile(u8),
}

impl Role {
    /// Every role but the tiles, with its name in theme files.
    pub const NAMED: &'static [(&'static str, Self)] = &[
        ("text", Self::Text),
        ("muted", Self::Muted),
        ("accent", Self::Accent),
        ("selection", Self::Selection),
        ("selection-dim", Self::SelectionDim),
        ("ok", Self::Ok),
        ("warn", Self::Warn),
        ("bad", Self::Bad),
        ("busy", Self::Busy),
        ("stale", Self::Stale),
        ("unknown", Self::Unknown),
        ("added", Self::Added),
        ("removed", Self::Removed),
        ("changed", Self::Changed),
        ("prod", Self::Prod),
        ("title", Self::Title),
        ("border", Self::Border),
        ("border-focus", Self::BorderFocus),
        ("header", Self::Header),
        ("key", Self::Key),
        ("mark", Self::Mark),
    ];

    fn index(self) -> usize {
        match self {
            Self::Tile(n) => Self::NAMED.len() + usize::from(n % TILES),
            other => Self::NAMED.iter().position(|(_, r)| *r == other).unwrap_or(0),
        }
    }
}

/// A theme, ready for this terminal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// True for dark backgrounds.
    pub dark: bool,
    /// Styles by [`Role::index`], tiles after the named roles.
    styles: Vec<Style>,
    /// The terminal shows no colours.
    pub colourless: bool,
}

impl Theme {
    /// How a role looks.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role.index()).copied().unwrap_or_default()
    }

    /// A cell of the selected row: the bar wins, colours stay where the bar has none of its own.
    pub fn selected(&self, cell: Style, focused: bool) -> Style {
        let bar = self.style(if focused { Role::Selection } else { Role::SelectionDim });
        if bar.add_modifier.contains(Modifier::REVERSED) {
            // A reversed colour would paint a patchwork: the bar is solid.
            return bar.add_modifier(cell.add_modifier & Modifier::BOLD);
        }
        cell.remove_modifier(Modifier::DIM).patch(bar)
    }
}
