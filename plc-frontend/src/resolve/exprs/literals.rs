//! Literals: with a type prefix they have that type; without one they take the type their place asks for.

use crate::ast::{self, Literal};
use crate::hir::{DateKind, DateType, Expr, IntType, Project, RealType, Type, TypeId, Value};
use crate::resolve::exprs::dates;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::key;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Want;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family};
use crate::text::{Span, codes, suggestion};

impl Resolver<'_> {
    /// Returns a literal with the type of its prefix, or else with the wanted type.
    pub(crate) fn literal(&mut self, prefix: Option<&ast::Ident>, literal: &Literal, span: Span, want: Want) -> Res<Expr> {
        let Some(prefix) = prefix else { return self.unprefixed(literal, span, want) };
        let ty = self.named_type(prefix)?.ty;
        if let Literal::Variant(name) = literal {
            self.touch_parts(ty);
            return self.project.variant_of(&mut self.findings, ty, name, span);
        }
        let fits = match (literal, family(&self.project, ty)) {
            (Literal::Bool(_), Family::Bool)
            | (Literal::Int(_), Family::Bool | Family::Int | Family::Bits | Family::Real)
            | (Literal::Real(_), Family::Real)
            | (Literal::Duration { .. }, Family::Time)
            | (Literal::Date { .. }, Family::Date)
            | (Literal::String { .. }, Family::Text | Family::Char) => true,
            (Literal::Opaque(words), _) => return Err(self.opaque_literal(words, span)),
            (_, _) => false,
        };
        if !fits {
            let message = format!("this literal cannot be of type {}", self.project.type_name(ty));
            return Err(self.findings.error(codes::LITERAL_TYPE, span, message, "a value of another kind"));
        }
        let value = self.unprefixed(literal, span, Want::Ty(ty))?;
        if value.ty == ty || matches!(family(&self.project, ty), Family::Time | Family::Date | Family::Text) {
            return Ok(value);
        }
        let message = format!("this number is not a value of {}", self.project.type_name(ty));
        Err(self.findings.error(codes::LITERAL_RANGE, span, message, "0 and 1 are"))
    }

    fn unprefixed(&mut self, literal: &Literal, span: Span, want: Want) -> Res<Expr> {
        match literal {
            Literal::Bool(value) => Ok(Expr::literal(Value::Bool(*value), elementary::BOOL, span)),
            Literal::Int(value) => self.integer(*value, span, want),
            Literal::Real(digits) => self.project.real(&mut self.findings, digits, span, want),
            Literal::Duration { ns, long } => self.project.duration(&mut self.findings, *ns, *long, span, want),
            Literal::Variant(name) => {
                let message = format!("the enumeration of `{}` is missing", name.text);
                Err(self.findings.error(codes::LITERAL_TYPE, span, message, "no type before #"))
            }
            Literal::String { chars, wide } => self.types.text_literal(&mut self.project, chars, *wide, span, want),
            Literal::Date { kind, long, ns } => self.project.point(&mut self.findings, *kind, *long, *ns, span, want),
            Literal::Opaque(words) => Err(self.opaque_literal(words, span)),
        }
    }

    fn opaque_literal(&self, words: &str, span: Span) -> Bad {
        unsupported(span, words, "the statement is not modelled, so nothing after it is verified")
    }

    /// Returns an integer literal of the wanted type if it fits there, else of its default type.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type has numbers as values")]
    pub(crate) fn integer(&mut self, value: i128, span: Span, want: Want) -> Res<Expr> {
        let ty = match want {
            Want::Ty(ty) if self.names.is_reference(ty) => return Err(self.no_arithmetic(span)),
            Want::Ty(ty) => ty,
            Want::Any | Want::Unknown => match default_integer(value, value) {
                Some(ty) => ty,
                None => return Err(self.project.out_of_range(&mut self.findings, value, elementary::LINT, span)),
            },
        };
        match self.project.types[ty].ty.clone() {
            Type::Bool if value == 0 || value == 1 => Ok(Expr::literal(Value::Bool(value == 1), ty, span)),
            Type::Real(RealType::Real) => Ok(Expr::literal(Value::real(value as f32), ty, span)),
            Type::Real(RealType::LReal) => Ok(Expr::literal(Value::lreal(value as f64), ty, span)),
            Type::Char(_) | Type::Enum { .. } | Type::Int(_) | Type::Bits(_)
                if self.dialect.mixes() && self.project.wraps(value, ty) =>
            {
                let value = self.project.int_type(ty).map_or(value, |int| int.wrap(value));
                Ok(Expr::int(value, ty, span))
            }
            Type::Subrange { low, high, .. } if value < low || high < value => {
                Err(self.project.out_of_range(&mut self.findings, value, ty, span))
            }
            Type::Int(_) | Type::Bits(_) | Type::Subrange { .. } if self.project.has_integer(ty, value) => {
                Ok(Expr::int(value, ty, span))
            }
            Type::Int(_) | Type::Bits(_) | Type::Subrange { .. } => {
                Err(self.project.out_of_range(&mut self.findings, value, ty, span))
            }
            // Zero is the same in every unit.
            Type::Time | Type::LTime if value == 0 => Ok(Expr::int(value, ty, span)),
            Type::Time | Type::LTime if self.dialect.mixes() && self.project.wraps(value, ty) => Ok(Expr::int(value, ty, span)),
            Type::Time | Type::LTime => {
                let message = format!("{} needs a duration, and this is a number", self.project.type_name(ty));
                let help = Some(format!("write {}#{value}ms", if ty == elementary::TIME { "T" } else { "LTIME" }));
                Err(self.findings.error_with_help(codes::LITERAL_TYPE, span, message, "no unit of time", help))
            }
            Type::Enum { variants, .. } => {
                let message = format!("{} is an enumeration, and this is a number", self.project.type_name(ty));
                let help = variants.iter().find(|v| v.1 == value).map(|v| format!("write `{}`", v.0));
                Err(self.findings.error_with_help(codes::LITERAL_TYPE, span, message, "not one of its values", help))
            }
            _ => self.integer(value, span, Want::Any),
        }
    }
}

