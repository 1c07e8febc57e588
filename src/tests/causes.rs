//! The law of causes: a run with only the inputs of its explanation, each in the cycles named there, breaks the requirement
//! as the whole run does. All other inputs keep their values.
//!
//! Certificates are what is changed and checked, so the law knows nothing of how causes are found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use answer::VerdictWord;
use scanproof::report::outcome::{Counterexample, Outcome};
use serde_json::Value;

use super::cli::{scanproof, text};

/// Families of samples with textual programs, networks, lists, charts, classes and checks.
const FAMILIES: [&str; 4] = ["languages", "checks", "objects", "environment"];

/// Violations whose causes are not enough. FIXME: a reference that does not refer to a block keeps what a call through it
/// would have written there; `Duty` is read by the call and is no cause of what it leaves alone.
const NOT_ENOUGH: [&str; 1] = ["samples/objects/pumps_stuck.st standby"];

/// Takes out of the certificate of a violation what no cause names.
fn only_causes(certificate: &mut Value, told: &Counterexample) {
    let named: BTreeMap<usize, BTreeSet<&str>> =
        told.causes.iter().map(|c| (c.cycle as usize, c.inputs.iter().map(String::as_str).collect())).collect();
    for (at, cycle) in certificate["cycles"].as_array_mut().unwrap().iter_mut().enumerate() {
        let of_cycle = named.get(&(at + 1));
        let is_named = |leaf: &str| {
            of_cycle.into_iter().flatten().any(|name| {
                // Names for people leave out the program; those of strings are without the characters' indices.
                let tail = leaf.match_indices('.').map(|(dot, _)| &leaf[dot + 1..]).chain([leaf]);
                tail.into_iter().any(|part| part == *name || part.strip_prefix(*name).is_some_and(|rest| rest.starts_with('[')))
            })
        };
        cycle["inputs"].as_object_mut().unwrap().retain(|leaf, _| is_named(leaf));
    }
}

#[test]
fn the_causes_of_every_violation_of_the_samples_are_enough() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let mut n_checked = 0;
    let mut broken: Vec<(String, String)> = Vec::new();
    for family in FAMILIES {
        let out = folder.path().join(family);
        let directory = format!("samples/{family}");
        let args = ["verify", &directory, "--json", "--quiet", "--certificates", out.to_str().unwrap()];
        let output = scanproof(repository, &args);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        for program in document["programs"].as_array().unwrap() {
            let Ok(outcome) = serde_json::from_value::<Outcome>(program["outcome"].clone()) else { continue };
            let name = program["name"].as_str().unwrap();
            let path = Path::new(name);
            // Assumptions tie inputs to each other: those that no cause names may have to follow.
            let requirements = name.split('.').next().map(|stem| format!("{stem}.yaml"));
            let requirements = requirements.filter(|file| repository.join(file).exists());
            let stated = requirements.as_ref().map(|file| std::fs::read_to_string(repository.join(file)).unwrap());
            if stated.is_some_and(|text| text.contains("assumptions:")) {
                continue;
            }
            for result in outcome.results.iter().filter(|r| r.verdict == VerdictWord::Violated) {
                let Some(told) = &result.counterexample else { continue };
                let file = out.join(format!("{}.{}.json", path.file_stem().unwrap().to_str().unwrap(), result.id));
                let Ok(certificate) = std::fs::read_to_string(&file) else { continue };
                let mut certificate: Value = serde_json::from_str(&certificate).unwrap();
                only_causes(&mut certificate, told);
                let changed = folder.path().join("changed.json");
                std::fs::write(&changed, certificate.to_string()).unwrap();
                let mut args = vec!["check-certificate", changed.to_str().unwrap(), "--program", name];
                args.extend(requirements.iter().flat_map(|file| ["--req", file]));
                let output = scanproof(repository, &args);
                n_checked += 1;
                // 30: certified under conditions, which the run does not settle.
                if !matches!(output.status.code(), Some(0 | 30)) {
                    broken.push((format!("{name} {}", result.id), format!("{:?}\n{}", told.causes, text(&output))));
                }
            }
        }
    }
    let names: Vec<&str> = broken.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, NOT_ENOUGH, "{n_checked}: {broken:#?}");
    assert!(30 < n_checked, "{n_checked}");
}
