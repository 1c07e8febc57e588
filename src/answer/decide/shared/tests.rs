//! Findings about one requirement decide others for which an engine alone is too weak. Findings that do not apply to a
//! requirement decide nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;
use crate::certificate::StoredEvidence;
use crate::decide::{Search, decide};
use kernel::cfa::model::{ModelOptions, build};
use kernel::context::default_solvers;
use kernel::smt::Interrupt;
use testgen::stated::Stated;

/// An engine with one option.
type Engine = (&'static str, (&'static str, &'static str));

/// An engine that searches four cycles.
const SHORT: Engine = ("bmc", ("k", "4"));
/// An engine with one cycle of induction.
const ONE_STEP: Engine = ("k-induction", ("k", "1"));
/// So many milliseconds between cycles.
const CYCLE: u32 = 100;
const PLENTY: Duration = Duration::from_secs(60);

/// Options of a question about a claim.
struct Ask<'a> {
    engine: Option<Engine>,
    time: Duration,
    cycle_ms: u32,
    earlier: Option<&'a StoredEvidence>,
    shared: Option<(&'a Shared, Attempt)>,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Ask { engine: None, time: PLENTY, cycle_ms: CYCLE, earlier: None, shared: None }
    }
}

impl Ask<'_> {
    fn about(&self, stated: &Stated, n: usize) -> Decision {
        self.request(stated, n, |request| decide(request).unwrap())
    }

    fn request<T>(&self, stated: &Stated, n: usize, ask: impl FnOnce(&Request<'_>) -> T) -> T {
        let interrupt = Interrupt { deadline: Some(Instant::now() + self.time), ..Interrupt::default() };
        let option = |(_, (name, value)): Engine| (name.to_owned(), value.to_owned());
        let solvers = default_solvers();
        let request = Request {
            loaded: &stated.loaded,
            model: &build(&stated.loaded.project, &options(self.cycle_ms)).unwrap(),
            claim: &stated.claims[n],
            assumptions: &stated.assumptions,
            search: Search {
                engine: self.engine.map(|(name, _)| name),
                options: &self.engine.map(option).into_iter().collect::<BTreeMap<_, _>>(),
                ..Search::new(&interrupt, &solvers)
            },
            earlier: self.earlier,
            shared: self.shared,
        };
        ask(&request)
    }
}

fn options(cycle_ms: u32) -> ModelOptions {
    ModelOptions { dt_min_ms: cycle_ms, dt_max_ms: cycle_ms, ..ModelOptions::default() }
}

fn nothing_yet(stated: &Stated) -> Shared {
    Shared::new(&build(&stated.loaded.project, &options(CYCLE)).unwrap())
}

const UP: &str = "PROGRAM P
    VAR_INPUT go : BOOL; END_VAR
    VAR_OUTPUT n, m : INT; END_VAR
    IF go AND n < 9 THEN n := n + 1; END_IF;
    m := 2 * n;
    END_PROGRAM";

#[test]
fn a_run_of_one_requirement_answers_another_that_stays_open() {
    let stated = Stated::new(UP, "requirements: [{ never: n = 8 }, { never: m = 12 }, { never: m = 18 }, { always: n >= 0 }]");
    let shared = nothing_yet(&stated);
    let short = |n, attempt| Ask { engine: Some(SHORT), shared: Some((&shared, attempt)), ..Ask::default() }.about(&stated, n);
    let first = short(1, Attempt::First);
    assert_eq!((first.word, first.certified.is_none()), (VerdictWord::HoldsBounded, true), "{:?}", first.reason);
    let all = Ask { shared: Some((&shared, Attempt::First)), ..Ask::default() };
    assert_eq!(all.about(&stated, 0).word, VerdictWord::Violated);
    // Eight steps up lead past m = 12, not to m = 18; none of them is a proof.
    for attempt in [Attempt::First, Attempt::Again] {
        let found = short(1, attempt);
        assert_eq!((found.word, found.safe_cycles), (VerdictWord::Violated, Some(5)));
        assert!(found.certified.is_some() && found.reason.unwrap().contains("found for another requirement"));
        assert_eq!(short(2, attempt).word, VerdictWord::HoldsBounded);
        assert_ne!(short(3, attempt).word, VerdictWord::Violated);
    }
    // Without any time the answers are the same.
    let none = Ask { time: Duration::ZERO, ..all };
    assert_eq!([1, 2].map(|n| none.about(&stated, n).word), [VerdictWord::Violated, VerdictWord::Unknown]);
    // With the findings of others the answers are the true ones.
    let again = Ask { shared: Some((&shared, Attempt::Again)), ..Ask::default() };
    assert_eq!([2, 3].map(|n| again.about(&stated, n).word), [VerdictWord::Violated, VerdictWord::Holds]);
}

