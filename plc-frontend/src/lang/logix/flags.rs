//! Math status flags: S:V, S:Z, S:N and S:C.
//!
//! Source: help of Studio 5000, "Math Status Flags": Z and N follow the value that a math or logical instruction stores, V says that it
//! does not fit. Rungs alone update them in newer controllers, all routines in older ones. The effect of each instruction is from its
//! page of 1756-RM003N, "Arithmetic Status Flags".
//!
//! Soundness: a flag has any value at the begin of each ladder routine and behind calls. So it has behind instructions whose effect is
//! not modelled or depends on the controller. Routines in other languages that read a flag are gaps.

use std::ops::Range;

use super::calls::Scope;
use super::expressions;
use super::ladder::Writer;
use super::operands::{Class, call_at, real_in};
use super::types::{Shape, integer};
use crate::ast::build::{binary, joined};
use crate::ast::{Expr, ExprKind, Ident, Item, Section, Stmt, StmtKind, TypeSpec, VarBlock, VarDecl};
use crate::hir::BinOp;
use crate::text::Span;

/// Flags as exports write them and as they are read, which no tag is called.
const FLAGS: &[(&str, &str)] = &[("S:V", OVERFLOW), ("S:Z", ZERO), ("S:N", NEGATIVE), ("S:C", CARRY)];

const OVERFLOW: &str = "V__";
const ZERO: &str = "Z__";
const NEGATIVE: &str = "N__";
const CARRY: &str = "C__";

/// Instructions that leave the flags as they are, and those whose statements have their effect on flags.
const KEPT_BY: &[&str] = &[
    "XIC", "XIO", "OTE", "OTL", "OTU", "ONS", "OSR", "OSF", "NOP", "AFI", "JMP", "LBL", "MCR", "TND", "RET", "SBR", "TON", "TOF",
    "RTO", "RES", "CTU", "CTD", "EQU", "EQ", "NEQ", "NE", "LES", "LT", "GRT", "GT", "LEQ", "LE", "GEQ", "GE", "LIM", "LIMIT",
    "MEQ", "CLR", "MOV", "MOVE", "NEG", "ABS", "ADD", "SUB", "MUL", "DIV", "MOD", "AND", "OR", "XOR", "NOT",
];

/// Those of them that compare numbers.
const COMPARISONS: &[&str] =
    &["EQU", "EQ", "NEQ", "NE", "LES", "LT", "GRT", "GT", "LEQ", "LE", "GEQ", "GE", "LIM", "LIMIT", "MEQ"];

/// Instructions whose REAL result says whether it fits into an integer.
const OF_REAL: &[&str] = &["MOV", "MOVE", "NEG", "ABS", "ADD", "SUB", "MUL", "DIV"];

/// Function of the library for the flag V of a REAL that becomes an integer.
pub(super) const OVERFLOWS: &str = "OVERFLOWS__REAL";

/// Returns the text with the names of flags as they are read, of the same length.
pub(super) fn named(text: &str) -> String {
    let mut named = text.to_owned();
    for (flag, name) in FLAGS {
        let places: Vec<usize> = named.match_indices(flag).map(|(at, _)| at).collect();
        for at in places {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
            let before = named.get(..at).and_then(|text| text.chars().next_back());
            let behind = named.get(at + flag.len()..).and_then(|text| text.chars().next());
            if !before.is_some_and(is_part) && !behind.is_some_and(is_part) {
                named.replace_range(at..at + flag.len(), name);
            }
        }
    }
    named
}

/// Returns whether a text, as it is read, has flags.
pub(super) fn are_in(text: &str) -> bool {
    // No word of a program ends with two underscores.
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let has = |name: &str| text.match_indices(name).any(|(at, _)| text.get(at + name.len()..).is_some_and(ends));
    FLAGS.iter().any(|(_, name)| has(name))
}

/// Returns whether a variable is a flag, as it is read.
pub(super) fn is_flag(name: &str) -> bool {
    FLAGS.iter().any(|(_, flag)| *flag == name)
}

