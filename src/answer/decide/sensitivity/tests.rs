//! Programs with known answers to their changes.

use std::time::Instant;

use super::*;
use kernel::cfa::model::ModelOptions;
use kernel::context::default_solvers;
use kernel::smt::Interrupt;
use testgen::stated::Stated;

/// Fates of changes: `line: what: fate`.
fn changes(program: &str, yaml: &str) -> (usize, Vec<String>) {
    let stated = Stated::new(program, yaml);
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(600)), ..Interrupt::default() };
    let solvers = default_solvers();
    let request = Request {
        loaded: &stated.loaded,
        model: &model,
        claim: &stated.claims[0],
        assumptions: &stated.assumptions,
        search: Search::new(&interrupt, &solvers),
        earlier: None,
        shared: None,
    };
    let found = sensitivity(&request, Effort { search: Duration::from_secs(60), ..Effort::ALL }).unwrap();
    let row = |(change, fate): &(Change, Fate)| {
        let fate = match fate {
            Fate::Noticed { cycles } => format!("noticed in {cycles}"),
            Fate::Unaffected => "unaffected".to_owned(),
            Fate::Undecided => "open".to_owned(),
        };
        format!("{}: {}: {fate}", stated.loaded.sources.line_col(change.span).line, change.what)
    };
    (found.possible, found.tried.iter().map(row).collect())
}

const MOTOR: &str = "PROGRAM M
VAR_INPUT fwd, bwd, stop : BOOL; END_VAR
VAR_OUTPUT left, right, lamp : BOOL; END_VAR
VAR n : INT; END_VAR
IF stop THEN left := FALSE; right := FALSE;
ELSIF fwd AND NOT right THEN left := TRUE;
ELSIF bwd AND NOT left THEN right := TRUE; END_IF;
lamp := NOT lamp;
IF lamp THEN n := n + 1; END_IF;
END_PROGRAM";

#[test]
fn each_change_is_noticed_by_a_run_or_proved_to_make_no_difference() {
    let (possible, rows) = changes(MOTOR, "requirements: [{ never: left AND right }]");
    assert_eq!(possible, rows.len());
    for expected in [
        "6: `NOT` is left out of `NOT right`: noticed in ",
        "7: `AND` becomes `OR` in `bwd AND NOT left`: noticed in ",
        "5: the statements of this branch and of the next one are swapped: noticed in ",
        // A motor that never starts never breaks it; neither does one that never stops.
        "5: `left := FALSE` is left out: unaffected",
        "6: `left := TRUE` is left out: unaffected",
        "7: `TRUE` becomes `FALSE`: unaffected",
    ] {
        assert!(rows.iter().any(|row| row.starts_with(expected)), "{expected}: {rows:#?}");
    }
    // Statements that the requirement does not depend on are not changed.
    assert!(rows.iter().all(|row| !row.starts_with('8') && !row.starts_with('9')), "{rows:#?}");
}

#[test]
fn a_requirement_that_depends_on_nothing_has_no_changes() {
    assert_eq!(changes(MOTOR, "requirements: [{ always: 'left OR NOT left' }]"), (0, Vec::new()));
    assert_eq!(changes(MOTOR, "requirements: [{ always: 'fwd OR NOT fwd' }]"), (0, Vec::new()));
}

#[test]
fn comparisons_and_constants_are_off_by_one() {
    let program = "PROGRAM P
VAR_INPUT on : BOOL; END_VAR
VAR n : INT; END_VAR
IF NOT on THEN n := 0; ELSIF n < 10 THEN n := n + 1; END_IF;
END_PROGRAM";
    let (_, rows) = changes(program, "requirements: [{ always: n <= 10 }]");
    for expected in [
        "4: `<` becomes `<=` in `n < 10`: noticed in ",
        "4: `10` becomes `9`: unaffected",
        "4: `10` becomes `11`: noticed in ",
        "4: `n := 0` is left out: unaffected",
    ] {
        assert!(rows.iter().any(|row| row.starts_with(expected)), "{expected}: {rows:#?}");
    }
}

#[test]
fn times_change_by_a_cycle_and_calls_are_left_out() {
    let program = "PROGRAM P
VAR_INPUT on : BOOL; END_VAR
VAR t : TON; END_VAR
t(IN := on, PT := T#500ms);
END_PROGRAM";
    let stated = Stated::new(program, "requirements: [{ never: t.Q }]");
    let all = change::changes(&stated.loaded.project, &stated.loaded.sources, &|_| true, 100);
    let words: Vec<&str> = all.iter().map(|change| change.what.as_str()).collect();
    let call = "`t(IN := on, PT := T#500ms)` is left out";
    assert_eq!(words, [call, "`T#500ms` becomes `T#600ms`", "`T#500ms` becomes `T#400ms`"]);
}

/// Every changed program can be modelled and run without a panic.
#[test]
fn every_kind_of_statement_survives_its_changes() {
    let program = "FUNCTION F : INT
VAR_INPUT a, b : INT; END_VAR
IF a > b THEN F := MAX(a, 3); RETURN; END_IF;
F := LIMIT(0, b, 10) MOD 7 + SEL(a = b, 1, 2);
END_FUNCTION
PROGRAM P
VAR_INPUT k : INT; r : REAL; END_VAR
VAR i, s : INT; x : ARRAY[1..3] OF INT; y : REAL; END_VAR
s := 0;
FOR i := 1 TO 3 DO x[i] := F(k, i); IF x[i] > 5 THEN EXIT; END_IF; END_FOR;
WHILE s < 5 DO s := s + 1; END_WHILE;
REPEAT s := s - 1; UNTIL s <= 2 END_REPEAT;
CASE s OF 0: s := 1; 1, 2: s := 2; ELSE s := 100 / 5; END_CASE;
y := r * 0.5;
IF y > 1.5 OR_ELSE s = 2 THEN s := s + x[1] / 2; END_IF;
END_PROGRAM";
    let stated = Stated::new(program, "requirements: [{ always: s < 1000 }]");
    let project = &stated.loaded.project;
    let all = change::changes(project, &stated.loaded.sources, &|_| true, 100);
    assert!(40 < all.len(), "{}", all.len());
    for change in all {
        let changed = change.applied(project, 100);
        assert_ne!(&changed, project, "{change:?}");
        let model = build(&changed, &ModelOptions::default()).unwrap();
        assert!(instrument(&changed, &model, &stated.claims[0], &[]).is_ok());
        let case = Case { project: &changed, ..Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]) };
        case.replay(&vec![CycleInputs { dt_ns: 100_000_000, ..CycleInputs::default() }; 2]);
    }
}
