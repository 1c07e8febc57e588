//! The automaton as blocks: a table of forms, and for each region the block it is and the names of its variables.
//!
//! Source: papers/block-abstraction-memoization, §2.4.1.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::form::{Action, BlockId, Exit, Form, FormEdge, Numbered, Steps, Target};
use super::live::Liveness;
use super::regions::{Kind, RegionId, Regions};
use crate::domain::StepId;
use kernel::cfa::{Block, Cfa, EdgeId, LocId};
use kernel::expr::{ExprId, ExprPool, VarId};

/// An automaton as blocks that call each other.
pub(super) struct Program {
    /// All blocks, inner ones before outer ones; the last is the whole automaton.
    pub(super) blocks: IndexVec<BlockId, BlockInfo>,
    /// The regions: their blocks and names.
    pub(super) regions: IndexVec<RegionId, Instance>,
    /// The whole automaton.
    pub(super) main: Instance,
    /// Step that sets the initial values of the variables of the outermost block.
    pub(super) initial: StepId,
}

/// A block with its analyses.
pub(super) struct BlockInfo {
    /// Name of its procedure.
    pub(super) name: String,
    /// Its form.
    pub(super) form: Form,
    /// Its variables by number.
    pub(super) vars: Vec<VarId>,
    /// Edges that leave each location.
    pub(super) leaving: Vec<Vec<u32>>,
    /// Number of regions of this form.
    pub(super) n_regions: usize,
    pub(super) live: Liveness,
    /// For each edge the variables that are live before it and not after it.
    pub(super) dying: Vec<BTreeSet<VarId>>,
}

/// A region as a block: the automaton's names for the numbers of the form.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) block: BlockId,
    pub(super) vars: Vec<VarId>,
    pub(super) locs: Vec<LocId>,
    /// Locations before and after loops that are blocks of their own: the heads of these.
    pub(super) around_loops: BTreeSet<u32>,
    /// Origin of each edge of the form.
    pub(super) edges: Vec<Origin>,
}

/// Part of the automaton that an edge of a form stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Edge(EdgeId),
    Region(RegionId),
}

impl Program {
    /// Returns the automaton as blocks; the steps of their forms are added to `steps`.
    ///
    /// Cost: n·log n in the size of the automaton, for each level of calls.
    pub(super) fn new(pool: &mut ExprPool, cfa: &Cfa, regions: &Regions, numbered: &mut Numbered, steps: &mut Steps) -> Program {
        let mut blocks: IndexVec<BlockId, BlockInfo> = IndexVec::new();
        let mut ids = BTreeMap::new();
        let successors = cfa.successors();
        let mut instances: BTreeMap<RegionId, Instance> = BTreeMap::new();
        let mut main = None;
        // Inner regions come after outer ones.
        let order: Vec<RegionId> = regions.all.ids().collect();
        for at in order.into_iter().rev().map(Some).chain([None]) {
            let mut walk = Walk::new(cfa, regions, at);
            walk.run(pool, &successors, &instances, numbered, steps);
            let instance = walk.finish(pool, name(cfa, regions, at), numbered, steps, &mut blocks, &mut ids);
            match at {
                Some(at) => {
                    instances.insert(at, instance);
                }
                None => main = Some(instance),
            }
        }
        let Some(main) = main else { unreachable!("the outermost block comes last") };
        let initial = initial_step(pool, cfa, &main, numbered, steps);
        Program { blocks, regions: instances.into_values().collect(), main, initial }
    }
    /// Returns the names of the region behind an edge of a block's form, or of the whole automaton.
    pub(super) fn instance(&self, region: Option<RegionId>) -> &Instance {
        region.map_or(&self.main, |region| &self.regions[region])
    }
}

/// Returns the name of a block.
fn name(cfa: &Cfa, regions: &Regions, at: Option<RegionId>) -> String {
    let call = at.and_then(|at| regions.all[at].call).map(|call| &cfa.calls[call].name);
    let procedure = call.map_or("the program", |name| name);
    match at.map(|at| regions.all[at].kind) {
        Some(Kind::Loop) => format!("loop in {procedure}"),
        Some(Kind::Call) | None => procedure.to_owned(),
    }
}

/// Location of a walk: TRUE after the loop whose head it is.
type Place = (LocId, bool);

