//! The nearest of several words, for "did you mean".

/// The word nearest to `word`, when one is near enough to be what was meant.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = fold(word);
    let allowed = (wanted.chars().count() / 3).clamp(1, 3);
    words
        .into_iter()
        .map(|w| (distance(&wanted, &fold(w)), w))
        .filter(|(d, _)| *d <= allowed)
        .min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)))
        .map(|(_, w)| w)
}

/// Case, hyphens and underscores are no difference worth an edit: `read_only` is `readOnly`.
fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// Edit distance with transpositions of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + usize::from(!same));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["environment", "region", "readOnly", "contacts", "name"];
        for (word, near) in [
            ("enviroment", Some("environment")),
            ("read_only", Some("readOnly")),
            ("contatcs", Some("contacts")),
            ("nmae", Some("name")),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, words), near, "{word}");
        }
    }
}
