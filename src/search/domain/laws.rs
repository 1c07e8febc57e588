//! Laws of every domain, on random steps and random precisions, against concrete values.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use proptest::prelude::*;

use super::{
    Domain, Expl, ExplPrec, MaxEnum, Pair, PairPrec, Pred, PredKind, PredPrec, Predicates, Reduce, Representation,
    SharedPrecision, Split, Step, WithoutPredicates,
};
use crate::arg::Graph;
use crate::domain::atoms;
use kernel::context::{Ctx, MakeSolver};
use kernel::expr::{ExprId, Subst, Value, VarId};
use kernel::smt::{BitBlaster, Interrupt, Solver};
use testgen::automata::execute::{State, assignments, eval};
use testgen::automata::random::automaton;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// An automaton with the atoms and variables of its guards and updates.
struct Case<'a> {
    cx: Ctx<'a>,
    graph: Graph,
    vars: Vec<VarId>,
    preds: Vec<ExprId>,
}

fn case(bytes: &[u8]) -> Case<'static> {
    let (pool, cfa) = automaton(bytes);
    let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
    let graph = Graph::new(&mut cx.pool, &cfa);
    let state: BTreeSet<VarId> = cfa.vars.iter().copied().collect();
    let mut preds = BTreeSet::new();
    let guards: Vec<ExprId> = graph.guards().collect();
    for guard in guards {
        preds.extend(atoms(&mut cx.pool, guard).into_iter().filter(|&atom| cx.pool.vars_of(&[atom]).is_subset(&state)));
    }
    for &var in &cfa.vars {
        let (e, three) = (cx.pool.var(var), Value::bv(3, 3));
        preds.insert(if cx.pool.sort(e) == three.sort() {
            let three = cx.pool.constant(three);
            cx.pool.eq(e, three)
        } else {
            e
        });
    }
    Case { cx, graph, vars: cfa.vars.clone(), preds: preds.into_iter().collect() }
}

impl Case<'_> {
    /// Returns the data states that an abstract state, or one of several, stands for.
    fn gamma<D: Domain>(&mut self, domain: &D, states: &[&D::State]) -> BTreeSet<State> {
        let e = domain.to_expr(&mut self.cx.pool, states);
        let all = assignments(&self.cx.pool, &State::new(), &self.vars);
        all.into_iter().filter(|state| eval(&self.cx.pool, e, state) == Value::Bool(true)).collect()
    }
    /// Returns the data states that a step leads to.
    fn image(&self, step: Step<'_>, from: &BTreeSet<State>) -> BTreeSet<State> {
        let inputs: Vec<VarId> = step.block.inputs.iter().map(|input| input.var).collect();
        let mut image = BTreeSet::new();
        for env in from.iter().flat_map(|state| assignments(&self.cx.pool, state, &inputs)) {
            if eval(&self.cx.pool, step.block.guard, &env) == Value::Bool(true) {
                let mut next: State = env.iter().filter(|(var, _)| self.vars.contains(var)).map(|(v, x)| (*v, *x)).collect();
                for &(var, e) in &step.block.updates {
                    next.insert(var, eval(&self.cx.pool, e, &env));
                }
                image.insert(next);
            }
        }
        image
    }
    /// Returns a random precision of both domains, larger with `more`.
    fn precision(&self, mask: u32, more: u32) -> (ExplPrec, PredPrec) {
        let chosen = |i: usize| (mask | more) >> (i % 32) & 1 == 1;
        let vars = self.vars.iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, var)| *var).collect();
        let preds = self.preds.iter().enumerate().filter(|(i, _)| chosen(i + 3)).map(|(_, pred)| *pred).collect();
        (ExplPrec { vars }, PredPrec { preds })
    }
}

