//! The automata of known answer.

use std::time::{Duration, Instant};
use testgen::automata::execute::replays;

use super::{Cegar, CegarOptions, configurations, named, solvers};
use crate::domain::MaxEnum;
use crate::engine::Engine;
use crate::refine::ItpSource;
use answer::certify::check_proof;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{Cfa, LocKind, Op};
use kernel::context::{Ctx, Stop};
use kernel::expr::{BvBin, ExprPool, Sort, Value};
use kernel::smt::Interrupt;
use kernel::verdict::lift_proof;
use kernel::verdict::{Reason, Verdict};
use testgen::automata::examples::{self, Answer, Builder, Example};

/// Returns JAR 2020, Fig. 4: `x` is arbitrary, `low < x` and `x < high` are assumed, then `x = bad` is an error.
fn fig4(low: i128, high: i128, bad: i128) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(8, 0));
    let l = b.then(b.cfa.head, Op::Havoc(x));
    let (above, below) = (b.less(x, low + 1), b.less(x, high));
    let above = b.pool.not(above);
    let l = b.then(l, Op::Assume(above));
    let l = b.then(l, Op::Assume(below));
    let is_bad = b.is(x, bad);
    b.close(l, is_bad);
    let answer = if low < bad && bad < high { Answer::Unsafe(1) } else { Answer::Safe };
    Example { name: "fig. 4", pool: b.pool, cfa: b.cfa, answer }
}

/// Returns JAR 2020, Fig. 5a: branches one after another on inputs, none of which matters.
fn fig5a(n: usize, safe: bool) -> Example {
    let mut b = Builder::new();
    let (p, x) = (b.var("p", Value::Bool(false)), b.var("x", Value::int(8, 0)));
    let (p_e, zero) = (b.v(p), b.n(8, 0));
    let mut l = b.cfa.head;
    for _ in 0..n {
        l = b.then(l, Op::Havoc(p));
        l = b.when(l, p_e, Op::Assign(x, zero));
    }
    let bad = if safe { b.is(x, 1) } else { b.is(x, 0) };
    b.close(l, bad);
    Example { name: "fig. 5a", pool: b.pool, cfa: b.cfa, answer: if safe { Answer::Safe } else { Answer::Unsafe(1) } }
}

/// Returns JAR 2020, Fig. 1: `x := 1; i := 0; WHILE i < 100 { i := i + 1 }; assert x <= 1`, here with 10 rounds.
fn fig1() -> Example {
    let mut b = Builder::new();
    let (x, i) = (b.var("x", Value::int(8, 0)), b.var("i", Value::int(8, 0)));
    let (one, zero) = (b.n(8, 1), b.n(8, 0));
    let l = b.then(b.cfa.head, Op::Assign(x, one));
    let head = b.loc(LocKind::LoopHead);
    b.edge(l, head, Op::Assign(i, zero));
    let (low, more) = (b.less(i, 10), b.plus(i, 1));
    let over = b.pool.not(low);
    let body = b.then(head, Op::Assume(low));
    b.edge(body, head, Op::Assign(i, more));
    let end = b.then(head, Op::Assume(over));
    let fine = b.less(x, 2);
    let bad = b.pool.not(fine);
    b.close(end, bad);
    Example { name: "fig. 1", pool: b.pool, cfa: b.cfa, answer: Answer::Safe }
}

/// Returns an example in which a first loop counts up and a second one down.
fn two_loops(safe: bool) -> Example {
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(4, 0)), b.var("y", Value::int(4, 0)));
    let zero = b.n(4, 0);
    let (up, down) = (b.loc(LocKind::LoopHead), b.loc(LocKind::LoopHead));
    let l = b.then(b.cfa.head, Op::Assign(x, zero));
    b.edge(l, up, Op::Assign(y, zero));
    let (low, x_more, y_more) = (b.less(x, 3), b.plus(x, 1), b.plus(y, 1));
    let over = b.pool.not(low);
    let l = b.then(up, Op::Assume(low));
    let l = b.then(l, Op::Assign(x, x_more));
    b.edge(l, up, Op::Assign(y, y_more));
    b.edge(up, down, Op::Assume(over));
    let (empty, x_less, y_less) = (b.is(x, 0), b.plus(x, -1), b.plus(y, -1));
    let more = b.pool.not(empty);
    let l = b.then(down, Op::Assume(more));
    let l = b.then(l, Op::Assign(x, x_less));
    b.edge(l, down, Op::Assign(y, y_less));
    let l = b.then(down, Op::Assume(empty));
    let y_zero = b.is(y, 0);
    let bad = if safe { b.pool.not(y_zero) } else { y_zero };
    b.close(l, bad);
    Example { name: "two loops", pool: b.pool, cfa: b.cfa, answer: if safe { Answer::Safe } else { Answer::Unsafe(1) } }
}

/// Returns an example whose error location has no edge at all.
fn no_way() -> Example {
    let mut b = Builder::new();
    b.var("x", Value::Bool(false));
    b.edge(b.cfa.head, b.cfa.head, Op::Skip);
    Example { name: "no way", pool: b.pool, cfa: b.cfa, answer: Answer::Safe }
}

