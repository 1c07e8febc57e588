//! Damaged projects, and files that are no projects.

use super::{check, loaded, program, project};
use crate::LoadOptions;
use crate::text::{Severity, SourceSet};

#[test]
fn files_of_other_kinds_are_told_so() {
    let check_one = |text: &str, expected: &str| check(text, expected);
    check_one("<other><x/></other>", "P0010@1");
    check_one("<project><modelVersion/></project>", "P0010@1");
    // An empty element: nothing is lost.
    check_one("<data/>", "P0003@1");
    check_one("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url/></urlset>", "P0003@1");
    let good = program("x:BOOL", "<ST>x := TRUE;</ST>");
    check_one(&good, "");
    // Other namespaces are read, and the ledger says so.
    for namespace in ["http://example.org/x", "http://www.plcopen.org/xml/tc6.xsd", ""] {
        let odd = good.replace("http://www.plcopen.org/xml/tc6_0201", namespace);
        let loaded = loaded("main.xml", &odd);
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let n_notes = loaded.value.ledger.ignored.iter().filter(|i| i.what.contains("instead of")).count();
        assert_eq!(n_notes, usize::from(!namespace.contains("tc6")), "{namespace}");
    }
    // A prefix for the namespace of PLCopen.
    check_one(&good.replace("xmlns=", "xmlns:p=").replace("<project", "<p:project").replace("</project", "</p:project"), "");
}

#[test]
fn declarations_that_lack_something_have_places() {
    let pou = |text: &str| project("", &format!("\n{text}"), "");
    let body = "<body><ST></ST></body>";
    check(&pou(&format!("<pou pouType=\"program\">{body}</pou>")), "P0011@5");
    check(&pou(&format!("<pou name=\"A\" pouType=\"applet\">{body}</pou>")), "P0011@5");
    check(&pou(&format!("<pou name=\"A 1\" pouType=\"program\">{body}</pou>")), "P1010@5");
    let main = |vars: &str| {
        pou(&format!("<pou name=\"Main\" pouType=\"program\"><interface><localVars>{vars}</localVars></interface>{body}</pou>"))
    };
    check(&main("<variable name=\"x\"/>"), "P0011@5");
    check(&main("<variable name=\"x\"><type/></variable>"), "P0011@5");
    check(
        &main("<variable name=\"x\"><type><array><baseType><INT/></baseType><dimension lower=\"1\"/></array></type></variable>"),
        "P0011@5",
    );
    check(&main("<variable name=\"x\"><type><derived name=\"Nope\"/></type></variable>"), "P2002@5");
    check(&main("<variable name=\"x\" address=\"%Z\"><type><INT/></type></variable>"), "P1006@5");
    check(
        &main("<variable name=\"x\"><type><INT/></type><initialValue><simpleValue value=\"1 +\"/></initialValue></variable>"),
        "P1010@5",
    );
    check(&main("<variable name=\"IF\"><type><INT/></type></variable>"), "");
}

#[test]
fn what_is_not_known_is_in_the_ledger() {
    let gaps = |xml: &str| -> Vec<String> {
        let loaded = loaded("main.xml", xml);
        assert!(loaded.diagnostics.iter().all(|d| d.severity != Severity::Error), "{:?}", loaded.diagnostics);
        loaded.value.ledger.gaps.iter().map(|g| g.construct.clone()).collect()
    };
    let good = program("x:BOOL", "<ST>x := TRUE;</ST>");
    assert_eq!(gaps(&good), [""; 0]);
    assert_eq!(gaps(&good.replace("<types>", "<types><magic/>")), ["element of an unknown kind"]);
    assert_eq!(gaps(&good.replace("<interface>", "<interface><magic/>")), ["element of an unknown kind"]);
    assert_eq!(gaps(&good.replace("<ST>", "<Magic/><ST>")), ["body in an unknown language"]);
    assert_eq!(
        gaps(&good.replace("<body>", "").replace("</body>", "").replace("<ST>x := TRUE;</ST>", "")),
        ["POU without a body"]
    );
    let data = "<addData><data name=\"x\" handleUnknown=\"implementation\"><Magic/></data></addData>";
    assert_eq!(gaps(&good.replace("<types>", &format!("<types>{data}"))), ["vendor's data of an unknown kind"]);
    assert_eq!(gaps(&good.replace("<types>", &format!("<types>{}", data.replace("implementation", "discard")))), [""; 0]);
}

