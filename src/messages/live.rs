//! States of clusters and their causes in words.

use super::{Lang, Msg, clean_line, cut_end};
use crate::model::{Cause, CauseCode, ClusterState};

crate::messages! { "live";
    CONNECTING = "connecting", "连接中";
    SYNCING = "syncing", "同步中";
    LIVE = "live", "实时";
    STALE = "stale", "数据陈旧";
    UNREACHABLE = "unreachable", "无法连接";
    LOGIN_EXPIRED = "login expired", "登录过期";
    FORBIDDEN = "forbidden", "无权限";

    // One sentence for each class of trouble: what, where, in whose words, what to do.
    NO_DETAIL = "no details", "无详细信息";
    DNS = "The API server's name does not resolve ({detail}): check VPN and DNS; it is tried again by itself.",
        "无法解析 API 服务器的域名（{detail}）：请检查 VPN 和 DNS；程序会自动重试。";
    REFUSED = "Nothing takes connections at the API server's address ({detail}): check that the server runs and that no firewall is in the way; it is tried again by itself.",
        "API 服务器的地址不接受连接（{detail}）：请确认服务器正在运行且未被防火墙拦截；程序会自动重试。";
    TIMEOUT = "The API server did not answer in time ({detail}): check VPN, route and the server's load; it is tried again by itself.",
        "API 服务器未及时响应（{detail}）：请检查 VPN、网络路由和服务器负载；程序会自动重试。";
    RESET = "The connection to the API server was cut off ({detail}): the server restarts or something on the way closes connections; it is tried again by itself.",
        "与 API 服务器的连接被中断（{detail}）：服务器正在重启，或中间设备关闭了连接；程序会自动重试。";
    SILENT = "The API server has gone silent on an open connection ({detail}): what is shown is the last known state; a new connection is being made.",
        "API 服务器在已建立的连接上不再响应（{detail}）：当前显示的是最后已知状态；正在重新连接。";
    TLS_EXPIRED = "The API server's certificate is out of date ({detail}): have it renewed, and check this machine's clock.",
        "API 服务器的证书不在有效期内（{detail}）：请续签证书，并检查本机时钟。";
    TLS_UNTRUSTED = "The API server's certificate is not trusted ({detail}): its authority was replaced, or another server answers; get a new kubeconfig from the cluster's owner.",
        "API 服务器的证书不受信任（{detail}）：CA 可能已更换，或应答的是另一台服务器；请向集群负责人获取新的 kubeconfig。";
    TLS_NAME = "The API server's certificate is for another name ({detail}): correct the server URL or tls-server-name in the kubeconfig.",
        "API 服务器的证书与名称不符（{detail}）：请在 kubeconfig 中更正服务器地址或 tls-server-name。";
    TLS_OTHER = "TLS with the API server fails ({detail}): check the port, and whether something on the way interferes.",
        "与 API 服务器的 TLS 握手失败（{detail}）：请检查端口，以及中间是否有设备干扰。";
    CLIENT_CERTIFICATE = "Your client certificate does not work ({detail}): have a new one issued and put it into the kubeconfig.",
        "您的客户端证书不可用（{detail}）：请重新签发并更新 kubeconfig。";
    UNAUTHORIZED = "The API server does not accept your credential ({detail}): log in again.",
        "API 服务器不接受您的凭据（{detail}）：请重新登录。";
    UNAUTHORIZED_COMMAND = "The API server does not accept your credential ({detail}): log in again, then try `{command}`.",
        "API 服务器不接受您的凭据（{detail}）：请重新登录，然后尝试 `{command}`。";
    EXEC_PLUGIN = "The credential plugin gave no credential ({detail}): log in again in another terminal.",
        "凭据插件未提供凭据（{detail}）：请在另一个终端中重新登录。";
    EXEC_PLUGIN_COMMAND = "The credential plugin gave no credential ({detail}): run `{command}` in another terminal, and log in if it asks.",
        "凭据插件未提供凭据（{detail}）：请在另一个终端中运行 `{command}`，并按提示登录。";
    FORBIDDEN_ANYWHERE = "You may not read this ({detail}): ask the cluster's owner for the permission.",
        "您无权读取（{detail}）：请向集群负责人申请权限。";
    FORBIDDEN_CLUSTER = "You may not {verb} {resource} in the whole cluster ({detail}): ask the cluster's owner, or name a namespace that you may read.",
        "您无权在整个集群范围内 {verb} {resource}（{detail}）：请向集群负责人申请权限，或指定您可以读取的命名空间。";
    FORBIDDEN_NAMESPACE = "You may not {verb} {resource} in namespace {namespace} ({detail}): ask the cluster's owner for the permission.",
        "您无权在命名空间 {namespace} 中 {verb} {resource}（{detail}）：请向集群负责人申请权限。";
    THROTTLED = "The API server is overloaded and takes fewer requests ({detail}): they are spaced out by themselves.",
        "API 服务器过载，正在限流（{detail}）：程序会自动降低请求频率。";
    THROTTLED_SECONDS = "The API server is overloaded and asks to wait {seconds} s ({detail}): it is tried again then.",
        "API 服务器过载，要求等待 {seconds} 秒（{detail}）：届时程序会自动重试。";
    SERVER = "The API server answers with an error of its own ({detail}): look at the health of its control plane; it is tried again by itself.",
        "API 服务器返回内部错误（{detail}）：请检查控制平面的健康状况；程序会自动重试。";
    PROXY = "The proxy on the way to the API server fails ({detail}): check proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY.",
        "通往 API 服务器的代理出错（{detail}）：请检查 kubeconfig 中的 proxy-url 以及 HTTPS_PROXY 和 NO_PROXY。";
    CONFIG = "The configuration on this machine does not work ({detail}): correct it; a changed kubeconfig is picked up at once.",
        "本机的配置不可用（{detail}）：请更正；kubeconfig 的改动会立即生效。";
    CONFIG_COMMAND = "The configuration on this machine does not work ({detail}): `{command}` puts it right; a changed kubeconfig is picked up at once.",
        "本机的配置不可用（{detail}）：运行 `{command}` 可以修正；kubeconfig 的改动会立即生效。";
    PROTOCOL = "The answer is not the one the Kubernetes API gives ({detail}): check the server URL, and whether a sign-on page or a proxy answers in its place.",
        "应答不符合 Kubernetes API（{detail}）：请检查服务器地址，以及是否有登录页或代理代为应答。";
    OTHER_CLUSTER = "This context now leads to another cluster ({detail}): make sure that this is meant before you act on it.",
        "该 context 现在指向另一个集群（{detail}）：操作前请确认这是预期的。";
    INTERNAL = "A part of this program failed ({detail}): it starts again by itself; please report it with the log.",
        "本程序的一个部分出错（{detail}）：会自动重新启动；请附上日志反馈。";
    DOING = "{verb} {resource}: {sentence}", "{verb} {resource}：{sentence}";
    DOING_IN = "{verb} {resource} in namespace {namespace}: {sentence}", "在命名空间 {namespace} 中 {verb} {resource}：{sentence}";
}

