//! A program: its import, and the form for its requirements.

use std::collections::BTreeSet;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use plc_frontend::dialect::DIALECTS;
use plc_frontend::solution::Solution;
use plc_frontend::source::SourceSet;
use serde::Deserialize;

use super::preview::Preview;
use super::{filters, page_with};
use crate::report::outcome::{Finding, Import, Outcome, Problem, VariableRole};
use crate::store::programs::{Program, Source};
use crate::store::projects::versions::NewVersion;
use crate::web::api::jobs::planned;
use crate::web::api::programs::find;
use crate::web::error::WebError;
use crate::web::form::{Action, Experts, Form, JOINS, KINDS, RequirementRow, Suggestion, THOROUGHNESS, suggestions};
use crate::web::imports::{self, Surroundings};
use crate::web::job::{self, Order, read};
use crate::web::project;
use crate::web::read::FormBody;
use crate::web::read::Parameters;
use crate::web::state::AppState;
use kernel::property::check::CHECKS;
use kernel::property::pattern::PATTERNS;
use kernel::property::spec::{Assumption, Specification};
use search::engine::ENGINES;
use sources::{File, files};

mod sources;

#[derive(Template)]
#[template(path = "pages/program.html")]
struct ProgramPage {
    program: Program,
    /// Reason why the program could not be read.
    unreadable: Option<String>,
    import: Import,
    n_errors: usize,
    groups: Vec<Group>,
    rests_on: Vec<String>,
    /// Requirements in the program text itself.
    n_asserts: usize,
    entries: Vec<String>,
    /// Names of the projects of the upload.
    projects: Vec<String>,
    /// Requirements that names and types suggest and the form does not have.
    suggestions: Vec<Suggestion>,
    /// Values to compare with: TRUE, FALSE, and those of enumerations.
    values: Vec<String>,
    /// Reading of the sentences, where it was asked for.
    preview: Option<Preview>,
    form: Form,
    /// Errors first.
    findings: Vec<Finding>,
    files: Vec<File>,
    /// Number of the file that is open.
    source: Option<usize>,
}

/// A program as it was read.
struct Reading {
    /// Without a specification.
    plain: Option<Outcome>,
    /// The basis of answers, with the form's statements.
    surroundings: Surroundings,
    /// Reason why the program could not be read.
    unreadable: Option<String>,
    /// Reading of the form's sentences, where it was asked for.
    preview: Option<Preview>,
}

/// Longest list that is not folded.
const FOLDED: usize = 14;
/// Findings that are not folded.
const FINDINGS: usize = 4;

/// Errors of the program that are repeated in the form.
const MAX_FINDINGS: usize = 10;