/// A state chart may stand beside an empty body, and only the first of such data is named.
#[test]
fn data_of_an_unknown_kind_is_a_condition_of_all_answers() {
    let data = "<addData><data name=\"uml\" handleUnknown=\"implementation\"><Magic/></data></addData>";
    let good = program("x:BOOL", "<ST>x := TRUE;</ST>");
    let loaded = loaded("main.xml", &good.replace("<body>", &format!("{data}<body>")));
    let extents: Vec<&crate::hir::Extent> = loaded.value.project.beside.values().collect();
    assert_eq!(extents, [&crate::hir::Extent::All]);
}

#[test]
fn a_file_cut_anywhere_is_still_read() {
    let rung = "<LD><leftPowerRail localId=\"1\"><position x=\"0\" y=\"0\"/></leftPowerRail><coil localId=\"2\" storage=\"set\"><position x=\"9\" y=\"0\"/>\
                <connectionPointIn><connection refLocalId=\"1\"/></connectionPointIn><variable>x&amp;y</variable></coil></LD>";
    let text = program("x:BOOL;t:TON", rung);
    for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
        let _ = loaded("main.xml", &text[..end]);
    }
    for start in (0..text.len() - 9).step_by(11) {
        let without = text[..start].to_owned() + &text[start + 9..];
        let _ = loaded("main.xml", &without);
    }
}

#[test]
fn what_changes_the_meaning_of_an_element_is_not_passed_over() {
    let rung = |more: &str, inner: &str| {
        let coil = format!(
            "<coil localId=\"2\" {more}><position x=\"9\" y=\"0\"/><connectionPointIn><connection refLocalId=\"1\"/></connectionPointIn>\
             <variable>x</variable>{inner}</coil>"
        );
        let rail = "<leftPowerRail localId=\"1\"><position x=\"0\" y=\"0\"/></leftPowerRail>";
        program("x:BOOL", &format!("<LD>\n{rail}{coil}</LD>"))
    };
    check(&rung("edge=\"none\" storage=\"\"", ""), "");
    check(&rung("edge=\"both\"", ""), "P1010@6");
    check(&rung("storage=\"kept\"", ""), "P1010@6");
    let gaps = |xml: &str| loaded("main.xml", xml).value.ledger.gaps.iter().map(|g| g.construct.clone()).collect::<Vec<_>>();
    assert_eq!(gaps(&rung("", "<magic/>")), ["part of an element that is not known", "network with parts that are not modelled"]);
    let stored = "<FBD><inVariable localId=\"1\" storage=\"set\"><position x=\"0\" y=\"0\"/><expression>x</expression></inVariable>\
                  <outVariable localId=\"2\"><position x=\"9\" y=\"0\"/><connectionPointIn><connection refLocalId=\"1\"/></connectionPointIn>\
                  <expression>x</expression></outVariable></FBD>";
    assert_eq!(gaps(&program("x:BOOL", stored))[0], "stored value at a pin that reads");
    // Tasks that events start, and methods that the system calls.
    let good = program("x:BOOL", "<ST>x := TRUE;</ST>");
    let data = |inner: &str| format!("<addData><data name=\"x\" handleUnknown=\"implementation\">{inner}</data></addData>");
    let called = data("<Attributes><Attribute Name=\"call_after_init\" Value=\"\"/></Attributes>");
    assert_eq!(
        gaps(&good.replace("</interface>", &format!("{called}</interface>"))),
        ["attribute that makes the system call a method"]
    );
    let event = data("<TaskSettings KindOfTask=\"ExternalEvent\"/>");
    let task = format!(
        "<configuration name=\"C\"><resource name=\"R\"><task name=\"T\" interval=\"T#10ms\" priority=\"1\">\
         <pouInstance name=\"p\" typeName=\"Main\"/>{event}</task></resource></configuration>"
    );
    let found = gaps(&good.replace("<configurations>", &format!("<configurations>{task}")));
    assert!(found.iter().any(|g| g == "task that an event starts"), "{found:?}");
}

