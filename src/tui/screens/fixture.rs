//! A small believable fleet for the tests of the screens: five clusters, each in another state, filled by deltas.

mod desired;

use std::sync::Arc;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    config::Settings,
    desired::whatif,
    fleet::{
        Store,
        delta::{Change, Delta},
        row::{
            ConfigRow, ContainerSpec, Detail, EventRow, LastChange, Managed, NodeReady, NodeRow, Owner, Phase, PodRow,
            Progress, Resources, Row, System, WorkloadRow,
        },
        service::ServiceRules,
    },
    messages::Lang,
    model::{
        ApiCertificate, Builtin, Cause, CauseCode, ClusterFacts, ClusterId, ClusterRecord, ClusterState, Condition,
        Contact, Credential, Health, KindId, KindSet, KindStatus, KubeVersion, Millis, Secs, Uid,
    },
    render::worker::Picture,
    tui::{
        glyphs::{Glyphs, UNICODE},
        screen::{Ctx, Effect, Screen, UpdateCtx},
        theme::{self, Theme},
    },
};

/// The tests' clock: 2026-11-30T14:07:31Z.
pub const NOW: Millis = Millis(1_796_047_651_000);

/// The clusters of the fixture by name.
pub const EU: ClusterId = ClusterId(0);
/// Live, with a failing workload and a node down.
pub const US: ClusterId = ClusterId(1);
/// Stale for four minutes.
pub const AP: ClusterId = ClusterId(2);
/// Refuses connections; nothing was ever known.
pub const SA: ClusterId = ClusterId(3);
/// Live, but pods may not be listed.
pub const LAB: ClusterId = ClusterId(4);

/// The store and what a screen needs beside it.
pub struct World {
    /// Store.
    pub store: Store,
    /// Settings.
    pub settings: Settings,
    /// What should be where.
    pub desired: Option<Picture>,
    /// Theme without colour.
    pub theme: Theme,
    /// Language.
    pub lang: Lang,
    /// Marks.
    pub glyphs: &'static Glyphs,
    /// Now.
    pub now: Millis,
}

impl World {
    /// A world with an empty store.
    pub fn empty() -> Self {
        Self {
            store: Store::new(KindSet::default(), ServiceRules::default()),
            settings: Settings::default(),
            desired: None,
            theme: theme::load("mono", std::path::Path::new(""), theme::Level::None).unwrap(),
            lang: Lang::En,
            glyphs: &UNICODE,
            now: NOW,
        }
    }

    /// The fixture's fleet.
    pub fn fleet() -> Self {
        let mut world = Self::empty();
        for delta in fleet() {
            world.store.apply(delta);
        }
        world.desired = Some(desired::picture());
        world
    }

    /// What a screen asks for is computed, and the answer given to it.
    pub fn suppose(&mut self, screen: &mut dyn Screen, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Suppose { now, changes, generation } = effect {
                let answer = whatif::suppose(&now, &changes).map(|then| {
                    let moves = whatif::moves(&now, &then);
                    (Arc::new(then), moves)
                });
                let more = screen.supposed(generation, answer, &mut self.update((120, 40)));
                self.suppose(screen, more);
            }
        }
    }

    /// For acting.
    pub fn update(&mut self, size: (u16, u16)) -> UpdateCtx<'_> {
        UpdateCtx {
            store: &mut self.store,
            settings: &self.settings,
            desired: self.desired.as_ref(),
            lang: self.lang,
            now: self.now,
            size,
        }
    }

    /// Brings the screen up to date and draws it; the grid comes back as lines.
    pub fn draw(&mut self, screen: &mut dyn Screen, size: (u16, u16)) -> Vec<String> {
        for _ in 0..1000 {
            if !screen.on_data(&mut self.update(size)) {
                break;
            }
        }
        let area = Rect::new(0, 0, size.0, size.1);
        let mut buf = Buffer::empty(area);
        let ctx = Ctx {
            store: &self.store,
            settings: &self.settings,
            desired: self.desired.as_ref(),
            lang: self.lang,
            theme: &self.theme,
            glyphs: self.glyphs,
            now: self.now,
            size,
            read_only: true,
            focused: true,
            plain: false,
        };
        screen.draw(area, &mut buf, &ctx);
        lines(&buf)
    }
}

