//! The hot paths of engines, each alone: `cargo bench -p scanproof --bench hot`.
//!
//! Results of the measurements are in the documentation of the modules: `domain::pred`, `domain::expl`, `engine::cegar`.

#![expect(clippy::unwrap_used, reason = "a measurement of something that is not there ends at once")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;

use criterion::{BatchSize, Criterion};
use kernel::cfa::model::{ModelOptions, build};
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{Block, Cfa, LocId};
use kernel::context::{Ctx, MakeSolver};
use kernel::expr::{BvBin, BvCmp, Evaluator, ExprId, ExprPool, Sort, Value, VarId};
use kernel::property::instrument::instrument;
use kernel::property::requirements::requirements;
use kernel::property::spec::Specification;
use kernel::smt::{BitBlaster, Interrupt, Solver};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};
use search::arg::Graph;
use search::domain::{Domain, Expl, ExplPrec, MaxEnum, Pred, PredKind, PredPrec, Split, Step, StepId};
use search::refine::{ItpSource, Prune, Refinement, Refiner};

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let c = &mut criterion;
    expressions(c);
    passes(c);
    solver(c);
    posts(c);
    coverage(c);
    interpolation(c);
    criterion.final_summary();
}

/// Returns a sample's automaton for its first requirement, not reduced.
fn automaton(name: &str) -> (ExprPool, Cfa) {
    let sample = answer::samples::all().into_iter().find(|sample| sample.name == name).unwrap();
    let mut set = SourceSet::default();
    set.add(sample.file, sample.source);
    let mut loaded = load(&set, &LoadOptions::default()).value;
    let spec = Specification::from_yaml(&sample.specification.unwrap_or_default()).unwrap();
    let stated = requirements(&spec, &[], &mut loaded, &[]);
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let instrumented = instrument(&loaded.project, &model, &stated.requirements[0].claim, &[]).unwrap();
    (instrumented.pool, instrumented.cfa)
}

/// Returns the automaton reduced to large blocks.
fn large(name: &str) -> (ExprPool, Cfa) {
    let (pool, cfa) = automaton(name);
    let reduced = reduce(&pool, &cfa, Encoding::Lbe);
    (reduced.pool, reduced.cfa)
}

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

fn context(pool: ExprPool) -> Ctx<'static> {
    Ctx::new(pool, Interrupt::default(), &|_| {})
}

const PROGRAM: &str = "elevator/three_floors";

/// Builds nested sums, comparisons and choices over sixteen variables, which simplifies them.
fn sums(pool: &mut ExprPool, vars: &[VarId]) -> ExprId {
    let mut all = pool.bool(true);
    let mut sum = pool.constant(Value::bv(16, 0));
    for round in 0..200_u128 {
        let var = pool.var(vars[(round as usize * 7) % vars.len()]);
        let offset = pool.constant(Value::bv(16, round % 5));
        let term = pool.bv(BvBin::Add, var, offset);
        sum = pool.bv(BvBin::Add, sum, term);
        let limit = pool.constant(Value::bv(16, 100 + round));
        let below = pool.bv_cmp(BvCmp::Slt, sum, limit);
        sum = pool.ite(below, sum, term);
        all = pool.and(all, below);
    }
    all
}

fn expressions(c: &mut Criterion) {
    let mut empty = ExprPool::new();
    let vars: Vec<VarId> = (0..16).map(|i| empty.new_var(format!("v{i}"), Sort::BitVec(16))).collect();
    let build = |mut pool: ExprPool| sums(&mut pool, &vars);
    c.bench_function("expr/simplify while building", |b| b.iter_batched(|| empty.clone(), build, BatchSize::SmallInput));

    let mut pool = empty.clone();
    let all = sums(&mut pool, &vars);
    let value = |var: VarId| Some(Value::bv(16, u128::from(var.0)));
    let mut evaluator = Evaluator::new();
    c.bench_function("expr/evaluate", |b| b.iter(|| black_box(evaluator.eval(&pool, all, &value))));
}

fn passes(c: &mut Criterion) {
    for name in [PROGRAM, "locks/test_locks.100"] {
        let (pool, cfa) = automaton(name);
        c.bench_function(&format!("pass/large blocks of {name}"), |b| b.iter(|| reduce(&pool, &cfa, Encoding::Lbe)));
    }
}

fn solver(c: &mut Criterion) {
    let (pool, cfa) = large(PROGRAM);
    let mut pool = pool;
    let graph = Graph::new(&mut pool, &cfa);
    c.bench_function("smt/bit-blast five cycles and decide", |b| {
        b.iter(|| {
            let mut solver = BitBlaster::new(&Interrupt::default());
            for (frame, step) in (0..).zip(path(&graph, 5)) {
                solver.assert(&pool, step.block.guard, frame).unwrap();
                for &(var, e) in &step.block.updates {
                    solver.define(&pool, var, frame + 1, e, frame).unwrap();
                }
            }
            solver.check(&pool, &[]).unwrap()
        });
    });
}

