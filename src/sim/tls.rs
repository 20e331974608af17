//! The simulated fleet's certificates: one authority, a serving certificate per cluster, client certificates.

use std::sync::Arc;

use base64::Engine as _;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::{
        WebPkiClientVerifier,
        danger::{ClientCertVerified, ClientCertVerifier},
    },
};

use super::error::SimError;
use crate::model::Millis;

/// The authority of a fleet.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    /// One key for all serving certificates: making keys is the slow part.
    serving: KeyPair,
    now: Millis,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authority")
    }
}

/// A client certificate and its key, as PEM.
#[derive(Clone)]
pub struct ClientPem {
    /// Certificate.
    pub certificate: String,
    /// Private key.
    pub key: String,
}

impl std::fmt::Debug for ClientPem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientPem")
    }
}

fn failed(error: &dyn std::fmt::Display) -> SimError {
    SimError::Certificates(error.to_string())
}

impl Authority {
    /// A new authority, valid from a day before `now` for ten years.
    pub fn new(now: Millis) -> Result<Self, SimError> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = name(&[(DnType::CommonName, "simulated-fleet-ca")]);
        params.key_usages =
            vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        validity(&mut params, now, -1, 3650);
        let key = KeyPair::generate().map_err(|e| failed(&e))?;
        let certificate = params.self_signed(&key).map_err(|e| failed(&e))?.der().clone();
        let serving = KeyPair::generate().map_err(|e| failed(&e))?;
        Ok(Self { issuer: Issuer::new(params, key), certificate, serving, now })
    }

    /// The authority's certificate as PEM.
    pub fn pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    /// TLS of a server whose certificate ends in `days` (negative: it has ended).
    pub fn server(&self, days: i64) -> Result<Arc<ServerConfig>, SimError> {
        let names =
            ["localhost", "127.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "10.96.0.1"];
        let mut params = CertificateParams::new(names.map(str::to_owned).to_vec()).map_err(|e| failed(&e))?;
        params.distinguished_name = name(&[(DnType::CommonName, "kube-apiserver")]);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        validity(&mut params, self.now, days.min(0) - 365, days);
        let certificate = params.signed_by(&self.serving, &self.issuer).map_err(|e| failed(&e))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Arc::new(AnyClient(self.client_verifier()?));
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.serving.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| failed(&e))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(|e| failed(&e))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Judges client certificates of this authority.
    pub fn client_verifier(&self) -> Result<Arc<dyn ClientCertVerifier>, SimError> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).map_err(|e| failed(&e))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
            .allow_unauthenticated()
            .build()
            .map_err(|e| failed(&e))
    }

    /// A client certificate for a user with groups, ending in `days`.
    pub fn client(&self, user: &str, groups: &[&str], days: i64) -> Result<ClientPem, SimError> {
        let mut params = CertificateParams::default();
        let mut parts = vec![(DnType::CommonName, user)];
        parts.extend(groups.iter().map(|g| (DnType::OrganizationName, *g)));
        params.distinguished_name = name(&parts);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        validity(&mut params, self.now, days.min(0) - 365, days);
        let key = KeyPair::generate().map_err(|e| failed(&e))?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(|e| failed(&e))?;
        Ok(ClientPem { certificate: pem("CERTIFICATE", certificate.der()), key: key.serialize_pem() })
    }
}

fn name(parts: &[(DnType, &str)]) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    for (kind, text) in parts {
        name.push(kind.clone(), *text);
    }
    name
}

fn validity(params: &mut CertificateParams, now: Millis, from_days: i64, to_days: i64) {
    let date = |days: i64| {
        let at = jiff::Timestamp::from_millisecond(now.0 + days * 86_400_000).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let date = at.to_zoned(jiff::tz::TimeZone::UTC).date();
        let part = |n: i8| u8::try_from(n).unwrap_or(1);
        rcgen::date_time_ymd(i32::from(date.year()), part(date.month()), part(date.day()))
    };
    params.not_before = date(from_days);
    params.not_after = date(to_days);
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|c| std::str::from_utf8(c).unwrap_or_default()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Takes any client certificate at the handshake: an API server answers a bad one with 401, not with a TLS alert.
#[derive(Debug)]
struct AnyClient(Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for AnyClient {
    fn root_hint_subjects(&self) -> &[rustls::DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _own: &CertificateDer<'_>,
        _rest: &[CertificateDer<'_>],
        _now: rustls::pki_types::UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
