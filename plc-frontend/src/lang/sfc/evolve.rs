//! Transitions: which fire, what becomes inactive, what becomes active. In three passes over the chart, so that no
//! transition sees what another one has done in the same evolution.

use std::collections::BTreeMap;

use super::build::{and, assign, choose, joined, not, part, truth, variable, when, zero_time};
use super::{Lowering, was};
use crate::ast::{Chart, ChartTransition, Expr, Ident, Qualifier, Stmt};
use crate::hir::BinOp;
use crate::resolve::key;

pub(super) fn evolve(chart: &Chart, steps: &BTreeMap<String, usize>, lowering: &mut Lowering) {
    let span = chart.span;
    let running = lowering.keep("running", "BOOL", span);
    for step in &chart.steps {
        measure(&step.name, &running, lowering);
    }
    for step in &chart.steps {
        if step.actions.iter().any(|action| is_edge(action.qualifier)) {
            let name = was(lowering, &step.name);
            let before = and(part(&step.name.text, "X", step.name.span), variable(&running, step.name.span));
            lowering.temporary(&format!("was_{}", step.name.text), step.name.span);
            lowering.stmts.push(assign(variable(&name, step.name.span), before, step.name.span));
        }
    }
    let mut evolution = Vec::new();
    let fired = fire(chart, steps, lowering, &mut evolution);
    for (transition, name) in &fired {
        let at = transition.condition.span;
        let leave = |step: &Ident| assign(part(&step.text, "X", step.span), truth(false, step.span), step.span);
        evolution.push(when(variable(name, at), transition.from.iter().map(leave).collect(), transition.span));
    }
    for (transition, name) in &fired {
        let at = transition.condition.span;
        evolution.push(when(variable(name, at), transition.to.iter().flat_map(enter).collect(), transition.span));
    }
    if !evolution.is_empty() {
        lowering.stmts.push(when(variable(&running, span), evolution, span));
    }
    lowering.stmts.push(assign(variable(&running, span), truth(true, span), span));
}

/// Whether an action is controlled by the step's becoming active or inactive.
pub(super) fn is_edge(qualifier: Qualifier) -> bool {
    match qualifier {
        Qualifier::Pulse | Qualifier::PulseRising | Qualifier::PulseFalling | Qualifier::Entry | Qualifier::Exit => true,
        Qualifier::NonStored
        | Qualifier::Reset
        | Qualifier::Set
        | Qualifier::Limited
        | Qualifier::Delayed
        | Qualifier::StoredDelayed
        | Qualifier::DelayedStored
        | Qualifier::StoredLimited
        | Qualifier::Main => false,
    }
}

/// `S.T` of an active step; the stopwatch behind it stands still otherwise. The first call starts the initial step's time.
fn measure(step: &Ident, running: &str, lowering: &mut Lowering) {
    let at = step.span;
    let active = vec![assign(part(&step.text, "T", at), part(&step.text, "__elapsed", at), at)];
    let inactive = vec![assign(part(&step.text, "__elapsed", at), zero_time(at), at)];
    lowering.stmts.push(choose(and(part(&step.text, "X", at), variable(running, at)), active, inactive, at));
}

fn enter(step: &Ident) -> Vec<Stmt> {
    let at = step.span;
    vec![
        assign(part(&step.text, "X", at), truth(true, at), at),
        assign(part(&step.text, "__elapsed", at), zero_time(at), at),
        assign(part(&step.text, "T", at), zero_time(at), at),
    ]
}

/// Evaluates the transitions; each with the variable that says whether it fires.
fn fire<'c>(
    chart: &'c Chart,
    steps: &BTreeMap<String, usize>,
    lowering: &mut Lowering,
    evolution: &mut Vec<Stmt>,
) -> Vec<(&'c ChartTransition, String)> {
    let is_known = |end: &Ident| steps.contains_key(&key(&end.text));
    let mut order: Vec<(usize, &ChartTransition)> = (chart.transitions.iter().enumerate())
        .filter(|(_, t)| !t.from.is_empty() && t.from.iter().chain(&t.to).all(is_known))
        .collect();
    order.sort_by_key(|(n, transition)| (transition.priority.is_none(), transition.priority, *n));
    let taken = takers(&order, lowering, evolution);
    let mut fired = Vec::new();
    for (n, transition) in order {
        let span = transition.span;
        let name = lowering.temporary(&format!("t{n}"), span);
        evolution.push(assign(variable(&name, span), truth(false, span), span));
        let mut body = transition.prelude.clone();
        body.push(assign(variable(&name, span), transition.condition.clone(), transition.condition.span));
        let mut enabled: Vec<Expr> = Vec::new();
        for step in &transition.from {
            enabled.push(part(&step.text, "X", step.span));
            if let Some(taken) = taken.get(&key(&step.text)) {
                enabled.push(not(variable(taken, step.span)));
                body.push(assign(variable(taken, step.span), variable(&name, span), span));
            }
        }
        evolution.extend(joined(BinOp::And, enabled).map(|enabled| when(enabled, body, span)));
        fired.push((transition, name));
    }
    fired
}

/// For each step that several transitions leave: the variable that says that one of them has taken it.
fn takers(order: &[(usize, &ChartTransition)], lowering: &mut Lowering, evolution: &mut Vec<Stmt>) -> BTreeMap<String, String> {
    let mut leaving: BTreeMap<String, (usize, &Ident)> = BTreeMap::new();
    for step in order.iter().flat_map(|(_, transition)| &transition.from) {
        leaving.entry(key(&step.text)).or_insert((0, step)).0 += 1;
    }
    let mut taken = BTreeMap::new();
    for (step, (_, ident)) in leaving.into_iter().filter(|(_, (count, _))| 1 < *count) {
        let name = lowering.temporary(&format!("left_{}", ident.text), ident.span);
        evolution.push(assign(variable(&name, ident.span), truth(false, ident.span), ident.span));
        taken.insert(step, name);
    }
    taken
}