struct Group {
    title: &'static str,
    note: &'static str,
    variables: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ProgramQuery {
    specification: Option<String>,
    /// A run whose choice of engine is taken over. The mistakes that it found in the requirements stand beside them.
    run: Option<String>,
    /// Part of the names of the variables that the environment shows.
    variables: Option<String>,
    /// Assumption that a counterexample suggests.
    assume: Option<String>,
    /// Number of a file whose text is shown.
    source: Option<usize>,
    /// Names of requirement files of the upload, the one that was read first.
    stated_in: Option<String>,
}

/// Returns `GET /programs/{id}`
pub(crate) async fn get(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<ProgramQuery>,
) -> Result<Response, WebError> {
    let program = find(&state, &id).await?;
    let shown = query.specification;
    let mut specification: Specification = match &shown {
        Some(id) => {
            let json = state.store.specification(id).await?;
            read(&json.ok_or_else(|| WebError::NotFound(format!("specification {id}")))?)?
        }
        None => Specification::default(),
    };
    let suggested = query.assume.filter(|text| !text.trim().is_empty());
    let is_suggested = suggested.is_some();
    specification.assumptions.extend(suggested.map(|expr| Assumption { text: None, expr }));
    let mut form = Form::from_specification(&specification);
    form.is_suggested = is_suggested;
    form.source = query.source;
    form.environment.filter = query.variables.unwrap_or_default().trim().to_owned();
    form.stated_in = query.stated_in.filter(|_| shown.is_some()).map(|names| read_from(&names));
    if let Some(run) = query.run {
        let run = job::find(&state, &run).await?;
        form.experts = Experts::of(&read(&run.strategy)?);
        if shown.as_ref() == Some(&run.specification) {
            let problems: Vec<Problem> = planned(&run)?.into_iter().flat_map(|planned| planned.problems).collect();
            form.complain(&problems);
            form.is_of_a_run = true;
        }
    }
    show(&state, program, form, StatusCode::OK).await
}

/// Returns the origin of requirements: the first of these names, one a line. The others are not read.
pub(crate) fn read_from(names: &str) -> String {
    match names.split_once('\n') {
        None => format!("The requirements are those of {names}."),
        Some((used, others)) => format!("The requirements are those of {used}. Not read: {}.", others.replace('\n', ", ")),
    }
}

/// Returns the page with this form.
pub(crate) async fn show(state: &AppState, program: Program, form: Form, status: StatusCode) -> Result<Response, WebError> {
    show_with(state, program, form, (status, None)).await
}

/// Returns the page with this form and the reading of its sentences.
async fn show_with(
    state: &AppState,
    program: Program,
    form: Form,
    (status, preview): (StatusCode, Option<Preview>),
) -> Result<Response, WebError> {
    let (outcome, unreadable) = match imports::program(state, &program).await {
        Ok(outcome) => (Some(outcome), None),
        Err(WebError::NotReadable(words)) => (None, Some(words)),
        Err(error) => return Err(error),
    };
    let surroundings = match (&outcome, form.surroundings()) {
        (Some(plain), Some(stated)) => imports::surroundings(state, &program, plain, stated).await?,
        (_, _) => Surroundings::Mistaken,
    };
    let sources = state.store.sources(&program.id).await?;
    let reading = Reading { plain: outcome, surroundings, unreadable, preview };
    page_with(status, &ProgramPage::new(program, reading, form, sources))
}

impl ProgramPage {
    fn new(program: Program, reading: Reading, mut form: Form, sources: Vec<Source>) -> ProgramPage {
        let Reading { plain, surroundings, unreadable, preview } = reading;
        let plain_rows = plain.as_ref().map_or(&[][..], |outcome| &outcome.environment);
        let n_asserts = plain.iter().flat_map(|o| &o.results).filter(|r| r.id.starts_with("assert")).count();
        match &surroundings {
            Surroundings::Read(stated, default) => form.environment.complete(&stated.environment, default),
            Surroundings::Unstated | Surroundings::Mistaken => form.environment.complete(plain_rows, plain_rows),
        }
        let (stated, is_fine) = match surroundings {
            Surroundings::Read(stated, _) => (Some(*stated), true),
            Surroundings::Unstated => (plain, true),
            Surroundings::Mistaken => (plain, false),
        };
        // With a mistake in the form no sentence may contradict it.
        let rests_on = stated.as_ref().filter(|_| is_fine).map(|o| o.rests_on.clone()).unwrap_or_default();
        let import = stated.map(|o| o.import).unwrap_or_default();
        // Errors that stop everything; those of left-out parts are listed by themselves.
        let n_errors = import.stops().count();
        let group = |title, note, role| Group {
            title,
            note,
            variables: import.variables.iter().filter(|v| v.role == role).map(|v| (v.name.clone(), v.ty.clone())).collect(),
        };
        let groups = [
            group("Inputs", "any value of their type at the start of each cycle", VariableRole::Input),
            group("Parameters", "any value at the start of the run, then constant", VariableRole::Parameter),
            group("Outputs", "visible at the end of each cycle", VariableRole::Output),
            group("Memory", "keeps its value from cycle to cycle", VariableRole::Memory),
        ];
        let entries =
            import.pous.iter().filter(|p| p.kind == "PROGRAM" || p.kind == "FUNCTION_BLOCK").map(|p| p.name.clone()).collect();
        let is_new = |one: &Suggestion| {
            let states =
                |row: &RequirementRow| row.kind.id == one.kind.id && row.parts.iter().any(|part| part.value == one.expression);
            !form.requirements.iter().any(states)
        };
        ProgramPage {
            suggestions: suggestions(&import.variables).into_iter().filter(is_new).collect(),
            values: values(&import),
            preview,
            program,
            unreadable,
            n_errors,
            groups: groups.into_iter().filter(|g| !g.variables.is_empty()).collect(),
            rests_on,
            n_asserts,
            entries,
            projects: projects(&sources),
            findings: errors_first(&import),
            import,
            source: form.source,
            files: files(sources, form.source),
            form,
        }
    }

