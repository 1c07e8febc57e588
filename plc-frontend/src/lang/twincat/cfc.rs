//! Continuous function charts (CFC), in the archive form of TwinCAT 3 (`<CFC><XmlArchive>`).
//!
//! The archive lists objects: `<o>` with a type `t`, inside of it values `<v n=…>`, lists `<l2>` and null `<n>`. Boxes, inputs and
//! outputs are elements with pins; connections join the numbers of two pins. Elements run in the order of the file.
//!
//! Soundness: an object, value or setting that this reader does not know makes the whole body a gap.
//!
//! Source: measured on published projects; Beckhoff describes the editor and no file format.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::Reader;
use crate::ast::unnamed_pin::UnnamedPin;
use crate::ast::{Expr, Ident, Name};
use crate::lang::network::Network;
use crate::lang::network::graph::{Block, Input, Kind, Language, Modifiers, Node, Output, Pin, Storage};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Reason why a chart is not read, in the words of the ledger.
type Gap = &'static str;

const SETTING: Gap = "continuous function chart (CFC) with a setting that is not known";
const ELEMENT: Gap = "continuous function chart (CFC) with an element that is not known";
const PAGES: Gap = "continuous function chart (CFC) with pages";
const OPEN: Gap = "continuous function chart (CFC) with an open input of a function";
const PIN: Gap = "continuous function chart (CFC) with a modified pin that is not known";
const DAMAGED: Gap = "continuous function chart (CFC) that is not complete";

/// Parts of the chart itself that its meaning does not need.
const LAYOUT: &[&str] = &["RoutingPathTable", "AutoSizeCanvas", "CanvasWidth", "CanvasHeight"];

/// Pins at which wires end and begin, by their numbers.
#[derive(Default)]
struct Wires {
    /// Number of the pin at the other end, by the number of an input.
    sources: BTreeMap<u64, (u64, Span)>,
    /// Element and name of an output.
    outputs: BTreeMap<u64, (u64, Option<Ident>)>,
}

