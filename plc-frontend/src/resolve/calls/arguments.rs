//! Arguments of calls, bound to the parameters of functions and blocks.

use crate::ast::{self, Arg};
use crate::hir::{CallArgs, Elem, Expr, Place, PouId, PouKind, Project, Root, Section, Stmt, Type, TypeId, UnOp, Var, VarId};
use crate::resolve::calls::copy_table::Types;
use crate::resolve::classes::inheritance;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Member, Names, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::families::{widened, widens};
use crate::rule::root_var;
use crate::text::{Span, codes, nearest};

/// Arguments, and the outputs that are assigned in statements behind the call because their values change on the way.
pub(crate) struct Bound {
    pub(crate) args: CallArgs,
    pub(crate) after: Vec<Forward>,
}

/// Output whose value is negated or widened before it is assigned.
pub(crate) struct Forward {
    output: VarId,
    target: Place,
    negated: bool,
    pub(crate) span: Span,
}

impl Resolver<'_> {
    /// Binds arguments to the parameters of a function or block; `types` are those of parameters that differ from the declared
    /// ones.
    pub(crate) fn bind(&mut self, scope: Scope, pou: PouId, args: &[Arg], types: &Types, span: Span) -> Res<Bound> {
        let mut bound = Bound { args: CallArgs::default(), after: Vec::new() };
        self.touch(pou);
        let mut given: Vec<VarId> = Vec::new();
        let mut bad = None;
        let is_alone = self.project.has_one_parameter(pou);
        let has_position = |section: Section| match section {
            Section::Input | Section::InOut => true,
            Section::Output => is_alone,
            Section::Local | Section::Temp | Section::Result | Section::Global => false,
        };
        let positional: Vec<VarId> = (self.project.pous[pou].vars.iter_enumerated())
            .filter(|(id, v)| has_position(v.section) && !self.names.is_hidden(pou, *id))
            .map(|(id, _)| id)
            .collect();
        let mixed = args.iter().any(|a| matches!(a, Arg::Positional(_))) && args.iter().any(|a| matches!(a, Arg::Input(..)));
        if mixed && !self.dialect.mixes() {
            let message = "arguments are given either by position or by name, not both";
            bad = Some(self.findings.error(codes::ARGUMENTS, span, message, "mixed arguments"));
        }
        let mut position = 0;
        let mut place = 0;
        for arg in args {
            place += usize::from(!matches!(arg, Arg::Output { .. }));
            let parameter = match arg {
                Arg::Positional(e) => {
                    position += 1;
                    // If named arguments took the first places, the position counts among all parameters.
                    let first = positional.get(position - 1).filter(|id| !given.contains(id));
                    let found = first.or(positional.get(place - 1)).copied();
                    found.ok_or_else(|| self.project.too_many(&mut self.findings, pou, positional.len(), e.span))
                }
                Arg::Input(name, _) | Arg::Output { name, .. } => self.parameter(pou, name),
            };
            let done = parameter.and_then(|id| {
                if given.contains(&id) {
                    let name = self.project.pous[pou].vars[id].name.clone();
                    let message = format!("`{name}` is given twice");
                    return Err(self.findings.error(codes::ARGUMENTS, arg_span(arg), message, "given again"));
                }
                given.push(id);
                self.bind_one(scope, pou, id, arg, types, &mut bound)
            });
            if let Err(why) = done {
                bad = Some(why);
            }
        }
        let missing: Vec<String> = (self.project.pous[pou].vars.iter_enumerated())
            .filter(|(id, v)| v.section == Section::InOut && !given.contains(id) && !self.names.is_hidden(pou, *id))
            .map(|(_, v)| v.name.clone())
            .collect();
        match bad {
            Some(why) => Err(why),
            None if !missing.is_empty() && self.may_be_left_out(pou, &given) => {
                let name = &self.project.pous[pou].name;
                let construct = format!("call of `{name}` without a variable for {}", missing.join(", "));
                let effect = "a reference to nothing is not modelled: nothing after this statement in the cycle is verified";
                Err(unsupported(span, construct, effect))
            }
            None if !missing.is_empty() => {
                let message = format!("`{}` needs a variable for {}", self.project.pous[pou].name, missing.join(", "));
                Err(self.findings.error(codes::ARGUMENTS, span, message, "VAR_IN_OUT without a variable"))
            }
            None => Ok(bound),
        }
    }

    /// Returns whether all references that a call gives no variable are inputs with an initial value: they refer to nothing then.
    fn may_be_left_out(&self, pou: PouId, given: &[VarId]) -> bool {
        let vars = self.project.pous[pou].vars.iter_enumerated();
        let mut missing =
            vars.filter(|(id, v)| v.section == Section::InOut && !given.contains(id) && !self.names.is_hidden(pou, *id));
        missing.all(|(id, _)| self.decls.vars.get(&VarRef::Local(pou, id)).is_some_and(|site| site.init.is_some()))
    }

    fn parameter(&mut self, pou: PouId, name: &ast::Ident) -> Res<VarId> {
        let row = &self.project.pous[pou];
        let is_parameter = |s: Section| matches!(s, Section::Input | Section::Output | Section::InOut);
        let named = |wanted: &str| {
            let is_it = |id: VarId, v: &crate::hir::Var| {
                is_parameter(v.section) && key(&v.name) == key(wanted) && !self.names.is_hidden(pou, id)
            };
            row.vars.iter_enumerated().find(|(id, v)| is_it(*id, v)).map(|(id, _)| id)
        };
        if let Some(id) = named(&name.text).or_else(|| self.project.other_name(pou, &name.text).and_then(named)) {
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
        Err(self.findings.error_with_help(codes::UNKNOWN_PARAMETER, name.span, message, "not a parameter", Some(help)))
    }

    fn bind_one(&mut self, scope: Scope, pou: PouId, id: VarId, arg: &Arg, types: &Types, bound: &mut Bound) -> Res<()> {
        let var = VarRef::Local(pou, id);
        let ty = match types.get(&id) {
            Some(ty) => *ty,
            None => self.var_type(var)?,
        };
        let (name, section) = (self.project.var(var).name.clone(), self.project.var(var).section);
        let is_function_of_one = self.project.has_one_parameter(pou);
        match (arg, section) {
            (Arg::Positional(e) | Arg::Input(_, e), Section::Input) if self.is_unknown_input(pou, id, ty) => {
                self.lost_input(scope, ty, e)
            }
            (Arg::Positional(e) | Arg::Input(_, e), Section::Input) => {
                if self.project.holds_opaque(ty) {
                    return Err(self.project.opaque_value(ty, e.span));
                }
                let value = self.expr_as(scope, e, ty, &format!("the input `{name}`"))?;
                bound.args.inputs.push((id, value));
                Ok(())
            }
            (Arg::Positional(e) | Arg::Input(_, e), Section::InOut)
                if self.decls.read_only.contains(&var) && (is_value(e) || self.names_constant(scope, e)) =>
            {
                let place = self.constant_argument(scope, e, ty, &name)?;
                bound.args.in_outs.push((id, place));
                Ok(())
            }
            (Arg::Positional(e) | Arg::Input(_, e), Section::InOut) => {
                let is_read_only = self.decls.read_only.contains(&var);
                if is_read_only {
                    self.decls.read_only_arguments.insert(e.span);
                }
                let place = self.reference(scope, e, ty, (&name, is_read_only))?;
                bound.args.in_outs.push((id, place));
                Ok(())
            }
            // STEP 7: the only parameter of a function needs no name.
            (Arg::Positional(e), Section::Output) if is_function_of_one => {
                let target = self.written(scope, e)?;
                self.output(bound, Forward { output: id, target, negated: false, span: e.span }, ty, &name)
            }
            (Arg::Output { target: None, .. }, Section::Output) => Ok(()),
            (Arg::Output { target: Some(e), .. }, Section::Output) if self.is_lost_output(scope, ty, e) => Ok(()),
            (Arg::Output { name: ident, target: Some(e), negated }, Section::Output) => {
                let target = self.written(scope, e)?;
                let forward = Forward { output: id, target, negated: *negated, span: ident.span.to(e.span) };
                self.output(bound, forward, ty, &name)
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
                Err(self.findings.error_with_help(codes::ARGUMENTS, arg_span(arg), message, "the wrong direction", Some(form)))
            }
        }
    }

    /// Returns whether an expression names a CONSTANT or a part of one.
    fn names_constant(&mut self, scope: Scope, e: &ast::Expr) -> bool {
        let (ast::ExprKind::Name(name), Some(owner)) = (&e.kind, scope.owner) else { return false };
        let Some(place) = self.attempt(|r| r.place(scope, name)) else { return false };
        root_var(&self.project, owner, &place).is_some_and(|(var, _)| var.constant)
    }

    /// Resolves a value for a VAR_IN_OUT CONSTANT: a hidden variable has it, which nothing writes.
    fn constant_argument(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId, name: &str) -> Res<Place> {
        let constant = Scope { uses: Uses::Constant, ..scope };
        let Some(init) = self.attempt(|r| r.init_expr(constant, e, ty)) else {
            let effect = "only constants and variables are modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("expression for the VAR_IN_OUT CONSTANT `{name}`"), effect));
        };
        let hidden = format!("__constant{}", self.project.globals.len());
        let var = Var { init, ..Var::new(hidden, ty, Section::Global, e.span) };
        let global = self.project.globals.push(var);
        Ok(Place::of(Root::Global(global), ty, e.span))
    }

    /// Resolves the target of an output or VAR_IN_OUT.
    fn written(&mut self, scope: Scope, e: &ast::Expr) -> Res<Place> {
        if scope.uses != Uses::Code {
            let message = "a condition must not change variables";
            return Err(self.findings.error(codes::SIDE_EFFECT, e.span, message, "would be written"));
        }
        let place = self.target(scope, e)?;
        if self.project.holds_opaque(place.ty) {
            return Err(self.project.opaque_value(place.ty, place.span));
        }
        Ok(place)
    }

    /// Resolves a variable for a VAR_IN_OUT, which is CONSTANT or not; it must have exactly this type.
    fn reference(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId, (name, is_read_only): (&str, bool)) -> Res<Place> {
        let place = self.written(scope, e)?;
        if let Some(Elem::Bits { .. }) = place.path.last() {
            let message = format!("`{name}` is VAR_IN_OUT and needs a whole variable, not some of its bits");
            return Err(self.findings.error(codes::ARGUMENTS, e.span, message, "a part of a value"));
        }
        if place.ty == ty {
            if self.names.is_dynamic(&self.project, &place) {
                let effect = "which block's members are called with it is not known: nothing after this statement is verified";
                let construct = format!("what a reference refers to as the VAR_IN_OUT `{name}` of a block that others extend");
                return Err(unsupported(e.span, construct, effect));
            }
            return Ok(place);
        }
        let (from, to) = (self.project.type_name(place.ty), self.project.type_name(ty));
        if matches!(self.project.types[place.ty].ty, Type::Enum { base, .. } if base == ty) {
            let effect =
                "values outside of the enumeration are not modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("enumeration {from} as the VAR_IN_OUT `{name}` of type {to}"), effect));
        }
        if self.is_derived(place.ty, ty) {
            let effect = "it is not modelled as one of its base: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("structure {from} as the VAR_IN_OUT `{name}` of its base {to}"), effect));
        }
        let is_other_length =
            is_read_only && self.project.text(ty).zip(self.project.text(place.ty)).is_some_and(|(a, b)| a.bits == b.bits);
        if is_other_length {
            let effect = "a string with another number of characters is not modelled there: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("{from} as the VAR_IN_OUT CONSTANT `{name}` of type {to}"), effect));
        }
        if self.dialect.mixes() && self.names.is_pointer(ty) && self.names.is_pointer(place.ty) {
            let effect =
                "an address of another type is not modelled there: nothing after this statement in the cycle is verified";
            return Err(unsupported(e.span, format!("{from} as the VAR_IN_OUT `{name}` of type {to}"), effect));
        }
        let message =
            format!("`{name}` is VAR_IN_OUT of type {to} and needs a variable of that type, but this is of type {from}");
        Err(self.findings.error(codes::TYPE_MISMATCH, e.span, message, format!("of type {from}")))
    }

    /// Returns whether one of two blocks or structures extends the other one.
    pub(crate) fn extends_one_another(&self, a: TypeId, b: TypeId) -> bool {
        if let (Type::FunctionBlock(a), Type::FunctionBlock(b)) = (&self.project.types[a].ty, &self.project.types[b].ty) {
            return self.names.chain(*a).contains(b) || self.names.chain(*b).contains(a);
        }
        self.is_derived(a, b) || self.is_derived(b, a)
    }

    /// Returns whether a structure extends another one, directly or through others.
    fn is_derived(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(from), Some(to)) = (&self.project.types[from].name, &self.project.types[to].name) else { return false };
        let mut name = key(from);
        for _ in 0..self.decls.types.len() {
            let decl = self.names.types.get(&name).and_then(|index| self.decls.types.get(*index));
            let Some(base) = decl.and_then(|decl| decl.extends.as_ref()) else { return false };
            name = key(&inheritance::last_name(base).text);
            if name == key(to) {
                return true;
            }
        }
        false
    }

    /// Binds an output of type `ty` to its target: copied as it is, or assigned behind the call.
    fn output(&mut self, bound: &mut Bound, forward: Forward, ty: TypeId, name: &str) -> Res<()> {
        let (target, span) = (&forward.target, forward.span);
        if self.project.holds_opaque(ty) {
            return Err(self.project.opaque_value(ty, span));
        }
        if !widens(&self.project, ty, target.ty) && !self.dialect.cuts(&self.project, ty, target.ty) {
            let (from, to) = (self.project.type_name(ty), self.project.type_name(target.ty));
            let message = format!("the output `{name}` is of type {from}, but its target is of type {to}");
            let help = self
                .project
                .conversion_help(ty, target.ty)
                .map(|_| format!("read `{name}` after the call and convert it with {from}_TO_{to}(…)"));
            return Err(self.findings.error_with_help(codes::TYPE_MISMATCH, target.span, message, format!("of type {to}"), help));
        }
        if forward.negated && !matches!(self.project.types[ty].ty, Type::Bool | Type::Bits(_)) {
            let message = format!("the output `{name}` cannot be negated");
            return Err(self.findings.error(codes::OPERAND_TYPE, span, message, "not BOOL"));
        }
        if forward.negated || target.ty != ty {
            bound.after.push(forward);
        } else {
            bound.args.outputs.push((forward.output, forward.target));
        }
        Ok(())
    }
}

