//! Declarations of standard functions in the library `operator` of Automation Studio.
//!
//! The library declares the operators of the standard with generic types. Such a declaration has no statements and says nothing that
//! the standard does not say. As a POU of the program it would hide the standard function.

use crate::ast::{Body, Item, Pou, PouKind, TypeSpec, TypeSpecKind, Unit};
use crate::text::SourceSet;

/// Functions whose parameters in the library have the names of the standard.
///
/// ADR and ADRINST give a number there. EXPT and TRUNC have a result of another type. Those stay stubs.
const OPERATORS: &[&str] = &[
    "ABS", "ACOS", "ADD", "ASIN", "ATAN", "COS", "DIV", "EQ", "EXP", "GE", "GT", "LE", "LIMIT", "LN", "LOG", "LT", "MAX", "MIN",
    "MOVE", "MUL", "MUX", "NE", "ROL", "ROR", "SEL", "SHL", "SHR", "SIN", "SQRT", "SUB", "TAN",
];

/// Generic types in the declarations.
const GENERIC: &[&str] = &["ANY", "ANY_NUM", "ANY_INT", "ANY_REAL", "ANY_BIT"];

/// Leaves out the declarations of standard functions, and notes them as ignored.
///
/// Soundness: only functions without statements that have a generic type are left out. No function of a user has one.
pub(super) fn leave_out(units: &mut [Unit], sources: &SourceSet) {
    for unit in units {
        let name = sources.files.get(unit.file).map_or("", |file| file.name.as_str());
        if !is_library(name) {
            continue;
        }
        let (operators, rest) = std::mem::take(&mut unit.items).into_iter().partition(is_operator);
        unit.items = rest;
        let operators: Vec<Item> = operators;
        for item in &operators {
            unit.ignore(item.span(), "declaration of a standard function", "the standard function is meant");
        }
    }
}

fn is_library(file: &str) -> bool {
    file.rsplit(['/', '\\']).next().is_some_and(|name| name.eq_ignore_ascii_case("operator.fun"))
}

fn is_operator(item: &Item) -> bool {
    let Item::Pou(pou) = item else { return false };
    pou.kind == PouKind::Function
        && OPERATORS.iter().any(|operator| operator.eq_ignore_ascii_case(&pou.name.text))
        && matches!(&pou.body, Body::Statements(stmts) if stmts.is_empty())
        && has_generic_type(pou)
}

fn has_generic_type(pou: &Pou) -> bool {
    let is_generic = |ty: &TypeSpec| {
        let TypeSpecKind::Name(name) = &ty.kind else { return false };
        GENERIC.iter().any(|generic| generic.eq_ignore_ascii_case(&name.text))
    };
    pou.vars.iter().flat_map(|block| &block.vars).any(|var| is_generic(&var.ty))
}
