//! Initial values of variables that live in a call, where they call a function: they become the first statements of the body.
//!
//! Such a function runs in each call, and it may write variables of its own choice.

use std::collections::BTreeSet;

use crate::ast::calls::{InitialCall, MemberNames};
use crate::ast::starting_types::{StartingTypes, defaults};
use crate::ast::{Body, Expr, InitializerKind, Method, Pou, PouKind, Section, Stmt, TypeSpec, Unit, VarBlock};
use crate::text::{Key, key};

/// Moves the calls into the bodies.
///
/// Soundness: a value that is a list or belongs to a type is not computed, so the body begins with a gap.
pub(crate) fn move_to_bodies(units: &mut [Unit]) {
    let (mut members, mut functions) = (MemberNames::default(), BTreeSet::new());
    for pou in units.iter_mut().flat_map(Unit::pous_mut) {
        members.add(pou);
        if pou.kind == PouKind::Function {
            functions.insert(key(&pou.name.text));
        }
    }
    let is_of_user = |call: &InitialCall<'_>| is_of_user(&members, &functions, call);
    let starting = StartingTypes::find(units, &members, &is_of_user);
    let called = Called { members, functions, starting };
    for pou in units.iter_mut().flat_map(Unit::pous_mut) {
        called.move_in_pou(pou);
    }
}

struct Called {
    members: MemberNames,
    functions: BTreeSet<Key>,
    /// Types whose variables call a function when they begin to live.
    starting: StartingTypes,
}

impl Called {
    fn move_in_pou(&self, pou: &mut Pou) {
        let is_function = pou.kind == PouKind::Function;
        let mut first = self.take(&mut pou.vars, is_function);
        first.extend(pou.result.as_ref().and_then(|result| self.start_of(result)));
        put_first(&mut pou.body, first);
        for property in &mut pou.properties {
            let of_type = self.start_of(&property.ty);
            for half in property.getter.iter_mut().chain(&mut property.setter) {
                self.move_in_method(half, of_type.clone());
            }
        }
        for method in &mut pou.methods {
            self.move_in_method(method, None);
        }
    }

    fn move_in_method(&self, Method { vars, body, result, .. }: &mut Method, of_type: Option<Stmt>) {
        if let Some(body @ Body::Statements(_)) = body {
            let mut first = self.take(vars, true);
            first.extend(of_type);
            first.extend(result.as_ref().and_then(|result| self.start_of(result)));
            put_first(body, first);
        }
    }

    /// Returns the gap for a variable of this type that lives in a call, if its type calls a function.
    fn start_of(&self, ty: &TypeSpec) -> Option<Stmt> {
        let calls = || defaults(ty).into_iter().any(|init| self.members.calls_of(init).iter().any(|call| self.is_of_user(call)));
        (self.starting.holds(ty) || calls())
            .then(|| Stmt::unsupported("type with an initial value that calls a function", ty.span))
    }

    /// Returns the statements for the variables of these sections that live in a call.
    fn take(&self, blocks: &mut [VarBlock], is_in_call: bool) -> Vec<Stmt> {
        let lives_in_call = |block: &&mut VarBlock| {
            !block.constant && (block.section == Section::Temp || (is_in_call && block.section == Section::Var))
        };
        let own = |block: &&VarBlock| match block.section {
            Section::Var | Section::Input | Section::Output | Section::Stat => is_in_call,
            Section::Temp => true,
            Section::InOut | Section::External | Section::Global | Section::Inst | Section::Config | Section::Access => false,
        };
        let vars = blocks.iter().filter(own).flat_map(|block| &block.vars);
        let mut first: Vec<Stmt> = vars.filter_map(|var| self.start_of(&var.ty)).collect();
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
        is_of_user(&self.members, &self.functions, call)
    }
}

fn is_of_user(members: &MemberNames, functions: &BTreeSet<Key>, call: &InitialCall<'_>) -> bool {
    match call {
        InitialCall::Plain(name) if name.path.is_empty() => {
            functions.contains(&key(&name.root.text)) || members.is_method(&name.root.text)
        }
        InitialCall::Plain(_) | InitialCall::Other(_) => true,
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
