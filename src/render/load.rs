//! From what the fleet file declares to the inputs of the pipeline: renders every source, reads every policy. What is broken
//! costs only its own service or policy. What did not change keeps its identity, so that nothing is computed anew for it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Rendered, SourceSpec, Tools, files, render, revision};
use crate::{
    config::desired::{Desired as Declared, DesiredService, PolicyPath, ServiceSource, policy_files},
    desired::{
        cluster::Cluster,
        engine::{Base, Inputs, Service, Source},
        layer::Layers,
        lint,
        object::{Object, ObjectKey},
        origin::{At, Origin, Source as FileOf, SourceKind},
        policy::{Policies, PolicyId},
        source::documents,
    },
    fault::{Fault, Problem},
    messages::{Lang, cli, source as text},
};

/// Something that could not be used, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Service; empty for policies.
    pub service: String,
    /// Its namespace.
    pub namespace: String,
    /// What is wrong.
    pub fault: Fault,
    /// What was read before stays in use for it.
    pub kept: bool,
}

impl Trouble {
    /// For the screen.
    pub fn problem(&self, lang: Lang) -> Problem {
        let problem = self.fault.problem(lang);
        if self.kept {
            Problem { text: cli::KEPT_OLD.fill(lang, &[("text", &problem.text)]), ..problem }
        } else {
            problem
        }
    }
}

/// What was loaded.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The services, in the order of the file.
    pub services: Vec<Arc<Service>>,
    /// The policies.
    pub policies: Arc<Policies>,
    /// The documents that the policies were read from.
    pub documents: Vec<Arc<Object>>,
    /// What could not be used.
    pub troubles: Vec<Trouble>,
    /// Files and folders that it was made from, for watching.
    pub inputs: Vec<PathBuf>,
}

/// Loads everything. `hub` are policies that a hub cluster's API gave; `former` lends what did not change.
pub fn load(
    declared: &Declared,
    clusters: &[Cluster],
    hub: &[Arc<Object>],
    tools: &Tools,
    former: Option<&Loaded>,
) -> Loaded {
    let mut loaded = Loaded::default();
    for service in &declared.services {
        let before = former.and_then(|f| f.services.iter().find(|s| is(s, service)));
        let made = load_service(service, clusters, tools, before, &mut loaded);
        loaded.services.push(made);
    }
    load_policies(&declared.policies, hub, tools, &mut loaded);
    if let Some(former) = former {
        keep_policies(&mut loaded, &former.policies);
        keep_broken_policies(&mut loaded, former);
    }
    loaded.inputs.sort();
    loaded.inputs.dedup();
    loaded
}

fn is(service: &Service, declared: &DesiredService) -> bool {
    *service.name == *declared.name && *service.namespace == *declared.namespace
}

fn load_service(
    declared: &DesiredService,
    clusters: &[Cluster],
    tools: &Tools,
    before: Option<&Arc<Service>>,
    loaded: &mut Loaded,
) -> Arc<Service> {
    let mut sources = Vec::with_capacity(declared.sources.len());
    for (number, source) in declared.sources.iter().enumerate() {
        let old = before.and_then(|b| b.sources.get(number));
        let names = old.map(|o| known(o)).unwrap_or_default();
        let mut loading = Loading { declared, tools, loaded, old: names, former: old.map(|o| &**o) };
        let made = loading.source(source, clusters);
        sources.push(match old {
            Some(old) if same_source(old, &made) => old.clone(),
            _ => Arc::new(made),
        });
    }
    match before {
        Some(before) if same_sources(&before.sources, &sources) => before.clone(),
        _ => Arc::new(Service {
            name: declared.name.as_str().into(),
            namespace: declared.namespace.as_str().into(),
            sources,
        }),
    }
}

