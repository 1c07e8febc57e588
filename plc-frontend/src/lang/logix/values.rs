//! Initial values: the decorated data of tags and parameters.

use super::types::{Shapes, integer};
use super::{attribute, ident_of, texts};
use crate::ast::{Expr, ExprKind, Initializer, InitializerKind, Literal, NameElem};
use crate::lang::xml::Element;
use crate::text::Span;

/// Words for a tag whose initial value is in another form than that of exports that are read.
pub(super) const NOT_READ: &str = "initial value in a form that is not read: the tag starts with zeros";

/// A value that cannot be read exactly.
pub(super) struct Unread;

/// Returns the initial value of a tag or parameter; `None` if the export states none.
pub(super) fn initial_value(tag: Element<'_>, shapes: &Shapes) -> Result<Option<Initializer>, Unread> {
    let text = tag.children().find(|e| attribute(*e, "Format").as_deref() == Some("String"));
    match (decorated(tag), text) {
        (Some(value), _) => read(value, shapes, 0).map(Some),
        (None, Some(text)) => texts::initial(&text.text(), text.tag_span()).ok_or(Unread).map(Some),
        // Data in another form only.
        (None, None) if tag.children().any(|e| matches!(e.name(), "Data" | "DefaultData")) => Err(Unread),
        (None, None) => Ok(None),
    }
}

