//! From IEC types to scalars: their number, the offsets of parts, and their sorts.
//!
//! The order is that of [`Project::leaves`]: arrays row-major, fields and variables in declared order. A variable
//! of an opaque type has one scalar that no statement can use.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{
    Init, Parts, Pou, PouId, PouKind, Project, RealType, Section, Type, TypeId, Value as IecValue, Var, VarId,
};
use plc_frontend::ids::{Id, IndexVec};

use crate::expr::{FloatSort, Sort, Value};

/// Sizes and offsets of all types, computed once.
pub(crate) struct Layout {
    sizes: Vec<usize>,
    /// First scalar of each variable of an instance of a POU; `None` if it does not persist.
    members: IndexVec<PouId, IndexVec<VarId, Option<usize>>>,
    /// Scalars that are made of other scalars of the same type, by type.
    views: BTreeMap<TypeId, BTreeSet<usize>>,
}

impl Layout {
    /// Computes all sizes and offsets. Cost: linear in the tables.
    pub(crate) fn new(project: &Project) -> Layout {
        let mut sizes = vec![None; project.types.len()];
        for ty in project.types.ids() {
            size_of(project, &mut sizes, ty);
        }
        let sizes: Vec<usize> = sizes.into_iter().map(|s| s.unwrap_or(0)).collect();
        let members = project
            .pous
            .iter()
            .map(|pou| {
                let mut next = 0;
                let offsets = pou.vars.iter().map(|var| {
                    if !persists(var) {
                        return None;
                    }
                    next += sizes[var.ty.index()];
                    Some(next - sizes[var.ty.index()])
                });
                offsets.collect()
            })
            .collect();
        let mut views = BTreeMap::new();
        if !project.type_views.is_empty() || !project.local_views.is_empty() {
            for ty in project.types.ids() {
                let of_type: BTreeSet<usize> = project.views_in(ty).into_iter().map(|(at, _)| at).collect();
                if !of_type.is_empty() {
                    views.insert(ty, of_type);
                }
            }
        }
        Layout { sizes, members, views }
    }
    /// Returns whether the `k`-th scalar of a type is made of others, whose values give its own.
    pub(crate) fn is_view(&self, ty: TypeId, k: usize) -> bool {
        self.views.get(&ty).is_some_and(|views| views.contains(&k))
    }
    /// Returns the number of scalars of a type.
    pub(crate) fn size(&self, ty: TypeId) -> usize {
        self.sizes[ty.index()]
    }
    /// Returns the first scalar of a variable within an instance; `None` if it does not persist.
    pub(crate) fn member(&self, pou: PouId, var: VarId) -> Option<usize> {
        self.members[pou][var]
    }
    /// Returns the first scalar of the `k`-th field of a structure.
    pub(crate) fn field(&self, fields: &[plc_frontend::hir::Field], k: u32) -> usize {
        fields.iter().take(k as usize).map(|f| self.size(f.ty)).sum()
    }
}

/// Returns whether a variable of an inner instance keeps its value between calls.
fn persists(var: &Var) -> bool {
    match var.section {
        Section::Input | Section::Output | Section::Local | Section::Global => true,
        Section::InOut | Section::Temp | Section::Result => false,
    }
}

/// Returns whether a call binds this variable to one of the caller's. Other variables are the procedure's own.
pub(crate) fn is_formal(pou: &Pou, var: &Var) -> bool {
    match (pou.kind, var.section) {
        (PouKind::Function(_), section) => section == Section::InOut,
        (PouKind::Program | PouKind::FunctionBlock, Section::Temp | Section::Result) => false,
        (
            PouKind::Program | PouKind::FunctionBlock,
            Section::Input | Section::Output | Section::InOut | Section::Local | Section::Global,
        ) => true,
    }
}

fn size_of(project: &Project, known: &mut Vec<Option<usize>>, ty: TypeId) -> usize {
    if let Some(size) = known[ty.index()] {
        return size;
    }
    let size = match project.types[ty].ty.parts() {
        Parts::Elements(dims, elem) => n_elements(dims).saturating_mul(size_of(project, known, elem)),
        Parts::Fields(fields) => fields.iter().map(|f| size_of(project, known, f.ty)).sum(),
        Parts::Variables(pou) => {
            project.pous[pou].vars.iter().filter(|v| persists(v)).map(|v| size_of(project, known, v.ty)).sum()
        }
        Parts::Scalar => 1,
    };
    known[ty.index()] = Some(size);
    size
}