/// Walk through one region.
struct Walk<'a> {
    cfa: &'a Cfa,
    regions: &'a Regions,
    at: Option<RegionId>,
    locs: Vec<Place>,
    numbers: BTreeMap<Place, u32>,
    around_loops: BTreeSet<u32>,
    vars: Vec<VarId>,
    var_numbers: BTreeMap<VarId, u32>,
    /// Position of each variable among the actuals: the order in which equal calls name their variables.
    hints: BTreeMap<VarId, usize>,
    edges: Vec<FormEdge>,
    origins: Vec<Origin>,
}

impl<'a> Walk<'a> {
    fn new(cfa: &'a Cfa, regions: &'a Regions, at: Option<RegionId>) -> Walk<'a> {
        let entry = at.map_or(cfa.init, |at| regions.all[at].entry);
        let mut hints = BTreeMap::new();
        if let Some(call) = at.and_then(|at| regions.all[at].call) {
            for (i, var) in cfa.calls[call].binding.iter().enumerate() {
                hints.entry(*var).or_insert(i);
            }
        }
        Walk {
            cfa,
            regions,
            at,
            locs: vec![(entry, false)],
            numbers: BTreeMap::from([((entry, false), 0)]),
            around_loops: BTreeSet::new(),
            vars: Vec::new(),
            var_numbers: BTreeMap::new(),
            hints,
            edges: Vec::new(),
            origins: Vec::new(),
        }
    }
    fn run(
        &mut self,
        pool: &mut ExprPool,
        successors: &IndexVec<LocId, Vec<EdgeId>>,
        instances: &BTreeMap<RegionId, Instance>,
        numbered: &mut Numbered,
        steps: &mut Steps,
    ) {
        let around = self.at.map(|at| &self.regions.all[at]);
        let exit = around.filter(|region| region.kind != Kind::Loop).map(|region| region.exit);
        let mut next = 0;
        while let Some(&(loc, is_left)) = self.locs.get(next) {
            let source = next as u32;
            next += 1;
            if exit == Some(loc) {
                continue;
            }
            let inner = self.regions.entered_at(self.at, loc);
            if let Some(inner) = inner.filter(|_| !is_left) {
                let instance = &instances[&inner];
                let is_loop = self.regions.all[inner].kind == Kind::Loop;
                let after = self.location((self.regions.all[inner].exit, is_loop));
                if is_loop {
                    self.around_loops.extend([source, after]);
                }
                let target = Target::Loc(after);
                let binding = instance.vars.iter().map(|var| self.variable(*var)).collect();
                self.edges.push(FormEdge { source, target, action: Action::Call(instance.block), binding });
                self.origins.push(Origin::Region(inner));
                continue;
            }
            for &id in &successors[loc] {
                let edge = &self.cfa.edges[id];
                // Edges of a head into its loop and to an error belong to the loop; the others to the block around it.
                let is_inside = |region| edge.target == self.cfa.error || self.regions.contains(region, edge.target);
                let is_head = around.is_some_and(|region| region.kind == Kind::Loop && region.entry == loc);
                if is_left && inner.is_some_and(is_inside) || is_head && !self.at.is_some_and(is_inside) {
                    continue;
                }
                let is_error = edge.target == self.cfa.error;
                let target = if is_error { Target::Error } else { Target::Loc(self.location((edge.target, false))) };
                let block = edge.op.to_block(pool);
                let vars = self.ordered(pool, &block);
                let step = numbered.step(pool, &block, &vars);
                let sorts = vars.iter().map(|var| pool.var_decl(*var).sort).collect();
                let binding = vars.iter().map(|var| self.variable(*var)).collect();
                self.edges.push(FormEdge { source, target, action: Action::Step(steps.id(sorts, step)), binding });
                self.origins.push(Origin::Edge(id));
            }
        }
    }
    /// Returns the variables of a step: first the actuals in their order, then the others.
    fn ordered(&self, pool: &ExprPool, block: &Block) -> Vec<VarId> {
        let mut vars: Vec<VarId> = variables(pool, block).into_iter().collect();
        vars.sort_by_key(|var| (self.hints.get(var).copied().unwrap_or(usize::MAX), *var));
        vars
    }
    fn location(&mut self, at: Place) -> u32 {
        let (locs, next) = (&mut self.locs, self.numbers.len() as u32);
        *self.numbers.entry(at).or_insert_with(|| {
            locs.push(at);
            next
        })
    }
    fn variable(&mut self, var: VarId) -> u32 {
        let (vars, next) = (&mut self.vars, self.var_numbers.len() as u32);
        *self.var_numbers.entry(var).or_insert_with(|| {
            vars.push(var);
            next
        })
    }
    fn finish(
        self,
        pool: &mut ExprPool,
        name: String,
        numbered: &mut Numbered,
        steps: &Steps,
        blocks: &mut IndexVec<BlockId, BlockInfo>,
        ids: &mut BTreeMap<Form, BlockId>,
    ) -> Instance {
        let sorts: Vec<_> = self.vars.iter().map(|var| pool.var_decl(*var).sort).collect();
        let around = self.at.map(|at| &self.regions.all[at]);
        let exit = match around {
            Some(region) if region.kind == Kind::Loop => Exit::Entry,
            Some(region) => self.numbers.get(&(region.exit, false)).map_or(Exit::Never, |at| Exit::After(*at)),
            None => Exit::Never,
        };
        let form = Form { vars: sorts, n_locs: self.locs.len() as u32, exit, edges: self.edges };
        let block = match ids.get(&form) {
            Some(&id) => id,
            None => {
                let vars: Vec<VarId> =
                    form.vars.iter().enumerate().map(|(i, sort)| numbered.var(pool, i as u32, *sort)).collect();
                let mut leaving = vec![Vec::new(); form.n_locs as usize];
                for (i, edge) in form.edges.iter().enumerate() {
                    leaving[edge.source as usize].push(i as u32);
                }
                let live = Liveness::new(pool, &form, numbered, steps, blocks);
                let dying = form.edges.iter().map(|edge| dying(edge, &vars, &live)).collect();
                let copy = form.clone();
                let id = blocks.push(BlockInfo { name, form: copy, vars, leaving, n_regions: 0, live, dying });
                ids.insert(form, id);
                id
            }
        };
        blocks[block].n_regions += 1;
        let locs = self.locs.into_iter().map(|(loc, _)| loc).collect();
        Instance { block, vars: self.vars, locs, around_loops: self.around_loops, edges: self.origins }
    }
}

