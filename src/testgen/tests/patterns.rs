//! The law of patterns: a run violates a requirement in the cycle in which its sentence is false of the recorded run. Requirement
//! files have every pattern, random conditions about the past, durations, ranges of cycle times and assumptions.
//!
//! The sentences are evaluated here by their definitions, over whole runs, from tables of conditions and cycles. They share
//! nothing with the other two evaluations, the model's monitors and the replay.

use plc_frontend::hir::{Expr, Value};
use plc_frontend::interp::{Limits, Machine, Silent};
use plc_frontend::{Loaded, condition};
use proptest::prelude::*;
use testgen::programs::tiny;

use crate::config;
use crate::requirements::replay;
use kernel::cfa::{ModelOptions, build};
use kernel::property::instrument::{instrument, model_for};
use kernel::property::pattern::PATTERNS;
use kernel::property::spec::Specification;
use testgen::readings::{Inputs, Numbers, error_cycle, inputs, reductions_agree};
use testgen::stated::Stated;

/// A condition about the past, over atoms by number.
#[derive(Clone, Debug)]
enum Past {
    Atom(usize),
    Not(Box<Past>),
    Two(&'static str, Box<Past>, Box<Past>),
    Previous(Box<Past>),
    Once(Box<Past>),
    Historically(Box<Past>),
    Since(Box<Past>, Box<Past>),
    Rose(Box<Past>),
    Fell(Box<Past>),
    Held(Box<Past>, u32),
}

/// Truth of each atom at the beginning and at the end of each cycle of a run; the times between the cycles.
#[derive(Default)]
struct Record {
    starts: Vec<Vec<bool>>,
    ends: Vec<Vec<bool>>,
    dt_ms: Vec<u32>,
}

impl Past {
    fn random(numbers: &mut Numbers, n_atoms: usize, depth: usize) -> Past {
        if depth == 0 {
            return Past::Atom(numbers.below(n_atoms as u64) as usize);
        }
        let one = |numbers: &mut Numbers| Box::new(Past::random(numbers, n_atoms, depth - 1));
        match numbers.below(12) {
            0 => Past::Not(one(numbers)),
            1..4 => {
                let word = ["AND", "OR", "XOR"][numbers.below(3) as usize];
                Past::Two(word, one(numbers), one(numbers))
            }
            4 => Past::Previous(one(numbers)),
            5 => Past::Once(one(numbers)),
            6 => Past::Historically(one(numbers)),
            7 => Past::Since(one(numbers), one(numbers)),
            8 => Past::Rose(one(numbers)),
            9 => Past::Fell(one(numbers)),
            10 => Past::Held(one(numbers), duration(numbers)),
            _ => *one(numbers),
        }
    }

    fn text(&self, atoms: &[String]) -> String {
        match self {
            Past::Atom(i) => format!("({})", atoms[*i]),
            Past::Not(a) => format!("NOT {}", a.text(atoms)),
            Past::Two(word, a, b) => format!("({} {word} {})", a.text(atoms), b.text(atoms)),
            Past::Previous(a) => format!("PREVIOUS({})", a.text(atoms)),
            Past::Once(a) => format!("ONCE({})", a.text(atoms)),
            Past::Historically(a) => format!("HISTORICALLY({})", a.text(atoms)),
            Past::Since(a, b) => format!("SINCE({}, {})", a.text(atoms), b.text(atoms)),
            Past::Rose(a) => format!("ROSE({})", a.text(atoms)),
            Past::Fell(a) => format!("FELL({})", a.text(atoms)),
            Past::Held(a, ms) => format!("HELD({}, T#{ms}ms)", a.text(atoms)),
        }
    }

