//! Files of `verify --report`, `--certificates`, `--witnesses` and `--explain`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::print::{complain, out};
use super::session::Session;
use super::{Failure, LimitArgs};
use crate::report::explain::files;
use crate::report::format::{Content, FileName, Part, ReportFormat, WantedReport, archive, format, parts};
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::verification::ProgramReport;
use crate::run::job::{Job, SourceText, Task};
use crate::run::model::{Written, model};
use kernel::property::spec::Specification;

/// Folder for reports in one format.
pub(super) struct Reports {
    folder: PathBuf,
    format: &'static ReportFormat,
    /// Files that are written.
    taken: BTreeSet<PathBuf>,
    failures: Vec<String>,
}

/// Writes the page of the exploration and its graphs below `folder`, which is made if it does not exist.
pub(super) fn explain(folder: &Path, reports: &[ProgramReport]) -> Result<(), Failure> {
    files(reports).into_iter().try_for_each(|file| {
        let path = folder.join(&file.path);
        write(&path, &file.text).map_err(|e| Failure::bad_input(format!("{}: {e}", path.display())))
    })
}

/// Writes a file. Its folder is made if it does not exist.
fn write(path: &Path, text: impl AsRef<[u8]>) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, text)
}

/// Returns the present time, as in RFC 3339.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Lets a worker write reports. The error is one sentence.
fn ask(
    session: &Session,
    outcome: &Outcome,
    specification: &Specification,
    limits: LimitArgs,
    wanted: WantedReport,
) -> Result<String, String> {
    let sources = outcome.sources.iter().map(|s| SourceText { name: s.name.clone(), text: s.text.clone() });
    let job = Job::new(sources.collect(), specification.clone(), Task::Report(wanted), limits.into());
    match session.block_on(model(&session.exe, &job, session.cancel.clone())) {
        Written::Text(text) => Ok(text),
        Written::Refused(why) | Written::Failed(why) => Err(why),
        Written::NotUnderstood(_) => Err("the program was not understood again".to_owned()),
        Written::Cancelled => Err("stopped".to_owned()),
    }
}

/// Returns the archive of all reports. A worker writes those about answers, a few at a time.
fn everything(session: &Session, outcome: &Outcome, specification: &Specification, limits: LimitArgs) -> Result<Vec<u8>, String> {
    let mut parts = parts(outcome, &now()).into_iter().peekable();
    let mut written = Vec::new();
    while parts.peek().is_some() {
        let some: Vec<Part> = parts.by_ref().take(Part::AT_ONCE).collect();
        let wanted = WantedReport::Several(some.iter().map(|part| part.wanted.clone()).collect());
        let texts = ask(session, outcome, specification, limits, wanted);
        written.extend(Part::with_texts(some, texts));
    }
    archive(outcome, written)
}

impl Reports {
    /// Returns the folders that the command line names as FORMAT=DIR, and others by their formats; writes nothing yet.
    pub(super) fn wanted(named: &[String], others: &[(&str, &Option<PathBuf>)]) -> Result<Vec<Reports>, Failure> {
        let mut all = Vec::new();
        let mut add = |name: &str, folder: &Path| -> Result<(), Failure> {
            let format = format(name).map_err(|e| Failure::usage(format!("--report: {e}")))?;
            all.push(Reports { folder: folder.to_owned(), format, taken: BTreeSet::new(), failures: Vec::new() });
            Ok(())
        };
        for wanted in named {
            let parts = wanted.split_once('=');
            let (name, folder) = parts.ok_or_else(|| Failure::usage(format!("--report {wanted}: write it as FORMAT=DIR")))?;
            add(name.trim(), Path::new(folder))?;
        }
        others.iter().try_for_each(|(name, folder)| folder.iter().try_for_each(|folder| add(name, folder)))?;
        Ok(all)
    }

