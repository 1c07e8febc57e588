//! The persistent state of a project: one leaf for each scalar that survives a cycle.
//!
//! Leaf names are the canonical names of the whole product: `Main.Timer.ET`, `Main.Levels[2]`,
//! `gTotal`. The model's variables, traces, invariants and reports all use them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Bound;

use super::environment::Start;
use super::place::Root;
use super::pou::{Address, AddressArea, Init, PouId, Retain, Section, Var, VarId};
use super::project::Project;
use super::types::{Parts, TypeId, n_elements};
use super::value::Value;
use super::view::{Scalar, View};
use crate::text::Span;

/// One scalar of the persistent state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Canonical name, in declared spelling.
    pub name: String,
    /// The variable it is a part of: a global or an instance.
    pub root: Root,
    /// Path from there to the leaf.
    pub path: Vec<LeafElem>,
    /// Scalar type (or opaque).
    pub ty: TypeId,
    /// Its part in the environment.
    pub role: Role,
    /// Value at cold start; `None` for opaque types.
    pub init: Option<Value>,
    /// Value before the first cycle: the one at cold start, or any.
    pub start: Start,
    /// An initial value is declared, by the variable or its type; a default of the type does not count.
    pub explicit: bool,
    /// RETAIN or PERSISTENT, by itself or by the variable that it is a part of.
    pub retain: bool,
    /// Grows by itself; see [`Var::stopwatch`].
    pub stopwatch: bool,
    /// CONSTANT: never changes.
    pub constant: bool,
    /// Hidden from users: a variable inside of a standard function block other than its inputs and outputs, or one made for
    /// a chart (two underscores in front).
    pub hidden: bool,
    /// The parts of other leaves, by position, that it is made of; `None` if it has memory of its own.
    pub view: Option<View<usize>>,
    /// The declaration of the variable.
    pub span: Span,
}

/// One step of the path to a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeafElem {
    /// A field of a structure.
    Field(u32),
    /// A variable of an instance.
    Member(VarId),
    /// An array element, row-major, from 0.
    Index(u32),
}

/// Part of a leaf in the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Any value at the start of each cycle: VAR_INPUT and VAR_IN_OUT of an instance of the task, variables at %I, and
    /// those a user sets so.
    Input,
    /// Any value at the start of the run, then constant: set so by a user.
    Parameter,
    /// VAR_OUTPUT of an instance of the task, or located at %Q.
    Output,
    /// Everything else.
    Memory,
}

impl Project {
    /// Returns all leaves: globals first, then the instances in their order.
    ///
    /// VAR_TEMP, VAR_IN_OUT of inner instances and variables of functions have no leaf: they do not persist.
    /// Cost: one row per scalar; the resolver bounds their number.
    pub fn leaves(&self) -> Vec<Leaf> {
        let (leaves, variables) = (Vec::new(), Vec::new());
        let mut walk = Walk { project: self, leaves, path: Vec::new(), starts: BTreeMap::new(), variables };
        for (id, var) in self.globals.iter_enumerated() {
            walk.start(Root::Global(id), None, &var.name);
            walk.var(Root::Global(id), var.name.clone(), var, &var.init, Sharing::of(Role::Memory));
        }
        for (id, instance) in self.instances.iter_enumerated() {
            walk.pou(Root::Instance(id), &instance.name, instance.pou, &Init::Default, Depth::Entry, false);
        }
        for (scalar, value) in &self.shared_initial {
            if let Some(leaf) = walk.position(scalar) {
                walk.leaves[leaf].init = Some(*value);
            }
        }
        let variables = std::mem::take(&mut walk.variables);
        let at_start = |leaf: &mut Leaf, value: &Value| (leaf.init, leaf.explicit) = (Some(*value), true);
        give(&mut walk.leaves, &variables, &self.cold_start, at_start);
        let mut leaves = walk.finish();
        give(&mut leaves, &variables, &self.environment, Leaf::set);
        leaves
    }
}

