//! Selection of the declarations that a program needs.

use std::collections::{BTreeMap, BTreeSet};

use super::declaration::{Declaration, INDEX, Index};
use super::{Available, DeclaredNames, LIBRARIES, Library, UsedNames};

/// Returns the declarations that a program needs, as one text for each library.
///
/// Soundness: a declaration is left out if the program declares, or may declare, its name or a name that it uses. Of two
/// libraries with one name neither is taken.
///
/// Cost: one look-up for each name that the program uses.
pub(crate) fn needed(available: &Available, declared: &DeclaredNames, used: &UsedNames) -> Vec<(&'static Library, String)> {
    if declared.is_anything {
        return Vec::new();
    }
    let mut selection = Selection { index: &INDEX, available, declared, answers: BTreeMap::new() };
    let mut chosen = BTreeSet::new();
    for (at, closure) in selection.starts(used) {
        if chosen.insert(at) {
            chosen.extend(closure);
        }
    }
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    for declaration in chosen.iter().filter_map(|at| INDEX.declarations.get(*at)) {
        let text = texts.entry(declaration.library).or_default();
        text.push_str(declaration.text);
        text.push_str("\n\n");
    }
    texts.into_iter().filter_map(|(at, text)| Some((LIBRARIES.get(at)?, text))).collect()
}

struct Selection<'s> {
    index: &'s Index,
    available: &'s Available,
    declared: &'s DeclaredNames,
    /// Known closures of declarations; `None` where the program declares a name that one needs.
    answers: BTreeMap<usize, Option<BTreeSet<usize>>>,
}

impl Selection<'_> {
    /// Returns the declarations that the program names, each with those that it needs.
    fn starts(&mut self, used: &UsedNames) -> Vec<(usize, BTreeSet<usize>)> {
        let mut starts = Vec::new();
        let types = used.types.iter().filter(|name| !self.declared.units.contains(*name)).map(|name| (name, false));
        let values = used.values.iter().filter(|name| !self.declared.all.contains(*name)).map(|name| (name, true));
        for (name, is_value) in types.chain(values).collect::<Vec<_>>() {
            for at in self.of_name(name, is_value) {
                if let Some(closure) = self.closure(at) {
                    starts.push((at, closure));
                }
            }
        }
        starts
    }

    /// Returns the declarations of a name in the available libraries; none if several types or functions have it.
    fn of_name(&self, name: &str, is_value: bool) -> Vec<usize> {
        let is_available = |at: &usize| {
            let declaration = self.index.declarations.get(*at);
            declaration.is_some_and(|declaration| self.available.has(declaration.library))
        };
        let is_meant = |at: &usize| {
            let declaration = self.index.declarations.get(*at);
            declaration.is_some_and(|declaration| is_value || declaration.ty.as_deref() == Some(name))
        };
        let found = self.index.by_name.get(name).into_iter().flatten().copied();
        let found: Vec<usize> = found.filter(is_available).filter(is_meant).collect();
        if 1 < found.len() { Vec::new() } else { found }
    }

    /// Returns a declaration with all that it needs; `None` if the program declares one of their names.
    fn closure(&mut self, start: usize) -> Option<BTreeSet<usize>> {
        if let Some(known) = self.answers.get(&start) {
            return known.clone();
        }
        let mut found = BTreeSet::from([start]);
        let mut waiting = vec![start];
        let mut is_free = true;
        while let Some(declaration) = waiting.pop().and_then(|at| self.index.declarations.get(at)) {
            is_free &= self.is_free(declaration);
            for name in &declaration.uses.types {
                let more = self.of_name(name, false);
                waiting.extend(more.into_iter().filter(|at| found.insert(*at)));
            }
            for name in &declaration.uses.values {
                let more = self.of_name(name, true);
                waiting.extend(more.into_iter().filter(|at| found.insert(*at)));
            }
        }
        let answer = is_free.then_some(found);
        self.answers.insert(start, answer.clone());
        answer
    }

    /// Returns whether the program declares neither the name of a declaration, nor a type or function that it uses.
    fn is_free(&self, declaration: &Declaration) -> bool {
        let is_declared = |name: &String| self.declared.units.contains(name);
        let is_taken = declaration.ty.is_some() && declaration.ty.iter().any(is_declared);
        let is_value_taken = declaration.ty.is_none() && declaration.values.iter().any(|name| self.declared.all.contains(name));
        let uses_taken = declaration.uses.types.iter().chain(&declaration.uses.values).any(is_declared);
        !is_taken && !is_value_taken && !uses_taken
    }
}
