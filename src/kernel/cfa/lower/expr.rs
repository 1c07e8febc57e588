//! Expressions: all operands, left to right, with side effects and faults in that order.
//!
//! The result is an expression over the variables *here*. Only a call of a user's function can change variables in the middle of
//! an expression; operands before such a call are held.

use std::rc::Rc;

use plc_frontend::hir::{BinOp, Expr, ExprKind, FaultKind, IntType, Root, TypeId, UnOp};
use plc_frontend::ledger::GapId;

use super::builder::Builder;
use super::effects::has_call;
use super::layout::{sort_of, value_of};
use crate::cfa::model::ModelError;
use crate::cfa::network::NetOp;
use crate::expr::{BvBin, BvCmp, BvUn, ExprId, FpBin, FpCmp, FpUn, Sort, Value, VarId};

impl Builder<'_, '_> {
    /// Returns the value of a scalar expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Result<ExprId, ModelError> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(self.pool.constant(value_of(self.cx.project, expr.ty, *value))),
            ExprKind::Text(_) => unreachable!("a string is no scalar"),
            ExprKind::Read(place) => {
                if let Some(value) = self.cx.constants.read(self.cx.project, self.own.map(|p| self.cx.headers[p].pou), place) {
                    return Ok(self.pool.constant(value_of(self.cx.project, expr.ty, value)));
                }
                let spot = self.place(place)?;
                self.check_size()?;
                Ok(self.read(&spot))
            }
            ExprKind::Binary(..) => self.chain(expr),
            ExprKind::Unary(op, operand) => {
                let value = self.expr(operand)?;
                if *op == UnOp::Neg {
                    self.negated(expr, value);
                }
                Ok(self.unary(*op, value))
            }
            ExprKind::Convert(_, operand) if self.cx.project.text(operand.ty).is_some() => {
                Ok(self.convert_text(operand, expr)?[0])
            }
            ExprKind::Convert(how, operand) => {
                let value = self.expr(operand)?;
                let converted = self.convert(*how, operand.ty, expr.ty, operand.span, value);
                self.converted(*how, operand.ty, expr, value, converted);
                Ok(converted)
            }
            ExprKind::Builtin(function, args) if function.is_text() => Ok(self.text(*function, args, expr)?[0]),
            ExprKind::Builtin(function, args) => self.builtin(*function, args, expr),
            ExprKind::Call(pou, args) => {
                let values = self.call_function(*pou, args, expr.span)?;
                match values.as_slice() {
                    [value] => Ok(*value),
                    other => unreachable!("a call in a scalar expression has one value, not {}", other.len()),
                }
            }
            ExprKind::Arbitrary { gap, concrete } => {
                if let Some(inputs) = self.new_inputs(*gap, concrete.as_deref()) {
                    return Ok(self.pool.var(inputs[0]));
                }
                // The exact function's value is unknown here, but its arguments still have their effects.
                let known = match concrete {
                    Some(concrete) => match self.known_reading(concrete)? {
                        Some(known) => Some(known),
                        None => self.effects(concrete).map(|()| None)?,
                    },
                    None => None,
                };
                let temp = self.arbitrary("any", sort_of(self.cx.project, expr.ty));
                self.graph.arbitrary.push((*gap, temp));
                let any = self.pool.var(temp);
                Ok(known.map_or(any, |(known, value)| self.pool.ite(known, value, any)))
            }
        }
    }
    /// Returns the scalars of an expression of any type.
    pub(super) fn expr_all(&mut self, expr: &Expr) -> Result<Vec<ExprId>, ModelError> {
        match &expr.kind {
            ExprKind::Read(place) => {
                let spot = self.place(place)?;
                self.check_size()?;
                Ok(self.read_all(&spot))
            }
            ExprKind::Call(pou, args) => self.call_function(*pou, args, expr.span),
            ExprKind::Text(chars) => Ok(self.text_constant(chars, expr)),
            ExprKind::Convert(_, operand) if self.cx.project.text(expr.ty).is_some() => self.convert_text(operand, expr),
            ExprKind::Builtin(function, args) if function.is_text() => self.text(*function, args, expr),
            ExprKind::Builtin(function, args) if !self.is_scalar(expr.ty) => self.select_whole(*function, args),
            ExprKind::Arbitrary { gap, concrete } if !self.is_scalar(expr.ty) => {
                if let Some(inputs) = self.new_inputs(*gap, concrete.as_deref()) {
                    return Ok(inputs.iter().map(|input| self.pool.var(*input)).collect());
                }
                if let Some(concrete) = concrete {
                    self.effects(concrete)?;
                }
                let scalars = super::layout::scalars(self.cx.project, expr.ty, &plc_frontend::hir::Init::Default);
                let mut values = Vec::with_capacity(scalars.len());
                for scalar in scalars {
                    let temp = self.arbitrary("any", sort_of(self.cx.project, scalar.ty));
                    self.graph.arbitrary.push((*gap, temp));
                    values.push(self.pool.var(temp));
                }
                Ok(values)
            }
            ExprKind::Literal(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Arbitrary { .. } => Ok(vec![self.expr(expr)?]),
        }
    }
    /// Gives new values to an input, if `concrete` is one that is not initialised. Returns its scalars.
    fn new_inputs(&mut self, gap: GapId, concrete: Option<&Expr>) -> Option<Rc<[VarId]>> {
        let ExprKind::Read(place) = &concrete?.kind else { return None };
        let Root::Global(global) = place.root else { return None };
        if !self.cx.project.at_call.contains(&global) {
            return None;
        }
        let inputs = self.root(place.root);
        for input in inputs.iter() {
            self.step(NetOp::Havoc(*input));
            self.graph.arbitrary.push((gap, *input));
        }
        Some(inputs)
    }
    /// Returns the values of several operands, as they are after the last one was evaluated.
    pub(super) fn operands(&mut self, operands: &[Expr]) -> Result<Vec<ExprId>, ModelError> {
        let last_call = operands.iter().rposition(has_call).unwrap_or(0);
        let mut values = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            let value = self.expr(operand)?;
            values.push(if i < last_call { self.hold(value) } else { value });
        }
        Ok(values)
    }
    /// Adds the effects of evaluating the operands of an exact function, without its value.
    fn effects(&mut self, concrete: &Expr) -> Result<(), ModelError> {
        let operands = if let ExprKind::Builtin(_, args) = &concrete.kind {
            args.as_slice()
        } else if let ExprKind::Convert(_, operand) = &concrete.kind {
            // Between strings and numbers: the value of the spelling is not computed.
            std::slice::from_ref(operand.as_ref())
        } else {
            std::slice::from_ref(concrete)
        };
        operands.iter().try_for_each(|operand| self.expr_all(operand).map(|_| ()))
    }

    /// Returns a chain `a op b op c …` without recursion to the left: long ORs of signals are common.
    fn chain(&mut self, expr: &Expr) -> Result<ExprId, ModelError> {
        let mut rest = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(op, left, right) = &first.kind {
            rest.push((first, *op, right.as_ref()));
            first = left;
        }
        rest.reverse();
        let mut value = self.expr(first)?;
        for (whole, op, right) in rest {
            value = if matches!(op, BinOp::AndThen | BinOp::OrElse) && self.is_eventful(right) {
                self.short_circuit(op, value, right)?
            } else {
                let left = if has_call(right) { self.hold(value) } else { value };
                let right_value = self.expr(right)?;
                let value = self.binary(op, right, left, right_value);
                // The difference of two points in time is no point in time.
                if self.cx.project.int_type(right.ty) == self.cx.project.int_type(whole.ty) {
                    self.computed(whole, op, left, right_value);
                }
                value
            };
        }
        Ok(value)
    }
    /// Returns AND_THEN or OR_ELSE whose right side has effects: it runs only where it decides.
    fn short_circuit(&mut self, op: BinOp, left: ExprId, right: &Expr) -> Result<ExprId, ModelError> {
        let result = self.temp("value", Sort::Bool);
        self.assign(result, left);
        let so_far = self.pool.var(result);
        let (yes, no) = self.branch(so_far);
        let (goes_on, done) = if op == BinOp::AndThen { (yes, no) } else { (no, yes) };
        self.here = goes_on;
        let value = self.expr(right)?;
        self.assign(result, value);
        self.join(done);
        Ok(so_far)
    }

    fn unary(&mut self, op: UnOp, a: ExprId) -> ExprId {
        match (op, self.pool.sort(a)) {
            (UnOp::Not, Sort::Bool) => self.pool.not(a),
            (UnOp::Not, Sort::BitVec(_)) => self.pool.bv_un(BvUn::Not, a),
            (UnOp::Neg, Sort::BitVec(_)) => self.pool.bv_un(BvUn::Neg, a),
            (UnOp::Neg, Sort::Float(_)) => self.pool.fp_un(FpUn::Neg, a),
            (UnOp::Neg, Sort::Bool | Sort::Int | Sort::Array(..)) | (UnOp::Not, Sort::Float(_) | Sort::Int | Sort::Array(..)) => {
                unreachable!("{op:?} has no meaning here")
            }
        }
    }
    /// Returns `a op b`; `right` is the expression of `b`, for the operands' type and the place of a zero divisor.
    fn binary(&mut self, op: BinOp, right: &Expr, a: ExprId, b: ExprId) -> ExprId {
        match self.pool.sort(a) {
            Sort::Bool => self.bools(op, a, b),
            Sort::BitVec(_) => {
                let int = self.int_of(right.ty);
                if matches!(op, BinOp::Div | BinOp::Mod) {
                    let zero = self.pool.constant(Value::int(u16::from(int.bits), 0));
                    let bad = match self.int_const(b, int.signed) {
                        Some(divisor) => self.pool.bool(divisor == 0),
                        None => self.pool.eq(b, zero),
                    };
                    self.fault(FaultKind::DivisionByZero, right.span, bad);
                }
                self.ints(op, int, a, b)
            }
            Sort::Float(_) => self.floats(op, a, b),
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        }
    }
    fn bools(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let pool = &mut *self.pool;
        match op {
            BinOp::And | BinOp::AndThen => pool.and(a, b),
            BinOp::Or | BinOp::OrElse => pool.or(a, b),
            BinOp::Xor | BinOp::Ne => pool.ne(a, b),
            BinOp::Eq => pool.eq(a, b),
            BinOp::Lt => {
                let not = pool.not(a);
                pool.and(not, b)
            }
            BinOp::Le => pool.implies(a, b),
            BinOp::Gt => {
                let not = pool.not(b);
                pool.and(a, not)
            }
            BinOp::Ge => pool.implies(b, a),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => unreachable!("{op:?} of BOOL"),
        }
    }
    fn ints(&mut self, op: BinOp, int: IntType, a: ExprId, b: ExprId) -> ExprId {
        let (lt, le, div, rem) = if int.signed {
            (BvCmp::Slt, BvCmp::Sle, BvBin::Sdiv, BvBin::Srem)
        } else {
            (BvCmp::Ult, BvCmp::Ule, BvBin::Udiv, BvBin::Urem)
        };
        let pool = &mut *self.pool;
        match op {
            BinOp::Add => pool.bv(BvBin::Add, a, b),
            BinOp::Sub => pool.bv(BvBin::Sub, a, b),
            BinOp::Mul => pool.bv(BvBin::Mul, a, b),
            BinOp::Div => pool.bv(div, a, b),
            BinOp::Mod => pool.bv(rem, a, b),
            BinOp::And => pool.bv(BvBin::And, a, b),
            BinOp::Or => pool.bv(BvBin::Or, a, b),
            BinOp::Xor => pool.bv(BvBin::Xor, a, b),
            BinOp::Eq => pool.eq(a, b),
            BinOp::Ne => pool.ne(a, b),
            BinOp::Lt => pool.bv_cmp(lt, a, b),
            BinOp::Le => pool.bv_cmp(le, a, b),
            BinOp::Gt => pool.bv_cmp(lt, b, a),
            BinOp::Ge => pool.bv_cmp(le, b, a),
            BinOp::AndThen | BinOp::OrElse => unreachable!("{op:?} of integers"),
        }
    }
    fn floats(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let pool = &mut *self.pool;
        match op {
            BinOp::Add => pool.fp(FpBin::Add, a, b),
            BinOp::Sub => pool.fp(FpBin::Sub, a, b),
            BinOp::Mul => pool.fp(FpBin::Mul, a, b),
            BinOp::Div => pool.fp(FpBin::Div, a, b),
            BinOp::Eq => pool.fp_cmp(FpCmp::Eq, a, b),
            BinOp::Ne => {
                let eq = pool.fp_cmp(FpCmp::Eq, a, b);
                pool.not(eq)
            }
            BinOp::Lt => pool.fp_cmp(FpCmp::Lt, a, b),
            BinOp::Le => pool.fp_cmp(FpCmp::Le, a, b),
            BinOp::Gt => pool.fp_cmp(FpCmp::Lt, b, a),
            BinOp::Ge => pool.fp_cmp(FpCmp::Le, b, a),
            BinOp::Mod | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AndThen | BinOp::OrElse => {
                unreachable!("{op:?} of REAL")
            }
        }
    }
    /// Returns `a < b` in the type of both; for MIN and MAX.
    pub(super) fn less(&mut self, ty: TypeId, a: ExprId, b: ExprId) -> ExprId {
        match self.pool.sort(a) {
            Sort::Bool => self.bools(BinOp::Lt, a, b),
            Sort::BitVec(_) => {
                let int = self.int_of(ty);
                self.ints(BinOp::Lt, int, a, b)
            }
            Sort::Float(_) => self.floats(BinOp::Lt, a, b),
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        }
    }

    /// Returns the integer format of an integer-like type.
    pub(super) fn int_of(&self, ty: TypeId) -> IntType {
        match self.cx.project.int_type(ty) {
            Some(int) => int,
            None => unreachable!("an integer-like type is expected"),
        }
    }
    /// Returns the integer that a constant expression stands for.
    pub(super) fn int_const(&self, e: ExprId, signed: bool) -> Option<i128> {
        let value = self.pool.as_const(e)?;
        if signed { value.as_signed() } else { value.as_unsigned().map(|u| u as i128) }
    }
    /// Returns `e` at a larger width.
    pub(super) fn extend(&mut self, signed: bool, width: u16, e: ExprId) -> ExprId {
        if signed { self.pool.sign_extend(width, e) } else { self.pool.zero_extend(width, e) }
    }
    /// Returns whether values of this type are one scalar.
    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        self.cx.project.types[ty].ty.is_scalar()
    }
}
