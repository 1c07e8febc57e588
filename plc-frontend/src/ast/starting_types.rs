//! Types whose variables call a function when they begin to live: by an initial value in the type, or in a type inside of it.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{InitialCall, MemberNames};
use super::{Initializer, Item, Name, Section, TypeSpec, TypeSpecKind, Unit, VarBlock};
use crate::text::{Key, key};

/// Decides whether a call may run code of the user.
type IsOfUser<'f> = &'f dyn Fn(&InitialCall<'_>) -> bool;

/// Declared types and blocks whose variables call a function when they begin to live.
#[derive(Default)]
pub(crate) struct StartingTypes {
    names: BTreeSet<Key>,
}

impl StartingTypes {
    /// Finds the types of a program.
    ///
    /// Soundness: types of one name in different namespaces count as one. Cost: linear in the declarations.
    pub(crate) fn find(units: &[Unit], members: &MemberNames, is_of_user: IsOfUser<'_>) -> StartingTypes {
        let mut items: Vec<&Item> = Vec::new();
        let mut waiting: Vec<&Item> = units.iter().flat_map(|unit| &unit.items).collect();
        while let Some(item) = waiting.pop() {
            match item {
                Item::Type(_) | Item::Pou(_) => items.push(item),
                Item::Namespace(namespace) => waiting.extend(&namespace.items),
                Item::Globals(_) | Item::Interface(_) | Item::Configuration(_) | Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
        let declarations: Vec<Declaration<'_>> = items.into_iter().filter_map(Declaration::of).collect();
        let calls = |init: &Initializer| members.calls_of(init).iter().any(is_of_user);
        let calling = declarations.iter().filter(|declaration| declaration.values.iter().any(|init| calls(init)));
        let mut found: Vec<Key> = calling.map(|declaration| declaration.name.clone()).collect();
        if found.is_empty() {
            return StartingTypes::default();
        }
        // Declarations that use a type or block by value.
        let mut users: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
        for declaration in &declarations {
            for used in declaration.types.iter().flat_map(|ty| names_in(ty)).chain(declaration.base.clone()) {
                users.entry(used).or_default().push(declaration.name.clone());
            }
        }
        let mut names = BTreeSet::new();
        while let Some(name) = found.pop() {
            found.extend(users.remove(&name).unwrap_or_default());
            names.insert(name);
        }
        StartingTypes { names }
    }

    /// Returns whether a variable of this type calls a function when it begins to live, by a declared type.
    pub(crate) fn holds(&self, ty: &TypeSpec) -> bool {
        !self.names.is_empty() && names_in(ty).iter().any(|name| self.names.contains(name))
    }
}

/// Type or block, with the parts of its variables.
struct Declaration<'a> {
    name: Key,
    /// Types of the variables inside.
    types: Vec<&'a TypeSpec>,
    /// Initial values inside.
    values: Vec<&'a Initializer>,
    base: Option<Key>,
}

impl<'a> Declaration<'a> {
    fn of(item: &'a Item) -> Option<Self> {
        let last = |name: &Name| name.idents().last().map(|ident| key(&ident.text));
        if let Item::Type(decl) = item {
            let values = decl.init.iter().chain(defaults(&decl.ty)).collect();
            let base = decl.extends.as_ref().and_then(last);
            return Some(Declaration { name: key(&decl.name.text), types: vec![&decl.ty], values, base });
        }
        let Item::Pou(pou) = item else { return None };
        let of_methods = pou.methods.iter().flat_map(|method| &method.vars).filter(|block| block.section == Section::Inst);
        let sections = pou.vars.iter().filter(|block| lives_with_owner(block)).chain(of_methods);
        let vars: Vec<_> = sections.flat_map(|block| &block.vars).collect();
        let values = vars.iter().flat_map(|var| var.init.iter().chain(defaults(&var.ty))).collect();
        let (types, base) = (vars.iter().map(|var| &var.ty).collect(), pou.extends.as_ref().and_then(last));
        Some(Declaration { name: key(&pou.name.text), types, values, base })
    }
}

/// Returns whether the variables of a section are inside of each instance.
fn lives_with_owner(block: &VarBlock) -> bool {
    match block.section {
        Section::Var | Section::Input | Section::Output | Section::Stat | Section::Inst => true,
        Section::InOut | Section::Temp | Section::External | Section::Global | Section::Config | Section::Access => false,
    }
}

/// Returns the initial values written inside of a type.
pub(crate) fn defaults(ty: &TypeSpec) -> Vec<&Initializer> {
    let (mut values, mut waiting) = (Vec::new(), vec![ty]);
    while let Some(ty) = waiting.pop() {
        if let TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) = &ty.kind {
            values.extend(fields.iter().filter_map(|field| field.init.as_ref()));
            waiting.extend(fields.iter().map(|field| &field.ty));
        } else if let TypeSpecKind::Array(_, elem) = &ty.kind {
            waiting.push(elem);
        }
    }
    values
}

/// Returns the last names of the types that a type holds by value.
fn names_in(ty: &TypeSpec) -> Vec<Key> {
    let (mut names, mut waiting) = (Vec::new(), vec![ty]);
    while let Some(ty) = waiting.pop() {
        if let TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) = &ty.kind {
            waiting.extend(fields.iter().map(|field| &field.ty));
        } else if let TypeSpecKind::Array(_, elem) = &ty.kind {
            waiting.push(elem);
        } else if let TypeSpecKind::Name(name) = &ty.kind {
            names.push(key(name.text.rsplit('.').next().unwrap_or_default().trim()));
        }
    }
    names
}
