//! The laws of the front end on random programs: they load, their print is the same program, they run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::rng::Rng;
use super::{Plant, Size, Tongues, plant, program, tongues};
use plc_frontend::hir::{Project, RealType, Role, Type, TypeId, Value};
use plc_frontend::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

fn project(text: &str) -> Project {
    let mut sources = SourceSet::default();
    sources.add("random.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.value.project
}

fn random_value(project: &Project, ty: TypeId, rng: &mut Rng) -> Value {
    match &project.types[ty].ty {
        Type::Bool => Value::Bool(rng.chance(50)),
        Type::Real(RealType::Real) => Value::real(rng.below(4000) as f32 / 8.0 - 250.0),
        Type::Real(RealType::LReal) => Value::lreal(rng.below(4000) as f64 / 8.0 - 250.0),
        Type::Enum { variants, .. } => Value::Int(rng.pick(variants).1),
        Type::Time | Type::LTime => Value::Int(rng.below(10) as i128 * 50),
        Type::Int(_)
        | Type::Bits(_)
        | Type::Date(_)
        | Type::Char(_)
        | Type::Subrange { .. }
        | Type::Array { .. }
        | Type::Struct { .. }
        | Type::FunctionBlock(_)
        | Type::Opaque(_) => {
            let int = project.int_type(ty).expect("inputs are scalars");
            let wide = int.wrap(i128::from(rng.next()));
            Value::Int(if rng.chance(50) { wide } else { int.wrap(rng.below(10) as i128) })
        }
    }
}

/// Runs 50 cycles, or up to the first fault. Returns the last cycle's number and its leaves.
fn run(project: &Project, seed: u64) -> (usize, Option<Fault>, Vec<(String, Value)>) {
    let mut rng = Rng::new(seed);
    let mut machine = Machine::new(project, Limits::default());
    let leaves = project.leaves();
    for n in 0..50 {
        let inputs = leaves.iter().filter(|leaf| leaf.role == Role::Input);
        let inputs: BTreeMap<String, Value> =
            inputs.map(|leaf| (leaf.name.clone(), random_value(project, leaf.ty, &mut rng))).collect();
        machine.begin(&inputs, 100_000_000).unwrap();
        if let Err(fault) = machine.run(&mut Silent) {
            return (n, Some(fault), machine.leaves());
        }
        let values = machine.leaves();
        for (leaf, (name, value)) in leaves.iter().filter(|leaf| leaf.init.is_some()).zip(&values) {
            assert_eq!(leaf.name, *name);
            assert!(project.holds(leaf.ty, *value), "{name} holds {value:?}");
        }
    }
    (50, None, machine.leaves())
}

fn size(seed: u64) -> Size {
    Size { floats: seed.is_multiple_of(2), ..Size::default() }
}

/// Returns the formatted text, and its program.
fn written(text: &str) -> (String, Project) {
    let mut sources = SourceSet::default();
    sources.add("random.st", text);
    let options = LoadOptions::default();
    let parsed = load(&sources, &options);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let formatted = plc_frontend::format::format(&sources, &options, &parsed.value).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    (formatted.text, parsed.value.project)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_again_is_the_same_program_and_the_same_text(seed: u64) {
        let size = Size { objects: true, ..size(seed) };
        let (text, first) = written(&program(seed, size));
        let (again, second) = written(&text);
        prop_assert_eq!(&text, &again);
        prop_assert_eq!(first.clone().erase_spans(), second.clone().erase_spans(), "{}", text);
        let (a, b) = (run(&first, seed), run(&second, seed));
        prop_assert_eq!((a.0, a.1.map(|f| f.kind), a.2), (b.0, b.1.map(|f| f.kind), b.2));
    }

    #[test]
    fn printing_and_loading_is_the_identity(seed: u64) {
        let text = program(seed, size(seed));
        let first = project(&text);
        let printed = first.to_st();
        let second = project(&printed);
        prop_assert_eq!(first.erase_spans(), second.erase_spans(), "{}\n=>\n{}", text, printed);
    }

    #[test]
    fn programs_run_without_panic_and_what_is_printed_behaves_alike(seed: u64) {
        let first = project(&program(seed, size(seed)));
        let second = project(&first.to_st());
        let (a, b) = (run(&first, seed), run(&second, seed));
        prop_assert_eq!((a.0, a.1.map(|f| f.kind), a.2), (b.0, b.1.map(|f| f.kind), b.2));
    }
}

/// Adds all files below the folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn samples_of_all_languages_are_written_again_and_run_alike() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples"), &mut found);
    // Files of projects are no programs of their own.
    found.retain(|path| !path.iter().any(|part| part == "projects"));
    found.retain(|path| path.extension().is_some_and(|e| ["st", "il", "xml"].iter().any(|known| e == *known)));
    assert!(found.len() > 30, "{found:?}");
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceSet::default();
        sources.add(path.file_name().unwrap().to_string_lossy(), text);
        let options = LoadOptions::default();
        let parsed = load(&sources, &options);
        let formatted =
            plc_frontend::format::format(&sources, &options, &parsed.value).unwrap_or_else(|e| panic!("{path:?}: {e:?}"));
        let (again, second) = written(&formatted.text);
        assert_eq!(formatted.text, again, "{path:?}");
        let (a, b) = (run(&parsed.value.project, 7), run(&second, 7));
        // Wires become variables, which other languages do not have.
        let plain = |leaves: Vec<(String, Value)>| -> Vec<_> { leaves.into_iter().filter(|(n, _)| !n.contains("__")).collect() };
        assert_eq!((a.0, a.1.map(|f| f.kind), plain(a.2)), (b.0, b.1.map(|f| f.kind), plain(b.2)), "{path:?}\n{again}");
    }
}

