//! Calls before the first cycle: `FB_init` of every instance that persists, with the arguments of its declaration.
//!
//! The state at cold start depends on no input, so the interpreter computes it once. The values that it leaves in memory are the
//! initial values ([`Project::cold_start`]). Members of an instance come before the instance, and an ancestor's method comes
//! before the heir's method. If a program depends on an order that is not declared, answers name that order as an assumption.
//!
//! [`Project::cold_start`]: crate::hir::Project::cold_start

use crate::ast::{self, Arg};
use crate::hir::walk::exprs_of;
use crate::hir::{Expr, ExprKind, Extent, Leaf, LeafNames, PouId, Section, Type, TypeId, Value, Var};
use crate::interp::{Limits, Machine, Recorder};
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, Part};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::{Key, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::startup::addresses::Address;
use crate::resolve::startup::assigned_behind::{Assigned, give_back, hold, is_part};
use crate::resolve::startup::call_after_init::AFTER;
use crate::resolve::startup::called_values::{Called, CalledStart, VALUE};
use crate::resolve::startup::initial_calls::{INITIAL_CALL, StartCall};
use crate::resolve::startup::instances::{IN_CALL, Walk};
use crate::resolve::startup::uncertain::{Uncertain, Unknown, writes_outside};
use crate::text::{Gap, GapId, Span, Treatment};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Limits of one call.
pub(crate) const LIMITS: Limits = Limits { loop_rounds: 10_000, steps: 1_000_000 };

/// Methods called before the first cycle.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// Methods of the instances of a block, in the order of the calls.
    pub(crate) methods: BTreeMap<PouId, Vec<PouId>>,
    /// Arguments of declarations by parameter; in terms of the variables of the POU around the declaration.
    pub(crate) args: BTreeMap<VarRef, BTreeMap<Key, Argument>>,
    /// Declarations whose arguments are not understood.
    pub(crate) refused: BTreeSet<VarRef>,
    /// Method of a block's instances that is called after all `methods` (`call_after_init`).
    pub(crate) after: BTreeMap<PouId, PouId>,
    /// Calls in initial values and in arguments of declarations.
    pub(crate) initial: Vec<StartCall>,
    /// Initial values that call functions.
    pub(crate) values: BTreeMap<Called, CalledStart>,
}

/// Argument of a declaration.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Value(Expr),
    /// Reference to a variable, which each instance of the block around the declaration has.
    Address(Address),
}

/// Call of a method before the first cycle.
pub(crate) struct Start {
    pub(crate) call: Expr,
    /// Canonical name of the instance.
    pub(crate) instance: String,
    /// Variables of the instance to which its declaration gives values behind its last call.
    pub(crate) assigned: Vec<Assigned>,
    /// It is the last call for the instance.
    pub(crate) is_last: bool,
    /// Variables to which declarations around the instance give values: a call that touches one is not computed.
    pub(crate) unclear: Vec<String>,
}

