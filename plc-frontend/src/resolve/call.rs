//! Calls of user functions and of function block instances: arguments to parameters.

use super::elementary;
use super::names::{Local, Member, VarRef, key};
use super::resolver::{Bad, Res, Resolver, Scope, Uses, Want};
use super::shape::Types;
use super::suggest::nearest;
use super::widen::{widened, widens};
use crate::ast::{self, Arg};
use crate::codes;
use crate::hir::{CallArgs, Elem, Expr, ExprKind, Place, PouId, PouKind, Section, Stmt, StmtKind, Type, TypeId, UnOp, VarId};
use crate::source::Span;

/// Arguments with what remains to be done after the call: outputs whose value is changed on its way.
pub(crate) struct Bound {
    pub(crate) args: CallArgs,
    pub(crate) after: Vec<Forward>,
}

/// An output whose value is negated or widened before it is assigned.
pub(crate) struct Forward {
    output: VarId,
    target: Place,
    negated: bool,
    span: Span,
}

impl<'a> Resolver<'a> {
    /// A call in an expression.
    pub(crate) fn call_expr(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span, want: Want) -> Res<Expr> {
        let name = &*self.qualified(scope, name);
        if let Some(callee) = self.callee(scope, name, None)? {
            return self.call_member(scope, callee, args, span, true);
        }
        if self.calls_variable(scope, name) {
            return Err(self.call_of_variable(scope, name, span));
        }
        if let Some(&pou) = self.names.pous.get(&self.names.meant(&name.root)) {
            return match self.project.pous[pou].kind {
                PouKind::Function(Some(result)) => self.call_function(scope, pou, Some(result), args, span),
                PouKind::Function(None) => {
                    let message = format!("`{}` returns no value", name.root.text);
                    Err(self.error(codes::NOT_A_VALUE, span, message, "has no value"))
                }
                PouKind::Program | PouKind::FunctionBlock => Err(self.not_a_function(name, pou)),
            };
        }
        if let Some(bound) = self.bound_of(scope, &name.root, args, span, want) {
            return bound;
        }
        self.standard_call(scope, &name.root, args, span, want)
    }

    /// Whether a call is one of a variable. A function hides a variable of its name that is no instance: inside
    /// of its own body the function's name is both.
    fn calls_variable(&self, scope: Scope, name: &ast::Name) -> bool {
        if !name.path.is_empty() {
            return true;
        }
        let wanted = key(&name.root.text);
        let is_function = match self.names.pous.get(&self.names.meant(&name.root)) {
            Some(&pou) => matches!(self.project.pous[pou].kind, PouKind::Function(_)),
            None => super::signature::is_standard(&name.root.text) || self.conversion(&name.root.text).is_some(),
        };
        let ty = match (self.names.local(scope.owner, &wanted), scope.owner) {
            (Some(Local::Var(id)), Some(owner)) => Some(self.project.pous[owner].vars[id].ty),
            (Some(Local::Inherent(block, id)), _) => Some(self.project.pous[block].vars[id].ty),
            (Some(Local::External(id)), _) => Some(self.project.globals[id].ty),
            (Some(Local::Broken), _) => None,
            (Some(Local::Var(_)) | None, _) => self.names.globals.get(&wanted).map(|&id| self.project.globals[id].ty),
        };
        let is_instance = ty.is_some_and(|ty| match self.project.types[ty].ty {
            Type::FunctionBlock(_) | Type::Opaque(_) => true,
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Array { .. }
            | Type::Struct { .. } => false,
        });
        is_instance || (!is_function && self.is_variable(scope, &name.root))
    }

    /// EN and ENO are read and not modelled.
    pub(crate) fn enable(&self, name: &ast::Ident) -> Option<Bad> {
        let is_enable = name.text.eq_ignore_ascii_case("EN") || name.text.eq_ignore_ascii_case("ENO");
        let effect = "calls with EN or ENO are not modelled: nothing after this statement in the cycle is verified";
        is_enable.then(|| self.unsupported(name.span, "EN/ENO", effect))
    }

