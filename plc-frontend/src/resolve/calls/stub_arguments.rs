//! Variables among the arguments of calls of inferred stubs: each of them may be a VAR_IN_OUT.
//!
//! A call of a function or method becomes a call of a variant that has such a variable as VAR_IN_OUT, besides its input. Behind a call
//! of an instance, the variables get any value by assignments. Variables that no VAR_IN_OUT takes keep their values: constants, outputs
//! of instances, and the wires of networks. So do control variables of the FOR loops around, which is an assumption.

use crate::hir::{
    CallArgs, Elem, Expr, ExprKind, Interface, Place, PouId, Root, Section, Stmt, StmtKind, Stub, TypeId, Var, VarId, VisitMut,
    walk,
};
use crate::resolve::calls::stub_writes::{Named, Writes};
use crate::resolve::names::tables::{Member, VarRef};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::rule::{output_in, root_var};
use crate::text::Span;
use std::collections::BTreeMap;

/// Parameters of a call that get variables, with the types of these.
type Shape = Vec<(VarId, TypeId)>;

impl Resolver<'_> {
    /// Lets calls of inferred stubs write the variables among their arguments.
    ///
    /// Soundness: a call writes at least the variables that it can write if each argument with a variable is a VAR_IN_OUT.
    pub(crate) fn write_arguments(&mut self, named: &Named) {
        let inferred = self.project.stubs.iter().filter(|(_, stub)| stub.interface == Interface::Inferred);
        let inferred: BTreeMap<PouId, Stub> = inferred.map(|(id, stub)| (*id, *stub)).collect();
        if inferred.is_empty() {
            return;
        }
        let mut variants = BTreeMap::new();
        for owner in self.project.pous.ids().filter(|id| !self.project.stubs.contains_key(id)).collect::<Vec<_>>() {
            let mut body = std::mem::take(&mut self.project.pous[owner].body);
            let mut calls = false;
            walk::calls(&body, |callee| calls |= inferred.contains_key(&callee));
            if calls && self.names.dispatchers.contains(&owner) {
                body = vec![self.dispatched(owner)];
            } else if calls {
                let mut arguments = Arguments {
                    resolver: self,
                    inferred: &inferred,
                    variants: &mut variants,
                    named,
                    owner,
                    controls: Vec::new(),
                };
                arguments.list(&mut body);
            }
            self.project.pous[owner].body = body;
        }
    }

    /// Returns the gap of a call through a reference: the variables of its arguments are known to its caller only.
    fn dispatched(&mut self, owner: PouId) -> Stmt {
        let row = &self.project.pous[owner];
        let (construct, span) = (format!("`{}`, which calls a stub through a reference", row.name), row.span);
        let effect = "the variables that it writes are not known: nothing after the call in the cycle is verified";
        let gap = self.findings.record_unsupported(span, construct, effect);
        Stmt { kind: StmtKind::Gap(gap), span }
    }

    /// Returns the variant of a stub with one more VAR_IN_OUT for each of these parameters.
    fn variant(&mut self, pou: PouId, shape: &Shape, stub: Stub) -> PouId {
        let mut row = self.project.pous[pou].clone();
        let words: Vec<String> = shape
            .iter()
            .map(|(var, ty)| format!("{}: {}", self.project.pous[pou].vars[*var].name, self.project.type_name(*ty)))
            .collect();
        row.name = format!("{} ({})", row.name, words.join(", "));
        for (var, ty) in shape {
            let name = format!("{} as VAR_IN_OUT", row.vars[*var].name);
            row.vars.push(Var::new(name, *ty, Section::InOut, row.span));
        }
        let id = self.project.pous.push(row);
        if self.names.dispatchers.contains(&pou) {
            self.names.dispatchers.insert(id);
        }
        let locals = self.names.locals[pou.0 as usize].clone();
        self.names.locals.push(locals);
        if let Some(member) = self.names.members.get(&pou).cloned() {
            self.names.members.insert(id, member);
        }
        self.project.stubs.insert(id, stub);
        id
    }
}

/// Pass over the body of a POU.
struct Arguments<'r, 'a> {
    resolver: &'r mut Resolver<'a>,
    inferred: &'r BTreeMap<PouId, Stub>,
    variants: &'r mut BTreeMap<(PouId, Shape), PouId>,
    named: &'r Named,
    owner: PouId,
    /// Control variables of the loops around.
    controls: Vec<Place>,
}

impl Arguments<'_, '_> {
    /// Returns the variables that a call may write, with their parameters.
    fn variables(&mut self, callee: PouId, args: &CallArgs) -> Vec<(VarId, Place)> {
        // The reference through which a method is called is no argument.
        let is_target = |param: VarId| param == Member::THIS && self.resolver.names.dispatchers.contains(&callee);
        let given = args.inputs.iter().filter(|(param, _)| !is_target(*param));
        let found = given.filter_map(|(param, value)| Some((*param, variable(value)?)));
        let found: Vec<(VarId, Place)> = found.collect();
        let mut written = Vec::new();
        for (param, place) in found {
            let Some(place) = self.fixed(place) else { continue };
            let project = &self.resolver.project;
            let is_constant = root_var(project, self.owner, &place).is_some_and(|(var, _)| var.constant);
            if is_constant || output_in(project, self.owner, &place).is_some() || self.is_wire(&place) {
                continue;
            }
            if self.controls.iter().any(|control| control.root == place.root) {
                let name = self.resolver.project.pous[callee].name.clone();
                let construct = format!("`{name}` gets the control variable of a FOR loop and does not write it");
                let effect = "if it is a VAR_IN_OUT of the block or function, other runs are possible";
                self.resolver.findings.record_assumed(place.span, construct, effect);
                continue;
            }
            written.push((param, place));
        }
        written
    }

