//! One authority for a test's clusters: serving certificate, client certificates, service account key.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType,
};

/// The files, by role.
pub struct Pki {
    dir: PathBuf,
}

impl Pki {
    /// Writes a fresh authority and everything signed by it into `dir`.
    pub fn create(dir: &Path) -> Self {
        let pki = Self { dir: dir.to_owned() };
        let key = KeyPair::generate().expect("key");
        let mut ca = named("test-ca", None);
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        let certificate = ca.self_signed(&key).expect("authority");
        pki.write("ca.crt", &certificate.pem());
        let issuer = Issuer::new(ca, key);

        let mut server = named("kube-apiserver", None);
        server.subject_alt_names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
            .into_iter()
            .map(|n| SanType::DnsName(n.try_into().expect("name")))
            .chain(["127.0.0.1", "10.0.0.1"].map(|a| SanType::IpAddress(a.parse().expect("address"))))
            .collect();
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        pki.sign("apiserver", &server, &issuer);

        for (file, name, group) in [
            ("admin", "admin", Some("system:masters")),
            ("kwok", "kwok", Some("system:masters")),
            ("kcm", "system:kube-controller-manager", None),
            ("sched", "system:kube-scheduler", None),
            ("front", "front", None),
        ] {
            let mut client = named(name, group);
            client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            pki.sign(file, &client, &issuer);
        }
        let account = KeyPair::generate().expect("key");
        pki.write("sa.key", &account.serialize_pem());
        pki.write("sa.pub", &account.public_key_pem());
        pki
    }

    /// Path of a file (`ca.crt`, `admin.key` ...).
    pub fn path(&self, file: &str) -> String {
        self.dir.join(file).display().to_string()
    }

    fn sign(&self, file: &str, params: &CertificateParams, issuer: &Issuer<'_, KeyPair>) {
        let key = KeyPair::generate().expect("key");
        let certificate = params.signed_by(&key, issuer).expect("certificate");
        self.write(&format!("{file}.crt"), &certificate.pem());
        self.write(&format!("{file}.key"), &key.serialize_pem());
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.dir.join(file), text).expect("written");
    }
}

fn named(name: &str, group: Option<&str>) -> CertificateParams {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    if let Some(group) = group {
        params.distinguished_name.push(DnType::OrganizationName, group);
    }
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params
}
