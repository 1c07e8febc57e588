//! Operands: resolved side by side, since those without a type of their own take the common type of the others.

use crate::ast;
use crate::dialect::Dialect;
use crate::hir::{Expr, Project, TypeId};
use crate::resolve::exprs::literals;
use crate::resolve::exprs::untyped::{Untyped, choice, untyped};
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::names::tables::Names;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::stmts::stmt::worse;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened, widens};
use crate::text::Span;

/// An operand, resolved or not.
pub(crate) enum Operand<'e> {
    Written(&'e ast::Expr),
    /// Operand of a choice such as SEL or MAX: a choice among literals has no type of its own there.
    Chosen(&'e ast::Expr),
    Resolved(Res<Expr>),
}

impl Resolver<'_> {
    /// Resolves operands side by side: those without a type of their own take the common type of the others.
    /// With `scales`, a number beside a TIME stays a number.
    pub(crate) fn operands(&mut self, scope: Scope, operands: Vec<Operand<'_>>, want: Want, scales: bool) -> Res<Vec<Expr>> {
        // Literals inside of calls follow the context where their default would be too wide or unknown.
        let hint = match want {
            Want::Ty(ty) if matches!(family(&self.project, ty), Family::Real | Family::Bits) => want,
            Want::Ty(_) | Want::Any | Want::Unknown => Want::Any,
        };
        let mut rows: Vec<(Option<&ast::Expr>, Res<Expr>)> = Vec::new();
        let mut target: Option<TypeId> = None;
        let mut bad = None;
        for operand in operands {
            let row = match operand {
                Operand::Written(e) if self.names.adapts(&self.project, scope, e) => (Some(e), Err(Bad::Reported)),
                Operand::Chosen(e) if choice(e).is_some() || self.names.adapts(&self.project, scope, e) => {
                    (Some(e), Err(Bad::Reported))
                }
                Operand::Written(e) | Operand::Chosen(e) => (None, self.expr(scope, e, hint)),
                Operand::Resolved(result) => (None, result),
            };
            match &row {
                (None, Ok(e)) => {
                    let ty = base(&self.project, e.ty);
                    target = Some(target.map_or(ty, |t| self.dialect.common_type(&self.project, t, ty).unwrap_or(t)));
                }
                (None, Err(why)) => bad = Some(worse(bad.take(), why.clone())),
                (Some(_), _) => {}
            }
            rows.push(row);
        }
        let adaptive: Vec<(&ast::Expr, Option<Untyped>)> =
            rows.iter().filter_map(|row| Some((row.0?, untyped(row.0?).or_else(|| choice(row.0?))))).collect();
        let place = match (&bad, target) {
            (Some(_), _) => Want::Unknown,
            (None, Some(ty)) if scales && family(&self.project, ty) == Family::Time => Want::Any,
            (None, Some(ty)) => Want::Ty(self.dialect.adapted(&self.project, ty, &adaptive, want)),
            (None, None) => self.default_of(&adaptive, want),
        };
        let mut resolved = Vec::new();
        for (written, row) in rows {
            let row = match (written, &bad) {
                (Some(_), Some(_)) => continue,
                (Some(e), None) => self.expr(scope, e, place),
                (None, _) => row,
            };
            match row {
                Ok(e) => resolved.push(e),
                Err(why) => bad = Some(worse(bad.take(), why)),
            }
        }
        bad.map_or(Ok(resolved), Err)
    }

    /// Returns the type of operands without a type of their own.
    fn default_of(&self, adaptive: &[(&ast::Expr, Option<Untyped>)], want: Want) -> Want {
        if let (Want::Ty(ty), true) = (want, adaptive.iter().all(|(_, kind)| kind.is_some()))
            && matches!(family(&self.project, ty), Family::Int | Family::Bits | Family::Real | Family::Bool)
        {
            return Want::Ty(base(&self.project, ty));
        }
        let mut range: Option<(i128, i128)> = None;
        for (_, kind) in adaptive {
            match kind {
                Some(Untyped::Real) => return Want::Ty(elementary::LREAL),
                Some(Untyped::Int { low, high, .. }) => {
                    range = Some(range.map_or((*low, *high), |r| (r.0.min(*low), r.1.max(*high))));
                }
                None => return Want::Any,
            }
        }
        match range.and_then(|(low, high)| literals::default_integer(low, high)) {
            Some(ty) => Want::Ty(ty),
            None => Want::Any,
        }
    }
}

impl Names {
    /// Returns whether `e` takes its type from the operands beside it.
    fn adapts(&self, project: &Project, scope: Scope, e: &ast::Expr) -> bool {
        untyped(e).is_some() || self.is_bare_variant(project, scope, e)
    }
}

impl Dialect {
    /// Returns the type that literals beside operands of type `ty` take.
    fn adapted(&self, project: &Project, ty: TypeId, adaptive: &[(&ast::Expr, Option<Untyped>)], want: Want) -> TypeId {
        let mut target = ty;
        for (_, kind) in adaptive {
            let fits = |ty: TypeId, low, high| project.int_type(ty).is_none_or(|int| int.holds(low) && int.holds(high));
            match (kind, family(project, target)) {
                (Some(Untyped::Real), Family::Int) => {
                    target = self.common_type(project, target, elementary::REAL).unwrap_or(elementary::LREAL);
                }
                (Some(Untyped::Real), _) if self.counts(project, target) => target = elementary::REAL,
                (Some(Untyped::Int { low, high, .. }), _) if self.counts(project, target) && !fits(target, *low, *high) => {
                    let wanted = literals::default_integer(*low, *high).unwrap_or(elementary::LINT);
                    target = self.common_type(project, target, wanted).unwrap_or(wanted);
                }
                (Some(Untyped::Int { low, high, .. }), Family::Int) if !fits(target, *low, *high) => {
                    if let Want::Ty(wanted) = want {
                        let wanted = base(project, wanted);
                        if widens(project, target, wanted) && fits(wanted, *low, *high) {
                            target = wanted;
                        }
                    }
                }
                (Some(Untyped::Real | Untyped::Int { .. }) | None, _) => {}
            }
        }
        target
    }

    /// Returns all of `operands` as values of their common type.
    pub(crate) fn unify(
        &self,
        project: &Project,
        findings: &mut Findings,
        operands: Vec<Expr>,
        what: &str,
        span: Span,
    ) -> Res<Vec<Expr>> {
        let Some(first) = operands.first() else { return Ok(operands) };
        // One operand keeps its type, even a subrange or a structure.
        let mut ty = first.ty;
        if operands.iter().all(|e| project.text(e.ty).is_some()) {
            let longest = operands.iter().max_by_key(|e| project.text(e.ty).map_or(0, |text| text.length));
            let ty = longest.map_or(ty, |e| e.ty);
            let (left, right) = ((first.span, first.ty), (first.span, ty));
            let texts: Result<Vec<Expr>, Expr> = operands.into_iter().map(|e| project.as_text(e, ty)).collect();
            return texts.map_err(|e| project.no_common_type(findings, span, left, (e.span, right.1), what));
        }
        for e in &operands {
            if e.ty != ty {
                match self.common_type(project, ty, e.ty) {
                    Some(wider) => ty = wider,
                    None => return Err(project.no_common_type(findings, span, (first.span, ty), (e.span, e.ty), what)),
                }
            }
        }
        Ok(operands.into_iter().map(|e| if self.mixes() { project.as_number(e, ty) } else { widened(e, ty) }).collect())
    }
}
