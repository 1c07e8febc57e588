//! From the HIR to the network of procedures: the second definition of the semantics.
//!
//! `expr`, `convert`, `builtin`, `place`, `text`, `reading`, `call`, `stmt`, `jump` and `loops` translate each construct into
//! edges, `anomaly` the conditions of anomalies. `builder` holds the growing graph; `layout` flattens variables to scalars;
//! `constants` and `aliases` hold facts about the whole project. Knows nothing of [`plc_frontend`]'s interpreter, on purpose.

mod aliases;
mod anomaly;
mod builder;
mod builtin;
mod call;
mod constants;
mod convert;
mod effects;
mod expr;
mod jump;
pub(crate) mod layout;
mod loops;
mod place;
mod reading;
mod recursion;
mod stmt;
mod text;

use std::collections::BTreeMap;
use std::rc::Rc;

use plc_frontend::hir::{self, Leaf, Part, PouId, PouKind, Project, Root, Section, Start, walk};
use plc_frontend::ids::{Id, IndexVec};

pub(crate) use aliases::Aliases;
pub(crate) use builder::{Builder, Context};
pub(crate) use constants::Constants;
use layout::{Layout, is_formal, scalars, sort_of};

use super::model::{Marks, ModelError};
use super::network::{Graph, Network, Procedure};
use super::share::{Shared, Slice};
use super::too_large::{Measure, TooLarge};
use crate::expr::{ExprPool, Sort, Value, VarId};

/// Limits of the lowering.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowerOptions {
    /// Rounds of one loop per entry; the next one is a Watchdog fault.
    pub(crate) loop_rounds: u32,
    /// Edges of one procedure.
    pub(crate) max_edges: usize,
    /// Expressions of the pool.
    pub(crate) max_nodes: usize,
    /// Sites to make.
    pub(crate) marks: Marks,
}

/// Interface of a procedure, known before its body is lowered.
pub(crate) struct Header {
    pub(crate) pou: PouId,
    pub(crate) vars: IndexVec<hir::VarId, Rc<[VarId]>>,
    /// See [`Procedure::passed`].
    pub(crate) passed: BTreeMap<hir::VarId, Rc<[VarId]>>,
}

impl Header {
    /// Returns the variables by which a caller passes an input, an output or the result.
    pub(crate) fn interface(&self, var: hir::VarId) -> Rc<[VarId]> {
        self.passed.get(&var).unwrap_or(&self.vars[var]).clone()
    }
}

/// Declares all variables and lowers the body of every POU that an instance reaches. `leaves` are the project's.
///
/// The scalars of leaves are the first variables of the pool, in the order of the leaves.
pub(crate) fn lower(project: &Project, leaves: &[Leaf], options: LowerOptions) -> Result<(Network, ExprPool), ModelError> {
    let mut pool = ExprPool::new();
    let mut network = declare(project, &mut pool, leaves);
    let reached = reachable(project, project.instances.iter().map(|i| i.pou).collect());
    extend(project, &mut pool, &mut network, &reached, options)?;
    Ok((network, pool))
}

/// Adds the functions that a condition calls and the program does not. `pool` is any descendant of the network's.
pub(crate) fn extend_for(
    project: &Project,
    pool: &mut ExprPool,
    network: &mut Network,
    condition: &hir::Expr,
    options: LowerOptions,
) -> Result<(), ModelError> {
    let mut called = Vec::new();
    walk::calls_of(condition, |callee| called.push(callee));
    let reached = reachable(project, called);
    extend(project, pool, network, &reached, options)
}