    /// Returns the longest beginning of a place whose meaning is the same before and after the call.
    ///
    /// Soundness: all of it gets any value, which includes its own.
    fn fixed(&self, mut place: Place) -> Option<Place> {
        let is_fixed = |elem: &Elem| match elem {
            Elem::Index(indices) => indices.iter().all(|index| matches!(index.kind, ExprKind::Literal(_))),
            Elem::Bits { .. } => false,
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) => true,
        };
        let Some(end) = place.path.iter().position(|elem| !is_fixed(elem)) else { return Some(place) };
        place.path.truncate(end);
        place.ty = self.resolver.project.type_of(Scope { owner: Some(self.owner), uses: Uses::Code }, &place)?;
        Some(place)
    }

    /// Returns whether a place is a hidden variable, which holds the value of a wire.
    fn is_wire(&self, place: &Place) -> bool {
        let Root::Var(var) = place.root else { return false };
        let row = &self.resolver.project.pous[self.owner].vars[var];
        row.section == Section::Temp && !self.resolver.decls.vars.contains_key(&VarRef::Local(self.owner, var))
    }

    /// Returns the statements behind a call of an instance.
    fn behind(&mut self, stmt: &Stmt) -> Vec<Stmt> {
        let StmtKind::CallInstance { pou, args, .. } = &stmt.kind else { return Vec::new() };
        let Some(stub) = self.inferred.get(pou).copied() else { return Vec::new() };
        let places = self.variables(*pou, args);
        // The call may change the reference that leads to the variable.
        let gives_reference = args.outputs.iter().any(|(_, place)| self.resolver.names.references.contains_key(&place.ty));
        let mut result = Ok(());
        let resolver = &mut *self.resolver;
        let mut writes = Writes::new(&mut resolver.project, &resolver.names, self.named, self.owner, stub.gap).at(stmt.span);
        for (_, place) in places {
            let is_moved = gives_reference && place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
            let name = writes.name_of(&place);
            result = result.and(if is_moved { Err("which gives a reference a target") } else { writes.all_of(place, name) });
        }
        let body = writes.body;
        match result {
            Ok(()) => body,
            Err(why) => vec![self.gap(*pou, why, stmt.span)],
        }
    }

    fn gap(&mut self, callee: PouId, why: &str, span: Span) -> Stmt {
        let construct = format!("call of the stub `{}`, {why}", self.resolver.project.pous[callee].name);
        let effect = "the variables that it writes are not known: nothing after the call in the cycle is verified";
        let gap = self.resolver.findings.record_unsupported(span, construct, effect);
        Stmt { kind: StmtKind::Gap(gap), span }
    }
}

impl Arguments<'_, '_> {
    fn list(&mut self, body: &mut Vec<Stmt>) {
        let mut all = Vec::with_capacity(body.len());
        for mut stmt in std::mem::take(body) {
            self.stmt(&mut stmt);
            let behind = self.behind(&stmt);
            all.push(stmt);
            all.extend(behind);
        }
        *body = all;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        // An assertion writes nothing.
        if matches!(stmt.kind, StmtKind::Assert { .. }) {
            return;
        }
        Calls(self).stmt(stmt);
        let control = if let StmtKind::For { control, .. } = &stmt.kind { Some(control.clone()) } else { None };
        let n_controls = self.controls.len();
        self.controls.extend(control);
        stmt.bodies_mut().into_iter().for_each(|body| self.list(body));
        self.controls.truncate(n_controls);
    }

    /// Makes the call of a stub one of its variant.
    fn call(&mut self, e: &mut Expr) {
        let ExprKind::Call(callee, args) = &mut e.kind else { return };
        let Some(stub) = self.inferred.get(callee).copied() else { return };
        let written = self.variables(*callee, args);
        if written.is_empty() {
            return;
        }
        let shape: Shape = written.iter().map(|(param, place)| (*param, place.ty)).collect();
        let n_declared = self.resolver.project.pous[*callee].vars.len();
        let row = (*callee, shape);
        let variant = match self.variants.get(&row) {
            Some(known) => *known,
            None => self.resolver.variant(*callee, &row.1, stub),
        };
        self.variants.insert(row, variant);
        *callee = variant;
        let places = written.into_iter().map(|(_, place)| place).enumerate();
        args.in_outs.extend(places.map(|(at, place)| (VarId((n_declared + at) as u32), place)));
    }
}

/// Pass over the expressions of one statement, without the lists of statements in it.
struct Calls<'p, 'r, 'a>(&'p mut Arguments<'r, 'a>);

impl<'h> VisitMut<'h> for Calls<'_, '_, '_> {
    fn body(&mut self, _: &'h mut Vec<Stmt>) {}

    fn expr(&mut self, e: &'h mut Expr) {
        self.0.call(e);
        self.expr_parts(e);
    }
}

/// Returns the variable that an argument is, whatever its value is converted to.
fn variable(value: &Expr) -> Option<Place> {
    let mut found = None;
    walk::exprs_of(value, |e| {
        if let ExprKind::Read(place) = &e.kind
            && found.is_none()
            && place.span == value.span
        {
            found = Some(place.clone());
        }
    });
    found
}
