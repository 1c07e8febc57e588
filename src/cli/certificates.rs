//! `scanproof verify --certificates`: one file for each answer that has a certificate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::LimitArgs;
use crate::certificate::Evidence;
use crate::property::spec::Specification;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::verification::ProgramReport;
use crate::run::job::{Job, Limits, SourceText, Strategy, Task, WantedCertificate};
use crate::run::model::{Written, model};

/// A directory for certificates.
pub(super) struct Certificates<'a> {
    folder: &'a Path,
    taken: BTreeSet<PathBuf>,
    failures: Vec<String>,
}

impl<'a> Certificates<'a> {
    /// Nothing is written yet.
    pub(super) fn new(folder: &'a Path) -> Certificates<'a> {
        Certificates { folder, taken: BTreeSet::new(), failures: Vec::new() }
    }

    /// Writes the certificates of a program's answers, each by a worker of its own.
    pub(super) async fn write(
        &mut self,
        report: &ProgramReport,
        specification: Specification,
        limits: LimitArgs,
        cancel: &CancellationToken,
    ) {
        let Some(outcome) = &report.outcome else { return };
        for result in &outcome.results {
            let Some(evidence) = &result.certificate else { continue };
            let path = self.path(&report.name, &result.id, evidence);
            let job = job(outcome, specification.clone(), result, evidence.clone(), limits);
            let exe = match std::env::current_exe() {
                Ok(exe) => exe,
                Err(e) => return self.failures.push(format!("this binary cannot be found again: {e}")),
            };
            let why = match model(&exe, &job, cancel.clone()).await {
                Written::Text(text) => {
                    let written = std::fs::create_dir_all(self.folder).and_then(|()| std::fs::write(&path, text));
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

    /// How many there are, or why some are missing.
    pub(super) fn finish(self) -> Result<usize, String> {
        if self.failures.is_empty() { Ok(self.taken.len()) } else { Err(self.failures.join("\n")) }
    }

    /// `pump.R1.smt2`.
    fn path(&mut self, program: &str, id: &str, evidence: &Evidence) -> PathBuf {
        let first = program.split_whitespace().next().unwrap_or(program);
        let stem = Path::new(first).file_stem().map_or("program".into(), |stem| stem.to_string_lossy());
        let plain = |text: &str| -> String {
            let word = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            text.chars().take(80).map(word).collect()
        };
        let name = format!("{}.{}", plain(&stem), plain(id));
        let ending = evidence.ending();
        let numbered = (1..).map(|n| if n == 1 { format!("{name}.{ending}") } else { format!("{name}-{n}.{ending}") });
        let mut paths = numbered.map(|name| self.folder.join(name));
        let path = paths.find(|path| !self.taken.contains(path)).unwrap_or_default();
        self.taken.insert(path.clone());
        path
    }
}

fn job(
    outcome: &Outcome,
    specification: Specification,
    result: &RequirementResult,
    evidence: Evidence,
    limits: LimitArgs,
) -> Job {
    let sources = outcome.sources.iter().map(|s| SourceText { name: s.name.clone(), text: s.text.clone() }).collect();
    Job {
        sources,
        specification,
        task: Task::Certificate(WantedCertificate::new(result, evidence)),
        limits: Limits { wall_s: limits.time_limit, memory_mb: limits.memory_limit },
        strategy: Strategy::default(),
        earlier: Vec::new(),
    }
}
