//! Memory of variables: every scalar has a slot.
//!
//! Slots `0 .. n_leaves` are the persistent state, slot by slot in the order of `Project::leaves()`, so a
//! persistent slot's number is its leaf's number. Above them calls stack their frames: the variables of
//! functions, and VAR_TEMP.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Body;
use super::share::Sharing;
use crate::hir::{GlobalId, Init, Parts, PouId, PouKind, Project, Section, TypeId, Value, Var, VarId, n_elements};
use crate::ids::{Id, IndexVec};

/// Memory of a POU's variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// The instance, from this slot of it.
    This(usize),
    /// The frame of the call, from this slot of it.
    Frame(usize),
    /// The memory of another variable: the n-th reference of the frame.
    Reference(usize),
}

/// Layout of one POU.
#[derive(Clone, Debug, Default)]
pub(super) struct PouLayout {
    /// Memory of each variable.
    pub(super) homes: IndexVec<VarId, Home>,
    /// Slots of an instance.
    pub(super) this_size: usize,
    /// Initial values of a frame.
    pub(super) frame: Vec<Value>,
    /// Slots of a frame that share memory.
    pub(super) sharing: Sharing,
    /// For each reference its slot in the frame, for calls that give it no place.
    pub(super) references: Vec<usize>,
}

/// Layout of a project.
#[derive(Debug)]
pub(super) struct Layout {
    /// Number of slots of each type.
    pub(super) sizes: Vec<usize>,
    /// First slot of each field within its structure, by type; empty for other types.
    pub(super) fields: Vec<Vec<usize>>,
    /// Each POU, when called or contained in a variable.
    pub(super) pous: IndexVec<PouId, PouLayout>,
    /// Each program instance, with its first slot. There VAR_IN_OUT is memory of its own.
    pub(super) entries: Vec<(usize, PouLayout)>,
    /// First slot of each global.
    pub(super) globals: IndexVec<GlobalId, usize>,
    /// By type, the slots that are views of other slots of it.
    views: BTreeMap<TypeId, BTreeSet<usize>>,
}

impl Layout {
    /// Lays out a project. Cost: linear in the tables; the sizes of types are computed once each.
    pub(super) fn new(project: &Project) -> Layout {
        let mut sizes = Sizes { project, known: vec![None; project.types.len()] };
        let all = project.types.ids().map(|ty| sizes.of(ty)).collect();
        let fields = project.types.iter().map(|def| {
            let Parts::Fields(fields) = def.ty.parts() else { return Vec::new() };
            let mut next = 0;
            fields.iter().map(|field| take(&mut next, sizes.of(field.ty))).collect()
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

    /// Returns whether a slot of a type is a view of other slots of it.
    pub(super) fn is_view(&self, ty: TypeId, at: usize) -> bool {
        !self.views.is_empty() && self.views.get(&ty).is_some_and(|views| views.contains(&at))
    }

    /// Returns the layout of a body that runs.
    pub(super) fn of(&self, body: Body) -> &PouLayout {
        match body {
            Body::Entry(instance) => &self.entries[instance.index()].1,
            Body::Called(pou) => &self.pous[pou],
        }
    }
}

/// Takes the next `size` slots; returns the first of them.
fn take(next: &mut usize, size: usize) -> usize {
    *next += size;
    *next - size
}

/// Memory of a VAR_IN_OUT.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InOut {
    Memory,
    Reference,
}

/// Returns whether a variable of an inner instance keeps its value between calls.
fn persists(var: &Var, in_out: InOut) -> bool {
    match var.section {
        Section::Input | Section::Output | Section::Local | Section::Global => true,
        Section::InOut => in_out == InOut::Memory,
        Section::Temp | Section::Result => false,
    }
}

fn pou_layout(sizes: &mut Sizes<'_>, id: PouId, in_out: InOut) -> PouLayout {
    let pou = &sizes.project.pous[id];
    let is_function = matches!(pou.kind, PouKind::Function(_));
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

/// Adds the slots of a frame that share memory.
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
        let size = match project.types[ty].ty.parts() {
            Parts::Elements(dims, elem) => n_elements(dims) * self.of(elem),
            Parts::Fields(fields) => fields.iter().map(|field| self.of(field.ty)).sum(),
            Parts::Variables(pou) => {
                let vars = project.pous[pou].vars.iter().filter(|var| persists(var, InOut::Reference));
                vars.map(|var| self.of(var.ty)).sum()
            }
            Parts::Scalar => 1,
        };
        self.known[index] = Some(size);
        size
    }
}

/// Appends the initial values of a variable to `out`: one per slot, opaque types as 0.
pub(crate) fn initial(project: &Project, ty: TypeId, init: &Init, out: &mut Vec<Value>) {
    match project.types[ty].ty.parts() {
        Parts::Elements(dims, elem) if *init == Init::Default && 0 < n_elements(dims) => {
            // All elements are like the first one.
            let first = out.len();
            initial(project, elem, init, out);
            let end = out.len();
            (1..n_elements(dims)).for_each(|_| out.extend_from_within(first..end));
        }
        Parts::Elements(dims, elem) => {
            (0..n_elements(dims)).for_each(|i| initial(project, elem, init.part(i).unwrap_or(&Init::Default), out));
        }
        Parts::Fields(fields) => {
            let fields = fields.iter().enumerate();
            fields.for_each(|(i, field)| initial(project, field.ty, init.part(i).unwrap_or(&field.init), out));
        }
        Parts::Variables(pou) => {
            let vars = project.pous[pou].vars.iter_enumerated().filter(|(_, var)| persists(var, InOut::Reference));
            vars.for_each(|(id, var)| initial(project, var.ty, init.variable(id).unwrap_or(&var.init), out));
        }
        Parts::Scalar => out.push(init.scalar().or_else(|| project.default_value(ty)).unwrap_or(Value::Int(0))),
    }
}

/// Appends the types of the slots of a type to `out`.
pub(super) fn scalar_types(project: &Project, ty: TypeId, out: &mut Vec<TypeId>) {
    match project.types[ty].ty.parts() {
        Parts::Elements(dims, elem) => (0..n_elements(dims)).for_each(|_| scalar_types(project, elem, out)),
        Parts::Fields(fields) => fields.iter().for_each(|field| scalar_types(project, field.ty, out)),
        Parts::Variables(pou) => {
            let persistent = project.pous[pou].vars.iter().filter(|var| persists(var, InOut::Reference));
            persistent.for_each(|var| scalar_types(project, var.ty, out));
        }
        Parts::Scalar => out.push(ty),
    }
}
