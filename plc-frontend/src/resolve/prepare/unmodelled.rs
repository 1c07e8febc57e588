//! Declarations that the languages read and the resolver does not model: they are marked before resolving, for the ledger.

use crate::ast::{Item, Pou, PouKind, Section, TypeSpecKind, Unit, VarBlock};
use crate::text::Span;

/// Marks declarations that would be lost.
pub(crate) fn mark(units: &mut [Unit]) {
    units.iter_mut().for_each(|unit| mark_items(&mut unit.items));
}

fn mark_items(items: &mut Vec<Item>) {
    let mut asides = Vec::new();
    for item in std::mem::take(items) {
        if let Item::Pou(pou) = item {
            items.push(mark_pou(pou, &mut asides))
        } else if let Item::Namespace(mut space) = item {
            mark_items(&mut space.items);
            items.push(Item::Namespace(space));
        } else {
            items.push(item)
        }
        items.append(&mut asides);
    }
}

fn mark_pou(mut pou: Pou, asides: &mut Vec<Item>) -> Item {
    let mut aside = |construct: &'static str, span: Span| asides.push(Item::Unsupported(construct, span));
    let keeps = pou.kind != PouKind::Function;
    for block in &mut pou.vars {
        mark_block(block, keeps, &mut aside);
    }
    let halves = pou.properties.iter_mut().flat_map(|p| p.getter.iter_mut().chain(&mut p.setter));
    for method in pou.methods.iter_mut().chain(halves) {
        method.vars.iter_mut().for_each(|block| mark_block(block, false, &mut aside));
    }
    Item::Pou(pou)
}

/// Marks the lost declarations of a section. With `keeps`, its variables keep their values, so that an edge can be found.
fn mark_block(block: &mut VarBlock, keeps: bool, aside: &mut impl FnMut(&'static str, Span)) {
    if let Section::Config = block.section {
        aside("VAR_CONFIG", block.span)
    } else if let Section::Access = block.section {
        aside("VAR_ACCESS", block.span)
    }
    for var in &mut block.vars {
        let is_bool = matches!(&var.ty.kind, TypeSpecKind::Name(name) if name.text.eq_ignore_ascii_case("BOOL"));
        if var.edge.is_some() && !(keeps && is_bool && block.section == Section::Input) {
            var.edge = None;
            var.ty.kind = TypeSpecKind::Opaque("BOOL with an edge".to_owned());
        }
    }
}
