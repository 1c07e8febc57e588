//! Arrows between crates and between the modules of a crate.

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use crate::source::Source;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a crate uses only the crates beneath it; the compiler checks the rest",
        check: crates,
        caught: &[("src/kernel/Cargo.toml", "[package]\nname = \"kernel\"\n[dependencies]\nsearch.workspace = true\n")],
    },
    Rule {
        text: "the modules of a crate use each other in one direction",
        check: circles,
        caught: &[
            ("src/kernel/expr/mod.rs", "//! Formulas.\nuse crate::cfa::Cfa;\n"),
            ("src/kernel/cfa/mod.rs", "//! Automata.\nuse crate::expr::Expr;\n"),
        ],
    },
    Rule {
        text: "the checker of certificates shares no code with searches, nor with the certification inside of a run",
        check: certificates,
        caught: &[("src/answer/certificate/check.rs", "//! The checker.\nuse search::engine::ENGINES;\n")],
    },
];

/// Crates of ours that a crate may use, by folder.
const CRATES: &[(&str, &[&str])] = &[
    ("plc-frontend", &[]),
    ("src/kernel", &["plc-frontend"]),
    ("src/search", &["plc-frontend", "kernel"]),
    ("src/answer", &["plc-frontend", "kernel", "search"]),
    ("src/testgen", &["plc-frontend", "kernel"]),
    ("src/xtask", &[]),
    ("src/tests/browser", &[]),
    ("src/tests/log_in_service", &[]),
    ("src/tests/uploads", &["plc-frontend", "kernel"]),
    ("plc-frontend/fuzz", &["uploads"]),
    ("", &["plc-frontend", "kernel", "search", "answer"]),
];
const OURS: &[&str] =
    &["plc-frontend", "kernel", "search", "answer", "testgen", "xtask", "scanproof", "log-in-service", "uploads"];

fn crates(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for manifest in sources.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let folder = manifest.path.trim_end_matches("Cargo.toml").trim_end_matches('/');
        let Some((_, allowed)) = CRATES.iter().find(|(crate_, _)| *crate_ == folder) else {
            wrong.push(format!("{}: the crate has no row in CRATES", manifest.path));
            continue;
        };
        for name in dependencies(&manifest.text).filter(|name| OURS.contains(name) && !allowed.contains(name)) {
            wrong.push(format!("{}: must not use `{name}`", manifest.path));
        }
    }
    wrong
}

/// Returns the names in `[dependencies]`.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let rows = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let rows = rows.take_while(|line| !line.starts_with('['));
    rows.filter_map(|line| line.split(['=', '.', ' ']).next()).filter(|name| !name.is_empty() && !name.starts_with('#'))
}

/// Crates whose folder holds their modules.
const ROOTS: &[&str] = &["src/kernel/", "src/search/", "src/answer/", "plc-frontend/src/", "src/"];

/// Returns the crate's folder and the top module of a file of the product.
fn module(file: &Source) -> Option<(&'static str, &str)> {
    let root = ROOTS.iter().find(|root| file.path.starts_with(**root))?;
    let module = file.path[root.len()..].split('/').next()?.trim_end_matches(".rs");
    (file.is_rust() && !file.is_test() && !["lib", "main", "build"].contains(&module)).then_some((*root, module))
}

fn circles(sources: &[Source]) -> Vec<String> {
    let mut uses: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for file in sources {
        let Some((root, from)) = module(file) else { continue };
        let row = uses.entry(root).or_default().entry(from).or_default();
        for (_, line) in file.product_lines() {
            let code = line.split("//").next().unwrap_or_default();
            row.extend(
                code.split("crate::").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()),
            );
        }
    }
    let mut found = Vec::new();
    for (root, modules) in &uses {
        for circle in strongly_connected(modules) {
            found.push(format!("{root}: {}", circle.join(" ↔ ")));
        }
    }
    found
}

/// Returns the groups of modules that reach each other.
fn strongly_connected<'s>(uses: &BTreeMap<&'s str, BTreeSet<&'s str>>) -> Vec<Vec<&'s str>> {
    let reached = |from: &'s str| {
        let (mut seen, mut pending) = (BTreeSet::new(), vec![from]);
        while let Some(module) = pending.pop() {
            for next in uses.get(module).into_iter().flatten().filter(|next| uses.contains_key(**next)) {
                if seen.insert(*next) {
                    pending.push(next);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<&str>> = uses.keys().map(|from| (*from, reached(from))).collect();
    let mut groups = BTreeSet::new();
    for (from, to) in &all {
        let group: Vec<&str> = to.iter().copied().filter(|other| other != from && all[other].contains(from)).collect();
        if !group.is_empty() {
            let mut group = group;
            group.push(from);
            group.sort_unstable();
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

fn certificates(sources: &[Source]) -> Vec<String> {
    let foreign = ["search::", "crate::decide", "cfa::pass", "to_block", "BitBlaster", "bitblast"];
    let folders = ["src/answer/certify/", "src/answer/certificate/"];
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| folders.iter().any(|folder| file.path.starts_with(folder)) && !file.is_test()) {
        for (number, line) in file.product_lines() {
            if foreign.iter().any(|name| line.contains(name)) {
                found.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    found
}
