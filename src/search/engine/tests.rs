//! Every engine on every example: none contradicts the known answer, every answer is certified, and a failing solver never leads
//! to a wrong certified answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use answer::certify::check_proof;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{LocId, Op};
use kernel::context::{MakeSolver, exchange};
use kernel::expr::{Value, VarId};
use kernel::smt::Interrupt;
use kernel::smt::{BitBlaster, Solver};
use kernel::verdict::lift_proof;
use kernel::verdict::{Argument, Paths, Proof, Reason, Trace};
use testgen::automata::examples::{Answer, Example, all, by_name};
use testgen::automata::faulty::{Fault, When, faulty};

mod blocks;
mod bounded;
mod claims;
mod continuous;
mod random;
mod side_by_side;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

fn options(given: &[(&str, &str)]) -> BTreeMap<String, String> {
    given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

fn within(seconds: u64) -> Interrupt {
    Interrupt { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Interrupt::default() }
}

fn run(example: &Example, engine: &str, given: &[(&str, &str)], solvers: &MakeSolver) -> Result<Verdict, Stop> {
    run_within(example, engine, given, solvers, Duration::from_secs(60))
}

fn run_within(
    example: &Example,
    engine: &str,
    given: &[(&str, &str)],
    solvers: &MakeSolver,
    time: Duration,
) -> Result<Verdict, Stop> {
    let mut engine = configure(ENGINES, engine, &options(given), solvers).unwrap();
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let interrupt = Interrupt { deadline: Some(Instant::now() + time), ..Interrupt::default() };
    let mut cx = Ctx::new(reduced.pool, interrupt, &|_| {});
    Ok(match engine.run(&mut cx, &reduced.cfa)? {
        Verdict::Safe(proof) => Verdict::Safe(lift_proof(&reduced.lift, proof)),
        other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => other,
    })
}

type State = BTreeMap<VarId, Value>;

/// Runs the example on concrete values, edge by edge. If several edges are feasible, all are tried.
fn reaches_error(example: &Example, trace: &Trace) -> bool {
    let (pool, cfa) = (&example.pool, &example.cfa);
    let mut start: State = cfa.vars.iter().map(|var| (*var, Value::zero(pool.var_decl(*var).sort))).collect();
    if let Some(first) = trace.cycles.first() {
        start.extend(first.iter().map(|(var, value)| (*var, *value)));
    }
    start.extend(cfa.initial.iter().map(|(var, value)| (*var, *value)));
    let mut at_head = explore(example, (cfa.init, start), &State::new());
    for (i, cycle) in trace.cycles.iter().enumerate() {
        let mut next = Vec::new();
        for state in at_head.drain(..) {
            for (loc, state) in explore(example, state, cycle).into_iter() {
                if loc == cfa.error {
                    return i + 1 == trace.cycles.len();
                }
                next.push((loc, state));
            }
        }
        at_head = next;
    }
    false
}

/// Returns the ends of the cycle that starts here: at the head or at the error location.
fn explore(example: &Example, start: (LocId, State), cycle: &State) -> Vec<(LocId, State)> {
    let (pool, cfa) = (&example.pool, &example.cfa);
    let mut ends = Vec::new();
    let mut todo = vec![start];
    while let Some((loc, state)) = todo.pop() {
        for (_, edge) in cfa.outgoing(loc) {
            let mut after = state.clone();
            let value = |e| pool.eval(e, &|var| state.get(&var).copied());
            match &edge.op {
                Op::Skip => {}
                Op::Assume(e) if value(*e) == Some(Value::Bool(true)) => {}
                Op::Assume(_) => continue,
                Op::Assign(var, e) => {
                    after.insert(*var, value(*e).unwrap());
                }
                Op::Havoc(var) => {
                    after.insert(*var, cycle.get(var).copied().unwrap_or(Value::zero(pool.var_decl(*var).sort)));
                }
                Op::Block(_) => unreachable!("examples are single edges"),
            }
            if edge.target == cfa.head || edge.target == cfa.error {
                ends.push((edge.target, after));
            } else {
                todo.push((edge.target, after));
            }
        }
    }
    ends
}

/// Returns the certified claim of an answer.
fn certified(example: &Example, answer: Result<Verdict, Stop>) -> Option<Answer> {
    match answer {
        Ok(Verdict::Safe(proof)) => check_proof(&example.pool, &example.cfa, &proof, &within(60)).is_ok().then_some(Answer::Safe),
        Ok(Verdict::Unsafe(trace)) => reaches_error(example, &trace).then_some(Answer::Unsafe(trace.cycles.len())),
        Ok(Verdict::Unknown(_)) | Err(_) => None,
    }
}

type Configuration = (&'static str, &'static [(&'static str, &'static str)]);

const CONFIGURATIONS: &[Configuration] = &[
    ("bmc", &[("k", "12")]),
    ("bmc", &[("k", "40"), ("step", "double"), ("forward", "off")]),
    ("k-induction", &[]),
    ("k-induction", &[("auxiliary", "off"), ("k", "30")]),
    ("k-induction", &[("auxiliary", "off"), ("paths", "simple"), ("k", "30")]),
    ("k-induction", &[("auxiliary", "continuous"), ("k", "30")]),
    ("kiki", &[]),
];

#[test]
fn engines_agree_with_the_known_answer() {
    for (engine, given) in CONFIGURATIONS.iter().copied() {
        for example in all() {
            let name = format!("{engine} {given:?} on {}", example.name);
            let answer = run(&example, engine, given, &solvers());
            let decided = match &answer {
                Ok(Verdict::Safe(_) | Verdict::Unsafe(_)) => true,
                Ok(Verdict::Unknown(Reason::Bound)) => false,
                other => unreachable!("{name}: {other:?}"),
            };
            let must = match engine {
                // It also proves systems with few states.
                "bmc" => example.answer != Answer::Safe,
                _ => given.is_empty() || example.answer != Answer::Safe,
            };
            assert!(decided || !must, "{name}: {answer:?}");
            if decided {
                assert_eq!(certified(&example, answer), Some(example.answer), "{name}");
            }
        }
    }
}

/// Returns every engine, with bounds so that it ends even if solvers lie, and configurations that ask other questions.
fn for_faults() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let ends = [("k", "4"), ("runs", "1")];
    let end = |info: &EngineInfo| ends.into_iter().filter(|(name, _)| info.options.iter().any(|o| o.name == *name)).collect();
    let mut all: Vec<_> = ENGINES.iter().map(|info| (info.name, end(info))).collect();
    all.extend(CONFIGURATIONS.iter().map(|(engine, given)| {
        let other = given.iter().copied().filter(|(name, _)| *name != "k");
        (*engine, other.chain([("k", "4")]).collect())
    }));
    all.push(("kiki", vec![("mode", "ai")]));
    all.push(("pdr", vec![("level", "words")]));
    for domain in ["EXPL", "PRED_CART", "PRED_BOOL"] {
        all.push(("cegar", vec![("domain", domain)]));
    }
    all.sort();
    all.dedup();
    all
}

