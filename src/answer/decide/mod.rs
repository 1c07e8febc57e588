//! One requirement, decided: monitor, reductions, engines side by side, certification, vacuity.
//!
//! Knows everything below it ([`kernel::property`], [`kernel::cfa`], [`search::engine`], [`crate::evidence`]); knows no
//! process, no page, no file. **Invariant:** `holds` and `violated` come with a [`Certified`] only.

mod carried;
mod hunt;
mod judge;
mod mistakes;
mod nan;
pub mod part;
mod reasons;
mod reduced;
mod request;
mod reuse;
mod schedule;
pub mod sensitivity;
pub mod shared;
#[cfg(test)]
mod tests;
pub mod theta;
mod vacuity;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use plc_frontend::Loaded;
use plc_frontend::hir::Expr;

use crate::VerdictWord;
use crate::certificate::StoredEvidence;
use crate::certify::{Certified, Evidence, summary};
use crate::replay::NanBits;
use judge::{Answer, Judge};
use kernel::cfa::Cfa;
use kernel::cfa::model::{Model, ModelError};
use kernel::cfa::pass::Dependencies;
use kernel::context::{Progress, count};
use kernel::property::check::unobserved;
use kernel::property::claim::Claim;
use kernel::property::instrument::{Instrumented, instrument, model_for};
use kernel::verdict::Reason;
use mistakes::Closed;
pub use request::{Request, Search, TimeLimit};
use search::engine::portfolio::{Ended, Explored};
use search::engine::spent::Spent;
use shared::{Attempt, Shared};
pub use vacuity::Example;
use vacuity::assumptions::{self, AllowedRuns};

/// Answer to a requirement, with its evidence.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// The answer.
    pub word: VerdictWord,
    /// The evidence of `holds`, `vacuous` and `violated`. (Vacuous has none where the assumptions exclude every run.)
    pub certified: Option<Certified>,
    /// Reason for the lack of an answer, or remarks about it.
    pub reason: Option<String>,
    /// Cycles from the start in which no violation exists, if the claim was not proved.
    pub safe_cycles: Option<u32>,
    /// The engine that found the answer.
    pub engine: Option<&'static str>,
    /// For `holds`: a run that puts the requirement to the test, if it asks for something first.
    pub example: Option<Example>,
    /// Graph of abstract states of that engine, if it has one; without an answer, that of another engine.
    pub explored: Option<Explored>,
    /// The evidence as certificates have it; it can be tried on later versions of the program.
    pub stored: Option<StoredEvidence>,
    /// TRUE if the evidence is that of the earlier version, certified for this one.
    pub reused: bool,
    /// Questions about a proof that were left open.
    pub unshown: Vec<Unshown>,
    /// Cone of influence of the claim; `None` where nothing was searched.
    pub depends: Option<Dependencies>,
    /// Time of the search.
    pub spent: Spent,
}

/// Question about a proof that was left open. A positive answer to it is a condition of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshown {
    /// Some run puts the requirement to the test.
    Test,
    /// Some run keeps the assumptions.
    Run,
}

impl Decision {
    fn certified(certified: Certified) -> Decision {
        let (word, safe_cycles) = match certified.evidence() {
            Evidence::Holds { .. } => (VerdictWord::Holds, None),
            Evidence::Violated { cycles, .. } => (VerdictWord::Violated, Some(cycles.len() as u32 - 1)),
            Evidence::Reached(_) => (VerdictWord::Violated, None),
        };
        Decision { certified: Some(certified), reason: None, safe_cycles, ..Decision::without_answer(word, String::new()) }
    }
    fn without_answer(word: VerdictWord, reason: String) -> Decision {
        Decision { word, reason: Some(reason), ..Decision::default() }
    }
}

/// Checks a choice of engine and options before anything runs. The error is one sentence that names the engine or option.
pub fn validate(engine: Option<&str>, options: &BTreeMap<String, String>) -> Result<(), String> {
    schedule::by_name(engine, options).map(|_| ())
}

