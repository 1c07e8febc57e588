//! Stopwatches: variables of the standard timers that grow with time, with a small limit.
//!
//! The interpreter's stopwatches stop at the largest TIME. In the model those of TON, TOF and TP stop earlier if the difference
//! is not visible, so that the state space stays small.
//!
//! **Argument.** Let S be at least the largest PT, and at least 0, that any instance of the block ever has. The bodies use
//! `elapsed` in three ways only: they set it to 0, they compare it with PT (`elapsed >= PT`, `elapsed < PT`), and they take
//! `MIN(elapsed, MAX(PT, 0))`. Stopwatches start at 0, are only ever set to 0, and grow by dt ≥ 0 (those of temporary instances
//! do not grow). By induction over the cycles the model's value is min(S, e) where e is the interpreter's: setting to 0 keeps it
//! (0 ≤ S), and min(S, min(S, e) + dt) = min(S, e + dt). Since PT ≤ S, `min(S, e) >= PT` iff `e >= PT`; and since MAX(PT, 0) ≤ S,
//! `MIN(min(S, e), MAX(PT, 0)) = MIN(e, MAX(PT, 0))`. So Q, ET and all other variables agree; only the hidden `elapsed` may
//! differ.
//!
//! S is known if PT only gets constants: by initial values, calls and assignments anywhere in the project. Otherwise S is that of
//! the interpreter: where the environment gives a PT or a stopwatch, or instances are copied. The same holds for a PT that is
//! passed by reference or written as an output.

use std::collections::BTreeMap;

use plc_frontend::hir::{
    Access, Elem, Expr, ExprKind, Leaf, LeafElem, Place, PouId, Project, Root, Stmt, StmtKind, Type, Value as IecValue,
    VarId as IecVarId, Visit,
};
use plc_frontend::source::Origin;

use super::lower::{Aliases, Constants};
use crate::expr::{BvBin, BvCmp, ExprId, ExprPool, Sort, Value, VarId};

/// Blocks of the argument.
const TIMERS: [&str; 3] = ["TON", "TOF", "TP"];
/// The name of their limit.
const LIMIT: &str = "PT";

/// Limits of stopwatches, by timer block.
pub(crate) struct Limits {
    by_pou: BTreeMap<PouId, i128>,
}

impl Limits {
    /// Returns the limit of the stopwatch `leaf`: the largest value of its type unless less is enough.
    pub(crate) fn of(&self, project: &Project, leaf: &Leaf) -> i128 {
        let most = project.int_type(leaf.ty).map_or(0, |int| int.max());
        let own = owner(project, leaf).and_then(|pou| self.by_pou.get(&pou));
        own.map_or(most, |limit| (*limit).clamp(0, most))
    }
}

/// Returns the limits for a project. Cost: one visit of each statement and each leaf.
pub(crate) fn limits(project: &Project) -> Limits {
    let aliases = Aliases::new(project);
    let constants = Constants::new(project);
    let mut by_pou = BTreeMap::new();
    if aliases.copies_instances {
        return Limits { by_pou };
    }
    for (id, pou) in project.pous.iter_enumerated() {
        let is_timer = pou.origin == Origin::Stdlib && TIMERS.iter().any(|name| name.eq_ignore_ascii_case(&pou.name));
        let limit = pou.vars.iter_enumerated().find(|(_, v)| v.name.eq_ignore_ascii_case(LIMIT)).map(|(id, _)| id);
        if let (true, Some(limit)) = (is_timer, limit)
            && let Some(most) = largest(project, &constants, id, limit)
        {
            by_pou.insert(id, most);
        }
    }
    Limits { by_pou }
}

/// Returns the largest value that `limit` of any instance of `timer` ever has; `None` if it gets anything but constants.
fn largest(project: &Project, constants: &Constants, timer: PouId, limit: IecVarId) -> Option<i128> {
    let mut most = Some(0);
    let mut give = |value: Option<i128>| {
        most = match (most, value) {
            (Some(most), Some(value)) => Some(i128::max(most, value)),
            (_, _) => None,
        };
    };
    for leaf in project.leaves() {
        if owner(project, &leaf) == Some(timer) && leaf.path.last() == Some(&LeafElem::Member(limit)) {
            give(if leaf.is_given(0) { None } else { leaf.init.and_then(IecValue::as_int) });
        }
        // A stopwatch that the environment sets need not be below the limit.
        if owner(project, &leaf) == Some(timer) && leaf.stopwatch && leaf.is_given(0) {
            give(None);
        }
    }
    for (pou, row) in project.pous.iter_enumerated() {
        GivenLimits { project, constants, pou, timer, limit, give: &mut give }.body(&row.body);
    }
    most
}

/// Collects the values that one body gives to `limit` of instances of `timer`; `None` for an unknown one.
struct GivenLimits<'a> {
    project: &'a Project,
    constants: &'a Constants,
    pou: PouId,
    timer: PouId,
    limit: IecVarId,
    give: &'a mut dyn FnMut(Option<i128>),
}

impl<'h> Visit<'h> for GivenLimits<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the traversal sees the places of all other statements")]
    fn stmt(&mut self, stmt: &'h Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                if self.touches(target) {
                    (self.give)(constant(self.project, self.constants, self.pou, value));
                }
                self.place_parts(target);
                self.expr(value);
            }
            StmtKind::CallInstance { pou, args, .. } if *pou == self.timer => {
                let limit = args.inputs.iter().filter(|(var, _)| *var == self.limit);
                limit.for_each(|(_, value)| (self.give)(constant(self.project, self.constants, self.pou, value)));
                self.stmt_parts(stmt);
            }
            _ => self.stmt_parts(stmt),
        }
    }
    fn place(&mut self, place: &'h Place, access: Access) {
        if access != Access::Read && self.touches(place) {
            (self.give)(None);
        }
        self.place_parts(place);
    }
}

