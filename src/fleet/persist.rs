//! The snapshot of one cluster as bytes: a head that opens at once, and the rest. Files are `live::snapshot`'s business.
//!
//! Layout: `QDSN`, format, length of the head, length of the rest (4 bytes each, little endian), head, rest; head and rest
//! are LZ4 frames with checksums around postcard. The head holds the facts and the rows that the Fleet and Matrix screens are made of,
//! the rest pods and everything else.
//!
//! Never in it: Secret content (rows have none), environment values, annotations, Events, anything of the credential.

use std::io::{Read as _, Write as _};

use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    delta::Delta,
    intern::Interner,
    wire::{Kinds, Part, Writer},
};
use crate::model::{Builtin, ClusterFacts, ClusterId, Credential, KindId, KindStatus, Millis};

/// Version of the format; a file of another version is ignored.
pub const FORMAT: u32 = 1;

const MAGIC: &[u8; 4] = b"QDSN";
const HEADER: usize = 16;
/// Bytes that a part may unfold to: more is no snapshot of one cluster.
const UNFOLDED_LIMIT: u64 = 2 << 30;

/// Kinds of the head; the others follow in the rest.
const HEAD: &[Builtin] = &[
    Builtin::Namespace,
    Builtin::Node,
    Builtin::Deployment,
    Builtin::StatefulSet,
    Builtin::DaemonSet,
    Builtin::CronJob,
    Builtin::ArgoRollout,
    Builtin::CloneSet,
    Builtin::AdvancedStatefulSet,
    Builtin::AdvancedDaemonSet,
    Builtin::CsiDriver,
    Builtin::CsiNode,
];

#[derive(Debug, Serialize, Deserialize)]
struct Head<'a> {
    about: About,
    facts: ClusterFacts,
    #[serde(borrow)]
    part: Part<'a>,
}

/// What a snapshot says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// kube-system uid of the cluster, when it was known: rows of another cluster under the same name must not be used.
    pub id: Option<String>,
    /// When the cluster was last heard.
    pub heard: Millis,
    /// When the snapshot was made.
    pub written: Millis,
}

/// Writes the rows of one cluster.
pub fn encode(store: &Store, cluster: ClusterId, now: Millis) -> Vec<u8> {
    let Some(shard) = store.shard(cluster) else { return Vec::new() };
    let facts = facts_to_keep(&shard.facts);
    let about = About { id: facts.id.clone(), heard: shard.condition.heard, written: now };
    let head = Head { about, facts, part: part(store, cluster, is_head) };
    let rest = part(store, cluster, |kind| !is_head(kind) && kind != Builtin::Event.id());
    let (Some(head), Some(rest)) = (fold(&head), fold(&rest)) else { return Vec::new() };
    let (Ok(head_length), Ok(rest_length)) = (u32::try_from(head.len()), u32::try_from(rest.len())) else {
        return Vec::new();
    };
    let mut out = Vec::with_capacity(HEADER + head.len() + rest.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&head_length.to_le_bytes());
    out.extend_from_slice(&rest_length.to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(&rest);
    out
}

fn is_head(kind: KindId) -> bool {
    kind.builtin().is_some_and(|k| HEAD.contains(&k))
}

/// What is true of the cluster, without what was true of our connection to it.
fn facts_to_keep(facts: &ClusterFacts) -> ClusterFacts {
    ClusterFacts {
        rtt_ms: None,
        credential: Credential::default(),
        clock_skew_s: None,
        throttled: 0,
        reconnects: 0,
        watches: 0,
        list_kbps: None,
        ..facts.clone()
    }
}

fn part(store: &Store, cluster: ClusterId, wanted: impl Fn(KindId) -> bool) -> Part<'_> {
    let mut writer = Writer::default();
    let Some(shard) = store.shard(cluster) else { return writer.finish() };
    for kind in Builtin::ALL.iter().map(|k| k.id()) {
        // Numbers of kinds added at run time mean nothing to another process; what may not be read is not kept.
        if wanted(kind) && !matches!(shard.kind(kind), KindStatus::Forbidden(_)) {
            let rows = shard.table(kind).into_iter().flat_map(super::table::Table::iter).map(|(_, row)| row);
            writer.kind(kind, shard.confirmed_at(kind), rows);
        }
    }
    writer.finish()
}

