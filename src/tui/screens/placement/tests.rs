//! Placement as it looks over the fixture's fleet and its desired state.

use super::*;
use crate::{desired::origin::SourceKind, situation, tui::screens::fixture::World};

const SIZE: (u16, u16) = (120, 34);

fn row<'a>(lines: &'a [String], service: &str) -> &'a str {
    lines.iter().find(|l| l.trim_start_matches(['│', '▸', ' ']).starts_with(service)).map_or("", String::as_str)
}

fn words(line: &str) -> String {
    line.trim_matches(['│', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn screen(world: &mut World) -> PlacementScreen {
    let mut screen = PlacementScreen::new(&Scope::default());
    world.draw(&mut screen, SIZE);
    screen
}

/// Moves the cursor to a service, and to a column by its title.
fn go(world: &mut World, screen: &mut PlacementScreen, service: &str, column: &str) {
    screen.act(ActionId::Top, &mut world.update(SIZE));
    let at = |s: &PlacementScreen, row: Row| *s.line(row).unwrap().outcome.service.name == *service;
    let to = screen.rows.iter().position(|r| at(screen, *r) && r.item.is_none()).expect("the service");
    (0..to).for_each(|_| drop(screen.act(ActionId::Down, &mut world.update(SIZE))));
    screen.column = screen.columns.iter().position(|c| c.title == column).expect("the column");
    screen.take_column();
}

#[test]
fn wanted_and_live_side_by_side_worst_first() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    let shown = world.draw(&mut screen, SIZE);
    let all = shown.join("\n");
    assert_eq!(words(&shown[1]), "SERVICE ┃ ~ ap-s1 eu-w1-a us-e1-a ∅ sa-e1 lab-1 NOTE", "{all}");
    assert!(words(row(&shown, "ledger")).starts_with("ledger ▸ ✗ ┃ 2/2* 4/2 2/2 - ∆ -/2 too few in 1"), "{all}");
    assert!(words(row(&shown, "statement-pdf")).contains("┃ 3/3* 3/3 ✗ 3/0 - ∆ -/3 too few in 1"), "{all}");
    assert!(words(row(&shown, "api-gateway")).contains("┃ 3/3* 3/3 3/3 3/? ∆ -/3 runs unasked in 1"), "{all}");
    assert!(words(row(&shown, "web")).contains(". ┃ ∆ -/1* ∆ -/1 ∆ -/1 - ∆ -/1 no policy sends it"), "{all}");
    assert!(words(row(&shown, "支付对账")).contains("! ┃ ! -/1* ! -/1 ! -/1 ! ! -/1 no cluster passes every"), "{all}");
    assert!(words(row(&shown, "broken")).contains("✗ ┃ - - - - - charts/broken:3"), "{all}");
    let order: Vec<&str> = screen.rows.iter().map(|r| &*screen.line(*r).unwrap().outcome.service.name).collect();
    assert_eq!(order, ["broken", "支付对账", "ledger", "statement-pdf", "web", "api-gateway"], "{all}");
    assert!(!all.contains('\u{1b}'));
}

#[test]
fn a_service_unfolds_into_its_objects_and_the_cell_is_explained() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    go(&mut world, &mut screen, "ledger", "us-e1-a");
    screen.act(ActionId::Open, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    let all = shown.join("\n");
    assert!(words(row(&shown, "Deployment ledger")).contains("┃ 2/2* 4/2 2/2 - ∆ -/2"), "{all}");
    assert!(words(row(&shown, "ConfigMap ledger-config")).contains("✗ -"), "{all}");
    for part in [
        "Deployment shop/ledger in us-east-1-prod-a",
        "wanted 2",
        "live 2/2 ready",
        "PropagationPolicy shop/ledger  policies/shop.yaml:1",
        "OverridePolicy shop/ledger-us overrideRules[0]",
        "plain manifests/ledger",
    ] {
        assert!(all.contains(part), "{part} is missing:\n{all}");
    }
    screen.act(ActionId::Open, &mut world.update(SIZE));
    assert!(!world.draw(&mut screen, SIZE).join("\n").contains("ConfigMap ledger-config"));
}

#[test]
fn groups_filters_and_findings() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    screen.act(ActionId::Group, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    assert!(words(row(&shown, "ledger")).contains("┃ 8/6* ∆ -/2"), "{}", shown.join("\n"));
    screen.set_filter("policy:ledger", &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    assert!(!row(&shown, "ledger").is_empty() && row(&shown, "web").is_empty(), "{}", shown.join("\n"));
    screen.set_filter("nothing-like-it", &mut world.update(SIZE));
    assert!(world.draw(&mut screen, SIZE).join("\n").contains("nothing-like-it"));
    assert!(screen.esc(&mut world.update(SIZE)));
    screen.act(ActionId::Findings, &mut world.update(SIZE));
    world.draw(&mut screen, SIZE);
    assert_eq!(screen.shown, 6);
}

#[test]
fn a_lost_cluster_shows_where_its_replicas_would_go_and_esc_takes_it_back() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    go(&mut world, &mut screen, "ledger", "eu-w1-a");
    screen.act(ActionId::MarkCluster, &mut world.update(SIZE));
    assert!(world.draw(&mut screen, SIZE)[1].contains("☑ eu-w1-a"));
    let effects = screen.chosen("suppose", "lost", &mut world.update(SIZE));
    let waiting = world.draw(&mut screen, SIZE).join("\n");
    assert!(waiting.contains("WHAT IF  eu-west-1-prod-a lost") && waiting.contains("being computed"), "{waiting}");
    world.suppose(&mut screen, effects);
    let shown = world.draw(&mut screen, SIZE);
    let all = shown.join("\n");
    assert!(all.contains("nothing is applied"), "{all}");
    assert!(words(row(&shown, "ledger")).contains("┃ 2→4 -4 2→4 - - 8→8"), "{all}");
    assert!(words(row(&shown, "web")).contains("as now"), "{all}");
    assert!(all.contains("replicas go"), "{all}");
    assert!(shown[2].contains("✗ eu-w1-a"), "{all}");
    // A second one on top, and back step by step.
    let effects = screen.answered("weight", "0", &mut world.update(SIZE));
    world.suppose(&mut screen, effects);
    let both = world.draw(&mut screen, SIZE).join("\n");
    assert!(both.contains("eu-west-1-prod-a lost; us-east-1-prod-a weighs 0 in ledger"), "{both}");
    assert!(screen.esc(&mut world.update(SIZE)));
    let effects = screen.pending(&mut world.update(SIZE));
    world.suppose(&mut screen, effects);
    assert!(words(row(&world.draw(&mut screen, SIZE), "ledger")).contains("┃ 2→4 -4 2→4"));
    assert!(screen.esc(&mut world.update(SIZE)));
    let shown = world.draw(&mut screen, SIZE);
    assert!(!shown.join("\n").contains("WHAT IF") && row(&shown, "ledger").contains("4/2"));
}

#[test]
fn what_cannot_be_supposed_is_said_and_leaves_nothing_behind() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    go(&mut world, &mut screen, "statement-pdf", "eu-w1-a");
    let menu = screen.suppose_menu(&world.update(SIZE));
    let weight = menu.items.iter().find(|i| i.key == Some('w')).unwrap();
    assert!(weight.disabled.as_ref().is_some_and(|why| why.contains("fixed weights")), "{weight:?}");
    for (id, text) in [("room", "many"), ("taint", "x"), ("weight", "3")] {
        let effects = screen.answered(id, text, &mut world.update(SIZE));
        assert!(matches!(effects.as_slice(), [Effect::Notice(_)]), "{id}");
    }
    assert!(screen.what_if.is_none());
}

#[test]
fn a_situation_that_is_saved_passes() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    go(&mut world, &mut screen, "ledger", "eu-w1-a");
    let verdict = |effects: Vec<Effect>| {
        let [Effect::Save { name, text }] = effects.as_slice() else { panic!("a file was expected") };
        assert_eq!(name, "situation-ledger.yaml");
        let source = crate::desired::origin::Source::new(SourceKind::Situation, "s.yaml");
        let all = situation::read(text, &source).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        (situation::run(&all[0], Lang::En), text.clone())
    };
    let (now, text) = verdict(screen.act(ActionId::SaveSituation, &mut world.update(SIZE)));
    assert_eq!(now, situation::Verdict::Passed, "{text}");
    let effects = screen.chosen("suppose", "lost", &mut world.update(SIZE));
    world.suppose(&mut screen, effects);
    let (then, text) = verdict(screen.act(ActionId::SaveSituation, &mut world.update(SIZE)));
    assert_eq!(then, situation::Verdict::Passed, "{text}");
    assert!(text.contains("deleting: true"), "{text}");
    go(&mut world, &mut screen, "web", "eu-w1-a");
    assert!(matches!(screen.act(ActionId::SaveSituation, &mut world.update(SIZE)).as_slice(), [Effect::Notice(_)]));
}

#[test]
fn without_desired_state_it_says_what_to_write_and_where() {
    let mut world = World::fleet();
    world.desired = None;
    world.settings.fleet_file = Some("/etc/fleet.yaml".into());
    let mut screen = PlacementScreen::new(&Scope::default());
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("/etc/fleet.yaml") && shown.contains("services:"), "{shown}");
}

#[test]
fn the_cursor_stays_on_its_service_when_the_picture_changes() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world);
    go(&mut world, &mut screen, "web", "us-e1-a");
    let effects = screen.chosen("suppose", "lost", &mut world.update(SIZE));
    world.suppose(&mut screen, effects);
    let picture = world.desired.as_ref().unwrap();
    let again = Desired::of(picture.desired.inputs.clone(), Some(&picture.desired));
    world.desired = Some(Picture { desired: Arc::new(again), ..picture.clone() });
    world.draw(&mut screen, SIZE);
    let [Effect::Suppose { .. }] = screen.pending(&mut world.update(SIZE)).as_slice() else {
        panic!("the suppositions are computed for the new picture")
    };
    assert_eq!(&*screen.selected.as_ref().unwrap().service.1, "web");
    assert_eq!(screen.current_column().unwrap().title, "us-e1-a");
}