/// Returns the number of elements of an array with these dimensions.
pub(crate) fn n_elements(dims: &[(i64, i64)]) -> usize {
    dims.iter().map(|(low, high)| (high - low + 1) as usize).fold(1, usize::saturating_mul)
}

/// Returns the sort of a scalar type. Opaque types have a sort so that every scalar has a variable; no operation reads it.
pub(crate) fn sort_of(project: &Project, ty: TypeId) -> Sort {
    match (&project.types[ty].ty, project.int_type(ty)) {
        (Type::Real(RealType::Real), _) => Sort::Float(FloatSort::F32),
        (Type::Real(RealType::LReal), _) => Sort::Float(FloatSort::F64),
        (_, Some(int)) => Sort::BitVec(u16::from(int.bits)),
        (_, None) => Sort::Bool,
    }
}

/// Returns an IEC value as a value of the type's sort.
pub(crate) fn value_of(project: &Project, ty: TypeId, value: IecValue) -> Value {
    match (value, sort_of(project, ty)) {
        (IecValue::Bool(b), _) => Value::Bool(b),
        (IecValue::Int(i), Sort::BitVec(width)) => Value::int(width, i),
        (IecValue::Int(i), Sort::Bool) => Value::Bool(i != 0),
        (IecValue::Int(i), sort @ (Sort::Float(_) | Sort::Int | Sort::Array(..))) => unreachable!("{i} is no value of {sort}"),
        (IecValue::Real(bits), _) => Value::f32(f32::from_bits(bits)),
        (IecValue::LReal(bits), _) => Value::f64(f64::from_bits(bits)),
    }
}

/// One scalar of a flattened variable.
pub(crate) struct Scalar {
    /// Rest of its name behind the variable's: `[2].Level`.
    pub(crate) suffix: String,
    /// Its type.
    pub(crate) ty: TypeId,
    /// Its initial value.
    pub(crate) init: IecValue,
}

/// Returns all scalars of a variable of this type, in order, with their initial values.
pub(crate) fn scalars(project: &Project, ty: TypeId, init: &Init) -> Vec<Scalar> {
    let mut out = Vec::new();
    flatten(project, ty, init, String::new(), &mut out);
    out
}

fn flatten(project: &Project, ty: TypeId, init: &Init, suffix: String, out: &mut Vec<Scalar>) {
    match project.types[ty].ty.parts() {
        Parts::Elements(dims, elem) => {
            let items: &[Init] = if let Init::Array(items) = init { items } else { &[] };
            for i in 0..n_elements(dims) {
                let init = items.get(i).unwrap_or(&Init::Default);
                flatten(project, elem, init, format!("{suffix}[{i}]"), out);
            }
        }
        Parts::Fields(fields) => {
            let items: &[Init] = if let Init::Struct(items) = init { items } else { &[] };
            for (i, field) in fields.iter().enumerate() {
                let given = items.get(i).filter(|init| **init != Init::Default);
                flatten(project, field.ty, given.unwrap_or(&field.init), format!("{suffix}.{}", field.name), out);
            }
        }
        Parts::Variables(pou) => {
            let given: &[(VarId, Init)] = if let Init::Instance(given) = init { given } else { &[] };
            for (id, var) in project.pous[pou].vars.iter_enumerated().filter(|(_, var)| persists(var)) {
                let init = given.iter().find(|(v, _)| *v == id).map_or(&var.init, |(_, init)| init);
                flatten(project, var.ty, init, format!("{suffix}.{}", var.name), out);
            }
        }
        Parts::Scalar => {
            let given = if let Init::Scalar(value) = init { Some(*value) } else { project.default_value(ty) };
            let init = given.unwrap_or(IecValue::Int(0));
            out.push(Scalar { suffix, ty, init });
        }
    }
}
