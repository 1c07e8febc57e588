//! POUs: interface, body, actions, transitions, methods, properties.

use super::Reader;
use super::body::Place;
use super::vars::section;
use crate::ast::{
    Access, ActionDecl, Body, Ident, Interface, Item, Method, Modifiers, Name, Pou, PouKind, Property, Section, Stmt, TypeSpec,
    VarBlock, VarDecl,
};
use crate::lang::common::state_chart;
use crate::lang::xml::Element;
use crate::text::Diagnostic;

/// Contents of an `<interface>`.
#[derive(Default)]
struct Signature {
    result: Option<TypeSpec>,
    vars: Vec<VarBlock>,
    modifiers: Modifiers,
    extends: Vec<Name>,
    implements: Vec<Name>,
}

impl<'d> Reader<'d> {
    /// Reads a POU with its declarations; its bodies are read later.
    pub(super) fn pou(&mut self, element: Element<'d>) -> Option<Pou> {
        let name = self.ident(element, "name")?;
        let kind = match element.attribute("pouType").map(|v| v.text) {
            Some(kind) if kind == "program" => PouKind::Program,
            Some(kind) if kind == "functionBlock" => PouKind::FunctionBlock,
            Some(kind) if kind == "function" => PouKind::Function,
            _ => {
                self.missing(element, "known pouType (program, functionBlock or function)");
                return None;
            }
        };
        let text = [Some(element), element.child("interface")].into_iter().flatten();
        for home in text {
            let mut found = None;
            self.plain_text(home, |r, items| {
                let mut items = items;
                if let Some(at) = items.iter().position(|item| matches!(item, Item::Pou(_))) {
                    found = Some(items.remove(at));
                }
                r.unit.items.extend(items);
            });
            if let Some(Item::Pou(mut pou)) = found {
                pou.span = element.span();
                return Some(pou);
            }
        }
        let signature = element.child("interface").map(|i| self.signature(i)).unwrap_or_default();
        let Signature { result, vars, modifiers, extends, implements } = signature;
        let extends = extends.into_iter().next();
        Some(Pou { modifiers, extends, implements, result, vars, ..Pou::new(kind, name, element.span()) })
    }

    fn signature(&mut self, interface: Element<'d>) -> Signature {
        let mut signature = Signature::default();
        for part in interface.children() {
            match part.name() {
                "returnType" => signature.result = Some(self.type_in(part)),
                "documentation" => {}
                "addData" => {
                    for data in part.children_named("data").flat_map(|data| data.children()) {
                        self.inheritance(data, &mut signature);
                    }
                }
                name => match section(name) {
                    Some(section) => {
                        let block = self.block(part, section);
                        signature.vars.push(block);
                    }
                    None => self.unknown(part),
                },
            }
        }
        signature
    }

    fn inheritance(&mut self, data: Element<'d>, signature: &mut Signature) {
        match data.name() {
            "Inheritance" => {
                for part in data.children() {
                    let Some(name) = self.name_in(part) else { continue };
                    match part.name() {
                        "Extends" => signature.extends.push(name),
                        "Implements" => signature.implements.push(name),
                        _ => self.unknown(part),
                    }
                }
            }
            "AccessModifiers" => {
                let words = data.attributes().map(|(name, value)| (name.to_owned(), value.text == "true"));
                for (word, _) in words.filter(|(_, is_set)| *is_set) {
                    modify(&mut signature.modifiers, &word);
                }
            }
            "InterfaceAsPlainText" => {}
            "Attributes" => data.children_named("Attribute").for_each(|a| self.attribute(a)),
            "ObjectId" => {}
            _ => self.vendor_data(data.parent().unwrap_or(data), data),
        }
    }

    /// Reads the bodies of a POU and of its members.
    pub(super) fn bodies(&mut self, element: Element<'d>, pou: &mut Pou) {
        let has_memory = pou.kind != PouKind::Function;
        let mut hidden: Vec<VarDecl> = Vec::new();
        let mut diagrams = Vec::new();
        let transitions = element.child("transitions");
        let mut place = Place { number: 0, has_memory, transitions, hidden: &mut hidden, diagrams: &mut diagrams, home: None };
        match self.body(element, &mut place) {
            Some(body) => pou.body = body,
            None => pou.body = Body::Statements(vec![Stmt::unsupported("POU without a body", element.tag_span())]),
        }
        state_chart::mark(&mut pou.body, &pou.vars, element.tag_span());
        for part in element.children() {
            match part.name() {
                "interface" | "body" | "transitions" | "documentation" => {}
                "actions" => {
                    for action in part.children() {
                        pou.actions.extend(self.action(action, &mut place));
                    }
                }
                "addData" => {
                    for data in part.children_named("data") {
                        for member in data.children() {
                            self.member(data, member, pou);
                        }
                    }
                }
                _ => self.unknown(part),
            }
        }
        pou.diagrams = diagrams;
        if !hidden.is_empty() {
            let mut taken = std::collections::BTreeSet::new();
            hidden.retain(|var| taken.insert(var.name.text.clone()));
            pou.vars.push(VarBlock::new(Section::Var, hidden, element.tag_span()));
        }
    }

