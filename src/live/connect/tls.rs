//! TLS towards API servers: whom we trust, whom we are, and a verifier that dates the server's certificate even when it
//! then refuses it.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        Resumption, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    server::ParsedCertificate,
    sign::SingleCertAndKey,
};

use super::identity::{self, Identity};
use crate::{
    config::kubeconfig::Access,
    model::{ApiCertificate, Cause, CauseCode, Secs},
};

/// The cryptography in use, made once.
pub(super) fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| Arc::new(rustls::crypto::ring::default_provider())))
}

/// The machine's trust store, loaded at the first need and shared by all clusters.
#[derive(Default)]
pub(super) struct NativeRoots(OnceLock<Result<Arc<WebPkiServerVerifier>, String>>);

impl NativeRoots {
    /// Reads files: not for the runtime's own threads.
    fn verifier(&self) -> Result<Arc<WebPkiServerVerifier>, Cause> {
        self.0
            .get_or_init(|| {
                let loaded = rustls_native_certs::load_native_certs();
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(loaded.certs);
                if roots.is_empty() {
                    let why = loaded.errors.first().map(ToString::to_string).unwrap_or_default();
                    return Err(format!(
                        "this machine has no trusted certificate authorities, and the kubeconfig names none {why}"
                    ));
                }
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider())
                    .build()
                    .map_err(|e| e.to_string())
            })
            .clone()
            .map_err(|text| Cause::new(CauseCode::Config, text.trim_end()))
    }
}

impl fmt::Debug for NativeRoots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeRoots").field("loaded", &self.0.get().is_some()).finish()
    }
}

/// Verifies as configured and keeps what the server showed, verified or not.
#[derive(Debug)]
pub(super) struct Recorder {
    /// `None`: `insecure-skip-tls-verify`.
    inner: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates of the kubeconfig's authority: a server that shows one of them itself is the one that was meant.
    pinned: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    seen: Mutex<Option<ApiCertificate>>,
}

impl Recorder {
    /// What the last handshake showed.
    pub(super) fn seen(&self) -> Option<ApiCertificate> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A self-signed server certificate written into the kubeconfig as its own authority: other clients accept it, the
    /// path builder does not. Name and dates still count.
    fn verify_pinned(&self, end: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), Error> {
        let at = Secs(u32::try_from(now.as_secs()).unwrap_or(u32::MAX));
        let unix = |s: Secs| UnixTime::since_unix_epoch(std::time::Duration::from_secs(u64::from(s.0)));
        match identity::valid_at(end, at) {
            None => return Err(CertificateError::BadEncoding.into()),
            Some(Err((true, to))) => {
                return Err(CertificateError::ExpiredContext { time: now, not_after: unix(to) }.into());
            }
            Some(Err((false, from))) => {
                return Err(CertificateError::NotValidYetContext { time: now, not_before: unix(from) }.into());
            }
            Some(Ok(())) => {}
        }
        verify_server_name(&ParsedCertificate::try_from(end)?, name)
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(seen) = identity::describe(end) {
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        }
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        if self.pinned.iter().any(|p| p == end) {
            return self.verify_pinned(end, name, now).map(|()| ServerCertVerified::assertion());
        }
        inner.verify_server_cert(end, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The verifier that one cluster's entry asks for. Reads the trust store where the entry names no authority.
pub(super) fn recorder(access: &Access, native: &NativeRoots) -> Result<Arc<Recorder>, Cause> {
    let mut pinned = Vec::new();
    let inner = match &access.ca {
        _ if access.insecure => None,
        None => Some(native.verifier()?),
        Some(pem) => {
            pinned = authorities(pem)?;
            let mut roots = RootCertStore::empty();
            let (added, _) = roots.add_parsable_certificates(pinned.iter().cloned());
            if added == 0 {
                return Err(Cause::new(CauseCode::Config, "the cluster's certificate authority cannot be parsed"));
            }
            let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
            Some(built.map_err(|e| Cause::new(CauseCode::Config, e.to_string()))?)
        }
    };
    Ok(Arc::new(Recorder { inner, pinned, provider: provider(), seen: Mutex::new(None) }))
}

fn authorities(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Cause> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|e| Cause::new(CauseCode::Config, format!("the cluster's certificate authority is not PEM: {e}")))?;
    if certificates.is_empty() {
        return Err(Cause::new(CauseCode::Config, "the cluster's certificate authority holds no CERTIFICATE block"));
    }
    Ok(certificates)
}

/// The handshake's configuration. Sessions are never resumed: a resumed one does not show the client certificate again,
/// and servers then answer 401.
pub(super) fn client_config(recorder: &Arc<Recorder>, identity: Option<&Identity>) -> Result<Arc<ClientConfig>, Cause> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| Cause::new(CauseCode::TlsOther, e.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(recorder) as Arc<dyn ServerCertVerifier>);
    let mut config = match identity {
        Some(identity) => {
            let key = identity.key.as_ref().clone();
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(key)))
        }
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The configuration for an HTTPS proxy: the machine's trust store, HTTP/1.1.
pub(super) fn proxy_config(native: &NativeRoots) -> Result<Arc<ClientConfig>, Cause> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| Cause::new(CauseCode::TlsOther, e.to_string()))?
        .with_webpki_verifier(native.verifier()?)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