    /// Writes the reports about a program: one about its run, or one about each answer with evidence.
    pub(super) fn write(&mut self, session: &Session, report: &ProgramReport, specification: &Specification, limits: LimitArgs) {
        let Some(outcome) = &report.outcome else { return };
        match self.format.content {
            Content::Run { ending, render } => {
                let path = self.run_path(&report.name, ending);
                let written = render(outcome).and_then(|text| write(&path, &text).map_err(|e| e.to_string()));
                self.failures.extend(written.err().map(|why| format!("{}: {why}", path.display())));
            }
            Content::Cycles { ending, render, .. } => {
                for (result, run) in outcome.results.iter().filter_map(|result| Some((result, result.run()?))) {
                    let path = self.path(&report.name, &result.id, ending);
                    let written = render(outcome, run).and_then(|text| write(&path, &text).map_err(|e| e.to_string()));
                    self.failures.extend(written.err().map(|why| format!("{}: {why}", path.display())));
                }
            }
            Content::Everything { ending } => {
                let path = self.run_path(&report.name, ending);
                let written = everything(session, outcome, specification, limits);
                let written = written.and_then(|bytes| write(&path, bytes).map_err(|e| e.to_string()));
                self.failures.extend(written.err().map(|why| format!("{}: {why}", path.display())));
            }
            Content::Answer { .. } => {
                for result in outcome.results.iter().take_while(|_| !session.cancel.is_cancelled()) {
                    self.answer(session, &report.name, (outcome, result), specification, limits);
                }
            }
        }
    }

    /// Returns `1-pump.html`.
    fn run_path(&mut self, program: &str, ending: &str) -> PathBuf {
        let stem = Path::new(program).file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy());
        let path = self.folder.join(format!("{}-{stem}.{ending}", self.taken.len() + 1));
        self.taken.insert(path.clone());
        path
    }

    /// Writes the report about one answer, by a worker of its own.
    fn answer(
        &mut self,
        session: &Session,
        program: &str,
        (outcome, result): (&Outcome, &RequirementResult),
        specification: &Specification,
        limits: LimitArgs,
    ) {
        let Content::Answer { wanted, endings, files, has, .. } = self.format.content else { return };
        let Some(evidence) = result.certificate.clone().filter(|evidence| has(result, evidence)) else { return };
        let endings = endings(&evidence);
        let path = self.path(program, &result.id, endings.first().copied().unwrap_or_default());
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let wanted = wanted(result, evidence, FileName { name, created: now() });
        let written = ask(session, outcome, specification, limits, wanted).and_then(files).and_then(|texts| {
            let mut files = endings.iter().zip(&texts);
            files.try_for_each(|(ending, text)| write(&path.with_extension(ending), text)).map_err(|e| e.to_string())
        });
        if let Err(why) = written {
            self.taken.remove(&path);
            self.failures.push(format!("{}: {why}", path.display()));
        }
    }

    /// Says how many reports about answers were written, and lists the missing ones. Reports about runs must all be there.
    pub(super) fn finish(self, quiet: bool) -> Result<(), Failure> {
        let Content::Answer { plural, .. } = self.format.content else {
            return if self.failures.is_empty() { Ok(()) } else { Err(Failure::bad_input(self.failures.join("\n"))) };
        };
        let n = self.taken.len();
        let title = if n == 1 { self.format.title } else { plural };
        let written = format!("{n} {title} written to {}", self.folder.display());
        if !self.failures.is_empty() {
            complain(&format!("not written: {}\n{written}", self.failures.join("\n")));
        } else if !quiet {
            out(&written);
        }
        Ok(())
    }

    /// Returns `pump.R1.smt2`.
    fn path(&mut self, program: &str, id: &str, ending: &str) -> PathBuf {
        let first = program.split_whitespace().next().unwrap_or(program);
        let stem = Path::new(first).file_stem().map_or("program".into(), |stem| stem.to_string_lossy());
        let plain = |text: &str| -> String {
            let word = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            text.chars().take(80).map(word).collect()
        };
        let name = format!("{}.{}", plain(&stem), plain(id));
        let numbered = (1..).map(|n| if n == 1 { format!("{name}.{ending}") } else { format!("{name}-{n}.{ending}") });
        let mut paths = numbered.map(|name| self.folder.join(name));
        let path = paths.find(|path| !self.taken.contains(path)).unwrap_or_default();
        self.taken.insert(path.clone());
        path
    }
}
