//! Each lint: a case that fires and one, as near as possible, that does not.

use super::*;
use crate::{
    desired::{
        origin::{Source, SourceKind},
        source::yaml,
    },
    model::Taint,
};

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 4
  template: {spec: {containers: [{name: web, image: 'hub.example/web:1'}]}}
";

/// Three clusters: eu-1 and eu-2 in eu, cn-1 in cn with a taint.
fn fleet() -> Vec<Cluster> {
    let cluster = |name: &str, region: &str| Cluster { name: name.into(), region: region.into(), ..Cluster::default() };
    let taint = Taint { key: "closed".into(), value: String::new(), effect: "NoSchedule".into() };
    vec![cluster("eu-1", "eu"), cluster("eu-2", "eu"), Cluster { taints: vec![taint], ..cluster("cn-1", "cn") }]
}

fn read(text: &str, file: &str, kind: SourceKind) -> Vec<Object> {
    let nodes = yaml::read(text, &Source::new(kind, file)).unwrap();
    nodes.into_iter().map(|n| Object::new(n).unwrap()).collect()
}

/// What is found for policies and one service `shop/web` (and one `other` with the second text, if there is one).
fn findings(policies: &str, objects: &[&str], clusters: &[Cluster], sourced: bool) -> Vec<Finding> {
    let mut read_policies = Policies::default();
    for object in read(policies, "policies.yaml", SourceKind::Policy) {
        read_policies.read(&object).expect("a policy").map_err(|f| format!("{f:?}")).unwrap();
    }
    let objects: Vec<Vec<Object>> =
        objects.iter().map(|text| read(text, "manifests.yaml", SourceKind::Manifest)).collect();
    let layers = Layers::default();
    let names = ["web", "other"];
    let services: Vec<Subject<'_>> = objects
        .iter()
        .zip(names)
        .map(|(objects, name)| Subject {
            name,
            namespace: "shop",
            at: None,
            objects: objects.iter().collect(),
            sourced,
            layers: &layers,
        })
        .collect();
    run(&Scene { policies: &read_policies, clusters, services: &services })
}

fn codes(policies: &str) -> Vec<&'static str> {
    let found = findings(policies, &[WEB], &fleet(), false);
    for finding in &found {
        for lang in [Lang::En, Lang::Zh] {
            let text = finding.text(lang);
            assert!(!text.contains(['{', '}']), "a place is not filled in: {text}");
        }
    }
    found.iter().map(|f| f.code.word()).collect()
}

/// A native policy about the Deployment, with this placement.
fn native(placement: &str) -> String {
    format!(
        "apiVersion: quarterdeck.dev/v1alpha1\nkind: Policy\nmetadata: {{name: p}}\nresources: [{{kind: Deployment, name: web}}]\n\
         placement: {placement}\n"
    )
}

/// A Karmada policy about the Deployment, with this specification beside the selector.
fn karmada(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  \
         resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment, name: web}}]\n  {spec}\n"
    )
}

fn cluster_wide(name: &str, spec: &str) -> String {
    karmada(name, spec).replace("PropagationPolicy", "ClusterPropagationPolicy").replace(", namespace: shop}", "}")
}

/// Native overrides about the Deployment, beside a placement to eu.
fn overriding(rules: &str) -> String {
    format!("{}overrides:\n{rules}\n", native("{clusters: {region: [eu]}}"))
}

fn both(one: &str, two: &str) -> String {
    format!("{one}---\n{two}")
}

const EU: &str = "placement: {clusterAffinity: {clusterNames: [eu-1, eu-2]}}";

