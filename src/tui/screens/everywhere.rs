//! What holds for every screen: any size, either language, any key in any order.

use super::{fixture::World, *};
use crate::{
    messages::{Lang, width},
    model::{Builtin, ObjectRef},
    tui::{action, glyphs::ASCII, screen::MouseAct},
};

fn pod() -> ObjectRef {
    ObjectRef {
        cluster: fixture::US,
        kind: Builtin::Pod.id(),
        namespace: "shop".into(),
        name: "statement-pdf-5d9c7b-x7k2p".into(),
    }
}

fn every_screen() -> Vec<Box<dyn Screen>> {
    let service = crate::fleet::matrix::ServiceKey { name: "ledger".into(), namespace: Some("shop".into()) };
    let desired = World::fleet().desired.expect("a picture").desired;
    let wanted = desired.outcome("shop", "ledger").expect("declared");
    let gateway = desired.outcome("shop", "api-gateway").expect("declared");
    let mut out: Vec<Box<dyn Screen>> = vec![
        Box::new(placement::PlacementScreen::new(&Scope::default())),
        Box::new(differences::DifferencesScreen::new(&wanted.service)),
        Box::new(differences::DifferencesScreen::new(&gateway.service)),
        Box::new(origin::OriginScreen::new(&wanted.service, &wanted.placed[0].key, &"us-east-1-prod-a".into())),
        Box::new(origin::OriginScreen::new(&wanted.service, &wanted.placed[1].key, &"lab-1".into())),
        Box::new(fleet::FleetScreen::new(&Scope::default())),
        Box::new(fleet::ClusterScreen::new(fixture::LAB)),
        Box::new(matrix::MatrixScreen::new(&Scope::default())),
        Box::new(matrix::ServiceScreen::new(service, Vec::new(), None)),
        Box::new(object::ObjectScreen::detail(pod())),
    ];
    for kind in Builtin::ALL {
        out.push(Box::new(objects::ObjectsScreen::new(vec![kind.id()], &Scope::default())));
    }
    out
}

#[test]
fn every_screen_survives_every_size_and_keeps_its_lines_inside() {
    let mut worlds = [World::fleet(), World::fleet(), World::empty()];
    worlds[1].lang = Lang::Zh;
    worlds[1].glyphs = &ASCII;
    for world in &mut worlds {
        for mut screen in every_screen() {
            let small = (0..31).flat_map(|w| (0..11).map(move |h| (w, h)));
            let drag = (0..45).map(|i| (200 - i * 4, 60 - i * 55 / 45));
            for size in small.step_by(3).chain(drag) {
                for line in world.draw(&mut *screen, size) {
                    assert!(width(&line) <= usize::from(size.0), "{} at {size:?}: {line:?}", screen.kind());
                }
            }
        }
    }
}

#[test]
fn in_ascii_every_mark_of_the_screens_themselves_is_ascii() {
    let mut world = World::fleet();
    world.glyphs = &ASCII;
    for mut screen in every_screen() {
        for size in [(120, 40), (80, 24), (50, 12)] {
            let shown = world.draw(&mut *screen, size).join("\n").replace("支付对账", "").replace('␛', "");
            let odd: String = shown.chars().filter(|c| !c.is_ascii()).collect();
            assert!(odd.is_empty(), "{} at {size:?} shows {odd:?}:\n{shown}", screen.kind());
        }
    }
}

#[test]
fn any_keys_and_clicks_in_any_order_do_no_harm_and_esc_always_ends() {
    // A small generator: the same keys every time.
    let mut seed: u64 = 7;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % n
    };
    for world in &mut [World::fleet(), World::empty()] {
        for mut screen in every_screen() {
            let sizes = [(120, 40), (80, 24), (40, 8), (1, 1)];
            for _ in 0..60 {
                let size = sizes[next(sizes.len())];
                let action = action::ALL[next(action::ALL.len())].id;
                let known = screen.actions().contains(&action) || action::MOTIONS.contains(&action);
                match next(8) {
                    0 => {
                        let at = (u16::try_from(next(120)).unwrap(), u16::try_from(next(40)).unwrap());
                        screen.mouse(at, MouseAct::DoubleClick, &mut world.update(size));
                    }
                    2 => {
                        let answers = [("taint", "a:NoSchedule"), ("room", "0"), ("weight", "7"), ("weight", "x")];
                        let (id, text) = answers[next(answers.len())];
                        let effects = screen.answered(id, text, &mut world.update(size));
                        world.suppose(&mut *screen, effects);
                    }
                    3 => {
                        let choice = ["lost", "fresh", "back", "clear", "name", "risk"][next(6)];
                        let menu = ["suppose", "sort"][next(2)];
                        let effects = screen.chosen(menu, choice, &mut world.update(size));
                        world.suppose(&mut *screen, effects);
                    }
                    1 => screen.set_filter(["", "shop", "state:live", "[", "!x"][next(5)], &mut world.update(size)),
                    _ if known => drop(screen.act(action, &mut world.update(size))),
                    _ => {}
                }
                world.draw(&mut *screen, size);
            }
            let layers = (0..80).take_while(|_| screen.esc(&mut world.update((120, 40)))).count();
            assert!(layers < 80, "{} never gives Esc back", screen.kind());
        }
    }
}
