//! The person's editor: which one, and how it is told to open a file at a line.

use std::collections::BTreeMap;

/// Variables that name the editor, the stronger one first.
pub const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// The editor's command line as the person wrote it; `None` where no variable says anything.
pub fn chosen(env: &BTreeMap<String, String>) -> Option<&str> {
    VARIABLES.iter().find_map(|name| env.get(*name).map(|v| v.trim()).filter(|v| !v.is_empty()))
}

/// What follows the editor's own words to open a file at a line (0 = nowhere in particular).
pub fn arguments(editor: &str, file: &str, line: u32) -> Vec<String> {
    // A name that begins like an option would be taken for one.
    let file = if file.starts_with(['-', '+']) { format!("./{file}") } else { file.to_owned() };
    if line == 0 {
        return vec![file];
    }
    match name(editor).as_str() {
        "hx" | "helix" | "zed" | "subl" | "sublime_text" | "lapce" => vec![format!("{file}:{line}")],
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            vec!["-g".into(), format!("{file}:{line}")]
        }
        "vi" | "vim" | "nvim" | "view" | "gvim" | "nano" | "rnano" | "pico" | "emacs" | "emacsclient" | "micro"
        | "kak" | "mg" | "jed" | "joe" | "jmacs" | "mcedit" | "ne" | "less" | "gedit" | "kate" => {
            vec![format!("+{line}"), file]
        }
        // What is not known would take a line for another file.
        _ if name(editor).contains("vi") => vec![format!("+{line}"), file],
        _ => vec![file],
    }
}

/// Name of the program in a command line: `/usr/bin/nvim -p` is `nvim`.
fn name(editor: &str) -> String {
    let quote = editor.chars().next().filter(|c| matches!(c, '"' | '\''));
    let program = match quote {
        Some(quote) => editor[1..].split(quote).next().unwrap_or_default(),
        None => editor.split_whitespace().next().unwrap_or_default(),
    };
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    base.strip_suffix(".exe").unwrap_or(&base).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        for (editor, line, told) in [
            ("vim", 14, "+14|a b.yaml"),
            ("/usr/local/bin/nvim -p", 14, "+14|a b.yaml"),
            ("nano", 3, "+3|a b.yaml"),
            ("emacsclient -t", 3, "+3|a b.yaml"),
            ("kak", 3, "+3|a b.yaml"),
            ("hx", 3, "a b.yaml:3"),
            ("code --wait", 3, "-g|a b.yaml:3"),
            ("\"/opt/My Editors/code\" -w", 3, "-g|a b.yaml:3"),
            ("C:\\tools\\hx.exe", 3, "a b.yaml:3"),
            ("ed", 3, "a b.yaml"),
            ("vim", 0, "a b.yaml"),
        ] {
            let args = arguments(editor, "a b.yaml", line).join("|");
            assert_eq!(args, told, "{editor}");
        }
        assert_eq!(arguments("vim", "+5", 2), ["+2", "./+5"]);
    }

    #[test]
    fn visual_wins_and_empty_counts_for_nothing() {
        let env = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
        };
        assert_eq!(chosen(&env(&[("EDITOR", "vi"), ("VISUAL", "hx")])), Some("hx"));
        assert_eq!(chosen(&env(&[("EDITOR", "vi"), ("VISUAL", " ")])), Some("vi"));
        assert_eq!(chosen(&env(&[])), None);
    }
}