/// Returns the sum of two inputs that are compared only with each other.
fn relation(safe: bool) -> Example {
    let mut b = Builder::new();
    let (x, y, s) = (b.input("x", Sort::BitVec(4)), b.input("y", Sort::BitVec(4)), b.var("s", Value::int(4, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(x));
    let l = b.then(l, Op::Havoc(y));
    let (ex, ey) = (b.v(x), b.v(y));
    let difference = b.pool.bv(BvBin::Sub, ex, ey);
    let equal = b.pool.eq(ex, ey);
    let l = b.then(l, Op::Assume(equal));
    let l = b.then(l, Op::Assign(s, difference));
    let zero = b.is(s, 0);
    let bad = if safe { b.pool.not(zero) } else { zero };
    b.close(l, bad);
    Example { name: "relation", pool: b.pool, cfa: b.cfa, answer: if safe { Answer::Safe } else { Answer::Unsafe(1) } }
}

fn all() -> Vec<Example> {
    let mut all = examples::all();
    all.extend([
        fig1(),
        fig4(0, 5, 0),
        fig4(0, 5, 3),
        fig5a(4, true),
        fig5a(4, false),
        two_loops(true),
        two_loops(false),
        no_way(),
        relation(true),
        relation(false),
    ]);
    all
}

/// Checks an answer against the known one. The certificate's check is slow: some configurations must do.
fn check(case: &str, example: &Example, decides: bool, answer: Verdict, certify: bool) {
    match (answer, example.answer) {
        (Verdict::Safe(_), Answer::Safe) if !certify => {}
        (Verdict::Safe(proof), Answer::Safe) => {
            if let Err(e) = check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default()) {
                unreachable!("{case}: {e:?}");
            }
        }
        (Verdict::Unsafe(trace), Answer::Unsafe(shortest)) => {
            assert!(shortest <= trace.cycles.len(), "{case}: {trace:?}");
            assert!(replays(&example.pool, &example.cfa, &trace, true), "{case}: {trace:?}");
        }
        (Verdict::Unknown(reason), _) => assert!(!decides && reason == Reason::NoProgress, "{case}: {reason:?}"),
        (verdict, _) => unreachable!("{case}: {verdict:?}"),
    }
}

/// Returns the answer; `None` if a depth-first search did not leave a loop in time, or a word has too many values to list.
fn in_time(options: CegarOptions, pool: &ExprPool, cfa: &Cfa) -> Option<Verdict> {
    let may_be_endless = options.search.depth < 0 || options.max_enum == MaxEnum::Unlimited;
    let seconds = if may_be_endless { 1 } else { 60 };
    let deadline = Some(Instant::now() + Duration::from_secs(seconds));
    let interrupt = Interrupt { deadline, ..Interrupt::default() };
    let mut cx = Ctx::new(pool.clone(), interrupt, &|_| {});
    match Cegar::new(options, solvers()).run(&mut cx, cfa) {
        Err(Stop::Reason(Reason::Cancelled)) if may_be_endless => None,
        result => Some(result.unwrap()),
    }
}

#[test]
fn every_configuration_gives_the_known_answer_or_none_on_single_edges() {
    for (i, example) in all().into_iter().enumerate() {
        for (j, (name, (options, decides))) in configurations().into_iter().enumerate() {
            // Each example meets a seventh of the configurations, each configuration a seventh of the examples.
            if (i + j).is_multiple_of(7) {
                let case = format!("{} {:?} {name}", example.name, example.answer);
                let Some(answer) = in_time(options, &example.pool, &example.cfa) else { continue };
                check(&case, &example, decides, answer, (i + j) % 28 == 0);
            }
        }
    }
}

#[test]
fn every_configuration_gives_the_known_answer_or_none_on_large_blocks() {
    let mut all = all();
    all.push(examples::saturating(12, 8));
    all.push(examples::saturating(8, 12));
    for (i, example) in all.into_iter().enumerate() {
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        for (j, (name, (options, decides))) in configurations().into_iter().enumerate() {
            if !(i + j).is_multiple_of(7) {
                continue;
            }
            let case = format!("{} {:?} {name}", example.name, example.answer);
            let answer = match in_time(options, &reduced.pool, &reduced.cfa) {
                Some(Verdict::Safe(proof)) => Verdict::Safe(lift_proof(&reduced.lift, proof)),
                Some(other @ (Verdict::Unsafe(_) | Verdict::Unknown(_))) => other,
                None => continue,
            };
            check(&case, &example, decides, answer, (i + j) % 28 == 0);
        }
    }
}

#[test]
fn interpolants_of_cvc5_do_as_well() {
    for name in ["saturating", "interlock", "inner loop"] {
        let example = examples::by_name(name, true);
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let options = CegarOptions { domain: named("PRED_BOOL"), itp_source: ItpSource::Cvc5, ..CegarOptions::default() };
        let answer = in_time(options, &reduced.pool, &reduced.cfa);
        assert!(matches!(answer, Some(Verdict::Safe(_))), "{name}: {answer:?}");
    }
}
