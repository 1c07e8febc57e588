//! The condition of an assertion changes nothing: it calls no function that writes global variables, calls
//! instances, or writes through its arguments.
//!
//! ```st
//! FUNCTION Next : INT  Count := Count + 1; Next := Count; END_FUNCTION   (* Count is global *)
//! //#ASSERT Next() < 10   P3021
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::Checked;
use super::walk::{self, Visit};
use crate::hir::{Elem, Expr, ExprKind, Place, Pou, PouId, Project, Root, Section, Stmt, StmtKind};
use crate::text::codes::SIDE_EFFECT;
use crate::text::diagnostic::Diagnostic;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Diagnostic>) {
    let impure = impure(checked.project);
    for pou in checked.project.pous.iter() {
        walk::stmts(&pou.body, &mut Assertions { impure: &impure, project: checked.project, findings });
    }
}

/// The side effect of evaluating `e`, if it has one.
pub(crate) fn side_effect(project: &Project, e: &Expr) -> Option<Diagnostic> {
    first_effect(project, &impure(project), e)
}

pub(super) fn first_effect(project: &Project, impure: &BTreeSet<PouId>, e: &Expr) -> Option<Diagnostic> {
    let mut effects = Effects { project, impure, found: None };
    walk::expr(e, &mut effects);
    effects.found.map(|(pou, span)| {
        let message = format!("a condition must not change variables, but `{}` does", project.pous[pou].name);
        let finding = Diagnostic::error(SIDE_EFFECT, span, message, "has side effects");
        finding.help("assign its result to a variable in the program and name that")
    })
}

struct Assertions<'c> {
    impure: &'c BTreeSet<PouId>,
    project: &'c Project,
    findings: &'c mut Vec<Diagnostic>,
}

impl Visit for Assertions<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        if let StmtKind::Assert { condition, .. } = &stmt.kind {
            self.findings.extend(first_effect(self.project, self.impure, condition));
        }
    }
}

struct Effects<'c> {
    project: &'c Project,
    impure: &'c BTreeSet<PouId>,
    found: Option<(PouId, crate::text::source::Span)>,
}

impl Visit for Effects<'_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Call(pou, args) = &e.kind {
            // What a member does to its instance is seen in its body.
            let is_member = self.project.pous[*pou].member_of.is_some();
            let writes = !is_member && !args.in_outs.is_empty() || !args.outputs.is_empty();
            if self.found.is_none() && (writes || self.impure.contains(pou)) {
                self.found = Some((*pou, e.span));
            }
        }
    }
}

/// POUs whose body, or one it calls, may change something other than their own variables.
pub(super) fn impure(project: &Project) -> BTreeSet<PouId> {
    let mut callers: BTreeMap<PouId, Vec<PouId>> = BTreeMap::new();
    let mut waiting = Vec::new();
    for (id, pou) in project.pous.iter_enumerated() {
        let mut body = Body { pou, calls: BTreeSet::new(), changes: false };
        walk::stmts(&pou.body, &mut body);
        if body.changes {
            waiting.push(id);
        }
        for called in body.calls {
            callers.entry(called).or_default().push(id);
        }
    }
    let mut found = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if found.insert(id) {
            waiting.extend(callers.get(&id).into_iter().flatten());
        }
    }
    found
}

struct Body<'p> {
    pou: &'p Pou,
    calls: BTreeSet<PouId>,
    changes: bool,
}

impl Visit for Body<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        self.changes |= matches!(stmt.kind, StmtKind::CallInstance { .. } | StmtKind::Gap(_));
    }
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Call(pou, _) = &e.kind {
            self.calls.insert(*pou);
        }
    }
    fn write(&mut self, place: &Place) {
        self.changes |= place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        self.changes |= match place.root {
            Root::Global(_) | Root::Instance(_) | Root::This(_) => true,
            Root::Var(id) => self.pou.member_of.is_some() && self.pou.vars[id].section == Section::InOut,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check;

    #[test]
    fn assertions_change_nothing() {
        let source = |body: &str, condition: &str| {
            format!(
                "VAR_GLOBAL\n g : INT;\nEND_VAR\nFUNCTION F : INT\nVAR_INPUT\n i : INT;\nEND_VAR\n{body}\nF := i;\nEND_FUNCTION\nFUNCTION G : INT\nG := F(1);\nEND_FUNCTION\nPROGRAM Main\n//#ASSERT {condition}\nEND_PROGRAM"
            )
        };
        check(&source("i := g;", "F(1) = 1"), "");
        check(&source("g := i;", "F(1) = 1"), "P3021@15:11");
        check(&source("g := i;", "2 = 1 + G()"), "P3021@15:19");
    }
}
