//! Defaults of a HorizontalPodAutoscaler (N46).

use serde_json::json;

use super::{Fields, child, holds, inner, set};

/// Defaults by type.
pub(super) fn of_type(name: &str, fields: &mut Fields) {
    if name != "HorizontalPodAutoscalerSpec" {
        return;
    }
    set(fields, "minReplicas", 1);
    if !holds(fields, "metrics") {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        fields.insert("metrics".into(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
    // Touching the behaviour completes both directions.
    inner(fields, "behavior", |behavior| {
        let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
        let up = child(behavior, "scaleUp");
        set(up, "stabilizationWindowSeconds", 0);
        set(up, "selectPolicy", "Max");
        set(up, "policies", json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, percent.clone()]));
        let down = child(behavior, "scaleDown");
        set(down, "selectPolicy", "Max");
        set(down, "policies", json!([percent]));
    });
}
