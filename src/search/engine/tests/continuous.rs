//! Continuously refined invariants: the generator publishes facts that suffice, k-induction uses them at the k where it is, and the
//! generator alone keeps no run alive.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::side_by_side::{believe, groups};
use super::*;
use crate::engine::generator;
use crate::engine::portfolio::{EngineGroup, MakeMember, Member, side_by_side};
use kernel::expr::{ExprId, ExprPool};
use kernel::smt::{Frame, Sat, SolverError};
use testgen::automata::examples::{saturating, wrapping};

/// A solver that calls a function before each of its checks.
struct Telling {
    inner: Box<dyn Solver>,
    tell: Arc<dyn Fn() + Send + Sync>,
}

impl Solver for Telling {
    fn push(&mut self) -> Result<(), SolverError> {
        self.inner.push()
    }
    fn pop(&mut self) -> Result<(), SolverError> {
        self.inner.pop()
    }
    fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError> {
        self.inner.define(pool, var, to, e, from)
    }
    fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), SolverError> {
        self.inner.assert(pool, e, frame)
    }
    fn check(&mut self, pool: &ExprPool, assumptions: &[(ExprId, Frame)]) -> Result<Sat, SolverError> {
        (self.tell)();
        self.inner.check(pool, assumptions)
    }
    fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Value, SolverError> {
        self.inner.value(pool, e, frame)
    }
    fn core(&self) -> Vec<usize> {
        self.inner.core()
    }
    fn limit(&mut self, ms: Option<u64>) {
        self.inner.limit(ms);
    }
}

/// Runs k-induction up to k = 1 while "the counter is below 5" comes in at its nth check.
fn told_at(example: &Example, n: usize) -> Result<Verdict, Stop> {
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let board = Arc::new(exchange::Board::new(&reduced.pool));
    let mut pool = reduced.pool.clone();
    let (c, five) = (pool.var(example.cfa.vars[0]), pool.constant(Value::int(16, 5)));
    let facts = BTreeMap::from([(example.cfa.head, vec![pool.bv_cmp(kernel::expr::BvCmp::Ult, c, five)])]);
    let checks = AtomicUsize::new(0);
    let to = board.clone();
    let tell: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
        if checks.fetch_add(1, Ordering::Relaxed) + 1 == n {
            assert!(to.publish(&pool, "test", &facts));
        }
    });
    let telling: MakeSolver = Arc::new(move |_, interrupt| {
        let (inner, tell) = (Box::new(BitBlaster::new(interrupt)), tell.clone());
        Ok(Box::new(Telling { inner, tell }) as Box<dyn Solver>)
    });
    let given = options(&[("k", "1"), ("auxiliary", "continuous"), ("forward", "off")]);
    let mut engine = configure(ENGINES, "k-induction", &given, &telling).unwrap();
    let mut cx = Ctx { board, ..Ctx::new(reduced.pool, within(60), &|_| {}) };
    engine.run(&mut cx, &reduced.cfa)
}

#[test]
fn new_facts_are_used_at_the_same_k() {
    let example = wrapping(4, 7);
    // Base for k = 0, step for k = 0, step for k = 1: the last one fails, and is asked again with the fact that came meanwhile.
    for n in 1..=3 {
        let answer = told_at(&example, n);
        assert_eq!(certified(&example, answer), Some(Answer::Safe), "{n}");
    }
    assert!(matches!(told_at(&example, 4), Ok(Verdict::Unknown(Reason::Bound))));
}

fn with_generator<'a>(example: &'a Example, k: &'static str, solvers: &'a MakeSolver) -> Vec<EngineGroup<'a>> {
    let model = || reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let helper: MakeMember<'a> = Box::new(move || {
        let engine = generator::generator(solvers.clone());
        Ok(Member { name: generator::NAME, engine, model: model(), pictures: Pictures::default() })
    });
    let induction: MakeMember<'a> = Box::new(move || {
        let engine = configure(ENGINES, "k-induction", &options(&[("auxiliary", "continuous"), ("k", k)]), solvers)?;
        Ok(Member { name: "k-induction", engine, model: model(), pictures: Pictures::default() })
    });
    let group = |helps, member| EngineGroup { after: Duration::ZERO, slice: Duration::ZERO, helps, members: vec![member] };
    vec![group(false, induction), group(true, helper)]
}

#[test]
fn induction_succeeds_with_the_facts_of_the_generator() {
    let solvers = solvers();
    // Without facts, the counter to 300 needs as many cycles.
    for example in [saturating(300, 302), wrapping(300, 400), by_name("inner loop", true), by_name("latch", true)] {
        let judge = |name: &'static str, verdict: Verdict, _: &Interrupt| {
            assert_eq!(name, "k-induction");
            believe(&example, verdict)
        };
        let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), with_generator(&example, "none", &solvers), &judge);
        assert_eq!(ended.result, Ok(Answer::Safe), "{}", example.name);
    }
}

#[test]
fn facts_of_all_precisions_are_inductive_together() {
    let solvers = solvers();
    for example in all() {
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let board = Arc::new(exchange::Board::new(&example.pool));
        let mut cx = Ctx { board: board.clone(), ..Ctx::new(reduced.pool.clone(), within(5), &|_| {}) };
        let end = generator::generator(solvers.clone()).run(&mut cx, &reduced.cfa);
        assert!(matches!(end, Ok(Verdict::Unknown(Reason::NoProgress)) | Err(Stop::Reason(_))), "{}: {end:?}", example.name);
        let mut pool = example.pool.clone();
        let mut invariants: BTreeMap<LocId, ExprId> = BTreeMap::new();
        for fact in board.news(&mut pool, &mut exchange::Cursor::default()) {
            let all = invariants.get(&fact.at).copied().unwrap_or_else(|| pool.bool(true));
            invariants.insert(fact.at, pool.and(all, fact.e));
        }
        // As a proof of an automaton without a violation, they are certified up to `safety`.
        let proof = lift_proof(&reduced.lift, Proof { pool, argument: Argument::Inductive(invariants) });
        match check_proof(&example.pool, &example.cfa, &proof, &within(60)) {
            Ok(_) => assert_eq!(example.answer, Answer::Safe, "{}", example.name),
            Err(answer::certify::Rejected::Refuted(obligation)) => assert_eq!(obligation.name, "safety", "{}", example.name),
            Err(other) => unreachable!("{}: {other:?}", example.name),
        }
    }
}

#[test]
fn the_run_ends_with_the_engine_that_the_generator_helps() {
    let solvers = solvers();
    let begin = Instant::now();
    for example in all() {
        let judge = |_: &'static str, verdict: Verdict, _: &Interrupt| believe(&example, verdict);
        let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), with_generator(&example, "1", &solvers), &judge);
        match ended.result {
            Ok(answer) => assert_eq!(answer, example.answer, "{}", example.name),
            Err(why) => assert_eq!(why, Reason::Bound, "{}", example.name),
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(120));
    // Nothing to help.
    let example = by_name("latch", true);
    let mut alone = groups(&example, &[], &solvers);
    alone.extend(with_generator(&example, "1", &solvers).pop());
    let judge = |_: &'static str, verdict: Verdict, _: &Interrupt| believe(&example, verdict);
    let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), alone, &judge);
    assert_eq!(ended.result, Err(Reason::NoProgress));
}
