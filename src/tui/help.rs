//! The help: keys of a place from the table of actions, and a few topics in words.

use super::{
    action::{self, ActionId, Group},
    keymap::Keymap,
};
use crate::messages::{Lang, Msg, pad_right, tui as m, width};

/// Topics of `:help TOPIC`.
pub const TOPICS: &[&str] = &["keys", "filter", "commands", "colours"];

/// A topic in words; `keys` is made from the table instead.
pub fn topic(name: &str, lang: Lang) -> Option<&'static str> {
    let msg: Msg = match name {
        "filter" | "filters" => m::HELP_FILTER,
        "command" | "commands" => m::HELP_COMMANDS,
        "colours" | "colors" | "themes" => m::HELP_COLOURS,
        _ => return None,
    };
    Some(msg.text(lang))
}

/// All keys: those of this place first, then moving, then everywhere.
pub fn keys(map: &Keymap, here: &[ActionId], lang: Lang) -> String {
    let own: Vec<ActionId> =
        here.iter().copied().filter(|a| !matches!(a.info().group, Group::Motion | Group::Global)).collect();
    let group = |g: Group| action::ALL.iter().filter(move |i| i.group == g).map(|i| i.id).collect::<Vec<_>>();
    let sections = [
        (m::HELP_HERE, own),
        (Group::Motion.title(), group(Group::Motion)),
        (Group::Global.title(), group(Group::Global)),
    ];
    let key_text = |a: &ActionId| map.keys(*a).join(", ");
    let widest = action::ALL.iter().map(|i| width(&key_text(&i.id))).max().unwrap_or(0);
    let mut out = String::new();
    for (title, actions) in sections.iter().filter(|(_, a)| !a.is_empty()) {
        out.push_str(title.text(lang));
        out.push('\n');
        for action in actions {
            out.push_str(&format!("  {}  {}\n", pad_right(&key_text(action), widest), action.help(lang)));
        }
        out.push('\n');
    }
    out.push_str(&m::HELP_TOPICS.fill(lang, &[("topics", &TOPICS.join("  "))]));
    out
}
