//! What a screen is, what it sees, and what it may ask of the app.
//!
//! A screen holds its own cursor, marks, filter and order; it never has a channel, a clock or a terminal. It reads the
//! store when it draws and answers with [`Effect`]s when it acts.

use std::{collections::BTreeMap, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    action::ActionId,
    glyphs::Glyphs,
    kept::Kept,
    screens::text::{self, Text},
    theme::Theme,
};
use crate::{
    config::Settings,
    desired::{
        engine::Desired,
        origin::At,
        whatif::{Change, Move, Refusal},
    },
    fleet::Store,
    live,
    messages::Lang,
    model::{Cause, ClusterId, Millis, ObjectRef},
    render::worker::Picture,
};

/// Desired state under suppositions and what goes elsewhere then, or why they cannot be followed.
pub type Supposed = Result<(Arc<Desired>, Vec<Move>), Refusal>;

pub use super::widgets::menu::{Choice, Menu, MenuItem};

/// The world for drawing: read only.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    /// The fleet.
    pub store: &'a Store,
    /// Configuration in use.
    pub settings: &'a Settings,
    /// What should be where, where the fleet file says so and it is known.
    pub desired: Option<&'a Picture>,
    /// Language.
    pub lang: Lang,
    /// Colours.
    pub theme: &'a Theme,
    /// Marks.
    pub glyphs: &'a Glyphs,
    /// Now.
    pub now: Millis,
    /// Size of the whole terminal.
    pub size: (u16, u16),
    /// Writes are refused.
    pub read_only: bool,
    /// The screen has the focus: no overlay above it.
    pub focused: bool,
    /// No borders, no spinner.
    pub plain: bool,
}

/// The world for acting and for taking data in.
pub struct UpdateCtx<'a> {
    /// The fleet; mutable because some views are brought up to date when they are asked.
    pub store: &'a mut Store,
    /// Configuration in use.
    pub settings: &'a Settings,
    /// What should be where, where the fleet file says so and it is known.
    pub desired: Option<&'a Picture>,
    /// Language.
    pub lang: Lang,
    /// Now.
    pub now: Millis,
    /// Size of the whole terminal.
    pub size: (u16, u16),
}

/// How bad a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something was done.
    Info,
    /// Something to look at.
    Warn,
    /// Something failed: stays until it was seen.
    Error,
}

/// A short message at the bottom right, kept in the list of notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How bad.
    pub level: Level,
    /// The text, cleaned.
    pub text: String,
}

impl Notice {
    /// Something was done.
    pub fn info(text: impl Into<String>) -> Self {
        Self { level: Level::Info, text: text.into() }
    }

    /// Something to look at.
    pub fn warn(text: impl Into<String>) -> Self {
        Self { level: Level::Warn, text: text.into() }
    }

    /// Something failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self { level: Level::Error, text: text.into() }
    }
}

/// What a screen asks the app to do.
pub enum Effect {
    /// Open a screen above this one.
    Open(Box<dyn Screen>),
    /// Put a screen in this one's place.
    Replace(Box<dyn Screen>),
    /// Leave this screen.
    Back,
    /// Draw everything anew.
    Redraw,
    /// Ask something of the engine.
    Ask(live::Ask),
    /// Log in to a cluster by its credential plugin, with the terminal; the plugin's command for the person to see.
    LogIn(ClusterId, String),
    /// Read an object from its server; the answer comes to [`Screen::fetched`] with the same generation.
    FetchObject {
        /// Object.
        object: ObjectRef,
        /// Keep managedFields.
        managed_fields: bool,
        /// Number chosen by the screen, to tell answers apart.
        generation: u64,
    },
    /// Copy a text to the clipboard.
    Copy {
        /// The text.
        text: String,
        /// What it is, for the notice (`3 names`).
        what: String,
    },
    /// Write a text to a file in the working directory.
    Save {
        /// Name of the file; made safe by the app.
        name: String,
        /// The text.
        text: String,
    },
    /// Show a notice.
    Notice(Notice),
    /// Open a small menu; the choice comes to [`Screen::chosen`] or [`Screen::ordered`], or is an action of this screen.
    Menu(Menu),
    /// Keep what the person chose here for the next start, under [`Screen::kept_name`].
    Keep(Kept),
    /// Open the filter prompt (as `/` does).
    Filter,
    /// Run a command line (without the colon).
    Command(String),
    /// Ask for a text in the last line; it comes to [`Screen::answered`].
    Prompt {
        /// Name by which the screen knows it.
        id: &'static str,
        /// What is asked, cleaned.
        label: String,
        /// What the field begins with.
        text: String,
    },
    /// Open a file at a line in the person's editor.
    Edit(At),
    /// Compute desired state under suppositions; the answer comes to [`Screen::supposed`] with the same generation.
    Suppose {
        /// What is placed now.
        now: Arc<Desired>,
        /// The suppositions.
        changes: Vec<Change>,
        /// Number chosen by the screen, to tell answers apart.
        generation: u64,
    },
}

/// What the mouse did, in the screen's area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAct {
    /// Left button.
    Click,
    /// Left button twice within 400 ms on the same cell.
    DoubleClick,
    /// Left button held from this cell on, and released at another.
    Drag((u16, u16)),
    /// Wheel, so many steps; negative = up.
    Wheel(i16),
    /// Wheel sideways, negative = left.
    WheelSide(i16),
}

