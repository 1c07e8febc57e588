//! Calls in initial values: functions, methods and properties.

use std::collections::BTreeSet;

use super::walk::{self, Node};
use super::{Arg, Expr, ExprKind, Initializer, InitializerKind, Name, NameElem, Pou};
use crate::text::{Key, key};

/// Names of all methods and properties of a program.
#[derive(Default)]
pub(crate) struct MemberNames {
    methods: BTreeSet<Key>,
    properties: BTreeSet<Key>,
}

/// Call in an initial value.
pub(crate) enum InitialCall<'a> {
    /// Name alone, with arguments that are values: a function, or a method of the block around it.
    Plain(&'a Name),
    /// Anything else that may be a call.
    Other(&'a Name),
}

impl MemberNames {
    /// Adds the members of a POU.
    pub(crate) fn add(&mut self, pou: &Pou) {
        self.methods.extend(pou.methods.iter().map(|method| key(&method.name.text)));
        self.properties.extend(pou.properties.iter().map(|property| key(&property.name.text)));
    }

    /// Returns whether a method has this name.
    pub(crate) fn is_method(&self, name: &str) -> bool {
        self.methods.contains(&key(name))
    }

    /// Returns the calls of an initial value.
    ///
    /// Soundness: a name that some property has may be this property.
    pub(crate) fn calls_of<'a>(&self, init: &'a Initializer) -> Vec<InitialCall<'a>> {
        let mut values = Vec::new();
        let mut waiting = vec![init];
        while let Some(init) = waiting.pop() {
            match &init.kind {
                InitializerKind::Expr(e) => values.push(e),
                InitializerKind::Array(items) => waiting.extend(items.iter().map(|(_, item)| item)),
                InitializerKind::Struct(items) => waiting.extend(items.iter().map(|(_, item)| item)),
                InitializerKind::Elements(items) => waiting.extend(items.iter().map(|(_, item)| item)),
            }
        }
        values.into_iter().flat_map(|e| self.calls_in(e)).collect()
    }

    /// Returns the calls of an argument of a declaration.
    pub(crate) fn calls_of_arg<'a>(&self, arg: &'a Arg) -> Vec<InitialCall<'a>> {
        match arg {
            Arg::Input(_, e) | Arg::Positional(e) => self.calls_in(e),
            Arg::Output { .. } => Vec::new(),
        }
    }

    fn calls_in<'a>(&self, e: &'a Expr) -> Vec<InitialCall<'a>> {
        let mut calls = Vec::new();
        walk::expr(e, &mut |node| {
            let Node::Expr(e) = node else { return };
            if let ExprKind::Call(name, args) = &e.kind {
                let has_outputs = args.iter().any(|arg| matches!(arg, Arg::Output { .. }));
                calls.push(if has_outputs { InitialCall::Other(name) } else { InitialCall::Plain(name) });
            } else if let ExprKind::Name(name) = &e.kind
                && self.may_be_property(name)
            {
                calls.push(InitialCall::Other(name));
            }
        });
        calls
    }

    fn may_be_property(&self, name: &Name) -> bool {
        let fields = name.path.iter().filter_map(|elem| if let NameElem::Field(field) = elem { Some(field) } else { None });
        let has_call = name.path.iter().any(|elem| matches!(elem, NameElem::Call(..)));
        has_call || fields.chain([&name.root]).any(|name| self.properties.contains(&key(&name.text)))
    }
}
