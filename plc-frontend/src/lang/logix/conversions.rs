//! Conversions of REAL to integers that the integer does not hold: the controller goes on, and the check of conversions finds them.
//!
//! Source: MOTION-RM002H, pages 668 and 672: S:V says that the value does not fit; S:V is a minor fault (1756-RM003N, chapter 1).

use super::flags::{OVERFLOWS, range_of};
use super::operands::{call_at, converted_real};
use super::types::integer;
use super::{expressions, ladder};
use crate::ast::build::not;
use crate::ast::{Expr, Ident, Stmt, StmtKind};
use crate::hir::FITTING_REAL;
use crate::text::Span;

/// Adds assertions before the statements that convert a REAL, at any depth.
///
/// Soundness: each conversion is asserted where it executes, with the values that it reads. A condition behind the first one of an IF
/// is computed in its ELSE, and that of a loop behind each round, too.
pub(super) fn assert(stmts: &mut Vec<Stmt>) {
    let mut all = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        nest(&mut stmt);
        for list in stmt.lists_mut() {
            assert(list);
        }
        let own = of(&mut stmt);
        if let StmtKind::Repeat(body, _) = &mut stmt.kind {
            body.extend(own);
            all.push(stmt);
            continue;
        }
        if let StmtKind::While(_, body) = &mut stmt.kind {
            body.extend(own.iter().cloned());
        }
        all.extend(own);
        all.push(stmt);
    }
    *stmts = all;
}

/// Returns the assertions about the expressions of a statement itself.
fn of(stmt: &mut Stmt) -> Vec<Stmt> {
    let mut found: Vec<(Expr, &'static str)> = Vec::new();
    expressions::of_statement(stmt, &mut |e| {
        let Some((real, ty)) = converted_real(e) else { return };
        if ty != "DINT" {
            // Directly before comes the conversion to DINT inside of it.
            found.pop();
        }
        found.push((real.clone(), ty));
    });
    found.into_iter().filter_map(|(real, ty)| fits(real, ty)).collect()
}

/// Returns the assertion that a REAL fits a type.
fn fits(real: Expr, ty: &str) -> Option<Stmt> {
    let span: Span = real.span;
    let (low, high) = range_of(ty)?;
    let overflows = call_at(OVERFLOWS, vec![real, integer(low, span), integer(high, span), Expr::truth(true, span)], span);
    let name = Some(Ident::new(FITTING_REAL, ladder::start_of(span)));
    Some(Stmt { kind: StmtKind::Assert(not(overflows), name), span })
}

/// Puts the branches of an IF behind the first one into its ELSE where one of their conditions converts a REAL.
fn nest(stmt: &mut Stmt) {
    let StmtKind::If(branches, rest) = &mut stmt.kind else { return };
    let mut converts = false;
    for (condition, _) in branches.iter_mut().skip(1) {
        expressions::inside(condition, &mut |e| converts |= converted_real(e).is_some());
    }
    if converts {
        let later = branches.split_off(1);
        let otherwise = std::mem::take(rest);
        let span = later.first().map_or(stmt.span, |(condition, _)| condition.span);
        *rest = vec![Stmt { kind: StmtKind::If(later, otherwise), span }];
    }
}
