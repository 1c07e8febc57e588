//! Everything of a run as one zip file: reports, tables of runs, tests, certificates and witnesses.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Content, FileName, REPORTS, ReportFormat, WantedReport};
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::signature::LENGTH;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "zip",
    title: "everything (.zip)",
    media_type: "application/zip",
    content: Content::Everything { ending: "zip" },
};

/// Report of the archive that a worker writes.
pub struct Part {
    /// Task of the worker.
    pub wanted: WantedReport,
    /// Names of the files in the text.
    names: Vec<String>,
    files: fn(String) -> Result<Vec<String>, String>,
}

impl Part {
    /// Number of parts that one worker writes: it reads the program once for all of them.
    pub const AT_ONCE: usize = 32;

    /// Puts the parts and the answer of their worker together.
    pub fn with_texts(parts: Vec<Part>, answer: Result<String, String>) -> Vec<(Part, Result<String, String>)> {
        let read = |text: String| serde_json::from_str::<Vec<Result<String, String>>>(&text).map_err(|e| e.to_string());
        let mut texts = match answer.and_then(read) {
            Ok(texts) => texts.into_iter(),
            Err(why) => vec![Err(why); parts.len()].into_iter(),
        };
        let missing = || Err("the worker did not write it".to_owned());
        parts.into_iter().map(|part| (part, texts.next().unwrap_or_else(missing))).collect()
    }
}

/// Returns the parts that a worker writes: those about answers with evidence.
pub fn parts(outcome: &Outcome, created: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (at, result) in outcome.results.iter().enumerate() {
        let Some(evidence) = &result.certificate else { continue };
        for format in REPORTS {
            let Content::Answer { wanted, endings, files, has, .. } = format.content else { continue };
            if !has(result, evidence) {
                continue;
            }
            let name = |ending: &str| format!("{}/{}.{ending}", folder(at, result), format.name);
            let names: Vec<String> = endings(evidence).iter().map(|ending| name(ending)).collect();
            let file = names.first().and_then(|name| name.rsplit('/').next()).unwrap_or_default().to_owned();
            let wanted = wanted(result, evidence.clone(), FileName { name: file, created: created.to_owned() });
            parts.push(Part { wanted, names, files });
        }
    }
    parts
}

/// Returns the archive. It ends with a comment of spaces, which a signature may replace. The error is one sentence.
///
/// Parts that could not be written are listed in `contents.txt` with the reason.
pub fn archive(outcome: &Outcome, parts: Vec<(Part, Result<String, String>)>) -> Result<Vec<u8>, String> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut missing = Vec::new();
    for format in REPORTS {
        match format.content {
            Content::Run { ending, render } => files.push((format!("report.{ending}"), render(outcome)?)),
            Content::Cycles { ending, render, .. } => {
                for (at, result) in outcome.results.iter().enumerate() {
                    let Some(run) = result.run() else { continue };
                    files.push((format!("{}/trace.{ending}", folder(at, result)), render(outcome, run)?));
                }
            }
            Content::Answer { .. } | Content::Everything { .. } => {}
        }
    }
    for (part, written) in parts {
        match written.and_then(part.files) {
            Ok(texts) => files.extend(part.names.into_iter().zip(texts)),
            Err(why) => missing.push(format!("{}: {why}", part.names.join(", "))),
        }
    }
    // Files that hold no program, such as settings of an IDE, were not read and are not kept.
    for source in outcome.sources.iter().filter(|source| !source.text.is_empty()) {
        files.push((format!("sources/{}", plain(&source.name)), source.text.clone()));
    }
    files.sort();
    let contents = contents(outcome, &files, &missing);
    files.insert(0, ("contents.txt".to_owned(), contents));
    packed(files).map_err(|e| e.to_string())
}

