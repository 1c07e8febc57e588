//! `scanproof check-certificate`: a certificate and the program that it is about in, one answer out.

use super::export::not_understood;
use super::print::{json, out};
use super::programs::{self, bytes};
use super::session::Session;
use super::text::count;
use super::{BAD_INPUT, BROKEN, Failure, UNDECIDED};
use crate::cli::args::{LimitArgs, StatementArgs};
use crate::report::verdict_class::VerdictClass;
use crate::run::job::{CertificateText, Job, Task};
use crate::run::model::{Written, model};
use answer::certificate::Answer;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `check-certificate`.
#[derive(Args)]
#[command(override_usage = "scanproof check-certificate CERTIFICATE --program FILE… [--req FILE] [OPTIONS]")]
#[command(after_help = "Exit codes: 0 certified · 40 it does not show what it says · 30 not found out · \
                        3 it is no certificate of this program and requirement, or something cannot be read")]
pub struct CheckCertificateArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    pub(super) certificate: PathBuf,
    /// Files of the program that it is about
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub(super) program: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    /// Ask this solver, which reads SMT-LIB from its standard input, as `z3 -in`; default: the cvc5 that is part of this program
    #[arg(long, value_name = "COMMAND")]
    pub(super) solver: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Checks one certificate.
pub(super) fn run(args: &CheckCertificateArgs) -> Result<u8, Failure> {
    let program = programs::one(&args.program, &args.stated, "a certificate")?;
    let text = String::from_utf8_lossy(&bytes(&args.certificate)?).into_owned();
    let task = Task::Check(CertificateText { text, solver: args.solver.clone() });
    let job = Job::new(program.sources, program.specification, task, args.limits.into());
    let session = Session::start()?;
    if args.solver.is_some() {
        crate::run::process::allow_other_solver();
    }
    let answer: Answer = match session.block_on(model(&session.exe, &job, session.cancel.clone())) {
        Written::Text(json) => serde_json::from_str(&json).map_err(Failure::internal)?,
        Written::Refused(why) => return Err(Failure::bad_input(why)),
        // Out of memory, stack or time: nothing was shown.
        Written::Failed(why) => Answer::Open(why),
        Written::NotUnderstood(outcome) => return Ok(not_understood(&outcome)),
        Written::Cancelled => return Ok(130),
    };
    if args.json {
        json(&answer)?;
    } else {
        tell(&answer);
    }
    Ok(match answer {
        Answer::Certified(_) => 0,
        Answer::Conditional { .. } => VerdictClass::Conditional.exit_code(),
        Answer::Refuted(_) => BROKEN,
        Answer::Open(_) => UNDECIDED,
        Answer::Unfit(_) => BAD_INPUT,
    })
}

fn tell(answer: &Answer) {
    match answer {
        Answer::Certified(shown) => {
            out("✔ certified");
            shown.iter().for_each(|line| out(&format!("  {line}")));
        }
        Answer::Conditional { shown, conditions } => {
            let under = count(conditions.len(), "condition");
            out(&format!("{} certified under {under}, which the certificate does not show", VerdictClass::Conditional.symbol()));
            shown.iter().for_each(|line| out(&format!("  {line}")));
            conditions.iter().for_each(|condition| out(&format!("  condition: {condition}")));
        }
        Answer::Refuted(lines) => {
            out("✖ it does not show what it says");
            lines.iter().for_each(|line| out(&format!("  {line}")));
        }
        Answer::Open(why) => out(&format!("? not found out: {why}")),
        Answer::Unfit(why) => out(&format!("✖ not a certificate of this program and requirement: {why}")),
    }
}
