//! Places: their slots, reads and writes of them, with reports to the recorder.

use super::exec::Exec;
use super::fault::{Fault, FaultEnd};
use super::memory::Home;
use crate::hir::{Elem, FaultKind, IntType, Place, Root, Type, TypeId, Value};
use crate::ids::Id;
use crate::text::Span;

/// Memory that a place denotes at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Its first slot.
    pub(super) slot: usize,
    /// Its type.
    pub(super) ty: TypeId,
    /// Only some bits of the slot.
    bits: Option<Bits>,
}

#[derive(Clone, Copy, Debug)]
struct Bits {
    /// Format of the whole slot.
    whole: IntType,
    offset: u8,
    width: u8,
}

impl Target {
    /// Returns a whole variable.
    pub(super) fn whole(slot: usize, ty: TypeId) -> Target {
        Target { slot, ty, bits: None }
    }
}

impl Exec<'_, '_> {
    /// Returns the memory of a place; its indices are evaluated left to right, each checked at once.
    pub(super) fn place(&mut self, place: &Place) -> Result<Target, Fault> {
        let project = self.machine.project;
        let mut path = place.path.iter();
        let mut at = match place.root {
            Root::Global(id) => Target::whole(self.machine.layout.globals[id], project.globals[id].ty),
            Root::Var(id) => self.variable(id),
            Root::This(ty) => Target::whole(self.this(), ty),
            Root::Instance(id) => {
                let (base, layout) = &self.machine.layout.entries[id.index()];
                match path.next() {
                    None => Target::whole(*base, place.ty),
                    Some(Elem::Member(var)) => {
                        let Home::This(offset) = layout.homes[*var] else {
                            unreachable!("only what persists is seen from outside")
                        };
                        Target::whole(base + offset, project.pous[project.instances[id].pou].vars[*var].ty)
                    }
                    Some(Elem::Field(_) | Elem::Index(_) | Elem::Deref(_) | Elem::Bits { .. }) => {
                        unreachable!("a part of an instance starts with a variable")
                    }
                }
            }
        };
        for elem in path {
            match (elem, &project.types[at.ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => {
                    at.slot += self.machine.layout.fields[at.ty.index()][*k as usize];
                    at.ty = fields[*k as usize].ty;
                }
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    let Home::This(offset) = self.machine.layout.pous[*pou].homes[*var] else {
                        unreachable!("only what persists is seen from outside")
                    };
                    at.slot += offset;
                    at.ty = project.pous[*pou].vars[*var].ty;
                }
                (Elem::Index(indices), Type::Array { dims, elem }) => {
                    let mut flat = 0;
                    for (index, (low, high)) in indices.iter().zip(dims) {
                        let Value::Int(i) = self.eval(index)? else { unreachable!("an index is an integer") };
                        if i < i128::from(*low) || i128::from(*high) < i {
                            let kind = FaultEnd::Check(FaultKind::IndexOutOfBounds);
                            return Err(Fault { kind, span: index.span });
                        }
                        flat = flat * (high - low + 1) as usize + (i - i128::from(*low)) as usize;
                    }
                    at.slot += flat * self.machine.layout.sizes[elem.index()];
                    at.ty = *elem;
                }
                (Elem::Deref(view), _) => {
                    let Value::Int(number) = self.read(at, place.span) else { unreachable!("a reference is a number") };
                    let targets = project.references.get(&at.ty).map_or(&[][..], Vec::as_slice);
                    let Some(target) = targets.iter().find(|t| t.number == number && t.views.contains(view)) else {
                        return Err(Fault { kind: FaultEnd::Check(FaultKind::NullReference), span: place.span });
                    };
                    at = Target { ty: *view, ..self.deeper(place.span, |exec| exec.place(&target.place))? };
                }
                (Elem::Bits { offset, width }, _) => {
                    let Some(whole) = project.int_type(at.ty) else { unreachable!("bits are parts of bit strings and integers") };
                    let bits = Bits { whole, offset: *offset, width: *width };
                    return Ok(Target { slot: at.slot, ty: place.ty, bits: Some(bits) });
                }
                (Elem::Field(_) | Elem::Member(_) | Elem::Index(_), ty) => unreachable!("{elem:?} is no part of {ty:?}"),
            }
        }
        Ok(at)
    }

    /// Reads a scalar.
    pub(super) fn read(&mut self, target: Target, span: Span) -> Value {
        let stored = self.machine.memory[target.slot];
        if self.names {
            for slot in self.sources(target.slot) {
                let name = self.name(slot);
                self.recorder.read(&name, span, self.machine.memory[slot]);
            }
        }
        match (target.bits, stored) {
            (Some(Bits { offset, width: 1, .. }), Value::Int(whole)) => Value::Bool(whole >> offset & 1 == 1),
            (Some(Bits { offset, width, .. }), Value::Int(whole)) => {
                Value::Int(IntType { bits: width, signed: false }.wrap(whole >> offset))
            }
            (Some(_), Value::Bool(_) | Value::Real(_) | Value::LReal(_)) => unreachable!("bits of {stored:?}"),
            (None, _) => stored,
        }
    }

    /// Reads all scalars of a variable and appends them to `out`.
    pub(super) fn read_all(&mut self, target: Target, span: Span, out: &mut Vec<Value>) -> Result<(), Fault> {
        if target.bits.is_some() {
            out.push(self.read(target, span));
            return Ok(());
        }
        let size = self.machine.layout.sizes[target.ty.index()];
        self.spend(size as u64, span)?;
        for slot in target.slot..target.slot + size {
            out.push(self.read(Target { slot, ..target }, span));
        }
        Ok(())
    }

    /// Writes a scalar.
    pub(super) fn write(&mut self, target: Target, value: Value, span: Span) {
        let stored = match target.bits {
            None => value,
            Some(Bits { whole, offset, width }) => {
                let part = match value {
                    Value::Bool(b) => i128::from(b),
                    Value::Int(i) => i,
                    Value::Real(_) | Value::LReal(_) => unreachable!("{value:?} is no bit string"),
                };
                let Value::Int(before) = self.machine.memory[target.slot] else { unreachable!("bits of no integer") };
                let mask = ((1i128 << width) - 1) << offset;
                Value::Int(whole.wrap(before & !mask | part << offset & mask))
            }
        };
        self.store(target.slot, stored);
        if self.names {
            for slot in self.touched(target.slot) {
                let name = self.name(slot);
                self.recorder.wrote(&name, span, self.machine.memory[slot]);
            }
        }
    }

    /// Writes all scalars of a variable.
    pub(super) fn write_all(&mut self, target: Target, values: &[Value], span: Span) {
        for (i, value) in values.iter().enumerate() {
            // A view of other scalars of the variable follows from them.
            if !self.machine.layout.is_view(target.ty, i) {
                self.write(Target { slot: target.slot + i, ..target }, *value, span);
            }
        }
    }

    /// Returns whether values of this type fill one slot and are handled as a [`Value`].
    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        self.machine.project.types[ty].ty.is_scalar()
    }
}
