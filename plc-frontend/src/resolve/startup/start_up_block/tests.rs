//! Start-up blocks: computed values, and what happens where a value is not known.

use crate::hir::{Kind, Reason, Setting, Start, Value};
use crate::interp::{Limits, Machine, Silent};
use crate::text::{SourceSet, Treatment};
use crate::{LoadOptions, Loaded, load};
use std::collections::BTreeMap;

const MAIN: &str = "ORGANIZATION_BLOCK \"Main\"\nTITLE = \"Main Program Sweep (Cycle)\"\nBEGIN\n \"G\".n := \"G\".n + 1;\n \"G\".seen := \"G\".outside;\n\
                    END_ORGANIZATION_BLOCK\n";

/// Returns a program whose start-up block has this body; `more` are other declarations.
fn text(name: &str, body: &str, more: &str) -> String {
    format!(
        "DATA_BLOCK \"G\"\nVERSION : 0.1\nVAR\n n : Int;\n m : Int := 3;\n outside : Int;\n seen : Int;\nEND_VAR\nBEGIN\nEND_DATA_BLOCK\n\
         {more}{MAIN}ORGANIZATION_BLOCK \"{name}\"\nVAR_TEMP\n i : Int;\nEND_VAR\nBEGIN\n {body}\nEND_ORGANIZATION_BLOCK\n"
    )
}

