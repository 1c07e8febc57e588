//! Calls of user functions and of function block instances.

use crate::ast::{self, Arg};
use crate::hir::{CallArgs, Elem, Expr, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Type, VarId};
use crate::resolve::calls::arguments::Forward;
use crate::resolve::calls::copy_table::Types;
use crate::resolve::calls::standard_table;
use crate::resolve::classes::member_table::MemberDecl;
use crate::resolve::classes::members::CallTarget;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Local, Member, Names, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::type_values::CALLED;
use crate::text::{Span, codes};

impl<'a> Resolver<'a> {
    /// Resolves a call in an expression.
    pub(crate) fn call_expr(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span, want: Want) -> Res<Expr> {
        let name = &*self.names.qualified(scope, name);
        if let Some(callee) = self.callee(scope, name, None)? {
            return self.call_member(scope, callee, args, span, true);
        }
        if self.names.calls_variable(&self.project, scope, name) {
            return Err(self.call_of_variable(scope, name, span));
        }
        self.check_overloaded_function(&name.root)?;
        if let Some(&pou) = self.names.pous.get(&self.names.meant(&name.root)) {
            return match self.project.pous[pou].kind {
                PouKind::Function(Some(result)) => {
                    self.note_first_output(pou, &name.root.text, span);
                    self.call_function(scope, pou, Some(result), args, span)
                }
                PouKind::Function(None) => {
                    let message = format!("`{}` returns no value", name.root.text);
                    Err(self.findings.error(codes::NOT_A_VALUE, span, message, "has no value"))
                }
                PouKind::Program | PouKind::FunctionBlock => Err(self.project.not_a_function(&mut self.findings, name, pou)),
            };
        }
        if let Some(bound) = self.bound_of(scope, &name.root, args, span, want) {
            return bound;
        }
        self.standard_call(scope, &name.root, args, span, want)
    }

    /// Returns the gap of a parameter named EN or ENO.
    pub(crate) fn enable(&self, name: &ast::Ident) -> Option<Bad> {
        let is_enable = name.text.eq_ignore_ascii_case("EN") || name.text.eq_ignore_ascii_case("ENO");
        let effect = "EN and ENO are not modelled here: nothing after this statement in the cycle is verified";
        is_enable.then(|| unsupported(name.span, "EN/ENO", effect))
    }

    fn call_of_variable(&mut self, scope: Scope, name: &ast::Name, span: Span) -> Bad {
        match self.place(scope, name) {
            Err(why) => why,
            Ok(place) => {
                if let Type::FunctionBlock(_) = self.project.types[place.ty].ty {
                    let message = "a call of a function block instance has no value";
                    let help = Some("call it as a statement, then read its outputs".to_owned());
                    self.findings.error_with_help(codes::NOT_A_VALUE, span, message, "has no value", help)
                } else if let Type::Opaque(_) = self.project.types[place.ty].ty {
                    self.project.opaque_value(place.ty, span)
                } else {
                    let message = format!("`{}` is a variable and cannot be called", name.root.text);
                    self.findings.error(codes::NOT_CALLABLE, span, message, "not a function")
                }
            }
        }
    }

    /// Resolves a call of a user's function; `result` is `None` if it has none and its value is dropped.
    fn call_function(&mut self, scope: Scope, pou: PouId, result: Option<VarId>, args: &[Arg], span: Span) -> Res<Expr> {
        if scope.uses == Uses::Constant {
            let effect = "what it computes is not known: nothing after a statement that uses the variable is verified";
            let is_start = self.vars.initialising.is_some() || self.vars.is_value_in_type;
            return Err(if is_start { unsupported(span, CALLED, effect) } else { self.not_constant(span) });
        }
        let pou = self.copy_for(scope, pou, args, Types::new(), span)?;
        let ty = match result {
            Some(result) => self.var_type(VarRef::Local(pou, result))?,
            None => elementary::BOOL,
        };
        let args = self.bind_plain(scope, pou, args, span)?;
        if self.project.holds_opaque(ty) {
            return Err(self.project.opaque_value(ty, span));
        }
        self.findings.ledger.count("function call");
        Ok(Expr::call(pou, args, ty, span))
    }

    /// Binds arguments whose outputs are copied unchanged: no statement can stand behind a call in an expression.
    pub(crate) fn bind_plain(&mut self, scope: Scope, pou: PouId, args: &[Arg], span: Span) -> Res<CallArgs> {
        let bound = self.bind(scope, pou, args, &Types::new(), span)?;
        match bound.after.first() {
            Some(forward) => Err(forward_in_function(forward)),
            None => Ok(bound.args),
        }
    }