impl Project {
    /// Returns whether a number is a value of an integer-like type.
    fn has_integer(&self, ty: TypeId, value: i128) -> bool {
        self.int_type(ty).is_some_and(|int| int.holds(value))
    }

    /// Returns whether a number fits the width of this type, with or without a sign.
    fn wraps(&self, value: i128, ty: TypeId) -> bool {
        let Some(int) = self.int_type(ty) else { return false };
        let (signed, unsigned) = (crate::hir::IntType { signed: true, ..int }, crate::hir::IntType { signed: false, ..int });
        signed.min() <= value && value <= unsigned.max()
    }

    fn out_of_range(&self, findings: &mut Findings, value: i128, ty: TypeId, span: Span) -> Bad {
        let (low, high) = match (&self.types[ty].ty, self.int_type(ty)) {
            (Type::Subrange { low, high, .. }, _) => (*low, *high),
            (_, Some(format)) => (format.min(), format.max()),
            (_, None) => (0, 0),
        };
        let name = self.type_name(ty);
        let message = format!("{value} is outside of the range {low}..{high} of {name}");
        let wider =
            default_integer(value, value).filter(|&wider| wider != ty && !matches!(self.types[ty].ty, Type::Subrange { .. }));
        let help = wider.map(|wider| {
            let wider = self.type_name(wider);
            format!("use a type that holds it, for example {wider}: declare the variable so, or write {wider}#{value}")
        });
        findings.error_with_help(codes::LITERAL_RANGE, span, message, format!("does not fit {name}"), help)
    }

    fn real(&self, findings: &mut Findings, digits: &str, span: Span, want: Want) -> Res<Expr> {
        let ty = self.wanted(want, &[Family::Real]).unwrap_or(elementary::LREAL);
        let value = if ty == elementary::REAL {
            digits.parse::<f32>().ok().filter(|v| v.is_finite()).map(Value::real)
        } else {
            digits.parse::<f64>().ok().filter(|v| v.is_finite()).map(Value::lreal)
        };
        match value {
            Some(value) => Ok(Expr::literal(value, ty, span)),
            None => {
                let message = format!("{digits} is outside of the range of {}", self.type_name(ty));
                Err(findings.error(codes::LITERAL_RANGE, span, message, "too large"))
            }
        }
    }

