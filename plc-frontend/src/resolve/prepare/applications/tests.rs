//! Choices among several applications of one file.

use crate::part::Parts;
use crate::resolve::testing::summary;
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Returns an application of CODESYS: a list of global variables, a program that uses it and a task.
fn application(device: &str, list: &str, program: &str, value: &str) -> String {
    let words = "http://www.3s-software.com/plcopenxml";
    format!(
        "<configuration name=\"{device}\"><resource name=\"App\"><task name=\"T\" interval=\"PT0.01S\" priority=\"1\">\
         <pouInstance name=\"{program}\" typeName=\"\"/></task>\
         <globalVars name=\"{list}\"><variable name=\"x\"><type><INT/></type><initialValue><simpleValue value=\"{value}\"/>\
         </initialValue></variable></globalVars>\
         <addData><data name=\"{words}/pou\" handleUnknown=\"implementation\"><pou name=\"{program}\" pouType=\"program\">\
         <interface/><body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">{list}.x := F({list}.x);</xhtml></ST></body></pou></data></addData>\
         </resource></configuration>\n"
    )
}

fn export(applications: &str) -> SourceSet {
    let mut sources = SourceSet::default();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<project xmlns=\"http://www.plcopen.org/xml/tc6_0200\">\n<types><dataTypes/><pous>\
         <pou name=\"F\" pouType=\"function\"><interface><returnType><INT/></returnType><inputVars><variable name=\"a\"><type><INT/></type></variable></inputVars>\
         </interface><body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">F := a; </xhtml></ST></body></pou>\
         <pou name=\"G\" pouType=\"function\"><interface><returnType><INT/></returnType></interface>\
         <body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">G := L.x;</xhtml></ST></body></pou></pous></types>\n\
         <instances><configurations>\n{applications}</configurations></instances></project>"
    );
    sources.add("export.xml", text);
    sources
}

/// Checks initial values of the global variables, and the findings.
#[track_caller]
fn check(applications: &[(&str, &str, &str, &str)], entry: Option<&str>, globals: &str, findings: &str) {
    let text: String = applications.iter().map(|(d, l, p, v)| application(d, l, p, v)).collect();
    let entry = entry.map(str::to_owned);
    let loaded = load(&export(&text), &LoadOptions { entry, ..LoadOptions::default() });
    let project = &loaded.value.project;
    let found: Vec<String> = project.globals.iter().map(|g| format!("{}={:?}", g.name, g.init)).collect();
    let found = found.join(" ").replace("Scalar(Int(", "").replace("))", "");
    let codes = summary(&loaded.value.sources, &loaded.diagnostics, 1);
    assert_eq!((found.as_str(), codes.as_str()), (globals, findings), "{:#?}", loaded.diagnostics);
    let others = loaded.value.ledger.ignored.iter().filter(|i| i.what.starts_with("the application")).count();
    assert_eq!(others, loaded.diagnostics.len());
}

#[test]
fn one_of_several_applications_is_read() {
    let (a, b) = (("A", "L", "P", "1"), ("B", "L", "Q", "2"));
    check(&[a], None, "x=1", "");
    check(&[a, b], None, "x=1", "P4107@6:22 warning");
    check(&[a, b], Some("P"), "x=1", "P4107@6:22 warning");
    check(&[a, b], Some("q"), "x=2", "P4107@5:22 warning");
    // Each application has its own main program.
    check(&[a, ("B", "M", "P", "2")], None, "x=1", "P4107@6:22 warning");
    // Different names: both run.
    check(&[a, ("B", "M", "Q", "2")], None, "x=1 M.x=2", "");
}

#[test]
fn an_application_is_chosen_by_its_name() {
    let check = |text: &str, project: &str, globals: &[&str], codes: &[&str]| {
        let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
        let loaded = load(&export(text), &options);
        let found: Vec<&str> = loaded.value.project.globals.iter().map(|global| global.name.as_str()).collect();
        let found_codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!((found.as_slice(), found_codes.as_slice()), (globals, codes), "{project}: {:#?}", loaded.diagnostics);
    };
    let text = application("A", "L", "P", "1") + &application("B", "M", "Q", "2");
    check(&text, "a", &["x"], &["P4107"]);
    check(&text, "B", &["x"], &["P4006", "P2001", "P4107"]);
    // Both have a resource of this name.
    check(&text, "App", &["x"], &["P4108", "P4107"]);
    check(&text, "a.app", &["x"], &["P4107"]);
    check(&text, "App#1", &["x"], &["P4107"]);
    check(&text, "C", &["x", "M.x"], &["P4109"]);
}