/// Adds the procedures of those POUs that have none yet.
fn extend(
    project: &Project,
    pool: &mut ExprPool,
    network: &mut Network,
    pous: &[PouId],
    options: LowerOptions,
) -> Result<(), ModelError> {
    let first = network.procedures.len();
    let layout = Layout::new(project);
    let recursive = recursion::recursive(project, pous);
    for pou in pous {
        if network.procedure_of(*pou).is_none() {
            let mut procedure = header(project, &layout, pool, &mut network.shared, *pou, options)?;
            if recursive.contains(pou) {
                recursion::pass_by_variables(project, pool, &mut procedure)?;
            }
            network.procedures.push(procedure);
        }
    }
    if network.procedures.len() == first {
        return Ok(());
    }
    let cx = context(project, network, options);
    for proc in network.procedures.ids().skip(first) {
        let pou = &project.pous[network.procedures[proc].pou];
        let mut builder = Builder::new(&cx, pool, Some(proc), &pou.name);
        builder.body_of(pou)?;
        let (graph, temps) = (builder.graph, builder.temps);
        let procedure = &mut network.procedures[proc];
        procedure.graph = graph;
        procedure.locals.extend(temps);
    }
    Ok(())
}

/// Returns the context of a project, for bodies and conditions alike.
pub(crate) fn context<'p>(project: &'p Project, network: &Network, options: LowerOptions) -> Context<'p> {
    let rc = |vars: &Vec<VarId>| -> Rc<[VarId]> { vars.as_slice().into() };
    let header_of = |p: &Procedure| Header {
        pou: p.pou,
        vars: p.vars.iter().map(rc).collect(),
        passed: p.passed.iter().map(|(id, vars)| (*id, rc(vars))).collect(),
    };
    Context {
        project,
        layout: Layout::new(project),
        options,
        globals: network.globals.iter().map(rc).collect(),
        instances: network.instances.iter().map(rc).collect(),
        headers: network.procedures.iter().map(header_of).collect(),
        proc_of: network.procedures.iter_enumerated().map(|(id, p)| (p.pou, id)).collect(),
        constants: Constants::new(project),
        aliases: Aliases::new(project),
        shares_memory: !network.shared.is_empty(),
    }
}

/// A condition of a requirement or an assumption, by itself.
pub(crate) struct Condition {
    /// The graph that evaluates it.
    pub(crate) graph: Graph,
    /// Variable with its value at the exit.
    pub(crate) value: VarId,
}

/// Lowers a condition over globals and instances. `name` begins the names of its temporaries.
pub(crate) fn condition(cx: &Context<'_>, pool: &mut ExprPool, name: &str, expr: &hir::Expr) -> Result<Condition, ModelError> {
    let mut builder = Builder::new(cx, pool, None, name);
    builder.span = Some(expr.span);
    let result = builder.expr(expr)?;
    let value = builder.temp("condition", Sort::Bool);
    builder.assign(value, result);
    let exit = builder.graph.exit;
    builder.join(exit);
    Ok(Condition { graph: builder.graph, value })
}

/// Returns a network without procedures: the persistent state.
fn declare(project: &Project, pool: &mut ExprPool, leaves: &[Leaf]) -> Network {
    let mut globals: IndexVec<hir::GlobalId, Vec<VarId>> = project.globals.iter().map(|_| Vec::new()).collect();
    let mut instances: IndexVec<hir::InstanceId, Vec<VarId>> = project.instances.iter().map(|_| Vec::new()).collect();
    for leaf in leaves {
        let var = pool.new_var(leaf.name.clone(), sort_of(project, leaf.ty));
        match leaf.root {
            Root::Global(global) => globals[global].push(var),
            Root::Instance(instance) => instances[instance].push(var),
            Root::Var(_) | Root::This(_) => unreachable!("leaves belong to globals and instances"),
        }
    }
    let mut shared = Shared::default();
    for (at, leaf) in leaves.iter().enumerate() {
        if let Some(view) = &leaf.view {
            let slice = |part: &Part<usize>| Slice { cell: VarId::new(part.of), low: part.low.into(), width: part.width.into() };
            shared.add(pool, VarId::new(at), view.parts.iter().map(slice).collect());
        }
    }
    Network { globals, instances, shared, procedures: IndexVec::new() }
}

