//! Charts as MATIEC compiles them. Each call evaluates transitions; then each step in turn sets and resets the states of its
//! actions; then the actions whose state is set run in the order of their declarations.
//!
//! Differences to the other dialects:
//! - The first call evaluates transitions, too; the initial step counts as active before it, so P and P1 see no edge there.
//! - A transition with a priority deactivates its steps at once. Transitions without one see the same steps: several of them
//!   may leave one step together.
//! - N resets its target when its step becomes inactive, even if an earlier step has set it in the same call. L, D, P, P1
//!   and P0 do so as well.
//! - Actions have no last time. S and R are stored for actions; a BOOL variable is written in the calls of S and R only.
//! - A time of SD, DS or SL that is 0 never ends.

use std::collections::BTreeMap;

use super::Lowering;
use super::build::{and, binary, call, choose, declared, joined, part, set, variable, zero_time};
use super::targets::{Association, Target, targets};
use super::transitions::{enter, known, leave, test};
use crate::ast::build::not;
use crate::ast::{ActionBlock, Chart, ChartStep, ChartTransition, Expr, Ident, Pou, Qualifier, Stmt};
use crate::hir::BinOp;
use crate::text::key;

/// Adds one call of the chart, behind the statements for the times of its steps.
pub(super) fn lower(pou: &Pou, chart: &Chart, steps: &BTreeMap<String, usize>, running: &str, lowering: &mut Lowering) {
    let actions: Vec<String> = pou.actions.iter().map(|action| key(&action.name.text)).collect();
    let targets = targets(pou, chart, lowering);
    for step in chart.steps.iter().filter(|step| !step.actions.is_empty()) {
        let before = lowering.temporary(&before(step), step.name.span);
        lowering.stmts.push(Stmt::assign(variable(&before, step.name.span), active(step), step.name.span));
    }
    targets.iter().for_each(|target| begin(target, lowering));
    pass_time(chart, &targets, running, lowering);
    evolve(chart, steps, lowering);
    let mut controlled: Vec<(&Association<'_>, &Target<'_>)> =
        targets.iter().flat_map(|target| target.associations.iter().map(move |association| (association, target))).collect();
    controlled.sort_by_key(|(association, _)| association.turn);
    for (association, target) in controlled {
        control(association.step, association.block, target, lowering);
    }
    targets.iter().for_each(|target| finish(target, lowering));
    let rank = |target: &&Target<'_>| actions.iter().position(|action| *action == key(&target.name)).unwrap_or(actions.len());
    let mut ordered: Vec<&Target<'_>> = targets.iter().filter(|target| target.is_action).collect();
    ordered.sort_by_key(rank);
    for target in ordered {
        let runs = vec![call(&target.name, Vec::new(), target.span)];
        lowering.stmts.push(Stmt::when(target.part("state", lowering), runs, target.span));
    }
}

impl Target<'_> {
    fn is_set(&self) -> bool {
        self.has(&[Qualifier::Set, Qualifier::StoredLimited]) || self.is_set_later()
    }
    fn is_set_later(&self) -> bool {
        self.has(&[Qualifier::StoredDelayed, Qualifier::DelayedStored])
    }
    fn is_reset(&self) -> bool {
        self.has(&[Qualifier::Reset]) || self.is_reset_later()
    }
    fn is_reset_later(&self) -> bool {
        self.has(&[Qualifier::StoredLimited])
    }
    fn word(&self, part: &str) -> String {
        format!("{part}{}", self.number)
    }
    /// Returns one of its hidden variables.
    fn part(&self, part: &str, lowering: &Lowering) -> Expr {
        variable(&lowering.name(&self.word(part)), self.span)
    }
    fn assign(&self, part: &str, value: Expr, lowering: &Lowering) -> Stmt {
        Stmt::assign(self.part(part, lowering), value, self.span)
    }
    fn state(&self, value: bool, lowering: &Lowering) -> Stmt {
        let target = if self.is_action { self.part("state", lowering) } else { variable(&self.name, self.span) };
        Stmt::assign(target, Expr::truth(value, self.span), self.span)
    }
}

