//! What is checked without being stated: assertions in the program, automatic checks.

use plc_frontend::Loaded;
use plc_frontend::hir::{AssertId, Expr, Stmt, StmtKind};
use plc_frontend::source::Span;

use super::check::{ALL, CHECKS, Check, Watched, by_name};
use super::claim::Claim;
use super::idle;
use super::requirements::{Checked, SpecProblem, Stated};
use super::spec::Specification;
use super::tried::{Tried, tried};

/// The `//#ASSERT`s of the POUs, one requirement per name.
pub(super) fn assertions(loaded: &Loaded, into: &mut Vec<Checked>) {
    let mut found: Vec<(AssertId, String, Span)> = Vec::new();
    for pou in loaded.project.pous.iter() {
        collect(&pou.body, &mut found);
    }
    found.sort_by_key(|(id, ..)| *id);
    let mut names: Vec<String> = Vec::new();
    for (_, name, _) in &found {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    for name in names {
        let mine: Vec<&(AssertId, String, Span)> = found.iter().filter(|(_, n, _)| *n == name).collect();
        let texts: Vec<String> = mine.iter().map(|(_, _, span)| text(loaded, *span)).collect();
        let places: Vec<String> =
            mine.iter().map(|(_, _, span)| format!("line {}", loaded.sources.line_col(*span).line)).collect();
        into.push(Checked {
            id: name.replace(char::is_control, " "),
            text: texts.join(" · "),
            meaning: format!("Whenever it is reached ({}), the assertion is TRUE.", places.join(", ")),
            pattern: "assertion",
            claim: Claim::Assert(mine.iter().map(|(id, ..)| *id).collect()),
            place: mine.first().map(|(_, _, span)| *span),
        });
    }
}

/// The assertion's condition as written.
fn text(loaded: &Loaded, span: Span) -> String {
    let text = loaded.sources.text(span).trim();
    let text = text.strip_prefix("//").map_or(text, str::trim_start);
    let text = text.strip_prefix("#ASSERT").map_or(text, str::trim);
    text.rsplit_once(':').map_or(text, |(condition, _)| condition).trim().to_string()
}

fn collect(body: &[Stmt], into: &mut Vec<(AssertId, String, Span)>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assert { id, name, .. } => into.push((*id, name.clone(), stmt.span)),
            StmtKind::If { branches, otherwise } => {
                for (_, body) in branches {
                    collect(body, into);
                }
                collect(otherwise, into);
            }
            StmtKind::Case { arms, otherwise, .. } => {
                for arm in arms {
                    collect(&arm.body, into);
                }
                collect(otherwise, into);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => collect(body, into),
            StmtKind::Assign { .. }
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Gap(_) => {}
        }
    }
}

/// Checks that were asked for and found nothing in the program that they apply to.
pub fn idle_checks<'s>(spec: &'s Specification, stated: &'s Stated) -> impl Iterator<Item = &'static Check> + 's {
    let made = || stated.checked.iter().map(|c| c.pattern).chain(stated.rejected.iter().map(|r| r.pattern));
    let is_made = move |check: &Check| made().any(|pattern| pattern == check.name);
    CHECKS.iter().filter(move |check| spec.checks.is_some() && spec.wants(check) && !is_made(check))
}

/// The automatic checks that are wanted and have something to look at.
pub(super) fn checks(spec: &Specification, watched: &[Watched], loaded: &mut Loaded, stated: &mut Stated) {
    for (i, name) in spec.checks.iter().flatten().enumerate() {
        if by_name(name).is_none() && name != ALL {
            let known: Vec<&str> = CHECKS.iter().map(|c| c.name).collect();
            stated.problems.push(SpecProblem {
                pointer: format!("/checks/{i}"),
                message: format!("there is no automatic check `{name}`"),
                help: Some(format!("There are: {}; `all` means all of them.", known.join(", "))),
                rendered: String::new(),
                column: None,
            });
        }
    }
    let mut runs: Option<Tried> = None;
    for check in CHECKS.iter().filter(|c| spec.wants(c) && watched.contains(&c.kind)) {
        let one = |claim: Claim| Checked {
            id: format!("check-{}", check.name),
            text: check.text.to_string(),
            meaning: check.meaning.to_string(),
            pattern: check.name,
            claim,
            place: None,
        };
        let assumed: Vec<&Expr> = stated.assumed.iter().map(|assumed| &assumed.condition).collect();
        let seen = |loaded: &Loaded| tried(loaded, &assumed, spec.cycle_time(loaded.interval_ns));
        let found = match check.kind {
            Watched::Fault(kind) => Ok(vec![one(Claim::NoFault(kind))]),
            Watched::DoubleWrites => Ok(vec![one(Claim::NoDoubleWrite)]),
            Watched::Lapse(kind) => Ok(vec![one(Claim::NoLapse(kind))]),
            Watched::Statements => idle::statements(loaded, runs.get_or_insert_with(|| seen(loaded)), check.name),
            Watched::Outputs => {
                let runs = runs.get_or_insert_with(|| seen(loaded));
                idle::outputs(loaded, runs, check.name)
            }
        };
        match found {
            Ok(found) => stated.checked.extend(found),
            Err(why) => stated.problems.push(SpecProblem {
                pointer: "/checks".into(),
                message: format!("the check `{}` cannot be made: {why}", check.name),
                help: Some(format!("Name the checks that are wanted, without `{}`.", check.name)),
                rendered: String::new(),
                column: None,
            }),
        }
    }
}
