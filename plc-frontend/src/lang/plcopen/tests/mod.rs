//! Projects in XML against the same program in ST, and damaged ones against their findings.

mod bad;
mod charts;
mod declarations;
mod drawings;
mod ladders;
mod mistakes;

use crate::resolve::testing::summary;
use crate::text::{Parsed, Severity, SourceSet};
use crate::{LoadOptions, Loaded, load};

/// Returns a file with these types, POUs and instances.
pub(super) fn project(types: &str, pous: &str, instances: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <project xmlns=\"http://www.plcopen.org/xml/tc6_0201\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n\
         <fileHeader/><contentHeader name=\"x\"/>\n\
         <types><dataTypes>{types}</dataTypes><pous>{pous}</pous></types>\n\
         <instances><configurations>{instances}</configurations></instances>\n</project>"
    )
}

/// Returns a program with these variables (name and type, by semicolons) and body.
pub(super) fn program(vars: &str, body: &str) -> String {
    let variable = |declaration: &str| -> String {
        let (name, ty) = declaration.split_once(':').unwrap();
        let (name, ty) = (name.trim(), ty.trim());
        let ty = if ty == ty.to_uppercase() && !["TON", "TOF", "TP", "CTU", "SR"].contains(&ty) {
            format!("<{ty}/>")
        } else {
            format!("<derived name=\"{ty}\"/>")
        };
        format!("<variable name=\"{name}\"><type>{ty}</type></variable>")
    };
    let vars: String = vars.split(';').filter(|v| !v.trim().is_empty()).map(variable).collect();
    let pou = format!(
        "<pou name=\"Main\" pouType=\"program\"><interface><localVars>{vars}</localVars></interface><body>\n{body}\n</body></pou>"
    );
    project("", &pou, "")
}

pub(super) fn loaded(name: &str, text: &str) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    load(&sources, &LoadOptions::default())
}

/// Asserts that a project in XML means what the text in ST means.
#[track_caller]
pub(super) fn same(xml: &str, st: &str) {
    let (xml_loaded, st_loaded) = (loaded("main.xml", xml), loaded("main.st", st));
    for loaded in [&xml_loaded, &st_loaded] {
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{xml}");
    }
    let (found, expected) = (xml_loaded.value.project.to_st(), st_loaded.value.project.to_st());
    assert_eq!(found, expected, "\n{found}\n{xml}");
    let gaps = |loaded: &Parsed<Loaded>| loaded.value.ledger.gaps.iter().map(|g| g.construct.clone()).collect::<Vec<_>>();
    assert_eq!(gaps(&xml_loaded), gaps(&st_loaded), "\n{xml}");
}

/// Asserts the body of `Main` after resolving, and the gaps behind it.
#[track_caller]
pub(super) fn body(xml: &str, expected: &str) {
    let loaded = loaded("main.xml", xml);
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{xml}");
    let text = loaded.value.project.to_st();
    let from = text.find("PROGRAM Main").unwrap();
    let main = &text[from..from + text[from..].find("END_PROGRAM").unwrap()];
    let stmts = main.rsplit_once("END_VAR\n").map_or(main, |(_, stmts)| stmts);
    let gaps = loaded.value.ledger.gaps.iter().map(|g| format!("\ngap {}", g.construct));
    let found = stmts.to_owned() + &gaps.collect::<String>();
    let trim = |s: &str| s.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(trim(&found), trim(expected), "\n{xml}");
}

/// Asserts the findings with their lines.
#[track_caller]
pub(super) fn check(xml: &str, expected: &str) {
    let loaded = loaded("main.xml", xml);
    let found = summary(&loaded.value.sources, &loaded.diagnostics, 1);
    let found: Vec<&str> = found.split(' ').map(|f| f.rsplit_once(':').map_or(f, |(place, _)| place)).collect();
    assert_eq!(found.join(" "), expected, "\n{xml}\n{:#?}", loaded.diagnostics);
}