fn same_sources(a: &[Arc<Source>], b: &[Arc<Source>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// The objects of a former rendering by name.
fn known(source: &Source) -> BTreeMap<&ObjectKey, Vec<&Arc<Object>>> {
    let mut known: BTreeMap<&ObjectKey, Vec<&Arc<Object>>> = BTreeMap::new();
    for object in source.bases.iter().flat_map(|b| b.objects.iter()) {
        known.entry(&object.key).or_default().push(object);
    }
    known
}

/// The same objects, by identity, for the same clusters.
fn same_source(a: &Source, b: &Source) -> bool {
    let same_base = |a: &Base, b: &Base| {
        a.only == b.only
            && a.objects.len() == b.objects.len()
            && a.objects.iter().zip(b.objects.iter()).all(|(a, b)| Arc::ptr_eq(a, b))
    };
    a.title == b.title
        && a.clusters == b.clusters
        && a.bases.len() == b.bases.len()
        && a.bases.iter().zip(&b.bases).all(|(a, b)| same_base(a, b))
}

/// One source being loaded.
struct Loading<'a> {
    declared: &'a DesiredService,
    tools: &'a Tools,
    loaded: &'a mut Loaded,
    old: BTreeMap<&'a ObjectKey, Vec<&'a Arc<Object>>>,
    /// The source as it was before.
    former: Option<&'a Source>,
}

impl Loading<'_> {
    fn source(&mut self, source: &ServiceSource, clusters: &[Cluster]) -> Source {
        let mut made =
            Source { title: title(source, self.tools), clusters: source.clusters.clone(), bases: Vec::new() };
        for (only, spec) in variants(source, clusters) {
            let before = self.before(&only);
            if let Some(objects) = self.render(source, &spec, before) {
                made.bases.push(Base { only, objects: Arc::new(objects) });
            }
        }
        made
    }

    /// The objects that these clusters had before.
    fn before(&self, only: &Option<Vec<Arc<str>>>) -> Option<Arc<Vec<Arc<Object>>>> {
        self.former?.bases.iter().find(|b| b.only == *only).map(|b| b.objects.clone())
    }

    /// Renders; what cannot be read now is as it was before.
    fn render(
        &mut self,
        source: &ServiceSource,
        spec: &SourceSpec,
        before: Option<Arc<Vec<Arc<Object>>>>,
    ) -> Option<Vec<Arc<Object>>> {
        let rendered = if source.revision.is_empty() {
            render(spec, self.tools)
        } else {
            revision::render_at(spec, &source.revision, self.tools)
        };
        match rendered {
            Ok(Rendered { objects, faults, inputs, .. }) => {
                self.loaded.inputs.extend(inputs);
                let mut objects: Vec<Arc<Object>> = objects.into_iter().map(|o| self.keep(o)).collect();
                let mut kept: Vec<PathBuf> = Vec::new();
                for fault in faults {
                    let lost = lost(before.as_deref(), &fault, &objects);
                    if !lost.is_empty() {
                        kept.push(fault.file.clone());
                    }
                    let is_kept = kept.contains(&fault.file);
                    self.tell(fault, is_kept);
                    objects.extend(lost);
                }
                Some(objects)
            }
            Err(fault) => {
                self.tell(fault, before.is_some());
                self.loaded.inputs.push(source.path().to_path_buf());
                before.map(|objects| (*objects).clone())
            }
        }
    }

    fn tell(&mut self, fault: Fault, kept: bool) {
        let (service, namespace) = (self.declared.name.clone(), self.declared.namespace.clone());
        self.loaded.troubles.push(Trouble { service, namespace, fault, kept });
    }

    /// The former object where this one says the same at the same places.
    fn keep(&self, object: Arc<Object>) -> Arc<Object> {
        let former = self.old.get(&object.key).and_then(|all| all.iter().find(|o| o.node.identical(&object.node)));
        former.map_or(object, |o| (*o).clone())
    }
}

/// The objects that a file gave before it broke, as far as they are not there by now.
fn lost(before: Option<&Vec<Arc<Object>>>, fault: &Fault, now: &[Arc<Object>]) -> Vec<Arc<Object>> {
    let is_of_it = |o: &&Arc<Object>| file_of(&o.node.origin).is_some_and(|file| Path::new(&file) == fault.file);
    let old = before.into_iter().flat_map(|objects| objects.iter()).filter(is_of_it);
    old.filter(|o| now.iter().all(|n| n.key != o.key)).cloned().collect()
}