#[test]
fn every_lint_fires_where_it_should_and_nowhere_else() {
    let native_eu = native("{clusters: {region: [eu]}}");
    let two_tolerations = |second: &str| native(&format!("{{clusters: {{names: [cn-*]}}, tolerations: [{second}]}}"));
    let spread = |strategy: &str, spread: &str| {
        karmada(
            "a",
            &format!(
                "placement: {{clusterAffinity: {{clusterNames: [eu-1, eu-2]}}, replicaScheduling: {strategy}, spreadConstraints: [{spread}]}}"
            ),
        )
    };
    let weighted = |weights: &str| {
        native(&format!("{{clusters: {{region: [eu]}}, replicas: {{mode: weighted, weights: [{weights}]}}}}"))
    };
    let limited = |limits: &str| {
        native(&format!("{{clusters: {{region: [eu]}}, replicas: {{mode: capacity, limits: [{limits}]}}}}"))
    };
    let divided = "{replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}";
    let fixed = "{replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}";
    for (code, fires, quiet) in [
        ("selector-matches-nothing", native_eu.replace("name: web}", "name: wbe}"), native_eu.clone()),
        (
            "selector-matches-nothing",
            native_eu.replace("kind: Deployment,", "apiVersion: apps/v1beta1, kind: Deployment,"),
            native_eu.replace("kind: Deployment,", "apiVersion: apps/v1, kind: Deployment,"),
        ),
        ("clusters-match-nothing", native("{clusters: {region: [us]}}"), native_eu.clone()),
        (
            "clusters-match-nothing",
            native("{fallback: [{name: a, clusters: {}}, {name: b, clusters: {tier: ['1']}}]}"),
            native("{fallback: [{name: a, clusters: {}}, {name: b, clusters: {region: [eu]}}]}"),
        ),
        ("unknown-cluster", native("{clusters: {names: [eu-1, eu-3]}}"), native("{clusters: {names: [eu-1, 'eu-?']}}")),
        (
            "unknown-cluster",
            karmada("a", "placement: {clusterAffinity: {exclude: [eu-*]}}"),
            karmada("a", "placement: {clusterAffinity: {exclude: [eu-1]}}"),
        ),
        (
            "unknown-cluster",
            overriding("- {clusters: {names: [eu-3, eu-1]}, images: [{tag: v2}]}"),
            overriding("- {clusters: {names: [eu-1]}, images: [{tag: v2}]}"),
        ),
        ("taints-refuse-all", two_tolerations("{key: other}"), two_tolerations("{key: closed}")),
        (
            "toleration-without-effect",
            two_tolerations("{key: closed}, {key: x, effect: PreferNoSchedule}"),
            two_tolerations("{key: closed}, {key: x, effect: NoExecute}"),
        ),
        (
            "toleration-without-effect",
            karmada("a", "placement: {clusterTolerations: [{key: closed, operator: Exists, tolerationSeconds: 30}]}"),
            karmada("a", "placement: {clusterTolerations: [{key: closed, operator: Exists}]}"),
        ),
        (
            "spread-ignored",
            spread(fixed, "{spreadByField: cluster, maxGroups: 1}"),
            spread(divided, "{spreadByField: cluster, maxGroups: 1}"),
        ),
        (
            "spread-ignored",
            spread(divided, "{spreadByField: zone, maxGroups: 1}, {spreadByField: cluster, maxGroups: 1}"),
            spread(divided, "{spreadByField: region, maxGroups: 1}, {spreadByField: cluster, maxGroups: 1}"),
        ),
        (
            "spread-selects-nothing",
            spread(divided, "{spreadByField: cluster, minGroups: 2}"),
            spread(divided, "{spreadByField: cluster, minGroups: 2, maxGroups: 2}"),
        ),
        (
            "spread-out-of-reach",
            native("{clusters: {region: [eu]}, spread: [{by: region, min: 2}]}"),
            native("{clusters: {}, spread: [{by: region, min: 2}]}"),
        ),
        (
            "weight-without-effect",
            weighted("{clusters: {names: [eu-1]}, weight: 2}, {clusters: {names: [cn-1]}, weight: 1}"),
            weighted("{clusters: {names: [eu-1]}, weight: 2}, {clusters: {}, weight: 1}"),
        ),
        (
            "weight-without-effect",
            weighted("{clusters: {names: [cn-1]}, weight: 1}"),
            weighted("{clusters: {region: [eu]}, weight: 1}"),
        ),
        (
            "cluster-without-weight",
            weighted("{clusters: {names: [eu-1]}, weight: 2}"),
            weighted("{clusters: {names: [eu-*]}, weight: 2}"),
        ),
        (
            "limit-without-effect",
            limited("{clusters: {names: [cn-1]}, max: 2}"),
            limited("{clusters: {names: [eu-1]}, max: 2}"),
        ),
        (
            "limit-without-effect",
            limited("{max: 3}, {clusters: {names: [eu-1]}, max: 2}"),
            limited("{clusters: {names: [eu-1]}, max: 2}, {max: 3}"),
        ),
        (
            "priority-ignored",
            both(&karmada("a", EU), &cluster_wide("b", &format!("priority: 9\n  {EU}"))),
            both(&karmada("a", EU), &cluster_wide("b", EU)),
        ),
        ("preemption-off", karmada("a", &format!("preemption: Always\n  {EU}")), karmada("a", EU)),
        (
            "policy-shadowed",
            both(&karmada("a", EU), &karmada("b", EU)),
            both(&karmada("a", EU), &karmada("b", EU).replace("Deployment, name: web", "Service, name: web")),
        ),
        ("policy-shadowed", both(&karmada("a", EU), &cluster_wide("b", EU)), karmada("a", EU)),
        (
            "systems-overlap",
            both(&native_eu, &karmada("a", EU)),
            both(&native_eu.replace("name: web}", "name: x}"), &karmada("a", EU)),
        ),
        ("policy-twice", both(&native_eu, &native_eu), both(&native_eu, &native_eu.replace("{name: p}", "{name: q}"))),
        ("dependent-override-missing", karmada("a", &format!("dependentOverrides: [o]\n  {EU}")), karmada("a", EU)),
        (
            "override-never-effective",
            overriding("- {clusters: {names: [cn-1]}, images: [{tag: v2}]}"),
            overriding("- {clusters: {names: [eu-1]}, images: [{tag: v2}]}"),
        ),
        (
            "override-overwritten",
            overriding("- images: [{tag: v2}]\n- images: [{tag: v3}]"),
            overriding("- images: [{tag: v2}]\n- images: [{registry: mirror.example}]"),
        ),
        (
            "override-overwritten",
            overriding("- labels: {set: {a: b}}\n- patch: [{op: replace, path: /metadata/labels, value: {c: d}}]"),
            overriding("- labels: {set: {a: b}}\n- patch: [{op: add, path: /metadata/labels/c, value: d}]"),
        ),
        (
            "override-overwritten",
            overriding("- images: [{tag: v2}]\n- images: [{tag: v3}]\n  clusters: {}"),
            overriding("- images: [{tag: v2}]\n- images: [{tag: v3}]\n  clusters: {names: [eu-1]}"),
        ),
        (
            "override-step",
            overriding("- args: [{container: absent, add: [a]}]"),
            overriding("- args: [{container: web, add: [a]}]"),
        ),
        (
            "clusters-match-nothing",
            overriding("- {clusters: {region: [us]}, images: [{tag: v2}]}"),
            overriding("- {clusters: {region: [eu]}, images: [{tag: v2}]}"),
        ),
        ("service-goes-nowhere", native_eu.replace("name: web}", "name: x}"), native_eu.clone()),
    ] {
        let (found, near) = (codes(&fires), codes(&quiet));
        assert!(found.contains(&code), "{code} does not fire for\n{fires}\n{found:?}");
        assert!(!near.contains(&code), "{code} fires for\n{quiet}\n{near:?}");
    }
}

