//! Defaults that the server fills in and that matter to readers.

use serde_json::{Map, Value, json};

use super::kinds::{self, Resource};

/// Fills in what a client left out.
pub fn apply(resource: &Resource, object: &mut Value) {
    let Some(root) = object.as_object_mut() else { return };
    match resource.rid {
        kinds::SECRETS => secret(root),
        kinds::NAMESPACES => namespace(root),
        kinds::PODS => {
            let spec = child(root, "spec");
            pod_spec(spec);
            set(spec, "enableServiceLinks", json!(true));
        }
        kinds::SERVICES => service(child(root, "spec")),
        kinds::DEPLOYMENTS => deployment(child(root, "spec")),
        kinds::STATEFULSETS => stateful_set(child(root, "spec")),
        kinds::DAEMONSETS => {
            set(child(child(root, "metadata"), "annotations"), TEMPLATE_GENERATION, json!("1"));
            daemon_set(child(root, "spec"));
        }
        kinds::REPLICASETS | kinds::REPLICATIONCONTROLLERS => {
            let spec = child(root, "spec");
            set(spec, "replicas", json!(1));
            template(spec);
        }
        kinds::JOBS => job(child(root, "spec")),
        kinds::CRONJOBS => cron_job(child(root, "spec")),
        kinds::HPAS => autoscaler(child(root, "spec")),
        kinds::ROLEBINDINGS | kinds::CLUSTERROLEBINDINGS => binding(root),
        kinds::PERSISTENTVOLUMECLAIMS => set(child(root, "spec"), "volumeMode", json!("Filesystem")),
        kinds::CRDS => definition(child(root, "spec")),
        _ => {}
    }
}

fn child<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let value = map.entry(key).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(child) => child,
        // Made an object one line above.
        _ => unreachable!("the value was just made an object"),
    }
}

fn set(map: &mut Map<String, Value>, key: &str, value: Value) {
    let held = map.entry(key).or_insert(Value::Null);
    if held.is_null() {
        *held = value;
    }
}

