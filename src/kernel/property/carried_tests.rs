//! Tests of the variables whose value at the beginning of a cycle can decide.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::instrument::instrument;
use super::requirements::requirements;
use super::spec::Specification;
use crate::cfa::pass::dependencies;
use crate::cfa::{ModelOptions, build};

/// Returns the variables that a cycle reads before it writes them, for the requirement `never: q`.
fn carried(vars: &str, body: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add(
        "p.st",
        format!("PROGRAM P VAR_INPUT a, b : BOOL; i : INT; END_VAR VAR q, x, y : BOOL; {vars} END_VAR {body} END_PROGRAM"),
    );
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{body}: {:?}", parsed.diagnostics);
    let mut loaded = parsed.value;
    let spec = Specification::from_yaml("requirements: [{ never: q }]").unwrap();
    let stated = requirements(&spec, &[], &mut loaded, &[]);
    let model = build(&loaded.project, &ModelOptions::default()).unwrap();
    let question = instrument(&loaded.project, &model, &stated.requirements[0].claim, &[]).unwrap();
    let found = dependencies(&question.pool, &question.strict_cfa()).carried;
    let names = model.leaves.iter().filter(|(_, var)| found.contains(var)).map(|(leaf, _)| leaf.name.trim_start_matches("P."));
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_variable_that_each_cycle_writes_first_is_not_carried() {
    let check = |vars: &str, body: &str, expected: &str| assert_eq!(carried(vars, body), expected, "{body}");
    check("", "q := a;", "");
    check("", "x := a; q := x AND b;", "");
    check("", "IF a THEN x := b; ELSE x := FALSE; END_IF; q := x;", "");
    // The value of the cycle before, a write that some cycles leave out, and a write that comes late.
    check("", "x := x AND NOT a; q := x;", "x");
    check("", "IF a THEN x := FALSE; END_IF; q := x;", "x");
    check("", "q := x; x := a;", "x");
    check("", "IF a THEN q := TRUE; ELSIF b THEN q := FALSE; END_IF;", "q");
    check("", "IF FALSE THEN x := a; END_IF; q := x;", "x");
    // What q does not depend on does not count.
    check("", "y := y XOR a; q := b;", "");
    check("n : INT;", "n := MIN(n, i); q := n > 3;", "n");
    check("t : ARRAY [0..1] OF BOOL;", "t[0] := a; q := t[0] AND t[1];", "t[1]");
    check("n : INT;", "FOR n := 1 TO i DO x := a; END_FOR; q := x AND n > 2;", "x");
}

#[test]
fn bits_of_a_word_are_carried_one_by_one() {
    let check = |body: &str, expected: &str| assert_eq!(carried("w : DWORD;", body), expected, "{body}");
    check("w.%X3 := a; q := w.%X3;", "");
    check("w.%X0 := a; w.%X31 := b; q := w.%X0 AND w.%X31;", "");
    check("w.%X3 := a; q := w.%X4;", "w");
    check("w.%X3 := a; q := w = 16#8;", "w");
    check("IF a THEN w.%X3 := b; END_IF; q := w.%X3;", "w");
    check("IF b THEN w.%X3 := FALSE; w.%X31 := FALSE; w.%X0 := TRUE; END_IF; w.%X3 := a; q := w.%X3;", "");
    check("IF b THEN w.%X3 := FALSE; END_IF; w.%X3 := a; q := w.%X2;", "w");
    check("w := DWORD#0; w.%X3 := a; q := w.%X3;", "");
}
