//! A program as Structured Text with the same meaning: the texts of all its files, in one.
//!
//! The text is read and resolved again before it is returned: it has no errors and is the same program, up to the names of
//! variables that the resolver adds. A construct that cannot be written is an error, never left out.

use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::hir::Project;
use crate::lang::sfc;
use crate::lang::st::writer::{self, Unwritable};
use crate::text::{Origin, Severity, SourceSet, Span, codes::NOT_IN_DIALECT};
use crate::{LoadOptions, Loaded, load};

/// A program as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    /// The text; it ends with a line break, and formatting it again changes nothing.
    pub text: String,
    /// The dialect to choose for it, if detection finds another.
    pub dialect: Option<DialectId>,
}

/// Reason for which there is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFormatted {
    /// The construct that cannot be written, in a user's words.
    pub what: String,
    /// Its place, if it has one.
    pub span: Option<Span>,
}

/// Writes a program that was loaded without errors. `sources` and `options` are what it was loaded from.
pub fn format(sources: &SourceSet, options: &LoadOptions, loaded: &Loaded) -> Result<Formatted, NotFormatted> {
    let obstacle = match trees(sources, options.project.as_deref(), loaded) {
        Ok((text, form)) => match checked(text, options, loaded, form) {
            Ok(formatted) => return Ok(formatted),
            Err(obstacle) => obstacle,
        },
        Err(Unwritable { what, span }) => NotFormatted { what, span: Some(span) },
    };
    // The resolved program has fewer forms of constructs than its text.
    let is_whole = loaded.project.prints() && loaded.ledger.gaps.is_empty();
    if !is_whole {
        return Err(obstacle);
    }
    let mut plainer = SourceSet::default();
    plainer.add("resolved.st", loaded.project.to_st());
    let again = load(&plainer, &LoadOptions { project: None, ..options.clone() });
    let Ok((text, _)) = trees(&plainer, None, &again.value) else { return Err(obstacle) };
    checked(text, options, loaded, Form::Other).map_err(|_| obstacle)
}

/// Likeness of the text to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The same declarations and statements.
    Same,
    /// Networks, charts or lists of instructions as statements.
    Other,
}

/// Returns the trees of all files as text.
fn trees(sources: &SourceSet, project: Option<&str>, loaded: &Loaded) -> Result<(String, Form), Unwritable> {
    let selection = crate::solution::select(sources, project);
    let (mut texts, mut form) = (Vec::new(), Form::Same);
    for (id, file) in sources.files.iter_enumerated().filter(|(id, f)| f.origin == Origin::User && !selection.is_omitted(*id)) {
        let unit = crate::lang::parse(id, file).value;
        if unit.items.is_empty() {
            continue;
        }
        if !(crate::lang::st::LANGUAGE.accepts)(file) {
            form = Form::Other;
        }
        let text = match writer::write(&unit, sources, &loaded.project) {
            Ok(text) => text,
            Err(obstacle) => {
                form = Form::Other;
                // A chart without a textual form is written as statements.
                writer::write(&without_charts(unit, &file.text, loaded), sources, &loaded.project).map_err(|_| obstacle)?
            }
        };
        texts.push(text);
    }
    Ok((texts.join("\n"), form))
}

fn without_charts(mut unit: Unit, text: &str, loaded: &Loaded) -> Unit {
    let dialect = loaded.dialect.row();
    let rules = sfc::Rules { final_scan: dialect.final_scan, order: dialect.chart_order };
    sfc::draw(&mut unit, text);
    // Findings about a chart were reported when it was loaded.
    sfc::lower(&mut unit, rules, &mut Vec::new());
    unit
}

/// Reads the text again and compares the programs.
fn checked(text: String, options: &LoadOptions, loaded: &Loaded, form: Form) -> Result<Formatted, NotFormatted> {
    let mut sources = SourceSet::default();
    sources.add("formatted.st", text.clone());
    let again = load(&sources, &LoadOptions { dialect: None, project: None, ..options.clone() });
    let chosen = LoadOptions { dialect: Some(loaded.dialect), project: None, ..options.clone() };
    let is_detected = again.value.dialect == loaded.dialect;
    let (again, dialect) = if is_detected { (again, None) } else { (load(&sources, &chosen), Some(loaded.dialect)) };
    let errors: Vec<_> = again.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    // A file may have constructs that its dialect forbids: they count only where the user chose the dialect.
    let is_forbidden = |code: &str| dialect.is_some() && code == NOT_IN_DIALECT;
    if let Some(error) = errors.iter().find(|e| !is_forbidden(e.code)) {
        let line = sources.line_col(error.span()).line;
        let written = text.lines().nth(line as usize - 1).unwrap_or("").trim().to_owned();
        return Err(NotFormatted { what: format!("`{written}`, which reads: {}", error.message), span: None });
    }
    let is_same = form == Form::Other || plain(&again.value.project) == plain(&loaded.project);
    if !is_same {
        return Err(NotFormatted { what: "something whose text means another thing".to_owned(), span: None });
    }
    Ok(Formatted { text, dialect })
}

/// Returns the program without places.
fn plain(project: &Project) -> Project {
    project.clone().erase_spans()
}
