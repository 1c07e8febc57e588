//! Calls of actions and of a base's body with arguments: `f.Action(x := 1, q => y)`, `SUPER^(x := 1, io := io)`.
//!
//! The parameters are variables of the instance: an argument is an assignment before the call, or behind it for an output.
//! A VAR_IN_OUT already refers to its variable, so it can be given to itself only.

use std::collections::BTreeSet;

use crate::ast::walk::{self, Node};
use crate::ast::{self, Arg, Expr, ExprKind, Ident, Name, NameElem, build};
use crate::hir::{Section, Stmt, StmtKind};
use crate::resolve::classes::members::Callee;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Local, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::text::{Key, Span};

impl<'a> Resolver<'a> {
    /// Resolves a call of an action or of a base's body with arguments.
    pub(crate) fn call_with_variables(
        &mut self,
        scope: Scope,
        name: &Name,
        callee: Callee<'a>,
        args: &[Arg],
        span: Span,
    ) -> Res<Vec<Stmt>> {
        let Some(instance) = instance(name, &callee) else { return Err(not_modelled(span)) };
        let own = |name: &Ident| variable(&instance, name);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        // A method may have a variable of the same name.
        let is_body = callee.inside && scope.owner.is_some_and(|owner| !self.names.members.contains_key(&owner));
        let mut assigned: BTreeSet<Key> = BTreeSet::new();
        for arg in args {
            match arg {
                Arg::Positional(_) => return Err(not_modelled(span)),
                Arg::Input(name, value) => {
                    let Some(section) = self.section_of(&callee, name) else {
                        return Err(self.unknown_member(callee.block, name));
                    };
                    if is_itself(name, value, is_body) {
                        continue;
                    }
                    if section != Section::Input {
                        return Err(not_modelled(span));
                    }
                    assigned.insert(key(&name.text));
                    before.push((own(name), value.clone()));
                }
                Arg::Output { name, target, negated } => {
                    if self.section_of(&callee, name) != Some(Section::Output) {
                        return Err(self.unknown_member(callee.block, name));
                    }
                    if let Some(target) = target {
                        let value = if *negated { build::not(own(name)) } else { own(name) };
                        after.push(ast::Stmt::assign(target.clone(), value, span));
                    }
                }
            }
        }
        // All values are computed before the first one is assigned.
        if 1 < before.len() && before.iter().any(|(_, value)| depends_on(value, &assigned)) {
            return Err(not_modelled(span));
        }
        let before: Vec<ast::Stmt> = before.into_iter().map(|(target, value)| ast::Stmt::assign(target, value, span)).collect();
        let mut stmts = self.stmts(scope, &before);
        let call = self.call_member(scope, callee, &[], span, false)?;
        stmts.push(Stmt { kind: StmtKind::Eval(call), span });
        stmts.extend(self.stmts(scope, &after));
        Ok(stmts)
    }

    fn section_of(&self, callee: &Callee<'_>, name: &Ident) -> Option<Section> {
        match self.names.locals[callee.block.0 as usize].get(&key(&name.text)) {
            Some(Local::Var(id)) => Some(self.project.pous[callee.block].vars[*id].section),
            Some(Local::External(_) | Local::Inherent(..) | Local::Broken) | None => None,
        }
    }
}

/// Returns the instance of a call; `None` if naming it may call something.
fn instance(name: &Name, callee: &Callee<'_>) -> Option<Name> {
    let span = name.span;
    if callee.inside {
        return Some(Name { root: Ident::new("THIS", span), path: vec![NameElem::Deref(span)], span });
    }
    let (_, path) = name.path.split_last()?;
    let is_plain = path.iter().all(|elem| matches!(elem, NameElem::Field(_) | NameElem::Deref(_)));
    is_plain.then(|| Name { root: name.root.clone(), path: path.to_vec(), span })
}

/// Returns a variable of the instance.
fn variable(instance: &Name, name: &Ident) -> Expr {
    let mut of = instance.clone();
    of.path.push(NameElem::Field(name.clone()));
    Expr { span: name.span, kind: ExprKind::Name(Name { span: name.span, ..of }) }
}

/// Returns whether a value is the variable of this name itself.
fn is_itself(name: &Ident, value: &Expr, is_body: bool) -> bool {
    let ExprKind::Name(read) = &value.kind else { return false };
    let is_this = read.root.text.eq_ignore_ascii_case("THIS");
    match read.path.as_slice() {
        [] => is_body && key(&read.root.text) == key(&name.text),
        [NameElem::Deref(_), NameElem::Field(field)] => is_this && key(&field.text) == key(&name.text),
        _ => false,
    }
}

/// Returns whether a value may depend on one of these variables.
fn depends_on(value: &Expr, assigned: &BTreeSet<Key>) -> bool {
    let mut found = false;
    walk::expr(value, &mut |node| {
        found |= match node {
            Node::Name(name) => name.idents().any(|ident| assigned.contains(&key(&ident.text))),
            // A method may read any variable of its instance, and so may a variable with another name in the same memory.
            Node::Expr(Expr { kind: ExprKind::Call(..), .. }) => true,
            Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) => false,
        };
    });
    found
}

fn not_modelled(span: Span) -> Bad {
    let effect = "which values it gets is not modelled: nothing after this statement in the cycle is verified";
    unsupported(span, "arguments of a call of an action or of SUPER^", effect)
}
