//! Operands: `<Access>` with the parts of a name, a constant or an address, as the text of an expression.

use std::collections::BTreeSet;

use super::Reader;
use super::scl::opens_comment;
use crate::ast::Expr;
use crate::lang::common::token::identifier;
use crate::lang::st::{PERIPHERY, embedded};
use crate::lang::xml::Element;
use crate::text::key;

/// The names that a block declares, in lower case: names in ST mean these first.
pub(super) type Locals = BTreeSet<String>;

/// Something that is not modelled, in the user's words.
pub(super) type Unmodelled = &'static str;

/// Operand that is no variable: `%MW4` as a number, a timer, a counter.
const ABSOLUTE: Unmodelled = "operand with an absolute address";

impl Reader<'_> {
    /// Reads an operand as an expression.
    pub(super) fn operand(&mut self, access: Element<'_>) -> Result<Expr, Unmodelled> {
        let text = access_text(access, &self.locals)?;
        let range = self.overlay.put(Self::room(access), &text).ok_or("operand with a long name")?;
        self.findings.keep(embedded::expression(self.unit.file, &self.overlay.text, range)).ok_or("operand without a name")
    }
}

/// Returns an operand as ST.
pub(super) fn access_text(access: Element<'_>, locals: &Locals) -> Result<String, Unmodelled> {
    let scope = scope_of(access);
    match scope.as_str() {
        "GlobalVariable" | "LocalVariable" => match access.child("Symbol") {
            Some(symbol) => symbol_text(symbol, &scope, locals),
            None => Err("operand without a name"),
        },
        "LiteralConstant" | "TypedConstant" => {
            let value = access.child("Constant").and_then(|c| c.child("ConstantValue"));
            match value.map(|v| v.text().trim().to_owned()) {
                Some(value) if !value.starts_with(['\'', '"']) && opens_comment(&value) => Err("constant with a comment"),
                Some(value) if !value.is_empty() => Ok(value),
                Some(_) | None => Err("constant without a value"),
            }
        }
        "LocalConstant" | "GlobalConstant" => match access.child("Constant").and_then(|c| c.attribute("Name")) {
            Some(name) => Ok(identifier(name.text.trim())),
            None => Err("constant without a name"),
        },
        "Address" => access.child("Address").map_or(Err(ABSOLUTE), address_text),
        _ => Err("operand of a kind that is not read"),
    }
}

/// Returns a name with its parts as ST: `a.b[i].%X3`.
pub(super) fn symbol_text(symbol: Element<'_>, scope: &str, locals: &Locals) -> Result<String, Unmodelled> {
    let mut text = String::new();
    for component in symbol.children() {
        match component.name() {
            "Component" => {}
            // SCL writes the dots and brackets, too.
            "Token" | "Blank" | "NewLine" => continue,
            "BooleanAttribute" if is_about_quotes(component) => continue,
            _ => return Err("operand of a kind that is not read"),
        }
        let Some(name) = component.attribute("Name") else { return Err("operand without a name") };
        if text.is_empty() && scope != "LocalVariable" && locals.contains(&key(&identifier(name.text.trim()))) {
            return Err("global variable that has the name of a local one");
        }
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(&identifier(name.text.trim()));
        let mut indices = Vec::new();
        for inner in component.children() {
            match inner.name() {
                "Access" => indices.push(access_text(inner, locals)?),
                "Token" | "Blank" | "NewLine" => match inner.attribute("Text").map(|t| t.text.into_owned()).as_deref() {
                    None | Some("[" | "]" | "," | ".") => {}
                    Some(_) => return Err("index that is computed"),
                },
                "BooleanAttribute" if is_about_quotes(inner) => {}
                _ => return Err("operand of a kind that is not read"),
            }
        }
        if !indices.is_empty() {
            text.push_str(&format!("[{}]", indices.join(", ")));
        }
        if is_modified(component, "SimpleAccessModifier", &[]) {
            return Err(PERIPHERY);
        }
        if is_modified(component, "AccessModifier", &["Array"]) {
            return Err("operand behind a reference");
        }
        if let Some(slice) = component.attribute("SliceAccessModifier").filter(|s| s.text != "undef") {
            text.push_str(&format!(".%{}", slice.text));
        }
    }
    if text.is_empty() { Err("operand without a name") } else { Ok(text) }
}

/// Returns an absolute address as ST: `%MW4`.
fn address_text(address: Element<'_>) -> Result<String, Unmodelled> {
    let written = |name: &str| address.attribute(name).map_or(String::new(), |text| text.text.trim().to_ascii_uppercase());
    let area = match written("Area").as_str() {
        "INPUT" => 'I',
        "OUTPUT" => 'Q',
        "MEMORY" => 'M',
        "PERIPHERYINPUT" | "PERIPHERYOUTPUT" => return Err(PERIPHERY),
        "DB" | "DI" => return Err("absolute access to a data block"),
        _ => return Err(ABSOLUTE),
    };
    let offset = written("BitOffset").parse::<u32>().map_err(|_| ABSOLUTE)?;
    let (byte, bit) = (offset / 8, offset % 8);
    match written("Type").as_str() {
        "BOOL" => Ok(format!("%{area}X{byte}.{bit}")),
        "BYTE" if bit == 0 => Ok(format!("%{area}B{byte}")),
        "WORD" if bit == 0 => Ok(format!("%{area}W{byte}")),
        "DWORD" if bit == 0 => Ok(format!("%{area}D{byte}")),
        // The address would have another type than its operand.
        _ => Err(ABSOLUTE),
    }
}

/// Returns whether a part of a name is not accessed as a variable is.
fn is_modified(component: Element<'_>, attribute: &str, plain: &[&str]) -> bool {
    let modifier = component.attribute(attribute);
    modifier.is_some_and(|text| text.text != "None" && !plain.contains(&text.text.as_ref()))
}

/// Returns the scope of an operand: local or global.
pub(super) fn scope_of(element: Element<'_>) -> String {
    element.attribute("Scope").map_or(String::new(), |s| s.text.into_owned())
}

/// Returns whether an attribute tells only the spelling of a name, not its meaning.
fn is_about_quotes(attribute: Element<'_>) -> bool {
    attribute.attribute("Name").is_some_and(|n| matches!(n.text.as_ref(), "HasQuotes" | "HasHash"))
}
