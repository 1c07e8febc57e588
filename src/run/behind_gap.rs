//! Checks for statements behind one that is not modelled: no run is known to come there.

use plc_frontend::Loaded;
use plc_frontend::hir::{Stmt, StmtKind, VisitMut};

use kernel::cfa::model::{Model, build};
use kernel::property::check::{CheckKind, applicable};

/// Returns the kinds of checks that the model lacks because a statement is not modelled, with the reason as a clause.
/// `None` if there are none.
///
/// Cost: a second model, only for programs with statements that are not modelled.
pub(super) fn checks(loaded: &Loaded, model: &Model) -> Option<(Vec<CheckKind>, String)> {
    let (gap, _) = model.gaps.first()?;
    let gap = loaded.ledger.gaps.get(gap.0 as usize)?;
    let mut project = loaded.project.clone();
    for pou in project.pous.iter_mut() {
        WithoutGaps.body(&mut pou.body);
    }
    let passed = build(&project, &model.options).ok()?;
    let known = applicable(model, &loaded.project);
    let hidden: Vec<CheckKind> = applicable(&passed, &project).into_iter().filter(|kind| !known.contains(kind)).collect();
    let place = loaded.sources.line_words(gap.span);
    let why = format!("{place}: {} is not modelled, and nothing behind it is looked at", gap.construct);
    Some((hidden, why)).filter(|(hidden, _)| !hidden.is_empty())
}

/// Removes the statements that are not modelled.
struct WithoutGaps;

impl<'h> VisitMut<'h> for WithoutGaps {
    fn body(&mut self, body: &'h mut Vec<Stmt>) {
        body.retain(|stmt| !matches!(stmt.kind, StmtKind::Gap(_)));
        body.iter_mut().for_each(|stmt| self.stmt(stmt));
    }
}
