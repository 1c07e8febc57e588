//! Uses of missing names in all files.

use super::facts::{Evidence, Facts, Flow, Part, Slot};
use super::missing::Missing;
use super::tables::{Tables, base_key};
use super::typing::{Found, Scope, Ty};
use crate::ast::walk::{self, Node};
use crate::ast::{
    ActionBody, Body, Chart, Expr, ExprKind, Ident, Initializer, InitializerKind, Item, Literal, LoopBounds, Method, Name, Pou,
    Property, Stmt, StmtKind, TypeDecl, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};
use crate::hir::{BinOp, UnOp};
use crate::text::{Key, Span, key};
use std::collections::{BTreeMap, BTreeSet};

/// Collection of facts about missing names.
pub(super) struct Collector<'a, 'c> {
    pub(super) tables: &'c Tables<'a>,
    pub(super) missing: &'c Missing,
    /// Types of parts that an earlier pass found.
    pub(super) decided: &'c BTreeMap<Slot, Ty>,
    pub(super) facts: BTreeMap<Key, Facts>,
    pub(super) scope: Scope<'a>,
    /// Types of hidden variables of the current body.
    hidden: BTreeMap<Key, Found<'a>>,
}

impl<'a, 'c> Collector<'a, 'c> {
    pub(super) fn new(tables: &'c Tables<'a>, missing: &'c Missing, decided: &'c BTreeMap<Slot, Ty>) -> Self {
        let (facts, scope, hidden) = (BTreeMap::new(), Scope::default(), BTreeMap::new());
        Collector { tables, missing, decided, facts, scope, hidden }
    }

    /// Returns the facts about a missing name.
    pub(super) fn fact(&mut self, missing: &Key) -> &mut Facts {
        self.facts.entry(missing.clone()).or_insert_with(|| Facts { spelling: missing.clone(), ..Facts::default() })
    }

    /// Notes a use of a missing name or of its part at an identifier.
    pub(super) fn note(&mut self, missing: &Key, at: &Ident) -> &mut Facts {
        let facts = self.fact(missing);
        if key(&at.text) == *missing && facts.spelling == *missing {
            facts.spelling.clone_from(&at.text);
        }
        facts.uses.insert(at.span);
        facts
    }

    /// Returns the spelling of a missing name.
    pub(super) fn spelling<'s>(&'s self, missing: &'s Key) -> &'s str {
        self.facts.get(missing).map_or(missing, |facts| &facts.spelling)
    }

