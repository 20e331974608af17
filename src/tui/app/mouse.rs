//! The mouse: wheel, click, double click, dragging; header counts and footer hints are buttons.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{App, Spot, Task};
use crate::{
    fleet::Store,
    tui::{screen::MouseAct, screens::Place},
};

/// Time between the clicks of a double click.
const DOUBLE_MS: i64 = 400;

impl App {
    pub(super) fn mouse(&mut self, event: MouseEvent, store: &mut Store, tasks: &mut Vec<Task>) {
        let at = (event.column, event.row);
        let what = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            MouseEventKind::Up(MouseButton::Left) => match self.pressed.take().filter(|from| *from != at) {
                Some(from) => MouseAct::Drag(from),
                None => return,
            },
            MouseEventKind::ScrollDown => MouseAct::Wheel(1),
            MouseEventKind::ScrollUp => MouseAct::Wheel(-1),
            MouseEventKind::ScrollLeft => MouseAct::WheelSide(-1),
            MouseEventKind::ScrollRight => MouseAct::WheelSide(1),
            // Motion, other buttons.
            _ => return,
        };
        self.dirty = true;
        if self.menu.is_some() {
            return self.menu_mouse(at, what, store, tasks);
        }
        if self.prompt.is_some() {
            return;
        }
        if matches!(what, MouseAct::Click)
            && let Some(spot) = self.spots.iter().find(|(area, _)| area.contains(at.into())).map(|(_, s)| s.clone())
        {
            return self.press(spot, store, tasks);
        }
        let begun = if let MouseAct::Drag(from) = what { from } else { at };
        if self.body.contains(begun.into()) {
            let effects = self.with_screen(store, |screen, ctx| screen.mouse(at, what, ctx));
            self.perform(effects, store, tasks);
        }
    }

    fn click(&mut self, at: (u16, u16)) -> MouseAct {
        let double = self.clicked.is_some_and(|(before, when)| before == at && self.now.0 - when.0 <= DOUBLE_MS);
        self.pressed = Some(at);
        self.clicked = (!double).then_some((at, self.now));
        if double { MouseAct::DoubleClick } else { MouseAct::Click }
    }

    fn menu_mouse(&mut self, at: (u16, u16), what: MouseAct, store: &mut Store, tasks: &mut Vec<Task>) {
        let Some((menu, _)) = &mut self.menu else { return };
        match what {
            MouseAct::Wheel(steps) => menu.step(isize::from(steps)),
            MouseAct::Click | MouseAct::DoubleClick => match menu.hit(at) {
                Some(item) => {
                    menu.cursor = item;
                    if menu.checklist { menu.check() } else { self.choose(store, tasks) }
                }
                None => self.menu = None,
            },
            MouseAct::WheelSide(_) | MouseAct::Drag(_) => {}
        }
    }

    fn press(&mut self, spot: Spot, store: &mut Store, tasks: &mut Vec<Task>) {
        match spot {
            Spot::Action(action) => self.act(action, store, tasks),
            Spot::Count(word) => {
                if self.views.current().screen.kind() != "fleet" {
                    self.open_place(&Place::Fleet, &crate::tui::screen::Scope::default(), store);
                }
                let filter = format!("health={word}");
                self.with_screen(store, |screen, ctx| screen.set_filter(&filter, ctx));
                self.more = true;
            }
        }
    }
}
