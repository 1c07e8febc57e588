//! Declarations of all files, by their names.

use crate::ast::walk::{self, Node};
use crate::ast::{
    Interface, Item, Method, Name, Pou, PouKind, Property, Section, TypeDecl, TypeSpecKind, Unit, VarBlock, VarDecl,
};
use crate::text::{FileId, Key, Origin, SourceFile, key};
use std::collections::{BTreeMap, BTreeSet};

/// Most blocks that extend one another.
const DEPTH: usize = 32;

/// Declarations by their names. `None`: the name is declared several times, so nothing is known of it.
#[derive(Default)]
pub(super) struct Tables<'a> {
    pous: BTreeMap<Key, Option<&'a Pou>>,
    types: BTreeMap<Key, Option<&'a TypeDecl>>,
    interfaces: BTreeMap<Key, Option<&'a Interface>>,
    globals: BTreeMap<Key, Option<&'a VarDecl>>,
    lists: BTreeMap<Key, BTreeMap<Key, &'a VarDecl>>,
    /// Enumerations by their values.
    variants: BTreeMap<Key, Option<Key>>,
    /// Parts of the names of namespaces.
    spaces: BTreeSet<Key>,
    /// Variables of POUs and methods, by the addresses of their sections.
    variables: BTreeMap<usize, BTreeMap<Key, &'a VarDecl>>,
}

/// Returns the syntax trees of the standard blocks.
pub(super) fn standard_units() -> Vec<Unit> {
    let unit = |(name, text): &(&str, &str)| {
        let file = SourceFile::new(format!("{name}.st"), *text, Origin::Stdlib);
        crate::lang::parse(FileId(u32::MAX), &file).value
    };
    crate::stdlib::SOURCES.iter().map(unit).collect()
}

fn enter<'a, T>(table: &mut BTreeMap<Key, Option<&'a T>>, name: &str, row: &'a T) {
    table.entry(key(name)).and_modify(|known| *known = None).or_insert(Some(row));
}

impl<'a> Tables<'a> {
    /// Collects the declarations of the files; those of the standard count where no file has the name.
    pub(super) fn new(units: &'a [Unit], standard: &'a [Unit]) -> Tables<'a> {
        let mut tables = Tables::default();
        for unit in units {
            walk::unit(unit, &mut |node| match node {
                Node::Item(item) => tables.item(item),
                Node::Block(block) => tables.block(block),
                Node::Type(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
            });
        }
        for pou in standard.iter().flat_map(|unit| &unit.items) {
            if let Item::Pou(pou) = pou {
                tables.pous.entry(key(&pou.name.text)).or_insert(Some(pou));
                tables.sections(pou);
            }
        }
        tables
    }

    fn item(&mut self, item: &'a Item) {
        match item {
            Item::Pou(pou) => {
                enter(&mut self.pous, &pou.name.text, pou);
                self.sections(pou);
            }
            Item::Type(decl) => {
                enter(&mut self.types, &decl.name.text, decl);
                if let TypeSpecKind::Enum(variants, _) = &decl.ty.kind {
                    for (name, _) in variants {
                        let of = Some(key(&decl.name.text));
                        self.variants.entry(key(&name.text)).and_modify(|known| *known = None).or_insert(of);
                    }
                }
            }
            Item::Interface(interface) => {
                enter(&mut self.interfaces, &interface.name.text, interface);
                interface.methods.iter().for_each(|method| self.index(&method.vars));
            }
            Item::Namespace(space) => self.spaces.extend(space.name.idents().map(|ident| key(&ident.text))),
            Item::Globals(_) | Item::Configuration(_) | Item::Using(_) | Item::Unsupported(..) => {}
        }
    }

    fn sections(&mut self, pou: &'a Pou) {
        self.index(&pou.vars);
        let halves = pou.properties.iter().flat_map(|property| property.getter.iter().chain(&property.setter));
        pou.methods.iter().chain(halves).for_each(|method| self.index(&method.vars));
    }

    /// Notes the variables of declaration sections. Sections without variables have no address of their own.
    fn index(&mut self, blocks: &'a [VarBlock]) {
        let vars = blocks.iter().flat_map(|block| &block.vars).rev();
        let rows: BTreeMap<Key, &'a VarDecl> = vars.map(|var| (key(&var.name.text), var)).collect();
        if !rows.is_empty() {
            self.variables.insert(blocks.as_ptr().addr(), rows);
        }
    }

