//! Tags of other programs, and routines that are left out.

use super::*;
use crate::Loaded;

/// Returns an export of two programs, the second of which has these rungs and routines.
fn two(main: &str, rest: &str, tasks: &str) -> String {
    let bit = |name: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\"/>");
    let first = format!(
        "<Program Name=\"First\" MainRoutineName=\"Main\"><Tags>{}{}</Tags><Routines>{}</Routines></Program>",
        bit("go"),
        bit("done"),
        routine("Main", "XIC(go)OTE(done);")
    );
    let text = export(main, rest).replace("<Programs>", &format!("<Programs>{first}"));
    text.replace("</Programs>", &format!("</Programs><Tasks>{tasks}</Tasks>"))
}

fn scheduled(programs: &[&str]) -> String {
    let rows: String = programs.iter().map(|name| format!("<ScheduledProgram Name=\"{name}\"/>")).collect();
    format!("<Task Name=\"T\" Type=\"CONTINUOUS\" Priority=\"9\"><ScheduledPrograms>{rows}</ScheduledPrograms></Task>")
}

fn loaded(text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    let parsed = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    parsed.value
}

#[test]
fn tags_of_other_programs_are_read_and_written() {
    let tasks = scheduled(&["P", "First"]);
    let rungs = two(r"XIC(a)OTE(\First.go);XIC(\First.done)OTE(p);", "", &tasks);
    let text = two("JSR(Other,0);", &structured("Other", &[r"\First.go := a;", r"p := \First.done;"]), &tasks);
    for text in [rungs, text] {
        check_export(&text, &["a", "", ""], "p", &[0, 1, 0]);
        let mut loaded = loaded(&text);
        // Requirements name them alike.
        for words in [r"\First.go = FALSE AND NOT \First.done", r"NOT First.go OR \P.p", r"\P.x = 7"] {
            let condition = crate::condition(&mut loaded, "test", words).value.unwrap();
            let mut machine = Machine::new(&loaded.project, Limits::default());
            assert_eq!(machine.eval(&condition), Ok(Value::Bool(true)), "{words}");
        }
    }
}

/// A program that runs earlier sees a coil before the prescan of its own program clears it.
#[test]
fn the_prescan_of_a_tag_that_another_program_reads_is_a_condition() {
    let is_told = |rung: &str| {
        let text = two(rung, "", &scheduled(&["P", "First"]));
        format!("{:?}", loaded(&text).ledger).contains("prescan of tags that several programs see")
    };
    assert!(is_told(r"XIC(\First.done)OTE(p);"));
    assert!(!is_told(r"XIC(\First.go)OTE(p);"));
    assert!(!is_told("XIC(a)OTE(p);"));
}

#[test]
fn tags_of_programs_that_do_not_run_are_gaps() {
    let ledger = |text: &str| format!("{:?}", loaded(text).ledger);
    let tasks = scheduled(&["P"]);
    let found = ledger(&two(r"XIC(a)OTE(\First.go);", "", &tasks));
    assert!(found.contains("operand `\\\\First.go` is a tag of another program, which does not run here"), "{found}");
    let text = structured("Other", &[r"\First.go := a;"]);
    assert!(ledger(&two("JSR(Other,0);", &text, &tasks)).contains("tag of another program that does not run here"));
    // A program with the name of a tag is left out: the name means the tag.
    let text = two(r"XIC(a)OTE(\First.go);", "", &scheduled(&["P", "First"]));
    let found = ledger(&text.replace("<Tag Name=\"s\"", "<Tag Name=\"First\""));
    assert!(found.contains("is a tag of another program"), "{found}");
}

#[test]
fn an_inhibited_program_is_no_program_of_no_task() {
    let inhibited = scheduled(&["First"]).replace("Priority", "InhibitTask=\"true\" Priority");
    let ledger = format!("{:?}", loaded(&two("NOP();", "", &(inhibited + &scheduled(&["P"])))).ledger);
    assert!(ledger.contains("PROGRAM `First`: its task `T` is inhibited") && !ledger.contains("in no task"), "{ledger}");
    let off =
        two("NOP();", "", &scheduled(&["P", "First"])).replace("Name=\"First\" Main", "Name=\"First\" Disabled=\"true\" Main");
    let ledger = format!("{:?}", loaded(&off).ledger);
    assert!(ledger.contains("PROGRAM `First`: it is inhibited") && !ledger.contains("in no task"), "{ledger}");
}

/// Programs of which none runs are verified as if they ran: those of one reason are one condition.
#[test]
fn a_program_runs_though_nothing_runs_it() {
    let ledger = |text: &str| format!("{:?}", loaded(text).ledger);
    let off = |text: &str, name: &str| {
        text.replace(&format!("Name=\"{name}\" Main"), &format!("Name=\"{name}\" Disabled=\"true\" Main"))
    };
    let both = scheduled(&["P", "First"]);
    let inhibited = scheduled(&["First"]).replace("Priority", "InhibitTask=\"true\" Priority");
    let disabled = "`P` runs, though the export inhibits it";
    for (text, conditions) in [
        (off(&off(&two("NOP();", "", &both), "First"), "P"), ["`First`, `P` run, though the export inhibits them"; 2]),
        (two("NOP();", "", &inhibited), ["`First` runs, though its task `T` is inhibited", "`P` runs, though no task runs it"]),
        (two("NOP();", "", ""), ["`First`, `P` run, though no task runs them"; 2]),
        (two("NOP();", "", &scheduled(&[])), ["`First`, `P` run, though no task runs them"; 2]),
        (off(&export("NOP();", ""), "P"), [disabled, disabled]),
    ] {
        let found = ledger(&text);
        assert!(conditions.iter().all(|condition| found.contains(condition)), "{text}: {found}");
        assert!(!found.contains("PROGRAM `First`: ") && !found.contains("PROGRAM `P`: "), "{found}");
    }
    // A part of a project says nothing about tasks.
    for text in [two("NOP();", "", &both), export("NOP();", ""), off(&two("NOP();", "", &both), "First")] {
        assert!(!ledger(&text).contains("runs, though"), "{text}: {}", ledger(&text));
    }
}

#[test]
fn a_routine_with_errors_is_a_gap_of_its_own() {
    let broken = structured("Other", &["x := x +;", "IF THEN"]);
    let text = export("XIC(b)JSR(Other,0);XIC(a)OTE(p);", &broken);
    assert!(format!("{:?}", loaded(&text).ledger).contains("Structured Text with errors"));
    check_export(&text, &["a", ""], "p", &[1, 0]);
}
