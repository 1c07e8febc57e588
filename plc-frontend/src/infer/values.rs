//! Missing names of values: global variables, lists of them, constants, and enumerations in front of their values.

use super::facts::{Facts, Flow, Part};
use super::typing::{Found, Ty};
use super::uses::Collector;
use crate::ast::walk::{self, Node};
use crate::ast::{Expr, ExprKind, Ident, Section, TypeSpec, VarBlock};
use crate::text::{Key, key};

/// Returns the key of a name as one of a value. No name of a type has a blank.
pub(super) fn value_key(name: &str) -> Key {
    format!("{} =", key(name))
}

/// Returns whether a key is one of a value.
pub(super) fn is_value(key: &str) -> bool {
    key.ends_with(" =")
}

impl<'a> Collector<'a, '_> {
    /// Returns the slot of a missing name at the beginning of a path.
    pub(super) fn value_root(&mut self, root: &Ident, has_field: bool) -> Found<'a> {
        let name = key(&root.text);
        let is_enumeration = has_field && self.missing.types.contains(&name);
        // It may be inherited from a block that no file declares.
        let is_own = self.scope.pou.is_none_or(|pou| self.tables.is_whole(pou));
        let is_value = is_own && self.missing.values.contains(&name);
        if !is_enumeration && !is_value {
            return Found::Unknown;
        }
        if is_enumeration {
            self.note(&name, root).has_values = true;
        }
        let facts = self.value_fact(root);
        facts.uses.insert(root.span);
        facts.has_values |= is_enumeration;
        Found::Slot((value_key(&name), Part::Whole))
    }

    fn value_fact(&mut self, ident: &Ident) -> &mut Facts {
        let facts = self.fact(&value_key(&ident.text));
        if !facts.is_value {
            facts.is_value = true;
            facts.spelling.clone_from(&ident.text);
        }
        facts
    }

    /// Notes a value that is a constant by the rules of the language, and the type beside it.
    pub(super) fn named_constant(&mut self, of: &Found<'a>, value: &'a Expr) {
        let ExprKind::Name(name) = &value.kind else { return };
        if !name.path.is_empty() {
            return;
        }
        // The name may be reported as missing only when the type has a declaration.
        match self.path(name, &name.path) {
            Found::Slot((value, Part::Whole)) if is_value(&value) => self.fact(&value).is_constant = true,
            Found::Unknown => {}
            Found::Spec(_) | Found::Ty(_) | Found::Block(_) | Found::Slot(_) => return,
        }
        if let Found::Slot((ty, Part::Whole)) = of
            && !is_value(ty)
        {
            self.fact(ty).has_named_values = true;
        }
    }

    /// Notes the labels of a CASE, which stand behind its selector.
    pub(super) fn labels(&mut self, all: &[&'a Expr]) {
        let Some((selector, labels)) = all.split_first() else { return };
        let selected = self.value(selector, None);
        labels.iter().for_each(|label| self.named_constant(&selected, label));
        self.are_integers(all);
    }

    /// Notes that the selector and the labels of a CASE are integers, if none has another type.
    fn are_integers(&mut self, all: &[&'a Expr]) {
        let found: Vec<Found<'a>> = all.iter().map(|e| self.value(e, None)).collect();
        let types: Vec<Ty> = found.iter().filter_map(|found| self.ty(found)).collect();
        if !types.iter().all(super::evidence::is_integer) {
            return;
        }
        for found in found {
            if let Found::Slot(slot) = found {
                self.record(slot, Flow::Peer, Some(Ty::Int));
            }
        }
    }

    /// Notes constants in the bounds and lengths of a written type.
    pub(super) fn bounds(&mut self, spec: &'a TypeSpec) {
        walk::type_spec(spec, &mut |node| {
            if let Node::Expr(e) = node {
                self.value(e, Some(&Ty::Int));
            }
        });
    }

    /// Notes the type that a VAR_EXTERNAL section states for a missing global variable.
    pub(super) fn externals(&mut self, block: &'a VarBlock) {
        if block.section != Section::External {
            return;
        }
        for var in block.vars.iter().filter(|var| self.missing.values.contains(&key(&var.name.text))) {
            let found = self.of_spec(&var.ty);
            let ty = self.ty(&found).filter(|ty| *ty != Ty::Local).and_then(|ty| super::text::to_st(&ty));
            let constant = block.constant;
            let facts = self.value_fact(&var.name);
            facts.uses.insert(var.name.span);
            facts.external.get_or_insert_with(|| (ty.unwrap_or_else(|| crate::text::UNKNOWN.to_owned()), constant));
        }
    }
}

impl Facts {
    /// Returns whether a missing value is probably a constant: no statement writes it, and its name is one of a constant.
    pub(super) fn keeps_value(&self) -> bool {
        let is_written = self.is_written || self.members.values().any(|(_, is_written)| *is_written);
        let is_upper = |name: &str| !name.chars().any(|c| c.is_lowercase());
        let is_named = match self.external {
            Some((_, constant)) => constant,
            None if self.is_constant => true,
            None if self.members.is_empty() => is_upper(&self.spelling),
            None => {
                let words = self.spelling.to_ascii_lowercase();
                let is_list = words.contains("const") || words.starts_with("e_");
                self.has_values || is_list || self.members.values().all(|(name, _)| is_upper(name))
            }
        };
        is_named && !is_written
    }
}
