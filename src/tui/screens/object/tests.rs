//! One object: always its own cluster's, Secrets masked, old data said.

use serde_json::json;

use super::*;
use crate::{
    model::CauseCode,
    tui::screens::fixture::{self, AP, US, World},
};

const SIZE: (u16, u16) = (100, 40);

fn crashing() -> ObjectRef {
    ObjectRef {
        cluster: US,
        kind: Builtin::Pod.id(),
        namespace: "shop".into(),
        name: "statement-pdf-5d9c7b-x7k2p".into(),
    }
}

#[test]
fn the_detail_names_cluster_environment_cause_and_events() {
    let mut world = World::fleet();
    let mut screen = ObjectScreen::detail(crashing());
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("Pod shop/statement-pdf-5d9c7b-x7k2p @ us-east-1-prod-a  prod"), "{shown}");
    assert!(shown.contains("CrashLoopBackOff: statement-pdf: exit code 1"), "{shown}");
    assert!(shown.contains("BackOff x12"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.contains("␛[2J"), "{shown}");
}

#[test]
fn old_data_says_so_and_yaml_comes_from_the_rows_own_cluster() {
    let mut world = World::fleet();
    let object = ObjectRef { cluster: AP, name: "ledger-5d9c7b-bbbbb".into(), ..crashing() };
    let mut screen = ObjectScreen::detail(object.clone());
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("Old data: ap-south-1-prod is not live (stale)."), "{shown}");
    let effects = screen.act(ActionId::Yaml, &mut world.update(SIZE));
    match effects.as_slice() {
        [Effect::FetchObject { object: asked, generation: 1, .. }] => assert_eq!(*asked, object),
        _ => panic!("one fetch of this very object was expected"),
    }
    assert!(world.draw(&mut screen, SIZE).join("\n").contains("Reading ledger-5d9c7b-bbbbb from ap-south-1-prod"));
    let late = json!({"kind": "Pod", "metadata": {"name": "of an earlier question"}});
    screen.fetched(0, Ok(late), &mut world.update(SIZE));
    assert!(screen.yaml.is_empty(), "an answer to an earlier question is dropped");
    screen.fetched(1, Err(Cause::new(CauseCode::Refused, "connection refused")), &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("could not be read from ap-south-1-prod"), "{shown}");
    screen.act(ActionId::Refresh, &mut world.update(SIZE));
    screen.fetched(2, Ok(json!({"kind": "Pod", "metadata": {"name": "ledger"}})), &mut world.update(SIZE));
    assert!(world.draw(&mut screen, SIZE).join("\n").contains("  name: ledger"));
}

#[test]
fn an_object_that_goes_while_it_is_read_stays_on_the_screen_and_says_so() {
    use crate::fleet::delta::{Change, Delta};
    let mut world = World::fleet();
    let mut screen = ObjectScreen::detail(crashing());
    world.draw(&mut screen, SIZE);
    let object = crashing();
    world.store.apply(Delta::Rows {
        cluster: object.cluster,
        kind: object.kind,
        changes: vec![Change::Delete { namespace: "shop".into(), name: object.name.as_str().into() }],
        at: fixture::NOW,
    });
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("no longer there") && shown.contains("exit code 1"), "{shown}");
    let mut never = ObjectScreen::detail(object);
    assert!(world.draw(&mut never, SIZE).join("\n").contains("not in the cache"));
}