    fn n_statements(&self) -> usize {
        self.import.pous.iter().map(|p| p.n_statements).sum()
    }
}

/// Returns the findings, errors before warnings.
fn errors_first(import: &Import) -> Vec<Finding> {
    let mut findings = import.diagnostics.clone();
    findings.sort_by_key(|finding| finding.severity != "error");
    findings
}

/// Most values that a field completes.
const MAX_VALUES: usize = 500;

/// Returns the values that a variable can be compared with by name.
fn values(import: &Import) -> Vec<String> {
    let named: BTreeSet<&String> = import.variables.iter().flat_map(|variable| &variable.values).take(MAX_VALUES).collect();
    ["TRUE", "FALSE"].into_iter().map(str::to_owned).chain(named.into_iter().cloned()).collect()
}

/// Returns the names of the projects among the files of an upload that have a program, tests last.
fn projects(sources: &[Source]) -> Vec<String> {
    let mut set = SourceSet::default();
    for source in sources {
        set.add(source.name.clone(), source.text.clone());
    }
    let solution = Solution::of(&set);
    let programs =
        solution.projects().iter().enumerate().filter(|(_, project)| project.has_program || solution.projects().len() < 2);
    let mut programs: Vec<(bool, String)> = programs.map(|(at, project)| (project.is_test, solution.label(at))).collect();
    programs.retain(|(_, name)| !name.is_empty());
    programs.sort_by_key(|(is_test, _)| *is_test);
    programs.into_iter().map(|(_, name)| name).collect()
}

/// Returns `POST /programs/{id}/requirements`: starts a run, or shows the form again.
pub(crate) async fn post(
    State(state): State<AppState>,
    Path(id): Path<String>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let program = find(&state, &id).await?;
    let (mut form, action) = Form::read(&fields);
    match action {
        Action::Enter if form.environment.is_refiltered() => {}
        Action::Enter if !form.as_yaml && !form.builder.is_blank() => form.edit(&Action::AddBuilt),
        Action::Start | Action::Keep | Action::ShowYaml if form.is_waiting() => {
            return show(&state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await;
        }
        Action::Start | Action::Enter => return start(&state, program, form).await,
        Action::Keep => return keep(&state, program, form).await,
        Action::Filter => {}
        Action::Preview => {
            let preview = Preview::of(&state, &program, &mut form).await?;
            return show_with(&state, program, form, (StatusCode::OK, Some(preview))).await;
        }
        Action::ShowYaml => {
            if let Some(specification) = form.specification() {
                form.yaml.value = specification.to_yaml();
                form.as_yaml = true;
            }
        }
        Action::ShowFields => {
            if let Some(specification) = form.specification() {
                let Form { thorough, experts, .. } = form;
                form = Form { thorough, experts, ..Form::from_specification(&specification) };
                if form.as_yaml {
                    form.errors
                        .push("These requirements use what the form has no fields for; they stay a requirement file.".into());
                }
            }
        }
        Action::AddAssumption
        | Action::AddBlank
        | Action::AddBuilt
        | Action::Choose
        | Action::Suggest(..)
        | Action::DropAssumption(_)
        | Action::DropRequirement(_) => form.edit(&action),
    }
    show(&state, program, form, StatusCode::OK).await
}

/// Makes a project of the program and its form.
async fn keep(state: &AppState, program: Program, mut form: Form) -> Result<Response, WebError> {
    let Some(specification) = form.specification() else {
        return show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    };
    let version = NewVersion { program: program.id, label: program.label.clone(), job: None };
    let id = project::keep(state, (program.label, String::new()), &specification, Some(version)).await?;
    Ok(Redirect::to(&format!("/projects/{id}")).into_response())
}

async fn start(state: &AppState, program: Program, mut form: Form) -> Result<Response, WebError> {
    let Some(specification) = form.specification() else {
        return show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    };
    let limits = form.limits(state.config.default_limits);
    let strategy = match form.experts.strategy() {
        Ok(strategy) => strategy,
        Err(message) => {
            form.experts.error = Some(message);
            return show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await;
        }
    };
    let order = Order { program: program.clone(), specification, limits, strategy, project: None };
    match job::queue(state, order).await {
        Ok(job) => Ok(Redirect::to(&format!("/runs/{}", job.id)).into_response()),
        Err(WebError::Specification(problems)) => {
            form.complain(&problems);
            show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(WebError::Strategy(message)) => {
            form.experts.error = Some(message);
            show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(WebError::Program(findings)) => {
            // Those of a chosen dialect or entry are not above.
            let line = |f: &Finding| format!("{}: {}", f.place.words(), f.message);
            form.errors.push("The program has errors:".into());
            form.errors.extend(findings.iter().take(MAX_FINDINGS).map(line));
            show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(error) => Err(error),
    }
}
