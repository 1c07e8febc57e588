//! The program and its specification as a worker understands them: sources read, model built, requirements resolved.

use std::borrow::Cow;

use plc_frontend::hir::{Expr, FaultKind};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded};

use super::job::Job;
use super::subject::Subject;
use super::theta;
use crate::report::dependence::Dependence;
use crate::report::environment::environment as environment_of;
use crate::report::import::{gaps, import, sources, variables};
use crate::report::outcome::{Outcome, Problem, RequirementResult};
use crate::report::place::place;
use crate::report::rests_on::rests_on;
use crate::report::words::without_answer;
use answer::VerdictWord;
use answer::decide::shared::Shared;
use answer::decide::{Request, Search};
use kernel::cfa::model::{Model, ModelError, ModelOptions, RecursiveCalls, build};
use kernel::property::check::{CHECKS, CheckKind, Event, applicable, by_name, idle_checks, is_survived};
use kernel::property::environment;
use kernel::property::instrument::{Instrumented, instrument, model_for};
use kernel::property::rejected::Rejected;
use kernel::property::requirements::{ResolvedRequirement, ResolvedSpecification, requirements};
use kernel::property::task_rates;

/// Everything that deciding needs.
pub(super) struct Program {
    /// The program as it was read.
    pub loaded: Loaded,
    /// Its model.
    pub model: Model,
    /// Its resolved specification.
    pub stated: ResolvedSpecification,
    /// Findings that its requirements share.
    pub shared: Shared,
    /// Conditions that an answer may depend on.
    pub dependence: Dependence,
}

impl Program {
    /// Returns the assumptions about each cycle.
    pub(super) fn assumptions(&self) -> Vec<Expr> {
        self.stated.assumptions.iter().map(|assumed| assumed.condition.clone()).collect()
    }

    /// Returns a request for the answer to a requirement, without earlier evidence and without facts of other requirements.
    pub(super) fn request<'p>(
        &'p self,
        requirement: &'p ResolvedRequirement,
        assumptions: &'p [Expr],
        search: Search<'p>,
    ) -> Request<'p> {
        let (loaded, model, claim) = (&self.loaded, &self.model, &requirement.claim);
        Request { loaded, model, claim, assumptions, search, earlier: None, shared: None }
    }

    /// Returns the model of a requirement without and with its monitor. The error names the part that is not modelled.
    pub(super) fn instrumented(&self, requirement: &ResolvedRequirement) -> Result<(Cow<'_, Model>, Instrumented), String> {
        let project = &self.loaded.project;
        let model = model_for(project, &self.model, &requirement.claim).map_err(|e| e.to_string())?;
        let instrumented = instrument(project, &model, &requirement.claim, &self.assumptions()).map_err(|e| e.to_string())?;
        Ok((model, instrumented))
    }

    /// Returns the settings that a certificate names.
    pub(super) fn settings(&self, job: &Job) -> Vec<(&'static str, String)> {
        let (options, specification) = (&self.model.options, &job.specification);
        let mut settings = vec![("cycle", format!("{} ms to {} ms", options.dt_min_ms, options.dt_max_ms))];
        settings.extend(specification.entry.iter().map(|entry| ("entry", entry.clone())));
        settings.extend(specification.project.iter().map(|project| ("project", project.clone())));
        settings.push(("dialect", self.loaded.dialect.row().name.to_owned()));
        settings.extend(environment::stated(specification).into_iter().map(|row| ("environment", row)));
        settings.extend(specification.assumptions.iter().map(|a| ("assumed", a.expr.clone())));
        settings
    }
}

/// Result of reading a job.
pub(super) struct Understood {
    /// Outcome without results.
    pub(super) outcome: Outcome,
    /// Every requirement before its answer.
    pub(super) pending: Vec<RequirementResult>,
    /// `None` if something is wrong with the sources or the specification.
    pub(super) subject: Option<Subject>,
}

impl Understood {
    /// Returns an outcome with nothing to decide.
    pub(super) fn nothing(outcome: Outcome) -> Understood {
        Understood { outcome, pending: Vec::new(), subject: None }
    }
}

/// Limit of answers about calls of any depth: a proof by summaries is about calls that return.
const ANY_DEPTH: &str = "Functions that call themselves may be open any number of times at once. Nothing is claimed about a cycle \
                         in which such a call never returns.";

/// Returns the sources of a job.
pub(super) fn source_set(job: &Job) -> SourceSet {
    let mut set = SourceSet::default();
    for source in &job.sources {
        set.add(source.name.clone(), source.text.clone());
    }
    set
}

