//! Saves the placement under the cursor as a situation file: a bug report, or a unit test of the policy. Under suppositions it
//! is the placement that would be.

use super::PlacementScreen;
use crate::{
    desired::{engine::Desired, whatif::Change},
    messages::desired as m,
    situation::save,
    tui::screen::{Effect, Notice, UpdateCtx},
};

impl PlacementScreen {
    /// Saves it, or says why it cannot be saved.
    pub(super) fn save(&self, ctx: &UpdateCtx<'_>) -> Effect {
        match self.situation(ctx) {
            Ok((name, text)) => Effect::Save { name, text },
            Err(why) => Effect::Notice(Notice::info(why)),
        }
    }

    fn situation(&self, ctx: &UpdateCtx<'_>) -> Result<(String, String), String> {
        let lang = ctx.lang;
        let nothing = || m::P_NOTHING_TO_SAVE.text(lang).to_owned();
        let (row, picture) = (self.row().ok_or_else(nothing)?, ctx.desired.ok_or_else(nothing)?);
        let mut placed = self.placed(row).ok_or_else(nothing)?;
        let mut desired: &Desired = &picture.desired;
        if let Some(what_if) = &self.what_if {
            if what_if.changes.iter().any(|c| matches!(c, Change::Weighted { .. })) {
                return Err(m::P_NO_SAVE_WEIGHTS.text(lang).to_owned());
            }
            let answer = what_if.answer.as_ref().ok_or_else(|| m::W_COMPUTING.text(lang).to_owned())?;
            desired = &answer.board.desired;
            let line = answer.board.lines.get(row.line).ok_or_else(nothing)?;
            let twin =
                line.outcome.placed.iter().find(|p| p.key == placed.key && p.source.title == placed.source.title);
            placed = twin.ok_or_else(nothing)?;
        }
        let text = save::of(desired, placed, &picture.documents);
        let text = text.ok_or_else(|| m::P_NO_SAVE_POLICY.text(lang).to_owned())?;
        Ok((format!("situation-{}.yaml", placed.key.name), text))
    }
}