/// A state in one or two words.
pub fn state_text(lang: Lang, state: ClusterState) -> &'static str {
    let msg = match state {
        ClusterState::Connecting => CONNECTING,
        ClusterState::Syncing => SYNCING,
        ClusterState::Live => LIVE,
        ClusterState::Stale => STALE,
        ClusterState::Unreachable => UNREACHABLE,
        ClusterState::LoginExpired => LOGIN_EXPIRED,
        ClusterState::Forbidden => FORBIDDEN,
    };
    msg.text(lang)
}

/// A cause in one sentence: what is wrong, in the cause's own (cleaned) words, and what to do.
pub fn cause_text(lang: Lang, cause: &Cause) -> String {
    let detail = match clean_line(cause.detail.trim()) {
        empty if empty.is_empty() => NO_DETAIL.text(lang).into(),
        detail => cut_end(&detail, DETAIL).into_owned(),
    };
    let seconds = cause.retry_after.map(|s| s.to_string()).unwrap_or_default();
    let places = [
        ("detail", detail.as_str()),
        ("seconds", seconds.as_str()),
        ("command", &clean_line(cause.command.as_deref().unwrap_or_default())),
        ("verb", &clean_line(&cause.verb)),
        ("resource", &clean_line(&cause.resource)),
        ("namespace", &clean_line(&cause.namespace)),
    ];
    let sentence = sentence(cause).fill(lang, &places);
    // What may not be read is in the sentence already.
    if cause.code == CauseCode::Forbidden || cause.verb.is_empty() {
        return sentence;
    }
    let doing = if cause.namespace.is_empty() { DOING } else { DOING_IN };
    let [.., verb, resource, namespace] = places;
    doing.fill(lang, &[verb, resource, namespace, ("sentence", &sentence)])
}

