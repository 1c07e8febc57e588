//! `scanproof export`: the model of one requirement for other people's tools.

use super::print::{complain, out};
use super::session::Session;
use super::verify::understood;
use super::{BAD_INPUT, Failure, INTERNAL, programs};
use crate::cli::args::{LimitArgs, StatementArgs};
use crate::report::outcome::Outcome;
use crate::run::job::{Job, Task, Wanted};
use crate::run::model::{Written, model};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Files of one program
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Id of the requirement, assertion or automatic check; may be left out where there is only one
    #[arg(long, value_name = "ID")]
    pub(super) requirement: Option<String>,
    /// theta, chc (SMT-LIB Horn clauses), btor2, smv or c
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: String,
    /// Leave out the parts that cannot influence the answer; default: the whole program
    #[arg(long)]
    pub(super) reduced: bool,
    /// Write to this file; default: standard output
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Writes one model.
pub(super) fn run(args: &ExportArgs) -> Result<u8, Failure> {
    let format = crate::export::format(&args.format).map_err(|e| Failure::usage(format!("--format: {e}")))?;
    let program = programs::one(&args.files, &args.stated, "a model")?;
    let (requirement, format_name) = (args.requirement.clone(), format.name.to_owned());
    let wanted = Task::Export(Wanted { requirement, format: format_name, reduced: args.reduced });
    let job = Job::new(program.sources, program.specification, wanted, args.limits.into());
    let session = Session::start()?;
    match session.block_on(model(&session.exe, &job, session.cancel.clone())) {
        Written::Text(text) => match &args.out {
            None => out(text.trim_end()),
            Some(path) => {
                std::fs::write(path, text).map_err(|e| Failure::bad_input(format!("{}: {e}", path.display())))?;
                let how = "Its first lines say how the answer of a tool is to be read";
                complain(&format!("{}: {}. {how}.", path.display(), format.title));
            }
        },
        Written::Refused(why) => return Err(Failure::bad_input(why)),
        Written::NotUnderstood(outcome) => return Ok(not_understood(&outcome)),
        Written::Failed(why) => return Err(Failure::internal(why)),
        Written::Cancelled => return Ok(130),
    }
    Ok(0)
}

/// Prints the mistakes in the program or its requirements, and returns the exit code.
pub(super) fn not_understood(outcome: &Outcome) -> u8 {
    for finding in &outcome.import.diagnostics {
        complain(&finding.rendered);
    }
    for problem in &outcome.problems {
        complain(&format!("error: {}: {}", problem.pointer, problem.message));
    }
    if understood(outcome) { INTERNAL } else { BAD_INPUT }
}
