//! The list of objects as it looks, and how cursor and marks behave.

use super::*;
use crate::{
    fleet::delta::{Change, Delta},
    model::{Builtin, KindStatus},
    tui::screens::fixture::{self, EU, US, World},
};

const SIZE: (u16, u16) = (120, 30);

fn pods() -> ObjectsScreen {
    ObjectsScreen::new(vec![Builtin::Pod.id()], &Scope::default())
}

fn line_with<'a>(lines: &'a [String], text: &str) -> &'a str {
    lines.iter().find(|l| l.contains(text)).map_or("", String::as_str)
}

fn rows_of(world: &mut World, cluster: ClusterId, rows: Vec<crate::fleet::row::Row>) {
    let changes = rows.into_iter().map(Change::Upsert).collect();
    world.store.apply(Delta::Rows { cluster, kind: Builtin::Pod.id(), changes, at: fixture::NOW });
}

#[test]
fn pods_of_all_clusters_worst_first_with_the_cause_in_words() {
    let mut world = World::fleet();
    let mut screen = pods();
    let shown = world.draw(&mut screen, SIZE);
    assert!(shown[0].contains("pods  1/9  2 of 5 clusters"), "{}", shown.join("\n"));
    assert!(shown[29].contains("missing: 1 not permitted, 1 refused, 1 stale"), "{}", shown[29]);
    let first = &shown[2];
    assert!(first.contains("✗ B us-e1-a") && first.contains("CrashLoopBackOff"), "{first}");
    let why = line_with(&shown, "back-off 5m0s");
    assert!(why.contains("CrashLoopBackOff: statement-pdf: exit code 1"), "{}", shown.join("\n"));
    assert!(line_with(&shown, "@ us-east-1-prod-a prod").contains("read 0s ago"), "{}", shown.join("\n"));
    assert!(line_with(&shown, "ap-s1").contains("3d*"), "the age of a stale row is marked: {}", shown.join("\n"));
}

#[test]
fn the_cursor_stays_with_its_object_and_goes_to_the_neighbour_when_it_is_gone() {
    let mut world = World::fleet();
    let mut screen = pods();
    world.draw(&mut screen, SIZE);
    for _ in 0..3 {
        screen.act(ActionId::Down, &mut world.update(SIZE));
    }
    let name = |world: &World, screen: &ObjectsScreen| {
        world
            .store
            .row(screen.current().unwrap())
            .map(|r| format!("{}@{}", r.name, screen.current().unwrap().cluster.0))
    };
    let before = name(&world, &screen).unwrap();
    screen.act(ActionId::Mark, &mut world.update(SIZE));
    screen.act(ActionId::Up, &mut world.update(SIZE));
    // A pod that is worse than all others comes in above.
    rows_of(&mut world, EU, vec![fixture::pod("aaa", "aaa", "new", Some(("OOMKilled", "container app: OOMKilled")))]);
    world.draw(&mut screen, SIZE);
    assert_eq!(name(&world, &screen).unwrap(), before);
    let at = screen.table.cursor;
    let object = screen.selected.clone().unwrap().1;
    let (namespace, gone) = (object.namespace.as_str().into(), object.name.as_str().into());
    world.store.apply(Delta::Rows {
        cluster: object.cluster,
        kind: object.kind,
        changes: vec![Change::Delete { namespace, name: gone }],
        at: fixture::NOW,
    });
    world.draw(&mut screen, SIZE);
    assert_eq!(screen.table.cursor, at, "the neighbour takes its place");
    assert_ne!(name(&world, &screen).unwrap(), before);
    assert!(screen.marks.is_empty(), "the mark of a vanished object vanishes");
}

#[test]
fn ten_thousand_rows_format_only_what_is_visible() {
    let mut world = World::fleet();
    let rows = (0..10_000).map(|i| fixture::pod("shop", "web", &format!("{i:05}"), None)).collect();
    rows_of(&mut world, EU, rows);
    let mut screen = pods();
    world.draw(&mut screen, SIZE);
    assert_eq!(screen.list.shown(), 10_009);
    assert!(screen.formatted() <= usize::from(SIZE.1), "{} rows were formatted", screen.formatted());
    screen.act(ActionId::Bottom, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    assert!(shown[0].contains("10,009/10,009"), "{}", shown[0]);
}

#[test]
fn every_kind_of_emptiness_says_why_and_what_to_press() {
    let size = (80, 24);
    let face =
        |world: &mut World, screen: &mut ObjectsScreen| world.draw(screen, size)[2].trim_matches(['│', ' ']).to_owned();
    let mut world = World::fleet();
    let mut screen = pods();
    screen.set_filter("nothing-like-it", &mut world.update(size));
    assert_eq!(face(&mut world, &mut screen), "None of 9 pods fits the filter nothing-like-it.");
    let lab = Scope { clusters: vec![fixture::LAB], at: "lab-1".into(), ..Scope::default() };
    let mut screen = ObjectsScreen::new(vec![Builtin::Pod.id()], &lab);
    assert_eq!(face(&mut world, &mut screen), "pods may not be read in the only cluster chosen.");
    assert!(world.draw(&mut screen, size).join(" ").contains("kubectl --context ctx-lab-1 auth can-i list pods"));
    let mut screen = ObjectsScreen::new(vec![Builtin::Job.id()], &Scope::default());
    assert_eq!(face(&mut world, &mut screen), "There are no jobs in 3 live clusters.");
    let us = Scope { clusters: vec![US], at: "us-east-1-prod-a".into(), ..Scope::default() };
    let mut one = ObjectsScreen::new(vec![Builtin::Job.id()], &us);
    assert_eq!(face(&mut world, &mut one), "There are no jobs in the one live cluster.");
    world.store.apply(Delta::Kind(US, Builtin::Job.id(), KindStatus::Listing { rows: 3412, expected: Some(13_000) }));
    let shown = world.draw(&mut screen, size);
    assert!(line_with(&shown, "us-east-1-prod-a").contains("3,412 of about 13,000"), "{}", shown.join("\n"));
    let mut none = World::empty();
    assert!(none.draw(&mut pods(), size).join(" ").contains("No cluster"), "an empty fleet is not an empty list");
}

#[test]
fn sorting_menus_and_history_give_the_same_view_back() {
    let mut world = World::fleet();
    let mut screen = pods();
    world.draw(&mut screen, SIZE);
    screen.chosen("sort", "column restarts", &mut world.update(SIZE));
    screen.set_filter("shop", &mut world.update(SIZE));
    screen.act(ActionId::Down, &mut world.update(SIZE));
    world.draw(&mut screen, SIZE);
    let (state, at) = (screen.state(), screen.current());
    let mut again = pods();
    again.restore(&state, &mut world.update(SIZE));
    world.draw(&mut again, SIZE);
    assert_eq!(again.current(), at);
    assert_eq!(again.state(), state);
}