impl<'a> Resolver<'a> {
    /// Finds the methods, and resolves them for each block that has them.
    pub(crate) fn find_starts(&mut self, after_init: Vec<(Span, u32)>) -> Starts {
        let mut starts = Starts { after: self.find_after(after_init), ..Starts::default() };
        for index in 0..self.decls.pous.len() {
            let block = PouId(index as u32);
            let chain = self.names.chain(block).to_vec();
            for definer in chain.into_iter().rev() {
                let decl: &'a ast::Pou = self.decls.pous[definer.0 as usize];
                let named = |method: &&ast::Method| method.name.text.eq_ignore_ascii_case("FB_init");
                let does = |method: &&ast::Method| method.body.as_ref().is_some_and(|b| !b.stmts().is_empty());
                if let Some(method) = decl.methods.iter().filter(named).find(does) {
                    let found = FoundMember { definer, decl: MemberDecl::Method(method) };
                    starts.methods.entry(block).or_default().extend(self.member_pou(block, found, Part::Method));
                }
            }
        }
        self.member_bodies();
        let mut refused = Vec::new();
        for (var, args) in std::mem::take(&mut self.decls.args) {
            match self.constructor(&starts, var, args) {
                Some(values) => {
                    starts.args.insert(var, values);
                }
                None => {
                    let ty = self.project.var(var).ty;
                    let blocks = self.project.types_inside(ty).filter_map(|ty| self.project.block_of(ty));
                    let blocks: Vec<PouId> = blocks.collect();
                    if !blocks.iter().any(|block| starts.methods.contains_key(block)) {
                        // No call is noted for it.
                        let construct = if blocks.iter().any(|block| self.declares_fb_init(*block)) {
                            "arguments of a declaration, for an FB_init without statements"
                        } else {
                            "arguments of a declaration whose type has no FB_init"
                        };
                        let span = self.project.var(var).span;
                        self.findings.assume(span, construct);
                        // A block that keeps an address may write there at each later call.
                        self.project.beside.insert(span, Extent::All);
                    }
                    starts.refused.insert(var);
                    refused.push((var, args));
                }
            }
        }
        starts.initial = self.initial_calls(&refused);
        starts.values = self.called_starts();
        starts
    }

    /// Returns whether a block, or one that it extends, declares FB_init.
    fn declares_fb_init(&self, block: PouId) -> bool {
        let chain = self.names.chain(block).iter().copied().chain([block]);
        let decls = chain.filter_map(|pou| self.decls.pous.get(pou.0 as usize));
        decls.flat_map(|decl| &decl.methods).any(|method| method.name.text.eq_ignore_ascii_case("FB_init"))
    }

    /// Returns the arguments of a declaration; `None` if no method takes them, or they are more than values of variables.
    fn constructor(&mut self, starts: &Starts, var: VarRef, args: &[Arg]) -> Option<BTreeMap<Key, Argument>> {
        let Type::FunctionBlock(block) = self.project.types[self.project.var(var).ty].ty else { return None };
        let method = *starts.methods.get(&block)?.last()?;
        let owner = self.decls.vars.get(&var).and_then(|site| site.owner);
        let mut values = BTreeMap::new();
        for (at, arg) in args.iter().enumerate() {
            let mut inputs = self.project.pous[method].vars.iter().filter(|v| v.section == Section::Input);
            let (input, e) = match arg {
                Arg::Input(name, e) => (inputs.find(|v| v.name.eq_ignore_ascii_case(&name.text))?, e),
                // Arguments without a name are those behind the two of the system.
                Arg::Positional(e) => (inputs.filter(|v| !is_of_system(v)).nth(at)?, e),
                Arg::Output { .. } => return None,
            };
            let (ty, input) = (input.ty, key(&input.name));
            let constant = self.attempt(|r| -> Res<Expr> {
                let value = r.expr_as(Scope { owner, uses: Uses::Constant }, e, ty, "the argument")?;
                if is_text(&value) {
                    return Ok(value);
                }
                let kind = ExprKind::Literal(r.fold(&value)?);
                Ok(Expr { kind, ..value })
            });
            let scope = Scope { owner, uses: Uses::Code };
            let mut value = constant;
            if value.is_none() {
                value = self.attempt(|r| r.expr_as(scope, e, ty, "the argument")).filter(is_value);
            }
            if value.is_none() && self.names.is_reference(ty) {
                value = self.attempt(|r| r.reference_value(scope, e, ty).transpose()).flatten().filter(is_value);
            }
            let argument = match value {
                Some(value) => Argument::Value(value),
                None => Argument::Address(self.attempt(|r| r.argument_address(scope, e, ty))?),
            };
            values.insert(input, argument);
        }
        Some(values)
    }

