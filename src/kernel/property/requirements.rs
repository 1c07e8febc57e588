//! From a user's statements to checked requirements: names are resolved, patterns recognised, problems collected.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::hir::Expr;
use plc_frontend::lang::parse_expression;
use plc_frontend::ledger::{Gap, Treatment};
use plc_frontend::render;
use plc_frontend::source::{FileId, Span};
use plc_frontend::text::unseen::is_unseen;

use super::assertion::assertions;
pub use super::assumption::ResolvedAssumption;
use super::assumption::assumptions;
use super::check::{CheckKind, add_checks};
use super::claim::Claim;
use super::environment::Range;
use super::formula::Formula;
use super::pattern::{DURATIONS, Operand, PATTERNS, Pattern, by_id};
use super::rejected::Rejected;
use super::spec::{Requirement, Specification};
use super::{mentions, past};

/// A requirement whose names are resolved.
#[derive(Clone, Debug)]
pub struct ResolvedRequirement {
    /// Unique in the run.
    pub id: String,
    /// The user's words, or the pattern's sentence.
    pub text: String,
    /// Precise meaning.
    pub meaning: String,
    /// The pattern's id, `assertion`, or the check's name.
    pub pattern: &'static str,
    /// Its claim.
    pub claim: Claim,
    /// Its part of the program text, if it has one.
    pub place: Option<Span>,
}

/// A problem of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecProblem {
    /// JSON pointer into the specification.
    pub pointer: String,
    /// One sentence.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
    /// The problem with an excerpt of the expression; may be empty.
    pub rendered: String,
    /// Column in the expression, from 1.
    pub column: Option<u32>,
}

impl SpecProblem {
    /// Returns a problem without an excerpt.
    pub(super) fn new(pointer: String, message: String, help: Option<String>) -> SpecProblem {
        let shown = |text: String| plc_frontend::shown(&text).into_owned();
        SpecProblem { pointer, message: shown(message), help: help.map(shown), rendered: String::new(), column: None }
    }
    /// Returns the problem of an error in a condition.
    pub(super) fn of(error: &Diagnostic, pointer: &str, loaded: &Loaded) -> SpecProblem {
        SpecProblem {
            pointer: pointer.to_string(),
            message: error.message.clone(),
            help: error.help.clone(),
            rendered: render::plain(&loaded.sources, std::slice::from_ref(error)),
            column: Some(loaded.sources.line_col(error.span()).column),
        }
    }
}

/// A specification, resolved against a program.
#[derive(Clone, Debug, Default)]
pub struct ResolvedSpecification {
    /// Requirements in the order of the file, then assertions in source order, then automatic checks.
    pub requirements: Vec<ResolvedRequirement>,
    /// Assumptions.
    pub assumptions: Vec<ResolvedAssumption>,
    /// Calls of stubs in the program have assumptions behind them: a model that was built before lacks them.
    pub assumes_of_calls: bool,
    /// Requirements that cannot be checked as they are stated.
    pub rejected: Vec<Rejected>,
    /// All other problems; if there are any, nothing may be verified.
    pub problems: Vec<SpecProblem>,
}

/// Resolves a specification against a program. `applicable` are the kinds of checks that apply to it.
///
/// `ranges` are those that [`super::environment::apply`] found.
pub fn requirements(
    spec: &Specification,
    ranges: &[Range],
    loaded: &mut Loaded,
    applicable: &[CheckKind],
) -> ResolvedSpecification {
    let mut stated = ResolvedSpecification::default();
    assumptions(spec, ranges, loaded, &mut stated);
    let mut taken: BTreeSet<String> = spec.requirements.iter().filter_map(|r| r.id.clone()).collect();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (i, requirement) in spec.requirements.iter().enumerate() {
        let mut problems: Vec<SpecProblem> = requirement.id.iter().filter_map(|id| unfit_id(i, id, &used)).collect();
        let given = requirement.id.clone().filter(|_| problems.is_empty());
        let id = given.unwrap_or_else(|| free_id(i + 1, &taken));
        taken.insert(id.clone());
        used.insert(id.clone());
        match one(requirement, i, id.clone(), loaded, &mut problems) {
            Some(checked) if problems.is_empty() => {
                note_prescan(&checked.claim, loaded);
                stated.requirements.push(checked);
            }
            Some(_) | None => stated.rejected.push(Rejected::of(requirement, id, stated.requirements.len(), problems)),
        }
    }
    if spec.assertions != Some(false) {
        assertions(loaded, &mut stated);
    }
    add_checks(spec, applicable, loaded, &mut stated);
    stated.reject_duplicates();
    stated
}

