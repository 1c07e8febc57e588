//! Programs in tasks.

use super::*;

/// Returns an export of two programs and these tasks: `First` counts, `Second` copies, in a period of 20 ms.
fn controller(tasks: &str) -> String {
    let program = |name: &str, tags: &str, rungs: &str| {
        format!(
            "<Program Name=\"{name}\" MainRoutineName=\"Main\"><Tags>{tags}</Tags><Routines>{}</Routines></Program>",
            routine("Main", rungs)
        )
    };
    let first = program("First", &number("own", 0), "ADD(own,1,own);MOV(own,shared);");
    let second = program("Second", &number("copy", 0), "MOV(shared,copy);ADD(shared,100,shared);");
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content TargetType=\"Controller\"><Controller Use=\"Target\" Name=\"C\"><Tags>{}</Tags>\
         <Programs>{first}{second}</Programs><Tasks>{tasks}</Tasks></Controller></RSLogix5000Content>",
        number("shared", 5)
    )
}

fn task(name: &str, attributes: &str, programs: &[&str]) -> String {
    let programs: String = programs.iter().map(|name| format!("<ScheduledProgram Name=\"{name}\"/>")).collect();
    format!("<Task Name=\"{name}\" {attributes}><ScheduledPrograms>{programs}</ScheduledPrograms></Task>")
}

fn copies(tasks: &str) -> (Vec<i128>, String) {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", controller(tasks).as_str());
    let loaded = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    let mut found = Vec::new();
    for _ in 0..4 {
        machine.begin(&BTreeMap::new(), 10_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        let Some(Value::Int(copy)) = machine.leaf("Second.copy") else { panic!("{:?}", machine.leaves()) };
        found.push(copy);
    }
    (found, format!("{:?}", loaded.value.ledger))
}

#[test]
fn programs_run_in_the_order_of_their_tasks() {
    let periodic = |rate: &str, priority: u8| format!("Type=\"PERIODIC\" Rate=\"{rate}\" Priority=\"{priority}\"");
    let one = task("T", "Type=\"CONTINUOUS\"", &["Second", "First"]);
    assert_eq!(copies(&one).0, [5, 1, 2, 3]);
    let (fast, slow) = (task("Fast", &periodic("10", 5), &["First"]), task("Slow", &periodic("20", 9), &["Second"]));
    let (found, ledger) = copies(&format!("{slow}{fast}"));
    assert_eq!(found, [1, 1, 3, 3]);
    assert!(ledger.contains("several TASKs"), "{ledger}");
    // The slow task has the higher priority.
    let slow = task("Slow", &periodic("20", 1), &["Second"]);
    assert_eq!(copies(&format!("{fast}{slow}")).0, [5, 5, 2, 2]);
    // Periods are whole milliseconds.
    let short = |rate: &str| copies(&task("T", &periodic(rate, 1), &["First", "Second"])).1;
    assert!(short("0.5").contains("the period of a task, 0.5 ms, is 1 ms") && short("1.9").contains("is 2 ms"));
    assert!(!short("2").contains("the period of a task"));
    // The continuous task is the last one.
    let last = task("Last", "Type=\"CONTINUOUS\"", &["First"]);
    assert_eq!(copies(&format!("{last}{}", task("Slow", &periodic("10", 15), &["Second"]))).0, [5, 1, 2, 3]);
}

#[test]
fn programs_that_no_task_runs_are_named() {
    assert_eq!(copies(&task("T", "Type=\"CONTINUOUS\"", &["Second"])).0, [5, 105, 205, 305]);
    assert!(copies(&task("T", "Type=\"CONTINUOUS\"", &["Second"])).1.contains("in no task"));
    let inhibited = task("T", "Type=\"CONTINUOUS\" InhibitTask=\"true\"", &["Second"]);
    assert!(copies(&inhibited).1.contains("order of programs that no task runs"));
    let event = task("T", "Type=\"EVENT\" Priority=\"1\"", &["First", "Second"]);
    assert!(copies(&event).1.contains("task that an event starts"));
}

/// Exports of two programs of one controller, which both read S:FS and a flag, and of an instruction that reads S:FS.
#[test]
fn hidden_variables_stand_once_in_several_files() {
    let program = |name: &str| {
        let text = export("XIC(S:FS)OTE(p);ADD(x,1,x)XIC(S:Z)OTE(q);", "");
        text.replace("Name=\"P\"", &format!("Name=\"{name}\""))
    };
    let logic = routine("Logic", "XIC(S:FS)OTE(EnableOut);");
    let instruction = format!(
        "<RSLogix5000Content><Controller Name=\"C\"><AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Alone\">\
         <Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions></Controller></RSLogix5000Content>"
    );
    let mut sources = SourceSet::default();
    sources.add("i.L5X", instruction.as_str());
    sources.add("a.L5X", program("P").as_str());
    sources.add("b.L5X", program("Q").as_str());
    let loaded = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.iter().all(|error| error.code != "P4002"), "{errors:#?}");
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    for expected in [true, false] {
        machine.begin(&BTreeMap::new(), 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        for leaf in ["P.p", "Q.p"] {
            assert_eq!(machine.leaf(leaf), Some(Value::Bool(expected)), "{leaf}");
        }
    }
}

/// They write no tag: only other tasks make a difference.
#[test]
fn interrupts_and_events_stop_nothing() {
    for line in ["UID();", "UIE();", "EVENT(Fast);"] {
        check(&format!("XIC(a){line}XIC(b)OTE(p);"), &["", "ab"], "p", &[0, 1]);
        let lines = structured("Other", &["IF a THEN", line, "END_IF; p := b;"]);
        check_export(&export("JSR(Other,0);", &lines), &["", "ab"], "p", &[0, 1]);
    }
    let ledger = |tasks: &str| {
        let text = controller(tasks).replace("ADD(own,1,own);", "UID()ADD(own,1,own)UIE()EVENT(Late);");
        let mut sources = SourceSet::default();
        sources.add("test.L5X", text.as_str());
        format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
    };
    let one = task("T", "Type=\"CONTINUOUS\"", &["First", "Second"]);
    assert!(!ledger(&one).contains("instruction UID") && !ledger(&one).contains("instruction EVENT"));
    let two =
        format!("{}{}", task("T", "Type=\"CONTINUOUS\"", &["First"]), task("Late", "Type=\"EVENT\" Priority=\"3\"", &["Second"]));
    assert!(ledger(&two).contains("instruction UID: tasks that wait") && ledger(&two).contains("instruction EVENT: its task"));
}
