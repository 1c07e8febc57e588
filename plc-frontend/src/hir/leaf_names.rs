//! Leaves by their names.

use super::leaves::Leaf;

/// Positions of leaves in the order of their names. The leaves are those that it was made of.
#[derive(Debug)]
pub(crate) struct LeafNames {
    rows: Vec<Row>,
}

/// Consecutive leaves that are consecutive elements of one array, such as the characters of a string; any other leaf is alone.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    n: u32,
}

impl LeafNames {
    /// Sorts leaves by name. Cost: n log n comparisons of names, where an array of scalars counts as one.
    pub(crate) fn new(leaves: &[Leaf]) -> LeafNames {
        let mut rows: Vec<Row> = Vec::new();
        let mut last: Option<(&str, i64)> = None;
        for (at, leaf) in leaves.iter().enumerate() {
            let (stem, index) = split(&leaf.name);
            let continues = matches!((last, index), (Some((before, of)), Some(index)) if of + 1 == index && before == stem);
            match rows.last_mut().filter(|_| continues) {
                Some(row) => row.n += 1,
                None => rows.push(Row { first: at as u32, n: 1 }),
            }
            last = index.map(|index| (stem, index));
        }
        rows.sort_by_key(|row| split(&leaves[row.first as usize].name).0);
        LeafNames { rows }
    }

    /// Returns the position of the leaf with a name; of several the last.
    pub(crate) fn position(&self, leaves: &[Leaf], name: &str) -> Option<usize> {
        self.named(leaves, name).last()
    }

    /// Returns the positions of the leaves with a name.
    fn named<'a>(&'a self, leaves: &'a [Leaf], name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let (stem, index) = split(name);
        let first = self.rows.partition_point(|row| row.stem(leaves) < stem);
        let rows = self.rows.get(first..).unwrap_or_default().iter().take_while(move |row| row.stem(leaves) == stem);
        rows.filter_map(move |row| {
            let at = row.first as usize;
            let offset = match (index, split(&leaves[at].name).1) {
                (Some(index), Some(first)) => usize::try_from(index.checked_sub(first)?).ok()?,
                (None, None) => 0,
                (Some(_), None) | (None, Some(_)) => return None,
            };
            // `[05]` is no name.
            (offset < row.n as usize && leaves[at + offset].name == name).then_some(at + offset)
        })
    }

    /// Returns the positions of the leaves of a variable in the order of the leaves: its parts, or the variable itself.
    pub(crate) fn parts(&self, leaves: &[Leaf], variable: &str) -> Vec<usize> {
        let first = self.rows.partition_point(|row| row.stem(leaves) < variable);
        let near = self.rows.get(first..).unwrap_or_default().iter();
        let near = near.take_while(|row| row.stem(leaves).starts_with(variable));
        let is_part = |row: &&Row| {
            let rest = &row.stem(leaves)[variable.len()..];
            rest.is_empty() || rest.starts_with(['.', '['])
        };
        let rows = near.filter(is_part).flat_map(|row| row.first as usize..(row.first + row.n) as usize);
        let mut found: Vec<usize> = rows.chain(self.named(leaves, variable)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Row {
    fn stem<'l>(&self, leaves: &'l [Leaf]) -> &'l str {
        split(&leaves[self.first as usize].name).0
    }
}

/// Returns a name without its last index, if that is one number, and the index.
fn split(name: &str) -> (&str, Option<i64>) {
    let inner = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let index = inner.and_then(|(stem, index)| Some((stem, index.parse().ok()?)));
    index.map_or((name, None), |(stem, index)| (stem, Some(index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn leaves_are_found_by_their_names_and_by_their_variables() {
        let mut sources = SourceSet::default();
        sources.add(
            "a.st",
            "TYPE T : STRUCT b : INT; a : ARRAY [9..11] OF INT; END_STRUCT; END_TYPE\n\
             PROGRAM P VAR t2 : INT; t : ARRAY [1..2] OF T; ta : INT; m : ARRAY [0..1, 5..6] OF INT; z : ARRAY [-2..11] OF INT;\n\
             s : STRING[12]; END_VAR t2 := ta; END_PROGRAM",
        );
        let leaves = load(&sources, &LoadOptions::default()).value.project.leaves();
        let names = LeafNames::new(&leaves);
        for (at, leaf) in leaves.iter().enumerate() {
            assert_eq!(names.position(&leaves, &leaf.name), Some(at), "{}", leaf.name);
        }
        assert_eq!(names.position(&leaves, "P.t"), None);
        for name in
            ["", "P.t[2].a[8]", "P.t[2].a[12]", "P.t[2].a[010]", "P.t[2].a[+10]", "P.t[2].a", "P.z[-3]", "P.m[0, 7]", "P.m[5]"]
        {
            assert_eq!(names.position(&leaves, name), None, "{name}");
        }
        let parts = |variable: &str| -> String {
            names.parts(&leaves, variable).into_iter().map(|at| leaves[at].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parts("P.t[2]"), "P.t[2].b P.t[2].a[9] P.t[2].a[10] P.t[2].a[11]");
        assert_eq!(parts("P.t2"), "P.t2");
        assert_eq!(parts("P.t[1].a[10]"), "P.t[1].a[10]");
        assert_eq!(parts("P.m"), "P.m[0, 5] P.m[0, 6] P.m[1, 5] P.m[1, 6]");
        assert_eq!((names.parts(&leaves, "P.z").len(), names.parts(&leaves, "P.s").len()), (14, 12));
        assert_eq!(names.parts(&leaves, "P.t").len(), 8);
        assert_eq!(parts("P.t[3]"), "");
        assert_eq!(names.parts(&leaves, "P").len(), leaves.len());
    }
}
