//! Desired state at the size of a large fleet: placements a second, the render of 200 clusters x 1,000 objects with overrides
//! (time, memory, how much is shared), and what one changed override or one changed base costs. Prints figures, judges nothing.
//!
//! `cargo bench --bench desired` ; `-- --smoke` for a small round.

#![allow(missing_docs, clippy::expect_used, clippy::print_stdout, reason = "a program for people at their desk")]

use std::{
    fmt::Write as _,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use quarterdeck::desired::{
    cluster::Cluster,
    engine::{Base, Desired, Inputs, Service, Source},
    object::Object,
    origin::{Source as File, SourceKind},
    place::{Prepared, Resource, Roster, State},
    policy::Policies,
    source::yaml,
};

/// Objects of one service: a workload and what goes with it.
const PER_SERVICE: usize = 5;

fn main() {
    let smoke = std::env::args().any(|a| a == "--smoke");
    let (clusters, objects) = if smoke { (20, 100) } else { (200, 1000) };
    let fleet = fleet(clusters);
    println!("desired state, {clusters} clusters, {objects} objects");
    placements(&fleet);
    render(&fleet, objects);
}

fn fleet(count: usize) -> Arc<Vec<Cluster>> {
    let one = |n: usize| Cluster {
        name: format!("c{n:03}").into(),
        labels: [("tier".to_owned(), ["gold", "silver", "bronze"][n % 3].to_owned())].into(),
        region: ["eu", "us", "ap", "cn", "sa"][n % 5].to_owned(),
        zones: vec![format!("z{}", n % 3)],
        provider: ["aws", "metal"][n % 2].to_owned(),
        available: Some(i64::try_from(5 + n % 17).unwrap_or(5)),
        ..Cluster::default()
    };
    Arc::new((0..count).map(one).collect())
}

fn read(text: &str, kind: SourceKind, file: &str) -> Vec<Arc<Object>> {
    let documents = yaml::read(text, &File::new(kind, file)).expect("the bench writes sound YAML");
    documents.into_iter().filter_map(Object::new).map(Arc::new).collect()
}

fn policies(text: &str) -> Policies {
    let mut policies = Policies::default();
    for object in read(text, SourceKind::Policy, "policies.yaml") {
        policies.read(&object).expect("a policy").expect("a sound policy");
    }
    policies
}

/// Passes a second on one core, by strategy.
fn placements(fleet: &Arc<Vec<Cluster>>) {
    let strategies = [
        ("duplicated", "{replicaSchedulingType: Duplicated}", ""),
        (
            "static weights",
            "{replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: \
             [{targetCluster: {labelSelector: {matchLabels: {tier: gold}}}, weight: 3}, {targetCluster: {}, weight: 1}]}}",
            "",
        ),
        (
            "by room",
            "{replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}",
            "",
        ),
        ("aggregated", "{replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}", ""),
        (
            "aggregated, spread over 2 regions and 6 clusters",
            "{replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}",
            "spreadConstraints: [{spreadByField: region, minGroups: 2, maxGroups: 2}, {spreadByField: cluster, minGroups: 2, maxGroups: 6}]",
        ),
    ];
    let objects = read(&service(0), SourceKind::Manifest, "base.yaml");
    let mut resource = Resource::of(&objects[0]);
    let roster = Roster::new(fleet);
    for (name, scheduling, spread) in strategies {
        let text = format!(
            "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {{name: p, namespace: shop}}\nspec:\n  \
             resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment}}]\n  placement:\n    replicaScheduling: {scheduling}\n    {spread}\n"
        );
        let policies = policies(&text);
        let prepared = Prepared::new(&policies.placements[0].placement, &roster);
        let state = State::default();
        let mut count = 0u32;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(700) {
            resource.replicas = i64::from(1 + count % 300);
            std::hint::black_box(prepared.decide(&resource, &state, None));
            count += 1;
        }
        println!("  placements, {name}: {:.0} a second", f64::from(count) / start.elapsed().as_secs_f64());
    }
}

/// A service as YAML: Deployment, Service, ConfigMap, HorizontalPodAutoscaler, PodDisruptionBudget.
fn service(n: usize) -> String {
    let name = format!("svc-{n:03}");
    let mut text = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: shop\n  labels: {{app: {name}, part: web}}\nspec:\n  \
         replicas: 12\n  selector: {{matchLabels: {{app: {name}}}}}\n  strategy: {{type: RollingUpdate, rollingUpdate: {{maxSurge: 1, maxUnavailable: 0}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      serviceAccountName: {name}\n      containers:\n"
    );
    for container in ["app", "proxy"] {
        let _ = write!(
            text,
            "      - name: {container}\n        image: hub.example/{name}/{container}:1.4.2\n        args: [--config, /etc/{name}.yaml]\n        \
             env:\n        - {{name: LEVEL, value: info}}\n        - {{name: REGION, value: none}}\n        - {{name: POOL, value: \"8\"}}\n        \
             ports: [{{name: http, containerPort: 8080}}]\n        resources:\n          requests: {{cpu: 100m, memory: 128Mi}}\n          \
             limits: {{memory: 256Mi}}\n        readinessProbe: {{httpGet: {{path: /ready, port: http}}, periodSeconds: 5}}\n        \
             volumeMounts: [{{name: config, mountPath: /etc}}]\n"
        );
    }
    let _ = write!(
        text,
        "      volumes: [{{name: config, configMap: {{name: {name}}}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec: {{selector: {{app: {name}}}, ports: [{{name: http, port: 80, targetPort: http}}]}}\n---\napiVersion: v1\nkind: ConfigMap\n\
         metadata: {{name: {name}, namespace: shop}}\ndata:\n  app.yaml: |\n    level: info\n    cache: {{size: 64}}\n    peers: []\n---\n\
         apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}\n  minReplicas: 2\n  maxReplicas: 20\n  \
         metrics: [{{type: Resource, resource: {{name: cpu, target: {{type: Utilization, averageUtilization: 70}}}}}}]\n---\n\
         apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}, namespace: shop}}\n\
         spec: {{maxUnavailable: 1, selector: {{matchLabels: {{app: {name}}}}}}}\n"
    );
    text
}

/// One placement for everything, a registry for a region, a level for a tier, and one override of its own for each cluster.
fn rules(fleet: &[Cluster], level: &str) -> String {
    let mut text = format!(
        "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {{name: all}}\nspec:\n  resourceSelectors:\n  \
         - {{apiVersion: apps/v1, kind: Deployment}}\n  - {{apiVersion: v1, kind: Service}}\n  - {{apiVersion: v1, kind: ConfigMap}}\n  \
         - {{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}}\n  - {{apiVersion: policy/v1, kind: PodDisruptionBudget}}\n  \
         placement: {{clusterAffinity: {{}}}}\n---\napiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {{name: registry}}\nspec:\n  \
         resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment}}]\n  overrideRules:\n  - targetCluster: {{fieldSelector: {{matchExpressions: \
         [{{key: region, operator: In, values: [cn]}}]}}}}\n    overriders: {{imageOverrider: [{{component: Registry, operator: replace, value: mirror.cn}}]}}\n---\n\
         apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {{name: level}}\nspec:\n  resourceSelectors: [{{apiVersion: v1, kind: ConfigMap}}]\n  \
         overrideRules:\n  - targetCluster: {{labelSelector: {{matchLabels: {{tier: gold}}}}}}\n    overriders: {{fieldOverrider: [{{fieldPath: /data/app.yaml, \
         yaml: [{{subPath: /level, operator: replace, value: {level}}}]}}]}}\n---\n\
         apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {{name: region}}\nspec:\n  resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment}}]\n  overrideRules:\n"
    );
    for cluster in fleet {
        let _ = writeln!(
            text,
            "  - targetCluster: {{clusterNames: [{0}]}}\n    overriders: {{plaintext: [{{path: /spec/template/spec/containers/0/env/1/value, operator: replace, value: {0}}}]}}",
            cluster.name
        );
    }
    text
}

fn render(fleet: &Arc<Vec<Cluster>>, objects: usize) {
    let text: Vec<String> = (0..objects / PER_SERVICE).map(service).collect();
    let start = Instant::now();
    let services: Vec<Arc<Service>> = text.iter().enumerate().map(|(n, text)| declared(n, text)).collect();
    println!("  reading {objects} objects: {:.0} ms", ms(start));
    let policies = policies(&rules(fleet, "warn"));
    let inputs = Inputs { clusters: fleet.clone(), services, policies: Arc::new(policies), states: Arc::default() };
    let before = resident();
    let start = Instant::now();
    let desired = Desired::of(inputs.clone(), None);
    let took = ms(start);
    let placed: usize = desired.services.iter().flat_map(|o| &o.placed).map(|p| p.objects.len()).sum();
    let mut distinct: Vec<*const Object> =
        desired.services.iter().flat_map(|o| &o.placed).flat_map(|p| &p.objects).map(|(_, o)| Arc::as_ptr(o)).collect();
    distinct.sort_unstable();
    distinct.dedup();
    println!(
        "  render: {took:.0} ms, {placed} objects in clusters, {} distinct trees, {:.1} MiB more resident, {:.1} MiB in all",
        distinct.len(),
        resident() - before,
        resident()
    );

    let mut edited = inputs.clone();
    let mut changed = (*inputs.policies).clone();
    let fresh = self::policies(&rules(fleet, "debug"));
    // Only the edited policy is another one, as the loader keeps what says the same.
    for policy in &mut changed.overrides {
        if let Some(new) = fresh.overrides.iter().find(|p| p.id == policy.id && **p != *policy) {
            *policy = new.clone();
        }
    }
    edited.policies = Arc::new(changed);
    timed("one override edited", edited, &desired);

    let mut edited = inputs.clone();
    edited.services[0] = declared(0, &text[0].replace("replicas: 12", "replicas: 13"));
    timed("one base edited", edited, &desired);
    timed("nothing changed", inputs, &desired);
}

fn declared(n: usize, text: &str) -> Arc<Service> {
    let objects = Arc::new(read(text, SourceKind::Manifest, &format!("base/svc-{n:03}.yaml")));
    let source = Source { title: "plain base".into(), clusters: None, bases: vec![Base { only: None, objects }] };
    Arc::new(Service { name: format!("svc-{n:03}").into(), namespace: "shop".into(), sources: vec![Arc::new(source)] })
}

fn timed(what: &str, inputs: Inputs, former: &Desired) {
    let start = Instant::now();
    let new = Desired::of(inputs, Some(former));
    let took = ms(start);
    let pairs = new.services.iter().zip(&former.services);
    let anew: usize =
        pairs.map(|(a, b)| a.placed.iter().zip(&b.placed).filter(|(a, b)| !Arc::ptr_eq(a, b)).count()).sum();
    println!(
        "  {what}: {took:.1} ms, {anew} of {} objects made anew",
        new.services.iter().map(|o| o.placed.len()).sum::<usize>()
    );
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

/// Resident memory in MiB, 0 where the system does not say.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
