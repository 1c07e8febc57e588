//! Partial claims: division, equality but for names, and proofs of all of them together.

use super::*;
use crate::engine::unroll::Unrolling;
use kernel::cfa::Op;
use kernel::cfa::pass::{Encoding, monolithic, reduce};
use kernel::context::default_solvers;
use kernel::expr::{BvBin, BvCmp, Sort, Value};
use kernel::rng::Rng;
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::examples::Builder;
use testgen::automata::execute::reachable;

/// Two counters of one input that count to a limit; the claim is that they are equal.
#[derive(Clone, Copy)]
struct Twins {
    width: u16,
    starts: [Option<i128>; 2],
    limits: [i128; 2],
    step: i128,
    /// The input is TRUE in all cycles.
    always: bool,
}

const TWINS: Twins = Twins { width: 8, starts: [Some(0), Some(0)], limits: [5, 5], step: 1, always: false };

/// Adds one pair; returns the negation of its claim.
fn add(b: &mut Builder, l: &mut kernel::cfa::LocId, twins: Twins) -> ExprId {
    let go = b.input("go", Sort::Bool);
    *l = b.then(*l, Op::Havoc(go));
    let go = b.v(go);
    if twins.always {
        *l = b.then(*l, Op::Assume(go));
    }
    let counters: Vec<VarId> = twins
        .starts
        .iter()
        .zip(twins.limits)
        .map(|(start, limit)| {
            let c = match start {
                Some(start) => b.var("c", Value::int(twins.width, *start)),
                None => b.input("c", Sort::BitVec(twins.width)),
            };
            let (low, more, was, zero) = (b.less(c, limit), b.plus(c, twins.step), b.v(c), b.n(twins.width, 0));
            let up = b.pool.ite(low, more, was);
            let next = b.pool.ite(go, up, zero);
            *l = b.then(*l, Op::Assign(c, next));
            c
        })
        .collect();
    let (c, d) = (b.v(counters[0]), b.v(counters[1]));
    b.pool.ne(c, d)
}

fn system_of(b: Builder) -> (Ctx<'static>, System) {
    let reduced = reduce(&b.pool, &b.cfa, Encoding::Lbe);
    let mut pool = reduced.pool;
    let system = monolithic(&mut pool, &reduced.cfa);
    (Ctx::new(pool, Interrupt::default(), &|_| {}), system)
}

fn all(pairs: &[Twins]) -> (Ctx<'static>, System) {
    let mut b = Builder::new();
    let mut l = b.cfa.head;
    let broken: Vec<ExprId> = pairs.iter().map(|twins| add(&mut b, &mut l, *twins)).collect();
    let bad = b.pool.or_all(broken);
    b.close(l, bad);
    system_of(b)
}

fn solvers_of(cx: &Ctx<'_>) -> MakeSolver {
    default_solvers()(&cx.pool, &Builder::new().cfa)
}

/// Returns the number of classes, and the proof of all claims.
fn proved(cx: &mut Ctx<'_>, system: &System) -> (usize, Option<Conjunction>) {
    let mut proofs = ClaimProofs::new(cx, system).unwrap().unwrap();
    let solvers = solvers_of(cx);
    (proofs.open.len(), proofs.prove_each(cx, &solvers).unwrap())
}

#[test]
fn equal_claims_are_proved_once_and_for_all() {
    let (mut cx, system) = all(&[TWINS; 30]);
    let (n_classes, proof) = proved(&mut cx, &system);
    let Conjunction { facts, k } = proof.unwrap();
    assert_eq!(n_classes, 1);
    // The whole system agrees.
    let solvers = solvers_of(&cx);
    assert!(houdini::is_inductive(&mut cx, &system, &solvers, &facts, 1).unwrap());
    let mut step = Unrolling::new(&solvers, &mut cx, &system, Start::Anywhere).unwrap();
    let invariant = houdini::conjunction(&mut cx.pool, &facts);
    for frame in 0..=k {
        step.assert(&cx.pool, invariant, frame).unwrap();
        if frame < k {
            step.step(&cx.pool, &system).unwrap();
        }
    }
    assert_eq!(step.check(&cx, &[(system.bad, k)]).unwrap(), Answer::No);
}

