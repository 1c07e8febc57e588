//! Families of types, and implicit conversions: those of the standard's figure, and no other.
//!
//! SINT→INT→DINT→LINT, USINT→UINT→UDINT→ULINT, USINT→INT, UINT→DINT, UDINT→LINT; integers of up to 16 bits → REAL, of up to 32
//! bits → LREAL; REAL→LREAL; BOOL→BYTE→WORD→DWORD→LWORD; TIME→LTIME. A subrange is its base here.

use crate::hir::{Conversion, Expr, Project, RealType, Type, TypeId};
use crate::resolve::findings::{Bad, Findings};
use crate::resolve::scope::Want;
use crate::resolve::types::elementary;
use crate::text::{Diagnostic, Span, codes};

/// Families of scalar types that a rule can require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Bool,
    Int,
    Bits,
    Real,
    Time,
    Enum,
    Date,
    /// CHAR, WCHAR, a character of a string.
    Char,
    Text,
    /// Arrays, structures, instances.
    Compound,
    Opaque,
}

/// Returns `ty`, or the base of a subrange.
pub(crate) fn base(project: &Project, ty: TypeId) -> TypeId {
    if let Type::Subrange { base, .. } = &project.types[ty].ty { *base } else { ty }
}

/// Returns the family of `ty`; a subrange belongs to its base's.
pub(crate) fn family(project: &Project, ty: TypeId) -> Family {
    match &project.types[ty].ty {
        Type::Bool => Family::Bool,
        Type::Int(_) | Type::Subrange { .. } => Family::Int,
        Type::Bits(_) => Family::Bits,
        Type::Real(_) => Family::Real,
        Type::Time | Type::LTime => Family::Time,
        Type::Enum { .. } => Family::Enum,
        Type::Date(_) => Family::Date,
        Type::Char(_) => Family::Char,
        Type::Array { .. } if project.text(ty).is_some() => Family::Text,
        Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) => Family::Compound,
        Type::Opaque(_) => Family::Opaque,
    }
}

/// Returns whether values of `from` become values of `to` implicitly.
pub(crate) fn widens(project: &Project, from: TypeId, to: TypeId) -> bool {
    let (from, to) = (base(project, from), base(project, to));
    if from == to {
        return true;
    }
    match (&project.types[from].ty, &project.types[to].ty) {
        (Type::Int(a), Type::Int(b)) => a.bits < b.bits && (a.signed == b.signed || b.signed),
        (Type::Int(a), Type::Real(RealType::Real)) => a.bits <= 16,
        (Type::Int(a), Type::Real(RealType::LReal)) => a.bits <= 32,
        (Type::Real(RealType::Real), Type::Real(RealType::LReal)) | (Type::Bool, Type::Bits(_)) | (Type::Time, Type::LTime) => {
            true
        }
        (Type::Bits(a), Type::Bits(b)) => a < b,
        (Type::Date(a), Type::Date(b)) => a.kind == b.kind && b.long,
        // A character of a string and a CHAR.
        (Type::Char(a), Type::Char(b)) => a == b,
        (_, _) => false,
    }
}

/// Returns the narrowest type both widen to.
pub(crate) fn common(project: &Project, a: TypeId, b: TypeId) -> Option<TypeId> {
    let (a, b) = (base(project, a), base(project, b));
    if widens(project, a, b) {
        return Some(b);
    }
    if widens(project, b, a) {
        return Some(a);
    }
    (elementary::BOOL.0..=elementary::LTIME.0).map(TypeId).find(|&c| widens(project, a, c) && widens(project, b, c))
}

impl Project {
    /// Returns the wanted type, if it belongs to one of these families.
    pub(crate) fn wanted(&self, want: Want, families: &[Family]) -> Option<TypeId> {
        want.ty().filter(|ty| families.contains(&family(self, *ty)))
    }

