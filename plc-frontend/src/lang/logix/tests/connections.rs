//! Copies that no statement writes: connections of parameters and mapped safety tags. Programs of tasks that the export lacks.

use super::*;

fn conditions(text: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", load(&sources, &LoadOptions::default()).value.ledger)
}

/// Returns a controller of one program with these elements at its end.
fn controller(rest: &str) -> String {
    export("XIC(a)OTE(p);", "")
        .replace("Use=\"Context\"", "Use=\"Target\"")
        .replace("</Controller>", &format!("{rest}</Controller>"))
}

#[test]
fn each_connection_is_a_condition() {
    let words = "of each other, though a connection";
    assert!(!conditions(&controller("")).contains(words));
    let row = |from: &str, to: &str| format!("<ParameterConnection EndPoint1=\"{from}\" EndPoint2=\"{to}\"/>");
    let rows = [row("\\P.p", "Ct"), row("Local:2:O.Data.1", "\\P.q")].concat();
    let found = conditions(&controller(&format!("<ParameterConnections>{rows}</ParameterConnections>")));
    assert!(found.contains("`\\\\P.p` and `Ct` are independent of each other, though a connection"), "{found}");
    assert!(found.contains("`Local:2:O.Data.1` and `\\\\P.q` are independent of each other, though a connection"), "{found}");
    // One without its ends connects all the same.
    let found = conditions(&controller("<ParameterConnections><ParameterConnection/></ParameterConnections>"));
    assert!(found.contains(words), "{found}");
}

#[test]
fn many_connections_are_one_condition() {
    let rows: String = (0..40).map(|at| format!("<ParameterConnection EndPoint1=\"\\P.p{at}\" EndPoint2=\"Ct\"/>")).collect();
    let found = conditions(&controller(&format!("<ParameterConnections>{rows}</ParameterConnections>")));
    assert_eq!(found.matches("independent of each other").count(), 1, "{found}");
    assert!(found.contains("p0` and `Ct`, `") && found.contains("p39` and `Ct`"), "{found}");
}

#[test]
fn each_mapped_safety_tag_is_a_condition() {
    let words = "of each other, though the safety tag map";
    let map = |text: &str| {
        let info = format!("<SafetyInfo SafetyLocked=\"false\"><SafetyTagMap>{text}</SafetyTagMap></SafetyInfo>");
        conditions(&controller(&info))
    };
    let found = map(" one=two, three = four");
    assert!(found.contains("`one` and `two` are independent of each other, though the safety tag map"), "{found}");
    assert!(found.contains("`three` and `four` are independent of each other, though the safety tag map"), "{found}");
    assert!(!map(" ").contains(words));
}

#[test]
fn a_program_of_a_task_that_the_export_lacks_is_a_condition() {
    let task = |name: &str, inhibited: bool| {
        format!(
            "<Tasks><Task Name=\"T\" Type=\"PERIODIC\" Rate=\"10\" Priority=\"10\" InhibitTask=\"{inhibited}\"><ScheduledPrograms>\
             <ScheduledProgram Name=\"P\"/><ScheduledProgram Name=\"{name}\"/></ScheduledPrograms></Task></Tasks>"
        )
    };
    let words = "`Hid`, which a task runs and its export does not hold, writes no tag";
    let found = conditions(&controller(&task("Hid", false)));
    assert!(found.contains(words), "{found}");
    assert!(!conditions(&controller(&task("Hid", true))).contains(words));
    // A program that is switched off does not run.
    let off = "<Program Name=\"Hid\" Disabled=\"true\" MainRoutineName=\"Main\"><Routines/></Program></Programs>";
    assert!(!conditions(&controller(&task("hid", false)).replace("</Programs>", off)).contains("its export does not hold"));
    // One that is only named is not read.
    let named = "<Program Use=\"Reference\" Name=\"Hid\"/></Programs>";
    assert!(conditions(&controller(&task("Hid", false)).replace("</Programs>", named)).contains(words));
}

/// Pending edits of Structured Text: which text runs depends on the controller.
#[test]
fn structured_text_with_pending_edits_is_a_gap() {
    let gap = "Structured Text with pending edits";
    let other = structured("Other", &["p := NOT a;"]);
    let text = |rest: &str| conditions(&export("JSR(Other,0);", rest));
    assert!(!text(&other).contains(gap));
    let original = other.replace("<STContent>", "<STContent OnlineEditType=\"Original\">");
    assert!(!text(&original).contains(gap));
    for kind in ["PendingEdits", "Test"] {
        let second =
            format!("<STContent OnlineEditType=\"{kind}\"><Line Number=\"0\"><![CDATA[p := a;]]></Line></STContent></Routine>");
        assert!(text(&original.replace("</Routine>", &second)).contains(gap));
        assert!(text(&other.replace("<STContent>", &format!("<STContent OnlineEditType=\"{kind}\">"))).contains(gap));
    }
}
