//! Parts that many places have are written once, and read with the same places.

use std::collections::BTreeSet;

use super::super::check::read_proof;
use super::super::write::stated as write;
use super::*;
use crate::certify::check_proof;
use kernel::cfa::{LocKind, Op};
use kernel::expr::{ExprId, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::examples::Builder;

/// Returns a cycle through `n` loops, each of which counts a variable of its own up to 9. The proof says that all stay below 10.
///
/// `exception`: a part at each loop that is no part elsewhere.
fn counters(n: usize, exception: bool) -> (Builder, Proof) {
    let mut b = Builder::new();
    let vars: Vec<_> = (0..n).map(|i| b.var(&format!("c{i}"), Value::int(8, 0))).collect();
    let mut at = b.cfa.head;
    let mut heads = Vec::new();
    for &var in &vars {
        let (head, low, more) = (b.loc(LocKind::LoopHead), b.less(var, 9), b.plus(var, 1));
        let high = b.pool.not(low);
        b.edge(at, head, Op::Skip);
        let body = b.then(head, Op::Assume(low));
        b.edge(body, head, Op::Assign(var, more));
        at = b.then(head, Op::Assume(high));
        let zero = b.n(8, 0);
        at = b.then(at, Op::Assign(var, zero));
        heads.push(head);
    }
    let last = b.less(vars[0], 10);
    let bad = b.pool.not(last);
    b.close(at, bad);
    let below: Vec<ExprId> = vars.iter().map(|var| b.less(*var, 10)).collect();
    let mut invariants = BTreeMap::from([(b.cfa.head, b.pool.and_all(below.iter().copied()))]);
    for (i, head) in heads.into_iter().enumerate() {
        let own = if exception { b.less(vars[i], 11) } else { below[i] };
        let parts = (0..n).map(|j| if i == j { own } else { below[j] });
        invariants.insert(head, b.pool.and_all(parts));
    }
    let proof = Proof { pool: b.pool.clone(), argument: Argument::Inductive(invariants) };
    (b, proof)
}

fn read_again(b: &Builder, text: &str) -> Stated {
    read_proof(&b.pool, &b.cfa, text).unwrap()
}

/// Returns the texts of the parts of each place.
fn texts(b: &Builder, stated: &Stated) -> BTreeMap<LocId, BTreeSet<String>> {
    let symbols = Symbols::new(&b.pool, &b.cfa.vars);
    let text = |part: usize| stated.parts[part].definition("p", &symbols, &mut Sorts::default());
    stated.places.iter().map(|(place, parts)| (*place, parts.iter().map(text).collect())).collect()
}

#[test]
fn parts_of_many_places_are_written_once() {
    for exception in [false, true] {
        let (b, proof) = counters(12, exception);
        let text = write(&b.pool, &b.cfa, &proof).unwrap();
        assert_eq!(text.matches("(define-fun |part ").count(), 12, "{text}");
        assert_eq!(text.contains(" at head, loops 1-2, 4-12|"), exception, "{text}");
        assert_eq!(text.contains(" at head, loops 1-12|"), !exception, "{text}");
        let read = read_again(&b, &text);
        assert_eq!(texts(&b, &read), texts(&b, &Stated::of(&b.pool, &b.cfa, &proof).unwrap()));
        assert!(check_proof(&b.pool, &b.cfa, &proof, &Interrupt::default()).is_ok());
    }
    // The length is linear.
    let length = |n: usize| {
        let (b, proof) = counters(n, true);
        write(&b.pool, &b.cfa, &proof).unwrap().len()
    };
    assert!(length(80) < 5 * length(20), "{} and {}", length(20), length(80));
}

#[test]
fn few_parts_are_written_at_their_places_and_older_files_are_read() {
    let (b, proof) = counters(5, true);
    let text = write(&b.pool, &b.cfa, &proof).unwrap();
    assert!(!text.contains("|part ") && text.contains("(define-fun |invariant loop 5| "), "{text}");
    let read = read_again(&b, &text);
    // Each part once, though each place names it.
    assert_eq!((read.parts.len(), read.places.len()), (10, 6));
    assert_eq!(texts(&b, &read), texts(&b, &Stated::of(&b.pool, &b.cfa, &proof).unwrap()));
}

#[test]
fn places_that_are_not_there_are_refused() {
    let (b, proof) = counters(12, true);
    let text = write(&b.pool, &b.cfa, &proof).unwrap();
    let from = " at head, loops 1-2, 4-12|";
    for to in
        ["loops 0", "loops 13", "loops 1-13", "loops 2-1", "loops", "", "head, loops ", "head loops 1", "loops 1,2", "loops -1"]
    {
        let changed = text.replace(from, &format!(" at {to}|"));
        assert_ne!(changed, text);
        assert!(read_proof(&b.pool, &b.cfa, &changed).is_err(), "{to}");
    }
    let twice = format!("{text}(define-fun invariant () Bool true)\n");
    assert!(read_proof(&b.pool, &b.cfa, &twice).is_err());
    // Fewer places are a weaker proof.
    let fewer = read_again(&b, &text.replace(from, " at head, loops 12|"));
    let n_parts = |stated: &Stated| stated.places.values().map(PartSet::len).sum::<usize>();
    assert_eq!(n_parts(&read_again(&b, &text)) - n_parts(&fewer), 10);
}
