//! Contents of a file: blocks, data blocks, types, tag tables.

use super::interface::has_members;
use super::{Reader, attribute, bytes, ident};
use crate::ast::{
    Body, Expr, Ident, Initializer, InitializerKind, Item, Pou, PouKind, Section, Stmt, TypeDecl, TypeSpec, TypeSpecKind,
    VarBlock, VarDecl,
};
use crate::hir::{Address, AddressArea, AddressSize};
use crate::lang::common::address::address;
use crate::lang::common::organization_blocks::{Event, event_of, number_of};
use crate::lang::common::token::identifier;
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::quoted::original;
use crate::text::{Diagnostic, Span, key};

/// Reasons why the addresses of tags of the system are not used.
pub(crate) const SYSTEM_KEEPS: &str = "the system keeps its value";
/// Reason for the ledger: the tag is system or clock memory.
pub const SYSTEM_WRITES: &str = "the system writes it: it may have any value in every cycle, whatever its address says";

/// Tags of the clock memory and the system memory, as TIA Portal names them.
const SYSTEM_MEMORY: &[&str] = &[
    "System_Byte",
    "FirstScan",
    "DiagStatusUpdate",
    "Clock_Byte",
    "Clock_10Hz",
    "Clock_5Hz",
    "Clock_2.5Hz",
    "Clock_2Hz",
    "Clock_1.25Hz",
    "Clock_1Hz",
    "Clock_0.625Hz",
    "Clock_0.5Hz",
];

/// First byte of %I that tags of system and clock memory get.
const FIRST_SYSTEM_BYTE: u32 = 60_000;

/// Returns whether an address is one that a tag of system or clock memory gets.
pub fn is_system_address(address: &Address) -> bool {
    address.area == AddressArea::Input && address.path.first().is_some_and(|byte| FIRST_SYSTEM_BYTE < *byte)
}

/// Returns whether the memory of a block has optimised access, if the file tells.
fn optimized(object: Element<'_>) -> Option<bool> {
    let layout = attribute(object, "MemoryLayout")?;
    Some(layout.text().trim().eq_ignore_ascii_case("Optimized"))
}

