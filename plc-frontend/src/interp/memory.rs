//! Where variables live: every scalar has a slot.
//!
//! Slots `0 .. n_leaves` are the persistent state, slot by slot in the order of `Project::leaves()`, so a
//! persistent slot's number is its leaf's number. Above them calls stack their frames: the variables of
//! functions, and VAR_TEMP.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Body;
use super::share::Sharing;
use crate::hir::{GlobalId, Init, PouId, PouKind, Project, Section, Type, TypeId, Value, Var, VarId};
use crate::ids::{Id, IndexVec};

/// Where a POU's variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In the instance, from its first slot.
    This(usize),
    /// In the frame of the call, from its first slot.
    Frame(usize),
    /// Elsewhere: the n-th reference of the frame.
    Reference(usize),
}

/// Layout of one POU.
#[derive(Clone, Debug, Default)]
pub(super) struct PouLayout {
    /// Of each variable.
    pub(super) homes: IndexVec<VarId, Home>,
    /// Slots of an instance.
    pub(super) this_size: usize,
    /// Initial values of a frame.
    pub(super) frame: Vec<Value>,
    /// Which slots of a frame share memory.
    pub(super) sharing: Sharing,
    /// For each reference the frame slot it means unless a call gives it a place.
    pub(super) references: Vec<usize>,
}

/// Layout of a project.
#[derive(Debug)]
pub(super) struct Layout {
    /// Slots of each type.
    pub(super) sizes: Vec<usize>,
    /// First slot of each field within its structure, by type; empty for other types.
    pub(super) fields: Vec<Vec<usize>>,
    /// Each POU as it is when called or contained in a variable.
    pub(super) pous: IndexVec<PouId, PouLayout>,
    /// Each program instance, with its first slot. There VAR_IN_OUT is memory of its own.
    pub(super) entries: Vec<(usize, PouLayout)>,
    /// First slot of each global.
    pub(super) globals: IndexVec<GlobalId, usize>,
    /// Of types with slots that are made of others of their slots: which.
    views: BTreeMap<TypeId, BTreeSet<usize>>,
}

impl Layout {
    /// Cost: linear in the tables; the sizes of types are computed once each.
    pub(super) fn new(project: &Project) -> Layout {
        let mut sizes = Sizes { project, known: vec![None; project.types.len()] };
        let all = project.types.ids().map(|ty| sizes.of(ty)).collect();
        let fields = project.types.iter().map(|def| match &def.ty {
            Type::Struct { fields } => {
                let mut next = 0;
                fields.iter().map(|field| take(&mut next, sizes.of(field.ty))).collect()
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
            | Type::Array { .. }
            | Type::FunctionBlock(_)
            | Type::Opaque(_) => Vec::new(),
        });
        let fields = fields.collect();
        let mut next = 0;
        let globals = project.globals.iter().map(|var| take(&mut next, sizes.of(var.ty))).collect();
        let mut entries = Vec::new();
        for instance in project.instances.iter() {
            let layout = pou_layout(&mut sizes, instance.pou, InOut::Memory);
            let size = layout.this_size;
            entries.push((next, layout));
            next += size;
        }
        let pous = project.pous.ids().map(|pou| pou_layout(&mut sizes, pou, InOut::Reference)).collect();
        let views = project.types.ids().map(|ty| (ty, project.views_in(ty).into_iter().map(|(at, _)| at).collect()));
        let views = views.filter(|(_, views): &(TypeId, BTreeSet<usize>)| !views.is_empty()).collect();
        Layout { sizes: all, fields, pous, entries, globals, views }
    }

    /// Whether a slot of a type is made of others of its slots.
    pub(super) fn is_view(&self, ty: TypeId, at: usize) -> bool {
        !self.views.is_empty() && self.views.get(&ty).is_some_and(|views| views.contains(&at))
    }

    /// Of a body that runs.
    pub(super) fn of(&self, body: Body) -> &PouLayout {
        match body {
            Body::Entry(instance) => &self.entries[instance.index()].1,
            Body::Called(pou) => &self.pous[pou],
        }
    }
}

/// The next `size` slots: the first of them.
fn take(next: &mut usize, size: usize) -> usize {
    *next += size;
    *next - size
}

/// What VAR_IN_OUT is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InOut {
    Memory,
    Reference,
}

/// Whether a variable of an inner instance keeps its value between calls.
fn persists(var: &Var, in_out: InOut) -> bool {
    match var.section {
        Section::Input | Section::Output | Section::Local | Section::Global => true,
        Section::InOut => in_out == InOut::Memory,
        Section::Temp | Section::Result => false,
    }
}

