//! `keys`: every key, from the one table of actions.

use super::{
    args::Format,
    output::{self, Column, Record, Table},
};
use crate::{
    messages::{Lang, cli as text},
    tui::action,
};

/// Writes the table.
pub(super) fn run(format: Format, lang: Lang) -> anyhow::Result<()> {
    output::print(&table(lang), format)
}

fn table(lang: Lang) -> Table {
    let header = |msg: crate::messages::Msg| Column::text(msg.text(lang));
    let mut table = Table {
        columns: vec![header(text::H_KEYS), header(text::H_ACTION), header(text::H_WHERE), header(text::H_MEANING)],
        rows: Vec::new(),
    };
    for info in action::ALL {
        let keys = info.keys.join(" ");
        let (group, help) = (info.group.title().text(lang), info.help.text(lang));
        let mut record = Record::default();
        record.put("action", info.name);
        record.put("keys", info.keys.iter().map(|k| (*k).into()).collect::<Vec<serde_json::Value>>());
        record.put("where", group);
        record.put("danger", info.danger);
        record.put("help", help);
        table.rows.push((vec![keys, info.name.to_owned(), group.to_owned(), help.to_owned()], record));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_row() {
        assert_eq!(table(Lang::Zh).rows.len(), action::ALL.len());
    }
}
