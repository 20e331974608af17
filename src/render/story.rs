//! The first place of a field's story, proved: where a source is rendered, reading tells a likely line, and the tool decides.

use std::sync::Arc;

use super::{Evidence, SourceSpec, Tools, load, trace};
use crate::{
    config::desired::Desired as Declared,
    desired::{
        cluster::Cluster,
        engine::{Outcome, Placed},
        explain::{Deed, Story},
        object::Object,
        path::{Path, Step},
        tree::Node,
    },
};

/// Proves the stories of one object in one cluster.
#[derive(Debug)]
pub struct Teller {
    spec: SourceSpec,
    base: Arc<Object>,
}

impl Teller {
    /// For an object in a cluster; `None` where its source is not rendered by a tool, or is one of a revision.
    pub fn new(
        declared: &Declared,
        clusters: &[Cluster],
        outcome: &Outcome,
        placed: &Placed,
        cluster: &str,
    ) -> Option<Self> {
        let spec = load::spec_of(declared, &outcome.service, &placed.source, clusters, cluster)?;
        if matches!(spec, SourceSpec::Plain { .. }) {
            return None;
        }
        let named = |only: &Option<Vec<Arc<str>>>| only.as_ref().is_none_or(|o| o.iter().any(|n| **n == *cluster));
        let base = placed.source.bases.iter().find(|b| named(&b.only))?;
        let base = base.objects.iter().find(|o| o.key == placed.key)?.clone();
        Some(Self { spec, base })
    }

    /// Puts the proved place into the story, and says how it is known. What the tool cannot prove keeps the place that was read.
    pub fn prove(&self, story: &mut Story, tools: &Tools) -> Option<Evidence> {
        story.written.as_ref()?;
        let path = self.first_path(story)?;
        let trace = trace(&self.spec, tools, &self.base.key, &path).ok()?;
        story.written = Some(trace.at);
        Some(trace.evidence)
    }

    /// Where the first value stands as it was rendered: rules that add to a list or take from it move what stands behind.
    fn first_path(&self, story: &Story) -> Option<Path> {
        let first = match story.changes.last().map(|c| &c.deed) {
            None => story.value.as_ref(),
            Some(Deed::Replaced(old) | Deed::Removed(old)) => Some(old),
            Some(Deed::Created) => None,
        }?;
        let is = |node: &Node| node == first && node.origin.at() == story.written;
        if self.base.node.at(&story.path).is_some_and(is) {
            return Some(story.path.clone());
        }
        let leaves = self.base.node.leaves().into_iter();
        leaves.filter(|(path, node)| is(node) && alike(path, &story.path)).map(|(path, _)| path).next()
    }
}

/// The same way but for places in lists.
fn alike(a: &Path, b: &Path) -> bool {
    let same = |(a, b): (&Step, &Step)| match (a, b) {
        (Step::Index(_), Step::Index(_)) => true,
        (a, b) => a == b,
    };
    a.0.len() == b.0.len() && a.0.iter().zip(&b.0).all(same)
}