fn pou_layout(sizes: &mut Sizes<'_>, id: PouId, in_out: InOut) -> PouLayout {
    let pou = &sizes.project.pous[id];
    let is_function = match pou.kind {
        PouKind::Function(_) => true,
        PouKind::Program | PouKind::FunctionBlock => false,
    };
    let mut layout = PouLayout { homes: pou.vars.iter().map(|_| Home::This(0)).collect(), ..PouLayout::default() };
    for (id, var) in pou.held() {
        if !is_function && persists(var, in_out) {
            layout.homes[id] = Home::This(layout.this_size);
            layout.this_size += sizes.of(var.ty);
            continue;
        }
        let slot = layout.frame.len();
        initial(sizes.project, var.ty, &var.init, &mut layout.frame);
        layout.homes[id] = if var.section == Section::InOut {
            layout.references.push(slot);
            Home::Reference(layout.references.len() - 1)
        } else {
            Home::Frame(slot)
        };
    }
    share_frame(sizes.project, id, &mut layout);
    layout
}

/// What shares memory in a frame.
fn share_frame(project: &Project, id: PouId, layout: &mut PouLayout) {
    let views = project.views_of(id);
    let at = |(var, index): &(VarId, usize)| match layout.homes[*var] {
        Home::Frame(first) => Some(first + index),
        Home::This(_) | Home::Reference(_) => None,
    };
    let views: Vec<_> = views.iter().filter_map(|(scalar, view)| Some((at(scalar)?, view.map(at)?))).collect();
    if views.is_empty() {
        return;
    }
    let mut types = Vec::with_capacity(layout.frame.len());
    for (var, row) in project.pous[id].held() {
        if !matches!(layout.homes[var], Home::This(_)) {
            scalar_types(project, row.ty, &mut types);
        }
    }
    layout.sharing = Sharing::new(types, views);
    layout.sharing.settle(project, &mut layout.frame);
}

struct Sizes<'p> {
    project: &'p Project,
    known: Vec<Option<usize>>,
}

impl Sizes<'_> {
    fn of(&mut self, ty: TypeId) -> usize {
        let index = crate::ids::Id::index(ty);
        if let Some(size) = self.known[index] {
            return size;
        }
        let project = self.project;
        let size = match &project.types[ty].ty {
            Type::Array { dims, elem } => n_elements(dims) * self.of(*elem),
            Type::Struct { fields } => fields.iter().map(|field| self.of(field.ty)).sum(),
            Type::FunctionBlock(pou) => {
                let vars = project.pous[*pou].vars.iter().filter(|var| persists(var, InOut::Reference));
                vars.map(|var| self.of(var.ty)).sum()
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
            | Type::Opaque(_) => 1,
        };
        self.known[index] = Some(size);
        size
    }
}

/// The number of elements of an array with these dimensions.
pub(super) fn n_elements(dims: &[(i64, i64)]) -> usize {
    dims.iter().map(|(low, high)| (high - low + 1) as usize).product()
}

/// The values a variable starts with, appended to `out`: one per slot, opaque types as 0.
pub(super) fn initial(project: &Project, ty: TypeId, init: &Init, out: &mut Vec<Value>) {
    match &project.types[ty].ty {
        Type::Array { dims, elem } => {
            let items: &[Init] = match init {
                Init::Array(items) => items,
                Init::Default | Init::Scalar(_) | Init::Struct(_) | Init::Instance(_) => &[],
            };
            for i in 0..n_elements(dims) {
                initial(project, *elem, items.get(i).unwrap_or(&Init::Default), out);
            }
        }
        Type::Struct { fields } => {
            let items: &[Init] = match init {
                Init::Struct(items) => items,
                Init::Default | Init::Scalar(_) | Init::Array(_) | Init::Instance(_) => &[],
            };
            for (i, field) in fields.iter().enumerate() {
                let given = items.get(i).filter(|init| **init != Init::Default);
                initial(project, field.ty, given.unwrap_or(&field.init), out);
            }
        }
        Type::FunctionBlock(pou) => {
            let given: &[(VarId, Init)] = match init {
                Init::Instance(given) => given,
                Init::Default | Init::Scalar(_) | Init::Array(_) | Init::Struct(_) => &[],
            };
            for (id, var) in project.pous[*pou].vars.iter_enumerated().filter(|(_, var)| persists(var, InOut::Reference)) {
                let init = given.iter().find(|(v, _)| *v == id).map_or(&var.init, |(_, init)| init);
                initial(project, var.ty, init, out);
            }
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
        | Type::Opaque(_) => out.push(match init {
            Init::Scalar(value) => *value,
            Init::Default | Init::Array(_) | Init::Struct(_) | Init::Instance(_) => {
                project.default_value(ty).unwrap_or(Value::Int(0))
            }
        }),
    }
}

/// The types of the slots of a type, appended to `out`.
pub(super) fn scalar_types(project: &Project, ty: TypeId, out: &mut Vec<TypeId>) {
    match &project.types[ty].ty {
        Type::Array { dims, elem } => (0..n_elements(dims)).for_each(|_| scalar_types(project, *elem, out)),
        Type::Struct { fields } => fields.iter().for_each(|field| scalar_types(project, field.ty, out)),
        Type::FunctionBlock(pou) => {
            let persistent = project.pous[*pou].vars.iter().filter(|var| persists(var, InOut::Reference));
            persistent.for_each(|var| scalar_types(project, var.ty, out));
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
        | Type::Opaque(_) => out.push(ty),
    }
}
