//! What every screen or pane that shows a text does with the mouse: the wheel scrolls, dragging selects and copies.

use super::doc_view::DocView;
use crate::{
    messages::{Lang, tui as m},
    tui::{
        screen::{Effect, MouseAct},
        widgets::text_view::TextView,
    },
};

/// Lines that one step of the wheel scrolls.
const STEP: isize = 3;

/// A text on the screen.
pub trait Text {
    /// Scrolls by lines, negative = up.
    fn scroll(&mut self, by: isize);

    /// Marks what lies between two cells of the screen, and gives it; empty = nothing does.
    fn select(&mut self, from: (u16, u16), to: (u16, u16)) -> String;
}

impl Text for TextView {
    fn scroll(&mut self, by: isize) {
        self.scroll(by);
    }

    fn select(&mut self, from: (u16, u16), to: (u16, u16)) -> String {
        self.select(from, to)
    }
}

impl Text for DocView {
    fn scroll(&mut self, by: isize) {
        self.scroll(by);
    }

    fn select(&mut self, from: (u16, u16), to: (u16, u16)) -> String {
        self.select(from, to)
    }
}

/// What the mouse did to a text.
pub fn mouse(text: &mut dyn Text, at: (u16, u16), what: MouseAct, lang: Lang) -> Vec<Effect> {
    match what {
        MouseAct::Wheel(steps) => text.scroll(isize::from(steps) * STEP),
        MouseAct::Drag(from) => {
            let text = text.select(from, at);
            if !text.is_empty() {
                let n = text.lines().count();
                let what = if n == 1 {
                    m::COPIED_SELECTION.text(lang).to_owned()
                } else {
                    m::COPIED_LINES.fill(lang, &[("n", &n.to_string())])
                };
                return vec![Effect::Copy { text, what }];
            }
        }
        MouseAct::Click | MouseAct::DoubleClick | MouseAct::WheelSide(_) => {}
    }
    Vec::new()
}
