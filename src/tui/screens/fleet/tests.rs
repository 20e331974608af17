//! The Fleet screen as it looks over the fixture's fleet, and where its cursor stays.

use super::*;
use crate::{
    fleet::delta::Delta,
    model::Condition,
    tui::screens::fixture::{AP, EU, NOW, SA, US, World},
};

const SIZE: (u16, u16) = (80, 24);

fn screen() -> FleetScreen {
    FleetScreen::new(&Scope::default())
}

#[test]
fn the_configuration_knows_the_columns() {
    let keys: Vec<&str> = columns::ALL.iter().map(|c| c.key).collect();
    assert_eq!(keys, crate::config::choices::FLEET_COLUMNS);
}

#[test]
fn worst_first_each_with_its_state_in_words() {
    let mut world = World::fleet();
    let mut screen = screen();
    let shown = world.draw(&mut screen, SIZE);
    let row = |i: usize| shown[2 + i].trim_matches(['│', ' ']).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(row(0), "▸∅ D sa-east-1-prod prod refused - ? ? - -");
    assert_eq!(row(1), "~ C ap-south-1-prod prod stale 4m 1.31.4* EOL 2/2* - -");
    assert_eq!(row(2), "✗ B us-east-1-prod-a prod live 0s 1.33.4 EOL 2/3 - -");
    assert!(shown[23].contains("* last known value, drawn dim   ? not known"), "{}", shown[23]);
}

#[test]
fn a_forbidden_kind_blanks_its_own_numbers_and_nothing_else() {
    let mut world = World::fleet();
    let mut screen = screen();
    let shown = world.draw(&mut screen, (200, 40));
    let lab = shown.iter().find(|l| l.contains(" lab-1 ")).unwrap();
    assert!(lab.contains("2/2") && lab.contains("1.33.4") && lab.contains("4ms") && lab.contains('⊘'), "{lab}");
    let mut detail = ClusterScreen::new(crate::tui::screens::fixture::LAB);
    let text = world.draw(&mut detail, (120, 90)).join("\n");
    assert!(text.contains("kubectl --context ctx-lab-1 auth can-i list pods --all-namespaces"), "{text}");
    assert!(text.contains("Nodes        2 of 2 ready"), "{text}");
}

#[test]
fn the_record_says_what_is_wrong_why_and_what_to_press() {
    let mut world = World::fleet();
    let text = |world: &mut World, id| world.draw(&mut ClusterScreen::new(id), (120, 90)).join("\n");
    let us = text(&mut world, US);
    for part in ["1 node is not ready", "1 workload does not work", "payments-sre", "BackOff  Pod/statement-pdf", "rtt"]
    {
        let part = if part == "rtt" { "91 ms" } else { part };
        assert!(us.contains(part), "{part} is missing:\n{us}");
    }
    assert!(!us.contains('\u{1b}'));
    let sa = text(&mut world, SA);
    for part in ["Not reachable for 31m.", "connection refused", "Nothing is known of it", "ctrl-r tries again"] {
        assert!(sa.contains(part), "{part} is missing:\n{sa}");
    }
    let ap = text(&mut world, AP);
    assert!(ap.contains("Stale for 4m: what you see was last true at 2026-11-30 14:03Z."), "{ap}");
}

#[test]
fn the_cursor_stays_with_its_cluster_when_states_change() {
    let mut world = World::fleet();
    let mut screen = screen();
    world.draw(&mut screen, SIZE);
    screen.act(ActionId::Bottom, &mut world.update(SIZE));
    screen.act(ActionId::Up, &mut world.update(SIZE));
    let before = screen.current().unwrap().id;
    assert_eq!(before, EU);
    // It becomes the worst of all; the rows change places at once.
    let condition = Condition { state: ClusterState::Unreachable, since: NOW, ..Condition::default() };
    world.store.apply(Delta::Condition(before, condition));
    world.draw(&mut screen, SIZE);
    assert_eq!(screen.current().unwrap().id, before);
    assert_ne!(screen.table.cursor, 3);
    world.store.apply(Delta::Gone(before));
    world.draw(&mut screen, SIZE);
    assert_eq!(screen.order.len(), 4, "the neighbour has the cursor now");
    assert!(screen.current().is_some_and(|r| r.id != before));
}

#[test]
fn filters_find_by_every_column_and_say_when_nothing_fits() {
    let mut world = World::fleet();
    let mut screen = screen();
    world.draw(&mut screen, SIZE);
    for (filter, count) in [
        ("state:live", 3),
        ("env:prod", 4),
        ("!env:prod", 1),
        ("health:unreachable", 1),
        ("prod-a", 2),
        ("region:south", 0),
        ("team:payments", 5),
        ("rtt>50", 2),
    ] {
        screen.set_filter(filter, &mut world.update(SIZE));
        assert_eq!(screen.order.len(), count, "{filter}");
    }
    screen.set_filter("nowhere", &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("No cluster fits the filter nowhere.") && shown.contains("esc clears"), "{shown}");
    assert!(screen.esc(&mut world.update(SIZE)));
    assert_eq!(screen.order.len(), 5);
    assert!(!screen.esc(&mut world.update(SIZE)));
}

#[test]
fn marks_choose_the_clusters_of_the_matrix() {
    let mut world = World::fleet();
    let mut screen = screen();
    world.draw(&mut screen, SIZE);
    screen.act(ActionId::Mark, &mut world.update(SIZE));
    screen.act(ActionId::Down, &mut world.update(SIZE));
    screen.act(ActionId::MarkRange, &mut world.update(SIZE));
    assert_eq!(screen.targets().len(), 3);
    assert!(
        matches!(screen.act(ActionId::Matrix, &mut world.update(SIZE)).as_slice(), [Effect::Open(s)] if s.kind() == "matrix")
    );
}

#[test]
fn objects_that_could_not_be_read_are_named_in_the_detail() {
    let mut world = World::fleet();
    let mut facts = (*world.store.shard(EU).unwrap().facts).clone();
    facts.unreadable = 3;
    facts.unreadable_latest = vec![("pods shop/odd".into(), "labels: expected a map".into())];
    world.store.apply(Delta::Facts(EU, std::sync::Arc::new(facts)));
    let text = world.draw(&mut ClusterScreen::new(EU), (120, 90)).join("\n");
    assert!(text.contains("unreadable   pods shop/odd: labels: expected a map"), "{text}");
    assert!(text.contains("reading an object failed 3 times"), "{text}");
}
