//! The law of verdicts: every engine gives the answer about a random program that a visit of all its states gives, and each
//! answer is certified. Certificates of some are written and checked.
//!
//! The states are visited on the interpreter, with all inputs in every cycle and all values before the first. Every second
//! program has an environment: variables that are inputs, parameters, retained, passed by reference or start with any value.
//! `PROGRAMS=10000 cargo test --release -p testgen --test laws every_engine_agrees -- --nocapture` is the long version (`make
//! agreement`); it prints the number of decisions of each engine.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plc_frontend::hir::{Expr, Role, Value};
use plc_frontend::interp::{Machine, Silent};
use testgen::programs::{Given, Moment, Surrounded, Tiny, surrounded, tiny};

use answer::certificate::{self, Answer, Identity, InputCycle, Violation, check_violation, program_digest, stated, whole};
use answer::certify::{Asked, Rejected, check_proof};
use answer::replay::inputs;
use answer::replay::{Case, CycleInputs, Replayed};
use kernel::cfa::model::{Model, ModelOptions, build};
use kernel::cfa::pass::reduce;
use kernel::context::{Ctx, default_solvers};
use kernel::property::claim::Claim;
use kernel::property::instrument::{Instrumented, instrument};
use kernel::smt::Interrupt;
use kernel::verdict::lift_proof;
use kernel::verdict::{Proof, Verdict};
use search::engine::{ENGINES, configure, encoding};
use testgen::stated::Stated;

/// True answer about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Safe,
    /// Cycles of a shortest violation.
    Unsafe(usize),
    /// More states than the limit for a visit.
    Large,
}

/// Most states that are visited.
const STATES: usize = 2_000;

/// A state between cycles: the leaves that are not inputs; TRUE if the cycle before ended with the claim's `after`.
type State = (Vec<Value>, bool);

/// Returns all runs, breadth first.
pub(super) fn explore(stated: &Stated, given: &[Given]) -> Truth {
    let case = Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]);
    let mut machine = Machine::new(case.project, case.limits);
    let leaves = case.project.leaves();
    let key = |machine: &Machine<'_>, before: bool| -> State {
        let values = machine.state().iter().zip(&leaves);
        (values.map(|(v, leaf)| if leaf.role == Role::Input { Value::Bool(false) } else { *v }).collect(), before)
    };
    let of = |moment: Moment| combinations(given.iter().filter(|given| given.moment == moment));
    let (starts, inputs) = (of(Moment::Start), of(Moment::EveryCycle));
    let cold = machine.state().to_vec();
    let mut seen: HashSet<State> = HashSet::new();
    let mut layer = Vec::new();
    for start in &starts {
        machine.resume(&cold);
        machine.begin(start, 0).unwrap();
        let state = key(&machine, false);
        if seen.insert(state.clone()) {
            layer.push(state);
        }
    }
    for cycle in 1.. {
        let mut next = Vec::new();
        for (values, before) in &layer {
            for given in &inputs {
                machine.resume(values);
                machine.begin(given, 100_000_000).unwrap();
                match end_of_cycle(&mut machine, case.claim, *before) {
                    None => {}
                    Some((true, _)) => return Truth::Unsafe(cycle),
                    Some((false, before)) => {
                        let state = key(&machine, before);
                        if seen.insert(state.clone()) {
                            next.push(state);
                        }
                    }
                }
            }
        }
        if STATES < seen.len() {
            return Truth::Large;
        }
        if next.is_empty() {
            return Truth::Safe;
        }
        layer = next;
    }
    unreachable!("there are finitely many states")
}

