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
    WANT_SOMETHING = "this item is empty; write a value or take the line out", "此项为空；请填写值或删除该行";
    WANT_QUOTES = "a text is expected here; put this value in quotes", "此处应为文本；请给该值加上引号";
    WANT_WHOLE = "a whole number is expected here, {least} or more", "此处应为不小于 {least} 的整数";
    WANT_FLAG = "true or false is expected here", "此处应为 true 或 false";
    WANT_TEXTS = "a text or a list of texts is expected here", "此处应为文本或文本列表";
    WANT_LIST = "a list is expected here", "此处应为列表";
    WANT_MAP = "a map with keys is expected here", "此处应为映射";
    NOT_ONE_OF = "{value} is not known here; it can be: {words}", "不认识 {value}；可用：{words}";
    NOT_ONE_OF_NEAR = "{value} is not known here; did you mean {near}?", "不认识 {value}；是否想写 {near}？";
    NO_SUCH_SCREEN = "no screen with columns is called {name}; write fleet, or the plural of a kind as in kubectl get", "没有名为 {name} 的可选列界面；请写 fleet，或与 kubectl get 相同的类型复数名称";
    NO_SUCH_SCREEN_NEAR = "no screen with columns is called {name}; did you mean {near}?", "没有名为 {name} 的可选列界面；是否想写 {near}？";
    NO_SUCH_KIND = "{value} is not a built-in kind; kinds are named by their plural, as in kubectl get", "{value} 不是内置类型；请使用复数名称，与 kubectl get 相同";
    CLUSTER_TWICE = "{name} is already used as a name or alias in line {line}", "{name} 已在第 {line} 行用作名称或别名";
    NOT_A_DAY = "{value} is no day; write it as 2026-01-31", "{value} 不是日期；请写成 2026-01-31";
    NOT_A_URL = "{value} is no address that starts with http:// or https://", "{value} 不是以 http:// 或 https:// 开头的地址";

    NOT_A_SELECTOR = "{value} is no label selector; write it as app=web,tier!=db,env in (a,b)", "{value} 不是标签选择器；请写成 app=web,tier!=db,env in (a,b)";

    // What the commands say.
    BROKEN_FILTER = "this part of the filter is no regular expression or selector: {part}", "过滤条件的这一部分不是正则表达式或选择器：{part}";
    COMPLAINT = "quarterdeck: {text}", "quarterdeck：{text}";
    NO_LOG = "no log is kept: cannot write {file}: {detail}", "未记录日志：无法写入 {file}：{detail}";
    MISSING_CLUSTER = "{name} is missing from the answer: {why}", "结果中缺少 {name}：{why}";
    MISSING_KINDS = "{name} is incomplete: {kinds}", "{name} 的结果不完整：{kinds}";
    MISSING_OBJECT = "{name}: {what} could not be read: {why}", "{name}：无法读取 {what}：{why}";
    MISSING_OBJECTS = "{name}: reading an object failed {n} times; the latest objects are named", "{name}：读取对象失败 {n} 次；仅列出最近的对象";
    STATE_WITH_CAUSE = "{state}: {cause}", "{state}：{cause}";
    STATE_FOR = "{state} for {age}, and the time allowed (--timeout) is over", "{state}已 {age}，超出允许的时间（--timeout）";
    NOT_SERVED = "not served by this cluster", "该集群不提供此资源";
    ENDS_IN = "ends in {age} ({time})", "{age} 后到期（{time}）";
    ENDED_AGO = "ended {age} ago ({time})", "已于 {age} 前到期（{time}）";
    NO_TERMINAL = "the console needs a terminal; for scripts and pipes there are quarterdeck clusters, matrix, get KIND and doctor, with -o json", "控制台需要终端；脚本和管道请使用 quarterdeck clusters、matrix、get KIND 和 doctor，可加 -o json";
    NO_TERMINAL_DEMO = "the demo's console needs a terminal; without one there are quarterdeck demo clusters, demo matrix, demo get KIND and demo doctor", "演示控制台需要终端；没有终端时可使用 quarterdeck demo clusters、demo matrix、demo get KIND 和 demo doctor";
    DEMO_IN_DEMO = "demo cannot contain demo or sim; write one of the other commands behind it", "demo 后面不能再写 demo 或 sim；请写其他命令";
    SIM_SERVES = "{n} simulated clusters answer; kubeconfig: {file}; Ctrl-C ends them", "{n} 个模拟集群已就绪；kubeconfig：{file}；按 Ctrl-C 结束";
    KIND_UNKNOWN = "{kind} is no kind that is watched; see quarterdeck help get", "没有监视名为 {kind} 的资源类型；参见 quarterdeck help get";
    KIND_NEAR = "{kind} is no kind that is watched; did you mean {near}?", "没有监视名为 {kind} 的资源类型；是否想写 {near}？";
    NO_TOPIC = "there is no help on {word}; there is help on: {known}", "没有关于 {word} 的帮助；可用：{known}";
    TOPICS = "Help on more: quarterdeck help TOPIC, with one of {topics}", "更多帮助：quarterdeck help TOPIC，可用主题：{topics}";
    MIXED = "mixed", "混合";

    // Headers.
    H_KEYS = "KEYS", "按键";
    H_ACTION = "ACTION", "动作";
    H_WHERE = "WHERE", "位置";
    H_MEANING = "MEANING", "含义";
    H_CLUSTER = "CLUSTER", "集群";
    H_CONTEXT = "CONTEXT", "上下文";
    H_SERVER = "SERVER", "服务器";
    H_CONTACTS = "CONTACTS", "联系人";
    H_RISK = "RISK", "风险";
    H_SERVICE = "SERVICE", "服务";
    H_NAMESPACE = "NAMESPACE", "命名空间";
    H_WORKLOAD = "WORKLOAD", "工作负载";
    H_VERSION = "VERSION", "版本";
    H_READY = "READY", "就绪";
    H_STATE = "STATE", "状态";
    H_CONFIG = "CONFIG", "配置";
    H_OWNER = "OWNER", "归属";
    H_VERDICT = "VERDICT", "结论";
    H_CHECK = "CHECK", "检查";
    H_FINDING = "FINDING", "发现";

    // Doctor.
    THIS_MACHINE = "(this machine)", "（本机）";
    V_OK = "ok", "正常";
    V_UNKNOWN = "unknown", "未知";
    V_WARN = "look", "注意";
    V_BAD = "bad", "异常";
    D_FILES_OK = "{now} open files are allowed", "允许打开 {now} 个文件";
    D_FILES_FEW = "only {now} open files are allowed (at most {most}), {wanted} may be needed; raise it with ulimit -n", "仅允许打开 {now} 个文件（上限 {most}），可能需要 {wanted} 个；请用 ulimit -n 调高";
    D_TRY = "{words}; try: {command}", "{words}；可尝试：{command}";
    D_ALLOWED = "every kind that is watched may be read", "所监视的资源类型均可读取";
    D_FORBIDDEN = "may not be read: {kinds}; check with kubectl --context {context} auth can-i list {first} --all-namespaces", "无权读取：{kinds}；可用 kubectl --context {context} auth can-i list {first} --all-namespaces 检查";
    D_FAILING = "cannot be read: {kinds}", "无法读取：{kinds}";
    D_NO_RTT = "the round trip was not measured", "未测得往返时间";
    D_SPEED = "a small request takes {ms} ms", "小请求耗时 {ms} 毫秒";
    D_SPEED_LIST = "a small request takes {ms} ms, lists come at {kbps} kB/s", "小请求耗时 {ms} 毫秒，列表速率 {kbps} kB/s";
    D_NOT_THROTTLED = "no request was refused with 429", "没有请求被 429 拒绝";
    D_THROTTLED = "the server refused {n} requests with 429; fewer lists at a time are sent for a while", "服务器以 429 拒绝了 {n} 个请求；暂时减少同时发出的列表请求";
    D_NO_CLOCK = "the server's clock is not known", "服务器时钟未知";
    D_CLOCK_OK = "the clocks agree within 5 s", "时钟相差不超过 5 秒";
    D_CLOCK_AHEAD = "the server's clock is {n} s ahead of this machine's; ages and expiries are off by as much", "服务器时钟比本机快 {n} 秒；时长和到期时间会有同样的偏差";
    D_CLOCK_BEHIND = "the server's clock is {n} s behind this machine's; ages and expiries are off by as much", "服务器时钟比本机慢 {n} 秒；时长和到期时间会有同样的偏差";
    D_GROUPS = "API groups that fail in discovery: {groups}", "发现失败的 API 组：{groups}";
    D_SUPPORTED = "{version} is supported until {date}", "{version} 支持至 {date}";
    D_SECURITY_ONLY = "{version} gets security fixes only, until {date}", "{version} 仅提供安全修复，至 {date}";
    D_ENDED = "{version} is out of support since {date}", "{version} 已于 {date} 停止支持";
    D_VERSION_UNKNOWN = "{version} is not in the table of supported versions of {date}", "{version} 不在 {date} 的受支持版本表中";
    D_CERTIFICATE = "the server's certificate {ends}; issuer: {issuer}", "服务器证书{ends}；签发者：{issuer}";
    D_NO_LOGIN = "how the login is done is not known yet", "尚不清楚登录方式";
    D_LOGIN = "logged in by {kind} as {user}", "以 {kind} 登录，用户 {user}";
    D_LOGIN_ENDS = "logged in by {kind} as {user}; the credential {ends}", "以 {kind} 登录，用户 {user}；凭据{ends}";

    // Info.
    I_PROGRAM = "Program", "程序";
    I_VERSION = "version", "版本";
    I_CLUSTERS = "clusters", "集群数";
    I_FILES_LIMIT = "open files", "可打开文件数";
    I_PLACES = "Places", "位置";
    I_CONFIG = "configuration", "配置";
    I_DATA = "data", "数据";
    I_STATE = "state", "状态";
    I_CACHE = "cache", "缓存";
    I_LOG = "log", "日志";
    I_SETTINGS = "Settings, and who decided", "设置及其来源";
    I_PROBLEMS = "Problems", "问题";
    I_NO_PROBLEMS = "No problem with the configuration.", "配置没有问题。";

    // Help: commands.
    C_QUARTERDECK = "On-call console for a fleet of Kubernetes clusters; without a command it opens in the terminal", "Kubernetes 集群群的值班控制台；不带命令时在终端中打开";
    C_CLUSTERS = "Every cluster: state, version, nodes, certificates, owner, what is wrong; worst first", "所有集群：状态、版本、节点、证书、负责人和异常；最严重的在前";
    C_MATRIX = "Which version of each service runs in which cluster", "每个服务在各集群中运行的版本";
    C_GET = "Objects of one kind, merged over the clusters", "跨集群合并列出一种资源";
    C_DOCTOR = "What is reachable, allowed, slow, throttled, expiring", "检查可达性、权限、速度、限流和到期情况";
    C_INFO = "What is configured, by whom, and where everything lies", "配置内容、来源及各文件的位置";
    C_KEYS = "Every key of the console", "控制台的所有按键";
    C_COMPLETION = "Completion script for a shell", "生成 shell 补全脚本";
    C_MAN = "Manual pages", "生成手册页";
    C_SCHEMA = "JSON schema of the fleet file or of policies, for editors", "fleet 文件或策略的 JSON schema，供编辑器使用";
    C_SIM = "Serve a simulated fleet; --kubeconfig names the file that is written once it answers", "运行模拟集群群；就绪后写入 --kubeconfig 指定的文件";
    C_DEMO = "Open the console, or run a command, on a simulated fleet", "在模拟集群群上打开控制台或运行命令";
    C_HELP = "Help on a command or a topic", "命令或主题的帮助";
    AFTER_HELP = "Every flag has a variable: --read-only is QUARTERDECK_READ_ONLY. A flag wins over the variable, the variable over the fleet file.\nExit codes: 0 all answered, 1 findings (with --exit-code), 2 error, 3 some clusters, sources or policies are missing from the answer.", "每个标志都有对应的变量：--read-only 即 QUARTERDECK_READ_ONLY。标志优先于变量，变量优先于 fleet 文件。\n退出码：0 全部应答，1 有发现（使用 --exit-code 时），2 错误，3 结果中缺少部分集群、来源或策略。";

    // Help: flags.
    F_OPEN = "Open the console on the objects of a kind (pods, deploy, ...)", "打开控制台并显示某种资源（pods、deploy 等）";
    F_KUBECONFIG = "kubeconfig to use instead of KUBECONFIG and ~/.kube/config", "使用此 kubeconfig，而不是 KUBECONFIG 和 ~/.kube/config";
    F_FLEET = "Fleet file to use", "使用此 fleet 文件";
    F_CONFIG = "Folder of the configuration", "配置目录";
    F_CONTEXT = "Only clusters whose name, alias or context fits the glob; may be repeated", "只使用名称、别名或上下文匹配通配符的集群；可重复";
    F_GROUP = "Only clusters of this group or environment; may be repeated", "只使用此分组或环境中的集群；可重复";
    F_NAMESPACE = "Only this namespace", "只看此命名空间";
    F_SELECTOR = "Only objects with these labels (app=web,tier!=db)", "只看带有这些标签的对象（app=web,tier!=db）";
    F_READ_ONLY = "Never write to any cluster", "绝不写入任何集群";
    F_NO_CACHE = "Neither show nor keep the last picture", "不显示也不保存上次的画面";
    F_THEME = "Theme by name", "主题名称";
    F_COLOR = "Colours: auto, always, never, 16, 256", "颜色：auto、always、never、16、256";
    F_LANG = "Language: en, zh", "语言：en、zh";
    F_ASCII = "No signs outside ASCII", "只使用 ASCII 字符";
    F_NO_MOUSE = "Leave the mouse to the terminal", "不使用鼠标";
    F_PLAIN = "No borders, nothing moves: for screen readers", "无边框、无动画，适合屏幕阅读器";
    F_LOG_LEVEL = "How much is logged: error, warn, info, debug, trace", "日志级别：error、warn、info、debug、trace";
    F_LOG_FILE = "Log file", "日志文件";
    F_TIMEOUT = "How long a command waits for the clusters (30s)", "命令等待集群的时间（默认 30s）";
    F_OUTPUT = "Format of the answer", "输出格式";
    F_EXIT_CODE = "End with 1 when there are findings", "有发现时以 1 退出";
    F_FILTER = "Only what fits: text, regex, !not, column:value, -l selector", "只看匹配项：文本、正则、!否定、列:值、-l 选择器";
    F_KIND = "Kind, by any of its names (po, pods, deployments.apps)", "资源类型的任一名称（po、pods、deployments.apps）";
    F_NAMES = "Only objects of these names", "只看这些名称的对象";
    F_PROBLEMS = "Only objects that are not well", "只看异常对象";
    F_SORT = "Order: name, risk, cluster, age, or a column", "排序：name、risk、cluster、age 或列名";
    F_SHELL = "Shell", "shell 类型";
    F_DIR = "Folder to write to", "写入的目录";
    F_CLUSTERS = "Number of clusters; without it the demo fleet is served", "集群数；不指定时运行演示集群群";
    F_NODES = "Nodes in each cluster", "每个集群的节点数";
    F_PODS = "Pods in all", "Pod 总数";
    F_WORKLOADS = "Workloads in all", "工作负载总数";
    F_RTT = "Round trip added to every request, in milliseconds (50-300)", "每个请求增加的往返时间，毫秒（50-300）";
    F_CHURN = "Changes per second over the whole fleet", "整个集群群每秒的变化数";
    F_SEED = "Seed of everything random", "随机种子";
    F_SPEED = "Simulated seconds per second", "每秒模拟的秒数";
    F_WORDS = "A command with its flags; none opens the console", "要运行的命令及其标志；不写则打开控制台";
    F_TOPIC = "Command or topic", "命令或主题";
    F_SCHEMA_OF = "File that the schema is of", "schema 所属的文件";
    F_HELP = "Print help", "显示帮助";
    F_VERSION = "Print version", "显示版本";

    // Help: topics.
    T_CONFIGURATION = "Without any configuration every context of the kubeconfig is a cluster. KUBECONFIG may list several files; files that do not exist are passed over, the first file wins for each name, a broken file or entry costs only itself. The kubeconfig is never written.\n\nfleet.yaml in the configuration folder (see quarterdeck info), or the file of --fleet, adds names, owners, groups, services and settings. config/fleet.example.yaml shows every key, quarterdeck schema prints the schema for editors. Changes are noticed while the console runs.", "不做任何配置时，kubeconfig 中的每个上下文就是一个集群。KUBECONFIG 可列出多个文件；不存在的文件会被跳过，同名时以先出现的文件为准，损坏的文件或条目只影响自身。程序从不写入 kubeconfig。\n\n配置目录（见 quarterdeck info）中的 fleet.yaml 或 --fleet 指定的文件可添加名称、负责人、分组、服务和设置。config/fleet.example.yaml 列出了所有键，quarterdeck schema 输出供编辑器使用的 schema。控制台运行时会自动读取变化。";
    T_EXIT_CODES = "0  all clusters answered\n1  there are findings, and --exit-code was given\n2  error: the command could not be carried out, or no cluster answered\n3  some clusters, or some kinds or objects in them, or sources and policies that could not be read, are missing from the answer; they are named on standard error. This outweighs 1: what was not seen cannot be called well.", "0  所有集群均已应答\n1  有发现，且使用了 --exit-code\n2  错误：命令无法执行，或没有集群应答\n3  结果中缺少部分集群或其部分资源类型、对象，或有来源、策略无法读取，名称见标准错误输出。优先于 1：没有看到的不能算正常。";
    T_FILTERS = "A filter is a list of words; all must fit. text fits anywhere in names (small letters ignore case), a regular expression works too. !word excludes. column:value compares one column, -l app=web compares labels, -f word is fuzzy.", "过滤条件由若干词组成，须全部匹配。text 匹配名称中的任意位置（小写时忽略大小写），也可用正则表达式。!word 表示排除。column:value 比较某一列，-l app=web 比较标签，-f word 为模糊匹配。";
    T_JSON = "-o json is a flat list of rows; what is not known is null, never 0 or empty. Times are RFC 3339 in UTC, asOf says when the row was true.\n\nclusters: name, state, cause, asOf, server, kubernetesVersion, nodesReady, nodesTotal, id, alias, context, also, environment, environmentSource, region, zones, provider, distribution, support, supportUntil, minorsBehind, kubeletOldest, kubeletNewest, cni, csi, plugins, certificateExpires, credentialExpires, rttMs, cpuAllocatableMilli, memoryAllocatable, cpuRequestedMilli, memoryRequested, cpuUsedMilli, memoryUsed, podsReady, podsTotal, workloadsOk, workloadsWarn, workloadsBad, team, tier, systems, monitoring, contacts, onboarded, created, labels, taints, groups, namespace, readOnly, risks, score\n\nmatrix (one row for each workload and cluster): service, cluster, namespace, kind, name, version, containers [name, image, digest], config, ready, wanted, state, owner, asOf, health, reason, stale, system, rule. state is one of ok, idle, starting, rolling, paused, stuck, degraded, failing, unknown.\n\nget: cluster, kind, namespace, name, health, reason, note, created, asOf, stale, labels, columns\n\ndoctor: cluster (null for this machine), check, verdict (ok, unknown, warn, bad), text", "-o json 输出扁平的行列表；未知的值为 null，绝不用 0 或空值代替。时间为 UTC 的 RFC 3339 格式，asOf 表示该行数据的时间。\n\nclusters：name, state, cause, asOf, server, kubernetesVersion, nodesReady, nodesTotal, id, alias, context, also, environment, environmentSource, region, zones, provider, distribution, support, supportUntil, minorsBehind, kubeletOldest, kubeletNewest, cni, csi, plugins, certificateExpires, credentialExpires, rttMs, cpuAllocatableMilli, memoryAllocatable, cpuRequestedMilli, memoryRequested, cpuUsedMilli, memoryUsed, podsReady, podsTotal, workloadsOk, workloadsWarn, workloadsBad, team, tier, systems, monitoring, contacts, onboarded, created, labels, taints, groups, namespace, readOnly, risks, score\n\nmatrix（每个工作负载和集群一行）：service, cluster, namespace, kind, name, version, containers [name, image, digest], config, ready, wanted, state, owner, asOf, health, reason, stale, system, rule。state 为 ok、idle、starting、rolling、paused、stuck、degraded、failing、unknown 之一。\n\nget：cluster, kind, namespace, name, health, reason, note, created, asOf, stale, labels, columns\n\ndoctor：cluster（本机为 null）, check, verdict（ok、unknown、warn、bad）, text";
    T_STATES = "connecting     no answer yet, and no failure either\nsyncing        reached; the first lists are running\nlive           everything that may be read is watched\nstale          was live and stopped talking; the rows are the last known ones\nunreachable    no connection: name, network, TLS, proxy, or the server fails every request\nlogin-expired  the server does not accept the login, or the credential plugin wants a person\nforbidden      reached and logged in, but nothing may be read", "connecting     尚无应答，也没有失败\nsyncing        已连接，正在读取首批列表\nlive           可读取的内容均在监视中\nstale          曾经实时，现已无响应；显示的是最后已知的数据\nunreachable    无法连接：域名、网络、TLS、代理，或服务器拒绝所有请求\nlogin-expired  服务器不接受此登录，或凭据插件需要人工操作\nforbidden      已连接并登录，但没有任何读取权限";
}
