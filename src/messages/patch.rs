//! Texts of the area `patch`: overrides.

crate::messages! { "patch";
    // What admission refuses in an override policy.
    OTHER_NAMESPACE = "This OverridePolicy belongs to namespace {own} and may not name {namespace}: leave the field out, or use a ClusterOverridePolicy.",
        "该 OverridePolicy 属于命名空间 {own}，不能选择 {namespace}：请去掉此字段，或改用 ClusterOverridePolicy。";
    TWO_FORMS = "overrideRules stands beside the deprecated form of the same: move what is here into a rule.",
        "overrideRules 与已弃用的旧写法同时出现：请把这里的内容移入一条规则。";
    NO_POINTER = "`{path}` is no JSON pointer: it begins with a slash.", "“{path}”不是 JSON 指针：应以斜杠开头。";
    MARK = "`{key}: {value}` is nothing that Kubernetes takes as a label or an annotation: names have up to 63 letters, digits, -, _ and ., with an optional domain before a slash.",
        "Kubernetes 不接受“{key}: {value}”作为标签或注解：名称最多 63 个字符，可用字母、数字、-、_ 和 .，斜杠前可带域名。";
    MARKS_TOO_LARGE = "These annotations are larger than the 256 KiB that Kubernetes takes.", "这些注解超过了 Kubernetes 允许的 256 KiB。";
    BOTH_FORMS = "Both json and yaml are given: keep one of them.", "json 和 yaml 同时出现：请只保留一个。";
    NEITHER_FORM = "Neither json nor yaml is given: say what to change in the text.", "json 和 yaml 都没有：请写明要修改的内容。";
    VALUE_MISSING = "add and replace need a value.", "add 和 replace 需要 value。";
    VALUE_NEEDLESS = "remove takes no value.", "remove 不能带 value。";

    // Why an override could not be applied: nothing is overridden in that cluster then.
    FAILED_IMAGE = "{rule} fails: `{detail}` is no image reference.", "{rule} 失败：“{detail}”不是有效的镜像引用。";
    FAILED_PREDICATE = "{rule} fails: {detail} does not lead to an image.", "{rule} 失败：{detail} 没有指向镜像。";
    FAILED_FIELD = "{rule} fails: there is nothing at {detail}.", "{rule} 失败：{detail} 处没有内容。";
    FAILED_NOT_TEXT = "{rule} fails: what is at {detail} is no text.", "{rule} 失败：{detail} 处的内容不是文本。";
    FAILED_JSON = "{rule} fails: nothing can be done at {detail}, and so the cluster gets no update of this object.",
        "{rule} 失败：无法修改 {detail}，因此该集群不会收到此对象的更新。";
    FAILED_MERGE = "{rule} fails: the merge patch does not fit ({detail}).", "{rule} 失败：合并补丁不适用（{detail}）。";

    // Lints: what a policy says and what does not happen.
    LINT_FAILS = "For {object}: {cause}", "对于 {object}：{cause}";
    LINT_NO_OBJECT = "{rule} selects no object: check kind, apiVersion, namespace, name and labels.", "{rule} 没有选中任何对象：请检查 kind、apiVersion、命名空间、名称和标签。";
    LINT_NO_CLUSTER = "{rule} is for no cluster of the fleet: check its targetCluster.", "{rule} 不适用于任何集群：请检查 targetCluster。";
    LINT_KIND = "{rule} does nothing to {object}: containers are found in Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet and Job only. Name the image's path in a predicate, or use plaintext.",
        "{rule} 对 {object} 不起作用：只在 Pod、Deployment、ReplicaSet、StatefulSet、DaemonSet 和 Job 中查找容器。请在 predicate 中写明镜像路径，或改用 plaintext。";
    LINT_NO_PODS = "{rule} does nothing to {object}: it has no containers.", "{rule} 对 {object} 不起作用：其中没有容器。";
    LINT_CONTAINER = "{rule} does nothing to {object}: it has no container `{name}` where this rule looks.", "{rule} 对 {object} 不起作用：在规则查找的范围内没有名为“{name}”的容器。";
    LINT_TAG = "{rule} does nothing to {object}: `{value}` makes neither a tag nor a digest (write them without : or @ in front).",
        "{rule} 对 {object} 不起作用：“{value}”既不能成为标签也不能成为摘要（前面不要写 : 或 @）。";
    LINT_KEY = "{rule} skips `{key}` of {object}: it is not there, and only add creates it.", "{rule} 跳过了 {object} 的“{key}”：该键不存在，只有 add 会创建它。";
    LINT_GONE = "{rule} removes `{key}` from {object}, which is not there.", "{rule} 要从 {object} 删除的“{key}”并不存在。";
    LINT_SAME = "{rule} changes nothing in {object}: it says what is there already.", "{rule} 没有改变 {object}：内容与现有的相同。";
    LINT_DIGEST = "{rule} drops the digest of {image} in {object}: an image that has a tag keeps only the tag.", "{rule} 会丢掉 {object} 中 {image} 的摘要：带标签的镜像只保留标签。";
}
