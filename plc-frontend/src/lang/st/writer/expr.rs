//! Expressions, paths, arguments.

use super::Writer;
use crate::ast::{Arg, Expr, ExprKind, Literal, Name, NameElem};
use crate::hir::printer::{Strength, duration, op_name, point, quoted, strength_of, tighter};
use crate::hir::{DateType, UnOp};
use crate::lang::st::parse_expression;
use crate::text::Span;

impl Writer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> &mut Self {
        match &expr.kind {
            ExprKind::Literal(prefix, value) => {
                let text = self.literal(prefix.as_ref().map(|p| p.text.as_str()), value, expr.span);
                self.put(&text)
            }
            ExprKind::Name(name) => self.name(name),
            ExprKind::Address(text) => self.put(text),
            ExprKind::Call(name, args) => match args.as_slice() {
                [Arg::Positional(base), Arg::Positional(exponent)] if self.is_power(name) => {
                    self.operand(base, Strength::Atom).put(" ** ").operand(exponent, Strength::Atom)
                }
                _ => self.name(name).args(args),
            },
            ExprKind::Unary(UnOp::Neg, operand) => self.put("-").operand(operand, Strength::Atom),
            ExprKind::Unary(UnOp::Not, operand) => self.put("NOT ").operand(operand, Strength::Atom),
            ExprKind::Binary(op, left, right) => {
                let strength = strength_of(*op);
                self.operand(left, strength).put(&format!(" {} ", op_name(*op))).operand(right, tighter(strength))
            }
            ExprKind::Error => self.cannot("an expression that could not be read", expr.span),
        }
    }

    /// Writes an operand, in parentheses unless it binds at least this tightly.
    fn operand(&mut self, operand: &Expr, least: Strength) -> &mut Self {
        if self.strength(operand) < least { self.put("(").expr(operand).put(")") } else { self.expr(operand) }
    }

    fn strength(&self, expr: &Expr) -> Strength {
        match &expr.kind {
            ExprKind::Binary(op, ..) => strength_of(*op),
            ExprKind::Unary(..) => Strength::Sign,
            // `-5` without the type's name binds like a sign.
            ExprKind::Literal(None, Literal::Int(value)) if *value < 0 => Strength::Sign,
            ExprKind::Literal(None, Literal::Real(digits)) if digits.starts_with('-') => Strength::Sign,
            ExprKind::Call(name, args) if args.len() == 2 && self.is_power(name) => Strength::Sign,
            ExprKind::Literal(..) | ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Call(..) | ExprKind::Error => {
                Strength::Atom
            }
        }
    }

    /// Returns whether a call was written as `a ** b`, which is read as a call of EXPT.
    fn is_power(&self, name: &Name) -> bool {
        self.sources.text(name.root.span) == "**"
    }

    /// Returns a literal in its own spelling, if that is read as this value; else in its usual form.
    fn literal(&mut self, prefix: Option<&str>, value: &Literal, span: Span) -> String {
        let spelled = self.sources.text(span).trim();
        if spelled.len() < 1000
            && !spelled.starts_with('(')
            && let Some(Expr { kind: ExprKind::Literal(found_prefix, found), .. }) = parse_expression(span.file, spelled).value
            && found_prefix.as_ref().map(|p| p.text.as_str()) == prefix
            && is_same(&found, value)
        {
            return spelled.to_owned();
        }
        let prefix = prefix.map_or(String::new(), |p| format!("{p}#"));
        match value {
            Literal::Bool(true) => format!("{prefix}TRUE"),
            Literal::Bool(false) => format!("{prefix}FALSE"),
            Literal::Int(i) => format!("{prefix}{i}"),
            Literal::Real(digits) => format!("{prefix}{digits}"),
            Literal::Duration { ns, long } => duration(if *long { "LT" } else { "T" }, *ns),
            Literal::Variant(name) => format!("{prefix}{}", name.text),
            Literal::String { chars, wide } => format!("{prefix}{}", quoted(chars, *wide)),
            Literal::Date { kind, long, ns } => {
                let text = point(DateType { kind: *kind, long: true }, *ns);
                text.get(usize::from(!long)..).unwrap_or("").to_owned()
            }
            Literal::Opaque(what) => {
                if self.is_logix || spelled.is_empty() || spelled.contains(['&', '<']) {
                    self.cannot(what, span);
                }
                spelled.to_owned()
            }
        }
    }

    pub(super) fn name(&mut self, name: &Name) -> &mut Self {
        self.ident(&name.root);
        for elem in &name.path {
            match elem {
                NameElem::Field(field) => self.put(".").put(&field.text),
                NameElem::Index(indices, _) => self.put("[").list(indices, |w, index| w.expr(index)).put("]"),
                NameElem::Bits { number, width: 1, .. } => self.put(&format!(".{number}")),
                NameElem::Bits { number, width, .. } => {
                    let unit = match width {
                        8 => "B",
                        16 => "W",
                        _ => "D",
                    };
                    self.put(&format!(".%{unit}{number}"))
                }
                NameElem::Deref(_) => self.put("^"),
                NameElem::Call(args, _) => self.args(args),
            };
        }
        self
    }

    /// Writes `(a, b := 1, NOT c => d)`
    pub(super) fn args(&mut self, args: &[Arg]) -> &mut Self {
        self.put("(");
        self.list(args, |w, arg| match arg {
            Arg::Positional(value) => w.expr(value),
            Arg::Input(name, value) => w.ident(name).put(" := ").expr(value),
            Arg::Output { name, target, negated } => {
                w.put(if *negated { "NOT " } else { "" }).ident(name).put(" =>");
                if let Some(target) = target { w.put(" ").expr(target) } else { w }
            }
        });
        self.put(")")
    }
}

/// Returns whether two literals have one value; variants stand at different places.
fn is_same(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Variant(a), Literal::Variant(b)) => a.text == b.text,
        (_, _) => a == b,
    }
}
