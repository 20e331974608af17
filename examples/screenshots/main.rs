//! Makes `screenshots/*.png` and `*.svg` from the demo fleet: `cargo run --release --example screenshots [NAME...]`.
//!
//! The real binary runs in a pseudo-terminal over the seeded demo; a script of keys leads to each screen. With
//! `--size 80x24 --keys 'jj\r' --out FILE [--lang zh] [--theme light]` it makes one picture of anything.

#[path = "../../tests/support/mod.rs"]
mod support;
mod svg;

use std::{path::Path, process::Command, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use resvg::{tiny_skia, usvg};
use support::pty::Console;

/// One picture.
struct Shot {
    name: String,
    size: (u16, u16),
    lang: String,
    theme: String,
    /// Keys typed one after the other; after each group the screen must stand still.
    keys: Vec<String>,
    /// What must be on the screen in the end.
    want: String,
}

fn shot(name: &str, size: (u16, u16), lang: &str, theme: &str, keys: &[&str], want: &str) -> Shot {
    Shot {
        name: name.into(),
        size,
        lang: lang.into(),
        theme: theme.into(),
        keys: keys.iter().map(|k| (*k).into()).collect(),
        want: want.into(),
    }
}

/// The pictures of the README.
fn shots() -> Vec<Shot> {
    vec![
        shot("fleet", (120, 32), "en", "dark", &["jj"], "eu-west-1"),
        shot("matrix", (120, 34), "en", "dark", &[":matrix\r", "jjj", "llll"], "ledger"),
        shot("matrix-groups", (120, 34), "en", "dark", &[":matrix\r", "b"], "ledger"),
        shot("objects", (120, 32), "en", "dark", &[":pods\r", "o"], "CrashLoopBackOff"),
        shot("fleet-light", (120, 32), "en", "light", &["jj"], "eu-west-1"),
        shot("fleet-zh", (120, 32), "zh", "dark", &["jj"], "eu-west-1"),
        shot("matrix-zh", (120, 34), "zh", "dark", &[":matrix\r", "jjj", "llll"], "支付对账"),
        shot("fleet-80x24", (80, 24), "en", "dark", &[], "eu-west-1"),
        shot("matrix-80x24", (80, 24), "en", "dark", &[":matrix\r"], "SERVICE"),
        shot("fleet-200x60", (200, 60), "en", "dark", &["jj"], "eu-west-1"),
        shot("placement", (120, 34), "en", "dark", &[":placement\r", "/risk\r", "ll"], "risk-engine"),
        shot("what-if", (120, 34), "en", "dark", &[":placement\r", "/payments\r", "llll ", "a", "l"], "WHAT IF"),
        shot("differences", (120, 34), "en", "light", &[":differences api-gateway\r", "jjjjjjj"], "declared"),
        shot(
            "where-from",
            (120, 34),
            "en",
            "dark",
            &[":placement\r", "/api-gateway\r", "l\r", "G\r", "/registry-cn\r"],
            "registry-cn",
        ),
        shot("placement-80x24", (80, 24), "zh", "dark", &[":placement\r"], "api-gateway"),
        shot("help", (120, 40), "en", "dark", &["?"], "matrix"),
    ]
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    build()?;
    let fonts = fonts()?;
    if let Some(out) = value(&arguments, "--out") {
        let (columns, rows) =
            value(&arguments, "--size").unwrap_or("120x40").split_once('x').context("--size COLUMNSxROWS")?;
        let keys = value(&arguments, "--keys").unwrap_or("");
        let single = Shot {
            name: "single".into(),
            size: (columns.parse()?, rows.parse()?),
            lang: value(&arguments, "--lang").unwrap_or("en").into(),
            theme: value(&arguments, "--theme").unwrap_or("dark").into(),
            keys: keys.split('|').filter(|k| !k.is_empty()).map(unescape).collect(),
            want: value(&arguments, "--want").unwrap_or("").into(),
        };
        return make(&single, Path::new(out), &fonts);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder)?;
    for shot in shots().iter().filter(|s| arguments.is_empty() || arguments.contains(&s.name)) {
        make(shot, &folder.join(format!("{}.png", shot.name)), &fonts).with_context(|| shot.name.clone())?;
    }
    Ok(())
}

fn value<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    arguments.iter().position(|a| a == name).and_then(|i| arguments.get(i + 1)).map(String::as_str)
}

/// `\r`, `\t`, `\e` in a key script.
fn unescape(text: &str) -> String {
    text.replace("\\r", "\r").replace("\\t", "\t").replace("\\e", "\u{1b}")
}

/// The binary of the same profile, up to date.
fn build() -> Result<()> {
    let release = std::env::current_exe()?.components().any(|c| c.as_os_str() == "release");
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(["build", "--bin", "quarterdeck", "--quiet"]);
    if release {
        command.arg("--release");
    }
    anyhow::ensure!(command.status()?.success(), "the binary does not build");
    Ok(())
}

fn fonts() -> Result<Arc<usvg::fontdb::Database>> {
    let mut fonts = usvg::fontdb::Database::new();
    let mut files: Vec<_> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/fonts"))?
        .flatten()
        .map(|f| f.path())
        .filter(|p| p.extension().is_some_and(|e| e == "ttf" || e == "otf"))
        .collect();
    files.sort();
    for file in files {
        fonts.load_font_data(std::fs::read(file)?);
    }
    fonts.set_monospace_family("DejaVu Sans Mono");
    anyhow::ensure!(fonts.len() >= 5, "assets/fonts is incomplete");
    Ok(Arc::new(fonts))
}

fn make(shot: &Shot, out: &Path, fonts: &Arc<usvg::fontdb::Database>) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut console = Console::start(
        home.path(),
        shot.size.0,
        shot.size.1,
        &["--lang", &shot.lang, "--theme", &shot.theme, "demo"],
        &[],
    );
    console.wait("the demo fleet", 60, |screen| screen.contains("eu-west-1"));
    // The demo needs a few seconds until its clusters have said what is wrong with them.
    std::thread::sleep(Duration::from_secs(6));
    for keys in &shot.keys {
        console.send(keys);
        still(&console);
    }
    console.wait(&shot.want, 30, |screen| screen.contains(&shot.want));
    still(&console);
    let paper = if shot.theme == "light" { svg::LIGHT } else { svg::DARK };
    let text = console.with_screen(|screen| svg::draw(screen, paper));
    std::fs::write(out.with_extension("svg"), &text)?;
    render(&text, out, fonts)
}

/// Waits until the screen has not changed for a moment, clocks left aside.
fn still(console: &Console) {
    let body = |text: String| text.lines().skip(1).collect::<Vec<_>>().join("\n");
    let mut last = body(console.text());
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(250));
        let now = body(console.text());
        if now == last {
            return;
        }
        last = now;
    }
}

fn render(text: &str, out: &Path, fonts: &Arc<usvg::fontdb::Database>) -> Result<()> {
    let options = usvg::Options { fontdb: Arc::clone(fonts), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(text, &options)?;
    let size = tree.size();
    let scale = 1.5;
    let mut picture =
        tiny_skia::Pixmap::new((size.width() * scale) as u32, (size.height() * scale) as u32).context("size")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.save_png(out)?;
    Ok(())
}
