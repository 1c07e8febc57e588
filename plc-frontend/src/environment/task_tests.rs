//! Code beside a chosen entry where the tasks are known, as tables.

use crate::isolation::load_isolated;
use crate::resolve::LoadOptions;
use crate::text::SourceSet;

/// Returns the settings and the conditions about code beside the run.
fn beside(text: &str) -> (Vec<String>, Vec<String>) {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
    assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
    let project = &loaded.value.project;
    let told = project.beside.iter().map(|(span, extent)| {
        let gap = loaded.value.ledger.gaps.iter().find(|gap| gap.span == *span);
        format!("{} {extent:?}", gap.map_or("", |gap| gap.construct.split([' ', ',']).next().unwrap_or_default()))
    });
    (project.environment.keys().cloned().collect(), told.collect())
}

const TASKS: &str = "CONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\n\
    TASK U(INTERVAL := T#10ms, PRIORITY := 2);\nPROGRAM P1 WITH T : Main;\nPROGRAM P2 WITH U : Other;\nEND_RESOURCE\nEND_CONFIGURATION\n";

#[test]
fn code_that_no_task_reaches() {
    let check = |text: &str, settings: &[&str], conditions: &[&str]| {
        let main =
            "VAR_GLOBAL g : INT := 0; h : INT := 0; END_VAR\nPROGRAM Main\nVAR n : INT; END_VAR\nn := g + h;\nEND_PROGRAM\n";
        let found = beside(&format!("{main}{TASKS}{text}"));
        let told = found.1.iter().map(String::as_str).filter(|told| !told.starts_with("programs")).collect::<Vec<_>>();
        assert_eq!(
            (found.0.iter().map(String::as_str).collect::<Vec<_>>(), told),
            (settings.to_vec(), conditions.to_vec()),
            "{text}"
        );
    };
    let other = |body: &str| format!("PROGRAM Other\n{body}\nEND_PROGRAM\n");
    let old = "PROGRAM Old\ng := 5;\nEND_PROGRAM\n";
    let condition = "what Leaves({\"g\"})";
    check(&other("h := 1;"), &["h"], &[]);
    check(&format!("{}{old}", other("h := 1;")), &["h"], &[condition]);
    check(&format!("{}{old}", other("Old();")), &["g"], &[]);
    // A function may be called by an initial value, a block through a reference to its base: what they write is an input.
    let function = "FUNCTION F : INT\ng := 5;\nF := 1;\nEND_FUNCTION\n";
    check(&format!("{}{function}", other("h := 1;")), &["g", "h"], &[]);
    check(&format!("{}{function}", other("h := F();")), &["g", "h"], &[]);
    // Text that is left out may call it.
    check(&format!("{}{old}", other("Old(); h := ;")), &["g", "h"], &[]);
    // A program that only an idle one calls.
    check(&format!("{}{old}PROGRAM Older\nOld();\nEND_PROGRAM\n", other("h := 1;")), &["h"], &[condition]);
    // A method that nothing calls.
    let block = "FUNCTION_BLOCK B\nMETHOD M\ng := 5;\nEND_METHOD\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; \
        END_VAR\nEND_METHOD\nEND_FUNCTION_BLOCK\nVAR_GLOBAL b : B; END_VAR\n";
    check(&format!("{}{block}", other("b();")), &["g"], &[]);
    check(&format!("{}{block}", other("b.M();")), &["g"], &[]);
}

#[test]
fn other_programs_of_the_same_task_may_write_behind_the_entry() {
    let main = "VAR_GLOBAL g : INT := 0; END_VAR\nPROGRAM Main\ng := 1;\nEND_PROGRAM\n";
    let found = beside(&format!("{main}{}PROGRAM Other\ng := 2;\nEND_PROGRAM\n", TASKS.replace("WITH U", "WITH T"))).1;
    assert_eq!(found, ["other Nameable"]);
    let found = beside(&format!("{main}{}PROGRAM Other\n;\nEND_PROGRAM\n", TASKS.replace("WITH U", "WITH T"))).1;
    assert_eq!(found, ["other Leaves({})"]);
}