/// Returns all combinations of values.
fn combinations<'g>(given: impl Iterator<Item = &'g Given>) -> Vec<BTreeMap<String, Value>> {
    let mut all = vec![BTreeMap::new()];
    for Given { leaf, values, is_bool, .. } in given {
        let with = |before: &BTreeMap<String, Value>| {
            let value = |v: i128| if *is_bool { Value::Bool(v != 0) } else { Value::Int(v) };
            let before = before.clone();
            let each = values.iter().map(move |v| {
                let mut one = before.clone();
                one.insert(leaf.clone(), value(*v));
                one
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// Runs the cycle. Returns whether the claim is violated at its end, and the memory; `None` if a fault ends the run.
fn end_of_cycle(machine: &mut Machine<'_>, claim: &Claim, before: bool) -> Option<(bool, bool)> {
    let truth = |machine: &mut Machine<'_>, e: &Expr| machine.eval(e).unwrap() == Value::Bool(true);
    let started = if let Claim::DuringCycle { at_start, .. } = claim { truth(machine, at_start) } else { false };
    machine.run(&mut Silent).ok()?;
    Some(if let Claim::Invariant(e) = claim {
        (!truth(machine, e), false)
    } else if let Claim::Forbidden(e) = claim {
        (truth(machine, e), false)
    } else if let Claim::Implication { when, then } = claim {
        (truth(machine, when) && !truth(machine, then), false)
    } else if let Claim::DuringCycle { then, .. } = claim {
        (started && !truth(machine, then), false)
    } else if let Claim::BetweenCycles { after, when, then } = claim {
        (before && truth(machine, when) && !truth(machine, then), truth(machine, after))
    } else {
        unreachable!("not generated: {claim:?}")
    })
}

/// Returns every engine with its defaults, and configurations that ask other questions.
fn configurations() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    // An engine without proofs needs a bound.
    let end = |name: &str| match name {
        "bmc" => vec![("k", "30")],
        "random" => vec![("runs", "3")],
        _ => vec![],
    };
    let mut all: Vec<_> = ENGINES.iter().map(|info| (info.name, end(info.name))).collect();
    let k = ("k", "30");
    all.extend([
        ("bmc", vec![("step", "double"), k]),
        ("bmc", vec![("forward", "simple"), k]),
        ("k-induction", vec![("auxiliary", "off"), ("paths", "simple"), k]),
        ("k-induction", vec![("auxiliary", "continuous"), k]),
        ("kiki", vec![("domain", "intervals"), ("guards", "places"), k]),
        ("kiki", vec![("mode", "ai")]),
        ("kiki", vec![("mode", "kinduction"), k]),
        ("pdr", vec![("level", "words")]),
        ("cegar", vec![("domain", "EXPL"), ("maxenum", "50")]),
        ("cegar", vec![("domain", "PRED_CART")]),
        ("cegar", vec![("domain", "PRED_SPLIT")]),
        ("cegar", vec![("domain", "PRED_BOOL")]),
        ("cegar", vec![("domain", "EXPL_PRED_BOOL")]),
        ("bam", vec![("domain", "EXPL"), ("maxenum", "50")]),
    ]);
    all
}

/// Answers of one configuration over all programs.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    asked: u32,
    safe: u32,
    broken: u32,
    /// Answers whose certificate was written and accepted.
    certificates: u32,
    time: Duration,
}

/// Answer of an engine.
enum Shown {
    Proof(Proof),
    Run(Vec<CycleInputs>),
}

/// Answers for each certificate that is written.
const SHARE: u64 = 8;

struct Question<'a> {
    tiny: &'a Tiny,
    stated: &'a Stated,
    model: &'a Model,
    instrumented: &'a Instrumented,
    truth: Truth,
}

/// Checks that the independent checker accepts the certificate of an answer.
fn recheck(question: &Question<'_>, shown: Shown) {
    let Question { tiny, stated: program, model, instrumented: Instrumented { pool, cfa, .. }, .. } = question;
    let identity = Identity {
        program: program_digest([tiny.program.as_str()].into_iter()),
        requirement: "R1".to_owned(),
        means: tiny.requirement.clone(),
        settings: Vec::new(),
        is_possibility: false,
        conditions: Vec::new(),
    };
    let (text, answer) = match shown {
        Shown::Proof(proof) => {
            let text = stated(pool, cfa, &proof).and_then(|stated| whole(&identity, pool, cfa, &stated, &[])).unwrap();
            let answer = certificate::check_proof(&text, &identity, pool, cfa, Asked::Cvc5, &Interrupt::default());
            (text, answer)
        }
        Shown::Run(cycles) => {
            let cycles = cycles.iter().map(InputCycle::of).collect();
            let text = serde_json::to_string(&Violation::new(&identity, &[], cycles)).unwrap();
            let ns = |ms: u32| i64::from(ms) * 1_000_000;
            let dt_ns = (ns(model.options.dt_min_ms), ns(model.options.dt_max_ms));
            (
                text.clone(),
                check_violation(
                    &Violation::read(&text).unwrap(),
                    &identity,
                    &Case::of(&program.loaded, &program.assumptions, &program.claims[0]),
                    dt_ns,
                ),
            )
        }
    };
    assert!(matches!(answer, Answer::Certified(_)), "{}\n{}\n{answer:?}\n{text}", tiny.program, tiny.requirement);
}

fn ask(
    question: &Question<'_>,
    (engine, given): &(&'static str, Vec<(&'static str, &'static str)>),
    tally: &mut Tally,
) -> Option<Shown> {
    let Question { tiny, stated, model, instrumented, truth } = question;
    let named = || format!("{engine} {given:?}\n{}\n{}", tiny.program, tiny.requirement);
    let options: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let info = ENGINES.iter().find(|info| info.name == *engine).unwrap();
    let start = Instant::now();
    let reduced = reduce(&instrumented.pool, &instrumented.cfa, encoding::wanted(info, &options).unwrap());
    let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
    let within = Interrupt { deadline: Some(start + Duration::from_secs(2)), ..Interrupt::default() };
    let answer = configure(ENGINES, engine, &options, &solvers)
        .unwrap_or_else(|e| panic!("{e}"))
        .run(&mut Ctx::new(reduced.pool, within, &|_| {}), &reduced.cfa);
    tally.time += start.elapsed();
    tally.asked += 1;
    match answer {
        Ok(Verdict::Safe(proof)) => {
            assert_eq!(*truth, Truth::Safe, "{}", named());
            let proof = lift_proof(&reduced.lift, proof);
            let checked = check_proof(&instrumented.pool, &instrumented.cfa, &proof, &Interrupt::default());
            if matches!(&checked, Err(Rejected::Refuted(obligation)) if obligation.name == "end") {
                // More decides the future of the unreduced program: too weak, and not wrong.
                return None;
            }
            assert!(checked.is_ok(), "{}\n{checked:?}", named());
            tally.safe += 1;
            Some(Shown::Proof(proof))
        }
        Ok(Verdict::Unsafe(trace)) => {
            let case: Case<'_> = Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]);
            let mut cycles = inputs(&stated.loaded.project, &model.leaves, model.dt, 100, &trace);
            let replayed = case.replay(&cycles);
            let Replayed::Violated { cycle, .. } = replayed else { panic!("{}\n{replayed:?}", named()) };
            let Truth::Unsafe(shortest) = *truth else { panic!("{}\nviolated in {cycle}", named()) };
            assert!(shortest <= cycle + 1, "{}\n{shortest} {cycle}", named());
            // With loops inside of the cycle they find the violation of fewest steps, which need not have fewest cycles.
            let by_cycles = !["WHILE", "REPEAT"].iter().any(|word| tiny.program.contains(word));
            if by_cycles && matches!(*engine, "bmc" | "k-induction" | "kiki") && given.iter().all(|(name, _)| *name != "mode") {
                assert_eq!(shortest, cycle + 1, "{}", named());
            }
            tally.broken += 1;
            cycles.truncate(cycle + 1);
            Some(Shown::Run(cycles))
        }
        Ok(Verdict::Unknown(_)) | Err(kernel::context::Stop::Reason(_)) => None,
        Err(kernel::context::Stop::Solver(e)) => panic!("{}\n{e}", named()),
    }
}

/// Checks one program, if its states could be visited, with every engine's defaults and one other configuration.
fn check(seed: u64, all: &[(&'static str, Vec<(&'static str, &'static str)>)], tallies: &Mutex<Vec<Tally>>) -> Truth {
    let plain = |tiny: Tiny| {
        let input = |leaf: &String| Given { leaf: leaf.clone(), values: vec![0, 1], is_bool: true, moment: Moment::EveryCycle };
        Surrounded { given: tiny.inputs.iter().map(input).collect(), rows: String::new(), tiny }
    };
    let Surrounded { mut tiny, rows, given } = if seed.is_multiple_of(2) { plain(tiny(seed)) } else { surrounded(seed) };
    let stated = Stated::new(&tiny.program, &format!("{rows}requirements: [{}]", tiny.requirement));
    tiny.requirement = format!("{rows}{}", tiny.requirement);
    let truth = explore(&stated, &given);
    if truth == Truth::Large {
        return truth;
    }
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{}", tiny.program));
    let instrumented =
        instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap_or_else(|e| panic!("{e}"));
    let question = Question { tiny: &tiny, stated: &stated, model: &model, instrumented: &instrumented, truth };
    let other = ENGINES.len() + seed as usize % (all.len() - ENGINES.len());
    for i in (0..ENGINES.len()).chain([other]) {
        let mut tally = Tally::default();
        let shown = ask(&question, &all[i], &mut tally);
        if let Some(shown) = shown.filter(|_| (seed + i as u64).is_multiple_of(SHARE)) {
            recheck(&question, shown);
            tally.certificates += 1;
        }
        let sum = &mut tallies.lock().unwrap()[i];
        sum.asked += tally.asked;
        sum.safe += tally.safe;
        sum.broken += tally.broken;
        sum.certificates += tally.certificates;
        sum.time += tally.time;
    }
    truth
}

#[test]
fn every_engine_agrees_with_the_states_of_random_programs() {
    let wanted: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let all = configurations();
    let tallies = Mutex::new(vec![Tally::default(); all.len()]);
    let (seed, n_safe, n_broken, n_large) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let work = || {
                while n_safe.load(Ordering::Relaxed) + n_broken.load(Ordering::Relaxed) < wanted {
                    let n = match check(seed.fetch_add(1, Ordering::Relaxed), &all, &tallies) {
                        Truth::Safe => &n_safe,
                        Truth::Unsafe(_) => &n_broken,
                        Truth::Large => &n_large,
                    };
                    n.fetch_add(1, Ordering::Relaxed);
                }
            };
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).unwrap();
        }
    });
    let (n_safe, n_broken) = (n_safe.into_inner(), n_broken.into_inner());
    // With `--nocapture`: the table of the documentation.
    eprintln!("{n_safe} safe, {n_broken} can be broken, {} left out as too large; {:?}", n_large.into_inner(), start.elapsed());
    let tallies = tallies.into_inner().unwrap();
    let n_certificates: u32 = tallies.iter().map(|tally| tally.certificates).sum();
    eprintln!("certificates: {n_certificates} of {n_certificates} accepted");
    for ((engine, given), tally) in all.iter().zip(tallies) {
        let options: Vec<String> = given.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let ms = tally.time.as_secs_f64() * 1_000.0 / f64::from(tally.asked.max(1));
        let Tally { asked, safe, broken, .. } = tally;
        eprintln!(
            "{engine:<12} {:<40} asked {asked:>6}  proved {safe:>6}  broken {broken:>6}  {ms:>7.1} ms each",
            options.join(" ")
        );
    }
    // The law is not empty.
    assert!(wanted < 20 || (n_safe * 10 > wanted && n_broken * 10 > wanted), "{n_safe} {n_broken}");
    assert!(wanted < 20 || 0 < n_certificates);
}
