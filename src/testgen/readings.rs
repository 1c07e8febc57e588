//! Both readings of a program side by side on random inputs, and reductions of its automaton.

use std::collections::BTreeMap;

pub use kernel::agree::inputs::Numbers;
use kernel::agree::inputs::{Cycle, inputs_of};
use kernel::agree::pair::{End, Pair};
use kernel::cfa::pass::{Encoding, System, monolithic, reduce};
use kernel::cfa::simulate::{self, Simulator};
use kernel::cfa::{Cfa, Edge, LocId, Model, Op};
use kernel::expr::{BvCmp, Evaluator, ExprId, ExprPool, Sort, Value, VarId};
use plc_frontend::dialect::DialectId;
use plc_frontend::hir::{Kind, Project, Reason, Setting, Start};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

pub const CYCLES: usize = 30;
const MAX_STEPS: usize = 2_000_000;

fn zero(pool: &ExprPool, var: VarId) -> Value {
    Value::zero(pool.var_decl(var).sort)
}

/// Values of the environment, cycle by cycle.
pub struct Inputs {
    pub cycles: Vec<Cycle>,
}

pub fn inputs(project: &Project, model: &Model, numbers: &mut Numbers) -> Inputs {
    Inputs { cycles: (0..CYCLES).map(|number| inputs_of(project, model, number, numbers)).collect() }
}

pub fn read(text: &str) -> Loaded {
    read_as(text, None)
}

pub fn read_as(text: &str, dialect: Option<DialectId>) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("random.st", text);
    let parsed = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    parsed.value
}

/// Runs both, and returns the number of completed cycles.
pub fn behave_alike(project: &Project, model: &Model, inputs: &Inputs, text: &str) -> usize {
    let mut pair = Pair::new(project, model);
    for (cycle, given) in inputs.cycles.iter().enumerate() {
        match pair.cycle(given) {
            Ok(End::Complete) => {}
            Ok(End::Fault(..) | End::Gap(_) | End::Excluded | End::TooLong) => return cycle,
            Err(difference) => panic!("cycle {}: {}\n{text}", difference.cycle, difference.what),
        }
    }
    inputs.cycles.len()
}

/// Returns a copy of the model with a question: one or two variables have their values at the end of some cycle of the run. The
/// error location is reached there, sometimes earlier.
pub fn with_question(model: &Model, inputs: &Inputs, numbers: &mut Numbers, cycles: usize) -> (ExprPool, Cfa) {
    let (mut pool, mut cfa) = (model.pool.clone(), model.cfa.clone());
    let mut simulator = Simulator::new(&model.pool, &model.cfa);
    simulator.cycle(1, &mut |_| unreachable!("nothing is havocked before the head"));
    simulator.start(&inputs.cycles[0].by_var);
    for given in inputs.cycles.iter().map(|c| &c.by_var).take(1 + numbers.below(cycles.max(1) as u64) as usize) {
        simulator.cycle(MAX_STEPS, &mut |var| given.get(&var).copied().unwrap_or_else(|| zero(&model.pool, var)));
    }
    let mut bad = pool.bool(true);
    for _ in 0..=numbers.below(2) {
        let (_, var) = &model.leaves[numbers.below(model.leaves.len() as u64) as usize];
        let (x, c) = (pool.var(*var), pool.constant(simulator.variable(*var)));
        let test = match (pool.sort(x), numbers.below(4)) {
            (Sort::BitVec(_), 0) => pool.bv_cmp(BvCmp::Slt, x, c),
            (Sort::Bool | Sort::Float(_) | Sort::BitVec(_) | Sort::Int | Sort::Array(..), _) => pool.eq(x, c),
        };
        bad = pool.and(bad, test);
    }
    let good = pool.not(bad);
    let (eoc, error) = (model.points.eoc, cfa.error);
    for edge in cfa.edges.iter_mut().filter(|e| e.source == eoc) {
        edge.op = Op::Assume(good);
    }
    cfa.edges.push(Edge { source: eoc, target: error, op: Op::Assume(bad), span: None });
    (pool, cfa)
}