/// Cells of foreign text in a sentence; more is in the log.
const DETAIL: usize = 400;

fn sentence(cause: &Cause) -> Msg {
    let with_command = cause.command.is_some();
    match cause.code {
        CauseCode::Dns => DNS,
        CauseCode::Refused => REFUSED,
        CauseCode::Timeout => TIMEOUT,
        CauseCode::Reset => RESET,
        CauseCode::Silent => SILENT,
        CauseCode::TlsExpired => TLS_EXPIRED,
        CauseCode::TlsUntrusted => TLS_UNTRUSTED,
        CauseCode::TlsName => TLS_NAME,
        CauseCode::TlsOther => TLS_OTHER,
        CauseCode::ClientCertificate => CLIENT_CERTIFICATE,
        CauseCode::Unauthorized if with_command => UNAUTHORIZED_COMMAND,
        CauseCode::Unauthorized => UNAUTHORIZED,
        CauseCode::ExecPlugin if with_command => EXEC_PLUGIN_COMMAND,
        CauseCode::ExecPlugin => EXEC_PLUGIN,
        CauseCode::Forbidden if cause.verb.is_empty() || cause.resource.is_empty() => FORBIDDEN_ANYWHERE,
        CauseCode::Forbidden if cause.namespace.is_empty() => FORBIDDEN_CLUSTER,
        CauseCode::Forbidden => FORBIDDEN_NAMESPACE,
        CauseCode::Throttled if cause.retry_after.is_some() => THROTTLED_SECONDS,
        CauseCode::Throttled => THROTTLED,
        CauseCode::Server => SERVER,
        CauseCode::Proxy => PROXY,
        CauseCode::Config if with_command => CONFIG_COMMAND,
        CauseCode::Config => CONFIG,
        CauseCode::Protocol => PROTOCOL,
        CauseCode::OtherCluster => OTHER_CLUSTER,
        CauseCode::Internal => INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [CauseCode; 20] = [
        CauseCode::Dns,
        CauseCode::Refused,
        CauseCode::Timeout,
        CauseCode::Reset,
        CauseCode::Silent,
        CauseCode::TlsExpired,
        CauseCode::TlsUntrusted,
        CauseCode::TlsName,
        CauseCode::TlsOther,
        CauseCode::ClientCertificate,
        CauseCode::Unauthorized,
        CauseCode::ExecPlugin,
        CauseCode::Forbidden,
        CauseCode::Throttled,
        CauseCode::Server,
        CauseCode::Proxy,
        CauseCode::Config,
        CauseCode::Protocol,
        CauseCode::OtherCluster,
        CauseCode::Internal,
    ];

    #[test]
    fn every_cause_is_a_whole_sentence_in_both_languages() {
        for code in CODES {
            for (command, verb, namespace, retry_after) in
                [(None, "", "", None), (Some("login --now"), "list", "", Some(7)), (None, "list", "shop", None)]
            {
                let mut cause = Cause::new(code, "it\u{1b}[2Jsaid so").during(verb, "pods", namespace);
                cause.command = command.map(String::from);
                cause.retry_after = retry_after;
                for (lang, end) in [(Lang::En, '.'), (Lang::Zh, '。')] {
                    let text = cause_text(lang, &cause);
                    assert!(text.contains("it␛[2Jsaid so") && text.ends_with(end), "{code:?}: {text}");
                    assert!(!text.contains(['{', '}', '\u{1b}']), "{code:?}: {text}");
                    assert!(verb.is_empty() || text.contains("pods"), "{code:?}: {text}");
                }
            }
        }
    }

    #[test]
    fn places_and_commands_are_in_the_sentence() {
        let mut cause = Cause::new(CauseCode::Forbidden, "403").during("list", "nodes", "");
        assert_eq!(
            cause_text(Lang::En, &cause),
            "You may not list nodes in the whole cluster (403): ask the cluster's owner, or name a namespace that you may read."
        );
        cause = Cause::new(CauseCode::ExecPlugin, "");
        cause.command = Some("aws sso login".into());
        assert!(cause_text(Lang::Zh, &cause).contains("运行 `aws sso login`"));
        assert!(cause_text(Lang::En, &cause).contains("(no details)"));
        let cause = Cause::new(CauseCode::Reset, "x").during("watch", "pods", "shop");
        assert!(cause_text(Lang::En, &cause).starts_with("watch pods in namespace shop: The connection"));
    }
}
