//! Types of the parts of missing declarations, from the types that their uses imply.

use super::facts::{Evidence, Facts, Flow, Kind, Part, Slot};
use super::typing::Ty;
use crate::text::{Key, key};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the types of all parts whose uses agree.
pub(super) fn decide(facts: &BTreeMap<Key, Facts>) -> BTreeMap<Slot, Ty> {
    let mut decided = BTreeMap::new();
    for (name, row) in facts {
        let has_whole = matches!(row.kind(), Kind::Alias | Kind::Enumeration | Kind::Global);
        for (part, evidence) in &row.evidence {
            if (*part == Part::Whole) != has_whole {
                continue;
            }
            if let Some(ty) = of(evidence) {
                decided.insert((name.clone(), part.clone()), ty);
            }
        }
        let whole = (name.clone(), Part::Whole);
        if row.kind() == Kind::Enumeration && decided.get(&whole).is_none_or(|ty| rank(ty).is_none()) {
            decided.insert(whole, Ty::named("INT"));
        }
    }
    // A type may name another missing one, which then needs a declaration.
    let has_declaration = |name: &str| facts.get(name).is_none_or(|row| row.kind() != Kind::Function);
    decided.retain(|_, ty| names(ty).iter().all(|name| has_declaration(name)));
    decided
}

/// Returns the names of types in a type.
fn names(ty: &Ty) -> Vec<Key> {
    match ty {
        Ty::Named(name) => vec![key(name)],
        Ty::Array(_, inner) | Ty::Pointer(inner) | Ty::Reference(inner) => names(inner),
        Ty::Int | Ty::Real | Ty::Text(..) | Ty::Local => Vec::new(),
    }
}

/// Returns the type that the uses of a part imply; `None` if they imply none, or several.
///
/// Values that flow out of the part decide: the narrowest of their targets takes each of its values.
fn of(evidence: &BTreeSet<Evidence>) -> Option<Ty> {
    let is_literal = |ty: &Ty| matches!(ty, Ty::Int | Ty::Real);
    let along = |flow: Flow| evidence.iter().filter(move |row| row.0 == flow && !is_literal(&row.1)).map(|row| &row.1);
    let literals: BTreeSet<&Ty> = evidence.iter().map(|row| &row.1).filter(|ty| is_literal(ty)).collect();
    let typed: Vec<&Ty> = evidence.iter().map(|row| &row.1).filter(|ty| !is_literal(ty)).collect();
    let Some(widest) = folded(typed.iter().copied()) else {
        return match (typed.is_empty(), literals.contains(&Ty::Real), literals.is_empty()) {
            (true, true, _) => Some(Ty::named("LREAL")),
            (true, false, false) => Some(Ty::named("DINT")),
            (_, _, _) => None,
        };
    };
    let narrow = along(Flow::Out).min_by_key(|ty| rank(ty).map(|(_, bits)| bits));
    let chosen = match narrow {
        Some(narrow) if rank(narrow).is_some() => narrow.clone(),
        Some(_) | None => folded(along(Flow::In)).unwrap_or(widest),
    };
    literals.into_iter().all(|literal| common(&chosen, literal).as_ref() == Some(&chosen)).then_some(chosen)
}

/// Returns the type that takes values of all these types.
fn folded<'t>(types: impl Iterator<Item = &'t Ty>) -> Option<Ty> {
    let mut all: Option<Ty> = None;
    for ty in types {
        all = Some(match all {
            None if *ty == Ty::Local => return None,
            None => ty.clone(),
            Some(before) => common(&before, ty)?,
        });
    }
    all
}

/// Families of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Signed,
    Unsigned,
    Real,
    Bits,
}

/// Types of numbers, with their families and widths.
const NUMBERS: &[(&str, Family, u8)] = &[
    ("SINT", Family::Signed, 8),
    ("INT", Family::Signed, 16),
    ("DINT", Family::Signed, 32),
    ("LINT", Family::Signed, 64),
    ("USINT", Family::Unsigned, 8),
    ("UINT", Family::Unsigned, 16),
    ("UDINT", Family::Unsigned, 32),
    ("ULINT", Family::Unsigned, 64),
    ("REAL", Family::Real, 32),
    ("LREAL", Family::Real, 64),
    ("BYTE", Family::Bits, 8),
    ("WORD", Family::Bits, 16),
    ("DWORD", Family::Bits, 32),
    ("LWORD", Family::Bits, 64),
];