/// The grid as text; the second cell of a wide character is left out.
pub fn lines(buf: &Buffer) -> Vec<String> {
    let area = buf.area;
    (area.top()..area.bottom())
        .map(|y| {
            let mut line = String::new();
            let mut skip = 0;
            for x in area.left()..area.right() {
                let symbol = buf[(x, y)].symbol();
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                skip = crate::messages::width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            line.trim_end().to_owned()
        })
        .collect()
}

fn ago(seconds: i64) -> Millis {
    Millis(NOW.0 - seconds * 1000)
}

fn text(value: &str) -> Arc<str> {
    Arc::from(value)
}

fn record(name: &str, alias: &str, environment: &str, region: &str) -> Arc<ClusterRecord> {
    Arc::new(ClusterRecord {
        name: text(name),
        alias: alias.into(),
        context: format!("ctx-{name}"),
        server: format!("https://{name}.example:6443"),
        environment: environment.into(),
        region: region.into(),
        provider: "aws".into(),
        team: "payments-sre".into(),
        tier: "1".into(),
        systems: vec!["card payments".into()],
        contacts: vec![Contact { name: "Payments on call".into(), reach: "#pay-oncall".into() }],
        ..ClusterRecord::default()
    })
}

fn facts(minor: u16, rtt: u32) -> Arc<ClusterFacts> {
    Arc::new(ClusterFacts {
        id: Some("0d3f1c52-7f2e-4a57-8f0b-6a2f5b1c9d10".into()),
        version: Some(KubeVersion { git: format!("v1.{minor}.4"), major: 1, minor, emulated_minor: None }),
        rtt_ms: Some(rtt),
        certificate: Some(ApiCertificate {
            subject: "CN=kube-apiserver".into(),
            issuer: "CN=kubernetes".into(),
            not_after: Secs(NOW.secs().0 + 200 * 86_400),
        }),
        credential: Credential {
            kind: "exec".into(),
            plugin: "aws".into(),
            user: "oncall@corp".into(),
            ..Credential::default()
        },
        watches: 18,
        ..ClusterFacts::default()
    })
}

fn condition(state: ClusterState, since: i64, heard: i64, cause: Option<Cause>) -> Condition {
    let heard = if heard < 0 { Millis(0) } else { ago(heard) };
    Condition { state, since: ago(since), cause, heard, progress: (22, 22) }
}

/// A row with the common part filled in.
pub fn row(namespace: &str, name: &str, health: Health, detail: Detail) -> Row {
    let uid = Uid::parse(&format!("{namespace}/{name}"));
    Row {
        name: name.into(),
        namespace: (!namespace.is_empty()).then(|| text(namespace)),
        uid,
        version: 1,
        created: ago(3 * 86_400).secs(),
        deleting: Secs(0),
        health,
        labels: Arc::from(vec![(text("app.kubernetes.io/name"), text(name))]),
        owner: None,
        detail,
    }
}

/// A Deployment of one container.
pub fn deployment(namespace: &str, name: &str, tag: &str, ready: u32, wanted: u32) -> Row {
    let health = if ready == wanted { Health::Ok } else { Health::Bad };
    let labels: Arc<[(Arc<str>, Arc<str>)]> = Arc::from(vec![(text("app.kubernetes.io/name"), text(name))]);
    let mut row = row(
        namespace,
        name,
        health,
        Detail::Workload(Box::new(WorkloadRow {
            containers: Arc::from(vec![ContainerSpec {
                name: text(name),
                image: text(&format!("registry.example/{namespace}/{name}:{tag}")),
                digest: text(""),
                init: false,
            }]),
            template_labels: labels.clone(),
            wanted: Some(wanted),
            ready,
            updated: wanted,
            available: ready,
            current: wanted,
            generation: 7,
            observed: 7,
            progress: if ready == wanted { Progress::Settled } else { Progress::Stuck },
            reason: (ready != wanted).then(|| text("CrashLoopBackOff")),
            managed: Some(Arc::new(Managed {
                by: System::Helm,
                name: text(&format!("{namespace}/{name}")),
                also: Vec::new(),
                maybe: false,
            })),
            changed: Some(Arc::new(LastChange { manager: text("helm"), apply: false, at: ago(2 * 86_400).secs() })),
            ..WorkloadRow::default()
        })),
    );
    row.labels = labels;
    row
}

/// A pod of a Deployment's ReplicaSet.
pub fn pod(namespace: &str, owner: &str, suffix: &str, reason: Option<(&str, &str)>) -> Row {
    let name = format!("{owner}-5d9c7b-{suffix}");
    let health = if reason.is_some() { Health::Bad } else { Health::Ok };
    let mut row = row(
        namespace,
        &name,
        health,
        Detail::Pod(Box::new(PodRow {
            node: text("ip-10-0-13-99"),
            containers: Arc::from(vec![ContainerSpec {
                name: text(owner),
                image: text(&format!("registry.example/{namespace}/{owner}:1.0")),
                digest: text("sha256:5c0e7a11d2f94b6c8e0a5d7f3b1c2e4a6f8091b3c5d7e9f0a2b4c6d8e0f19191"),
                init: false,
            }]),
            phase: Phase::Running,
            is_ready: reason.is_none(),
            ready: (u8::from(reason.is_none()), 1),
            restarts: if reason.is_some() { 17 } else { 0 },
            restarted: if reason.is_some() { ago(120).secs() } else { Secs(0) },
            reason: reason.map(|(r, _)| text(r)),
            note: reason.map(|(_, n)| n.into()),
            cpu_m: 250,
            mem: 256 << 20,
            ip: None,
        })),
    );
    row.owner = Some(Arc::new(Owner {
        kind: text("ReplicaSet"),
        group: text("apps"),
        name: text(&format!("{owner}-5d9c7b")),
        uid: Uid::parse(&format!("{namespace}/{owner}-5d9c7b")),
    }));
    row
}

/// The ReplicaSet between a Deployment and its pods.
fn replica_set(namespace: &str, owner: &str) -> Row {
    let mut row = deployment(namespace, &format!("{owner}-5d9c7b"), "1.0", 1, 1);
    row.owner = Some(Arc::new(Owner {
        kind: text("Deployment"),
        group: text("apps"),
        name: text(owner),
        uid: Uid::parse(&format!("{namespace}/{owner}")),
    }));
    row
}

/// A node.
pub fn node(name: &str, ready: NodeReady) -> Row {
    let health = if ready == NodeReady::Yes { Health::Ok } else { Health::Bad };
    row(
        "",
        name,
        health,
        Detail::Node(Box::new(NodeRow {
            ready,
            roles: text("worker"),
            kubelet: text("v1.33.4"),
            region: text("eu-west-1"),
            zone: text("eu-west-1a"),
            provider: text("aws"),
            allocatable: Resources { cpu_m: 16_000, mem: 64 << 30, pods: 110 },
            note: (ready != NodeReady::Yes).then(|| "Kubelet stopped posting node status.".into()),
            ..NodeRow::default()
        })),
    )
}

fn event(namespace: &str, kind: &str, object: &str, reason: &str, message: &str) -> Row {
    row(
        namespace,
        &format!("{object}.17a"),
        Health::Warn,
        Detail::Event(Box::new(EventRow {
            kind: text(kind),
            object: object.into(),
            reason: text(reason),
            message: message.into(),
            count: 12,
            last: ago(40).secs(),
            source: text("kubelet"),
        })),
    )
}

/// Deltas that list rows of a kind completely.
pub fn listed(cluster: ClusterId, kind: KindId, rows: Vec<Row>, status: KindStatus, at: Millis) -> Vec<Delta> {
    vec![
        Delta::ListBegin(cluster, kind),
        Delta::Rows { cluster, kind, changes: rows.into_iter().map(Change::Upsert).collect(), at },
        Delta::ListDone(cluster, kind),
        Delta::Kind(cluster, kind, status),
    ]
}

fn kinds(cluster: ClusterId, status: &KindStatus) -> Vec<Delta> {
    Builtin::ALL.iter().map(|k| Delta::Kind(cluster, k.id(), status.clone())).collect()
}

/// The whole fleet as deltas.
pub fn fleet() -> Vec<Delta> {
    let mut out = vec![
        Delta::Record(EU, record("eu-west-1-prod-a", "eu-w1-a", "prod", "eu-west-1")),
        Delta::Record(US, record("us-east-1-prod-a", "us-e1-a", "prod", "us-east-1")),
        Delta::Record(AP, record("ap-south-1-prod", "ap-s1", "prod", "ap-south-1")),
        Delta::Record(SA, record("sa-east-1-prod", "sa-e1", "prod", "sa-east-1")),
        Delta::Record(LAB, record("lab-1", "lab-1", "dev", "eu-west-1")),
        Delta::Condition(EU, condition(ClusterState::Live, 7200, 1, None)),
        Delta::Condition(US, condition(ClusterState::Live, 7200, 0, None)),
        Delta::Condition(
            AP,
            condition(
                ClusterState::Stale,
                240,
                240,
                Some(Cause::new(CauseCode::Silent, "no answer to 3 pings").during("watch", "pods", "")),
            ),
        ),
        Delta::Condition(
            SA,
            condition(
                ClusterState::Unreachable,
                1860,
                -1,
                Some(Cause::new(CauseCode::Refused, "connect 10.9.0.7:6443: connection refused")),
            ),
        ),
        Delta::Condition(LAB, condition(ClusterState::Live, 7200, 2, None)),
        Delta::Facts(EU, facts(33, 38)),
        Delta::Facts(US, facts(33, 91)),
        Delta::Facts(AP, facts(31, 180)),
        Delta::Facts(LAB, facts(33, 4)),
    ];
    for id in [EU, US, LAB] {
        out.extend(kinds(id, &KindStatus::Live));
    }
    out.extend(kinds(AP, &KindStatus::Stale(Cause::new(CauseCode::Silent, "no answer to 3 pings"))));
    for (id, tag, at) in [(EU, "8.3.0", ago(1)), (US, "8.2.7", ago(1)), (AP, "8.3.0", ago(240)), (LAB, "8.3.0", ago(2))]
    {
        let status = if id == AP {
            KindStatus::Stale(Cause::new(CauseCode::Silent, "no answer to 3 pings"))
        } else {
            KindStatus::Live
        };
        let bad = if id == US { 0 } else { 3 };
        let workloads = vec![
            deployment("shop", "api-gateway", "2.14.1", 3, 3),
            deployment("shop", "ledger", tag, 2, 2),
            deployment("shop", "statement-pdf", "0.7.4", bad, 3),
            deployment("shop", "支付对账", "3.1.0", 1, 1),
            deployment("shop", "web", "latest", 1, 1),
        ];
        out.extend(listed(id, Builtin::Deployment.id(), workloads, status.clone(), at));
        let sets = ["api-gateway", "ledger", "statement-pdf"].map(|name| replica_set("shop", name)).to_vec();
        out.extend(listed(id, Builtin::ReplicaSet.id(), sets, status.clone(), at));
        let mut nodes = vec![node("ip-10-0-13-99", NodeReady::Yes), node("ip-10-0-13-100", NodeReady::Yes)];
        if id == US {
            nodes.push(node("ip-10-0-13-101", NodeReady::No));
        }
        out.extend(listed(id, Builtin::Node.id(), nodes, status.clone(), at));
        if id != LAB {
            let trouble = (id == US).then_some((
                "CrashLoopBackOff",
                "statement-pdf: exit code 1, back-off 5m0s restarting failed container",
            ));
            let pods = vec![
                pod("shop", "api-gateway", "aaaaa", None),
                pod("shop", "ledger", "bbbbb", None),
                pod("shop", "statement-pdf", "x7k2p", trouble),
            ];
            out.extend(listed(id, Builtin::Pod.id(), pods, status.clone(), at));
        }
    }
    out.push(Delta::Kind(
        LAB,
        Builtin::Pod.id(),
        KindStatus::Forbidden(Cause::new(CauseCode::Forbidden, "pods is forbidden").during("list", "pods", "")),
    ));
    out.extend(listed(
        US,
        Builtin::Event.id(),
        vec![event(
            "shop",
            "Pod",
            "statement-pdf-5d9c7b-x7k2p",
            "BackOff",
            "Back-off restarting failed container \u{1b}[2J in pod",
        )],
        KindStatus::Live,
        ago(1),
    ));
    out.extend(listed(
        US,
        Builtin::ConfigMap.id(),
        vec![row(
            "shop",
            "ledger-config",
            Health::Ok,
            Detail::Config(Box::new(ConfigRow {
                fingerprint: Some([7; 16]),
                keys: 3,
                bytes: 210,
                ..ConfigRow::default()
            })),
        )],
        KindStatus::Live,
        ago(1),
    ));
    out
}
