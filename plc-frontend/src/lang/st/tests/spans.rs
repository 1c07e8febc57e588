//! The law of places: every node lies inside its parent, inside the text, on character boundaries.

use crate::ast::*;
use crate::text::Span;

pub(super) struct Check<'t> {
    pub(super) text: &'t str,
    /// Nodes for parts that could not be read.
    pub(super) errors: usize,
}

impl Check<'_> {
    pub(super) fn span(&mut self, span: Span, parent: Span) {
        assert!(parent.start <= span.start && span.start <= span.end && span.end <= parent.end, "{span:?} in {parent:?}");
        assert!(self.text.get(span.start as usize..span.end as usize).is_some(), "{span:?} is not text");
    }

    pub(super) fn unit(&mut self, unit: &Unit) {
        let all = Span::new(unit.file, 0, self.text.len());
        self.items(&unit.items, all);
    }

    fn items(&mut self, items: &[Item], all: Span) {
        for item in items {
            match item {
                Item::Pou(pou) => self.pou(pou, all),
                Item::Type(ty) => {
                    self.span(ty.span, all);
                    self.ident(&ty.name, ty.span);
                    ty.extends.iter().for_each(|n| self.name(n, ty.span));
                    self.type_spec(&ty.ty, ty.span);
                    self.initializer(ty.init.as_ref(), ty.span);
                }
                Item::Globals(block) => self.block(block, all),
                Item::Interface(interface) => {
                    self.span(interface.span, all);
                    self.ident(&interface.name, interface.span);
                    interface.extends.iter().for_each(|n| self.name(n, interface.span));
                    interface.methods.iter().for_each(|m| self.method(m, interface.span));
                    interface.properties.iter().for_each(|p| self.property(p, interface.span));
                }
                Item::Configuration(configuration) => self.configuration(configuration, all),
                Item::Namespace(namespace) => {
                    self.span(namespace.span, all);
                    self.name(&namespace.name, namespace.span);
                    self.items(&namespace.items, namespace.span);
                }
                Item::Using(name) => self.name(name, all),
                Item::Unsupported(_, span) => self.span(*span, all),
            }
        }
    }

    fn pou(&mut self, pou: &Pou, all: Span) {
        self.span(pou.span, all);
        self.ident(&pou.name, pou.span);
        pou.extends.iter().chain(&pou.implements).for_each(|n| self.name(n, pou.span));
        pou.result.iter().for_each(|t| self.type_spec(t, pou.span));
        pou.vars.iter().for_each(|b| self.block(b, pou.span));
        self.body(&pou.body, pou.span);
        pou.methods.iter().for_each(|m| self.method(m, pou.span));
        pou.properties.iter().for_each(|p| self.property(p, pou.span));
        for action in &pou.actions {
            self.span(action.span, pou.span);
            self.ident(&action.name, action.span);
            self.body(&action.body, action.span);
        }
    }

    fn method(&mut self, method: &Method, parent: Span) {
        self.span(method.span, parent);
        self.ident(&method.name, method.span);
        method.result.iter().for_each(|t| self.type_spec(t, method.span));
        method.vars.iter().for_each(|b| self.block(b, method.span));
        method.body.iter().for_each(|b| self.body(b, method.span));
    }

    fn property(&mut self, property: &Property, parent: Span) {
        self.span(property.span, parent);
        self.ident(&property.name, property.span);
        self.type_spec(&property.ty, property.span);
        property.getter.iter().chain(&property.setter).for_each(|m| self.method(m, property.span));
    }

    fn body(&mut self, body: &Body, parent: Span) {
        match body {
            Body::Statements(stmts) => self.stmts(stmts, parent),
            Body::Chart(chart) => self.chart(chart, parent),
        }
    }

    fn chart(&mut self, chart: &Chart, parent: Span) {
        self.span(chart.span, parent);
        for step in &chart.steps {
            self.span(step.span, chart.span);
            self.ident(&step.name, step.span);
            for block in &step.actions {
                self.span(block.span, step.span);
                block.duration.iter().for_each(|d| self.expr(d, block.span));
                match &block.action {
                    ActionBody::Named(name) => self.ident(name, block.span),
                    ActionBody::Inline(stmts) => self.stmts(stmts, block.span),
                }
            }
        }
        for transition in &chart.transitions {
            self.span(transition.span, chart.span);
            let names = transition.name.iter().chain(&transition.from).chain(&transition.to);
            names.for_each(|n| self.ident(n, transition.span));
            self.stmts(&transition.prelude, transition.span);
            self.expr(&transition.condition, transition.span);
        }
    }

    fn configuration(&mut self, configuration: &Configuration, parent: Span) {
        let all = configuration.span;
        self.span(all, parent);
        configuration.name.iter().for_each(|name| self.ident(name, all));
        configuration.vars.iter().for_each(|b| self.block(b, all));
        for resource in &configuration.resources {
            self.span(resource.span, all);
            resource.name.iter().for_each(|n| self.ident(n, resource.span));
            resource.vars.iter().for_each(|b| self.block(b, resource.span));
            for task in &resource.tasks {
                self.span(task.span, resource.span);
                self.ident(&task.name, task.span);
                for setting in &task.settings {
                    self.ident(&setting.name, task.span);
                    self.expr(&setting.value, task.span);
                }
            }
            for program in &resource.programs {
                self.span(program.span, resource.span);
                self.ident(&program.name, program.span);
                program.task.iter().for_each(|t| self.ident(t, program.span));
                self.name(&program.program, program.span);
                self.args(&program.args, program.span);
            }
        }
    }

    fn ident(&mut self, ident: &Ident, parent: Span) {
        self.span(ident.span, parent);
    }

    fn block(&mut self, block: &VarBlock, parent: Span) {
        self.span(block.span, parent);
        block.vars.iter().for_each(|v| self.var(v, block.span));
    }

    fn var(&mut self, var: &VarDecl, parent: Span) {
        self.span(var.span, parent);
        self.ident(&var.name, var.span);
        var.address.iter().for_each(|(_, span)| self.span(*span, var.span));
        self.type_spec(&var.ty, var.span);
        self.args(&var.args, var.span);
        self.initializer(var.init.as_ref(), var.span);
    }

    fn type_spec(&mut self, ty: &TypeSpec, parent: Span) {
        self.span(ty.span, parent);
        match &ty.kind {
            TypeSpecKind::Name(name) => self.ident(name, ty.span),
            TypeSpecKind::Subrange(name, range) => {
                let (low, high) = &**range;
                self.ident(name, ty.span);
                self.expr(low, ty.span);
                self.expr(high, ty.span);
            }
            TypeSpecKind::Array(bounds, element) => {
                for (low, high) in bounds {
                    self.expr(low, ty.span);
                    self.expr(high, ty.span);
                }
                self.type_spec(element, ty.span);
            }
            TypeSpecKind::Struct(fields) => fields.iter().for_each(|f| self.var(f, ty.span)),
            TypeSpecKind::Enum(variants, base) => {
                for (name, value) in variants {
                    self.ident(name, ty.span);
                    value.iter().for_each(|v| self.expr(v, ty.span));
                }
                base.iter().for_each(|b| self.ident(b, ty.span));
            }
            TypeSpecKind::String { length, .. } => length.iter().for_each(|l| self.expr(l, ty.span)),
            TypeSpecKind::Pointer(inner)
            | TypeSpecKind::RefTo(inner)
            | TypeSpecKind::Reference(inner)
            | TypeSpecKind::OpenArray(_, inner) => self.type_spec(inner, ty.span),
            TypeSpecKind::Union(fields) => fields.iter().for_each(|f| self.var(f, ty.span)),
            TypeSpecKind::Opaque(_) => {}
            TypeSpecKind::Error => self.errors += 1,
        }
    }

    fn initializer(&mut self, init: Option<&Initializer>, parent: Span) {
        let Some(init) = init else { return };
        self.span(init.span, parent);
        match &init.kind {
            InitializerKind::Expr(e) => self.expr(e, init.span),
            InitializerKind::Array(items) => {
                for (count, value) in items {
                    count.iter().for_each(|c| self.expr(c, init.span));
                    self.initializer(Some(value), init.span);
                }
            }
            InitializerKind::Struct(fields) => {
                for (name, value) in fields {
                    self.ident(name, init.span);
                    self.initializer(Some(value), init.span);
                }
            }
            InitializerKind::Elements(elements) => {
                for (indices, value) in elements {
                    indices.iter().for_each(|index| self.expr(index, init.span));
                    self.initializer(Some(value), init.span);
                }
            }
        }
    }

    fn stmts(&mut self, list: &[Stmt], parent: Span) {
        let mut last = Span { end: parent.start, ..parent };
        for s in list {
            self.span(s.span, parent);
            assert!(last.end <= s.span.start || last == s.span, "statements in order, or of one chain");
            last = s.span;
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        let all = s.span;
        match &s.kind {
            StmtKind::Assign(target, value) | StmtKind::RefAssign(_, target, value) => {
                self.expr(target, all);
                self.expr(value, all);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.expr(condition, all);
                    self.stmts(body, all);
                }
                self.stmts(otherwise, all);
            }
            StmtKind::Case(selector, arms, otherwise) => {
                self.expr(selector, all);
                for arm in arms {
                    self.span(arm.span, all);
                    for label in &arm.labels {
                        self.expr(&label.low, arm.span);
                        label.high.iter().for_each(|h| self.expr(h, arm.span));
                    }
                    self.stmts(&arm.body, all);
                }
                self.stmts(otherwise, all);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                self.name(control, all);
                self.expr(from, all);
                self.expr(to, all);
                by.iter().for_each(|b| self.expr(b, all));
                self.stmts(body, all);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.expr(condition, all);
                self.stmts(body, all);
            }
            StmtKind::Call(name, args) => self.call(name, args, all),
            StmtKind::Assert(condition, name) => {
                self.expr(condition, all);
                name.iter().for_each(|n| self.ident(n, all));
            }
            StmtKind::Label(name, _) | StmtKind::Goto(name, _) => self.ident(name, all),
            StmtKind::Let(_, value) | StmtKind::Keep(_, value) | StmtKind::Value(value) => self.expr(value, all),
            StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Empty | StmtKind::Unsupported(_) => {}
            StmtKind::Error => self.errors += 1,
        }
    }

    fn call(&mut self, name: &Name, args: &[Arg], parent: Span) {
        self.name(name, parent);
        self.args(args, parent);
    }

    fn args(&mut self, args: &[Arg], parent: Span) {
        for arg in args {
            match arg {
                Arg::Positional(e) => self.expr(e, parent),
                Arg::Input(n, e) => {
                    self.ident(n, parent);
                    self.expr(e, parent);
                }
                Arg::Output { name, target, .. } => {
                    self.ident(name, parent);
                    target.iter().for_each(|t| self.expr(t, parent));
                }
            }
        }
    }

    fn name(&mut self, name: &Name, parent: Span) {
        self.span(name.span, parent);
        self.ident(&name.root, name.span);
        for elem in &name.path {
            match elem {
                NameElem::Field(field) => self.ident(field, name.span),
                NameElem::Index(indices, span) => {
                    self.span(*span, name.span);
                    indices.iter().for_each(|i| self.expr(i, *span));
                }
                NameElem::Call(args, span) => {
                    self.span(*span, name.span);
                    self.args(args, *span);
                }
                NameElem::Bits { span, .. } | NameElem::Deref(span) => self.span(*span, name.span),
            }
        }
    }

    pub(super) fn expr(&mut self, e: &Expr, parent: Span) {
        self.span(e.span, parent);
        match &e.kind {
            ExprKind::Literal(prefix, value) => {
                prefix.iter().for_each(|p| self.ident(p, e.span));
                match value {
                    Literal::Variant(variant) => self.ident(variant, e.span),
                    Literal::Bool(_)
                    | Literal::Int(_)
                    | Literal::Real(_)
                    | Literal::Duration { .. }
                    | Literal::String { .. }
                    | Literal::Date { .. }
                    | Literal::Opaque(_) => {}
                }
            }
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Call(name, args) => self.call(name, args, e.span),
            ExprKind::Unary(_, a) => self.expr(a, e.span),
            ExprKind::Binary(_, a, b) => {
                self.expr(a, e.span);
                self.expr(b, e.span);
            }
            ExprKind::Address(_) => {}
            ExprKind::Error => self.errors += 1,
        }
    }
}
