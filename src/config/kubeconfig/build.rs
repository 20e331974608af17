//! From the entries that one context names to an [`Access`].

use std::path::{Path, PathBuf};

use base64::Engine;

use super::{
    Access, Auth, Exec, Impersonate,
    load::{Entry, Merged},
};
use crate::{config::yaml::Node, fault::Fault, messages::cli as text};

/// Builds the access of one context. Certificate files are read now, and are added to `files` so that their renewal is
/// noticed; one that is missing is an error of this context alone.
pub(super) fn access(context: &Entry, merged: &Merged, files: &mut Vec<PathBuf>) -> Result<Access, Fault> {
    let dangling = |field: &str, name: &str, msg| {
        Fault::new(&context.file, context.line, field, msg).with("context", &context.name).with("name", name)
    };
    let cluster_name = context.body.text_of("cluster");
    let cluster = merged
        .clusters
        .get(&cluster_name)
        .ok_or_else(|| dangling("cluster", &cluster_name, text::CONTEXT_WITHOUT_CLUSTER))?;
    let user_name = context.body.text_of("user");
    let user = match merged.users.get(&user_name) {
        Some(user) => Some(user),
        None if user_name.is_empty() => None,
        None => return Err(dangling("user", &user_name, text::CONTEXT_WITHOUT_USER)),
    };
    let mut access = Access {
        context: context.name.clone(),
        server: server(cluster)?,
        tls_server_name: cluster.body.text_of("tls-server-name"),
        insecure: cluster.body.flag_of("insecure-skip-tls-verify").unwrap_or(false),
        ca: bytes(cluster, "certificate-authority", files)?,
        proxy_url: cluster.body.text_of("proxy-url"),
        namespace: context.body.text_of("namespace"),
        auth: Auth::default(),
        impersonate: Impersonate::default(),
    };
    if let Some(user) = user {
        access.auth = auth(user, cluster, &access, files)?;
        access.impersonate = impersonate(&user.body);
    }
    Ok(access)
}

/// Whether the fault is that a named cluster or user is defined nowhere.
pub(super) fn is_dangling(fault: &Fault) -> bool {
    fault.msg == text::CONTEXT_WITHOUT_CLUSTER || fault.msg == text::CONTEXT_WITHOUT_USER
}

fn server(cluster: &Entry) -> Result<String, Fault> {
    let server = cluster.body.text_of("server");
    let server = server.trim().trim_end_matches('/');
    if server.is_empty() {
        return Err(
            Fault::new(&cluster.file, cluster.line, "server", text::CLUSTER_WITHOUT_SERVER).with("name", &cluster.name)
        );
    }
    // A bare `host:port` is allowed, as kubectl allows it.
    Ok(if server.contains("://") { server.to_owned() } else { format!("https://{server}") })
}

fn auth(user: &Entry, cluster: &Entry, access: &Access, files: &mut Vec<PathBuf>) -> Result<Auth, Fault> {
    let body = &user.body;
    let certificate = bytes(user, "client-certificate", files)?;
    let key = bytes(user, "client-key", files)?;
    let certificate = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => return Err(fault(user, "client-key", text::HALF_A_PAIR)),
        (None, Some(_)) => return Err(fault(user, "client-certificate", text::HALF_A_PAIR)),
    };
    let some = |name: &str| Some(body.text_of(name)).filter(|t| !t.is_empty());
    Ok(Auth {
        certificate,
        token: some("token"),
        token_file: some("tokenFile").map(|f| beside(&user.file, &f)),
        basic: some("username").map(|name| (name, body.text_of("password"))),
        exec: body.get("exec").map(|node| exec(node, user, cluster, access)).transpose()?,
        provider: body.get("auth-provider").map(|p| p.text_of("name")),
    })
}

