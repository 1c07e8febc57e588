//! Leaves by their names.

use super::leaves::Leaf;

/// Positions of leaves in the order of their names. The leaves are those that it was made of.
#[derive(Debug)]
pub(crate) struct LeafNames {
    order: Vec<u32>,
}

impl LeafNames {
    /// Sorts leaves by name. Cost: n log n comparisons of names.
    pub(crate) fn new(leaves: &[Leaf]) -> LeafNames {
        let mut order: Vec<u32> = (0..leaves.len() as u32).collect();
        // Most elements and fields stand in order already, which a stable sort uses.
        order.sort_by(|a, b| leaves[*a as usize].name.cmp(&leaves[*b as usize].name));
        LeafNames { order }
    }

    /// Returns the position of the leaf with a name; of several the last.
    pub(crate) fn position(&self, leaves: &[Leaf], name: &str) -> Option<usize> {
        let end = self.order.partition_point(|at| leaves[*at as usize].name.as_str() <= name);
        let at = *self.order.get(end.checked_sub(1)?)? as usize;
        (leaves[at].name == name).then_some(at)
    }

    /// Returns the positions of the leaves of a variable in the order of the leaves: its parts, or the variable itself.
    pub(crate) fn parts(&self, leaves: &[Leaf], variable: &str) -> Vec<usize> {
        let first = self.order.partition_point(|at| leaves[*at as usize].name.as_str() < variable);
        let near = self.order.get(first..).unwrap_or_default().iter().map(|at| *at as usize);
        let near = near.take_while(|at| leaves[*at].name.starts_with(variable));
        let is_part = |at: &usize| {
            let rest = &leaves[*at].name[variable.len()..];
            rest.is_empty() || rest.starts_with(['.', '['])
        };
        let mut found: Vec<usize> = near.filter(is_part).collect();
        found.sort_unstable();
        found
    }
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
             PROGRAM P VAR t2 : INT; t : ARRAY [1..2] OF T; ta : INT; END_VAR t2 := ta; END_PROGRAM",
        );
        let leaves = load(&sources, &LoadOptions::default()).value.project.leaves();
        let names = LeafNames::new(&leaves);
        for (at, leaf) in leaves.iter().enumerate() {
            assert_eq!(names.position(&leaves, &leaf.name), Some(at), "{}", leaf.name);
        }
        assert_eq!(names.position(&leaves, "P.t"), None);
        assert_eq!(names.position(&leaves, ""), None);
        let parts = |variable: &str| -> String {
            names.parts(&leaves, variable).into_iter().map(|at| leaves[at].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parts("P.t[2]"), "P.t[2].b P.t[2].a[9] P.t[2].a[10] P.t[2].a[11]");
        assert_eq!(parts("P.t2"), "P.t2");
        assert_eq!(names.parts(&leaves, "P.t").len(), 8);
        assert_eq!(parts("P.t[3]"), "");
        assert_eq!(names.parts(&leaves, "P").len(), leaves.len());
    }
}
