//! Conversion functions: `X_TO_Y`, `TO_Y`, `X_TRUNC_Y`, `TRUNC_Y`.

use crate::ast;
use crate::dialect::{Conversions, Dialect, Halves, RealBits, TimeNumbers};
use crate::hir::{BinOp, Builtin, Conversion, Expr, ExprKind, Project, TypeId};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::exprs::{expr, operators};
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Names, Slot, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{StandardCall, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, family, widened, widens};
use crate::text::{Span, codes};

/// Meaning of a conversion function's name.
#[derive(Clone, Copy)]
pub(crate) struct Named {
    how: How,
    from: Option<TypeInName>,
    to: TypeInName,
}

/// Way of a conversion.
#[derive(Clone, Copy)]
enum How {
    Convert,
    Truncate,
    /// `X_BCD_TO_Y`, `BCD_TO_Y`.
    FromBcd,
    /// `X_TO_BCD_Y`, `TO_BCD_Y`, `X_TO_BCD`.
    ToBcd,
}

/// A type in a conversion function's name.
#[derive(Clone, Copy)]
enum TypeInName {
    Type(TypeId),
    /// STRING, WSTRING, of any length; TRUE for a wide one.
    Text(bool),
    /// The type of the argument, or the one that the place asks for.
    Open,
    /// ANY …
    Opaque,
}

impl Named {
    /// Returns whether it converts from or to a type that is not modelled.
    pub(crate) fn is_opaque(self) -> bool {
        matches!(self.to, TypeInName::Opaque) || matches!(self.from, Some(TypeInName::Opaque))
    }
}

