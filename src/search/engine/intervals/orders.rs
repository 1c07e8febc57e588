//! Orders of variables: pairs of which the first is at most the second.
//!
//! Source: Logozzo, Fähndrich, "Pentagons: a weakly relational abstract domain for the efficient validation of array accesses",
//! SAC 2008, doi:10.1145/1363686.1363736 (intervals beside orders of variables); kept closed here, so that an assignment
//! loses no consequence.

use std::collections::BTreeSet;
use std::rc::Rc;

use kernel::expr::VarId;

use super::range::Reading;

/// Most pairs; further ones are left out.
const MOST: usize = 3_000;

/// Pairs of variables of one width. A clone only increments a reference count. **Invariant:** closed, but for pairs beyond the
/// limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders(Rc<Pairs>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pairs {
    /// The smaller one first.
    up: BTreeSet<(Reading, VarId, VarId)>,
    /// The greater one first.
    down: BTreeSet<(Reading, VarId, VarId)>,
}

const FIRST: VarId = VarId(0);
const LAST: VarId = VarId(u32::MAX);

fn others(pairs: &BTreeSet<(Reading, VarId, VarId)>, reading: Reading, var: VarId) -> impl Iterator<Item = VarId> {
    pairs.range((reading, var, FIRST)..=(reading, var, LAST)).map(|(.., other)| *other)
}

impl Orders {
    /// Returns whether it is known that `a <= b`.
    pub(super) fn knows(&self, reading: Reading, a: VarId, b: VarId) -> bool {
        a == b || self.0.up.contains(&(reading, a, b))
    }

    /// Returns all pairs, the smaller one first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Reading, VarId, VarId)> {
        self.0.up.iter().copied()
    }

    /// Adds `a <= b` with its consequences.
    ///
    /// Cost: the product of the numbers of variables below `a` and above `b`.
    pub(super) fn add(&mut self, reading: Reading, a: VarId, b: VarId) {
        if self.knows(reading, a, b) {
            return;
        }
        let below: Vec<VarId> = others(&self.0.down, reading, a).chain([a]).collect();
        let above: Vec<VarId> = others(&self.0.up, reading, b).chain([b]).collect();
        let pairs = Rc::make_mut(&mut self.0);
        for low in &below {
            for high in &above {
                if low != high && pairs.up.len() < MOST && pairs.up.insert((reading, *low, *high)) {
                    pairs.down.insert((reading, *high, *low));
                }
            }
        }
    }

    /// Forgets a variable.
    pub(super) fn forget(&mut self, var: VarId) {
        for reading in [Reading::Unsigned, Reading::Signed] {
            let above: Vec<VarId> = others(&self.0.up, reading, var).collect();
            let below: Vec<VarId> = others(&self.0.down, reading, var).collect();
            if above.is_empty() && below.is_empty() {
                continue;
            }
            let pairs = Rc::make_mut(&mut self.0);
            for high in above {
                pairs.up.remove(&(reading, var, high));
                pairs.down.remove(&(reading, high, var));
            }
            for low in below {
                pairs.up.remove(&(reading, low, var));
                pairs.down.remove(&(reading, var, low));
            }
        }
    }

    /// Sets a variable to the value of another one of the same width.
    pub(super) fn copy(&mut self, to: VarId, from: VarId) {
        if to == from {
            return;
        }
        self.forget(to);
        for reading in [Reading::Unsigned, Reading::Signed] {
            self.add(reading, to, from);
            self.add(reading, from, to);
        }
    }

    /// Returns the pairs of both.
    pub(super) fn join(&self, other: &Orders) -> Orders {
        if Rc::ptr_eq(&self.0, &other.0) || self.0.up.is_subset(&other.0.up) {
            return self.clone();
        }
        let keep = |own: &BTreeSet<_>, their: &BTreeSet<_>| own.intersection(their).copied().collect();
        Orders(Rc::new(Pairs { up: keep(&self.0.up, &other.0.up), down: keep(&self.0.down, &other.0.down) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consequences_outlive_the_variable_between() {
        let [a, b, c, d] = [0, 1, 2, 3].map(VarId);
        let mut orders = Orders::default();
        orders.add(Reading::Signed, a, b);
        orders.add(Reading::Signed, b, c);
        assert!(orders.knows(Reading::Signed, a, c) && !orders.knows(Reading::Unsigned, a, c));
        orders.forget(b);
        assert_eq!(orders.iter().collect::<Vec<_>>(), [(Reading::Signed, a, c)]);
        orders.copy(d, c);
        assert!(orders.knows(Reading::Signed, a, d) && orders.knows(Reading::Unsigned, c, d));
        orders.copy(c, a);
        assert!(
            orders.knows(Reading::Signed, c, a) && orders.knows(Reading::Signed, a, d) && !orders.knows(Reading::Signed, d, c)
        );
    }

    #[test]
    fn a_join_has_the_pairs_of_both() {
        let [a, b, c] = [0, 1, 2].map(VarId);
        let (mut left, mut right) = (Orders::default(), Orders::default());
        left.add(Reading::Signed, a, b);
        left.add(Reading::Signed, b, c);
        right.add(Reading::Signed, a, c);
        assert_eq!(left.join(&right), right);
        assert_eq!(right.join(&left), right);
    }
}