#[test]
fn runs_count_under_their_own_assumptions_and_cycle_times_only() {
    let of = |assume: &str| Stated::new(UP, &format!("{assume}requirements: [{{ never: n = 8 }}, {{ never: m = 12 }}]"));
    let (free, bound) = (of(""), of("assumptions: [{ expr: NOT (go AND n >= 3) }]\n"));
    let shared = nothing_yet(&free);
    let with = Some((&shared, Attempt::First));
    assert_eq!(Ask { shared: with, ..Ask::default() }.about(&free, 0).word, VerdictWord::Violated);
    let short = |cycle_ms| Ask { engine: Some(SHORT), cycle_ms, shared: with, ..Ask::default() };
    assert_eq!(short(CYCLE).about(&free, 1).word, VerdictWord::Violated);
    assert_eq!(short(CYCLE + 1).about(&free, 1).word, VerdictWord::HoldsBounded);
    assert_ne!(short(CYCLE).about(&bound, 1).word, VerdictWord::Violated);
}

/// Tells what another machine has found about a requirement.
fn hear(shared: &Shared, stated: &Stated, n: usize, evidence: &StoredEvidence) {
    Ask::default().request(stated, n, |request| shared.hear(request, evidence));
}

#[test]
fn a_run_of_another_machine_answers_a_requirement_that_stays_open() {
    let stated = Stated::new(UP, "requirements: [{ never: n = 8 }, { never: m = 12 }, { always: n >= 0 }]");
    let elsewhere = Ask { shared: Some((&nothing_yet(&stated), Attempt::First)), ..Ask::default() }.about(&stated, 0);
    let shared = nothing_yet(&stated);
    hear(&shared, &stated, 0, &elsewhere.stored.unwrap());
    let short = |n| Ask { engine: Some(SHORT), shared: Some((&shared, Attempt::First)), ..Ask::default() }.about(&stated, n);
    let found = short(1);
    assert!(found.word == VerdictWord::Violated && found.certified.is_some());
    assert_ne!(short(2).word, VerdictWord::Violated);
}

#[test]
fn a_proof_of_another_machine_is_a_guess_that_is_checked() {
    let stated = Stated::new(&squares(60), "requirements: [{ always: n <= 60 }, { always: square <= 3600 }]");
    let params = "((|P.n@| (_ BitVec 16)) (|P.square@| (_ BitVec 16)))";
    let says = |most: &str| {
        let invariant = format!(
            "(and (= |P.square@| (bvmul |P.n@| |P.n@|)) (bvsle (_ bv0 16) |P.n@|) (bvsle |P.n@| (_ bv{most} 16)) (bvsle |P.square@| (_ bv9 16)))"
        );
        StoredEvidence::Proof(format!("; proof: inductive\n(define-fun invariant {params} Bool {invariant})"))
    };
    // The bound of the square is false in both, and that of n in the second: the first is of use all the same.
    for (most, word) in [("60", VerdictWord::Holds), ("5", VerdictWord::HoldsBounded)] {
        let shared = nothing_yet(&stated);
        hear(&shared, &stated, 0, &says(most));
        let ask = Ask { engine: Some(ONE_STEP), shared: Some((&shared, Attempt::Again)), ..Ask::default() };
        assert_eq!(ask.about(&stated, 1).word, word, "{most}");
    }
}

