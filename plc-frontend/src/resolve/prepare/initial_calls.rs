//! Initial values of variables that live in a call, where they call a function: they become the first statements of the body.
//!
//! Such a function runs in each call, and it may write variables of its own choice.

use std::collections::BTreeSet;

use crate::ast::calls::{InitialCall, MemberNames};
use crate::ast::{Body, Expr, InitializerKind, Method, Pou, PouKind, Section, Stmt, Unit, VarBlock};
use crate::text::{Key, key};

/// Moves the calls into the bodies.
///
/// Soundness: a value that is a list stays in its place and is not computed, so the body begins with a gap.
pub(crate) fn move_to_bodies(units: &mut [Unit]) {
    let (mut members, mut functions) = (MemberNames::default(), BTreeSet::new());
    for pou in units.iter_mut().flat_map(Unit::pous_mut) {
        members.add(pou);
        if pou.kind == PouKind::Function {
            functions.insert(key(&pou.name.text));
        }
    }
    let called = Called { members, functions };
    for pou in units.iter_mut().flat_map(Unit::pous_mut) {
        called.move_in_pou(pou);
    }
}

struct Called {
    members: MemberNames,
    functions: BTreeSet<Key>,
}

impl Called {
    fn move_in_pou(&self, pou: &mut Pou) {
        let is_function = pou.kind == PouKind::Function;
        let first = self.take(&mut pou.vars, is_function);
        put_first(&mut pou.body, first);
        let halves = pou.properties.iter_mut().flat_map(|property| property.getter.iter_mut().chain(&mut property.setter));
        for Method { vars, body, .. } in pou.methods.iter_mut().chain(halves) {
            if let Some(body @ Body::Statements(_)) = body {
                let first = self.take(vars, true);
                put_first(body, first);
            }
        }
    }

    /// Returns the statements for the variables of these sections that live in a call.
    fn take(&self, blocks: &mut [VarBlock], is_in_call: bool) -> Vec<Stmt> {
        let lives_in_call = |block: &&mut VarBlock| {
            !block.constant && (block.section == Section::Temp || (is_in_call && block.section == Section::Var))
        };
        let mut first = Vec::new();
        for var in blocks.iter_mut().filter(lives_in_call).flat_map(|block| &mut block.vars) {
            let is_call =
                var.init.as_ref().is_some_and(|init| self.members.calls_of(init).iter().any(|call| self.is_of_user(call)));
            let Some(init) = var.init.take_if(|_| is_call) else { continue };
            let span = init.span;
            if let InitializerKind::Expr(value) = init.kind {
                first.push(Stmt::assign(Expr::variable(var.name.clone()), value, span));
            } else {
                var.init = Some(init);
                first.push(Stmt::unsupported("initial value that calls a function", span));
            }
        }
        first
    }

    /// Returns whether a call may run code of the user.
    fn is_of_user(&self, call: &InitialCall<'_>) -> bool {
        match call {
            InitialCall::Plain(name) if name.path.is_empty() => {
                self.functions.contains(&key(&name.root.text)) || self.members.is_method(&name.root.text)
            }
            InitialCall::Plain(_) | InitialCall::Other(_) => true,
        }
    }
}

fn put_first(body: &mut Body, mut first: Vec<Stmt>) {
    if let Body::Statements(stmts) = body
        && !first.is_empty()
    {
        first.append(stmts);
        *stmts = first;
    }
}
