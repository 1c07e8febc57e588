//! Files of proofs by summaries: right ones are certified, each change of a summary is refused.

use super::super::check::read_proof;
use super::super::check::{Answer, check_proof};
use super::super::header::{Identity, program_digest};
use super::super::stored::StoredEvidence;
use super::super::tests::answers;
use super::super::write::{stated, undivided, whole};
use crate::certify::summary::case::{ALWAYS_91, Case, MC_CARTHY, mc_carthy};
use crate::certify::{Asked, Certified, Rejected};
use kernel::expr::{BvCmp, Value};
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// The result is zero if the argument is not negative. No call has another argument.
const DOWN: &str = "
    FUNCTION F : DINT
    VAR_INPUT n : DINT; END_VAR
    IF n < 0 THEN F := -5; ELSIF n > 0 THEN F := F(n - 1) + F(n - 1); END_IF;
    END_FUNCTION
    PROGRAM Main
    VAR_INPUT x : DINT; END_VAR
    VAR_OUTPUT y : DINT; END_VAR
    y := F(MAX(x, 0));
    END_PROGRAM";

const ALWAYS_ZERO: &str = "{dialect: codesys, requirements: [{ always: y = 0 }]}";

fn identity() -> Identity {
    Identity {
        program: program_digest(["the program"].into_iter()),
        requirement: "R1".into(),
        means: "nothing".into(),
        settings: Vec::new(),
        is_possibility: false,
        conditions: Vec::new(),
    }
}

fn file(case: &Case, proof: &Proof) -> String {
    let stated = stated(&case.pool, &case.cfa, proof).unwrap();
    whole(&identity(), &case.pool, &case.cfa, &stated, &[]).unwrap()
}

fn check(case: &Case, text: &str) -> Answer {
    check_proof(text, &identity(), &case.pool, &case.cfa, Asked::Cvc5, &Interrupt::default())
}

/// Returns the proof of [`DOWN`]: `n >= 0` at entry, `result = 0` at return.
fn proof_of_down(case: &Case) -> Proof {
    let mut pool = case.pool.clone();
    let zero = pool.constant(Value::bv(32, 0));
    let (n, result) = (pool.var(case.state("F#n passed").0), pool.var(case.state("F#F passed").0));
    let (entry, exit) = (pool.bv_cmp(BvCmp::Sle, zero, n), pool.eq(result, zero));
    case.proof(pool, entry, exit)
}

#[test]
fn files_with_summaries_are_certified() {
    let down = Case::new(DOWN, ALWAYS_ZERO);
    let mc_carthys = Case::new(MC_CARTHY, ALWAYS_91);
    let mut pool = mc_carthys.pool.clone();
    let (yes, exit) = (pool.bool(true), mc_carthy(&mc_carthys, &mut pool, 100, 91));
    let of_mc_carthy = mc_carthys.proof(pool, yes, exit);
    for (case, proof, name) in [(&down, proof_of_down(&down), "F"), (&mc_carthys, of_mc_carthy, "M")] {
        let text = file(case, &proof);
        for part in ["precondition", "relation"] {
            assert!(text.contains(&format!("(define-fun |{part} {name}| (")), "{text}");
        }
        assert!(matches!(check(case, &text), Answer::Certified(_)), "{:?}\n{text}", check(case, &text));
        // A solver alone reads the questions, divided or not.
        let stated = read_proof(&case.pool, &case.cfa, &text).unwrap();
        let obligations = undivided(&case.pool, &case.cfa, &stated).unwrap().text;
        assert!(obligations.contains("(define-fun |relation "), "{obligations}");
        for questions in [&text, &obligations] {
            let n = questions.lines().filter(|line| *line == "(check-sat)").count();
            assert!(0 < n, "{questions}");
            assert_eq!(answers(questions), vec!["unsat"; n], "{questions}");
        }
    }
}

