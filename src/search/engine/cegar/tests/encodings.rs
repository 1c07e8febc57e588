//! Single operations and large blocks, Cartesian and Boolean abstraction, on programs with and without a violation.
//!
//! Nodes, refinements and predicates are counted, since counts do not depend on the machine.
//!
//! Source: Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, "Software Model Checking via Large-Block Encoding", FMCAD 2009,
//! §IV, Tables II and III.

use super::{Cegar, CegarOptions, named, solvers};
use crate::arg::Search;
use crate::engine::Engine;
use kernel::cfa::Op;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::context::Ctx;
use kernel::expr::Value;
use kernel::smt::Interrupt;
use kernel::verdict::{Reason, Verdict};
use testgen::automata::examples::{Answer, Builder, Example};

/// Counts of one run: the columns of Table II.
#[derive(Debug)]
struct Counts {
    verdict: Verdict,
    /// Nodes of the last graph.
    n_nodes: usize,
    n_refinements: usize,
    n_predicates: usize,
}

fn count(example: &Example, encoding: Encoding, domain: &str) -> Counts {
    let reduced = reduce(&example.pool, &example.cfa, encoding);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let options = CegarOptions { domain: named(domain), search: Search::DFS, ..CegarOptions::default() };
    let mut engine = Cegar::new(options, solvers());
    let verdict = engine.run(&mut cx, &reduced.cfa).unwrap();
    let last = engine.timeline().last().unwrap();
    Counts { verdict, n_nodes: last.n_nodes, n_refinements: engine.timeline().len() - 1, n_predicates: last.n_tracked }
}

/// Returns `n` locks that inputs take and release in each cycle (Fig. 1); a taken lock holds a token, which is an input too. With
/// `bug`, taking the last lock stores another token.
fn locks(n: usize, bug: bool) -> Example {
    let mut b = Builder::new();
    let mut l = b.cfa.head;
    let mut all = Vec::new();
    for i in 0..n {
        let (p, x) = (b.var(&format!("p{i}"), Value::Bool(false)), b.var(&format!("x{i}"), Value::int(8, 0)));
        let (token, zero) = (b.var(&format!("token{i}"), Value::int(8, 0)), b.n(8, 0));
        l = b.then(l, Op::Havoc(p));
        l = b.then(l, Op::Havoc(token));
        l = b.then(l, Op::Assign(x, zero));
        all.push((p, x, token));
    }
    for (i, &(p, x, token)) in all.iter().enumerate() {
        let (taken, stored) = (b.v(p), if bug && i + 1 == n { b.plus(token, 1) } else { b.v(token) });
        l = b.when(l, taken, Op::Assign(x, stored));
    }
    for &(p, x, token) in &all {
        let (taken, x_e, token_e) = (b.v(p), b.v(x), b.v(token));
        let holds = b.pool.eq(x_e, token_e);
        let (free, lost) = (b.pool.not(taken), b.pool.not(holds));
        let (yes, join) = (b.then(l, Op::Assume(taken)), b.then(l, Op::Assume(free)));
        b.edge(yes, b.cfa.error, Op::Assume(lost));
        b.edge(yes, join, Op::Assume(holds));
        l = join;
    }
    b.edge(l, b.cfa.head, Op::Skip);
    Example { name: "locks", pool: b.pool, cfa: b.cfa, answer: if bug { Answer::Unsafe(1) } else { Answer::Safe } }
}

#[test]
fn large_blocks_need_four_nodes_and_nothing_else_for_safe_locks() {
    for n in [2, 5, 20] {
        let counts = count(&locks(n, false), Encoding::Lbe, "PRED_BOOL");
        assert!(matches!(counts.verdict, Verdict::Safe(_)), "{n}: {counts:?}");
        assert!(counts.n_nodes <= 4 && counts.n_refinements == 0 && counts.n_predicates == 0, "{n}: {counts:?}");
    }
}

