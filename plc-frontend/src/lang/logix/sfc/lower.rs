//! Statements of one scan of a chart, and of its start.

use super::actions::{self, Scan};
use super::{Gap, LastScan, Sequence, Step, Transition};
use crate::ast::build::{binary, not};
use crate::ast::{Expr, ExprKind, Ident, Name, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::lang::logix::key;
use crate::text::Span;

/// Returns the statements of one scan.
pub(super) fn scan(sequence: &Sequence, last: LastScan) -> Result<Vec<Stmt>, Gap> {
    let actions: Vec<_> = sequence.steps.iter().flat_map(|step| &step.actions).collect();
    let mut stmts = actions::before(&actions);
    for step in &sequence.steps {
        let Scan { active, always } = actions::scan(step, &actions, last)?;
        let span = step.span;
        let mut body = vec![call(&step.name, "Scan__", span)];
        body.extend(active);
        body.push(set(&step.name, "FS", false, span));
        stmts.push(Stmt::when(member(&step.name, "X", span), body, span));
        stmts.extend(always);
    }
    let fired = test(sequence, &mut stmts);
    for step in &sequence.steps {
        let leaving = fired.iter().filter(|(transition, _)| names(&transition.from, &step.name));
        let leaving: Vec<_> = leaving.map(|(_, bit)| Expr::variable(bit.clone())).collect();
        let Some(leaves) = crate::ast::build::joined(BinOp::Or, leaving, |_| step.span) else { continue };
        stmts.push(Stmt::when(leaves, leave(step, last)?, step.span));
    }
    for (transition, bit) in fired {
        let entered = transition.to.iter().map(|end| call(end, "Enter__", transition.span)).collect();
        stmts.push(Stmt::when(Expr::variable(bit), entered, transition.span));
    }
    Ok(stmts)
}

/// Tests the transitions whose steps are all active, before any of them has an effect; returns them with their bits.
///
/// Soundness: of several transitions behind one step only the first TRUE one is taken.
fn test<'s>(sequence: &'s Sequence, stmts: &mut Vec<Stmt>) -> Vec<(&'s Transition, Ident)> {
    let mut fired: Vec<(&Transition, Ident)> = Vec::new();
    for (at, transition) in sequence.transitions.iter().enumerate() {
        let span = transition.span;
        let mut value = transition.condition.clone();
        let rivals = fired.iter().filter(|(other, _)| other.from.iter().any(|step| names(&transition.from, step)));
        for (_, bit) in rivals {
            value = binary(BinOp::AndThen, not(Expr::variable(bit.clone())), value, span);
        }
        for step in transition.from.iter().rev() {
            value = binary(BinOp::AndThen, member(step, "X", span), value, span);
        }
        let bit = Ident::new(format!("_chart__{}", at + 1), span);
        stmts.push(Stmt { kind: StmtKind::Let(bit.clone(), value), span });
        fired.push((transition, bit));
    }
    fired
}

/// Returns the last scan of a step.
fn leave(step: &Step, last: LastScan) -> Result<Vec<Stmt>, Gap> {
    let span = step.span;
    let mut stmts = vec![set(&step.name, "SA", false, span), set(&step.name, "LS", true, span)];
    for action in &step.actions {
        stmts.extend(actions::last_scan(action, last)?);
    }
    stmts.extend([set(&step.name, "LS", false, span), set(&step.name, "X", false, span)]);
    Ok(stmts)
}

/// Returns the statements of the start, before the first scan: the initial step is active.
pub(super) fn start(sequence: &Sequence) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    for step in &sequence.steps {
        let name = if step.is_initial { "Enter__" } else { "Begin__" };
        stmts.push(call(&step.name, name, step.span));
        stmts.extend(step.actions.iter().map(|action| call(&action.name, "Begin__", action.span)));
    }
    stmts.extend(sequence.stops.iter().map(|stop| set(stop, "X", false, stop.span)));
    stmts
}

fn names(steps: &[Ident], wanted: &Ident) -> bool {
    steps.iter().any(|step| key(&step.text) == key(&wanted.text))
}

/// Returns `tag.name`.
pub(super) fn member(tag: &Ident, name: &str, span: Span) -> Expr {
    let path = vec![NameElem::Field(Ident::new(name, span))];
    Expr { kind: ExprKind::Name(Name { root: Ident::new(tag.text.clone(), span), path, span }), span }
}

/// Returns `tag.name := value;`
pub(super) fn set(tag: &Ident, name: &str, value: bool, span: Span) -> Stmt {
    Stmt::assign(member(tag, name, span), Expr::truth(value, span), span)
}

/// Returns `tag.name();`
pub(super) fn call(tag: &Ident, name: &str, span: Span) -> Stmt {
    let path = vec![NameElem::Field(Ident::new(name, span))];
    let name = Name { root: Ident::new(tag.text.clone(), span), path, span };
    Stmt { kind: StmtKind::Call(name, Vec::new()), span }
}
