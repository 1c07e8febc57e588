//! Variables for the arbitrary values that blocks consume.

use std::collections::BTreeMap;

use plc_frontend::ids::Id;

use crate::cfa::automaton::{EdgeId, LocId};
use crate::cfa::block::BlockInput;
use crate::expr::{ExprPool, Sort, VarId};

/// Passing of a location within a block.
///
/// A path may pass one havoc several times within a block. Each passing takes another value, so each has a variable of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Number of cycles that began within the block before.
    pub cycle: u32,
    /// For each loop around the location, how often its head was passed before.
    pub rounds: Vec<u32>,
}

impl Occurrence {
    fn is_first(&self) -> bool {
        self.cycle == 0 && self.rounds.iter().all(|n| *n == 0)
    }
}

/// Variables of arbitrary values: one for each havoc, choice and input of an edge's block, and for each of their occurrences.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    havocs: BTreeMap<(EdgeId, Occurrence), VarId>,
    choices: BTreeMap<(LocId, Occurrence), Vec<VarId>>,
    renamed: BTreeMap<(EdgeId, VarId, Occurrence), VarId>,
    /// All of them, with the cycle within the block.
    all: BTreeMap<VarId, (BlockInput, u32)>,
}

impl Inputs {
    /// Returns the variable of a havoc of `var` on an edge.
    pub(super) fn havoc(&mut self, pool: &mut ExprPool, edge: EdgeId, var: VarId, occurrence: &Occurrence) -> VarId {
        let input = *self.havocs.entry((edge, occurrence.clone())).or_insert_with(|| {
            let decl = pool.var_decl(var).clone();
            pool.new_var(format!("{}#in", decl.name), decl.sort)
        });
        self.all.insert(input, (BlockInput { var: input, origin: Some(var) }, occurrence.cycle));
        input
    }
    /// Returns the Bool variables that choose among `n_edges` edges of a location; the last edge needs none.
    pub(super) fn choices(&mut self, pool: &mut ExprPool, loc: LocId, n_edges: usize, occurrence: &Occurrence) -> Vec<VarId> {
        let made = self
            .choices
            .entry((loc, occurrence.clone()))
            .or_insert_with(|| (1..n_edges).map(|i| pool.new_var(format!("#choice{}.{i}", loc.index()), Sort::Bool)).collect());
        self.all.extend(made.iter().map(|&var| (var, (BlockInput { var, origin: None }, occurrence.cycle))));
        made.clone()
    }
    /// Returns the variable for an input of an edge's block: the input itself where the edge is passed for the first time.
    pub(super) fn of_block(&mut self, pool: &mut ExprPool, edge: EdgeId, input: BlockInput, occurrence: &Occurrence) -> VarId {
        let var = if occurrence.is_first() {
            input.var
        } else {
            *self.renamed.entry((edge, input.var, occurrence.clone())).or_insert_with(|| {
                let decl = pool.var_decl(input.var).clone();
                pool.new_var(decl.name, decl.sort)
            })
        };
        self.all.insert(var, (BlockInput { var, origin: input.origin }, occurrence.cycle));
        var
    }
    /// Returns the inputs among some variables, ascending.
    pub(super) fn among<'v>(&self, vars: impl IntoIterator<Item = &'v VarId>) -> Vec<BlockInput> {
        vars.into_iter().filter_map(|var| self.all.get(var)).map(|(input, _)| *input).collect()
    }
    /// Returns the number of cycles that began within its block before an input is consumed.
    pub(super) fn cycle_of(&self, input: VarId) -> u32 {
        self.all.get(&input).map_or(0, |(_, cycle)| *cycle)
    }
}