impl Resolver<'_> {
    /// Converts `e` to `ty` by implicit widening; `wanted` names the user of the value in the message ("the condition of IF").
    pub(crate) fn coerce(&mut self, e: Expr, ty: TypeId, wanted: &str) -> Res<Expr> {
        if e.ty == ty {
            return Ok(e);
        }
        if self.names.is_reference(ty) || self.names.is_reference(e.ty) {
            return self.as_reference(e, ty);
        }
        if widens(&self.project, e.ty, ty) {
            return Ok(widened(e, ty));
        }
        let e = match self.names.as_named(&self.project, e, ty) {
            Ok(named) => return Ok(named),
            Err(e) => e,
        };
        let e = match self.project.as_text(e, ty) {
            Ok(text) => return Ok(text),
            Err(e) => e,
        };
        if self.dialect.cuts(&self.project, e.ty, ty) {
            self.findings.ledger.count("implicit conversion that may cut a value");
            if self.dialect.conversions == Conversions::Reals {
                let is_real = family(&self.project, e.ty) == Family::Real;
                let behaviour = if is_real { Behaviour::ShortReal } else { Behaviour::RoundedInteger };
                self.findings.note_behaviour(self.dialect, behaviour, e.span);
            }
            return Ok(self.project.as_number(e, ty));
        }
        let (from, to) = (self.project.type_name(e.ty), self.project.type_name(ty));
        if self.dialect.mixes() && self.extends_one_another(e.ty, ty) {
            let effect = "the parts that both have are copied, which is not modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("{from} as a value of type {to}"), effect));
        }
        let help = self.project.conversion_help(e.ty, ty);
        let message = format!("{wanted} is of type {to}, but this is of type {from}");
        Err(self.findings.error_with_help(codes::TYPE_MISMATCH, e.span, message, format!("of type {from}"), help))
    }

    /// Resolves a call of a conversion function.
    pub(crate) fn convert_call(&mut self, call: StandardCall<'_>, named: Named, value: &ast::Expr) -> Res<Expr> {
        let StandardCall { scope, name, span, want } = call;
        let from = if let Some(TypeInName::Type(ty)) = named.from { Some(ty) } else { None };
        if let (How::Truncate, TypeInName::Type(to)) = (named.how, named.to) {
            return self.truncate(call, from, to, value);
        }
        let e = match (from, named.from) {
            (Some(from), _) => self.expr_as(scope, value, from, "the argument")?,
            (None, Some(TypeInName::Text(_))) => {
                let e = self.expr(scope, value, Want::Any)?;
                self.require(&e, &[Family::Text, Family::Char], name, "a string")?;
                e
            }
            (None, _) => self.expr(scope, value, Want::Any)?,
        };
        if self.names.is_reference(e.ty) {
            return Err(self.no_arithmetic(span));
        }
        match (named.how, named.to) {
            (How::FromBcd, TypeInName::Type(to)) => self.bcd(Builtin::FromBcd, e, Some(to), span),
            (How::ToBcd, TypeInName::Type(to)) => self.bcd(Builtin::ToBcd, e, Some(to), span),
            (How::ToBcd, TypeInName::Open) => {
                let to = self.project.wanted(want, &[Family::Bits]);
                self.bcd(Builtin::ToBcd, e, to, span)
            }
            (How::Convert | How::Truncate, TypeInName::Type(to)) => self.converted(call, e, to),
            (How::Convert, TypeInName::Text(wide)) => {
                let to = match want {
                    Want::Ty(ty) if self.project.text(ty).is_some_and(|text| (text.bits == 16) == wide) => ty,
                    Want::Ty(_) | Want::Any | Want::Unknown => {
                        let length = self.project.text(e.ty).map_or(self.dialect.default_length(), |text| text.length);
                        self.types.text(&mut self.project, wide, length, span)
                    }
                };
                self.converted(call, e, to)
            }
            (How::FromBcd | How::ToBcd | How::Truncate | How::Convert, _) => Err(Bad::Reported),
        }
    }

    /// Returns the explicit conversion of `e` to `to`.
    fn converted(&mut self, call: StandardCall<'_>, e: Expr, to: TypeId) -> Res<Expr> {
        let span = call.span;
        self.project.check_convertible(&mut self.findings, e.ty, e.span)?;
        self.project.check_convertible(&mut self.findings, to, span)?;
        let convert = |e: Expr| Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(e)), to, span);
        match (family(&self.project, e.ty), family(&self.project, to)) {
            (Family::Text, Family::Text) | (Family::Char, Family::Text) => match self.project.as_text(e, to) {
                Ok(e) => Ok(e),
                Err(e) => self.approximate(call, convert(e)),
            },
            (Family::Text, Family::Char) => Ok(convert(e)),
            (Family::Text, Family::Date) => self.without_value(call, &e, to),
            (_, Family::Text)
                if call.scope.uses != Uses::Constant
                    && let Some(spelled) = self.number_text(&e, to) =>
            {
                Ok(spelled)
            }
            (Family::Text, to) => {
                let effect = self.project.of_text_effect(to);
                self.approximate_as(call, convert(e), effect)
            }
            (_, Family::Text) => self.approximate(call, convert(e)),
            (Family::Date, Family::Date) => match (self.project.date_of(e.ty), self.project.date_of(to)) {
                (Some(from), Some(date)) => self.project.convert_date(e, from, date, span),
                (_, _) => Err(Bad::Reported),
            },
            (Family::Time | Family::Date, _) | (_, Family::Time | Family::Date)
                if self.dialect.time_numbers == TimeNumbers::Seconds && e.ty != to =>
            {
                self.in_seconds(call, e, to)
            }
            (_, _) => Ok(self.dialect.convert(&self.project, e, to, span)),
        }
    }

    /// Returns `e` as a value of `to`, with numbers in seconds: between TIME and integers or bit strings. Fractions of a second
    /// of a REAL, and times of day, are not supported here.
    fn in_seconds(&mut self, call: StandardCall<'_>, e: Expr, to: TypeId) -> Res<Expr> {
        let span = call.span;
        let thousand = |ty: TypeId| Expr::int(1000, ty, span);
        let is_number = |ty: TypeId| matches!(family(&self.project, ty), Family::Int | Family::Bits);
        if e.ty == elementary::TIME && is_number(to) {
            let milliseconds = self.dialect.convert(&self.project, e, elementary::DINT, span);
            let seconds = operators::node(BinOp::Div, milliseconds, thousand(elementary::DINT), span);
            return Ok(self.dialect.convert(&self.project, seconds, to, span));
        }
        if is_number(e.ty) && to == elementary::TIME {
            let seconds = self.dialect.convert(&self.project, e, elementary::LINT, span);
            let milliseconds = operators::node(BinOp::Mul, seconds, thousand(elementary::LINT), span);
            return Ok(self.dialect.convert(&self.project, milliseconds, to, span));
        }
        if e.ty == elementary::TIME && to == elementary::BOOL {
            return Ok(self.dialect.convert(&self.project, e, to, span));
        }
        self.without_value(call, &e, to)
    }

    /// Returns an arbitrary value of a conversion that the interpreter cannot compute.
    fn without_value(&mut self, call: StandardCall<'_>, argument: &Expr, ty: TypeId) -> Res<Expr> {
        if !expr::repeatable(argument) {
            let effect = "the function is not modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(call.span, call.name.to_uppercase(), effect));
        }
        let mut e = self.approximate(call, Expr::int(0, ty, call.span))?;
        if let ExprKind::Arbitrary { concrete, .. } = &mut e.kind {
            *concrete = None;
        }
        Ok(e)
    }

    /// Converts between a number and its decimal digits in groups of four bits.
    fn bcd(&mut self, f: Builtin, mut e: Expr, to: Option<TypeId>, span: Span) -> Res<Expr> {
        let (digits, number) = ("a bit string", "an unsigned integer");
        let to = match (f == Builtin::FromBcd, to) {
            (true, Some(to)) => {
                self.require(&e, &[Family::Bits], "a conversion from BCD", digits)?;
                to
            }
            (_, to) => {
                self.require(&e, &[Family::Int], "a conversion to BCD", number)?;
                let width = self.project.int_type(e.ty).map_or(64, |int| int.bits);
                if self.project.int_type(e.ty).is_some_and(|int| int.signed) {
                    e = e.converted(Conversion::Convert, elementary::unsigned(width));
                }
                to.or_else(|| elementary::bits(width)).unwrap_or(elementary::LWORD)
            }
        };
        let fits = if f == Builtin::FromBcd { Family::Int } else { Family::Bits };
        if family(&self.project, to) != fits {
            let (name, needs) = (self.project.type_name(to), if f == Builtin::FromBcd { number } else { digits });
            let message = format!("BCD conversion gives {needs}, and {name} is none");
            return Err(self.findings.error(codes::OPERAND_TYPE, span, message, "this type"));
        }
        Ok(Expr::new(ExprKind::Builtin(f, vec![e]), to, span))
    }

    /// Truncates toward zero: from REAL or LREAL to an integer type.
    pub(crate) fn truncate(&mut self, call: StandardCall<'_>, from: Option<TypeId>, to: TypeId, value: &ast::Expr) -> Res<Expr> {
        let e = match from {
            Some(from) => self.expr_as(call.scope, value, from, "the argument")?,
            None => self.expr(call.scope, value, Want::Any)?,
        };
        if let (true, Family::Int, Family::Int) = (self.dialect.mixes(), family(&self.project, e.ty), family(&self.project, to)) {
            // Up to 16 bits, REAL has every value on the way.
            if self.project.int_type(e.ty).is_some_and(|int| int.bits <= 16) {
                return Ok(self.project.as_number(e, to));
            }
            let effect = "whether it becomes REAL on the way is not known: nothing after the statement in the cycle is verified";
            return Err(unsupported(call.span, "TRUNC of an integer with more than 16 bits", effect));
        }
        self.require(&e, &[Family::Real], "TRUNC", "REAL or LREAL")?;
        if family(&self.project, to) != Family::Int {
            let message = format!("TRUNC gives an integer, and {} is none", self.project.type_name(to));
            return Err(self.findings.error(codes::OPERAND_TYPE, call.span, message, "not an integer type"));
        }
        Ok(Expr::new(ExprKind::Convert(Conversion::Truncate, Box::new(e)), to, call.span))
    }
}

