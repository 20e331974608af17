//! What every embedded theme must hold.

use std::path::Path;

use super::{
    Level, Role, TILES, Theme,
    colour::{contrast, rgb},
    load, names,
};

fn all(level: Level) -> Vec<Theme> {
    let none = Path::new("/nonexistent");
    names(none).iter().map(|n| load(n, none, level).unwrap()).collect()
}

fn roles() -> Vec<Role> {
    Role::NAMED.iter().map(|(_, r)| *r).chain((0..TILES).map(Role::Tile)).collect()
}

#[test]
fn every_role_is_set_in_every_theme() {
    let themes = all(Level::True);
    assert!(themes.len() >= 8);
    for theme in themes.iter().filter(|t| t.name != "mono") {
        for role in roles().into_iter().filter(|r| !matches!(r, Role::Text)) {
            assert_ne!(theme.style(role), ratatui::style::Style::new(), "{} {role:?}", theme.name);
        }
    }
}

/// Text reads on the theme's own background; where it paints none, on black (dark themes) or white (light ones).
#[test]
fn text_has_contrast() {
    for theme in all(Level::True) {
        let ground = if theme.dark { [0, 0, 0] } else { [255, 255, 255] };
        for role in roles() {
            let style = theme.style(role);
            let Some(fg) = style.fg.and_then(rgb) else { continue };
            let bg = style.bg.and_then(rgb).unwrap_or(ground);
            // A border is no text (WCAG 1.4.11: 3 to 1).
            let least = if role == Role::Border { 3.0 } else { 4.5 };
            let is = contrast(fg, bg);
            assert!(is >= least, "{} {role:?}: {is:.1}", theme.name);
        }
        // Coloured text stays readable on the selection bar.
        for bar in [Role::Selection, Role::SelectionDim] {
            let Some(bg) = theme.style(bar).bg.and_then(rgb) else { continue };
            for role in [Role::Ok, Role::Warn, Role::Bad, Role::Busy, Role::Muted] {
                let style = theme.selected(theme.style(role), bar == Role::Selection);
                let Some(fg) = style.fg.and_then(rgb) else { continue };
                assert!(contrast(fg, bg) >= 4.5, "{} {role:?} on {bar:?}: {:.1}", theme.name, contrast(fg, bg));
            }
        }
    }
}

/// What must be told apart is, at every level: by colour or by attribute.
#[test]
fn states_stay_apart_at_every_level() {
    for level in [Level::True, Level::Indexed, Level::Ansi] {
        for theme in all(level) {
            let look = |r| theme.style(r);
            for (a, b) in [
                (Role::Ok, Role::Warn),
                (Role::Ok, Role::Bad),
                (Role::Warn, Role::Bad),
                (Role::Bad, Role::Stale),
                (Role::Stale, Role::Ok),
                (Role::Text, Role::Selection),
                (Role::Border, Role::BorderFocus),
                (Role::Added, Role::Removed),
            ] {
                assert_ne!(look(a), look(b), "{} {a:?} {b:?} at {level:?}", theme.name);
            }
        }
    }
}

#[test]
fn without_colours_attributes_do_the_work() {
    let theme = load("mono", Path::new(""), Level::None).unwrap();
    for role in roles() {
        assert_eq!((theme.style(role).fg, theme.style(role).bg), (None, None));
    }
    for role in [Role::Selection, Role::Warn, Role::Bad, Role::Stale, Role::Prod, Role::Mark] {
        assert!(!theme.style(role).add_modifier.is_empty(), "{role:?}");
    }
}

#[test]
fn the_users_themes_extend_and_complain() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("mine.yaml", "name: mine\nextends: dark\npalette: {rust: \"#ff0000\"}\nrole:\n  bad: rust\n");
    write("circle.yaml", "name: circle\nextends: circle\n");
    write("broken.yaml", "name: broken\nrole:\n  shiny: red\n");
    write("odd.yaml", "name: odd\nrole:\n  bad: puce\n");
    let get = |name| load(name, dir.path(), Level::True);
    let (mine, dark) = (get("mine").unwrap(), get("dark").unwrap());
    assert_ne!(mine.style(Role::Bad), dark.style(Role::Bad));
    assert_eq!(mine.style(Role::Ok), dark.style(Role::Ok));
    for (name, part) in
        [("circle", "extends itself"), ("broken", "shiny"), ("odd", "puce"), ("../x", "no such"), ("none", "no such")]
    {
        assert!(get(name).unwrap_err().contains(part), "{name}");
    }
    assert!(names(dir.path()).contains(&"mine".to_owned()));
}