/// Returns a program that squares the numbers up to a limit by additions.
fn squares(limit: u32) -> String {
    format!(
        "PROGRAM P
        VAR_INPUT go : BOOL; END_VAR
        VAR n, square : INT; END_VAR
        IF go AND n < {limit} THEN square := square + 2 * n + 1; n := n + 1; END_IF;
        END_PROGRAM"
    )
}

#[test]
fn what_a_proof_has_shown_makes_another_one_possible() {
    let squares = |limit| Stated::new(&squares(limit), "requirements: [{ always: n <= 60 }, { always: square <= 3600 }]");
    // No engine guesses the square, and one step proves nothing without it.
    let invariant = "(and (= |P.square@| (bvmul |P.n@| |P.n@|)) (bvsle (_ bv0 16) |P.n@|) (bvsle |P.n@| (_ bv60 16)))";
    let params = "((|P.n@| (_ BitVec 16)) (|P.square@| (_ BitVec 16)))";
    let by_hand = StoredEvidence::Proof(format!("; proof: inductive\n(define-fun invariant {params} Bool {invariant})"));

    let stated = squares(60);
    let shared = nothing_yet(&stated);
    let weak = |stated: &Stated, attempt| {
        Ask { engine: Some(ONE_STEP), shared: Some((&shared, attempt)), ..Ask::default() }.about(stated, 1)
    };
    assert_eq!(weak(&stated, Attempt::Again).word, VerdictWord::HoldsBounded);
    let first = Ask { earlier: Some(&by_hand), shared: Some((&shared, Attempt::First)), ..Ask::default() }.about(&stated, 0);
    assert_eq!((first.word, first.reused), (VerdictWord::Holds, true));
    // First attempts get no lemmas.
    assert_eq!(weak(&stated, Attempt::First).word, VerdictWord::HoldsBounded);
    let with = weak(&stated, Attempt::Again);
    assert_eq!(with.word, VerdictWord::Holds, "{:?}", with.reason);
    // It is a complete proof: the lemma stands in it and was certified with it.
    let Some(Evidence::Holds { proof, obligations }) = with.certified.as_ref().map(Certified::evidence) else { panic!() };
    let Some(StoredEvidence::Proof(text)) = &with.stored else { panic!("{proof:?}") };
    assert!(text.contains("bvmul"), "{text}");
    assert!(!obligations.is_empty());
    // Given to a program for which it is false, it leads to no answer.
    assert_ne!(weak(&squares(70), Attempt::Again).word, VerdictWord::Holds);
}

#[test]
fn a_requirement_that_was_proved_without_an_invariant_is_known_to_the_next() {
    let check = |first: &str, second: &str, expected: VerdictWord| {
        let stated = Stated::new(&squares(60), &format!("requirements: [{{ {first} }}, {{ {second} }}]"));
        let shared = nothing_yet(&stated);
        let weak =
            |n, attempt| Ask { engine: Some(ONE_STEP), shared: Some((&shared, attempt)), ..Ask::default() }.about(&stated, n);
        assert_eq!(weak(1, Attempt::Again).word, VerdictWord::HoldsBounded, "{second}");
        assert_eq!(weak(0, Attempt::First).word, VerdictWord::Holds, "{first}");
        assert_eq!(weak(1, Attempt::Again).word, expected, "{first} → {second}");
    };
    let known = "square = n * n AND n >= 0 AND n <= 60";
    check(&format!("always: {known}"), "always: square <= 3600", VerdictWord::Holds);
    check(&format!("never: NOT ({known})"), "if: go, then: square <= 3600", VerdictWord::Holds);
    // A lemma without a relation to it.
    check("always: n <= 60", "always: square <= 3600", VerdictWord::HoldsBounded);
}