    /// Evaluates the condition at the end of cycle `at`, by the definition of each operator.
    fn holds(&self, record: &Record, at: usize) -> bool {
        let before = |a: &Past| at.checked_sub(1).is_some_and(|before| a.holds(record, before));
        match self {
            Past::Atom(i) => record.ends[at][*i],
            Past::Not(a) => !a.holds(record, at),
            Past::Two(word, a, b) => {
                let (a, b) = (a.holds(record, at), b.holds(record, at));
                match *word {
                    "AND" => a && b,
                    "OR" => a || b,
                    _ => a != b,
                }
            }
            Past::Previous(a) => before(a),
            Past::Once(a) => (0..=at).any(|c| a.holds(record, c)),
            Past::Historically(a) => (0..=at).all(|c| a.holds(record, c)),
            Past::Since(a, b) => (0..=at).any(|y| b.holds(record, y) && (y + 1..=at).all(|c| a.holds(record, c))),
            Past::Rose(a) => a.holds(record, at) && !before(a),
            Past::Fell(a) => !a.holds(record, at) && before(a),
            Past::Held(a, ms) => (0..=at).any(|from| {
                let time: u32 = record.dt_ms[from + 1..=at].iter().sum();
                *ms <= time && (from..=at).all(|c| a.holds(record, c))
            }),
        }
    }
}

fn duration(numbers: &mut Numbers) -> u32 {
    [1, 40, 50, 100, 150, 200, 300, 1000][numbers.below(8) as usize]
}

/// A requirement: a pattern with the texts of its keys.
#[derive(Debug)]
struct Sentence {
    id: &'static str,
    /// Conditions at the ends of cycles, in the order of the keys; those at the beginning are atoms.
    parts: Vec<Past>,
    ms: u32,
}

impl Sentence {
    fn random(numbers: &mut Numbers, n_atoms: usize) -> Option<Sentence> {
        let pattern = &PATTERNS[numbers.below(PATTERNS.len() as u64) as usize];
        let mut part = |key: &&str| {
            let depth = if matches!(*key, "at_start" | "started") { 0 } else { numbers.below(3) as usize };
            Past::random(numbers, n_atoms, depth)
        };
        let parts = pattern.keys.iter().filter(|key| **key != "for").map(&mut part).collect();
        let sentence = Sentence { id: pattern.id, parts, ms: duration(numbers) };
        // It is not checked.
        Some(sentence).filter(|sentence| sentence.id != "pattern-repeatability")
    }

    fn yaml(&self, atoms: &[String]) -> String {
        let pattern = PATTERNS.iter().find(|p| p.id == self.id).unwrap();
        let mut parts = self.parts.iter();
        let value = |key: &&str| match *key {
            "for" => format!("for: {}ms", self.ms),
            key => format!("{key}: \"{}\"", parts.next().unwrap().text(atoms)),
        };
        format!("{{ {} }}", pattern.keys.iter().map(value).collect::<Vec<_>>().join(", "))
    }

    /// Returns true if the sentence is false at the end of cycle `at`; for a goal, if it is true.
    fn is_violated(&self, record: &Record, at: usize) -> bool {
        let now = |i: usize| self.parts[i].holds(record, at);
        let started = |i: usize, cycle: usize| {
            let Past::Atom(atom) = self.parts[i] else { unreachable!("nothing looks back there") };
            record.starts[cycle][atom]
        };
        match self.id {
            "pattern-forbidden" | "pattern-reachability" => now(0),
            "pattern-invariant" => !now(0),
            "pattern-implication" => now(0) && !now(1),
            "pattern-statechange-duringcycle" => started(0, at) && !now(1),
            "pattern-statechange-betweencycles" => 0 < at && self.parts[0].holds(record, at - 1) && now(1) && !now(2),
            "pattern-timed-trigger" => Past::Held(Box::new(self.parts[0].clone()), self.ms).holds(record, at) && !now(1),
            "pattern-leadsto" => now(0) && !(0..at).any(|c| self.parts[1].holds(record, c)),
            "pattern-leadsto-trigger" => {
                let change = |c: usize| self.parts[1].holds(record, c - 1) && self.parts[2].holds(record, c);
                now(0) && !(1..at).any(change)
            }
            "pattern-leadsto-earlier" => now(0) && !(0..=at).any(|c| started(1, c)),
            other => unreachable!("a new pattern has to be written down here: {other}"),
        }
    }
}

/// Returns conditions of tiny programs.
fn atoms(program: &str, n_inputs: usize) -> Vec<String> {
    let flags = (0..5).map(|i| format!("b{i}")).filter(|name| program.contains(&format!("    {name} : BOOL")));
    let mut atoms: Vec<String> = flags.collect();
    atoms.extend((0..n_inputs).map(|i| format!("i{i}")));
    atoms.extend(["mode = Busy", "n0 < 4"].map(str::to_owned));
    atoms
}

/// Returns the cycle in which the sentence is violated, from a recorded run.
fn expected(sentence: &Sentence, loaded: &Loaded, conditions: &[Expr], assumed: &[Expr], inputs: &Inputs) -> Option<usize> {
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let mut record = Record::default();
    for (at, cycle) in inputs.cycles.iter().enumerate() {
        machine.begin_leaves(&cycle.by_leaf, i64::from(cycle.dt_ms) * 1_000_000).unwrap();
        let truths = |machine: &mut Machine<'_>, of: &[Expr]| -> Vec<bool> {
            of.iter().map(|e| machine.eval(e).unwrap() == Value::Bool(true)).collect()
        };
        if truths(&mut machine, assumed).contains(&false) {
            return None;
        }
        record.starts.push(truths(&mut machine, conditions));
        machine.run(&mut Silent).ok()?;
        record.ends.push(truths(&mut machine, conditions));
        record.dt_ms.push(cycle.dt_ms);
        if sentence.is_violated(&record, at) {
            return Some(at);
        }
    }
    None
}

