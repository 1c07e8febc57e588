//! `scanproof selftest`: the samples inside the binary, each with the verdicts it must have.

use tokio_util::sync::CancellationToken;

use super::print::{complain, out};
use super::programs::Program;
use super::verify::{Progress, cancel_on_signal, runtime, verify};
use super::{INTERNAL, SelftestArgs};
use crate::run::job::{Job, Limits, SourceText, Strategy, Task};
use crate::run::recheck::{Rechecked, recheck};
use answer::VerdictWord;
use answer::samples;
use kernel::property::spec::Specification;

/// Verifies every sample with the default strategy, and checks the certificate of each answer. The last lines say how many
/// certificates were accepted and how many samples came out as expected.
pub(super) fn run(args: &SelftestArgs) -> u8 {
    let Some(runtime) = runtime() else { return INTERNAL };
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signal(cancel.clone()));
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let samples: Vec<_> = samples::all().into_iter().chain(samples::models()).filter(|s| wanted(&s.name)).collect();
    let progress = Progress::new(true, samples.len());
    let n = samples.len();
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => {
            complain(&format!("error: this binary cannot be found again: {e}"));
            return INTERNAL;
        }
    };
    let mut as_expected = 0;
    let mut certificates = Rechecked::default();
    for sample in samples {
        progress.program(&sample.name);
        let specification = match sample.specification.as_deref().map_or(Ok(Specification::default()), Specification::from_yaml) {
            Ok(specification) => specification,
            Err(e) => {
                progress.suspend(|| out(&format!("✖ {:<32} requirement file: {}", sample.name, e.message)));
                continue;
            }
        };
        let program = Program {
            name: sample.name.clone(),
            sources: vec![SourceText { name: sample.file, text: sample.source }],
            specification,
            stated_in: None,
        };
        let job = Job {
            sources: program.sources.clone(),
            specification: program.specification.clone(),
            task: Task::Verify,
            limits: Limits { wall_s: args.limits.time_limit, memory_mb: args.limits.memory_limit },
            strategy: Strategy::default(),
            earlier: Vec::new(),
        };
        let report = runtime.block_on(verify(program, (Strategy::default(), Vec::new()), args.limits, &cancel, &progress)).report;
        let results = report.outcome.as_ref().map(|o| o.results.as_slice()).unwrap_or_default();
        let ms = report.outcome.as_ref().map_or(0, |o| o.duration_ms);
        let count = |word: VerdictWord| results.iter().filter(|r| r.verdict == word).count();
        let surprises = report.surprises.unwrap_or_else(|| vec!["the sample says nothing about what is expected".into()]);
        let rechecked = runtime.block_on(recheck(&exe, &job, results, &cancel));
        let good = surprises.is_empty() && !results.is_empty() && rechecked.is_complete();
        as_expected += usize::from(good);
        progress.suspend(|| {
            out(&format!(
                "{} {:<32} {} hold, {} can be broken  {:>6.2} s",
                if good { "✔" } else { "✖" },
                sample.name,
                count(VerdictWord::Holds),
                count(VerdictWord::Violated),
                ms as f64 / 1000.0
            ));
            for line in surprises.iter().chain(&report.failure) {
                out(&format!("    {line}"));
            }
            for line in rechecked.refused.iter().chain(&rechecked.open) {
                out(&format!("    certificate of {line}"));
            }
        });
        certificates.add(rechecked);
        if cancel.is_cancelled() {
            break;
        }
    }
    progress.finish();
    out(&certificates.summary());
    out(&format!("samples: {as_expected} of {n} as expected"));
    match as_expected == n {
        true => 0,
        false => INTERNAL,
    }
}
