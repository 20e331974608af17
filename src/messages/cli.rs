//! Texts of the area `cli`: the commands and the configuration.

crate::messages! { "cli";
    // Files of the configuration.
    FILE_UNREADABLE = "cannot be read: {detail}", "无法读取：{detail}";
    FILE_NOT_YAML = "is not valid YAML: {detail}", "不是有效的 YAML：{detail}";
    KUBECONFIG_EMPTY = "this kubeconfig is empty; it is looked at again when it changes", "此 kubeconfig 为空；文件变化后会重新读取";
    KUBECONFIG_NO_MAP = "this is no kubeconfig: a map with clusters, users and contexts was expected", "这不是 kubeconfig：应为包含 clusters、users 和 contexts 的映射";
    KUBECONFIG_NO_LIST = "a list was expected here; this part is left out", "此处应为列表；已忽略这一部分";
    KUBECONFIG_BAD_ENTRY = "this entry needs a name and a {body} map; it is left out", "此条目需要 name 和 {body} 映射；已忽略该条目";
    KUBECONFIG_NOT_THERE = "this kubeconfig does not exist; give the path of a file that does", "此 kubeconfig 不存在；请指定存在的文件";
    NAME_TAKEN = "{what} {name} is already defined in {first}; as with kubectl, the first one is used and this one is not", "{what} {name} 已在 {first} 中定义；与 kubectl 相同，使用先定义的一个，此处的定义不生效";
    CONTEXT_WITHOUT_CLUSTER = "context {context} names cluster {name}, which no kubeconfig defines", "上下文 {context} 引用的集群 {name} 未在任何 kubeconfig 中定义";
    CONTEXT_WITHOUT_USER = "context {context} names user {name}, which no kubeconfig defines", "上下文 {context} 引用的用户 {name} 未在任何 kubeconfig 中定义";
    CLUSTER_WITHOUT_SERVER = "cluster {name} has no server address", "集群 {name} 没有服务器地址";
    PEM_UNREADABLE = "{name}: cannot read {file}: {detail}", "{name}：无法读取 {file}：{detail}";
    NOT_BASE64 = "{name}: this is not valid base64", "{name}：不是有效的 base64";
    NOT_PEM = "{name}: no PEM block (-----BEGIN ...) in here", "{name}：其中没有 PEM 块（-----BEGIN ...）";
    HALF_A_PAIR = "{name}: a client certificate needs its key, and a key its certificate; this half is missing", "{name}：客户端证书和密钥必须成对；缺少这一半";
    EXEC_WITHOUT_COMMAND = "{name}: the credential plugin has no command", "{name}：凭据插件没有 command";
    JOINED = "{second} leads to the same API server as the same user as {first}; they are shown as one cluster", "{second} 与 {first} 以同一用户访问同一 API 服务器；合并显示为一个集群";
    NO_SUCH_CONTEXT = "context {context} is in no kubeconfig", "任何 kubeconfig 中都没有上下文 {context}";
    NO_SUCH_CONTEXT_NEAR = "context {context} is in no kubeconfig; did you mean {near}?", "任何 kubeconfig 中都没有上下文 {context}；是否想写 {near}？";
    AT_PLACE = "{place}: {text}", "{place}：{text}";
    NO_CLUSTERS = "no cluster found here; set KUBECONFIG, give --kubeconfig FILE, or look at the demo: quarterdeck demo", "这里没有找到集群；请设置 KUBECONFIG、指定 --kubeconfig FILE，或查看演示：quarterdeck demo";
    CONTEXT_CHOOSES_NOTHING = "{value} fits no cluster; there are: {known}", "{value} 不匹配任何集群；现有：{known}";
    CONTEXT_NEAR = "{value} fits no cluster; did you mean {near}?", "{value} 不匹配任何集群；是否想写 {near}？";
    GROUP_CHOOSES_NOTHING = "no cluster is in group {value}; there are: {known}", "分组 {value} 中没有集群；现有：{known}";
    GROUP_NEAR = "no cluster is in group {value}; did you mean {near}?", "分组 {value} 中没有集群；是否想写 {near}？";
    KEPT_OLD = "cannot be used now, so what was read before stays in use: {text}", "目前无法使用，继续沿用之前读取的内容：{text}";

    // The fleet file.
    UNKNOWN_KEY_NEAR = "unknown key {key}; did you mean {near}?", "未知的键 {key}；是否想写 {near}？";
    UNKNOWN_KEY_KNOWN = "unknown key {key}; the keys here are: {keys}", "未知的键 {key}；此处可用的键：{keys}";
    KEY_MISSING = "the key {key} is missing", "缺少键 {key}";
    WANT_TEXT = "one text is expected here, not a list or a map", "此处应为一个文本，而不是列表或映射";
    WANT_FLAG = "true or false is expected here", "此处应为 true 或 false";
    WANT_TEXTS = "a text or a list of texts is expected here", "此处应为文本或文本列表";
    WANT_LIST = "a list is expected here", "此处应为列表";
    WANT_MAP = "a map with keys is expected here", "此处应为映射";
    NOT_ONE_OF = "{value} is not known here; it can be: {words}", "不认识 {value}；可用：{words}";
    NOT_ONE_OF_NEAR = "{value} is not known here; did you mean {near}?", "不认识 {value}；是否想写 {near}？";
    NO_SUCH_KIND = "{value} is not a built-in kind; kinds are named by their plural, as in kubectl get", "{value} 不是内置类型；请使用复数名称，与 kubectl get 相同";
    CLUSTER_TWICE = "{name} is already used as a name or alias in line {line}", "{name} 已在第 {line} 行用作名称或别名";
    NOT_A_DAY = "{value} is no day; write it as 2026-01-31", "{value} 不是日期；请写成 2026-01-31";
    NOT_A_URL = "{value} is no address that starts with http:// or https://", "{value} 不是以 http:// 或 https:// 开头的地址";
}
