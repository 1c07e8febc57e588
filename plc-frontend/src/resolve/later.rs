//! What the languages read and the resolver does not know yet: it is marked before resolving, so that it ends
//! in the ledger. Each line here goes when the resolver learns what it is about.

use crate::ast::{Item, Pou, Section, TypeSpecKind, Unit, VarBlock};
use crate::source::Span;

/// Marks what would be lost.
pub(crate) fn mark(units: &mut [Unit]) {
    for unit in units {
        let mut asides = Vec::new();
        let items = std::mem::take(&mut unit.items);
        for item in items {
            match item {
                Item::Pou(pou) => unit.items.push(mark_pou(pou, &mut asides)),
                Item::Type(ty) if ty.extends.is_some() => asides.push(Item::Unsupported("STRUCT with EXTENDS", ty.span)),
                Item::Type(_)
                | Item::Globals(_)
                | Item::Interface(_)
                | Item::Configuration(_)
                | Item::Namespace(_)
                | Item::Using(_)
                | Item::Unsupported(..) => unit.items.push(item),
            }
            unit.items.append(&mut asides);
        }
    }
}

fn mark_pou(mut pou: Pou, asides: &mut Vec<Item>) -> Item {
    if pou.extends.is_some() {
        return Item::Unsupported("FUNCTION_BLOCK with EXTENDS", pou.span);
    }
    let mut aside = |construct: &'static str, span: Span| asides.push(Item::Unsupported(construct, span));
    for block in &mut pou.vars {
        mark_block(block, &mut aside);
    }
    Item::Pou(pou)
}

fn mark_block(block: &mut VarBlock, aside: &mut impl FnMut(&'static str, Span)) {
    match block.section {
        Section::Stat => aside("VAR_STAT", block.span),
        Section::Inst => aside("VAR_INST", block.span),
        Section::Config => aside("VAR_CONFIG", block.span),
        Section::Access => aside("VAR_ACCESS", block.span),
        Section::Var
        | Section::Input
        | Section::Output
        | Section::InOut
        | Section::Temp
        | Section::External
        | Section::Global => {}
    }
    for var in &mut block.vars {
        if var.edge.is_some() {
            var.ty.kind = TypeSpecKind::Opaque("BOOL with an edge".to_owned());
        } else if !var.args.is_empty() {
            var.ty.kind = TypeSpecKind::Opaque("instance with arguments".to_owned());
            var.init = None;
        }
    }
}
