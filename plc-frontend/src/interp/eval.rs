//! Expressions: operands left to right.

use super::arith::{binary, unary};
use super::builtin::builtin;
use super::convert::convert;
use super::exec::Exec;
use super::fault::{Fault, FaultEnd};
use crate::hir::{BinOp, Builtin, Expr, ExprKind, Value};

impl Exec<'_, '_> {
    /// The value of a scalar expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Result<Value, Fault> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(*value),
            ExprKind::Read(place) => {
                let target = self.place(place)?;
                Ok(self.read(target, expr.span))
            }
            ExprKind::Binary(..) => self.deeper(expr.span, |exec| exec.chain(expr)),
            ExprKind::Unary(op, operand) => {
                let value = self.deeper(expr.span, |exec| exec.eval(operand))?;
                Ok(unary(*op, self.machine.project.int_type(expr.ty), value))
            }
            ExprKind::Convert(how, operand) => {
                let value = self.deeper(expr.span, |exec| exec.eval(operand))?;
                let converted = convert(self.machine.project, *how, operand.ty, expr.ty, value);
                converted.map_err(|kind| Fault { kind: FaultEnd::Check(kind), span: operand.span })
            }
            ExprKind::Builtin(f, args) => self.deeper(expr.span, |exec| exec.builtin(*f, args, expr)),
            ExprKind::Call(pou, args) => match self.call_function(*pou, args, expr.span)?.as_slice() {
                [value] => Ok(*value),
                other => unreachable!("the value of a call is a scalar here, not {other:?}"),
            },
            ExprKind::Arbitrary { gap, concrete } => match concrete {
                Some(concrete) => self.deeper(expr.span, |exec| exec.eval(concrete)),
                None => Err(Fault { kind: FaultEnd::Unsupported(*gap), span: expr.span }),
            },
        }
    }

    /// The slots of an expression of any type.
    pub(super) fn eval_all(&mut self, expr: &Expr) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::new();
        match &expr.kind {
            ExprKind::Read(place) => {
                let target = self.place(place)?;
                self.read_all(target, expr.span, &mut values)?;
            }
            ExprKind::Call(pou, args) => values = self.call_function(*pou, args, expr.span)?,
            ExprKind::Arbitrary { concrete: Some(concrete), .. } => {
                values = self.deeper(expr.span, |exec| exec.eval_all(concrete))?;
            }
            ExprKind::Literal(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Arbitrary { concrete: None, .. } => values.push(self.eval(expr)?),
        }
        Ok(values)
    }

    /// A chain `a op b op c …` is walked without recursion: long ORs of signals are common.
    fn chain(&mut self, expr: &Expr) -> Result<Value, Fault> {
        let mut rest = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(op, left, right) = &first.kind {
            rest.push((*op, right.as_ref()));
            first = left;
        }
        let mut value = self.eval(first)?;
        for (op, right) in rest.into_iter().rev() {
            match (op, value) {
                (BinOp::AndThen, Value::Bool(false)) | (BinOp::OrElse, Value::Bool(true)) => {}
                (op, left) => {
                    let right_value = self.eval(right)?;
                    let int = self.machine.project.int_type(right.ty);
                    value = binary(op, int, left, right_value)
                        .map_err(|kind| Fault { kind: FaultEnd::Check(kind), span: right.span })?;
                }
            }
        }
        Ok(value)
    }

    fn builtin(&mut self, f: Builtin, args: &[Expr], expr: &Expr) -> Result<Value, Fault> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(arg)?);
        }
        let project = self.machine.project;
        let count = args.get(1).and_then(|n| project.int_type(n.ty));
        // MUX's selector, its first argument, is all that can fault.
        let span = args.first().map_or(expr.span, |arg| arg.span);
        builtin(f, project.int_type(expr.ty), count, &values).map_err(|kind| Fault { kind: FaultEnd::Check(kind), span })
    }
}