impl GivenLimits<'_> {
    fn touches(&self, place: &Place) -> bool {
        touches(self.project, self.pou, place, self.timer, self.limit)
    }
}

fn constant(project: &Project, constants: &Constants, pou: PouId, value: &Expr) -> Option<i128> {
    if let ExprKind::Literal(value) = &value.kind {
        return value.as_int();
    }
    let ExprKind::Read(place) = &value.kind else { return None };
    constants.read(project, Some(pou), place).and_then(IecValue::as_int)
}

/// Returns whether a place is `limit` of an instance of `timer`, or a part of it, or contains it by its last step. A reference to
/// a whole instance does not count: statements that use it are visited themselves.
fn touches(project: &Project, pou: PouId, place: &Place, timer: PouId, limit: IecVarId) -> bool {
    let mut path = place.path.as_slice();
    let mut ty = match place.root {
        Root::Var(var) if pou == timer && var == limit => return true,
        Root::Var(var) => project.pous[pou].vars[var].ty,
        Root::Global(global) => project.globals[global].ty,
        Root::This(ty) => ty,
        Root::Instance(instance) => {
            let Some((Elem::Member(var), rest)) = path.split_first() else { return false };
            path = rest;
            let block = project.instances[instance].pou;
            if (block, *var) == (timer, limit) {
                return true;
            }
            project.pous[block].vars[*var].ty
        }
    };
    for elem in path {
        ty = match (elem, &project.types[ty].ty) {
            (Elem::Member(var), Type::FunctionBlock(block)) if *block == timer && *var == limit => return true,
            (Elem::Member(var), Type::FunctionBlock(block)) => project.pous[*block].vars[*var].ty,
            (Elem::Field(k), Type::Struct { fields }) => fields[*k as usize].ty,
            (Elem::Index(_), Type::Array { elem, .. }) => *elem,
            (Elem::Deref(_), _) => return true,
            (Elem::Member(_) | Elem::Field(_) | Elem::Index(_) | Elem::Bits { .. }, _) => return false,
        };
    }
    false
}

/// Returns the function block or program of a leaf.
fn owner(project: &Project, leaf: &Leaf) -> Option<PouId> {
    let (mut pou, mut ty, path) = match leaf.root {
        Root::Instance(instance) => (Some(project.instances[instance].pou), None, leaf.path.as_slice()),
        Root::Global(global) => (None, Some(project.globals[global].ty), leaf.path.as_slice()),
        Root::Var(_) | Root::This(_) => return None,
    };
    for elem in path {
        ty = match (elem, ty.map(|ty| &project.types[ty].ty)) {
            (LeafElem::Member(var), None) => pou.map(|p| project.pous[p].vars[*var].ty),
            (LeafElem::Member(var), Some(Type::FunctionBlock(block))) => {
                pou = Some(*block);
                Some(project.pous[*block].vars[*var].ty)
            }
            (LeafElem::Field(k), Some(Type::Struct { fields })) => Some(fields[*k as usize].ty),
            (LeafElem::Index(_), Some(Type::Array { elem, .. })) => Some(*elem),
            (LeafElem::Member(_) | LeafElem::Field(_) | LeafElem::Index(_), _) => return None,
        };
    }
    pou
}

/// Values that a stopwatch may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// From 0 on: only the program sets it.
    NotNegative,
    /// All values of a type with a sign: the environment sets it too.
    Signed,
}

impl Values {
    /// Returns the values of a leaf's stopwatch.
    pub(crate) fn of(project: &Project, leaf: &Leaf) -> Values {
        if leaf.is_given(0) && project.int_type(leaf.ty).is_some_and(|int| int.signed) {
            Values::Signed
        } else {
            Values::NotNegative
        }
    }
}

/// Returns the value of a stopwatch after `dt` milliseconds, at most `limit`.
pub(crate) fn ticked(pool: &mut ExprPool, (watch, values): (VarId, Values), dt: VarId, in_ns: bool, limit: i128) -> ExprId {
    let now = pool.var(watch);
    let Sort::BitVec(width) = pool.sort(now) else { unreachable!("a stopwatch is a TIME or an LTIME") };
    let ms = pool.var(dt);
    let ms = pool.zero_extend(width, ms);
    let step = if in_ns {
        let scale = pool.constant(Value::int(width, 1_000_000));
        pool.bv(BvBin::Mul, ms, scale)
    } else {
        ms
    };
    let limit = pool.constant(Value::int(width, limit));
    // Two more bits keep the sign of a step beyond the limit, and that of an unsigned TIME.
    let wide = width + 2;
    let (most, by) = (pool.zero_extend(wide, limit), pool.zero_extend(wide, step));
    let before = match values {
        Values::NotNegative => pool.zero_extend(wide, now),
        Values::Signed => pool.sign_extend(wide, now),
    };
    let room = pool.bv(BvBin::Sub, most, by);
    let over = pool.bv_cmp(BvCmp::Slt, room, before);
    let sum = pool.bv(BvBin::Add, now, step);
    pool.ite(over, limit, sum)
}