/// Decides one requirement. The error is a sentence about the choice of engine or options.
///
/// Cost:      until `request.search.interrupt`; checks for vacuity have a short time of their own.
/// Soundness: see the invariant of this module; where engines contradict each other the answer is `error`.
pub fn decide(request: &Request<'_>) -> Result<Decision, String> {
    let begin = Instant::now();
    let strategy = schedule::chosen(&request.search)?;
    let model = match model_for(&request.loaded.project, request.model, request.claim) {
        Ok(model) => model,
        Err(e) => return Ok(not_modelled(&e)),
    };
    let some_runs = |progress: Progress| (request.search.events)(progress.about_some_runs());
    let unobserved = unobserved(request.claim, &request.loaded.project, &request.loaded.sources);
    // With unobserved writes, no cycle is known to be without a violation.
    let events: &(dyn Fn(Progress) + Sync) = if unobserved.is_some() { &some_runs } else { request.search.events };
    let request = &Request { model: &model, search: Search { events, ..request.search.clone() }, ..request.clone() };
    let instrumented = match instrument(&request.loaded.project, request.model, request.claim, request.assumptions) {
        Ok(instrumented) => instrumented,
        Err(e) => return Ok(not_modelled(&e)),
    };
    let (mut notes, mut unshown) = (Vec::new(), Vec::new());
    match assumptions::first_cycle(request) {
        AllowedRuns::Runs => {}
        AllowedRuns::Nothing(reason) => return Ok(Decision::without_answer(VerdictWord::Vacuous, reason)),
        AllowedRuns::Undecided => unshown.push(Unshown::Run),
    }
    let preparation = begin.elapsed();
    let mut decision = match reuse::reuse(request, &instrumented) {
        Some(decision) => decision,
        None if request.search.is_confirmation => return Ok(Decision::without_answer(VerdictWord::Unknown, String::new())),
        None if instrumented.gaps.is_empty() => search(request, &instrumented, &instrumented.cfa, strategy),
        None => beside_gaps(request, &instrumented, strategy)?,
    };
    decision.spent.preparation += preparation;
    if let Some((shared, _)) = request.shared {
        decision = share(request, shared, decision);
    }
    if let Some(why) = unobserved {
        if [VerdictWord::Holds, VerdictWord::HoldsBounded].contains(&decision.word) {
            return Ok(Decision::without_answer(VerdictWord::NotChecked, why));
        }
        decision.safe_cycles = decision.safe_cycles.filter(|_| decision.word == VerdictWord::Violated);
    }
    let stored = |certified| StoredEvidence::of(certified, &instrumented.pool, &instrumented.cfa);
    decision.stored = decision.certified.as_ref().and_then(stored);
    if !request.search.is_claim {
        put_to_the_test(request, &mut decision, &mut notes, &mut unshown);
    }
    // A violation is a run that keeps the assumptions.
    if [VerdictWord::Holds, VerdictWord::HoldsBounded].contains(&decision.word) {
        decision.unshown = unshown;
    }
    if request.claim.is_possibility() {
        notes.extend(turn_around(&mut decision));
    }
    let is_looked_at =
        [VerdictWord::Holds, VerdictWord::HoldsBounded, VerdictWord::Violated, VerdictWord::Vacuous, VerdictWord::Unknown];
    if is_looked_at.contains(&decision.word) && !request.search.is_claim {
        decision.depends = Some(carried::depends(request.loaded, request.model, &instrumented));
    }
    if !notes.is_empty() {
        notes.extend(decision.reason.take());
        decision.reason = Some(notes.join("; "));
    }
    Ok(decision)
}

/// Shares findings with other requirements: tries their runs on an open answer, and gives them its own.
fn share(request: &Request<'_>, shared: &Shared, mut decision: Decision) -> Decision {
    if shared::is_open(decision.word)
        && let Some(violation) = shared.violation(request)
    {
        decision = Decision { spent: std::mem::take(&mut decision.spent), ..violation };
    }
    if let Some(certified) = &decision.certified {
        shared.learn(decision.engine, certified);
    }
    if decision.word == VerdictWord::Holds {
        shared.learn_claim(request);
    }
    decision
}