fn file_of(origin: &Origin) -> Option<String> {
    origin.at().map(|at| at.source.file.clone())
}

/// How a source is called: `kustomize overlays/prod`, with ` @ v1.2` where it is of a revision.
fn title(source: &ServiceSource, tools: &Tools) -> String {
    let kind = match &source.spec {
        SourceSpec::Plain { .. } => "plain",
        SourceSpec::Kustomize { .. } => "kustomize",
        SourceSpec::Helm { .. } => "helm",
    };
    let name = files::name(source.path(), &tools.root);
    if source.revision.is_empty() { format!("{kind} {name}") } else { format!("{kind} {name} @ {}", source.revision) }
}

/// What is rendered for one cluster from a service's source (by number); `None` where the source is of a revision, which is
/// rendered elsewhere, or is not there.
pub fn spec_of(
    declared: &Declared,
    service: &Service,
    source: &Arc<Source>,
    clusters: &[Cluster],
    cluster: &str,
) -> Option<SourceSpec> {
    let number = service.sources.iter().position(|s| Arc::ptr_eq(s, source))?;
    let source = declared.services.iter().find(|d| is(service, d))?.sources.get(number)?;
    if !source.revision.is_empty() {
        return None;
    }
    let named = |only: &Option<Vec<Arc<str>>>| only.as_ref().is_none_or(|names| names.iter().any(|n| **n == *cluster));
    variants(source, clusters).into_iter().find(|(only, _)| named(only)).map(|(_, spec)| spec)
}

/// What is rendered for which clusters. Values per cluster make one variant each; clusters without a file of their own
/// share one.
fn variants(source: &ServiceSource, clusters: &[Cluster]) -> Vec<(Option<Vec<Arc<str>>>, SourceSpec)> {
    let SourceSpec::Helm { chart, release, namespace, values, set } = &source.spec else {
        return vec![(None, source.spec.clone())];
    };
    if source.per_cluster.is_none() {
        return vec![(None, source.spec.clone())];
    }
    let fits = |c: &&Cluster| source.clusters.as_ref().is_none_or(|a| a.matches(c));
    let mut own = Vec::new();
    let mut rest = Vec::new();
    for cluster in clusters.iter().filter(fits) {
        let Some(file) = source.values_of(&cluster.name).filter(|f| source.revision.is_empty() && f.is_file()) else {
            rest.push(cluster.name.clone());
            continue;
        };
        let values = values.iter().cloned().chain([file]).collect();
        let spec = SourceSpec::Helm {
            chart: chart.clone(),
            release: release.clone(),
            namespace: namespace.clone(),
            values,
            set: set.clone(),
        };
        own.push((Some(vec![cluster.name.clone()]), spec));
    }
    if !rest.is_empty() || own.is_empty() {
        own.push((Some(rest), source.spec.clone()));
    }
    own
}

fn load_policies(paths: &[PolicyPath], hub: &[Arc<Object>], tools: &Tools, loaded: &mut Loaded) {
    let mut policies = Policies::default();
    for path in paths {
        loaded.inputs.push(path.path.clone());
        let files = policy_files(path);
        if files.is_empty() && !path.path.is_dir() {
            loaded.troubles.push(of_policies(nothing_there(path, tools)));
        }
        for file in files {
            let name = files::name(&file, &tools.root);
            let source = files::source(SourceKind::Policy, &file, tools);
            let contents = files::text(&file, tools)
                .and_then(|content| documents::objects(&content, &source).map_err(|e| e.fault(Path::new(&name))));
            loaded.inputs.push(file);
            match contents {
                Ok(contents) => {
                    let defects = contents.defects.iter().map(|d| d.fault(Path::new(&name)));
                    loaded.troubles.extend(defects.map(of_policies));
                    contents.objects.into_iter().for_each(|o| take(Arc::new(o), &mut policies, loaded));
                }
                Err(fault) => loaded.troubles.push(of_policies(fault)),
            }
        }
    }
    hub.iter().for_each(|o| take(o.clone(), &mut policies, loaded));
    loaded.policies = Arc::new(policies);
}

