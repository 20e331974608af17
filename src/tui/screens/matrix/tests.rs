//! The Matrix as it looks over the fixture's fleet.

use super::*;
use crate::{
    fleet::{
        delta::{Change, Delta},
        row::Detail,
    },
    messages::width,
    model::{Builtin, ClusterRecord, ClusterState, Condition, KindStatus},
    tui::screens::fixture::{self, NOW, US, World},
};

const SIZE: (u16, u16) = (108, 30);

fn row<'a>(lines: &'a [String], service: &str) -> &'a str {
    lines.iter().find(|l| l.trim_start_matches(['│', '▸', ' ']).starts_with(service)).map_or("", String::as_str)
}

fn words(line: &str) -> String {
    line.trim_matches(['│', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cells_differ_fail_move_are_old_or_not_known_each_in_its_own_way() {
    let mut world = World::fleet();
    let mut screen = MatrixScreen::new(&Scope::default());
    let shown = world.draw(&mut screen, SIZE);
    let all = shown.join("\n");
    assert_eq!(words(&shown[1]), "SERVICE ┃ ~ ap-s1 eu-w1-a us-e1-a ∅ sa-e1 lab-1 NOTE", "{all}");
    assert_eq!(
        words(row(&shown, "statement-pdf")),
        "▸statement-pdf ✗ ┃ 0.7.4* 0.7.4 ✗ 0.7.4 0/3 ? 0.7.4 1 CrashLoopBackOff"
    );
    assert_eq!(words(row(&shown, "ledger")), "ledger ∆ ┃ 8.3.0* 8.3.0 ∆ 8.2.7 ? 8.3.0 2 versions");
    assert_eq!(words(row(&shown, "web")), "web ! ┃ ! latest* ! latest ! latest ? ! latest moving tag");
    assert_eq!(words(row(&shown, "支付对账")), "支付对账 ┃ 3.1.0* 3.1.0 3.1.0 ? 3.1.0 4 same");
    let bars: Vec<usize> = shown[2..8].iter().filter_map(|l| l.find(['┃', '╋']).map(|at| width(&l[..at]))).collect();
    assert!(bars.windows(2).all(|w| w[0] == w[1]), "the rule is straight beside wide characters: {bars:?}\n{all}");
    assert!(all.contains("2 of 5 clusters are not live: ap-s1 sa-e1"), "{all}");
}

#[test]
fn the_longest_usual_reason_is_whole_at_120_columns() {
    let mut world = World::fleet();
    let mut late = fixture::deployment("shop", "late", "1", 0, 3);
    if let Detail::Workload(w) = &mut late.detail {
        w.reason = Some("ProgressDeadlineExceeded".into());
    }
    let changes = vec![Change::Upsert(late)];
    world.store.apply(Delta::Rows { cluster: US, kind: Builtin::Deployment.id(), changes, at: NOW });
    let shown = world.draw(&mut MatrixScreen::new(&Scope::default()), (120, 30));
    assert!(row(&shown, "late").contains("1 ProgressDeadlineExceeded"), "{}", shown.join("\n"));
}

#[test]
fn the_cell_under_the_cursor_is_explained() {
    let mut world = World::fleet();
    let mut screen = MatrixScreen::new(&Scope::default());
    world.draw(&mut screen, SIZE);
    for _ in 0..2 {
        screen.act(ActionId::CellRight, &mut world.update(SIZE));
    }
    let shown = world.draw(&mut screen, SIZE).join("\n");
    for part in [
        "statement-pdf in us-east-1-prod-a   0.7.4",
        "0/3 ready",
        "read 0s ago",
        "1 pod not well",
        "statement-pdf-5d9c7b-x7k2p  CrashLoopBackOff",
        "helm (Update)  at or before 2026-11-28 14:07Z",
        "Helm  shop/statement-pdf",
    ] {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    screen.act(ActionId::CellRight, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("whether statement-pdf runs there is not known"), "{shown}");
    screen.act(ActionId::Down, &mut world.update(SIZE));
    screen.act(ActionId::CellLeft, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(shown.contains("another version than elsewhere: 8.3.0, the most common"), "{shown}");
}

#[test]
fn groups_count_and_only_differing_rows_stay() {
    let mut world = World::fleet();
    let mut screen = MatrixScreen::new(&Scope::default());
    world.draw(&mut screen, SIZE);
    screen.act(ActionId::Group, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    assert_eq!(words(row(&shown, "ledger")), "ledger ∆ ┃ ∆ 2/3 8.3.0* 1/1 8.3.0 2 versions");
    assert_eq!(words(row(&shown, "api-gateway")), "api-gateway ┃ 3/3 2.14.1* 1/1 2.14.1 4 same");
    screen.act(ActionId::Differing, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE);
    assert!(row(&shown, "api-gateway").is_empty() && !row(&shown, "ledger").is_empty());
    screen.act(ActionId::CellShows, &mut world.update(SIZE));
    assert!(world.draw(&mut screen, SIZE)[0].contains("Digests"));
}

#[test]
fn three_hundred_clusters_format_only_visible_cells_and_page_sideways() {
    let mut world = World::empty();
    for i in 0..300u16 {
        let id = ClusterId(i);
        let record =
            ClusterRecord { name: format!("c-{i:03}").into(), environment: "prod".into(), ..ClusterRecord::default() };
        world.store.apply(Delta::Record(id, std::sync::Arc::new(record)));
        let condition = Condition { state: ClusterState::Live, heard: NOW, since: NOW, ..Condition::default() };
        world.store.apply(Delta::Condition(id, condition));
        let rows = (0..30).map(|n| fixture::deployment("shop", &format!("svc-{n:02}"), "1.0.0", 1, 1)).collect();
        for delta in fixture::listed(id, Builtin::Deployment.id(), rows, KindStatus::Live, NOW) {
            world.store.apply(delta);
        }
    }
    let mut screen = MatrixScreen::new(&Scope::default());
    world.draw(&mut screen, SIZE);
    assert_eq!((screen.services.len(), screen.columns.len()), (30, 300));
    assert!(screen.formatted() < 30 * 12, "{} cells were formatted", screen.formatted());
    for _ in 0..400 {
        screen.act(ActionId::CellRight, &mut world.update(SIZE));
    }
    let shown = world.draw(&mut screen, SIZE);
    assert!(shown[1].contains("c-299"), "{}", shown[1]);
    screen.act(ActionId::PageLeft, &mut world.update(SIZE));
    let shown = world.draw(&mut screen, SIZE).join("\n");
    assert!(!shown.contains("in c-299"), "{shown}");
}

#[test]
fn enter_leads_to_the_service_and_on_to_the_object_of_that_cluster() {
    let mut world = World::fleet();
    let mut screen = MatrixScreen::new(&Scope::default());
    world.draw(&mut screen, SIZE);
    let key = screen.current().unwrap().key.clone();
    assert!(
        matches!(screen.act(ActionId::Open, &mut world.update(SIZE)).as_slice(), [Effect::Open(s)] if s.kind() == "service")
    );
    let mut service = ServiceScreen::new(key, Vec::new(), Some(US));
    let shown = world.draw(&mut service, (120, 30)).join("\n");
    assert!(
        shown.contains("▸✗ B us-east-1-prod-a deployment/shop/statement-pdf 0.7.4     0/3 CrashLoopBackOff"),
        "{shown}"
    );
    assert!(shown.contains("clusters where it is not known (1): sa-east-1-prod"), "{shown}");
    match service.act(ActionId::Yaml, &mut world.update(SIZE)).as_slice() {
        [Effect::Open(_), Effect::FetchObject { object, .. }] => {
            assert_eq!((object.cluster, object.name.as_str()), (US, "statement-pdf"));
        }
        _ => panic!("the screen and one fetch were expected"),
    }
}
