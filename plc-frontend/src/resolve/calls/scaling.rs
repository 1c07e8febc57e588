//! NORM_X and SCALE_X of TIA Portal.
//!
//! Source: Siemens, S7-1200 System Manual, 09/2016, page 296, and 03/2014, pages 251 and 252: `NORM_X` is
//! `(VALUE - MIN) / (MAX - MIN)`, `SCALE_X` is `VALUE * (MAX - MIN) + MIN`, also for a VALUE outside of the range.

use crate::ast;
use crate::hir::{BinOp, Conversion, Expr, ExprKind, TypeId, Value};
use crate::resolve::calls::standard_table::Scale;
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::controller::loops;
use crate::resolve::exprs::operands::Operand;
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{StandardCall, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened, widens};

impl Resolver<'_> {
    /// Resolves a call; the arguments are MIN, VALUE and MAX.
    ///
    /// Soundness: no page tells the precision inside, and how an integer result is rounded; answers name both. Where MIN and MAX are
    /// no constants with MIN below MAX, the result is any value.
    pub(crate) fn scaled(&mut self, call: StandardCall<'_>, scale: Scale, args: [&ast::Expr; 3]) -> Res<Expr> {
        let [min, value, max] = args;
        match scale {
            Scale::Norm => {
                let operands = self.of_range(call, &[min, value, max], Want::Any)?;
                let [min, value, max] = <[Expr; 3]>::try_from(operands).map_err(|_| Bad::Reported)?;
                let ty = self.real_for(call.want, value.ty);
                let is_ordered = is_below(&min, &max);
                let [min, value, max] = [min, value, max].map(|e| self.as_real(e, ty));
                let range = node(BinOp::Sub, max, min.clone(), call.span);
                let above = node(BinOp::Sub, value, min, call.span);
                let normed = node(BinOp::Div, above, range, call.span);
                self.within(call, is_ordered, normed)
            }
            Scale::Scale => {
                let want = self.project.wanted(call.want, &[Family::Int, Family::Real]).map_or(Want::Any, Want::Ty);
                let operands = self.of_range(call, &[min, max], want)?;
                let [min, max] = <[Expr; 2]>::try_from(operands).map_err(|_| Bad::Reported)?;
                let to = base(&self.project, min.ty);
                let value = self.expr(call.scope, value, Want::Ty(self.real_for(Want::Any, to)))?;
                self.require(&value, &[Family::Real], call.name, "REAL or LREAL for VALUE")?;
                let is_long = [value.ty, to].iter().any(|ty| base(&self.project, *ty) == elementary::LREAL);
                let ty = if is_long { elementary::LREAL } else { elementary::REAL };
                let is_ordered = is_below(&min, &max);
                let [min, value, max] = [min, value, max].map(|e| self.as_real(e, ty));
                let range = node(BinOp::Sub, max, min.clone(), call.span);
                let product = node(BinOp::Mul, value, range, call.span);
                let sum = node(BinOp::Add, product, min, call.span);
                let scaled =
                    if ty == to { sum } else { Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(sum)), to, call.span) };
                self.within(call, is_ordered, scaled)
            }
        }
    }

    /// Resolves arguments of one numeric type.
    fn of_range(&mut self, call: StandardCall<'_>, args: &[&ast::Expr], want: Want) -> Res<Vec<Expr>> {
        let written = args.iter().map(|e| Operand::Written(e)).collect();
        let operands = self.operands(call.scope, written, want, false)?;
        for e in &operands {
            self.require(e, &[Family::Int, Family::Real], call.name, "numbers")?;
        }
        self.dialect.unify(&self.project, &mut self.findings, operands, call.name, call.span)
    }

    /// Returns the type of a result: the wanted one, else that of the argument if it is a REAL or LREAL.
    fn real_for(&self, want: Want, of: TypeId) -> TypeId {
        let wanted = self.project.wanted(want, &[Family::Real]).map(|ty| base(&self.project, ty));
        let own = base(&self.project, of);
        wanted.unwrap_or(if own == elementary::LREAL { own } else { elementary::REAL })
    }

    fn as_real(&self, e: Expr, ty: TypeId) -> Expr {
        if widens(&self.project, e.ty, ty) {
            return widened(e, ty);
        }
        let from = if family(&self.project, e.ty) == Family::Real { e.ty } else { base(&self.project, e.ty) };
        Expr { ty: from, ..e }.converted(Conversion::Convert, ty)
    }

    /// Returns the value, or any value where the range is not sure.
    fn within(&mut self, call: StandardCall<'_>, is_ordered: bool, value: Expr) -> Res<Expr> {
        if is_ordered {
            self.findings.note_behaviour_of(self.dialect, Behaviour::Scaling, call.name, call.span);
            return Ok(value);
        }
        let effect = "MIN and MAX are no constants with MIN below MAX: the model allows every value here, and no run counts";
        let mut e = self.approximate_as(call, value, effect)?;
        if let ExprKind::Arbitrary { concrete, .. } = &mut e.kind {
            *concrete = None;
        }
        Ok(e)
    }
}

/// Returns whether two constants are in order.
fn is_below(min: &Expr, max: &Expr) -> bool {
    let number = |e: &Expr| match loops::constant_of(e)? {
        Value::Int(i) => Some(i as f64),
        Value::Real(bits) => Some(f64::from(f32::from_bits(bits))),
        Value::LReal(bits) => Some(f64::from_bits(bits)),
        Value::Bool(_) => None,
    };
    matches!((number(min), number(max)), (Some(min), Some(max)) if min < max)
}
