//! Invariants of a proof as SMT-LIB: one `define-fun` for each place. Parts that many places have are written once, with these
//! places in the symbol: `|part 3 at head, loops 1-2, 4|`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::sexp::Sexps;
use super::{Flaw, reading, shorten};
use crate::certify::PartSet;
use crate::certify::obligations::{loops, name_of};
use crate::certify::predicate::{Predicate, Symbols};
use crate::certify::script::Sorts;
use crate::certify::stated::Stated;
use crate::certify::summary;
use kernel::cfa::{Cfa, LocId};
use kernel::expr::ExprPool;
use plc_frontend::ids::Id;

/// Repetitions of parts that are written out.
const FEW: usize = 64;
/// First words of the symbol of a part with several places.
const PART: &str = "part ";
const AT: &str = " at ";
const HEAD: &str = "head";
const LOOPS: &str = "loops ";

/// Returns the definitions of all invariants, with the theories that they need.
///
/// Cost: linear in the distinct parts, and in the ranges of loops that have each.
pub(super) fn written(pool: &ExprPool, cfa: &Cfa, stated: &Stated) -> (String, Sorts) {
    let (symbols, mut sorts, mut text) = (Symbols::new(pool, &cfa.vars), Sorts::default(), String::new());
    let numbers: BTreeMap<LocId, usize> = loops(cfa).zip(1..).collect();
    let shared = shared(cfa, stated, &numbers);
    let mut of_all = PartSet::default();
    for (part, places) in shared {
        of_all.insert(part);
        let name = format!("|{PART}{}{AT}{places}|", part + 1);
        let _ = writeln!(text, "{}", stated.parts[part].definition(&name, &symbols, &mut sorts));
    }
    for (place, parts) in &stated.places {
        let own = parts.iter().filter(|part| !of_all.contains(*part));
        let own = Predicate::all(own.map(|part| &stated.parts[part]));
        let name = numbers.get(place).filter(|_| cfa.recursion.is_none() && *place != cfa.head).map(|n| of_loop(*n));
        let name = name.unwrap_or_else(|| name_of(cfa, *place));
        let _ = writeln!(text, "{}", own.definition(&name, &symbols, &mut sorts));
    }
    (text, sorts)
}

fn of_loop(n: usize) -> String {
    format!("|invariant loop {n}|")
}

/// Returns the parts that are written once, with their places as text.
///
/// There are none where few parts would be repeated, or where places are parts of summaries.
fn shared(cfa: &Cfa, stated: &Stated, numbers: &BTreeMap<LocId, usize>) -> BTreeMap<usize, String> {
    let n_written: usize = stated.places.values().map(PartSet::len).sum();
    if n_written <= stated.parts.len() + FEW || cfa.recursion.is_some() {
        return BTreeMap::new();
    }
    // Ranges of loops, by part. The head is loop 0 here.
    let mut ranges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); stated.parts.len()];
    let mut named: Vec<(usize, &PartSet)> = Vec::new();
    let mut elsewhere = PartSet::default();
    for (place, parts) in &stated.places {
        match numbers.get(place) {
            _ if *place == cfa.head => named.push((0, parts)),
            Some(n) => named.push((*n, parts)),
            None => parts.iter().for_each(|part| _ = elsewhere.insert(part)),
        }
    }
    named.sort_by_key(|(n, _)| *n);
    for (n, parts) in named {
        for part in parts.iter() {
            match ranges[part].last_mut() {
                Some((_, last)) if *last + 1 == n && 1 < n => *last = n,
                Some(_) | None => ranges[part].push((n, n)),
            }
        }
    }
    let several = |(part, ranges): &(usize, Vec<(usize, usize)>)| {
        !elsewhere.contains(*part) && (1 < ranges.len() || ranges.iter().any(|(first, last)| first < last))
    };
    ranges.into_iter().enumerate().filter(several).map(|(part, ranges)| (part, places(&ranges))).collect()
}

