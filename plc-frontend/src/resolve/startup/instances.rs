//! The instances of a project in the order of their start, with the methods called for each.

use crate::hir::walk::VisitMut;
use crate::hir::{
    Access, CallArgs, Elem, Expr, ExprKind, Parts, Place, Pou, PouId, PouKind, Project, Root, Section, Type, TypeId, Value, Var,
    index_text, indices, n_elements,
};
use crate::resolve::names::tables::{Key, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::startup::assigned_behind::DeclaredValue;
use crate::resolve::startup::call_after_init::AFTER;
use crate::resolve::startup::fb_init::{Argument, Start, Starts};
use crate::resolve::startup::uncertain::Uncertain;
use crate::resolve::types::elementary;
use crate::text::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Most calls before the first cycle in one project.
const MOST_CALLS: usize = 5_000;
const MORE: &str = "FB_init of more instances than are started";
/// Opaque types of variables that may be instances.
const LOST_TYPES: &[&str] =
    &["instances with arguments of their own", "with an error", "function block instance in memory that does not keep it"];
/// Gap of an instance in VAR_STAT.
pub(crate) const STATIC_ARGUMENTS: &str = "arguments of a declaration in VAR_STAT";
/// FB_init that is called in the cycle, not before it.
pub(crate) const IN_CALL: &str = "FB_init of an instance that lives in a call";
/// The caller of the entry may call FB_init, and so does an online change.
const AGAIN: &str = "call of FB_init of the entry after the first cycle";
/// Initial values of a declaration are assigned behind the FB_init of its instance.
const ASSIGNED_BEHIND: &str = "FB_init of an instance inside of a declaration with initial values";
const LOST: &str = "FB_init of an instance that is not modelled";
const REFUSED: &str = "arguments of a declaration that FB_init does not take, or that are not known before the first cycle";

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
    /// Calls that are not made, or with other arguments than the controller's.
    pub(crate) uncertain: Vec<Uncertain>,
    /// Variables to which the declarations around the instance give values, behind its FB_init or before it.
    assigned: Vec<String>,
}

/// A declared variable that holds instances, with the instance or program that declares it.
#[derive(Clone, Copy)]
struct Declared<'p> {
    var: VarRef,
    owner: Option<&'p Place>,
    /// Initial value of the part that is visited.
    given: DeclaredValue<'p>,
}

/// Puts the variables of an instance in place of its block's.
struct OfInstance<'p>(&'p Place);

impl VisitMut<'_> for OfInstance<'_> {
    fn place(&mut self, place: &mut Place, _access: Access) {
        let inner = match place.root {
            Root::Var(var) => Some(Elem::Member(var)),
            Root::This(_) => None,
            Root::Global(_) | Root::Instance(_) => return self.place_parts(place),
        };
        place.root = self.0.root;
        place.path = self.0.path.iter().cloned().chain(inner).chain(std::mem::take(&mut place.path)).collect();
        // Indices in the path of the instance are literals.
        self.place_parts(place);
    }
}

/// Returns whether a variable may be an instance although its type does not say so.
fn is_lost(project: &Project, var: &Var) -> bool {
    matches!(&project.types[var.ty].ty, Type::Opaque(words) if LOST_TYPES.contains(&words.as_str()))
}

impl<'r, 'a> Walk<'r, 'a> {
    pub(crate) fn new(resolver: &'r Resolver<'a>, starts: &'r Starts) -> Self {
        Walk {
            resolver,
            starts,
            known: BTreeMap::new(),
            calls: Vec::new(),
            after: Vec::new(),
            assumed: BTreeSet::new(),
            uncertain: Vec::new(),
            assigned: Vec::new(),
        }
    }

    pub(crate) fn project(&mut self) {
        let project = &self.resolver.project;
        for (id, var) in project.globals.iter_enumerated() {
            let place = Place::of(Root::Global(id), var.ty, var.span);
            let (var, name) = (VarRef::Global(id), var.name.clone());
            self.value(place, name, Declared { var, owner: None, given: self.resolver.given_to(var) });
        }
        for (id, instance) in project.instances.iter_enumerated() {
            let place = Place::of(Root::Instance(id), elementary::BOOL, project.pous[instance.pou].span);
            self.members(instance.pou, &instance.name, &place);
            // A function block that is the entry is an instance too.
            self.calls(&place, &instance.name, instance.pou, None);
            if let Some(&method) = self.starts.methods.get(&instance.pou).and_then(|methods| methods.last()) {
                self.assumed.insert((project.pous[method].span, AGAIN));
            }
        }
        if let Some(span) = self.lost_instance() {
            // Which block it is of is not known any more.
            for &method in self.starts.methods.values().flatten() {
                self.uncertain(span, LOST, "", method);
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
                let is_plain = self.starts.methods.is_empty();
                if self.has(var.ty) || (!is_plain && is_lost(project, var)) {
                    let what = if is_plain { AFTER } else { IN_CALL };
                    self.assumed.insert((var.span, what));
                }
            }
        }
    }

