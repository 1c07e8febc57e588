//! The `test_locks_N` family in ST: N locks that are taken and released in the same cycle.
//!
//! Source: Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, "Software Model Checking via Large-Block Encoding", FMCAD 2009,
//! §IV, Table I.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{Cegar, CegarOptions, named, solvers};
use crate::engine::Engine;
use crate::engine::cegar::Iteration;
use kernel::cfa::model::{ModelOptions, build};
use kernel::cfa::pass::{Encoding, Reduced, reduce};
use kernel::context::Ctx;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use testgen::stated::Stated;

/// Returns the program with `n` locks.
fn program(n: usize) -> String {
    let mut text = String::from("PROGRAM Locks\nVAR_INPUT\n");
    (1..=n).for_each(|i| writeln!(text, "  p{i} : BOOL;").unwrap());
    text.push_str("END_VAR\nVAR\n  ok : BOOL := TRUE;\n");
    (1..=n).for_each(|i| writeln!(text, "  lk{i} : INT;").unwrap());
    text.push_str("END_VAR\n");
    (1..=n).for_each(|i| writeln!(text, "lk{i} := 0;").unwrap());
    (1..=n).for_each(|i| writeln!(text, "IF p{i} THEN lk{i} := 1; END_IF;").unwrap());
    (1..=n).for_each(|i| writeln!(text, "IF p{i} THEN IF lk{i} <> 1 THEN ok := FALSE; END_IF; lk{i} := 0; END_IF;").unwrap());
    text.push_str("END_PROGRAM\n");
    text
}

fn reduced(n: usize, encoding: Encoding) -> Reduced {
    let stated = Stated::new(&program(n), "requirements: [{ always: ok }]");
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let instrumented = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    reduce(&instrumented.pool, &instrumented.cfa, encoding)
}

fn solve(n: usize, encoding: Encoding, domain: &str) -> Vec<Iteration> {
    let reduced = reduced(n, encoding);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let options = CegarOptions { domain: named(domain), ..CegarOptions::default() };
    let mut engine = Cegar::new(options, solvers());
    let verdict = engine.run(&mut cx, &reduced.cfa).unwrap();
    assert!(matches!(verdict, Verdict::Safe(_)), "{n}: {verdict:?}");
    engine.timeline().to_vec()
}

#[test]
fn the_samples_are_members_of_the_family() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for n in [5, 10, 15, 100] {
        let sample = answer::samples::all().into_iter().find(|s| s.name == format!("locks/test_locks.{n}")).unwrap();
        let body: Vec<&str> = sample.source.lines().filter(|line| !line.starts_with("//@")).collect();
        assert_eq!(words(&body.join("\n")), words(&program(n)), "{n}");
    }
}

#[test]
fn large_blocks_need_four_states_however_many_locks() {
    for n in [5, 15, 100] {
        let begin = Instant::now();
        let iterations = solve(n, Encoding::Lbe, "PRED_BOOL");
        assert!(iterations.iter().all(|iteration| iteration.n_nodes <= 4), "{n}: {iterations:?}");
        // 0.4 s for 100 locks, without optimisation.
        assert!(begin.elapsed() < Duration::from_secs(5), "{n}: {:?}", begin.elapsed());
    }
}

#[test]
fn single_operations_need_exponentially_many_states() {
    let states = |n| solve(n, Encoding::Sbe, "PRED_CART").last().unwrap().n_nodes;
    let all: Vec<usize> = (2..=5).map(states).collect();
    assert!(all.windows(2).all(|pair| 19 * pair[0] <= 10 * pair[1]), "{all:?}");
}
