//! Texts of the area `placement`: who goes where, and why.

crate::messages! { "placement";
    // How sentences, clauses and names follow one another.
    TWO_SENTENCES = "{first} {second}", "{first}{second}";
    CLAUSE_GAP = "; ", "；";
    LIST_GAP = ", ", "、";

    // The whole.
    W_NOTHING_HAPPENED = "Nothing happened that would place it again: it stays in {n} of {all} clusters.", "没有发生需要重新放置的变化：仍在 {all} 个集群中的 {n} 个。";
    W_UNCOUNTED = "It has no replicas to divide and goes to {n} of {all} clusters.", "它没有需要分配的副本，部署到 {all} 个集群中的 {n} 个。";
    W_NONE_WANTED = "No replicas are wanted, and a workload without any goes to no cluster.", "期望副本数为 0，没有副本的工作负载不会部署到任何集群。";
    W_EVERY = "Each of {n} clusters (of {all}) gets all of its replicas: {replicas}.", "{all} 个集群中的 {n} 个各得到全部 {replicas} 个副本。";
    W_STATIC = "Its replicas ({replicas}) are divided by fixed weights and lie in {n} of {all} clusters.", "{replicas} 个副本按固定权重分配到 {all} 个集群中的 {n} 个。";
    W_DYNAMIC = "Its replicas ({replicas}) are divided by room and lie in {n} of {all} clusters.", "{replicas} 个副本按可用容量分配到 {all} 个集群中的 {n} 个。";
    W_AGGREGATED = "Its replicas ({replicas}) are put into as few clusters as have room: {n} of {all}.", "{replicas} 个副本集中放置到容量足够的最少集群中：{all} 个中的 {n} 个。";
    W_KEPT = "Its replicas ({replicas}) stay where they are, in {n} of {all} clusters: their number has not changed.", "{replicas} 个副本保持在原处，位于 {all} 个集群中的 {n} 个：副本总数没有变化。";
    F_NO_CLUSTER_FIT = "None of {all} clusters passes every filter; the former result is cleared.", "{all} 个集群都未通过全部过滤条件；原有结果被清除。";
    F_UNSCHEDULABLE = "The clusters that fit have room for {room} in all, and {replicas} are wanted; the former result stays.", "符合条件的集群总容量为 {room}，而期望 {replicas} 个副本；保留原有结果。";
    F_MIN_GROUPS = "There are fewer clusters or regions than must be used at least; the former result stays.", "可用的集群或地域少于要求的最小数量；保留原有结果。";
    F_NO_ENOUGH_RESOURCE = "The clusters that may be selected have room for {room} in all, and {replicas} are wanted; the former result stays.", "允许选择的集群总容量为 {room}，而期望 {replicas} 个副本；保留原有结果。";
    F_NOTHING_SELECTED = "Nothing can be selected: a spread constraint without maxGroups allows 0 clusters; the former result stays.", "无法选出任何集群：未写 maxGroups 的分布约束只允许 0 个集群；保留原有结果。";
    F_UNSUPPORTED_SPREAD = "Spreading by a label is not supported; constrain clusters or regions. The former result stays.", "不支持按标签分布；请约束集群或地域。保留原有结果。";
    G_IN_USE = "Group {group} is in use.", "正在使用分组 {group}。";
    G_AFTER = "Group {group} is in use, as these failed before it: {failed}.", "正在使用分组 {group}，因为此前的分组失败：{failed}。";
    G_ALL_FAILED = "Group {group} stays in use; these were tried and failed: {failed}.", "仍使用分组 {group}；已尝试并失败的分组：{failed}。";
    L_LEFT_OUT = "The limits of the policy leave {n} of them without a cluster.", "受策略限制，其中 {n} 个副本没有集群可放。";
    L_ADDED = "The limits of the policy add {n} to what is wanted.", "受策略限制，副本比期望多 {n} 个。";

    // A cluster that gets something.
    C_UNCOUNTED = "{cluster} gets it; there are no replicas to divide.", "{cluster} 会部署它；没有需要分配的副本。";
    C_EVERY = "{cluster} gets all {n}, as every selected cluster does.", "{cluster} 得到全部 {n} 个，与其他选中的集群一样。";
    C_WEIGHTED = "{cluster} gets {n} of {pot}: its weight is {weight} of {weights}.", "{cluster} 得到 {pot} 个中的 {n} 个：其权重为 {weight}，总权重 {weights}。";
    C_KEPT = "{cluster} keeps its {n}: the number wanted has not changed.", "{cluster} 保持 {n} 个：期望总数没有变化。";
    C_GROWN = "{cluster} gets {n}: it held {held}, and takes {extra} of the {pot} that are missing by its free room of {weight} (of {weights}).", "{cluster} 得到 {n} 个：原有 {held} 个，并按空闲容量 {weight}（共 {weights}）承担所缺 {pot} 个中的 {extra} 个。";
    C_HOLDS = "{cluster} keeps its {n}; its free room of {weight} (of {weights}) earns it none of the {pot} that are missing.", "{cluster} 保持 {n} 个；其空闲容量 {weight}（共 {weights}）分不到所缺的 {pot} 个。";
    C_NEW = "{cluster} takes {n} of the {pot} that are missing by its free room of {weight} (of {weights}).", "{cluster} 按空闲容量 {weight}（共 {weights}）承担所缺 {pot} 个中的 {n} 个。";
    C_SUFFICES = "{cluster} keeps its {n}: the clusters before it take what is missing.", "{cluster} 保持 {n} 个：所缺的由排在它前面的集群承担。";
    C_SHRUNK = "{cluster} keeps {n} of its {held}: the {pot} that are wanted are divided by what each held ({weight} of {weights}).", "{cluster} 保留原有 {held} 个中的 {n} 个：期望的 {pot} 个按各集群原有数量分配（{weight}，共 {weights}）。";
    C_AFRESH = "{cluster} gets {n} of {pot}, divided afresh by room: {weight} of {weights}.", "{cluster} 得到 {pot} 个中的 {n} 个，按容量重新分配：{weight}，共 {weights}。";
    C_LIMITED = "{cluster} gets {n}: the division gave {dealt}, the limits of the policy made it {n}.", "{cluster} 得到 {n} 个：分配结果为 {dealt}，经策略限制调整为 {n}。";
    C_STAYS = "{cluster} keeps its {n}: nothing happened that would place it again.", "{cluster} 保持 {n} 个：没有发生需要重新放置的变化。";
    C_STAYS_OUT = "{cluster} has none and gets none: nothing happened that would place it again.", "{cluster} 原本没有，也不会得到：没有发生需要重新放置的变化。";
    C_FORMER = "{cluster} keeps the {held} it had, as the former result stays: {why}.", "{cluster} 保持原有的 {held} 个，因为保留原有结果：{why}。";
    C_OUT = "{cluster} gets nothing: {why}.", "{cluster} 不会得到：{why}。";

    // Why a cluster gets nothing: filters, all of them.
    B_DELETING = "it is being taken out of the fleet", "它正在从集群群中移除";
    B_EXCLUDED = "it is excluded by name", "它已按名称排除";
    B_LABELS = "its labels do not match", "其标签不匹配";
    B_NAME = "it is not among the clusters that are named", "它不在列出的集群之中";
    B_BROKEN = "the selector of clusters is broken and matches none", "集群选择器有误，不匹配任何集群";
    B_FIELD = "its {field} does not match", "其 {field} 不匹配";
    B_GROUP = "it is not in group {group} ({why})", "它不属于分组 {group}（{why}）";
    B_TAINT = "it has taints that are not tolerated ({taints})", "它有未被容忍的污点（{taints}）";
    B_API = "it does not serve {api}", "它不提供 {api}";
    B_PROPERTY = "it lacks what the spread is counted by ({properties})", "它缺少分布约束所依据的属性（{properties}）";
    B_EVICTING = "the object is being moved away from it", "该对象正从它迁出";

    // Why a cluster gets nothing: it would do, but.
    O_BEYOND = "at most {most} clusters may be used, and it is number {place} (score {score}, room {room})", "最多使用 {most} 个集群，而它排在第 {place} 位（得分 {score}，容量 {room}）";
    O_SWAPPED_OUT = "it gave way to a cluster with more room than its {room}", "它让位给容量比其 {room} 更大的集群";
    O_REGION_LOST = "its region {region} was not chosen (worth {worth})", "其地域 {region} 未被选中（评分 {worth}）";
    O_REGION_BEYOND = "its region {region} is chosen, but at most {most} clusters may be used and others come first", "其地域 {region} 已选中，但最多使用 {most} 个集群，其他集群在前";
    O_FAILED = "it would do, but the placement as a whole failed", "它本身符合条件，但整体放置失败";
    O_NONE_WANTED = "no replicas are wanted", "期望副本数为 0";
    O_LIMITED = "the division gave {dealt}, the limits of the policy allow none", "分配结果为 {dealt}，但策略限制不允许";
    O_UNWEIGHTED = "no weight is given for it", "没有为它指定权重";
    O_LIGHT = "its weight of {weight} (of {weights}) is too small for one of {pot}", "其权重 {weight}（共 {weights}）太小，分不到 {pot} 个中的任何一个";
    O_KEPT = "it holds none, and the number wanted has not changed", "它原本没有，且期望总数没有变化";
    O_TIER_NOT_NEEDED = "it is an overflow, and the clusters before it have room enough", "它属于溢出层，前面的集群容量已足够";
    O_SHRUNK = "what it held ({held}) is too small a part for one of {pot}", "它原有的 {held} 个占比太小，分不到 {pot} 个中的任何一个";
    O_NEWCOMER = "replicas are being taken away, and it holds none", "正在缩减副本，而它原本没有";
    O_NOT_NEEDED = "the clusters before it suffice", "排在它前面的集群已足够";
    O_NO_ROOM = "it has no free room", "它没有空闲容量";
    O_LITTLE_ROOM = "its room of {weight} (of {weights}) is too small a part for one of {pot}", "其容量 {weight}（共 {weights}）占比太小，分不到 {pot} 个中的任何一个";

    // Which policy owns an object.
    OWN_ALONE = "{policy} owns it; no other policy that counts here matches.", "{policy} 拥有它；没有其他在此生效的策略匹配。";
    OWN_NATIVE = "{policy} owns it: our own policies come before those of other systems.", "{policy} 拥有它：自有策略先于其他系统的策略。";
    OWN_PRIORITY = "{policy} owns it: its priority of {priority} is the highest of the {n} policies that match.", "{policy} 拥有它：在匹配的 {n} 个策略中，其优先级 {priority} 最高。";
    OWN_BY_NAME = "{policy} owns it: of the {n} policies that match, it has the highest priority and selects it by name.", "{policy} 拥有它：在匹配的 {n} 个策略中，它优先级最高，且按名称选择该对象。";
    OWN_BY_LABELS = "{policy} owns it: of the {n} policies that match, it has the highest priority and selects it by labels, others by kind alone.", "{policy} 拥有它：在匹配的 {n} 个策略中，它优先级最高，且按标签选择该对象，其他策略只按类型选择。";
    OWN_FIRST_NAME = "{policy} owns it: of the {n} policies that match, others are as good, and its name comes first.", "{policy} 拥有它：匹配的 {n} 个策略中有同样合适的，而它的名称排在最前。";
    OWN_NAMESPACE = "{policy} owns it: policies of the object's namespace come before cluster-wide ones, whatever their priority.", "{policy} 拥有它：对象所在命名空间的策略先于集群级策略，与优先级无关。";
    OWN_CLAIMED = "{policy} owns it: it did so before, and a better policy does not take over.", "{policy} 拥有它：此前即由它拥有，更合适的策略也不会接管。";
    OWN_PREEMPTED = "{policy} owns it: it may take over what others own (preemption).", "{policy} 拥有它：它允许接管其他策略拥有的对象（preemption）。";
    OWN_NONE = "No policy matches it; it goes to no cluster.", "没有策略匹配它；它不会部署到任何集群。";
    OWN_RESERVED = "Karmada never propagates it: its namespace is a system namespace, or another feature owns it.", "Karmada 从不分发它：其命名空间属于系统命名空间，或它由其他功能拥有。";
}
