//! Ranges of integer expressions in one body, by the values that its statements leave in the own variables of a POU.

use std::collections::BTreeMap;

use crate::hir::{BinOp, Builtin, Conversion, Expr, ExprKind, Init, Place, Project, Root, TypeId, UnOp, Value, Var, VarId};

/// Lowest and highest value.
pub(super) type Range = (i128, i128);

/// Ranges of own variables at one point of a body; those that are absent have any value of their type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    known: BTreeMap<VarId, Range>,
}

impl Ranges {
    pub(super) fn set(&mut self, var: VarId, range: Option<Range>) {
        match range {
            Some(range) => self.known.insert(var, range),
            None => self.known.remove(&var),
        };
    }

    pub(super) fn keep(&mut self, keeps: impl Fn(VarId) -> bool) {
        self.known.retain(|var, _| keeps(*var));
    }

    /// Returns the ranges behind two ways.
    pub(super) fn join(self, other: &Ranges) -> Ranges {
        let both = self.known.into_iter().filter_map(|(var, (low, high))| {
            let (other_low, other_high) = other.known.get(&var)?;
            Some((var, (low.min(*other_low), high.max(*other_high))))
        });
        Ranges { known: both.collect() }
    }

    /// Returns the range of an expression.
    ///
    /// Soundness: a result that may not fit its type wraps, so all values of the type count.
    pub(super) fn of(&self, project: &Project, e: &Expr) -> Option<Range> {
        let all = project.values_of(e.ty);
        let computed = self.computed(project, e);
        match (all, computed) {
            (Some((low, high)), Some(range)) if low <= range.0 && range.1 <= high => Some(range),
            (all, _) => all,
        }
    }

    fn computed(&self, project: &Project, e: &Expr) -> Option<Range> {
        let of = |e: &Expr| self.of(project, e);
        match &e.kind {
            ExprKind::Literal(Value::Int(value)) => Some((*value, *value)),
            ExprKind::Read(place) => match place.root {
                Root::Global(global) if place.path.is_empty() => constant(&project.globals[global]),
                Root::Var(_) | Root::Global(_) | Root::This(_) | Root::Instance(_) => self.known.get(&own(place)?).copied(),
            },
            ExprKind::Unary(UnOp::Neg, operand) => of(operand).map(|(low, high)| (-high, -low)),
            ExprKind::Convert(Conversion::Widen | Conversion::Convert, operand) if is_number(project, operand.ty) => of(operand),
            ExprKind::Binary(op, left, right) => binary(*op, of(left)?, of(right)?),
            ExprKind::Builtin(builtin, operands) => {
                let ranges: Vec<Range> = operands.iter().filter_map(of).collect();
                if ranges.len() == operands.len() { builtin_range(*builtin, &ranges) } else { selected(*builtin, operands, of) }
            }
            ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Unary(UnOp::Not, _)
            | ExprKind::Convert(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => None,
        }
    }

    /// Narrows the ranges to those where a condition has a value; `false` if it never has it.
    pub(super) fn narrow(&mut self, project: &Project, condition: &Expr, holds: bool) -> bool {
        match (&condition.kind, holds) {
            (ExprKind::Unary(UnOp::Not, operand), _) => self.narrow(project, operand, !holds),
            (ExprKind::Binary(BinOp::And | BinOp::AndThen, left, right), true)
            | (ExprKind::Binary(BinOp::Or | BinOp::OrElse, left, right), false) => {
                self.narrow(project, left, holds) && self.narrow(project, right, holds)
            }
            (ExprKind::Binary(op, left, right), _) => {
                let Some(op) = comparison(*op, holds) else { return true };
                self.compare(project, op, left, right) && self.compare(project, turned(op), right, left)
            }
            (_, _) => true,
        }
    }

    /// Narrows the range of `left` to the values that compare as `op` says with one of `right`.
    fn compare(&mut self, project: &Project, op: BinOp, left: &Expr, right: &Expr) -> bool {
        let (Some(var), Some((low, high)), Some((least, most))) =
            (variable(project, left), self.of(project, left), self.of(project, right))
        else {
            return true;
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons come here")]
        let (low, high) = match op {
            BinOp::Lt => (low, high.min(most - 1)),
            BinOp::Le => (low, high.min(most)),
            BinOp::Gt => (low.max(least + 1), high),
            BinOp::Ge => (low.max(least), high),
            BinOp::Eq => (low.max(least), high.min(most)),
            _ => (low, high),
        };
        self.known.insert(var, (low, high));
        low <= high
    }
}

/// Returns the value of a CONSTANT that is a number.
pub(super) fn constant(var: &Var) -> Option<Range> {
    match &var.init {
        Init::Scalar(Value::Int(value)) if var.constant => Some((*value, *value)),
        Init::Default | Init::Scalar(_) | Init::Array(_) | Init::Struct(_) | Init::Instance(_) => None,
    }
}

/// Returns the variable whose value an expression is; a conversion that keeps all values counts.
pub(super) fn variable(project: &Project, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Read(place) => own(place),
        ExprKind::Convert(Conversion::Widen, operand) if is_number(project, operand.ty) && is_number(project, e.ty) => {
            let (of, to) = (project.values_of(operand.ty)?, project.values_of(e.ty)?);
            if to.0 <= of.0 && of.1 <= to.1 { variable(project, operand) } else { None }
        }
        ExprKind::Literal(_)
        | ExprKind::Text(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Convert(..)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..)
        | ExprKind::Arbitrary { .. } => None,
    }
}

/// Returns the own variable that is all of a place.
pub(super) fn own(place: &Place) -> Option<VarId> {
    match place.root {
        Root::Var(var) if place.path.is_empty() => Some(var),
        Root::Var(_) | Root::Global(_) | Root::This(_) | Root::Instance(_) => None,
    }
}

fn is_number(project: &Project, ty: TypeId) -> bool {
    project.values_of(ty).is_some()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other results have any value")]
fn binary(op: BinOp, (low, high): Range, (least, most): Range) -> Option<Range> {
    let product = |op: fn(i128, i128) -> Option<i128>| {
        let all: Option<Vec<i128>> = [op(low, least), op(low, most), op(high, least), op(high, most)].into_iter().collect();
        all.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)))
    };
    match op {
        BinOp::Add => Some((low.checked_add(least)?, high.checked_add(most)?)),
        BinOp::Sub => Some((low.checked_sub(most)?, high.checked_sub(least)?)),
        BinOp::Mul => product(i128::checked_mul),
        BinOp::Div if 0 < least => product(i128::checked_div),
        // The sign is that of the dividend.
        BinOp::Mod if 0 < least => Some((if low < 0 { 1 - most } else { 0 }, if 0 < high { most - 1 } else { 0 })),
        BinOp::And if 0 <= least && 0 <= low => Some((0, high.min(most))),
        _ => None,
    }
}

