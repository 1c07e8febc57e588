//! The condition of an assertion changes nothing: it calls no function that writes global variables, calls
//! instances, or writes through its arguments.
//!
//! ```st
//! FUNCTION Next : INT  Count := Count + 1; Next := Count; END_FUNCTION   (* Count is global *)
//! //#ASSERT Next() < 10   P3021
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::CheckedProgram;
use crate::hir::{
    Access, CallArgs, Elem, Expr, ExprKind, Place, Pou, PouId, Project, Root, Section, Stmt, StmtKind, Visit, walk,
};
use crate::text::{Diagnostic, codes::SIDE_EFFECT};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    let impure = impure(program.project);
    for pou in program.project.pous.iter() {
        walk::stmts(&pou.body, |stmt| {
            if let StmtKind::Assert { condition, .. } = &stmt.kind {
                findings.extend(first_effect(program.project, &impure, condition));
            }
        });
    }
}

/// Returns the first side effect of evaluating `e`.
pub(crate) fn side_effect(project: &Project, e: &Expr) -> Option<Diagnostic> {
    first_effect(project, &impure(project), e)
}

pub(super) fn first_effect(project: &Project, impure: &BTreeSet<PouId>, e: &Expr) -> Option<Diagnostic> {
    let mut found = None;
    walk::exprs_of(e, |e| {
        if let ExprKind::Call(pou, args) = &e.kind {
            // The body of a member tells its effect on the instance.
            let is_member = project.pous[*pou].member_of.is_some();
            let writes = !is_member && !args.in_outs.is_empty() || !args.outputs.is_empty();
            if found.is_none() && (writes || impure.contains(pou)) {
                found = Some((*pou, e.span));
            }
        }
    });
    found.map(|(pou, span)| {
        let message = format!("a condition must not change variables, but `{}` does", project.pous[pou].name);
        let finding = Diagnostic::error(SIDE_EFFECT, span, message, "has side effects");
        finding.help("assign its result to a variable in the program and name that")
    })
}

/// Returns the POUs that may change variables besides their own, in their body or in one that it calls.
pub(super) fn impure(project: &Project) -> BTreeSet<PouId> {
    let mut callers: BTreeMap<PouId, Vec<PouId>> = BTreeMap::new();
    let mut waiting = Vec::new();
    for (id, pou) in project.pous.iter_enumerated() {
        let mut body = Body { pou, calls: BTreeSet::new(), changes: false };
        body.body(&pou.body);
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

impl<'h> Visit<'h> for Body<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        self.changes |= matches!(stmt.kind, StmtKind::CallInstance { .. } | StmtKind::Gap(_));
        self.stmt_parts(stmt);
    }
    fn call(&mut self, callee: PouId, args: &'h CallArgs) {
        self.calls.insert(callee);
        self.call_parts(args);
    }
    fn place(&mut self, place: &'h Place, access: Access) {
        if matches!(access, Access::Write | Access::InOut) {
            self.changes |= place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
            self.changes |= match place.root {
                Root::Global(_) | Root::Instance(_) | Root::This(_) => true,
                Root::Var(id) => self.pou.member_of.is_some() && self.pou.vars[id].section == Section::InOut,
            };
        }
        self.place_parts(place);
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check;

    #[test]
    fn assertions_change_nothing() {
        let source = |body: &str, condition: &str| {
            format!(
                r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION F : INT
VAR_INPUT
 i : INT;
END_VAR
{body}
F := i;
END_FUNCTION
FUNCTION G : INT
G := F(1);
END_FUNCTION
PROGRAM Main
//#ASSERT {condition}
END_PROGRAM"
            )
        };
        check(&source("i := g;", "F(1) = 1"), "");
        check(&source("g := i;", "F(1) = 1"), "P3021@15:11");
        check(&source("g := i;", "2 = 1 + G()"), "P3021@15:19");
    }
}
