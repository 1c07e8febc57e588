//! Inputs that fuzzing found, once more: no crash. `make nightly` looks for new ones.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::Command;

use super::{automaton, several, stated, unpacked, whole};

/// Replays the kept inputs of a target.
fn replay(target: &str, work: impl Fn(&[u8])) {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../plc-frontend/fuzz/corpus/{target}.tar.gz"));
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("tar").arg("-xzf").arg(packed).arg("-C").arg(folder.path()).status().unwrap();
    assert!(status.success());
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        let input = std::fs::read(&file).unwrap();
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&input))).is_err() {
            panic!("{target}: the kept input {} crashes", file.file_name().unwrap().display());
        }
    }
}

#[test]
fn kept_texts_crash_nothing() {
    for (target, name) in [("st", "main.st"), ("scl", "main.scl"), ("il", "main.il"), ("l5k", "Main.L5K")] {
        replay(target, |input| whole(name, input));
    }
}

#[test]
fn kept_xml_crashes_nothing() {
    for (target, name) in [("twincat", "Main.TcPOU"), ("logix", "Main.L5X"), ("plcopen", "main.xml"), ("simatic", "Main.xml")] {
        replay(target, |input| whole(name, input));
    }
}

#[test]
fn kept_projects_crash_nothing() {
    replay("project", several);
    replay("archive", unpacked);
}

#[test]
fn kept_requirements_and_models_crash_nothing() {
    replay("requirement", stated);
    replay("theta", automaton);
}

/// Every folder of kept inputs is replayed above.
#[test]
fn every_target_is_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../plc-frontend/fuzz/corpus");
    let here = include_str!("kept_inputs.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(target) = name.strip_suffix(".tar.gz") else { continue };
        assert!(here.contains(&format!("\"{target}\"")), "{target}");
    }
}
