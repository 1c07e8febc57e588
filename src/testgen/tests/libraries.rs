//! The law of names: a program of a library behaves like the same program of the project, whatever names the project declares.
//!
//! `PROGRAMS=2000 cargo test --release -p testgen --test laws names_of_a_project` is the long version.

use std::collections::BTreeMap;

use plc_frontend::interp::{Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

use proptest::prelude::*;
use testgen::programs::{Size, program};

use crate::fewer;

/// Cycles of each run.
const CYCLES: usize = 6;

/// Returns a program without its PROGRAMs, and their names.
fn without_programs(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut names) = (String::new(), Vec::new());
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("PROGRAM ") {
            names.push(name.trim().to_owned());
            is_inside = true;
        }
        if !is_inside {
            kept.push_str(line);
            kept.push('\n');
        }
        is_inside &= line != "END_PROGRAM";
    }
    (kept, names)
}

/// Returns a solution of TwinCAT: a project that references the library L, and the library.
fn solution(project: &str, library: &str) -> Loaded {
    let list = |name: &str, references: &str| {
        format!("<Project><PropertyGroup><Title>{name}</Title></PropertyGroup><ItemGroup>{references}</ItemGroup></Project>")
    };
    let mut sources = SourceSet::default();
    sources.add("App/App.plcproj", list("App", "<PlaceholderReference Include=\"L\"/>"));
    sources.add("App/app.st", project);
    sources.add("L/L.plcproj", list("L", ""));
    sources.add("L/l.st", library);
    load(&sources, &LoadOptions { project: Some("App".to_owned()), ..LoadOptions::default() }).value
}

/// Returns the values of all variables after each cycle.
fn values(loaded: &Loaded) -> Vec<BTreeMap<String, String>> {
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let mut found = Vec::new();
    for _ in 0..CYCLES {
        if machine.begin(&BTreeMap::new(), 10_000_000).is_err() || machine.run(&mut Silent).is_err() {
            break;
        }
        let row = |(name, value)| (name, format!("{value:?}"));
        found.push(machine.leaves().into_iter().map(row).collect());
    }
    found
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn names_of_a_project_change_nothing_in_its_libraries(seed in any::<u64>()) {
        let text = program(seed, Size::default());
        let (others, _) = without_programs(&program(seed.wrapping_add(1), Size::default()));
        let (_, names) = without_programs(&text);
        let [name] = names.as_slice() else { return Ok(()) };
        let start = |call: &str| format!("PROGRAM Start\n{call}();\nEND_PROGRAM\n");
        let alone = solution(&format!("{text}{}", start(name)), "TYPE Nothing : INT; END_TYPE\n");
        if !alone.runs || text.contains("CONFIGURATION") || others.contains("CONFIGURATION") {
            return Ok(());
        }
        let app = format!("{others}{}", start(&format!("L.{name}")));
        let beside = solution(&app, &text);
        prop_assert!(beside.runs, "{app}\n{text}");
        let (alone, beside) = (values(&alone), values(&beside));
        prop_assert_eq!(alone.len(), beside.len());
        for (cycle, (alone, beside)) in alone.iter().zip(&beside).enumerate() {
            for (name, value) in alone {
                let found = beside.get(&format!("L.{name}")).or_else(|| beside.get(name));
                prop_assert_eq!(found, Some(value), "cycle {}: {}\n{}\n{}", cycle, name, app, text);
            }
        }
    }
}
