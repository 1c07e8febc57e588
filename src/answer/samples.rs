//! The sample programs inside the binary, with their expected answers.
//!
//! A sample is a file of ST, instructions, PLCopen XML, L5X or L5K. The line `//@ title:` gives its title, also in a comment of XML.
//! `//@ expect ID: word` gives the verdict of one requirement. Requirements without such a line must hold. `holds under 2` gives
//! the number of conditions, which is 0 for `holds`. `//@ seconds: 20` limits runs that check it: some requirement is expected to stay
//! undecided. A requirement file of the same name may stand beside the sample.
//! `pump.list.il` and `pump.ladder.xml` share `pump.yaml` with `pump.st`. Folders in `projects` are whole projects and stay outside.

use std::collections::BTreeMap;

use rust_embed::RustEmbed;

use crate::VerdictWord;

#[derive(RustEmbed)]
#[folder = "../../samples/"]
#[include = "*.st"]
#[include = "*.il"]
#[include = "*.xml"]
#[include = "*.L5X"]
#[include = "*.L5K"]
#[include = "*.cfa"]
#[include = "*.yaml"]
#[exclude = "projects/*"]
struct Files;

/// A sample program.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Folder and name, such as `motor/interlock`; with the ending where several samples have this name.
    pub name: String,
    /// Title in the header of the file, or the name.
    pub title: String,
    /// Name of the file, such as `interlock.st`.
    pub file: String,
    /// Its text.
    pub source: String,
    /// The requirement file beside it.
    pub specification: Option<String>,
}

/// Returns all sample programs, by name.
pub fn all() -> Vec<Sample> {
    with(ENDINGS)
}

/// Returns all published models, by name.
pub fn models() -> Vec<Sample> {
    with(&[".cfa"])
}

fn with(endings: &[&str]) -> Vec<Sample> {
    let text = |path: &str| Files::get(path).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let mut paths: Vec<(String, String)> = Files::iter()
        .filter_map(|path| endings.iter().find_map(|e| Some((path.strip_suffix(e)?.to_string(), path.to_string()))))
        .collect();
    paths.sort();
    let mut n_of: BTreeMap<String, usize> = BTreeMap::new();
    paths.iter().for_each(|(name, _)| *n_of.entry(name.clone()).or_default() += 1);
    paths
        .into_iter()
        .filter_map(|(name, path)| {
            let source = text(&path)?;
            let title = header(&source, "title:").next().unwrap_or(&name).to_string();
            let common = name.rsplit_once('.').map_or(name.as_str(), |(common, _)| common);
            let specification = text(&format!("{name}.yaml")).or_else(|| text(&format!("{common}.yaml")));
            let file = path.rsplit('/').next().unwrap_or(&path).to_string();
            // One program in two languages: the ending tells them apart.
            let name = if n_of.get(&name) == Some(&1) { name } else { path };
            Some(Sample { title, specification, file, source, name })
        })
        .collect()
}

/// Endings of the files of samples.
const ENDINGS: &[&str] = &[".st", ".il", ".xml", ".L5X", ".L5K"];

/// The answer that a header expects for one requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The verdict.
    pub word: VerdictWord,
    /// The number of conditions; only `holds` uses it.
    pub conditions: usize,
}

impl Expected {
    fn read(text: &str) -> Option<Expected> {
        match text.split_once(" under ") {
            Some((word, n)) => Some(Expected { word: word_of(word.trim())?, conditions: n.trim().parse().ok()? }),
            None => Some(Expected { word: word_of(text)?, conditions: 0 }),
        }
    }
    /// Returns whether an answer with this number of conditions is the expected one.
    pub fn accepts(self, word: VerdictWord, n_conditions: usize) -> bool {
        word == self.word && (word != VerdictWord::Holds || n_conditions == self.conditions)
    }
    /// Returns the answer in the words of a header.
    pub fn words(self) -> String {
        match self.conditions {
            0 => self.word.wire(),
            n => format!("{} under {n}", self.word.wire()),
        }
    }
}

/// Returns the answers that the header of a source expects; `None` without such lines, `Err` if a line cannot be read.
pub fn expectations(source: &str) -> Option<Result<BTreeMap<String, Expected>, String>> {
    let mut lines = header(source, "expect ").peekable();
    lines.peek()?;
    let mut table = BTreeMap::new();
    for line in lines {
        let parsed = line.rsplit_once(':').and_then(|(id, word)| Some((id.trim(), Expected::read(word.trim())?)));
        match parsed {
            Some((id, expected)) => {
                table.insert(id.to_string(), expected);
            }
            None => return Some(Err(format!("`//@ expect {line}` is not of the form `//@ expect ID: holds`"))),
        }
    }
    Some(Ok(table))
}

/// Returns the most seconds of a run that compares answers with the header of a source: some are expected to stay open.
pub fn seconds(source: &str) -> Option<u32> {
    header(source, "seconds:").find_map(|text| text.parse().ok())
}

fn header<'s>(source: &'s str, key: &'s str) -> impl Iterator<Item = &'s str> {
    source.lines().filter_map(move |line| line.trim_start().strip_prefix("//@ ")?.strip_prefix(key).map(str::trim))
}

fn word_of(text: &str) -> Option<VerdictWord> {
    serde_json::from_value(serde_json::Value::String(text.to_string())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_has_a_title_and_readable_expectations() {
        let samples = all();
        assert!(25 <= samples.len(), "{}", samples.len());
        let names: std::collections::BTreeSet<&str> = samples.iter().map(|sample| sample.name.as_str()).collect();
        assert_eq!(names.len(), samples.len(), "each name opens one sample");
        assert!(names.contains("logix/motor.L5X") && names.contains("motor/interlock"));
        for sample in samples {
            assert!(!sample.name.starts_with("projects/"), "{}", sample.name);
            assert_ne!(sample.title, sample.name, "{} has no title", sample.name);
            let expected = expectations(&sample.source).unwrap_or_else(|| panic!("{} expects nothing", sample.name));
            assert!(!expected.unwrap().is_empty(), "{}", sample.name);
        }
    }

    #[test]
    fn expectations_are_read_from_the_header() {
        let check = |text: &str, expected: Option<Result<usize, ()>>| {
            assert_eq!(expectations(text).map(|r| r.map(|t| t.len()).map_err(|_| ())), expected, "{text}");
        };
        check("PROGRAM P END_PROGRAM", None);
        check("//@ expect R1: holds\n//@ expect a:b: violated", Some(Ok(2)));
        check("//@ expect R1 holds", Some(Err(())));
        check("//@ expect R1: perhaps", Some(Err(())));
        check("//@ expect R1: holds under 2", Some(Ok(1)));
        check("//@ expect R1: holds under two", Some(Err(())));
        assert_eq!((seconds("//@ seconds: 15"), seconds("//@ expect R1: holds")), (Some(15), None));
    }
}
