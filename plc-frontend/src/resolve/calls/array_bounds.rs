//! LOWER_BOUND and UPPER_BOUND. Both are constants, because the type of each array is known where a body is resolved.

use crate::ast::{self, Arg};
use crate::hir::{Expr, Type};
use crate::resolve::findings::{Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base};
use crate::text::Span;

impl Resolver<'_> {
    /// Resolves LOWER_BOUND(a, 1) and UPPER_BOUND(a, 1); `None` for other functions.
    pub(crate) fn bound_of(
        &mut self,
        scope: Scope,
        name: &ast::Ident,
        args: &[Arg],
        span: Span,
        want: Want,
    ) -> Option<Res<Expr>> {
        let is_lower = name.text.eq_ignore_ascii_case("LOWER_BOUND");
        if !is_lower && !name.text.eq_ignore_ascii_case("UPPER_BOUND") {
            return None;
        }
        let values = args.iter().filter_map(|arg| if let Arg::Positional(e) | Arg::Input(_, e) = arg { Some(e) } else { None });
        let [array, dim]: [&ast::Expr; 2] = values.collect::<Vec<_>>().try_into().ok()?;
        Some(self.bound(scope, array, dim, is_lower, span, want))
    }

    fn bound(&mut self, scope: Scope, array: &ast::Expr, dim: &ast::Expr, is_lower: bool, span: Span, want: Want) -> Res<Expr> {
        let place = self.target(scope, array)?;
        let dim = self.constant_int(scope.owner, dim, Want::Any)?;
        let bounds = if let Type::Array { dims, .. } = &self.project.types[place.ty].ty {
            usize::try_from(dim - 1).ok().and_then(|dim| dims.get(dim).copied())
        } else if let Some(large) = self.types.large(place.ty) {
            usize::try_from(dim - 1).ok().and_then(|dim| large.dims.get(dim).copied())
        } else if let Type::Opaque(_) = &self.project.types[place.ty].ty {
            return Err(self.project.opaque_value(place.ty, array.span));
        } else {
            None
        };
        let Some((low, high)) = bounds else {
            let effect = "there is no such dimension: nothing after this statement in the cycle is verified";
            return Err(unsupported(span, "bound of a dimension that does not exist", effect));
        };
        let ty = self.project.wanted(want, &[Family::Int]).map_or(elementary::DINT, |ty| base(&self.project, ty));
        let value = i128::from(if is_lower { low } else { high });
        let fits = self.project.int_type(ty).is_some_and(|int| int.holds(value));
        Ok(Expr::int(value, if fits { ty } else { elementary::DINT }, span))
    }
}
