//! `scanproof verify --certificates` and `--witnesses`: files for each answer that has evidence.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::LimitArgs;
use super::session::Session;
use crate::export::Witness;
use crate::report::outcome::RequirementResult;
use crate::report::verification::ProgramReport;
use crate::run::job::{Job, SourceText, Task, WantedCertificate, WantedWitness};
use crate::run::model::{Written, model};
use answer::certificate::StoredEvidence;
use kernel::property::spec::Specification;

/// Kind of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Certificates.
    Certificate,
    /// C files with witnesses about them.
    Witness,
}

/// A directory for certificates or witnesses.
pub(super) struct Certificates<'a> {
    folder: &'a Path,
    kind: Kind,
    taken: BTreeSet<PathBuf>,
    failures: Vec<String>,
}

impl<'a> Certificates<'a> {
    /// Prepares a folder; writes nothing yet.
    pub(super) fn new(folder: &'a Path, kind: Kind) -> Certificates<'a> {
        Certificates { folder, kind, taken: BTreeSet::new(), failures: Vec::new() }
    }

    /// Writes the certificates of a program's answers, each by a worker of its own.
    pub(super) fn write(&mut self, session: &Session, report: &ProgramReport, specification: &Specification, limits: LimitArgs) {
        let Some(outcome) = &report.outcome else { return };
        for result in &outcome.results {
            let Some(evidence) = &result.certificate else { continue };
            let path = self.path(&report.name, &result.id, evidence);
            let task = self.task(result, evidence, &path);
            let sources = outcome.sources.iter().map(|s| SourceText { name: s.name.clone(), text: s.text.clone() });
            let job = Job::new(sources.collect(), specification.clone(), task, limits.into());
            let why = match session.block_on(model(&session.exe, &job, session.cancel.clone())) {
                Written::Text(text) => {
                    let written = std::fs::create_dir_all(self.folder).and_then(|()| self.put(&path, &text));
                    match written {
                        Ok(()) => continue,
                        Err(e) => e.to_string(),
                    }
                }
                Written::Refused(why) | Written::Failed(why) => why,
                Written::NotUnderstood(_) => "the program was not understood again".to_owned(),
                Written::Cancelled => return,
            };
            self.taken.remove(&path);
            self.failures.push(format!("{}: {why}", path.display()));
        }
    }

    fn task(&self, result: &RequirementResult, evidence: &StoredEvidence, path: &Path) -> Task {
        match self.kind {
            Kind::Certificate => Task::Certificate(WantedCertificate::new(result, evidence.clone())),
            Kind::Witness => Task::Witness(WantedWitness {
                requirement: result.id.clone(),
                evidence: evidence.clone(),
                file: path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
                created: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            }),
        }
    }
    fn put(&self, path: &Path, text: &str) -> std::io::Result<()> {
        match self.kind {
            Kind::Certificate => std::fs::write(path, text),
            Kind::Witness => {
                let witness: Witness = serde_json::from_str(text).map_err(std::io::Error::other)?;
                std::fs::write(path, witness.c)?;
                std::fs::write(path.with_extension("witness.yml"), witness.yaml)
            }
        }
    }

    /// Returns the number of files and their folder; the error lists the missing ones.
    pub(super) fn finish(self) -> Result<String, String> {
        let (one, many) = match self.kind {
            Kind::Certificate => ("certificate", "certificates"),
            Kind::Witness => ("witness", "witnesses"),
        };
        let n = self.taken.len();
        let written = format!("{n} {} written to {}", if n == 1 { one } else { many }, self.folder.display());
        if self.failures.is_empty() { Ok(written) } else { Err(format!("{}\n{written}", self.failures.join("\n"))) }
    }

    /// Returns `pump.R1.smt2`.
    fn path(&mut self, program: &str, id: &str, evidence: &StoredEvidence) -> PathBuf {
        let first = program.split_whitespace().next().unwrap_or(program);
        let stem = Path::new(first).file_stem().map_or("program".into(), |stem| stem.to_string_lossy());
        let plain = |text: &str| -> String {
            let word = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            text.chars().take(80).map(word).collect()
        };
        let name = format!("{}.{}", plain(&stem), plain(id));
        let ending = match self.kind {
            Kind::Certificate => evidence.ending(),
            Kind::Witness => "c",
        };
        let numbered = (1..).map(|n| if n == 1 { format!("{name}.{ending}") } else { format!("{name}-{n}.{ending}") });
        let mut paths = numbered.map(|name| self.folder.join(name));
        let path = paths.find(|path| !self.taken.contains(path)).unwrap_or_default();
        self.taken.insert(path.clone());
        path
    }
}
