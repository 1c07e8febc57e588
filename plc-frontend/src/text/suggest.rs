//! "Did you mean": the nearest known name.

/// Maximum number of candidates that are compared.
const MAX_CANDIDATES: usize = 2_000;
/// Maximum length of a compared name, in characters.
const MAX_LENGTH: usize = 64;

/// Returns the candidate nearest to `name`, if it is near enough for a typing error.
///
/// Cost: most candidates are compared by their lengths alone. The others need a few rows of a small table, up to the first row
/// that is too far.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    if MAX_LENGTH < name.len() {
        return None;
    }
    let allowed = (name.len() / 3).clamp(1, 3);
    let mut table = Table::default();
    let near = candidates.into_iter().take(MAX_CANDIDATES).filter_map(|candidate| {
        // A character has at most four bytes in either case, so this excludes no near name.
        if 4 * (name.len() + allowed) < candidate.len() {
            return None;
        }
        table.set(candidate);
        let length = table.other.len();
        if MAX_LENGTH < length || allowed < length.abs_diff(name.len()) {
            return None;
        }
        let distance = table.distance(&name, allowed)?;
        (distance < length).then_some((distance, candidate))
    });
    near.min().map(|(_, candidate)| candidate)
}

/// Returns "did you mean" and the nearest candidate, if it is near enough for a typing error.
pub(crate) fn suggestion<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// Table of edit distances, used again for each candidate.
#[derive(Default)]
struct Table {
    /// The candidate in lower case.
    other: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Table {
    /// Chooses the candidate.
    fn set(&mut self, candidate: &str) {
        self.other.clear();
        if candidate.is_ascii() {
            self.other.extend(candidate.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            self.other.extend(candidate.to_lowercase().chars());
        }
    }

    /// Returns the edit distance from `a` to the candidate, if it is at most `allowed`: insertions, deletions, replacements and
    /// swaps of adjacent characters.
    fn distance(&mut self, a: &[char], allowed: usize) -> Option<usize> {
        let Table { other: b, before, last, row } = self;
        last.clear();
        last.extend(0..=b.len());
        // A row depends on the two above it, so two rows that are too far end the comparison.
        let mut nearest_above = 0;
        for i in 0..a.len() {
            row.clear();
            row.push(i + 1);
            let mut nearest = i + 1;
            for j in 0..b.len() {
                let replaced = last[j] + usize::from(a[i] != b[j]);
                let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
                if 0 < i && 0 < j && a[i] == b[j - 1] && a[i - 1] == b[j] {
                    best = best.min(before[j - 1] + 1);
                }
                nearest = nearest.min(best);
                row.push(best);
            }
            if allowed < nearest && allowed < nearest_above {
                return None;
            }
            nearest_above = nearest;
            std::mem::swap(before, last);
            std::mem::swap(last, row);
        }
        last.last().copied().filter(|distance| *distance <= allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        check("Größe", None);
    }

    /// The same distance without a bound.
    fn whole_distance(a: &[char], b: &[char]) -> usize {
        let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
        for i in 0..a.len() {
            let mut row = vec![i + 1];
            for j in 0..b.len() {
                let replaced = rows[i][j] + usize::from(a[i] != b[j]);
                let swapped = (0 < i && 0 < j && a[i] == b[j - 1] && a[i - 1] == b[j]).then(|| rows[i - 1][j - 1] + 1);
                row.push(replaced.min(rows[i][j + 1] + 1).min(row[j] + 1).min(swapped.unwrap_or(usize::MAX)));
            }
            rows.push(row);
        }
        rows[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn bounded_distances_are_whole_distances(a in "[abcÄ]{0,9}", b in "[abcÄ]{0,9}", allowed in 1..4_usize) {
            let mut table = Table::default();
            table.set("left over");
            table.distance(&['x'], 1);
            table.set(&b);
            let a: Vec<char> = a.chars().collect();
            let whole = whole_distance(&a, &table.other.clone());
            prop_assert_eq!(table.distance(&a, allowed), Some(whole).filter(|distance| *distance <= allowed));
        }
    }
}