/// A path of policies that leads to nothing: a slip of the pen that would silently place nothing.
fn nothing_there(path: &PolicyPath, tools: &Tools) -> Fault {
    let named = files::name(&path.path, &tools.root);
    Fault::new(Path::new(&path.place.file), path.place.line, "desired.policies", text::NO_POLICIES).with("path", named)
}

fn of_policies(fault: Fault) -> Trouble {
    Trouble { service: String::new(), namespace: String::new(), fault, kept: false }
}

/// Takes a document among the policies; one that is none is told.
fn take(object: Arc<Object>, policies: &mut Policies, loaded: &mut Loaded) {
    match policies.read(&object) {
        Some(Ok(())) => loaded.documents.push(object),
        Some(Err(faults)) => loaded.troubles.extend(faults.into_iter().map(of_policies)),
        None => {
            let at = object.node.origin.at();
            let (file, line) = at.map(|at| (at.source.file.clone(), at.line)).unwrap_or_default();
            let fault = Fault::new(Path::new(&file), line, "", text::NO_POLICY).with("object", object.key.to_string());
            loaded.troubles.push(of_policies(fault));
        }
    }
}

/// Policies that say the same at the same places keep their identity.
fn keep_policies(loaded: &mut Loaded, former: &Arc<Policies>) {
    let mut policies = (*loaded.policies).clone();
    for policy in &mut policies.placements {
        if let Some(old) = former.placements.iter().find(|p| p.id == policy.id && p == &&*policy) {
            *policy = old.clone();
        }
    }
    for policy in &mut policies.overrides {
        if let Some(old) = former.overrides.iter().find(|p| p.id == policy.id && p == &&*policy) {
            *policy = old.clone();
        }
    }
    loaded.policies = Arc::new(policies);
}

/// Policies of a file that broke are as they were before: half an edit must not move what is desired.
fn keep_broken_policies(loaded: &mut Loaded, former: &Loaded) {
    let broken: Vec<PathBuf> =
        loaded.troubles.iter().filter(|t| t.service.is_empty()).map(|t| t.fault.file.clone()).collect();
    let is_broken = |at: &At| broken.iter().any(|file| Path::new(&at.source.file) == file);
    let mut policies = (*loaded.policies).clone();
    let known: Vec<PolicyId> = policies.placements.iter().map(|p| p.id.clone()).collect();
    let placements = former.policies.placements.iter().filter(|p| is_broken(&p.at) && !known.contains(&p.id));
    let known: Vec<PolicyId> = policies.overrides.iter().map(|p| p.id.clone()).collect();
    let overrides = former.policies.overrides.iter().filter(|p| is_broken(&p.at) && !known.contains(&p.id));
    let (placements, overrides): (Vec<_>, Vec<_>) = (placements.cloned().collect(), overrides.cloned().collect());
    let kept = placements.iter().map(|p| &p.at).chain(overrides.iter().map(|p| &p.at));
    let kept: Vec<PathBuf> = kept.map(|at| PathBuf::from(&at.source.file)).collect();
    for trouble in loaded.troubles.iter_mut().filter(|t| t.service.is_empty()) {
        trouble.kept = kept.contains(&trouble.fault.file);
    }
    let is_new = |o: &&Arc<Object>| loaded.documents.iter().all(|d| d.key != o.key);
    let documents = former.documents.iter().filter(|o| o.node.origin.at().is_some_and(|at| is_broken(&at)));
    let documents: Vec<Arc<Object>> = documents.filter(is_new).cloned().collect();
    loaded.documents.extend(documents);
    policies.placements.extend(placements);
    policies.overrides.extend(overrides);
    loaded.policies = Arc::new(policies);
}

