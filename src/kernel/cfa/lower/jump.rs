//! Labels and jumps: each execution of a list of statements counts the rounds of its own labels.

use std::collections::BTreeMap;

use plc_frontend::hir::{LabelId, Stmt, StmtKind, walk};
use plc_frontend::source::Span;

use super::builder::Builder;
use super::loops::Rounds;
use crate::cfa::automaton::{LocId, LocKind};
use crate::cfa::network::NetOp;

/// The labels of one list of statements.
#[derive(Default)]
pub(super) struct Labels {
    targets: BTreeMap<LabelId, Target>,
    /// The present statement of the list.
    at: usize,
}

#[derive(Clone, Copy)]
struct Target {
    loc: LocId,
    /// The label's place in its list.
    at: usize,
    /// Counts the jumps back to it, if there are any.
    rounds: Option<Rounds>,
}

impl Builder<'_, '_> {
    /// Makes a location for each label of a list of statements; a label with backward jumps starts a loop.
    pub(super) fn labels(&mut self, stmts: &[Stmt]) -> Labels {
        let mut places = BTreeMap::new();
        for (at, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Label(label) = stmt.kind {
                places.insert(label, (at, false));
            }
        }
        if !places.is_empty() {
            for (from, stmt) in stmts.iter().enumerate() {
                walk::stmts(std::slice::from_ref(stmt), |inner| {
                    if let StmtKind::Goto(label) = inner.kind
                        && let Some((at, back)) = places.get_mut(&label)
                    {
                        *back |= *at < from;
                    }
                });
            }
        }
        let mut targets = BTreeMap::new();
        for (label, (at, back)) in places {
            let target = if back {
                Target { loc: self.loc(LocKind::LoopHead), at, rounds: Some(self.first_round(self.cx.options.loop_rounds)) }
            } else {
                Target { loc: self.loc(LocKind::Inner), at, rounds: None }
            };
            targets.insert(label, target);
        }
        Labels { targets, at: 0 }
    }

    /// Sets the present statement of the innermost list.
    pub(super) fn at(&mut self, at: usize) {
        if let Some(labels) = self.jumps.last_mut() {
            labels.at = at;
        }
    }

    /// Adds a label of the innermost list, where control goes on; also from the statement before it if that is `reached`.
    pub(super) fn label(&mut self, label: LabelId, reached: bool) {
        let Some(target) = self.jumps.last().and_then(|labels| labels.targets.get(&label)) else {
            unreachable!("a label is in its list")
        };
        let loc = target.loc;
        if reached {
            self.join(loc);
        } else {
            self.here = loc;
        }
    }

    /// Adds a jump to a label of an enclosing list.
    pub(super) fn jump(&mut self, label: LabelId, span: Span) {
        let found = self.jumps.iter().rev().find_map(|labels| Some((*labels.targets.get(&label)?, labels.at)));
        let Some((target, from)) = found else { unreachable!("a jump goes to a label around it") };
        if let Some(rounds) = target.rounds.filter(|_| target.at < from) {
            self.round(rounds, span);
        }
        self.edge(self.here, target.loc, NetOp::Skip);
        self.here = self.loc(LocKind::Inner);
    }
}
