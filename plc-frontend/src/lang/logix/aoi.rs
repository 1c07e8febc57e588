//! Add-On Instructions: function blocks with required parameters, aliases of local tags and a prescan routine.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::Scope;
use super::types::Members;
use super::values::{initial_value, value_at};
use super::{Reader, attribute, ident_of, key};
use crate::ast::{
    Body, Expr, ExprKind, Ident, Initializer, Item, Method, Modifiers, Name, NameElem, Pou, PouKind, Section, Stmt, StmtKind,
    TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl, edit,
};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

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

impl Reader {
    /// Reads an Add-On Instruction.
    pub(super) fn instruction(&mut self, element: Element<'_>) {
        let span = element.tag_span();
        if element.name() == "EncodedData" {
            return self.note("Add-On Instruction whose source is protected", span);
        }
        let Some(name) = ident_of(element) else { return };
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
                // Only calls that are enabled execute the logic.
                _ if is_enable => Section::Var,
                "Input" => Section::Input,
                "Output" => Section::Output,
                _ => Section::InOut,
            };
            self.variable(*parameter, section, &mut pou);
        }
        self.shapes.set_members(&pou.name.text, variables.clone());
        for local in locals {
            self.variable(local, Section::Var, &mut pou);
        }
        self.routines(element, variables, references, aliases, &mut pou);
        self.unit.items.push(Item::Pou(pou));
    }

    /// Declares a parameter or local tag.
    fn variable(&mut self, element: Element<'_>, section: Section, pou: &mut Pou) {
        let Some(name) = ident_of(element) else { return };
        let span = element.tag_span();
        let mut var = VarDecl::new(name, self.type_of(element), span);
        if section != Section::InOut {
            match initial_value(element) {
                Ok(value) => var.init = value,
                Err(_) => self.note("initial value that is not read", span),
            }
        }
        pou.vars.push(VarBlock::new(section, vec![var], span));
    }

    /// Returns the alias that a parameter is.
    fn alias(&mut self, parameter: Element<'_>, is_input: bool) -> Option<Alias> {
        let target = parameter.filled("AliasFor")?;
        let parsed = embedded::expression(self.unit.file, &self.plain, target.range.clone());
        let Some(Expr { kind: ExprKind::Name(target), .. }) = parsed.value else { return None };
        Some(Alias { name: ident_of(parameter)?, target, is_input })
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
        let mut logic = Vec::new();
        for routine in element.children_named("Routines").flat_map(Element::children) {
            let name = attribute(routine, "Name").unwrap_or_default();
            match name.as_str() {
                "Logic" => logic = self.logic(routine, &variables, &references, pou, span),
                "Prescan" if is_on("ExecutePrescan") => {
                    let mut stmts = self.body(routine, &variables, &references);
                    if is_closed(&stmts) {
                        substitute(&aliases, &mut stmts);
                        stmts.extend(aliases.iter().map(|alias| alias.copy(true)));
                        pou.methods.push(prescan(stmts, routine.tag_span()));
                    } else {
                        logic.insert(0, Stmt::unsupported("prescan routine with calls or conditions", routine.tag_span()));
                    }
                }
                "Postscan" if is_on("ExecutePostscan") => self.note("postscan routine", routine.tag_span()),
                "EnableInFalse" if is_on("ExecuteEnableInFalse") => {
                    self.note("EnableInFalse routine: only enabled calls are read", routine.tag_span());
                }
                _ => self.unit.ignore(routine.tag_span(), "routine that is switched off", "never executed"),
            }
        }
        substitute(&aliases, &mut logic);
        let first = aliases.iter().filter(|alias| alias.is_input).map(|alias| alias.copy(false));
        let last = aliases.iter().map(|alias| alias.copy(true));
        let stmts = first.chain(logic).chain(last).collect();
        pou.body = Body::Statements(stmts);
    }

    fn logic(
        &mut self,
        routine: Element<'_>,
        variables: &Members,
        references: &BTreeSet<String>,
        pou: &mut Pou,
        span: Span,
    ) -> Vec<Stmt> {
        let has_enable = pou.vars.iter().flat_map(|block| &block.vars).any(|v| v.name.text.eq_ignore_ascii_case("EnableOut"));
        let enable = Stmt::assign(Expr::variable(Ident::new("EnableOut", span)), Expr::truth(true, span), span);
        let mut stmts: Vec<Stmt> = has_enable.then_some(enable).into_iter().collect();
        stmts.extend(self.body(routine, variables, references));
        stmts
    }

    /// Reads the statements of a routine of an Add-On Instruction.
    fn body(&mut self, routine: Element<'_>, variables: &Members, references: &BTreeSet<String>) -> Vec<Stmt> {
        let mut stmts = match attribute(routine, "Type").as_deref() {
            Some("ST") => self.structured_text(routine),
            Some("RLL") => vec![Stmt::unsupported("ladder of an Add-On Instruction", routine.tag_span())],
            _ => vec![Stmt::unsupported("routine in function blocks or a chart", routine.tag_span())],
        };
        let scope = Scope {
            shapes: &self.shapes,
            variables: variables.clone(),
            references: references.clone(),
            routines: BTreeMap::new(),
        };
        scope.statements(&mut stmts);
        stmts
    }
}

/// Returns whether statements assign literals only: they mean the same before the first cycle, whatever the parameters are.
fn is_closed(stmts: &[Stmt]) -> bool {
    let is_literal = |e: &Expr| matches!(e.kind, ExprKind::Literal(..));
    stmts.iter().all(|stmt| {
        let assigns = matches!(&stmt.kind, StmtKind::Assign(_, value) if is_literal(value));
        assigns || matches!(stmt.kind, StmtKind::Empty)
    })
}

/// Returns the method that the start of a controller calls.
fn prescan(stmts: Vec<Stmt>, span: Span) -> Method {
    let named = |name: &str| VarDecl::new(Ident::new(name, span), TypeSpec::named("BOOL", span), span);
    let inputs = VarBlock::new(Section::Input, vec![named("bInitRetains"), named("bInCopyCode")], span);
    Method {
        name: Ident::new("FB_Init", span),
        modifiers: Modifiers::default(),
        result: Some(TypeSpec::named("BOOL", span)),
        vars: vec![inputs],
        body: Some(Body::Statements(stmts)),
        span,
    }
}

/// Puts the targets of aliases for their names.
fn substitute(aliases: &[Alias], stmts: &mut Vec<Stmt>) {
    let Some(first) = stmts.first() else { return };
    let span = first.span;
    let mut pou = Pou::new(PouKind::FunctionBlock, Ident::new("", span), span);
    pou.body = Body::Statements(std::mem::take(stmts));
    let mut unit = Unit::new(span.file);
    unit.items.push(Item::Pou(pou));
    let targets: BTreeMap<String, &Alias> = aliases.iter().map(|alias| (key(&alias.name.text), alias)).collect();
    edit::names(&mut unit, &mut |name| {
        let edit::NameMut::Path(path) = name else { return };
        let Some(alias) = targets.get(&key(&path.root.text)) else { return };
        let mut elements: Vec<NameElem> = alias.target.path.clone();
        elements.append(&mut path.path);
        path.root = Ident::new(alias.target.root.text.clone(), path.root.span);
        path.path = elements;
    });
    if let Some(Item::Pou(Pou { body: Body::Statements(edited), .. })) = unit.items.pop() {
        *stmts = edited;
    }
}
