//! Variables: sections, declarations, initial values.

use super::Reader;
use super::project::Waiting;
use crate::ast::{Access, Arg, Expr, GlobalList, Ident, Initializer, InitializerKind, Section, TypeSpec, VarBlock, VarDecl};
use crate::hir::{Address, Retain};
use crate::lang::common::address::address;
use crate::lang::xml::{Element, Value};
use crate::text::{Diagnostic, Span};

/// Returns the section that an element of an interface stands for.
pub(super) fn section(name: &str) -> Option<Section> {
    Some(match name {
        "localVars" => Section::Var,
        "inputVars" => Section::Input,
        "outputVars" => Section::Output,
        "inOutVars" => Section::InOut,
        "tempVars" => Section::Temp,
        "externalVars" => Section::External,
        "globalVars" => Section::Global,
        "accessVars" => Section::Access,
        _ => return None,
    })
}

impl<'d> Reader<'d> {
    /// Reads a section with its variables.
    pub(super) fn block(&mut self, element: Element<'d>, section: Section) -> VarBlock {
        let retain = if super::is_true(element, "retain") || super::is_true(element, "persistent") {
            Retain::Retain
        } else if super::is_true(element, "nonretain") || super::is_true(element, "nonpersistent") {
            Retain::NonRetain
        } else {
            Retain::Unspecified
        };
        let mut vars = Vec::new();
        for part in element.children() {
            match part.name() {
                "variable" => vars.extend(self.variable(part)),
                "documentation" => {}
                "addData" => self.declaration_data(part),
                "accessVariable" => self.gap("access path for communication", part.tag_span()),
                _ => self.unknown(part),
            }
        }
        let constant = super::is_true(element, "constant");
        VarBlock { section, constant, retain, access: Access::Unspecified, vars, list: None, span: element.span() }
    }

    /// Reads global variables; a list whose variables have different attributes becomes several blocks.
    pub(super) fn global_vars(&mut self, element: Element<'d>, waiting: &mut Vec<Waiting<'d>>) -> Vec<VarBlock> {
        let data = || element.children_named("addData").flat_map(|add| add.children_named("data")).flat_map(|d| d.children());
        if let Some(mixed) = data().find(|part| part.name() == "MixedAttrsVarList") {
            // The element itself repeats these variables without their attributes.
            return mixed.children_named("globalVars").flat_map(|part| self.global_vars(part, waiting)).collect();
        }
        for part in data().filter(|part| part.name() == "pou") {
            waiting.extend(self.pou(part).map(|pou| Waiting { element: part, pou }));
        }
        let mut block = self.block(element, Section::Global);
        let attributes = data().filter(|part| part.name() == "Attributes").flat_map(|a| a.children_named("Attribute"));
        let qualified_only = attributes.filter_map(|a| a.attribute("Name")).any(|v| v.text == "qualified_only");
        if let Some(name) = element.attribute("name").filter(|v| !v.text.is_empty())
            && let Some(name) = self.as_ident(&name)
        {
            block.list = Some(GlobalList { name, qualified_only });
        }
        vec![block]
    }

    /// Reads `<variable name address> <type/> <initialValue/>`
    pub(super) fn variable(&mut self, element: Element<'d>) -> Option<VarDecl> {
        let name = self.ident(element, "name")?;
        let (mut ty, mut value, mut args) = (None, None, Vec::new());
        for part in element.children() {
            match part.name() {
                "type" => ty = Some(self.type_in(part)),
                "initialValue" => value = Some(part),
                "documentation" => {}
                "addData" => args.extend(self.variable_data(part)),
                _ => self.unknown(part),
            }
        }
        let init = value.and_then(|value| self.typed_value(value, ty.as_ref()));
        let ty = ty.unwrap_or_else(|| {
            self.missing(element, "type");
            TypeSpec::error(element.tag_span())
        });
        let address = element.filled("address").and_then(|v| self.address(&v));
        Some(VarDecl { address, args, init, ..VarDecl::new(name, ty, element.span()) })
    }