    /// Notes a part behind a dot.
    pub(super) fn member(&mut self, missing: &Key, field: &Ident) -> Found<'a> {
        let name = key(&field.text);
        let facts = self.note(missing, field);
        facts.members.entry(name.clone()).or_insert_with(|| (field.text.clone(), false));
        Found::Slot((missing.clone(), Part::Member(name)))
    }

    /// Notes a type that a use implies. A type says nothing about itself.
    pub(super) fn record(&mut self, (missing, part): Slot, flow: Flow, ty: Option<Ty>) {
        let Some(ty) = ty else { return };
        let is_itself = matches!(&ty, Ty::Named(name) if key(name) == missing);
        // A type that an earlier pass gave to the part is no evidence for it.
        let is_known =
            part != Part::Whole && self.decided.get(&(missing.clone(), part.clone())) == Some(&ty) && flow == Flow::Peer;
        if !is_itself && !is_known {
            self.fact(&missing).evidence.entry(part).or_default().insert((flow, ty) as Evidence);
        }
    }

    pub(super) fn units(&mut self, units: &'a [Unit]) {
        for unit in units {
            // The spelling comes first: types are compared by it.
            walk::unit(unit, &mut |node| {
                if let Node::Type(TypeSpec { kind: TypeSpecKind::Name(ident), .. }) = node
                    && self.missing.types.contains(&key(&ident.text))
                {
                    self.note(&key(&ident.text), ident);
                }
            });
        }
        units.iter().for_each(|unit| self.items(&unit.items));
    }

    fn items(&mut self, items: &'a [Item]) {
        for item in items {
            self.scope = Scope::default();
            match item {
                Item::Pou(pou) => self.pou(pou),
                Item::Type(decl) => self.type_decl(decl),
                Item::Globals(block) => self.block(block),
                Item::Namespace(space) => self.items(&space.items),
                Item::Configuration(configuration) => {
                    let inner = configuration.resources.iter().flat_map(|resource| &resource.vars);
                    configuration.vars.iter().chain(inner).for_each(|block| self.block(block));
                }
                Item::Interface(interface) => self.interfaces(&interface.extends),
                Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
    }

    /// Notes missing interfaces behind IMPLEMENTS, or behind EXTENDS of an interface.
    fn interfaces(&mut self, names: &'a [Name]) {
        for ident in names.iter().filter_map(|name| name.idents().last()) {
            if self.missing.types.contains(&key(&ident.text)) {
                self.note(&key(&ident.text), ident).is_interface = true;
            }
        }
    }

    fn pou(&mut self, pou: &'a Pou) {
        let own = Scope { pou: Some(pou), ..Scope::default() };
        if let Some(base) = pou.extends.as_ref().and_then(base_key).filter(|base| self.missing.types.contains(base))
            && let Some(ident) = pou.extends.as_ref().and_then(|name| name.idents().last())
        {
            self.note(&base, ident).has_heirs = true;
        }
        self.interfaces(&pou.implements);
        self.scope = own;
        pou.vars.iter().for_each(|block| self.block(block));
        self.body(&pou.body);
        for method in &pou.methods {
            self.method(own, method);
        }
        for property in &pou.properties {
            self.property(own, property);
        }
        for action in &pou.actions {
            self.scope = own;
            self.body(&action.body);
        }
    }

    fn method(&mut self, own: Scope<'a>, method: &'a Method) {
        self.scope = Scope { method: Some(method), ..own };
        method.vars.iter().for_each(|block| self.block(block));
        method.body.iter().for_each(|body| self.body(body));
    }

    fn property(&mut self, own: Scope<'a>, property: &'a Property) {
        for half in property.getter.iter().chain(&property.setter) {
            self.method(Scope { property: Some(property), ..own }, half);
        }
    }

    fn type_decl(&mut self, decl: &'a TypeDecl) {
        if let Some(base) = decl.extends.as_ref().and_then(base_key).filter(|base| self.missing.types.contains(base))
            && let Some(ident) = decl.extends.as_ref().and_then(|name| name.idents().last())
        {
            self.note(&base, ident).is_base_of_structure = true;
        }
        if let TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) = &decl.ty.kind {
            fields.iter().for_each(|field| self.variable(field));
        }
    }

    fn block(&mut self, block: &'a VarBlock) {
        self.externals(block);
        block.vars.iter().for_each(|var| self.variable(var));
    }

    fn variable(&mut self, var: &'a VarDecl) {
        self.bounds(&var.ty);
        let found = self.of_spec(&var.ty);
        if let (Found::Slot((missing, Part::Whole)), false) = (&found, var.args.is_empty()) {
            self.fact(missing).has_constructor = true;
        }
        self.arguments_of_unknown(&var.args);
        if let Some(init) = &var.init {
            self.initializer(found, init);
        }
    }

    fn initializer(&mut self, of: Found<'a>, init: &'a Initializer) {
        match &init.kind {
            InitializerKind::Expr(e) => {
                self.named_constant(&of, e);
                self.assigned(of, e);
            }
            InitializerKind::Struct(fields) => {
                for (name, value) in fields {
                    if let Found::Slot((missing, Part::Whole)) = &of {
                        let member = self.member(&missing.clone(), name);
                        self.fact(missing).initialised.insert(key(&name.text));
                        self.initializer(member, value);
                    }
                }
            }
            InitializerKind::Array(_) | InitializerKind::Elements(_) => {}
        }
    }

    /// Notes an assignment of a value to something of a type.
    fn assigned(&mut self, target: Found<'a>, value: &'a Expr) {
        let wanted = self.ty(&target);
        let found = self.value(value, wanted.as_ref());
        if let Found::Slot(slot) = target {
            self.written(&slot);
            let ty = self.ty(&found);
            self.record(slot, Flow::In, ty);
        }
    }

    /// Notes that a statement writes a part.
    fn written(&mut self, (missing, part): &Slot) {
        let facts = self.fact(missing);
        match part {
            Part::Member(name) => {
                if let Some((_, is_written)) = facts.members.get_mut(name) {
                    *is_written = true;
                }
            }
            Part::Whole => facts.is_written = true,
            Part::Result(_) | Part::At(..) | Part::Named(..) => {}
        }
    }

    fn body(&mut self, body: &'a Body) {
        self.hidden.clear();
        match body {
            Body::Statements(stmts) => self.stmts(stmts),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn chart(&mut self, chart: &'a Chart) {
        for block in chart.steps.iter().flat_map(|step| &step.actions) {
            if let ActionBody::Inline(stmts) = &block.action {
                self.stmts(stmts);
            }
        }
        for transition in &chart.transitions {
            self.stmts(&transition.prelude);
            self.value(&transition.condition, Some(&Ty::named("BOOL")));
        }
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        let bool = Ty::named("BOOL");
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                let target = self.value(target, None);
                self.assigned(target, value);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.value(condition, Some(&bool));
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Case(selector, arms, otherwise) => {
                let labels =
                    arms.iter().flat_map(|arm| &arm.labels).flat_map(|label| std::iter::once(&label.low).chain(&label.high));
                let all: Vec<&'a Expr> = std::iter::once(selector).chain(labels).collect();
                self.alike(&all, None);
                self.labels(&all);
                arms.iter().for_each(|arm| self.stmts(&arm.body));
                self.stmts(otherwise);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                let control = self.path(control, &control.path);
                let ty = self.ty(&control);
                [from, to].into_iter().chain(by).for_each(|e| drop(self.value(e, ty.as_ref())));
                self.stmts(body);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.value(condition, Some(&bool));
                self.stmts(body);
            }
            StmtKind::Call(name, args) => drop(self.call(name, args, false, None)),
            StmtKind::Value(e) => drop(self.value(e, None)),
            StmtKind::Assert(e, _) => drop(self.value(e, Some(&bool))),
            StmtKind::RefAssign(_, target, value) => {
                self.value(target, None);
                self.value(value, None);
            }
            StmtKind::Let(name, value) | StmtKind::Keep(name, value) => {
                let found = self.value(value, None);
                self.hidden.insert(key(&name.text), found);
            }
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(..)
            | StmtKind::Goto(..)
            | StmtKind::Empty
            | StmtKind::Unsupported(_)
            | StmtKind::Error => {}
        }
    }

    /// Notes that a value of a type is assigned to a place.
    pub(super) fn flow_into(&mut self, target: &'a Expr, ty: Option<&Ty>) -> Found<'a> {
        let found = self.value(target, None);
        if let Found::Slot(slot) = &found {
            self.written(slot);
            self.record(slot.clone(), Flow::In, ty.cloned());
        }
        found
    }

    /// Returns the type of an expression; `wanted` is the type that its place implies.
    pub(super) fn value(&mut self, e: &'a Expr, wanted: Option<&Ty>) -> Found<'a> {
        let found = match &e.kind {
            ExprKind::Literal(prefix, literal) => literal_type(prefix.as_deref(), literal).map_or(Found::Unknown, Found::Ty),
            ExprKind::Name(name) if name.path.is_empty() && self.hidden.contains_key(&key(&name.root.text)) => {
                self.hidden.get(&key(&name.root.text)).cloned().unwrap_or(Found::Unknown)
            }
            ExprKind::Name(name) => self.path(name, &name.path),
            ExprKind::Address(text) => match text.as_bytes().get(2) {
                Some(b'X' | b'x' | b'0'..=b'9') => Found::Ty(Ty::named("BOOL")),
                Some(_) | None => Found::Unknown,
            },
            ExprKind::Call(name, args) => self.call(name, args, true, wanted),
            ExprKind::Unary(UnOp::Not | UnOp::Neg, operand) => return self.value(operand, wanted),
            ExprKind::Binary(op, left, right) => return self.binary(*op, left, right, wanted),
            ExprKind::Error => Found::Unknown,
        };
        if let (Found::Slot(slot), Some(wanted)) = (&found, wanted) {
            self.record(slot.clone(), Flow::Out, Some(wanted.clone()));
        }
        found
    }

    fn binary(&mut self, op: BinOp, left: &'a Expr, right: &'a Expr, wanted: Option<&Ty>) -> Found<'a> {
        match op {
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AndThen | BinOp::OrElse => {
                // Operands of a BOOL are BOOL; of other bits they may be narrower.
                if wanted.is_some_and(Ty::is_bool) {
                    self.value(left, wanted);
                    self.value(right, wanted);
                    return Found::Ty(Ty::named("BOOL"));
                }
                self.alike(&[left, right], wanted)
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                self.alike(&[left, right], None);
                Found::Ty(Ty::named("BOOL"))
            }
            // The difference of two dates is a duration.
            BinOp::Add | BinOp::Sub | BinOp::Mod => {
                self.alike(&[left, right], wanted.filter(|ty| super::evidence::is_number(ty)))
            }
            // A duration may be multiplied with a number.
            BinOp::Mul | BinOp::Div => {
                let (left, right) = (self.value(left, None), self.value(right, None));
                let types = (self.ty(&left), self.ty(&right));
                for (found, other) in [(&left, &types.1), (&right, &types.0)] {
                    let is_number = other.as_ref().is_some_and(super::evidence::is_number);
                    if let (Found::Slot(slot), true) = (found, is_number) {
                        self.record(slot.clone(), Flow::Peer, other.clone());
                    }
                }
                match types {
                    (Some(a), Some(b)) => super::evidence::common(&a, &b).map_or(Found::Unknown, Found::Ty),
                    (_, _) => Found::Unknown,
                }
            }
        }
    }
}

/// Returns the type of a literal.
fn literal_type(prefix: Option<&Ident>, literal: &Literal) -> Option<Ty> {
    if let Some(prefix) = prefix {
        let elementary = crate::resolve::elementary_name(&prefix.text);
        return Some(Ty::named(elementary.unwrap_or(&prefix.text)));
    }
    Some(match literal {
        Literal::Bool(_) => Ty::named("BOOL"),
        Literal::Int(_) => Ty::Int,
        Literal::Real(_) => Ty::Real,
        Literal::Duration { long, .. } => Ty::named(if *long { "LTIME" } else { "TIME" }),
        Literal::String { wide, .. } => Ty::Text(*wide, None),
        Literal::Variant(_) | Literal::Date { .. } | Literal::Opaque(_) => return None,
    })
}

/// Returns the files and lines of uses.
pub(super) fn places(uses: &BTreeSet<Span>, sources: &crate::text::SourceSet) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for span in uses {
        let Some(file) = sources.files.get(span.file) else { continue };
        let place = format!("{}:{}", file.name, sources.line_col(*span).line);
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    places
}