#[test]
fn no_failure_of_a_solver_becomes_a_wrong_certified_answer() {
    use Fault::{Fails, ForgetsCores, GivesUp, Invents, Lies, RunsOut, SaysSat, SaysUnsat};
    let mut n_certified = 0;
    for fault in [GivesUp, RunsOut, Fails, Lies, SaysSat, SaysUnsat, Invents, ForgetsCores] {
        for when in [When::OneIn(3, 7919), When::From(2)] {
            for (engine, given) in for_faults() {
                for example in all() {
                    let solvers = faulty(solvers(), fault, when);
                    let given: Vec<(&str, &str)> = given.clone();
                    // A lie may send an engine into an endless loop.
                    let answer = run_within(&example, engine, &given, &solvers, Duration::from_millis(40));
                    if let Some(answer) = certified(&example, answer) {
                        let right = match (answer, example.answer) {
                            (Answer::Safe, Answer::Safe) => true,
                            // After a lie, a counterexample may be real and not the shortest.
                            (Answer::Unsafe(found), Answer::Unsafe(shortest)) => shortest <= found,
                            (Answer::Safe, Answer::Unsafe(_)) | (Answer::Unsafe(_), Answer::Safe) => false,
                        };
                        assert!(right, "{engine} {given:?} on {}: {fault:?} {when:?} gave {answer:?}", example.name);
                        n_certified += 1;
                    }
                }
            }
        }
    }
    // The table is not all failures.
    assert!(100 < n_certified, "{n_certified}");
}