/// Returns a procedure with its variables and without a body.
fn header(
    project: &Project,
    layout: &Layout,
    pool: &mut ExprPool,
    shared: &mut Shared,
    pou_id: PouId,
    options: LowerOptions,
) -> Result<Procedure, ModelError> {
    let pou = &project.pous[pou_id];
    let n_scalars = pou.vars.iter().map(|v| layout.size(v.ty)).fold(pool.n_vars(), usize::saturating_add);
    if options.max_nodes < n_scalars {
        return Err(ModelError::TooLarge(TooLarge::at(Measure::Expressions, options.max_nodes, Some(pou.span))));
    }
    let (mut formals, mut locals) = (Vec::new(), Vec::new());
    let mut vars: IndexVec<hir::VarId, Vec<VarId>> = pou.vars.iter().map(|_| Vec::new()).collect();
    for (id, var) in pou.held() {
        let formal = is_formal(pou, var);
        let mut flat = Vec::new();
        for scalar in scalars(project, var.ty, &var.init) {
            let name = format!("{}#{}{}", pou.name, var.name, scalar.suffix);
            let var = pool.new_var(name, sort_of(project, scalar.ty));
            flat.push(var);
            if formal { &mut formals } else { &mut locals }.push(var);
        }
        vars[id] = flat;
    }
    for ((var, at), view) in project.views_of(pou_id) {
        // Formals share memory as the variables do that they are bound to.
        if !is_formal(pou, &pou.vars[var]) {
            let slice = |part: &Part<(hir::VarId, usize)>| {
                let (var, at) = part.of;
                Slice { cell: vars[var][at], low: part.low.into(), width: part.width.into() }
            };
            shared.add(pool, vars[var][at], view.parts.iter().map(slice).collect());
        }
    }
    let name = pou.name.clone();
    let passed = BTreeMap::new();
    Ok(Procedure { pou: pou_id, name, vars, passed, formals, locals, is_recursive: false, graph: Graph::new() })
}

/// Returns the POUs that these call, callers before callees where possible.
fn reachable(project: &Project, mut todo: Vec<PouId>) -> Vec<PouId> {
    let mut seen = vec![false; project.pous.len()];
    let mut order = Vec::new();
    todo.reverse();
    while let Some(pou) = todo.pop() {
        if std::mem::replace(&mut seen[pou.index()], true) {
            continue;
        }
        order.push(pou);
        let mut called = Vec::new();
        walk::calls(&project.pous[pou].body, |callee| called.push(callee));
        todo.extend(called.into_iter().rev());
    }
    order
}

impl Builder<'_, '_> {
    /// Lowers a whole body: the initial values of each call, then the statements.
    fn body_of(&mut self, pou: &hir::Pou) -> Result<(), ModelError> {
        self.take_inputs(pou);
        for (id, var) in pou.vars.iter_enumerated() {
            let at_each_call = match (pou.kind, var.section) {
                // The caller writes the inputs of functions; references belong to other variables.
                (_, Section::InOut) | (PouKind::Function(_), Section::Input) => false,
                (_, Section::Temp | Section::Result) | (PouKind::Function(_), _) => true,
                (PouKind::Program | PouKind::FunctionBlock, _) => false,
            };
            // A variable that views another one has the other's initial value.
            let is_view = self.cx.project.local_views.get(&self.own_id()).is_some_and(|v| v.iter().any(|row| row.0.0 == id));
            if at_each_call && !is_view {
                let vars = self.root(Root::Var(id));
                self.span = Some(var.span);
                self.initialise(&vars, var.ty, &var.init);
            }
        }
        self.block(&pou.body)?;
        self.span = None;
        let exit = self.graph.exit;
        self.join(exit);
        self.give_results(pou);
        Ok(())
    }
}

/// Returns the initial values of leaves, by variable; none for opaque types and for leaves with an arbitrary start.
pub(crate) fn initial_values(project: &Project, leaves: &[Leaf]) -> BTreeMap<VarId, Value> {
    let is_fixed = |leaf: &Leaf| leaf.view.is_none() && (leaf.start == Start::Initial || leaf.constant);
    let rows = leaves.iter().enumerate().filter(|(_, leaf)| is_fixed(leaf));
    rows.filter_map(|(i, leaf)| Some((VarId::new(i), layout::value_of(project, leaf.ty, leaf.init?)))).collect()
}
