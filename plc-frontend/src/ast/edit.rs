//! The traversal of the syntax tree that changes names.

use super::{
    ActionBody, Arg, Body, Chart, Configuration, Expr, ExprKind, Ident, Initializer, InitializerKind, Item, LoopBounds, Method,
    Name, NameElem, Pou, Property, Stmt, StmtKind, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};

/// A name in a syntax tree, to change.
pub enum NameMut<'a> {
    /// A type, or the type in front of a literal: an identifier that may have dots.
    Type(&'a mut Ident),
    /// A name behind EXTENDS or IMPLEMENTS.
    Base(&'a mut Name),
    /// A path to a variable or function.
    Path(&'a mut Name),
    /// A name of a parameter in a call.
    Parameter(&'a mut Ident),
}

/// Calls `edit` with each name of types and values in `unit`.
pub fn names(unit: &mut Unit, edit: &mut dyn FnMut(NameMut<'_>)) {
    Edit { edit }.items(&mut unit.items);
}

/// Calls `edit` with each name in an expression.
pub(crate) fn names_of_expr(e: &mut Expr, edit: &mut dyn FnMut(NameMut<'_>)) {
    Edit { edit }.expr(e);
}

struct Edit<'e> {
    edit: &'e mut dyn FnMut(NameMut<'_>),
}

impl Edit<'_> {
    fn items(&mut self, items: &mut [Item]) {
        for item in items {
            match item {
                Item::Pou(pou) => self.pou(pou),
                Item::Type(decl) => {
                    decl.extends.iter_mut().for_each(|base| (self.edit)(NameMut::Base(base)));
                    self.type_spec(&mut decl.ty);
                    self.initializer(decl.init.as_mut());
                }
                Item::Globals(block) => self.block(block),
                Item::Interface(interface) => {
                    interface.extends.iter_mut().for_each(|base| (self.edit)(NameMut::Base(base)));
                    interface.methods.iter_mut().for_each(|m| self.method(m));
                    interface.properties.iter_mut().for_each(|p| self.property(p));
                }
                Item::Configuration(configuration) => self.configuration(configuration),
                Item::Namespace(namespace) => self.items(&mut namespace.items),
                Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
    }

    fn pou(&mut self, pou: &mut Pou) {
        pou.extends.iter_mut().chain(&mut pou.implements).for_each(|base| (self.edit)(NameMut::Base(base)));
        pou.result.iter_mut().for_each(|t| self.type_spec(t));
        pou.vars.iter_mut().for_each(|b| self.block(b));
        self.body(&mut pou.body);
        pou.methods.iter_mut().for_each(|m| self.method(m));
        pou.properties.iter_mut().for_each(|p| self.property(p));
        pou.actions.iter_mut().for_each(|a| self.body(&mut a.body));
    }

    fn method(&mut self, method: &mut Method) {
        method.result.iter_mut().for_each(|t| self.type_spec(t));
        method.vars.iter_mut().for_each(|b| self.block(b));
        method.body.iter_mut().for_each(|b| self.body(b));
    }

    fn property(&mut self, property: &mut Property) {
        self.type_spec(&mut property.ty);
        property.getter.iter_mut().chain(&mut property.setter).for_each(|m| self.method(m));
    }

    fn configuration(&mut self, configuration: &mut Configuration) {
        configuration.vars.iter_mut().for_each(|b| self.block(b));
        for resource in &mut configuration.resources {
            resource.vars.iter_mut().for_each(|b| self.block(b));
            resource.tasks.iter_mut().flat_map(|t| &mut t.settings).for_each(|s| self.expr(&mut s.value));
            resource.programs.iter_mut().for_each(|p| self.args(&mut p.args));
        }
    }

    fn block(&mut self, block: &mut VarBlock) {
        block.vars.iter_mut().for_each(|v| self.var(v));
    }

    fn var(&mut self, var: &mut VarDecl) {
        self.type_spec(&mut var.ty);
        self.args(&mut var.args);
        self.initializer(var.init.as_mut());
    }

    fn type_spec(&mut self, ty: &mut TypeSpec) {
        match &mut ty.kind {
            TypeSpecKind::Name(name) => (self.edit)(NameMut::Type(name)),
            TypeSpecKind::Subrange(name, range) => {
                (self.edit)(NameMut::Type(name));
                self.expr(&mut range.0);
                self.expr(&mut range.1);
            }
            TypeSpecKind::Array(bounds, element) => {
                for (low, high) in bounds {
                    self.expr(low);
                    self.expr(high);
                }
                self.type_spec(element);
            }
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => fields.iter_mut().for_each(|f| self.var(f)),
            TypeSpecKind::Enum(variants, base) => {
                base.iter_mut().for_each(|name| (self.edit)(NameMut::Type(name)));
                variants.iter_mut().filter_map(|(_, value)| value.as_mut()).for_each(|v| self.expr(v));
            }
            TypeSpecKind::String { length, .. } => length.iter_mut().for_each(|l| self.expr(l)),
            TypeSpecKind::Pointer(inner)
            | TypeSpecKind::RefTo(inner)
            | TypeSpecKind::Reference(inner)
            | TypeSpecKind::OpenArray(_, inner) => self.type_spec(inner),
            TypeSpecKind::Opaque(_) | TypeSpecKind::Error => {}
        }
    }

    fn initializer(&mut self, init: Option<&mut Initializer>) {
        let Some(init) = init else { return };
        match &mut init.kind {
            InitializerKind::Expr(e) => self.expr(e),
            InitializerKind::Array(items) => {
                for (count, value) in items {
                    count.iter_mut().for_each(|c| self.expr(c));
                    self.initializer(Some(value));
                }
            }
            InitializerKind::Struct(fields) => fields.iter_mut().for_each(|(_, value)| self.initializer(Some(value))),
            InitializerKind::Elements(elements) => {
                for (indices, value) in elements {
                    indices.iter_mut().for_each(|index| self.expr(index));
                    self.initializer(Some(value));
                }
            }
        }
    }

    fn body(&mut self, body: &mut Body) {
        match body {
            Body::Statements(stmts) => self.stmts(stmts),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn chart(&mut self, chart: &mut Chart) {
        for block in chart.steps.iter_mut().flat_map(|s| &mut s.actions) {
            block.duration.iter_mut().for_each(|d| self.expr(d));
            match &mut block.action {
                ActionBody::Named(_) => {}
                ActionBody::Inline(stmts) => self.stmts(stmts),
            }
        }
        for transition in &mut chart.transitions {
            self.stmts(&mut transition.prelude);
            self.expr(&mut transition.condition);
        }
    }

    fn stmts(&mut self, stmts: &mut [Stmt]) {
        stmts.iter_mut().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
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
                    for label in &mut arm.labels {
                        self.expr(&mut label.low);
                        label.high.iter_mut().for_each(|h| self.expr(h));
                    }
                    self.stmts(&mut arm.body);
                }
                self.stmts(otherwise);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &mut **bounds;
                self.name(control);
                self.expr(from);
                self.expr(to);
                by.iter_mut().for_each(|b| self.expr(b));
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

    fn args(&mut self, args: &mut [Arg]) {
        for arg in args {
            match arg {
                Arg::Positional(e) => self.expr(e),
                Arg::Input(name, e) => {
                    (self.edit)(NameMut::Parameter(name));
                    self.expr(e);
                }
                Arg::Output { name, target, .. } => {
                    (self.edit)(NameMut::Parameter(name));
                    target.iter_mut().for_each(|target| self.expr(target));
                }
            }
        }
    }

    fn name(&mut self, name: &mut Name) {
        (self.edit)(NameMut::Path(name));
        for elem in &mut name.path {
            match elem {
                NameElem::Index(indices, _) => indices.iter_mut().for_each(|i| self.expr(i)),
                NameElem::Call(args, _) => self.args(args),
                NameElem::Field(_) | NameElem::Bits { .. } | NameElem::Deref(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
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
            ExprKind::Literal(prefix, _) => prefix.iter_mut().for_each(|prefix| (self.edit)(NameMut::Type(prefix))),
            ExprKind::Address(_) | ExprKind::Error => {}
        }
    }
}
