//! What drawings show is what happened: the law of drawings over the samples and over random networks.

mod geometry;
mod law;
mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plc_frontend::hir::{Project, Role, Value};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};
use scanproof::report::counterexample::{Violation, tell};
use scanproof::report::diagram::{Diagram, diagrams};
use scanproof::report::names::Names;
use scanproof::report::outcome::Outcome;
use scanproof::verdict::replay::CycleInputs;

use super::cli::scanproof;
use law::Tally;

/// Numbers of a seed, the same every time.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// Random inputs that stay for a while.
fn runs(project: &Project, numbers: &mut Numbers, n_cycles: usize) -> Vec<CycleInputs> {
    let inputs: Vec<_> = project.leaves().into_iter().filter(|l| l.role == Role::Input && !l.constant).collect();
    let mut now: BTreeMap<String, Value> = BTreeMap::new();
    let mut cycles = Vec::new();
    for _ in 0..n_cycles {
        for leaf in &inputs {
            let value = match leaf.init {
                Some(Value::Bool(_)) => Value::Bool(numbers.below(2) == 1),
                Some(Value::Int(_)) => Value::Int(numbers.below(9) as i128),
                Some(Value::Real(_)) => Value::real(numbers.below(40) as f32 / 4.0),
                Some(Value::LReal(_)) | None => continue,
            };
            if numbers.below(3) == 0 {
                now.insert(leaf.name.clone(), value);
            }
        }
        cycles.push(CycleInputs { inputs: now.clone(), dt_ns: 100_000_000 * (1 + numbers.below(4) as i64) });
    }
    cycles
}

/// Simulates a program and checks all its drawings in every cycle.
fn simulate(loaded: &Loaded, numbers: &mut Numbers, n_cycles: usize, tally: &mut Tally) {
    let all = diagrams(loaded, &Names::new(&loaded.project));
    tally.segments += all.iter().map(geometry::check).sum::<usize>();
    let cycles = runs(&loaded.project, numbers, n_cycles);
    let goal = BTreeSet::new();
    let violation = Violation { goal: &goal, place: None, what: String::new(), n_back: 0 };
    let told = tell(&loaded.project, &loaded.sources, &cycles, &violation);
    for cycle in &told.cycles {
        checked(&all, &cycle.networks, tally);
    }
}

fn checked(all: &[Diagram], runs: &[scanproof::report::networks::NetworkRun], tally: &mut Tally) {
    runs.iter().for_each(|run| law::check(&all[run.diagram], run, tally));
}

fn read(name: &str, text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{name}: {:?}\n{text}", loaded.diagnostics);
    loaded.value
}

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let families = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let files = families.flat_map(|family| std::fs::read_dir(family).unwrap().map(|e| e.unwrap().path()));
    let mut drawn: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "xml")).collect();
    drawn.sort();
    drawn
}

#[test]
fn drawn_values_satisfy_the_drawn_gates_in_random_runs_of_every_sample() {
    let mut tally = Tally::default();
    for path in samples() {
        let loaded = read(path.file_name().unwrap().to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
        let before = tally.gates;
        for seed in 1..=8 {
            simulate(&loaded, &mut Numbers(seed * 0x9e37_79b9), 60, &mut tally);
        }
        assert!(before < tally.gates, "no gate of {} was looked at", path.display());
    }
    assert!(tally.broken.is_empty(), "{} of {}: {}", tally.broken.len(), tally.gates, tally.broken[0]);
    assert!(500 < tally.segments, "{} segments", tally.segments);
    assert!(10_000 < tally.gates && tally.unknown * 20 < tally.wires, "{} of {} unknown", tally.unknown, tally.wires);
}

#[test]
fn drawn_values_satisfy_the_drawn_gates_in_every_counterexample_of_the_samples() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut families: Vec<&str> = Vec::new();
    let paths = samples();
    for path in &paths {
        let family = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let mut tally = Tally::default();
    let mut n_runs = 0;
    for family in families {
        let output = scanproof(repository, &["verify", &format!("samples/{family}"), "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for program in document["programs"].as_array().unwrap() {
            let Ok(outcome) = serde_json::from_value::<Outcome>(program["outcome"].clone()) else { panic!("{program}") };
            for result in &outcome.results {
                for told in result.counterexample.iter().chain(&result.example) {
                    n_runs += usize::from(!outcome.import.diagrams.is_empty());
                    told.cycles.iter().for_each(|cycle| checked(&outcome.import.diagrams, &cycle.networks, &mut tally));
                }
            }
        }
    }
    assert!(tally.broken.is_empty(), "{} of {}: {}", tally.broken.len(), tally.gates, tally.broken[0]);
    assert!(5 < n_runs && 50 < tally.gates, "{n_runs} runs, {} gates", tally.gates);
}

#[test]
fn drawn_values_satisfy_the_drawn_gates_of_random_networks() {
    let mut tally = Tally::default();
    for seed in 1..=100 {
        let mut numbers = Numbers(seed * 0x2545_f491);
        let text = random::program(&mut numbers);
        let loaded = read("random.xml", &text);
        let before = tally.broken.len();
        simulate(&loaded, &mut numbers, 12, &mut tally);
        assert_eq!(before, tally.broken.len(), "seed {seed}: {}\n{text}", tally.broken[before]);
    }
    assert!(6_000 < tally.gates && tally.unknown * 4 < tally.wires, "{} gates, {}/{}", tally.gates, tally.unknown, tally.wires);
}
