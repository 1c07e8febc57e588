//! The one traversal of the syntax tree: every part once, parents first.

use super::{
    ActionBody, Arg, Body, Chart, Configuration, Expr, ExprKind, Initializer, InitializerKind, Interface, Item, LoopBounds,
    Method, Name, NameElem, Pou, Property, Stmt, StmtKind, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};

/// A part of a syntax tree.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A declaration of a file or namespace.
    Item(&'a Item),
    /// A declaration section.
    Block(&'a VarBlock),
    /// A method of a POU or interface.
    Method(&'a Method),
    /// A type as written.
    Type(&'a TypeSpec),
    /// A statement.
    Stmt(&'a Stmt),
    /// An expression.
    Expr(&'a Expr),
    /// A path to a variable or function.
    Name(&'a Name),
}

/// Calls `see` with each part of `unit`.
pub fn unit<'a>(unit: &'a Unit, see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.items(&unit.items);
}

/// Calls `see` with each part of declarations.
pub fn items<'a>(items: &'a [Item], see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.items(items);
}

/// Calls `see` with each part of `pou`.
pub fn pou<'a>(pou: &'a Pou, see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.pou(pou);
}

/// Calls `see` with each part of statements.
pub fn stmts<'a>(stmts: &'a [Stmt], see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.stmts(stmts);
}

/// Calls `see` with each part of a type as written.
pub fn type_spec<'a>(ty: &'a TypeSpec, see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.type_spec(ty);
}

/// Calls `see` with each part of an expression.
pub fn expr<'a>(expr: &'a Expr, see: &mut dyn FnMut(Node<'a>)) {
    Walk { see }.expr(expr);
}

struct Walk<'s, 'a> {
    see: &'s mut dyn FnMut(Node<'a>),
}