/// Reads the sources and the specification; with an error in either there is nothing to decide.
pub(super) fn understand(job: &Job) -> Understood {
    if theta::is_about_a_model(job) {
        return theta::understand(job);
    }
    let set = source_set(job);
    let options = LoadOptions {
        entry: job.specification.entry.clone(),
        project: job.specification.project.clone(),
        dialect: job.specification.dialect,
        ..LoadOptions::default()
    };
    let mut parsed = plc_frontend::load_isolated(&set, &options);
    let mut outcome = Outcome::without_results(sources(&set), import(&parsed.value, &parsed.diagnostics));
    if !parsed.value.runs {
        return Understood::nothing(outcome);
    }
    let (ranges, wrong) = environment::apply(&job.specification, &mut parsed.value);
    outcome.problems = wrong.iter().map(Problem::from).collect();
    if !outcome.problems.is_empty() {
        return Understood::nothing(outcome);
    }
    task_rates::note(&job.specification, &mut parsed.value);
    outcome.import.variables = variables(&parsed.value.project);
    let cycle = job.specification.cycle_time(parsed.value.interval_ns);
    let options = ModelOptions { dt_min_ms: cycle.min_ms, dt_max_ms: cycle.max_ms, ..ModelOptions::default() };
    let model = match model(&parsed.value, &options) {
        Ok(model) => model,
        Err(e) => {
            outcome.problems.push(no_model(&e, &parsed.value.sources));
            return Understood::nothing(outcome);
        }
    };
    let kinds = applicable(&model, &parsed.value.project);
    let checkable = CHECKS.iter().filter(|c| kinds.contains(&c.kind) && !is_survived(c, &model, &parsed.value));
    outcome.checkable = checkable.map(|c| c.name.to_string()).collect();
    let mut stated = requirements(&job.specification, &ranges, &mut parsed.value, &kinds);
    let model = match stated.assumes_of_calls.then(|| self::model(&parsed.value, &options)) {
        None => model,
        Some(Ok(model)) => model,
        Some(Err(e)) => {
            outcome.problems.push(no_model(&e, &parsed.value.sources));
            return Understood::nothing(outcome);
        }
    };
    // Conditions of requirements add their own gaps behind those of the program.
    outcome.import.gaps = gaps(&parsed.value);
    if let Some((hidden, why)) = super::behind_gap::checks(&parsed.value, &model) {
        stated.reject_behind_gap(&job.specification, &hidden, &why);
    }
    if model.cfa.recursion.is_some() {
        // The depth is not counted, so nothing is known about its limit.
        let depth = CheckKind::Event(Event::Fault(FaultKind::CallDepth));
        let why = "the calls are too many to be written out; answers about other requirements hold at any depth of calls";
        stated.reject_behind_gap(&job.specification, &[depth], why);
    }
    outcome.nothing_to_check = idle_checks(&job.specification, &stated).map(|check| check.name.to_owned()).collect();
    outcome.problems = stated.problems.iter().map(Problem::from).collect();
    if !outcome.problems.is_empty() {
        // Nothing is verified, so the mistakes in requirements have no results to stand in.
        outcome.problems.extend(stated.rejected.iter().flat_map(|rejected| &rejected.problems).map(Problem::from));
    }
    if !job.strategy.only.is_empty()
        && let Err(message) = stated.keep_only(&job.strategy.only)
    {
        outcome.problems.push(Problem::new("", message));
    }
    if !outcome.problems.is_empty() {
        return Understood::nothing(outcome);
    }
    outcome.environment = environment_of(&parsed.value, &ranges);
    outcome.rests_on = rests_on(&parsed.value, &job.specification, &stated, &outcome.import, &outcome.environment);
    outcome.rests_on.extend(parsed.value.dialect.row().rests_on());
    if model.cfa.recursion.is_some() {
        outcome.rests_on.push(ANY_DEPTH.to_owned());
    }
    let pending = rows(&stated, &parsed.value.sources);
    let (dependence, shared) = (Dependence::new(&parsed.value, &model), Shared::new(&model));
    let program = Program { loaded: parsed.value, shared, model, stated, dependence };
    Understood { outcome, pending, subject: Some(Subject::Program(Box::new(program))) }
}

/// Returns the model of a program. Recursive calls that are too many to be written out stay calls. All tasks have the same model,
/// so a certificate is about that of the run.
fn model(loaded: &Loaded, options: &ModelOptions) -> Result<Model, ModelError> {
    let written_out = build(&loaded.project, options);
    let Err(ModelError::TooLarge(_)) = &written_out else { return written_out };
    let kept = build(&loaded.project, &ModelOptions { recursive_calls: RecursiveCalls::Kept, ..*options });
    kept.ok().filter(|model| model.cfa.recursion.is_some()).map_or(written_out, Ok)
}