/// Each row differs from [`TWINS`] in one thing, so it is a claim of its own; most of them are violated.
#[test]
fn claims_that_differ_in_more_than_names_are_proved_apart() {
    let rows = [
        ("initial value", Twins { starts: [Some(0), Some(1)], ..TWINS }, false),
        ("arbitrary start", Twins { starts: [Some(0), None], ..TWINS }, false),
        ("transition", Twins { limits: [5, 6], ..TWINS }, false),
        ("step", Twins { step: 2, ..TWINS }, true),
        ("sort", Twins { width: 16, ..TWINS }, true),
        ("guard", Twins { always: true, ..TWINS }, true),
    ];
    for (name, other, holds) in rows {
        for pairs in [[TWINS, TWINS, other], [other, TWINS, TWINS], [TWINS, other, TWINS]] {
            let (mut cx, system) = all(&pairs);
            let (n_classes, proof) = proved(&mut cx, &system);
            assert_eq!((n_classes, proof.is_some()), (2, holds), "{name}");
        }
    }
}

/// A choice of operands, the same for all claims or not: `[a, b]` is the claim "never a < b" for inputs.
fn comparisons(inputs: usize, pairs: &[[usize; 2]]) -> Vec<usize> {
    let mut b = Builder::new();
    let mut l = b.cfa.head;
    let mut memories = Vec::new();
    for i in 0..inputs {
        let (input, memory) = (b.input(&format!("i{i}"), Sort::BitVec(8)), b.var(&format!("m{i}"), Value::int(8, 0)));
        l = b.then(l, Op::Havoc(input));
        let value = b.v(input);
        l = b.then(l, Op::Assign(memory, value));
        memories.push(memory);
    }
    let broken = pairs.iter().map(|[x, y]| {
        let (three, x, y) = (b.n(8, 3), b.v(memories[*x]), b.v(memories[*y]));
        let product = b.pool.bv(BvBin::Mul, x, three);
        b.pool.bv_cmp(BvCmp::Slt, product, y)
    });
    let broken: Vec<ExprId> = broken.collect();
    let (mut cx, system) = system_of({
        let bad = b.pool.or_all(broken);
        b.close(l, bad);
        b
    });
    // Inputs have no cone, so these claims would be one: each disjunct is described by itself.
    let goals = goals(&mut cx.pool, &system);
    let guard = cx.pool.bool(true);
    let systems = goals.into_iter().map(|bad| System { bad, guard, ..system.clone() }).collect();
    classes(&cx.pool, systems).iter().map(|class| 1 + class.names.len()).collect()
}

#[test]
fn a_renaming_is_a_bijection_and_keeps_shared_variables() {
    assert_eq!(comparisons(4, &[[0, 1], [2, 3]]), [2]);
    assert_eq!(comparisons(3, &[[0, 1], [2, 2]]), [1, 1], "two variables to one");
    assert_eq!(comparisons(3, &[[0, 0], [1, 2]]), [1, 1], "one variable to two");
    assert_eq!(comparisons(3, &[[0, 1], [0, 2]]), [2], "the shared one stays");
    assert_eq!(comparisons(3, &[[0, 1], [2, 0]]), [1, 1], "the shared one would be renamed");
}

#[test]
fn a_claim_that_holds_until_another_is_broken_proves_nothing_without_it() {
    // `late` stays FALSE until the counter is 100. All steps before the first violation are good, so this claim is proved; the claim
    // about the counter is broken.
    let mut b = Builder::new();
    let mut l = b.cfa.head;
    let (counter, late) = (b.var("counter", Value::int(8, 0)), b.var("late", Value::Bool(false)));
    let more = b.plus(counter, 1);
    l = b.then(l, Op::Assign(counter, more));
    let (was, is_beyond) = (b.v(late), b.is(counter, 101));
    let next = b.pool.or(was, is_beyond);
    l = b.then(l, Op::Assign(late, next));
    let (first, second) = (b.is(counter, 100), b.v(late));
    let bad = b.pool.or(first, second);
    b.close(l, bad);
    let (mut cx, system) = system_of(b);
    let mut proofs = ClaimProofs::new(&mut cx, &system).unwrap().unwrap();
    let solvers = solvers_of(&cx);
    let mut is_proved: Vec<bool> =
        proofs.open.iter().map(|class| prove_soon(&mut cx, &solvers, &class.claim).unwrap().is_some()).collect();
    is_proved.sort_unstable();
    assert_eq!(is_proved, [false, true]);
    assert!(proofs.prove_each(&mut cx, &solvers).unwrap().is_none());
}