    fn address(&mut self, value: &Value<'_>) -> Option<(Address, Span)> {
        match address(value.text.trim()) {
            Ok(address) => Some((address, value.span)),
            Err(_) => {
                let message = format!("`{}` is not an address", value.text);
                let finding = Diagnostic::error("P1006", value.span, message, "an address was expected");
                self.findings.push(finding.help("write it as %IX0.3, %QW4 or %I*"));
                None
            }
        }
    }

    /// Reads data of a variable: the arguments of an instance's constructor.
    fn variable_data(&mut self, add_data: Element<'d>) -> Vec<Arg> {
        let mut args = Vec::new();
        for part in add_data.children_named("data").flat_map(|data| data.children()) {
            if part.name() != "InputAssignments" {
                self.data_of_declaration(part);
                continue;
            }
            for assignment in part.children_named("InputAssignment") {
                let Some(value) = assignment.child("Value") else { continue };
                let value = self.expression_in(value);
                let name = assignment.child("Name").filter(|n| !n.text().trim().is_empty());
                args.push(match name {
                    Some(name) => Arg::Input(Ident { text: name.text().trim().to_owned(), span: name.span() }, value),
                    None => Arg::Positional(value),
                });
            }
        }
        args
    }

    /// Reads data of a section.
    pub(super) fn declaration_data(&mut self, add_data: Element<'d>) {
        for part in add_data.children_named("data").flat_map(|data| data.children()) {
            if !matches!(part.name(), "pou" | "MixedAttrsVarList") {
                self.data_of_declaration(part);
            }
        }
    }

    fn data_of_declaration(&mut self, part: Element<'_>) {
        match part.name() {
            "Attributes" => part.children_named("Attribute").for_each(|a| self.attribute(a)),
            "ObjectId" | "EnumValueDocumentation" => {}
            _ => {
                let data = part.parent().unwrap_or(part);
                if super::project::is_discarded(data) { self.no_meaning(data, part) } else { self.vendor_data(data, part) }
            }
        }
    }

    /// Reads `{attribute '…'}`: few of them change the effect of a program.
    pub(super) fn attribute(&mut self, element: Element<'_>) {
        let Some(name) = element.attribute("Name") else { return };
        if !self.seen_data.insert(format!("attribute {}", name.text)) {
            return;
        }
        if name.text.starts_with("call_") {
            self.gap("attribute that makes the system call a method", name.span);
            return;
        }
        let what = format!("attribute '{}'", name.text);
        self.unit.ignore(name.span, what, "it changes nothing about what the program computes");
    }

    // -- initial values ---------------------------------------------------------------------------

    pub(super) fn initial_value(&mut self, element: Element<'_>) -> Option<Initializer> {
        let span = element.span();
        let value = element.children().find(|part| matches!(part.name(), "simpleValue" | "arrayValue" | "structValue"))?;
        let kind = match value.name() {
            "simpleValue" => InitializerKind::Expr(self.simple_value(value)?),
            "arrayValue" => {
                let mut rows = Vec::new();
                for row in value.children_named("value") {
                    let count = row.attribute("repetitionValue").filter(|v| !matches!(v.text.trim(), "" | "1"));
                    let count: Option<Expr> = count.map(|v| self.expression_of(&v));
                    rows.extend(self.initial_value(row).map(|value| (count, value)));
                }
                InitializerKind::Array(rows)
            }
            _ => {
                let mut fields = Vec::new();
                for row in value.children_named("value") {
                    if let (Some(member), Some(value)) = (self.ident(row, "member"), self.initial_value(row)) {
                        fields.push((member, value));
                    }
                }
                InitializerKind::Struct(fields)
            }
        };
        Some(Initializer { kind, span })
    }

    fn simple_value(&mut self, element: Element<'_>) -> Option<Expr> {
        let value = element.filled("value")?;
        Some(self.expression_of(&value))
    }
}
