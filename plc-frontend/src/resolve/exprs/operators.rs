//! Operators: their operands, the type of the computation and the type of the result.

use crate::ast;
use crate::dialect::Logic;
use crate::hir::printer::op_name;
use crate::hir::{BinOp, Elem, Expr, ExprKind, Project, TypeId, UnOp};
use crate::resolve::exprs::operands::Operand;
use crate::resolve::exprs::untyped::untyped;
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, common, family, widened};
use crate::text::{Diagnostic, Span, codes};

/// Kind of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Arithmetic,
    Logical,
    ShortCircuit,
    Comparison,
}

pub(crate) fn class(op: BinOp) -> Class {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => Class::Arithmetic,
        BinOp::And | BinOp::Or | BinOp::Xor => Class::Logical,
        BinOp::AndThen | BinOp::OrElse => Class::ShortCircuit,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Class::Comparison,
    }
}

impl Resolver<'_> {
    /// Resolves a chain of binary operators from its leftmost operand on, without recursion: chains are long.
    pub(crate) fn binary_chain(&mut self, scope: Scope, e: &ast::Expr, want: Want) -> Res<Expr> {
        let mut chain: Vec<(&ast::Expr, BinOp, &ast::Expr, Want)> = Vec::new();
        let (mut node, mut wanted, mut test) = (e, want, None);
        while let ast::ExprKind::Binary(op, left, right) = &node.kind {
            // `p <> NULL AND …`: the whole chain was resolved before.
            if class(*op) == Class::Comparison && !chain.is_empty() {
                test = self.null_test(scope, node);
                if test.is_some() {
                    break;
                }
            }
            chain.push((node, *op, right, wanted));
            wanted = match class(*op) {
                Class::Arithmetic | Class::Logical => wanted,
                Class::ShortCircuit | Class::Comparison => Want::Any,
            };
            node = left;
        }
        let mut left = test.map_or(Operand::Written(node), Operand::Resolved);
        for (node, op, right, want) in chain.into_iter().rev() {
            left = match untyped(node) {
                Some(_) => Operand::Written(node),
                None => Operand::Resolved(self.binary(scope, op, left, Operand::Written(right), node.span, want)),
            };
        }
        match left {
            Operand::Resolved(result) => result,
            Operand::Written(e) | Operand::Chosen(e) => match untyped(e) {
                Some(kind) => self.untyped_expr(e, kind, want),
                None => Err(Bad::Reported),
            },
        }
    }

    /// Resolves `left op right`.
    pub(crate) fn binary(
        &mut self,
        scope: Scope,
        op: BinOp,
        left: Operand<'_>,
        right: Operand<'_>,
        span: Span,
        want: Want,
    ) -> Res<Expr> {
        let operand_want = match class(op) {
            Class::Arithmetic | Class::Logical => want,
            Class::Comparison | Class::ShortCircuit => Want::Any,
        };
        let scales = matches!(op, BinOp::Mul | BinOp::Div);
        let mut operands = self.operands(scope, vec![left, right], operand_want, scales)?;
        match (operands.pop(), operands.pop()) {
            (Some(right), Some(left)) => {
                let whole = self.apply(op, left, right, span)?;
                Ok(if self.dialect.logic == Logic::Short { short(whole) } else { whole })
            }
            (None, _) | (_, None) => Err(Bad::Reported),
        }
    }

    /// Returns `left op right` for resolved operands.
    pub(crate) fn apply(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        let (left, right) = if left.ty == right.ty && class(op) == Class::Comparison {
            (left, right)
        } else {
            (self.names.as_unnamed(&self.project, left), self.names.as_unnamed(&self.project, right))
        };
        let same = left.ty == right.ty && matches!(op, BinOp::Eq | BinOp::Ne);
        if !same && (self.names.is_reference(left.ty) || self.names.is_reference(right.ty)) {
            return Err(self.no_arithmetic(span));
        }
        let (l, r) = (family(&self.project, left.ty), family(&self.project, right.ty));
        if let (Family::Date, _) | (_, Family::Date) = (l, r) {
            return self.apply_date(op, left, right, span);
        }
        if let (Family::Text, _) | (_, Family::Text) = (l, r) {
            return self.compare_texts(op, left, right, span);
        }
        if let (Family::Time, _) | (_, Family::Time) = (l, r) {
            return self.apply_time(op, left, right, span);
        }
        if let Some(ty) = self.dialect.mixed(&self.project, op, left.ty, right.ty) {
            self.dialect.note_signs(&self.project, &mut self.findings, left.ty, right.ty, span);
            return Ok(node(op, self.project.as_number(left, ty), self.project.as_number(right, ty), span));
        }
        for e in [&left, &right] {
            self.project.check_operand(&mut self.findings, op, e)?;
        }
        let Some(ty) = common(&self.project, left.ty, right.ty) else {
            return Err(self.project.no_common_type_of(&mut self.findings, op, &left, &right, span));
        };
        Ok(node(op, widened(left, ty), widened(right, ty), span))
    }

    /// Resolves `op operand`.
    pub(crate) fn unary(&mut self, scope: Scope, op: UnOp, operand: &ast::Expr, span: Span, want: Want) -> Res<Expr> {
        let e = self.expr(scope, operand, want)?;
        let ty = base(&self.project, e.ty);
        let of = family(&self.project, ty);
        let fits = match op {
            UnOp::Neg => matches!(of, Family::Int | Family::Real | Family::Time),
            UnOp::Not => matches!(of, Family::Bool | Family::Bits) || (of == Family::Int && self.dialect.mixes()),
        };
        let (e, ty, fits) = match op {
            UnOp::Neg if self.dialect.mixes() && of != Family::Bool && self.dialect.counts(&self.project, ty) => {
                let unsigned = self.project.int_type(ty).is_some_and(|int| !int.signed);
                let wide =
                    if unsigned { self.dialect.common_type(&self.project, ty, elementary::SINT).unwrap_or(ty) } else { ty };
                let wide = self.dialect.computed(&self.project, wide);
                (self.project.as_number(e, wide), wide, true)
            }
            UnOp::Neg | UnOp::Not => (e, ty, fits),
        };
        if fits {
            let e = widened(e, ty);
            return Ok(Expr::new(ExprKind::Unary(op, Box::new(e)), ty, span));
        }
        let name = self.project.type_name(ty);
        let (word, needs) = match op {
            UnOp::Neg => ("-", "a number or a duration"),
            UnOp::Not => ("NOT", "BOOL or a bit string"),
        };
        let help = match (op, of) {
            (UnOp::Not, Family::Int) => self.project.bits_for(ty).map(|to| {
                format!("NOT binds more tightly than a comparison: write NOT (a = b); or convert it with {name}_TO_{to}(…)")
            }),
            (UnOp::Not, Family::Real | Family::Time | Family::Enum | Family::Text | Family::Date | Family::Char) => {
                Some("NOT binds more tightly than a comparison: write NOT (a = b)".to_owned())
            }
            (UnOp::Neg, Family::Bits) => self.project.number_for(ty).map(|to| format!("convert it with {name}_TO_{to}(…)")),
            (UnOp::Neg | UnOp::Not, _) => None,
        };
        let message = format!("{word} needs {needs}, but this is of type {name}");
        Err(self.findings.error_with_help(codes::OPERAND_TYPE, e.span, message, format!("of type {name}"), help))
    }

    /// Reports an operator that is not defined for its operands' types.
    pub(crate) fn not_defined(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        span: Span,
        here: &str,
        help: Option<String>,
    ) -> Bad {
        let (a, b) = (self.project.type_name(left.ty), self.project.type_name(right.ty));
        let message = format!("{a} {} {b} is not defined", op_name(op));
        let mut diagnostic = Diagnostic::error(codes::OPERAND_TYPE, span, message, here)
            .label(left.span, format!("of type {a}"))
            .label(right.span, format!("of type {b}"));
        diagnostic.help = help;
        self.findings.report(diagnostic);
        Bad::Reported
    }
}

