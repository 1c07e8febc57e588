//! Conversion functions: `X_TO_Y`, `TO_Y`, `X_TRUNC_Y`, `TRUNC_Y`.

use super::elementary;
use super::names::{Slot, key};
use super::resolver::{Bad, Res, Resolver, Scope, Want};
use super::widen::{Family, family};
use crate::ast;
use crate::codes;
use crate::hir::{Conversion, Expr, ExprKind, TypeId};
use crate::source::Span;

/// What a conversion function's name says.
#[derive(Clone, Copy)]
pub(crate) struct Named {
    how: Conversion,
    from: Option<End>,
    to: End,
}

/// A type in a conversion function's name.
#[derive(Clone, Copy)]
enum End {
    Type(TypeId),
    /// STRING, DATE …
    Opaque,
}

impl Named {
    /// Whether it converts from or to something that is not modelled.
    pub(crate) fn is_opaque(self) -> bool {
        matches!(self.to, End::Opaque) || matches!(self.from, Some(End::Opaque))
    }
}

impl Resolver<'_> {
    /// What the name converts, if it is that of a conversion function.
    pub(crate) fn conversion(&self, name: &str) -> Option<Named> {
        let upper = name.to_ascii_uppercase();
        for (word, how) in [("TO_", Conversion::Convert), ("TRUNC_", Conversion::Truncate)] {
            if let Some(to) = upper.strip_prefix(word).and_then(|to| self.end(to)) {
                return Some(Named { how, from: None, to });
            }
            for (at, _) in upper.match_indices(&format!("_{word}")) {
                let (from, to) = (&upper[..at], &upper[at + 1 + word.len()..]);
                if let (Some(from), Some(to)) = (self.end(from), self.end(to)) {
                    return Some(Named { how, from: Some(from), to });
                }
            }
        }
        None
    }

    fn end(&self, name: &str) -> Option<End> {
        if let Some(ty) = elementary::by_name(name) {
            return Some(End::Type(ty));
        }
        if let Some(&index) = self.names.types.get(&key(name)) {
            return match &self.names.declared[index] {
                Slot::Done(typed) => Some(End::Type(typed.ty)),
                Slot::Waiting | Slot::Busy | Slot::Broken => None,
            };
        }
        elementary::opaque(name).map(|_| End::Opaque)
    }

    /// A call of a conversion function.
    pub(crate) fn convert_call(&mut self, scope: Scope, named: Named, value: &ast::Expr, span: Span) -> Res<Expr> {
        let to = match named.to {
            End::Type(ty) => ty,
            End::Opaque => return Err(Bad::Reported),
        };
        let from = match named.from {
            Some(End::Type(ty)) => Some(ty),
            Some(End::Opaque) | None => None,
        };
        match named.how {
            Conversion::Truncate => self.truncate(scope, from, to, value, span),
            Conversion::Convert | Conversion::Widen => {
                let e = match from {
                    Some(from) => self.expr_as(scope, value, from, "the argument")?,
                    None => self.expr(scope, value, Want::Any)?,
                };
                self.check_end(e.ty, e.span)?;
                self.check_end(to, span)?;
                Ok(Expr { kind: ExprKind::Convert(Conversion::Convert, Box::new(e)), ty: to, span })
            }
        }
    }

    /// Toward zero: from REAL or LREAL to an integer type.
    pub(crate) fn truncate(
        &mut self,
        scope: Scope,
        from: Option<TypeId>,
        to: TypeId,
        value: &ast::Expr,
        span: Span,
    ) -> Res<Expr> {
        let e = match from {
            Some(from) => self.expr_as(scope, value, from, "the argument")?,
            None => self.expr(scope, value, Want::Any)?,
        };
        self.require(&e, &[Family::Real], "TRUNC", "REAL or LREAL")?;
        if family(&self.project, to) != Family::Int {
            let message = format!("TRUNC gives an integer, and {} is none", self.type_name(to));
            return Err(self.error(codes::OPERAND_TYPE, span, message, "not an integer type"));
        }
        Ok(Expr { kind: ExprKind::Convert(Conversion::Truncate, Box::new(e)), ty: to, span })
    }

    fn check_end(&mut self, ty: TypeId, span: Span) -> Res<()> {
        match family(&self.project, ty) {
            Family::Bool | Family::Int | Family::Bits | Family::Real | Family::Time | Family::Enum => Ok(()),
            Family::Opaque => Err(self.opaque_value(ty, span)),
            Family::Compound => {
                let message = format!("values of type {} are not converted", self.type_name(ty));
                self.error(codes::OPERAND_TYPE, span, message, "not a single value");
                Err(Bad::Reported)
            }
        }
    }
}
