//! Situations: what the runner says of right, wrong, broken and unknown ones.

use std::sync::Arc;

use super::{Verdict, read, run};
use crate::{
    desired::origin::{Source, SourceKind},
    messages::Lang,
};

fn verdicts(text: &str) -> Vec<Verdict> {
    let source: Arc<Source> = Source::new(SourceKind::Situation, "some/case.yaml");
    read(text, &source).expect("YAML").iter().map(|s| run(s, Lang::En)).collect()
}

const OVERRIDE: &str = "\
name: one
kind: override
clusters: [{name: alpha, region: eu}]
target: alpha
policies:
- apiVersion: policy.karmada.io/v1alpha1
  kind: OverridePolicy
  metadata: {name: o, namespace: shop}
  spec:
    overrideRules:
    - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [eu]}]}}
      overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}
resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}
expect:
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, labels: {a: VALUE}}}
";

#[test]
fn a_right_expectation_passes_and_a_flipped_one_fails_with_the_line() {
    assert_eq!(verdicts(&OVERRIDE.replace("VALUE", "b")), [Verdict::Passed]);
    let [Verdict::Failed(lines)] = &verdicts(&OVERRIDE.replace("VALUE", "c"))[..] else { panic!("must fail") };
    assert!(lines.iter().any(|l| l.starts_with('-') && l.contains("a: \"c\"")), "{lines:?}");
    assert!(lines.iter().any(|l| l.starts_with('+') && l.contains("a: \"b\"")), "{lines:?}");
}

#[test]
fn what_cannot_be_judged_never_passes() {
    assert!(matches!(&verdicts("kind: weather\nexpect: {}\n")[..], [Verdict::Skipped(why)] if why.contains("weather")));
    let without = OVERRIDE.split("expect:").next().unwrap();
    assert!(matches!(&verdicts(without)[..], [Verdict::Failed(_)]));
    let nowhere = OVERRIDE.replace("target: alpha", "target: beta");
    assert!(matches!(&verdicts(&nowhere)[..], [Verdict::Failed(_)]));
    let no_policy = OVERRIDE.replace("kind: OverridePolicy", "kind: Deployment");
    assert!(matches!(&verdicts(&no_policy)[..], [Verdict::Failed(why)] if why[0].contains("line 6")));
}

#[test]
fn many_documents_are_many_situations_and_the_name_is_the_files_where_none_is_given() {
    let source = Source::new(SourceKind::Situation, "some/case.yaml");
    let all = read("---\nkind: image\n---\nname: two\nkind: image\n", &source).unwrap();
    let named: Vec<(&str, u32)> = all.iter().map(|s| (s.name.as_str(), s.at.line)).collect();
    assert_eq!(named, [("case", 2), ("two", 4)]);
}

#[test]
fn no_number_in_a_file_is_too_great_to_count_with() {
    let most = i64::MAX.to_string();
    let numbers = ["0", "-3", "2147483648", "9223372036854775807", "99999999999999999999", "2.5", "null", "\"x\""];
    for (replicas, number) in numbers.iter().flat_map(|a| numbers.map(|b| (a, b))) {
        for strategy in [
            format!("weighted, weights: [{{clusters: {{}}, weight: {number}}}]"),
            "capacity".to_owned(),
            "packed".to_owned(),
            "duplicated".to_owned(),
        ] {
            let text = format!(
                "kind: placement
clusters: [{{name: a, availableReplicas: {most}}}, {{name: b, availableReplicas: {most}}}, {{name: c, availableReplicas: {number}}}]
policy:
  apiVersion: quarterdeck.dev/v1alpha1
  kind: Policy
  metadata: {{name: p}}
  resources: [{{kind: Deployment}}]
  placement:
    clusters: {{}}
    spread: [{{by: cluster, min: 1, max: {number}}}]
    replicas: {{mode: {strategy}, limits: [{{clusters: {{}}, min: {number}, max: {most}}}]}}
resource: {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {{replicas: {replicas}}}}}
previous: {{a: {most}, b: {most}, c: {number}}}
expect: {{}}
"
            );
            assert!(!verdicts(&text).is_empty());
        }
    }
}

#[test]
fn what_overrides_make_of_an_object_is_saved_and_passes() {
    use crate::desired::{
        engine::{
            Desired,
            tests::{POLICIES, WEB, inputs, read as objects},
        },
        object::ObjectKey,
    };
    let desired = Desired::of(inputs(objects(WEB, SourceKind::Manifest, "web.yaml"), None), None);
    let is = |key: &&ObjectKey| &*key.kind == "Deployment";
    let key = desired.keys().find(is).expect("there").clone();
    let (_, placed) = desired.named(&key).next().expect("placed");
    let documents = objects(POLICIES, SourceKind::Policy, "policies.yaml");
    let text = super::save::overrides(&desired, placed, 1, &documents).expect("it goes to b");
    assert!(text.contains("mirror.example/nginx") && text.contains("replicas: 2"), "{text}");
    assert_eq!(verdicts(&text), [Verdict::Passed]);
    assert!(matches!(
        &verdicts(&text.replace("mirror.example/nginx", "other.example/nginx"))[..],
        [Verdict::Failed(_)]
    ));
    assert_eq!(super::save::overrides(&desired, placed, 3, &documents), None, "it does not go to d");
}
