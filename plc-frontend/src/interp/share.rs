//! Slots that share memory: a view's slot always holds what its cells spell.
//!
//! A write of a view is a write of its cells; whoever else is made of these follows at once. So reading is the same for
//! every slot.

use super::machine::Machine;
use crate::hir::{Leaf, Type, TypeId, Value, View, bits_of};

/// Which slots share memory.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// By slot, for those that have no memory of their own. Empty if there are none.
    views: Vec<Option<View<usize>>>,
    /// By slot, the views that it is a cell of.
    seen_by: Vec<Vec<usize>>,
}

impl Sharing {
    pub(super) fn new(leaves: &[Leaf]) -> Sharing {
        if leaves.iter().all(|leaf| leaf.view.is_none()) {
            return Sharing::default();
        }
        let mut seen_by = vec![Vec::new(); leaves.len()];
        for (slot, leaf) in leaves.iter().enumerate() {
            for part in leaf.view.iter().flat_map(|view| &view.parts) {
                if seen_by[part.of].last() != Some(&slot) {
                    seen_by[part.of].push(slot);
                }
            }
        }
        Sharing { views: leaves.iter().map(|leaf| leaf.view.clone()).collect(), seen_by }
    }

    /// The cells that a slot is read from; none if it has memory of its own.
    pub(super) fn cells(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        self.views.get(slot).into_iter().flatten().flat_map(|view| view.parts.iter().map(|part| part.of))
    }

    /// Every slot that a write of this one writes besides it.
    pub(super) fn touched(&self, slot: usize) -> Vec<usize> {
        let mut touched: Vec<usize> = self.cells(slot).collect();
        let own = if touched.is_empty() { vec![slot] } else { touched.clone() };
        touched.extend(own.iter().filter_map(|cell| self.seen_by.get(*cell)).flatten());
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|other| *other != slot);
        touched
    }
}

impl Machine<'_> {
    /// Lets whatever shares memory with a slot follow the value that it was just given.
    pub(super) fn follow(&mut self, slot: usize, value: Value) {
        let Some(view) = self.sharing.views.get(slot) else { return };
        let touched = match view {
            Some(view) => {
                let (leaves, memory) = (&self.leaves, &self.memory);
                let cell = |of: &usize| (leaves[*of].ty, memory[*of]);
                let new = view.scatter(bits_of(value), cell, self.project);
                for (part, value) in view.parts.iter().zip(new) {
                    self.memory[part.of] = value;
                }
                self.sharing.touched(slot)
            }
            None if self.sharing.seen_by[slot].is_empty() => return,
            None => self.sharing.touched(slot),
        };
        for other in touched.into_iter().chain([slot]) {
            if let Some(view) = &self.sharing.views[other] {
                let bits = view.gather(|cell| self.memory[*cell]);
                self.memory[other] = self.project.of_bits(self.leaves[other].ty, bits);
            }
        }
    }

    /// The bit string whose bits a REAL is kept as, if this slot is a REAL without memory of its own.
    pub(super) fn kept_as_bits(&self, slot: usize) -> Option<TypeId> {
        self.sharing.views.get(slot)?.as_ref()?;
        let width = match &self.project.types[self.leaves[slot].ty].ty {
            Type::Real(crate::hir::RealType::Real) => 32,
            Type::Real(crate::hir::RealType::LReal) => 64,
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Array { .. }
            | Type::Struct { .. }
            | Type::FunctionBlock(_)
            | Type::Opaque(_) => return None,
        };
        self.project.types.iter_enumerated().find(|(_, def)| def.ty == Type::Bits(width)).map(|(id, _)| id)
    }
}
