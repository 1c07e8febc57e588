//! SHL, SHR, ROL and ROR.

use super::operator::node;
use super::resolver::{Bad, Res, Resolver, Scope, Want};
use super::standard::builtin;
use super::widen::{Family, base, family, widened};
use crate::ast;
use crate::codes;
use crate::hir::{BinOp, Builtin, Expr, ExprKind, UnOp, Value};
use crate::source::Span;

impl Resolver<'_> {
    pub(super) fn shift(
        &mut self,
        scope: Scope,
        function: Builtin,
        name: &str,
        (a, n): (&ast::Expr, &ast::Expr),
        span: Span,
        want: Want,
    ) -> Res<Expr> {
        let width = match want {
            Want::Ty(ty) if family(&self.project, ty) == Family::Bits => Some(ty),
            Want::Ty(_) | Want::Any | Want::Unknown => None,
        };
        if super::loose::loose(a).is_some() && width.is_none() {
            let message = format!("the width of the value that {name} works on is not known");
            let help = Some("give the literal a type, for example WORD#16#1".to_owned());
            return Err(self.error_with_help(codes::LITERAL_TYPE, a.span, message, "BYTE, WORD, DWORD or LWORD?", help));
        }
        let e = self.expr(scope, a, width.map_or(Want::Any, Want::Ty))?;
        let n = self.expr(scope, n, Want::Any)?;
        if self.mixes() && family(&self.project, e.ty) == Family::Int {
            return self.shift_number(function, name, e, n, span);
        }
        self.require(&e, &[Family::Bits], name, "a bit string")?;
        self.require(&n, &[Family::Int], &format!("the count N of {name}"), "an integer")?;
        let ty = e.ty;
        Ok(builtin(function, vec![e, n], ty, span))
    }

    /// Integers are shifted as the bits they are; to the right the sign comes in.
    fn shift_number(&mut self, function: Builtin, name: &str, e: Expr, n: Expr, span: Span) -> Res<Expr> {
        self.require(&n, &[Family::Int], &format!("the count N of {name}"), "an integer")?;
        let ty = base(&self.project, e.ty);
        let Some(int) = self.project.int_type(ty) else { return Err(Bad::Reported) };
        if function != Builtin::Shr || !int.signed {
            return Ok(builtin(function, vec![widened(e, ty), n], ty, span));
        }
        let (e, n) = (self.once(widened(e, ty), name)?, self.once(n, name)?);
        let zero = super::literal::constant(Value::Int(0), ty, span);
        let negative = node(BinOp::Lt, e.clone(), zero, span);
        let not = |e: Expr| Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(e)), ty, span };
        let plain = builtin(Builtin::Shr, vec![e.clone(), n.clone()], ty, span);
        let inverted = not(builtin(Builtin::Shr, vec![not(e), n], ty, span));
        Ok(builtin(Builtin::Sel, vec![negative, plain, inverted], ty, span))
    }
}