    fn not_a_function(&mut self, name: &ast::Name, pou: PouId) -> Bad {
        let text = &name.root.text;
        let (message, help) = match self.project.pous[pou].kind {
            PouKind::Program => (format!("`{text}` is a PROGRAM: it runs by itself and is not called"), None),
            PouKind::FunctionBlock | PouKind::Function(_) => (
                format!("`{text}` is a FUNCTION_BLOCK: one of its instances is called, not the block"),
                Some(format!("declare an instance in VAR, for example `{text}1 : {text};`, and call that")),
            ),
        };
        self.error_with_help(codes::NOT_CALLABLE, name.root.span, message, "not a function", help)
    }

    fn call_of_variable(&mut self, scope: Scope, name: &ast::Name, span: Span) -> Bad {
        match self.place(scope, name) {
            Err(why) => why,
            Ok(place) => match self.project.types[place.ty].ty {
                Type::FunctionBlock(_) => {
                    let message = "a call of a function block instance has no value";
                    let help = Some("call it as a statement, then read its outputs".to_owned());
                    self.error_with_help(codes::NOT_A_VALUE, span, message, "has no value", help)
                }
                Type::Opaque(_) => self.opaque_value(place.ty, span),
                Type::Bool
                | Type::Int(_)
                | Type::Bits(_)
                | Type::Real(_)
                | Type::Time
                | Type::LTime
                | Type::Date(_)
                | Type::Char(_)
                | Type::Enum { .. }
                | Type::Subrange { .. }
                | Type::Array { .. }
                | Type::Struct { .. } => {
                    let message = format!("`{}` is a variable and cannot be called", name.root.text);
                    self.error(codes::NOT_CALLABLE, span, message, "not a function")
                }
            },
        }
    }

    /// A call of a user's function; `result` is `None` where its value is dropped and it has none.
    fn call_function(&mut self, scope: Scope, pou: PouId, result: Option<VarId>, args: &[Arg], span: Span) -> Res<Expr> {
        if scope.uses == Uses::Constant {
            let effect = "what it computes is not known: nothing after a statement that uses the variable is verified";
            let is_start = self.initialising.is_some();
            return Err(if is_start {
                self.unsupported(span, "initial value that calls a function", effect)
            } else {
                self.not_constant(span)
            });
        }
        let pou = self.shape(scope, pou, args, Types::new(), span)?;
        let ty = match result {
            Some(result) => self.var_type(VarRef::Local(pou, result))?,
            None => elementary::BOOL,
        };
        let args = self.bind_plain(scope, pou, args, span)?;
        if self.holds_opaque(ty) {
            return Err(self.opaque_value(ty, span));
        }
        self.ledger.count("function call");
        Ok(Expr { kind: ExprKind::Call(pou, args), ty, span })
    }

    /// Arguments whose outputs are copied as they are: nothing can stand behind a call in an expression.
    pub(crate) fn bind_plain(&mut self, scope: Scope, pou: PouId, args: &[Arg], span: Span) -> Res<CallArgs> {
        let bound = self.bind(scope, pou, args, &Types::new(), span)?;
        match bound.after.first() {
            Some(forward) => Err(self.forward_in_function(forward)),
            None => Ok(bound.args),
        }
    }

    fn forward_in_function(&mut self, forward: &Forward) -> Bad {
        let message = "the output of a function is assigned as it is: its target has the same type, and there is no NOT";
        let help = Some("use an auxiliary variable of the output's type and assign that afterwards".to_owned());
        self.error_with_help(codes::ARGUMENTS, forward.span, message, "not of the output's type", help)
    }