/// A freewheeling task has no interval, although the export states one; a task without a program is told.
#[test]
fn kinds_of_tasks_and_tasks_without_programs_are_told() {
    let good = program("x:BOOL", "<ST>x := TRUE;</ST>");
    let task = |name: &str, kind: &str, program: &str| {
        let instance =
            if program.is_empty() { String::new() } else { format!("<pouInstance name=\"p\" typeName=\"{program}\"/>") };
        format!(
            "<task name=\"{name}\" interval=\"PT0.2S\" priority=\"1\">{instance}<addData><data name=\"x\" handleUnknown=\"implementation\">\
             <TaskSettings KindOfTask=\"{kind}\"/></data></addData></task>"
        )
    };
    let check = |tasks: &str, interval: Option<i128>, conditions: &[&str], told: &[&str]| {
        let configuration =
            format!("<configurations><configuration name=\"C\"><resource name=\"R\">{tasks}</resource></configuration>");
        let loaded = loaded("main.xml", &good.replace("<configurations>", &configuration)).value;
        let gaps: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        let rows = loaded.ledger.ignored.iter().filter(|row| row.what.contains("task `"));
        let rows: Vec<String> = rows.map(|row| format!("{}: {}", row.what, row.why)).collect();
        assert_eq!((loaded.interval_ns, gaps.as_slice()), (interval, conditions), "{tasks}");
        assert_eq!(rows, told, "{tasks}");
    };
    const FREE: &str = "kind of the task `F`, Freewheeling: it begins again as soon as it has ended, so the time between two cycles is not stated";
    const IDLE: &str = "task `I`: it names no PROGRAM, so it runs nothing";
    check(&task("C", "Cyclic", "Main"), Some(200_000_000), &[], &[]);
    check(&task("F", "Freewheeling", "Main"), None, &[], &[FREE]);
    let beside = ["task of the kind Freewheeling beside other tasks: it runs once in each cycle"];
    let both = task("F", "Freewheeling", "Main") + &task("I", "Cyclic", "");
    check(&both, None, &beside, &[FREE, IDLE]);
    check(&task("I", "Cyclic", ""), None, &["each program runs once in each cycle"], &[IDLE]);
}

#[test]
fn an_interface_of_a_missing_library_is_inferred() {
    let inheritance =
        "<addData><data name=\"http://www.3s-software.com/plcopenxml/pouinheritance\" handleUnknown=\"implementation\">
        <Inheritance> <Implements> Lib.I_Gone</Implements></Inheritance></data></addData>";
    let block = format!(
        "<pou name=\"B\" pouType=\"functionBlock\"><interface>{inheritance}</interface><body><ST>{}</ST></body></pou>",
        "<xhtml xmlns=\"http://www.w3.org/1999/xhtml\">;</xhtml>"
    );
    let main = "<pou name=\"Main\" pouType=\"program\"><interface><localVars><variable name=\"b\"><type><derived name=\"B\"/></type></variable>
        </localVars></interface><body><ST>b();</ST></body></pou>";
    let xml = project("", &format!("{block}{main}"), "");
    let strict = loaded("main.xml", &xml);
    let found = strict.diagnostics.iter().find(|d| d.code == "P2002").unwrap();
    assert_eq!(strict.value.sources.text(found.span()), "I_Gone");
    let mut set = SourceSet::default();
    set.add("main.xml", &xml);
    let loaded = crate::load_isolated(&set, &LoadOptions::default());
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{:?}", loaded.diagnostics);
    assert!(loaded.value.inferred.iter().any(|inferred| inferred.name == "I_Gone"), "{:?}", loaded.value.inferred);
}
