//! Actions: control by the steps' action blocks, and calls of the active ones.

use super::build::{and, call, joined, part, set, variable};
use super::targets::{Association, Target, targets};
use super::{Lowering, Rules};
use crate::ast::build::not;
use crate::ast::{Arg, Chart, ChartStep, Expr, Ident, Pou, Qualifier, Stmt};
use crate::dialect::ChartOrder;
use crate::hir::BinOp;
use crate::text::{Span, key};

/// Conditions of a target: it is active now, it has just ended.
struct Control {
    active: Expr,
    ended: Option<Expr>,
}

pub(super) fn act(pou: &Pou, chart: &Chart, rules: Rules, lowering: &mut Lowering) {
    let targets = targets(pou, chart, lowering);
    let mut exits = Vec::new();
    let mut ends = Vec::new();
    let mut entries = Vec::new();
    let mut steps = Vec::new();
    let mut actives = Vec::new();
    for target in &targets {
        let run = || call(&target.name, Vec::new(), target.span);
        for Association { step, block, .. } in &target.associations {
            let (x, before) = (active(step, block.span), variable(&lowering.name(&was(&step.name.text)), block.span));
            if block.qualifier == Qualifier::Exit {
                exits.push(Stmt::when(and(before, not(x)), vec![run()], block.span));
            } else if block.qualifier == Qualifier::Entry {
                entries.push(Stmt::when(and(x, not(before)), vec![run()], block.span));
            }
        }
        let Some(control) = control(target, rules, lowering) else { continue };
        if target.is_action {
            ends.extend(control.ended.map(|ended| (key(&target.name), Stmt::when(ended, vec![run()], target.span))));
            let active = Stmt::when(control.active, vec![run()], target.span);
            if is_of_step(target) && rules.order == ChartOrder::ActThenEvolve {
                steps.push(active);
            } else {
                actives.push((key(&target.name), active));
            }
        } else {
            let set = Stmt::assign(variable(&target.name, target.span), control.active, target.span);
            actives.push((key(&target.name), set));
        }
    }
    let named = |mut stmts: Vec<(String, Stmt)>| {
        if rules.order == ChartOrder::ActThenEvolve {
            stmts.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        stmts.into_iter().map(|(_, stmt)| stmt).collect::<Vec<_>>()
    };
    let phases = match rules.order {
        ChartOrder::EvolveThenAct | ChartOrder::StepByStep => [exits, named(ends), entries, steps, named(actives)],
        ChartOrder::ActThenEvolve => [exits, entries, steps, named(ends), named(actives)],
    };
    lowering.stmts.extend(phases.into_iter().flatten());
    remember(chart, lowering);
}

/// Returns whether all steps have the action as their own, without a qualifier.
fn is_of_step(target: &Target<'_>) -> bool {
    target.associations.iter().all(|a| matches!(a.block.qualifier, Qualifier::Main | Qualifier::Entry | Qualifier::Exit))
}

/// Stores the activity of steps that have actions at their edges, for the next call.
fn remember(chart: &Chart, lowering: &mut Lowering) {
    for step in chart.steps.iter().filter(|step| step.actions.iter().any(|action| action.qualifier.is_edge())) {
        let (step, at) = (&step.name.text, step.name.span);
        let name = lowering.keep(&was(step), "BOOL", at);
        lowering.stmts.push(Stmt::assign(variable(&name, at), part(step, "X", at), at));
    }
}

/// Returns the end of the name of the variable that is TRUE if the step was active in the last run of the actions.
fn was(step: &str) -> String {
    format!("was_{step}")
}

fn active(step: &ChartStep, at: Span) -> Expr {
    part(&step.name.text, "X", at)
}

/// Adds the control of a target: the standard's ACTION_CONTROL, without the inputs that nothing is connected to. `None` if only
/// entry and exit actions name it.
fn control(target: &Target<'_>, rules: Rules, lowering: &mut Lowering) -> Option<Control> {
    let (n, span) = (target.number, target.span);
    let input = |wanted: &[Qualifier], lowering: &Lowering| {
        let rows = target.associations.iter().filter(|a| wanted.contains(&a.block.qualifier));
        joined(BinOp::Or, rows.map(|a| level(a, lowering)).collect())
    };
    let reset = input(&[Qualifier::Reset], lowering);
    let time = time(target, lowering);
    let mut terms: Vec<Expr> = input(&[Qualifier::NonStored, Qualifier::Pulse], lowering).into_iter().collect();
    for (qualifier, part) in PARTS {
        if let Some(input) = input(&[*qualifier], lowering) {
            let names = Names { word: format!("{}{n}", qualifier.word()), span };
            terms.push(part(&names, input, &reset, time.as_deref(), lowering));
        }
    }
    let not_reset = |e: Expr| match &reset {
        Some(reset) => and(not(reset.clone()), e),
        None => e,
    };
    let lasting = joined(BinOp::Or, terms).map(not_reset);
    let pulse = input(&[Qualifier::PulseRising, Qualifier::PulseFalling, Qualifier::Main], lowering).map(not_reset);
    let Some(value) = joined(BinOp::Or, lasting.clone().into_iter().chain(pulse).collect()) else {
        // No step makes it active: the chart only resets it.
        let reset = reset.filter(|_| !target.is_action)?;
        let off = set(&target.name, false, span);
        lowering.stmts.push(Stmt::when(reset, vec![off], span));
        return None;
    };
    let active = lowering.temporary(&format!("active{n}"), span);
    lowering.stmts.push(Stmt::assign(variable(&active, span), value, span));
    let ended = lasting.filter(|_| rules.final_scan && target.is_action).map(|lasting| {
        let before = lowering.keep(&format!("ran{n}"), "BOOL", span);
        let ended = lowering.temporary(&format!("ended{n}"), span);
        let value = and(variable(&before, span), not(variable(&active, span)));
        lowering.stmts.push(Stmt::assign(variable(&ended, span), value, span));
        lowering.stmts.push(Stmt::assign(variable(&before, span), lasting, span));
        variable(&ended, span)
    });
    Some(Control { active: variable(&active, span), ended })
}

/// Stores the time of L, D, SD, DS and SL: that of the step that is active now or was active last. Returns its variable.
fn time(target: &Target<'_>, lowering: &mut Lowering) -> Option<String> {
    let rows: Vec<(&Association<'_>, &Expr)> = (target.associations.iter())
        .filter(|a| a.block.qualifier.is_timed())
        .filter_map(|a| Some((a, a.block.duration.as_ref()?)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let time = lowering.keep(&format!("time{}", target.number), "TIME", target.span);
    for (Association { step, block, .. }, duration) in rows {
        let set = Stmt::assign(variable(&time, block.span), duration.clone(), block.span);
        lowering.stmts.push(Stmt::when(active(step, block.span), vec![set], block.span));
    }
    Some(time)
}

/// Names of the variables that a part of ACTION_CONTROL needs.
struct Names {
    word: String,
    span: Span,
}

/// A part of ACTION_CONTROL: adds its bistable and timer, returns its contribution to Q.
type Part = fn(&Names, Expr, &Option<Expr>, Option<&str>, &mut Lowering) -> Expr;

const PARTS: &[(Qualifier, Part)] = &[
    (Qualifier::Set, |names, input, reset, _, lowering| bistable(names, input, reset, lowering)),
    (Qualifier::Limited, |names, input, _, time, lowering| {
        let timer = delay(names, input.clone(), time, lowering);
        and(input, not(timer))
    }),
    (Qualifier::Delayed, |names, input, _, time, lowering| delay(names, input, time, lowering)),
    (Qualifier::StoredDelayed, |names, input, reset, time, lowering| {
        let stored = bistable(names, input, reset, lowering);
        delay(names, stored, time, lowering)
    }),
    (Qualifier::DelayedStored, |names, input, reset, time, lowering| {
        let timer = delay(names, input, time, lowering);
        bistable(names, timer, reset, lowering)
    }),
    (Qualifier::StoredLimited, |names, input, reset, time, lowering| {
        let stored = bistable(names, input, reset, lowering);
        let timer = delay(names, stored.clone(), time, lowering);
        and(stored, not(timer))
    }),
];

/// Adds `stored := NOT reset AND (set OR stored)` and returns `stored`.
fn bistable(names: &Names, set: Expr, reset: &Option<Expr>, lowering: &mut Lowering) -> Expr {
    let Names { word, span } = names;
    let stored = lowering.keep(&format!("stored_{word}"), "BOOL", *span);
    let stays = joined(BinOp::Or, vec![set, variable(&stored, *span)]);
    let value = match (reset, stays) {
        (Some(reset), Some(stays)) => and(not(reset.clone()), stays),
        (None, Some(stays)) => stays,
        (_, None) => Expr::truth(false, *span),
    };
    lowering.stmts.push(Stmt::assign(variable(&stored, *span), value, *span));
    variable(&stored, *span)
}

/// Adds an on-delay and returns its output.
fn delay(names: &Names, input: Expr, time: Option<&str>, lowering: &mut Lowering) -> Expr {
    let Names { word, span } = names;
    let timer = lowering.keep(&format!("timer_{word}"), "__ON_DELAY", *span);
    let mut args = vec![Arg::Input(Ident::new("IN", *span), input)];
    args.extend(time.map(|time| Arg::Input(Ident::new("PT", *span), variable(time, *span))));
    lowering.stmts.push(call(&timer, args, *span));
    part(&timer, "Q", *span)
}

/// Returns the value that an association gives to its input: the step's activity, or its edge.
fn level(association: &Association<'_>, lowering: &Lowering) -> Expr {
    let Association { step, block, .. } = association;
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
        Qualifier::Entry | Qualifier::Exit => Expr::truth(false, block.span),
    }
}