/// Notes the condition of a requirement about the beginning of a cycle, where a prescan comes before the first one. The model has the
/// prescan behind the beginning of its cycle, also where the controller restarts.
fn note_prescan(claim: &Claim, loaded: &mut Loaded) {
    if !loaded.project.tags_are_outputs {
        return;
    }
    let of_tags = |condition: &&&Expr| mentions::has_other_than_inputs(condition, &loaded.project);
    let Some(span) = claim.beginnings().iter().find(of_tags).map(|condition| condition.span) else { return };
    let which = if loaded.project.restart.is_some() { "a first scan" } else { "the first scan" };
    let construct = format!("values at the beginning of {which} are those before the prescan");
    let effect = format!("the prescan clears outputs, one-shots and timers; on the controller it ends before {which} begins");
    loaded.ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
}

/// Returns the problem of an unfit id. Ids stand in files, on lines and in addresses: an id that cannot stand there unchanged, or
/// is used already, is refused.
fn unfit_id(i: usize, id: &str, used: &BTreeSet<String>) -> Option<SpecProblem> {
    let what = if used.contains(id) {
        "is that of another requirement"
    } else if id.trim().is_empty() {
        "is empty"
    } else if id.chars().any(is_unseen) {
        "has a line break, a tab or another control character"
    } else if id != id.trim() {
        "begins or ends with a space"
    } else {
        return None;
    };
    Some(SpecProblem::new(
        format!("/requirements/{i}/id"),
        format!("the id {id:?} {what}"),
        Some("An id is a short name on one line, as in `R1`, which no other requirement has.".into()),
    ))
}

/// Returns `R` and the first number from `n` on that is not taken.
fn free_id(n: usize, taken: &BTreeSet<String>) -> String {
    (n..).map(|n| format!("R{n}")).find(|id| !taken.contains(id)).unwrap_or_default()
}

fn one(
    requirement: &Requirement,
    i: usize,
    id: String,
    loaded: &mut Loaded,
    problems: &mut Vec<SpecProblem>,
) -> Option<ResolvedRequirement> {
    let (pattern, fields) = match pattern(requirement) {
        Ok(found) => found,
        Err((key, message)) => {
            let pointer = if key.is_empty() { format!("/requirements/{i}") } else { format!("/requirements/{i}/{key}") };
            problems.push(SpecProblem::new(pointer, format!("{id}: {message}"), Some(forms())));
            return None;
        }
    };
    let mut operands = Vec::new();
    for ((key, text), kind) in fields.iter().zip(pattern.keys) {
        let pointer = format!("/requirements/{i}/{key}");
        if DURATIONS.contains(kind) {
            match duration(text) {
                Ok(ms) => operands.push(Operand::Duration(ms)),
                Err(message) => problems.push(SpecProblem::new(pointer, message, None)),
            }
        } else if let Some(resolved) = formula(loaded, &format!("{id}, {key}"), &pointer, text, problems) {
            if AT_START.contains(kind) && resolved.as_now().is_none() {
                problems.push(looks_back(pointer, "speaks of the beginning of a cycle, where nothing looks back"));
            } else {
                operands.push(Operand::Condition(resolved));
            }
        }
    }
    let expressions: Vec<&str> = fields.iter().map(|(_, text)| text.trim()).collect();
    let meaning = pattern.reading(&expressions);
    let text = requirement.text.clone().unwrap_or_else(|| pattern.sentence(&expressions));
    let claim = pattern.claim(operands)?;
    Some(ResolvedRequirement { id, text, meaning, pattern: pattern.id, claim, place: None })
}

/// Keys whose conditions are about the beginning of a cycle.
const AT_START: &[&str] = &["at_start", "started"];