    /// Returns the place of a declaration whose instances are not in the model, although FB_init runs for them.
    fn lost_instance(&self) -> Option<Span> {
        let project = &self.resolver.project;
        let vars = project.globals.iter().chain(project.pous.iter().flat_map(|pou| pou.vars.iter()));
        let dropped = || {
            let gaps = self.resolver.findings.ledger.gaps.iter();
            gaps.filter(|gap| gap.construct == STATIC_ARGUMENTS).map(|gap| gap.span).next()
        };
        vars.filter(|var| is_lost(project, var)).map(|var| var.span).next().or_else(dropped)
    }

    /// Visits the variables of an instance.
    fn members(&mut self, pou: PouId, name: &str, place: &Place) {
        let pous = &self.resolver.project.pous;
        for (id, var) in pous[pou].vars.iter_enumerated() {
            match var.section {
                Section::Input | Section::Output | Section::Local => {
                    let of = VarRef::Local(pou, id);
                    let declared = Declared { var: of, owner: Some(place), given: self.resolver.given_to(of) };
                    self.value(place.part(Elem::Member(id), var.ty), format!("{name}.{}", var.name), declared);
                }
                Section::InOut | Section::Temp | Section::Result | Section::Global => {}
            }
        }
    }

    fn value(&mut self, place: Place, name: String, declared: Declared) {
        if !self.has(place.ty) {
            return;
        }
        let resolver = self.resolver;
        match resolver.project.types[place.ty].ty.parts() {
            Parts::Elements(dims, elem) => {
                for flat in 0..n_elements(dims) as i64 {
                    if MOST_CALLS <= self.calls.len() {
                        // No need to name each element that is left.
                        self.uncertain.push(Uncertain { span: place.span, construct: MORE, instance: name, method: None });
                        return;
                    }
                    let index = |i: i64| Expr::int(i128::from(i), elementary::LINT, place.span);
                    let index = Elem::Index(indices(dims, flat).into_iter().map(index).collect());
                    self.value(place.part(index, elem), format!("{name}[{}]", index_text(dims, flat)), declared);
                }
            }
            Parts::Fields(fields) => {
                for (i, field) in fields.iter().enumerate() {
                    let inner = place.part(Elem::Field(i as u32), field.ty);
                    // Values that a declaration gives to the structure take the place of the field's own.
                    let given = if let DeclaredValue::Nothing = declared.given {
                        DeclaredValue::to_field(field)
                    } else {
                        DeclaredValue::Other
                    };
                    self.value(inner, format!("{name}.{}", field.name), Declared { given, ..declared });
                }
            }
            Parts::Variables(pou) => {
                let n_before = self.assigned.len();
                let assigned = resolver.assigned_behind(declared.given, pou, &name);
                let names = assigned.map_or_else(|| vec![name.clone()], |all| all.into_iter().map(|it| it.name).collect());
                self.assigned.extend(names);
                self.members(pou, &name, &place);
                self.assigned.truncate(n_before);
                self.calls(&place, &name, pou, Some(declared));
            }
            Parts::Scalar => {
                // An array that is too large to be kept.
                self.assumed.insert((place.span, "FB_init of instances in an array that is too large to be kept"));
            }
        }
    }

    /// Adds all calls for an instance of a block.
    fn calls(&mut self, this: &Place, name: &str, block: PouId, declared: Option<Declared>) {
        let given = declared.and_then(|declared| self.starts.args.get(&declared.var)).map(|given| {
            let owner = declared.and_then(|declared| declared.owner);
            given
                .iter()
                .map(|(name, argument)| (name.clone(), self.value_of(argument, owner)))
                .collect::<BTreeMap<Key, Option<Expr>>>()
        });
        let assigned = declared.map_or(Some(Vec::new()), |declared| self.resolver.assigned_behind(declared.given, block, name));
        let first = self.calls.len();
        let is_unknown = given.iter().flat_map(BTreeMap::values).any(Option::is_none);
        let given = given.map(|given| given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect());
        let is_refused = is_unknown || declared.is_some_and(|declared| self.starts.refused.contains(&declared.var));
        for &method in self.starts.methods.get(&block).into_iter().flatten() {
            if is_refused {
                self.uncertain(this.span, REFUSED, name, method);
            } else if assigned.is_none() {
                self.uncertain(this.span, ASSIGNED_BEHIND, name, method);
            } else {
                self.call(this, name, method, given.as_ref());
            }
        }
        if let (Some(assigned), [first, ..]) = (assigned, &mut self.calls[first..]) {
            first.assigned = assigned;
        }
        if let [.., last] = &mut self.calls[first..] {
            last.is_last = true;
        }
        for call in &mut self.calls[first..] {
            call.unclear.clone_from(&self.assigned);
        }
        if let Some(&method) = self.starts.after.get(&block) {
            self.call_after(this, name, method);
        }
    }

