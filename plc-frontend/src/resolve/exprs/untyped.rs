//! Untyped expressions: literals without a prefix, and arithmetic on nothing else.
//!
//! They take the type that their place, or the operand beside them, asks for.

use crate::ast::{self, Literal};
use crate::hir::{BinOp, Conversion, Expr, TypeId, UnOp};
use crate::resolve::exprs::literals::default_integer;
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Want;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened, widens};
use crate::text::codes;

const MAX_DEPTH: usize = 100;

/// Content of an untyped expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untyped {
    /// Integer literals: smallest and largest value of any part of it; whether it divides.
    Int { low: i128, high: i128, divides: bool },
    /// A real literal is among them.
    Real,
}

/// Returns the content of an untyped expression; `None` for a typed one.
pub(crate) fn untyped(e: &ast::Expr) -> Option<Untyped> {
    value_of(e, 0).map(|(content, _)| content)
}

/// Choices among values, with the number of arguments in front of these.
const CHOICES: &[(&str, usize)] = &[("SEL", 1), ("MUX", 1), ("MAX", 0), ("MIN", 0), ("LIMIT", 0)];

/// Returns the content of a call that chooses among untyped expressions, given without names; `None` for all others.
pub(crate) fn choice(e: &ast::Expr) -> Option<Untyped> {
    choice_at(e, 0)
}

fn choice_at(e: &ast::Expr, depth: usize) -> Option<Untyped> {
    let ast::ExprKind::Call(name, args) = &e.kind else { return None };
    if MAX_DEPTH <= depth || !name.path.is_empty() {
        return None;
    }
    let (_, n_before) = CHOICES.iter().find(|(word, _)| name.root.text.eq_ignore_ascii_case(word))?;
    let mut all: Option<Untyped> = None;
    for arg in args.get(*n_before..)? {
        let ast::Arg::Positional(value) = arg else { return None };
        let content = untyped(value).or_else(|| choice_at(value, depth + 1))?;
        all = Some(match (all, content) {
            (None, content) => content,
            (Some(Untyped::Int { low, high, divides }), Untyped::Int { low: low2, high: high2, divides: divides2 }) => {
                Untyped::Int { low: low.min(low2), high: high.max(high2), divides: divides || divides2 }
            }
            (Some(_), _) => Untyped::Real,
        });
    }
    all
}

/// Returns the contents with the exact value, if it is an integer. Deeper trees count as typed.
fn value_of(e: &ast::Expr, depth: usize) -> Option<(Untyped, i128)> {
    if MAX_DEPTH <= depth {
        return None;
    }
    match &e.kind {
        ast::ExprKind::Literal(None, Literal::Int(v)) => Some((Untyped::Int { low: *v, high: *v, divides: false }, *v)),
        ast::ExprKind::Literal(None, Literal::Real(_)) => Some((Untyped::Real, 0)),
        ast::ExprKind::Literal(..)
        | ast::ExprKind::Name(_)
        | ast::ExprKind::Address(_)
        | ast::ExprKind::Call(..)
        | ast::ExprKind::Error => None,
        ast::ExprKind::Unary(op, a) => {
            let (content, value) = value_of(a, depth + 1)?;
            match op {
                UnOp::Not => Some((content, value)),
                // -32768 is one number: its positive half need not fit.
                UnOp::Neg => match (content, negative_literal(e)) {
                    (Untyped::Real, _) => Some((Untyped::Real, 0)),
                    (Untyped::Int { .. }, Some(v)) => Some((Untyped::Int { low: v, high: v, divides: false }, v)),
                    (Untyped::Int { low, high, divides }, None) => Some(spread(low, high, divides, value.checked_neg()?)),
                },
            }
        }
        ast::ExprKind::Binary(op, a, b) => {
            // The right operand comes first: in a long chain, it shows at once whether the chain is typed.
            let b = value_of(b, depth + 1)?;
            let a = value_of(a, depth + 1)?;
            let value = match op {
                BinOp::Add => a.1.checked_add(b.1)?,
                BinOp::Sub => a.1.checked_sub(b.1)?,
                BinOp::Mul => a.1.checked_mul(b.1)?,
                BinOp::Div => a.1.checked_div(b.1).unwrap_or(0),
                BinOp::Mod => a.1.checked_rem(b.1).unwrap_or(0),
                BinOp::And | BinOp::Or | BinOp::Xor => a.1 | b.1,
                BinOp::AndThen | BinOp::OrElse | BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                    return None;
                }
            };
            let here = matches!(op, BinOp::Div | BinOp::Mod);
            Some(match (a.0, b.0) {
                (Untyped::Int { low, high, divides }, Untyped::Int { low: low2, high: high2, divides: divides2 }) => {
                    spread(low.min(low2), high.max(high2), divides || divides2 || here, value)
                }
                (Untyped::Real, _) | (_, Untyped::Real) => (Untyped::Real, 0),
            })
        }
    }
}

fn spread(low: i128, high: i128, divides: bool, value: i128) -> (Untyped, i128) {
    (Untyped::Int { low: low.min(value), high: high.max(value), divides }, value)
}

