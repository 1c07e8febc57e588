//! "Did you mean": the nearest known name.

/// Maximum number of candidates that are compared.
const MAX_CANDIDATES: usize = 2_000;
/// Maximum length of a compared name, in characters.
const MAX_LENGTH: usize = 64;

/// Returns the candidate nearest to `name`, if it is near enough for a typing error.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    if MAX_LENGTH < name.len() {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter_map(|candidate| {
            let other: Vec<char> = candidate.to_lowercase().chars().collect();
            let distance = (other.len() <= MAX_LENGTH).then(|| distance(&name, &other))?;
            (distance <= allowed && distance < other.len()).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns "did you mean" and the nearest candidate, if it is near enough for a typing error.
pub(crate) fn suggestion<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Returns the edit distance from `a` to `b`: insertions, deletions, replacements and swaps of adjacent characters.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if 0 < i && 0 < j && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        let known = ["Level", "Pump", "PumpB", "TON", "X1"];
        let check = |name: &str, expected: Option<&str>| assert_eq!(nearest(name, known), expected, "{name}");
        check("Levle", Some("Level"));
        check("lvel", Some("Level"));
        check("PumpC", Some("Pump"));
        check("TOM", Some("TON"));
        check("Temperature", None);
        check("Q", None);
        check("", None);
        check("X2", Some("X1"));
    }
}
