//! SHL, SHR, ROL, ROR.
//!
//! By the standard they take bit strings and shift at their width. CODESYS and TwinCAT shift integers too, as their arithmetic
//! computes: a BYTE that is shifted to the left has 32 bits, and only the lowest 5 or 6 bits of the count matter. Their manuals
//! leave a count of the width or more to the controller, so answers name the assumption.

use crate::ast;
use crate::dialect::Shifts;
use crate::hir::{BinOp, Builtin, Expr, ExprKind, UnOp, Value};
use crate::resolve::calls::standard::builtin;
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::exprs::operators::node;
use crate::resolve::exprs::untyped;
use crate::resolve::findings::{Bad, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{StandardCall, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened};
use crate::text::codes;

impl Resolver<'_> {
    pub(crate) fn shift(&mut self, call: StandardCall<'_>, function: Builtin, a: &ast::Expr, n: &ast::Expr) -> Res<Expr> {
        let StandardCall { scope, name, span, want } = call;
        let width = self.project.wanted(want, &[Family::Bits]);
        if untyped::untyped(a).is_some() && width.is_none() {
            let message = format!("the width of the value that {name} works on is not known");
            let help = Some("give the literal a type, for example WORD#16#1".to_owned());
            return Err(self.findings.error_with_help(codes::LITERAL_TYPE, a.span, message, "BYTE, WORD, DWORD or LWORD?", help));
        }
        let e = self.expr(scope, a, width.map_or(Want::Any, Want::Ty))?;
        let n = self.expr(scope, n, Want::Any)?;
        let to_bits = matches!(function, Builtin::Shl | Builtin::Shr);
        if self.dialect.shifts == Shifts::Promoted && to_bits && self.dialect.counts(&self.project, e.ty) {
            return self.shift_computed(call, function, e, n);
        }
        if self.dialect.mixes() && family(&self.project, e.ty) == Family::Int {
            return self.shift_number(call, function, e, n);
        }
        self.require(&e, &[Family::Bits], name, "a bit string")?;
        self.require(&n, &[Family::Int], &format!("the count N of {name}"), "an integer")?;
        let ty = e.ty;
        // Bytes and words are shifted at 32 bits: counts up to 31 act as on other systems; rotations take the count modulo.
        let most = self.project.int_type(ty).map_or(32, |int| i128::from(int.bits.max(32)));
        let is_small = matches!(n.kind, ExprKind::Literal(Value::Int(n)) if 0 <= n && n < most);
        if self.dialect.compiles_to_c() && to_bits && !is_small {
            self.findings.note_behaviour(self.dialect, Behaviour::Shift, span);
        }
        Ok(builtin(function, vec![e, n], ty, span))
    }

    /// Shifts the bits of an integer; to the right the sign comes in.
    fn shift_number(&mut self, call: StandardCall<'_>, function: Builtin, e: Expr, n: Expr) -> Res<Expr> {
        let StandardCall { name, span, .. } = call;
        self.require(&n, &[Family::Int], &format!("the count N of {name}"), "an integer")?;
        let ty = base(&self.project, e.ty);
        let Some(int) = self.project.int_type(ty) else { return Err(Bad::Reported) };
        if function != Builtin::Shr || !int.signed {
            return Ok(builtin(function, vec![widened(e, ty), n], ty, span));
        }
        let (e, n) = (self.findings.once(widened(e, ty), name)?, self.findings.once(n, name)?);
        let negative = node(BinOp::Lt, e.clone(), Expr::int(0, ty, span), span);
        let not = |e: Expr| Expr::new(ExprKind::Unary(UnOp::Not, Box::new(e)), ty, span);
        let plain = builtin(Builtin::Shr, vec![e.clone(), n.clone()], ty, span);
        let inverted = not(builtin(Builtin::Shr, vec![not(e), n], ty, span));
        Ok(builtin(Builtin::Sel, vec![negative, plain, inverted], ty, span))
    }

    /// Returns a shift at the width of arithmetic.
    fn shift_computed(&mut self, call: StandardCall<'_>, function: Builtin, e: Expr, n: Expr) -> Res<Expr> {
        self.require(&n, &[Family::Int], &format!("the count N of {}", call.name), "an integer")?;
        let Some(int) = self.project.int_type(e.ty) else { return Err(Bad::Reported) };
        let known = matches!(n.kind, ExprKind::Literal(Value::Int(n)) if 0 <= n && n < i128::from(int.bits));
        let cut = call.want.ty().and_then(|ty| self.project.int_type(ty)).is_some_and(|target| target.bits <= int.bits);
        if !known || (function == Builtin::Shl && int.bits < 32 && !cut) {
            self.findings.note_behaviour(self.dialect, Behaviour::Shift, call.span);
        }
        let n = masked(n, if int.bits <= 32 { 31 } else { 63 });
        if function == Builtin::Shr && int.signed {
            return self.shift_number(call, function, e, n);
        }
        let ty = if function == Builtin::Shl && int.bits < 32 { elementary::DINT } else { base(&self.project, e.ty) };
        let e = self.project.as_number(e, ty);
        Ok(builtin(function, vec![e, n], ty, call.span))
    }
}

/// Returns the lowest bits of a count.
fn masked(n: Expr, mask: i128) -> Expr {
    let (ty, span) = (n.ty, n.span);
    if let ExprKind::Literal(Value::Int(n)) = n.kind {
        Expr::int(n & mask, ty, span)
    } else {
        node(BinOp::And, n, Expr::int(mask, ty, span), span)
    }
}