/// Returns the value of `-5`: a sign with an integer literal behind it.
pub(crate) fn negative_literal(e: &ast::Expr) -> Option<i128> {
    let ast::ExprKind::Unary(UnOp::Neg, operand) = &e.kind else { return None };
    if let ast::ExprKind::Literal(None, Literal::Int(v)) = &operand.kind { v.checked_neg() } else { None }
}

impl Resolver<'_> {
    /// Resolves an untyped expression to a value of the wanted type, or of its default type.
    pub(crate) fn untyped_expr(&mut self, e: &ast::Expr, content: Untyped, want: Want) -> Res<Expr> {
        let wanted = want.ty().map(|ty| (ty, family(&self.project, ty)));
        let single = matches!(e.kind, ast::ExprKind::Literal(..)) || negative_literal(e).is_some();
        match (content, wanted) {
            (_, Some((ty, _))) if single => self.untyped_as(e, ty),
            (Untyped::Int { divides: false, .. } | Untyped::Real, Some((ty, Family::Real))) => self.untyped_as(e, ty),
            (Untyped::Int { .. }, Some((ty, Family::Int | Family::Bits))) => {
                let value = self.untyped_as(e, base(&self.project, ty))?;
                Ok(widened(value, ty))
            }
            (Untyped::Real, _) => self.untyped_as(e, elementary::LREAL),
            (Untyped::Int { low, high, .. }, wanted) => {
                let ty = if logical(e) { default_bits(low, high) } else { default_integer(low, high) };
                // If no type fits, the largest type reports that the value is out of range.
                let value = self.untyped_as(e, ty.unwrap_or(elementary::LINT))?;
                // `1 / 2` stays an integer division if a REAL is wanted.
                match wanted {
                    Some((ty, Family::Real)) if !widens(&self.project, value.ty, ty) => {
                        Ok(value.converted(Conversion::Convert, ty))
                    }
                    Some(_) | None => Ok(value),
                }
            }
        }
    }

    /// Returns `e` with every literal as a `ty`.
    fn untyped_as(&mut self, e: &ast::Expr, ty: TypeId) -> Res<Expr> {
        let of = family(&self.project, ty);
        match &e.kind {
            ast::ExprKind::Literal(prefix, literal) => self.literal(prefix.as_deref(), literal, e.span, Want::Ty(ty)),
            ast::ExprKind::Unary(op, a) => match negative_literal(e) {
                Some(value) => self.integer(value, e.span, Want::Ty(ty)),
                None => {
                    let a = self.deeper(e.span, |r| r.untyped_as(a, ty))?;
                    match (op, of) {
                        (UnOp::Not, Family::Int | Family::Real) if !self.dialect.mixes() || of == Family::Real => {
                            Err(self.findings.no_bits(e))
                        }
                        (UnOp::Not | UnOp::Neg, _) => Ok(Expr::unary(*op, a, e.span)),
                    }
                }
            },
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = self.deeper(e.span, |r| Ok((r.untyped_as(a, ty), r.untyped_as(b, ty))))?;
                let (a, b) = (a?, b?);
                match (op, of) {
                    (BinOp::And | BinOp::Or | BinOp::Xor, Family::Int | Family::Real)
                        if !self.dialect.mixes() || of == Family::Real =>
                    {
                        Err(self.findings.no_bits(e))
                    }
                    (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod, Family::Bits | Family::Bool)
                        if !self.dialect.mixes() || of == Family::Bool =>
                    {
                        let message = format!("there is no arithmetic on {}", self.project.type_name(ty));
                        Err(self.findings.error(codes::OPERAND_TYPE, e.span, message, "arithmetic on bit strings"))
                    }
                    (BinOp::Mod, Family::Real) => {
                        Err(self.findings.error(codes::OPERAND_TYPE, e.span, "MOD needs integers", "MOD of a REAL value"))
                    }
                    (_, _) => {
                        let ty = a.ty;
                        Ok(Expr::binary(*op, a, b, ty, e.span))
                    }
                }
            }
            ast::ExprKind::Name(_) | ast::ExprKind::Address(_) | ast::ExprKind::Call(..) | ast::ExprKind::Error => {
                Err(Bad::Reported)
            }
        }
    }
}

impl Findings {
    fn no_bits(&mut self, e: &ast::Expr) -> Bad {
        let help = Some("give the literals a bit string type, for example WORD#16#FF".to_owned());
        let message = "AND, OR, XOR and NOT work on BOOL and bit strings, not on numbers";
        self.error_with_help(codes::OPERAND_TYPE, e.span, message, "not bit strings", help)
    }
}

fn logical(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Xor, ..) | ast::ExprKind::Unary(UnOp::Not, _))
}

/// Returns the smallest bit string that holds all of `low..=high`.
fn default_bits(low: i128, high: i128) -> Option<TypeId> {
    let fits = |bits: u32| 0 <= low && high < 1i128 << bits;
    let sizes = [(8, elementary::BYTE), (16, elementary::WORD), (32, elementary::DWORD), (64, elementary::LWORD)];
    sizes.into_iter().find(|(bits, _)| fits(*bits)).map(|(_, ty)| ty)
}
