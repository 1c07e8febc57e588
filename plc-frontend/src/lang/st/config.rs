//! CONFIGURATION, RESOURCE, TASK, program instances; sections that name variables by their full path.

use super::decl::ListEnd;
use super::parser::Parser;
use super::stmt::{NEXT, SECTIONS};
use crate::ast::{Arg, Configuration, Ident, Initializer, Item, ProgramConfig, Resource, Section, Setting, TaskConfig, VarDecl};
use crate::lang::common::token::{Set, Tok};

/// Tokens at which a part of a configuration ends, or reading goes on behind a mistake.
const PARTS: Set = Set::of(&[Tok::EndConfiguration, Tok::EndResource, Tok::Program]).or(NEXT);

impl Parser<'_> {
    /// Reads CONFIGURATION … END_CONFIGURATION; the current token is its first word.
    pub(super) fn configuration(&mut self) -> Option<Configuration> {
        let frame = self.open_frame("CONFIGURATION", Tok::EndConfiguration);
        let name = self.name("the name of a configuration");
        self.eat(Tok::Semicolon);
        let mut vars = Vec::new();
        let mut resources = Vec::new();
        let start = self.here();
        let mut unnamed = Resource {
            name: None,
            is_of_one_task: false,
            vars: Vec::new(),
            tasks: Vec::new(),
            programs: Vec::new(),
            span: start,
        };
        while !self.ends_configuration() {
            if self.at_word("RESOURCE") {
                resources.push(self.resource());
            } else if self.at_set(SECTIONS) {
                vars.extend(self.var_block());
            } else {
                self.part_of_resource(&mut unnamed);
            }
        }
        if !unnamed.tasks.is_empty() || !unnamed.programs.is_empty() {
            unnamed.span = self.since(start);
            resources.push(unnamed);
        }
        self.end_of_frame(frame);
        Some(Configuration { name: Some(name?), vars, resources, span: self.since(frame.opener) })
    }

    /// Reads a RESOURCE outside of any configuration, and makes a configuration of its name.
    pub(super) fn lone_resource(&mut self) -> Option<Configuration> {
        let resource = self.resource();
        let span = resource.span;
        Some(Configuration { name: Some(resource.name.clone()?), vars: Vec::new(), resources: vec![resource], span })
    }

    fn ends_configuration(&self) -> bool {
        const ENDS: Set = Set::of(&[Tok::EndConfiguration, Tok::FunctionBlock, Tok::Function, Tok::Type, Tok::EndNamespace]);
        self.at(Tok::End) || self.at_set(ENDS)
    }

    /// Reads `RESOURCE name ON PLC … END_RESOURCE`
    fn resource(&mut self) -> Resource {
        let frame = self.open_frame("RESOURCE", Tok::EndResource);
        let name = self.name("the name of a resource");
        if self.eat_word("ON") {
            self.name("what kind of controller it is");
        }
        self.eat(Tok::Semicolon);
        let mut resource = Resource {
            name,
            is_of_one_task: false,
            vars: Vec::new(),
            tasks: Vec::new(),
            programs: Vec::new(),
            span: frame.opener,
        };
        while !self.ends_configuration() && !self.at(Tok::EndResource) {
            if self.at_set(SECTIONS) {
                resource.vars.extend(self.var_block());
            } else {
                self.part_of_resource(&mut resource);
            }
        }
        self.end_of_frame(frame);
        resource.span = self.since(frame.opener);
        resource
    }

    /// Reads a task or a program instance, and at least one token.
    fn part_of_resource(&mut self, resource: &mut Resource) {
        if self.at_word("TASK") {
            resource.tasks.extend(self.task());
        } else if self.at(Tok::Program) {
            resource.programs.extend(self.program_instance());
        } else if !self.eat(Tok::Semicolon) {
            self.expected(
                "RESOURCE, TASK, PROGRAM or VAR_GLOBAL",
                "a configuration says what runs: `PROGRAM Main WITH Task1 : Type;`",
            );
            self.bump();
        }
        self.recover(PARTS);
    }

    /// Reads `TASK name (INTERVAL := T#10ms, PRIORITY := 1);`
    fn task(&mut self) -> Option<TaskConfig> {
        let start = self.here();
        self.bump();
        let name = self.name("the name of a task")?;
        const FORM: &str = "a task is written `TASK name (INTERVAL := T#10ms, PRIORITY := 1);`";
        let mut settings = Vec::new();
        let open = self.here();
        if self.eat(Tok::LParen) {
            settings = self.with_commas(|p| {
                let name = if p.at(Tok::RParen) { None } else { p.name("INTERVAL, PRIORITY or SINGLE") }?;
                p.expect(Tok::Assign, FORM).then(|| Setting { name, value: p.expression() })
            });
            self.close(Tok::RParen, open);
        }
        let span = self.since(start);
        self.semicolon("this task");
        Some(TaskConfig { name, settings, span })
    }

    /// Reads `PROGRAM name WITH task : Type (in := x, out => y);`
    fn program_instance(&mut self) -> Option<ProgramConfig> {
        let start = self.here();
        self.bump();
        while self.at_any(&[Tok::Retain, Tok::NonRetain]) {
            self.bump();
        }
        let name = self.name("the name of a program instance")?;
        let task = if self.eat_word("WITH") { Some(self.name("the name of a task")?) } else { None };
        if !self.expect(Tok::Colon, "a program runs with `PROGRAM name WITH task : Type;`") || !self.at(Tok::Word) {
            self.expected("the name of a PROGRAM", "a program runs with `PROGRAM name WITH task : Type;`");
            return None;
        }
        let program = self.path().node;
        let args = if self.at(Tok::LParen) { self.connections() } else { Vec::new() };
        let span = self.since(start);
        self.semicolon("this program instance");
        Some(ProgramConfig { name, task, program, args, span })
    }

    /// Reads arguments of a program instance; `block WITH task` is among them.
    fn connections(&mut self) -> Vec<Arg> {
        let open = self.here();
        self.bump();
        let mut args = Vec::new();
        while !self.at(Tok::RParen) && !self.is_lost() {
            let start = self.here();
            if self.at(Tok::Word) && self.peek(1).kind == Tok::Word {
                self.bump();
                self.bump();
                self.name("the name of a task");
                self.aside_items.push(Item::Unsupported("task of a function block instance", self.since(start)));
            } else {
                args.extend(self.argument().node);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.close(Tok::RParen, open);
        args
    }

    /// Reads a declaration of VAR_CONFIG: `resource.program.x AT %IX0.0 : BOOL := TRUE;`
    pub(super) fn path_declaration(&mut self, vars: &mut Vec<VarDecl>, list: ListEnd) {
        let start = self.here();
        if !self.at(Tok::Word) {
            self.expected("the path of a variable", "write the names of resource, program and variable with dots between them");
            return;
        }
        let path = self.path().node.span;
        let text: String = self.text_of(path).chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
        let name = Ident { text, span: path };
        let address = if self.eat(Tok::At) { self.location() } else { None };
        if !self.expect(Tok::Colon, "write `path : type;`") {
            return;
        }
        let (ty, init) = if list.section == Some(Section::Access) {
            let variable = self.expression();
            let init = Initializer::value(variable);
            if !self.expect(Tok::Colon, "write `name : path : type READ_ONLY;`") {
                return;
            }
            let ty = self.type_spec();
            if self.at_any_word(&["READ_ONLY", "READ_WRITE"]) {
                self.bump();
            }
            (ty, Some(init))
        } else {
            let ty = self.type_spec();
            let init = self.initial_value(&ty);
            (ty, init)
        };
        let args = std::mem::take(&mut self.instance_args);
        let span = self.since(start);
        self.end_of_declaration(&ty, span);
        vars.push(VarDecl { address, args, init, ..VarDecl::new(name, ty, span) });
    }

    /// Reads VAR_CONFIG or VAR_ACCESS that stands by itself, as CODESYS and TwinCAT write it.
    pub(super) fn lone_section(&mut self) -> Option<Configuration> {
        let start = self.here();
        let vars = vec![self.var_block()?];
        Some(Configuration { name: None, vars, resources: Vec::new(), span: self.since(start) })
    }
}
