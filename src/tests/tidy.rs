//! The architecture is a test: who may use whom, how long a file may be, that every room has a sign.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which top-level modules of `src` each one may use; itself always. ARCHITECTURE.md draws the same arrows.
const ARROWS: &[(&str, &[&str])] = &[
    ("expr", &[]),
    ("agree", &["expr", "cfa"]),
    ("draw", &[]),
    ("cfa", &["expr", "draw", "property"]),
    ("property", &["cfa", "expr"]),
    ("smt", &["expr"]),
    ("domain", &["expr", "cfa", "smt", "engine", "verdict"]),
    ("arg", &["expr", "draw", "cfa", "smt", "domain", "engine"]),
    ("refine", &["expr", "cfa", "smt", "domain", "arg", "engine", "verdict"]),
    ("engine", &["expr", "draw", "cfa", "smt", "domain", "arg", "refine", "verdict"]),
    ("theta", &["expr", "cfa"]),
    ("verdict", &["expr", "cfa", "smt", "property", "engine", "theta"]),
    ("report", &["expr", "certificate", "draw", "cfa", "property", "verdict", "run", "theta"]),
    ("export", &["expr", "cfa", "property", "verdict"]),
    ("certificate", &["expr", "cfa", "smt", "verdict", "theta"]),
    ("decide", &["expr", "draw", "cfa", "smt", "property", "engine", "verdict", "report", "theta"]),
    (
        "run",
        &[
            "expr",
            "certificate",
            "draw",
            "cfa",
            "export",
            "smt",
            "property",
            "engine",
            "decide",
            "verdict",
            "report",
            "samples",
            "theta",
        ],
    ),
    ("samples", &["report"]),
    ("bench", &["engine", "report", "run"]),
    ("store", &["report", "run", "property"]),
    ("web", &["run", "draw", "export", "store", "report", "property", "samples", "engine"]),
    (
        "cli",
        &["agree", "bench", "certificate", "run", "draw", "export", "report", "property", "samples", "web", "store", "engine"],
    ),
];

/// Past this many lines a file holds a second concept.
const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file of ours below `folder`, with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.strip_prefix(root()).unwrap().to_path_buf(), text));
        }
    }
    found.sort();
    found
}

fn all() -> Vec<(PathBuf, String)> {
    files("src").into_iter().chain(files("plc-frontend/src")).collect()
}

/// The top-level module a file of `src` belongs to.
fn module(path: &Path) -> Option<String> {
    let mut parts = path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).skip(1);
    let first = parts.next()?;
    Some(first.trim_end_matches(".rs").to_string())
}

#[test]
fn modules_use_only_what_the_architecture_allows() {
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    for (path, text) in files("src") {
        let Some(from) = module(&path) else { continue };
        if ["lib", "main", "build", "tests"].contains(&from.as_str()) {
            continue;
        }
        let Some(allowed) = arrows.get(from.as_str()) else {
            wrong.push(format!("{}: the module `{from}` has no row in ARROWS", path.display()));
            continue;
        };
        // Tests may look around: whatever stands behind the first test module is not part of the house.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        if path.components().any(|c| c.as_os_str() == "tests")
            || path.ends_with("tests.rs")
            || path.ends_with("laws.rs")
            || path.ends_with("law.rs")
        {
            continue;
        }
        for (at, _) in code.match_indices("crate::") {
            let name: String = code[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if arrows.contains_key(name.as_str()) && name != from && !allowed.contains(&name.as_str()) {
                let line = code[..at].lines().count();
                wrong.push(format!("{}:{line}: `{from}` must not use `{name}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The checker of certificates takes scripts to a solver, what proofs are made of, and the replay; nothing that searches for
/// proofs, and nothing of the certification inside of a run.
#[test]
fn certificates_are_checked_by_code_of_their_own() {
    let allowed = ["smt::{Interrupt, Mode, Sat, decide_script, values_script}", "smt::Interrupt"];
    let words = ["Support", "Paths", "Proof", "Argument"];
    let mut wrong = Vec::new();
    for (path, text) in files("src/certificate") {
        if path.ends_with("tests.rs") {
            continue;
        }
        for line in text.lines().map(str::trim).filter(|line| line.starts_with("use ")) {
            let from_smt = line.contains("crate::smt") && !allowed.iter().any(|use_| *line == format!("use crate::{use_};"));
            let of_verdict = line.strip_prefix("use crate::verdict::").map(|names| names.trim_matches(&['{', '}', ';'][..]));
            let from_verdict = of_verdict.is_some_and(|names| {
                !names.starts_with("replay::")
                    && names.trim_end_matches('}').split(", ").any(|name| !words.contains(&name.trim_end_matches('}')))
            });
            if from_smt || from_verdict {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
        for module in ["bitblast", "inductive::", "smtlib", "region"] {
            if text.contains(&format!("::{module}")) {
                wrong.push(format!("{}: {module}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The fuzzer compiles some modules into a crate of its own: what these use has to be there too.
#[test]
fn the_fuzzer_has_what_its_modules_use() {
    let text = std::fs::read_to_string(root().join("plc-frontend/fuzz/src/lib.rs")).unwrap();
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut open = vec!["property", "theta"];
    let mut needed = std::collections::BTreeSet::new();
    while let Some(name) = open.pop() {
        if needed.insert(name) {
            open.extend(arrows[name]);
        }
    }
    let missing: Vec<&&str> = needed.iter().filter(|name| !text.contains(&format!("src/{name}/mod.rs"))).collect();
    assert!(missing.is_empty(), "plc-frontend/fuzz/src/lib.rs: {missing:?}");
}

#[test]
fn every_file_says_what_it_is_and_stays_short() {
    let mut wrong = Vec::new();
    for (path, text) in all() {
        if !text.starts_with("//!") {
            wrong.push(format!("{}: does not begin with `//!`", path.display()));
        }
        let n_lines = text.lines().count();
        if MAX_LINES < n_lines {
            wrong.push(format!("{}: {n_lines} lines; look for the second concept", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn no_test_is_switched_off() {
    let mut wrong = Vec::new();
    for (path, text) in all() {
        if path.ends_with("tidy.rs") {
            continue;
        }
        for word in ["#[ignore", "#[should_panic", "todo!(", "unimplemented!("] {
            if text.contains(word) {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn each_page_has_its_template_and_each_template_its_page() {
    let pages: Vec<(String, String)> = files("src/web/pages")
        .into_iter()
        .map(|(path, text)| (path.file_stem().unwrap().to_string_lossy().into_owned(), text))
        .collect();
    let templates: Vec<String> = std::fs::read_dir(root().join("templates/pages"))
        .unwrap()
        .map(|e| e.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    for name in &templates {
        let page = pages.iter().find(|(page, _)| page == name);
        let uses = page.is_some_and(|(_, text)| text.contains(&format!("pages/{name}.html")));
        assert!(uses, "templates/pages/{name}.html is not the template of src/web/pages/{name}.rs");
    }
    for (page, text) in &pages {
        assert!(!text.contains("path = \"pages/") || templates.contains(page), "{page}.rs uses the template of another page");
    }
}