fn loaded(text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("a.scl", text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{text}\n{:#?}", loaded.diagnostics);
    loaded.value
}

fn conditions(loaded: &Loaded, treatment: Treatment) -> Vec<String> {
    let gaps = loaded.ledger.gaps.iter().filter(|gap| gap.treatment == treatment);
    gaps.map(|gap| gap.construct.clone()).collect()
}

/// Returns kind and start of a variable that the environment sets.
fn setting(loaded: &Loaded, name: &str) -> Option<(Kind, Start)> {
    loaded.project.environment.get(name).map(|setting| (setting.kind, setting.start))
}

#[test]
fn computed_values_are_the_initial_values() {
    for (body, n) in [
        ("\"G\".n := 7;", 7),
        ("FOR i := 1 TO 5 DO \"G\".n := \"G\".n + i; END_FOR;", 15),
        ("\"G\".n := \"G\".m * 2;", 6),
        ("\"Init\"(10);", 10),
        // Inputs of the process image are zero.
        ("IF %I0.0 THEN \"G\".n := 1; ELSE \"G\".n := 2; END_IF;", 2),
        ("", 0),
    ] {
        let more = "FUNCTION \"Init\" : Void\nVAR_INPUT\n k : Int;\nEND_VAR\nBEGIN\n \"G\".n := #k;\nEND_FUNCTION\n";
        let loaded = loaded(&text("OB100", body, more));
        let project = &loaded.project;
        assert_eq!(project.task.runs.len(), 1);
        assert_eq!(project.instances.len(), 1, "the block is no program of the cycle");
        let mut machine = Machine::new(project, Limits::default());
        assert_eq!(machine.leaf("G.n"), Some(Value::Int(n)), "{body}");
        machine.begin(&BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).unwrap();
        assert_eq!(machine.leaf("G.n"), Some(Value::Int(n + 1)), "{body}");
        assert_eq!(setting(&loaded, "G.n"), None, "{body}");
        assert_eq!(conditions(&loaded, Treatment::Assumed), [""; 0], "{body}");
        assert_eq!(conditions(&loaded, Treatment::AssumedByRuns), [""; 0], "{body}");
        assert!(!loaded.entry_is_chosen);
    }
}

#[test]
fn values_that_are_not_known_start_with_any_value() {
    let more = "FUNCTION \"Ask\" : Int\nVAR_INPUT\n k : Int;\nEND_VAR\nBEGIN\n #Ask := \"G\".outside;\nEND_FUNCTION\n\
                ORGANIZATION_BLOCK \"OB35\"\nBEGIN\n \"G\".outside := 5;\nEND_ORGANIZATION_BLOCK\n";
    for body in ["\"G\".n := \"G\".outside;", "IF 0 < \"G\".outside THEN \"G\".n := 1; END_IF;", "\"G\".n := \"Ask\"(1);"] {
        let loaded = loaded(&text("OB100", body, more));
        assert_eq!(setting(&loaded, "G.outside"), Some((Kind::Input, Start::Initial)), "{body}");
        assert_eq!(setting(&loaded, "G.n"), Some((Kind::Memory, Start::Any)), "{body}");
        assert_eq!(setting(&loaded, "G.m"), None, "{body}");
        let told = conditions(&loaded, Treatment::AssumedByRuns);
        assert!(told.contains(&"variables that `OB100` may write can start with the values of the run".to_owned()), "{told:?}");
        assert!(conditions(&loaded, Treatment::OverApproximated).iter().any(|c| c.contains("`OB100`")), "{body}");
    }
}

#[test]
fn an_error_of_the_block_is_a_condition() {
    let loaded = loaded(&text("OB100", "\"G\".n := 1;\n \"G\".n := \"G\".n / (\"G\".m - 3);", ""));
    assert_eq!(setting(&loaded, "G.n"), Some((Kind::Memory, Start::Any)));
    assert_eq!(conditions(&loaded, Treatment::Assumed), ["`OB100` runs without an error"]);
}

#[test]
fn timers_and_statements_without_a_model_make_it_a_block_of_any_event() {
    let timer = "DATA_BLOCK \"Timer\"\nTON\nBEGIN\nEND_DATA_BLOCK\n";
    for body in ["\"G\".n := 1;\n \"Timer\"(IN := TRUE, PT := T#1s);", "\"G\".n := 1;\n %DB5.DBW0 := 1;"] {
        let loaded = loaded(&text("OB100", body, timer));
        assert_eq!(setting(&loaded, "G.n"), Some((Kind::Input, Start::Initial)), "{body}");
        assert!(loaded.entry_is_chosen);
        let told = conditions(&loaded, Treatment::AssumedByRuns);
        assert_eq!(told, ["organization blocks of other events can write as in the run"], "{body}");
    }
}

#[test]
fn the_order_of_several_blocks_is_not_known() {
    let second = "ORGANIZATION_BLOCK \"Startup_1\"\nBEGIN\n \"G\".n := 2;\nEND_ORGANIZATION_BLOCK\n";
    let loaded = loaded(&text("OB100", "\"G\".n := 1;", second));
    assert_eq!(setting(&loaded, "G.n"), Some((Kind::Input, Start::Initial)));
    assert_eq!(conditions(&loaded, Treatment::AssumedByRuns).len(), 2);
}

#[test]
fn interrupts_come_behind_the_start() {
    let interrupt = "ORGANIZATION_BLOCK \"OB35\"\nBEGIN\n \"G\".n := 5;\nEND_ORGANIZATION_BLOCK\n";
    let loaded = loaded(&text("OB100", "\"G\".n := 1;\n \"G\".m := 4;", interrupt));
    let reason = loaded.project.environment.get("G.n").map(|setting| &setting.reason);
    assert!(matches!(reason, Some(Reason::WrittenElsewhere(_))), "{reason:?}");
    assert_eq!(setting(&loaded, "G.m"), None);
    assert_eq!(Machine::new(&loaded.project, Limits::default()).leaf("G.m"), Some(Value::Int(4)));
}

#[test]
fn a_stated_start_of_a_variable_that_the_block_reads_is_a_condition() {
    let check = |name: &str, kind: Kind, start: Start, expected: &[&str]| {
        let mut loaded = loaded(&text("OB100", "\"G\".n := \"G\".m * 2;", ""));
        let reason = Reason::Stated("parameters".to_owned());
        loaded.project.environment.insert(name.to_owned(), Setting { kind, start, reason });
        loaded.note_stated_starts();
        loaded.note_stated_starts();
        assert_eq!(conditions(&loaded, Treatment::Assumed), expected, "{name}");
    };
    let told = ["`G.m` has its declared initial value before the first cycle"];
    check("G.m", Kind::Parameter, Start::Any, &told);
    check("G.m", Kind::Input, Start::Initial, &told);
    check("G.m", Kind::Memory, Start::Any, &told);
    check("G.m", Kind::Memory, Start::Initial, &[]);
    check("G.outside", Kind::Parameter, Start::Any, &[]);
}