pub(super) fn looks_back(pointer: String, why: &str) -> SpecProblem {
    let key = pointer.rsplit('/').next().unwrap_or_default().to_owned();
    SpecProblem::new(
        pointer,
        format!("`{key}` {why}"),
        Some(
            "PREVIOUS, ONCE, SINCE and the like speak of the ends of cycles: use them in `if`, `then`, `always`, `never` …"
                .into(),
        ),
    )
}

/// Reads `500ms`, `5s` or `T#5s`. A number without a unit is refused: it may mean seconds or milliseconds.
fn duration(text: &str) -> Result<u32, String> {
    let plain = text.trim();
    if !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("`{plain}` has no unit: write `{plain}ms` or `{plain}s`"));
    }
    let literal = if plain.contains('#') { plain.to_owned() } else { format!("T#{}", plain.replace(' ', "")) };
    let value = parse_expression(FileId(0), &literal).value;
    let ms = value.as_ref().and_then(past::milliseconds).filter(|ms| 0 < *ms);
    ms.ok_or_else(|| {
        format!("`{plain}` is not a time: write whole milliseconds up to a day, as in `500ms`, `5s`, `1m30s` or `T#5s`")
    })
}

/// Keys with their expressions.
type Fields = Vec<(String, String)>;

/// Returns the pattern of a requirement's keys, and its expressions with their keys. The error is a key with its problem.
fn pattern(r: &Requirement) -> Result<(&'static Pattern, Fields), (String, String)> {
    let by_key: Vec<(&str, &String)> = r.keys().into_iter().filter_map(|(key, value)| value.as_ref().map(|v| (key, v))).collect();
    if let Some(id) = &r.pattern {
        if let Some((key, _)) = by_key.first() {
            return Err(((*key).into(), format!("`{key}` and `pattern` cannot stand together: a requirement has one pattern")));
        }
        let Some(pattern) = by_id(id) else {
            let known: Vec<&str> = PATTERNS.iter().map(|p| p.id).collect();
            return Err(("pattern".into(), format!("there is no pattern `{id}`; there are {}", known.join(", "))));
        };
        if r.params.len() != pattern.keys.len() {
            let (n, given) = (pattern.keys.len(), r.params.len());
            return Err(("params".into(), format!("`{}` takes {n} expressions, {given} are given", pattern.id)));
        }
        let fields = r.params.iter().enumerate().map(|(k, text)| (format!("params/{k}"), text.clone())).collect();
        return Ok((pattern, fields));
    }
    if !r.params.is_empty() {
        return Err(("params".into(), "`params` needs `pattern`".into()));
    }
    if by_key.is_empty() {
        return Err((String::new(), "it does not say what must hold".into()));
    }
    let matching =
        PATTERNS.iter().find(|p| p.keys.len() == by_key.len() && p.keys.iter().all(|k| by_key.iter().any(|(b, _)| b == k)));
    let Some(pattern) = matching else {
        let keys: Vec<String> = by_key.iter().map(|(k, _)| format!("`{k}`")).collect();
        return Err((
            by_key[0].0.into(),
            format!("{} {} not make a pattern", keys.join(" and "), if keys.len() == 1 { "does" } else { "do" }),
        ));
    };
    let field = |key: &&str| by_key.iter().find(|(k, _)| k == key).map(|(k, text)| ((*k).to_string(), (*text).clone()));
    Ok((pattern, pattern.keys.iter().filter_map(field).collect()))
}

fn forms() -> String {
    let forms: Vec<String> =
        PATTERNS.iter().map(|p| p.keys.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(" with ")).collect();
    format!("A requirement is written by one of: {}.", forms.join("; "))
}

pub(super) fn formula(
    loaded: &mut Loaded,
    name: &str,
    pointer: &str,
    text: &str,
    problems: &mut Vec<SpecProblem>,
) -> Option<Formula> {
    let parsed = past::formula(loaded, name, text);
    let errors: Vec<&Diagnostic> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    problems.extend(errors.iter().map(|error| SpecProblem::of(error, pointer, loaded)));
    match parsed.value {
        Some(formula) if errors.is_empty() => Some(formula),
        Some(_) => None,
        None => {
            if errors.is_empty() {
                problems.push(SpecProblem::new(pointer.to_string(), format!("`{text}` is not a condition"), None));
            }
            None
        }
    }
}

#[cfg(test)]
mod tests;