/// Returns the list of files, and of parts that are not there.
fn contents(outcome: &Outcome, files: &[(String, String)], missing: &[String]) -> String {
    let mut lines = vec![format!("Reports of Scanproof {}", outcome.tool), String::new()];
    for (at, result) in outcome.results.iter().enumerate() {
        lines.push(format!("{}: {} {} - {}", folder(at, result), result.id, result.text, result.headline));
    }
    lines.push(String::new());
    lines.extend(files.iter().map(|(name, _)| name.clone()));
    if !missing.is_empty() {
        lines.extend([String::new(), "Not written:".to_owned()]);
        lines.extend(missing.iter().cloned());
    }
    let no_evidence = outcome.results.iter().filter(|result| result.certificate.is_none()).count();
    if 0 < no_evidence {
        let noun = if no_evidence == 1 { "requirement has" } else { "requirements have" };
        lines.extend([String::new(), format!("{no_evidence} {noun} no evidence, so no certificate, witness or test.")]);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Packs files; equal files give equal bytes.
fn packed(files: Vec<(String, String)>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut taken = std::collections::BTreeSet::new();
    for (name, text) in files {
        let numbered = (1..).map(|n| if n == 1 { name.clone() } else { format!("{n}-{name}") });
        let free = numbered.into_iter().find(|name| taken.insert(name.to_lowercase())).unwrap_or_default();
        writer.start_file(free, options)?;
        writer.write_all(text.as_bytes())?;
    }
    writer.set_raw_comment(vec![b' '; LENGTH].into_boxed_slice())?;
    Ok(writer.finish()?.into_inner())
}

/// Returns the folder of a requirement: `02-idle`.
fn folder(at: usize, result: &RequirementResult) -> String {
    format!("{:02}-{}", at + 1, plain(&result.id))
}

/// Returns a text as a name of a file, without folders.
fn plain(text: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    text.chars().take(80).map(word).collect::<String>().trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::ZipArchive;

    use super::*;
    use crate::report::example::booster;
    use crate::report::signature::{Checked, SignedForm, check, sign};

    #[test]
    fn an_archive_has_each_report_and_opens_signed() {
        let outcome = booster();
        let bytes = archive(&outcome, Vec::new()).unwrap();
        assert_eq!(archive(&outcome, Vec::new()).unwrap(), bytes, "equal runs, equal bytes");
        let signed = sign(&[3; 32], bytes.clone(), SignedForm::Zip);
        assert!(matches!(check(&signed), Checked::Unchanged { .. }));
        assert_eq!(check(&bytes), Checked::Unsigned);
        let mut opened = ZipArchive::new(Cursor::new(signed)).unwrap();
        let names: Vec<String> = opened.file_names().map(|name| name.unwrap().into_owned()).collect();
        for name in [
            "contents.txt",
            "report.html",
            "report.json",
            "report.sarif",
            "report.junit.xml",
            "01-R1/trace.csv",
            "sources/booster.st",
        ] {
            assert!(names.iter().any(|of| of == name), "{name}: {names:?}");
        }
        let mut json = String::new();
        opened.by_name("report.json").unwrap().read_to_string(&mut json).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), outcome);
        let mut contents = String::new();
        opened.by_name("contents.txt").unwrap().read_to_string(&mut contents).unwrap();
        assert!(contents.contains("8 requirements have no evidence"), "{contents}");
    }

    #[test]
    fn a_part_that_is_not_written_is_listed_with_its_reason() {
        let mut outcome = booster();
        outcome.results[0].certificate = Some(answer::certificate::StoredEvidence::Run(Vec::new()));
        let parts = parts(&outcome, "2026-01-01T00:00:00Z");
        assert!(3 <= parts.len());
        let refused = parts.into_iter().map(|part| (part, Err("too long".to_owned()))).collect();
        let mut opened = ZipArchive::new(Cursor::new(archive(&outcome, refused).unwrap())).unwrap();
        let mut contents = String::new();
        opened.by_name("contents.txt").unwrap().read_to_string(&mut contents).unwrap();
        assert!(contents.contains("Not written:\n") && contents.contains("01-R1/st-test.st: too long"), "{contents}");
    }
}
