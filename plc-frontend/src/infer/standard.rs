//! Results of standard functions, and types that their calls imply.

use super::facts::Flow;
use super::typing::{Found, Ty};
use super::uses::Collector;
use crate::ast::{Arg, Expr, Ident};
use crate::resolve::elementary_name;

/// Functions whose arguments and result have one type.
const OF_ONE_TYPE: &[&str] = &["ADD", "SUB", "AND", "OR", "XOR", "MOD", "MIN", "MAX", "LIMIT", "MOVE", "ABS", "NOT"];
/// Comparisons.
const COMPARISONS: &[&str] = &["GT", "GE", "EQ", "LE", "LT", "NE"];
/// Functions of strings with a string as result.
const TEXTS: &[&str] = &["LEFT", "RIGHT", "MID", "CONCAT", "INSERT", "DELETE", "REPLACE"];
/// Functions of a real number.
const REALS: &[&str] = &["SQRT", "LN", "LOG", "EXP", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN"];

impl<'a> Collector<'a, '_> {
    /// Returns the type of the result of a standard function.
    pub(super) fn standard(&mut self, name: &'a Ident, args: &'a [Arg], wanted: Option<&Ty>) -> Found<'a> {
        let number = wanted.filter(|ty| super::evidence::is_number(ty) || ty.is_bool());
        let upper = name.text.to_ascii_uppercase();
        let is = |names: &[&str]| names.contains(&upper.as_str());
        let values: Vec<&'a Expr> = args.iter().filter_map(input).collect();
        if is(OF_ONE_TYPE) {
            return self.alike(&values, number);
        }
        if is(COMPARISONS) {
            self.alike(&values, None);
            return Found::Ty(Ty::named("BOOL"));
        }
        match (upper.as_str(), values.as_slice()) {
            ("SEL", [selector, rest @ ..]) => {
                self.value(selector, Some(&Ty::named("BOOL")));
                return self.alike(rest, wanted);
            }
            ("MUX", [selector, rest @ ..]) => {
                self.value(selector, Some(&Ty::Int));
                return self.alike(rest, wanted);
            }
            ("SHL" | "SHR" | "ROL" | "ROR", [value, n]) => {
                self.value(n, Some(&Ty::Int));
                return self.value(value, None);
            }
            ("ADR", [value]) => {
                let found = self.value(value, None);
                return match self.ty(&found) {
                    Some(Ty::Local) | None => Found::Unknown,
                    Some(ty) => Found::Ty(Ty::Pointer(Box::new(ty))),
                };
            }
            ("TIME", []) => return Found::Ty(Ty::named("TIME")),
            (_, _) => {}
        }
        if let Some((from, to)) = conversion(&upper) {
            values.iter().for_each(|value| drop(self.value(value, from.as_ref())));
            return Found::Ty(to);
        }
        let text = if is(TEXTS) || is(&["LEN", "FIND"]) { Some(Ty::Text(false, None)) } else { None };
        let mut first = Found::Unknown;
        for (at, value) in values.iter().enumerate() {
            let found = self.value(value, text.as_ref().filter(|_| at == 0));
            first = if at == 0 { found } else { first };
        }
        match upper.as_str() {
            "LEN" | "FIND" => Found::Ty(Ty::named("INT")),
            "TRUNC" => Found::Ty(Ty::named("DINT")),
            _ if is(TEXTS) => Found::Ty(Ty::Text(false, None)),
            _ if is(REALS) => first,
            _ => Found::Unknown,
        }
    }

    /// Notes that values have one type, and returns it. Their common type is not wider than the wanted one.
    pub(super) fn alike(&mut self, values: &[&'a Expr], wanted: Option<&Ty>) -> Found<'a> {
        let all: Vec<Found<'a>> = values.iter().map(|value| self.value(value, wanted)).collect();
        let mut known: Option<Ty> = None;
        for ty in all.iter().filter_map(|found| self.ty(found)) {
            known = Some(match known {
                None => ty,
                Some(before) => super::evidence::common(&before, &ty).unwrap_or(Ty::Local),
            });
        }
        for found in &all {
            if let Found::Slot(slot) = found {
                self.record(slot.clone(), Flow::Peer, known.clone());
            }
        }
        known.map_or(Found::Unknown, Found::Ty)
    }
}

fn input(arg: &Arg) -> Option<&Expr> {
    match arg {
        Arg::Positional(e) | Arg::Input(_, e) => Some(e),
        Arg::Output { .. } => None,
    }
}

/// Returns the types of `A_TO_B` or `TO_B`.
fn conversion(name: &str) -> Option<(Option<Ty>, Ty)> {
    let ty = |word: &str| match word {
        "STRING" => Some(Ty::Text(false, None)),
        "WSTRING" => Some(Ty::Text(true, None)),
        word => elementary_name(word).map(Ty::named),
    };
    if let Some(to) = name.strip_prefix("TO_") {
        return Some((None, ty(to)?));
    }
    let (from, to) = name.split_once("_TO_")?;
    Some((ty(from), ty(to)?))
}
