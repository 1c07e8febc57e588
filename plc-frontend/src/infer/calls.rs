//! Calls: of known functions, methods and blocks, whose parameters imply types, and of missing ones.

use super::facts::{Calls, Flow, Part};
use super::tables::{is_function, positional};
use super::typing::{Found, Shape, Ty};
use super::uses::Collector;
use crate::ast::unnamed_pin::is_unnamed;
use crate::ast::{Arg, Expr, Ident, Method, Name, NameElem, Pou, TypeSpec, VarBlock};
use crate::text::{Key, key};

/// Parameters of a missing callee.
#[derive(Clone)]
enum Callee {
    /// Function, or method by its name.
    Function(Option<Key>),
    /// Body of a block: its parameters are variables of the instance.
    Body,
}

impl<'a> Collector<'a, '_> {
    /// Returns the type of a call's result.
    pub(super) fn call(&mut self, name: &'a Name, args: &'a [Arg], is_value: bool, wanted: Option<&Ty>) -> Found<'a> {
        match name.path.as_slice() {
            [] => self.call_name(name, args, is_value, wanted),
            [before @ .., NameElem::Field(last)] => {
                let instance = self.path(name, before);
                self.call_member(instance, last, args, is_value)
            }
            path => {
                let instance = self.path(name, path);
                self.call_body(&instance, args)
            }
        }
    }

    fn call_name(&mut self, name: &'a Name, args: &'a [Arg], is_value: bool, wanted_type: Option<&Ty>) -> Found<'a> {
        let wanted = key(&name.root.text);
        let own = self.scope.pou.and_then(|pou| self.tables.method(pou, &wanted));
        if let Some(method) = own {
            return self.call_method(method, args);
        }
        if let Some(base) = self.base_of(&name.root) {
            return self.call_member(Found::Slot((base, Part::Whole)), &name.root, args, is_value);
        }
        let instance = self.path(name, &[]);
        if let Shape::Missing(_) | Shape::Block(_) = self.shape(&instance)
            && !matches!(instance, Found::Block(_))
        {
            return self.call_body(&instance, args);
        }
        if let Some(function) = self.tables.pou(&wanted).filter(|pou| is_function(pou)) {
            self.arguments(&[&function.vars], args);
            return function.result.as_ref().map_or(Found::Unknown, |result| self.of_spec(result));
        }
        if self.missing.types.contains(&wanted) {
            let facts = self.note(&wanted, &name.root);
            let mut calls = facts.function.take().unwrap_or_default();
            calls.has_value |= is_value;
            self.missing_arguments(&wanted, &Callee::Function(None), &mut calls, args);
            self.fact(&wanted).function = Some(calls);
            return Found::Slot((wanted, Part::Result(None)));
        }
        self.standard(&name.root, args, wanted_type)
    }

    /// Returns the type of the result of a method, or notes the call of an instance inside of another one.
    pub(super) fn call_member(&mut self, instance: Found<'a>, name: &'a Ident, args: &'a [Arg], is_value: bool) -> Found<'a> {
        let wanted = key(&name.text);
        match self.shape(&instance) {
            Shape::Missing(missing) => {
                let facts = self.note(&missing, name);
                let (_, mut calls) = facts.methods.remove(&wanted).unwrap_or_default();
                calls.has_value |= is_value;
                self.missing_arguments(&missing, &Callee::Function(Some(wanted.clone())), &mut calls, args);
                self.fact(&missing).methods.insert(wanted.clone(), (name.text.clone(), calls));
                Found::Slot((missing, Part::Result(Some(wanted))))
            }
            Shape::Block(pou) => match (self.tables.variable(pou, &wanted), self.tables.method(pou, &wanted)) {
                (Some(var), _) => {
                    let inner = self.of_spec(&var.ty);
                    self.call_body(&inner, args)
                }
                (None, Some(method)) => self.call_method(method, args),
                (None, None) => match self.inherited_instance(pou, name) {
                    Some(base) => self.call_member(base, name, args, is_value),
                    None => self.arguments_of_unknown(args),
                },
            },
            Shape::Fields(fields) => match fields.into_iter().find(|var| key(&var.name.text) == wanted) {
                Some(var) => {
                    let inner = self.of_spec(&var.ty);
                    self.call_body(&inner, args)
                }
                None => self.arguments_of_unknown(args),
            },
            Shape::Interface(interface) => match interface.methods.iter().find(|method| key(&method.name.text) == wanted) {
                Some(method) => self.call_method(method, args),
                None => self.arguments_of_unknown(args),
            },
            Shape::Behind(spec) => {
                let inner = self.of_spec(spec);
                match self.shape(&inner) {
                    Shape::Behind(_) => self.arguments_of_unknown(args),
                    _ => self.call_member(inner, name, args, is_value),
                }
            }
            Shape::Elements(_) | Shape::Inside(_) | Shape::Other => self.arguments_of_unknown(args),
        }
    }

    fn call_method(&mut self, method: &'a Method, args: &'a [Arg]) -> Found<'a> {
        self.arguments(&[&method.vars], args);
        method.result.as_ref().map_or(Found::Unknown, |result| self.of_spec(result))
    }

    /// Notes the call of an instance.
    fn call_body(&mut self, instance: &Found<'a>, args: &'a [Arg]) -> Found<'a> {
        match self.shape(instance) {
            Shape::Missing(missing) => {
                let mut calls = self.fact(&missing).body.take().unwrap_or_default();
                self.missing_arguments(&missing, &Callee::Body, &mut calls, args);
                self.fact(&missing).body = Some(calls);
                Found::Unknown
            }
            Shape::Block(pou) => {
                let chain: Vec<&'a Pou> = self.tables.chain(pou).into_iter().rev().collect();
                let blocks: Vec<&'a [VarBlock]> = chain.iter().map(|pou| pou.vars.as_slice()).collect();
                self.arguments(&blocks, args);
                self.inherited_inputs(pou, args);
                Found::Unknown
            }
            _ => self.arguments_of_unknown(args),
        }
    }

    /// Notes uses inside of arguments whose parameters are not known.
    pub(super) fn arguments_of_unknown(&mut self, args: &'a [Arg]) -> Found<'a> {
        for arg in args {
            match arg {
                Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } => {
                    self.value(e, None);
                }
                Arg::Output { target: None, .. } => {}
            }
        }
        Found::Unknown
    }

    /// Notes types that parameters imply for their arguments.
    fn arguments(&mut self, blocks: &[&'a [VarBlock]], args: &'a [Arg]) {
        let in_order = positional(blocks);
        let tables = self.tables;
        let by_name = |name: &Ident| blocks.iter().find_map(|blocks| tables.in_blocks(blocks, &key(&name.text)));
        for (at, arg) in args.iter().enumerate() {
            let (param, e) = match arg {
                Arg::Positional(e) => (in_order.get(at).copied(), e),
                Arg::Input(name, e) | Arg::Output { name, target: Some(e), .. } => (by_name(name), e),
                Arg::Output { target: None, .. } => continue,
            };
            let ty = param.and_then(|var| self.ty_of_param(&var.ty));
            match arg {
                Arg::Output { .. } => drop(self.flow_into(e, ty.as_ref())),
                Arg::Positional(_) | Arg::Input(..) => drop(self.value(e, ty.as_ref())),
            }
        }
    }

    fn ty_of_param(&self, spec: &'a TypeSpec) -> Option<Ty> {
        let found = self.of_spec(spec);
        self.ty(&found).filter(|ty| *ty != Ty::Local)
    }

    /// Notes the parameters of a missing callee.
    fn missing_arguments(&mut self, missing: &Key, callee: &Callee, calls: &mut Calls, args: &'a [Arg]) {
        let mut at = 0;
        calls.call();
        for arg in args {
            match arg {
                Arg::Positional(e) => {
                    let method = if let Callee::Function(method) = callee { method.clone() } else { None };
                    self.flow_to(e, (missing.clone(), Part::At(method, at)));
                    at += 1;
                }
                // A chart does not name its pins.
                Arg::Input(name, e) if is_unnamed(&name.text) => drop(self.value(e, None)),
                Arg::Output { name, .. } if is_unnamed(&name.text) => {}
                Arg::Input(name, e) if is_enable(name) => drop(self.value(e, Some(&Ty::named("BOOL")))),
                Arg::Input(name, e) => {
                    calls.input(&name.text);
                    self.note(missing, name);
                    self.flow_to(e, (missing.clone(), parameter(callee, name)));
                }
                Arg::Output { name, target: Some(e), .. } if is_enable(name) => drop(self.flow_into(e, Some(&Ty::named("BOOL")))),
                Arg::Output { name, target, .. } => {
                    calls.output(&name.text);
                    self.note(missing, name);
                    if let Some(e) = target {
                        self.flow_from(e, (missing.clone(), parameter(callee, name)));
                    }
                }
            }
        }
        calls.n_positional = calls.n_positional.max(at);
    }

    /// Notes the type of an argument for its parameter.
    pub(super) fn flow_to(&mut self, e: &'a Expr, slot: (Key, Part)) {
        let known = self.decided.get(&slot).cloned();
        let found = self.value(e, known.as_ref());
        let ty = self.ty(&found);
        self.record(slot, Flow::In, ty);
    }

    /// Notes the type of the target of an output.
    fn flow_from(&mut self, e: &'a Expr, slot: (Key, Part)) {
        let known = self.decided.get(&slot).cloned();
        let found = self.flow_into(e, known.as_ref());
        let ty = self.ty(&found);
        self.record(slot, Flow::Out, ty);
    }
}

pub(super) fn is_enable(name: &Ident) -> bool {
    name.text.eq_ignore_ascii_case("EN") || name.text.eq_ignore_ascii_case("ENO")
}

fn parameter(callee: &Callee, name: &Ident) -> Part {
    match callee {
        Callee::Function(method) => Part::Named(method.clone(), key(&name.text)),
        Callee::Body => Part::Member(key(&name.text)),
    }
}
