//! Declarations in place of those that left-out text may hold, so that no use finds another one of the name.

use std::collections::BTreeMap;

use super::emptied;
use super::lost_names::lost_names;
use crate::ast::{Ident, Item, Pou, PouKind, Unit};
use crate::lang::is_object;
use crate::library::DeclaredNames;
use crate::resolve::is_standard_function;
use crate::text::{Diagnostic, Key, Span, key};

/// Names that left-out text may declare.
#[derive(Default)]
pub(super) struct Lost {
    names: BTreeMap<Key, Lacking>,
    declared: DeclaredNames,
}

/// A name that left-out text may declare.
struct Lacking {
    /// The error that the text is left out for.
    error: Diagnostic,
    /// The name stands behind a word for declarations.
    is_declared: bool,
}

impl Lost {
    /// Adds the names that a text may declare; `file` is the name of a file whose own name counts.
    ///
    /// Soundness: a foreign file declares only what stands behind a word for declarations.
    pub(super) fn add(&mut self, text: &str, file: Option<&str>, is_foreign: bool, error: &Diagnostic) {
        // Nothing says which words are names of constants.
        self.declared.add_values(text);
        let mut found = lost_names(text);
        let file = file.filter(|file| !is_foreign || is_object(file, || None));
        if is_foreign {
            found.possible.clear();
        }
        let declared = |name: &Key| (name.clone(), found.declared.contains(name));
        let mut all: Vec<(Key, bool)> = found.possible.iter().chain(&found.declared).map(declared).collect();
        if let Some(file) = file {
            let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
            all.push((key(last.split('.').next().unwrap_or(last)), is_object(file, || None)));
        }
        for (name, is_declared) in all {
            self.declared.add_unit(&name);
            let lacking = self.names.entry(name).or_insert_with(|| Lacking { error: error.clone(), is_declared });
            lacking.is_declared |= is_declared;
        }
    }

    /// Adds each word of a text about a file that was not given.
    pub(super) fn add_words(&mut self, text: &str) {
        self.declared.add_words(text);
    }

    /// Adds any name: a file cannot be read.
    pub(super) fn add_everything(&mut self) {
        self.declared.add_everything();
    }

    /// Returns the names.
    pub(super) fn declared(&self) -> &DeclaredNames {
        &self.declared
    }

    /// Leaves out the declarations of these names, and declares those of standard functions and blocks without a meaning. Returns
    /// what is left out now.
    ///
    /// Soundness: nothing says which one of two declarations is meant, and none of the two is used.
    pub(super) fn declare(&mut self, units: &mut [Unit]) -> Vec<(String, Span, Diagnostic)> {
        let mut left_out = Vec::new();
        for (name, lacking) in &self.names {
            let mut is_there = false;
            for item in units.iter_mut().flat_map(|unit| &mut unit.items) {
                if item.name().is_none_or(|own| key(&own.text) != *name) {
                    continue;
                }
                is_there = true;
                let is_new = lacking.is_declared && empty(item);
                if let Some(own) = item.name().filter(|_| is_new) {
                    left_out.push((own.text.clone(), item.span(), lacking.error.clone()));
                }
            }
            if !is_there
                && let Some(kind) = standard(name)
                && let Some(unit) = units.iter_mut().find(|unit| unit.file == lacking.error.span().file)
            {
                unit.items.push(Item::Pou(without_meaning(kind, name, lacking.error.span())));
            }
        }
        left_out
    }
}

/// Leaves out a declaration; `false` if it is left out already, or is none of a POU or type.
fn empty(item: &mut Item) -> bool {
    match item {
        Item::Pou(pou) => emptied::pou(pou),
        Item::Type(decl) => emptied::type_decl(decl),
        Item::Interface(interface) => emptied::interface(interface),
        Item::Namespace(_) | Item::Globals(_) | Item::Configuration(_) | Item::Using(_) | Item::Unsupported(..) => false,
    }
}

/// Returns the kind of the standard POU of a name.
fn standard(name: &Key) -> Option<PouKind> {
    let is_block = crate::stdlib::SOURCES.iter().any(|(block, _)| key(block) == *name);
    if is_block {
        return Some(PouKind::FunctionBlock);
    }
    is_standard_function(name).then_some(PouKind::Function)
}

fn without_meaning(kind: PouKind, name: &str, span: Span) -> Pou {
    let mut pou = Pou::new(kind, Ident { text: name.to_owned(), span }, span);
    pou.result = (kind == PouKind::Function).then(|| emptied::opaque(span));
    emptied::pou(&mut pou);
    pou
}
