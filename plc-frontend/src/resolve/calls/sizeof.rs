//! SIZEOF: the memory of a type or variable, if it is known.

use crate::ast;
use crate::hir::{Expr, Project, Type, TypeId, Value};
use crate::resolve::findings::{Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base};
use crate::resolve::types::table::TypeTable;
use crate::text::Span;

impl Resolver<'_> {
    /// Resolves SIZEOF to the number of bytes of a variable or type. Each scalar counts with its own width.
    pub(crate) fn size_of(&mut self, scope: Scope, e: &ast::Expr, span: Span, want: Want) -> Res<Expr> {
        let measured = match self.named_in(scope, e) {
            Some(ty) => ty,
            None => self.target(Scope { uses: Uses::Code, ..scope }, e)?.ty,
        };
        let bits = self.types.size_bits(&self.project, measured);
        let Some(bits) = bits else {
            let effect = "the statement is not modelled, so nothing after it in the cycle is verified";
            return Err(unsupported(span, "SIZEOF of a structure or block", effect));
        };
        let ty = self.project.wanted(want, &[Family::Int, Family::Bits]).map_or(elementary::UDINT, |ty| base(&self.project, ty));
        Ok(Expr::literal(Value::Int(i128::from(bits / 8)), ty, span))
    }

    /// Returns the type that an expression names, unless it names a variable.
    fn named_in(&mut self, scope: Scope, e: &ast::Expr) -> Option<TypeId> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        if !name.path.is_empty() || self.names.is_variable(&self.project, scope, &name.root) {
            return None;
        }
        self.attempt(|r| r.named_type(&name.root)).map(|typed| typed.ty)
    }
}

impl TypeTable {
    /// Returns the memory of a value in bits. A BOOL takes a byte; a string takes one extra character for its end. `None` for a
    /// structure or block: its memory depends on the alignment of its fields.
    fn size_bits(&self, project: &Project, ty: TypeId) -> Option<u64> {
        if let Some(text) = project.text(ty) {
            return Some((text.length as u64 + 1) * u64::from(text.bits));
        }
        match (&project.types[ty].ty, project.elementary_bits(ty)) {
            (_, Some(bits)) => Some(u64::from(bits.max(8))),
            (Type::Array { elem, .. }, None) => {
                let count = self.size(ty) / self.size(*elem).max(1);
                Some(self.size_bits(project, *elem)?.saturating_mul(count as u64))
            }
            (_, None) => {
                let large = self.large(ty)?;
                Some(self.size_bits(project, large.elem)?.saturating_mul(large.n_elements()))
            }
        }
    }
}