    /// Runs the calls. The project must have no errors.
    ///
    /// Soundness: what a call leaves that is not made, or reads what is not known, starts with any value ([`Uncertain`]). So only
    /// a computed call can depend on the order; one that reads what another may write names it itself.
    pub(crate) fn start(&mut self, starts: &Starts) {
        let (initial, unclear) = self.uncertain_initial_calls(starts);
        let has_methods = !starts.methods.is_empty() || !starts.after.is_empty();
        let has_calls = has_methods || !starts.refused.is_empty() || !starts.values.is_empty();
        if !has_calls && initial.is_empty() && unclear.is_empty() && self.project.unknown_starts.is_empty() {
            return;
        }
        let mut walk = Walk::new(self, starts);
        walk.project();
        let (calls, after, mut assumed, uncertain) = (walk.calls, walk.after, walk.assumed, walk.uncertain);
        let of_init = (
            "FB_init, which runs before the first cycle and cannot be computed",
            "order in which FB_init of several instances is called",
        );
        let of_after = (AFTER, "order in which methods of several instances are called before the first cycle (call_after_init)");
        let mut leaves = self.project.leaves();
        let mut unknown = Unknown::new(&self.project, &leaves);
        initial.iter().for_each(|call| unknown.free(&self.project, call));
        if !starts.values.is_empty() {
            self.set_called_values(&starts.values, &leaves, &mut unknown);
            leaves = self.project.leaves();
        }
        unknown.assumed.extend(unclear.into_iter().map(|span| (span, INITIAL_CALL)));
        let names = LeafNames::new(&leaves);
        let known = (leaves.as_slice(), &names);
        let mut machine = Machine::of_leaves(&self.project, Cow::Borrowed(&leaves), LIMITS);
        let mut start_reads: BTreeMap<String, Span> = BTreeMap::new();
        let (late, early): (Vec<_>, Vec<_>) = uncertain.into_iter().partition(|call| call.construct == AFTER);
        for (calls, uncertain, (construct, of_order)) in [(calls, early, of_init), (after, late, of_after)] {
            for call in &uncertain {
                unknown.free(&self.project, call);
            }
            let mut held = Vec::new();
            for Start { call, instance, assigned, is_last, unclear } in calls {
                held.extend(hold(&mut machine, known, &assigned));
                let inside = format!("{instance}.");
                let mut watch = Watch { inside, unclear, ..Watch::new(known, &unknown) };
                let is_computed = machine.perform(&call, &mut watch).is_ok() && !watch.is_guessed;
                if is_last {
                    give_back(&mut machine, std::mem::take(&mut held));
                }
                if is_computed {
                    start_reads.extend(watch.reads.into_iter().map(|name| (name, call.span)));
                    if watch.outside {
                        assumed.insert((call.span, of_order));
                    }
                } else {
                    let method = if let ExprKind::Call(method, _) = call.kind { Some(method) } else { None };
                    unknown.free(&self.project, &Uncertain { span: call.span, construct, instance, method });
                }
            }
        }
        let started = leaves.iter().zip(machine.state());
        let changed = started.filter(|(leaf, value)| leaf.init.is_some_and(|init| init != **value));
        let changed: Vec<(String, Value)> = changed.map(|(leaf, value)| (leaf.name.clone(), *value)).collect();
        self.project.cold_start.extend(changed);
        self.project.start_reads = start_reads;
        self.project.not_computed = unknown.starts(&leaves);
        let mut unclear: BTreeSet<Span> = unknown.assumed.iter().map(|(span, _)| *span).collect();
        if starts.methods.values().flatten().any(|method| writes_outside(&self.project, *method)) {
            unclear.extend(assumed.iter().filter(|(_, construct)| *construct == IN_CALL).map(|(span, _)| *span));
        }
        self.project.unclear_starts = unclear;
        self.project.open_starts = unknown.modelled.iter().map(|(span, _)| *span).collect();
        for (span, construct) in assumed.into_iter().chain(unknown.assumed) {
            self.findings.assume(span, construct);
        }
        for (span, construct) in unknown.modelled {
            let effect = match construct {
                VALUE => "it is not computed: the variable has any value before the first cycle",
                _ => "the variables that it may write have any value before the first cycle",
            };
            let effect = effect.to_owned();
            let treatment = Treatment::OverApproximated;
            self.findings.record(Gap { span, construct: construct.to_owned(), treatment, effect });
            let construct = match construct {
                INITIAL_CALL => "variables that a function in an initial value may write can start with the values of the run",
                VALUE => "variables whose initial values call functions can start with the values of the run",
                _ => "variables that FB_init may write can start with the values of the run",
            };
            let construct = construct.to_owned();
            let effect = "the call is not computed: the run starts with any values".to_owned();
            self.findings.record(Gap { span, construct, treatment: Treatment::AssumedByRuns, effect });
        }
    }
}

