//! `docs/threats.md` and `docs/iec-62443.md`: each test that they name is there.

use std::path::Path;

/// Adds the texts of all Rust files of a folder.
fn read(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            read(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Checks that each row of a page names tests, and that they are there.
fn check(page: &str, least_rows: usize, sources: &str) {
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| tests |")).collect();
    assert!(least_rows < rows.len(), "{}", rows.len());
    for row in rows {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "{name}, of the row {row}");
        }
    }
}

#[test]
fn the_tests_of_each_threat_and_of_each_requirement_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    read(&root.join("src"), &mut sources);
    read(&root.join("plc-frontend/src"), &mut sources);
    check(include_str!("../../../docs/threats.md"), 25, &sources);
    check(include_str!("../../../docs/iec-62443.md"), 25, &sources);
}
