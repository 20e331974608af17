//! Which way leads to a server: directly, or through which proxy. Pure rules; the dialling is next door.
//!
//! The cluster's own `proxy-url` wins and ignores `NO_PROXY`. Else `HTTPS_PROXY` (`HTTP_PROXY` for plain servers) unless
//! `NO_PROXY` names the *server*. Loopback never goes through the environment's proxy.

use std::{collections::BTreeMap, fmt, net::IpAddr};

use base64::Engine as _;

/// Proxies as the environment has them; upper case wins, as in kubectl.
#[derive(Clone, Debug, Default)]
pub(super) struct ProxyEnv {
    https: String,
    http: String,
    no_proxy: String,
}

impl ProxyEnv {
    pub(super) fn new(env: &BTreeMap<String, String>) -> Self {
        let get = |upper: &str, lower: &str| {
            [upper, lower].iter().filter_map(|k| env.get(*k)).find(|v| !v.is_empty()).cloned().unwrap_or_default()
        };
        Self {
            https: get("HTTPS_PROXY", "https_proxy"),
            http: get("HTTP_PROXY", "http_proxy"),
            no_proxy: get("NO_PROXY", "no_proxy"),
        }
    }
}

/// Language the proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// CONNECT over TCP.
    Http,
    /// CONNECT over TLS.
    Https,
    /// SOCKS 5; names are resolved by the proxy.
    Socks5,
}

/// One proxy. Debug output hides the password.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Proxy {
    pub(super) scheme: Scheme,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<(String, String)>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}:{}", self.scheme, self.host, self.port)
    }
}

impl Proxy {
    /// From a proxy URL. The last `@` ends the user's part, so a password may hold one; percent escapes are undone.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let url = url.trim();
        let (scheme, rest) = match url.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            None => (String::from("http"), url),
        };
        let (scheme, default_port) = match scheme.as_str() {
            "http" => (Scheme::Http, 80),
            "https" => (Scheme::Https, 443),
            "socks5" | "socks5h" => (Scheme::Socks5, 1080),
            other => return Err(format!("the proxy scheme {other:?} is not one of http, https, socks5, socks5h")),
        };
        // A password may hold `/` as well, so the path is cut after the user's part.
        let (user, rest) = rest.rsplit_once('@').map_or((None, rest), |(user, rest)| (Some(user), rest));
        let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (host, port) = split_host_port(place);
        let port = match port {
            "" => default_port,
            text => text.parse().map_err(|_| format!("the proxy's port {text:?} is not a number up to 65535"))?,
        };
        if host.is_empty() {
            return Err(String::from("the proxy URL names no host"));
        }
        let user = user.map(|u| {
            let (name, password) = u.split_once(':').unwrap_or((u, ""));
            (unescape(name), unescape(password))
        });
        Ok(Self { scheme, host: host.to_owned(), port, user })
    }

    /// `Proxy-Authorization` for CONNECT.
    pub(super) fn authorization(&self) -> Option<String> {
        self.user.as_ref().map(|(name, password)| {
            format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}")))
        })
    }
}

/// The way to a server. `Err`: the proxy that applies cannot be used, and going round it would be wrong.
pub(super) fn route(
    proxy_url: &str,
    env: &ProxyEnv,
    tls: bool,
    host: &str,
    port: u16,
) -> Result<Option<Proxy>, String> {
    if !proxy_url.is_empty() {
        return Proxy::parse(proxy_url).map(Some);
    }
    let url = if tls { &env.https } else { &env.http };
    if url.is_empty() || is_loopback(host) || bypassed(&env.no_proxy, host, port) {
        return Ok(None);
    }
    Proxy::parse(url).map(Some)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a `NO_PROXY` list names this server. Entries that make no sense match nothing and hurt nothing.
fn bypassed(list: &str, host: &str, port: u16) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let ip = host.parse::<IpAddr>().ok();
    list.split(',').map(|e| e.trim().to_ascii_lowercase()).filter(|e| !e.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        if let Some((net, bits)) = entry.split_once('/') {
            return ip.is_some_and(|ip| in_net(ip, net, bits));
        }
        let (name, wanted) = split_host_port(&entry);
        if !wanted.is_empty() && wanted.parse() != Ok(port) {
            return false;
        }
        if let Ok(named) = name.parse::<IpAddr>() {
            return ip == Some(named);
        }
        match name.strip_prefix("*.").or_else(|| name.strip_prefix('.')) {
            Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
            None => host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')),
        }
    })
}

