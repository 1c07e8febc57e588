//! Add-On Instructions: function blocks with required parameters, aliases of local tags and a prescan routine.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::Aliases;
use super::calls::Scope;
use super::ladder::Ladder;
use super::partial_exports::is_interface;
use super::prescan::{INPUTS, before_logic, bits, is_closed, returns};
use super::program::FIRST_SCAN;
use super::types::{Members, Shape, Shapes, shape_of};
use super::values::{initial_value, value_at};
use super::{Reader, attribute, flags, ident_of, key};
use crate::ast::{
    AnyBounds, Assumed, Body, Expr, ExprKind, Ident, Initializer, Item, Name, Pou, PouKind, Section, Stmt, StmtKind, TypeSpec,
    TypeSpecKind, VarBlock, VarDecl,
};
use crate::hir::Diagram;
use crate::lang::xml::Element;
use crate::text::{NO_FAULT, Span};

/// Parameter that is another name of a local tag or of a part of one.
struct Alias {
    name: Ident,
    target: Name,
    is_input: bool,
}

impl Alias {
    /// Returns the copy of its value to its target, or back.
    fn copy(&self, back: bool) -> Stmt {
        let outer = Expr::variable(self.name.clone());
        let inner = Expr { kind: ExprKind::Name(self.target.clone()), span: self.name.span };
        let (target, value) = if back { (outer, inner) } else { (inner, outer) };
        Stmt::assign(target, value, self.name.span)
    }
}

/// Condition of a tag with an instance of an Add-On Instruction. Data in the form that XML has lacks the local tags.
pub(super) const OF_DEFINITION: &str = "initial values of an Add-On Instruction's tag: those of its definition are taken";

/// Condition of an Add-On Instruction with a postscan routine; calls in such actions are gaps.
const POSTSCAN: &str = "postscan routine: no chart with automatic reset calls the instruction";

/// Reason of the condition of an Add-On Instruction without its source.
const WITHOUT_SOURCE: &str = "it is protected or only named in the export: each of its parameters has any value behind a call";

impl Reader {
    /// Reads an Add-On Instruction.
    pub(super) fn instruction(&mut self, element: Element<'_>) {
        let span = element.tag_span();
        let Some(name) = ident_of(element) else { return };
        if self.shapes.protected.contains(&key(&name.text)) {
            return self.note("Add-On Instruction whose source is protected", span);
        }
        let mut variables = self.shapes.members(&name.text).cloned().unwrap_or_default();
        let mut pou = Pou::new(PouKind::FunctionBlock, name, span);
        let mut aliases = Vec::new();
        let parameters: Vec<_> = element.children_named("Parameters").flat_map(Element::children).collect();
        let locals: Vec<_> = element.children_named("LocalTags").flat_map(Element::children).collect();
        let mut references = BTreeSet::new();
        for parameter in &parameters {
            let usage = attribute(*parameter, "Usage").unwrap_or_default();
            if usage == "InOut" {
                references.extend(ident_of(*parameter).map(|name| key(&name.text)));
            }
            if let Some(alias) = self.alias(*parameter, usage == "Input") {
                let root = key(&alias.target.root.text);
                let mut tags = parameters.iter().chain(&locals);
                let tag = tags.find(|tag| ident_of(**tag).is_some_and(|name| key(&name.text) == root));
                let value = tag.and_then(|tag| value_at(*tag, &alias.target.path));
                self.alias_declaration(&alias, &mut variables, value, &mut pou);
                aliases.push(alias);
                continue;
            }
            let is_enable = ident_of(*parameter).is_some_and(|name| name.text.eq_ignore_ascii_case("EnableIn"));
            let section = match usage.as_str() {
                _ if is_enable && self.shapes.runs_disabled(&pou.name.text) => Section::Input,
                // Only calls that are enabled execute the logic; all others write it as FALSE.
                _ if is_enable => Section::Var,
                // Calls behind FALSE rungs write it.
                _ if ident_of(*parameter).is_some_and(|name| name.text.eq_ignore_ascii_case("EnableOut")) => Section::Var,
                "Input" => Section::Input,
                "Output" => Section::Output,
                _ => Section::InOut,
            };
            self.variable(*parameter, section, &mut pou);
            if let Some(enable) = pou.vars.last_mut().and_then(|block| block.vars.first_mut()).filter(|_| is_enable) {
                enable.init = Some(Initializer::value(Expr::truth(true, enable.span)));
            }
        }
        self.shapes.set_members(&pou.name.text, variables.clone());
        for local in locals {
            self.variable(local, Section::Var, &mut pou);
        }
        if is_interface(element) {
            self.without_source(variables, references, &mut pou);
        } else {
            self.routines(element, variables, references, aliases, &mut pou);
        }
        self.unit.items.push(Item::Pou(pou));
    }