impl<'a> Walk<'_, 'a> {
    fn items(&mut self, items: &'a [Item]) {
        for item in items {
            (self.see)(Node::Item(item));
            match item {
                Item::Pou(pou) => self.pou(pou),
                Item::Type(decl) => {
                    self.type_spec(&decl.ty);
                    self.initializer(decl.init.as_ref());
                }
                Item::Globals(block) => self.block(block),
                Item::Interface(Interface { methods, properties, .. }) => {
                    methods.iter().for_each(|m| self.method(m));
                    properties.iter().for_each(|p| self.property(p));
                }
                Item::Configuration(configuration) => self.configuration(configuration),
                Item::Namespace(namespace) => self.items(&namespace.items),
                Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
    }

    fn pou(&mut self, pou: &'a Pou) {
        pou.result.iter().for_each(|t| self.type_spec(t));
        pou.vars.iter().for_each(|b| self.block(b));
        self.body(&pou.body);
        pou.methods.iter().for_each(|m| self.method(m));
        pou.properties.iter().for_each(|p| self.property(p));
        pou.actions.iter().for_each(|a| self.body(&a.body));
    }

    fn method(&mut self, method: &'a Method) {
        (self.see)(Node::Method(method));
        method.result.iter().for_each(|t| self.type_spec(t));
        method.vars.iter().for_each(|b| self.block(b));
        method.body.iter().for_each(|b| self.body(b));
    }

    fn property(&mut self, property: &'a Property) {
        self.type_spec(&property.ty);
        property.getter.iter().chain(&property.setter).for_each(|m| self.method(m));
    }

    fn configuration(&mut self, configuration: &'a Configuration) {
        configuration.vars.iter().for_each(|b| self.block(b));
        for resource in &configuration.resources {
            resource.vars.iter().for_each(|b| self.block(b));
            resource.tasks.iter().flat_map(|t| &t.settings).for_each(|s| self.expr(&s.value));
            resource.programs.iter().for_each(|p| self.args(&p.args));
        }
    }

    fn block(&mut self, block: &'a VarBlock) {
        (self.see)(Node::Block(block));
        block.vars.iter().for_each(|v| self.var(v));
    }

    fn var(&mut self, var: &'a VarDecl) {
        self.type_spec(&var.ty);
        self.args(&var.args);
        self.initializer(var.init.as_ref());
    }

    fn type_spec(&mut self, ty: &'a TypeSpec) {
        (self.see)(Node::Type(ty));
        match &ty.kind {
            TypeSpecKind::Subrange(_, range) => {
                let (low, high) = &**range;
                self.expr(low);
                self.expr(high);
            }
            TypeSpecKind::Array(bounds, element) => {
                for (low, high) in bounds {
                    self.expr(low);
                    self.expr(high);
                }
                self.type_spec(element);
            }
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => fields.iter().for_each(|f| self.var(f)),
            TypeSpecKind::Enum(variants, _) => variants.iter().flat_map(|(_, value)| value).for_each(|v| self.expr(v)),
            TypeSpecKind::String { length, .. } => length.iter().for_each(|l| self.expr(l)),
            TypeSpecKind::Pointer(inner)
            | TypeSpecKind::RefTo(inner)
            | TypeSpecKind::Reference(inner)
            | TypeSpecKind::OpenArray(_, inner) => self.type_spec(inner),
            TypeSpecKind::Name(_) | TypeSpecKind::Opaque(_) | TypeSpecKind::Error => {}
        }
    }

    fn initializer(&mut self, init: Option<&'a Initializer>) {
        let Some(init) = init else { return };
        match &init.kind {
            InitializerKind::Expr(e) => self.expr(e),
            InitializerKind::Array(items) => {
                for (count, value) in items {
                    count.iter().for_each(|c| self.expr(c));
                    self.initializer(Some(value));
                }
            }
            InitializerKind::Struct(fields) => fields.iter().for_each(|(_, value)| self.initializer(Some(value))),
            InitializerKind::Elements(elements) => {
                for (indices, value) in elements {
                    indices.iter().for_each(|index| self.expr(index));
                    self.initializer(Some(value));
                }
            }
        }
    }

    fn body(&mut self, body: &'a Body) {
        match body {
            Body::Statements(stmts) => self.stmts(stmts),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn chart(&mut self, chart: &'a Chart) {
        for block in chart.steps.iter().flat_map(|s| &s.actions) {
            block.duration.iter().for_each(|d| self.expr(d));
            match &block.action {
                ActionBody::Named(_) => {}
                ActionBody::Inline(stmts) => self.stmts(stmts),
            }
        }
        for transition in &chart.transitions {
            self.stmts(&transition.prelude);
            self.expr(&transition.condition);
        }
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        (self.see)(Node::Stmt(stmt));
        match &stmt.kind {
            StmtKind::Assign(target, value) | StmtKind::RefAssign(_, target, value) => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Case(selector, arms, otherwise) => {
                self.expr(selector);
                for arm in arms {
                    for label in &arm.labels {
                        self.expr(&label.low);
                        label.high.iter().for_each(|h| self.expr(h));
                    }
                    self.stmts(&arm.body);
                }
                self.stmts(otherwise);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                self.name(control);
                self.expr(from);
                self.expr(to);
                by.iter().for_each(|b| self.expr(b));
                self.stmts(body);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.expr(condition);
                self.stmts(body);
            }
            StmtKind::Call(name, args) => {
                self.name(name);
                self.args(args);
            }
            StmtKind::Assert(e, _) | StmtKind::Let(_, e) | StmtKind::Keep(_, e) | StmtKind::Value(e) => self.expr(e),
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

    fn args(&mut self, args: &'a [Arg]) {
        for arg in args {
            match arg {
                Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } => self.expr(e),
                Arg::Output { target: None, .. } => {}
            }
        }
    }

    fn name(&mut self, name: &'a Name) {
        (self.see)(Node::Name(name));
        for elem in &name.path {
            match elem {
                NameElem::Index(indices, _) => indices.iter().for_each(|i| self.expr(i)),
                NameElem::Call(args, _) => self.args(args),
                NameElem::Field(_) | NameElem::Bits { .. } | NameElem::Deref(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &'a Expr) {
        (self.see)(Node::Expr(e));
        match &e.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Call(name, args) => {
                self.name(name);
                self.args(args);
            }
            ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => {}
        }
    }
}
