//! Transitions: firing, deactivation, activation. In three passes over the chart, so that no
//! transition sees the effect of another one in the same evolution.

use std::collections::BTreeMap;

use super::Lowering;
use super::build::{and, choose, joined, part, set, variable, zero_time};
use crate::ast::build::not;
use crate::ast::{Chart, ChartTransition, Expr, Ident, Stmt};
use crate::hir::BinOp;
use crate::text::key;

/// Brings the steps' times up to date.
pub(super) fn measure(chart: &Chart, running: &str, lowering: &mut Lowering) {
    for step in &chart.steps {
        let (step, at) = (&step.name.text, step.name.span);
        let active = vec![Stmt::assign(part(step, "T", at), part(step, "__elapsed", at), at)];
        // The stopwatch of an inactive step stands still; the first call starts that of the initial step.
        let otherwise = vec![Stmt::assign(part(step, "__elapsed", at), zero_time(at), at)];
        lowering.stmts.push(choose(and(part(step, "X", at), variable(running, at)), active, otherwise, at));
    }
}

/// Returns the statements of one evolution.
pub(super) fn evolution(chart: &Chart, steps: &BTreeMap<String, usize>, lowering: &mut Lowering) -> Vec<Stmt> {
    let mut evolution = Vec::new();
    let fired = fire(chart, steps, lowering, &mut evolution);
    for (transition, name) in &fired {
        let at = transition.condition.span;
        evolution.push(Stmt::when(variable(name, at), leave(transition), transition.span));
    }
    for (transition, name) in &fired {
        let at = transition.condition.span;
        evolution.push(Stmt::when(variable(name, at), transition.to.iter().flat_map(enter).collect(), transition.span));
    }
    evolution
}

/// Returns the transitions between known steps, with their positions in the chart.
pub(super) fn known<'c>(chart: &'c Chart, steps: &BTreeMap<String, usize>) -> Vec<(usize, &'c ChartTransition)> {
    let is_known = |end: &Ident| steps.contains_key(&key(&end.text));
    let is_usable = |t: &ChartTransition| !t.from.is_empty() && t.from.iter().chain(&t.to).all(is_known);
    chart.transitions.iter().enumerate().filter(|(_, transition)| is_usable(transition)).collect()
}

/// Returns the evaluation of a transition's condition into a variable.
pub(super) fn test(transition: &ChartTransition, name: &str) -> Vec<Stmt> {
    let mut stmts = transition.prelude.clone();
    stmts.push(Stmt::assign(variable(name, transition.span), transition.condition.clone(), transition.condition.span));
    stmts
}

/// Returns the deactivation of the steps before a transition.
pub(super) fn leave(transition: &ChartTransition) -> Vec<Stmt> {
    let ended = |step: &Ident| Stmt::assign(part(&step.text, "X", step.span), Expr::truth(false, step.span), step.span);
    transition.from.iter().map(ended).collect()
}

pub(super) fn enter(step: &Ident) -> Vec<Stmt> {
    let at = step.span;
    vec![
        Stmt::assign(part(&step.text, "X", at), Expr::truth(true, at), at),
        Stmt::assign(part(&step.text, "__elapsed", at), zero_time(at), at),
        Stmt::assign(part(&step.text, "T", at), zero_time(at), at),
    ]
}

/// Evaluates the transitions; returns each with the variable that is TRUE if it fires.
fn fire<'c>(
    chart: &'c Chart,
    steps: &BTreeMap<String, usize>,
    lowering: &mut Lowering,
    evolution: &mut Vec<Stmt>,
) -> Vec<(&'c ChartTransition, String)> {
    let mut order = known(chart, steps);
    order.sort_by_key(|(n, transition)| (transition.priority.is_none(), transition.priority, *n));
    let taken = takers(&order, lowering, evolution);
    let mut fired = Vec::new();
    for (n, transition) in order {
        let span = transition.span;
        let name = lowering.temporary(&format!("t{n}"), span);
        evolution.push(set(&name, false, span));
        let mut body = test(transition, &name);
        let mut enabled: Vec<Expr> = Vec::new();
        for step in &transition.from {
            enabled.push(part(&step.text, "X", step.span));
            if let Some(taken) = taken.get(&key(&step.text)) {
                enabled.push(not(variable(taken, step.span)));
                body.push(Stmt::assign(variable(taken, step.span), variable(&name, span), span));
            }
        }
        evolution.extend(joined(BinOp::And, enabled).map(|enabled| Stmt::when(enabled, body, span)));
        fired.push((transition, name));
    }
    fired
}

/// Returns a variable for each step that several transitions leave. It is TRUE once one of them has taken the step.
fn takers(order: &[(usize, &ChartTransition)], lowering: &mut Lowering, evolution: &mut Vec<Stmt>) -> BTreeMap<String, String> {
    let mut leaving: BTreeMap<String, (usize, &Ident)> = BTreeMap::new();
    for step in order.iter().flat_map(|(_, transition)| &transition.from) {
        leaving.entry(key(&step.text)).or_insert((0, step)).0 += 1;
    }
    let mut taken = BTreeMap::new();
    for (step, (_, ident)) in leaving.into_iter().filter(|(_, (count, _))| 1 < *count) {
        let name = lowering.temporary(&format!("left_{}", ident.text), ident.span);
        evolution.push(set(&name, false, ident.span));
        taken.insert(step, name);
    }
    taken
}