#[test]
fn a_changed_summary_is_refused() {
    let case = Case::new(DOWN, ALWAYS_ZERO);
    let text = file(&case, &proof_of_down(&case));
    // The line of a definition goes on in the next one.
    let line = |part: &str| text.lines().position(|line| line.starts_with(&format!("(define-fun |{part} F|"))).unwrap();
    let [entry, exit] = ["precondition", "relation"].map(line);
    let changed = |at: usize, body: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[at + 1] = body;
        lines.join("\n") + "\n"
    };
    let body = |at: usize| text.lines().nth(at + 1).unwrap();
    assert!(matches!(check(&case, &changed(exit, body(exit))), Answer::Certified(_)), "unchanged:\n{text}");
    let rows = [
        ("weaker precondition", entry, "  true)".to_owned()),
        ("stronger precondition", entry, body(entry).replace("bvsle", "bvslt")),
        ("no call at all", entry, "  false)".to_owned()),
        ("weaker relation", exit, "  true)".to_owned()),
        ("stronger relation", exit, "  false)".to_owned()),
        ("another relation", exit, body(exit).replace("(= ", "(distinct ")),
    ];
    for (what, at, new) in rows {
        assert_ne!(new, body(at), "{what}");
        let answer = check(&case, &changed(at, &new));
        assert!(matches!(answer, Answer::Refuted(_)), "{what}: {answer:?}");
    }
    for (what, other) in [("precondition", exit), ("relation", entry)] {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.drain(if other == exit { entry..entry + 2 } else { exit..exit + 2 });
        lines.pop();
        let dropped = super::super::end::ended(lines.join("\n") + "\n");
        let answer = check(&case, &dropped);
        assert!(matches!(answer, Answer::Refuted(_)), "without the {what}: {answer:?}\n{dropped}");
    }
}

#[test]
fn a_file_has_each_summary_once_and_about_shared_variables() {
    let case = Case::new(DOWN, ALWAYS_ZERO);
    let text = file(&case, &proof_of_down(&case));
    let head = text.find("(define-fun |relation F|").unwrap();
    let definition: String = text[head..].lines().take(2).map(|line| format!("{line}\n")).collect();
    let twice = text.replacen(&definition, &format!("{definition}{definition}"), 1);
    let foreign =
        text.replace(&definition, "(define-fun |relation F| ((|Main.y@| (_ BitVec 32))) Bool\n  (= |Main.y@| #x00000000))\n");
    for (changed, why) in [(twice, "two invariants"), (foreign, "callers do not share")] {
        assert_ne!(changed, text);
        let answer = check(&case, &changed);
        assert!(matches!(&answer, Answer::Unfit(reason) if reason.contains(why)), "{answer:?}\n{changed}");
    }
}

#[test]
fn stored_evidence_of_kept_calls_is_certified_again() {
    let case = Case::new(DOWN, ALWAYS_ZERO);
    let certified = Certified::proof(&case.pool, &case.cfa, proof_of_down(&case), &Interrupt::default()).unwrap();
    let Some(StoredEvidence::Proof(text)) = StoredEvidence::of(&certified, &case.pool, &case.cfa) else { panic!() };
    let again = |case: &Case| {
        let proof = super::super::express::proof(&case.pool, &case.cfa, &text).unwrap();
        Certified::proof(&case.pool, &case.cfa, proof, &Interrupt::default()).map(drop)
    };
    again(&case).unwrap();
    // A later version of the program: its function has another result, or its call another argument.
    again(&Case::new(&DOWN.replace("F(n - 1) + F(n - 1)", "F(n - 1)"), ALWAYS_ZERO)).unwrap();
    for (from, to) in [("F(n - 1) + F(n - 1)", "F(n - 1) + 1"), ("F(MAX(x, 0))", "F(x)"), ("n < 0 THEN", "n < 1 THEN")] {
        let answer = again(&Case::new(&DOWN.replace(from, to), ALWAYS_ZERO));
        assert!(matches!(answer, Err(Rejected::Refuted(_))), "{to}: {answer:?}");
    }
}
