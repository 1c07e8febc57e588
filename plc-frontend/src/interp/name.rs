//! Names of slots, for recorders.

use std::collections::BTreeMap;

use super::exec::Exec;
use super::machine::Machine;
use super::memory::{Home, PouLayout};
use crate::hir::{Parts, PouId, Section, TypeId, n_elements};
use crate::ids::Id;

impl Machine<'_> {
    /// Returns the names of the wanted instances of blocks and programs that outlive a cycle, by POU and first slot as in
    /// [`super::Recorder::entered`].
    ///
    /// Cost: linear in the instances and in the arrays of instances.
    pub fn instances(&self, wanted: &dyn Fn(PouId) -> bool) -> BTreeMap<(PouId, usize), String> {
        let mut instances = WantedInstances { machine: self, wanted, named: BTreeMap::new() };
        for (id, instance) in self.project.instances.iter_enumerated() {
            let (base, layout) = &self.layout.entries[id.index()];
            instances.instance(instance.pou, layout, *base, &instance.name);
        }
        for (id, var) in self.project.globals.iter_enumerated() {
            instances.parts(var.ty, self.layout.globals[id], &var.name);
        }
        instances.named
    }
}

/// The wanted instances that were found so far.
struct WantedInstances<'m, 'p> {
    machine: &'m Machine<'p>,
    wanted: &'m dyn Fn(PouId) -> bool,
    named: BTreeMap<(PouId, usize), String>,
}

impl WantedInstances<'_, '_> {
    fn instance(&mut self, pou: PouId, layout: &PouLayout, base: usize, name: &str) {
        if (self.wanted)(pou) {
            self.named.insert((pou, base), name.to_owned());
        }
        for (id, var) in self.machine.project.pous[pou].vars.iter_enumerated() {
            if let Home::This(offset) = layout.homes[id] {
                self.parts(var.ty, base + offset, &format!("{name}.{}", var.name));
            }
        }
    }

    fn parts(&mut self, ty: TypeId, slot: usize, name: &str) {
        let Machine { project, layout, .. } = self.machine;
        match project.types[ty].ty.parts() {
            Parts::Variables(pou) => self.instance(pou, &layout.pous[pou], slot, name),
            Parts::Fields(fields) => {
                for (field, start) in fields.iter().zip(&layout.fields[ty.index()]) {
                    self.parts(field.ty, slot + start, &format!("{name}.{}", field.name));
                }
            }
            Parts::Elements(dims, elem) if matches!(project.types[elem].ty.parts(), Parts::Variables(_) | Parts::Fields(_)) => {
                let size = layout.sizes[elem.index()];
                for n in 0..n_elements(dims) {
                    let name = format!("{name}[{}]", crate::hir::index_text(dims, n as i64));
                    self.parts(elem, slot + n * size, &name);
                }
            }
            Parts::Elements(..) | Parts::Scalar => {}
        }
    }
}

impl Exec<'_, '_> {
    /// Returns the canonical name of a persistent slot; `Func.x` for a variable of a call.
    pub(super) fn name(&self, slot: usize) -> String {
        if let Some(leaf) = self.machine.leaves.get(slot) {
            return leaf.name.clone();
        }
        let Some(frame) = self.frames.iter().rev().find(|frame| frame.base <= slot) else { return String::new() };
        let (pou, layout) = (self.pou(frame.body), self.layout(frame.body));
        let offset = slot - frame.base;
        for (id, var) in pou.vars.iter_enumerated() {
            let first = match layout.homes[id] {
                Home::Frame(first) => first,
                Home::Reference(n) => layout.references[n],
                Home::This(_) => continue,
            };
            if first <= offset && offset < first + self.machine.layout.sizes[var.ty.index()] {
                return format!("{}.{}{}", pou.name, var.name, self.part(var.ty, offset - first));
            }
        }
        pou.name.clone()
    }

    /// Returns the name of the variable of this type that begins at a slot.
    pub(super) fn whole(&self, slot: usize, ty: TypeId) -> String {
        let first = self.name(slot);
        let part = self.part(ty, 0);
        first.strip_suffix(&part).unwrap_or(&first).to_owned()
    }

    /// Returns the path from a value of this type to its `offset`-th slot.
    fn part(&self, ty: TypeId, offset: usize) -> String {
        let project = self.machine.project;
        let size = |ty: TypeId| self.machine.layout.sizes[ty.index()];
        match project.types[ty].ty.parts() {
            Parts::Elements(dims, elem) => {
                let each = size(elem).max(1);
                let index = crate::hir::index_text(dims, (offset / each).min(n_elements(dims)) as i64);
                format!("[{index}]{}", self.part(elem, offset % each))
            }
            Parts::Fields(fields) => {
                let starts = &self.machine.layout.fields[ty.index()];
                let k = starts.partition_point(|start| *start <= offset).saturating_sub(1);
                fields.get(k).map_or(String::new(), |f| format!(".{}{}", f.name, self.part(f.ty, offset - starts[k])))
            }
            Parts::Variables(pou) => {
                let layout = &self.machine.layout.pous[pou];
                for (id, var) in project.pous[pou].vars.iter_enumerated().filter(|(_, v)| v.section != Section::Temp) {
                    if let Home::This(first) = layout.homes[id]
                        && first <= offset
                        && offset < first + size(var.ty)
                    {
                        return format!(".{}{}", var.name, self.part(var.ty, offset - first));
                    }
                }
                String::new()
            }
            Parts::Scalar => String::new(),
        }
    }
}
