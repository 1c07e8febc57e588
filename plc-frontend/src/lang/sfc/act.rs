//! Actions: what the steps' action blocks control, and what then runs.

use std::collections::{BTreeMap, BTreeSet};

use super::build::{and, assign, call, ident, joined, not, part, truth, variable, when};
use super::{Lowering, Rules};
use crate::ast::{ActionBlock, ActionBody, Arg, Chart, ChartStep, Expr, Pou, Qualifier, Stmt};
use crate::hir::BinOp;
use crate::resolve::key;
use crate::source::Span;

/// An association of a step with an action.
struct Association<'c> {
    step: &'c ChartStep,
    block: &'c ActionBlock,
}

/// What is controlled: an action with all its associations.
struct Target<'c> {
    /// The action or variable; the hidden action of statements written in place.
    name: String,
    is_action: bool,
    span: Span,
    associations: Vec<Association<'c>>,
}

/// Whether a target is active now, and whether it has just ended.
struct Control {
    active: Expr,
    ended: Option<Expr>,
}

pub(super) fn act(pou: &Pou, chart: &Chart, rules: Rules, lowering: &mut Lowering) {
    let declared: BTreeSet<String> = pou.actions.iter().map(|action| key(&action.name.text)).collect();
    let targets = targets(chart, &declared, lowering);
    let mut exits = Vec::new();
    let mut ends = Vec::new();
    let mut entries = Vec::new();
    let mut actives = Vec::new();
    for (n, target) in targets.iter().enumerate() {
        let run = || call(&target.name, Vec::new(), target.span);
        for Association { step, block } in &target.associations {
            let (x, before) = (active(step, block.span), variable(&lowering.name(&was(&step.name.text)), block.span));
            match block.qualifier {
                Qualifier::Exit => exits.push(when(and(before, not(x)), vec![run()], block.span)),
                Qualifier::Entry => entries.push(when(and(x, not(before)), vec![run()], block.span)),
                Qualifier::NonStored
                | Qualifier::Reset
                | Qualifier::Set
                | Qualifier::Limited
                | Qualifier::Delayed
                | Qualifier::Pulse
                | Qualifier::PulseRising
                | Qualifier::PulseFalling
                | Qualifier::StoredDelayed
                | Qualifier::DelayedStored
                | Qualifier::StoredLimited
                | Qualifier::Main => {}
            }
        }
        let Some(control) = control(n, target, rules, lowering) else { continue };
        if target.is_action {
            ends.extend(control.ended.map(|ended| when(ended, vec![run()], target.span)));
            actives.push(when(control.active, vec![run()], target.span));
        } else {
            actives.push(assign(variable(&target.name, target.span), control.active, target.span));
        }
    }
    lowering.stmts.extend(exits.into_iter().chain(ends).chain(entries).chain(actives));
    remember(chart, lowering);
}

/// Keeps which steps were active, for those that have actions at their edges.
fn remember(chart: &Chart, lowering: &mut Lowering) {
    for step in chart.steps.iter().filter(|step| step.actions.iter().any(|action| is_edge(action.qualifier))) {
        let (step, at) = (&step.name.text, step.name.span);
        let name = lowering.keep(&was(step), "BOOL", at);
        lowering.stmts.push(assign(variable(&name, at), part(step, "X", at), at));
    }
}

/// Whether an action is controlled by the step's becoming active or inactive.
fn is_edge(qualifier: Qualifier) -> bool {
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

/// Whether a step was active when the actions last ran, behind the prefix.
fn was(step: &str) -> String {
    format!("was_{step}")
}

fn active(step: &ChartStep, at: Span) -> Expr {
    part(&step.name.text, "X", at)
}

/// All actions in the order in which the chart first names them.
fn targets<'c>(chart: &'c Chart, declared: &BTreeSet<String>, lowering: &mut Lowering) -> Vec<Target<'c>> {
    let mut targets: Vec<Target<'c>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for step in &chart.steps {
        for block in &step.actions {
            let association = Association { step, block };
            match &block.action {
                ActionBody::Inline(stmts) => {
                    let name = lowering.action(&format!("action{}", targets.len()), stmts.clone(), block.span);
                    targets.push(Target { name, is_action: true, span: block.span, associations: vec![association] });
                }
                ActionBody::Named(named) => match known.get(&key(&named.text)).and_then(|&n| targets.get_mut(n)) {
                    Some(target) => target.associations.push(association),
                    None => {
                        known.insert(key(&named.text), targets.len());
                        let is_action = declared.contains(&key(&named.text));
                        let associations = vec![association];
                        targets.push(Target { name: named.text.clone(), is_action, span: named.span, associations });
                    }
                },
            }
        }
    }
    targets
}