    /// Resolves a call as a statement.
    pub(crate) fn call_stmt(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span) -> Res<Vec<Stmt>> {
        let name = &*self.names.qualified(scope, name);
        let mut stmts = Vec::new();
        if let Some(callee) = self.callee(scope, name, Some(&mut stmts))? {
            if self.refers_to_instance(&callee) {
                return self.call_instance(scope, name, args, span);
            }
            let of_variables = match &callee.target {
                CallTarget::Body(_) => true,
                CallTarget::Member(found) => matches!(found.decl, MemberDecl::Action(_)),
                CallTarget::Dynamic(..) => false,
            };
            if of_variables && !args.is_empty() {
                stmts.extend(self.call_with_variables(scope, name, callee, args, span)?);
                return Ok(stmts);
            }
            let call = self.call_member(scope, callee, args, span, false)?;
            stmts.push(Stmt { kind: StmtKind::Eval(call), span });
            return Ok(stmts);
        }
        if self.names.calls_variable(&self.project, scope, name) {
            return self.call_instance(scope, name, args, span);
        }
        self.check_overloaded_function(&name.root)?;
        let call = match self.names.pous.get(&self.names.meant(&name.root)).copied() {
            Some(pou) => match self.project.pous[pou].kind {
                PouKind::Function(result) => self.call_function(scope, pou, result, args, span)?,
                PouKind::Program | PouKind::FunctionBlock => {
                    return Err(self.project.not_a_function(&mut self.findings, name, pou));
                }
            },
            None => self.standard_call(scope, &name.root, args, span, Want::Any)?,
        };
        Ok(vec![Stmt { kind: StmtKind::Eval(call), span }])
    }

    /// Returns whether a place is a VAR_IN_OUT of the code, and no part of an instance in it.
    fn is_in_out(&self, scope: Scope, place: &Place) -> bool {
        let (Some(owner), Root::Var(var)) = (scope.owner, place.root) else { return false };
        let is_this = var == Member::THIS && self.names.members.contains_key(&owner);
        let is_part = place.path.iter().any(|elem| matches!(elem, Elem::Member(_)));
        !is_this && !is_part && self.project.pous[owner].vars[var].section == Section::InOut
    }

    fn call_instance(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let name = &*self.without_kind(scope, name);
        let place = self.place_before(scope, name, &mut stmts)?;
        let Type::FunctionBlock(pou) = self.project.types[place.ty].ty else {
            return Err(self.call_of_variable(scope, name, span));
        };
        self.findings.ledger.count("function block call");
        let is_passed = self.is_in_out(scope, &place);
        if (is_passed || place.path.iter().any(|elem| matches!(elem, Elem::Deref { .. }))) && self.names.has_heirs(pou) {
            let construct = match is_passed {
                true => "body called of a VAR_IN_OUT of a block that others extend: the body of the instance's own block runs",
                false => "body called through a reference to a block that others extend: the block's own body runs",
            };
            self.findings.assume(span, construct);
        }
        let types = self.block_types(scope, pou, args, span)?;
        if !types.is_empty() {
            stmts.extend(self.call_copy(scope, place, pou, types, args, span)?);
            return Ok(stmts);
        }
        let bound = self.bind(scope, pou, args, &Types::new(), span)?;
        let afterwards: Vec<Stmt> = bound.after.into_iter().map(|forward| self.project.forward(&place, pou, forward)).collect();
        stmts.push(Stmt { kind: StmtKind::CallInstance { instance: place, pou, args: Box::new(bound.args) }, span });
        stmts.extend(afterwards);
        Ok(stmts)
    }
}

impl Names {
    /// Returns whether a call is one of a variable.
    ///
    /// A function hides a variable of its name that is no instance: in the body of a function, its name means both.
    fn calls_variable(&self, project: &Project, scope: Scope, name: &ast::Name) -> bool {
        if !name.path.is_empty() {
            return true;
        }
        let wanted = key(&name.root.text);
        let is_function = match self.pous.get(&self.meant(&name.root)) {
            Some(&pou) => matches!(project.pous[pou].kind, PouKind::Function(_)),
            None => standard_table::is_standard(&name.root.text) || self.conversion(project, &name.root.text).is_some(),
        };
        let ty = match (self.local(scope.owner, &wanted), scope.owner) {
            (Some(Local::Var(id)), Some(owner)) => Some(project.pous[owner].vars[id].ty),
            (Some(Local::Inherent(block, id)), _) => Some(project.pous[block].vars[id].ty),
            (Some(Local::External(id)), _) => Some(project.globals[id].ty),
            (Some(Local::Broken), _) => None,
            (Some(Local::Var(_)) | None, _) => self.globals.get(&self.meant_value(&name.root)).map(|&id| project.globals[id].ty),
        };
        let is_instance = ty.is_some_and(|ty| matches!(project.types[ty].ty, Type::FunctionBlock(_) | Type::Opaque(_)));
        is_instance || (!is_function && self.is_variable(project, scope, &name.root))
    }

    /// Returns whether some block extends this one.
    pub(crate) fn has_heirs(&self, pou: PouId) -> bool {
        self.extended.contains(&pou)
    }
}

impl Project {
    fn not_a_function(&self, findings: &mut Findings, name: &ast::Name, pou: PouId) -> Bad {
        let text = &name.root.text;
        let (message, help) = match self.pous[pou].kind {
            PouKind::Program => (format!("`{text}` is a PROGRAM: it runs by itself and is not called"), None),
            PouKind::FunctionBlock | PouKind::Function(_) => (
                format!("`{text}` is a FUNCTION_BLOCK: one of its instances is called, not the block"),
                Some(format!("declare an instance in VAR, for example `{text}1 : {text};`, and call that")),
            ),
        };
        findings.error_with_help(codes::NOT_CALLABLE, name.root.span, message, "not a function", help)
    }
}

/// Returns the gap of an output that changes on its way to its target: no statement can stand behind a call in an expression.
fn forward_in_function(forward: &Forward) -> Bad {
    let effect = "it is converted behind the call, which is not modelled: nothing after this statement in the cycle is verified";
    unsupported(forward.span, "output of a function with a target of another type", effect)
}