/// Returns the variables of the state that a step reads or writes.
fn variables(pool: &ExprPool, block: &Block) -> BTreeSet<VarId> {
    let roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).chain([block.guard]).collect();
    let mut vars = pool.vars_of(&roots);
    for input in &block.inputs {
        vars.remove(&input.var);
    }
    vars.extend(block.updates.iter().map(|(var, _)| *var));
    vars
}

/// Returns the step that sets the initial values; a variable without one gets an input.
fn initial_step(pool: &mut ExprPool, cfa: &Cfa, main: &Instance, numbered: &mut Numbered, steps: &mut Steps) -> StepId {
    let mut block = Block { guard: pool.bool(true), updates: Vec::new(), inputs: Vec::new() };
    for &var in &main.vars {
        let value = match cfa.initial.get(&var) {
            Some(&value) => pool.constant(value),
            None => {
                let decl = pool.var_decl(var).clone();
                let input = pool.new_var(format!("{}#start", decl.name), decl.sort);
                block.inputs.push(kernel::cfa::BlockInput { var: input, origin: Some(var) });
                pool.var(input)
            }
        };
        block.updates.push((var, value));
    }
    let step = numbered.step(pool, &block, &main.vars);
    let sorts = main.vars.iter().map(|var| pool.var_decl(*var).sort).collect();
    steps.id(sorts, step)
}

impl BlockInfo {
    /// Returns the variables of an edge's action, by number of the action.
    pub(super) fn bound(&self, edge: u32) -> Vec<VarId> {
        self.form.edges[edge as usize].binding.iter().map(|number| self.vars[*number as usize]).collect()
    }
    /// Returns whether a variable is read again from `loc` on; variables of callers may always be.
    pub(super) fn is_live(&self, numbered: &Numbered, loc: u32, var: VarId) -> bool {
        match numbered.number(var).map(|number| number as usize) {
            Some(number) if number < self.vars.len() && self.vars[number] == var => self.live.at(loc).contains(number),
            Some(_) | None => true,
        }
    }
}

/// Returns the variables that are live before an edge and not after it.
fn dying(edge: &FormEdge, vars: &[VarId], live: &Liveness) -> BTreeSet<VarId> {
    let Target::Loc(target) = edge.target else { return BTreeSet::new() };
    let (before, after) = (live.at(edge.source), live.at(target));
    let is_dying = |number: &usize| before.contains(*number) && !after.contains(*number);
    (0..vars.len()).filter(is_dying).map(|number| vars[number]).collect()
}
