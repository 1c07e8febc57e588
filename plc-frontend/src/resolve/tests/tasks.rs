//! Configurations: mistakes, and notes in the ledger.

use crate::resolve::testing::{check, loaded};
use crate::text::{SourceSet, Treatment};
use crate::{LoadOptions, load};

const PROGRAM: &str = "PROGRAM P\nVAR_INPUT\n i : INT;\nEND_VAR\nEND_PROGRAM\n";

#[test]
fn tasks_and_programs_are_checked() {
    let check = |inner: &str, expected: &str| {
        check(&format!("{PROGRAM}CONFIGURATION C\nRESOURCE R ON cpu\n{inner}\nEND_RESOURCE\nEND_CONFIGURATION"), expected);
    };
    check("TASK t (INTERVAL := T#1s, PRIORITY := 1);\nPROGRAM p1 WITH t : P (i := 1 + 1);", "");
    check("PROGRAM p1 WITH t : P;", "P4106@8:17");
    check("PROGRAM p1 : Q;", "P2002@8:14");
    check("TASK t (PERIOD := T#1s);\nPROGRAM p1 WITH t : P;", "P4106@8:9");
    check("TASK t (INTERVAL := 5, PRIORITY := 1);\nPROGRAM p1 WITH t : P;", "P3005@8:21");
    check("PROGRAM p1 : P (i := TRUE, j := 1);", "P3001@8:22 P2005@8:28");
    check("PROGRAM p1 : P;\nPROGRAM P1 : P;", "P4002@9:9");
}

#[test]
fn all_tasks_share_the_longest_tick_that_fits_them() {
    let check = |intervals: &[&str], ms: i128| {
        let tasks: Vec<String> = intervals.iter().enumerate().map(|(i, t)| format!("TASK t{i} (INTERVAL := {t});\n")).collect();
        let programs: Vec<String> = (0..intervals.len()).map(|i| format!("PROGRAM p{i} WITH t{i} : P;\n")).collect();
        let inner = format!("RESOURCE R ON cpu\n{}{}END_RESOURCE", tasks.concat(), programs.concat());
        let loaded = loaded(&format!("{PROGRAM}CONFIGURATION C\n{inner}\nEND_CONFIGURATION"));
        assert_eq!(loaded.value.interval_ns, Some(ms * 1_000_000), "{intervals:?}: {:?}", loaded.diagnostics);
    };
    check(&["T#10ms"], 10);
    check(&["T#10ms", "T#100ms"], 10);
    check(&["T#20ms", "T#50ms"], 10);
    check(&["T#20ms", "T#30ms", "T#45ms"], 5);
}

#[test]
fn a_chosen_entry_runs_as_often_as_its_task() {
    let text = format!(
        "{PROGRAM}PROGRAM Q\nEND_PROGRAM\nPROGRAM Idle\nEND_PROGRAM\nCONFIGURATION C\nRESOURCE R ON cpu\n\
         TASK fast (INTERVAL := T#10ms);\nTASK slow (INTERVAL := T#50ms);\nPROGRAM p1 WITH fast : P;\nPROGRAM p2 WITH slow : P;\n\
         PROGRAM q1 WITH slow : Q;\nEND_RESOURCE\nEND_CONFIGURATION"
    );
    let check = |text: &str, entry: &str, ms: Option<i128>| {
        let mut sources = crate::text::SourceSet::default();
        sources.add("p.st", text);
        let options = crate::LoadOptions { entry: Some(entry.to_owned()), ..Default::default() };
        let loaded = crate::load(&sources, &options);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        assert_eq!(loaded.value.interval_ns, ms.map(|ms| ms * 1_000_000), "{entry}");
    };
    check(&text, "Q", Some(50));
    // Two tasks run it, and tasks differ.
    check(&text, "P", None);
    check(&text, "Idle", None);
    let one = text.replace("TASK slow (INTERVAL := T#50ms);\n", "").replace("slow", "fast");
    check(&one, "Idle", Some(10));
    check(&one, "P", Some(10));
    // A program that an event starts.
    let event = one.replace("PROGRAM q1 WITH fast", "TASK e (SINGLE := TRUE);\nPROGRAM q1 WITH e");
    check(&event, "Q", None);
}

#[test]
fn what_is_not_exact_is_in_the_ledger() {
    let gaps = |inner: &str| -> Vec<String> {
        let text = format!("{PROGRAM}PROGRAM Idle\nEND_PROGRAM\nCONFIGURATION C\n{inner}\nEND_CONFIGURATION");
        let loaded = loaded(&text);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        loaded.value.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect()
    };
    let two = |a: &str, b: &str| {
        format!(
            r"RESOURCE R ON cpu
TASK a ({a});
TASK b ({b});
PROGRAM p WITH a : P;
PROGRAM q WITH b : P;
PROGRAM i : Idle;
END_RESOURCE"
        )
    };
    assert_eq!(gaps(&two("INTERVAL := T#10ms", "INTERVAL := T#10ms")), ["several TASKs"]);
    assert_eq!(gaps(&two("INTERVAL := T#10ms", "INTERVAL := T#15ms")), ["several TASKs"]);
    assert_eq!(gaps("RESOURCE R ON cpu\nPROGRAM p : P;\nEND_RESOURCE"), ["PROGRAM `Idle` in no task"]);
}