impl Project {
    /// Reports operands of an operator that have no common type.
    pub(crate) fn no_common_type_of(&self, findings: &mut Findings, op: BinOp, left: &Expr, right: &Expr, span: Span) -> Bad {
        self.no_common_type(findings, span, (left.span, left.ty), (right.span, right.ty), op_name(op))
    }

    fn check_operand(&self, findings: &mut Findings, op: BinOp, e: &Expr) -> Res<()> {
        let of = family(self, e.ty);
        let (fits, needs) = match class(op) {
            Class::Arithmetic if op == BinOp::Mod => (of == Family::Int, "integers"),
            Class::Arithmetic => (matches!(of, Family::Int | Family::Real), "numbers"),
            Class::Logical => (matches!(of, Family::Bool | Family::Bits), "BOOL or bit strings"),
            Class::ShortCircuit => (of == Family::Bool, "BOOL"),
            Class::Comparison => (!matches!(of, Family::Compound | Family::Opaque), "single values"),
        };
        if fits {
            return Ok(());
        }
        let name = self.type_name(e.ty);
        let help = match (class(op), of) {
            (Class::Arithmetic, Family::Bits) => self.number_for(e.ty).map(|to| format!("convert it with {name}_TO_{to}(…)")),
            (Class::Logical, Family::Int) => self.bits_for(e.ty).map(|to| {
                let from = self.type_name(base(self, e.ty));
                format!("convert it with {from}_TO_{to}(…)")
            }),
            (Class::Comparison, Family::Compound) => Some("compare the parts one by one".to_owned()),
            (Class::Arithmetic | Class::Logical | Class::ShortCircuit | Class::Comparison, _) => None,
        };
        let message = format!("{} needs {needs}, but this is of type {name}", op_name(op));
        Err(findings.error_with_help(codes::OPERAND_TYPE, e.span, message, format!("of type {name}"), help))
    }

