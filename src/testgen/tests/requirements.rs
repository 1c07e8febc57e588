//! The law of monitors: a random claim about a random program is violated in the same cycle by all readings. These are the
//! monitor in the CFA, each of its reductions, and the replay on the interpreter.

use plc_frontend::hir::{AnomalyKind, AssertId, Expr, FaultKind, Stmt, StmtKind, Type};
use plc_frontend::interp::Limits;
use plc_frontend::source::Span;
use plc_frontend::{Loaded, condition};
use proptest::prelude::*;
use testgen::programs::{Plant, Size, plant, program};

use crate::{config, fewer};
use answer::replay::{Case, CycleInputs, Replayed};
use kernel::cfa::{Model, ModelOptions, SiteKind, build};
use kernel::property::check::Event;
use kernel::property::claim::Claim;
use kernel::property::formula::Formula;
use kernel::property::instrument::{instrument, model_for};
use testgen::readings::{Inputs, Numbers, error_cycle, inputs, read, read_as, reductions_agree, surround};

/// Returns a random condition over the visible state; some divide by a value that may be zero.
fn random_condition(loaded: &mut Loaded, numbers: &mut Numbers) -> Expr {
    let leaves = loaded.project.leaves();
    let project = &loaded.project;
    let usable: Vec<(String, bool)> = leaves
        .iter()
        // The variables of the tasks themselves have no names in conditions.
        .filter(|leaf| !leaf.hidden && !leaf.name.starts_with("Works."))
        .filter_map(|leaf| {
            let is_bool = project.types[leaf.ty].ty == Type::Bool;
            let is_signed = matches!(&project.types[leaf.ty].ty, Type::Int(int) if int.signed);
            if is_bool || is_signed { Some((leaf.name.clone(), is_bool)) } else { None }
        })
        .collect();
    let atom = |numbers: &mut Numbers| {
        let (name, is_bool) = &usable[numbers.below(usable.len() as u64) as usize];
        let n = numbers.below(9) as i64 - 2;
        match (is_bool, numbers.below(6)) {
            (true, 0..3) => name.clone(),
            (true, _) => format!("NOT {name}"),
            (false, 0..2) => format!("{name} < {n}"),
            (false, 2..4) => format!("{name} >= {n}"),
            (false, 4) => format!("{name} <> {n}"),
            (false, _) => format!("6 / {name} < {n}"),
        }
    };
    let text = match numbers.below(4) {
        0 => atom(numbers),
        1 => format!("{} OR {}", atom(numbers), atom(numbers)),
        2 => format!("{} AND {}", atom(numbers), atom(numbers)),
        _ => format!("{} AND_THEN {}", atom(numbers), atom(numbers)),
    };
    let parsed = condition(loaded, "random", &text);
    parsed.value.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

/// Returns a random formula about the past.
fn random_formula(loaded: &mut Loaded, numbers: &mut Numbers, depth: usize) -> Formula {
    if depth == 0 {
        let condition = random_condition(loaded, numbers);
        return if numbers.below(4) == 0 { Formula::Began(condition) } else { Formula::Now(condition) };
    }
    let mut inner = |numbers: &mut Numbers| random_formula(loaded, numbers, depth - 1);
    match numbers.below(8) {
        0 => inner(numbers).negated(),
        1 => inner(numbers).and(inner(numbers)),
        2 => inner(numbers).or(inner(numbers)),
        3 => inner(numbers).previous(),
        4 => inner(numbers).once(),
        5 => Formula::Since(Box::new(inner(numbers)), Box::new(inner(numbers))),
        6 => Formula::Held(Box::new(inner(numbers)), [0, 50, 100, 150, 300][numbers.below(5) as usize]),
        _ => inner(numbers).previous().previous(),
    }
}

/// Returns the places of statements, nested ones included.
fn statements(stmts: &[&Stmt]) -> Vec<Span> {
    let nested = |stmt: &Stmt| -> Vec<Span> {
        if let StmtKind::If { branches, otherwise } = &stmt.kind {
            let all: Vec<&Stmt> = branches.iter().flat_map(|(_, body)| body).chain(otherwise).collect();
            return statements(&all);
        }
        Vec::new()
    };
    stmts.iter().flat_map(|stmt| [vec![stmt.span], nested(stmt)].concat()).collect()
}

fn random_claim(loaded: &mut Loaded, model: &Model, numbers: &mut Numbers) -> Claim {
    let kinds = [FaultKind::DivisionByZero, FaultKind::IndexOutOfBounds, FaultKind::LoopWrap, FaultKind::Watchdog];
    match numbers.below(15) {
        0 => Claim::Invariant(random_condition(loaded, numbers)),
        1 => Claim::Forbidden(random_condition(loaded, numbers)),
        2 => Claim::Implication { when: random_condition(loaded, numbers), then: random_condition(loaded, numbers) },
        3 => Claim::DuringCycle { at_start: random_condition(loaded, numbers), then: random_condition(loaded, numbers) },
        4 => Claim::BetweenCycles {
            after: random_condition(loaded, numbers),
            when: random_condition(loaded, numbers),
            then: random_condition(loaded, numbers),
        },
        5 | 6 => Claim::Temporal { when: Some(random_formula(loaded, numbers, 2)), then: random_formula(loaded, numbers, 2) },
        7 => Claim::Temporal { when: None, then: random_formula(loaded, numbers, 3) },
        8 => {
            let ids: Vec<AssertId> = asserts(model).take(1 + numbers.below(3) as usize).collect();
            Claim::Assert(ids)
        }
        9 => {
            let spans: Vec<_> = statements(&loaded.project.pous.iter().flat_map(|pou| &pou.body).collect::<Vec<_>>());
            let some = spans.len().saturating_sub(1) as u64;
            Claim::Executed(vec![spans[numbers.below(some + 1) as usize], spans[numbers.below(some + 1) as usize]])
        }
        10 => Claim::Never(Event::DoubleWrite),
        11..14 => {
            let kinds = [AnomalyKind::Overflow, AnomalyKind::ConversionLoss, AnomalyKind::Subrange];
            Claim::Never(Event::Anomaly(kinds[numbers.below(3) as usize]))
        }
        _ => Claim::Never(Event::Fault(kinds[numbers.below(4) as usize])),
    }
}

pub(crate) fn replay(loaded: &Loaded, assumptions: &[Expr], claim: &Claim, inputs: &Inputs) -> Option<usize> {
    let case = Case { project: &loaded.project, limits: Limits::default(), assumptions, claim };
    let leaves = loaded.project.leaves();
    let cycles = inputs.cycles.iter().map(|cycle| {
        let inputs = cycle.by_leaf.iter().map(|(at, value)| (leaves[*at].name.clone(), *value));
        CycleInputs { inputs: inputs.collect(), dt_ns: i64::from(cycle.dt_ms) * 1_000_000 }
    });
    let cycles: Vec<CycleInputs> = cycles.collect();
    match case.replay(&cycles) {
        Replayed::Violated { cycle, .. } => Some(cycle),
        Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } => None,
        Replayed::Unfit(bad) => panic!("{bad:?}"),
    }
}