    /// A call as a statement.
    pub(crate) fn call_stmt(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span) -> Res<Vec<Stmt>> {
        let name = &*self.qualified(scope, name);
        let mut stmts = Vec::new();
        if let Some(callee) = self.callee(scope, name, Some(&mut stmts))? {
            if self.refers_to_instance(&callee) {
                return self.call_instance(scope, name, args, span);
            }
            let call = self.call_member(scope, callee, args, span, false)?;
            stmts.push(Stmt { kind: StmtKind::Eval(call), span });
            return Ok(stmts);
        }
        if self.calls_variable(scope, name) {
            return self.call_instance(scope, name, args, span);
        }
        let call = match self.names.pous.get(&self.names.meant(&name.root)).copied() {
            Some(pou) => match self.project.pous[pou].kind {
                PouKind::Function(result) => self.call_function(scope, pou, result, args, span)?,
                PouKind::Program | PouKind::FunctionBlock => return Err(self.not_a_function(name, pou)),
            },
            None => self.standard_call(scope, &name.root, args, span, Want::Any)?,
        };
        Ok(vec![Stmt { kind: StmtKind::Eval(call), span }])
    }

    /// Whether some block extends this one.
    pub(crate) fn has_heirs(&self, pou: PouId) -> bool {
        self.names.extended.contains(&pou)
    }