/// Gives leaves the rows that have their names; `variables` are the names of the variables, each with its first leaf.
///
/// Cost: one look-up for each leaf of a variable that has a row.
fn give<T>(leaves: &mut [Leaf], variables: &[(usize, String)], rows: &BTreeMap<String, T>, set: impl Fn(&mut Leaf, &T)) {
    if rows.is_empty() {
        return;
    }
    for (at, (first, name)) in variables.iter().enumerate() {
        if rows
            .range::<str, _>((Bound::Included(name.as_str()), Bound::Unbounded))
            .next()
            .is_none_or(|(row, _)| !row.starts_with(name))
        {
            continue;
        }
        let end = variables.get(at + 1).map_or(leaves.len(), |(next, _)| *next);
        for leaf in &mut leaves[*first..end] {
            if let Some(row) = rows.get(&leaf.name) {
                set(leaf, row);
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Depth {
    Entry,
    Inner { hidden: bool },
}

struct Walk<'p> {
    project: &'p Project,
    leaves: Vec<Leaf>,
    path: Vec<LeafElem>,
    /// The first leaf of each global variable and of each variable of a program instance.
    starts: BTreeMap<(Root, Option<VarId>), usize>,
    /// Names of the same variables, each with its first leaf, in their order.
    variables: Vec<(usize, String)>,
}

impl Walk<'_> {
    /// Notes the beginning of a variable.
    fn start(&mut self, root: Root, var: Option<VarId>, name: &str) {
        self.starts.insert((root, var), self.leaves.len());
        self.variables.push((self.leaves.len(), name.to_owned()));
    }

    /// Returns the position of a scalar among the leaves.
    fn position(&self, scalar: &Scalar) -> Option<usize> {
        let first = self.starts.get(&(scalar.root, scalar.member))?;
        Some(first + scalar.index as usize)
    }

    /// Gives views their cells, and the cells their initial values; returns all leaves.
    fn finish(mut self) -> Vec<Leaf> {
        let project = self.project;
        for (id, var) in project.globals.iter_enumerated() {
            let Some(&first) = self.starts.get(&(Root::Global(id), None)) else { continue };
            for (at, view) in project.views_in(var.ty) {
                self.leaves[first + at].view = view.map(|of| Some(first + of));
            }
        }
        for (id, instance) in project.instances.iter_enumerated() {
            for ((var, at), view) in project.views_of(instance.pou) {
                let first = |var: VarId| self.starts.get(&(Root::Instance(id), Some(var))).copied();
                if let Some(here) = first(var) {
                    self.leaves[here + at].view = view.map(|(var, of)| Some(first(*var)? + of));
                }
            }
        }
        for (scalar, view) in &project.views {
            let Some(at) = self.position(scalar) else { continue };
            self.leaves[at].view = view.map(|of| self.position(of));
        }
        // Memory has an initial value if any variable there is declared with one.
        let declared = self.leaves.iter().filter(|leaf| leaf.explicit).filter_map(|leaf| leaf.view.as_ref());
        let declared: Vec<usize> = declared.flat_map(|view| view.parts.iter().map(|part| part.of)).collect();
        declared.into_iter().for_each(|cell| self.leaves[cell].explicit = true);
        for at in 0..self.leaves.len() {
            if let Some(view) = &self.leaves[at].view {
                let bits = view.gather(|cell| self.leaves[*cell].init.unwrap_or(Value::Int(0)));
                self.leaves[at].init = Some(self.project.of_bits(self.leaves[at].ty, bits));
            }
        }
        self.leaves
    }

    fn pou(&mut self, root: Root, name: &str, pou: PouId, given: &Init, depth: Depth, retain: bool) {
        let project = self.project;
        let pou = &project.pous[pou];
        for (id, var) in pou.held() {
            let (role, hidden) = match (depth, var.section) {
                (_, Section::Temp | Section::Result) => continue,
                (Depth::Inner { .. }, Section::InOut) => continue,
                (Depth::Entry, Section::Input | Section::InOut) => (Role::Input, false),
                (Depth::Entry, Section::Output) => (Role::Output, false),
                (Depth::Entry, Section::Local | Section::Global) => (Role::Memory, false),
                (Depth::Inner { hidden }, Section::Input | Section::Output) => (Role::Memory, hidden),
                (Depth::Inner { hidden }, Section::Local | Section::Global) => {
                    // Structures of Logix, such as TIMER, are blocks here; users know their members.
                    let is_member = project.tags_are_outputs && !var.name.contains("__");
                    (Role::Memory, hidden || pou.origin.is_ours() && !is_member)
                }
            };
            let init = given.variable(id).unwrap_or(&var.init);
            let name = format!("{name}.{}", var.name);
            if self.path.is_empty() {
                self.start(root, Some(id), &name);
            }
            self.path.push(LeafElem::Member(id));
            self.var(root, name, var, init, Sharing { role, hidden, retain });
            self.path.pop();
        }
    }

    fn var(&mut self, root: Root, name: String, var: &Var, init: &Init, sharing: Sharing) {
        let role = role_at(var.address.as_ref(), sharing.role);
        let hidden = sharing.hidden || var.name.starts_with("__");
        let retain = match var.retain {
            Retain::Retain => true,
            Retain::NonRetain => false,
            Retain::Unspecified => sharing.retain,
        };
        self.value(Place { root, var, sharing: Sharing { role, hidden, retain } }, name, var.ty, init);
    }

    fn value(&mut self, place: Place<'_>, name: String, ty: TypeId, init: &Init) {
        let project = self.project;
        match project.types[ty].ty.parts() {
            Parts::Elements(dims, elem) => {
                self.leaves.reserve(n_elements(dims));
                for flat in 0..n_elements(dims) {
                    self.path.push(LeafElem::Index(flat as u32));
                    let name = element_name(&name, dims, flat as i64);
                    self.value(place, name, elem, init.part(flat).unwrap_or(&Init::Default));
                    self.path.pop();
                }
            }
            Parts::Fields(fields) => {
                for (i, field) in fields.iter().enumerate() {
                    let role = role_at(field.address.as_ref().filter(|_| place.var.address.is_none()), place.sharing.role);
                    let place = Place { sharing: Sharing { role, ..place.sharing }, ..place };
                    self.path.push(LeafElem::Field(i as u32));
                    self.value(place, format!("{name}.{}", field.name), field.ty, init.part(i).unwrap_or(&field.init));
                    self.path.pop();
                }
            }
            Parts::Variables(pou) => {
                let (depth, retain) = (Depth::Inner { hidden: place.sharing.hidden }, place.sharing.retain);
                self.pou(place.root, &name, pou, init, depth, retain);
            }
            Parts::Scalar => self.leaves.push(Leaf {
                name,
                root: place.root,
                path: self.path.clone(),
                ty,
                role: place.sharing.role,
                init: init.scalar().or_else(|| project.default_value(ty)),
                start: Start::Initial,
                explicit: *init != Init::Default,
                retain: place.sharing.retain,
                stopwatch: place.var.stopwatch,
                constant: place.var.constant,
                hidden: place.sharing.hidden,
                view: None,
                span: place.var.span,
            }),
        }
    }
}

#[derive(Clone, Copy)]
struct Place<'v> {
    root: Root,
    var: &'v Var,
    sharing: Sharing,
}

/// Properties of a variable that its parts share.
#[derive(Clone, Copy)]
struct Sharing {
    role: Role,
    hidden: bool,
    retain: bool,
}

impl Sharing {
    fn of(role: Role) -> Sharing {
        Sharing { role, hidden: false, retain: false }
    }
}

/// Returns the role of a variable at an address; `otherwise` without one.
fn role_at(address: Option<&Address>, otherwise: Role) -> Role {
    match address.map(|address| address.area) {
        Some(AddressArea::Input) => Role::Input,
        Some(AddressArea::Output) => Role::Output,
        Some(AddressArea::Memory) | None => otherwise,
    }
}

/// Returns the indices of the `flat`-th element of an array with these dimensions.
pub(crate) fn indices(dims: &[(i64, i64)], mut flat: i64) -> Vec<i64> {
    let mut indices = Vec::with_capacity(dims.len());
    for (low, high) in dims.iter().rev() {
        let size = high - low + 1;
        indices.push(low + flat % size);
        flat /= size;
    }
    indices.reverse();
    indices
}

/// Returns these indices as they are written: `2, 5`.
pub(crate) fn index_text(dims: &[(i64, i64)], flat: i64) -> String {
    match dims {
        [(low, _)] => (low + flat).to_string(),
        _ => indices(dims, flat).iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Returns the name of the `flat`-th element of an array.
///
/// Cost: one allocation for an array of one dimension; there may be a million elements.
fn element_name(array: &str, dims: &[(i64, i64)], flat: i64) -> String {
    let mut name = String::with_capacity(array.len() + 8);
    name.push_str(array);
    name.push('[');
    match dims {
        // Writing to a string cannot fail.
        [(low, _)] => drop(write!(name, "{}", low + flat)),
        _ => name.push_str(&index_text(dims, flat)),
    }
    name.push(']');
    name
}
