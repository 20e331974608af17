//! What the decoder makes of objects as servers send them.

use serde_json::{Value, json};

use super::*;
use crate::fleet::row::{ConfigRef, NodeReady, Progress};

fn decoder() -> Decoder {
    Decoder::new(Arc::default(), Arc::new(FingerprintKey::from_bytes([1; 32])))
}

fn row(kind: Builtin, object: &Value) -> Row {
    decoder().object(kind.id(), object.to_string().as_bytes()).expect("decodes").row
}

fn pod(status: &Value) -> Row {
    row(
        Builtin::Pod,
        &json!({
            "metadata": {"name": "p", "namespace": "n", "resourceVersion": "12", "uid": "9b3f6c1e-0000-4000-8000-000000000001"},
            "spec": {"nodeName": "n1", "initContainers": [{"name": "i", "image": "init:1"}],
                "containers": [{"name": "a", "image": "shop/a:1"}, {"name": "b", "image": "b:2"}]},
            "status": status,
        }),
    )
}

#[test]
fn pods_say_what_kubectl_says() {
    let ready = json!([{"type": "Ready", "status": "True"}]);
    let unready = json!([{"type": "Ready", "status": "False", "message": "containers with unready status: [a]"}]);
    let waiting = |reason: &str| {
        json!([{"name": "a", "ready": false, "restartCount": 7,
        "state": {"waiting": {"reason": reason, "message": "back-off"}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}])
    };
    for (status, word, health) in [
        (json!({"phase": "Running", "conditions": ready}), None, Health::Ok),
        (json!({"phase": "Running", "conditions": unready}), Some("NotReady"), Health::Warn),
        (
            json!({"phase": "Running", "containerStatuses": waiting("CrashLoopBackOff")}),
            Some("CrashLoopBackOff"),
            Health::Bad,
        ),
        (
            json!({"phase": "Pending", "containerStatuses": waiting("ImagePullBackOff")}),
            Some("ImagePullBackOff"),
            Health::Bad,
        ),
        (
            json!({"phase": "Pending", "containerStatuses": waiting("ContainerCreating")}),
            Some("ContainerCreating"),
            Health::Busy,
        ),
        (
            json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}]}),
            Some("Unschedulable"),
            Health::Bad,
        ),
        (json!({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}), Some("Evicted"), Health::Bad),
        (json!({"phase": "Succeeded"}), Some("Completed"), Health::Idle),
        (
            json!({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"running": {}}}]}),
            Some("Init:0/1"),
            Health::Busy,
        ),
        (
            json!({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}),
            Some("Init:Error"),
            Health::Bad,
        ),
        (json!({}), None, Health::Busy),
        (Value::Null, None, Health::Busy),
    ] {
        let row = pod(&status);
        assert_eq!(row.pod().expect("pod").reason.as_deref(), word, "{status}");
        assert_eq!(row.health, health, "{status}");
    }
    let crashing = pod(&json!({"phase": "Running", "containerStatuses": waiting("CrashLoopBackOff")}));
    assert_eq!(crashing.pod().expect("pod").note.as_deref(), Some("a: OOMKilled, exit 137, 7 restarts"));
}

#[test]
fn pods_keep_digests_and_requests() {
    let row = row(
        Builtin::Pod,
        &json!({
            "metadata": {"name": "p", "namespace": "n"},
            "spec": {
                "initContainers": [
                    {"name": "big", "resources": {"requests": {"cpu": "2", "memory": "64Mi"}}},
                    {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}}],
                "containers": [{"name": "a", "image": "a:1", "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}}}],
                "overhead": {"cpu": "10m"}},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [
                {"name": "a", "ready": true, "imageID": "docker-pullable://a@sha256:abc"}]},
        }),
    );
    let pod = row.pod().expect("pod");
    assert_eq!((pod.cpu_m, pod.mem), (2010, 1 << 30));
    assert_eq!(pod.ready, (1, 2), "the restartable init container counts");
    let main = pod.containers.iter().find(|c| &*c.name == "a").expect("a");
    assert_eq!(&*main.digest, "sha256:abc");
}

fn deployment(spec: &Value, status: &Value) -> Row {
    row(
        Builtin::Deployment,
        &json!({"metadata": {"name": "d", "namespace": "n", "generation": 3}, "spec": spec, "status": status}),
    )
}

#[test]
fn deployments_tell_rolling_from_failing() {
    let done = json!([{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]);
    let counts = |updated: u32, ready: u32, current: u32, conditions: &Value| json!({"observedGeneration": 3, "replicas": current, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready, "conditions": conditions});
    for (spec, status, progress, health) in [
        (json!({"replicas": 3}), counts(3, 3, 3, &done), Progress::Settled, Health::Ok),
        (json!({"replicas": 3}), counts(1, 3, 4, &done), Progress::Rolling, Health::Busy),
        (json!({"replicas": 3, "paused": true}), counts(1, 3, 4, &done), Progress::Paused, Health::Ok),
        (json!({"replicas": 3}), counts(3, 0, 3, &done), Progress::Settled, Health::Bad),
        (json!({"replicas": 3}), counts(3, 2, 3, &done), Progress::Settled, Health::Warn),
        (json!({"replicas": 0}), counts(0, 0, 0, &done), Progress::Settled, Health::Idle),
        (
            json!({"replicas": 3}),
            counts(1, 3, 4, &json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}])),
            Progress::Stuck,
            Health::Bad,
        ),
        (json!({}), Value::Null, Progress::Rolling, Health::Busy),
    ] {
        let row = deployment(&spec, &status);
        assert_eq!(row.workload().expect("workload").progress, progress, "{spec} {status}");
        assert_eq!(row.health, health, "{spec} {status}");
    }
}

