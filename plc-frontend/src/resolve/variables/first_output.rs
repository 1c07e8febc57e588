//! First outputs as results: in some dialects a function or method that declares no result returns its first VAR_OUTPUT.

use crate::dialect::NoResult;
use crate::hir::{PouId, PouKind, Section};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::text::Span;

impl Resolver<'_> {
    /// Makes the first output of a function without a result its result, where the dialect does so and a value can be used.
    pub(crate) fn take_first_output(&mut self, id: PouId) {
        let pou = &self.project.pous[id];
        if self.dialect.no_result != NoResult::FirstOutput || pou.kind != PouKind::Function(None) {
            return;
        }
        let Some(first) = pou.vars.iter_enumerated().find(|(_, var)| var.section == Section::Output).map(|(first, _)| first)
        else {
            return;
        };
        if self.var_type(VarRef::Local(id, first)).is_ok_and(|ty| !self.project.holds_opaque(ty)) {
            self.project.pous[id].kind = PouKind::Function(Some(first));
        }
    }

    /// Names the condition that a value is a first output.
    pub(crate) fn note_first_output(&mut self, id: PouId, name: &str, span: Span) {
        let pou = &self.project.pous[id];
        if let PouKind::Function(Some(result)) = pou.kind
            && pou.vars[result].section == Section::Output
        {
            self.findings.note_behaviour_of(self.dialect, Behaviour::FirstOutput, name, span);
        }
    }
}
