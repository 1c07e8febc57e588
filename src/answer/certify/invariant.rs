//! Parts of invariants by the variables that they speak of, and the parts that a question gets.

use std::collections::{BTreeMap, BTreeSet};

use super::part_set::PartSet;
use super::predicate::Predicate;
use super::slice::{Extent, Vars};
use kernel::expr::VarId;

/// Parts of the invariants of all places.
pub(super) struct Invariants<'q> {
    pub(super) parts: &'q [Predicate],
    /// Parts that speak of each variable.
    pub(super) of_var: BTreeMap<VarId, Vec<usize>>,
    /// Parts without variables.
    closed: Vec<usize>,
}

impl<'q> Invariants<'q> {
    pub(super) fn new(parts: &'q [Predicate]) -> Invariants<'q> {
        let (mut of_var, mut closed): (BTreeMap<VarId, Vec<usize>>, Vec<usize>) = Default::default();
        for (n, part) in parts.iter().enumerate() {
            part.params.iter().for_each(|var| of_var.entry(*var).or_default().push(n));
            if part.params.is_empty() {
                closed.push(n);
            }
        }
        Invariants { parts, of_var, closed }
    }

    /// Returns the parts among those of a place that a question of this extent gets, which reads these variables.
    pub(super) fn around(&self, place: &PartSet, reads: &Vars, extent: Extent) -> BTreeSet<usize> {
        let closed = || self.closed.iter().copied().filter(|n| place.contains(*n));
        let of_var = |var: &VarId| self.of_var.get(var).into_iter().flatten().copied().filter(|n| place.contains(*n));
        match extent {
            Extent::Own | Extent::Narrow => {
                let within = |n: &usize| self.parts[*n].params.iter().all(|var| reads.contains(var));
                reads.iter().flat_map(of_var).chain(closed()).filter(within).collect()
            }
            Extent::Wide | Extent::Lone => {
                let (mut vars, mut todo) = ((**reads).clone(), reads.iter().copied().collect::<Vec<_>>());
                let mut parts: BTreeSet<usize> = closed().collect();
                while let Some(var) = todo.pop() {
                    for n in of_var(&var).filter(|n| parts.insert(*n)) {
                        todo.extend(self.parts[n].params.iter().filter(|var| vars.insert(**var)));
                    }
                }
                parts
            }
            Extent::Whole => place.iter().collect(),
        }
    }
}