/// One device runs several applications.
#[test]
fn an_application_of_a_device_is_chosen_by_its_name() {
    let both = application("A", "L", "P", "1").replace("</configuration>\n", "").replace("\"App\"", "\"App1\"")
        + application("A", "M", "Q", "2").split_once('>').map_or("", |(_, rest)| rest).replace("\"App\"", "\"App2\"").as_str();
    let check = |project: &str, globals: &[&str], codes: &[&str]| {
        let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
        let loaded = load(&export(&both), &options);
        let found: Vec<&str> = loaded.value.project.globals.iter().map(|global| global.name.as_str()).collect();
        let found_codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!((found.as_slice(), found_codes.as_slice()), (globals, codes), "{project}: {:#?}", loaded.diagnostics);
    };
    check("app1", &["x"], &["P4107"]);
    // `G` reads `L.x`, which `App1` declares.
    check("App2", &["x"], &["P4006", "P2001", "P4107"]);
    check("A", &["x", "M.x"], &[]);
    let loaded = crate::load_isolated(&export(&both), &LoadOptions::default());
    let findings = summary(&loaded.value.sources, &loaded.diagnostics, 1);
    assert_eq!((findings.as_str(), loaded.value.runs), ("P4108@1:1", false), "{:#?}", loaded.diagnostics);
    assert!(loaded.diagnostics[0].message.contains("`App1`, `App2`"), "{}", loaded.diagnostics[0].message);
}

/// Resources of a configuration, with the variables of the configuration and of each resource.
fn resources(globals: &str, first: &str, second: &str) -> SourceSet {
    let resource = |name: &str, vars: &str, program: &str| {
        format!("RESOURCE {name} ON p\n{vars}TASK t(INTERVAL := T#10ms);\nPROGRAM i{name} WITH t : {program};\nEND_RESOURCE\n")
    };
    let programs = "PROGRAM P\nVAR_EXTERNAL g : INT; END_VAR\nVAR x : INT; END_VAR\nx := g; g := 1;\nEND_PROGRAM\n\
        PROGRAM Q\nVAR_EXTERNAL g : INT; END_VAR\ng := 7;\nEND_PROGRAM\n";
    let both = resource("r", first, "P") + &resource("s", second, "Q");
    let mut sources = SourceSet::default();
    sources.add("a.st", format!("{programs}CONFIGURATION c\n{globals}{both}END_CONFIGURATION\n"));
    sources
}

#[test]
fn a_resource_that_is_left_out_may_write_what_it_shares() {
    const G: &str = "VAR_GLOBAL g : INT; END_VAR\n";
    let conditions = |sources: &SourceSet| -> Vec<String> {
        let options = LoadOptions { project: Some("r".to_owned()), ..LoadOptions::default() };
        let loaded = crate::load_isolated(sources, &options).value;
        assert!(loaded.runs);
        let told = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("writes no variable that it shares"));
        told.map(|gap| format!("{:?}", loaded.project.beside.get(&gap.span))).collect()
    };
    assert_eq!(conditions(&resources(G, "", "")), ["Some(Nameable)"]);
    assert_eq!(conditions(&resources("", G, G)), Vec::<String>::new());
    let mut file = resources("", "", "");
    file.add("b.st", G);
    assert_eq!(conditions(&file).len(), 1);
}

#[test]
fn variables_of_one_name_in_two_resources_demand_a_choice() {
    const G: &str = "VAR_GLOBAL g : INT; END_VAR\n";
    let loaded = crate::load_isolated(&resources("", G, G), &LoadOptions::default());
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
    assert!(codes.contains(&"P4108") && !loaded.value.runs, "{:#?}", loaded.diagnostics);
    let found = loaded.diagnostics.iter().find(|d| d.code == "P4108").map_or("", |d| d.message.as_str());
    assert_eq!(found, "`c` runs 2 applications, and more than one declares `g`; one of them is verified: `r`, `s`");
    let loaded = crate::load_isolated(&resources(G, "", ""), &LoadOptions::default());
    assert!(loaded.value.runs, "{:#?}", loaded.diagnostics);
}

