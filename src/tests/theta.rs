//! The models of `samples/theta` are decided as their headers expect, by the default and by engines of every kind.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use answer::VerdictWord;
use answer::decide::Search;
use answer::decide::theta::decide;
use answer::samples::expectations;
use kernel::context::default_solvers;
use kernel::smt::Interrupt;
use kernel::theta::read;
use plc_frontend::source::FileId;

/// Engines beside the default: each may leave a model undecided, and none may say the contrary.
const ENGINES: &[(&str, &[(&str, &str)])] = &[
    ("bmc", &[("k", "12")]),
    ("k-induction", &[]),
    ("cegar", &[("domain", "EXPL")]),
    ("cegar", &[("domain", "PRED_BOOL")]),
    ("cegar", &[("domain", "PRED_CART"), ("refinement", "BW_BIN_ITP")]),
    ("impact", &[]),
    ("pdr", &[]),
];

fn models() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/theta");
    let mut models: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    models.sort();
    assert!(7 <= models.len());
    models
}

fn answer(text: &str, engine: Option<&str>, options: &[(&str, &str)], seconds: u64) -> (VerdictWord, Option<String>) {
    let parsed = read(FileId(0), text);
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let model = parsed.value.model.unwrap();
    let options: BTreeMap<String, String> = options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Interrupt::default() };
    let solvers = default_solvers();
    let decision = decide(&model, &Search { engine, options: &options, ..Search::new(&interrupt, &solvers) }).unwrap();
    (decision.word, decision.reason)
}

#[test]
fn the_default_decides_every_model() {
    for (name, text) in models() {
        let expected = expectations(&text).unwrap().unwrap()["error-location"].word;
        // What stays open is given less time.
        let seconds = if expected == VerdictWord::Unknown { 5 } else { 120 };
        let (word, reason) = answer(&text, None, &[], seconds);
        assert_eq!(word, expected, "{name}: {reason:?}");
    }
}

#[test]
fn no_engine_contradicts_what_is_expected() {
    for (name, text) in models() {
        let expected = expectations(&text).unwrap().unwrap()["error-location"].word;
        for (engine, options) in ENGINES {
            let (word, reason) = answer(&text, Some(engine), options, 3);
            let fits = word == expected || word == VerdictWord::Unknown;
            assert!(fits, "{name}, {engine} {options:?}: {word:?} {reason:?}");
        }
    }
}
