//! Texts: STRING and the types of its family are structures with LEN and DATA.

use super::calls::Scope;
use super::key;
use super::types::{Shapes, integer};
use crate::ast::{Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, NameElem, Stmt};
use crate::text::Span;

/// Words for bytes of a text that the manuals do not speak of.
pub(super) const REST: &str = "bytes of a text behind its length: they keep their values where a text is assigned";

/// Returns whether a text of a routine is read as it stands: [`super::of_logix`] changes some characters, in texts too.
pub(super) fn is_exact(chars: &[u16]) -> bool {
    let text = String::from_utf16_lossy(chars);
    ![" ?= ", "[ ", super::program::FIRST_SCAN].iter().any(|changed| text.contains(changed))
}

impl Shapes {
    /// Returns the most characters of a type for texts; `None` for other types.
    pub(super) fn capacity(&self, ty: &str) -> Option<u64> {
        let members = self.members(ty)?;
        let (length, data) = (members.get("LEN")?, members.get("DATA")?);
        let is_text = members.len() == 2 && key(&length.ty) == "DINT" && key(&data.ty) == "SINT";
        data.dimensions.first().copied().filter(|_| is_text && data.dimensions.len() == 1)
    }
}

impl Scope<'_> {
    /// Returns the assignment of a text, character by character; `None` where the target does not hold it.
    pub(super) fn text(&self, target: &Expr, value: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let ExprKind::Literal(None, Literal::String { chars, wide: false }) = &value.kind else { return None };
        if !is_exact(chars) {
            return None;
        }
        let capacity = self.shapes.capacity(&self.shape(target)?)?;
        let n_chars = i128::try_from(chars.len()).ok().filter(|n| *n <= i128::from(capacity))?;
        self.shapes.assumed.add_everywhere(REST);
        let mut stmts = vec![Stmt::assign(super::counters::member(target, "LEN", span), integer(n_chars, span), span)];
        for (at, character) in (0..).zip(chars) {
            let mut byte = super::counters::member(target, "DATA", span);
            if let ExprKind::Name(name) = &mut byte.kind {
                name.path.push(NameElem::Index(vec![integer(at, span)], span));
            }
            stmts.push(Stmt::assign(byte, byte_of(*character, span)?, span));
        }
        Some(stmts)
    }
}

/// Returns the SINT of a character.
pub(super) fn byte_of(character: u16, span: Span) -> Option<Expr> {
    let byte = u8::try_from(character).ok()?;
    Some(integer(i128::from(byte.cast_signed()), span))
}

/// Returns the initial value of a text: `'abc'` with the escapes of Logix.
pub(super) fn initial(text: &str, span: Span) -> Option<Initializer> {
    let bytes = bytes(text)?;
    let member = |name: &str, value: Initializer| (Ident::new(name, span), value);
    let length = Initializer::value(integer(bytes.len() as i128, span));
    let mut members = vec![member("LEN", length)];
    if !bytes.is_empty() {
        members.push(member("DATA", array(&bytes, span)));
    }
    Some(Initializer { kind: InitializerKind::Struct(members), span })
}

/// Returns the initial value of the characters of a text.
pub(super) fn characters(text: &str, span: Span) -> Option<Initializer> {
    Some(array(&bytes(text)?, span))
}

fn array(bytes: &[u8], span: Span) -> Initializer {
    let element = |byte: &u8| (None, Initializer::value(integer(i128::from(byte.cast_signed()), span)));
    Initializer { kind: InitializerKind::Array(bytes.iter().map(element).collect()), span }
}

/// Returns the bytes of a text in quotes; `None` for escapes that are not known.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut rest = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let mut bytes = Vec::new();
    while let Some(c) = rest.next() {
        let byte = match c {
            '$' => match rest.next()? {
                c @ ('$' | '\'') => c as u8,
                'L' | 'l' | 'N' | 'n' => b'\n',
                'R' | 'r' => b'\r',
                'T' | 't' => b'\t',
                'P' | 'p' => 0x0C,
                high => u8::try_from(high.to_digit(16)? * 16 + rest.next()?.to_digit(16)?).ok()?,
            },
            c => u8::try_from(u32::from(c)).ok().filter(u8::is_ascii)?,
        };
        bytes.push(byte);
    }
    Some(bytes)
}
