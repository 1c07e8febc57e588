//! Counterexamples of Studio 5000 in words and drawings.

use super::cli::scanproof;
use super::logix::{answer, export, with_tags};

/// Rungs that execute without power, and those around a call, are drawn as executed once.
#[test]
fn rungs_that_execute_are_drawn_as_executed() {
    let folder = tempfile::tempdir().unwrap();
    let rungs = ["AFI()OTL(p)", "NOP()", "OTL(p)JSR(Other,0)MOV(3,z)", "MOV(4,z)", "XIC(a)MCR()", "OTL(p)", "MCR()"];
    let rung = |(at, text): (usize, &&str)| format!("<Rung Number=\"{at}\" Type=\"N\"><Text><![CDATA[{text};]]></Text></Rung>");
    let rungs: String = rungs.iter().enumerate().map(rung).collect();
    let other = "<Routine Name=\"Other\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[MOV(1,z);]]></Text></Rung>\
                 </RLLContent></Routine>";
    let text = export("NOP();", other);
    let (before, rest) = text.split_once("<Rung").unwrap();
    let (_, after) = rest.split_once("</Rung>").unwrap();
    std::fs::write(folder.path().join("test.L5X"), format!("{before}{rungs}{after}")).unwrap();
    let spec = "checks: []\nrequirements:\n  - id: R1\n    text: It is another number.\n    if: NOT a\n    then: z <> 4\n";
    std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
    let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcome = &document["programs"][0]["outcome"];
    let networks =
        outcome["results"][0]["counterexample"]["cycles"][0]["networks"].as_array().unwrap_or_else(|| panic!("{document}"));
    let diagrams = outcome["import"]["diagrams"].as_array().unwrap();
    for (at, diagram) in diagrams.iter().enumerate() {
        let runs: Vec<u64> =
            networks.iter().filter(|run| run["diagram"] == at).map(|run| run["times"].as_u64().unwrap()).collect();
        assert_eq!(runs, [1], "{}", diagram["title"]);
    }
    assert_eq!(diagrams.len(), 8);
    // The operand before a call keeps its value.
    let calls = diagrams.iter().position(|diagram| diagram["title"] == "Main, rung 2").unwrap();
    let run = networks.iter().find(|run| run["diagram"] == calls).unwrap();
    assert_eq!(run["operands"][1], "TRUE", "{run}");
}

/// A write of the prescan comes before the first scan.
#[test]
fn writes_of_the_prescan_are_told_as_such() {
    let rest = "<Routine Name=\"Other\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[XIC(a)OTE(k);]]></Text></Rung>\
                </RLLContent></Routine>";
    let on = "Name=\"k\" DataType=\"BOOL\"><Data Format=\"Decorated\"><DataValue DataType=\"BOOL\" Value=\"1\"/></Data>";
    let text = with_tags(&export("XIC(a)JSR(Other,0);", rest), &[on]);
    let shown = answer(&text, "always: k");
    assert!(shown.contains("k was last written in the prescan of rung 0 of P.Other, before the first scan"), "{shown}");
    // A coil of the scan writes it in the cycle.
    let shown = answer(&with_tags(&export("XIC(a)OTE(k);", ""), &[on]), "always: k");
    assert!(shown.contains("k was written on rung 0 of P.Main in this cycle"), "{shown}");
}

/// The counter of a task's cycles is no variable of a user.
#[test]
fn counters_of_tasks_have_words() {
    let whole = export("ADD(z,1,z);", "");
    let (_, rest) = whole.split_once("<Program ").unwrap();
    let (program, _) = rest.split_once("</Program>").unwrap();
    let other = format!("<Program {}</Program></Programs>", program.replace("Name=\"P\"", "Name=\"Q\""));
    let task = |name: &str, rate: u32, program: &str| {
        format!(
            "<Task Name=\"{name}\" Type=\"PERIODIC\" Rate=\"{rate}\" Priority=\"5\"><ScheduledPrograms><ScheduledProgram \
             Name=\"{program}\"/></ScheduledPrograms></Task>"
        )
    };
    let tasks = format!("<Tasks>{}{}</Tasks></Controller>", task("T1", 10, "P"), task("T2", 20, "Q"));
    let text = whole.replace("</Programs>", &other).replace("</Controller>", &tasks);
    for requirement in ["always: Q.z < 3", "never: Q.p"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("test.L5X"), &text).unwrap();
        let spec = format!("checks: []\nrequirements:\n  - id: R1\n    text: It stays small.\n    {requirement}\n");
        std::fs::write(folder.path().join("test.yaml"), spec).unwrap();
        let output = scanproof(folder.path(), &["verify", "test.L5X", "--json"]);
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(!shown.contains("T2.cycle"), "{requirement}: {shown}");
    }
}

/// Words about the end of a run are no rows of its table.
#[test]
fn tables_for_other_programs_hold_no_messages() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "PROGRAM Main VAR_INPUT d : INT; END_VAR VAR x : INT; END_VAR x := x + 1; //#ASSERT x < 2\nx := x / d; END_PROGRAM";
    std::fs::write(folder.path().join("p.st"), text).unwrap();
    for format in ["--csv", "--vcd"] {
        let output = scanproof(folder.path(), &["simulate", "p.st", format, "--cycles", "3"]);
        let (table, messages) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(!table.contains("the run ends") && messages.contains("the run ends"), "{table}\n{messages}");
    }
    let output = scanproof(folder.path(), &["simulate", "p.st", "--cycles", "3"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("the run ends"));
}

/// The bit that a shift register takes in is a cause, and stands in the table.
#[test]
fn the_source_bit_of_a_shift_register_is_a_cause() {
    for (shift, bit) in [("BSL", 0), ("BSR", 7)] {
        let control = "<Tag Name=\"g\" TagType=\"Base\" DataType=\"CONTROL\"><Data Format=\"Decorated\"><Structure \
                       DataType=\"CONTROL\"><DataValueMember Name=\"LEN\" DataType=\"DINT\" Value=\"8\"/></Structure></Data></Tag>";
        let tags = format!("<Tags>{control}<Tag Name=\"list\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"4\"/>");
        let rung = format!("XIC(a){shift}(list[0],g,k,8)XIC(list[0].{bit})OTE(p);");
        let on = "Name=\"k\" DataType=\"BOOL\" Usage=\"Input\">";
        let text = with_tags(&export(&rung, "").replace("<Tags>", &tags), &[on]);
        let shown = answer(&text, "never: p");
        let is_row = |line: &str| line.split_whitespace().next() == Some("k");
        assert!(shown.contains("k is TRUE") && shown.lines().any(is_row), "{shown}");
    }
}
