//! The law of automatic checks: no random run on the interpreter contradicts a proof about a random program, neither by an event
//! nor by the check's own sentence.
//!
//! `PROGRAMS=300 cargo test --release -p testgen --test laws checks_that_are_proved` is the long version.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use plc_frontend::dialect::DialectId;
use plc_frontend::hir::{Leaf, Project, Role, Stmt, StmtKind, Type, Value, walk};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::Span;
use testgen::programs::{Plant, Size, plant, tiny};

use crate::requirements::replay;
use answer::VerdictWord;
use answer::certify::{Certified, Evidence};
use answer::decide::{Request, Search, decide};
use kernel::cfa::model::{ModelOptions, build};
use kernel::context::default_solvers;
use kernel::property::check::{CHECKS, CheckKind, Event};
use kernel::property::claim::Claim;
use kernel::property::requirements::{ResolvedRequirement, requirements};
use kernel::property::spec::Specification;
use kernel::smt::Interrupt;
use testgen::readings::{Inputs, Numbers, inputs, read_as};

/// Random runs that try to contradict a proof.
const RUNS: usize = 12;
/// Checks of one program that are decided.
const CHECKED: usize = 6;

/// Returns a tiny program whose variables are outputs, or a small plant.
fn program(seed: u64, numbers: &mut Numbers) -> (String, Option<DialectId>) {
    if numbers.below(4) == 0 {
        let size = Size { statements: 2, depth: 1, faults: numbers.below(2) == 0, ..Size::default() };
        let Plant { text, dialect } = plant(seed, size);
        return (text, dialect);
    }
    (tiny(seed).program.replacen("\nVAR\n", "\nVAR_OUTPUT\n", 1), None)
}

/// All computed values of BOOL outputs in a cycle, written in any way.
struct Computed {
    outputs: BTreeSet<String>,
    /// Statements that assign constants.
    constants: BTreeSet<Span>,
    /// By output, in this cycle.
    given: BTreeMap<String, Vec<(Span, Value)>>,
}

impl Computed {
    fn new(project: &Project) -> Computed {
        let is_output = |leaf: &Leaf| leaf.role == Role::Output && project.types[leaf.ty].ty == Type::Bool;
        let outputs = project.leaves().into_iter().filter(is_output).map(|leaf| leaf.name).collect();
        let mut constants = BTreeSet::new();
        let mut visit = |stmt: &Stmt| {
            if let StmtKind::Assign { target, value } = &stmt.kind
                && matches!(value.kind, plc_frontend::hir::ExprKind::Literal(_))
            {
                constants.insert(target.span);
            }
        };
        project.pous.iter().for_each(|pou| walk::stmts(&pou.body, &mut visit));
        Computed { outputs, constants, given: BTreeMap::new() }
    }
    /// Returns whether two statements have given one output different computed values.
    fn found(&self) -> Option<&str> {
        let differ = |all: &[(Span, Value)]| all.iter().any(|a| all.iter().any(|b| a.0 != b.0 && a.1 != b.1));
        self.given.iter().find(|(_, all)| differ(all)).map(|(name, _)| name.as_str())
    }
}

impl Recorder for Computed {
    fn wants_names(&self) -> bool {
        true
    }
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        if self.outputs.contains(name) && !self.constants.contains(&span) {
            self.given.entry(name.to_owned()).or_default().push((span, value));
        }
    }
}

/// Returns the cycle of a run in which an output gets two different computed values.
fn written_twice(project: &Project, inputs: &Inputs) -> Option<(usize, String)> {
    let mut machine = Machine::new(project, Limits::default());
    let mut computed = Computed::new(project);
    for (cycle, given) in inputs.cycles.iter().enumerate() {
        computed.given.clear();
        machine.begin_leaves(&given.by_leaf, i64::from(given.dt_ms) * 1_000_000).unwrap();
        let ran = machine.run(&mut computed);
        if let Some(name) = computed.found() {
            return Some((cycle, name.to_owned()));
        }
        ran.ok()?;
    }
    None
}

/// Decides the checks of one program; returns the number of proved ones.
fn case(seed: u64) -> usize {
    let mut numbers = Numbers(seed);
    let (text, dialect) = program(seed, &mut numbers);
    let mut loaded = read_as(&text, dialect);
    let watched: Vec<CheckKind> = CHECKS.iter().map(|check| check.kind).collect();
    let spec = Specification::from_yaml("checks: all").unwrap();
    let mut stated = requirements(&spec, &[], &mut loaded, &watched);
    while CHECKED < stated.requirements.len() {
        stated.requirements.swap_remove(numbers.below(stated.requirements.len() as u64) as usize);
    }
    let model = build(&loaded.project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let runs: Vec<Inputs> = (0..RUNS).map(|_| inputs(&loaded.project, &model, &mut numbers)).collect();
    let mut n_proved = 0;
    for ResolvedRequirement { id, claim, .. } in &stated.requirements {
        let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(2)), ..Interrupt::default() };
        let solvers = default_solvers();
        let request = Request {
            loaded: &loaded,
            model: &model,
            claim,
            assumptions: &[],
            search: Search::new(&interrupt, &solvers),
            earlier: None,
            shared: None,
        };
        let decision = decide(&request).unwrap();
        let story = || format!("seed {seed} {id} {:?} {:?}\n{text}", decision.word, decision.reason);
        assert_ne!(decision.word, VerdictWord::Error, "{}", story());
        // A proof, or a bounded one for so many cycles.
        let is_proved = matches!(decision.certified.as_ref().map(Certified::evidence), Some(Evidence::Holds { .. }))
            || decision.word == VerdictWord::Vacuous;
        let safe = if is_proved { usize::MAX } else { decision.safe_cycles.map_or(0, |n| n as usize) };
        n_proved += usize::from(is_proved);
        for run in &runs {
            if let Some(cycle) = replay(&loaded, &[], claim, run) {
                assert!(safe <= cycle, "a run violates it in cycle {cycle}, {safe} are safe: {}", story());
            }
            if let Claim::Never(Event::DoubleWrite) = claim
                && let Some((cycle, name)) = written_twice(&loaded.project, run)
            {
                assert!(safe <= cycle, "{name} is written twice in cycle {cycle}, {safe} are safe: {}", story());
            }
        }
    }
    n_proved
}

#[test]
fn checks_that_are_proved_are_not_contradicted_by_random_runs() {
    let n_programs: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let first: u64 = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let started = Instant::now();
    let n_proved: usize = (first..first + n_programs).map(case).sum();
    eprintln!("{n_programs} programs, {n_proved} proofs, {:?}", started.elapsed());
    assert!(0 < n_proved);
}
