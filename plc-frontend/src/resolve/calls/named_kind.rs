//! Calls of timers and counters that name their block once more: `valve.timer.TON(IN := x)` (TIA Portal).

use std::borrow::Cow;

use crate::ast::{Name, NameElem};
use crate::hir::Type;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::text::key;

/// Blocks that TIA Portal writes behind the name of an instance of theirs.
const KINDS: &[&str] = &["ton", "tof", "tp", "tonr", "ctu", "ctd", "ctud"];

impl Resolver<'_> {
    /// Returns the name of the instance without the block's own name behind it.
    ///
    /// Soundness: another kind than that of the instance stays, and is an error.
    pub(super) fn without_kind<'n>(&mut self, scope: Scope, name: &'n Name) -> Cow<'n, Name> {
        let whole = Cow::Borrowed(name);
        let Some((NameElem::Field(kind), path)) = name.path.split_last() else { return whole };
        let kind = key(&kind.text);
        if !self.dialect.quotes_names || !KINDS.contains(&kind.as_ref()) {
            return whole;
        }
        let instance = Name { path: path.to_vec(), ..name.clone() };
        let Ok(place) = self.place(scope, &instance) else { return whole };
        if let Type::FunctionBlock(pou) = self.project.types[place.ty].ty
            && key(&self.project.pous[pou].name) == kind
        {
            return Cow::Owned(instance);
        }
        whole
    }
}
