//! Features of a model that tell which engine is likely to decide it.

use kernel::cfa::pass::Reduced;
use kernel::cfa::{Cfa, LocKind, Op};
use kernel::expr::{BvBin, Expr, ExprId, ExprPool, Sort};

/// Counted on the reduced automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Variables of the state that are Bool.
    pub bools: usize,
    /// Bits of the other variables of the state.
    pub bits: usize,
    /// TRUE if something is neither Bool nor bit vector.
    pub beyond_bits: bool,
    /// Products, quotients and remainders of two variables.
    pub nonlinear: usize,
    /// Arbitrary values of a cycle.
    pub inputs: usize,
    /// Cut points beside the head of the scan cycle.
    pub loops: usize,
}

impl Features {
    /// Counts the features. Cost: one visit of each expression.
    pub fn of(reduced: &Reduced) -> Features {
        let Reduced { pool, cfa, .. } = reduced;
        let mut features = Features::default();
        let mut exprs: Vec<ExprId> = Vec::new();
        for edge in cfa.edges.iter() {
            match &edge.op {
                Op::Skip => {}
                Op::Havoc(_) => features.inputs += 1,
                Op::Assume(e) | Op::Assign(_, e) => exprs.push(*e),
                Op::Block(block) => {
                    features.inputs += block.inputs.len();
                    exprs.extend(block.updates.iter().map(|(_, e)| *e).chain([block.guard]));
                }
            }
        }
        pool.visit(&exprs, |e| {
            features.beyond_bits |= !matches!(pool.sort(e), Sort::Bool | Sort::BitVec(_));
            features.nonlinear += usize::from(is_nonlinear(pool, e));
            true
        });
        for var in &cfa.vars {
            let sort = pool.var_decl(*var).sort;
            if let Sort::BitVec(width) = sort {
                features.bits += usize::from(width);
            } else if sort == Sort::Bool {
                features.bools += 1;
            } else {
                features.beyond_bits = true;
            }
        }
        features.loops = loops(cfa);
        features
    }
}

fn loops(cfa: &Cfa) -> usize {
    cfa.locs.iter_enumerated().filter(|(id, loc)| loc.kind == LocKind::LoopHead && *id != cfa.head).count()
}

fn is_nonlinear(pool: &ExprPool, e: ExprId) -> bool {
    let hard = [BvBin::Mul, BvBin::Udiv, BvBin::Urem, BvBin::Sdiv, BvBin::Srem, BvBin::Shl, BvBin::Lshr, BvBin::Ashr];
    if let Expr::BvBin(op, a, b) = pool.expr(e) {
        hard.contains(&op) && pool.as_const(a).is_none() && pool.as_const(b).is_none()
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cfa::pass::{Encoding, reduce};
    use testgen::automata::examples::by_name;

    #[test]
    fn features_are_those_of_the_reduced_model() {
        let check = |name: &str, expected: (usize, usize, usize, usize)| {
            let example = by_name(name, true);
            let f = Features::of(&reduce(&example.pool, &example.cfa, Encoding::Lbe));
            assert_eq!((f.bools, f.bits, f.inputs, f.loops), expected, "{name}");
            assert!(!f.beyond_bits && f.nonlinear == 0);
        };
        check("saturating", (0, 16, 0, 0));
        check("inner loop", (0, 8, 0, 1));
    }
}