/// Returns true if a run violates the requirement.
fn case(seed: u64) -> Option<bool> {
    let mut numbers = Numbers(seed);
    let tiny = tiny(seed);
    let atoms = atoms(&tiny.program, tiny.inputs.len());
    let sentence = Sentence::random(&mut numbers, atoms.len())?;
    let cycle = ["100ms", "10ms..90ms", "50", "1ms..300ms"][numbers.below(4) as usize];
    let assumption = ["", "assumptions: [{ expr: i0 OR NOT i0 }]\n", "assumptions: [{ expr: \"i0 OR mode = Idle\" }]\n"];
    let assumption = assumption[numbers.below(3) as usize];
    let yaml = format!("cycle: {cycle}\n{assumption}requirements: [{}]", sentence.yaml(&atoms));
    let time = Specification::from_yaml(&yaml).unwrap().cycle_time(None);
    let mut stated = Stated::new(&tiny.program, &yaml);
    let mut truth = |atom: &String| condition(&mut stated.loaded, "atom", atom).value.unwrap();
    let conditions: Vec<Expr> = atoms.iter().map(&mut truth).collect();
    let claim = &stated.claims[0];
    let options = ModelOptions { dt_min_ms: time.min_ms, dt_max_ms: time.max_ms, ..ModelOptions::default() };
    let model = build(&stated.loaded.project, &options).unwrap();
    let inputs = inputs(&stated.loaded.project, &model, &mut numbers);
    let expected = expected(&sentence, &stated.loaded, &conditions, &stated.assumptions, &inputs);
    let story = format!("seed {seed}\n{yaml}\n{}", tiny.program);
    assert_eq!(replay(&stated.loaded, &stated.assumptions, claim, &inputs), expected, "replay: {story}");
    let seen_in = model_for(&stated.loaded.project, &model, claim).unwrap();
    let question = instrument(&stated.loaded.project, &seen_in, claim, &stated.assumptions).unwrap();
    assert_eq!(error_cycle(&question.pool, &question.cfa, &inputs), expected, "monitor: {story}");
    reductions_agree(&question.pool, &question.cfa, &inputs, expected, &story);
    Some(expected.is_some())
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn requirements_are_violated_where_their_sentences_are_false(seed in any::<u64>()) {
        case(seed);
    }
}

#[test]
fn some_random_requirements_are_violated_and_some_are_not() {
    let ends: Vec<bool> = (0..80).filter_map(case).collect();
    let n_violated = ends.iter().filter(|violated| **violated).count();
    assert!(10 < n_violated && n_violated + 10 < ends.len(), "{n_violated} of {}", ends.len());
}