impl Names {
    /// Returns whether a parameter is hidden from callers.
    pub(crate) fn is_hidden(&self, pou: PouId, var: VarId) -> bool {
        let is_target = var == Member::THIS && self.dispatchers.contains(&pou);
        is_target || self.members.get(&pou).is_some_and(|member| member.hides(var))
    }
}

impl Project {
    fn too_many(&self, findings: &mut Findings, pou: PouId, count: usize, span: Span) -> Bad {
        let message = format!("`{}` takes {count} arguments", self.pous[pou].name);
        findings.error(codes::ARGUMENTS, span, message, "one too many")
    }

    /// Returns whether a POU is a function with one parameter.
    fn has_one_parameter(&self, pou: PouId) -> bool {
        let is_parameter = |var: &&crate::hir::Var| matches!(var.section, Section::Input | Section::Output | Section::InOut);
        let row = &self.pous[pou];
        matches!(row.kind, PouKind::Function(_)) && row.vars.iter().filter(is_parameter).count() == 1
    }

    /// Returns the standard's name of an input of a standard block that other systems name differently.
    pub(crate) fn other_name(&self, pou: PouId, input: &str) -> Option<&'static str> {
        let is_standard = self.pous[pou].origin == crate::text::Origin::Stdlib;
        if is_standard { crate::stdlib::other_name(input) } else { None }
    }

    /// Returns `target := output;`, the statement behind the call.
    pub(crate) fn forward(&self, instance: &Place, pou: PouId, forward: Forward) -> Stmt {
        let value = Expr::read(self.part_of(instance, pou, forward.output, forward.span));
        let value = if forward.negated { Expr::unary(UnOp::Not, value, forward.span) } else { value };
        let value = if widens(self, value.ty, forward.target.ty) {
            widened(value, forward.target.ty)
        } else {
            self.as_number(value, forward.target.ty)
        };
        Stmt::assign(forward.target, value, forward.span)
    }
}

/// Returns whether an expression is a value and no variable.
fn is_value(e: &ast::Expr) -> bool {
    !matches!(e.kind, ast::ExprKind::Name(_) | ast::ExprKind::Address(_) | ast::ExprKind::Error)
}

pub(crate) fn arg_span(arg: &Arg) -> Span {
    match arg {
        Arg::Positional(e) => e.span,
        Arg::Input(name, e) | Arg::Output { name, target: Some(e), .. } => name.span.to(e.span),
        Arg::Output { name, target: None, .. } => name.span,
    }
}