fn builtin_range(builtin: Builtin, ranges: &[Range]) -> Option<Range> {
    let lows = || ranges.iter().map(|range| range.0);
    let highs = || ranges.iter().map(|range| range.1);
    match (builtin, ranges) {
        (Builtin::Min, _) => Some((lows().min()?, highs().min()?)),
        (Builtin::Max, _) => Some((lows().max()?, highs().max()?)),
        (Builtin::Limit, [least, value, most]) => Some((value.0.max(least.0).min(most.0), value.1.max(least.1).min(most.1))),
        (Builtin::Abs, [(low, high)]) => Some((if *low <= 0 { 0 } else { *low }, high.abs().max(low.abs()))),
        _ => None,
    }
}

/// Returns the range of SEL, whose first operand is no number.
fn selected(builtin: Builtin, operands: &[Expr], of: impl Fn(&Expr) -> Option<Range>) -> Option<Range> {
    let (Builtin::Sel, [_, first, second]) = (builtin, operands) else { return None };
    let (first, second) = (of(first)?, of(second)?);
    Some((first.0.min(second.0), first.1.max(second.1)))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are no comparisons of an order")]
fn comparison(op: BinOp, holds: bool) -> Option<BinOp> {
    let (yes, no) = match op {
        BinOp::Lt => (BinOp::Lt, BinOp::Ge),
        BinOp::Le => (BinOp::Le, BinOp::Gt),
        BinOp::Gt => (BinOp::Gt, BinOp::Le),
        BinOp::Ge => (BinOp::Ge, BinOp::Lt),
        BinOp::Eq => (BinOp::Eq, BinOp::Ne),
        BinOp::Ne => (BinOp::Ne, BinOp::Eq),
        _ => return None,
    };
    Some(if holds { yes } else { no })
}

/// Returns a comparison for exchanged operands.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are the same")]
fn turned(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        op => op,
    }
}
