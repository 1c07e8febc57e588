//! Assertions in the program and automatic checks: requirements that no requirement file states.

use plc_frontend::Loaded;
use plc_frontend::hir::{AssertId, Expr, ExprKind, Stmt, StmtKind};
use plc_frontend::ledger::{Ledger, WRONG_ASSERTION};
use plc_frontend::source::Span;

use super::check::{ALL, CHECKS, Check, Watched, by_name};
use super::claim::Claim;
use super::idle;
use super::rejected::Rejected;
use super::requirements::{Checked, SpecProblem, Stated};
use super::spec::Specification;
use super::tried::{Tried, tried};

/// One `//#ASSERT` of a POU.
struct Assertion {
    id: AssertId,
    name: String,
    span: Span,
    /// Mistake in it.
    mistake: Option<String>,
}

/// Adds the `//#ASSERT`s of the POUs, one requirement per name. One with a mistake is rejected.
pub(super) fn assertions(loaded: &Loaded, stated: &mut Stated) {
    let mut found: Vec<Assertion> = Vec::new();
    for pou in loaded.project.pous.iter() {
        collect(&pou.body, &loaded.ledger, &mut found);
    }
    found.sort_by_key(|assertion| assertion.id);
    let mut names: Vec<String> = Vec::new();
    for assertion in &found {
        if !names.contains(&assertion.name) {
            names.push(assertion.name.clone());
        }
    }
    for name in names {
        let mine: Vec<&Assertion> = found.iter().filter(|assertion| assertion.name == name).collect();
        let line = |assertion: &Assertion| format!("line {}", loaded.sources.line_col(assertion.span).line);
        let texts: Vec<String> = mine.iter().map(|assertion| text(loaded, assertion.span)).collect();
        let (id, text) = (name.replace(char::is_control, " "), texts.join(" · "));
        let wrong = mine.iter().find_map(|assertion| Some(format!("{}: {}", line(assertion), assertion.mistake.as_ref()?)));
        if let Some(why) = wrong {
            let at = stated.checked.len();
            stated.rejected.push(Rejected { id, text, pattern: "assertion", at, why, problems: Vec::new() });
            continue;
        }
        let places: Vec<String> = mine.iter().map(|assertion| line(assertion)).collect();
        stated.checked.push(Checked {
            id,
            text,
            meaning: format!("Whenever it is reached ({}), the assertion is TRUE.", places.join(", ")),
            pattern: "assertion",
            claim: Claim::Assert(mine.iter().map(|assertion| assertion.id).collect()),
            place: mine.first().map(|assertion| assertion.span),
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

fn collect(body: &[Stmt], ledger: &Ledger, into: &mut Vec<Assertion>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assert { id, name, condition } => {
                let gap =
                    if let ExprKind::Arbitrary { gap, .. } = &condition.kind { ledger.gaps.get(gap.0 as usize) } else { None };
                let mistake = gap.filter(|gap| gap.construct == WRONG_ASSERTION).map(|gap| gap.effect.clone());
                into.push(Assertion { id: *id, name: name.clone(), span: stmt.span, mistake });
            }
            StmtKind::If { branches, otherwise } => {
                for (_, body) in branches {
                    collect(body, ledger, into);
                }
                collect(otherwise, ledger, into);
            }
            StmtKind::Case { arms, otherwise, .. } => {
                for arm in arms {
                    collect(&arm.body, ledger, into);
                }
                collect(otherwise, ledger, into);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                collect(body, ledger, into)
            }
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
            Ok(found) => {
                stated.checked.extend(found);
                if let (Watched::Statements, Some(why)) = (check.kind, idle::left_out(loaded)) {
                    let (id, text, at) = (format!("check-{}", check.name), check.text.to_owned(), stated.checked.len());
                    stated.rejected.push(Rejected { id, text, pattern: check.name, at, why, problems: Vec::new() });
                }
            }
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

#[cfg(test)]
mod tests {
    use plc_frontend::LoadOptions;
    use plc_frontend::source::SourceSet;

    use super::super::requirements::requirements;
    use super::*;

    /// One wrong assertion stops neither the program nor the other assertions.
    #[test]
    fn assertions_with_mistakes_are_rejected() {
        let mut set = SourceSet::default();
        let text = "PROGRAM P\nVAR n : INT; END_VAR\nn := 1;\n//#ASSERT n = 1 : good\n//#ASSERT nowhere > 1 : typo\n\
            //#ASSERT n > > 1 : lost\n//#ASSERT n + 1 : number\nEND_PROGRAM\n";
        set.add("p.st", text);
        let parsed = plc_frontend::load(&set, &LoadOptions::default());
        assert!(!parsed.has_errors() && parsed.diagnostics.len() == 3, "{:?}", parsed.diagnostics);
        let mut loaded = parsed.value;
        let stated = requirements(&Specification::default(), &[], &mut loaded, &[]);
        let rejected: Vec<String> = stated.rejected.iter().map(|r| format!("{} {}", r.id, r.why)).collect();
        assert_eq!(stated.checked.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["good"]);
        assert_eq!(
            rejected,
            [
                "typo line 5: there is no variable `nowhere` here",
                "assert-3 line 6: the assertion cannot be read",
                "number line 7: the assertion is of type BOOL, but this is of type INT"
            ]
        );
    }
}