fn each(map: &mut Map<String, Value>, key: &str, change: impl Fn(&mut Map<String, Value>)) {
    let list = map.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

fn inner(map: &mut Map<String, Value>, key: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(inner) = map.get_mut(key).and_then(Value::as_object_mut) {
        change(inner);
    }
}

fn secret(root: &mut Map<String, Value>) {
    use base64::Engine as _;
    set(root, "type", json!("Opaque"));
    if let Some(Value::Object(plain)) = root.remove("stringData") {
        let data = child(root, "data");
        for (key, value) in plain {
            let text = value.as_str().unwrap_or_default();
            data.insert(key, json!(base64::engine::general_purpose::STANDARD.encode(text)));
        }
    }
}

fn namespace(root: &mut Map<String, Value>) {
    let metadata = child(root, "metadata");
    let name = metadata.get("name").cloned().unwrap_or_default();
    set(child(metadata, "labels"), "kubernetes.io/metadata.name", name);
}

/// Annotation of a DaemonSet that counts the changes of its template.
pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Finalizer that keeps a claim while a pod uses it.
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// A DaemonSet's count of template changes is the server's own: whatever a client sends.
pub fn count_template(old: &Value, new: &mut Value) {
    let held = old["metadata"]["annotations"][TEMPLATE_GENERATION].as_str().and_then(|n| n.parse::<u64>().ok());
    let changed = old["spec"]["template"] != new["spec"]["template"];
    let count = held.unwrap_or(1) + u64::from(changed);
    if let Some(root) = new.as_object_mut() {
        child(child(root, "metadata"), "annotations").insert(TEMPLATE_GENERATION.into(), json!(count.to_string()));
    }
}

fn protect(metadata: &mut Map<String, Value>) {
    let list = metadata.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(list) = list.as_array_mut()
        && !list.iter().any(|f| f == CLAIM_PROTECTION)
    {
        list.push(json!(CLAIM_PROTECTION));
    }
}

/// What the server gives a new object on its own account: addresses, priorities, the status it starts with.
pub fn given(resource: &Resource, object: &mut Value) {
    let key = super::object::key_of(object);
    if resource.rid == kinds::JOBS {
        job_selector(object);
    }
    let Some(root) = object.as_object_mut() else { return };
    match resource.rid {
        kinds::PODS => pod(root),
        kinds::NAMESPACES => {
            set(child(root, "spec"), "finalizers", json!(["kubernetes"]));
            set(child(root, "status"), "phase", json!("Active"));
        }
        kinds::SERVICES => {
            address(child(root, "spec"), &key);
            set(child(root, "status"), "loadBalancer", json!({}));
        }
        kinds::INGRESSES => set(child(root, "status"), "loadBalancer", json!({})),
        kinds::PERSISTENTVOLUMECLAIMS => {
            protect(child(root, "metadata"));
            set(child(root, "status"), "phase", json!("Pending"));
        }
        kinds::PERSISTENTVOLUMES => set(child(root, "status"), "phase", json!("Pending")),
        kinds::HPAS => {
            let status = child(root, "status");
            status.entry("currentMetrics").or_insert(Value::Null);
            set(status, "desiredReplicas", json!(0));
        }
        kinds::REPLICASETS | kinds::REPLICATIONCONTROLLERS => set(child(root, "status"), "replicas", json!(0)),
        kinds::STATEFULSETS => {
            set(child(root, "status"), "replicas", json!(0));
            set(child(root, "status"), "availableReplicas", json!(0));
        }
        kinds::DAEMONSETS => {
            for key in ["currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"] {
                set(child(root, "status"), key, json!(0));
            }
        }
        kinds::PDBS => {
            for key in ["currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"] {
                set(child(root, "status"), key, json!(0));
            }
        }
        kinds::DEPLOYMENTS | kinds::JOBS | kinds::CRONJOBS | kinds::RESOURCEQUOTAS => {
            child(root, "status");
        }
        _ => {}
    }
}

fn pod(root: &mut Map<String, Value>) {
    let spec = child(root, "spec");
    set(spec, "serviceAccountName", json!("default"));
    let account = spec.get("serviceAccountName").cloned().unwrap_or_default();
    set(spec, "serviceAccount", account);
    set(spec, "preemptionPolicy", json!("PreemptLowerPriority"));
    set(spec, "priority", json!(0));
    let toleration = |key: &str| json!({"key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    set(spec, "tolerations", json!([toleration("not-ready"), toleration("unreachable")]));
    let class = quality(spec);
    let status = child(root, "status");
    set(status, "phase", json!("Pending"));
    set(status, "qosClass", json!(class));
}

/// Quality of service class.
fn quality(spec: &Map<String, Value>) -> &'static str {
    let containers: Vec<&Value> = spec.get("containers").and_then(Value::as_array).into_iter().flatten().collect();
    let part = |c: &Value, side: &str, key: &str| c.pointer(&format!("/resources/{side}/{key}")).cloned();
    let any = containers
        .iter()
        .any(|c| ["cpu", "memory"].iter().any(|k| part(c, "requests", k).or(part(c, "limits", k)).is_some()));
    let equal = |c: &Value| {
        ["cpu", "memory"].iter().all(|k| {
            let limit = part(c, "limits", k);
            limit.is_some() && part(c, "requests", k).is_none_or(|r| Some(r) == limit)
        })
    };
    match (any, containers.iter().all(|c| equal(c))) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Defaults of a pod template below `template`.
fn template(spec: &mut Map<String, Value>) {
    inner(spec, "template", |template| {
        child(template, "metadata");
        pod_spec(child(template, "spec"));
    });
}

fn pod_spec(spec: &mut Map<String, Value>) {
    set(spec, "restartPolicy", json!("Always"));
    set(spec, "terminationGracePeriodSeconds", json!(30));
    set(spec, "dnsPolicy", json!("ClusterFirst"));
    set(spec, "securityContext", json!({}));
    set(spec, "schedulerName", json!("default-scheduler"));
    if let Some(account) = spec.get("serviceAccountName").filter(|a| !a.is_null()).cloned() {
        set(spec, "serviceAccount", account);
    }
    each(spec, "initContainers", container);
    each(spec, "containers", container);
    each(spec, "volumes", volume);
}

fn container(container: &mut Map<String, Value>) {
    set(container, "terminationMessagePath", json!("/dev/termination-log"));
    set(container, "terminationMessagePolicy", json!("File"));
    set(container, "resources", json!({}));
    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
    let tag = image.rsplit('/').next().unwrap_or_default();
    let moving = !image.contains('@') && (!tag.contains(':') || tag.ends_with(":latest"));
    set(container, "imagePullPolicy", json!(if moving { "Always" } else { "IfNotPresent" }));
    each(container, "ports", |port| set(port, "protocol", json!("TCP")));
    each(container, "env", |env| {
        inner(env, "valueFrom", |from| inner(from, "fieldRef", |field| set(field, "apiVersion", json!("v1"))));
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        inner(container, probe, |probe| {
            for (key, value) in
                [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
            {
                set(probe, key, json!(value));
            }
            inner(probe, "httpGet", http_get);
            inner(probe, "grpc", |grpc| set(grpc, "service", json!("")));
        });
    }
    for hook in ["postStart", "preStop"] {
        inner(container, "lifecycle", |l| inner(l, hook, |h| inner(h, "httpGet", http_get)));
    }
}

fn http_get(get: &mut Map<String, Value>) {
    set(get, "path", json!("/"));
    set(get, "scheme", json!("HTTP"));
}

fn volume(volume: &mut Map<String, Value>) {
    inner(volume, "configMap", |v| set(v, "defaultMode", json!(420)));
    inner(volume, "secret", |v| set(v, "defaultMode", json!(420)));
    inner(volume, "downwardAPI", |v| set(v, "defaultMode", json!(420)));
    inner(volume, "hostPath", |v| set(v, "type", json!("")));
    inner(volume, "projected", |v| {
        set(v, "defaultMode", json!(420));
        each(v, "sources", |s| inner(s, "serviceAccountToken", |t| set(t, "expirationSeconds", json!(3600))));
    });
    // A volume without a source is an empty directory.
    if volume.len() == 1 {
        volume.insert("emptyDir".into(), json!({}));
    }
}

fn service(spec: &mut Map<String, Value>) {
    set(spec, "type", json!("ClusterIP"));
    set(spec, "sessionAffinity", json!("None"));
    each(spec, "ports", |port| {
        set(port, "protocol", json!("TCP"));
        let number = port.get("port").cloned().unwrap_or_default();
        set(port, "targetPort", number);
    });
    if spec.get("type") != Some(&json!("ExternalName")) {
        set(spec, "internalTrafficPolicy", json!("Cluster"));
    }
}

fn address(spec: &mut Map<String, Value>, key: &str) {
    if spec.get("type") == Some(&json!("ExternalName")) {
        return;
    }
    // From the name, so that the same fleet has the same addresses.
    let hash = key.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    set(spec, "clusterIP", json!(format!("10.96.{}.{}", (hash >> 8) & 0xff, 1 + (hash & 0xff) % 254)));
    let address = spec.get("clusterIP").cloned().unwrap_or_default();
    set(spec, "clusterIPs", json!([address]));
    set(spec, "ipFamilies", json!(["IPv4"]));
    set(spec, "ipFamilyPolicy", json!("SingleStack"));
}

fn deployment(spec: &mut Map<String, Value>) {
    set(spec, "replicas", json!(1));
    set(spec, "revisionHistoryLimit", json!(10));
    set(spec, "progressDeadlineSeconds", json!(600));
    let strategy = child(spec, "strategy");
    set(strategy, "type", json!("RollingUpdate"));
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let rolling = child(strategy, "rollingUpdate");
        set(rolling, "maxSurge", json!("25%"));
        set(rolling, "maxUnavailable", json!("25%"));
    }
    template(spec);
}

fn stateful_set(spec: &mut Map<String, Value>) {
    set(spec, "replicas", json!(1));
    set(spec, "revisionHistoryLimit", json!(10));
    set(spec, "podManagementPolicy", json!("OrderedReady"));
    set(spec, "persistentVolumeClaimRetentionPolicy", json!({"whenDeleted": "Retain", "whenScaled": "Retain"}));
    let strategy = child(spec, "updateStrategy");
    set(strategy, "type", json!("RollingUpdate"));
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let rolling = child(strategy, "rollingUpdate");
        set(rolling, "partition", json!(0));
        set(rolling, "maxUnavailable", json!(1));
    }
    each(spec, "volumeClaimTemplates", |claim| {
        set(claim, "apiVersion", json!("v1"));
        set(claim, "kind", json!("PersistentVolumeClaim"));
        set(child(claim, "spec"), "volumeMode", json!("Filesystem"));
        set(child(claim, "status"), "phase", json!("Pending"));
    });
    template(spec);
}

fn daemon_set(spec: &mut Map<String, Value>) {
    set(spec, "revisionHistoryLimit", json!(10));
    let strategy = child(spec, "updateStrategy");
    set(strategy, "type", json!("RollingUpdate"));
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let rolling = child(strategy, "rollingUpdate");
        set(rolling, "maxUnavailable", json!(1));
        set(rolling, "maxSurge", json!(0));
    }
    template(spec);
}

fn job(spec: &mut Map<String, Value>) {
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        set(spec, "completions", json!(1));
    }
    set(spec, "parallelism", json!(1));
    set(spec, "backoffLimit", json!(6));
    set(spec, "completionMode", json!("NonIndexed"));
    set(spec, "suspend", json!(false));
    set(spec, "manualSelector", json!(false));
    set(spec, "podReplacementPolicy", json!("TerminatingOrFailed"));
    template(spec);
}

fn cron_job(spec: &mut Map<String, Value>) {
    set(spec, "concurrencyPolicy", json!("Allow"));
    set(spec, "suspend", json!(false));
    set(spec, "successfulJobsHistoryLimit", json!(3));
    set(spec, "failedJobsHistoryLimit", json!(1));
    inner(spec, "jobTemplate", |job| {
        child(job, "metadata");
        template(child(job, "spec"));
    });
}

fn autoscaler(spec: &mut Map<String, Value>) {
    set(spec, "minReplicas", json!(1));
    let target = json!({"type": "Utilization", "averageUtilization": 80});
    set(spec, "metrics", json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
}

fn binding(root: &mut Map<String, Value>) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    inner(root, "roleRef", |role| set(role, "apiGroup", json!(GROUP)));
    each(root, "subjects", |subject| {
        if subject.get("kind") != Some(&json!("ServiceAccount")) {
            set(subject, "apiGroup", json!(GROUP));
        }
    });
}

fn definition(spec: &mut Map<String, Value>) {
    set(spec, "conversion", json!({"strategy": "None"}));
    inner(spec, "names", |names| {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        set(names, "singular", json!(kind.to_lowercase()));
        set(names, "listKind", json!(format!("{kind}List")));
    });
}

/// A new Job's selector and the labels of its pods, which need its uid.
fn job_selector(object: &mut Value) {
    let part = |p: &str| object.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (uid, name) = (part("/metadata/uid"), part("/metadata/name"));
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if spec.get("manualSelector") == Some(&json!(true)) || spec.get("selector").is_some_and(|s| !s.is_null()) {
        return;
    }
    spec.insert("selector".into(), json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}));
    let labels = child(child(child(spec, "template"), "metadata"), "labels");
    for (key, value) in [("controller-uid", &uid), ("job-name", &name)] {
        set(labels, key, json!(value));
        set(labels, &format!("batch.kubernetes.io/{key}"), json!(value));
    }
}
