//! Binary decision diagrams as expressions.

use std::sync::OnceLock;

use biodivine_lib_bdd::{Bdd, BddPointer, BddVariable, BddVariableSet};

use kernel::expr::{ExprId, ExprPool};

/// Returns the variables of all diagrams, made once because a set is not cheap. More atoms than this are hopeless.
pub(crate) fn variables() -> &'static BddVariableSet {
    static SET: OnceLock<BddVariableSet> = OnceLock::new();
    SET.get_or_init(|| BddVariableSet::new_anonymous(4096))
}

/// Returns the formula of `bdd`; `atom` gives the formula of a variable. Parts that the diagram shares stay shared.
pub(crate) fn to_expr(pool: &mut ExprPool, bdd: &Bdd, mut atom: impl FnMut(&mut ExprPool, BddVariable) -> ExprId) -> ExprId {
    let mut done: Vec<ExprId> = Vec::with_capacity(bdd.size());
    // The library keeps children before their parents: both terminals first, the root last.
    for node in bdd.pointers() {
        let e = match node.as_bool() {
            Some(value) => pool.bool(value),
            None => {
                let (low, high) = (done[bdd.low_link_of(node).to_index()], done[bdd.high_link_of(node).to_index()]);
                let atom = atom(pool, bdd.var_of(node));
                pool.ite(atom, high, low)
            }
        };
        done.push(e);
    }
    done[bdd.root_pointer().to_index()]
}

/// Returns whether `a` implies `b`.
///
/// Cost: two walks from root to leaf for most pairs that do not. Of many states at one location few cover another, so no diagram
///       is built for each pair.
pub(super) fn implies(a: &Bdd, b: &Bdd) -> bool {
    holds_where(a, b, false) && holds_where(a, b, true) && a.and_not(b).is_false()
}

/// Returns whether `b` holds under one assignment that satisfies `a`: each variable is `preferred` where `a` lets it.
/// Variables have the same order in all diagrams, so both are walked side by side.
fn holds_where(a: &Bdd, b: &Bdd, preferred: bool) -> bool {
    let link = |bdd: &Bdd, at: BddPointer, value: bool| if value { bdd.high_link_of(at) } else { bdd.low_link_of(at) };
    let choose = |at: BddPointer| match link(a, at, preferred) {
        next if next.is_zero() => (link(a, at, !preferred), !preferred),
        next => (next, preferred),
    };
    let (mut in_a, mut in_b) = (a.root_pointer(), b.root_pointer());
    while !in_b.is_terminal() {
        let var = b.var_of(in_b);
        while !in_a.is_terminal() && a.var_of(in_a) < var {
            in_a = choose(in_a).0;
        }
        let value = if !in_a.is_terminal() && a.var_of(in_a) == var { choose(in_a).1 } else { preferred };
        in_b = link(b, in_b, value);
    }
    // If nothing satisfies `a`, every `b` is implied.
    in_b.is_one() || in_a.is_zero()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a diagram over six variables from its truth table.
    fn diagram(table: u64) -> Bdd {
        let set = variables();
        let vars = set.variables();
        let rows = (0..64_u32).filter(|row| table >> row & 1 == 1).map(|row| {
            let literals = (0..6).map(|bit| (vars[bit * 3], row >> bit & 1 == 1));
            set.mk_conjunctive_clause(&biodivine_lib_bdd::BddPartialValuation::from_values(&literals.collect::<Vec<_>>()))
        });
        rows.fold(set.mk_false(), |all, row| all.or(&row))
    }

    proptest! {
        #[test]
        fn implication_is_that_of_the_truth_tables(a in any::<u64>(), b in any::<u64>(), more in any::<u64>()) {
            for (a, b) in [(a, b), (a & b, b), (a & b & more, b | more), (0, a), (a, u64::MAX), (a & b & more, a & more)] {
                prop_assert_eq!(implies(&diagram(a), &diagram(b)), a & !b == 0, "{:x} {:x}", a, b);
            }
        }
    }
}
