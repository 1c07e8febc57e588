//! Features of a model that tell which engine is likely to decide it.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::pass::{Reduced, dependencies};
use kernel::cfa::{CallRegion, Cfa, EdgeId, LocId, LocKind, Op};
use kernel::expr::{BvBin, Expr, ExprId, ExprPool, Sort, VarId};
use plc_frontend::ids::IndexVec;

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
    /// Disjuncts of the error condition: partial claims of the requirement, if each is about few variables.
    pub claims: usize,
    /// Calls of one procedure that the error location depends on, of the procedure with most of them. [`Features::with_calls`]
    /// counts them.
    pub equal_calls: usize,
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
        features.claims = claims(pool, cfa);
        features
    }
    /// Counts equal calls in the unreduced automaton: reductions leave nothing of many calls. Fewer than `few` count as none.
    ///
    /// Cost: a cone of influence and the size of all calls, if some procedure has so many.
    #[must_use]
    pub fn with_calls(self, pool: &ExprPool, cfa: &Cfa, few: usize) -> Features {
        let most = |calls: &mut dyn Iterator<Item = &CallRegion>| {
            let mut n_calls: BTreeMap<&str, usize> = BTreeMap::new();
            calls.for_each(|call| *n_calls.entry(&call.name).or_default() += 1);
            n_calls.into_values().max().filter(|most| few <= *most).unwrap_or_default()
        };
        if most(&mut cfa.calls.iter()) == 0 {
            return self;
        }
        let (vars, successors) = (dependencies(pool, cfa).vars, cfa.successors());
        let matters = |call: &&CallRegion| writes(cfa, &successors, call, &vars);
        Features { equal_calls: most(&mut cfa.calls.iter().filter(matters)), ..self }
    }
}

fn loops(cfa: &Cfa) -> usize {
    cfa.locs.iter_enumerated().filter(|(id, loc)| loc.kind == LocKind::LoopHead && *id != cfa.head).count()
}

/// Returns the number of disjuncts of the conditions of edges to the error location.
fn claims(pool: &ExprPool, cfa: &Cfa) -> usize {
    let conditions = cfa.edges.iter().filter(|edge| edge.target == cfa.error).filter_map(|edge| match &edge.op {
        Op::Assume(e) => Some(*e),
        Op::Block(block) => Some(block.guard),
        Op::Skip | Op::Assign(..) | Op::Havoc(_) => None,
    });
    let most = |e: ExprId| pool.conjuncts(e).into_iter().map(|e| pool.disjuncts(e).len()).max().unwrap_or_default();
    conditions.map(most).sum()
}

/// Returns whether some step of a call writes one of `vars`. Each call of a function has variables of its own.
fn writes(cfa: &Cfa, successors: &IndexVec<LocId, Vec<EdgeId>>, call: &CallRegion, vars: &BTreeSet<VarId>) -> bool {
    let (mut seen, mut todo) = (BTreeSet::from([call.entry, call.exit]), vec![call.entry]);
    while let Some(loc) = todo.pop() {
        for edge in &successors[loc] {
            let edge = &cfa.edges[*edge];
            let is_written = match &edge.op {
                Op::Skip | Op::Assume(_) => false,
                Op::Assign(var, _) | Op::Havoc(var) => vars.contains(var),
                Op::Block(block) => block.updates.iter().any(|(var, _)| vars.contains(var)),
            };
            if is_written {
                return true;
            }
            if seen.insert(edge.target) {
                todo.push(edge.target);
            }
        }
    }
    false
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
    use kernel::cfa::{ModelOptions, build};
    use kernel::property::instrument::instrument;
    use testgen::automata::examples::by_name;
    use testgen::stated::Stated;

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

    #[test]
    fn calls_count_that_the_requirement_depends_on() {
        let equal_calls = |requirement: &str| {
            let program = "FUNCTION_BLOCK Count VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT c : INT; END_VAR
                    IF go AND c < 5 THEN c := c + 1; END_IF;
                END_FUNCTION_BLOCK
                FUNCTION Less : INT VAR_INPUT a : INT; END_VAR IF a > 0 THEN Less := a - 1; END_IF; END_FUNCTION
                PROGRAM Main VAR_INPUT go : BOOL; END_VAR VAR k : ARRAY [1..4] OF Count; x, y : INT; END_VAR
                    k[1](go := go); k[2](go := go); k[3](go := go); k[4](go := go); x := Less(x); y := Less(y + 1);
                END_PROGRAM";
            let stated = Stated::new(program, &format!("requirements: [{{id: r, always: '{requirement}'}}]"));
            let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
            let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
            Features::default().with_calls(&question.pool, &question.cfa, 2).equal_calls
        };
        assert_eq!(equal_calls("k[1].c + k[2].c + k[3].c + k[4].c < 25"), 4);
        assert_eq!(equal_calls("k[1].c + k[3].c < 9"), 2);
        assert_eq!(equal_calls("k[3].c < 9"), 0);
        assert_eq!(equal_calls("x + y < 9"), 2);
        assert_eq!(equal_calls("NOT go OR go"), 0);
    }
}