fn fold<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let plain = postcard::to_stdvec(value).ok()?;
    let info = FrameInfo::new().content_checksum(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::with_capacity(plain.len() / 3));
    encoder.write_all(&plain).ok()?;
    encoder.finish().ok()
}

fn unfold(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    FrameDecoder::new(bytes).take(UNFOLDED_LIMIT).read_to_end(&mut plain).ok()?;
    Some(plain)
}

/// The two parts of a snapshot of this format.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk::<4>()?));
    if bytes.get(..4)? != MAGIC || number(4)? != FORMAT {
        return None;
    }
    let (head, rest) = bytes.get(HEADER..)?.split_at_checked(usize::try_from(number(8)?).ok()?)?;
    // A frame that is cut between two blocks reads as a shorter one: the length tells.
    (rest.len() == usize::try_from(number(12)?).ok()?).then_some((head, rest))
}

/// What a snapshot says of itself; `None` when it is none.
pub fn about(bytes: &[u8]) -> Option<About> {
    let plain = unfold(split(bytes)?.0)?;
    Some(postcard::from_bytes::<Head<'_>>(&plain).ok()?.about)
}

/// Reads the head alone, as deltas: enough to draw the Fleet and Matrix screens. `None` as for [`decode`].
pub fn decode_head(bytes: &[u8], cluster: ClusterId, intern: &mut Interner) -> Option<Vec<Delta>> {
    let plain = unfold(split(bytes)?.0)?;
    let head: Head<'_> = postcard::from_bytes(&plain).ok()?;
    let mut deltas = vec![Delta::Facts(cluster, std::sync::Arc::new(head.facts))];
    deltas.extend(restored(cluster, head.part.read(intern)?));
    Some(deltas)
}

/// Reads what follows the head. `None` as for [`decode`].
pub fn decode_rest(bytes: &[u8], cluster: ClusterId, intern: &mut Interner) -> Option<Vec<Delta>> {
    let plain = unfold(split(bytes)?.1)?;
    let part: Part<'_> = postcard::from_bytes(&plain).ok()?;
    Some(restored(cluster, part.read(intern)?).collect())
}

fn restored(cluster: ClusterId, kinds: Kinds) -> impl Iterator<Item = Delta> {
    kinds.into_iter().map(move |(kind, at, rows)| Delta::Restored { cluster, kind, rows, at })
}

/// Reads the whole snapshot back as deltas for that cluster; `None` when the bytes are not a snapshot of this format, or
/// damaged.
pub fn decode(bytes: &[u8], cluster: ClusterId) -> Option<Vec<Delta>> {
    decode_shared(bytes, cluster, &mut Interner::default())
}

/// The same, sharing texts with what else the cluster's interner holds.
pub fn decode_shared(bytes: &[u8], cluster: ClusterId, intern: &mut Interner) -> Option<Vec<Delta>> {
    let mut deltas = decode_head(bytes, cluster, intern)?;
    deltas.extend(decode_rest(bytes, cluster, intern)?);
    Some(deltas)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        fleet::{
            row::{Detail, LastChange, Managed, Row, System},
            testing::{POD, change_workload, labels, owned, pod, row, store, upserts, workload},
        },
        model::{Cause, CauseCode, Health, Secs},
    };

    const C: ClusterId = ClusterId(0);

    fn filled() -> Store {
        let mut store = store(&["a"]);
        let deployment = change_workload(workload("shop", "api", "shop/api:1"), |w| {
            w.managed =
                Some(Arc::new(Managed { by: System::Helm, name: "shop/api".into(), also: vec![], maybe: false }));
            w.changed = Some(Arc::new(LastChange { manager: "helm".into(), apply: false, at: Secs(5) }));
            w.template_labels = labels(&[("app", "api")]);
        });
        let pods = ["p1", "p2"].map(|n| owned(pod("shop", n, Health::Bad), "ReplicaSet", &deployment));
        store.apply(upserts(0, Builtin::Pod, pods.to_vec()));
        store.apply(upserts(0, Builtin::Deployment, vec![deployment]));
        store.apply(upserts(0, Builtin::Node, vec![row("", "n1", Detail::Node(Box::default()))]));
        store.apply(upserts(0, Builtin::Event, vec![row("x", "e", Detail::Event(Box::default()))]));
        let facts = ClusterFacts { id: Some("u-1".into()), rtt_ms: Some(9), watches: 3, ..ClusterFacts::default() };
        store.apply(Delta::Facts(C, Arc::new(facts)));
        store
    }

    fn rows(store: &Store, kind: KindId) -> Vec<Row> {
        let mut rows: Vec<Row> = store.rows(C, kind).map(|(_, r)| r.clone()).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows
    }

    #[test]
    fn what_is_written_comes_back_as_restored() {
        let filled = filled();
        let bytes = encode(&filled, C, Millis(7));
        let mut back = store(&["a"]);
        for delta in decode(&bytes, C).unwrap() {
            back.apply(delta);
        }
        for kind in [Builtin::Pod, Builtin::Deployment, Builtin::Node] {
            assert_eq!(rows(&back, kind.id()), rows(&filled, kind.id()), "{kind:?}");
        }
        assert_eq!(back.count(C, Builtin::Event.id()), 0, "events are not kept");
        let facts = &back.shard(C).unwrap().facts;
        assert_eq!((facts.id.as_deref(), facts.rtt_ms, facts.watches), (Some("u-1"), None, 0));
        let pods: Vec<_> = back.rows(C, POD).collect();
        assert!(back.is_stale(pods[0].0));
        assert!(Arc::ptr_eq(pods[0].1.owner.as_ref().unwrap(), pods[1].1.owner.as_ref().unwrap()), "shared again");
        assert_eq!(about(&bytes).unwrap().id.as_deref(), Some("u-1"));
        let head = decode_head(&bytes, C, &mut Interner::default()).unwrap();
        assert_eq!(head.len(), 3, "facts, nodes, deployments");
    }

    #[test]
    fn what_may_not_be_read_is_not_kept() {
        let mut filled = filled();
        let cause = Cause::new(CauseCode::Forbidden, "");
        filled.apply(Delta::Kind(C, POD, KindStatus::Forbidden(cause)));
        let deltas = decode(&encode(&filled, C, Millis(7)), C).unwrap();
        assert!(!deltas.iter().any(|d| matches!(d, Delta::Restored { kind, .. } if *kind == POD)));
    }

    #[test]
    fn another_format_or_a_cut_file_is_no_snapshot() {
        let bytes = encode(&filled(), C, Millis(7));
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut], C).is_none(), "cut at {cut} of {}", bytes.len());
        }
        let mut other = bytes;
        other[4] += 1;
        assert!(decode(&other, C).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn damage_never_breaks_the_reader(at in 0usize..4000, bit in 0u8..8) {
            let mut bytes = encode(&filled(), C, Millis(7));
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            // Damage is found by the checksums, or lies where nothing depends on it.
            if let Some(deltas) = decode(&bytes, C) {
                prop_assert!(deltas.len() <= 5);
            }
        }

        #[test]
        fn foreign_bytes_never_break_the_reader(mut bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            decode(&bytes, C);
            let mut named = [&MAGIC[..], &FORMAT.to_le_bytes(), &40u32.to_le_bytes(), &260u32.to_le_bytes()].concat();
            named.append(&mut bytes);
            decode(&named, C);
            // Plain bytes behind the frames must not break postcard's reader or the numbering either.
            let mut intern = Interner::default();
            let _ = postcard::from_bytes::<Part<'_>>(&named[HEADER..]).ok().and_then(|p| p.read(&mut intern));
        }
    }
}
