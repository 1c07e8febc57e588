//! `licences FILE`: the licences of all crates of the product are among those that we accept; FILE gets their texts.
//!
//! Licences ask that their text goes with a binary. Crates are those that are linked on this platform; build tools and tests are not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences that a crate of the product may have. None of them asks for the source text of what it is linked with.
const ACCEPTED: &[&str] = &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unicode-3.0", "MPL-2.0"];
/// Beginnings of names of files that hold licences and notices, in capitals.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// A crate of the product.
struct Crate {
    title: String,
    licence: String,
    folder: String,
}

/// Writes the texts; returns the crates whose licences are not accepted, and other failures.
pub(crate) fn write(file: &str) -> Vec<String> {
    match crates() {
        Err(error) => vec![error],
        Ok(crates) => {
            let wrong = crates.iter().filter(|one| !is_accepted(&one.licence));
            let wrong: Vec<String> = wrong.map(|one| format!("{}: licence `{}`", one.title, one.licence)).collect();
            let written = std::fs::write(file, texts(&crates)).err().map(|error| format!("{file}: {error}"));
            if wrong.is_empty() && written.is_none() {
                println!("licences: {} crates, texts in {file}", crates.len());
            }
            wrong.into_iter().chain(written).collect()
        }
    }
}

/// Returns the crates that are linked into the product, without our own, in the order of their names.
fn crates() -> Result<Vec<Crate>, String> {
    let text = output("rustc", &["-vV"])?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?.to_owned();
    let text = output("cargo", &["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(linked(&metadata))
}

fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{program}: {said}"))
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the crates that normal dependencies lead to from `scanproof`.
fn linked(metadata: &Value) -> Vec<Crate> {
    let packages: BTreeMap<&str, &Value> = items(&metadata["packages"]).map(|one| (text(one, "id"), one)).collect();
    let nodes: BTreeMap<&str, &Value> = items(&metadata["resolve"]["nodes"]).map(|one| (text(one, "id"), one)).collect();
    let root = packages.iter().find(|(_, one)| text(one, "name") == "scanproof").map(|(id, _)| *id);
    let (mut open, mut seen): (Vec<&str>, BTreeSet<&str>) = (root.into_iter().collect(), BTreeSet::new());
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let is_linked = |one: &&Value| items(&one["dep_kinds"]).any(|kind| kind["kind"].is_null());
            open.extend(items(&nodes[id]["deps"]).filter(is_linked).map(|one| text(one, "pkg")));
        }
    }
    let foreign = seen.into_iter().map(|id| packages[id]).filter(|one| !one["source"].is_null());
    let named = foreign.map(|one| Crate {
        title: format!("{} {}", text(one, "name"), text(one, "version")),
        licence: text(one, "license").to_owned(),
        folder: text(one, "manifest_path").trim_end_matches("Cargo.toml").to_owned(),
    });
    let mut crates: Vec<Crate> = named.collect();
    crates.sort_by(|a, b| a.title.cmp(&b.title));
    crates
}

/// Returns whether an SPDX expression is met by accepted licences alone. `/` is an old spelling of OR.
fn is_accepted(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let ends = words.last().is_some_and(|last| !["OR", "AND", "WITH"].contains(last));
    any(&words, &mut at) && at == words.len() && ends
}

fn any(words: &[&str], at: &mut usize) -> bool {
    let mut is_met = all(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        is_met |= all(words, at);
    }
    is_met
}

fn all(words: &[&str], at: &mut usize) -> bool {
    let mut is_met = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        is_met &= one(words, at);
    }
    is_met
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let is_met = any(words, at);
        *at += 1;
        return is_met && words.get(*at - 1) == Some(&")");
    }
    // An exception only gives more rights.
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
    }
    ACCEPTED.contains(word)
}

/// Returns the list of crates, then each text once, with the crates that have it.
fn texts(crates: &[Crate]) -> String {
    let mut all = "Crates of other authors in Scanproof, and their licences.\n\n".to_owned();
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in crates {
        let _ = writeln!(all, "{}: {}", one.title, one.licence);
        for text in files(Path::new(&one.folder)) {
            found.entry(text).or_default().push(&one.title);
        }
    }
    for (text, titles) in found {
        let _ = write!(all, "\n{}\n{}\n\n{}\n", "-".repeat(80), titles.join(", "), text.trim_end());
    }
    all
}

/// Returns the texts of licences and notices in the folder of a crate.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_licence = |name: &str| NAMES.iter().any(|start| name.to_ascii_uppercase().starts_with(start));
    let named = entries.filter(|entry| is_licence(&entry.file_name().to_string_lossy()));
    named.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_are_met_by_accepted_licences_alone() {
        for met in [
            "MIT",
            "Unlicense/MIT",
            "Apache-2.0 OR BSL-1.0",
            "(MIT OR GPL-3.0) AND BSD-3-Clause",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_accepted(met), "{met}");
        }
        for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR BSL-1.0)", "(MIT", "MIT OR", "MIT MIT"] {
            assert!(!is_accepted(refused), "{refused}");
        }
    }

    #[test]
    fn crates_of_tests_and_of_builds_are_left_out() {
        let package = |id: &str| json!({ "id": id, "name": id, "version": "1", "license": "MIT", "source": "registry", "manifest_path": "" });
        let dependency = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let mut root = package("scanproof");
        root["source"] = Value::Null;
        let metadata = json!({
            "packages": [root, package("a"), package("b"), package("c"), package("d")],
            "resolve": { "nodes": [
                { "id": "scanproof", "deps": [dependency("a", Value::Null), dependency("b", json!("dev")), dependency("c", json!("build"))] },
                { "id": "a", "deps": [dependency("d", Value::Null)] },
                { "id": "d", "deps": [] },
            ] },
        });
        let titles: Vec<String> = linked(&metadata).into_iter().map(|one| one.title).collect();
        assert_eq!(titles, ["a 1", "d 1"]);
    }
}