    fn action(&mut self, element: Element<'d>, place: &mut Place<'_, 'd>) -> Option<ActionDecl> {
        if element.name() != "action" {
            self.unknown(element);
            return None;
        }
        let name = self.ident(element, "name")?;
        let body = self
            .body(element, place)
            .unwrap_or_else(|| Body::Statements(vec![Stmt::unsupported("action without a body", element.tag_span())]));
        Some(ActionDecl { name, body, span: element.span() })
    }

    /// Reads a method, a property or other data of a POU.
    fn member(&mut self, data: Element<'d>, member: Element<'d>, pou: &mut Pou) {
        match member.name() {
            "Method" => pou.methods.extend(self.method(member, false)),
            "Property" => pou.properties.extend(self.property(member, false)),
            "ObjectId" | "InterfaceAsPlainText" => {}
            "SFCSettings" | "BuildProperties" => self.no_meaning(data, member),
            _ => self.vendor_data(data, member),
        }
    }

    fn method(&mut self, element: Element<'d>, is_prototype: bool) -> Option<Method> {
        let name = self.ident(element, "name")?;
        let signature = element.child("interface").map(|i| self.signature(i)).unwrap_or_default();
        let is_prototype = is_prototype || signature.modifiers.is_abstract;
        let Signature { result, mut vars, modifiers, .. } = signature;
        let body = (!is_prototype).then(|| self.member_body(element, &mut vars));
        Some(Method { name, modifiers, result, vars, body, span: element.span() })
    }

    /// Reads a body whose hidden variables are its own; none of them keeps its value between calls.
    fn member_body(&mut self, element: Element<'d>, vars: &mut Vec<VarBlock>) -> Body {
        let (mut hidden, mut diagrams) = (Vec::new(), Vec::new());
        let mut place =
            Place { number: 0, has_memory: false, transitions: None, hidden: &mut hidden, diagrams: &mut diagrams, home: None };
        let body = self.body(element, &mut place);
        if !hidden.is_empty() {
            vars.push(VarBlock::new(Section::Var, hidden, element.tag_span()));
        }
        let without = || Body::Statements(vec![Stmt::unsupported("method without a body", element.tag_span())]);
        let mut body = body.unwrap_or_else(without);
        state_chart::mark(&mut body, vars, element.tag_span());
        body
    }

    fn property(&mut self, element: Element<'d>, is_prototype: bool) -> Option<Property> {
        let name = self.ident(element, "name")?;
        let signature = element.child("interface").map(|i| self.signature(i)).unwrap_or_default();
        let Some(ty) = signature.result else {
            self.missing(element, "type");
            return None;
        };
        let mut accessor = |words: [&str; 3]| {
            let part = words.into_iter().find_map(|word| element.child(word))?;
            let mut own = part.child("interface").map(|i| self.signature(i)).unwrap_or_default();
            let has_body = part.child("body").is_some() && !is_prototype;
            let body = has_body.then(|| self.member_body(part, &mut own.vars));
            let name = Ident { text: name.text.clone(), span: part.tag_span() };
            Some(Method { name, modifiers: own.modifiers, result: None, vars: own.vars, body, span: part.span() })
        };
        let getter = accessor(["GetAccessor", "Get", "getter"]);
        let setter = accessor(["SetAccessor", "Set", "setter"]);
        if getter.is_none() && setter.is_none() {
            self.gap("property without GET and SET", element.tag_span());
        }
        Some(Property { name, modifiers: signature.modifiers, ty, getter, setter, span: element.span() })
    }

    /// Reads `<Interface name> <Methods/> <Properties/>`
    pub(super) fn interface(&mut self, element: Element<'d>) -> Option<Interface> {
        let name = self.ident(element, "name")?;
        let (mut methods, mut properties, mut extends) = (Vec::new(), Vec::new(), Vec::new());
        for part in element.descendants() {
            let home = part.parent().map_or("", |p| p.name());
            match part.name() {
                "Method" if home == "Methods" || home == "data" => methods.extend(self.method(part, true)),
                "Property" if home == "Properties" || home == "data" => properties.extend(self.property(part, true)),
                "Extends" => extends.extend(self.name_in(part)),
                _ => {}
            }
        }
        Some(Interface { name, extends, methods, properties, span: element.span() })
    }

    /// Reports an element at a wrong place.
    pub(super) fn misplaced(&mut self, element: Element<'_>, why: &str) {
        let message = format!("`<{}>` cannot stand here", element.name());
        let finding = Diagnostic::error("P0011", element.tag_span(), message, why);
        self.findings.push(finding.help("mend it in the engineering system and export the project again"));
    }
}

fn modify(modifiers: &mut Modifiers, word: &str) {
    match word.to_ascii_lowercase().as_str() {
        "private" => modifiers.access = Access::Private,
        "protected" => modifiers.access = Access::Protected,
        "internal" => modifiers.access = Access::Internal,
        "public" => modifiers.access = Access::Public,
        "abstract" => modifiers.is_abstract = true,
        "final" => modifiers.is_final = true,
        "override" => modifiers.is_override = true,
        _ => {}
    }
}