    /// Returns the value of an argument in terms of places of the project; `owner` is the instance with the declaration.
    fn value_of(&self, argument: &Argument, owner: Option<&Place>) -> Option<Expr> {
        match (argument, owner) {
            (Argument::Value(value), None) => Some(value.clone()),
            (Argument::Value(value), Some(owner)) => {
                let mut value = value.clone();
                OfInstance(owner).expr(&mut value);
                Some(value)
            }
            (Argument::Address(address), owner) => self.resolver.reference_to(address, owner?),
        }
    }

    /// Notes a call that is not made as the controller makes it.
    fn uncertain(&mut self, span: Span, construct: &'static str, instance: &str, method: PouId) {
        self.uncertain.push(Uncertain { span, construct, instance: instance.to_owned(), method: Some(method) });
    }

    /// Returns the call of a method of an instance, without its arguments.
    fn start(&self, this: &Place, name: &str, method: PouId, mut args: CallArgs) -> Start {
        let pou = &self.resolver.project.pous[method];
        args.in_outs.push((Pou::THIS, Place { ty: pou.vars[Pou::THIS].ty, ..this.clone() }));
        let ty = if let PouKind::Function(Some(result)) = pou.kind { pou.vars[result].ty } else { elementary::BOOL };
        Start {
            call: Expr::call(method, args, ty, pou.span),
            instance: name.to_owned(),
            assigned: Vec::new(),
            is_last: false,
            unclear: Vec::new(),
        }
    }

    fn call(&mut self, this: &Place, name: &str, method: PouId, given: Option<&BTreeMap<Key, Expr>>) {
        let resolver = self.resolver;
        let (pou, span) = (&resolver.project.pous[method], resolver.project.pous[method].span);
        if MOST_CALLS <= self.calls.len() {
            self.uncertain(span, MORE, name, method);
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
                    self.uncertain(span, "FB_init of a block with VAR_IN_OUT", name, method);
                    return;
                }
                (Section::InOut | Section::Output | Section::Local | Section::Temp | Section::Result | Section::Global, _) => {
                    continue;
                }
            };
            match value {
                Some(value) => args.inputs.push((id, value)),
                None if resolver.decls.vars.get(&VarRef::Local(method, id)).is_some_and(|site| site.init.is_some()) => {}
                None => {
                    self.uncertain(this.span, "FB_init without all of its arguments", name, method);
                    return;
                }
            }
        }
        self.calls.push(self.start(this, name, method, args));
    }

    /// Adds the call of a method without parameters that runs after all instances are initialised.
    fn call_after(&mut self, this: &Place, name: &str, method: PouId) {
        let pou = &self.resolver.project.pous[method];
        let span = pou.span;
        let has_parameters = pou.vars.iter_enumerated().any(|(id, var)| match var.section {
            Section::Input | Section::InOut => id != Pou::THIS,
            Section::Output | Section::Local | Section::Temp | Section::Result | Section::Global => false,
        });
        if has_parameters || MOST_CALLS <= self.after.len() {
            self.uncertain(span, AFTER, name, method);
            return;
        }
        self.after.push(self.start(this, name, method, CallArgs::default()));
    }

    /// Returns whether a type holds an instance with a method to call.
    fn has(&mut self, ty: TypeId) -> bool {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let resolver = self.resolver;
        let found = match resolver.project.types[ty].ty.parts() {
            Parts::Elements(_, elem) => self.has(elem),
            Parts::Fields(fields) => fields.iter().any(|field| self.has(field.ty)),
            Parts::Variables(pou) => {
                let vars = resolver.project.pous[pou].vars.iter();
                let is_called = self.starts.methods.contains_key(&pou) || self.starts.after.contains_key(&pou);
                is_called || vars.filter(|v| v.section != Section::InOut).any(|v| self.has(v.ty))
            }
            Parts::Scalar => match resolver.types.large(ty) {
                Some(large) => self.has(large.elem),
                None => false,
            },
        };
        self.known.insert(ty, found);
        found
    }
}
