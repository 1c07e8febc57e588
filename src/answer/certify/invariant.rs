//! Invariant of a place in parts, and the parts that a question gets.

use std::collections::{BTreeMap, BTreeSet};

use super::predicate::Predicate;
use super::slice::{Extent, Vars};
use kernel::expr::VarId;

/// Parts of the invariant of a place; all hold there.
pub(super) struct Invariant {
    pub(super) parts: Vec<Predicate>,
    /// Parts that speak of each variable.
    of_var: BTreeMap<VarId, Vec<usize>>,
    /// Parts without variables.
    closed: Vec<usize>,
}

impl Invariant {
    pub(super) fn new(parts: Vec<Predicate>) -> Invariant {
        let (mut of_var, mut closed): (BTreeMap<VarId, Vec<usize>>, Vec<usize>) = Default::default();
        for (n, part) in parts.iter().enumerate() {
            part.params.iter().for_each(|var| of_var.entry(*var).or_default().push(n));
            if part.params.is_empty() {
                closed.push(n);
            }
        }
        Invariant { parts, of_var, closed }
    }

    /// Returns the parts that a question of this extent gets, which reads these variables.
    pub(super) fn around(&self, reads: &Vars, extent: Extent) -> BTreeSet<usize> {
        let all_of = |vars: &mut dyn Iterator<Item = &VarId>| -> BTreeSet<usize> {
            vars.filter_map(|var| self.of_var.get(var)).flatten().chain(&self.closed).copied().collect()
        };
        match extent {
            Extent::Narrow => {
                let within = |n: &usize| self.parts[*n].params.iter().all(|var| reads.contains(var));
                all_of(&mut reads.iter()).into_iter().filter(within).collect()
            }
            Extent::Wide | Extent::Lone => {
                let (mut vars, mut todo) = ((**reads).clone(), reads.iter().copied().collect::<Vec<_>>());
                let mut parts: BTreeSet<usize> = self.closed.iter().copied().collect();
                while let Some(var) = todo.pop() {
                    for n in self.of_var.get(&var).into_iter().flatten().filter(|n| parts.insert(**n)) {
                        todo.extend(self.parts[*n].params.iter().filter(|var| vars.insert(**var)));
                    }
                }
                parts
            }
            Extent::Whole => (0..self.parts.len()).collect(),
        }
    }
}