    /// Returns the advice how to convert from `from` to `to`.
    pub(crate) fn conversion_help(&self, from: TypeId, to: TypeId) -> Option<String> {
        let name = |ty: TypeId| self.types[base(self, ty)].name.clone();
        let (from_family, to_family) = (family(self, from), family(self, to));
        match (from_family, to_family) {
            (Family::Compound | Family::Opaque, _) | (_, Family::Compound | Family::Opaque) => None,
            (Family::Text, Family::Text) => None,
            (Family::Text, Family::Bool) => Some("compare it with a text: `… = 'on'`".to_owned()),
            (Family::Enum, Family::Bool) => Some("compare it with one of its values: `… = …`".to_owned()),
            (Family::Text, _) => Some(format!("convert it with STRING_TO_{}(…)", name(to)?)),
            (_, Family::Text) => Some(format!("convert it with {}_TO_STRING(…)", name(from)?)),
            (Family::Enum, Family::Enum) => Some("values of different enumerations are not compared or assigned".to_owned()),
            (Family::Enum, Family::Date | Family::Char) | (Family::Date | Family::Char, Family::Enum) => None,
            (Family::Enum, Family::Int | Family::Bits | Family::Real | Family::Time) => {
                Some(format!("TO_{}(…) gives the number of the enumeration value", name(to)?))
            }
            (Family::Bool | Family::Int | Family::Bits | Family::Real | Family::Time, Family::Enum) => Some(match name(to) {
                Some(name) => format!("name one of the enumeration's values: {name}#…"),
                None => "name one of the enumeration's values".to_owned(),
            }),
            (Family::Int, Family::Bool) => Some(format!("compare it (`… <> 0`), or convert it with {}_TO_BOOL(…)", name(from)?)),
            (Family::Real, Family::Bool) => Some("compare it with a number: `… > 0.0`".to_owned()),
            (Family::Time, Family::Bool) => Some("compare it with a duration: `… > T#0s`".to_owned()),
            (Family::Date | Family::Char, Family::Bool) => Some("compare it with a value of its type".to_owned()),
            (_, _) => Some(format!("convert it with {}_TO_{}(…)", name(from)?, name(to)?)),
        }
    }

    /// Reports operands without a common type; the message names both.
    pub(crate) fn no_common_type(
        &self,
        findings: &mut Findings,
        span: Span,
        a: (Span, TypeId),
        b: (Span, TypeId),
        what: &str,
    ) -> Bad {
        let (left, right) = (self.type_name(a.1), self.type_name(b.1));
        let help = self.conversion_help(b.1, a.1);
        let message = format!("{what} needs operands of one type, but these are of types {left} and {right}");
        let here = "no implicit conversion between the operands";
        let diagnostic = Diagnostic::error(codes::NO_COMMON_TYPE, span, message, here);
        let mut diagnostic = diagnostic.label(a.0, format!("of type {left}")).label(b.0, format!("of type {right}"));
        diagnostic.help = help;
        findings.report(diagnostic);
        Bad::Reported
    }
}

/// Returns `e` widened to `ty`, or `e` itself if it has that type.
pub(crate) fn widened(e: Expr, ty: TypeId) -> Expr {
    if e.ty == ty { e } else { e.converted(Conversion::Widen, ty) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::types::elementary::*;

    #[test]
    fn each_family_widens_as_the_standard_says_and_not_otherwise() {
        let project = project();
        let check = |from: &str, expected: &str| {
            let from_id = by_name(from).unwrap();
            let found: Vec<&str> = names().filter(|to| widens(&project, from_id, by_name(to).unwrap())).collect();
            assert_eq!(found.join(" "), expected, "{from}");
        };
        check("BOOL", "BOOL BYTE WORD DWORD LWORD");
        check("SINT", "SINT INT DINT LINT REAL LREAL");
        check("INT", "INT DINT LINT REAL LREAL");
        check("DINT", "DINT LINT LREAL");
        check("LINT", "LINT");
        check("USINT", "INT DINT LINT USINT UINT UDINT ULINT REAL LREAL");
        check("UINT", "DINT LINT UINT UDINT ULINT REAL LREAL");
        check("UDINT", "LINT UDINT ULINT LREAL");
        check("ULINT", "ULINT");
        check("BYTE", "BYTE WORD DWORD LWORD");
        check("WORD", "WORD DWORD LWORD");
        check("DWORD", "DWORD LWORD");
        check("LWORD", "LWORD");
        check("REAL", "REAL LREAL");
        check("LREAL", "LREAL");
        check("TIME", "TIME LTIME");
        check("LTIME", "LTIME");
    }

    #[test]
    fn the_common_type_is_the_narrowest_both_widen_to() {
        let project = project();
        let check = |a, b, expected| {
            assert_eq!(common(&project, a, b), expected, "{a} {b}");
            assert_eq!(common(&project, b, a), expected, "{b} {a}");
        };
        check(INT, INT, Some(INT));
        check(INT, DINT, Some(DINT));
        check(INT, UINT, Some(DINT));
        check(SINT, USINT, Some(INT));
        check(DINT, UDINT, Some(LINT));
        check(LINT, ULINT, None);
        check(INT, REAL, Some(REAL));
        check(DINT, REAL, Some(LREAL));
        check(LINT, REAL, None);
        check(BOOL, WORD, Some(WORD));
        check(INT, WORD, None);
        check(BOOL, INT, None);
        check(TIME, LTIME, Some(LTIME));
        check(TIME, DINT, None);
    }
}
