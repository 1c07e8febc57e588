//! Exact values of constant expressions, by the interpreter's arithmetic. An overflow is an error here; it does not wrap.

use crate::hir::{BinOp, Expr, ExprKind, FaultKind, Project, Type, UnOp, Value};
use crate::interp::{arith, builtin, convert, text};
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::resolver::Resolver;
use crate::text::codes;

impl Resolver<'_> {
    /// Returns the value of a constant expression.
    pub(crate) fn fold(&mut self, e: &Expr) -> Res<Value> {
        match &e.kind {
            ExprKind::Literal(value) => Ok(*value),
            ExprKind::Unary(op, a) => {
                let a = self.fold(a)?;
                let value = arith::unary(*op, self.project.int_type(e.ty), a);
                let exact = match (op, a) {
                    (UnOp::Neg, Value::Int(a)) => a.checked_neg(),
                    (UnOp::Neg | UnOp::Not, _) => None,
                };
                self.project.exactly(&mut self.findings, e, value, exact)
            }
            ExprKind::Binary(op, a, b) => {
                let int = self.project.int_type(a.ty);
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                let exact = match (a, b) {
                    (Value::Int(a), Value::Int(b)) => exact(*op, a, b),
                    (Value::Int(_) | Value::Bool(_) | Value::Real(_) | Value::LReal(_), _) => None,
                };
                match arith::binary(*op, int, a, b) {
                    Ok(value) => self.project.exactly(&mut self.findings, e, value, exact),
                    Err(fault) => Err(self.findings.constant_fault(e, fault)),
                }
            }
            ExprKind::Convert(_, a) if self.project.text(a.ty).is_some() || self.project.text(e.ty).is_some() => {
                Err(self.not_constant(e.span))
            }
            ExprKind::Convert(how, a) => {
                let value = self.fold(a)?;
                match convert::convert(&self.project, *how, a.ty, e.ty, value) {
                    Ok(value) => self.project.within_subrange(&mut self.findings, e, value),
                    Err(fault) => Err(self.findings.constant_fault(e, fault)),
                }
            }
            ExprKind::Builtin(crate::hir::Builtin::Clock, _) => Err(self.not_constant(e.span)),
            ExprKind::Builtin(function, args) if function.is_text() => {
                let (texts, _) = self.fold_texts(args)?;
                Ok(text::number(*function, self.project.int_type(e.ty), &texts))
            }
            ExprKind::Builtin(function, args) => {
                let values: Vec<Value> = args.iter().map(|a| self.fold(a)).collect::<Res<_>>()?;
                let count = args.get(1).and_then(|n| self.project.int_type(n.ty));
                let looks_at_argument = *function == crate::hir::Builtin::IsValidBcd;
                let typed = if looks_at_argument { args.first().map_or(e.ty, |arg| arg.ty) } else { e.ty };
                let int = self.project.int_type(typed);
                builtin::builtin(*function, int, count, &values).map_err(|fault| self.findings.constant_fault(e, fault))
            }
            ExprKind::Text(_) | ExprKind::Read(_) | ExprKind::Call(..) | ExprKind::Arbitrary { .. } => {
                Err(self.not_constant(e.span))
            }
        }
    }

    /// Returns the characters of a constant string.
    pub(crate) fn fold_text(&mut self, e: &Expr) -> Res<Vec<u16>> {
        let mut chars = match &e.kind {
            ExprKind::Text(chars) => chars.clone(),
            ExprKind::Convert(_, a) if self.project.text(a.ty).is_some() => self.fold_text(a)?,
            ExprKind::Convert(_, a) if matches!(self.project.types[a.ty].ty, Type::Char(_)) => {
                self.fold(a)?.as_int().and_then(|code| u16::try_from(code).ok()).into_iter().collect()
            }
            ExprKind::Builtin(function, args) if function.is_text() => {
                let (texts, numbers) = self.fold_texts(args)?;
                text::changed(*function, &texts, &numbers)
            }
            ExprKind::Literal(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => return Err(self.not_constant(e.span)),
        };
        chars.truncate(self.project.text(e.ty).map_or(0, |text| text.length));
        Ok(chars)
    }

    /// Returns the arguments of a string function: all strings, each up to its end, and all numbers.
    fn fold_texts(&mut self, args: &[Expr]) -> Res<(Vec<Vec<u16>>, Vec<i128>)> {
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        for arg in args {
            if self.project.text(arg.ty).is_some() {
                let mut chars = self.fold_text(arg)?;
                self.budget.allow_initial_values(&mut self.findings, arg.span, chars.len())?;
                chars.truncate(chars.iter().position(|code| *code == 0).unwrap_or(chars.len()));
                texts.push(chars);
            } else {
                numbers.push(self.fold(arg)?.as_int().unwrap_or(0));
            }
        }
        Ok((texts, numbers))
    }
}

impl Project {
    /// Returns `value`; an error if it differs from the `exact` value.
    fn exactly(&self, findings: &mut Findings, e: &Expr, value: Value, exact: Option<i128>) -> Res<Value> {
        match (value, exact) {
            (Value::Int(found), Some(exact)) if found != exact => {
                let ty = self.type_name(e.ty);
                let message = format!("the constant {exact} does not fit {ty}");
                let help = Some(format!("write one operand with a wider type, for example LINT# instead of {ty}"));
                Err(findings.error_with_help(codes::CONSTANT_RANGE, e.span, message, format!("of type {ty}"), help))
            }
            (value, _) => Ok(value),
        }
    }

    /// Returns `value`; an error if it is outside of the subrange of its type.
    fn within_subrange(&self, findings: &mut Findings, e: &Expr, value: Value) -> Res<Value> {
        match (&self.types[e.ty].ty, value) {
            (Type::Subrange { low, high, .. }, Value::Int(found)) if found < *low || *high < found => {
                let message = format!("the constant {found} is outside of the range {low}..{high}");
                let here = format!("does not fit {}", self.type_name(e.ty));
                Err(findings.error(codes::CONSTANT_RANGE, e.span, message, here))
            }
            (_, value) => Ok(value),
        }
    }
}

impl Findings {
    fn constant_fault(&mut self, e: &Expr, fault: FaultKind) -> Bad {
        let message = match fault {
            FaultKind::DivisionByZero => "this constant divides by zero",
            FaultKind::IndexOutOfBounds => "the selector of this constant is outside of its inputs",
            FaultKind::ConversionRange => "this constant does not fit the type to which it is converted",
            FaultKind::LoopWrap | FaultKind::NullReference | FaultKind::Watchdog | FaultKind::CallDepth => {
                "this constant has no value"
            }
        };
        self.error(codes::CONSTANT_RANGE, e.span, message, "has no value")
    }
}

/// Returns the exact result of integer arithmetic. `None` for operators that cannot leave the range and for results beyond i128.
#[expect(clippy::wildcard_enum_match_arm, reason = "only arithmetic can leave the range")]
fn exact(op: BinOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => Some(a.checked_mul(b).unwrap_or(i128::MAX)),
        BinOp::Div => a.checked_div(b),
        _ => None,
    }
}
