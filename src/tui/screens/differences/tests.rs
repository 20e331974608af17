//! Differences as they look: findings first, values with their causes, secrets masked.

use super::*;
use crate::tui::screens::fixture::World;

const SIZE: (u16, u16) = (130, 34);

fn screen(world: &mut World, name: &str) -> DifferencesScreen {
    let desired = world.desired.as_ref().unwrap().desired.clone();
    let mut screen = DifferencesScreen::new(&desired.outcome("shop", name).unwrap().service);
    world.draw(&mut screen, SIZE);
    screen
}

fn words(line: &str) -> String {
    line.trim_matches(['│', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn two_copies_that_differ_are_a_finding_and_secrets_are_never_shown() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world, "api-gateway");
    let shown = world.draw(&mut screen, SIZE);
    let all = shown.join("\n");
    assert!(words(&shown[1]).starts_with("OBJECT FIELD ┃ ~ ap-s1 +2 us-e1-a") || all.contains("ap-s1 +2"), "{all}");
    let image = shown.iter().find(|l| l.contains(".image")).expect("the image");
    assert!(image.contains("2.14.1") && image.contains("2.13.9") && image.contains("FINDING"), "{all}");
    assert!(all.contains("No declared difference explains this.") && all.contains("us/gateway.yaml:"), "{all}");
    assert!(!all.contains("b25l") && !all.contains("dHdv") && all.contains("(masked, differs)"), "{all}");
    screen.set_filter("value:b25l", &mut world.update(SIZE));
    assert!(screen.shown.is_empty(), "a filter does not guess what is masked");
    assert!(!screen.as_text(Lang::En).contains("b25l"));
}

#[test]
fn a_rule_explains_and_the_cell_leads_to_its_object_and_its_file() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world, "ledger");
    screen.set_filter("field:image", &mut world.update(SIZE));
    let all = world.draw(&mut screen, SIZE).join("\n");
    assert!(all.contains("declared") && all.contains("OverridePolicy shop/ledger-us overrideRules[0]"), "{all}");
    screen.column = screen.columns.iter().position(|c| c.title == "us-e1-a").unwrap();
    screen.take_column();
    match screen.act(ActionId::Edit, &mut world.update(SIZE)).as_slice() {
        [Effect::Edit(at)] => assert_eq!(&at.source.file, "policies/shop.yaml"),
        _ => panic!("the file of the rule was expected"),
    }
    match screen.act(ActionId::Open, &mut world.update(SIZE)).as_mut_slice() {
        [Effect::Open(origin)] => {
            let all = world.draw(&mut **origin, SIZE).join("\n");
            assert!(all.contains("spec.template.spec.containers[0].image"), "{all}");
        }
        _ => panic!("the object was expected"),
    }
    screen.esc(&mut world.update(SIZE));
    screen.act(ActionId::Findings, &mut world.update(SIZE));
    let all = world.draw(&mut screen, SIZE).join("\n");
    assert!(all.contains("differences are explained"), "{all}");
}

#[test]
fn clusters_that_are_alike_share_a_column_until_they_are_taken_apart() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world, "api-gateway");
    assert_eq!(screen.columns.len(), 2);
    screen.act(ActionId::Group, &mut world.update(SIZE));
    let titles: Vec<&str> = screen.columns.iter().map(|c| c.title.as_str()).collect();
    assert_eq!(titles, ["ap-s1", "eu-w1-a", "us-e1-a", "sa-e1"]);
}
