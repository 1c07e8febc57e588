//! Test programs for the controller, written from the counterexamples of the samples: our own front end reads them together with
//! the sample, and our interpreter shows with them what the counterexample shows.

use std::collections::BTreeMap;
use std::path::Path;

use plc_frontend::hir::{AnomalyKind, AssertId, Value};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::{SourceSet, Span};
use plc_frontend::{LoadOptions, load_isolated};
use serde_json::Value as Json;

use super::cli::{scanproof, text};

/// Outcome of a test program on the interpreter.
#[derive(Debug, PartialEq, Eq)]
enum Shown {
    /// The run of the counterexample, with the same end.
    Same,
    /// The file says what it does not express.
    NotExpressed,
}

/// Samples with counterexamples of all kinds: inputs, blocks, located variables, retentive memory, tasks, faults, assertions.
const SAMPLES: &[&str] = &[
    "pump/booster.st",
    "tasks/flow_total.st",
    "environment/press_located.st",
    "environment/counter_retain.st",
    "checks/scale_cut.st",
    "scaling/flow_zero.st",
    "motor/interlock_missing.st",
    "burner/purge_skipped.st",
    "stub/valve_declared.st",
];

/// With `SAMPLES=all` each sample that is expected to be broken is verified.
#[test]
fn test_programs_show_what_their_counterexamples_show() {
    let is_all = std::env::var("SAMPLES").is_ok_and(|samples| samples == "all");
    let samples = if is_all { broken_samples() } else { SAMPLES.iter().map(|sample| (*sample).to_owned()).collect() };
    let shown: Vec<(Shown, &String)> =
        samples.iter().flat_map(|sample| sample_tests(sample).into_iter().map(move |shown| (shown, sample))).collect();
    let not_expressed: Vec<_> = shown.iter().filter(|(shown, _)| *shown == Shown::NotExpressed).collect();
    println!("{} test programs of {} samples, not expressed: {not_expressed:?}", shown.len(), samples.len());
    assert!(samples.len() <= shown.len() && not_expressed.len() <= 2 + shown.len() / 10, "{not_expressed:?}");
}

/// Returns the samples in one file that are expected to be broken.
fn broken_samples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let inside = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut names = Vec::new();
    for file in inside(&root).iter().filter(|path| path.is_dir()).flat_map(|folder| inside(folder)) {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let is_program = [".st", ".il", ".xml", ".scl"].iter().any(|ending| name.ends_with(ending));
        let content = if is_program { std::fs::read(&file).unwrap() } else { Vec::new() };
        names.extend(String::from_utf8_lossy(&content).contains(": violated").then_some(name));
    }
    names
}

/// Writes the test programs of a sample and runs them.
fn sample_tests(sample: &str) -> Vec<Shown> {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = format!("samples/{sample}");
    let reports = format!("st-test={}", folder.path().display());
    let output = scanproof(root, &["verify", &path, "--json", "--time-limit", "60", "--report", &reports]);
    let outcome: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{sample}: {e}: {}", text(&output)));
    let outcome = outcome["programs"][0]["outcome"].clone();
    let with_runs: Vec<&Json> =
        outcome["results"].as_array().unwrap().iter().filter(|result| result["certificate"]["run"].is_array()).collect();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap());
    }
    assert_eq!(files.len(), with_runs.len(), "{sample}: {}", String::from_utf8_lossy(&output.stderr));
    with_runs
        .into_iter()
        .map(|result| {
            let head = format!("(* Requirement {}:", result["id"].as_str().unwrap());
            let test =
                files.values().find(|text| text.starts_with(&head)).unwrap_or_else(|| panic!("{sample} {head}: {files:?}"));
            run(sample, &outcome, result, test)
        })
        .collect()
}

/// Reads a program with its test, and runs the test.
fn run(sample: &str, outcome: &Json, result: &Json, test: &str) -> Shown {
    let mut sources = SourceSet::default();
    for source in outcome["sources"].as_array().unwrap() {
        sources.add(source["name"].as_str().unwrap(), source["text"].as_str().unwrap());
    }
    sources.add("the_test.st", test);
    let name = test.lines().find_map(|line| line.strip_prefix("PROGRAM ")).unwrap().to_owned();
    let dialect =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample).with_extension("yaml"))
            .ok()
            .and_then(|yaml| kernel::property::spec::Specification::from_yaml(&yaml).ok())
            .and_then(|specification| specification.dialect);
    let options = LoadOptions { entry: Some(name.clone()), dialect, ..LoadOptions::default() };
    let parsed = load_isolated(&sources, &options);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| format!("{:?}", d.severity).contains("Error")).collect();
    assert!(errors.is_empty() && parsed.value.runs, "{sample}: {errors:#?}\n{test}");
    let loaded = &parsed.value;
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let mut seen = Seen { sources: &loaded.sources, places: Vec::new() };
    let cycles = result["certificate"]["run"].as_array().unwrap();
    let mut fault = None;
    for (at, cycle) in cycles.iter().enumerate() {
        seen.places.clear();
        machine.begin(&BTreeMap::new(), cycle["dt_ns"].as_i64().unwrap()).unwrap();
        if let Err(ended) = machine.run(&mut seen) {
            assert_eq!(at + 1, cycles.len(), "{sample}: {ended:?}\n{test}");
            fault = Some(loaded.sources.line_col(ended.span).line);
        }
    }
    if test.contains("NOT EXPRESSED: ") {
        return Shown::NotExpressed;
    }
    let value = |variable: &str| machine.leaf(&format!("{name}.{variable}")).and_then(Value::as_int);
    let place = result["counterexample"]["place"]["line"].as_u64().map(|line| line as u32);
    let expected = Some(cycles.len() as i128);
    match (value("BrokenInCycle").or(value("ReachedInCycle")), fault, place) {
        (Some(shown_in), None, _) => assert_eq!(Some(shown_in), expected, "{sample}\n{test}"),
        (_, Some(line), Some(place)) => assert_eq!(line, place, "{sample}\n{test}"),
        (None, None, Some(place)) if !result["id"].as_str().unwrap().contains("double") => {
            assert!(seen.places.contains(&place), "{sample}: {place} is not among {:?}\n{test}", seen.places);
        }
        (None, None, _) => {}
        (_, Some(line), None) => panic!("{sample}: a fault on line {line}\n{test}"),
    }
    assert!(value("DiffersInCycle").is_none_or(|cycle| cycle == 0), "{sample}: other values\n{test}");
    Shown::Same
}

/// Lines of assertions that fail, and of anomalies, in one cycle.
struct Seen<'s> {
    sources: &'s SourceSet,
    places: Vec<u32>,
}

impl Recorder for Seen<'_> {
    fn assert(&mut self, _: AssertId, span: Span, held: bool) {
        self.places.extend((!held).then(|| self.sources.line_col(span).line));
    }
    fn anomaly(&mut self, _: AnomalyKind, span: Span) {
        self.places.push(self.sources.line_col(span).line);
    }
}