/// Turns answers that hold for lack of runs into `vacuous`, with notes. Adds open questions to `unshown`.
fn put_to_the_test(request: &Request<'_>, decision: &mut Decision, notes: &mut Vec<String>, unshown: &mut Vec<Unshown>) {
    let answered = [VerdictWord::Holds, VerdictWord::HoldsBounded, VerdictWord::Violated].contains(&decision.word);
    if answered && let AllowedRuns::Nothing(clause) = assumptions::later_cycles(request) {
        // A violation is a run that keeps them.
        if decision.word != VerdictWord::Violated {
            decision.word = VerdictWord::Vacuous;
        }
        notes.push(clause);
    }
    if decision.word == VerdictWord::Holds {
        let (witness, never) = vacuity::witness(request);
        match vacuity::reachable(request, &witness) {
            vacuity::Possible::Yes(example) => decision.example = example,
            vacuity::Possible::No => {
                decision.word = VerdictWord::Vacuous;
                notes.push(never);
            }
            vacuity::Possible::Undecided => unshown.push(Unshown::Test),
        }
    }
}

/// Turns the answer about "never" into that about "possible". Returns a note if the answer gets weaker.
fn turn_around(decision: &mut Decision) -> Option<String> {
    match decision.word {
        VerdictWord::Violated => decision.word = VerdictWord::Holds,
        VerdictWord::Holds => decision.word = VerdictWord::Violated,
        VerdictWord::HoldsBounded => {
            decision.word = VerdictWord::Unknown;
            let n = decision.safe_cycles.take().unwrap_or_default();
            let cycles = count(n as usize, "cycle");
            return Some(format!("no run of {cycles} gets there; longer ones were not looked at"));
        }
        VerdictWord::Vacuous | VerdictWord::Unknown | VerdictWord::NotChecked | VerdictWord::Cancelled | VerdictWord::Error => {}
    }
    None
}

/// Returns the cone of influence of a claim without a search; `None` where it has no model.
pub fn cone(loaded: &Loaded, model: &Model, claim: &Claim, assumptions: &[Expr]) -> Option<Dependencies> {
    let model = model_for(&loaded.project, model, claim).ok()?;
    let instrumented = instrument(&loaded.project, &model, claim, assumptions).ok()?;
    Some(carried::depends(loaded, &model, &instrumented))
}

fn not_modelled(e: &ModelError) -> Decision {
    Decision::without_answer(VerdictWord::NotChecked, e.to_string())
}

/// Decides a program with statements that are not modelled. A run is unknown after them, so a proof has to show that none is
/// reached; a violation before one counts.
fn beside_gaps(request: &Request<'_>, instrumented: &Instrumented, strategy: schedule::Strategy) -> Result<Decision, String> {
    let strict = instrumented.strict_cfa();
    let first = search(request, instrumented, &strict, strategy);
    if first.word != VerdictWord::NotChecked {
        return Ok(first);
    }
    // A gap is reached, and a violation may exist all the same. Cycles without a violation are those of other runs only.
    let events = |progress: Progress| (request.search.events)(progress.about_some_runs());
    let request = &Request { search: Search { events: &events, ..request.search.clone() }, ..request.clone() };
    let second = search(request, instrumented, &instrumented.cfa, schedule::chosen(&request.search)?);
    let mut spent = first.spent.clone();
    spent.add(&second.spent);
    let answer = if second.word == VerdictWord::Violated || second.word == VerdictWord::Error { second } else { first };
    Ok(Decision { spent, ..answer })
}

/// Returns the graph of the engine that answered; without an answer, the one with most iterations.
fn of_interest(explored: Vec<Explored>, is_answered: bool) -> Option<Explored> {
    if is_answered {
        explored.into_iter().find(|explored| explored.answered)
    } else {
        explored.into_iter().max_by_key(|explored| explored.iterations.len())
    }
}

/// Searches for an answer about `cfa` with certification.
fn search(request: &Request<'_>, instrumented: &Instrumented, cfa: &Cfa, strategy: schedule::Strategy) -> Decision {
    let (decision, nan_bits) = once(request, instrumented, cfa, strategy);
    if decision.word != VerdictWord::Unknown || nan_bits.is_empty() {
        return decision;
    }
    let mut second = nan::without_other_bits(request, instrumented, cfa, nan_bits);
    second.spent.add(&decision.spent);
    second
}