/// Returns the text of places.
fn places(ranges: &[(usize, usize)]) -> String {
    let (head, loops): (Vec<_>, Vec<_>) = ranges.iter().partition(|(first, _)| *first == 0);
    let range = |(first, last): &(usize, usize)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let loops = loops.iter().map(range).collect::<Vec<_>>().join(", ");
    let loops = (!loops.is_empty()).then(|| format!("{LOOPS}{loops}"));
    head.iter().map(|_| HEAD.to_owned()).chain(loops).collect::<Vec<_>>().join(", ")
}

/// Reads the invariants of a proof; the rest of the text is ignored.
///
/// Cost:  linear in the text, and in the places of each part.
/// Stops: a definition that cannot be read, a place that is not there, or two invariants for one place.
pub(super) fn read(pool: &ExprPool, cfa: &Cfa, sexps: &Sexps<'_>, stated: &mut Stated) -> Result<(), Flaw> {
    let symbols = Symbols::new(pool, &cfa.vars);
    let loops: Vec<LocId> = loops(cfa).collect();
    let mut parts = Reader { symbols: &symbols, numbers: BTreeMap::new(), stated };
    let mut defined = BTreeSet::new();
    for command in &sexps.top {
        let Some([define, name, params, sort, body]) = sexps.list(*command) else { continue };
        if sexps.atom(*define) != Some("define-fun") || sexps.atom(*sort) != Some("Bool") {
            continue;
        }
        let Some(name) = sexps.atom(*name) else { continue };
        let predicate = || reading::predicate(sexps, *params, *body, &symbols);
        if let Some(places) = name.strip_prefix(PART) {
            let unknown = || Flaw(format!("`{}` names no places of this program", shorten(name)));
            let places = named(cfa, &loops, places).ok_or_else(unknown)?;
            parts.add(&places, &predicate()?);
        } else if let Some(place) = place(cfa, &loops, name) {
            if !defined.insert(place) {
                return Err(Flaw(format!("it has two invariants for {place}")));
            }
            parts.add(&[place], &predicate()?);
        }
    }
    Ok(())
}

/// Reader of the parts of invariants. Equal ones get one number.
struct Reader<'r> {
    symbols: &'r Symbols,
    /// By text.
    numbers: BTreeMap<String, usize>,
    stated: &'r mut Stated,
}

impl Reader<'_> {
    fn add(&mut self, places: &[LocId], predicate: &Predicate) {
        let mut set = PartSet::default();
        for part in predicate.conjuncts() {
            let part = predicate.part(part, self.symbols);
            if part.is_true() {
                continue;
            }
            let text = part.definition("", self.symbols, &mut Sorts::default());
            let parts = &mut self.stated.parts;
            set.insert(*self.numbers.entry(text).or_insert_with(|| {
                parts.push(part);
                parts.len() - 1
            }));
        }
        for place in places {
            self.stated.places.entry(*place).or_default().extend(&set);
        }
    }
}

/// Returns the place of an invariant by its symbol: `invariant` (the head), `invariant loop 1` (the first loop inside of the cycle)
/// or `invariant l7`. Others are parts of summaries.
fn place(cfa: &Cfa, loops: &[LocId], name: &str) -> Option<LocId> {
    match name.strip_prefix("invariant") {
        None => summary::place(cfa, name),
        Some("") => Some(cfa.head),
        Some(other) => match other.strip_prefix(" loop ") {
            Some(n) => loops.get(n.parse::<usize>().ok()?.checked_sub(1)?).copied(),
            None => other.strip_prefix(" l")?.parse().ok().map(LocId::new),
        },
    }
}

/// Returns the places in the symbol of a part, after its first word.
fn named(cfa: &Cfa, loops: &[LocId], text: &str) -> Option<Vec<LocId>> {
    let (number, places) = text.split_once(AT)?;
    number.parse::<usize>().ok()?;
    let mut all = Vec::new();
    let mut of_loops = places;
    if let Some(rest) = places.strip_prefix(HEAD) {
        all.push(cfa.head);
        of_loops = rest.strip_prefix(", ").unwrap_or(rest);
    }
    if of_loops.is_empty() && !all.is_empty() {
        return Some(all);
    }
    for range in of_loops.strip_prefix(LOOPS)?.split(", ") {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        all.extend(loops.get(first.checked_sub(1)?..last).filter(|loops| !loops.is_empty())?);
    }
    Some(all)
}

#[cfg(test)]
mod tests;
