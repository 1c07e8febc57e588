//! The parent's side of a run: starts workers, reads their lines, ends them at the limits, and puts the outcome together.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::death::{CPU_LIMIT, cause_of_death, memory_limit};
use super::event::Event;
use super::idle::OfOwner;
use super::job::{Job, Task};
use super::knowledge::Knowledge;
use super::news::{News, OnNews};
use super::part::{Confirmed, Part};
use super::process::Usage;
use super::protocol::{Line, decode};
use super::standby::Standby;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::words::without_answer;
use answer::VerdictWord;
pub use ends::Ended;
use ends::{RunEnd, WorkerEnd};

mod begin;
mod ends;

/// Time after its own deadline at which a worker is killed.
const GRACE: Duration = Duration::from_secs(3);

/// Runs a job to its end.
///
/// Starts `program worker` as often as needed: a worker that dies while it works on a requirement makes this requirement
/// `unknown`, and another worker goes on with the rest. Stops: `cancel`, the job's wall-clock limit. Dropping
/// the future kills the worker.
pub async fn supervise(program: &Path, job: &Job, cancel: CancellationToken, on_event: &mut (dyn FnMut(Event) + Send)) -> Ended {
    measure(program, job, Measured::default(), cancel, on_event).await.0
}

/// Runs a job like [`supervise`], and tells each result when it is there.
pub async fn supervise_telling(
    program: &Path,
    job: &Job,
    cancel: CancellationToken,
    on_event: &mut (dyn FnMut(Event) + Send),
    on_news: OnNews<'_>,
) -> Ended {
    let mut run = Run { on_news: Some(on_news), ..Run::new(job, Measured::default()) };
    let ended = run.workers(program, &cancel, on_event).await;
    run.outcome_of(ended)
}

/// Measurement of a job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'m> {
    /// One requirement alone.
    pub only: Option<&'m str>,
    /// Seconds of processor time for each worker.
    pub cpu_s: Option<u32>,
}

/// Runs a job like [`supervise`], and measures its workers.
pub async fn measure(
    program: &Path,
    job: &Job,
    wanted: Measured<'_>,
    cancel: CancellationToken,
    on_event: &mut (dyn FnMut(Event) + Send),
) -> (Ended, Usage) {
    let mut run = Run::new(job, wanted);
    let ended = run.workers(program, &cancel, on_event).await;
    let used = run.used;
    (run.outcome_of(ended), used)
}

/// Does a part of a run like [`supervise`]. `on_result` is told each result when it is there. `idle`: workers that wait.
///
/// Requirements that were answered elsewhere are left out: the worker that is at one of them ends, and another goes on. In the
/// outcome they have no answer.
pub async fn supervise_part(
    program: &Path,
    (job, idle): (&Job, Option<OfOwner<'_>>),
    part: Part,
    cancel: CancellationToken,
    on_result: &mut (dyn FnMut(&RequirementResult) + Send),
) -> Ended {
    let mut on_news = |news: News<'_>| match news {
        News::Result(result) => on_result(result),
        News::Understood(..) | News::Lost(_) => {}
    };
    let mut run = Run { part: Some(part), idle, on_news: Some(&mut on_news), ..Run::new(job, Measured::default()) };
    let ended = run.workers(program, &cancel, &mut |_| {}).await;
    run.outcome_of(ended)
}

/// Certifies claims: runs a job like [`supervise`], with results that were confirmed before. These are not decided again.
///
/// `standby`: a worker that has read the program of this job.
pub async fn certify(
    program: &Path,
    job: &Job,
    (before, standby): (Vec<RequirementResult>, Option<Standby>),
    cancel: CancellationToken,
    on_event: &mut (dyn FnMut(Event) + Send),
    on_news: OnNews<'_>,
) -> Confirmed {
    let mut run = Run { results: before, standby, on_news: Some(on_news), ..Run::new(job, Measured::default()) };
    let ended = run.workers(program, &cancel, on_event).await;
    let refuted = std::mem::take(&mut run.refuted);
    // Before conditions are added: those depend on results that may still come.
    let is_shown = |result: &&RequirementResult| result.verdict.is_answer() && !refuted.contains(&result.id);
    let shown: Vec<RequirementResult> = run.results.iter().filter(is_shown).cloned().collect();
    let is_whole = run.is_answered();
    Confirmed { ended: run.outcome_of(ended), refuted, shown, is_whole }
}

