//! Names of pins that a chart does not name: those of the block's declaration, in its order.
//!
//! Soundness: a pin has a name only where all of this holds; otherwise the whole body is a gap.
//! - The instance is a variable of the POU, of the type that the chart shows.
//! - The block has as many pins as the declaration has VAR_INPUT and VAR_OUTPUT.
//! - The declaration has neither VAR_IN_OUT nor a base.
//!
//! The order is a condition of the chart ([`crate::lang::twincat`]).

use crate::ast::edit::{self, NameMut};
use crate::ast::unnamed_pin::{UnnamedPin, is_unnamed};
use crate::ast::walk::{self, Node};
use crate::ast::{Arg, Body, Ident, Item, Name, NameElem, Pou, PouKind, Section, Stmt, StmtKind, TypeSpecKind, Unit};
use crate::resolve::names::tables::{Key, key};
use crate::text::Span;
use std::collections::BTreeMap;

/// The gap of a body with a pin whose name is not known.
const UNNAMED: &str = "continuous function chart (CFC) with an instance whose pins have no names";

/// Declared inputs and outputs of a block; `None` if pins do not tell them apart.
type Sides = Option<[Vec<String>; 2]>;

/// Gives all pins without names the names of their declarations.
pub(crate) fn give(units: &mut [Unit]) {
    if !units.iter().any(has_unnamed) {
        return;
    }
    let mut blocks: BTreeMap<Key, Sides> = BTreeMap::new();
    for unit in units.iter() {
        walk::unit(unit, &mut |node| {
            if let Node::Item(Item::Pou(pou)) = node
                && pou.kind == PouKind::FunctionBlock
            {
                blocks.entry(key(&pou.name.text)).and_modify(|known| *known = None).or_insert_with(|| sides(pou));
            }
        });
    }
    for unit in units.iter_mut().filter(|unit| has_unnamed(unit)) {
        unit.pous_mut().into_iter().for_each(|pou| leave_out(pou, &blocks));
        edit::names(unit, &mut |name| match name {
            NameMut::Parameter(ident) => rename(ident, &blocks),
            NameMut::Path(Name { path, .. }) => {
                let fields =
                    path.iter_mut().filter_map(|elem| if let NameElem::Field(field) = elem { Some(field) } else { None });
                fields.for_each(|field| rename(field, &blocks));
            }
            NameMut::Type(_) | NameMut::Base(_) => {}
        });
    }
}

fn sides(pou: &Pou) -> Sides {
    if pou.extends.is_some() || pou.vars.iter().any(|block| block.section == Section::InOut) {
        return None;
    }
    let of = |section: Section| {
        let blocks = pou.vars.iter().filter(|block| block.section == section);
        blocks.flat_map(|block| &block.vars).map(|var| var.name.text.clone()).collect()
    };
    Some([of(Section::Input), of(Section::Output)])
}

/// Returns the declared name of a pin.
fn declared<'b>(pin: &UnnamedPin, blocks: &'b BTreeMap<Key, Sides>) -> Option<&'b str> {
    let [inputs, outputs] = blocks.get(&key(&pin.callee))?.as_ref()?;
    let (own, opposite) = if pin.is_input { (inputs, outputs) } else { (outputs, inputs) };
    let suits = own.len() == pin.of && opposite.len() == pin.opposite;
    own.get(pin.at).filter(|_| suits).map(String::as_str)
}

fn rename(ident: &mut Ident, blocks: &BTreeMap<Key, Sides>) {
    if let Some(pin) = UnnamedPin::of_name(&ident.text)
        && let Some(name) = declared(&pin, blocks)
    {
        name.clone_into(&mut ident.text);
    }
}

/// Replaces bodies with a pin whose name is not known by a gap.
fn leave_out(pou: &mut Pou, blocks: &BTreeMap<Key, Sides>) {
    let types = instance_types(pou);
    for body in std::iter::once(&mut pou.body).chain(pou.actions.iter_mut().map(|action| &mut action.body)) {
        let Body::Statements(stmts) = body else { continue };
        let mut unknown = None;
        walk::stmts(stmts, &mut |node| {
            for name in names(&node) {
                let Some(pin) = UnnamedPin::of_name(&name.text) else { continue };
                let shown = key(&pin.callee);
                let is_shown = instance(&node).is_some_and(|instance| types.get(&instance) == Some(&shown));
                if !is_shown || declared(&pin, blocks).is_none() {
                    unknown = unknown.or(Some(name.span));
                }
            }
        });
        if let Some(place) = unknown {
            *stmts = vec![gap(place)];
        }
    }
}

/// Returns the types of the variables of a POU that are named.
fn instance_types(pou: &Pou) -> BTreeMap<Key, Key> {
    let variables = pou.vars.iter().flat_map(|block| &block.vars);
    let typed = variables.filter_map(|var| {
        let TypeSpecKind::Name(name) = &var.ty.kind else { return None };
        Some((key(&var.name.text), key(&name.text)))
    });
    typed.collect()
}

/// Returns the variable whose pins a call or path names; `None` for parts of variables.
fn instance(node: &Node<'_>) -> Option<Key> {
    match node {
        Node::Stmt(Stmt { kind: StmtKind::Call(name, _), .. }) if name.path.is_empty() => Some(key(&name.root.text)),
        Node::Name(Name { root, path, .. }) if path.len() == 1 => Some(key(&root.text)),
        Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => None,
    }
}

fn gap(place: Span) -> Stmt {
    Stmt::unsupported(UNNAMED, place)
}

fn has_unnamed(unit: &Unit) -> bool {
    let mut found = false;
    walk::unit(unit, &mut |node| found |= names(&node).any(|name| is_unnamed(&name.text)));
    found
}

/// Returns the names of parameters and fields in a part of a tree.
fn names<'n>(node: &Node<'n>) -> impl Iterator<Item = &'n Ident> {
    let (args, path): (&'n [Arg], &'n [NameElem]) = match node {
        Node::Stmt(Stmt { kind: StmtKind::Call(_, args), .. }) => (args, &[]),
        Node::Name(name) => (&[], &name.path),
        Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) => (&[], &[]),
    };
    let parameters = args.iter().filter_map(|arg| match arg {
        Arg::Input(name, _) | Arg::Output { name, .. } => Some(name),
        Arg::Positional(_) => None,
    });
    let fields = path.iter().filter_map(|elem| if let NameElem::Field(field) = elem { Some(field) } else { None });
    parameters.chain(fields)
}