/// What makes a view the same again: for back and forward.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenState {
    /// Filter text.
    pub filter: String,
    /// Column of the order, empty = the usual one.
    pub sort: String,
    /// Reversed order.
    pub reverse: bool,
    /// Key of the row under the cursor, in the screen's own words.
    pub cursor: String,
    /// Whatever else the screen wants back.
    pub other: BTreeMap<String, String>,
}

/// Which part of the fleet a screen opens on: from the command line, or from the screen before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Clusters; empty = all.
    pub clusters: Vec<ClusterId>,
    /// The clusters as typed (`env:prod`, `eu-west-1-prod-a`), for the crumbs; empty = all.
    pub at: String,
    /// Namespace; empty = all.
    pub namespace: String,
    /// Filter to begin with (`-l selector` included).
    pub filter: String,
}

/// A screen.
pub trait Screen: Send {
    /// Stable word: `fleet`, `matrix`, `placement`, `objects`, `object`, `help`, `notices` ...
    fn kind(&self) -> &'static str;

    /// Where we are, from the outside in: `Fleet`, `env:prod`.
    fn crumbs(&self, ctx: &Ctx<'_>) -> Vec<String>;

    /// Right side of the second line: `9 of 42 shown  sort RISK`.
    fn summary(&self, ctx: &Ctx<'_>) -> String;

    /// What works here, in the order of the footer; [`super::action::MOTIONS`] are taken for granted and may be left out.
    fn actions(&self) -> &'static [ActionId];

    /// Why an action does not apply now; `None` = it does.
    fn disabled(&self, _action: ActionId, _ctx: &Ctx<'_>) -> Option<String> {
        None
    }

    /// Does an action of [`Screen::actions`] or a motion.
    fn act(&mut self, action: ActionId, ctx: &mut UpdateCtx<'_>) -> Vec<Effect>;

    /// The text, on a screen that shows nothing else; the wheel and dragging are for it.
    fn text(&mut self) -> Option<&mut dyn Text> {
        None
    }

    /// The mouse did something at this cell of the screen's area (absolute coordinates).
    fn mouse(&mut self, at: (u16, u16), what: MouseAct, ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        self.text().map(|text| text::mouse(text, at, what, ctx.lang)).unwrap_or_default()
    }

    /// News were applied, or work remains from the last call. Bounded work; true = there is more to do.
    fn on_data(&mut self, ctx: &mut UpdateCtx<'_>) -> bool;

    /// The active filter; `None` = this screen has none.
    fn filter(&self) -> Option<&str>;

    /// Sets the filter, live as typed.
    fn set_filter(&mut self, _text: &str, _ctx: &mut UpdateCtx<'_>) {}

    /// Narrows the screen to clusters (`\`); `at` as typed, empty = all.
    fn set_clusters(&mut self, _clusters: Vec<ClusterId>, _at: &str, _ctx: &mut UpdateCtx<'_>) {}

    /// Clusters as chosen by [`Screen::set_clusters`], as typed; `None` = this screen has no such choice.
    fn clusters(&self) -> Option<&str> {
        None
    }

    /// Documents: `/` searches instead of filtering.
    fn search(&mut self, _text: &str, _ctx: &mut UpdateCtx<'_>) {}

    /// True when `/` searches.
    fn searches(&self) -> bool {
        false
    }

    /// An item of a menu with this id was chosen.
    fn chosen(&mut self, _menu: &str, _choice: &str, _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// A checklist menu was confirmed: items in their new order, with their marks.
    fn ordered(&mut self, _menu: &str, _items: &[(String, bool)], _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Name under which the person's choice of columns and order is kept; empty = there is none to make.
    fn kept_name(&self, _store: &Store) -> String {
        String::new()
    }

    /// Takes over what the person chose at an earlier time.
    fn adopt(&mut self, _kept: &Kept, _ctx: &mut UpdateCtx<'_>) {}

    /// Closes the screen's own top layer (filter, marks, pane); false = nothing left, the app goes back.
    fn esc(&mut self, ctx: &mut UpdateCtx<'_>) -> bool;

    /// The answer to [`Effect::FetchObject`].
    fn fetched(
        &mut self,
        _generation: u64,
        _answer: Result<serde_json::Value, Cause>,
        _ctx: &mut UpdateCtx<'_>,
    ) -> Vec<Effect> {
        Vec::new()
    }

    /// The answer to [`Effect::Prompt`].
    fn answered(&mut self, _id: &str, _text: &str, _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// The answer to [`Effect::Suppose`].
    fn supposed(&mut self, _generation: u64, _answer: Supposed, _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// What the screen needs done after the last news.
    fn pending(&mut self, _ctx: &mut UpdateCtx<'_>) -> Vec<Effect> {
        Vec::new()
    }

    /// Draws what is visible, and formats nothing else.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &Ctx<'_>);

    /// Where the terminal's cursor is parked (the selected row): screen readers follow it.
    fn cursor(&self) -> Option<(u16, u16)>;

    /// What makes this view the same again.
    fn state(&self) -> ScreenState {
        ScreenState::default()
    }

    /// Takes such a state back.
    fn restore(&mut self, _state: &ScreenState, _ctx: &mut UpdateCtx<'_>) {}

    /// True while ages, clocks or a spinner are visible that need a frame each second.
    fn ticks(&self) -> bool {
        true
    }
}