/// Returns the step that sets the initial values, the way to the head, so many cycles, and the way to the error location.
fn path(graph: &Graph, cycles: usize) -> Vec<Step<'_>> {
    let Cfa { init, head, error, .. } = graph.cfa;
    let step = |from: LocId, to: LocId| graph.steps_from(from).find(|(_, target)| *target == to).map(|(step, _)| step);
    let (enter, round, leave) = (step(init, head).unwrap(), step(head, head).unwrap(), step(head, error).unwrap());
    let rounds = std::iter::repeat_n(round, cycles);
    [graph.initial(), enter].into_iter().chain(rounds).chain([leave]).collect()
}

fn posts(c: &mut Criterion) {
    let (mut pool, cfa) = large(PROGRAM);
    let graph = Graph::new(&mut pool, &cfa);
    let round = path(&graph, 1)[2];
    let bools = cfa.vars.iter().filter(|var| pool.var_decl(**var).sort == Sort::Bool).copied();
    let preds: BTreeSet<ExprId> = bools.collect::<Vec<_>>().into_iter().map(|var| pool.var(var)).collect();
    for kind in [PredKind::Bool, PredKind::Cart] {
        let prec = PredPrec { preds: preds.clone() };
        let mut cx = context(pool.clone());
        // A new domain each time: a domain remembers its answers.
        c.bench_function(&format!("post/predicates, {kind:?}"), |b| {
            b.iter(|| {
                let mut domain = Pred::new(kind, Split::Atoms, solvers());
                let top = domain.top();
                domain.post(&mut cx, &top, round, &prec).unwrap()
            });
        });
        let mut domain = Pred::new(kind, Split::Atoms, solvers());
        let top = domain.top();
        c.bench_function(&format!("post/predicates, {kind:?}, asked again"), |b| {
            b.iter(|| domain.post(&mut cx, &top, round, &prec).unwrap());
        });
    }
    let prec = ExplPrec { vars: cfa.vars.iter().copied().collect() };
    let mut cx = context(pool);
    let mut domain = Expl::new(NonZeroU32::new(50).map_or(MaxEnum::Unlimited, MaxEnum::UpTo), solvers());
    let top = domain.top();
    let start = domain.post(&mut cx, &top, graph.initial(), &prec).unwrap().remove(0);
    c.bench_function("post/explicit values", |b| b.iter(|| domain.post(&mut cx, &start, round, &prec).unwrap()));
}

/// Looks for a state among many at its location.
fn coverage(c: &mut Criterion) {
    const N_BITS: u32 = 10;
    let mut pool = ExprPool::new();
    let vars: Vec<VarId> = (0..N_BITS).map(|i| pool.new_var(format!("b{i}"), Sort::Bool)).collect();
    let constants = [pool.bool(false), pool.bool(true)];
    let guard = pool.bool(true);
    let bits = |n: u32| vars.iter().zip(0..).map(|(var, bit)| (*var, constants[(n >> bit & 1) as usize])).collect();
    let blocks: Vec<Block> = (0..1 << N_BITS).map(|n| Block { guard, updates: bits(n), inputs: Vec::new() }).collect();
    let preds = vars.iter().map(|var| pool.var(*var)).collect();
    let mut cx = context(pool);
    let pred = Pred::new(PredKind::Bool, Split::Atoms, solvers());
    search(c, &mut cx, "predicates", pred, &PredPrec { preds }, &blocks);
    let expl = Expl::new(MaxEnum::Unlimited, solvers());
    search(c, &mut cx, "explicit values", expl, &ExplPrec { vars: vars.iter().copied().collect() }, &blocks);
}

fn search<D: Domain>(c: &mut Criterion, cx: &mut Ctx<'_>, name: &str, mut domain: D, prec: &D::Prec, blocks: &[Block]) {
    let top = domain.top();
    let mut shelf = D::Shelf::default();
    let mut states = Vec::new();
    for (key, block) in (0..).zip(blocks) {
        let state = domain.post(cx, &top, Step { id: StepId(key), block }, prec).unwrap().remove(0);
        domain.shelve(&mut shelf, &state, key);
        states.push(state);
    }
    c.bench_function(&format!("coverage/one among {} states, {name}", states.len()), |b| {
        b.iter(|| domain.candidates(&shelf, &states[7]).into_iter().find(|key| domain.leq(&states[7], &states[*key as usize])));
    });
}

fn interpolation(c: &mut Criterion) {
    let (mut pool, cfa) = large(PROGRAM);
    let graph = Graph::new(&mut pool, &cfa);
    let mut cx = context(pool);
    for cycles in [1, 4] {
        c.bench_function(&format!("refine/interpolants of {cycles} cycles"), |b| {
            b.iter(|| {
                let mut refiner = Refiner::new(Refinement::SeqItp, ItpSource::Wp, Prune::Lazy, solvers());
                refiner.explain(&mut cx, path(&graph, cycles)).unwrap()
            });
        });
    }
}