impl Names {
    /// Returns the conversion of a name, if it is that of a conversion function.
    pub(crate) fn conversion(&self, project: &Project, name: &str) -> Option<Named> {
        let upper = name.to_ascii_uppercase();
        const WORDS: [(&str, How); 5] = [
            ("BCD_TO_", How::FromBcd),
            ("TO_BCD_", How::ToBcd),
            ("TO_BCD", How::ToBcd),
            ("TO_", How::Convert),
            ("TRUNC_", How::Truncate),
        ];
        for (word, how) in WORDS {
            if let Some(to) = upper.strip_prefix(word).and_then(|to| self.type_in_name(project, to, how)) {
                return Some(Named { how, from: None, to });
            }
            for (at, _) in upper.match_indices(&format!("_{word}")) {
                let (from, to) = (&upper[..at], &upper[at + 1 + word.len()..]);
                if let (Some(from), Some(to)) =
                    (self.type_in_name(project, from, How::Convert), self.type_in_name(project, to, how))
                {
                    return Some(Named { how, from: Some(from), to });
                }
            }
        }
        None
    }

    fn type_in_name(&self, project: &Project, name: &str, how: How) -> Option<TypeInName> {
        match (name, how) {
            ("", How::ToBcd) => return Some(TypeInName::Open),
            ("STRING", How::Convert) => return Some(TypeInName::Text(false)),
            ("WSTRING", How::Convert) => return Some(TypeInName::Text(true)),
            _ => {}
        }
        if let Some(ty) = elementary::by_name(name) {
            return Some(TypeInName::Type(ty));
        }
        if let Some(&index) = self.types.get(&key(name)) {
            return match &self.declared[index] {
                // Structures have no conversions: a function of that name is declared by the user.
                Slot::Done(typed) if family(project, typed.ty) == Family::Compound => None,
                Slot::Done(typed) => Some(TypeInName::Type(typed.ty)),
                Slot::Waiting | Slot::Busy | Slot::Broken => None,
            };
        }
        elementary::opaque(name).map(|_| TypeInName::Opaque)
    }
}

