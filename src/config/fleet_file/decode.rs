//! From the document to [`FleetFile`]; what the shape cannot say is checked here.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::{Environment, FleetFile, Selector, desired, keys};
use crate::{
    config::{
        choices, words,
        yaml::{Key, Node, Value},
    },
    fault::Fault,
    fleet::{
        list, selector as label_selector,
        service::{ServiceRule, ServiceRules},
    },
    messages::cli as text,
    model::{Builtin, ClusterRecord, Contact, KindId, KindInfo, Place, Taint},
    shape,
};

/// Reads what is there; parts of the wrong shape are left out, they have been told already.
pub(super) fn decode(path: &Path, root: &Node, faults: &mut Vec<Fault>) -> FleetFile {
    let nothing = Node::default();
    let defaults = root.get("defaults").unwrap_or(&nothing);
    let items = |name: &str| root.get(name).map(Node::items).unwrap_or_default();
    let entries = |name: &str| root.get(name).map(Node::entries).unwrap_or_default();
    let file = FleetFile {
        path: path.to_path_buf(),
        name: root.text_of("name"),
        only: root.flag_of("only").unwrap_or(false),
        defaults: record(defaults, &nothing),
        clusters: items("clusters").iter().map(|c| cluster(path, c, defaults)).collect(),
        groups: entries("groups").iter().map(|(k, node)| (k.name.clone(), selector(node))).collect(),
        environments: entries("environments").iter().map(|(k, node)| (k.name.clone(), environment(node))).collect(),
        services: ServiceRules {
            rules: items("services").iter().map(service).collect(),
            system_namespaces: root.texts_of("systemNamespaces"),
        },
        extra_kinds: root
            .get("watch")
            .and_then(|w| w.get("extra"))
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(kind)
            .collect(),
        skip_kinds: root.get("watch").map(|w| w.texts_of("skip")).unwrap_or_default(),
        columns: entries("columns").iter().map(|(k, node)| (k.name.clone(), node.texts())).collect(),
        desired: root.get("desired").map(|node| desired::decode(path, node, faults)).unwrap_or_default(),
        settings: settings(root),
    };
    check_clusters(path, items("clusters"), faults);
    check_dates_and_urls(path, "defaults", defaults, faults);
    check_skipped(path, root, faults);
    check_selectors(path, items("services"), faults);
    check_columns(path, entries("columns"), &file.extra_kinds, faults);
    file
}

fn cluster(path: &Path, node: &Node, defaults: &Node) -> ClusterRecord {
    let name = node.text_of("name");
    let context = node.text_of("context");
    ClusterRecord {
        context: if context.is_empty() { name.clone() } else { context },
        alias: node.text_of("alias"),
        name: Arc::from(name),
        declared_at: Some(Place { file: path.display().to_string(), line: node.line }),
        ..record(node, defaults)
    }
}

/// The fields that a cluster and the defaults share.
fn record(node: &Node, defaults: &Node) -> ClusterRecord {
    let from = |name: &str| if node.get(name).is_some() { node } else { defaults };
    let text = |name: &str| from(name).text_of(name);
    let items = |name: &str| from(name).get(name).map(Node::items).unwrap_or_default();
    let zones = |node: &Node| [node.texts_of("zone"), node.texts_of("zones")].concat();
    let own_zones = zones(node);
    let labels: BTreeMap<String, String> = [defaults, node]
        .into_iter()
        .flat_map(|n| n.get("labels").map(Node::entries).unwrap_or_default())
        .map(|(key, value)| (key.name.clone(), value.text().unwrap_or_default().to_owned()))
        .collect();
    ClusterRecord {
        environment: text("environment"),
        region: text("region"),
        zones: if own_zones.is_empty() { zones(defaults) } else { own_zones },
        provider: text("provider"),
        team: text("team"),
        tier: text("tier"),
        systems: from("systems").texts_of("systems"),
        monitoring: text("monitoring"),
        contacts: items("contacts")
            .iter()
            .map(|c| Contact { name: c.text_of("name"), reach: c.text_of("reach") })
            .collect(),
        onboarded: text("onboarded"),
        labels,
        taints: items("taints")
            .iter()
            .map(|t| Taint { key: t.text_of("key"), value: t.text_of("value"), effect: t.text_of("effect") })
            .collect(),
        groups: from("groups").texts_of("groups"),
        namespace: text("namespace"),
        read_only: from("readOnly").flag_of("readOnly").unwrap_or(false),
        ..ClusterRecord::default()
    }
}

