//! The credential of one cluster: what to send, until when it holds, and what to do when the server refuses it.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use base64::Engine as _;
use http::HeaderValue;
use tokio::time::Instant;

use super::{
    exec::{self, Issued},
    identity::Identity,
    shared::Shared,
    tls,
};
use crate::{
    config::kubeconfig::{Access, Exec},
    model::{Cause, CauseCode, Credential, Secs, utc_text},
};

/// How often a token file is looked at.
const FILE_CHECK: Duration = Duration::from_secs(1);
/// After a renewed credential was refused too, how long until another renewal is tried.
const FUTILE: Duration = Duration::from_secs(30);

/// What goes on the wire. Debug output hides it.
#[derive(Clone)]
pub(super) struct Grant {
    /// `Authorization`.
    pub(super) header: Option<HeaderValue>,
    /// Client certificate for the handshake.
    pub(super) identity: Option<Arc<Identity>>,
    /// Number of this credential: two grants of one number are the same.
    pub(super) number: u64,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("number", &self.number).finish_non_exhaustive()
    }
}

/// Where the `Authorization` comes from; the first that the entry has, in kubectl's order.
enum Source {
    Fixed(Option<HeaderValue>),
    File(PathBuf),
    Plugin(Exec),
}

struct State {
    grant: Option<Grant>,
    /// Size and time of the token file at the last reading.
    stamp: Option<(u64, Option<SystemTime>)>,
    checked: Option<Instant>,
    issued: Option<Issued>,
    futile: Option<Instant>,
}

/// The credential of one cluster.
pub(super) struct Credentials {
    source: Source,
    fixed_identity: Option<Arc<Identity>>,
    shared: Arc<Shared>,
    state: tokio::sync::Mutex<State>,
    shown: Mutex<Credential>,
    user_known: AtomicBool,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("shown", &self.shown()).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads the entry; files and plugins are left for [`Credentials::grant`].
    pub(super) fn new(access: &Access, shared: Arc<Shared>) -> Result<Self, Cause> {
        let auth = &access.auth;
        let fixed_identity = match &auth.certificate {
            Some((chain, key)) => Some(Arc::new(Identity::parse(chain, key, &tls::provider())?)),
            None => None,
        };
        let mut shown = Credential { impersonating: access.impersonate.user.clone(), ..Credential::default() };
        let source = if let Some(path) = &auth.token_file {
            shown.kind = "token-file".into();
            Source::File(path.clone())
        } else if let Some(token) = &auth.token {
            shown.kind = "token".into();
            shown.expires = token_end(token);
            Source::Fixed(Some(bearer(token)?))
        } else if let Some((user, password)) = &auth.basic {
            shown.kind = "basic".into();
            shown.user.clone_from(user);
            Source::Fixed(Some(basic(user, password)?))
        } else if let Some(exec) = &auth.exec {
            shown.kind = "exec".into();
            let name = exec.command.rsplit(['/', '\\']).next().unwrap_or_default();
            name.clone_into(&mut shown.plugin);
            Source::Plugin(exec.clone())
        } else if let (Some(provider), None) = (&auth.provider, &auth.certificate) {
            return Err(provider_refused(provider));
        } else {
            shown.kind = if fixed_identity.is_some() { "client-certificate" } else { "none" }.into();
            Source::Fixed(None)
        };
        if let Some(identity) = &fixed_identity {
            shown.expires = shown.expires.min(Some(identity.not_after)).or(Some(identity.not_after));
            if shown.user.is_empty() {
                shown.user.clone_from(&identity.user);
            }
        }
        let state = State { grant: None, stamp: None, checked: None, issued: None, futile: None };
        Ok(Self {
            source,
            fixed_identity,
            shared,
            state: state.into(),
            shown: shown.into(),
            user_known: AtomicBool::new(false),
        })
    }

