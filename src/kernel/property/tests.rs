//! Tests of the rules for gaps.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

use super::check::{Event, unobserved};
use super::claim::Claim;
use super::instrument::{instrument, model_for};
use crate::cfa::{ModelOptions, Op, build};

fn loaded(text: &str) -> Loaded {
    let mut set = SourceSet::default();
    set.add("p.st", text);
    load(&set, &LoadOptions::default()).value
}

/// Runs end at a gap in the CFA. In the strict one they violate the requirement there.
#[test]
fn a_place_that_is_not_modelled_counts_as_an_error_in_the_strict_cfa() {
    let loaded = loaded(
        "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR q : BOOL; END_VAR\nIF a THEN MEMCPY(ADR(q), ADR(a), 1); END_IF\nq := a;\nEND_PROGRAM\n",
    );
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&loaded.project, &model, &Claim::Never(Event::DoubleWrite), &[]);
    assert!(question.is_err(), "the model has no coils");
    let claim = Claim::Unreached(Vec::new());
    let question = instrument(&loaded.project, &model, &claim, &[]).unwrap();
    assert!(!question.gaps.is_empty());
    let strict = question.strict_cfa();
    for (_, gap) in &question.gaps {
        let to_error = |edge: &&crate::cfa::Edge| (edge.source, edge.target) == (*gap, strict.error);
        assert!(!question.cfa.edges.iter().any(|edge| to_error(&edge)));
        assert!(strict.edges.iter().filter(to_error).all(|edge| edge.op == Op::Skip));
        assert_eq!(strict.edges.iter().filter(to_error).count(), 1);
    }
}

#[test]
fn a_write_through_an_index_leaves_double_writes_unproved() {
    let check = |text: &str, expected: Option<&str>| {
        let loaded = loaded(text);
        let claim = Claim::Never(Event::DoubleWrite);
        let found = unobserved(&claim, &loaded.project, &loaded.sources);
        assert_eq!(found.as_deref().and_then(|why| why.split(" (line").next()), expected, "{text}");
        assert_eq!(unobserved(&Claim::Unreached(Vec::new()), &loaded.project, &loaded.sources), None);
        let model = build(&loaded.project, &ModelOptions::default()).unwrap();
        assert!(model_for(&loaded.project, &model, &claim).is_ok());
    };
    let program = |body: &str| {
        format!(
            "PROGRAM P\nVAR_INPUT a, b : BOOL; i : INT; END_VAR\nVAR_OUTPUT q : ARRAY [0..3] OF BOOL; END_VAR\n{body}END_PROGRAM\n"
        )
    };
    check(&program("q[0] := a;\nq[i] := b;\n"), Some("`q` is written through an index"));
    check(&program("i := 1;\n"), None);
}