fn selector(node: &Node) -> Selector {
    let fields = node.entries().iter().filter(|(key, _)| key.name != "labels");
    let labels = node.get("labels").map(Node::entries).unwrap_or_default();
    let globs = |(key, value): &(crate::config::yaml::Key, Node)| (key.name.clone(), value.texts());
    Selector { fields: fields.map(globs).collect(), labels: labels.iter().map(globs).collect() }
}

fn environment(node: &Node) -> Environment {
    Environment {
        danger: node.text_of("danger"),
        patterns: node.texts_of("match"),
        read_only: node.flag_of("readOnly").unwrap_or(false),
    }
}

fn service(node: &Node) -> ServiceRule {
    ServiceRule {
        name: node.text_of("name"),
        namespaces: node.texts_of("namespaces"),
        workloads: node.texts_of("workloads"),
        selector: node.text_of("selector"),
    }
}

fn kind(node: &Node) -> KindInfo {
    let (kind, plural) = (node.text_of("kind"), node.text_of("plural"));
    let mut names = vec![plural.clone(), kind.to_lowercase()];
    names.extend(node.texts_of("shortNames").iter().map(|n| n.to_lowercase()));
    KindInfo {
        group: node.text_of("group"),
        versions: node.texts_of("versions"),
        kind,
        plural,
        names,
        namespaced: node.flag_of("namespaced").unwrap_or(true),
        // A fleet rarely has an extra kind everywhere: where it is not served it is not missed.
        optional: true,
    }
}

fn settings(root: &Node) -> BTreeMap<String, (String, u32)> {
    let entries = root.get("settings").map(Node::entries).unwrap_or_default();
    entries
        .iter()
        .filter_map(|(key, node)| {
            let value = match &node.value {
                // `off` is a truth value to YAML, and a word where words are expected.
                Value::Bool(b, _) if keys::is_flag(&key.name) => b.to_string(),
                _ => node.text()?.to_owned(),
            };
            Some((key.name.clone(), (value, node.line)))
        })
        .collect()
}

/// Names and aliases must tell clusters apart.
fn check_clusters(path: &Path, clusters: &[Node], faults: &mut Vec<Fault>) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (i, node) in clusters.iter().enumerate() {
        let at = format!("clusters[{i}]");
        for field in ["name", "alias"] {
            let Some(value) = node.get(field) else { continue };
            let Some(name) = value.text() else { continue };
            match seen.get(name) {
                Some(first) => faults.push(
                    Fault::new(path, value.line, format!("{at}.{field}"), text::CLUSTER_TWICE)
                        .with("name", name)
                        .with("line", first.to_string()),
                ),
                None => {
                    seen.insert(name.to_owned(), value.line);
                }
            }
        }
        check_dates_and_urls(path, &at, node, faults);
    }
}

fn check_dates_and_urls(path: &Path, at: &str, node: &Node, faults: &mut Vec<Fault>) {
    if let Some(day) =
        node.get("onboarded").filter(|n| n.text().is_some_and(|t| t.parse::<jiff::civil::Date>().is_err()))
    {
        let value = day.text().unwrap_or_default();
        faults.push(Fault::new(path, day.line, format!("{at}.onboarded"), text::NOT_A_DAY).with("value", value));
    }
    if let Some(url) = node
        .get("monitoring")
        .filter(|n| n.text().is_some_and(|t| !t.starts_with("https://") && !t.starts_with("http://")))
    {
        let value = url.text().unwrap_or_default();
        faults.push(Fault::new(path, url.line, format!("{at}.monitoring"), text::NOT_A_URL).with("value", value));
    }
}

