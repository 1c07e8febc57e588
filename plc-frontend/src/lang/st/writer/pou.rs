//! POUs, their members, interfaces and configurations.

use std::collections::BTreeMap;

use super::{Writer, inside};
use crate::ast::walk::{self, Node};
use crate::ast::{
    Access, ActionDecl, Body, Configuration, Interface, Method, Modifiers, Name, Pou, PouKind, Property, Resource, Stmt,
    StmtKind, TypeSpec, VarBlock,
};

impl Writer<'_> {
    pub(super) fn pou(&mut self, pou: &Pou) -> &mut Self {
        let word = match pou.kind {
            PouKind::Program => "PROGRAM",
            PouKind::FunctionBlock => "FUNCTION_BLOCK",
            PouKind::Function => "FUNCTION",
        };
        self.start().put(&format!("{word} {}{}", modifiers(pou.modifiers), pou.name.text));
        self.bases("EXTENDS", pou.extends.as_slice());
        self.bases("IMPLEMENTS", &pou.implements);
        self.result(pou.result.as_ref());
        self.sections(&pou.vars);
        let mut bodies: Vec<&Body> = vec![&pou.body];
        bodies.extend(pou.actions.iter().map(|action| &action.body));
        self.hidden_sections(&pou.name.text, &bodies);
        self.indent += 1;
        for method in &pou.methods {
            self.method(method, &pou.name.text);
        }
        for property in &pou.properties {
            self.property(property, &pou.name.text);
        }
        for action in &pou.actions {
            self.action(action);
        }
        self.indent -= 1;
        self.body(&pou.body);
        self.indent += 1;
        self.before(inside(pou.span)).end(&format!("END_{word}"))
    }

    /// Writes the type of a result, and the end of the line.
    fn result(&mut self, result: Option<&TypeSpec>) {
        if let Some(result) = result {
            self.put(" : ").type_spec(result);
        }
        self.put("\n");
    }

    fn bases(&mut self, word: &str, bases: &[Name]) {
        if !bases.is_empty() {
            self.put(&format!(" {word} ")).list(bases, |w, base| w.name(base));
        }
    }

    fn sections(&mut self, blocks: &[VarBlock]) {
        for block in blocks {
            self.before(block.span.start).block(block);
        }
    }

    /// Declares the variables that carry wires and results: no text declares them.
    fn hidden_sections(&mut self, pou: &str, bodies: &[&Body]) {
        let mut found = BTreeMap::new();
        bodies.iter().for_each(|body| hidden(body.stmts(), &mut found));
        for (keeps, word) in [(false, "VAR_TEMP"), (true, "VAR")] {
            let of_kind: Vec<_> = found.iter().filter(|(_, (kind, _))| *kind == keeps).collect();
            if of_kind.is_empty() {
                continue;
            }
            self.line(word);
            self.indent += 1;
            for (name, (_, span)) in of_kind {
                match self.hidden_type(pou, name) {
                    Some(ty) => self.line(&format!("{name} : {ty};")),
                    None => self.cannot("a wire whose type is not known", *span),
                };
            }
            self.end("END_VAR");
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Statements(stmts) => self.stmts(stmts),
            Body::Chart(chart) => self.chart(chart),
        }
    }

    fn method(&mut self, method: &Method, pou: &str) {
        self.before(method.span.start).start();
        self.put(&format!("METHOD {}{}", modifiers(method.modifiers), method.name.text)).result(method.result.as_ref());
        self.member_contents(method, pou).line("END_METHOD");
    }

    /// Writes sections and statements of a method or of half a property.
    fn member_contents(&mut self, method: &Method, pou: &str) -> &mut Self {
        self.sections(&method.vars);
        if let Some(body) = &method.body {
            self.hidden_sections(pou, &[body]);
            self.body(body);
        }
        self.comments_inside(inside(method.span))
    }

    fn property(&mut self, property: &Property, pou: &str) {
        self.before(property.span.start).start();
        self.put(&format!("PROPERTY {}{}", modifiers(property.modifiers), property.name.text)).result(Some(&property.ty));
        self.indent += 1;
        for (word, half) in [("GET", &property.getter), ("SET", &property.setter)] {
            let Some(half) = half else { continue };
            self.line(&format!("{}{word}", modifiers(half.modifiers)));
            self.member_contents(half, pou).line(&format!("END_{word}"));
        }
        self.end("END_PROPERTY");
    }

    fn action(&mut self, action: &ActionDecl) {
        self.before(action.span.start).line(&format!("ACTION {}:", action.name.text)).body(&action.body);
        self.indent += 1;
        self.before(inside(action.span)).end("END_ACTION");
    }

    pub(super) fn interface(&mut self, interface: &Interface) -> &mut Self {
        self.start().put(&format!("INTERFACE {}", interface.name.text));
        self.bases("EXTENDS", &interface.extends);
        self.put("\n");
        self.indent += 1;
        for method in &interface.methods {
            self.method(method, "");
        }
        for property in &interface.properties {
            self.property(property, "");
        }
        self.before(inside(interface.span)).end("END_INTERFACE")
    }

    pub(super) fn configuration(&mut self, configuration: &Configuration) -> &mut Self {
        let Some(name) = &configuration.name else {
            self.sections(&configuration.vars);
            return self;
        };
        self.line(&format!("CONFIGURATION {}", name.text));
        self.indent += 1;
        self.sections(&configuration.vars);
        for resource in &configuration.resources {
            let Some(name) = &resource.name else {
                self.resource(resource);
                continue;
            };
            self.before(resource.span.start).line(&format!("RESOURCE {} ON PLC", name.text));
            self.indent += 1;
            self.resource(resource);
            self.before(inside(resource.span)).end("END_RESOURCE");
        }
        self.before(inside(configuration.span)).end("END_CONFIGURATION")
    }

    fn resource(&mut self, resource: &Resource) {
        self.sections(&resource.vars);
        for task in &resource.tasks {
            self.before(task.span.start).start().put("TASK ").put(&task.name.text);
            if !task.settings.is_empty() {
                self.put(" (");
                self.list(&task.settings, |w, setting| w.put(&setting.name.text).put(" := ").expr(&setting.value)).put(")");
            }
            self.put(";\n");
        }
        for program in &resource.programs {
            self.before(program.span.start).start().put("PROGRAM ").put(&program.name.text);
            if let Some(task) = &program.task {
                self.put(" WITH ").put(&task.text);
            }
            self.put(" : ").name(&program.program);
            if !program.args.is_empty() {
                self.args(&program.args);
            }
            self.put(";\n");
        }
    }
}

/// Collects the hidden variables of statements, with the kind and the place of their assignments.
fn hidden(stmts: &[Stmt], found: &mut BTreeMap<String, (bool, crate::text::Span)>) {
    walk::stmts(stmts, &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        if let StmtKind::Let(name, _) = &stmt.kind {
            found.entry(name.text.clone()).or_insert((false, name.span));
        } else if let StmtKind::Keep(name, _) = &stmt.kind {
            found.insert(name.text.clone(), (true, name.span));
        }
    });
}

/// Returns `PUBLIC ABSTRACT `, with a space behind each.
fn modifiers(modifiers: Modifiers) -> String {
    let mut text = super::decl::access(modifiers.access).to_owned();
    if modifiers.access != Access::Unspecified {
        text.push(' ');
    }
    for (is_given, word) in
        [(modifiers.is_abstract, "ABSTRACT "), (modifiers.is_final, "FINAL "), (modifiers.is_override, "OVERRIDE ")]
    {
        text.push_str(if is_given { word } else { "" });
    }
    text
}
