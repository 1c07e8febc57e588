//! Members that are bits of a visible member: `.Ready` means `.Status.3`.

use super::aliases::edit_paths;
use super::types::{Members, Shapes};
use super::{attribute, ident_of, key};
use crate::ast::{Ident, Name, NameElem, Stmt};
use crate::lang::xml::Element;
use crate::text::Span;

/// Bit of a member: the member and the position in it.
#[derive(Clone, Debug)]
pub(super) struct Bit {
    host: String,
    number: u32,
}

impl Shapes {
    /// Notes a member that is a bit of a visible member.
    pub(super) fn note_bit(&mut self, ty: &str, member: Element<'_>) {
        let bit = || {
            let host = attribute(member, "Target")?;
            let number = attribute(member, "BitNumber")?.parse().ok()?;
            Some((key(&ident_of(member)?.text), Bit { host, number }))
        };
        if let Some((name, bit)) = bit() {
            self.bits.insert((key(ty), name), bit);
        }
    }

    /// Returns whether a member of a type is a bit of a visible member.
    pub(super) fn is_bit_member(&self, ty: &str, member: &str) -> bool {
        self.bits.contains_key(&(key(ty), key(member)))
    }

    /// Puts the bit of its host for each member that is one.
    fn without_bit_members(&self, scope: &Members, name: &mut Name) {
        let mut at = 0;
        while let Some(element) = name.path.get(at) {
            let NameElem::Field(field) = element else {
                at += 1;
                continue;
            };
            let mut owner = name.clone();
            owner.path.truncate(at);
            let shape = self.of(scope, &owner).filter(|shape| shape.dimensions.is_empty());
            if let Some(bit) = shape.and_then(|shape| self.bits.get(&(key(&shape.ty), key(&field.text)))) {
                let span = field.span;
                let host = NameElem::Field(Ident::new(bit.host.clone(), span));
                name.path.splice(at..=at, [host, NameElem::Bits { number: bit.number, width: 1, span }]);
                at += 1;
            }
            at += 1;
        }
    }

    /// Puts bits of their hosts for members in statements.
    pub(super) fn put_hosts(&self, scope: &Members, stmts: &mut Vec<Stmt>, span: Span) {
        if !self.bits.is_empty() {
            edit_paths(stmts, span, &mut |path| self.without_bit_members(scope, path));
        }
    }
}