/// Returns the cycle in which the error location is reached.
pub fn error_cycle(pool: &ExprPool, cfa: &Cfa, inputs: &Inputs) -> Option<usize> {
    let mut simulator = Simulator::new(pool, cfa);
    if simulator.cycle(1, &mut |_| unreachable!("nothing is havocked before the head")) != simulate::End::Head {
        return None;
    }
    simulator.start(&inputs.cycles[0].by_var);
    for (cycle, given) in inputs.cycles.iter().map(|c| &c.by_var).enumerate() {
        let mut input = |var: VarId| given.get(&var).copied().unwrap_or_else(|| zero(pool, var));
        match simulator.cycle(MAX_STEPS, &mut input) {
            simulate::End::Head => {}
            simulate::End::Error => return Some(cycle),
            simulate::End::Stuck(_) | simulate::End::TooLong => return None,
        }
    }
    None
}

/// Returns the cycle as [`error_cycle`] does, on the step relation.
fn error_step(pool: &ExprPool, system: &System, head: LocId, inputs: &Inputs) -> Option<usize> {
    let start = |v: &VarId| system.initial.get(v).or(inputs.cycles[0].by_var.get(v)).copied().unwrap_or_else(|| zero(pool, *v));
    let mut state: BTreeMap<VarId, Value> = system.vars.iter().map(|v| (*v, start(v))).collect();
    let head = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at);
    let mut cycle = None;
    for _ in 0..MAX_STEPS {
        if system.pc.is_none_or(|pc| state.get(&pc).copied() == head) {
            cycle = Some(cycle.map_or(0, |c: usize| c + 1));
        }
        let given = &inputs.cycles.get(cycle?)?.by_var;
        let chosen: BTreeMap<VarId, Value> = system
            .inputs
            .iter()
            .map(|i| (i.var, i.origin.and_then(|v| given.get(&v).copied()).unwrap_or_else(|| zero(pool, i.var))))
            .collect();
        let mut evaluator = Evaluator::new();
        let mut value = |e: ExprId| {
            evaluator.eval(pool, e, &|v| chosen.get(&v).or(state.get(&v)).copied()).expect("all variables have values")
        };
        if value(system.bad) == Value::Bool(true) {
            return cycle;
        }
        if value(system.guard) != Value::Bool(true) {
            return None;
        }
        state = system.next.iter().map(|(v, e)| (*v, value(*e))).collect();
    }
    None
}

/// Gives some leaves another kind in the environment, with hidden ones and stopwatches.
pub fn surround(project: &mut Project, numbers: &mut Numbers) {
    if numbers.below(2) == 0 {
        return;
    }
    let leaves = project.leaves();
    let uses = plc_frontend::environment::usage(project, &leaves, false);
    for (leaf, used) in leaves.iter().zip(uses).filter(|(leaf, _)| !leaf.constant && leaf.init.is_some() && leaf.view.is_none()) {
        let (kind, start) = match numbers.below(12) {
            0 => (Kind::Input, Start::Initial),
            1 | 2 => (Kind::Memory, Start::Any),
            3 if !used.written => (Kind::Parameter, Start::Any),
            4 => (Kind::Memory, Start::Initial),
            _ => continue,
        };
        let reason = Reason::Stated("by chance".to_owned());
        project.environment.insert(leaf.name.clone(), Setting { kind, start, reason });
    }
}

/// Checks that every encoding reaches the error location in the `expected` cycle.
pub fn reductions_agree(pool: &ExprPool, cfa: &Cfa, inputs: &Inputs, expected: Option<usize>, text: &str) {
    let small = reduce(pool, cfa, Encoding::Sbe);
    assert_eq!(error_cycle(&small.pool, &small.cfa, inputs), expected, "single blocks\n{text}");
    for blk in [Encoding::SbeWithCalls, Encoding::LbeWithCalls] {
        let blocks = reduce(pool, cfa, blk);
        assert_eq!(error_cycle(&blocks.pool, &blocks.cfa, inputs), expected, "{blk:?}\n{text}");
    }
    let mut large = reduce(pool, cfa, Encoding::Lbe);
    assert_eq!(error_cycle(&large.pool, &large.cfa, inputs), expected, "large blocks\n{text}");
    let system = monolithic(&mut large.pool, &large.cfa);
    let head = large.cfa.locs[large.cfa.head].origin;
    assert_eq!(error_step(&large.pool, &system, head, inputs), expected, "step relation\n{text}");
}
