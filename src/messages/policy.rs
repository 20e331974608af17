//! Texts of the area `policy`: policies, their faults, lints.

crate::messages! { "policy";
    // Our own policies: what is wrong with them.
    SAYS_NOTHING = "this policy has neither a placement nor overrides, so it does nothing; write one of them", "此策略既没有 placement 也没有 overrides，不起任何作用；请至少写一个";
    PLACES_NOTHING = "a placement needs resources: name the objects that it places, by kind, name or labels", "placement 需要 resources：请按 kind、name 或 labels 指明要放置的对象";
    EXACT_HERE = "{value} is taken letter by letter here, so a * or ? would fit nothing; choose by labels, or leave the key out for any", "此处按字面匹配 {value}，* 和 ? 不会匹配任何对象；请用 labels 选择，或省略该键表示任意";
    EMPTY_CHOICE = "no value stands here; leave the key out where any value will do", "此处没有值；如任意值均可，请省略该键";
    LABEL_GLOB = "labels are compared letter by letter, {value} would fit nothing; write whole values, or * alone for any value", "标签按字面比较，{value} 不会匹配任何集群；请写完整的值，或单独用 * 表示任意值";
    CLUSTERS_OR_FALLBACK = "clusters and fallback exclude each other; put the clusters into the first group of fallback", "clusters 与 fallback 不能同时使用；请把 clusters 写入 fallback 的第一个分组";
    NO_CLUSTERS_CHOSEN = "no clusters are chosen; write clusters or fallback, and clusters: {braces} where every cluster is meant", "未选择集群；请写 clusters 或 fallback，如指所有集群请写 clusters: {braces}";
    NAME_TWICE = "{value} stands here twice; each may be given once", "{value} 重复出现；只能写一次";
    MIN_OVER_MAX = "min is larger than max, so nothing could ever fit", "min 大于 max，永远无法满足";
    WEIGHTS_NEED_MODE = "weights count with mode: weighted only; take that mode, or take the weights out", "weights 仅在 mode: weighted 时有效；请改用该模式，或删除 weights";
    RULE_DOES_NOTHING = "this rule changes nothing; write what differs (images, env, patch ...) or take it out", "此规则不做任何更改；请写明差异（images、env、patch 等）或删除它";
    STEP_DOES_NOTHING = "nothing is changed here; write what is set, added or removed, or take it out", "此处不做任何更改；请写明要设置、添加或删除的内容，或删除此项";
    TAG_OR_DIGEST = "an image has a tag or a digest; give one of the two", "镜像只能有标签或摘要之一；请只写一个";
    NOT_AN_IMAGE_PART = "{value} cannot be this part of an image; write parts as registry: hub.example:5000, repository: team/app, tag: v2, digest: sha256:...", "{value} 不能作为镜像的这一部分；写法如 registry: hub.example:5000、repository: team/app、tag: v2、digest: sha256:...";
    NOT_A_POINTER = "{value} is no JSON pointer; it begins with a slash, as in /spec/template/spec/containers/0/image", "{value} 不是 JSON 指针；应以斜杠开头，如 /spec/template/spec/containers/0/image";
    NOT_A_VARIABLE = "a variable is a text, or a map with valueFrom and nothing else", "变量应为文本，或只含 valueFrom 的映射";
    NEEDED_BY_THIS_OP = "{op} needs the key {key}", "{op} 需要键 {key}";
    NOT_WITH_THIS_OP = "{op} takes no {key}; take it out, or use another op", "{op} 不需要 {key}；请删除它，或改用其他 op";
    PATH_OR_CONTAINER = "path and container exclude each other; give one of the two, or neither for all containers", "path 与 container 不能同时使用；请只写一个，都不写则表示所有容器";

    // The fleet file's desired state.
    ONE_SOURCE = "a source is one of plain, kustomize and helm; this one has {n} of them", "来源只能是 plain、kustomize、helm 之一；此处有 {n} 个";
    HELM_ONLY = "{key} belongs to a helm source; take it out, or write helm: CHART", "{key} 只用于 helm 来源；请删除它，或写 helm: CHART";
    NEEDS_CLUSTER_PLACE = "{value} holds no {place}, so it would be the same for every cluster; write it where the cluster's name belongs", "{value} 中没有 {place}，对所有集群都相同；请在集群名称的位置写上它";
    SERVICE_TWICE = "service {name} is already described in line {line}; put its sources there", "服务 {name} 已在第 {line} 行描述；请把来源写在那里";
    NO_SOURCE = "a service needs at least one source", "服务至少需要一个来源";
    LATER_SOURCE_IDLE = "the source in line {line} fits every cluster, so this one is never used; put it first, or give that one clusters", "第 {line} 行的来源匹配所有集群，此来源永远不会使用；请把它放在前面，或为那一个指定 clusters";
    NO_SUCH_FILE = "{file} does not exist; paths are relative to the fleet file's folder", "{file} 不存在；路径相对于 fleet 文件所在目录";
    NO_FILE_FITS = "no file fits {file}; paths are relative to the fleet file's folder", "没有文件匹配 {file}；路径相对于 fleet 文件所在目录";
    NO_SUCH_HUB = "no cluster is called {name}; the hub is named as the fleet names its clusters", "没有名为 {name} 的集群；hub 使用集群群中的集群名称";

    // Lints: what has no effect, or another one than it seems.
    SELECTOR_NOTHING = "{policy}: no object of any service fits {selector}; take the selector out, or correct it", "{policy}：没有任何服务的对象匹配 {selector}；请删除或更正该选择器";
    SELECTOR_BROKEN = "{policy}: the labels of {selector} break the rules of Kubernetes, so it fits nothing; correct operator, key or values", "{policy}：{selector} 的标签不符合 Kubernetes 规则，不匹配任何对象；请更正操作符、键或值";
    SELECTOR_OTHER_VERSION = "{policy}: no object fits {selector}; there is one with apiVersion {other}, and versions are compared letter by letter", "{policy}：没有对象匹配 {selector}；存在 apiVersion 为 {other} 的对象，而版本按字面比较";
    SELECTOR_OTHER_NAMESPACE = "{policy}: no object fits {selector}; there is one in namespace {other}", "{policy}：没有对象匹配 {selector}；命名空间 {other} 中有一个";
    SELECTOR_NO_NAMESPACE = "{policy}: no object fits {selector}; there is one whose manifest names no namespace; write it there", "{policy}：没有对象匹配 {selector}；有一个对象的清单未写命名空间；请在清单中写明";
    SELECTOR_NEAR = "{policy}: no object fits {selector}; did you mean {near}?", "{policy}：没有对象匹配 {selector}；是否想写 {near}？";
    AFFINITY_NOTHING = "{policy}: its clusters fit no cluster of the fleet, so nothing is placed", "{policy}：所选集群与集群群中的任何集群都不匹配，因此不会放置任何对象";
    AFFINITY_BROKEN = "{policy}: its choice of clusters breaks the rules of Kubernetes, so it fits nothing; correct operator, key or values", "{policy}：集群选择不符合 Kubernetes 规则，不匹配任何集群；请更正操作符、键或值";
    GROUP_NOTHING = "{policy}: group {group} fits no cluster of the fleet, so it is always passed over", "{policy}：分组 {group} 与集群群中的任何集群都不匹配，总会被跳过";
    UNKNOWN_CLUSTER = "{policy}: the fleet has no cluster {name}; take it out, or correct the name", "{policy}：集群群中没有集群 {name}；请删除或更正名称";
    UNKNOWN_CLUSTER_NEAR = "{policy}: the fleet has no cluster {name}; did you mean {near}?", "{policy}：集群群中没有集群 {name}；是否想写 {near}？";
    TAINTS_REFUSE = "{policy}: each of its clusters has a taint that is not borne ({taints}), so nothing new is placed; add a toleration", "{policy}：其每个集群都有未容忍的污点（{taints}），不会放置新的副本；请添加容忍";
    TOLERATION_IDLE = "{policy}: the toleration of {key} is for PreferNoSchedule, which keeps nothing away; take it out, or give another effect", "{policy}：对 {key} 的容忍针对 PreferNoSchedule，而它不会阻止任何放置；请删除，或改用其他 effect";
    TOLERATION_SECONDS = "{policy}: tolerationSeconds of {key} plays no part in placement, the taint is borne for good; the seconds count where Karmada's eviction by taints is on", "{policy}：{key} 的 tolerationSeconds 不影响放置，该污点会被一直容忍；仅在启用 Karmada 污点驱逐时才有效";
    SPREAD_WITH_WEIGHTS = "{policy}: with fixed weights the limits of the spread by {by} do not count, every cluster is used; divide by room, or choose the clusters", "{policy}：使用固定权重时，按 {by} 的分布限制不起作用，会使用所有集群；请按余量划分，或直接选择集群";
    SPREAD_PROPERTY_ONLY = "{policy}: a spread by {by} does not spread; it only leaves out clusters that have no {by}", "{policy}：按 {by} 分布不会真正分散，只会排除没有 {by} 的集群";
    SPREAD_BY_LABEL = "{policy}: a spread by the label {by} is not supported; alone it fails, beside others it does nothing", "{policy}：不支持按标签 {by} 分布；单独使用会失败，与其他限制并用则不起作用";
    SPREAD_NO_MAX = "{policy}: the spread by {by} has no maxGroups, which counts as 0, so nothing can be selected; give one", "{policy}：按 {by} 的分布没有 maxGroups，按 0 计算，无法选中任何集群；请指定";
    SPREAD_MIN_ALONE = "{policy}: the spread by {by} has minGroups {min} alone; without maxGroups nothing can be selected; give both", "{policy}：按 {by} 的分布只有 minGroups {min}；没有 maxGroups 就无法选中任何集群；请同时指定";
    SPREAD_OUT_OF_REACH = "{policy}: the spread by {by} wants at least {min}, its clusters have {n}, so nothing is placed", "{policy}：按 {by} 的分布至少需要 {min} 个，所选集群只有 {n} 个，因此不会放置任何对象";
    WEIGHTS_ALL_IDLE = "{policy}: no weight is for one of its clusters, so all of them weigh the same", "{policy}：没有任何权重对应其集群，因此所有集群权重相同";
    WEIGHT_IDLE = "{policy}: weight {weight} (number {n}) is for none of its clusters, so it has no effect", "{policy}：第 {n} 项权重 {weight} 不对应其任何集群，不起作用";
    CLUSTER_WITHOUT_WEIGHT = "{policy}: no weight is for {clusters}, so they get no replicas while others have a weight", "{policy}：{clusters} 没有权重，其他集群有权重时它们不会得到副本";
    LIMIT_OUTSIDE = "{policy}: limit number {n} is for none of its clusters, so it has no effect", "{policy}：第 {n} 项限制不对应其任何集群，不起作用";
    LIMIT_LATE = "{policy}: limit number {n} never counts, an earlier one is for all of its clusters; put it first", "{policy}：第 {n} 项限制永远不起作用，前面的限制已覆盖其所有集群；请把它放在前面";
    CAPACITY_IGNORED = "{policy}: {object} goes to every cluster with all {n} replicas, whatever the room; too small: {clusters}", "{policy}：{object} 的全部 {n} 个副本会放到每个集群，不考虑余量；余量不足：{clusters}";
    PREEMPTION_OFF = "{policy}: preemption: Always takes effect only where Karmada's feature PropagationPolicyPreemption is on; it is off by default", "{policy}：preemption: Always 仅在启用 Karmada 特性 PropagationPolicyPreemption 时有效；默认关闭";
    NEVER_PROPAGATED = "{policy}: {object} ({n} in all) is of a system namespace, or claimed by another feature; Karmada never propagates it", "{policy}：{object}（共 {n} 个）属于系统命名空间，或已被其他功能占用；Karmada 不会分发它";
    SYSTEMS_OVERLAP = "{policy}: {winner} ({place}) of another system is about {object} too ({n} in all) and places it; our own policies come first", "{policy}：另一系统的 {winner}（{place}）也涉及 {object}（共 {n} 个）并负责放置；我们自己的策略优先";
    PRIORITY_IGNORED = "{policy}: its priority {priority} does not count against {winner} ({place}, priority {other}): policies of the namespace always come before cluster-wide ones, for {object} ({n} in all)", "{policy}：其优先级 {priority} 对 {winner}（{place}，优先级 {other}）不起作用：命名空间内的策略总是先于集群级策略，涉及 {object}（共 {n} 个）";
    SHADOWED_NAMESPACE = "{policy}: places nothing; {object} ({n} in all) belongs to {winner} ({place}): policies of the namespace come before cluster-wide ones", "{policy}：不放置任何对象；{object}（共 {n} 个）属于 {winner}（{place}）：命名空间内的策略先于集群级策略";
    SHADOWED_PRIORITY = "{policy}: places nothing; {object} ({n} in all) belongs to {winner} ({place}), whose priority {other} is higher than {priority}", "{policy}：不放置任何对象；{object}（共 {n} 个）属于 {winner}（{place}），其优先级 {other} 高于 {priority}";
    SHADOWED_PRECISION = "{policy}: places nothing; {object} ({n} in all) belongs to {winner} ({place}), which names it more exactly", "{policy}：不放置任何对象；{object}（共 {n} 个）属于 {winner}（{place}），后者的指定更精确";
    SHADOWED_NAME = "{policy}: places nothing; {object} ({n} in all) belongs to {winner} ({place}), whose name comes first among equals", "{policy}：不放置任何对象；{object}（共 {n} 个）属于 {winner}（{place}），同等条件下其名称排在前面";
    POLICY_TWICE = "{policy} stands in {place} too; give one of them another name, or take it out", "{policy} 在 {place} 也有定义；请为其中之一改名，或删除它";
    DEPENDENT_OVERRIDE_MISSING = "{policy}: waits for the override policy {name}, which does not exist in its scope; nothing is placed until it does", "{policy}：正在等待其范围内不存在的覆盖策略 {name}；在它出现之前不会放置任何对象";
    OVERRIDE_NEVER_EFFECTIVE = "{rule}: it is for {clusters}, but none of its objects goes there, so it never takes effect", "{rule}：针对 {clusters}，但其对象都不会放到那里，因此永远不会生效";
    OVERRIDE_OVERWRITTEN = "{rule}: nothing of it is left in {object}, {winner} ({place}) has the last word; take one of them out", "{rule}：在 {object} 中没有留下任何效果，最终以 {winner}（{place}）为准；请删除其中之一";
    OVERRIDES_OVERLAP = "{policy}: {other} ({place}) of another system changes {object} too; ours comes last", "{policy}：另一系统的 {other}（{place}）也会修改 {object}；我们的策略最后生效";
    ENVIRONMENT_BOUND = "{object}: {field} belongs to an environment, but stands in the application layer; move it to an overlay, to values or to an override", "{object}：{field} 与环境相关，却写在应用层；请移到 overlay、values 或 override 中";
    OBJECT_IN_TWO_SERVICES = "{object} is declared by several services: {services}; let one of them have it", "{object} 由多个服务声明：{services}；请只保留一个";
    SERVICE_NOWHERE = "service {service}: no policy is about its objects and its sources name no clusters, so it goes nowhere", "服务 {service}：没有策略涉及其对象，来源也未指定集群，因此不会放到任何集群";
    OBJECT_WITHOUT_POLICY = "{object}: no policy is about it, though others of service {service} are placed; it goes nowhere", "{object}：没有策略涉及它，而服务 {service} 的其他对象已放置；它不会放到任何集群";

    // What `info` says.
    I_DESIRED = "Desired state", "期望状态";
    I_SERVICE = "service", "服务";
    I_POLICIES = "policies", "策略";
    I_HUB = "hub cluster", "中心集群";
    I_SOURCES = "sources: {n}", "来源：{n}";
    I_FILES = "files: {n}", "文件：{n}";

    // Faults of Karmada's placement policies.
    WRONG_TYPE = "here stands {is}, where {wanted} is expected", "此处是 {is}，应为 {wanted}";
    MISSING = "this field is missing; the API server refuses the policy without it", "缺少该字段；API 服务器会因此拒绝此策略";
    NOT_ONE_OF = "{word} is not allowed here; the words are {words}", "此处不允许 {word}；可用的值为 {words}";
    WRONG_LENGTH = "the name must be 1 to {most} characters long", "名称长度必须为 1 到 {most} 个字符";
    TOO_SMALL = "{n} is too small; the least is {least}", "{n} 太小；最小值为 {least}";
    TOO_BIG = "{n} does not fit into 32 bits", "{n} 超出 32 位整数的范围";
    OTHER_NAMESPACE = "a policy of the namespace {wanted} cannot select objects of {is}; use a ClusterPropagationPolicy, or leave the namespace out", "命名空间 {wanted} 中的策略不能选择 {is} 中的对象；请改用 ClusterPropagationPolicy，或去掉该命名空间";
    PREEMPTION_NEEDS_NAMES = "with preemption Always every selector must name its object; without a name it could take over more than is meant", "preemption 为 Always 时，每个选择器都必须写明对象名称；否则可能抢占到意料之外的对象";
    SUSPENDED_TWICE = "dispatching suspends all clusters and dispatchingOnClusters some of them; keep one of the two", "dispatching 会暂停所有集群，dispatchingOnClusters 只暂停部分集群；两者请只保留一个";
    NOT_A_LABEL_KEY = "{name} is not a valid label key: up to 63 letters, digits, -, _ and ., with a letter or digit at both ends; a domain and a slash may stand before it", "{name} 不是有效的标签键：最多 63 个字母、数字、-、_、.，首尾须为字母或数字；前面可加域名和斜杠";
    FAILOVER_NEEDS_DEPENDENCIES = "failover.application needs propagateDeps: true", "设置 failover.application 时，propagateDeps 必须为 true";
    NEGATIVE_SECONDS = "the number of seconds must not be negative", "秒数不能为负";
    GRACE_NOT_POSITIVE = "the grace period must be longer than 0 seconds", "宽限期必须大于 0 秒";
    GRACE_WITHOUT_GRACEFULLY = "a grace period counts only with purgeMode Gracefully, not with {mode}", "宽限期只在 purgeMode 为 Gracefully 时有效，不适用于 {mode}";
    FIELD_SELECTOR = "{word} cannot be used here: a field selector knows the keys provider, region and zone and the operators In and NotIn", "此处不能使用 {word}：字段选择器只支持键 provider、region、zone 和运算符 In、NotIn";
    BOTH_AFFINITIES = "clusterAffinity and clusterAffinities exclude each other; keep one of the two", "clusterAffinity 与 clusterAffinities 不能同时设置；请只保留一个";
    GROUP_NAME_TWICE = "the name {name} stands twice; every group and every overflow needs one of its own", "名称 {name} 重复；每个分组和每个溢出项都必须有自己的名称";
    OVERFLOW_NEEDS_ROOM = "overflowAffinities count only where replicas are divided by room (Aggregated, or a dynamicWeight)", "overflowAffinities 只适用于按可用容量分配副本的策略（Aggregated 或设置了 dynamicWeight）";
    OVERFLOW_NEEDS_AFFINITY = "overflowAffinities need a group that says which clusters come first (labelSelector, fieldSelector, clusterNames or exclude)", "overflowAffinities 所在的分组必须先指定首选集群（labelSelector、fieldSelector、clusterNames 或 exclude）";
    TOLERATION_OPERATOR = "the operator {word} is not allowed for clusters; use Exists or Equal", "集群容忍不支持运算符 {word}；请使用 Exists 或 Equal";
    SPREAD_BOTH = "spreadByField and spreadByLabel exclude each other; keep one of the two", "spreadByField 与 spreadByLabel 不能同时设置；请只保留一个";
    SPREAD_NEGATIVE = "minGroups and maxGroups must not be negative", "minGroups 和 maxGroups 不能为负";
    SPREAD_MAX_BELOW_MIN = "maxGroups is less than minGroups", "maxGroups 小于 minGroups";
    SPREAD_TWICE = "this field is constrained twice; one constraint per field is allowed", "同一字段设置了两次约束；每个字段只允许一个约束";
    SPREAD_NEEDS_CLUSTER = "a constraint on region, zone or provider needs one on cluster beside it (spreadByField: cluster, with its maxGroups)", "对 region、zone 或 provider 的约束必须同时有一个对 cluster 的约束（spreadByField: cluster，并写明 maxGroups）";
    WORKLOAD_AFFINITY_SAME_KEY = "affinity and antiAffinity both use the key {name}; they need different ones", "affinity 与 antiAffinity 使用了同一个键 {name}；两者必须不同";
}
