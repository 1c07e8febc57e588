//! The size of a certificate's questions depends on what a requirement reads, not on the length of the program.

use super::*;
use crate::certificate::{Answer, Identity, check_proof, whole};
use crate::certify::Asked;

/// Returns a program with `n` instances of a counter, whose flag is a latch.
fn counters(n: usize) -> String {
    let each = |line: &str| (1..=n).map(|i| line.replace("{i}", &i.to_string())).collect::<String>();
    format!(
        "FUNCTION_BLOCK Counter
         VAR_INPUT up, down : BOOL; END_VAR
         VAR n, passes : INT; slow : BOOL; END_VAR
         IF up AND NOT down AND n < 10 THEN n := n + 1; END_IF;
         IF down THEN n := 0; passes := (passes + 1) MOD 100; END_IF;
         IF n * 10 + passes > 180 THEN slow := TRUE; END_IF;
         END_FUNCTION_BLOCK
         PROGRAM P
         VAR_INPUT {} END_VAR
         VAR {} END_VAR
         {} END_PROGRAM",
        each("u{i}, d{i} : BOOL; "),
        each("c{i} : Counter; "),
        each("c{i}(up := u{i}, down := d{i}); "),
    )
}

/// Returns the length of all questions of the proof that these counters of `n` stay within their bounds.
fn length(n: usize, about: std::ops::RangeInclusive<usize>, engine: &str) -> usize {
    let bounds: Vec<String> = about.map(|i| format!("c{i}.n >= 0 AND c{i}.n <= 10")).collect();
    let yaml = format!("requirements:\n  - id: bounds\n    always: {}\n", bounds.join(" AND "));
    let decision = decide_first(&counters(n), &yaml, Some(engine));
    let Some(Evidence::Holds { obligations, .. }) = decision.certified.as_ref().map(Certified::evidence) else {
        panic!("{engine}: {decision:?}")
    };
    obligations.iter().map(|obligation| obligation.script.len()).sum()
}

#[test]
fn questions_about_one_instance_do_not_grow_with_the_number_of_instances() {
    for engine in ["k-induction", "pdr", "cegar"] {
        let (few, many) = (length(2, 2..=2, engine), length(12, 2..=2, engine));
        assert!(0 < few && many < few * 5 / 4, "{engine}: {few} and {many}");
    }
}

#[test]
fn questions_about_all_instances_are_shared_or_grow_with_their_number() {
    // PDR's invariants differ from instance to instance.
    for (engine, most) in [("k-induction", 1.25), ("pdr", 5.0)] {
        let (few, many) = (length(2, 1..=2, engine), length(8, 1..=8, engine));
        assert!(0 < few && (many as f64) < few as f64 * most, "{engine}: {few} and {many}");
    }
}

/// Returns the certificate of the proof that the second of `n` counters stays within its bounds.
fn file(n: usize) -> String {
    let stated = Stated::new(&counters(n), "requirements:\n  - id: bounds\n    always: c2.n >= 0 AND c2.n <= 10\n");
    let Some(StoredEvidence::Proof(proof)) = decide_nth(&stated, 0, Some("k-induction")).stored else { panic!("no proof") };
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &[]).unwrap();
    let (program, requirement, means) = ("digest".to_owned(), "bounds".to_owned(), "within bounds".to_owned());
    let identity = Identity { program, requirement, means, settings: Vec::new(), is_possibility: false, conditions: Vec::new() };
    let text = whole(&identity, &question.pool, &question.strict_cfa(), &proof, &[]).unwrap();
    let answer = check_proof(&text, &identity, &question.pool, &question.cfa, Asked::Cvc5, &Interrupt::default());
    assert!(matches!(answer, Answer::Certified(_)), "{answer:?}");
    text
}

#[test]
fn certificate_file_about_one_instance_does_not_grow_with_the_number_of_instances() {
    let (few, many) = (file(2), file(12));
    assert!(many.contains("c2.n") && !many.contains("c3.n"), "{many}");
    assert!(many.len() < few.len() * 5 / 4, "{} and {}", few.len(), many.len());
}