#[test]
fn references_that_are_not_followed_may_write_arguments() {
    let main = "VAR_GLOBAL g : INT := 0; END_VAR\nPROGRAM Main\nVAR y : INT; END_VAR\ny := g;\nEND_PROGRAM\n";
    let block = "INTERFACE I_P\nMETHOD M\nVAR_IN_OUT x : INT; END_VAR\nEND_METHOD\nEND_INTERFACE\n\
        FUNCTION_BLOCK B IMPLEMENTS I_P\nMETHOD M\nVAR_IN_OUT x : INT; END_VAR\nx := 5;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        FUNCTION F : BOOL\nVAR_INPUT p : I_P; END_VAR\np.M(x := g);\nEND_FUNCTION\n\
        PROGRAM Other\nVAR b : B; END_VAR\nF(b);\nEND_PROGRAM\n";
    let (settings, conditions) = beside(&format!("{main}{block}"));
    let is_known = settings.contains(&"g".to_owned()) || conditions.iter().any(|told| told.ends_with(" Nameable"));
    assert!(is_known, "{settings:?} {conditions:?}");
}

#[test]
fn tasks_beside_the_entry_matter_where_they_write() {
    let main = "VAR_GLOBAL g, h, k : INT := 0; END_VAR\nPROGRAM Main\nVAR_INPUT i : INT; END_VAR\nVAR n : INT; END_VAR\nn := g + h + i;\n\
        END_PROGRAM\n";
    let check = |body: &str, expected: &str| {
        let found = beside(&format!("{main}{TASKS}PROGRAM Other\n{body}\nEND_PROGRAM\n")).1;
        assert_eq!(found, [format!("programs {expected}")], "{body}");
    };
    check(";", "Leaves({})");
    check("k := g;", "Leaves({\"k\"})");
    check("h := g;", "Nameable");
    check("Main.i := 7;", "Nameable");
    check("Main.n := Main.n + 1;", "Nameable");
}

/// Connections of a program are left out where one program is chosen.
#[test]
fn connections_of_programs_beside_a_chosen_entry() {
    let check = |connections: &str, conditions: &[&str]| {
        let text = format!(
            "VAR_GLOBAL g : INT := 0; END_VAR\nPROGRAM Main\nVAR_INPUT i : INT; END_VAR\nVAR_IN_OUT io : INT; END_VAR\nVAR_OUTPUT o : INT; \
             END_VAR\no := i;\nEND_PROGRAM\nPROGRAM Other\nVAR_INPUT i : INT; END_VAR\nVAR_IN_OUT io : INT; END_VAR\nio := 1;\n\
             END_PROGRAM\nCONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\n\
             PROGRAM {connections};\nEND_RESOURCE\nEND_CONFIGURATION\n"
        );
        assert_eq!(beside(&text).1, conditions, "{connections}");
    };
    check("P1 WITH T : Main", &[]);
    check("P1 WITH T : Main(i := g)", &["the Leaves({\"Main.i\"})"]);
    check("P1 WITH T : Main(I := 1, o => g)", &["the Nameable", "the Leaves({\"Main.i\"})"]);
    check("P1 WITH T : Main(io := g)", &["the Nameable"]);
    check("P1 WITH T : Main;\nPROGRAM P2 WITH T : Other(i := g)", &["other Leaves({})"]);
    check("P1 WITH T : Main;\nPROGRAM P2 WITH T : Other(io := g)", &["other Nameable"]);
}

/// The other programs run, and answers name what the missing one may do. One with connections writes: it stays an error.
#[test]
fn a_task_with_a_missing_program() {
    let read = |missing: &str| {
        let mut sources = SourceSet::default();
        let main = "VAR_GLOBAL g : INT := 0; END_VAR\nPROGRAM Main\ng := 1;\nEND_PROGRAM\n";
        let tasks = "CONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\n";
        let programs = format!("PROGRAM P1 WITH T : Main;\n{missing}\nEND_RESOURCE\nEND_CONFIGURATION\n");
        sources.add("main.st", format!("{main}{tasks}{programs}"));
        load_isolated(&sources, &LoadOptions::default())
    };
    let found = read("PROGRAM P2 WITH T : Missing;");
    assert!(found.value.runs && !found.has_errors(), "{:?}", found.diagnostics);
    let conditions: Vec<&str> = found
        .value
        .project
        .beside
        .keys()
        .filter_map(|span| found.value.ledger.gaps.iter().find(|gap| gap.span == *span).map(|gap| gap.construct.as_str()))
        .collect();
    assert_eq!(
        conditions,
        ["`Missing`, which a task runs and no file declares, writes no global variable and none of a program"]
    );
    let found = read("PROGRAM P2 WITH T : Missing(x => g);");
    assert!(found.has_errors() || found.value.left_out.len() == 1, "{:?}", found.diagnostics);
}