#[test]
fn organization_blocks_of_other_events_do_not_run_in_the_cycle() {
    let text = |name: &str, title: &str| {
        format!(
            "DATA_BLOCK \"G\"\nVERSION : 0.1\nVAR\n n : Int;\nEND_VAR\nBEGIN\nEND_DATA_BLOCK\nORGANIZATION_BLOCK \"Main\"\n\
             TITLE = \"Main Program Sweep (Cycle)\"\nBEGIN\n IF \"G\".n < 100 THEN \"G\".n := \"G\".n + 1; END_IF;\nEND_ORGANIZATION_BLOCK\n\
             ORGANIZATION_BLOCK \"{name}\"\n{title}\nBEGIN\n \"G\".n := 0;\nEND_ORGANIZATION_BLOCK\n"
        )
    };
    for (name, title, runs, is_input, gap) in [
        ("OB100", "", 1, false, ""),
        ("Begin", "TITLE = Complete Restart", 1, false, ""),
        ("OB101", "", 1, true, "`OB101`, which an interrupt or an error starts, runs between two cycles"),
        ("OB102", "", 1, false, "`OB102` runs before the first cycle"),
        ("OB35", "", 1, true, "`OB35`, which an interrupt or an error starts, runs between two cycles"),
        ("Main_1", "", 2, false, ""),
        ("Second", "", 2, false, "`Second` runs in every cycle"),
    ] {
        let mut sources = SourceSet::default();
        sources.add("a.scl", text(name, title));
        let loaded = load(&sources, &LoadOptions::default());
        let project = &loaded.value.project;
        assert_eq!(project.task.runs.len(), runs, "{name}: {:#?}", loaded.diagnostics);
        assert_eq!(project.environment.contains_key("G.n"), is_input, "{name}: {:?}", project.environment);
        let of = |treatment: Treatment| -> Vec<&str> {
            let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == treatment);
            gaps.map(|gap| gap.construct.as_str()).collect()
        };
        assert_eq!(of(Treatment::Assumed).join(", "), gap, "{name}");
        assert_eq!(project.beside.is_empty(), !gap.contains("which an interrupt") && !gap.contains("before the first"), "{name}");
        // A run may need a write that comes in no later cycle.
        assert_eq!(of(Treatment::AssumedByRuns).len(), usize::from(is_input), "{name}");
    }
}

/// A program that is its own instance has one memory for all its calls.
#[test]
fn two_tasks_may_call_one_program() {
    let runs = |first: &str, second: &str| {
        let inner = format!(
            "TASK t (INTERVAL := T#10ms);\nTASK u (INTERVAL := T#10ms);\nPROGRAM P WITH t : P;\nPROGRAM {first} WITH {second} : P;"
        );
        let loaded = loaded(&format!("{PROGRAM}CONFIGURATION C\nRESOURCE R ON cpu\n{inner}\nEND_RESOURCE\nEND_CONFIGURATION"));
        let project = &loaded.value.project;
        let runs = project.task.runs.iter().map(|id| &project.pous[project.instances[*id].pou]);
        (project.instances.len(), runs.map(|pou| pou.body.len()).collect::<Vec<_>>())
    };
    // The hidden program calls it twice.
    assert_eq!(runs("P", "u"), (2, vec![2]));
    assert_eq!(runs("P", "t"), (2, vec![2]));
    assert_eq!(runs("q", "u"), (2, vec![0, 0]));
}

#[test]
fn intervals_are_whole_milliseconds() {
    let check = |interval: &str, ms: i128, expected: &[&str]| {
        let inner = format!("TASK t (INTERVAL := {interval});\nPROGRAM p WITH t : P;");
        let text = format!("{PROGRAM}CONFIGURATION C\nRESOURCE R ON cpu\n{inner}\nEND_RESOURCE\nEND_CONFIGURATION");
        for entry in [None, Some("P".to_owned())] {
            let mut sources = SourceSet::default();
            sources.add("p.st", text.clone());
            let loaded = load(&sources, &LoadOptions { entry, ..LoadOptions::default() });
            assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
            assert_eq!(loaded.value.interval_ns, Some(ms * 1_000_000), "{interval}");
            let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains("interval of task"));
            let told: Vec<&str> = gaps.map(|gap| gap.construct.as_str()).collect();
            assert_eq!(told, expected, "{interval}");
        }
    };
    check("T#20ms", 20, &[]);
    check("T#500us", 1, &["the interval of task `t`, 0.5 ms, is 1 ms"]);
    check("T#1ms400us", 1, &["the interval of task `t`, 1.4 ms, is 1 ms"]);
    check("T#2ms500us", 3, &["the interval of task `t`, 2.5 ms, is 3 ms"]);
}