impl Reader<'_> {
    /// Reads a chart as one sheet.
    pub(super) fn chart(&mut self, body: Element<'_>) -> Result<Network, Gap> {
        let chart = body.descendants().find(|part| kind(*part) == "CFCImplementationObject").ok_or(DAMAGED)?;
        for part in chart.children() {
            let name = name(part);
            let is_known = name == "Items" || LAYOUT.contains(&name.as_ref()) || part.name() == "n";
            if !is_known {
                return Err(SETTING);
            }
        }
        let items = list(chart, "Items").ok_or(DAMAGED)?;
        let mut wires = Wires::default();
        for (item, kind) in &items {
            wires.add(*item, kind)?;
        }
        let mut nodes = Vec::new();
        for ((item, kind), order) in items.into_iter().zip(1..) {
            if kind != "CFCConnection" {
                nodes.push(self.chart_element(item, &kind, order, &wires)?);
            }
        }
        Ok(Network { language: Language::Blocks, nodes })
    }

    fn chart_element(&mut self, item: Element<'_>, kind: &str, order: u32, wires: &Wires) -> Result<Node, Gap> {
        if text(item, "OwningPageId").is_some_and(|page| page != "-1L") {
            return Err(PAGES);
        }
        let kind = match kind {
            "CFCBoxElement" => Kind::Block(self.chart_box(item, wires)?),
            "CFCInputElement" => {
                Kind::Source { value: self.label_expression(item)?, modifiers: modifiers(part(item, "Output").ok_or(DAMAGED)?)? }
            }
            "CFCOutputElement" => {
                let pin = part(item, "Input").ok_or(DAMAGED)?;
                Kind::Sink { target: self.label_expression(item)?, modifiers: modifiers(pin)?, input: wires.pin(pin)? }
            }
            "CFCReturnElement" => {
                let pin = part(item, "Input").ok_or(DAMAGED)?;
                let Modifiers { negated, storage: None, .. } = modifiers(pin)? else { return Err(PIN) };
                Kind::Return { negated, input: Some(wires.pin(pin)?) }
            }
            "CFCCommentElement" => {
                let label = part(item, "Text").and_then(|label| unquoted(label, "Text"));
                Kind::Comment(label.map(|(words, _)| words.into_owned()).unwrap_or_default())
            }
            _ => return Err(ELEMENT),
        };
        let id = number(item, "Id").ok_or(DAMAGED)?;
        let span = kind.operand().map_or(item.tag_span(), |operand| operand.span);
        let at = text(item, "Bounds").and_then(|bounds| corner(&bounds));
        let mut node = Node { order: Some(order), at, extent: item.span(), ..Node::new(id, kind, span) };
        if matches!(node.kind, Kind::Source { .. } | Kind::Comment(_)) {
            node.order = None;
        }
        Ok(node)
    }

    fn chart_box(&mut self, item: Element<'_>, wires: &Wires) -> Result<Block, Gap> {
        let (inputs, outputs) = (list(item, "Inputs").ok_or(DAMAGED)?, list(item, "Outputs").ok_or(DAMAGED)?);
        let has_parameters = list(item, "Parameters").is_none_or(|list| !list.is_empty());
        let is_set = |name: &str| text(item, name).is_some_and(|value| value != "false");
        if has_parameters || is_set("Forced") || is_set("EnEno") {
            return Err(SETTING);
        }
        let texts = list(item, "Texts").ok_or(DAMAGED)?;
        let names: Vec<Ident> = texts.iter().map(|(label, _)| ident(*label)).collect::<Option<_>>().ok_or(DAMAGED)?;
        let (pins, [callee, instance]) = names.split_last_chunk::<2>().ok_or(DAMAGED)?;
        if pins.len() != inputs.len() + outputs.len() {
            return Err(DAMAGED);
        }
        let pins = named(pins, inputs.len(), instance, callee);
        let instance = (!instance.text.is_empty()).then(|| instance.clone());
        let (n_inputs, mut read, mut written) = (inputs.len(), Vec::new(), Vec::new());
        for ((pin, _), name) in inputs.into_iter().zip(&pins) {
            let end = wires.pin(pin)?;
            let modifiers = modifiers(pin)?;
            if modifiers.storage.is_some() {
                return Err(PIN);
            }
            match (end.is_open(), name.text.is_empty(), instance.is_some()) {
                (true, _, true) | (true, false, false) => {}
                (true, true, false) => return Err(OPEN),
                (false, _, _) => read.push(Input { name: name.clone(), modifiers, pin: end }),
            }
        }
        let rest = pins.iter().skip(n_inputs);
        for ((pin, _), name) in outputs.into_iter().zip(rest) {
            let modifiers = modifiers(pin)?;
            if modifiers.storage.is_some() {
                return Err(PIN);
            }
            written.push(Output { name: name.clone(), modifiers, target: None });
        }
        let callee = self.label_name(callee).ok_or(DAMAGED)?;
        let instance = instance.map(|name| self.label_name(&name).ok_or(DAMAGED)).transpose()?;
        Ok(Block { callee, instance, inputs: read, in_outs: Vec::new(), outputs: written })
    }

    /// Reads the label of an input or output as an expression.
    fn label_expression(&mut self, item: Element<'_>) -> Result<Expr, Gap> {
        let label = part(item, "Text").ok_or(DAMAGED)?;
        let (words, range) = unquoted(label, "Text").ok_or(DAMAGED)?;
        if words.contains(['\\', '"']) {
            return Err(ELEMENT);
        }
        let parsed = embedded::expression(self.unit.file, self.plain, range);
        let is_sound = !parsed.has_errors();
        let expr = self.findings.keep(parsed);
        Ok(expr.filter(|_| is_sound).unwrap_or_else(|| Expr::error(label.tag_span())))
    }

    fn label_name(&mut self, label: &Ident) -> Option<Name> {
        let parts: Vec<&str> = label.text.split('.').map(str::trim).collect();
        let is_word = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !parts.iter().all(is_word) {
            return None;
        }
        let mut names = parts.into_iter().map(|word| Ident::new(word, label.span));
        let mut name = Name::plain(names.next()?);
        name.path.extend(names.map(crate::ast::NameElem::Field));
        Some(name)
    }
}