    /// Returns the variable of this name in declaration sections.
    pub(super) fn in_blocks(&self, blocks: &'a [VarBlock], name: &str) -> Option<&'a VarDecl> {
        if blocks.is_empty() { None } else { self.variables.get(&blocks.as_ptr().addr())?.get(name).copied() }
    }

    fn block(&mut self, block: &'a VarBlock) {
        if block.section != Section::Global {
            return;
        }
        for var in &block.vars {
            enter(&mut self.globals, &var.name.text, var);
            if let Some(list) = &block.list {
                self.lists.entry(key(&list.name.text)).or_default().insert(key(&var.name.text), var);
            }
        }
    }

    /// Returns whether some declaration has this name.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.pous.contains_key(name)
            || self.types.contains_key(name)
            || self.interfaces.contains_key(name)
            || self.lists.contains_key(name)
            || self.spaces.contains(name)
    }

    pub(super) fn pou(&self, name: &str) -> Option<&'a Pou> {
        self.pous.get(name).copied().flatten()
    }

    pub(super) fn type_decl(&self, name: &str) -> Option<&'a TypeDecl> {
        self.types.get(name).copied().flatten()
    }

    pub(super) fn interface(&self, name: &str) -> Option<&'a Interface> {
        self.interfaces.get(name).copied().flatten()
    }

    pub(super) fn global(&self, name: &str) -> Option<&'a VarDecl> {
        self.globals.get(name).copied().flatten()
    }

    pub(super) fn in_list(&self, list: &str, name: &str) -> Option<&'a VarDecl> {
        self.lists.get(list)?.get(name).copied()
    }

    pub(super) fn is_list(&self, name: &str) -> bool {
        self.lists.contains_key(name)
    }

    /// Returns the enumeration that alone has a value of this name.
    pub(super) fn enumeration_of(&self, variant: &str) -> Option<&Key> {
        self.variants.get(variant)?.as_ref()
    }

    /// Returns a block and the blocks that it extends; without the ones behind a base that no file declares.
    pub(super) fn chain(&self, pou: &'a Pou) -> Vec<&'a Pou> {
        let mut chain = vec![pou];
        while let Some(base) = chain.last().and_then(|pou| pou.extends.as_ref()).and_then(base_key) {
            match self.pou(&base) {
                Some(base) if chain.len() < DEPTH => chain.push(base),
                Some(_) | None => break,
            }
        }
        chain
    }

    /// Returns whether all bases of a block are declared: only then are the names known that it inherits.
    pub(super) fn is_whole(&self, pou: &'a Pou) -> bool {
        self.chain(pou).last().is_none_or(|root| root.extends.is_none())
    }

    /// Returns a variable of a block or of a block that it extends.
    pub(super) fn variable(&self, pou: &'a Pou, name: &str) -> Option<&'a VarDecl> {
        self.chain(pou).into_iter().find_map(|pou| self.in_blocks(&pou.vars, name))
    }

    pub(super) fn method(&self, pou: &'a Pou, name: &str) -> Option<&'a Method> {
        let is_it = |method: &&Method| key(&method.name.text) == name;
        self.chain(pou).into_iter().find_map(|pou| pou.methods.iter().find(is_it))
    }

    pub(super) fn property(&self, pou: &'a Pou, name: &str) -> Option<&'a Property> {
        let is_it = |property: &&Property| key(&property.name.text) == name;
        self.chain(pou).into_iter().find_map(|pou| pou.properties.iter().find(is_it))
    }
}

/// Returns the name of a base.
pub(super) fn base_key(name: &Name) -> Option<Key> {
    name.idents().last().map(|ident| key(&ident.text))
}

/// Returns the inputs and in-outs of a callee in the order of their declarations.
pub(super) fn positional<'a>(blocks: &[&'a [VarBlock]]) -> Vec<&'a VarDecl> {
    let sections = blocks.iter().flat_map(|blocks| blocks.iter());
    let sections = sections.filter(|block| matches!(block.section, Section::Input | Section::InOut));
    sections.flat_map(|block| &block.vars).collect()
}

/// Returns whether a POU is a function.
pub(super) fn is_function(pou: &Pou) -> bool {
    pou.kind == PouKind::Function
}