/// Random pairs of small counters that read each other: proofs agree with explicit search, and are certified.
#[test]
fn proofs_of_random_claims_agree_with_explicit_search() {
    let mut rng = Rng(0x00c1_a135);
    let (mut n_proved, mut n_broken, mut n_equal) = (0, 0, 0);
    for round in 0..200 {
        let n_pairs = 2 + rng.below(2);
        let mut b = Builder::new();
        let mut l = b.cfa.head;
        let shapes: Vec<[usize; 5]> = (0..2).map(|_| std::array::from_fn(|_| rng.below(4))).collect();
        let time = b.input("time", Sort::Bool);
        l = b.then(l, Op::Havoc(time));
        let mut broken = Vec::new();
        for _ in 0..n_pairs {
            let [start, limit, step, kind, goal] = shapes[rng.below(2)];
            let c = b.var("c", Value::int(3, start as i128 / 2));
            let d = b.var("d", Value::int(3, 0));
            let (low, more, time, zero) = (b.less(c, limit as i128), b.plus(c, step as i128), b.v(time), b.n(3, 0));
            let (c_was, d_was) = (b.v(c), b.v(d));
            let up = b.pool.ite(low, more, if kind == 0 { d_was } else { zero });
            let next = if kind == 1 { up } else { b.pool.ite(time, up, c_was) };
            l = b.then(l, Op::Assign(c, next));
            let (c_now, same) = (b.v(c), if kind == 2 { d_was } else { c_was });
            let other = b.pool.ite(time, c_now, same);
            l = b.then(l, Op::Assign(d, other));
            let d_now = b.v(d);
            broken.push(match goal {
                0 => b.is(c, 3),
                1 => b.is(d, 2),
                2 => b.pool.ne(c_now, d_now),
                _ => b.pool.bv_cmp(BvCmp::Slt, c_now, d_now),
            });
        }
        let bad = b.pool.or_all(broken);
        b.close(l, bad);
        let is_safe = !reachable(&b.pool, &b.cfa).iter().any(|(loc, _)| *loc == b.cfa.error);
        n_broken += usize::from(!is_safe);
        let (pool, cfa) = (b.pool.clone(), b.cfa.clone());
        let (mut cx, system) = system_of(b);
        let Some(mut proofs) = ClaimProofs::new(&mut cx, &system).unwrap() else { continue };
        n_equal += proofs.open.iter().filter(|class| !class.names.is_empty()).count();
        let solvers = solvers_of(&cx);
        let Some(Conjunction { facts, k }) = proofs.prove_each(&mut cx, &solvers).unwrap() else { continue };
        assert!(is_safe, "round {round}");
        let invariant = houdini::conjunction(&mut cx.pool, &facts);
        let invariants = system.per_cut(&mut cx.pool, invariant);
        let argument = crate::engine::kinduction::with_k(k, invariants, kernel::verdict::Paths::Any);
        assert!(matches!(argument, Argument::Inductive(_) | Argument::KInductive { .. }));
        let proof = Proof { pool: cx.pool.clone(), argument };
        answer::certify::check_proof(&pool, &cfa, &proof, &Interrupt::default()).unwrap();
        n_proved += 1;
    }
    println!("{n_proved} proved, {n_equal} classes of several, {n_broken} broken");
    assert!(20 < n_proved && 20 < n_equal && 30 < n_broken, "{n_proved} {n_equal} {n_broken}");
}
