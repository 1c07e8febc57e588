//! Tests of isolation: parts that are left out, gaps, and inputs that left-out text names.

use super::load_isolated;
use crate::hir::Reason;
use crate::resolve::LoadOptions;
use crate::text::{PartKind, SourceSet};

/// Returns the parts that are left out (`kind name@line`), the lines of gaps, and the inputs that left-out text names.
fn summary(files: &[(&str, &str)], entry: Option<&str>) -> (bool, String, String, String) {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| {
        sources.add(*name, *text);
    });
    let loaded = load_isolated(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
    let value = &loaded.value;
    let line = |span| sources.line_col(span).line;
    let kind = |kind: PartKind| format!("{kind:?}").to_lowercase();
    let parts = value.left_out.iter().map(|part| format!("{} {}@{}", kind(part.kind), part.name, line(part.span)));
    let gaps = value.ledger.gaps.iter().filter(|gap| super::emptied::is_ours(&gap.construct));
    let gaps = gaps.map(|gap| format!("{}@{}", gap.construct.split(' ').next().unwrap_or(""), line(gap.span)));
    let inputs = value.project.environment.iter().filter(|(_, setting)| setting.reason == Reason::Mentioned);
    let inputs = inputs.map(|(name, _)| name.clone());
    let join = |parts: Vec<String>| parts.join(", ");
    (value.runs, join(parts.collect()), join(gaps.collect()), join(inputs.collect()))
}

#[track_caller]
fn check(text: &str, parts: &str, gaps: &str, inputs: &str) {
    let found = summary(&[("main.st", text)], None);
    assert_eq!((found.1.as_str(), found.2.as_str(), found.3.as_str()), (parts, gaps, inputs), "{text}");
    assert!(found.0, "{text}");
}

#[test]
fn an_error_belongs_to_the_smallest_part_around_it() {
    let good = "PROGRAM Good\nEND_PROGRAM\n";
    let program = |body: &str| format!("PROGRAM Main\nVAR a, b : INT; END_VAR\n{body}\nEND_PROGRAM\n");
    let check = |body: &str, parts: &str, gaps: &str| check(&(program(body) + good), parts, gaps, "");
    check("a := 1;\nb := c;\na := 2;", "statement Main@4", "statement@4");
    check("IF a = 1 THEN\nb := c;\nEND_IF;\na := 2;", "statement Main@4", "statement@4");
    check("IF c THEN\nb := 1;\nEND_IF;\na := 2;", "statement Main@3", "statement@3");
    check("a := TRUE;\nb := FALSE;", "statement Main@3, statement Main@4", "statement@3, statement@4");
    check("FOR a := 1 TO 3 DO\nUnknown(a);\nEND_FOR;", "statement Main@4", "statement@4");
    // A syntax error may hide the ends of statements.
    check("a := 1;\nb := ;\na := 2;", "body Main@3", "body@3");
    check("a := 1;\nIF a = 1 THEN\nb := 1;", "body Main@3", "body@3");
}

#[test]
fn a_wrong_declaration_is_opaque() {
    let good = "PROGRAM Good\nEND_PROGRAM\n";
    let program = |vars: &str, body: &str| format!("PROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
    let check = |vars: &str, body: &str, parts: &str, gaps: &str| check(&(program(vars, body) + good), parts, gaps, "");
    check("a : INT; f : FB_Missing;", "a := 1;", "variable f@3", "");
    check("a : INT; f : FB_Missing;", "a := 1;\nf(x := 2);\na := 2;", "variable f@3", "");
    check("n : INT := 70000; a : ARRAY[0..n] OF INT;", "", "variable n@3, variable a@3", "");
    // Names that are declared twice have no meaning.
    check("a : INT; a : BOOL;", "a := 1;", "pou Main@1", "body@1");
    // A syntax error may hide a declaration.
    check("a : ; b : INT;", "b := 1;", "pou Main@1", "body@1");
}

#[test]
fn other_programs_run_without_the_parts() {
    let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nVAR_EXTERNAL g, h : BOOL; END_VAR\nq := g AND h;\nEND_PROGRAM\n";
    let globals = "VAR_GLOBAL g : BOOL := TRUE; h : BOOL := TRUE; END_VAR\n";
    let bad = "FUNCTION_BLOCK Bad\nVAR_EXTERNAL g : BOOL; END_VAR\nVAR x : Missing; END_VAR\nx.run(); g := FALSE;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{bad}"), "variable x@9", "", "");
    // Text that is not understood may write the variables that it names.
    let broken = "FUNCTION_BLOCK Bad\nVAR_EXTERNAL g : BOOL; END_VAR\nIF TRUE THEN g := FALSE;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{broken}"), "body Bad@9", "body@9", "g");
    check(&format!("{good}{globals}rubbish about h and g\n"), "text @7", "", "g, h");
    // An heir would inherit names that could mean other things.
    let heir = "FUNCTION_BLOCK Base EXTENDS Missing\nVAR l : BOOL; END_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK Heir EXTENDS Base\ng := l;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{heir}"), "pou Base@7, pou Heir@10", "body@7, body@10", "g");
}

#[test]
fn files_and_declarations_of_one_name_are_left_out() {
    let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nq := TRUE;\nEND_PROGRAM\n";
    let twice = "FUNCTION F : INT\nF := 1;\nEND_FUNCTION\nFUNCTION F : INT\nF := 2;\nEND_FUNCTION\n";
    check(&format!("{good}{twice}"), "pou F@5, pou F@8", "body@5", "");
    let found = summary(&[("good.st", good), ("readme.xyz", "This is no program at all.\n")], None);
    assert_eq!((found.0, found.1.as_str()), (true, "text @1"));
}

#[test]
fn nothing_runs_without_an_entry() {
    assert!(!summary(&[("main.st", "PROGRAM Main\nx := ;\nEND_PROGRAM\n")], None).0);
    assert!(!summary(&[("main.st", "FUNCTION F : INT\nF := x;\nEND_FUNCTION\n")], None).0);
    let tasks = "PROGRAM Main\nEND_PROGRAM\nCONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\n\
                 PROGRAM P1 WITH T : Main;\nPROGRAM P2 WITH T : Missing;\nEND_RESOURCE\nEND_CONFIGURATION\n";
    assert!(!summary(&[("main.st", tasks)], None).0);
    assert!(summary(&[("main.st", tasks)], Some("Main")).0);
}

#[test]
fn a_project_without_errors_is_read_as_a_whole() {
    check("PROGRAM Main\nVAR a : INT; END_VAR\na := 1;\nEND_PROGRAM\n", "", "", "");
}
