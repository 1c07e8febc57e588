//! The reading of a form's sentences, before anything runs: a part of the program page that scripts fetch after each change.
//!
//! A worker reads the form as it would for a run. **Invariant:** nothing here is a verdict, and no sentence is left out: each is
//! read, or has its mistake.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

use super::{filters, page};
use crate::report::outcome::{Problem, RequirementResult};
use crate::run::job::Strategy;
use crate::store::programs::Program;
use crate::web::api::programs::find;
use crate::web::error::WebError;
use crate::web::form::{Builder, Form, JOINS};
use crate::web::imports;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use kernel::property::spec::Specification;

/// Reading of the sentences of a form.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    pub(super) rows: Vec<PreviewRow>,
    /// Mistakes that no sentence can be read with.
    pub(super) mistakes: Vec<String>,
}

/// Reading of a sentence.
#[derive(Debug)]
pub(super) struct PreviewRow {
    /// Id of the requirement; empty for the sentence of the builder.
    pub(super) id: String,
    pub(super) words: String,
    /// Precise meaning, as a formula with its moment.
    pub(super) meaning: String,
    pub(super) mistakes: Vec<String>,
}

#[derive(Template)]
#[template(path = "parts/preview_page.html")]
struct PreviewPart {
    builder: Builder,
    preview: Option<Preview>,
}

/// Answers `POST /programs/{id}/preview`: the blanks of the chosen sentence, and the reading of all sentences.
pub(crate) async fn post(
    State(state): State<AppState>,
    Path(id): Path<String>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let program = find(&state, &id).await?;
    let (mut form, _) = Form::read(&fields);
    let preview = Preview::of(&state, &program, &mut form).await?;
    let mut builder = form.builder;
    // A sentence that is still being built says what it lacks in the preview alone.
    builder.blanks.iter_mut().for_each(|blank| blank.error = None);
    page(&PreviewPart { builder, preview: Some(preview) })
}

impl Preview {
    /// Returns the reading of the form's sentences.
    ///
    /// Cost: a worker that reads the program, unless nothing is stated.
    pub(super) async fn of(state: &AppState, program: &Program, form: &mut Form) -> Result<Preview, WebError> {
        let mut preview = Preview::default();
        let Some(stated) = form.clone().specification() else {
            preview
                .mistakes
                .push("The form has a mistake: start the run, or show it as a requirement file, to see its place.".into());
            return Ok(preview);
        };
        let n_rows = stated.requirements.len();
        let mut stated = Specification { checks: Some(Vec::new()), assertions: Some(false), mutants: false, ..stated };
        if !form.as_yaml && !form.builder.is_blank() {
            match form.built() {
                Some(row) => stated.requirements.push(row.requirement()),
                None => preview.rows.push(PreviewRow::incomplete(&form.builder)),
            }
        }
        if stated.requirements.is_empty() {
            return Ok(preview);
        }
        let n_stated = stated.requirements.len();
        let sources = state.store.sources(&program.id).await?;
        let outcome = match imports::specification(state, sources, stated, Strategy::default()).await {
            Ok(outcome) => outcome,
            Err(WebError::NotReadable(words)) => {
                preview.mistakes.push(words);
                return Ok(preview);
            }
            Err(error) => return Err(error),
        };
        preview.mistakes.extend(outcome.import.stops().map(|finding| format!("The program has an error: {}", finding.message)));
        preview.mistakes.extend(outcome.problems.iter().map(told));
        if preview.mistakes.is_empty() {
            let results = outcome.results.into_iter().take(n_stated).enumerate();
            preview.rows.extend(results.map(|(n, result)| PreviewRow::new(result, n < n_rows)));
            // The sentence in the builder stands beside it.
            preview.rows.sort_by_key(|row| !row.id.is_empty());
        }
        Ok(preview)
    }

    /// Returns the number of sentences with a mistake, and of mistakes beside them.
    pub(super) fn n_mistakes(&self) -> usize {
        self.mistakes.len() + self.rows.iter().filter(|row| !row.mistakes.is_empty()).count()
    }
}

impl PreviewRow {
    fn new(result: RequirementResult, is_row: bool) -> PreviewRow {
        PreviewRow {
            id: if is_row { result.id } else { String::new() },
            words: result.text,
            meaning: result.meaning,
            mistakes: result.problems.iter().map(told).collect(),
        }
    }

    /// Returns the row of a sentence that lacks something.
    fn incomplete(builder: &Builder) -> PreviewRow {
        let mistakes = builder.blanks.iter().enumerate().filter_map(|(n, blank)| {
            let error = blank.error.as_ref()?;
            Some(format!("blank {}: {error}", n + 1))
        });
        PreviewRow { id: String::new(), words: builder.kind.sentence(&[]), meaning: String::new(), mistakes: mistakes.collect() }
    }
}

/// Returns a mistake with the help for it.
fn told(problem: &Problem) -> String {
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{help}", problem.message)
}
