//! What a slot is called, for recorders.

use super::exec::Exec;
use super::memory::{Home, n_elements};
use crate::hir::{Section, Type, TypeId};
use crate::ids::Id;

impl Exec<'_, '_> {
    /// The canonical name of a persistent slot; `Func.x` for a variable of an open call.
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

    /// The path to the `offset`-th slot of a type.
    fn part(&self, ty: TypeId, offset: usize) -> String {
        let project = self.machine.project;
        let size = |ty: TypeId| self.machine.layout.sizes[ty.index()];
        match &project.types[ty].ty {
            Type::Array { dims, elem } => {
                let each = size(*elem).max(1);
                let index = crate::hir::index_text(dims, (offset / each).min(n_elements(dims)) as i64);
                format!("[{index}]{}", self.part(*elem, offset % each))
            }
            Type::Struct { fields } => {
                let starts = &self.machine.layout.fields[ty.index()];
                let k = starts.partition_point(|start| *start <= offset).saturating_sub(1);
                fields.get(k).map_or(String::new(), |f| format!(".{}{}", f.name, self.part(f.ty, offset - starts[k])))
            }
            Type::FunctionBlock(pou) => {
                let layout = &self.machine.layout.pous[*pou];
                for (id, var) in project.pous[*pou].vars.iter_enumerated().filter(|(_, v)| v.section != Section::Temp) {
                    if let Home::This(first) = layout.homes[id]
                        && first <= offset
                        && offset < first + size(var.ty)
                    {
                        return format!(".{}{}", var.name, self.part(var.ty, offset - first));
                    }
                }
                String::new()
            }
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Opaque(_) => String::new(),
        }
    }
}
