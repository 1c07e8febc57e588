//! Statements that a jump skips: those behind it, and further rounds of the loops around it.

use plc_frontend::hir::{Stmt, StmtKind};

/// Statement that holds others, as jumps inside of it see it.
pub(super) struct OuterStatement<'a, 'p> {
    /// The statement around it.
    pub(super) outer: Option<&'a OuterStatement<'a, 'p>>,
    /// Statements behind it in its list.
    pub(super) behind: &'p [Stmt],
    /// Its body, if it is a loop.
    pub(super) repeated: Option<&'p [Stmt]>,
}

/// Statements that jumps of a branch may skip.
pub(super) enum Skipped<'p> {
    /// Those in these lists.
    Lists(Vec<&'p [Stmt]>),
    /// Any of the body: a jump to a label.
    Any,
}

/// Jumps of statements that lead out of them.
#[derive(Clone, Copy, Default)]
struct Jumps {
    to_label: bool,
    out_of_body: bool,
    out_of_round: bool,
}

/// Returns the body of a loop.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no loops")]
pub(super) fn repeated(stmt: &Stmt) -> Option<&[Stmt]> {
    match &stmt.kind {
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => Some(body),
        _ => None,
    }
}

/// Returns the statements that a branch of a statement may skip; `None` if it has no jump that leads out of the statement.
pub(super) fn skipped<'p>(stmt: &'p Stmt, branch: &'p [Stmt], around: &OuterStatement<'_, 'p>) -> Option<Skipped<'p>> {
    let mut jumps = Jumps::default();
    look(branch, repeated(stmt).is_some(), &mut jumps);
    if jumps.to_label {
        return Some(Skipped::Any);
    }
    if !jumps.out_of_body && !jumps.out_of_round {
        return None;
    }
    let (mut lists, mut at) = (Vec::new(), Some(around));
    while let Some(here) = at {
        if jumps.out_of_body {
            lists.push(here.behind);
            lists.extend(here.repeated);
        } else if let Some(round) = here.repeated {
            lists.push(round);
            break;
        }
        at = here.outer;
    }
    Some(Skipped::Lists(lists))
}

/// Notes the jumps of statements. `in_loop`: EXIT and CONTINUE stay inside of them.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others leave nothing by themselves")]
fn look(body: &[Stmt], in_loop: bool, jumps: &mut Jumps) {
    for stmt in body {
        match stmt.kind {
            StmtKind::Return => jumps.out_of_body = true,
            StmtKind::Goto(_) => jumps.to_label = true,
            StmtKind::Exit | StmtKind::Continue => jumps.out_of_round |= !in_loop,
            _ => stmt.bodies().into_iter().for_each(|body| look(body, in_loop || repeated(stmt).is_some(), jumps)),
        }
    }
}