/// Kinds to skip must be built-in ones.
fn check_skipped(path: &Path, root: &Node, faults: &mut Vec<Fault>) {
    let Some(skip) = root.get("watch").and_then(|w| w.get("skip")) else { return };
    let infos: Vec<KindInfo> = Builtin::ALL.iter().map(|k| k.info()).collect();
    let known: Vec<String> = infos.iter().flat_map(|i| [i.plural.clone(), i.resource()]).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let single = std::slice::from_ref(skip);
    let items = if skip.items().is_empty() { single } else { skip.items() };
    for (i, item) in items.iter().enumerate() {
        if let Some(word) = item.text().filter(|w| !known.contains(w)) {
            let mut fault = shape::not_one_of(path, item, &format!("watch.skip[{i}]"), word, &known);
            if words::nearest(word, known.iter().copied()).is_none() {
                fault.msg = text::NO_SUCH_KIND;
            }
            faults.push(fault);
        }
    }
}

/// Stands for any kind that is not built in.
const EXTRA: KindId = KindId(u16::MAX);

/// Columns are those of a screen that there is; a column that is misspelt would be missing without a word.
fn check_columns(path: &Path, screens: &[(Key, Node)], extra: &[KindInfo], faults: &mut Vec<Fault>) {
    let mut known: Vec<(String, Vec<&'static str>)> = vec![("fleet".into(), choices::FLEET_COLUMNS.to_vec())];
    let builtin = Builtin::ALL.iter().map(|kind| (kind.info(), list::columns(kind.id())));
    let of_extra = extra.iter().map(|info| (info.clone(), list::columns(EXTRA)));
    for (info, own) in builtin.chain(of_extra) {
        let keys: Vec<&str> = own.iter().map(|c| c.key).chain(choices::OBJECT_COLUMNS.iter().copied()).collect();
        // Two groups may share a plural: then it stands for both.
        for name in [info.plural.clone(), info.resource()] {
            match known.iter_mut().find(|(screen, _)| *screen == name) {
                Some((_, all)) => all.extend(&keys),
                None => known.push((name, keys.clone())),
            }
        }
    }
    for (key, node) in screens {
        let field = format!("columns.{}", key.name);
        let Some((_, own)) = known.iter().find(|(screen, _)| *screen == key.name) else {
            let fault = Fault::new(path, key.line, field, text::NO_SUCH_SCREEN).with("name", &key.name);
            faults.push(match words::nearest(&key.name, known.iter().map(|(screen, _)| screen.as_str())) {
                Some(near) => Fault { msg: text::NO_SUCH_SCREEN_NEAR, ..fault }.with("near", near),
                None => fault,
            });
            continue;
        };
        let single = std::slice::from_ref(node);
        let items = if node.items().is_empty() { single } else { node.items() };
        for (i, item) in items.iter().enumerate() {
            if let Some(word) = item.text().filter(|w| !own.contains(w)) {
                faults.push(shape::not_one_of(path, item, &format!("{field}[{i}]"), word, own));
            }
        }
    }
}

/// A selector that is none would match nothing, or everything: better said now.
fn check_selectors(path: &Path, services: &[Node], faults: &mut Vec<Fault>) {
    for (i, rule) in services.iter().enumerate() {
        let Some(node) = rule.get("selector") else { continue };
        if let Some(value) = node.text().filter(|t| label_selector::Selector::parse(t).is_none()) {
            let field = format!("services[{i}].selector");
            faults.push(Fault::new(path, node.line, field, text::NOT_A_SELECTOR).with("value", value));
        }
    }
}
