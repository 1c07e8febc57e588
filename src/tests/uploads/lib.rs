//! Everything that the service does with an upload before it asks an engine. Fuzz targets do it, and the test of kept inputs.
//!
//! [`whole`]: one file through the front end and its laws; [`unpacked`]: an archive; [`several`]: the files of a project;
//! [`stated`]: a requirement file against a fixed program; [`automaton`]: a model of Theta.

#![allow(clippy::expect_used, clippy::panic, reason = "what is wrong with an input ends its run")]

#[cfg(test)]
mod kept_inputs;
mod model;
mod run;

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::format::format;
use plc_frontend::source::{SourceSet, decode};
use plc_frontend::{LoadOptions, Loaded, archive, codes, load, load_isolated, render};

pub use model::{automaton, stated};

/// Reads the file as the language of its name, resolves it, prints it and runs it.
pub fn whole(name: &str, bytes: &[u8]) {
    let mut sources = SourceSet::default();
    sources.add(name, decode(bytes).0);
    through(sources);
}

/// Does the work of [`whole`] for all files of an archive.
pub fn unpacked(bytes: &[u8]) {
    let limits = archive::Limits { n_files: 50, file_bytes: 1 << 20, total_bytes: 2 << 20, ..archive::Limits::default() };
    let upload = archive::open("upload.zip", bytes, &limits);
    upload.problems.iter().for_each(|problem| drop(problem.to_string()));
    let mut sources = SourceSet::default();
    for file in upload.files {
        assert!(file.text.len() as u64 <= 4 * limits.file_bytes, "a file is larger than the limit");
        sources.add(file.name, file.text);
    }
    through(sources);
}

/// Line that begins a file of [`several`], with its name behind.
const FILE: &str = "=== ";

/// Most files of a project.
const MOST_FILES: usize = 30;

/// Does the work of [`whole`] for the files of a project: each line `=== name` begins one.
pub fn several(bytes: &[u8]) {
    let text = decode(bytes).0;
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix(FILE).filter(|_| files.len() < MOST_FILES) {
            files.push((name.trim_end(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        }
    }
    let mut sources = SourceSet::default();
    for (name, text) in files {
        sources.add(name, text);
    }
    through(sources);
}

fn through(sources: SourceSet) {
    let parsed = load(&sources, &LoadOptions::default());
    findings(&parsed.diagnostics, &parsed.value);
    if parsed.has_errors() {
        without_errors(&sources);
        return;
    }
    let loaded = parsed.value;
    written(&sources, &loaded);
    run::some_cycles(&loaded.project, sources.files.iter().flat_map(|f| f.text.bytes()));
}

/// Runs what is left of a project with errors.
fn without_errors(sources: &SourceSet) {
    let isolated = load_isolated(sources, &LoadOptions::default());
    findings(&isolated.diagnostics, &isolated.value);
    for part in &isolated.value.left_out {
        assert!(!part.error.message.is_empty(), "a part is left out without a reason");
    }
    if isolated.value.runs {
        run::some_cycles(&isolated.value.project, sources.files.iter().flat_map(|f| f.text.bytes()));
    }
}

/// Checks that findings have a known code and a place inside their texts.
fn findings(findings: &[Diagnostic], loaded: &Loaded) {
    for finding in findings {
        assert!(codes::explain(finding.code).is_some(), "{} has no explanation", finding.code);
        for label in &finding.labels {
            let Some(file) = loaded.sources.files.get(label.span.file) else { continue };
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(file.text.get(start..end).is_some(), "{finding:?} stands outside of its text");
        }
    }
    drop(render::plain(&loaded.sources, findings));
}

/// Checks that writing a written program again changes nothing.
fn written(sources: &SourceSet, loaded: &Loaded) {
    drop(loaded.project.to_st());
    let Ok(first) = format(sources, &LoadOptions::default(), loaded) else { return };
    let mut sources = SourceSet::default();
    sources.add("written.st", first.text.clone());
    let options = LoadOptions { dialect: first.dialect, ..LoadOptions::default() };
    let again = load(&sources, &options).value;
    match format(&sources, &options, &again) {
        Ok(second) => assert_eq!(first.text, second.text, "written otherwise the second time"),
        Err(obstacle) => panic!("not written a second time: {obstacle:?}\n{}", first.text),
    }
}
