//! Law of drawings, over the samples and over random networks: drawn values are those of the run.

mod blocks;
mod functions;
mod geometry;
mod kinds;
mod law;
mod memory;
mod random;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use answer::replay::CycleInputs;
use plc_frontend::hir::{Project, Role, Type, TypeId, Value};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};
use scanproof::report::counterexample::{Violation, tell};
use scanproof::report::diagram::{Diagram, Shape, diagrams};
use scanproof::report::names::Names;
use scanproof::report::networks::NetworkRun;
use scanproof::report::outcome::{Cycle, Outcome};

use super::cli::scanproof;
use law::{Laws, Tally};
use values::Types;

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

/// Draws random inputs that stay for a while.
fn runs(project: &Project, numbers: &mut Numbers, n_cycles: usize) -> Vec<CycleInputs> {
    let inputs: Vec<_> = project.leaves().into_iter().filter(|l| l.role == Role::Input && !l.constant).collect();
    let mut now: BTreeMap<String, Value> = BTreeMap::new();
    let mut cycles = Vec::new();
    for _ in 0..n_cycles {
        for leaf in &inputs {
            let value = match leaf.init {
                Some(Value::Bool(_)) => Value::Bool(numbers.below(2) == 1),
                Some(Value::Int(_)) => Value::Int(whole(project, leaf.ty, numbers)),
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

/// Returns a small number, or one at an end of the type's range.
fn whole(project: &Project, ty: TypeId, numbers: &mut Numbers) -> i128 {
    let small = numbers.below(9) as i128;
    let is_time = matches!(project.types[ty].ty, Type::Time);
    match (project.int_type(ty), numbers.below(6)) {
        (Some(t), 0) => (if t.signed { (1 << (t.bits - 1)) - 1 } else { (1 << t.bits) - 1 }) - small,
        (Some(t), 1) if t.signed => -(1 << (t.bits - 1)) + small,
        (_, 2) if is_time => -small,
        (_, _) if is_time => 100 * small,
        (_, _) => small,
    }
}

/// Simulates a program and checks all its drawings in every cycle.
fn simulate(loaded: &Loaded, numbers: &mut Numbers, n_cycles: usize, tally: &mut Tally) {
    let all = diagrams(loaded, &Names::new(&loaded.project));
    tally.segments += all.iter().map(geometry::check).sum::<usize>();
    let told = told(loaded, numbers, n_cycles);
    checked(&all, &told, &Types::new(&loaded.project), tally);
}

/// Returns a random run as it is published.
fn told(loaded: &Loaded, numbers: &mut Numbers, n_cycles: usize) -> Vec<Cycle> {
    let cycles = runs(&loaded.project, numbers, n_cycles);
    let goal = BTreeSet::new();
    let violation = Violation { goal: &goal, place: None, what: String::new(), n_back: 0 };
    tell(&loaded.project, &loaded.sources, &cycles, &violation).cycles
}

/// Checks a run from its first cycle on.
fn checked(all: &[Diagram], cycles: &[Cycle], types: &Types, tally: &mut Tally) {
    let mut laws = Laws::new(all, types, tally);
    for cycle in cycles {
        laws.begin_cycle(cycle.dt_ms);
        cycle.networks.iter().for_each(|run| laws.check(&all[run.diagram], run));
    }
}

fn read(name: &str, text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{name}: {:?}\n{text}", loaded.diagnostics);
    loaded.value
}

/// Kinds of elements without a law: blocks of the program, and charts.
fn skipped(kinds: &[&str]) -> BTreeSet<String> {
    kinds.iter().map(|kind| (*kind).to_owned()).collect()
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
    assert_eq!(skipped(&["Valve"]), tally.skipped);
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
            let path = repository.join(program["name"].as_str().unwrap());
            let text = std::fs::read_to_string(&path).unwrap();
            let types = Types::new(&read(path.file_name().unwrap().to_str().unwrap(), &text).project);
            let Ok(outcome) = serde_json::from_value::<Outcome>(program["outcome"].clone()) else { panic!("{program}") };
            for result in &outcome.results {
                for told in result.counterexample.iter().chain(&result.example) {
                    n_runs += usize::from(!outcome.import.diagrams.is_empty());
                    checked(&outcome.import.diagrams, &told.cycles, &types, &mut tally);
                }
            }
        }
    }
    assert!(tally.broken.is_empty(), "{} of {}: {}", tally.broken.len(), tally.gates, tally.broken[0]);
    assert_eq!(skipped(&["Action", "InitialStep", "Step", "Transition", "Valve"]), tally.skipped);
    assert!(5 < n_runs && 50 < tally.gates, "{n_runs} runs, {} gates", tally.gates);
}

#[test]
fn drawn_values_satisfy_the_drawn_gates_of_random_networks() {
    let mut tally = Tally::default();
    let n_networks: u64 = std::env::var("NETWORKS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    for seed in 1..=n_networks {
        let mut numbers = Numbers(seed * 0x2545_f491);
        let text = random::program(&mut numbers);
        let loaded = read("random.xml", &text);
        let before = tally.broken.len();
        simulate(&loaded, &mut numbers, 12, &mut tally);
        assert_eq!(before, tally.broken.len(), "seed {seed}: {}\n{text}", tally.broken[before]);
    }
    assert_eq!(skipped(&["Cell"]), tally.skipped);
    assert!(
        60 * n_networks < tally.gates as u64 && tally.unknown * 4 < tally.wires,
        "{} gates, {}/{}",
        tally.gates,
        tally.unknown,
        tally.wires
    );
}

#[test]
fn drawn_values_satisfy_the_drawn_blocks_of_every_kind() {
    let mut tally = Tally::default();
    for seed in 1..=150 {
        let mut numbers = Numbers(seed * 0x9e37_79b9);
        let text = kinds::program(&mut numbers);
        let loaded = read("kinds.xml", &text);
        let before = tally.broken.len();
        simulate(&loaded, &mut numbers, 20, &mut tally);
        assert_eq!(before, tally.broken.len(), "seed {seed}: {}\n{text}", tally.broken[before]);
    }
    for kind in kinds::all() {
        let (checked, open) = (tally.checked.get(kind).unwrap_or(&0), tally.open.get(kind).unwrap_or(&0));
        assert!(60 < *checked && open * 4 < *checked, "{kind}: {checked} checked, {open} open");
    }
    assert_eq!(skipped(&[]), tally.skipped);
}

#[test]
fn wrong_values_at_outputs_of_every_kind_of_block_break_the_law() {
    let (mut noticed, mut missed) = (BTreeMap::new(), BTreeMap::new());
    for seed in 1..=40 {
        let mut numbers = Numbers(seed * 0x9e37_79b9);
        let loaded = read("kinds.xml", &kinds::program(&mut numbers));
        let all = diagrams(&loaded, &Names::new(&loaded.project));
        let types = Types::new(&loaded.project);
        let mut cycles = told(&loaded, &mut numbers, 4);
        let last = cycles.pop().unwrap();
        for (at, run) in last.networks.iter().enumerate() {
            let diagram = &all[run.diagram];
            for (block, element) in diagram.elements.iter().enumerate().filter(|(_, e)| e.shape == Shape::Block) {
                let mut wrong = last.clone();
                if !falsify(diagram, block, &mut wrong.networks[at]) {
                    continue;
                }
                let mut tally = Tally::default();
                let told: Vec<Cycle> = cycles.iter().cloned().chain([wrong]).collect();
                checked(&all, &told, &types, &mut tally);
                let of = if tally.broken.is_empty() { &mut missed } else { &mut noticed };
                *of.entry(element.label.clone()).or_insert(0) += 1;
            }
        }
    }
    for kind in kinds::all() {
        let (noticed, missed) = (noticed.get(kind).unwrap_or(&0), missed.get(kind).unwrap_or(&0));
        assert!(4 < *noticed && missed < noticed, "{kind}: {noticed} noticed, {missed} missed");
    }
}

/// Puts a wrong value on all wires of a block's outputs, and into the variables at their ends.
fn falsify(diagram: &Diagram, block: usize, run: &mut NetworkRun) -> bool {
    let mut changed = false;
    for (w, wire) in diagram.wires.iter().enumerate().filter(|(_, w)| w.from == block) {
        let operand = run.operands[wire.to].clone().filter(|_| diagram.elements[wire.to].shape == Shape::Variable);
        let Some(value) = run.wires[w].clone().or(operand.clone()) else { continue };
        let wrong = match value.as_str() {
            "TRUE" => "FALSE",
            "FALSE" => "TRUE",
            time if time.starts_with("T#") => "T#77h",
            word if word.starts_with("16#") => "16#7531",
            _ => "113",
        };
        run.wires[w] = run.wires[w].as_ref().map(|_| wrong.to_owned());
        if operand.is_some() {
            run.operands[wire.to] = Some(wrong.to_owned());
        }
        changed = true;
    }
    changed
}
