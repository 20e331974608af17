//! Builds the programs of a control plane from their Go modules, once per version, outside the work tree.
//!
//! `go/*/go.mod` and `go.sum` pin what is built; the cache folder is named by their hash and the build flags. A lock file
//! lets two test runs share one build. Cold it takes about ten minutes on two cores, warm nothing.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use sha2::{Digest, Sha256};

const KUBERNETES: &str = "1.37.2";

/// Module folder, package, and the binary's name.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("etcd", "go.etcd.io/etcd/server/v3", "etcd"),
    ("kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", "kube-apiserver"),
    ("kubernetes", "k8s.io/kubernetes/cmd/kubectl", "kubectl"),
    ("kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager", "kube-controller-manager"),
    ("kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler", "kube-scheduler"),
    ("kwok", "sigs.k8s.io/kwok/cmd/kwok", "kwok"),
    ("helm", "helm.sh/helm/v3/cmd/helm", "helm"),
];

/// The folder with the binaries, or why there is none (one line).
pub fn folder() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(build) {
        Ok(path) => Ok(path),
        Err(reason) => Err(reason.clone()),
    }
}

fn modules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/control-plane/go")
}

fn ld_flags(module: &str) -> String {
    let mut flags = String::from("-s -w");
    if module == "kubernetes" {
        // Without these `/version` says v0.0.0-master.
        for package in ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"] {
            for (name, value) in [
                ("gitVersion", format!("v{KUBERNETES}")),
                ("gitMajor", "1".into()),
                ("gitMinor", "37".into()),
                ("gitTreeState", "clean".into()),
                ("gitCommit", "unknown".into()),
                ("buildDate", "1970-01-01T00:00:00Z".into()),
            ] {
                flags.push_str(&format!(" -X {package}.{name}={value}"));
            }
        }
    }
    flags
}

/// Hash of everything that decides what is built.
fn fingerprint() -> Result<String, String> {
    let mut hash = Sha256::new();
    for (module, package, _) in PROGRAMS {
        hash.update(package);
        hash.update(ld_flags(module));
        for file in ["go.mod", "go.sum"] {
            let path = modules().join(module).join(file);
            hash.update(fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    Ok(hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect())
}

fn cache() -> Result<PathBuf, String> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let root = variable("XDG_CACHE_HOME")
        .or_else(|| Some(variable("HOME")?.join(".cache")))
        .ok_or("no HOME and no XDG_CACHE_HOME")?;
    Ok(root.join("quarterdeck-tests").join("control-plane"))
}

fn build() -> Result<PathBuf, String> {
    let folder = cache()?.join(fingerprint()?);
    let present = || PROGRAMS.iter().all(|(_, _, name)| folder.join(name).exists());
    if present() {
        return Ok(folder);
    }
    let version = Command::new("go").arg("version").output();
    if !version.is_ok_and(|v| v.status.success()) {
        return Err("Go is not installed, so no real control plane can be built".into());
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let lock = fs::File::create(folder.join("lock")).map_err(|e| e.to_string())?;
    lock.lock().map_err(|e| e.to_string())?;
    for (module, package, name) in PROGRAMS {
        let target = folder.join(name);
        if target.exists() {
            continue;
        }
        // Said on stderr at once: a silent ten minutes looks like a hang.
        let _ = writeln!(std::io::stderr(), "building {name} for the control-plane tests (once, minutes) ...");
        let partial = folder.join(format!("{name}.partial"));
        let output = Command::new("go")
            .args(["build", "-trimpath", "-ldflags", &ld_flags(module), "-o"])
            .arg(&partial)
            .arg(package)
            .current_dir(modules().join(module))
            .env("CGO_ENABLED", "0")
            .env("GOFLAGS", "-mod=readonly")
            .output()
            .map_err(|e| format!("go build {package}: {e}"))?;
        if !output.status.success() {
            return Err(format!("go build {package} failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        fs::rename(&partial, &target).map_err(|e| format!("{}: {e}", target.display()))?;
    }
    Ok(folder)
}