    /// Gives an instruction without its source a body: each parameter has any value behind a call and its prescan.
    ///
    /// Soundness: logic of an Add-On Instruction knows no tags but its own. Faults are a condition.
    fn without_source(&mut self, variables: Members, references: BTreeSet<String>, pou: &mut Pou) {
        let span = pou.span;
        let shapes = &self.shapes;
        let names = pou.vars.iter().flat_map(|block| &block.vars).map(|var| var.name.clone());
        let names: Vec<Ident> = names.filter(|name| !name.text.eq_ignore_ascii_case("EnableIn")).collect();
        let scope =
            Scope { shapes, variables, references, routines: BTreeMap::new(), aliases: Aliases::new(), is_instruction: true };
        let any = |name: &Ident| {
            // An alias of a hidden tag has no type here: where it is read is a gap.
            scope.variables.get(&key(&name.text))?;
            let values = scope.any_values(&Expr::variable(name.clone()), span);
            Some(values.unwrap_or_else(|| vec![Stmt::unsupported("parameter of a protected Add-On Instruction", name.span)]))
        };
        let mut stmts: Vec<Stmt> = names.iter().filter_map(any).flatten().collect();
        stmts.extend(before_logic(Vec::new(), Vec::new(), span));
        pou.vars.push(bits(span));
        let condition =
            format!("Add-On Instruction `{}` without its source: it writes only its parameters {NO_FAULT}", pou.name.text);
        self.unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason: WITHOUT_SOURCE, span });
        pou.body = Body::Statements(stmts);
    }

    /// Declares a parameter or local tag.
    fn variable(&mut self, element: Element<'_>, section: Section, pou: &mut Pou) {
        let Some(name) = ident_of(element) else { return };
        let span = element.tag_span();
        let mut ty = self.type_of(element);
        if let (Section::InOut, TypeSpecKind::Array(bounds, inner)) = (section, &ty.kind) {
            // An argument may have more elements.
            let any = AnyBounds { n_dims: bounds.len(), smallest: Some(bounds.clone()) };
            ty.kind = TypeSpecKind::OpenArray(any, inner.clone());
        }
        let mut var = VarDecl::new(name, ty, span);
        if shape_of(element).is_some_and(|shape| self.shapes.holds_instance(&shape.ty)) {
            if section != Section::InOut {
                self.note(OF_DEFINITION, span);
            }
        } else if section != Section::InOut {
            match initial_value(element, &self.shapes) {
                Ok(value) => var.init = value,
                Err(_) => self.note(super::values::NOT_READ, var.name.span),
            }
        }
        pou.vars.push(VarBlock::new(section, vec![var], span));
    }

    /// Returns the alias that a parameter is.
    fn alias(&mut self, parameter: Element<'_>, is_input: bool) -> Option<Alias> {
        let (target, name) = (self.target_of(parameter)?, ident_of(parameter)?);
        if key(&target.root.text) == key(&name.text) {
            self.circle(parameter);
        }
        Some(Alias { name, target, is_input })
    }

    fn alias_declaration(&mut self, alias: &Alias, variables: &mut Members, value: Option<Expr>, pou: &mut Pou) {
        let span = alias.name.span;
        let shape = self.shapes.of(variables, &alias.target);
        // Its value before the first call is the value of its target.
        let ty = match &shape {
            Some(shape) if value.is_some() => self.spec(shape, span),
            _ => TypeSpec { kind: TypeSpecKind::Opaque("alias of an unknown tag".to_owned()), span },
        };
        variables.extend(shape.map(|shape| (key(&alias.name.text), shape)));
        let section = if alias.is_input { Section::Input } else { Section::Output };
        let mut var = VarDecl::new(alias.name.clone(), ty, span);
        var.init = value.map(Initializer::value);
        pou.vars.push(VarBlock::new(section, vec![var], span));
    }

    fn routines(
        &mut self,
        element: Element<'_>,
        variables: Members,
        references: BTreeSet<String>,
        aliases: Vec<Alias>,
        pou: &mut Pou,
    ) {
        let span = element.tag_span();
        let is_on = |name: &str| attribute(element, name).as_deref() == Some("true");
        let names = aliases.iter().map(|alias| (key(&alias.name.text), alias.target.clone())).collect();
        let mut variables = variables;
        variables.insert(FIRST_SCAN.to_owned(), Shape { ty: "BOOL".to_owned(), dimensions: Vec::new() });
        variables.extend(flags::shapes());
        let scope = Names { variables, references, aliases: names };
        let (mut logic, mut disabled, mut own) = (Ladder::default(), Vec::new(), Vec::new());
        for routine in element.children_named("Routines").flat_map(Element::children) {
            let name = attribute(routine, "Name").unwrap_or_default();
            let n_pictures = self.pictures.len();
            match name.as_str() {
                "Logic" => logic = self.body(routine, &scope),
                "Prescan" if is_on("ExecutePrescan") => {
                    own = self.body(routine, &scope).stmts;
                    if !is_closed(&own, pou) {
                        self.note(INPUTS, routine.tag_span());
                    }
                    if returns(&mut own) {
                        own = vec![Stmt::unsupported("TND of a prescan routine", routine.tag_span())];
                    }
                }
                "Postscan" if is_on("ExecutePostscan") => self.note(POSTSCAN, routine.tag_span()),
                "EnableInFalse" if is_on("ExecuteEnableInFalse") => {
                    disabled = self.body(routine, &scope).stmts;
                }
                _ => self.unit.ignore(routine.tag_span(), "routine that is switched off", "never executed"),
            }
            if !matches!(name.as_str(), "Logic" | "EnableInFalse") {
                self.pictures.truncate(n_pictures);
            }
        }
        let copies = |back: bool| {
            let used = aliases.iter().filter(|alias| back || alias.is_input);
            let mut copies: Vec<Stmt> = used.map(|alias| alias.copy(back)).collect();
            self.shapes.put_hosts(&scope.variables, &mut copies, span);
            copies
        };
        let drawn = std::mem::take(&mut self.pictures).into_iter();
        pou.diagrams = drawn.map(|diagram| Diagram { home: None, ..diagram }).collect();
        let mut prescan = std::mem::take(&mut logic.prescan);
        let mut stmts = std::mem::take(&mut logic.stmts);
        if self.shapes.runs_disabled(&pou.name.text) {
            let enable = Expr::variable(Ident::new("EnableIn", span));
            stmts = vec![Stmt { kind: StmtKind::If(vec![(enable, stmts)], disabled), span }];
        }
        if !aliases.is_empty() && returns(&mut stmts) {
            stmts.insert(0, Stmt::unsupported("TND of an Add-On Instruction with alias parameters", span));
        }
        let (first, last) = (copies(false), copies(true));
        let set_enable_in = |value: bool| enabled(pou, value, span).filter(|_| !self.shapes.runs_disabled(&pou.name.text));
        let messages = messages(&pou.vars, span);
        if self.shapes.has_prescan(&pou.name.text) {
            // The rung of a prescan is FALSE.
            prescan.splice(0..0, set_enable_in(false));
            prescan.extend(enable_out(pou, Expr::truth(false, span), span));
            prescan.extend(own);
            stmts.splice(0..0, set_enable_in(true).into_iter().chain(enable_out(pou, enable_in(pou, span), span)));
            stmts.splice(0..0, before_logic(prescan, last.clone(), span));
            pou.vars.push(bits(span));
        } else {
            stmts.splice(0..0, set_enable_in(true).into_iter().chain(enable_out(pou, enable_in(pou, span), span)));
        }
        pou.body = Body::Statements(messages.into_iter().chain(first).chain(stmts).chain(last).collect());
    }

    /// Reads the statements of a routine of an Add-On Instruction.
    fn body(&mut self, routine: Element<'_>, names: &Names) -> Ladder {
        let shapes = std::mem::take(&mut self.shapes);
        let Names { variables, references, aliases } = names.clone();
        let scope = Scope { shapes: &shapes, variables, references, routines: BTreeMap::new(), aliases, is_instruction: true };
        let ladder = self.statements(routine, &scope);
        self.shapes = shapes;
        ladder
    }
}