/// Walks from the initial values along random steps and looks at every state on the way.
fn check<D: Domain>(
    case: &mut Case<'_>,
    domain: &mut D,
    prec: &dyn Fn(&Case<'_>, u32, u32) -> D::Prec,
    (mask, more, picks): (u32, u32, &[u8]),
    is_monotone: bool,
    what: &str,
) -> Result<Vec<D::State>, TestCaseError> {
    let graph = case.graph.clone();
    let (small, large) = (prec(case, mask, 0), prec(case, mask, more));
    let mut seen: Vec<D::State> = vec![domain.top()];
    let mut here = domain.top();
    let mut steps = vec![graph.initial()];
    let mut loc = graph.cfa.init;
    for pick in picks {
        let ways: Vec<_> = graph.steps_from(loc).collect();
        if ways.is_empty() {
            break;
        }
        let (step, target) = ways[usize::from(*pick) % ways.len()];
        steps.push(step);
        loc = target;
    }
    for step in steps {
        let fine = domain.post(&mut case.cx, &here, step, &large).unwrap();
        let coarse = domain.post(&mut case.cx, &here, step, &small).unwrap();
        let from = case.gamma(domain, &[&here]);
        let reached = case.image(step, &from);
        for (states, which) in [(&fine, "large"), (&coarse, "small")] {
            let covered = case.gamma(domain, &states.iter().collect::<Vec<_>>());
            prop_assert!(
                reached.is_subset(&covered),
                "{what}: {which} precision loses {:?}",
                reached.difference(&covered).next()
            );
        }
        if is_monotone {
            let (a, b) =
                (case.gamma(domain, &fine.iter().collect::<Vec<_>>()), case.gamma(domain, &coarse.iter().collect::<Vec<_>>()));
            prop_assert!(a.is_subset(&b), "{what}: more is tracked and less is known");
        }
        seen.extend(fine.iter().cloned().chain(coarse));
        let Some(next) = fine.into_iter().next() else { break };
        here = next;
    }
    let gammas: Vec<BTreeSet<State>> = seen.iter().map(|state| case.gamma(domain, &[state])).collect();
    let mut shelf = D::Shelf::default();
    for (i, state) in seen.iter().enumerate() {
        domain.shelve(&mut shelf, state, i as u32);
    }
    for (i, a) in seen.iter().enumerate() {
        prop_assert!(domain.leq(a, a) && domain.leq(a, &domain.top()), "{what}: order");
        let candidates = domain.candidates(&shelf, a);
        for (j, b) in seen.iter().enumerate().filter(|(_, b)| domain.leq(a, b)) {
            prop_assert!(gammas[i].is_subset(&gammas[j]), "{what}: {a:?} is not within {b:?}");
            prop_assert!(candidates.contains(&(j as u32)), "{what}: no candidate");
            for c in seen.iter().filter(|c| domain.leq(b, c)) {
                prop_assert!(domain.leq(a, c), "{what}: transitive");
            }
        }
        for (j, b) in seen.iter().enumerate() {
            let is_covered = domain.is_covered(&mut case.cx, a, b).unwrap();
            prop_assert!(!is_covered || gammas[i].is_subset(&gammas[j]), "{what}: {b:?} does not cover {a:?}");
            prop_assert!(is_covered || !domain.leq(a, b), "{what}: evident and not found");
        }
    }
    Ok(seen)
}

/// Checks a domain, and reduction and expansion of the states that it met.
fn check_with_parts<D: Reduce>(
    case: &mut Case<'_>,
    mut domain: D,
    prec: &dyn Fn(&Case<'_>, u32, u32) -> D::Prec,
    walk: (u32, u32, &[u8]),
    is_monotone: bool,
    what: &str,
) -> Result<(), TestCaseError> {
    let seen = check(case, &mut domain, prec, walk, is_monotone, what)?;
    for (i, state) in seen.iter().enumerate() {
        let inside = case.vars.iter().enumerate().filter(|(at, _)| walk.0 >> ((at + i) % 32) & 1 == 1);
        let inside: BTreeSet<VarId> = inside.map(|(_, var)| *var).collect();
        let gamma = case.gamma(&domain, &[state]);
        parts(case, &mut domain, state, &gamma, &inside, what)?;
    }
    Ok(())
}

/// Checks that a state is its part about some variables and the rest, also when the part went through other names.
///
/// Source: papers/block-abstraction-memoization, §2.4.5: e ⊑ expand(reduce(e)).
fn parts<D: Reduce>(
    case: &mut Case<'_>,
    domain: &mut D,
    state: &D::State,
    gamma: &BTreeSet<State>,
    inside: &BTreeSet<VarId>,
    what: &str,
) -> Result<(), TestCaseError> {
    let (part, rest) = domain.divide(&case.cx.pool, state, inside);
    let about = |case: &Case<'_>, domain: &D, state: &D::State| -> BTreeSet<VarId> {
        domain.tracked(state).items(&case.cx.pool).into_iter().flat_map(|(vars, _)| vars).collect()
    };
    prop_assert!(about(case, domain, &rest).is_disjoint(inside), "{what}: the rest is about a variable inside");
    let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
    for var in about(case, domain, &part) {
        let sort = case.cx.pool.var_decl(var).sort;
        let other = case.cx.pool.new_var("other", sort);
        there.insert(var, case.cx.pool.var(other));
        back.insert(other, case.cx.pool.var(var));
    }
    let renamed = domain.renamed(&mut case.cx.pool, &part, &mut Subst::new(there)).unwrap();
    let again = domain.renamed(&mut case.cx.pool, &renamed, &mut Subst::new(back)).unwrap();
    let expanded = domain.combine(&again, &rest);
    prop_assert_eq!(&case.gamma(domain, &[&expanded]), gamma, "{}: reduced and expanded", what);
    let kept = domain.keep(&case.cx.pool, state, &|var| inside.contains(&var));
    prop_assert!(gamma.is_subset(&case.gamma(domain, &[&kept])), "{what}: less is kept and more is known");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn domains_cover_every_successor_and_know_more_with_more_tracked(
        bytes in prop::collection::vec(any::<u8>(), 0..160),
        mask in any::<u32>(),
        more in any::<u32>(),
        picks in prop::collection::vec(any::<u8>(), 1..8),
    ) {
        let mut case = case(&bytes);
        let walk = (mask, more, picks.as_slice());
        let three = MaxEnum::UpTo(NonZeroU32::new(3).unwrap());
        for (max_enum, is_monotone) in [(MaxEnum::Unlimited, true), (MaxEnum::NoSolver, true), (three, false)] {
            let domain = Expl::new(max_enum, solvers());
            check_with_parts(&mut case, domain, &|case, mask, more| case.precision(mask, more).0, walk, is_monotone, &format!("{max_enum:?}"))?;
        }
        for (name, kind) in PredKind::ALL {
            let domain = Pred::new(*kind, Split::Atoms, solvers());
            check_with_parts(&mut case, domain, &|case, mask, more| case.precision(mask, more).1, walk, true, name)?;
            let domain = Pair { first: Expl::new(three, solvers()), second: Pred::new(*kind, Split::Atoms, solvers()) };
            let both = |case: &Case<'_>, mask, more| {
                let (first, second) = case.precision(mask, more);
                PairPrec { first, second }
            };
            check_with_parts(&mut case, domain, &both, walk, false, &format!("EXPL_{name}"))?;
            for without in [WithoutPredicates::Feasibility, WithoutPredicates::Nothing] {
                let formula = Representation::Formula;
                let mut domain = Predicates::new(&mut case.cx.pool, (*kind, Split::Atoms), formula, without, solvers());
                let what = format!("{name} {without:?}");
                check(&mut case, &mut domain, &|case, mask, more| case.precision(mask, more).1, walk, true, &what)?;
            }
        }
    }
}
