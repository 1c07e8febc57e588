//! `scanproof selftest`: the samples inside the binary, each with the verdicts it must have.

use super::print::out;
use super::session::{Progress, Session};
use super::verify::verify;
use super::{Failure, INTERNAL};
use crate::cli::args::LimitArgs;
use crate::run::job::{Job, SourceText, Task};
use crate::run::recheck::{Rechecked, recheck};
use answer::VerdictWord;
use answer::samples;
use clap::Args;
use kernel::property::spec::Specification;

/// Arguments of `selftest`.
#[derive(Args)]
pub struct SelftestArgs {
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    /// Only samples whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Option<String>,
    /// Let this solver check the proofs, which reads SMT-LIB from its standard input, as `z3 -in`; what it leaves open is
    /// listed; default: the cvc5 that is part of this program
    #[arg(long, value_name = "COMMAND")]
    pub(super) solver: Option<String>,
}

/// Verifies every sample with the default strategy, and checks the certificate of each answer. The last lines say how many
/// certificates were accepted and how many samples came out as expected. What a second solver leaves open is no surprise.
pub(super) fn run(args: &SelftestArgs) -> Result<u8, Failure> {
    let session = Session::start()?;
    if args.solver.is_some() {
        crate::run::process::allow_other_solver();
    }
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let samples: Vec<_> = samples::all().into_iter().chain(samples::models()).filter(|s| wanted(&s.name)).collect();
    let progress = Progress::new(true, samples.len());
    let n = samples.len();
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
        let sources = vec![SourceText { name: sample.file, text: sample.source }];
        let job = Job::new(sources, specification, Task::Verify, args.limits.into());
        let report = verify(&session, sample.name.clone(), &job, &progress).report;
        let results = report.outcome.as_ref().map(|o| o.results.as_slice()).unwrap_or_default();
        let ms = report.outcome.as_ref().map_or(0, |o| o.duration_ms);
        let count = |word: VerdictWord| results.iter().filter(|r| r.verdict == word).count();
        let surprises = report.surprises.unwrap_or_else(|| vec!["the sample says nothing about what is expected".into()]);
        let rechecked = session.block_on(recheck(&session.exe, &job, results, args.solver.as_deref(), &session.cancel));
        let good = surprises.is_empty() && !results.is_empty() && rechecked.refused.is_empty();
        let good = good && (args.solver.is_some() || rechecked.is_complete());
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
        if session.cancel.is_cancelled() {
            break;
        }
    }
    progress.finish();
    out(&certificates.summary());
    out(&format!("samples: {as_expected} of {n} as expected"));
    Ok(if as_expected == n { 0 } else { INTERNAL })
}
