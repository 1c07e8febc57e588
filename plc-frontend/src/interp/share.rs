//! Slots that share memory: the slot of a view always holds the value of its cells.
//!
//! A write of a view writes its cells, and all other views of these cells follow at once. So every slot is read in the same way.

use super::exec::Exec;
use crate::hir::{Project, RealType, Type, TypeId, Value, View, bits_of};

/// Slots of the persistent state or of a frame that share memory. Empty if none do.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    /// Types by slot.
    types: Vec<TypeId>,
    /// Views by slot; `None` for slots with memory of their own.
    views: Vec<Option<View<usize>>>,
    /// By slot, the views of which it is a cell.
    seen_by: Vec<Vec<usize>>,
}

impl Sharing {
    /// Returns the sharing of slots with these types and views.
    pub(super) fn new(types: Vec<TypeId>, views: Vec<(usize, View<usize>)>) -> Sharing {
        if views.is_empty() {
            return Sharing::default();
        }
        let mut sharing = Sharing { views: vec![None; types.len()], seen_by: vec![Vec::new(); types.len()], types };
        for (slot, view) in views {
            for part in &view.parts {
                if sharing.seen_by[part.of].last() != Some(&slot) {
                    sharing.seen_by[part.of].push(slot);
                }
            }
            sharing.views[slot] = Some(view);
        }
        sharing
    }

    /// Returns the cells of a view; none for a slot with memory of its own.
    fn cells(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        self.views.get(slot).into_iter().flatten().flat_map(|view| view.parts.iter().map(|part| part.of))
    }

    /// Returns every other slot that changes with a write of this one.
    fn touched(&self, slot: usize) -> Vec<usize> {
        let mut touched: Vec<usize> = self.cells(slot).collect();
        let own = if touched.is_empty() { vec![slot] } else { touched.clone() };
        touched.extend(own.iter().filter_map(|cell| self.seen_by.get(*cell)).flatten());
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|other| *other != slot);
        touched
    }

    /// Updates all slots that share memory with a slot after a write of it.
    pub(super) fn follow(&self, project: &Project, memory: &mut [Value], slot: usize) {
        match self.views.get(slot) {
            None => return,
            Some(None) if self.seen_by[slot].is_empty() => return,
            Some(None) => {}
            Some(Some(view)) => {
                let cell = |of: &usize| (self.types[*of], memory[*of]);
                let new = view.scatter(bits_of(memory[slot]), cell, project);
                for (part, value) in view.parts.iter().zip(new) {
                    memory[part.of] = value;
                }
            }
        }
        for other in self.touched(slot).into_iter().chain([slot]) {
            if let Some(view) = &self.views[other] {
                memory[other] = project.of_bits(self.types[other], view.gather(|cell| memory[*cell]));
            }
        }
    }

    /// Gives all views the values of their cells.
    pub(super) fn settle(&self, project: &Project, memory: &mut [Value]) {
        for (slot, view) in self.views.iter().enumerate() {
            if let Some(view) = view {
                memory[slot] = project.of_bits(self.types[slot], view.gather(|cell| memory[*cell]));
            }
        }
    }

    /// Returns the bit string type with the width of a slot that is a REAL or LREAL without memory of its own.
    fn kept_as_bits(&self, project: &Project, slot: usize) -> Option<TypeId> {
        self.views.get(slot)?.as_ref()?;
        let Type::Real(real) = &project.types[self.types[slot]].ty else { return None };
        let width = match real {
            RealType::Real => 32,
            RealType::LReal => 64,
        };
        project.types.iter_enumerated().find(|(_, def)| def.ty == Type::Bits(width)).map(|(id, _)| id)
    }
}

impl Exec<'_, '_> {
    /// Returns the sharing of the memory that a slot belongs to, and the first slot of that memory.
    fn sharing(&self, slot: usize) -> (&Sharing, usize) {
        match self.frames.iter().rev().find(|frame| frame.base <= slot) {
            Some(frame) if self.machine.leaves.len() <= slot => (&self.layout(frame.body).sharing, frame.base),
            Some(_) | None => (&self.machine.sharing, 0),
        }
    }

    /// Writes one slot and all slots that share memory with it.
    pub(super) fn store(&mut self, slot: usize, value: Value) {
        let (sharing, base) = self.sharing(slot);
        if let Some(bits) = sharing.kept_as_bits(self.machine.project, slot - base) {
            self.recorder.chose(None, bits, Value::Int(bits_of(value) as i128));
        }
        if slot < self.machine.leaves.len() {
            self.machine.store(slot, value);
            return;
        }
        self.machine.memory[slot] = value;
        if let Some(frame) = self.frames.iter().rev().find(|frame| frame.base <= slot) {
            let (body, base) = (frame.body, frame.base);
            let machine = &mut *self.machine;
            let sharing = &machine.layout.of(body).sharing;
            sharing.follow(machine.project, &mut machine.memory[base..], slot - base);
        }
    }

    /// Returns every slot that changes with a write of this one, itself among them.
    pub(super) fn touched(&self, slot: usize) -> Vec<usize> {
        let (sharing, base) = self.sharing(slot);
        let others = sharing.touched(slot - base).into_iter().map(|other| base + other);
        [slot].into_iter().chain(others).collect()
    }

    /// Returns every slot that a read of this one reads.
    pub(super) fn sources(&self, slot: usize) -> Vec<usize> {
        let (sharing, base) = self.sharing(slot);
        [slot].into_iter().chain(sharing.cells(slot - base).map(|cell| base + cell)).collect()
    }
}