/// Recorder of a call that notices accesses outside of its instance, and values that are not known.
pub(crate) struct Watch<'a> {
    /// All leaves, and their names.
    known: (&'a [Leaf], &'a LeafNames),
    unknown: &'a Unknown,
    inside: String,
    outside: bool,
    is_guessed: bool,
    /// Known leaves that were read.
    reads: BTreeSet<String>,
    /// Variables whose values depend on an order that is not modelled.
    unclear: Vec<String>,
}

impl<'a> Watch<'a> {
    /// Creates a recorder to which each variable is one of another instance.
    pub(crate) fn new(known: (&'a [Leaf], &'a LeafNames), unknown: &'a Unknown) -> Self {
        let (outside, is_guessed) = (false, false);
        // No name begins so.
        let inside = "\0".to_owned();
        Watch { known, unknown, inside, outside, is_guessed, reads: BTreeSet::new(), unclear: Vec::new() }
    }

    /// Returns whether only constants were read, and nothing was written.
    pub(crate) fn is_alone(&self) -> bool {
        !self.outside && !self.is_guessed
    }

    /// Returns whether a name is that of a leaf that may change.
    fn is_known(&self, name: &str) -> bool {
        let (leaves, names) = self.known;
        names.position(leaves, name).is_some_and(|at| !leaves[at].constant)
    }

    fn touch(&mut self, name: &str) {
        self.outside |= !self.outside && !name.starts_with(&self.inside) && self.is_known(name);
        self.is_guessed |= self.unclear.iter().any(|of| is_part(name, of));
    }
}

impl Recorder for Watch<'_> {
    fn wants_names(&self) -> bool {
        true
    }
    fn read(&mut self, name: &str, _span: Span, _value: Value) {
        self.touch(name);
        if !self.reads.contains(name) && self.is_known(name) {
            self.reads.insert(name.to_owned());
        }
        self.is_guessed |= self.unknown.holds(name);
    }
    fn chose(&mut self, gap: Option<GapId>, _ty: TypeId, _value: Value) {
        self.is_guessed |= gap.is_some_and(|gap| self.unknown.gaps.contains(&gap));
    }
    fn wrote(&mut self, name: &str, _span: Span, _value: Value) {
        self.touch(name);
    }
}

/// Returns whether each FB_init has an input.
fn is_of_system(input: &Var) -> bool {
    ["bInitRetains", "bInCopyCode"].iter().any(|name| input.name.eq_ignore_ascii_case(name))
}

/// Returns whether an expression only computes with values of variables.
pub(crate) fn is_value(e: &Expr) -> bool {
    let mut is_value = true;
    exprs_of(e, |e| is_value &= !matches!(e.kind, ExprKind::Call(..) | ExprKind::Arbitrary { .. }));
    is_value
}

/// Returns whether a value is a string as written.
fn is_text(value: &Expr) -> bool {
    let written = if let ExprKind::Convert(_, inner) = &value.kind { inner } else { value };
    matches!(written.kind, ExprKind::Text(_))
}

#[cfg(test)]
mod tests;