#[test]
fn single_operations_grow_in_nodes_refinements_and_predicates() {
    let all: Vec<Counts> = (2..=6).map(|n| count(&locks(n, false), Encoding::Sbe, "PRED_CART")).collect();
    assert!(all.iter().all(|counts| matches!(counts.verdict, Verdict::Safe(_))), "{all:?}");
    // The paper's factor is 1.7 for each lock; here it is nearly 2.
    assert!(all.windows(2).all(|pair| 17 * pair[0].n_nodes <= 10 * pair[1].n_nodes), "{all:?}");
    // As in the paper, two predicates for each lock.
    let predicates: Vec<usize> = all.iter().map(|counts| counts.n_predicates).collect();
    assert_eq!(predicates, [4, 6, 8, 10, 12]);
    assert!(all.windows(2).all(|pair| pair[0].n_refinements < pair[1].n_refinements), "{all:?}");
}

#[test]
fn large_blocks_find_a_violation_with_constant_effort() {
    let small = count(&locks(2, true), Encoding::Sbe, "PRED_CART").n_nodes;
    for n in [5, 20] {
        let large = count(&locks(n, true), Encoding::Lbe, "PRED_BOOL");
        assert!(matches!(large.verdict, Verdict::Unsafe(_)), "{n}: {large:?}");
        assert!(large.n_nodes <= 4 && large.n_refinements == 0 && large.n_predicates == 0, "{n}: {large:?}");
        let single = count(&locks(n, true), Encoding::Sbe, "PRED_CART");
        assert!(matches!(single.verdict, Verdict::Unsafe(_)), "{n}: {single:?}");
        // Depth first, one lucky path is enough; it grows with the program all the same.
        assert!(small + 5 * (n - 2) <= single.n_nodes && 0 < single.n_refinements, "{n}: {single:?}");
    }
}

/// Returns two flags that are always equal: in each cycle an input sets or resets both. With `bug`, the second stays as it is.
fn twins(bug: bool) -> Example {
    let mut b = Builder::new();
    let (p, x, y) = (b.var("p", Value::Bool(false)), b.var("x", Value::Bool(false)), b.var("y", Value::Bool(false)));
    let (p_e, x_e, y_e) = (b.v(p), b.v(x), b.v(y));
    let (yes, no) = (b.pool.bool(true), b.pool.bool(false));
    let differ = b.pool.ne(x_e, y_e);
    let equal = b.pool.not(differ);
    b.edge(b.cfa.head, b.cfa.error, Op::Assume(differ));
    let l = b.then(b.cfa.head, Op::Assume(equal));
    let l = b.then(l, Op::Havoc(p));
    let not_p = b.pool.not(p_e);
    let on = b.then(l, Op::Assume(p_e));
    let on = b.then(on, Op::Assign(x, yes));
    b.edge(on, b.cfa.head, if bug { Op::Skip } else { Op::Assign(y, yes) });
    let off = b.then(l, Op::Assume(not_p));
    let off = b.then(off, Op::Assign(x, no));
    b.edge(off, b.cfa.head, Op::Assign(y, no));
    Example { name: "twins", pool: b.pool, cfa: b.cfa, answer: if bug { Answer::Unsafe(2) } else { Answer::Safe } }
}

#[test]
fn large_blocks_need_boolean_abstraction_and_single_operations_do_not() {
    for (encoding, domain, decides) in [
        (Encoding::Sbe, "PRED_CART", true),
        (Encoding::Sbe, "PRED_BOOL", true),
        (Encoding::Lbe, "PRED_BOOL", true),
        (Encoding::Lbe, "PRED_CART", false),
    ] {
        let safe = count(&twins(false), encoding, domain);
        match &safe.verdict {
            Verdict::Safe(_) => assert!(decides, "{encoding:?} {domain}"),
            Verdict::Unknown(Reason::NoProgress) => assert!(!decides, "{encoding:?} {domain}"),
            other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => unreachable!("{encoding:?} {domain}: {other:?}"),
        }
        if encoding == Encoding::Sbe {
            // Boolean abstraction gains nothing there.
            assert_eq!(safe.n_nodes, 11, "{domain}");
        }
        let with_bug = count(&twins(true), encoding, domain);
        assert!(matches!(with_bug.verdict, Verdict::Unsafe(_)), "{encoding:?} {domain}: {with_bug:?}");
    }
}