#[test]
fn a_part_is_of_one_application() {
    let text = application("A", "L", "P", "1") + &application("B", "L", "Q", "2");
    let parts = Parts::read(&export(&text));
    for (pou, expected) in [("P", 1), ("Q", 2), ("G", 1)] {
        let (id, _) = parts.pous().find(|(_, p)| p.name.text == pou).unwrap();
        let loaded = parts.alone(id, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{pou}: {:#?}", loaded.diagnostics);
        let globals: Vec<_> = loaded.value.project.globals.iter().map(|g| g.init.clone()).collect();
        assert_eq!(globals, [crate::hir::Init::Scalar(crate::hir::Value::Int(expected))], "{pou}");
    }
}

/// Returns a device with applications: name, list, program and value of each.
fn device(name: &str, applications: &[(&str, &str, &str, &str)]) -> String {
    let resource = |(app, list, program, value): &(&str, &str, &str, &str)| {
        let text = application(name, list, program, value).replace("\"App\"", &format!("\"{app}\""));
        let inside = text.split_once('>').map_or("", |(_, rest)| rest);
        inside.replace("</configuration>\n", "")
    };
    let inside: String = applications.iter().map(resource).collect();
    format!("<configuration name=\"{name}\">{inside}</configuration>\n")
}

/// Checks the initial values of the global variables, and the error about a choice with the names that it lists.
#[track_caller]
fn check_choice(text: &str, project: Option<&str>, entry: Option<&str>, globals: &str, listed: &str) {
    let options = LoadOptions { project: project.map(str::to_owned), entry: entry.map(str::to_owned), ..LoadOptions::default() };
    let loaded = crate::load_isolated(&export(text), &options);
    let found: Vec<String> = loaded.value.project.globals.iter().map(|g| format!("{}={:?}", g.name, g.init)).collect();
    let found = found.join(" ").replace("Scalar(Int(", "").replace("))", "");
    let errors = loaded.diagnostics.iter().filter(|d| d.code != "P4107");
    let names = |message: &str| message.rsplit_once(": ").map(|(_, names)| names.replace(['`', ','], ""));
    let errors: Vec<String> =
        errors.map(|d| if d.code == "P4108" { names(&d.message).unwrap_or_default() } else { d.message.clone() }).collect();
    assert_eq!(
        (found.as_str(), errors.join(" ").as_str()),
        (globals, listed),
        "{project:?} {entry:?}: {:#?}",
        loaded.diagnostics
    );
    assert_eq!(loaded.value.runs, listed.is_empty(), "{project:?} {entry:?}");
}

#[test]
fn applications_with_one_name_can_all_be_chosen() {
    let two = device("A", &[("App1", "L", "P", "1"), ("App2", "L", "P", "2")]);
    check_choice(&two, None, None, "x=1", "App1 App2");
    check_choice(&two, None, Some("P"), "x=1", "App1 App2");
    check_choice(&two, Some("A"), None, "x=1", "App1 App2");
    check_choice(&two, Some("App2"), None, "x=2", "");
    check_choice(&two, Some("App2"), Some("P"), "x=2", "");
    // Only one of them has the entry.
    let other = device("A", &[("App1", "L", "P", "1"), ("App2", "L", "Q", "2")]);
    check_choice(&other, None, Some("Q"), "x=2", "");
    let equal = device("A", &[("App", "L", "P", "1"), ("App", "L", "P", "2")]);
    check_choice(&equal, None, None, "x=1", "A.App#1 A.App#2");
    check_choice(&equal, Some("App"), None, "x=1", "A.App#1 A.App#2");
    check_choice(&equal, Some("App#2"), None, "x=2", "");
    check_choice(&equal, Some("a.app#2"), None, "x=2", "");
    let devices = device("A", &[("App", "L", "P", "1")]) + &device("A", &[("App", "L", "P", "2")]);
    check_choice(&devices, Some("A"), None, "x=1", "A#1 A#2");
    check_choice(&devices, Some("A#2"), None, "x=2", "");
    check_choice(&devices, Some("App"), None, "x=1", "A.App#1 A.App#2");
}

#[test]
fn an_unknown_name_lists_the_applications() {
    let text = device("A", &[("App", "L", "P", "1")]) + &device("B", &[("App", "L", "P", "2"), ("Other", "M", "Q", "3")]);
    let options = LoadOptions { project: Some("C".to_owned()), ..LoadOptions::default() };
    let loaded = load(&export(&text), &options);
    let help = loaded.diagnostics.iter().find(|d| d.code == "P4109").and_then(|d| d.help.clone());
    assert_eq!(help.as_deref(), Some("choose one of `A`, `B.App`, `Other`"), "{:#?}", loaded.diagnostics);
}

#[test]
fn two_tasks_of_one_name_are_an_error() {
    let check = |second: &str, expected: &str| {
        let mut sources = SourceSet::default();
        let programs = "PROGRAM P\nEND_PROGRAM\nPROGRAM Q\nEND_PROGRAM\n";
        let text = format!(
            "{programs}CONFIGURATION c\nRESOURCE r ON p\nTASK t(INTERVAL := T#10ms);\nTASK {second}(INTERVAL := T#20ms);\n\
             PROGRAM i WITH t : P;\nPROGRAM j WITH {second} : Q;\nEND_RESOURCE\nEND_CONFIGURATION\n"
        );
        sources.add("a.st", text);
        let loaded = load(&sources, &LoadOptions::default());
        assert_eq!(summary(&loaded.value.sources, &loaded.diagnostics, 1), expected, "{:#?}", loaded.diagnostics);
    };
    check("u", "");
    check("T", "P4002@8:6");
}