    /// For the screens.
    pub(super) fn shown(&self) -> Credential {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The name by which the server knows us.
    pub(super) fn know_user(&self, name: &str) {
        if !name.is_empty() {
            name.clone_into(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner).user);
            self.user_known.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_user_known(&self) -> bool {
        self.user_known.load(Ordering::Relaxed)
    }

    /// What to send now; files are read again when they changed, plugins run again before their credential ends.
    pub(super) async fn grant(&self) -> Result<Grant, Cause> {
        let mut state = self.state.lock().await;
        self.refresh(&mut state).await
    }

    /// After a 401 to credential `number`: a newer one, or `None` when there is none to be had.
    pub(super) async fn renew(&self, number: u64) -> Result<Option<Grant>, Cause> {
        let mut state = self.state.lock().await;
        if let Some(grant) = state.grant.as_ref().filter(|g| g.number != number) {
            return Ok(Some(grant.clone()));
        }
        if state.futile.is_some_and(|at| at.elapsed() < FUTILE) {
            return Ok(None);
        }
        match &self.source {
            Source::Fixed(_) => return Ok(None),
            Source::File(_) => {
                state.stamp = None;
                state.checked = None;
            }
            Source::Plugin(exec) => {
                let after = state.issued.as_ref().map_or(0, |i| i.run);
                let issued = self.shared.plugins.obtain(exec, after).await?;
                state.issued = Some(issued);
                state.grant = None;
            }
        }
        let grant = self.refresh(&mut state).await?;
        Ok(Some(grant).filter(|g| g.number != number))
    }

    /// What the server made of a renewed credential.
    pub(super) async fn judged(&self, accepted: bool) {
        self.state.lock().await.futile = (!accepted).then(Instant::now);
    }

    async fn refresh(&self, state: &mut State) -> Result<Grant, Cause> {
        match &self.source {
            Source::Fixed(header) => {
                Ok(Grant { header: header.clone(), identity: self.fixed_identity.clone(), number: 0 })
            }
            Source::File(path) => self.take_file(path, state).await,
            Source::Plugin(exec) => self.take_plugin(exec, state).await,
        }
    }

    async fn take_file(&self, path: &PathBuf, state: &mut State) -> Result<Grant, Cause> {
        if let Some(grant) = &state.grant
            && state.checked.is_some_and(|at| at.elapsed() < FILE_CHECK)
        {
            return Ok(grant.clone());
        }
        let unreadable =
            |e: std::io::Error| Cause::new(CauseCode::Unauthorized, format!("token file {}: {e}", path.display()));
        let found = tokio::fs::metadata(path).await.map_err(unreadable)?;
        let stamp = (found.len(), found.modified().ok());
        state.checked = Some(Instant::now());
        if let Some(grant) = &state.grant
            && state.stamp == Some(stamp)
        {
            return Ok(grant.clone());
        }
        let token = tokio::fs::read_to_string(path).await.map_err(unreadable)?;
        let header = bearer(token.trim())?;
        state.stamp = Some(stamp);
        if let Some(grant) = state.grant.as_ref().filter(|g| g.header.as_ref() == Some(&header)) {
            return Ok(grant.clone());
        }
        self.show_end(token_end(token.trim()));
        let number = state.grant.as_ref().map_or(1, |g| g.number + 1);
        let grant = Grant { header: Some(header), identity: self.fixed_identity.clone(), number };
        Ok(state.grant.insert(grant).clone())
    }

    async fn take_plugin(&self, exec: &Exec, state: &mut State) -> Result<Grant, Cause> {
        if !state.issued.as_ref().is_some_and(Issued::is_fresh) {
            let after = state.issued.as_ref().map_or(0, |i| i.run);
            let newer = match &state.issued {
                // The renewal comes before the end: until then nobody waits for it.
                Some(old) if old.expires.is_some_and(|e| super::now().secs() < e) => {
                    self.shared.plugins.obtain_later(exec, after)
                }
                _ => Some(self.shared.plugins.obtain(exec, after).await?),
            };
            if newer.is_some() {
                state.issued = newer;
                state.grant = None;
            }
        }
        match (&state.grant, &state.issued) {
            (Some(grant), _) => Ok(grant.clone()),
            (None, None) => Err(Cause::new(CauseCode::ExecPlugin, "the plugin issued nothing")),
            (None, Some(issued)) => {
                let grant = self.grant_of(issued)?;
                Ok(state.grant.insert(grant).clone())
            }
        }
    }

    fn grant_of(&self, issued: &Issued) -> Result<Grant, Cause> {
        let identity = match &issued.pair {
            Some((chain, key)) => Some(Arc::new(Identity::parse(chain.as_bytes(), key.as_bytes(), &tls::provider())?)),
            None => self.fixed_identity.clone(),
        };
        let header = issued.token.as_deref().map(bearer).transpose()?;
        let by_token = issued.token.as_deref().and_then(token_end);
        self.show_end(issued.expires.or(by_token).or(identity.as_ref().map(|i| i.not_after)));
        Ok(Grant { header, identity, number: issued.run })
    }

    fn show_end(&self, expires: Option<Secs>) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).expires = expires;
    }