/// Returns the declarations of the flags.
pub(super) fn declarations(span: Span) -> Item {
    let var = |name: &str| VarDecl::new(Ident::new(name, span), TypeSpec::named("BOOL", span), span);
    Item::Globals(VarBlock::new(Section::Global, FLAGS.iter().map(|(_, name)| var(name)).collect(), span))
}

/// Returns the flags as variables of a scope.
pub(super) fn shapes() -> impl Iterator<Item = (String, Shape)> {
    FLAGS.iter().map(|(_, name)| ((*name).to_owned(), Shape { ty: "BOOL".to_owned(), dimensions: Vec::new() }))
}

/// Returns statements behind which the flags have any values.
pub(super) fn unknown(span: Span) -> Vec<Stmt> {
    FLAGS.iter().map(|(_, name)| any(name, span)).collect()
}

impl Writer<'_> {
    /// Returns whether flags are not known behind an instruction.
    ///
    /// Source: 1756-RM006K, page 540. Expressions in subscripts set flags on controllers 5370 and 5570. So do conversions of operands
    /// with mixed types.
    pub(super) fn changes_flags(&self, instruction: &str, texts: &[Range<usize>]) -> bool {
        if !KEPT_BY.contains(&instruction) {
            return true;
        }
        let operands: Vec<Expr> = texts.iter().filter_map(|text| self.written(text)).collect();
        let are_equal = |types: Vec<Option<String>>| {
            types.iter().all(|ty| ty.as_deref() == Some("DINT")) || types.iter().all(|ty| ty.as_deref() == Some("REAL"))
        };
        let types = || operands.iter().map(|operand| self.type_of(operand)).collect();
        let is_mixed = COMPARISONS.contains(&instruction) && !are_equal(types());
        is_mixed || operands.into_iter().any(has_computed_index)
    }

    /// Returns the type of an operand; that of a number is DINT or REAL.
    fn type_of(&self, operand: &Expr) -> Option<String> {
        let is_name = matches!(operand.kind, ExprKind::Name(_));
        match self.scope.class(operand)? {
            _ if is_name => self.scope.shape(operand),
            Class::Integer => Some("DINT".to_owned()),
            Class::Real => Some("REAL".to_owned()),
            Class::Bit => None,
        }
    }
}

/// Returns whether an index of an operand is more than a number or tag.
fn has_computed_index(mut operand: Expr) -> bool {
    let ExprKind::Name(name) = &mut operand.kind else { return false };
    let mut found = false;
    expressions::of_path(name, &mut |e| found |= !matches!(e.kind, ExprKind::Name(_) | ExprKind::Literal(..)));
    found
}

fn any(name: &str, span: Span) -> Stmt {
    Stmt::assign(flag(name, span), call_at("SYSTEM__BOOL", Vec::new(), span), span)
}

fn flag(name: &str, span: Span) -> Expr {
    Expr::variable(Ident::new(name, span))
}

/// Knowledge about the flag V behind an instruction.
enum Fit {
    /// The value does not fit where this is TRUE.
    Unless(Expr),
    /// The value fits; where this is TRUE, nothing is known of any flag.
    KnownUnless(Expr),
    Unknown,
}

