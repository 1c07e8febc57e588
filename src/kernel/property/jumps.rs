//! Whether jumps of a body can lead back: only then may statements be executed several times because of them.

use std::collections::BTreeSet;

use plc_frontend::hir::{LabelId, Stmt, StmtKind};

/// Whether some GOTO leads to a label that stands before it.
///
/// Soundness: labels stand in a list of statements around the jump, so the order of reading is the order of execution.
pub(super) fn lead_back(stmts: &[Stmt]) -> bool {
    let mut passed: BTreeSet<LabelId> = BTreeSet::new();
    // In the order of reading: the last one is the next.
    let mut todo: Vec<&Stmt> = stmts.iter().rev().collect();
    while let Some(stmt) = todo.pop() {
        match &stmt.kind {
            StmtKind::Label(label) => drop(passed.insert(*label)),
            StmtKind::Goto(label) if passed.contains(label) => return true,
            StmtKind::If { branches, otherwise } => {
                todo.extend(otherwise.iter().rev());
                branches.iter().rev().for_each(|(_, body)| todo.extend(body.iter().rev()));
            }
            StmtKind::Case { arms, otherwise, .. } => {
                todo.extend(otherwise.iter().rev());
                arms.iter().rev().for_each(|arm| todo.extend(arm.body.iter().rev()));
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                todo.extend(body.iter().rev());
            }
            StmtKind::Assign { .. }
            | StmtKind::Goto(_)
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Assert { .. }
            | StmtKind::Gap(_) => {}
        }
    }
    false
}