/// Declares the hidden variables of a target; its state and its requests are FALSE at the beginning of each call.
fn begin(target: &Target<'_>, lowering: &mut Lowering) {
    let flags = [("state", target.is_action), ("set", target.is_set()), ("reset", target.is_reset())];
    for (part, _) in flags.into_iter().filter(|(_, needed)| *needed) {
        let name = lowering.temporary(&target.word(part), target.span);
        lowering.stmts.push(set(&name, false, target.span));
    }
    if target.is_action && target.is_set() {
        lowering.keep(&target.word("stored"), "BOOL", target.span);
    }
    let times = [("set_after", target.is_set_later()), ("reset_after", target.is_reset_later())];
    for (part, _) in times.into_iter().filter(|(_, needed)| *needed) {
        lowering.keep(&target.word(part), "TIME", target.span);
    }
}

/// Takes the time since the last call from the times of SD, DS and SL; a time that is over requests its effect.
fn pass_time(chart: &Chart, targets: &[Target<'_>], running: &str, lowering: &mut Lowering) {
    let timed: Vec<(&Target<'_>, &str, &str)> = (targets.iter())
        .flat_map(|target| {
            let rows = [("set_after", "set", target.is_set_later()), ("reset_after", "reset", target.is_reset_later())];
            rows.into_iter().filter(|row| row.2).map(move |(time, request, _)| (target, time, request))
        })
        .collect();
    if timed.is_empty() {
        return;
    }
    let span = chart.span;
    let since = lowering.name("since");
    lowering.kept.push(crate::ast::VarDecl { stopwatch: true, ..declared(&Ident::new(&since, span), "TIME") });
    let restart = || Stmt::assign(variable(&since, span), zero_time(span), span);
    lowering.stmts.push(Stmt::when(not(variable(running, span)), vec![restart()], span));
    for (target, time, request) in timed {
        let left = || target.part(time, lowering);
        let over =
            vec![target.assign(time, zero_time(span), lowering), target.assign(request, Expr::truth(true, span), lowering)];
        let passes = vec![
            target.assign(time, binary(BinOp::Sub, left(), variable(&since, span)), lowering),
            Stmt::when(binary(BinOp::Le, left(), zero_time(span)), over, span),
        ];
        let stmt = Stmt::when(binary(BinOp::Gt, left(), zero_time(span)), passes, span);
        lowering.stmts.push(stmt);
    }
    lowering.stmts.push(restart());
}

/// Adds one evolution: transitions with a priority take their steps at once, the others together behind the last test.
fn evolve(chart: &Chart, steps: &BTreeMap<String, usize>, lowering: &mut Lowering) {
    let fires = |n: usize| format!("t{n}");
    let known = known(chart, steps);
    for (n, transition) in in_order_of_tests(&known) {
        let name = lowering.temporary(&fires(n), transition.span);
        lowering.stmts.push(set(&name, false, transition.span));
        let mut body = test(transition, &name);
        if transition.priority.is_some() {
            body.push(Stmt::when(variable(&name, transition.span), leave(transition), transition.span));
        }
        let enabled = joined(BinOp::And, transition.from.iter().map(|step| part(&step.text, "X", step.span)).collect());
        lowering.stmts.extend(enabled.map(|enabled| Stmt::when(enabled, body, transition.span)));
    }
    for (n, transition) in known.iter().filter(|(_, transition)| transition.priority.is_none()) {
        let fired = variable(&lowering.name(&fires(*n)), transition.condition.span);
        lowering.stmts.push(Stmt::when(fired, leave(transition), transition.span));
    }
    for (n, transition) in &known {
        let fired = variable(&lowering.name(&fires(*n)), transition.condition.span);
        lowering.stmts.push(Stmt::when(fired, transition.to.iter().flat_map(enter).collect(), transition.span));
    }
}

/// Sorts transitions. One with a priority is inserted before the first of the list that has a greater one. One without stands at
/// the end of the list, and counts as 0 for those inserted later.
fn in_order_of_tests<'c>(known: &[(usize, &'c ChartTransition)]) -> Vec<(usize, &'c ChartTransition)> {
    let rank = |transition: &ChartTransition| transition.priority.unwrap_or(0);
    let mut list: Vec<(usize, &'c ChartTransition)> = Vec::with_capacity(known.len());
    for &(n, transition) in known {
        let place = match transition.priority {
            Some(priority) => list.iter().position(|(_, other)| priority < rank(other)).unwrap_or(list.len()),
            None => list.len(),
        };
        list.insert(place, (n, transition));
    }
    list
}

fn before(step: &ChartStep) -> String {
    format!("before_{}", step.name.text)
}

fn active(step: &ChartStep) -> Expr {
    part(&step.name.text, "X", step.name.span)
}

/// Adds the statements of one action block.
fn control(step: &ChartStep, block: &ActionBlock, target: &Target<'_>, lowering: &mut Lowering) {
    let span = block.span;
    let was = || variable(&lowering.name(&before(step)), span);
    let (activated, deactivated) = (and(active(step), not(was())), and(not(active(step)), was()));
    let time = || block.duration.clone().unwrap_or_else(|| zero_time(span));
    let lasts = |op: BinOp| and(active(step), binary(op, part(&step.name.text, "T", span), time()));
    let (on, off) = (vec![target.state(true, lowering)], vec![target.state(false, lowering)]);
    let request = |part: &str| target.assign(part, Expr::truth(true, span), lowering);
    let stmts = match block.qualifier {
        // Without a qualifier only the state is set: a BOOL variable is not written at all.
        Qualifier::NonStored if block.is_bare && !target.is_action => Vec::new(),
        Qualifier::NonStored if block.is_bare => vec![Stmt::when(active(step), on, span)],
        Qualifier::NonStored => vec![Stmt::when(active(step), on, span), Stmt::when(deactivated, off, span)],
        Qualifier::Set => vec![Stmt::when(active(step), vec![request("set")], span)],
        Qualifier::Reset => vec![Stmt::when(active(step), vec![request("reset")], span)],
        Qualifier::Limited => {
            let ends = joined(BinOp::Or, vec![deactivated, active(step)]);
            let ends = ends.map(|ends| Stmt::when(ends, off, span)).into_iter().collect();
            vec![choose(lasts(BinOp::Lt), on, ends, span)]
        }
        Qualifier::Delayed => vec![choose(lasts(BinOp::Ge), on, vec![Stmt::when(deactivated, off, span)], span)],
        Qualifier::Pulse | Qualifier::PulseRising => vec![choose(activated, on, off, span)],
        Qualifier::PulseFalling => vec![choose(deactivated, on, off, span)],
        Qualifier::StoredLimited => {
            vec![Stmt::when(activated, vec![request("set"), target.assign("reset_after", time(), lowering)], span)]
        }
        Qualifier::StoredDelayed => vec![Stmt::when(activated, vec![target.assign("set_after", time(), lowering)], span)],
        Qualifier::DelayedStored => vec![
            Stmt::when(activated, vec![target.assign("set_after", time(), lowering)], span),
            Stmt::when(deactivated, vec![target.assign("set_after", zero_time(span), lowering)], span),
        ],
        Qualifier::Entry | Qualifier::Main | Qualifier::Exit => {
            vec![Stmt::unsupported("entry, exit or own action of a step, which MATIEC does not have", span)]
        }
    };
    lowering.stmts.extend(stmts);
}

/// Carries out the requests: R wins over S.
fn finish(target: &Target<'_>, lowering: &mut Lowering) {
    let span = target.span;
    if !target.is_action {
        let off =
            target.is_reset().then(|| Stmt::when(target.part("reset", lowering), vec![target.state(false, lowering)], span));
        let mut rest = Vec::new();
        if target.is_set() {
            rest.push(Stmt::when(target.part("set", lowering), vec![target.state(true, lowering)], span));
        }
        rest.extend(off);
        forget(target, &mut rest, lowering);
        lowering.stmts.extend(rest);
        return;
    }
    let mut stmts = Vec::new();
    if target.is_set() {
        stmts.push(Stmt::when(
            target.part("set", lowering),
            vec![target.assign("stored", Expr::truth(true, span), lowering)],
            span,
        ));
        if target.is_reset() {
            let forgets = vec![target.assign("stored", Expr::truth(false, span), lowering)];
            stmts.push(Stmt::when(target.part("reset", lowering), forgets, span));
        }
    }
    forget(target, &mut stmts, lowering);
    if target.is_set() {
        let state = joined(BinOp::Or, vec![target.part("state", lowering), target.part("stored", lowering)]);
        stmts.extend(state.map(|state| target.assign("state", state, lowering)));
    }
    lowering.stmts.extend(stmts);
}

/// Adds the end of times by a request: a request ends each time that leads to the same request.
fn forget(target: &Target<'_>, stmts: &mut Vec<Stmt>, lowering: &Lowering) {
    let rows = [("set", "set_after", target.is_set_later()), ("reset", "reset_after", target.is_reset_later())];
    for (request, time, _) in rows.into_iter().filter(|row| row.2) {
        let ends = vec![target.assign(time, zero_time(target.span), lowering)];
        stmts.push(Stmt::when(target.part(request, lowering), ends, target.span));
    }
}

#[cfg(test)]
pub(super) mod law;
#[cfg(test)]
mod tests;
