//! Karmada's cluster affinity: `labelSelector`, `fieldSelector`, `clusterNames`, `exclude`.

use crate::desired::{
    selector::{Affinity, Field, LabelSelector, Operator, Requirement, is_label_value},
    tree::Node,
};

/// Reads an affinity. A field selector that breaks the rules of admission (a key other than provider, region and zone, an
/// operator other than `In` and `NotIn`) is told by its words in the second part; the affinity itself is then broken.
pub fn read(node: &Node) -> (Affinity, Vec<String>) {
    let words = |key: &str| node.items_of(key).iter().filter_map(Node::as_str).map(Into::into).collect();
    let mut wrong = Vec::new();
    let mut affinity = Affinity {
        labels: node.get("labelSelector").map(LabelSelector::read),
        names: words("clusterNames"),
        exclude: words("exclude"),
        exact: true,
        ..Affinity::default()
    };
    for expression in node.get("fieldSelector").map(|f| f.items_of("matchExpressions")).unwrap_or_default() {
        let field = match expression.str_of("key") {
            "provider" => Some(Field::Provider),
            "region" => Some(Field::Region),
            "zone" => Some(Field::Zone),
            _ => None,
        };
        let operator = match expression.str_of("operator") {
            "In" => Some(Operator::In),
            "NotIn" => Some(Operator::NotIn),
            _ => None,
        };
        let values: Vec<String> =
            expression.items_of("values").iter().filter_map(Node::as_str).map(str::to_owned).collect();
        // Zones are compared by Karmada's own code; the other two through a label selector, which refuses these.
        let refused = values.is_empty() || !values.iter().all(|v| is_label_value(v));
        affinity.broken |= refused && matches!(field, Some(Field::Provider | Field::Region));
        match (field, operator) {
            (Some(key), Some(operator)) => affinity.fields.push(Requirement { key, operator, values }),
            (None, _) => wrong.push(expression.str_of("key").to_owned()),
            (_, None) => wrong.push(expression.str_of("operator").to_owned()),
        }
    }
    affinity.broken |= !wrong.is_empty();
    (affinity, wrong)
}