    fn duration(&self, findings: &mut Findings, ns: i128, long: bool, span: Span, want: Want) -> Res<Expr> {
        let wants_long = matches!(want, Want::Ty(ty) if base(self, ty) == elementary::LTIME);
        let long = long || wants_long;
        let ty = if long { elementary::LTIME } else { elementary::TIME };
        if !long && ns % 1_000_000 != 0 {
            let message = "TIME counts whole milliseconds";
            let help = Some("use LTIME and LTIME#… for finer durations".to_owned());
            return Err(findings.error_with_help(codes::LITERAL_RANGE, span, message, "not a multiple of 1 ms", help));
        }
        let value = if long { ns } else { ns / 1_000_000 };
        if self.has_integer(ty, value) {
            return Ok(Expr::int(value, ty, span));
        }
        let (name, most) = match (long, self.unsigned_time) {
            (true, _) => ("LTIME", "about 292 years"),
            (false, false) => ("TIME", "T#24d20h31m23s647ms"),
            (false, true) => ("TIME", "T#49d17h2m47s295ms; it has no values below zero"),
        };
        let message = format!("this duration is outside of the range of {name}, which ends at {most}");
        let help = (!long).then(|| "use LTIME and LTIME#… for longer durations".to_owned());
        Err(findings.error_with_help(codes::LITERAL_RANGE, span, message, "too long", help))
    }

    /// Returns a date or time of day; it is long if a long one is wanted.
    fn point(&self, findings: &mut Findings, kind: DateKind, long: bool, ns: i128, span: Span, want: Want) -> Res<Expr> {
        let wants_long = want.ty().is_some_and(|ty| self.date_of(ty) == Some(DateType { kind, long: true }));
        let date = DateType { kind, long: long || wants_long };
        let (ty, unit) = (dates::type_of(date), dates::unit_ns(date));
        let name = self.type_name(ty);
        if ns % unit != 0 {
            let effect = format!("{name} does not count parts this small: nothing after a statement that uses it is verified");
            return Err(unsupported(span, format!("literal of {name} with a fraction of a second"), effect));
        }
        if self.has_integer(ty, ns / unit) {
            return Ok(Expr::int(ns / unit, ty, span));
        }
        let message = format!("this is outside of the range of {name}, which begins in 1970");
        Err(findings.error(codes::LITERAL_RANGE, span, message, "too early or too late"))
    }

    /// Returns the value `name` of the enumeration `ty`.
    pub(crate) fn variant_of(&self, findings: &mut Findings, ty: TypeId, name: &ast::Ident, span: Span) -> Res<Expr> {
        let type_name = self.type_name(ty);
        let Type::Enum { variants, .. } = &self.types[ty].ty else {
            let message = format!("{type_name} is not an enumeration and has no value `{}`", name.text);
            return Err(findings.error(codes::LITERAL_TYPE, span, message, "not an enumeration"));
        };
        if let Some(&(_, value)) = variants.iter().find(|v| key(&v.0) == key(&name.text)) {
            return Ok(Expr::literal(Value::Int(value), ty, span));
        }
        let help = suggestion(&name.text, variants.iter().map(|v| v.0.as_str())).unwrap_or_else(|| {
            let names: Vec<&str> = variants.iter().take(12).map(|v| v.0.as_str()).collect();
            format!("its values are {}{}", names.join(", "), if 12 < variants.len() { ", …" } else { "" })
        });
        let message = format!("{type_name} has no value `{}`", name.text);
        Err(findings.error_with_help(codes::UNKNOWN_PART, name.span, message, "not a value of the enumeration", Some(help)))
    }
}

/// Returns the smallest of INT, DINT, LINT (else ULINT) that holds all of `low..=high`.
pub(crate) fn default_integer(low: i128, high: i128) -> Option<TypeId> {
    const SIZES: [(u8, bool, TypeId); 4] =
        [(16, true, elementary::INT), (32, true, elementary::DINT), (64, true, elementary::LINT), (64, false, elementary::ULINT)];
    let fits = |bits, signed| IntType { bits, signed }.holds(low) && IntType { bits, signed }.holds(high);
    SIZES.into_iter().find(|(bits, signed, _)| fits(*bits, *signed)).map(|(_, _, ty)| ty)
}