impl Dialect {
    /// Returns the conversion of `e` to `to`. The dialect decides whether DWORD and REAL, or LWORD and LREAL, exchange their
    /// bits.
    fn convert(&self, project: &Project, e: Expr, to: TypeId, span: Span) -> Expr {
        let through = match (self.real_bits, e.ty, to) {
            (RealBits::Converted, elementary::REAL, elementary::DWORD) => Some(elementary::UDINT),
            (RealBits::Converted, elementary::LREAL, elementary::LWORD) => Some(elementary::ULINT),
            (RealBits::Converted, elementary::DWORD, elementary::REAL) => Some(elementary::UDINT),
            (RealBits::Converted, elementary::LWORD, elementary::LREAL) => Some(elementary::ULINT),
            (RealBits::Converted | RealBits::Transferred, _, _) => None,
        };
        let one = |e: Expr, ty: TypeId| Expr::new(ExprKind::Convert(self.nearest(project, e.ty, ty), Box::new(e)), ty, span);
        match through {
            Some(number) => one(one(e, number), to),
            None => one(e, to),
        }
    }

    /// Returns the conversion of a number to `to`: rounding if it is a REAL and the dialect rounds halves away from zero.
    fn nearest(&self, project: &Project, from: TypeId, to: TypeId) -> Conversion {
        let rounds = family(project, from) == Family::Real && project.int_type(to).is_some();
        match self.halves {
            Halves::AwayFromZero if rounds => Conversion::Round,
            Halves::AwayFromZero | Halves::ToEven => Conversion::Convert,
        }
    }
}

impl Project {
    /// Returns the effect on the ledger of converting strings to values of this family.
    fn of_text_effect(&self, to: Family) -> &'static str {
        match (to, self.converts_beginning) {
            (Family::Int | Family::Bits, true) => {
                "a number of the type's range at the beginning of the string is computed, and 0 for words and nothing: for any \
                 other string the model allows every value, and no violation is shown"
            }
            (Family::Int, false) => {
                "a string that is a decimal number of the type's range is computed: for any other the model allows every value, \
                 and no violation is shown, since each controller has a rule of its own"
            }
            (Family::Bool, _) => {
                "'TRUE' and 'FALSE' are computed: for strings whose value depends on the controller the model allows both, and \
                 no violation is shown"
            }
            (_, _) => {
                "the model allows every value here: proofs hold, and a violation counts only for strings that are plain literals"
            }
        }
    }

    fn check_convertible(&self, findings: &mut Findings, ty: TypeId, span: Span) -> Res<()> {
        let family = family(self, ty);
        if family == Family::Opaque {
            return Err(self.opaque_value(ty, span));
        }
        if family == Family::Compound {
            let message = format!("values of type {} are not converted", self.type_name(ty));
            return Err(findings.error(codes::OPERAND_TYPE, span, message, "not a single value"));
        }
        Ok(())
    }
}