/// Whether `ip` lies in `net/bits`.
fn in_net(ip: IpAddr, net: &str, bits: &str) -> bool {
    let (Ok(net), Ok(bits)) = (net.parse::<IpAddr>(), bits.parse::<u32>()) else { return false };
    match (ip, net) {
        (IpAddr::V4(ip), IpAddr::V4(net)) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            u32::from(ip) & mask == u32::from(net) & mask
        }
        (IpAddr::V6(ip), IpAddr::V6(net)) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            u128::from(ip) & mask == u128::from(net) & mask
        }
        _ => false,
    }
}

/// `host:port`, `[v6]:port`, a bare name or a bare v6 address; brackets gone, no port = empty.
pub(super) fn split_host_port(place: &str) -> (&str, &str) {
    if let Some(rest) = place.strip_prefix('[') {
        let (host, after) = rest.split_once(']').unwrap_or((rest, ""));
        return (host, after.strip_prefix(':').unwrap_or(""));
    }
    match place.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, port),
        _ => (place, ""),
    }
}

/// Undoes percent escapes; what is no escape stays as it is.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let digits = text.get(i + 1..i + 3).filter(|d| bytes[i] == b'%' && d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_is_about_the_server() {
        for (list, host, port, bypass) in [
            ("", "api.example.com", 443, false),
            ("*", "api.example.com", 443, true),
            ("example.com", "api.example.com", 443, true),
            ("example.com", "example.com", 443, true),
            ("example.com", "badexample.com", 443, false),
            (".example.com", "api.example.com", 443, true),
            (".example.com", "example.com", 443, false),
            ("*.example.com", "api.example.com", 443, true),
            ("other.org, api.example.com,", "api.example.com", 443, true),
            (",", "api.example.com", 443, false),
            ("api.example.com:6443", "api.example.com", 6443, true),
            ("api.example.com:6443", "api.example.com", 443, false),
            ("API.Example.COM", "api.example.com", 443, true),
            ("10.0.0.0/8", "10.255.0.1", 6443, true),
            ("10.0.0.0/8", "11.0.0.1", 6443, false),
            ("0.0.0.0/0", "11.0.0.1", 6443, true),
            ("10.0.0.0/99,10.1.1.1", "10.1.1.1", 6443, true),
            ("10.0.0.0/8", "10.example.com", 6443, false),
            ("fd00::/8", "fd00::7", 6443, true),
            ("::1", "fd00::7", 6443, false),
            ("[fd00::7]:6443", "fd00::7", 6443, true),
            ("http://nonsense/%,api", "api", 443, true),
        ] {
            assert_eq!(bypassed(list, host, port), bypass, "{list:?} {host}:{port}");
        }
    }

    #[test]
    fn the_clusters_own_proxy_wins_and_loopback_is_direct() {
        let env = ProxyEnv::new(&BTreeMap::from([
            (String::from("HTTPS_PROXY"), String::from("http://env:3128")),
            (String::from("no_proxy"), String::from("api.example.com,")),
        ]));
        let host = |url: &str, server: &str| route(url, &env, true, server, 443).unwrap().map(|p| p.host);
        assert_eq!(host("socks5://own", "api.example.com").as_deref(), Some("own"));
        assert_eq!(host("", "api.example.com"), None);
        assert_eq!(host("", "other.example.com").as_deref(), Some("env"));
        assert_eq!(host("", "127.0.0.1"), None);
        assert_eq!(host("", "localhost"), None);
        assert!(route("ftp://x", &env, true, "a", 443).is_err());
        assert_eq!(route("", &env, false, "other.example.com", 80).unwrap(), None);
    }

    #[test]
    fn proxy_urls_with_odd_passwords() {
        let parse = |url: &str| {
            let p = Proxy::parse(url).unwrap();
            (p.scheme, p.host, p.port, p.user.map(|(n, p)| format!("{n} {p}")))
        };
        let user = |text: &str| Some(text.to_owned());
        assert_eq!(parse("http://u:pa@ss@h:1"), (Scheme::Http, String::from("h"), 1, user("u pa@ss")));
        assert_eq!(parse("http://u:pa%40s%3As@h"), (Scheme::Http, String::from("h"), 80, user("u pa@s:s")));
        assert_eq!(parse("http://u:100%@h:3128/"), (Scheme::Http, String::from("h"), 3128, user("u 100%")));
        assert_eq!(parse("proxy.lan:3128"), (Scheme::Http, String::from("proxy.lan"), 3128, None));
        assert_eq!(parse("SOCKS5h://[::1]"), (Scheme::Socks5, String::from("::1"), 1080, None));
        assert!(!format!("{:?}", Proxy::parse("http://u:geheim@h").unwrap()).contains("geheim"));
    }
}