impl Wires {
    fn add(&mut self, item: Element<'_>, kind: &str) -> Result<(), Gap> {
        let id = number(item, "Id").ok_or(DAMAGED)?;
        match kind {
            "CFCConnection" => {
                let (from, to) = (number(item, "SourcePinId").ok_or(DAMAGED)?, number(item, "DestPinId").ok_or(DAMAGED)?);
                if self.sources.insert(to, (from, item.tag_span())).is_some() {
                    return Err(DAMAGED);
                }
            }
            "CFCInputElement" => {
                let pin = part(item, "Output").and_then(|pin| number(pin, "Id")).ok_or(DAMAGED)?;
                self.outputs.insert(pin, (id, None));
            }
            "CFCBoxElement" => {
                let outputs = list(item, "Outputs").ok_or(DAMAGED)?;
                let texts = list(item, "Texts").ok_or(DAMAGED)?;
                let names: Vec<Ident> = texts.iter().map(|(label, _)| ident(*label)).collect::<Option<_>>().ok_or(DAMAGED)?;
                let (pins, [callee, instance]) = names.split_last_chunk::<2>().ok_or(DAMAGED)?;
                let n_inputs = pins.len().checked_sub(outputs.len()).ok_or(DAMAGED)?;
                let pins = named(pins, n_inputs, instance, callee);
                for ((pin, _), name) in outputs.into_iter().zip(pins.into_iter().skip(n_inputs)) {
                    self.outputs.insert(number(pin, "Id").ok_or(DAMAGED)?, (id, Some(name)));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the input at a pin.
    fn pin(&self, pin: Element<'_>) -> Result<Pin, Gap> {
        let id = number(pin, "Id").ok_or(DAMAGED)?;
        let Some((source, span)) = self.sources.get(&id) else { return Ok(Pin::open(pin.tag_span())) };
        let (from, output) = self.outputs.get(source).ok_or(DAMAGED)?;
        Ok(Pin::of_wire(*from, output.clone(), *span))
    }
}

/// Returns the names of the pins of a box, inputs first. Pins of an instance without names get their places.
fn named(pins: &[Ident], n_inputs: usize, instance: &Ident, callee: &Ident) -> Vec<Ident> {
    let n_outputs = pins.len().saturating_sub(n_inputs);
    let name = |(i, pin): (usize, &Ident)| {
        if instance.text.is_empty() || !pin.text.is_empty() {
            return pin.clone();
        }
        let (is_input, callee) = (i < n_inputs, callee.text.clone());
        let (at, of, opposite) = if is_input { (i, n_inputs, n_outputs) } else { (i - n_inputs, n_outputs, n_inputs) };
        Ident::new(UnnamedPin { is_input, at, of, opposite, callee }.name(), pin.span)
    };
    pins.iter().enumerate().map(name).collect()
}

/// Returns the modifiers of a pin.
fn modifiers(pin: Element<'_>) -> Result<Modifiers, Gap> {
    let is = |name: &str, usual: &str| text(pin, name).is_none_or(|value| value == usual);
    if !is("SetResetRef", "None") || !is("PretendsToBeConnected", "false") || !is("Access", "None") {
        return Err(PIN);
    }
    let negated = match text(pin, "Negated").as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(PIN),
    };
    let storage = match text(pin, "SetReset").as_deref() {
        None | Some("None") => None,
        Some("Set") => Some(Storage::Set),
        Some("Reset") => Some(Storage::Reset),
        Some(_) => return Err(PIN),
    };
    Ok(Modifiers { negated, edge: None, storage })
}

/// Returns the type of an object; those of a list may share one.
fn kind(object: Element<'_>) -> Cow<'_, str> {
    object.attribute("t").map_or(Cow::Borrowed(""), |value| value.text)
}

fn name(object: Element<'_>) -> Cow<'_, str> {
    object.attribute("n").map_or(Cow::Borrowed(""), |value| value.text)
}

/// Returns the part of an object with a name.
fn part<'d>(object: Element<'d>, wanted: &str) -> Option<Element<'d>> {
    object.children().find(|part| name(*part) == wanted)
}

/// Returns the objects of a list with their types.
fn list<'d>(object: Element<'d>, wanted: &str) -> Option<Vec<(Element<'d>, String)>> {
    let inner = part(part(object, wanted)?, "InnerList")?;
    let common = inner.attribute("cet").map(|value| value.text.into_owned());
    let typed = |item: Element<'d>| {
        let own = kind(item);
        (item, if own.is_empty() { common.clone().unwrap_or_default() } else { own.into_owned() })
    };
    Some(inner.children().map(typed).collect())
}

/// Returns a value of an object without its quotes.
fn text<'d>(object: Element<'d>, wanted: &str) -> Option<Cow<'d, str>> {
    let value = part(object, wanted).filter(|part| part.name() == "v")?;
    Some(value.text())
}

fn number(object: Element<'_>, wanted: &str) -> Option<u64> {
    text(object, wanted)?.strip_suffix('L')?.parse().ok()
}

/// Returns a text without its quotes, and its place.
fn unquoted<'d>(object: Element<'d>, wanted: &str) -> Option<(Cow<'d, str>, Range<usize>)> {
    let value = part(object, wanted).filter(|part| part.name() == "v")?;
    let range = value.text_range()?;
    let inside = match value.text() {
        Cow::Borrowed(words) => Cow::Borrowed(words.strip_prefix('"')?.strip_suffix('"')?),
        Cow::Owned(words) => Cow::Owned(words.strip_prefix('"')?.strip_suffix('"')?.to_owned()),
    };
    Some((inside, range.start + 1..range.end.checked_sub(1)?))
}

fn ident(label: Element<'_>) -> Option<Ident> {
    let (words, _) = unquoted(label, "Text")?;
    let span = part(label, "Text")?.text_span()?;
    Some(Ident::new(words.trim(), span))
}

/// Returns the upper left corner in `"x, y, width, height"`.
fn corner(bounds: &str) -> Option<(i32, i32)> {
    let mut numbers = bounds.trim_matches('"').split(',').map(|n| n.trim().parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests;