    fn call_instance(&mut self, scope: Scope, name: &ast::Name, args: &[Arg], span: Span) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let place = self.place_before(scope, name, &mut stmts)?;
        let Type::FunctionBlock(pou) = self.project.types[place.ty].ty else {
            return Err(self.call_of_variable(scope, name, span));
        };
        self.ledger.count("function block call");
        if place.path.iter().any(|elem| matches!(elem, Elem::Deref { .. })) && self.has_heirs(pou) {
            self.assume(span, "body called through a reference to a block that others extend: the block's own body runs");
        }
        let types = self.block_types(scope, pou, args, span)?;
        if !types.is_empty() {
            stmts.extend(self.call_shaped(scope, place, (pou, types), args, span)?);
            return Ok(stmts);
        }
        let bound = self.bind(scope, pou, args, &Types::new(), span)?;
        let afterwards: Vec<Stmt> = bound.after.into_iter().map(|forward| self.forward(&place, pou, forward)).collect();
        stmts.push(Stmt { kind: StmtKind::CallInstance { instance: place, pou, args: bound.args }, span });
        stmts.extend(afterwards);
        Ok(stmts)
    }

    /// `target := output;` behind the call.
    pub(super) fn forward(&self, instance: &Place, pou: PouId, forward: Forward) -> Stmt {
        let ty = self.project.pous[pou].vars[forward.output].ty;
        let mut output = instance.clone();
        output.path.push(Elem::Member(forward.output));
        output.ty = ty;
        output.span = forward.span;
        let mut value = Expr { kind: ExprKind::Read(output), ty, span: forward.span };
        if forward.negated {
            value = Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(value)), ty, span: forward.span };
        }
        let value = widened(value, forward.target.ty);
        Stmt { kind: StmtKind::Assign { target: forward.target, value }, span: forward.span }
    }

    /// Arguments to the parameters of a function or block; `types` are those of parameters where they are not the declared ones.
    pub(super) fn bind(&mut self, scope: Scope, pou: PouId, args: &[Arg], types: &Types, span: Span) -> Res<Bound> {
        let mut bound = Bound { args: CallArgs::default(), after: Vec::new() };
        let mut given: Vec<VarId> = Vec::new();
        let mut bad = None;
        let positional: Vec<VarId> = (self.project.pous[pou].vars.iter_enumerated())
            .filter(|(id, v)| matches!(v.section, Section::Input | Section::InOut) && !self.is_hidden(pou, *id))
            .map(|(id, _)| id)
            .collect();
        let mixed = args.iter().any(|a| matches!(a, Arg::Positional(_))) && args.iter().any(|a| matches!(a, Arg::Input(..)));
        if mixed && !self.mixes() {
            let message = "arguments are given either by position or by name, not both";
            bad = Some(self.error(codes::ARGUMENTS, span, message, "mixed arguments"));
        }
        let mut position = 0;
        let mut place = 0;
        for arg in args {
            place += usize::from(!matches!(arg, Arg::Output { .. }));
            let parameter = match arg {
                Arg::Positional(e) => {
                    position += 1;
                    // Behind named ones, which took the first places, it is the place among all that counts.
                    let first = positional.get(position - 1).filter(|id| !given.contains(id));
                    let found = first.or(positional.get(place - 1)).copied();
                    found.ok_or_else(|| self.too_many(pou, positional.len(), e.span))
                }
                Arg::Input(name, _) | Arg::Output { name, .. } => self.parameter(pou, name),
            };
            let done = parameter.and_then(|id| {
                if given.contains(&id) {
                    let name = self.project.pous[pou].vars[id].name.clone();
                    return Err(self.error(codes::ARGUMENTS, arg_span(arg), format!("`{name}` is given twice"), "given again"));
                }
                given.push(id);
                self.bind_one(scope, (pou, id), arg, types, &mut bound)
            });
            if let Err(why) = done {
                bad = Some(why);
            }
        }
        let missing: Vec<String> = (self.project.pous[pou].vars.iter_enumerated())
            .filter(|(id, v)| v.section == Section::InOut && !given.contains(id) && !self.is_hidden(pou, *id))
            .map(|(_, v)| v.name.clone())
            .collect();
        match bad {
            Some(why) => Err(why),
            None if !missing.is_empty() => {
                let message = format!("`{}` needs a variable for {}", self.project.pous[pou].name, missing.join(", "));
                Err(self.error(codes::ARGUMENTS, span, message, "VAR_IN_OUT without a variable"))
            }
            None => Ok(bound),
        }
    }

    /// Whether a parameter is one that the caller does not see.
    pub(crate) fn is_hidden(&self, pou: PouId, var: VarId) -> bool {
        let is_target = var == Member::THIS && self.names.dispatchers.contains(&pou);
        is_target || self.names.members.get(&pou).is_some_and(|member| member.hides(var))
    }

    fn too_many(&mut self, pou: PouId, count: usize, span: Span) -> Bad {
        let message = format!("`{}` takes {count} arguments", self.project.pous[pou].name);
        self.error(codes::ARGUMENTS, span, message, "one too many")
    }

    fn parameter(&mut self, pou: PouId, name: &ast::Ident) -> Res<VarId> {
        let row = &self.project.pous[pou];
        let is_parameter = |s: Section| matches!(s, Section::Input | Section::Output | Section::InOut);
        let named = |id: VarId, v: &crate::hir::Var| {
            is_parameter(v.section) && key(&v.name) == key(&name.text) && !self.is_hidden(pou, id)
        };
        if let Some((id, _)) = row.vars.iter_enumerated().find(|(id, v)| named(*id, v)) {
            return Ok(id);
        }
        if let Some(gap) = self.enable(name) {
            return Err(gap);
        }
        let known: Vec<&str> = row.vars.iter().filter(|v| is_parameter(v.section)).map(|v| v.name.as_str()).collect();
        let help = match nearest(&name.text, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "it has no parameters".to_owned(),
            None => format!("its parameters are {}", known.into_iter().take(16).collect::<Vec<_>>().join(", ")),
        };
        let message = format!("`{}` has no parameter `{}`", row.name, name.text);
        Err(self.error_with_help(codes::UNKNOWN_PARAMETER, name.span, message, "not a parameter", Some(help)))
    }

    fn bind_one(&mut self, scope: Scope, (pou, id): (PouId, VarId), arg: &Arg, types: &Types, bound: &mut Bound) -> Res<()> {
        let var = VarRef::Local(pou, id);
        let ty = match types.get(&id) {
            Some(ty) => *ty,
            None => self.var_type(var)?,
        };
        let (name, section) = (self.var(var).name.clone(), self.var(var).section);
        match (arg, section) {
            (Arg::Positional(e) | Arg::Input(_, e), Section::Input) => {
                if self.holds_opaque(ty) {
                    return Err(self.opaque_value(ty, e.span));
                }
                let value = self.expr_as(scope, e, ty, &format!("the input `{name}`"))?;
                bound.args.inputs.push((id, value));
                Ok(())
            }
            (Arg::Positional(e) | Arg::Input(_, e), Section::InOut) => {
                let place = self.reference(scope, e, ty, &name)?;
                bound.args.in_outs.push((id, place));
                Ok(())
            }
            (Arg::Output { target: None, .. }, Section::Output) => Ok(()),
            (Arg::Output { name: ident, target: Some(e), negated }, Section::Output) => {
                let target = self.written(scope, e)?;
                self.output(bound, (id, ty, &name), target, *negated, ident.span.to(e.span))
            }
            (Arg::Positional(_) | Arg::Input(..) | Arg::Output { .. }, _) => {
                let (kind, form) = match section {
                    Section::Output => ("an output", format!("write `{name} => variable`")),
                    Section::Input | Section::InOut => ("an input", format!("write `{name} := …`")),
                    Section::Local | Section::Temp | Section::Result | Section::Global => {
                        ("no parameter", "remove it".to_owned())
                    }
                };
                let message = format!("`{name}` is {kind}");
                Err(self.error_with_help(codes::ARGUMENTS, arg_span(arg), message, "the wrong direction", Some(form)))
            }
        }
    }

    /// A place that a call writes to.
    fn written(&mut self, scope: Scope, e: &ast::Expr) -> Res<Place> {
        if scope.uses != Uses::Code {
            let message = "a condition must not change variables";
            return Err(self.error(codes::SIDE_EFFECT, e.span, message, "would be written"));
        }
        let place = self.target(scope, e)?;
        if self.holds_opaque(place.ty) {
            return Err(self.opaque_value(place.ty, place.span));
        }
        Ok(place)
    }

    /// A variable for a VAR_IN_OUT: of its very type.
    fn reference(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId, name: &str) -> Res<Place> {
        let place = self.written(scope, e)?;
        if let Some(Elem::Bits { .. }) = place.path.last() {
            let message = format!("`{name}` is VAR_IN_OUT and needs a whole variable, not some of its bits");
            return Err(self.error(codes::ARGUMENTS, e.span, message, "a part of a value"));
        }
        if place.ty == ty {
            return Ok(place);
        }
        let (from, to) = (self.type_name(place.ty), self.type_name(ty));
        let message =
            format!("`{name}` is VAR_IN_OUT of type {to} and needs a variable of that type, but this is of type {from}");
        Err(self.error(codes::TYPE_MISMATCH, e.span, message, format!("of type {from}")))
    }

    fn output(
        &mut self,
        bound: &mut Bound,
        (id, ty, name): (VarId, TypeId, &str),
        target: Place,
        negated: bool,
        span: Span,
    ) -> Res<()> {
        if self.holds_opaque(ty) {
            return Err(self.opaque_value(ty, span));
        }
        if !widens(&self.project, ty, target.ty) {
            let (from, to) = (self.type_name(ty), self.type_name(target.ty));
            let message = format!("the output `{name}` is of type {from}, but its target is of type {to}");
            let help = self
                .conversion_help(ty, target.ty)
                .map(|_| format!("read `{name}` after the call and convert it with {from}_TO_{to}(…)"));
            return Err(self.error_with_help(codes::TYPE_MISMATCH, target.span, message, format!("of type {to}"), help));
        }
        if negated && !matches!(self.project.types[ty].ty, Type::Bool | Type::Bits(_)) {
            let message = format!("the output `{name}` cannot be negated");
            return Err(self.error(codes::OPERAND_TYPE, span, message, "not BOOL"));
        }
        if negated || target.ty != ty {
            bound.after.push(Forward { output: id, target, negated, span });
        } else {
            bound.args.outputs.push((id, target));
        }
        Ok(())
    }
}

pub(crate) fn arg_span(arg: &Arg) -> Span {
    match arg {
        Arg::Positional(e) => e.span,
        Arg::Input(name, e) => name.span.to(e.span),
        Arg::Output { name, target: Some(e), .. } => name.span.to(e.span),
        Arg::Output { name, target: None, .. } => name.span,
    }
}
