//! Where lines come from, as it looks and where it leads.

use super::*;
use crate::tui::screens::fixture::World;

const SIZE: (u16, u16) = (120, 34);

fn screen(world: &mut World, object: usize, cluster: &str) -> OriginScreen {
    let desired = world.desired.as_ref().unwrap().desired.clone();
    let outcome = desired.outcome("shop", "ledger").unwrap();
    let mut screen = OriginScreen::new(&outcome.service, &outcome.placed[object].key, &cluster.into());
    world.draw(&mut screen, SIZE);
    screen
}

fn search(world: &mut World, screen: &mut OriginScreen, text: &str) -> String {
    screen.search(text, &mut world.update(SIZE));
    world.draw(screen, SIZE).join("\n")
}

#[test]
fn each_line_says_who_set_it_and_enter_opens_the_file_there() {
    let mut world = World::fleet();
    let mut screen = screen(&mut world, 0, "us-east-1-prod-a");
    let all = search(&mut world, &mut screen, "image:");
    let image = all.lines().find(|l| l.contains("ledger:8.2.7")).expect("the image");
    assert!(image.contains("∆") && image.contains("policies/shop.yaml"), "{all}");
    assert!(all.contains(": replaced") && all.contains("\"registry.example/shop/ledger:8.3.0\""), "{all}");
    assert!(all.contains("written at manifests/ledger.yaml:10 (manifest)"), "{all}");
    for (text, file) in [("image:", "policies/shop.yaml"), ("kind:", "manifests/ledger.yaml")] {
        search(&mut world, &mut screen, text);
        match screen.act(ActionId::Open, &mut world.update(SIZE)).as_slice() {
            [Effect::Edit(at)] => assert!(at.source.file == file && at.line > 0, "{at}"),
            _ => panic!("the file was expected"),
        }
    }
    screen.act(ActionId::CellLeft, &mut world.update(SIZE));
    let all = world.draw(&mut screen, SIZE).join("\n");
    assert!(all.contains("eu-west-1-prod-a") && !all.contains("8.2.7"), "{all}");
}

#[test]
fn secrets_and_hostile_text_never_reach_the_screen() {
    let mut world = World::fleet();
    let mut secret = screen(&mut world, 2, "eu-west-1-prod-a");
    let all = search(&mut world, &mut secret, "password");
    assert!(all.contains("password: ") && !all.contains("hunter2"), "{all}");
    assert!(!secret.yaml().contains("hunter2"));
    let mut config = screen(&mut world, 1, "eu-west-1-prod-a");
    let all = search(&mut world, &mut config, "hostile");
    assert!(!all.contains('\u{1b}') && !all.contains('\u{202e}'), "{all}");
}

#[test]
fn an_object_that_is_wanted_no_longer_stays_with_a_word() {
    let mut world = World::fleet();
    let mut origin = screen(&mut world, 0, "eu-west-1-prod-a");
    let picture = world.desired.clone().unwrap();
    let mut inputs = picture.desired.inputs.clone();
    inputs.policies = Arc::default();
    world.desired = Some(crate::render::worker::Picture { desired: Arc::new(Desired::of(inputs, None)), ..picture });
    let all = world.draw(&mut origin, SIZE).join("\n");
    assert!(all.contains("should no longer be in eu-west-1-prod-a") && all.contains("kind: Deployment"), "{all}");
}