impl Shapes {
    /// Returns whether a type is an Add-On Instruction, or has one inside.
    pub(super) fn holds_instance(&self, ty: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![key(ty)]);
        while let Some(ty) = open.pop() {
            if self.required(&ty).is_some() {
                return true;
            }
            if seen.insert(ty.clone()) {
                open.extend(self.members(&ty).into_iter().flat_map(Members::values).map(|shape| key(&shape.ty)));
            }
        }
        false
    }
}

/// Names that the routines of an Add-On Instruction may use.
#[derive(Clone)]
struct Names {
    variables: Members,
    references: BTreeSet<String>,
    aliases: Aliases,
}

/// Returns calls of all messages and instructions of motion among variables: the system writes their bits from scan to scan.
pub(super) fn messages(blocks: &[VarBlock], span: Span) -> Vec<Stmt> {
    let is_message = |ty: &TypeSpec| {
        let types = ["MESSAGE", "MOTION_INSTRUCTION"];
        matches!(&ty.kind, TypeSpecKind::Name(name) if types.iter().any(|ty| name.text.eq_ignore_ascii_case(ty)))
    };
    let vars = blocks.iter().flat_map(|block| &block.vars).filter(|var| is_message(&var.ty));
    let call = |var: &VarDecl| StmtKind::Call(Name::plain(Ident::new(var.name.text.clone(), span)), Vec::new());
    vars.map(|var| Stmt { kind: call(var), span }).collect()
}

/// Returns the statement that gives EnableOut a value.
fn enable_out(pou: &Pou, value: Expr, span: Span) -> Option<Stmt> {
    has(pou, "EnableOut").then(|| Stmt::assign(Expr::variable(Ident::new("EnableOut", span)), value, span))
}

/// Returns the statement that gives EnableIn a value.
fn enabled(pou: &Pou, value: bool, span: Span) -> Option<Stmt> {
    has(pou, "EnableIn").then(|| Stmt::assign(Expr::variable(Ident::new("EnableIn", span)), Expr::truth(value, span), span))
}

/// Returns the value of EnableIn.
fn enable_in(pou: &Pou, span: Span) -> Expr {
    if has(pou, "EnableIn") { Expr::variable(Ident::new("EnableIn", span)) } else { Expr::truth(true, span) }
}

fn has(pou: &Pou, name: &str) -> bool {
    pou.vars.iter().flat_map(|block| &block.vars).any(|var| var.name.text.eq_ignore_ascii_case(name))
}