/// Returns the root of a tag's decorated data.
fn decorated(tag: Element<'_>) -> Option<Element<'_>> {
    let mut data = tag.children().filter(|e| matches!(e.name(), "Data" | "DefaultData"));
    data.find(|e| attribute(*e, "Format").as_deref() == Some("Decorated"))?.children().next()
}

/// Returns the initial length of a text that has no decorated data.
fn length_of_text(tag: Element<'_>, path: &[NameElem]) -> Option<Expr> {
    let [NameElem::Field(field)] = path else { return None };
    let text = tag.children().find(|e| attribute(*e, "Format").as_deref() == Some("String"))?;
    let InitializerKind::Struct(members) = texts::initial(&text.text(), text.tag_span())?.kind else { return None };
    let length = members.into_iter().find(|(name, _)| name.text == "LEN" && field.text.eq_ignore_ascii_case("LEN"))?;
    if let InitializerKind::Expr(value) = length.1.kind { Some(value) } else { None }
}

/// Returns the initial value of a part of a tag, if the part is elementary and its place does not change.
pub(super) fn value_at(tag: Element<'_>, path: &[NameElem]) -> Option<Expr> {
    let Some(mut at) = decorated(tag) else { return length_of_text(tag, path) };
    let mut ty = attribute(at, "DataType");
    for (index, element) in path.iter().enumerate() {
        // An element of an array holds its structure.
        if at.name() == "Element" {
            at = at.children().next()?;
        }
        match element {
            NameElem::Field(field) => {
                at = at.children().find(|e| attribute(*e, "Name").is_some_and(|n| n.eq_ignore_ascii_case(&field.text)))?;
                ty = attribute(at, "DataType");
            }
            NameElem::Index(indices, _) => {
                let number = |index: &Expr| {
                    if let ExprKind::Literal(None, Literal::Int(number)) = index.kind { Some(number.to_string()) } else { None }
                };
                let numbers: Vec<String> = indices.iter().map(number).collect::<Option<_>>()?;
                let wanted = format!("[{}]", numbers.join(","));
                at = at.children().find(|e| attribute(*e, "Index").as_deref() == Some(wanted.as_str()))?;
            }
            NameElem::Bits { number, width: 1, .. } if index + 1 == path.len() && *number < 64 => {
                let bits = whole(&attribute(at, "Value")?)?;
                return Some(Expr::truth(bits >> number & 1 != 0, at.tag_span()));
            }
            NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => return None,
        }
    }
    literal(&attribute(at, "Value")?, &ty?, at.tag_span())
}

fn read(value: Element<'_>, shapes: &Shapes, depth: u32) -> Result<Initializer, Unread> {
    /// Deepest nesting of data.
    const DEEPEST: u32 = 32;
    if DEEPEST < depth {
        return Err(Unread);
    }
    let span = value.tag_span();
    let kind = match value.name() {
        "DataValueMember" if attribute(value, "Radix").as_deref() == Some("ASCII") && value.attribute("Value").is_none() => {
            return texts::characters(&value.text(), span).ok_or(Unread);
        }
        // The characters of a text in another form than that of exports.
        "DataValueMember"
            if attribute(value, "Name").as_deref() == Some("DATA")
                && attribute(value, "Value").is_some_and(|v| v.starts_with('\'')) =>
        {
            return Err(Unread);
        }
        "DataValue" | "DataValueMember" | "Element" if value.children().next().is_none() => {
            return scalar(value).map(Initializer::value);
        }
        "Element" => return read(value.children().next().ok_or(Unread)?, shapes, depth + 1),
        "Structure" | "StructureMember" => {
            let ty = attribute(value, "DataType").unwrap_or_default();
            // The value of the host has the bits.
            let is_own = |e: &Element<'_>| !attribute(*e, "Name").is_some_and(|name| shapes.is_bit_member(&ty, &name));
            let member = |e: Element<'_>| Ok((ident_of(e).ok_or(Unread)?, read(e, shapes, depth + 1)?));
            let members: Vec<_> = value.children().filter(is_own).map(member).collect::<Result<_, _>>()?;
            // An empty text has no characters.
            let is_empty = |init: &Initializer| matches!(&init.kind, InitializerKind::Array(elements) if elements.is_empty());
            InitializerKind::Struct(members.into_iter().filter(|(_, init)| !is_empty(init)).collect())
        }
        "Array" | "ArrayMember" if attribute(value, "Dimensions").is_some_and(|lengths| is_in_order(value, &lengths)) => {
            let elements = value.children().map(|e| match attribute(e, "DataType").or_else(|| attribute(value, "DataType")) {
                Some(ty) if e.attribute("Value").is_some() => Ok((None, Initializer::value(typed(e, &ty)?))),
                _ => Ok((None, read(e, shapes, depth + 1)?)),
            });
            InitializerKind::Array(elements.collect::<Result<_, _>>()?)
        }
        _ => return Err(Unread),
    };
    Ok(Initializer { kind, span })
}

/// Returns whether the elements of an array with these lengths are in order: the last index changes first. Those of one dimension are.
fn is_in_order(array: Element<'_>, lengths: &str) -> bool {
    let lengths: Option<Vec<usize>> = lengths.split(',').map(|length| length.trim().parse().ok()).collect();
    let Some(lengths) = lengths else { return false };
    let index = |mut flat: usize| {
        let mut indices = Vec::new();
        for length in lengths.iter().rev() {
            indices.push(flat.checked_rem(*length)?.to_string());
            flat = flat.checked_div(*length)?;
        }
        indices.reverse();
        Some(format!("[{}]", indices.join(",")))
    };
    let mut elements = array.children().enumerate();
    lengths.len() == 1 || elements.all(|(at, element)| attribute(element, "Index").is_some_and(|own| Some(own) == index(at)))
}

fn scalar(value: Element<'_>) -> Result<Expr, Unread> {
    typed(value, &attribute(value, "DataType").ok_or(Unread)?)
}

/// Returns the value of an element of an elementary type.
fn typed(value: Element<'_>, ty: &str) -> Result<Expr, Unread> {
    let text = attribute(value, "Value").ok_or(Unread)?;
    literal(&text, ty, value.tag_span()).ok_or(Unread)
}

/// Returns a value as the export writes it.
pub(super) fn literal(text: &str, ty: &str, span: Span) -> Option<Expr> {
    let ty = ty.to_ascii_uppercase();
    if matches!(ty.as_str(), "REAL" | "LREAL") {
        let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
        let number: f64 = text.parse().ok().filter(|_| is_number)?;
        let literal = Expr { kind: ExprKind::Literal(None, Literal::Real(text.trim_start_matches('-').to_owned())), span };
        let negated = |e| Expr { kind: ExprKind::Unary(crate::hir::UnOp::Neg, Box::new(e)), span };
        return Some(if number.is_sign_negative() { negated(literal) } else { literal });
    }
    let (is_signed, width) = match ty.as_str() {
        "BOOL" | "BIT" => return Some(Expr::truth(whole(text)? != 0, span)),
        "SINT" => (true, 8),
        "INT" => (true, 16),
        "DINT" => (true, 32),
        "LINT" => (true, 64),
        "USINT" => (false, 8),
        "UINT" => (false, 16),
        "UDINT" => (false, 32),
        "ULINT" => (false, 64),
        _ => return None,
    };
    let bits = match text.strip_prefix('\'') {
        Some(_) => characters(text, width)?,
        None => whole(text)?.rem_euclid(1 << width),
    };
    let value = if is_signed && bits >> (width - 1) != 0 { bits - (1 << width) } else { bits };
    Some(integer(value, span))
}

/// Returns an integer of this width that is written as its characters, the highest byte first.
fn characters(text: &str, width: usize) -> Option<i128> {
    let bytes = texts::bytes(text).filter(|bytes| 8 * bytes.len() == width)?;
    Some(bytes.iter().fold(0, |bits, byte| bits << 8 | i128::from(*byte)))
}

/// Returns an integer of any base.
fn whole(text: &str) -> Option<i128> {
    let text = text.replace('_', "");
    match text.split_once('#') {
        Some((base @ ("2" | "8" | "16"), digits)) => i128::from_str_radix(digits, base.parse().ok()?).ok(),
        Some(_) => None,
        None => text.parse().ok(),
    }
}
