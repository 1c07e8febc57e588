//! `scanproof check-certificate`: a certificate and the program that it is about in, one answer out.

use tokio_util::sync::CancellationToken;

use super::export::not_understood;
use super::print::{complain, out};
use super::programs::{bytes, collect};
use super::verify::{cancel_on_signal, cycle, runtime};
use super::{BAD_INPUT, BROKEN, CheckCertificateArgs, INTERNAL, UNDECIDED, USAGE};
use crate::report::class::VerdictClass;
use crate::run::job::{Job, Limits, Strategy, Suspect, Task};
use crate::run::model::{Written, model};
use answer::certificate::Answer;

/// Checks one certificate.
pub(super) fn run(args: &CheckCertificateArgs) -> u8 {
    let refuse = |code: u8, why: &str| {
        complain(&format!("error: {why}"));
        code
    };
    let cycle = match cycle(args.cycle.as_deref()) {
        Ok(cycle) => cycle,
        Err(e) => return refuse(USAGE, &e),
    };
    let mut programs = collect(&args.program, args.req.as_deref());
    let mut program = match (programs.pop(), programs.is_empty()) {
        (Some((_, Ok(program))), true) => program,
        (Some((_, Err(problem))), true) => return refuse(BAD_INPUT, &problem.0),
        (_, _) => return refuse(USAGE, "a certificate is about one program: name its files, or one directory with one program"),
    };
    program.specification.cycle = cycle.or(program.specification.cycle);
    program.specification.dialect = args.dialect.or(program.specification.dialect);
    if args.entry.is_some() {
        program.specification.entry.clone_from(&args.entry);
    }
    let text = match bytes(&args.certificate) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) => return refuse(BAD_INPUT, &problem.0),
    };
    let job = Job {
        sources: program.sources,
        specification: program.specification,
        task: Task::Check(Suspect { text, solver: args.solver.clone() }),
        limits: Limits { wall_s: args.limits.time_limit, memory_mb: args.limits.memory_limit },
        strategy: Strategy::default(),
        earlier: Vec::new(),
    };
    let (Some(runtime), Ok(exe)) = (runtime(), std::env::current_exe()) else {
        return refuse(INTERNAL, "this binary cannot be found again");
    };
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signal(cancel.clone()));
    let answer: Answer = match runtime.block_on(model(&exe, &job, cancel)) {
        Written::Text(json) => match serde_json::from_str(&json) {
            Ok(answer) => answer,
            Err(e) => return refuse(INTERNAL, &e.to_string()),
        },
        Written::Refused(why) => return refuse(BAD_INPUT, &why),
        // Out of memory, stack or time: nothing was shown.
        Written::Failed(why) => Answer::Open(why),
        Written::NotUnderstood(outcome) => return not_understood(&outcome),
        Written::Cancelled => return 130,
    };
    if args.json {
        match serde_json::to_string_pretty(&answer) {
            Ok(text) => out(&text),
            Err(e) => return refuse(INTERNAL, &e.to_string()),
        }
    } else {
        tell(&answer);
    }
    match answer {
        Answer::Certified(_) => 0,
        Answer::Conditional { .. } => VerdictClass::Conditional.exit_code(),
        Answer::Refuted(_) => BROKEN,
        Answer::Open(_) => UNDECIDED,
        Answer::Unfit(_) => BAD_INPUT,
    }
}

fn tell(answer: &Answer) {
    match answer {
        Answer::Certified(shown) => {
            out("✔ certified");
            shown.iter().for_each(|line| out(&format!("  {line}")));
        }
        Answer::Conditional { shown, conditions } => {
            let n = conditions.len();
            let under = if n == 1 { "1 condition".to_owned() } else { format!("{n} conditions") };
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
