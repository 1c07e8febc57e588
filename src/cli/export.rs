//! `scanproof export`: the model of one requirement for other people's tools.

use super::print::{complain, out};
use super::programs::collect;
use super::verify::{cancel_on_signal, cycle, runtime, understood};
use super::{BAD_INPUT, ExportArgs, INTERNAL, USAGE};
use crate::report::outcome::Outcome;
use crate::run::job::{Job, Limits, Strategy, Task, Wanted};
use crate::run::model::{Written, model};
use tokio_util::sync::CancellationToken;

/// Writes one model.
pub(super) fn run(args: &ExportArgs) -> u8 {
    let format = match crate::export::format(&args.format) {
        Ok(format) => format,
        Err(e) => return refuse(USAGE, &format!("--format: {e}")),
    };
    let cycle = match cycle(args.cycle.as_deref()) {
        Ok(cycle) => cycle,
        Err(e) => return refuse(USAGE, &e),
    };
    let mut programs = collect(&args.files, args.req.as_deref());
    let mut program = match (programs.pop(), programs.is_empty()) {
        (Some((_, Ok(program))), true) => program,
        (Some((_, Err(problem))), true) => return refuse(BAD_INPUT, &problem.0),
        (_, _) => return refuse(USAGE, "a model is of one program: name its files, or one directory with one program"),
    };
    program.specification.cycle = cycle.or(program.specification.cycle);
    if args.entry.is_some() {
        program.specification.entry.clone_from(&args.entry);
    }
    let job = Job {
        sources: program.sources,
        specification: program.specification,
        task: Task::Export(Wanted {
            requirement: args.requirement.clone(),
            format: format.name.to_owned(),
            reduced: args.reduced,
        }),
        limits: Limits { wall_s: args.limits.time_limit, memory_mb: args.limits.memory_limit },
        strategy: Strategy::default(),
        earlier: Vec::new(),
    };
    let (Some(runtime), Ok(exe)) = (runtime(), std::env::current_exe()) else {
        return refuse(INTERNAL, "this binary cannot be found again");
    };
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signal(cancel.clone()));
    match runtime.block_on(model(&exe, &job, cancel)) {
        Written::Text(text) => match &args.out {
            None => out(text.trim_end()),
            Some(path) => {
                if let Err(e) = std::fs::write(path, text) {
                    return refuse(BAD_INPUT, &format!("{}: {e}", path.display()));
                }
                let how = "How the answer of a tool is to be read stands in its first lines";
                complain(&format!("{}: {}. {how}.", path.display(), format.title));
            }
        },
        Written::Refused(why) => return refuse(BAD_INPUT, &why),
        Written::NotUnderstood(outcome) => return not_understood(&outcome),
        Written::Failed(why) => return refuse(INTERNAL, &why),
        Written::Cancelled => return 130,
    }
    0
}

fn refuse(code: u8, why: &str) -> u8 {
    complain(&format!("error: {why}"));
    code
}

/// What is wrong with the program or its requirements.
pub(super) fn not_understood(outcome: &Outcome) -> u8 {
    for finding in &outcome.import.diagnostics {
        complain(&finding.rendered);
    }
    for problem in &outcome.problems {
        complain(&format!("error: {}: {}", problem.pointer, problem.message));
    }
    if understood(outcome) { INTERNAL } else { BAD_INPUT }
}