#[test]
fn programs_are_the_same_each_time_and_differ_by_seed() {
    assert_eq!(program(7, Size::default()), program(7, Size::default()));
    assert_ne!(program(7, Size::default()), program(8, Size::default()));
}

/// A generator would test little if all its programs fault at once, or never.
#[test]
fn most_programs_run_to_the_end_and_some_fault() {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..200 {
        let (_, fault, _) = run(&project(&program(seed, size(seed))), seed);
        let end = match fault.map(|fault| fault.kind) {
            None => "end".to_owned(),
            Some(FaultEnd::Check(kind)) => format!("{kind:?}"),
            Some(other) => panic!("seed {seed}: {other:?}"),
        };
        *ends.entry(end).or_default() += 1;
    }
    assert!(ends["end"] > 100, "{ends:?}");
    assert!(ends["IndexOutOfBounds"] > 0 && ends["DivisionByZero"] > 0, "{ends:?}");
    let quiet = Size { faults: false, ..Size::default() };
    let faulty = (0..100).filter(|seed| run(&project(&program(*seed, quiet)), *seed).1.is_some()).count();
    assert!(faulty < 20, "{faulty} of 100");
}

#[test]
fn tiny_programs_load_without_findings() {
    for seed in 0..300 {
        let tiny = super::tiny(seed);
        let project = project(&tiny.program);
        let n = project.leaves().iter().filter(|leaf| leaf.role == Role::Input).count();
        assert_eq!(n, tiny.inputs.len(), "{}", tiny.program);
        assert_eq!(tiny, super::tiny(seed));
    }
}

fn planted(plant: &Plant) -> Project {
    let mut sources = SourceSet::default();
    sources.add("random.st", plant.text.as_str());
    let parsed = load(&sources, &LoadOptions { dialect: plant.dialect, ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{}\n{}", plant.text, plc_frontend::render::plain(&sources, &parsed.diagnostics));
    // Mere notes are exact here: no two tasks run at the same time.
    let gaps = parsed.value.ledger.gaps.iter().filter(|gap| gap.construct != "several TASKs");
    let gaps = gaps.filter(|gap| gap.treatment != plc_frontend::ledger::Treatment::Assumed);
    let gaps: Vec<_> = gaps.filter(|gap| !gap.construct.ends_with("in no task")).collect();
    assert!(gaps.is_empty(), "{}\n{gaps:#?}", plant.text);
    parsed.value.project
}

#[test]
fn plants_load_without_errors_and_run() {
    let mut ends = 0;
    for seed in 0..100 {
        let plant = plant(seed, Size { faults: false, statements: 4, ..size(seed) });
        let (_, fault, _) = run(&planted(&plant), seed);
        ends += usize::from(fault.is_none());
    }
    assert!(50 < ends, "{ends}");
}

/// Returns the observed values of a program in one notation, cycle by cycle.
fn observed(name: &str, text: &str, one: &Tongues, seed: u64) -> Vec<Vec<Value>> {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{name}\n{}\n{text}\n{:#?}", one.st, parsed.diagnostics);
    assert!(parsed.value.ledger.gaps.is_empty(), "{name}\n{text}\n{:?}", parsed.value.ledger.gaps);
    let mut machine = Machine::new(&parsed.value.project, Limits::default());
    let mut rng = Rng::new(seed);
    let cycle = |_| {
        let mut value = |is_bool: bool| if is_bool { Value::Bool(rng.chance(50)) } else { Value::Int(rng.below(9) as i128 - 3) };
        let inputs = one.inputs.iter().map(|(name, is_bool)| (name.clone(), value(*is_bool))).collect();
        machine.begin(&inputs, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        one.observed.iter().map(|name| machine.leaf(name).expect("it persists")).collect()
    };
    (0..30).map(cycle).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// The law of languages: the same program in four notations runs alike.
    #[test]
    fn a_program_runs_alike_in_every_notation(seed: u64) {
        let one = tongues(seed);
        let st = observed("a.st", &one.st, &one, seed);
        for (name, text) in [("a.il", &one.list), ("a.xml", &one.blocks), ("b.xml", &one.ladder)] {
            prop_assert_eq!(&observed(name, text, &one, seed), &st, "{}\n{}\n{}", name, one.st, text);
        }
    }
}

#[test]
fn notations_differ_where_the_program_does() {
    let differs = |n: u64| {
        let one = tongues(n);
        let changed = one.list.replacen("LD i", "LDN i", 1);
        changed != one.list && observed("a.il", &changed, &one, n) != observed("a.st", &one.st, &one, n)
    };
    assert!(10 < (0..60).filter(|n| differs(*n)).count());
}
