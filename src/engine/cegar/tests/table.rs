//! The automata of known answer.

use super::execute::replays;
use super::{CegarOptions, DomainChoice, configurations, run, up_to};
use crate::cfa::pass::{Encoding, reduce};
use crate::cfa::{LocKind, Op};
use crate::domain::{MaxEnum, PredKind};
use crate::engine::examples::{self, Answer, Builder, Example};
use crate::expr::{BvBin, Sort, Value};
use crate::smt::Interrupt;
use crate::verdict::inductive::check_proof;
use crate::verdict::lift::lift_proof;
use crate::verdict::{Reason, Verdict};

/// JAR 2020, Fig. 4: `x` is arbitrary, `low < x` and `x < high` are assumed, then `x = bad` is an error.
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

/// JAR 2020, Fig. 5a: branches one after another on inputs, none of which matters.
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

/// JAR 2020, Fig. 1: `x := 1; i := 0; WHILE i < 100 { i := i + 1 }; assert x <= 1`, here with 10 rounds.
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

/// A first loop counts up what a second counts down.
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

/// The error location has no edge at all.
fn no_way() -> Example {
    let mut b = Builder::new();
    b.var("x", Value::Bool(false));
    b.edge(b.cfa.head, b.cfa.head, Op::Skip);
    Example { name: "no way", pool: b.pool, cfa: b.cfa, answer: Answer::Safe }
}

/// The sum of two inputs that are compared only with each other.
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

/// Checks an answer against what is known. The certificate's check is slow: some configurations must do.
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

#[test]
fn every_configuration_gives_the_known_answer_or_none_on_single_edges() {
    for (i, example) in all().into_iter().enumerate() {
        for (j, (name, (options, decides))) in configurations().into_iter().enumerate() {
            // Each example meets a seventh of the configurations, each configuration a seventh of the examples.
            if (i + j).is_multiple_of(7) {
                let t0=std::time::Instant::now(); let _ = run(options, &example.pool, &example.cfa).unwrap();
                if t0.elapsed().as_millis()>300 { eprintln!("SLOW {:?} {} {:?} {name}", t0.elapsed(), example.name, example.answer); }
                let case = format!("{} {:?} {name}", example.name, example.answer);
                check(&case, &example, decides, run(options, &example.pool, &example.cfa).unwrap(), (i + j) % 28 == 0);
            }
        }
    }
}

#[test]
fn every_configuration_gives_the_known_answer_or_none_on_large_blocks() {
    let mut all = all();
    all.push(examples::saturating(30, 20));
    all.push(examples::saturating(20, 30));
    for (i, example) in all.into_iter().enumerate() {
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        for (j, (name, (options, decides))) in configurations().into_iter().enumerate() {
            if !(i + j).is_multiple_of(7) {
                continue;
            }
                let t0=std::time::Instant::now(); let _ = run(options, &reduced.pool, &reduced.cfa).unwrap();
                if t0.elapsed().as_millis()>300 { eprintln!("SLOW LBE {:?} {} {:?} {name}", t0.elapsed(), example.name, example.answer); }

            let case = format!("{} {:?} {name}", example.name, example.answer);
            let answer = match run(options, &reduced.pool, &reduced.cfa).unwrap() {
                Verdict::Safe(proof) => Verdict::Safe(lift_proof(&reduced.lift, proof)),
                other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => other,
            };
            check(&case, &example, decides, answer, (i + j) % 28 == 0);
        }
    }
}

/// JAR 2020, Fig. 4 as it stands: an arbitrary `x`, one assumption, and `x = 0` is an error.
fn fig4_as_printed(left: bool) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(16, 0));
    let l = b.then(b.cfa.head, Op::Havoc(x));
    let zero = b.is(x, 0);
    let nonzero = b.pool.not(zero);
    let (above, below) = (b.less(x, 1), b.less(x, 5));
    let above = b.pool.not(above);
    let between = b.pool.and(above, below);
    let l = b.then(l, Op::Assume(if left { between } else { nonzero }));
    b.close(l, zero);
    Example { name: "fig. 4", pool: b.pool, cfa: b.cfa, answer: Answer::Safe }
}

#[test]
fn enumeration_decides_fig_4_if_and_only_if_the_limit_allows_all_values() {
    for (left, max_enum, decided) in [
        (true, MaxEnum::NoSolver, false),
        (true, up_to(1), false),
        (true, up_to(3), false),
        (true, up_to(4), true),
        (true, up_to(5), true),
        (true, MaxEnum::Unlimited, true),
        (false, MaxEnum::NoSolver, false),
        (false, up_to(5), false),
        (false, up_to(50), false),
    ] {
        let example = fig4_as_printed(left);
        let options = CegarOptions { domain: DomainChoice::Expl { max_enum }, ..CegarOptions::default() };
        match run(options, &example.pool, &example.cfa).unwrap() {
            Verdict::Safe(_) => assert!(decided, "{left} {max_enum:?}"),
            Verdict::Unknown(Reason::NoProgress) => assert!(!decided, "{left} {max_enum:?}"),
            other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => unreachable!("{left} {max_enum:?}: {other:?}"),
        }
    }
    // Predicates need no values.
    let options = CegarOptions { domain: DomainChoice::Pred(PredKind::Bool), ..CegarOptions::default() };
    let example = fig4_as_printed(false);
    assert!(matches!(run(options, &example.pool, &example.cfa), Ok(Verdict::Safe(_))));
}