    /// Adds to a refusal what we know of our own credential: the command to log in, the dates of certificate or token.
    pub(super) fn explain(&self, mut cause: Cause) -> Cause {
        if !matches!(cause.code, CauseCode::Unauthorized | CauseCode::ClientCertificate) {
            return cause;
        }
        let now = super::now();
        if let Source::Plugin(exec) = &self.source {
            cause.command = Some(exec::command_line(exec));
        }
        let own_certificate = matches!(self.source, Source::Fixed(None));
        if let Some(identity) = self.fixed_identity.as_ref().filter(|_| own_certificate)
            && let Some(fault) = identity.fault(now)
        {
            cause.code = CauseCode::ClientCertificate;
            cause.detail = format!("{fault} ({})", cause.detail);
            return cause;
        }
        if let Some(end) = self.shown().expires.filter(|e| *e < now.secs()) {
            cause.detail = format!("the token expired {} ({})", utc_text(end.into()), cause.detail);
        }
        cause
    }
}

fn bearer(token: &str) -> Result<HeaderValue, Cause> {
    secret(format!("Bearer {token}"))
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, Cause> {
    secret(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"))))
}

/// A header that no log and no compression table keeps.
fn secret(text: String) -> Result<HeaderValue, Cause> {
    let mut value = HeaderValue::try_from(text)
        .map_err(|_| Cause::new(CauseCode::Config, "the token holds characters that cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// `exp` of a JSON web token; `None` for every other token.
fn token_end(token: &str) -> Option<Secs> {
    #[derive(serde::Deserialize)]
    struct Claims {
        exp: f64,
    }
    let payload = token.split('.').nth(1)?;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    let claims: Claims = serde_json::from_slice(&bytes).ok()?;
    // A date, so whole seconds of 32 bits are enough; a float saturates.
    Some(Secs(claims.exp as u32))
}

/// Providers that Kubernetes itself has dropped, with what took their place.
fn provider_refused(provider: &str) -> Cause {
    let (detail, command) = match provider {
        "azure" => ("use kubelogin instead", Some("kubelogin convert-kubeconfig")),
        "gcp" => ("use gke-gcloud-auth-plugin instead", Some("gcloud container clusters get-credentials CLUSTER")),
        "oidc" => ("use a credential plugin such as kubelogin (kubectl oidc-login) instead", None),
        _ => ("use a credential plugin instead", None),
    };
    let mut cause = Cause::new(
        CauseCode::Config,
        format!("the auth-provider {provider:?} is no longer supported by Kubernetes: {detail}"),
    );
    cause.command = command.map(String::from);
    cause
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::kubeconfig::Auth;

    fn credentials(auth: Auth) -> Result<Credentials, Cause> {
        let access = Access { auth, ..Access::default() };
        Credentials::new(&access, Arc::new(Shared::new(&std::collections::BTreeMap::new())))
    }

    #[test]
    fn a_web_tokens_end_is_read_and_the_token_is_never_shown() {
        let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(r#"{"exp":1796042727,"sub":"x"}"#);
        let token = format!("geheim.{payload}.sig");
        let c = credentials(Auth { token: Some(token), ..Auth::default() }).unwrap();
        assert_eq!(c.shown().expires, Some(Secs(1_796_042_727)));
        assert_eq!(c.shown().kind, "token");
        assert!(!format!("{c:?}").contains("geheim"));
        assert_eq!(token_end("opaque"), None);
    }

    #[test]
    fn dropped_providers_come_with_a_way_out() {
        let cause = credentials(Auth { provider: Some("azure".into()), ..Auth::default() }).unwrap_err();
        assert_eq!(cause.code, CauseCode::Config);
        assert_eq!(cause.command.as_deref(), Some("kubelogin convert-kubeconfig"));
    }

    #[tokio::test]
    async fn a_token_file_is_read_again_when_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        std::fs::write(&path, "first\n").unwrap();
        let c = credentials(Auth { token_file: Some(path.clone()), ..Auth::default() }).unwrap();
        let first = c.grant().await.unwrap();
        assert_eq!(first.header.unwrap().to_str().unwrap(), "Bearer first");
        std::fs::write(&path, "second one").unwrap();
        let second = c.renew(first.number).await.unwrap().unwrap();
        assert_eq!(second.header.unwrap().to_str().unwrap(), "Bearer second one");
        assert!(c.renew(second.number).await.unwrap().is_none(), "an unchanged file is no new credential");
    }
}