fn exec(node: &Node, user: &Entry, cluster: &Entry, access: &Access) -> Result<Exec, Fault> {
    let command = node.text_of("command");
    if command.is_empty() {
        return Err(fault(user, "exec.command", text::EXEC_WITHOUT_COMMAND));
    }
    let env = node.get("env").map(Node::items).unwrap_or_default();
    let provide = node.flag_of("provideClusterInfo").unwrap_or(false);
    Ok(Exec {
        api_version: node.text_of("apiVersion"),
        // A bare name is looked up in PATH by who runs it; a relative path lies beside its kubeconfig.
        command: if command.contains('/') { beside(&user.file, &command).display().to_string() } else { command },
        args: node.texts_of("args"),
        env: env.iter().map(|e| (e.text_of("name"), e.text_of("value"))).collect(),
        install_hint: node.text_of("installHint"),
        provide_cluster_info: provide,
        cluster_info: if provide { cluster_info(cluster, access) } else { String::new() },
        interactive_mode: node.text_of("interactiveMode"),
    })
}

/// `spec.cluster` of an ExecCredential, as client.authentication.k8s.io/v1 has it.
fn cluster_info(cluster: &Entry, access: &Access) -> String {
    let mut info = serde_json::Map::new();
    info.insert("server".into(), access.server.clone().into());
    if !access.tls_server_name.is_empty() {
        info.insert("tls-server-name".into(), access.tls_server_name.clone().into());
    }
    if access.insecure {
        info.insert("insecure-skip-tls-verify".into(), true.into());
    }
    if let Some(ca) = &access.ca {
        let encoded = base64::engine::general_purpose::STANDARD.encode(ca);
        info.insert("certificate-authority-data".into(), encoded.into());
    }
    if !access.proxy_url.is_empty() {
        info.insert("proxy-url".into(), access.proxy_url.clone().into());
    }
    let extensions = cluster.body.get("extensions").map(Node::items).unwrap_or_default();
    if let Some(own) = extensions.iter().find(|e| e.text_of("name") == "client.authentication.k8s.io/exec") {
        info.insert("config".into(), own.get("extension").map_or(serde_json::Value::Null, Node::json));
    }
    serde_json::Value::Object(info).to_string()
}

fn impersonate(body: &Node) -> Impersonate {
    let extra = body.get("as-user-extra").map(Node::entries).unwrap_or_default();
    Impersonate {
        user: body.text_of("as"),
        uid: body.text_of("as-uid"),
        groups: body.texts_of("as-groups"),
        extra: extra.iter().map(|(key, values)| (key.name.clone(), values.texts())).collect(),
    }
}

/// The bytes of `NAME-data` (base64), else of the file that `NAME` names; `None` when neither is set.
fn bytes(entry: &Entry, name: &str, files: &mut Vec<PathBuf>) -> Result<Option<Vec<u8>>, Fault> {
    let data_name = format!("{name}-data");
    let data = entry.body.text_of(&data_name);
    let content = if !data.is_empty() {
        let packed: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let decoded = base64::engine::general_purpose::STANDARD.decode(packed);
        // The decoder's own words would quote a byte of what may be a key.
        decoded.map_err(|_| fault(entry, &data_name, text::NOT_BASE64))?
    } else {
        let file = entry.body.text_of(name);
        if file.is_empty() {
            return Ok(None);
        }
        let path = beside(&entry.file, &file);
        if !files.contains(&path) {
            files.push(path.clone());
        }
        std::fs::read(&path).map_err(|error| {
            fault(entry, name, text::PEM_UNREADABLE)
                .with("file", path.display().to_string())
                .with("detail", error.to_string())
        })?
    };
    if !content.windows(10).any(|w| w == b"-----BEGIN") {
        return Err(fault(entry, name, text::NOT_PEM));
    }
    Ok(Some(content))
}

fn fault(entry: &Entry, field: &str, msg: crate::messages::Msg) -> Fault {
    let line = entry.body.get(field).map_or(entry.line, |node| node.line);
    Fault::new(&entry.file, line, field, msg).with("name", &entry.name)
}

/// A path as written in a kubeconfig: relative to the kubeconfig's own folder.
fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or_else(|| Path::new("")).join(path)
}