fn case(seed: u64) {
    let mut numbers = Numbers(seed);
    let size = Size {
        statements: 3 + numbers.below(6) as usize,
        depth: 2,
        floats: false,
        faults: numbers.below(2) == 0,
        objects: false,
        memory: numbers.below(3) == 0,
    };
    let text = program(seed, size);
    let loaded = read(&text);
    agrees(&text, loaded, 4, &mut numbers);
}

/// Checks the law as [`case`] does, for programs in tasks with charts, timers and edges.
fn plant_case(seed: u64) {
    let mut numbers = Numbers(seed);
    let size = Size { statements: 2 + numbers.below(3) as usize, depth: 1, faults: numbers.below(3) == 0, ..Size::default() };
    let Plant { text, dialect } = plant(seed, size);
    agrees(&text, read_as(&text, dialect), 1, &mut numbers);
}

/// Returns an assumption about some input that is a BOOL.
fn some_assumption(loaded: &mut Loaded, numbers: &mut Numbers) -> Option<Expr> {
    let leaves = loaded.project.leaves();
    let is_bool = |leaf: &&plc_frontend::hir::Leaf| loaded.project.types[leaf.ty].ty == Type::Bool;
    let inputs: Vec<_> = leaves.iter().filter(|leaf| leaf.is_given(0) && !leaf.hidden).filter(is_bool).collect();
    let name = &inputs.get(numbers.below(inputs.len() as u64) as usize)?.name;
    condition(loaded, "assumption", &format!("{name} OR {name}")).value
}

fn agrees(text: &str, mut loaded: Loaded, n_claims: usize, numbers: &mut Numbers) {
    surround(&mut loaded.project, numbers);
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let inputs = inputs(&loaded.project, &model, numbers);
    for _ in 0..n_claims {
        let claim = random_claim(&mut loaded, &model, numbers);
        let mut assumptions = Vec::new();
        if numbers.below(4) == 0 {
            assumptions.extend(some_assumption(&mut loaded, numbers));
        }
        let seen_in = model_for(&loaded.project, &model, &claim).unwrap();
        let question = instrument(&loaded.project, &seen_in, &claim, &assumptions).unwrap();
        let expected = replay(&loaded, &assumptions, &claim, &inputs);
        let story = format!("{claim:?}\n{text}");
        assert_eq!(error_cycle(&question.pool, &question.cfa, &inputs), expected, "monitor: {story}");
        reductions_agree(&question.pool, &question.cfa, &inputs, expected, &story);
    }
}

/// Returns the numbers of the program's assertions.
fn asserts(model: &Model) -> impl Iterator<Item = AssertId> {
    model.sites.iter().filter_map(|site| if let SiteKind::Assert { id, .. } = site.kind { Some(id) } else { None })
}

proptest! {
    #![proptest_config(config())]
#[test]
    fn claims_are_violated_alike_by_the_monitor_and_by_the_replay(seed in any::<u64>()) {
        case(seed);
    }
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn claims_about_plants_are_violated_alike_by_the_monitor_and_by_the_replay(seed in any::<u64>()) {
        plant_case(seed);
    }
}

/// The law above found a run that went on after an assertion that fails as the very first statement.
#[test]
fn an_assertion_at_the_very_beginning_ends_the_runs_that_violate_it() {
    let text =
        "PROGRAM P\nVAR_INPUT\n a : BOOL;\nEND_VAR\nVAR\n t : TON;\nEND_VAR\n//#ASSERT a : first\nt(IN := a);\nEND_PROGRAM\n";
    let loaded = read(text);
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let claim = Claim::Assert(asserts(&model).collect());
    let question = instrument(&loaded.project, &model, &claim, &[]).unwrap();
    for seed in 0..10 {
        let inputs = inputs(&loaded.project, &model, &mut Numbers(seed));
        let expected = replay(&loaded, &[], &claim, &inputs);
        assert!(expected.is_some());
        reductions_agree(&question.pool, &question.cfa, &inputs, expected, text);
    }
}
