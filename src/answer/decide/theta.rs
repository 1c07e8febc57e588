//! Decides a published model: engines side by side, certification.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::{of_interest, strategy, words};
use crate::VerdictWord;
use crate::certify::Rejected;
use crate::certify::{Certified, CertifiedRun};
use kernel::context::{ChooseSolvers, Progress};
use kernel::smt::Interrupt;
use kernel::theta::Model;
use kernel::theta::replay::NoRun;
use kernel::verdict::{Reason, Verdict};
use search::engine::Pictures;
use search::engine::portfolio::{Explored, Judged};

/// A model whose error location must not be reached.
#[derive(Clone)]
pub struct Request<'a> {
    /// The model.
    pub model: &'a Model,
    /// `default` or absent: the portfolio; else a name of [`search::engine::ENGINES`].
    pub engine: Option<&'a str>,
    /// The engine's options.
    pub options: &'a BTreeMap<String, String>,
    /// End of the search.
    pub interrupt: &'a Interrupt,
    /// Listener to progress.
    pub events: &'a (dyn Fn(Progress) + Sync),
    /// Source of solvers.
    pub solvers: &'a ChooseSolvers,
    /// Graphs of abstract states that are kept.
    pub pictures: Pictures,
}

/// Answer about a model, with its evidence.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub word: VerdictWord,
    /// The evidence of `holds` and `violated`.
    pub evidence: Option<Evidence>,
    /// Reason for the lack of an answer.
    pub reason: Option<String>,
    /// The engine that found the answer.
    pub engine: Option<&'static str>,
    /// Its graph of abstract states, if it has one.
    pub explored: Option<Explored>,
}

/// Checked evidence.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// No run reaches the error location.
    Proof(Certified),
    /// This one does.
    Run(CertifiedRun),
}

/// Decides a model. The error is a sentence about the choice of engine or options.
///
/// Cost:      until `request.interrupt`.
/// Soundness: `holds` and `violated` are certified; an answer that its check refutes ends in `error`, whatever else is found.
pub fn decide(request: &Request<'_>) -> Result<Decision, String> {
    let strategy = strategy::chosen(request.engine, request.options)?;
    let Model { pool, cfa, .. } = request.model;
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let (open, vague) = (AtomicBool::new(false), AtomicBool::new(false));
    let say = |engine: &str, what: String| {
        if let Ok(mut wrong) = wrong.lock() {
            wrong.push(format!("{engine} {what}"));
        }
        Judged::Refused
    };
    let judge = |engine: &'static str, verdict: Verdict| match verdict {
        Verdict::Safe(proof) => match Certified::proof(pool, cfa, proof, request.interrupt) {
            Ok(certified) => Judged::Accepted((engine, Evidence::Proof(certified))),
            Err(Rejected::Refuted(obligation)) => {
                say(engine, format!("says `holds`, but its proof does not pass `{}`:\n{}", obligation.name, obligation.script))
            }
            Err(Rejected::Malformed(why)) => say(engine, format!("says `holds`, but its proof is none: {why}")),
            Err(Rejected::Undecided(..)) => Judged::Refused,
        },
        Verdict::Unsafe(trace) => match CertifiedRun::follow(request.model, &trace) {
            Ok(run) => Judged::Accepted((engine, Evidence::Run(run))),
            // A value that the model leaves open: what the solver chose for it shows nothing.
            Err(NoRun::Open) => {
                open.store(true, Ordering::Relaxed);
                Judged::Refused
            }
            // What happened in a loop inside of a loop is not told in full.
            Err(NoRun::TooLong | NoRun::Vague) => {
                vague.store(true, Ordering::Relaxed);
                Judged::Refused
            }
            Err(NoRun::NotFound) => say(engine, "says `violated`, but its violation is not found in the model".to_owned()),
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let rounds = AtomicU32::new(0);
    let events = |progress: Progress| {
        if let Some(n) = progress.safe_cycles {
            rounds.fetch_max(n, Ordering::Relaxed);
        }
        (request.events)(progress);
    };
    let ended =
        strategy::run_on((strategy, None), request.solvers, request.interrupt, request.pictures, (pool, cfa), &events, &judge);
    let explored = of_interest(ended.explored, ended.result.is_ok());
    let wrong = wrong.into_inner().unwrap_or_default();
    let failures: Vec<String> = ended.failures.iter().map(|(engine, e)| format!("{engine}: {e}")).collect();
    if !wrong.is_empty() {
        let reason = wrong.into_iter().chain(failures).collect::<Vec<_>>().join("\n");
        return Ok(Decision { word: VerdictWord::Error, evidence: None, reason: Some(reason), engine: None, explored });
    }
    Ok(match ended.result {
        Ok((engine, evidence)) => {
            let word = match evidence {
                Evidence::Proof(_) => VerdictWord::Holds,
                Evidence::Run(_) => VerdictWord::Violated,
            };
            let reason = if failures.is_empty() { None } else { Some(failures.join("; ")) };
            Decision { word, evidence: Some(evidence), reason, engine: Some(engine), explored }
        }
        Err(reason) => {
            let word = if reason == Reason::Cancelled { VerdictWord::Cancelled } else { VerdictWord::Unknown };
            let mut text = match open.into_inner() {
                true => "the violation that was found needs a value that the model leaves open: an integer divided by zero, \
                         one of more than 128 bits, or a float that no bit vector holds"
                    .to_owned(),
                false => words::reason(&reason, request.engine),
            };
            if vague.into_inner() {
                text.push_str(
                    "; a violation was found and could not be confirmed: what a loop inside of a loop chose is not known",
                );
            }
            if let n @ 1.. = rounds.into_inner() {
                let rounds = if n == 1 { "the first round".to_owned() } else { format!("the first {n} rounds") };
                text.push_str(&format!("; no violation in {rounds} of its outermost loop"));
            }
            let reason = std::iter::once(text).chain(failures).collect::<Vec<_>>().join("; ");
            Decision { word, evidence: None, reason: Some(reason), engine: None, explored }
        }
    })
}
