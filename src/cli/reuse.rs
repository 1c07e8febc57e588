//! `--reuse FILE`: evidence of an earlier `verify --json`, or of one run of the service.

use std::path::Path;

use serde::Deserialize;

use super::print::complain;
use crate::report::outcome::Outcome;
use crate::report::verification::Verification;
use crate::run::job::{Earlier, evidence};

/// Evidence by the name of its program; `None` where there is only one.
#[derive(Default)]
pub(super) struct Reuse(Vec<(Option<String>, Vec<Earlier>)>);

/// Either document that we publish.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Verification(Verification),
    Outcome(Box<Outcome>),
}

impl Reuse {
    /// Reads the file. One that is not there yet has nothing to reuse, so that the first of many runs needs no other command.
    pub(super) fn read(path: Option<&Path>) -> Result<Reuse, String> {
        let Some(path) = path else { return Ok(Reuse::default()) };
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                complain(&format!("note: --reuse: {} is not there yet, so every answer is searched for", path.display()));
                return Ok(Reuse::default());
            }
            Err(e) => return Err(format!("--reuse: {}: {e}", path.display())),
        };
        match serde_json::from_slice(&text) {
            Ok(Document::Verification(verification)) => Ok(Reuse::of(verification)),
            Ok(Document::Outcome(outcome)) => Ok(Reuse(vec![(None, evidence(*outcome))])),
            Err(_) => Err(format!(
                "--reuse: {} is neither what `verify --json` prints nor a report of the service (report.json)",
                path.display()
            )),
        }
    }

    fn of(verification: Verification) -> Reuse {
        let is_one = verification.programs.len() == 1;
        let program = |report: crate::report::verification::ProgramReport| {
            let name = if is_one { None } else { Some(report.name) };
            (name, report.outcome.map(evidence).unwrap_or_default())
        };
        Reuse(verification.programs.into_iter().map(program).collect())
    }

    /// Returns the evidence for the program of that name.
    pub(super) fn evidence(&self, name: &str) -> Vec<Earlier> {
        let found = self.0.iter().find(|(of, _)| of.as_deref().is_none_or(|of| of == name));
        found.map(|(_, evidence)| evidence.clone()).unwrap_or_default()
    }
}
