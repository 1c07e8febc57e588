//! CASE, also with labels whose values no file tells.

use crate::ast;
use crate::hir::{BinOp, CaseArm, Expr, Place, PouId, Root, Section, Stmt, StmtKind, TypeId};
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::stmts::control_flow::{arbitrary, with};
use crate::resolve::stmts::stmt::worse;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened};
use crate::text::codes;
use crate::text::source::Span;

/// Label of a CASE: first and last value.
enum Label {
    Known(i128, i128),
    /// With a value that no file tells.
    Read(Expr, Expr),
}

impl Resolver<'_> {
    pub(crate) fn case(
        &mut self,
        scope: Scope,
        selector: &ast::Expr,
        arms: &[ast::CaseArm],
        otherwise: &[ast::Stmt],
        span: Span,
    ) -> Res<Vec<Stmt>> {
        let place = selector.span;
        let selector = self.expr(scope, selector, Want::Any).and_then(|e| {
            if !self.dialect.mixes() && matches!(family(&self.project, e.ty), Family::Text | Family::Char) {
                let effect =
                    "the comparison of characters with labels is not modelled: nothing behind it in the cycle is verified";
                return Err(unsupported(place, "CASE of a string or character", effect));
            }
            let families = [Family::Int, Family::Bits, Family::Enum];
            self.require(&e, &families, "CASE", "an integer, a bit string or an enumeration")?;
            Ok(e)
        });
        let mut bad = None;
        let mut rows = Vec::new();
        for arm in arms {
            // Without the selector's type the labels cannot be judged.
            let labels = match &selector {
                Ok(selector) => self.labels(scope, selector, &arm.labels),
                Err(_) => Ok(Vec::new()),
            };
            let body = self.stmts(scope, &arm.body);
            match labels {
                Ok(labels) => rows.push((labels, body, arm.span)),
                Err(why) => bad = Some(worse(bad, why)),
            }
        }
        let otherwise = self.stmts(scope, otherwise);
        if let Some(why) = bad {
            return Err(why);
        }
        let mut stmts = Vec::new();
        let selector = match selector {
            Ok(selector) => selector,
            Err(Bad::Reported) => return Err(Bad::Reported),
            Err(Bad::Gap(gap)) => {
                let gap = self.findings.record(*gap);
                stmts.push(Stmt { kind: StmtKind::Gap(gap), span: place });
                Expr { ty: elementary::INT, ..arbitrary(gap, place) }
            }
        };
        let is_known = |label: &Label| matches!(label, Label::Known(..));
        match scope.owner {
            Some(owner) if !rows.iter().flat_map(|row| &row.0).all(is_known) => {
                stmts.extend(self.comparisons(owner, selector, rows, otherwise, span));
                Ok(stmts)
            }
            Some(_) | None => {
                let arms = rows.into_iter().map(|(labels, body, span)| CaseArm { labels: ranges(&labels), body, span }).collect();
                Ok(with(stmts, StmtKind::Case { selector, arms, otherwise }, span))
            }
        }
    }

    /// Returns the IF that compares a selector with the labels in their order.
    fn comparisons(
        &mut self,
        owner: PouId,
        selector: Expr,
        rows: Vec<(Vec<Label>, Vec<Stmt>, Span)>,
        otherwise: Vec<Stmt>,
        span: Span,
    ) -> Vec<Stmt> {
        let ty = base(&self.project, selector.ty);
        let name = ast::Ident::new("_selector", span);
        let held = self.names.new_hidden(&mut self.project, owner, &name, ty, Section::Temp);
        let held = Place::of(Root::Var(held), ty, span);
        let first = Stmt { kind: StmtKind::Assign { target: held.clone(), value: widened(selector, ty) }, span };
        let compare = |op: BinOp, value: Expr| node(op, Expr::read(held.clone()), value, span);
        let mut branches = Vec::new();
        for (labels, body, _) in rows {
            let conditions = labels.into_iter().map(|label| {
                let (low, high) = match label {
                    Label::Known(low, high) => (Expr::int(low, ty, span), Expr::int(high, ty, span)),
                    Label::Read(low, high) => (low, high),
                };
                node(BinOp::And, compare(BinOp::Ge, low), compare(BinOp::Le, high), span)
            });
            let Some(condition) = conditions.reduce(|all, one| node(BinOp::Or, all, one, span)) else { continue };
            branches.push((condition, body));
        }
        vec![first, Stmt { kind: StmtKind::If { branches, otherwise }, span }]
    }

    /// Returns the value of a label that is no constant because no file tells it; else the error of `constant`.
    fn read_label(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId) -> Res<Expr> {
        let value = self.expr_as(scope, e, ty, "the label")?;
        Ok(widened(value, ty))
    }

    fn label(&mut self, scope: Scope, label: &ast::CaseLabel, ty: TypeId) -> Res<Label> {
        let want = Want::Ty(ty);
        let (mark, before) = (self.findings.mark(), self.findings.n_guesses());
        let low = self.constant_int(scope.owner, &label.low, want);
        let high = match &label.high {
            Some(high) => self.constant_int(scope.owner, high, want),
            None => low.clone(),
        };
        match (low, high) {
            (Ok(low), Ok(high)) if high < low => {
                let span = label.low.span.to(label.high.as_ref().map_or(label.low.span, |e| e.span));
                let message = format!("the label {low}..{high} is empty: its first value is greater than its last");
                Err(self.findings.error(codes::BAD_BOUNDS, span, message, "matches nothing"))
            }
            (Ok(low), Ok(high)) => Ok(Label::Known(low, high)),
            // Its value is read like that of any variable.
            (Err(_), _) | (_, Err(_)) if before < self.findings.n_guesses() => {
                self.findings.forget_since(mark);
                let low = self.read_label(scope, &label.low, ty)?;
                let high = match &label.high {
                    Some(high) => self.read_label(scope, high, ty)?,
                    None => low.clone(),
                };
                Ok(Label::Read(low, high))
            }
            (Err(why), _) | (_, Err(why)) => Err(why),
        }
    }

    fn labels(&mut self, scope: Scope, selector: &Expr, labels: &[ast::CaseLabel]) -> Res<Vec<Label>> {
        let ty = base(&self.project, selector.ty);
        let mut found = Vec::new();
        let mut bad = None;
        for label in labels {
            match self.label(scope, label, ty) {
                Ok(label) => found.push(label),
                Err(why) => bad = Some(worse(bad, why)),
            }
        }
        bad.map_or(Ok(found), Err)
    }
}

/// Returns the values of known labels.
fn ranges(labels: &[Label]) -> Vec<(i128, i128)> {
    let known = |label: &Label| if let Label::Known(low, high) = label { Some((*low, *high)) } else { None };
    labels.iter().filter_map(known).collect()
}
