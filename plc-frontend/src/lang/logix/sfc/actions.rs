//! Statements of the actions of steps.
//!
//! An action has its bits A and Q while it is active; Q is FALSE in its last scan (Action Properties of the help of Studio 5000).

use super::lower::{call, member, set};
use super::{Action, Gap, LastScan, Step};
use crate::ast::build::{binary, not};
use crate::ast::{Expr, Qualifier, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::lang::logix::key;
use crate::lang::logix::prescan::returns;
use crate::text::Span;

/// Statements of the actions of one step.
pub(super) struct Scan {
    /// While the step is active.
    pub(super) active: Vec<Stmt>,
    /// In each scan of the chart.
    pub(super) always: Vec<Stmt>,
}

/// Returns the statements before the steps act: pulses of the last scan have ended.
pub(super) fn before(actions: &[&Action]) -> Vec<Stmt> {
    let is_pulse = |action: &&&Action| matches!(action.qualifier, Qualifier::Pulse | Qualifier::PulseFalling);
    actions.iter().filter(is_pulse).flat_map(|action| bits(action, false)).collect()
}

/// Returns the statements of the actions of a step; `all` are those of its chart.
///
/// Soundness: an action whose last scan or place in the order is not known is a gap.
pub(super) fn scan(step: &Step, all: &[&Action], last: LastScan) -> Result<Scan, Gap> {
    let (mut active, mut always) = (Vec::new(), Vec::new());
    for action in &step.actions {
        let span = action.span;
        check(action, all, last)?;
        let x = || member(&step.name, "X", span);
        let reached = || binary(BinOp::Ge, member(&action.name, "T", span), member(&action.name, "PRE", span), span);
        let stored = || member(&action.name, "Is__Stored", span);
        let store = || set(&action.name, "Is__Stored", true, span);
        match action.qualifier {
            Qualifier::NonStored => active.extend(run(action)),
            Qualifier::Pulse | Qualifier::PulseRising => {
                active.push(either(member(&step.name, "FS", span), run(action), bits(action, false), span));
            }
            Qualifier::PulseFalling => {}
            Qualifier::Limited => {
                active.push(call(&action.name, "Time__", span));
                active.push(either(not(reached()), run(action), bits(action, false), span));
            }
            Qualifier::Delayed => {
                active.push(call(&action.name, "Time__", span));
                active.push(either(reached(), run(action), bits(action, false), span));
            }
            Qualifier::Set => {
                always.push(Stmt::when(x(), vec![store()], span));
                always.push(Stmt::when(stored(), run(action), span));
            }
            Qualifier::StoredLimited | Qualifier::StoredDelayed => {
                let is_on = if action.qualifier == Qualifier::StoredLimited { not(reached()) } else { reached() };
                always.push(Stmt::when(x(), vec![store()], span));
                let timed = vec![call(&action.name, "Time__", span), either(is_on, run(action), bits(action, false), span)];
                always.push(Stmt::when(stored(), timed, span));
            }
            Qualifier::DelayedStored => {
                let timed = vec![call(&action.name, "Time__", span), Stmt::when(reached(), vec![store()], span)];
                always.push(Stmt::when(x(), timed, span));
                always.push(Stmt::when(stored(), run(action), span));
            }
            Qualifier::Reset => active.push(call(&action.name, "Begin__", span)),
            Qualifier::Entry | Qualifier::Main | Qualifier::Exit => return Err(("qualifier of an action", span)),
        }
    }
    Ok(Scan { active, always })
}

/// Checks that the meaning of an action is known.
fn check(action: &Action, all: &[&Action], last: LastScan) -> Result<(), Gap> {
    let span = action.span;
    let same: Vec<_> = all.iter().filter(|other| key(&other.name.text) == key(&action.name.text)).collect();
    let body = action.body.as_deref().unwrap_or_default();
    if action.qualifier == Qualifier::Reset {
        if !body.is_empty() {
            return Err(("reset of an action with statements of its own", span));
        }
        let is_stored = |other: &&&&Action| is_stored(other.qualifier);
        return if same.iter().any(|other| is_stored(&other)) { Ok(()) } else { Err(("reset of no stored action", span)) };
    }
    if same.iter().filter(|other| other.qualifier != Qualifier::Reset).count() != 1 {
        return Err(("tag of several actions of a chart", span));
    }
    if action.body.is_none() || last == LastScan::Pulses {
        return Ok(());
    }
    match (action.qualifier, last) {
        (Qualifier::NonStored, LastScan::All) => Ok(()),
        (Qualifier::NonStored, _) if is_untouched(&mut body.to_vec()) => Ok(()),
        (Qualifier::NonStored, _) => Err(("postscan of an action with calls", span)),
        (Qualifier::Pulse | Qualifier::PulseFalling, LastScan::All) => Ok(()),
        (Qualifier::Pulse | Qualifier::PulseFalling, _) if is_untouched(&mut body.to_vec()) => Ok(()),
        _ => Err(("last scan of an action that is timed, stored or a pulse", span)),
    }
}

/// Returns whether a postscan of statements has no effect: they call nothing.
fn is_untouched(stmts: &mut [Stmt]) -> bool {
    stmts.iter_mut().all(|stmt| {
        let is_call = matches!(stmt.kind, StmtKind::Call(..) | StmtKind::Unsupported(_));
        !is_call && stmt.lists_mut().into_iter().all(|list| is_untouched(list))
    })
}

fn is_stored(qualifier: Qualifier) -> bool {
    use Qualifier::{DelayedStored, Set, StoredDelayed, StoredLimited};
    matches!(qualifier, Set | StoredDelayed | DelayedStored | StoredLimited)
}

/// Returns the statements of an action in the last scan of its step.
pub(super) fn last_scan(action: &Action, last: LastScan) -> Result<Vec<Stmt>, Gap> {
    let span = action.span;
    if is_stored(action.qualifier) {
        let ends_timing = action.qualifier == Qualifier::DelayedStored;
        return Ok(if ends_timing { vec![set(&action.name, "Is__Timing", false, span)] } else { Vec::new() });
    }
    let off = || bits(action, false).into_iter();
    Ok(match action.qualifier {
        Qualifier::Pulse | Qualifier::PulseFalling => run(action),
        Qualifier::Reset => Vec::new(),
        Qualifier::NonStored if last == LastScan::All => {
            let quiet = set(&action.name, "Q", false, span);
            std::iter::once(quiet).chain(body(action)).chain(off()).collect()
        }
        Qualifier::Limited | Qualifier::Delayed => off().chain([set(&action.name, "Is__Timing", false, span)]).collect(),
        Qualifier::NonStored
        | Qualifier::PulseRising
        | Qualifier::Set
        | Qualifier::StoredDelayed
        | Qualifier::DelayedStored
        | Qualifier::StoredLimited
        | Qualifier::Entry
        | Qualifier::Main
        | Qualifier::Exit => off().collect(),
    })
}

/// Returns the statements of an active action: its bits, then its body.
fn run(action: &Action) -> Vec<Stmt> {
    bits(action, true).into_iter().chain(body(action)).collect()
}

fn body(action: &Action) -> Vec<Stmt> {
    let mut stmts = action.body.clone().unwrap_or_default();
    // It would end the whole chart here.
    if returns(&mut stmts) {
        stmts.insert(0, Stmt::unsupported("end of an action before its last statement", action.span));
    }
    stmts
}

fn bits(action: &Action, value: bool) -> Vec<Stmt> {
    ["A", "Q"].into_iter().map(|bit| set(&action.name, bit, value, action.span)).collect()
}

fn either(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::If(vec![(condition, then)], otherwise), span }
}
