//! A file that is being written never costs a cluster; what did not change is not told.

use std::fs;

use super::*;
use crate::config::resolve;

const KUBECONFIG: &str = "\
clusters:
- {name: eu, cluster: {server: https://eu}}
- {name: cn, cluster: {server: https://cn}}
contexts:
- {name: eu, context: {cluster: eu, user: me}}
- {name: cn, context: {cluster: cn, user: me}}
users:
- {name: me, user: {token: t}}
";

struct Fixture {
    dir: tempfile::TempDir,
    request: Request,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let request = Request {
            kubeconfig: Some(dir.path().join("config")),
            config_dir: Some(dir.path().join("own")),
            ..Request::default()
        };
        let fixture = Self { dir, request };
        fixture.write(KUBECONFIG);
        fixture
    }

    fn write(&self, content: &str) {
        fs::write(self.dir.path().join("config"), content).unwrap();
    }

    fn read(&self) -> Result<Settings, Vec<Problem>> {
        resolve_telling_all(&self.request)
    }
}

fn contexts(settings: &Settings) -> Vec<&str> {
    settings.targets.iter().map(|t| t.record.context.as_str()).collect()
}

#[test]
fn a_half_written_kubeconfig_waits_wherever_it_is_cut() {
    let fixture = Fixture::new();
    let old = fixture.read().unwrap();
    // Up to the last line break but one, every cut loses or breaks something.
    let end = KUBECONFIG.rfind("- {name: me").unwrap();
    for cut in 0..end {
        fixture.write(&KUBECONFIG[..cut]);
        assert_eq!(judge(&old, &fixture.read(), false), Judgement::Wait, "cut at {cut}: {:?}", &KUBECONFIG[..cut]);
    }
}

#[test]
fn what_stays_broken_keeps_the_clusters_and_says_so_and_what_stays_gone_is_believed() {
    let fixture = Fixture::new();
    let old = fixture.read().unwrap();
    fixture.write("");
    let Judgement::Take(kept) = judge(&old, &fixture.read(), true) else { panic!("the problem must be told") };
    assert_eq!(contexts(&kept), vec!["eu", "cn"]);
    assert!(
        kept.problems[0].text.contains("stays in use") && kept.problems[0].text.contains("empty"),
        "{:?}",
        kept.problems
    );
    assert_eq!(judge(&kept, &fixture.read(), true), Judgement::Same, "told once");

    fixture.write(&KUBECONFIG.replace("- {name: cn, context: {cluster: cn, user: me}}\n", ""));
    assert_eq!(judge(&old, &fixture.read(), false), Judgement::Wait);
    let Judgement::Take(fewer) = judge(&old, &fixture.read(), true) else { panic!("a context was removed") };
    assert_eq!(contexts(&fewer), vec!["eu"]);
}

#[test]
fn equal_content_is_no_news_and_more_is_taken_at_once() {
    let fixture = Fixture::new();
    let old = fixture.read().unwrap();
    fixture.write(&format!("# a comment\n{KUBECONFIG}").replace("# a comment\n", ""));
    assert_eq!(judge(&old, &fixture.read(), false), Judgement::Same);
    fixture.write(&KUBECONFIG.replace("token: t", "token: u"));
    assert!(matches!(judge(&old, &fixture.read(), false), Judgement::Take(_)), "a new token is news");
}

#[test]
fn the_thread_tells_what_a_writer_did_in_two_steps() {
    let fixture = Fixture::new();
    let old = Arc::new(resolve(&fixture.request).unwrap());
    let (tell, told) = mpsc::channel();
    let reloader = watch(fixture.request.clone(), old, move |settings| {
        let _ = tell.send(settings);
    })
    .unwrap();
    let more = KUBECONFIG.replace("contexts:\n", "contexts:\n- {name: new, context: {cluster: cn}}\n");
    fixture.write("");
    fixture.write(&more[..more.len() / 2]);
    fixture.write(&more);
    let new = told.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(contexts(&new), vec!["new", "eu", "cn"]);
    drop(reloader);
    // The thread ends: its end of the channel closes.
    assert!(told.recv_timeout(Duration::from_secs(30)).is_err());
}