impl Reader<'_> {
    /// Reads everything inside of `<Document>`.
    pub(super) fn document(&mut self, root: Element<'_>) {
        for object in root.children() {
            match object.name() {
                "Engineering" | "DocumentInfo" => {}
                "SW.Blocks.OB" => self.block(object, PouKind::Program),
                "SW.Blocks.FB" => self.block(object, PouKind::FunctionBlock),
                "SW.Blocks.FC" => self.block(object, PouKind::Function),
                "SW.Blocks.GlobalDB" => self.data_block(object),
                "SW.Blocks.ArrayDB" => self.array_block(object),
                "SW.Blocks.InstanceDB" => self.instance(object),
                "SW.Types.PlcStruct" => self.data_type(object),
                "SW.Tags.PlcTagTable" => self.tags(object),
                "SW.WatchAndForceTables.PlcWatchTable" | "SW.WatchAndForceTables.PlcForceTable" => {
                    self.unit.ignore(object.tag_span(), "watch table", "it watches, and is no part of the program");
                }
                _ => {
                    self.unit.items.push(Item::Unsupported("object of TIA Portal of a kind that is not read", object.tag_span()))
                }
            }
        }
    }

    /// Reads the name of an object.
    pub(super) fn name(&mut self, object: Element<'_>) -> Option<Ident> {
        let name = attribute(object, "Name").and_then(|e| Some((e.text(), e.text_span()?)));
        let Some((text, span)) = name.filter(|(text, _)| !text.trim().is_empty()) else {
            self.missing(object.tag_span(), "this object has no name");
            return None;
        };
        Some(ident(text.trim(), span))
    }

    fn block(&mut self, object: Element<'_>, kind: PouKind) {
        let Some(name) = self.name(object) else { return };
        let span = object.span();
        let interface = self.interface(object);
        let mut pou =
            Pou { result: interface.result, vars: interface.blocks, optimized: optimized(object), ..Pou::new(kind, name, span) };
        self.locals = pou.vars.iter().flat_map(|b| &b.vars).map(|v| key(&v.name.text)).collect();
        let mut body = self.body(object, kind != PouKind::Function);
        let is_protected = attribute(object, "IsKnowHowProtected");
        pou.is_protected = is_protected.is_some_and(|value| value.text().trim().eq_ignore_ascii_case("true"));
        if pou.is_protected && kind == PouKind::Program {
            body.stmts.push(Stmt::unsupported("body of a know-how-protected block", object.tag_span()));
        }
        if !body.vars.is_empty() {
            pou.vars.push(VarBlock::new(Section::Var, body.vars, span));
        }
        pou.body = Body::Statements(body.stmts);
        pou.diagrams = body.diagrams;
        if object.name() == "SW.Blocks.OB" {
            let event = event(object, &pou.name.text);
            let written = attribute(object, "Number").and_then(|number| number.text().trim().parse().ok());
            let number = written.or_else(|| number_of(&pou.name.text));
            pou = pou.started_by(event, number);
        }
        self.unit.items.push(Item::Pou(pou));
    }

    fn data_block(&mut self, object: Element<'_>) {
        let Some(name) = self.name(object) else { return };
        let ty = self.structure(object);
        self.global(VarDecl::new(name, ty, object.tag_span()));
    }

    /// Reads an array data block: its only member is the array `THIS`.
    fn array_block(&mut self, object: Element<'_>) {
        if has_members(object) {
            self.data_block(object);
        } else {
            self.unit.items.push(Item::Unsupported("array data block whose file does not state the array", object.tag_span()));
        }
    }

    fn instance(&mut self, object: Element<'_>) {
        let Some(name) = self.name(object) else { return };
        let of = attribute(object, "InstanceOfName");
        let Some((of, span)) = of.and_then(|e| Some((e.text(), e.text_span()?))) else {
            self.missing(object.tag_span(), "this instance data block does not say of which block");
            return;
        };
        let ty = TypeSpec { kind: TypeSpecKind::Name(ident(of.trim(), span)), span };
        let mut variable = VarDecl::new(name, ty, object.tag_span());
        variable.init = self.initializer_of(object);
        self.global(variable);
    }

    fn data_type(&mut self, object: Element<'_>) {
        let Some(name) = self.name(object) else { return };
        let ty = self.structure(object);
        self.unit.items.push(Item::Type(TypeDecl { name, extends: None, ty, init: None, span: object.tag_span() }));
    }

    fn tags(&mut self, table: Element<'_>) {
        let objects = table.child("ObjectList").into_iter().flat_map(|list| list.children());
        for tag in objects {
            match tag.name() {
                "SW.Tags.PlcTag" => self.tag(tag),
                "SW.Tags.PlcUserConstant" => self.constant(tag),
                "SW.Tags.PlcSystemConstant" => {
                    let why = "a number of the hardware, without influence on the program";
                    self.unit.ignore(tag.tag_span(), "system constant", why);
                }
                "MultilingualText" => {}
                _ => self.unit.items.push(Item::Unsupported("object of a tag table of a kind that is not read", tag.tag_span())),
            }
        }
        if self.unit.items.is_empty() && self.unit.ignored.is_empty() {
            self.unit.ignore(table.tag_span(), "tag table", "there are no tags in it");
        }
    }

    fn tag(&mut self, tag: Element<'_>) {
        let Some(mut variable) = self.tag_variable(tag) else { return };
        let written = attribute(tag, "LogicalAddress");
        if let Some((text, span)) = written.and_then(|e| Some((e.text(), e.text_span()?))) {
            match address(text.trim()) {
                Ok(address) if address.area == AddressArea::Memory && self.is_of_system(&mut variable, span) => {}
                Ok(address) => variable.address = Some((address, span)),
                Err(_) => self.unit.items.push(Item::Unsupported("tag with the address of a timer, counter or peripheral", span)),
            }
        }
        self.global(variable);
    }

    /// Marks a variable that the controller's system writes, recognised by its name in TIA Portal: it is no memory of the
    /// program. Returns whether it is one.
    fn is_of_system(&mut self, variable: &mut VarDecl, span: Span) -> bool {
        let name = original(&variable.name.text).into_owned();
        let name = name.as_str();
        let truth = match name.to_ascii_lowercase().as_str() {
            "alwaystrue" => Some(true),
            "alwaysfalse" => Some(false),
            _ => None,
        };
        if let Some(value) = truth {
            variable.init = Some(Initializer::value(Expr::truth(value, span)));
            self.unit.ignore(span, format!("address of `{name}`"), SYSTEM_KEEPS);
            return true;
        }
        if !SYSTEM_MEMORY.iter().any(|n| n.eq_ignore_ascii_case(name)) {
            return false;
        }
        // It becomes an input, with any value in each cycle, at an address above all inputs of stations.
        self.n_of_system += 1;
        let byte = FIRST_SYSTEM_BYTE + 8 * self.n_of_system;
        let is_byte = name.to_ascii_lowercase().ends_with("_byte");
        let (size, path) = if is_byte { (AddressSize::Byte, vec![byte]) } else { (AddressSize::Bit, vec![byte, 0]) };
        variable.address = Some((Address { area: AddressArea::Input, size, path }, span));
        self.unit.ignore(span, format!("address of `{name}`"), SYSTEM_WRITES);
        true
    }

    fn constant(&mut self, tag: Element<'_>) {
        let Some(mut variable) = self.tag_variable(tag) else { return };
        let value = attribute(tag, "Value");
        variable.init = value.and_then(|v| self.value(v));
        let span = variable.span;
        if variable.init.is_none() {
            self.missing(span, "this constant has no value");
        }
        self.unit.items.push(Item::Globals(VarBlock { constant: true, ..VarBlock::new(Section::Global, vec![variable], span) }));
    }

    fn tag_variable(&mut self, tag: Element<'_>) -> Option<VarDecl> {
        let name = self.name(tag)?;
        let ty = attribute(tag, "DataTypeName").and_then(|e| e.text_range());
        let Some(range) = ty else {
            self.missing(tag.tag_span(), format!("the tag `{}` has no type", name.text));
            return None;
        };
        let ty = self.type_at(range, &[]);
        Some(VarDecl::new(name, ty, tag.tag_span()))
    }

    fn global(&mut self, variable: VarDecl) {
        let span = variable.span;
        self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![variable], span)));
    }

    /// Reads a value in an element, as an expression.
    pub(super) fn value(&mut self, element: Element<'_>) -> Option<Initializer> {
        let range = element.text_range()?;
        self.unquote(range.clone());
        let parsed = embedded::expression(self.unit.file, &self.overlay.text, range.clone());
        let is_sound = !parsed.has_errors();
        let expr = self.findings.keep(parsed);
        if expr.is_none() && is_sound {
            let diagnostic = Diagnostic::error("P0011", element.tag_span(), "a value is missing", "no value inside");
            self.findings.push(diagnostic.help("export the block again from TIA Portal"));
        }
        let span = Span::new(self.unit.file, range.start, range.end);
        Some(Initializer { kind: InitializerKind::Expr(expr?), span })
    }

    /// Replaces names in quotes by plain names, in place.
    pub(super) fn unquote(&mut self, range: std::ops::Range<usize>) {
        let Some(text) = self.overlay.text.get(range.clone()) else { return };
        // A quote inside of a string is one of its characters.
        if !text.contains('"') || text.contains('\'') {
            return;
        }
        let mut pieces = text.split('"');
        let mut plain = pieces.next().unwrap_or("").to_owned();
        let mut is_quoted = true;
        for piece in pieces {
            let name = piece.trim_matches([crate::lang::xml::FILLER, ' ']);
            plain.push(' ');
            plain.push_str(&if is_quoted { identifier(name) } else { piece.to_owned() });
            is_quoted = !is_quoted;
        }
        let trimmed = plain.trim_end_matches([crate::lang::xml::FILLER, ' ']).to_owned();
        if self.overlay.put(range.clone(), &trimmed).is_none() {
            let span = Span::new(self.unit.file, range.start, range.end);
            self.missing(span, "this name has too many special characters");
        }
    }

    /// Reads the members of an object as a structure.
    fn structure(&mut self, object: Element<'_>) -> TypeSpec {
        let interface = self.interface(object);
        let members = interface.blocks.into_iter().flat_map(|block| block.vars).collect();
        TypeSpec { kind: TypeSpecKind::Struct(members), span: object.tag_span() }
    }

    /// Returns the bytes of an element.
    pub(super) fn room(element: Element<'_>) -> std::ops::Range<usize> {
        bytes(element.span())
    }
}

/// Returns the event that starts an organization block.
fn event(object: Element<'_>, name: &str) -> Event {
    match attribute(object, "SecondaryType").map(|kind| kind.text().trim().to_owned()) {
        Some(kind) if kind.eq_ignore_ascii_case("ProgramCycle") => Event::Cycle,
        Some(kind) if kind.eq_ignore_ascii_case("Startup") => Event::Startup,
        Some(_) => Event::Other,
        None => {
            let number = attribute(object, "Number").map(|number| format!("OB{}", number.text().trim()));
            match number.map(|number| event_of(&number, "")) {
                None | Some(Event::Unknown) => event_of(name, ""),
                Some(told) => told,
            }
        }
    }
}