/// Writes down the control of a target; `None` if only entry and exit actions name it.
fn control(n: usize, target: &Target<'_>, rules: Rules, lowering: &mut Lowering) -> Option<Control> {
    let span = target.span;
    let with = |wanted: &[Qualifier]| -> Vec<Expr> {
        let rows = target.associations.iter().filter(|a| wanted.contains(&a.block.qualifier));
        rows.map(|a| active(a.step, a.block.span)).collect()
    };
    let is_direct = |q: Qualifier| matches!(q, Qualifier::NonStored | Qualifier::Main | Qualifier::Entry | Qualifier::Exit);
    if !target.associations.iter().all(|a| is_direct(a.block.qualifier)) {
        return Some(controlled(n, target, rules, lowering));
    }
    let active = joined(BinOp::Or, with(&[Qualifier::NonStored, Qualifier::Main]))?;
    let lasting = joined(BinOp::Or, with(&[Qualifier::NonStored]));
    let ended = match lasting {
        Some(lasting) if rules.final_scan && target.is_action => {
            let before = lowering.keep(&format!("ran{n}"), "BOOL", span);
            let ended = lowering.temporary(&format!("ended{n}"), span);
            let value = and(variable(&before, span), not(lasting.clone()));
            lowering.stmts.push(assign(variable(&ended, span), value, span));
            lowering.stmts.push(assign(variable(&before, span), lasting, span));
            Some(variable(&ended, span))
        }
        Some(_) | None => None,
    };
    Some(Control { active, ended })
}

/// Inputs of ACTION_CONTROL with the qualifiers that feed them.
const INPUTS: &[(&str, &[Qualifier])] = &[
    ("N", &[Qualifier::NonStored, Qualifier::Main]),
    ("R", &[Qualifier::Reset]),
    ("S", &[Qualifier::Set]),
    ("L", &[Qualifier::Limited]),
    ("D", &[Qualifier::Delayed]),
    ("P", &[Qualifier::Pulse]),
    ("P1", &[Qualifier::PulseRising, Qualifier::PulseFalling]),
    ("SD", &[Qualifier::StoredDelayed]),
    ("DS", &[Qualifier::DelayedStored]),
    ("SL", &[Qualifier::StoredLimited]),
];

/// An instance of the standard's ACTION_CONTROL.
fn controlled(n: usize, target: &Target<'_>, rules: Rules, lowering: &mut Lowering) -> Control {
    let span = target.span;
    let name = lowering.keep(&format!("control{n}"), "__ACTION_CONTROL", span);
    for Association { step, block } in &target.associations {
        if let (true, Some(duration)) = (super::check::is_timed(block.qualifier), &block.duration) {
            let set: Vec<Stmt> = vec![assign(part(&name, "T", block.span), duration.clone(), block.span)];
            lowering.stmts.push(when(active(step, block.span), set, block.span));
        }
    }
    let mut args = Vec::new();
    for (input, qualifiers) in INPUTS {
        let rows = target.associations.iter().filter(|a| qualifiers.contains(&a.block.qualifier));
        let values: Vec<Expr> = rows.map(|a| level(a, lowering)).collect();
        args.extend(joined(BinOp::Or, values).map(|value| Arg::Input(ident(input, span), value)));
    }
    lowering.stmts.push(call(&name, args, span));
    let ended = (rules.final_scan && target.is_action).then(|| part(&name, "ENDED", span));
    Control { active: part(&name, "Q", span), ended }
}

/// What an association gives to its input: the step's activity, or its edge.
fn level(association: &Association<'_>, lowering: &Lowering) -> Expr {
    let Association { step, block } = association;
    let x = active(step, block.span);
    let before = || variable(&lowering.name(&was(&step.name.text)), block.span);
    match block.qualifier {
        Qualifier::Pulse | Qualifier::PulseRising => and(x, not(before())),
        Qualifier::PulseFalling => and(not(x), before()),
        Qualifier::NonStored
        | Qualifier::Reset
        | Qualifier::Set
        | Qualifier::Limited
        | Qualifier::Delayed
        | Qualifier::StoredDelayed
        | Qualifier::DelayedStored
        | Qualifier::StoredLimited
        | Qualifier::Main => x,
        Qualifier::Entry | Qualifier::Exit => truth(false, block.span),
    }
}