/// Returns the problem of a program without a model, with its place.
fn no_model(e: &ModelError, sources: &SourceSet) -> Problem {
    let at = e.span().map(|span| place(sources, span)).map(|at| format!(" ({}, line {})", at.file, at.line));
    let help = match e {
        ModelError::TooLarge(_) => Some("Verify a part of it: name a block as `entry`, or leave out files.".to_owned()),
        ModelError::Unsupported { .. } => None,
    };
    Problem { help, ..Problem::new("", format!("{e}{}", at.unwrap_or_default())) }
}

/// Returns every requirement before its answer, in order. Those that are rejected have it already.
fn rows(stated: &ResolvedSpecification, sources: &SourceSet) -> Vec<RequirementResult> {
    let mut rows: Vec<RequirementResult> = stated.requirements.iter().map(|requirement| pending(requirement, sources)).collect();
    for rejected in stated.rejected.iter().rev() {
        rows.insert(rejected.at, not_checked(rejected));
    }
    rows
}

/// Returns the result of a requirement that is not stated correctly.
pub(super) fn not_checked(rejected: &Rejected) -> RequirementResult {
    let meaning = by_name(rejected.pattern).map_or("", |check| check.meaning);
    let row = RequirementResult::before_answer(&rejected.id, &rejected.text, meaning, rejected.pattern);
    let row = RequirementResult { problems: rejected.problems.iter().map(Problem::from).collect(), ..row };
    without_answer(row, VerdictWord::NotChecked, &rejected.why)
}

/// Returns a requirement before its answer.
pub(super) fn pending(requirement: &ResolvedRequirement, sources: &SourceSet) -> RequirementResult {
    let row = RequirementResult::before_answer(&requirement.id, &requirement.text, &requirement.meaning, requirement.pattern);
    let row = RequirementResult { place: requirement.place.map(|span| place(sources, span)), ..row };
    without_answer(row, VerdictWord::Unknown, "no answer yet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::job::{SourceText, Task};
    use crate::run::limits::Limits;
    use kernel::property::spec::Specification;

    /// Returns the text and detail of each condition of the first requirement about a frozen variable.
    fn frozen(text: &str, requirement: &str) -> Vec<(String, String)> {
        let sources = vec![SourceText { name: "main.st".into(), text: text.into() }];
        let job = Job::new(sources, Specification::from_yaml(requirement).unwrap(), Task::Verify, Limits::default());
        let understood = understand(&job);
        let findings = &understood.outcome.import.diagnostics;
        let Some(Subject::Program(program)) = understood.subject else { panic!("{findings:?}") };
        let claim = &program.stated.requirements[0].claim;
        let depends = answer::decide::cone(&program.loaded, &program.model, claim, &[]).unwrap();
        let conditions = program.dependence.frozen(&program.loaded, Some(&depends));
        conditions.into_iter().map(|condition| (condition.text, condition.detail.unwrap_or_default())).collect()
    }

    #[test]
    fn a_forgotten_call_is_the_reason_why_a_variable_keeps_its_value() {
        let text = "FUNCTION_BLOCK Inner VAR_OUTPUT Q : BOOL; END_VAR Q := TRUE; END_FUNCTION_BLOCK
FUNCTION_BLOCK Outer VAR i : Inner; END_VAR VAR_OUTPUT Q : BOOL; END_VAR i(); Q := i.Q; END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT x : BOOL; END_VAR
VAR u : TON; o : Outer; a : ARRAY[0..1] OF Inner; k : INT := 5; q, r, s, t : BOOL; END_VAR
a[0]();
q := u.Q;
r := o.Q;
s := a[1].Q;
t := k > 3;
END_PROGRAM
";
        let check = |never: &str, text_part: &str, detail: &str| {
            let found = frozen(text, &format!("requirements: [{{ never: {never} }}]"));
            let [(told, why)] = found.as_slice() else { panic!("{never}: {found:?}") };
            assert!(told.starts_with(text_part) && why.starts_with(detail), "{told}: {why}");
        };
        check("q", "`u.Q` keeps", "No statement calls `u`. Name it under");
        check("r", "`o.Q` keeps", "No statement calls `o`. Name it under");
        check("s", "`a[1].Q` keeps", "No statement calls `a[1]`. Name it under");
        check("t", "`k` keeps", "No statement writes it. Name it under");
    }
}