/// Searches once. Returns also the places at which an unconfirmed violation turned NaN into bits.
fn once(request: &Request<'_>, instrumented: &Instrumented, cfa: &Cfa, strategy: schedule::Strategy) -> (Decision, NanBits) {
    if let Some(recursion) = &cfa.recursion {
        if matches!(strategy, schedule::Strategy::Default)
            && let Some(decision) = hunt::violation(request)
        {
            return (decision, NanBits::default());
        }
        if summary::fits(&instrumented.pool, cfa, recursion).is_err() {
            // The monitor has memory that calls change and do not pass.
            let decision = Decision::without_answer(VerdictWord::NotChecked, reasons::NOTED_IN_CALLS.to_owned());
            return (decision, NanBits::default());
        }
    }
    let judge = Judge::new(request, instrumented, cfa, request.case(request.claim));
    let known = request.shared.filter(|(_, attempt)| *attempt == Attempt::Again).map(|(shared, _)| &shared.facts);
    let (ended, found) = searched(&request.search, |search| {
        schedule::run(strategy, known, search, (&instrumented.pool, cfa), &|engine, verdict, interrupt| {
            judge.judge(engine, verdict, interrupt)
        })
    });
    let (at_gap, too_deep, nan_bits) = (judge.reached_a_gap(), judge.went_too_deep(), judge.nan_bits());
    let mistakes = judge.mistakes.close(ended.result.as_ref().ok().map(|(_, certified)| certified));
    let mut decision = answered(ended, mistakes, |reason| {
        if let (Reason::OverApproximation(what), true) = (reason, at_gap) {
            return (VerdictWord::NotChecked, reasons::gap(what));
        }
        if too_deep && *reason != Reason::Cancelled {
            return (VerdictWord::Unknown, reasons::TOO_DEEP.to_owned());
        }
        let is_bounded = *reason == Reason::Bound && found.is_some();
        let word = if is_bounded { VerdictWord::HoldsBounded } else { reasons::without_answer(reason) };
        (word, reasons::reason(reason, &request.search))
    });
    if decision.word == VerdictWord::Error {
        return (Decision { safe_cycles: found, ..decision }, NanBits::default());
    }
    if decision.certified.is_none() {
        decision.safe_cycles = found;
    }
    (decision, nan_bits)
}

/// Runs a search. Returns also the number of cycles from the start without a violation that engines told meanwhile.
fn searched<T>(search: &Search<'_>, run: impl FnOnce(&Search<'_>) -> T) -> (T, Option<u32>) {
    let safe_cycles = AtomicU32::new(0);
    let events = |progress: Progress| {
        if let Some(n) = progress.safe_cycles {
            safe_cycles.fetch_max(n, Ordering::Relaxed);
        }
        (search.events)(progress);
    };
    let ended = run(&Search { events: &events, ..search.clone() });
    (ended, Some(safe_cycles.into_inner()).filter(|n| 0 < *n))
}

/// Returns the answer of engines that have ended. `unanswered`: the word and the clause for a reason.
fn answered(ended: Ended<Answer>, mistakes: Closed, unanswered: impl FnOnce(&Reason) -> (VerdictWord, String)) -> Decision {
    let notes = match mistakes {
        Closed::Contradiction(text) => return Decision::without_answer(VerdictWord::Error, text),
        Closed::Notes(notes) => notes,
    };
    let explored = of_interest(ended.explored, ended.result.is_ok());
    let decision = match ended.result {
        Ok((engine, certified)) => Decision { engine: Some(engine), ..Decision::certified(certified) },
        Err(reason) => {
            let (word, text) = unanswered(&reason);
            Decision::without_answer(word, text)
        }
    };
    let failures = ended.failures.iter().map(|(engine, e)| format!("{engine}: {e}"));
    let clauses: Vec<String> = decision.reason.into_iter().chain(notes).chain(failures).collect();
    let reason = (!clauses.is_empty()).then(|| clauses.join("; "));
    Decision { reason, explored, spent: ended.spent, ..decision }
}
