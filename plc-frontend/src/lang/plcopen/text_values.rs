//! Initial values of strings without quotes: Beremiz keeps the text alone, and its generator adds the quotes.

use super::Reader;
use crate::ast::{Assumed, Expr, ExprKind, Initializer, InitializerKind, TypeSpec, TypeSpecKind};
use crate::lang::st::embedded;
use crate::lang::xml::Element;

/// Words in exports of systems that write all initial values as expressions.
const EXPRESSIONS: &[&str] = &["3s-software.com", "CODESYS", "CoDeSys", "TwinCAT", "beckhoff.com"];
const QUOTED: &str = "Beremiz and the OpenPLC Editor put quotes around such a value";
/// Deepest chain of names of types.
const DEEPEST: usize = 16;

impl<'d> Reader<'d> {
    /// Reads the initial value of a variable or type; a value of a string without quotes is its text.
    ///
    /// Soundness: a name that the project may declare is a condition.
    pub(super) fn typed_value(&mut self, element: Element<'d>, ty: Option<&TypeSpec>) -> Option<Initializer> {
        // Looking for a type takes longer than a look at the value.
        let may_be_text = ty.filter(|_| self.is_without_quotes(element));
        let text = may_be_text.and_then(|ty| is_wide(element, ty)).and_then(|is_wide| self.unquoted(element, is_wide));
        match text {
            Some(text) => Some(Initializer { kind: InitializerKind::Expr(text), span: element.span() }),
            None => self.initial_value(element),
        }
    }

    /// Returns whether a value has no quotes, in a file of a system that writes none.
    fn is_without_quotes(&self, element: Element<'d>) -> bool {
        let value = element.child("simpleValue").and_then(|value| value.filled("value"));
        let has_none = value.is_some_and(|value| !value.text.contains(['\'', '"', '\n']));
        has_none && !EXPRESSIONS.iter().any(|word| self.plain.contains(word))
    }

    fn unquoted(&mut self, element: Element<'d>, is_wide: bool) -> Option<Expr> {
        let value = element.child("simpleValue")?.filled("value")?;
        let quote = if is_wide { '"' } else { '\'' };
        let quoted = format!("{quote}{}{quote}", value.text);
        let parsed = embedded::expression(self.unit.file, &quoted, 0..quoted.len());
        let literal = parsed.value.filter(|_| parsed.diagnostics.is_empty())?;
        if !matches!(literal.kind, ExprKind::Literal(..)) {
            return None;
        }
        let name = value.text.trim();
        let root = element.document().root();
        let all = || root.into_iter().flat_map(|root| root.descendants());
        let is_named = |other: Element<'_>| other.attribute("name").is_some_and(|it| it.text.trim().eq_ignore_ascii_case(name));
        let is_declared = all().any(|other| other.name() == "variable" && is_named(other));
        // A project with a resource is a whole one: names of other files are not seen.
        let is_whole = all().any(|other| other.name() == "resource");
        if is_declared || !is_whole {
            let condition = format!("the initial value `{name}` of a string is this text, not the value of a constant `{name}`");
            self.unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason: QUOTED, span: value.span });
        }
        Some(Expr { kind: literal.kind, span: value.span })
    }
}

/// Returns whether a type is WSTRING; `None` if it is no string.
fn is_wide(element: Element<'_>, ty: &TypeSpec) -> Option<bool> {
    if let TypeSpecKind::String { wide, .. } = &ty.kind {
        return Some(*wide);
    }
    let TypeSpecKind::Name(name) = &ty.kind else { return None };
    let mut name = name.text.clone();
    for _ in 0..DEEPEST {
        if name.eq_ignore_ascii_case("STRING") || name.eq_ignore_ascii_case("WSTRING") {
            return Some(name.len() != "STRING".len());
        }
        let mut types = element.document().root()?.descendants().filter(|other| other.name() == "dataType");
        let own = types.find(|other| other.attribute("name").is_some_and(|it| it.text.eq_ignore_ascii_case(&name)))?;
        let base = own.child("baseType")?.children().next()?;
        name = if base.name() == "derived" { base.attribute("name")?.text.into_owned() } else { base.name().to_owned() };
    }
    None
}