/// What the policies and sources say that has no effect, or another one than it seems.
pub fn lint(declared: &Declared, inputs: &Inputs) -> Vec<lint::Finding> {
    let nothing = Layers::default();
    let subjects: Vec<lint::Subject<'_>> = inputs
        .services
        .iter()
        .map(|service| {
            let said = declared.services.iter().find(|d| is(service, d));
            let objects = service.sources.iter().flat_map(|s| &s.bases).flat_map(|b| b.objects.iter());
            lint::Subject {
                name: &service.name,
                namespace: &service.namespace,
                at: said.map(|d| At {
                    source: FileOf::new(SourceKind::Manifest, d.place.file.clone()),
                    line: d.place.line,
                }),
                objects: objects.map(|o| &**o).collect(),
                sourced: service.sources.iter().all(|s| s.clusters.is_some()),
                layers: said.map_or(&nothing, |d| &d.layers),
            }
        })
        .collect();
    lint::run(&lint::Scene { policies: &inputs.policies, clusters: &inputs.clusters, services: &subjects })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::Place,
        render::testing::{tools, write},
    };

    const WEB: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    const POLICY: &str = "apiVersion: quarterdeck.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\nresources: [{kind: ConfigMap}]\nplacement: {clusters: {}}\n";

    /// Names of what is declared and of the policies, and the troubles, each with a `*` where the former reading stays.
    fn told(loaded: &Loaded) -> (Vec<String>, Vec<String>, Vec<String>) {
        let objects =
            loaded.services.iter().flat_map(|s| &s.sources).flat_map(|s| &s.bases).flat_map(|b| b.objects.iter());
        let star =
            |t: &Trouble| format!("{}:{}{}", t.fault.file.display(), t.fault.line, if t.kept { "*" } else { "" });
        (
            objects.map(|o| o.key.name.to_string()).collect(),
            loaded.policies.placements.iter().map(|p| p.id.name.to_string()).collect(),
            loaded.troubles.iter().map(star).collect(),
        )
    }

    #[test]
    fn a_broken_edit_keeps_what_was_read_before_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "web/a.yaml", WEB);
        write(root, "web/b.yaml", &WEB.replace("web", "other"));
        write(root, "policies/p.yaml", POLICY);
        let place = || Place { file: "fleet.yaml".into(), line: 3 };
        let source = ServiceSource {
            spec: SourceSpec::Plain { path: root.join("web") },
            per_cluster: None,
            repository: None,
            revision: String::new(),
            clusters: None,
            place: place(),
        };
        let declared = Declared {
            services: vec![DesiredService {
                name: "web".into(),
                namespace: String::new(),
                sources: vec![source],
                layers: Layers::default(),
                place: place(),
            }],
            policies: vec![PolicyPath { path: root.join("policies"), place: place() }],
            hub: None,
        };
        let look = |former: Option<&Loaded>| load(&declared, &[], &[], &tools(root), former);
        let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<String>>();
        let first = look(None);
        assert_eq!(told(&first), (owned(&["web", "other"]), owned(&["p"]), owned(&[])));
        write(root, "web/a.yaml", "a: [\n");
        write(root, "policies/p.yaml", &POLICY.replace("placement", "plcement"));
        let second = look(Some(&first));
        let (objects, policies, troubles) = told(&second);
        assert_eq!((objects, policies), (owned(&["other", "web"]), owned(&["p"])));
        assert!(troubles.len() >= 2 && troubles.iter().all(|t| t.ends_with('*')), "{troubles:?}");
        // It is kept for as long as the file is broken, and goes when the file goes.
        let third = look(Some(&second));
        assert_eq!(told(&third).0, owned(&["other", "web"]));
        std::fs::remove_file(root.join("web/a.yaml")).unwrap();
        std::fs::remove_file(root.join("policies/p.yaml")).unwrap();
        assert_eq!(told(&look(Some(&third))), (owned(&["other"]), owned(&[]), owned(&[])));
        // Without a former reading nothing is kept.
        write(root, "web/a.yaml", "a: [\n");
        assert!(told(&look(None)).2.iter().all(|t| !t.ends_with('*')));
    }
}
