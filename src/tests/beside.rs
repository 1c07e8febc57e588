//! Code beside the run that may write variables without naming them: a condition of the answers that depend on these variables.

use crate::cli::{Case, text};

/// The lamp depends on a global variable, `own` on a variable of the program, and `n` on nothing that others can write.
const MAIN: &str = "PROGRAM Main\nVAR n : INT; lamp, own : BOOL; END_VAR\nn := 1 - n;\nIF n = 7 THEN g := TRUE; own := TRUE; END_IF;\n\
    lamp := g;\nEND_PROGRAM\nVAR_GLOBAL g : BOOL; END_VAR\n";

#[track_caller]
fn check(other: (&str, &str), condition: Option<&str>) {
    let requirements = b"entry: Main\nrequirements: [{ never: Main.lamp }, { never: Main.own }]";
    let case = Case::new(&[("main.st", MAIN.as_bytes()), (other.0, other.1.as_bytes()), ("main.yaml", requirements)]);
    let found = text(&case.run(&["verify", "main.st", other.0, "--req", "main.yaml"]));
    let n_under = found.lines().filter(|line| line.contains("Holds in every cycle under ")).count();
    assert_eq!(n_under, if condition.is_some() { 2 } else { 0 }, "{found}");
    assert!(condition.is_none_or(|condition| found.contains(condition)), "{found}");
}

#[test]
fn blocks_that_no_file_declares_may_write_what_others_can_name() {
    let condition = Some("`FC_Other` is declared in no file");
    check(("other.st", "PROGRAM Other\nFC_Other(TRUE);\nEND_PROGRAM\n"), condition);
    check(("other.st", "PROGRAM Other\nVAR x : INT := FC_Other(1); END_VAR\nEND_PROGRAM\n"), condition);
    check(("other.st", "PROGRAM Other\nVAR x : INT; END_VAR\nx := 1;\nEND_PROGRAM\n"), None);
}

#[test]
fn programs_of_tasks_that_no_file_declares_may_write() {
    let task = |program: &str| {
        format!(
            "CONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM P1 WITH T : Main;\n\
             PROGRAM P2 WITH T : {program};\nEND_RESOURCE\nEND_CONFIGURATION\nPROGRAM Other\nEND_PROGRAM\n"
        )
    };
    check(("other.st", &task("Missing")), Some("`Missing`, which a task runs and no file declares"));
    check(("other.st", &task("Other")), None);
    check(("other.st", &task("Main")), Some("`Main` runs once in each cycle, though tasks run it several times"));
    let other = "PROGRAM Other\nVAR_OUTPUT o : BOOL; END_VAR\no := TRUE;\nEND_PROGRAM\n";
    let connected = task("Other(o => g)").replace("PROGRAM Other\nEND_PROGRAM\n", other);
    check(("other.st", &connected), Some("the connections of `P2` write nothing"));
}

#[test]
fn bodies_that_are_not_read_may_write() {
    let other = |body: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TcPlcObject Version=\"1.1.0.1\">\n<POU Name=\"O\" Id=\"{{1}}\">\n\
             <Declaration><![CDATA[PROGRAM O\nVAR x : BOOL; END_VAR\n]]></Declaration>\n<Implementation>{body}</Implementation>\n\
             </POU>\n</TcPlcObject>\n"
        )
    };
    let uml = "<UML><XmlArchive><Data>AAAA</Data></XmlArchive></UML>";
    check(("O.TcPOU", &other(uml)), Some("`O` (body in UML) writes no variables but those that its text names"));
    check(("O.TcPOU", &other("<ST><![CDATA[x := TRUE;]]></ST>")), None);
}

/// A block may keep the variable of a call and write it when another program calls its method.
#[test]
fn in_outs_that_a_block_keeps_may_be_written() {
    let block = "FUNCTION_BLOCK L\nVAR_IN_OUT q : BOOL; END_VAR\nMETHOD W\nq := TRUE;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let main = "PROGRAM Main\nVAR n : INT; lamp, flag : BOOL; END_VAR\nl(q := flag);\nn := 1 - n;\nIF n = 7 THEN flag := TRUE; END_IF;\n\
        lamp := flag;\nEND_PROGRAM\nVAR_GLOBAL l : L; END_VAR\nPROGRAM Other\nl.W();\nEND_PROGRAM\n";
    let files: [(&str, &[u8]); 3] = [
        ("main.st", main.as_bytes()),
        ("l.st", block.as_bytes()),
        ("main.yaml", b"entry: Main\nrequirements: [{ never: lamp }]"),
    ];
    let found = text(&Case::new(&files).run(&["verify", "main.st", "l.st", "--req", "main.yaml"]));
    assert!(found.contains("under 1 condition") && found.contains("writes nothing through a VAR_IN_OUT"), "{found}");
}

/// A call that takes the address of a whole program may write all of it.
#[test]
fn programs_whose_address_is_taken_may_be_written() {
    let main = "PROGRAM Main\nVAR n : INT; lamp, flag : BOOL; END_VAR\nn := 1 - n;\nIF n = 7 THEN flag := TRUE; END_IF;\nlamp := flag;\n\
        END_PROGRAM\nPROGRAM Other\nMEMSET(ADR(Main), 1, SIZEOF(Main));\nEND_PROGRAM\n";
    let files: [(&str, &[u8]); 2] =
        [("main.st", main.as_bytes()), ("main.yaml", b"entry: Main\ndialect: codesys\nrequirements: [{ never: lamp }]")];
    let found = text(&Case::new(&files).run(&["verify", "main.st", "--req", "main.yaml"]));
    assert!(!found.contains("Holds in every cycle — proved"), "{found}");
}