#[test]
fn mutilated_proofs_are_rejected() {
    let example = by_name("wrapping", true);
    let Ok(Verdict::Safe(proof)) = run(&example, "k-induction", &[], &solvers()) else { unreachable!() };
    let Argument::Inductive(map) = &proof.argument else { unreachable!("{:?}", proof.argument) };
    let invariant = map[&example.cfa.head];
    let mut conjuncts = Vec::new();
    let mut open = vec![invariant];
    while let Some(e) = open.pop() {
        if let kernel::expr::Expr::And(a, b) = proof.pool.expr(e) {
            open.extend([a, b]);
        } else {
            conjuncts.push(e);
        }
    }
    let check = |pool: &ExprPool, invariant| {
        let argument = Argument::Inductive(BTreeMap::from([(example.cfa.head, invariant)]));
        check_proof(&example.pool, &example.cfa, &Proof { pool: pool.clone(), argument }, &within(60)).is_ok()
    };
    assert!(check(&proof.pool, invariant));
    // The engine leaves only needed conjuncts: none can be left out, and none can be negated.
    for dropped in 0..conjuncts.len() {
        let mut pool = proof.pool.clone();
        let rest: Vec<_> = conjuncts.iter().copied().enumerate().filter(|(i, _)| *i != dropped).map(|(_, e)| e).collect();
        let weaker = pool.and_all(rest.clone());
        assert!(!check(&pool, weaker), "without {}", pool.show(conjuncts[dropped]));
        let not = pool.not(conjuncts[dropped]);
        let other = pool.and(weaker, not);
        assert!(!check(&pool, other), "with not {}", pool.show(conjuncts[dropped]));
    }
}

#[test]
fn options_are_checked_in_one_sentence() {
    let check = |engine: &str, given: &[(&str, &str)], expected: Result<(), &str>| {
        let result = configure(ENGINES, engine, &options(given), &solvers()).map(|_| ());
        assert_eq!(result, expected.map_err(str::to_owned), "{engine} {given:?}");
    };
    check("bmc", &[], Ok(()));
    check("bmc", &[("k", "20")], Ok(()));
    check("bmc", &[("k", "none")], Ok(()));
    check("bmc", &[("k", "0")], Err("option `k` cannot be `0`: it is a whole number from 1 to 1000000, or none"));
    check("bmc", &[("k", "-3")], Err("option `k` cannot be `-3`: it is a whole number from 1 to 1000000, or none"));
    check("bmc", &[("k", "1e9")], Err("option `k` cannot be `1e9`: it is a whole number from 1 to 1000000, or none"));
    check("bmc", &[("depth", "3")], Err("engine `bmc` has no option `depth`; its options: `k`, `step`, `forward`"));
    check("k-induction", &[("auxiliary", "on")], Err("option `auxiliary` cannot be `on`: it is one of houdini, continuous, off"));
    let names: Vec<String> = ENGINES.iter().map(|info| format!("`{}`", info.name)).collect();
    check("bcm", &[], Err(&format!("there is no engine `bcm`; the engines: {}", names.join(", "))));
    for info in ENGINES {
        check(info.name, &[], Ok(()));
        assert!(info.options.iter().all(|option| !option.help.is_empty()) && !info.source.is_empty());
    }
}

#[test]
fn k_induction_goes_on_where_it_was_stopped() {
    let example = by_name("wrapping", true);
    let mut engine = configure(ENGINES, "k-induction", &options(&[("auxiliary", "off")]), &solvers()).unwrap();
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    for _ in 0..3 {
        cx.interrupt = Interrupt { deadline: Some(Instant::now()), ..cx.interrupt };
        assert!(matches!(engine.run(&mut cx, &reduced.cfa), Err(Stop::Reason(Reason::Cancelled))));
    }
    let n_vars = cx.pool.n_vars();
    cx.interrupt.deadline = None;
    assert!(matches!(engine.run(&mut cx, &reduced.cfa), Ok(Verdict::Safe(_))));
    // The system was not built again.
    assert_eq!(n_vars, cx.pool.n_vars());
}