impl Scope<'_> {
    /// Returns the statements that store a number, and the flags behind them.
    pub(super) fn stored(&self, name: &str, operands: &[Expr], (target, value): (Expr, Expr), span: Span) -> Vec<Stmt> {
        if !self.shapes.uses_flags {
            return vec![Stmt::assign(target, value, span)];
        }
        let zero = || integer(0, span);
        let is = |name: &str, op: BinOp| Stmt::assign(flag(name, span), binary(op, target.clone(), zero(), span), span);
        let known = || vec![is(ZERO, BinOp::Eq), is(NEGATIVE, BinOp::Lt)];
        let lost = || vec![any(ZERO, span), any(NEGATIVE, span)];
        let carry = any(CARRY, span);
        let set = |value: Expr| Stmt::assign(flag(OVERFLOW, span), value, span);
        let fit = match real_in(&value) {
            Some(real) if OF_REAL.contains(&name) => self.fit_of_real(real, &target, span),
            Some(_) => Fit::Unknown,
            None => self.fit_of(name, operands, &target, span),
        };
        let store = Stmt::assign(target.clone(), value, span);
        match fit {
            // A value that does not fit: the sources tell of the result and of the value that is stored.
            Fit::Unless(outside) => {
                let either = StmtKind::If(vec![(flag(OVERFLOW, span), lost())], known());
                vec![set(outside), store, Stmt { kind: either, span }, carry]
            }
            Fit::KnownUnless(unknown) => {
                let mut lost = lost();
                lost.push(any(OVERFLOW, span));
                let either = StmtKind::If(vec![(flag(OVERFLOW, span), lost)], known());
                vec![set(unknown), store, Stmt { kind: either, span }, carry]
            }
            Fit::Unknown => std::iter::once(store).chain(unknown(span)).collect(),
        }
    }

    /// Returns whether a REAL fits into an integer when it is rounded.
    fn fit_of_real(&self, real: &Expr, target: &Expr, span: Span) -> Fit {
        let Some((low, high)) = self.shape(target).and_then(|ty| range_of(&ty)) else { return Fit::Unknown };
        let otherwise = call_at("SYSTEM__BOOL", Vec::new(), span);
        Fit::Unless(call_at(OVERFLOWS, vec![real.clone(), integer(low, span), integer(high, span), otherwise], span))
    }

    /// Returns whether the value of an instruction fits into its target.
    fn fit_of(&self, name: &str, operands: &[Expr], target: &Expr, span: Span) -> Fit {
        let Some((low, high)) = self.shape(target).and_then(|ty| range_of(&ty)) else { return Fit::Unknown };
        if operands.iter().any(|operand| self.class(operand) != Some(Class::Integer)) {
            return Fit::Unknown;
        }
        let is_wide = high == i128::from(i32::MAX);
        let never = || Expr::truth(false, span);
        let wide = |e: &Expr| call_at("DINT_TO_LINT", vec![e.clone()], span);
        let outside = |value: Expr| {
            let limits = [(BinOp::Lt, low), (BinOp::Gt, high)];
            let tests = limits.map(|(op, limit)| binary(op, value.clone(), integer(limit, span), span));
            joined(BinOp::Or, tests.into(), |_| span).unwrap_or_else(never)
        };
        match (name, operands) {
            ("CLR", _) => Fit::Unless(never()),
            ("MOV" | "MOVE", [source]) => Fit::Unless(if is_wide { never() } else { outside(wide(source)) }),
            ("NEG", [source]) => Fit::Unless(outside(binary(BinOp::Sub, integer(0, span), wide(source), span))),
            ("ABS", [source]) => Fit::Unless(outside(call_at("ABS", vec![wide(source)], span))),
            ("ADD", [left, right]) => Fit::Unless(outside(binary(BinOp::Add, wide(left), wide(right), span))),
            ("SUB", [left, right]) => Fit::Unless(outside(binary(BinOp::Sub, wide(left), wide(right), span))),
            ("MUL", [left, right]) => Fit::Unless(outside(binary(BinOp::Mul, wide(left), wide(right), span))),
            ("AND" | "OR" | "XOR", [_, _]) | ("NOT", [_]) if is_wide => Fit::Unless(never()),
            ("DIV" | "MOD", [_, divisor]) if is_wide => {
                let is = |n: i128| binary(BinOp::Eq, divisor.clone(), integer(n, span), span);
                Fit::KnownUnless(binary(BinOp::Or, is(0), is(-1), span))
            }
            _ => Fit::Unknown,
        }
    }
}

/// Returns the least and the greatest number of a type of integers.
pub(super) fn range_of(ty: &str) -> Option<(i128, i128)> {
    Some(match ty {
        "SINT" => (i8::MIN.into(), i8::MAX.into()),
        "INT" => (i16::MIN.into(), i16::MAX.into()),
        "DINT" => (i32::MIN.into(), i32::MAX.into()),
        _ => return None,
    })
}