#[test]
fn a_sound_scene_is_silent() {
    assert!(codes(&overriding("- {clusters: {names: [eu-1]}, images: [{tag: v2}]}")).is_empty());
}

/// Codes for other objects than the Deployment.
fn found(policies: &str, objects: &[&str], clusters: &[Cluster], sourced: bool) -> Vec<&'static str> {
    findings(policies, objects, clusters, sourced).iter().map(|f| f.code.word()).collect()
}

#[test]
fn services_are_looked_at_too() {
    let policies = native("{clusters: {region: [eu]}}");
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\n";
    let with_config = format!("{WEB}---\n{config}");
    let fleet = fleet();
    let bound = WEB.replace("{containers:", "{nodeSelector: {disk: ssd}, containers:");
    for (code, fires, quiet) in [
        ("environment-bound", found(&policies, &[&bound], &fleet, false), found(&policies, &[WEB], &fleet, false)),
        (
            "object-in-two-services",
            found(&policies, &[WEB, WEB], &fleet, false),
            found(&policies, &[WEB, config], &fleet, false),
        ),
        (
            "object-without-policy",
            found(&policies, &[&with_config], &fleet, false),
            found(&policies, &[&with_config], &fleet, true),
        ),
        (
            "service-goes-nowhere",
            found(&policies, &[WEB, config], &fleet, false),
            found(&policies, &[WEB, config], &fleet, true),
        ),
    ] {
        assert!(fires.contains(&code), "{code} does not fire: {fires:?}");
        assert!(!quiet.contains(&code), "{code} fires: {quiet:?}");
    }
    let takes_along = karmada("a", &format!("propagateDeps: true\n  {EU}"));
    assert!(found(&takes_along, &[&with_config], &fleet, false).is_empty(), "what is taken along needs no policy");
    let system = WEB.replace("namespace: shop", "namespace: kube-system");
    let policy = cluster_wide("a", EU);
    assert!(found(&policy, &[&system], &fleet, false).contains(&"never-propagated"));
    assert!(!found(&policy, &[WEB], &fleet, false).contains(&"never-propagated"));
}

