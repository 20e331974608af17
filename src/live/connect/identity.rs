//! The operator's client certificate: read, dated, and described when it cannot work.

use std::sync::Arc;

use rustls::{
    InconsistentKeys,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    sign::CertifiedKey,
};
use x509_parser::{certificate::X509Certificate, x509::X509Version};

use crate::model::{ApiCertificate, Cause, CauseCode, Millis, Secs, utc_text};

/// A client certificate with its key, ready for handshakes.
#[derive(Debug)]
pub(super) struct Identity {
    /// Chain and key.
    pub(super) key: Arc<CertifiedKey>,
    /// Subject's CN: the user, for Kubernetes.
    pub(super) user: String,
    /// Start of validity.
    pub(super) not_before: Secs,
    /// End of validity.
    pub(super) not_after: Secs,
    /// X.509 version 1: Go's servers take it, most others do not.
    pub(super) v1: bool,
}

impl Identity {
    /// From PEM, or why it cannot be used.
    pub(super) fn parse(chain: &[u8], key: &[u8], provider: &CryptoProvider) -> Result<Self, Cause> {
        let bad = |text: String| Cause::new(CauseCode::ClientCertificate, text);
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<_, _>>()
            .map_err(|e| bad(format!("the client certificate is not PEM: {e}")))?;
        let Some(first) = chain.first() else {
            return Err(bad(String::from("the client certificate holds no CERTIFICATE block")));
        };
        let (_, parsed) = x509_parser::parse_x509_certificate(first)
            .map_err(|e| bad(format!("the client certificate cannot be parsed: {e}")))?;
        let user = common_name(&parsed);
        let (not_before, not_after) = validity(&parsed);
        let v1 = parsed.version() == X509Version::V1;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            bad(if String::from_utf8_lossy(key).contains("ENCRYPTED") {
                String::from("the client key is encrypted with a passphrase, which kubeconfigs cannot give")
            } else {
                String::from("the client key is not a PEM private key")
            })
        })?;
        let key = provider
            .key_provider
            .load_private_key(key)
            .map_err(|e| bad(format!("the client key's algorithm is not supported: {e}")))?;
        let key = CertifiedKey::new(chain, key);
        if let Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) = key.keys_match() {
            return Err(bad(String::from("client certificate and client key do not belong together")));
        }
        Ok(Self { key: Arc::new(key), user, not_before, not_after, v1 })
    }

    /// What is wrong with it at `now`, in words, if anything is.
    pub(super) fn fault(&self, now: Millis) -> Option<String> {
        let now = now.secs();
        if now > self.not_after {
            return Some(format!(
                "the client certificate of {} expired {}",
                self.user,
                utc_text(self.not_after.into())
            ));
        }
        if now < self.not_before {
            let from = utc_text(self.not_before.into());
            return Some(format!("the client certificate of {} is not valid before {from}", self.user));
        }
        self.v1.then(|| {
            format!(
                "the client certificate of {} is X.509 version 1, which this server refuses: issue a version 3 one",
                self.user
            )
        })
    }
}

/// What the ledger shows of a serving certificate; `None` when it is no certificate.
pub(super) fn describe(der: &[u8]) -> Option<ApiCertificate> {
    let (_, parsed) = x509_parser::parse_x509_certificate(der).ok()?;
    Some(ApiCertificate {
        subject: parsed.subject().to_string(),
        issuer: parsed.issuer().to_string(),
        not_after: validity(&parsed).1,
    })
}

fn validity(certificate: &X509Certificate<'_>) -> (Secs, Secs) {
    // Dates beyond what 32 bits hold (year 2106) are as good as never.
    let secs = |t: i64| Secs(u32::try_from(t.max(0)).unwrap_or(u32::MAX));
    let validity = certificate.validity();
    (secs(validity.not_before.timestamp()), secs(validity.not_after.timestamp()))
}

fn common_name(certificate: &X509Certificate<'_>) -> String {
    let name = certificate.subject().iter_common_name().next().and_then(|n| n.as_str().ok());
    name.map_or_else(|| certificate.subject().to_string(), str::to_owned)
}

/// Whether validity has begun and not ended, for the verifier.
pub(super) fn valid_at(der: &[u8], now: Secs) -> Option<Result<(), (bool, Secs)>> {
    let (_, parsed) = x509_parser::parse_x509_certificate(der).ok()?;
    let (from, to) = validity(&parsed);
    Some(match now {
        now if now > to => Err((true, to)),
        now if now < from => Err((false, from)),
        _ => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpmbT+LRQ87SLREcc
0UPmllH7dFORrV32GEAlx3bIOfuhRANCAAQVu5OQWvgQmVNXohgjwjqSkBn10n80
4sI1pFzE7AJlRezQnoNbWuNRCon5KzzAkzifUidn0gbhnUOMK0PcY087
-----END PRIVATE KEY-----";
    const VERSION_1: &str = "-----BEGIN CERTIFICATE-----
MIIBJDCBywIUUfEMumSYHs5ExbNx0QueqmHGwH8wCgYIKoZIzj0EAwIwFDESMBAG
A1UEAwwJb2xkLXRpbWVyMCAXDTI2MTEzMDEzMTk0MFoYDzIxMjYxMTA2MTMxOTQw
WjAUMRIwEAYDVQQDDAlvbGQtdGltZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAQVu5OQWvgQmVNXohgjwjqSkBn10n804sI1pFzE7AJlRezQnoNbWuNRCon5KzzA
kzifUidn0gbhnUOMK0PcY087MAoGCCqGSM49BAMCA0gAMEUCIBZ0TTIYKz1UCr9s
msDICoB24z/9jmxcUQ2xNC/HrmODAiEA8YsCa16tCBlxWIWtJsuX9xiecea0nfXD
CJ9GQytz/GM=
-----END CERTIFICATE-----";

    #[test]
    fn a_version_1_certificate_is_usable_and_named() {
        let provider = super::super::tls::provider();
        let identity = Identity::parse(VERSION_1.as_bytes(), KEY.as_bytes(), &provider).unwrap();
        assert_eq!(identity.user, "old-timer");
        let fault = identity.fault(Millis(1_900_000_000_000)).unwrap();
        assert!(fault.contains("X.509 version 1"), "{fault}");
        assert!(identity.fault(Millis(1_000_000_000_000)).unwrap().contains("not valid before 2026-11-30"));
    }
}
