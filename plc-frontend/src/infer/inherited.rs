//! Members that blocks inherit from one that no file declares.
//!
//! A name in such a block is a member of the missing one if the resolution finds nothing else: [`places`]. Behind a dot,
//! `heir.Level`, it can be nothing else.
//!
//! Soundness: the name may also be that of a global variable of a missing file. Answers have the inferred declaration as a condition.

use super::facts::Part;
use super::missing::{heirs_of_missing, is_inside};
use super::tables::{Tables, base_key};
use super::typing::Found;
use super::uses::Collector;
use crate::ast::{Arg, Ident, Pou, Unit};
use crate::text::{INHERITED, Key, Ledger, SourceSet, Span, Treatment, key};
use std::collections::{BTreeMap, BTreeSet};

/// Places of names that blocks may inherit, with the block that may declare the name.
pub(super) type Inherited = BTreeMap<Span, Key>;

/// Returns the places of names that a resolution finds nowhere, in blocks that extend one whose declaration may lack members.
pub(super) fn places(ledger: &Ledger) -> Inherited {
    let gaps = ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    let base = |construct: &str| Some(key(construct.split_once(INHERITED)?.1.trim_matches('`')));
    gaps.filter_map(|gap| Some((gap.span, base(&gap.construct)?))).collect()
}

/// Returns the names at these places, by the place of the block around them.
pub(super) fn names(
    places: &Inherited,
    units: &[Unit],
    tables: &Tables<'_>,
    sources: &SourceSet,
) -> BTreeMap<Span, BTreeSet<Key>> {
    let mut names: BTreeMap<Span, BTreeSet<Key>> = BTreeMap::new();
    if places.is_empty() {
        return names;
    }
    for heir in heirs_of_missing(units, tables) {
        let inside = places.keys().filter(|place| is_inside(heir, **place));
        names.entry(heir).or_default().extend(inside.map(|place| key(sources.text(*place))));
    }
    names
}

impl<'a> Collector<'a, '_> {
    /// Returns the block without a declaration that a block extends.
    fn missing_base(&self, pou: &'a Pou) -> Option<Key> {
        let base = self.tables.chain(pou).last()?.extends.as_ref().and_then(base_key)?;
        self.missing.types.contains(&base).then_some(base)
    }

    /// Returns the block without a declaration from which the current block inherits a name.
    pub(super) fn base_of(&self, ident: &Ident) -> Option<Key> {
        let pou = self.scope.pou?;
        let names = self.missing.inherited.get(&pou.span)?;
        names.contains(&key(&ident.text)).then(|| self.missing_base(pou))?
    }

    /// Returns the type of a variable that the current block inherits.
    pub(super) fn inherited(&mut self, ident: &Ident) -> Found<'a> {
        match self.base_of(ident) {
            Some(base) => self.member(&base, ident),
            None => Found::Unknown,
        }
    }

    /// Returns the type of a part of a block, behind a dot, that no declared block has.
    pub(super) fn inherited_part(&mut self, pou: &'a Pou, field: &Ident) -> Found<'a> {
        let is_own = || {
            let named = |ident: &Ident| key(&ident.text) == key(&field.text);
            let declares = |pou: &&Pou| {
                let members = pou.methods.iter().map(|row| &row.name).chain(pou.actions.iter().map(|row| &row.name));
                members.into_iter().any(named)
            };
            self.tables.chain(pou).iter().any(declares) || field.text.eq_ignore_ascii_case("ENO")
        };
        match self.missing_base(pou).filter(|_| !is_own()) {
            Some(base) => self.member(&base, field),
            None => Found::Unknown,
        }
    }

    /// Returns the instance of the missing block, in an instance of one that extends it.
    pub(super) fn inherited_instance(&self, pou: &'a Pou, name: &Ident) -> Option<Found<'a>> {
        let is_action = |pou: &&Pou| pou.actions.iter().any(|action| key(&action.name.text) == key(&name.text));
        let base = self.missing_base(pou).filter(|_| !self.tables.chain(pou).iter().any(is_action))?;
        Some(Found::Slot((base, Part::Whole)))
    }

    /// Notes the inputs of a call of a block that no declared block has.
    pub(super) fn inherited_inputs(&mut self, pou: &'a Pou, args: &'a [Arg]) {
        let Some(base) = self.missing_base(pou) else { return };
        for arg in args {
            if let Arg::Input(name, e) = arg
                && !super::calls::is_enable(name)
                && self.tables.variable(pou, &key(&name.text)).is_none()
            {
                self.member(&base, name);
                self.fact(&base).initialised.insert(key(&name.text));
                self.flow_to(e, (base.clone(), Part::Member(key(&name.text))));
            }
        }
    }
}
