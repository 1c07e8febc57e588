//! Canonical forms of blocks: the graph of a region over variables that are numbered, not named.
//!
//! Two regions with equal forms are the same block, whatever their variables are called. Forms are compared themselves, never by
//! a hash. Aliases need no knowledge: two formals that are bound to one variable are one variable of the form.

use std::collections::BTreeMap;

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;

use crate::domain::StepId;
use kernel::cfa::{Block, BlockInput};
use kernel::expr::{ExprId, ExprPool, FastMap, Sort, Subst, VarId};

id_type!(
    /// A block: the regions of one form.
    BlockId,
    "block"
);

/// Canonical form of a region.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    /// Sorts of its variables, by number.
    pub(super) vars: Vec<Sort>,
    /// Number of its locations; 0 is the entry.
    pub(super) n_locs: u32,
    pub(super) exit: Exit,
    /// Edges in the order of a breadth-first walk.
    pub(super) edges: Vec<FormEdge>,
}

/// Place where a form is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// Nowhere: the outermost block.
    Never,
    /// The location after a call.
    After(u32),
    /// The entry, which is the head of a loop, in each state that is reached there.
    Entry,
}

impl Exit {
    /// Returns the location.
    pub(super) fn loc(self) -> Option<u32> {
        match self {
            Exit::Never => None,
            Exit::After(loc) => Some(loc),
            Exit::Entry => Some(0),
        }
    }
}

/// Edge of a form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FormEdge {
    pub(super) source: u32,
    pub(super) target: Target,
    pub(super) action: Action,
    /// The block's variable for each variable of the action.
    pub(super) binding: Vec<u32>,
}

/// End of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Loc(u32),
    Error,
}

/// Effect of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    /// One step, over variables of its own.
    Step(StepId),
    /// A whole block.
    Call(BlockId),
}

/// The variables of canonical forms: one for each number and sort.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    vars: Vec<BTreeMap<Sort, VarId>>,
    inputs: Vec<BTreeMap<Sort, VarId>>,
    numbers: BTreeMap<VarId, u32>,
}

impl Numbered {
    /// Returns the variable of the state with this number.
    pub(super) fn var(&mut self, pool: &mut ExprPool, number: u32, sort: Sort) -> VarId {
        let var = numbered(&mut self.vars, pool, "#", number, sort);
        self.numbers.insert(var, number);
        var
    }
    /// Returns the number of a variable of the state, if it is one of these.
    pub(super) fn number(&self, var: VarId) -> Option<u32> {
        self.numbers.get(&var).copied()
    }
    /// Returns the input with this number.
    pub(super) fn input(&mut self, pool: &mut ExprPool, number: u32, sort: Sort) -> VarId {
        numbered(&mut self.inputs, pool, "#in", number, sort)
    }
    /// Returns the step over numbered variables that `block` is for these variables of the automaton.
    pub(super) fn step(&mut self, pool: &mut ExprPool, block: &Block, vars: &[VarId]) -> Block {
        let mut by: BTreeMap<VarId, ExprId> = BTreeMap::new();
        for (number, var) in vars.iter().enumerate() {
            let sort = pool.var_decl(*var).sort;
            let numbered = self.var(pool, number as u32, sort);
            by.insert(*var, pool.var(numbered));
        }
        let mut inputs = Vec::with_capacity(block.inputs.len());
        for (number, input) in block.inputs.iter().enumerate() {
            let sort = pool.var_decl(input.var).sort;
            let var = self.input(pool, number as u32, sort);
            by.insert(input.var, pool.var(var));
            inputs.push(BlockInput { var, origin: None });
        }
        let numbers: FastMap<VarId, u32> = vars.iter().enumerate().map(|(number, var)| (*var, number as u32)).collect();
        let mut updates: Vec<(VarId, ExprId)> = Vec::with_capacity(block.updates.len());
        let mut subst = Subst::new(by);
        for &(var, e) in &block.updates {
            let sort = pool.var_decl(var).sort;
            updates.push((self.var(pool, numbers[&var], sort), subst.apply(pool, e)));
        }
        updates.sort_unstable();
        Block { guard: subst.apply(pool, block.guard), updates, inputs }
    }
}

fn numbered(table: &mut Vec<BTreeMap<Sort, VarId>>, pool: &mut ExprPool, prefix: &str, number: u32, sort: Sort) -> VarId {
    let at = number as usize;
    if table.len() <= at {
        table.resize_with(at + 1, BTreeMap::new);
    }
    *table[at].entry(sort).or_insert_with(|| pool.new_var(format!("{prefix}{number}"), sort))
}

/// Steps by their form: equal ones have one id, so a domain's answers serve all of them.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) all: IndexVec<StepId, Block>,
    ids: BTreeMap<StepForm, StepId>,
}

/// Sorts of the variables, guard, updates, inputs.
type StepForm = (Vec<Sort>, ExprId, Vec<(VarId, ExprId)>, Vec<BlockInput>);

impl Steps {
    /// Returns the id of a step over variables of these sorts.
    pub(super) fn id(&mut self, vars: Vec<Sort>, block: Block) -> StepId {
        let all = &mut self.all;
        let form = (vars, block.guard, block.updates.clone(), block.inputs.clone());
        *self.ids.entry(form).or_insert_with(|| all.push(block))
    }
}
