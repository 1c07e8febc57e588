//! The instances of a project in the order of their start, with the methods called for each.

use crate::hir::{
    CallArgs, Elem, Expr, ExprKind, Place, Pou, PouId, PouKind, Root, Section, Type, TypeId, Value, Var, VarId, index_text,
};
use crate::resolve::names::tables::{Key, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::startup::call_after_init::AFTER;
use crate::resolve::startup::fb_init::{Start, Starts};
use crate::resolve::types::elementary;
use crate::text::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Calls before the first cycle, of the whole project.
const MOST_CALLS: usize = 5_000;

/// All instances that persist, in declared order.
pub(crate) struct Walk<'r, 'a> {
    resolver: &'r Resolver<'a>,
    starts: &'r Starts,
    /// Types, and whether they hold an instance with a method to call.
    known: BTreeMap<TypeId, bool>,
    pub(crate) calls: Vec<Start>,
    /// Calls behind all of these (`call_after_init`).
    pub(crate) after: Vec<Start>,
    pub(crate) assumed: BTreeSet<(Span, &'static str)>,
}

impl<'r, 'a> Walk<'r, 'a> {
    pub(crate) fn new(resolver: &'r Resolver<'a>, starts: &'r Starts) -> Self {
        Walk { resolver, starts, known: BTreeMap::new(), calls: Vec::new(), after: Vec::new(), assumed: BTreeSet::new() }
    }

    pub(crate) fn project(&mut self) {
        let project = &self.resolver.project;
        for (id, var) in project.globals.iter_enumerated() {
            let place = Place::of(Root::Global(id), var.ty, var.span);
            self.value(place, var.name.clone(), VarRef::Global(id));
        }
        for (id, instance) in project.instances.iter_enumerated() {
            let span = project.pous[instance.pou].span;
            self.members(instance.pou, &instance.name, |member, ty| Place {
                root: Root::Instance(id),
                path: vec![Elem::Member(member)],
                ty,
                span,
            });
            // A function block that was chosen to run is an instance too.
            for &method in self.starts.methods.get(&instance.pou).map_or(&[][..], Vec::as_slice) {
                let ty = project.pous[method].vars[Pou::THIS].ty;
                let place = Place::of(Root::Instance(id), ty, span);
                self.call(&place, &instance.name, method, None);
            }
            if let Some(&method) = self.starts.after.get(&instance.pou) {
                let ty = project.pous[method].vars[Pou::THIS].ty;
                let place = Place::of(Root::Instance(id), ty, span);
                self.call_after(&place, &instance.name, method);
            }
        }
        for pou in project.pous.iter() {
            let is_function = matches!(pou.kind, PouKind::Function(_));
            let gone = |var: &&Var| match var.section {
                Section::Temp | Section::Result => true,
                Section::Local | Section::Output => is_function,
                Section::Input | Section::InOut | Section::Global => false,
            };
            for var in pou.vars.iter().filter(gone) {
                if self.has(var.ty) {
                    let is_plain = self.starts.methods.is_empty();
                    let what = if is_plain { AFTER } else { "FB_init of an instance that lives in a call" };
                    self.assumed.insert((var.span, what));
                }
            }
        }
    }

    /// Visits the variables of an instance.
    fn members(&mut self, pou: PouId, name: &str, place: impl Fn(VarId, TypeId) -> Place) {
        let pous = &self.resolver.project.pous;
        for (id, var) in pous[pou].vars.iter_enumerated() {
            match var.section {
                Section::Input | Section::Output | Section::Local => {
                    self.value(place(id, var.ty), format!("{name}.{}", var.name), VarRef::Local(pou, id));
                }
                Section::InOut | Section::Temp | Section::Result | Section::Global => {}
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a scalar holds nothing to call")]
    fn value(&mut self, place: Place, name: String, declared: VarRef) {
        if !self.has(place.ty) {
            return;
        }
        let resolver = self.resolver;
        match &resolver.project.types[place.ty].ty {
            Type::Array { dims, elem } => {
                let total: i64 = dims.iter().map(|(low, high)| high - low + 1).product();
                for flat in 0..total {
                    if MOST_CALLS < self.calls.len() {
                        return;
                    }
                    let index = element(dims, flat, place.span);
                    self.value(place.part(Elem::Index(index), *elem), format!("{name}[{}]", index_text(dims, flat)), declared);
                }
            }
            Type::Struct { fields } => {
                for (i, field) in fields.iter().enumerate() {
                    let inner = place.part(Elem::Field(i as u32), field.ty);
                    self.value(inner, format!("{name}.{}", field.name), declared);
                }
            }
            Type::FunctionBlock(pou) => {
                self.members(*pou, &name, |member, ty| place.part(Elem::Member(member), ty));
                for &method in self.starts.methods.get(pou).map_or(&[][..], Vec::as_slice) {
                    self.call(&place, &name, method, self.starts.args.get(&declared));
                }
                if let Some(&method) = self.starts.after.get(pou) {
                    self.call_after(&place, &name, method);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, this: &Place, name: &str, method: PouId, given: Option<&BTreeMap<Key, Expr>>) {
        let resolver = self.resolver;
        let (pou, span) = (&resolver.project.pous[method], resolver.project.pous[method].span);
        if MOST_CALLS <= self.calls.len() {
            self.assumed.insert((span, "FB_init of more instances than are started"));
            return;
        }
        let mut args = CallArgs::default();
        for (id, var) in pou.vars.iter_enumerated() {
            let value = match (var.section, key(&var.name).as_str()) {
                (Section::Input, name @ ("binitretains" | "bincopycode")) => {
                    let kind = ExprKind::Literal(Value::Bool(name == "binitretains"));
                    Some(Expr { kind, ty: var.ty, span })
                }
                (Section::Input, name) => given.and_then(|given| given.get(name).cloned()),
                (Section::InOut, _) if id != Pou::THIS => {
                    self.assumed.insert((span, "FB_init of a block with VAR_IN_OUT"));
                    continue;
                }
                (Section::InOut | Section::Output | Section::Local | Section::Temp | Section::Result | Section::Global, _) => {
                    continue;
                }
            };
            match value {
                Some(value) => args.inputs.push((id, value)),
                None if resolver.decls.vars.get(&VarRef::Local(method, id)).is_some_and(|site| site.init.is_some()) => {}
                None => {
                    self.assumed.insert((this.span, "FB_init without all of its arguments"));
                }
            }
        }
        args.in_outs.push((Pou::THIS, this.clone()));
        let ty = match pou.kind {
            PouKind::Function(Some(result)) => pou.vars[result].ty,
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => elementary::BOOL,
        };
        let call = Expr::call(method, args, ty, span);
        self.calls.push(Start { call, instance: name.to_owned() });
    }

    /// Adds the call of a method without parameters that is called when all instances are initialised.
    fn call_after(&mut self, this: &Place, name: &str, method: PouId) {
        let pou = &self.resolver.project.pous[method];
        let span = pou.span;
        let has_parameters = pou.vars.iter_enumerated().any(|(id, var)| match var.section {
            Section::Input | Section::InOut => id != Pou::THIS,
            Section::Output | Section::Local | Section::Temp | Section::Result | Section::Global => false,
        });
        if has_parameters || MOST_CALLS <= self.after.len() {
            self.assumed.insert((span, AFTER));
            return;
        }
        let ty = match pou.kind {
            PouKind::Function(Some(result)) => pou.vars[result].ty,
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => elementary::BOOL,
        };
        let args = CallArgs { in_outs: vec![(Pou::THIS, this.clone())], ..CallArgs::default() };
        let call = Expr::call(method, args, ty, span);
        self.after.push(Start { call, instance: name.to_owned() });
    }

    /// Returns whether a type holds an instance with a method to call.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a scalar holds nothing to call")]
    fn has(&mut self, ty: TypeId) -> bool {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let resolver = self.resolver;
        let found = match &resolver.project.types[ty].ty {
            Type::Array { elem, .. } => self.has(*elem),
            Type::Struct { fields } => fields.iter().any(|field| self.has(field.ty)),
            Type::FunctionBlock(pou) => {
                let vars = resolver.project.pous[*pou].vars.iter();
                let is_called = self.starts.methods.contains_key(pou) || self.starts.after.contains_key(pou);
                is_called || vars.filter(|v| v.section != Section::InOut).any(|v| self.has(v.ty))
            }
            _ => false,
        };
        self.known.insert(ty, found);
        found
    }
}

/// Returns the indices of the `flat`-th element.
fn element(dims: &[(i64, i64)], flat: i64, span: Span) -> Vec<Expr> {
    let mut rest = flat;
    let mut indices = Vec::with_capacity(dims.len());
    for (low, high) in dims.iter().rev() {
        let size = high - low + 1;
        let value = Value::Int(i128::from(low + rest % size));
        indices.push(Expr::literal(value, elementary::LINT, span));
        rest /= size;
    }
    indices.reverse();
    indices
}