/// Returns an example: `c` counts from 0 to 4 and wraps. 6 is never reached and stays; an input leads from it to 7, which is bad.
fn stuttering() -> Example {
    let mut b = testgen::automata::examples::Builder::new();
    let (go, c) = (b.var("go", Value::Bool(false)), b.var("c", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, at_top, at_six) = (b.v(go), b.is(c, 4), b.is(c, 6));
    let (zero, seven, more) = (b.n(16, 0), b.n(16, 7), b.plus(c, 1));
    let low = b.less(c, 4);
    let fall = b.pool.and(at_six, go_e);
    let end = b.loc(kernel::cfa::LocKind::Inner);
    let other = b.pool.or_all([low, at_top, fall]);
    let other = b.pool.not(other);
    for (cond, op) in [(low, Op::Assign(c, more)), (at_top, Op::Assign(c, zero)), (fall, Op::Assign(c, seven)), (other, Op::Skip)]
    {
        let way = b.then(l, Op::Assume(cond));
        b.edge(way, end, op);
    }
    let bad = b.is(c, 7);
    b.close(end, bad);
    Example { name: "stuttering", pool: b.pool, cfa: b.cfa, answer: Answer::Safe }
}

#[test]
fn simple_paths_decide_what_any_path_does_not() {
    let example = stuttering();
    let with = |paths| {
        let given = [("auxiliary", "off"), ("k", "8"), ("paths", paths)];
        run(&example, "k-induction", &given, &solvers())
    };
    assert!(matches!(with("any"), Ok(Verdict::Unknown(Reason::Bound))));
    let simple = with("simple");
    let Ok(Verdict::Safe(proof)) = &simple else { unreachable!("{simple:?}") };
    let Argument::KInductive { k, invariants, support, paths: Paths::Simple } = &proof.argument else { unreachable!() };
    let (k, invariants, support) = (*k, invariants.clone(), *support);
    assert_eq!(certified(&example, simple.clone()), Some(Answer::Safe));
    // Without its condition the proof fails.
    let argument = Argument::KInductive { k, invariants, support, paths: Paths::Any };
    let stronger = Verdict::Safe(Proof { pool: proof.pool.clone(), argument });
    assert_eq!(certified(&example, Ok(stronger)), None);
    // The condition proves nothing about an automaton with a violation.
    for broken in all().into_iter().filter(|example| example.answer != Answer::Safe) {
        for k in 1..6 {
            let mut pool = broken.pool.clone();
            let invariants = BTreeMap::from([(broken.cfa.head, pool.bool(true))]);
            let argument = Argument::KInductive { k, invariants, support, paths: Paths::Simple };
            assert_eq!(certified(&broken, Ok(Verdict::Safe(Proof { pool, argument }))), None, "{} {k}", broken.name);
        }
    }
}

#[test]
fn facts_of_others_come_in_while_k_grows() {
    let example = by_name("wrapping", true);
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let board = Arc::new(exchange::Board::new(&reduced.pool));
    let mut pool = reduced.pool.clone();
    let c = pool.var(example.cfa.vars[0]);
    let five = pool.constant(Value::int(16, 5));
    let low = pool.bv_cmp(kernel::expr::BvCmp::Ult, c, five);
    let facts = BTreeMap::from([(example.cfa.locs[example.cfa.head].origin, vec![low])]);
    assert!(board.publish(&pool, "test", &facts));
    for engine in ["k-induction", "kiki"] {
        let mut engine = configure(ENGINES, engine, &options(&[("k", "1")]), &solvers()).unwrap();
        let mut cx = Ctx { board: board.clone(), ..Ctx::new(reduced.pool.clone(), within(60), &|_| {}) };
        let answer = engine.run(&mut cx, &reduced.cfa);
        let Ok(Verdict::Safe(proof)) = answer else { unreachable!("{answer:?}") };
        assert!(matches!(proof.argument, Argument::Inductive(_)));
        let proof = lift_proof(&reduced.lift, proof);
        assert!(check_proof(&example.pool, &example.cfa, &proof, &within(60)).is_ok());
    }
}
