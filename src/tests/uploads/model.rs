//! Fuzz targets for requirement files and for models of Theta.
//!
//! A requirement file is read, written again, resolved against a fixed program and built into its model.

use std::sync::LazyLock;

use plc_frontend::source::{FileId, SourceSet, decode};
use plc_frontend::{LoadOptions, Loaded, load};

use kernel::cfa::{Model, ModelOptions, build};
use kernel::property::check::CHECKS;
use kernel::property::instrument::instrument;
use kernel::property::lines::Lines;
use kernel::property::requirements::requirements;
use kernel::property::spec::Specification;
use kernel::theta;

const PROGRAM: &str = "\
TYPE Mode : (Idle, Busy, Done); Cell : STRUCT level : INT; on : BOOL; END_STRUCT; END_TYPE
FUNCTION Twice : INT VAR_INPUT n : INT; END_VAR Twice := n + n; END_FUNCTION
PROGRAM Main
VAR_INPUT a : BOOL; b : BOOL; n : INT; x : REAL; END_VAR
VAR_OUTPUT y : BOOL; m : INT; END_VAR
VAR t : TON; mode : Mode; cells : ARRAY [1..3] OF Cell; w : WORD; s : STRING[4]; d : TIME; END_VAR
t(IN := a, PT := T#300ms); y := t.Q AND NOT b; m := Twice(n / 2); mode := Mode#Busy; cells[2].level := n; w.3 := a;
s := 'ab'; d := t.ET; IF x > 1.5 THEN m := m + 1; END_IF;
END_PROGRAM
";

/// The fixed program and its model, made once for each run of the fuzzer.
static MODEL: LazyLock<(Loaded, Model)> = LazyLock::new(|| {
    let mut sources = SourceSet::default();
    sources.add("main.st", PROGRAM);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    let model = build(&parsed.value.project, &ModelOptions::default()).expect("a small program has a model");
    (parsed.value, model)
});

/// Reads a requirement file and makes monitors for its requirements about the fixed program.
pub fn stated(bytes: &[u8]) {
    let text = decode(bytes).0;
    drop(Lines::of(&text));
    let Ok(spec) = Specification::from_yaml(&text) else { return };
    let written = spec.to_yaml();
    let again = Specification::from_yaml(&written).unwrap_or_else(|e| panic!("{e:?}\n{written}"));
    assert_eq!(again, spec, "{written}");
    let (loaded, model) = &*MODEL;
    let mut loaded = loaded.clone();
    let watched: Vec<_> = CHECKS.iter().map(|check| check.kind).collect();
    let (ranges, _) = kernel::property::environment::apply(&spec, &mut loaded);
    let stated = requirements(&spec, &ranges, &mut loaded, &watched);
    if !stated.problems.is_empty() {
        return;
    }
    let assumptions: Vec<_> = stated.assumptions.iter().map(|assumed| assumed.condition.clone()).collect();
    for checked in stated.requirements.iter().take(8) {
        // The model may be too large, or use a construct that is not modelled.
        drop(instrument(&loaded.project, model, &checked.claim, &assumptions));
    }
}

/// Reads a model of Theta.
pub fn automaton(bytes: &[u8]) {
    let text = decode(bytes).0;
    let read = theta::read(FileId(0), &text);
    for label in read.diagnostics.iter().flat_map(|d| &d.labels) {
        let (start, end) = (label.span.start as usize, label.span.end as usize);
        assert!(text.get(start..end).is_some(), "{:?} stands outside of its text", label.span);
    }
    assert!(read.value.model.is_some() || !read.diagnostics.is_empty(), "refused without a word");
}
