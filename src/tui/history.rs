//! The views that were opened: a line that can be walked back and forward, and who opened whom.

use super::screen::Screen;

/// Views kept; the oldest but the first are forgotten beyond that.
const MOST: usize = 24;

/// One opened screen.
pub struct View {
    /// Number, unique while the program runs: answers find their view by it.
    pub id: u64,
    /// The screen.
    pub screen: Box<dyn Screen>,
    parent: Option<u64>,
}

/// All of them; there is always at least one.
pub struct Views {
    line: Vec<View>,
    at: usize,
    last: Option<u64>,
    next: u64,
}

/// Screens that are left for good when one goes back.
fn passing(screen: &dyn Screen) -> bool {
    matches!(screen.kind(), "help" | "notices" | "log" | "document")
}

impl Views {
    /// Starts with one view.
    pub fn new(first: Box<dyn Screen>) -> Self {
        Self { line: vec![View { id: 0, screen: first, parent: None }], at: 0, last: None, next: 1 }
    }

    /// The view on the screen.
    pub fn current(&self) -> &View {
        &self.line[self.at]
    }

    /// The view on the screen.
    pub fn current_mut(&mut self) -> &mut View {
        &mut self.line[self.at]
    }

    /// The view with this number, if it still exists.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut View> {
        self.line.iter_mut().find(|v| v.id == id)
    }

    /// True where there is nothing to go back to.
    #[cfg(test)]
    pub fn at_root(&self) -> bool {
        self.parent_at().is_none()
    }

    fn parent_at(&self) -> Option<usize> {
        let parent = self.line[self.at].parent?;
        self.line.iter().position(|v| v.id == parent).or((self.at > 0).then_some(0))
    }

    /// Opens a screen above the current one; what lay ahead in the history is forgotten.
    pub fn open(&mut self, screen: Box<dyn Screen>) {
        let parent = if passing(&*self.line[self.at].screen) && passing(&*screen) {
            // Help above help is not a second layer.
            let gone = self.line.remove(self.at);
            self.at = self.at.saturating_sub(1);
            gone.parent
        } else {
            Some(self.line[self.at].id)
        };
        self.line.truncate(self.at + 1);
        self.last = Some(self.line[self.at].id);
        self.line.push(View { id: self.next, screen, parent });
        self.next += 1;
        if self.line.len() > MOST {
            self.line.remove(1);
        }
        self.at = self.line.len() - 1;
    }

    /// Puts a screen in the current one's place.
    pub fn replace(&mut self, screen: Box<dyn Screen>) {
        let id = self.next;
        self.next += 1;
        let view = &mut self.line[self.at];
        view.id = id;
        view.screen = screen;
    }

    /// Back to the view that opened this one; false at the root.
    pub fn back(&mut self) -> bool {
        let Some(to) = self.parent_at() else { return false };
        self.go(to);
        true
    }

    /// To the first view.
    pub fn home(&mut self) {
        self.go(0);
    }

    /// One step back or forward in the history; false at its end.
    pub fn walk(&mut self, forward: bool) -> bool {
        let to = if forward { self.at + 1 } else { self.at.wrapping_sub(1) };
        let possible = to < self.line.len();
        if possible {
            self.go(to);
        }
        possible
    }

    /// To the view that was on the screen before; false when there was none.
    pub fn toggle(&mut self) -> bool {
        let Some(to) = self.last.and_then(|id| self.line.iter().position(|v| v.id == id)) else { return false };
        self.go(to);
        true
    }

    fn go(&mut self, to: usize) {
        let from = self.at;
        self.last = Some(self.line[from].id);
        self.at = to.min(self.line.len() - 1);
        if from != self.at && passing(&*self.line[from].screen) {
            let gone = self.line.remove(from).id;
            self.at -= usize::from(self.at > from);
            self.last = self.last.filter(|id| *id != gone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::{screen::Scope, screens::document::Document, screens::tests::stub};

    #[test]
    fn esc_goes_up_and_brackets_walk() {
        let at = |v: &Views| v.current().screen.kind();
        let mut views = Views::new(stub("fleet"));
        assert!(views.at_root() && !views.back() && !views.toggle());
        views.open(stub("matrix"));
        views.open(stub("objects"));
        assert!(views.back());
        assert_eq!(at(&views), "matrix");
        assert!(views.walk(true) && at(&views) == "objects" && !views.walk(true));
        assert!(views.walk(false) && views.walk(false) && at(&views) == "fleet" && !views.walk(false));
        assert!(views.toggle() && at(&views) == "matrix");
        assert!(views.toggle() && at(&views) == "fleet");
        views.open(stub("object"));
        assert!(!views.walk(true), "what lay ahead is forgotten");
        let _ = Scope::default();
    }

    #[test]
    fn help_is_left_for_good() {
        let mut views = Views::new(stub("fleet"));
        views.open(Box::new(Document::new("help", "Help", "x")));
        views.open(Box::new(Document::new("notices", "Notices", "y")));
        assert!(views.back() && views.at_root());
        assert!(!views.walk(true));
    }

    #[test]
    fn a_long_session_stays_bounded_and_finds_home() {
        let mut views = Views::new(stub("fleet"));
        for _ in 0..100 {
            views.open(stub("objects"));
        }
        assert_eq!(views.line.len(), MOST);
        for _ in 0..100 {
            views.back();
        }
        assert!(views.at_root() && views.current().screen.kind() == "fleet");
    }
}
