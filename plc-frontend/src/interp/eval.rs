//! Expressions: operands left to right.

use super::arith::{binary, unary};
use super::builtin::builtin;
use super::convert::convert;
use super::exec::Exec;
use super::fault::{Fault, FaultEnd};
use super::memory::scalar_types;
use crate::hir::{BinOp, Builtin, Conversion, Expr, ExprKind, FaultKind, RealType, Type, TypeId, UnOp, Value};

impl Exec<'_, '_> {
    /// Evaluates a scalar expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Result<Value, Fault> {
        let value = self.scalar(expr)?;
        if self.names && !matches!(&expr.kind, ExprKind::Convert(_, operand) if operand.span == expr.span) {
            self.recorder.evaluated(expr.span, expr.ty, value);
        }
        Ok(value)
    }

    fn scalar(&mut self, expr: &Expr) -> Result<Value, Fault> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(*value),
            ExprKind::Text(_) => unreachable!("a string is no scalar"),
            ExprKind::Read(place) => {
                let target = self.place(place)?;
                Ok(self.read(target, expr.span))
            }
            ExprKind::Binary(..) => self.deeper(expr.span, |exec| exec.chain(expr)),
            ExprKind::Unary(op, operand) => {
                let value = self.deeper(expr.span, |exec| exec.eval(operand))?;
                if *op == UnOp::Neg {
                    self.computed(expr, BinOp::Sub, Value::Int(0), value);
                }
                Ok(unary(*op, self.machine.project.int_type(expr.ty), value))
            }
            ExprKind::Convert(_, operand) if self.machine.project.text(operand.ty).is_some() => {
                let value = self.deeper(expr.span, |exec| exec.convert_text(operand, expr.ty))?;
                value.ok_or(Fault { kind: FaultEnd::Exhausted, span: expr.span })
            }
            ExprKind::Convert(how, operand) => {
                let value = self.deeper(expr.span, |exec| exec.eval(operand))?;
                let converted = convert(self.machine.project, *how, operand.ty, expr.ty, value);
                let converted = converted.map_err(|kind| Fault { kind: FaultEnd::Check(kind), span: operand.span })?;
                self.converted(*how, operand.ty, expr, value, converted);
                if self.transfers_bits(*how, operand.ty, expr.ty) {
                    self.recorder.chose(None, expr.ty, converted);
                }
                Ok(converted)
            }
            ExprKind::Builtin(f, args) if f.is_text() => self.deeper(expr.span, |exec| exec.text_value(*f, args, expr)),
            ExprKind::Builtin(f, args) => self.deeper(expr.span, |exec| exec.builtin(*f, args, expr)),
            ExprKind::Call(pou, args) => match self.call_function(*pou, args, expr.span)?.as_slice() {
                [value] => Ok(*value),
                other => unreachable!("the value of a call is a scalar here, not {other:?}"),
            },
            ExprKind::Arbitrary { gap, concrete } => match concrete {
                Some(concrete) => {
                    self.arrive(concrete);
                    let value = if let ExprKind::Convert(_, operand) = &concrete.kind
                        && self.machine.project.text(operand.ty).is_some()
                    {
                        let value = self.deeper(expr.span, |exec| exec.convert_text(operand, expr.ty))?;
                        value.ok_or(Fault { kind: FaultEnd::Unsupported(*gap), span: expr.span })?
                    } else {
                        self.deeper(expr.span, |exec| exec.eval(concrete))?
                    };
                    self.recorder.chose(Some(*gap), expr.ty, value);
                    Ok(value)
                }
                None => Err(Fault { kind: FaultEnd::Unsupported(*gap), span: expr.span }),
            },
        }
    }

    /// Evaluates an expression of any type; returns its slots.
    pub(super) fn eval_all(&mut self, expr: &Expr) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::new();
        match &expr.kind {
            ExprKind::Read(place) => {
                let target = self.place(place)?;
                self.read_all(target, expr.span, &mut values)?;
                if let ([value], true) = (values.as_slice(), self.names && self.is_scalar(expr.ty)) {
                    self.recorder.evaluated(expr.span, expr.ty, *value);
                }
            }
            ExprKind::Call(pou, args) => values = self.call_function(*pou, args, expr.span)?,
            ExprKind::Arbitrary { gap, concrete: Some(concrete) } if !self.is_scalar(expr.ty) => {
                self.arrive(concrete);
                values = self.deeper(expr.span, |exec| exec.eval_all(concrete))?;
                let mut types = Vec::with_capacity(values.len());
                scalar_types(self.machine.project, expr.ty, &mut types);
                types.iter().zip(&values).for_each(|(ty, value)| self.recorder.chose(Some(*gap), *ty, *value));
            }
            ExprKind::Text(chars) => {
                let length = self.machine.project.text(expr.ty).map_or(chars.len(), |text| text.length);
                values.extend(chars.iter().map(|c| Value::Int(i128::from(*c))));
                values.resize(length, Value::Int(0));
            }
            ExprKind::Convert(_, operand) if self.machine.project.text(expr.ty).is_some() => {
                values = self.deeper(expr.span, |exec| exec.convert_to_text(operand, expr))?;
            }
            ExprKind::Builtin(f, args) if f.is_text() && !self.is_scalar(expr.ty) => {
                values = self.deeper(expr.span, |exec| exec.text_function(*f, args, expr))?;
            }
            ExprKind::Builtin(f, args) if !self.is_scalar(expr.ty) => {
                values = self.deeper(expr.span, |exec| exec.select_whole(*f, args))?;
            }
            ExprKind::Literal(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Arbitrary { .. } => values.push(self.eval(expr)?),
        }
        Ok(values)
    }

    /// Returns whether a conversion gives the bits of a REAL or LREAL, of which NaN has several.
    fn transfers_bits(&self, how: Conversion, from: TypeId, to: TypeId) -> bool {
        let types = &self.machine.project.types;
        let Type::Real(real) = types[from].ty else { return false };
        let bits = match real {
            RealType::Real => 32,
            RealType::LReal => 64,
        };
        how == Conversion::Convert && types[to].ty == Type::Bits(bits)
    }

    /// Evaluates a chain `a op b op c …` without recursion: long ORs of signals are common.
    fn chain(&mut self, expr: &Expr) -> Result<Value, Fault> {
        let mut rest = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(op, left, right) = &first.kind {
            rest.push((first, *op, right.as_ref()));
            first = left;
        }
        let mut value = self.eval(first)?;
        for (whole, op, right) in rest.into_iter().rev() {
            match (op, value) {
                (BinOp::AndThen, Value::Bool(false)) | (BinOp::OrElse, Value::Bool(true)) => {}
                (op, left) => {
                    let right_value = self.eval(right)?;
                    let int = self.machine.project.int_type(right.ty);
                    value = binary(op, int, left, right_value)
                        .map_err(|kind| Fault { kind: FaultEnd::Check(kind), span: right.span })?;
                    // The difference of two points in time is a duration, no point in time.
                    if int == self.machine.project.int_type(whole.ty) {
                        self.computed(whole, op, left, right_value);
                    }
                }
            }
            if self.names {
                self.recorder.evaluated(whole.span, whole.ty, value);
            }
        }
        Ok(value)
    }

    /// Evaluates SEL and MUX of arrays, structures and strings, with all their inputs.
    fn select_whole(&mut self, f: Builtin, args: &[Expr]) -> Result<Vec<Value>, Fault> {
        let [selector, inputs @ ..] = args else { unreachable!("{f:?} has a selector") };
        let k = match self.eval(selector)? {
            Value::Bool(g) => i128::from(g),
            Value::Int(k) => k,
            Value::Real(_) | Value::LReal(_) => unreachable!("a selector is BOOL or an integer"),
        };
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            values.push(self.eval_all(input)?);
        }
        let chosen = usize::try_from(k).ok().filter(|k| *k < values.len());
        let out = Fault { kind: FaultEnd::Check(FaultKind::IndexOutOfBounds), span: selector.span };
        chosen.map(|k| values.swap_remove(k)).ok_or(out)
    }

    fn builtin(&mut self, f: Builtin, args: &[Expr], expr: &Expr) -> Result<Value, Fault> {
        if f == Builtin::Clock {
            return Ok(self.machine.time(expr.ty));
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(arg)?);
        }
        let project = self.machine.project;
        let count = args.get(1).and_then(|n| project.int_type(n.ty));
        // Only MUX's selector, its first argument, can fault.
        let span = args.first().map_or(expr.span, |arg| arg.span);
        let is_of_argument = matches!(f, Builtin::IsValidBcd | Builtin::SwapBytes);
        let typed = args.first().filter(|_| is_of_argument).map_or(expr.ty, |arg| arg.ty);
        let int = project.int_type(typed);
        if let (Builtin::Abs, [value @ Value::Int(..=-1)]) = (f, values.as_slice()) {
            self.computed(expr, BinOp::Sub, Value::Int(0), *value);
        }
        builtin(f, int, count, &values).map_err(|kind| Fault { kind: FaultEnd::Check(kind), span })
    }
}
