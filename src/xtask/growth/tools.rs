//! Tools that are compared: the default strategy, and tools of others on the exports.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::{End, Limits, Measured, measured};
use crate::families::Answer;
use crate::{aiger, tool};

/// Tool with its command.
pub(super) struct Tool {
    /// Name in the table.
    pub(super) name: &'static str,
    /// Format of `scanproof export` that it reads; `None`: it reads the program.
    format: Option<&'static str>,
    /// Paths of its binary; the first that exists counts.
    binaries: &'static [&'static str],
    /// Arguments; the model stands at the place of `MODEL`.
    arguments: &'static [&'static str],
    /// Proves that a requirement holds in all cycles; without it the tool is asked about violations only.
    pub(super) proves: bool,
    /// Reads its answer from its output.
    read: fn(&str) -> Option<Answer>,
}

/// One run of a tool.
pub(super) struct Run {
    /// The answer; `None`: not decided.
    pub(super) answer: Option<Answer>,
    /// Reason for no answer.
    pub(super) why: &'static str,
    /// Processor time of all processes, in seconds. The export is not counted.
    pub(super) seconds: f64,
    pub(super) megabytes: u64,
}

/// The default strategy.
pub(super) const DEFAULT: Tool = Tool { name: "default", format: None, binaries: &[], arguments: &[], proves: true, read: ours };

/// Tools of others.
pub(super) const OTHERS: &[Tool] = &[
    Tool {
        name: "Spacer",
        format: Some("chc"),
        binaries: &[".tools/model-checkers/bin/z3", "/usr/bin/z3"],
        arguments: &["MODEL"],
        proves: true,
        read: spacer,
    },
    Tool {
        name: "ABC",
        format: Some("btor2"),
        binaries: &["/usr/bin/berkeley-abc"],
        arguments: &["-q", "read_aiger MODEL; pdr"],
        proves: true,
        read: abc,
    },
    Tool {
        name: "CBMC",
        format: Some("c"),
        binaries: &[".tools/model-checkers/bin/cbmc", "/usr/bin/cbmc"],
        // The scan cycle is unwound too. Most violations of the families need at most so many cycles.
        arguments: &["--unwind", "102", "--no-unwinding-assertions", "--no-standard-checks", "MODEL"],
        proves: false,
        read: cbmc,
    },
];

impl Tool {
    /// Returns whether the tool is on this machine.
    pub(super) fn is_present(&self) -> bool {
        self.format.is_none() || self.binary().is_some()
    }
    fn binary(&self) -> Option<PathBuf> {
        self.binaries.iter().map(PathBuf::from).find(|path| path.exists())
    }
    /// Asks about one requirement of a program. An error is one of the tool or of the export, never a wrong answer.
    pub(super) fn ask(&self, program: &Path, id: &str, folder: &Path, limits: Limits) -> Result<Run, String> {
        let mut command = match self.format {
            None => verify(program, id, limits),
            Some(format) => {
                let model = folder.join(format!("model.{format}"));
                match self.exported(program, id, format, &model, folder, limits)? {
                    Ok(command) => command,
                    Err(run) => return Ok(run),
                }
            }
        };
        let Measured { end, seconds, megabytes, said } = measured(&mut command, folder, limits)?;
        let answer = (self.read)(&said).filter(|_| end == End::Itself);
        let why = match (answer, end) {
            (Some(_), _) => "",
            (None, End::Time) => "time",
            (None, End::Memory) => "memory",
            (None, End::Itself) => "open",
        };
        Ok(Run { answer, why, seconds, megabytes })
    }
    /// Writes the export; returns the command that reads it, or the end where there is no export.
    fn exported(
        &self,
        program: &Path,
        id: &str,
        format: &str,
        model: &Path,
        folder: &Path,
        limits: Limits,
    ) -> Result<Result<Command, Run>, String> {
        let _ = std::fs::remove_file(model);
        let mut export = Command::new(tool::binary());
        export.arg("export").arg(program).args(["--requirement", id, "--format", format, "--out"]).arg(model);
        let made = measured(&mut export, folder, limits)?;
        if !model.exists() {
            return Ok(Err(Run { answer: None, why: "no export", seconds: made.seconds, megabytes: made.megabytes }));
        }
        let mut model = model.to_owned();
        if format == "btor2" {
            let text = std::fs::read_to_string(&model).map_err(|e| format!("{}: {e}", model.display()))?;
            let Ok(bits) = aiger::of_btor2(&text) else {
                return Ok(Err(Run { answer: None, why: "no export", seconds: made.seconds, megabytes: made.megabytes }));
            };
            model.set_extension("aig");
            std::fs::write(&model, bits).map_err(|e| format!("{}: {e}", model.display()))?;
        }
        let binary = self.binary().ok_or_else(|| format!("{} is not here", self.name))?;
        let mut command = Command::new(binary);
        command.args(self.arguments.iter().map(|argument| argument.replace("MODEL", &model.to_string_lossy())));
        Ok(Ok(command))
    }
}