fn rank(ty: &Ty) -> Option<(Family, u8)> {
    let Ty::Named(name) = ty else { return None };
    NUMBERS.iter().find(|row| row.0 == name).map(|row| (row.1, row.2))
}

fn number(family: Family, bits: u8) -> Option<Ty> {
    NUMBERS.iter().find(|row| row.1 == family && row.2 == bits).map(|row| Ty::named(row.0))
}

/// Returns whether a type is one of numbers.
pub(super) fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Int | Ty::Real) || rank(ty).is_some_and(|(family, _)| family != Family::Bits)
}

/// Returns whether a type is one of integers or bits.
pub(super) fn is_integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Int) || rank(ty).is_some_and(|(family, _)| family != Family::Real)
}

/// Returns the narrowest type that takes values of both types.
pub(super) fn common(a: &Ty, b: &Ty) -> Option<Ty> {
    use Family::{Bits, Real, Signed, Unsigned};
    if a == &Ty::Local || b == &Ty::Local {
        return None;
    }
    if a == b {
        return Some(a.clone());
    }
    match (a, b) {
        (Ty::Named(a_name), Ty::Named(b_name)) if key(a_name) == key(b_name) => return Some(a.clone()),
        (Ty::Text(a_wide, a_len), Ty::Text(b_wide, b_len)) if a_wide == b_wide => {
            return Some(Ty::Text(*a_wide, a_len.zip(*b_len).map(|(a, b)| a.max(b)).or(*a_len).or(*b_len)));
        }
        (Ty::Int, Ty::Real) | (Ty::Real, Ty::Int) => return Some(Ty::Real),
        (Ty::Int, other) | (other, Ty::Int) => return rank(other).map(|_| other.clone()),
        (Ty::Real, other) | (other, Ty::Real) => return (rank(other)?.0 == Real).then(|| other.clone()),
        (_, _) => {}
    }
    let ((a_family, a_bits), (b_family, b_bits)) = (rank(a)?, rank(b)?);
    match (a_family, b_family) {
        (a, b) if a == b => number(a, a_bits.max(b_bits)),
        (Signed, Unsigned) => number(Signed, a_bits.max(b_bits.saturating_mul(2)).min(64)),
        (Unsigned, Signed) => number(Signed, b_bits.max(a_bits.saturating_mul(2)).min(64)),
        (Real, Signed | Unsigned) => number(Real, if 16 < b_bits { 64 } else { a_bits }),
        (Signed | Unsigned, Real) => number(Real, if 16 < a_bits { 64 } else { b_bits }),
        (Bits, _) | (_, Bits) | (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_that_agree_imply_a_type() {
        let check = |rows: &[(Flow, Ty)], expected: Option<&str>| {
            let evidence: BTreeSet<Evidence> = rows.iter().cloned().collect();
            assert_eq!(of(&evidence), expected.map(Ty::named), "{rows:?}");
        };
        let named = Ty::named;
        check(&[(Flow::In, named("INT"))], Some("INT"));
        check(&[(Flow::In, named("INT")), (Flow::In, named("DINT"))], Some("DINT"));
        check(&[(Flow::In, named("USINT")), (Flow::In, named("INT")), (Flow::In, Ty::Int)], Some("INT"));
        check(&[(Flow::Out, named("INT")), (Flow::Out, named("DINT"))], Some("INT"));
        check(&[(Flow::Out, named("INT")), (Flow::Peer, named("LINT"))], Some("INT"));
        check(&[(Flow::Peer, named("TIME"))], Some("TIME"));
        check(&[(Flow::Peer, Ty::Int)], Some("DINT"));
        check(&[(Flow::In, Ty::Int), (Flow::Peer, Ty::Real)], Some("LREAL"));
        check(&[(Flow::In, named("BOOL")), (Flow::Out, named("INT"))], None);
        check(&[(Flow::In, named("INT")), (Flow::In, Ty::Real)], None);
        check(&[(Flow::In, named("INT")), (Flow::In, Ty::Local)], None);
        check(&[(Flow::In, Ty::Local)], None);
        check(&[], None);
    }
}
