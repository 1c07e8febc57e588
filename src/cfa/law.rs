//! The law that holds the two writings of the semantics together: random programs behave alike in the interpreter and in
//! the CFA, and every reduction of a CFA reaches its error location in the same cycle.
//!
//! More cases: `PROPTEST_CASES=20000 cargo test --release --lib law`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use plc_frontend::dialect::DialectId;
use plc_frontend::generate::{Plant, Size, classes, plant, program};
use plc_frontend::hir::{Kind, LapseKind, Project, Reason, Setting, Start};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};
use proptest::prelude::*;

use super::pass::{Blk, Encoding, System, monolithic, reduce};
use super::simulate::{self, Simulator};
use super::{Cfa, Edge, LocId, Marks, Model, ModelOptions, Op, build};
pub(crate) use crate::agree::inputs::Numbers;
use crate::agree::inputs::{Cycle, inputs_of};
use crate::agree::pair::{End, Pair};
use crate::expr::{BvCmp, Evaluator, ExprId, ExprPool, Sort, Value, VarId};

pub(crate) const CYCLES: usize = 30;
const MAX_STEPS: usize = 2_000_000;

fn zero(pool: &ExprPool, var: VarId) -> Value {
    Value::zero(pool.var_decl(var).sort)
}

/// What is given from outside, cycle by cycle.
pub(crate) struct Inputs {
    pub(crate) cycles: Vec<Cycle>,
}

pub(crate) fn inputs(project: &Project, model: &Model, numbers: &mut Numbers) -> Inputs {
    Inputs { cycles: (0..CYCLES).map(|number| inputs_of(project, model, number, numbers)).collect() }
}

pub(crate) fn read(text: &str) -> Loaded {
    read_as(text, None)
}

pub(crate) fn read_as(text: &str, dialect: Option<DialectId>) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("random.st", text);
    let parsed = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    parsed.value
}

/// Runs both; the cycles that completed.
pub(crate) fn behave_alike(project: &Project, model: &Model, inputs: &Inputs, text: &str) -> usize {
    let mut pair = Pair::new(project, model);
    for (cycle, given) in inputs.cycles.iter().enumerate() {
        match pair.cycle(given) {
            Ok(End::Complete) => {}
            Ok(End::Fault(..) | End::Gap(_) | End::TooLong) => return cycle,
            Err(difference) => panic!("cycle {}: {}\n{text}", difference.cycle, difference.what),
        }
    }
    inputs.cycles.len()
}

/// A copy of the model whose error location is reached where one or two variables have the values that they have
/// at the end of some cycle of the run: often first there, sometimes earlier.
pub(crate) fn with_question(model: &Model, inputs: &Inputs, numbers: &mut Numbers, cycles: usize) -> (ExprPool, Cfa) {
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

/// The cycle in which the error location is reached.
pub(crate) fn error_cycle(pool: &ExprPool, cfa: &Cfa, inputs: &Inputs) -> Option<usize> {
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

/// As [`error_cycle`], on the step relation.
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

fn case(seed: u64, floats: bool) {
    let mut numbers = Numbers(seed);
    let size = Size {
        statements: 4 + numbers.below(8) as usize,
        depth: 2 + numbers.below(2) as usize,
        floats,
        faults: numbers.below(4) == 0,
        objects: numbers.below(3) == 0,
        memory: numbers.below(3) == 0,
    };
    let mut text = program(seed, size);
    // Read as MATIEC does: detected, since a chosen dialect refuses objects and jumps.
    if numbers.below(4) == 0 {
        text.push_str("\n(*DBG:*)\n");
    }
    behaves(&text, &read(&text).project, &mut numbers);
}

/// As [`case`], for programs in tasks with charts, timers and edges.
fn plant_case(seed: u64) {
    let mut numbers = Numbers(seed);
    let size = Size {
        statements: 2 + numbers.below(5) as usize,
        depth: 2,
        floats: numbers.below(6) == 0,
        faults: numbers.below(4) == 0,
        ..Size::default()
    };
    let Plant { text, dialect } = plant(seed, size);
    behaves(&text, &read_as(&text, dialect).project, &mut numbers);
}

/// Gives some leaves another part in the environment, hidden ones and stopwatches among them.
pub(crate) fn surround(project: &mut Project, numbers: &mut Numbers) {
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

/// With marks, cycle times and environments by chance.
fn behaves(text: &str, project: &Project, numbers: &mut Numbers) {
    let mut surrounded = project.clone();
    surround(&mut surrounded, numbers);
    let project = &surrounded;
    let (dt_min_ms, dt_max_ms) = if numbers.below(2) == 0 { (100, 100) } else { (10, 90) };
    let lapses = [LapseKind::Overflow, LapseKind::ConversionLoss].map(Marks::Lapses);
    let marks = [&[Marks::None, Marks::Statements, Marks::Coils][..], &lapses].concat()[numbers.below(5) as usize];
    let model = match build(project, &ModelOptions { dt_min_ms, dt_max_ms, marks, ..ModelOptions::default() }) {
        Ok(model) => model,
        Err(e) => panic!("{e}\n{text}"),
    };
    let inputs = inputs(project, &model, numbers);
    let cycles = behave_alike(project, &model, &inputs, text);
    for _ in 0..2 {
        let (pool, cfa) = with_question(&model, &inputs, numbers, cycles);
        let expected = error_cycle(&pool, &cfa, &inputs);
        reductions_agree(&pool, &cfa, &inputs, expected, text);
    }
}

/// Every encoding reaches the error location in the `expected` cycle.
pub(crate) fn reductions_agree(pool: &ExprPool, cfa: &Cfa, inputs: &Inputs, expected: Option<usize>, text: &str) {
    let small = reduce(pool, cfa, Encoding::Sbe);
    assert_eq!(error_cycle(&small.pool, &small.cfa, inputs), expected, "single blocks\n{text}");
    for blk in [Blk::LoopsAndCalls, Blk::Operations(NonZeroU32::MIN.saturating_add(2))] {
        let blocks = reduce(pool, cfa, Encoding::Abe(blk));
        assert_eq!(error_cycle(&blocks.pool, &blocks.cfa, inputs), expected, "{blk:?}\n{text}");
    }
    let mut large = reduce(pool, cfa, Encoding::Lbe);
    assert_eq!(error_cycle(&large.pool, &large.cfa, inputs), expected, "large blocks\n{text}");
    let system = monolithic(&mut large.pool, &large.cfa);
    let head = large.cfa.locs[large.cfa.head].origin;
    assert_eq!(error_step(&large.pool, &system, head, inputs), expected, "step relation\n{text}");
}

pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.div_ceil(3), failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn programs_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        case(seed, false);
    }
    #[test]
    fn programs_with_reals_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        case(seed, true);
    }
}

/// Plants are larger.
pub(crate) fn fewer() -> ProptestConfig {
    let config = config();
    ProptestConfig { cases: config.cases.div_ceil(4), ..config }
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn plants_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        plant_case(seed);
    }
    #[test]
    fn programs_with_classes_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let text = classes(seed).text;
        behaves(&text, &read(&text).project, &mut Numbers(seed));
    }
}