fn verify(program: &Path, id: &str, limits: Limits) -> Command {
    let mut command = Command::new(tool::binary());
    command.arg("verify").arg(program).args(["--requirement", id, "--no-assertions", "--json", "-q"]);
    // A requirement gets a part of the time of its program; here the processor time ends the run.
    command.args(["--time-limit", &format!("{:.0}", (4.0 * limits.seconds).ceil().max(1.0))]);
    command.args(["--memory-limit", &limits.megabytes.to_string()]);
    command
}

/// Reads the outcome of `verify --json`: each verdict of it is certified or replayed.
fn ours(said: &str) -> Option<Answer> {
    let outcome: serde_json::Value = serde_json::from_str(said).ok()?;
    match outcome["programs"][0]["outcome"]["results"][0]["verdict"].as_str()? {
        "holds" => Some(Answer::Holds),
        "violated" => Some(Answer::Violated),
        _ => None,
    }
}
fn spacer(said: &str) -> Option<Answer> {
    match said.trim() {
        "sat" => Some(Answer::Holds),
        "unsat" => Some(Answer::Violated),
        _ => None,
    }
}
fn abc(said: &str) -> Option<Answer> {
    match (said.contains("Property proved."), said.contains("was asserted in frame")) {
        (true, false) => Some(Answer::Holds),
        (false, true) => Some(Answer::Violated),
        (true, true) | (false, false) => None,
    }
}
fn cbmc(said: &str) -> Option<Answer> {
    said.lines().any(|line| line == "VERIFICATION FAILED").then_some(Answer::Violated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_decided_answers_are_read() {
        let outcome =
            |verdict: &str| format!("{{\"programs\":[{{\"outcome\":{{\"results\":[{{\"verdict\":\"{verdict}\"}}]}}}}]}}");
        assert_eq!(ours(&outcome("holds")), Some(Answer::Holds));
        assert_eq!(ours(&outcome("violated")), Some(Answer::Violated));
        assert_eq!(["unknown", "vacuous", "holds_bounded"].map(|verdict| ours(&outcome(verdict))), [None; 3]);
        assert_eq!(["sat\n", "unsat\n", "unknown\n", ""].map(spacer), [Some(Answer::Holds), Some(Answer::Violated), None, None]);
        assert_eq!(cbmc("x\nVERIFICATION FAILED\n"), Some(Answer::Violated));
        assert_eq!(abc("Property proved.  Time =     0.00 sec\n"), Some(Answer::Holds));
        assert_eq!(abc("Output 0 of miter \"m\" was asserted in frame 3.\n"), Some(Answer::Violated));
        assert_eq!(abc("Property UNDECIDED.\n"), None);
        // Up to a bound: that is no proof.
        assert_eq!(cbmc("VERIFICATION SUCCESSFUL\n"), None);
    }
}