    /// Returns the name of the unsigned integer as wide as a bit string.
    pub(crate) fn number_for(&self, ty: TypeId) -> Option<String> {
        Some(self.type_name(elementary::unsigned(self.int_type(ty)?.bits)))
    }

    /// Returns the name of the bit string as wide as an integer.
    pub(crate) fn bits_for(&self, ty: TypeId) -> Option<String> {
        Some(self.type_name(elementary::bits(self.int_type(ty)?.bits).unwrap_or(elementary::LWORD)))
    }
}

/// Returns AND and OR of truth values as AND_THEN and OR_ELSE, if the computation of the right side makes a difference.
fn short(mut e: Expr) -> Expr {
    if let ExprKind::Binary(op, _, right) = &mut e.kind
        && e.ty == elementary::BOOL
        && !is_harmless(right)
    {
        if *op == BinOp::And {
            *op = BinOp::AndThen;
        } else if *op == BinOp::Or {
            *op = BinOp::OrElse;
        }
    }
    e
}

/// Returns whether an expression may be skipped: it calls nothing and cannot fail.
fn is_harmless(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Read(place) => {
            place.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Member(_) | Elem::Bits { .. }))
        }
        ExprKind::Unary(_, a) => is_harmless(a),
        ExprKind::Binary(op, a, b) => !matches!(op, BinOp::Div | BinOp::Mod) && is_harmless(a) && is_harmless(b),
        ExprKind::Text(_) | ExprKind::Convert(..) | ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Arbitrary { .. } => {
            false
        }
    }
}

/// Returns an operation; comparisons give BOOL.
pub(crate) fn node(op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = match class(op) {
        Class::Arithmetic | Class::Logical => left.ty,
        Class::ShortCircuit | Class::Comparison => elementary::BOOL,
    };
    Expr::binary(op, left, right, ty, span)
}
