//! `docs/dialects.md` against programs: dialects behave as each row states.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plc_frontend::diagnostic::Severity;
use plc_frontend::dialect::{DIALECTS, DialectId};
use plc_frontend::hir::{Value, value_to_st};
use plc_frontend::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};
use testgen::programs::{Difference, differences};

/// Returns the program in a dialect, or the code of the first error.
fn read(difference: &Difference, dialect: DialectId) -> Result<Loaded, &'static str> {
    let mut sources = SourceSet::default();
    sources.add("a.st", difference.text());
    let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    match loaded.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        Some(error) => Err(error.code),
        None => Ok(loaded.value),
    }
}

/// Returns `x` behind each cycle, up to the first one that meets a gap.
fn run(difference: &Difference, loaded: &Loaded) -> Vec<String> {
    let project = &loaded.project;
    let ty = project.leaves().into_iter().find(|leaf| leaf.name == "Main.x").map(|leaf| leaf.ty).unwrap();
    let mut machine = Machine::new(project, Limits::default());
    let mut found = Vec::new();
    for n in difference.inputs {
        machine.begin(&BTreeMap::from([("Main.n".to_owned(), Value::Int(*n))]), 100_000_000).unwrap();
        match machine.run(&mut Silent) {
            Err(Fault { kind: FaultEnd::Unsupported(_), .. }) => {
                found.push("gap".to_owned());
                break;
            }
            run => run.unwrap(),
        }
        found.push(value_to_st(project, ty, machine.leaf("Main.x").unwrap()));
    }
    found
}

#[test]
fn each_dialect_does_what_the_table_says() {
    let mut wrong = Vec::new();
    for difference in differences() {
        for (dialect, expected) in difference.values {
            let found = match read(difference, *dialect) {
                Ok(loaded) => run(difference, &loaded),
                Err(code) => vec![code.to_owned()],
            };
            if found != *expected {
                wrong.push(format!("{} {dialect:?}: {found:?} instead of {expected:?}", difference.id));
            }
        }
        let meanings: BTreeSet<_> = difference.values.iter().map(|(_, values)| values).collect();
        if meanings.len() < 2 {
            wrong.push(format!("{}: no difference", difference.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const DOCUMENT: &str = include_str!("../../../docs/dialects.md");

/// Returns rows of the tables of the document: their cells.
fn rows() -> Vec<Vec<&'static str>> {
    let lines = DOCUMENT.lines().filter(|line| line.starts_with('|') && !line.starts_with("| ---"));
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    lines.map(cells).filter(|cells| cells.first() != Some(&"Topic")).collect()
}

/// Returns the names of the test functions of the front end.
fn test_functions() -> BTreeSet<String> {
    let mut sources = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plc-frontend/src")];
    let mut names = BTreeSet::new();
    while let Some(path) = sources.pop() {
        if path.is_dir() {
            sources.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let tests = text.split("#[test]").skip(1).filter_map(|test| test.trim().strip_prefix("fn ")?.split('(').next());
            names.extend(tests.map(str::to_owned));
        }
    }
    names
}

#[test]
fn each_row_that_states_a_difference_names_its_test() {
    let (ids, functions): (BTreeSet<_>, _) = (differences().map(|d| d.id).collect(), test_functions());
    let mut named = BTreeSet::new();
    let rows = rows();
    assert!(40 < rows.len(), "{}", rows.len());
    for row in rows {
        let [topic, does, .., tests] = row.as_slice() else { panic!("{row:?}") };
        assert_eq!(row.len(), 5, "{topic}");
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        for test in &tests {
            assert!(ids.contains(test) || functions.contains(*test), "{topic}: there is no test `{test}`");
        }
        named.extend(tests.iter().copied().filter(|test| ids.contains(test)));
        // A row about some dialects only states a difference.
        let dialects = DIALECTS.iter().map(|row| row.name).chain(["Siemens", "lsewhere"]);
        let states_one = dialects.into_iter().any(|name| does.contains(name));
        assert!(!states_one || !tests.is_empty(), "{topic}: no test");
    }
    assert_eq!(named, ids, "each program stands in some row");
}
