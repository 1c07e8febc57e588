//! Zones of MCR: rungs that execute as if they were FALSE.
//!
//! Each program has one bit that does so, and each MCR whose rung is FALSE toggles it (FactoryTalk Design Studio, "Master Control
//! Reset"). So zones that are nested are several smaller ones, and an MCR that ends a zone may begin the next one.

use super::ladder::{Writer, is_true};
use super::rungs::Part;
use crate::ast::build::binary;
use crate::ast::{Expr, ExprKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Condition of a zone that nothing ends.
pub(super) const WITHOUT_END: &str = "MCR zone without an end: it ends with its routine";

/// Returns the state with which rungs begin behind an MCR; `None` for TRUE.
pub(super) fn behind(writer: &mut Writer<'_>, state: &Expr, span: Span) -> Option<Expr> {
    match writer.ladder.zone.clone() {
        None if is_true(state) => None,
        None => Some(writer.keep(state.clone(), span)),
        // Its rung has no condition: it is FALSE only in a zone that it ends.
        Some(begin) if is_same(&begin, state) => None,
        // A TRUE rung leaves the state of the zone, a FALSE one inverts it.
        Some(begin) => Some(writer.keep(binary(BinOp::Eq, state.clone(), begin, span), span)),
    }
}

/// Returns whether a rung has an MCR that is not its last instruction.
pub(super) fn is_misplaced(series: &[Part]) -> bool {
    let is_mcr = |part: &Part| matches!(part, Part::Instruction { name, .. } if name == "MCR");
    series.iter().enumerate().any(|(at, part)| match part {
        Part::Branch(levels) => levels.iter().any(|level| level.iter().any(is_mcr) || is_misplaced(level)),
        Part::Instruction { .. } => is_mcr(part) && at + 1 < series.len(),
    })
}

/// Returns whether two states are one hidden variable.
fn is_same(one: &Expr, other: &Expr) -> bool {
    matches!((&one.kind, &other.kind), (ExprKind::Name(one), ExprKind::Name(other)) if one.path.is_empty() && other.path.is_empty() && one.root.text == other.root.text)
}