#[test]
fn kruise_partition_is_a_pause_and_not_a_rollout() {
    for spec in [
        json!({"replicas": 5, "updateStrategy": {"partition": "40%"}}),
        json!({"replicas": 5, "updateStrategy": {"rollingUpdate": {"partition": 2}}}),
    ] {
        let row = row(
            Builtin::CloneSet,
            &json!({"metadata": {"name": "c", "generation": 1}, "spec": spec, "status": {"observedGeneration": 1, "replicas": 5, "readyReplicas": 5,
                "updatedReplicas": 3, "expectedUpdatedReplicas": 3, "currentRevision": "c-1", "updateRevision": "c-2"}}),
        );
        assert_eq!(row.workload().expect("workload").progress, Progress::Paused, "{spec}");
    }
}

#[test]
fn workloads_know_the_configuration_they_read() {
    let row = deployment(
        &json!({"template": {"metadata": {"labels": {"app": "x"}}, "spec": {
            "volumes": [{"configMap": {"name": "files"}}, {"secret": {"secretName": "tls"}},
                {"projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}, {"secret": {"name": "extra"}}]}}],
            "containers": [{"name": "a", "image": "a:1",
                "env": [{"name": "PASSWORD", "value": "hunter2"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "db", "key": "p"}}}],
                "envFrom": [{"configMapRef": {"name": "env"}}]}]}}}),
        &Value::Null,
    );
    let refs = &row.workload().expect("workload").refs;
    let want: Vec<(bool, &str)> = vec![(false, "env"), (false, "files"), (true, "db"), (true, "extra"), (true, "tls")];
    assert_eq!(refs.iter().map(|r: &ConfigRef| (r.secret, &*r.name)).collect::<Vec<_>>(), want);
    assert!(!format!("{row:?}").contains("hunter2"), "values of variables are not kept");
}

#[test]
fn fingerprints_follow_content_and_not_order() {
    let config = |data: &str| {
        let json = format!(r#"{{"metadata":{{"name":"c"}},"data":{data}}}"#);
        match decoder().object(Builtin::ConfigMap.id(), json.as_bytes()).expect("decodes").row.detail {
            Detail::Config(c) => (c.fingerprint, c.keys),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(config(r#"{"a":"1","b":"2"}"#), config(r#"{"b":"2","a":"1"}"#));
    assert_ne!(config(r#"{"a":"1","b":"2"}"#), config(r#"{"a":"1","b":"3"}"#));
    assert_ne!(config(r#"{"a":"1,b"}"#), config(r#"{"a":"1","b":""}"#));
    assert_eq!(config("null").1, 0);
    let secret = json!({"metadata": {"name": "s"}, "data": {"password": "aHVudGVyMg=="}});
    assert!(!format!("{:?}", row(Builtin::Secret, &secret)).contains("aHVudGVyMg"), "content is not kept");
}

#[test]
fn one_key_for_all_starts_of_a_user() {
    let dir = tempfile::tempdir().expect("folder");
    let (first, note) = FingerprintKey::load(dir.path());
    assert_eq!(note, None);
    let (second, _) = FingerprintKey::load(dir.path());
    let print = |key: FingerprintKey| {
        let json = br#"{"metadata":{},"data":{"a":"1"}}"#;
        format!(
            "{:?}",
            Decoder::new(Arc::default(), Arc::new(key))
                .object(Builtin::ConfigMap.id(), json)
                .expect("decodes")
                .row
                .detail
        )
    };
    assert_eq!(print(first), print(second));
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(dir.path().join("fingerprint.key")).expect("kept").permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
    }
    let (_, note) = FingerprintKey::load(&dir.path().join("fingerprint.key"));
    assert!(note.is_some(), "a folder that cannot be made is said");
}

#[test]
fn nodes_fail_loudly() {
    let node = |ready: &str, pressure: &str| {
        row(
            Builtin::Node,
            &json!({"metadata": {"name": "n", "labels": {"node-role.kubernetes.io/control-plane": "", "topology.kubernetes.io/region": "eu"}},
                "spec": {"providerID": "aws:///eu-west-1a/i-0"},
                "status": {"allocatable": {"cpu": "3920m", "memory": "15Gi", "pods": "110"},
                    "conditions": [{"type": "MemoryPressure", "status": pressure}, {"type": "Ready", "status": ready, "message": "kubelet stopped"}]}}),
        )
    };
    assert_eq!(node("True", "False").health, Health::Ok);
    assert_eq!(node("True", "True").health, Health::Warn);
    let lost = node("Unknown", "Unknown");
    let n = lost.node().expect("node");
    assert_eq!((lost.health, n.ready, n.note.as_deref()), (Health::Bad, NodeReady::Unknown, Some("kubelet stopped")));
    assert_eq!(
        (&*n.provider, &*n.region, &*n.roles, n.allocatable.cpu_m, n.allocatable.pods),
        ("aws", "eu", "control-plane", 3920, 110)
    );
}

#[test]
fn odd_objects_give_a_poor_row_or_a_named_error_and_never_more() {
    for object in [
        "{}",
        r#"{"metadata":null}"#,
        r#"{"metadata":{"labels":null,"ownerReferences":null,"managedFields":null},"spec":null,"status":null}"#,
    ] {
        for kind in Builtin::ALL {
            assert!(decoder().object(kind.id(), object.as_bytes()).is_ok(), "{kind:?} {object}");
        }
    }
    let error = decoder()
        .object(Builtin::Deployment.id(), br#"{"metadata":{"name":"d","namespace":"n"},"spec":{"replicas":"many"}}"#);
    assert_eq!(error.expect_err("refused").name, "n/d");
}