#[test]
fn room_is_looked_at_where_it_is_known() {
    let with_room = |room: i64| {
        let mut fleet = fleet();
        fleet[0].available = Some(room);
        fleet
    };
    let policy = native("{clusters: {region: [eu]}}");
    assert!(found(&policy, &[WEB], &with_room(3), false).contains(&"capacity-ignored"));
    assert!(!found(&policy, &[WEB], &with_room(4), false).contains(&"capacity-ignored"));
    let divided = native("{clusters: {region: [eu]}, replicas: {mode: capacity}}");
    assert!(!found(&divided, &[WEB], &with_room(3), false).contains(&"capacity-ignored"));
}

#[test]
fn findings_name_the_place_and_say_who_wins() {
    let policies = both(&karmada("a", EU), &karmada("b", EU));
    let all = findings(&policies, &[WEB], &fleet(), false);
    let shadowed = all.iter().find(|f| f.code == Code::PolicyShadowed).unwrap();
    assert_eq!(shadowed.at.as_ref().unwrap().to_string(), "policies.yaml:8");
    assert_eq!(
        shadowed.text(Lang::En),
        "PropagationPolicy shop/b: places nothing; Deployment shop/web (1 in all) belongs to PropagationPolicy shop/a \
         (policies.yaml:1), whose name comes first among equals"
    );
    let policies = overriding("- images: [{tag: v2}]\n- images: [{tag: v3}]");
    let all = findings(&policies, &[WEB], &fleet(), false);
    let lost = all.iter().find(|f| f.code == Code::OverrideOverwritten).unwrap();
    assert_eq!(
        lost.text(Lang::En),
        "Policy p overrides[0].images[0].tag: nothing of it is left in Deployment shop/web, Policy p \
         overrides[1].images[0].tag (policies.yaml:8) has the last word; take one of them out"
    );
    let other = native("{clusters: {}}")
        .replace("{kind: Deployment, name: web}", "{kind: Deployment, namespace: shp, name: web}");
    let all = findings(&other, &[WEB], &fleet(), false);
    let near = all.iter().find(|f| f.code == Code::SelectorMatchesNothing).unwrap();
    assert!(near.text(Lang::En).ends_with("no object fits Deployment shp/web; there is one in namespace shop"));
    let labelled = native("{clusters: {}}").replace("name: web}", "labels: {app: [a, '!b'], x: '*'}}");
    let all = findings(&labelled, &[WEB], &fleet(), false);
    let none = all.iter().find(|f| f.code == Code::SelectorMatchesNothing).unwrap();
    assert!(
        none.text(Lang::En).contains("fits Deployment * -l app=a,app notin (b),x; take"),
        "{}",
        none.text(Lang::En)
    );
}
