//! Faults of a slicer, for tests: the laws of the checker must notice each fault that can make a wrong proof pass.

use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::effects::{Effect, Write};
use super::parts::Parts;
use super::slice::{Piece, Slice};
use super::slice_text::Values;
use super::smtlib::constant;
use kernel::cfa::EdgeId;
use kernel::expr::{ExprPool, Value, VarId};

/// Fault of a slicer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Locations are skipped though their edges write kept variables, which keep their old values.
    SkippedWrite,
    /// Edges have lost their guards.
    ForgottenGuard,
    /// Branches that do not meet again are one.
    JoinedBranches,
    /// Variables of one sort begin with the same value.
    SharedSymbol,
    /// Variables begin with zero in place of any value.
    FixedSymbol,
    /// Parts of invariants that a question uses do not become needed.
    ForgottenPart,
    /// Only the last way of a question counts.
    ForgottenWay,
    /// The frame rule knows no assignments.
    ForgottenWrite,
    /// The frame rule knows no writes of any value.
    ForgottenHavoc,
    /// The frame rule does not know of loops that are passed within a step.
    ForgottenLoop,
    /// All variables are unchanged where a piece of a slice begins.
    ForgottenChange,
    /// The last piece of a slice is not asked about.
    ForgottenPiece,
}

impl Fault {
    /// Faults that random automata with a place at each loop show.
    pub(super) const ALL: [Fault; 8] = [
        Fault::SkippedWrite,
        Fault::ForgottenGuard,
        Fault::JoinedBranches,
        Fault::SharedSymbol,
        Fault::FixedSymbol,
        Fault::ForgottenPart,
        Fault::ForgottenWay,
        Fault::ForgottenWrite,
    ];

    /// Returns whether the fault only adds paths and values. Then a question is satisfied more often, and no wrong proof passes.
    pub(super) fn is_harmless(self) -> bool {
        self == Fault::ForgottenGuard
    }

    /// Puts the fault into a slice wherever it can be.
    pub(super) fn put(self, slice: &mut Slice<'_>, effects: &IndexVec<EdgeId, Effect>) {
        match self {
            Fault::SkippedWrite => skip_writes(slice, effects),
            Fault::ForgottenGuard => {
                slice.locs.values_mut().flat_map(|loc| &mut loc.leaving).for_each(|edge| edge.guard.clear());
            }
            Fault::JoinedBranches => {
                for loc in slice.locs.values_mut() {
                    let first = loc.leaving.first().map(|edge| edge.landing);
                    loc.leaving.iter_mut().for_each(|edge| edge.landing = first.unwrap_or(edge.landing));
                }
            }
            Fault::SharedSymbol
            | Fault::FixedSymbol
            | Fault::ForgottenPart
            | Fault::ForgottenWay
            | Fault::ForgottenWrite
            | Fault::ForgottenHavoc
            | Fault::ForgottenLoop
            | Fault::ForgottenChange
            | Fault::ForgottenPiece => {}
        }
    }

    /// Returns whether the frame rule does not know of this write.
    pub(super) fn forgets(self, write: &Write) -> bool {
        match write.value {
            Some(_) => self == Fault::ForgottenWrite,
            None => self == Fault::ForgottenHavoc,
        }
    }

    /// Puts the fault into the pieces of a slice.
    pub(super) fn put_into_pieces(self, pieces: &mut Vec<Piece<'_>>) {
        if self == Fault::ForgottenChange {
            pieces.iter_mut().for_each(|piece| piece.unchanged = (*piece.slice.reads()).clone());
        }
        if self == Fault::ForgottenPiece {
            pieces.pop();
        }
    }

    /// Puts the fault into the parts that a question uses.
    pub(super) fn put_into_uses(self, uses: &mut Parts) {
        if self == Fault::ForgottenPart {
            *uses = Parts::default();
        }
    }

    /// Puts the fault into the ends of a question's ways.
    pub(super) fn put_into_ends(self, ends: &mut Vec<String>) {
        if self == Fault::ForgottenWay {
            ends.drain(..ends.len().saturating_sub(1));
        }
    }

    /// Puts the fault into the values where paths begin.
    pub(super) fn put_into_values(self, pool: &ExprPool, values: &mut Values) {
        let sort = |var: &VarId| pool.var_decl(*var).sort;
        let all = Rc::make_mut(values);
        match self {
            Fault::SharedSymbol => {
                let known: Vec<_> = all.iter().map(|(var, text)| (sort(var), text.clone())).collect();
                for (var, text) in all.iter_mut() {
                    if let Some((_, first)) = known.iter().find(|(of, _)| *of == sort(var)) {
                        *text = first.clone();
                    }
                }
            }
            Fault::FixedSymbol => {
                for (var, text) in all.iter_mut() {
                    *text = constant(Value::zero(sort(var))).into();
                }
            }
            Fault::SkippedWrite
            | Fault::ForgottenGuard
            | Fault::JoinedBranches
            | Fault::ForgottenPart
            | Fault::ForgottenWay
            | Fault::ForgottenWrite
            | Fault::ForgottenHavoc
            | Fault::ForgottenLoop
            | Fault::ForgottenChange
            | Fault::ForgottenPiece => {}
        }
    }
}

/// Skips each location that all edges leave for one landing, with a write of a variable that is kept there.
fn skip_writes(slice: &mut Slice<'_>, effects: &IndexVec<EdgeId, Effect>) {
    for n in slice.locs.keys().rev().copied().collect::<Vec<_>>() {
        let Some((landing, vars)) = skipped(slice, effects, n) else { continue };
        for (_, loc) in slice.locs.range_mut(..landing) {
            Rc::make_mut(&mut loc.kept).extend(vars.iter().copied());
            loc.leaving.iter_mut().filter(|edge| edge.landing == n).for_each(|edge| edge.landing = landing);
        }
        if slice.begin == n {
            slice.begin = landing;
        }
    }
}

/// Returns the landing of all edges of a location, and the variables kept there that they write; `None` without any.
fn skipped(slice: &Slice<'_>, effects: &IndexVec<EdgeId, Effect>, n: usize) -> Option<(usize, Vec<VarId>)> {
    let edges = &slice.locs.get(&n)?.leaving;
    let landing = edges.first()?.landing;
    let kept = &slice.locs.get(&landing)?.kept;
    let written = edges.iter().flat_map(|edge| &effects[edge.edge].writes).map(|write| write.var);
    let vars: Vec<VarId> = written.filter(|var| kept.contains(var)).collect();
    (!vars.is_empty() && edges.iter().all(|edge| edge.landing == landing)).then_some((landing, vars))
}

#[cfg(test)]
mod tests;