struct Run<'j> {
    job: &'j Job,
    part: Option<Part>,
    /// First worker, if it has read the program.
    standby: Option<Standby>,
    /// Workers that wait, of the same owner.
    idle: Option<OfOwner<'j>>,
    /// The last worker was there before.
    has_waited: bool,
    on_news: Option<OnNews<'j>>,
    wanted: Measured<'j>,
    used: Usage,
    started: Instant,
    deadline: Instant,
    understood: Option<(Outcome, Vec<RequirementResult>)>,
    results: Vec<RequirementResult>,
    /// Knowledge about requirements without an answer.
    known: Knowledge,
    /// Results of requirements that ran out of their share of the time.
    postponed: Vec<RequirementResult>,
    /// Requirements whose claims are not shown by their evidence.
    refuted: Vec<String>,
    /// Workers are no longer given the evidence of an earlier run, since one died with it.
    without_evidence: bool,
}

impl<'j> Run<'j> {
    fn new(job: &'j Job, wanted: Measured<'j>) -> Run<'j> {
        let started = Instant::now();
        Run {
            job,
            part: None,
            standby: None,
            idle: None,
            has_waited: false,
            on_news: None,
            wanted,
            used: Usage::default(),
            started,
            deadline: started + Duration::from_secs(u64::from(job.limits.wall_s)),
            understood: None,
            results: Vec::new(),
            postponed: Vec::new(),
            known: Knowledge::default(),
            refuted: Vec::new(),
            without_evidence: false,
        }
    }

    /// Starts one worker after the other until the run is over.
    async fn workers(&mut self, program: &Path, cancel: &CancellationToken, on_event: &mut (dyn FnMut(Event) + Send)) -> RunEnd {
        loop {
            let answered = self.results.len();
            let end = self.one_worker(program, cancel, on_event).await;
            if let WorkerEnd::Died { during: Some(id), .. } = &end {
                self.known.lose(id);
            }
            if let WorkerEnd::Answered | WorkerEnd::Died { .. } = &end {
                // The next worker begins anew.
                self.postponed.iter_mut().for_each(|result| self.known.lose_result(result));
            }
            match end {
                WorkerEnd::Done => return RunEnd::Done,
                WorkerEnd::Answered if self.is_answered() => return RunEnd::Done,
                WorkerEnd::Answered => {}
                WorkerEnd::Cancelled => return RunEnd::Cancelled,
                WorkerEnd::Deadline => return RunEnd::Deadline,
                // Earlier evidence must not cost an answer: the requirement is asked again without it.
                // Nor must a claim: it was not shown.
                WorkerEnd::Died { during: Some(id), .. } if self.job.claim(&id).is_some() && !self.refuted.contains(&id) => {
                    self.refuted.push(id);
                }
                WorkerEnd::Died { during: Some(_), .. } if self.has_evidence() && !self.without_evidence => {
                    self.without_evidence = true;
                }
                WorkerEnd::Died { during: Some(id), why } => {
                    let Some(result) = self.pending(&id) else {
                        return RunEnd::Failed(format!("the worker spoke of a requirement it never announced: {id}"));
                    };
                    // Findings of an earlier attempt still count.
                    let earlier = self.postponed.iter().find(|r| r.id == id).cloned();
                    let result = earlier.unwrap_or_else(|| without_answer(result, VerdictWord::Unknown, &why));
                    let result = self.known.complete(result);
                    self.tell(News::Lost(&result));
                    on_event(Event::verdict(self.understood.as_ref().map(|(outcome, _)| outcome), &self.results, &result));
                    self.results.push(result);
                }
                // Lost between two requirements, or before the first while it waited: the next worker goes on with the rest.
                WorkerEnd::Died { during: None, .. } if self.has_waited || answered < self.results.len() => {}
                WorkerEnd::Died { during: None, why } => return RunEnd::Failed(why),
            }
        }
    }

    fn outcome_of(self, end: RunEnd) -> Ended {
        let limit = self.job.limits.wall_s;
        match end {
            RunEnd::Done => self.succeeded(),
            RunEnd::Cancelled => Ended::Cancelled(self.outcome(VerdictWord::Cancelled, "Stopped before it was decided")),
            RunEnd::Deadline => {
                Ended::TimedOut(self.outcome(VerdictWord::Unknown, &format!("time limit of {limit} s for the whole run")))
            }
            RunEnd::Failed(reason) => {
                let at_limit = reason == memory_limit(self.job.limits.memory_mb) || reason == CPU_LIMIT;
                // Nothing that was understood or answered is lost.
                match self.outcome(VerdictWord::Unknown, &reason) {
                    Some(outcome) => Ended::Succeeded(outcome),
                    None => Ended::Failed { reason, at_limit },
                }
            }
        }
    }

    async fn one_worker(
        &mut self,
        program: &Path,
        cancel: &CancellationToken,
        on_event: &mut (dyn FnMut(Event) + Send),
    ) -> WorkerEnd {
        let mut worker = match self.begin(program) {
            Ok(worker) => worker,
            Err(e) => return WorkerEnd::Died { during: None, why: format!("the worker could not be started: {e}") },
        };
        let mut during = None;
        let kill_at = tokio::time::Instant::from_std(self.deadline + GRACE);
        let end = loop {
            let line = tokio::select! {
                biased;
                () = cancel.cancelled() => break Some(WorkerEnd::Cancelled),
                () = tokio::time::sleep_until(kill_at) => break Some(WorkerEnd::Deadline),
                () = Part::answers(&mut self.part, during.as_deref()) => break Some(WorkerEnd::Answered),
                line = worker.line() => line,
            };
            let Some(line) = line else { break None };
            if self.hear(&line, &mut during, on_event) {
                break Some(WorkerEnd::Done);
            }
        };
        if let (Some(WorkerEnd::Done), Some(idle)) = (&end, &self.idle) {
            idle.keep(&self.job.limits, worker);
            return WorkerEnd::Done;
        }
        worker.stop();
        // Cancelled, late or done: nothing more is wanted of it.
        if end.is_some() {
            worker.process.kill();
        }
        let status = worker.process.end().await.map(|(status, usage)| {
            self.used = self.used.and(usage);
            status
        });
        match end {
            // Work after the last answer is extra: a worker that is lost over it costs nothing.
            None | Some(WorkerEnd::Deadline) if self.is_answered() => return WorkerEnd::Done,
            Some(end) => return end,
            None => {}
        }
        let complaints = worker.complaints().await;
        let why = match status {
            Ok(status) => cause_of_death(status, &complaints, self.job.limits.memory_mb),
            Err(e) => format!("the worker was lost: {e}"),
        };
        WorkerEnd::Died { during, why }
    }

    /// Takes note of a line of the worker, and of the requirement that it works on. Returns whether it is done.
    ///
    /// Anything but a whole line of the protocol (a library's chatter, a cut line) carries no information.
    fn hear(&mut self, line: &str, during: &mut Option<String>, on_event: &mut (dyn FnMut(Event) + Send)) -> bool {
        match decode::<Line>(line) {
            Some(Line::Understood { outcome, pending }) if self.understood.is_none() => {
                self.tell(News::Understood(&outcome, &pending));
                self.understood = Some((*outcome, pending));
            }
            // A later worker of the same run reads the same sources again.
            Some(Line::Understood { .. }) => {}
            Some(Line::Started { requirement }) => {
                self.known.begin(&requirement);
                *during = Some(requirement);
            }
            Some(Line::Refuted { requirement }) => self.refuted.push(requirement),
            Some(Line::Difficulty { requirement, advice, encodings }) => {
                self.known.difficulty(&requirement, advice, encodings);
            }
            Some(Line::Event { event }) => {
                self.known.event(&event);
                on_event(event);
            }
            // Its claim is not shown. Others go on with it.
            Some(Line::Result { result }) if self.is_unshown(&result.id) => *during = None,
            Some(Line::Result { result }) => {
                *during = None;
                let result = self.known.with_lost_time(*result);
                self.tell(News::Result(&result));
                on_event(Event::verdict(self.understood.as_ref().map(|(outcome, _)| outcome), &self.results, &result));
                self.results.push(result);
            }
            // What it held in memory may still be there: a worker that is lost now was lost over it.
            Some(Line::Postponed { result }) => {
                self.known.pause(&result.id);
                self.postponed.retain(|r| r.id != result.id);
                self.postponed.push(*result);
            }
            Some(Line::Sensitivity { requirement, sensitivity }) => {
                if let Some(result) = self.results.iter_mut().find(|r| r.id == requirement) {
                    result.sensitivity = Some(*sensitivity);
                }
            }
            // Only asked for in [`super::model`].
            Some(Line::Model { .. }) | None => {}
            Some(Line::Done) => return true,
        }
        false
    }

    fn tell(&mut self, news: News<'_>) {
        if let Some(on_news) = &mut self.on_news {
            on_news(news);
        }
    }

    /// Returns whether workers are given evidence of an earlier run or of other machines.
    fn has_evidence(&self) -> bool {
        !self.job.earlier.is_empty() || self.part.as_ref().is_some_and(|part| !part.answered.borrow().facts.is_empty())
    }

    /// Returns whether a claim was to be confirmed, and is refuted.
    fn is_unshown(&self, id: &String) -> bool {
        matches!(self.job.task, Task::Confirm(_)) && self.refuted.contains(id)
    }

    /// Returns whether changes of the program are all that is left to do.
    fn is_answered(&self) -> bool {
        let elsewhere: Vec<String> = self.part.iter().flat_map(Part::answered).collect();
        let has_result = |row: &RequirementResult| self.results.iter().any(|r| r.id == row.id) || elsewhere.contains(&row.id);
        self.job.task.is_run() && self.understood.as_ref().is_some_and(|(_, pending)| pending.iter().all(has_result))
    }

    fn pending(&self, id: &str) -> Option<RequirementResult> {
        self.understood.as_ref().and_then(|(_, pending)| pending.iter().find(|r| r.id == id).cloned())
    }

    fn succeeded(self) -> Ended {
        match self.outcome(VerdictWord::Error, "the worker gave no answer") {
            Some(outcome) => Ended::Succeeded(outcome),
            None => Ended::Failed { reason: "the worker ended without saying what it understood".into(), at_limit: false },
        }
    }

    /// Returns all results in the order of the requirements; those without an answer get `word` and `why`.
    fn outcome(self, word: VerdictWord, why: &str) -> Option<Box<Outcome>> {
        let (mut outcome, pending) = self.understood?;
        let mut results = self.results;
        for result in self.postponed {
            if results.iter().all(|r| r.id != result.id) {
                results.push(self.known.complete(result));
            }
        }
        outcome.results = pending
            .into_iter()
            .map(|row| match results.iter().position(|r| r.id == row.id) {
                Some(at) => results.swap_remove(at),
                None => self.known.complete(without_answer(row, word, why)),
            })
            .collect();
        crate::report::conditions::apply(&mut outcome);
        outcome.duration_ms = self.started.elapsed().as_millis() as u64;
        Some(Box::new(outcome))
    }
}

#[cfg(test)]
mod tests;
