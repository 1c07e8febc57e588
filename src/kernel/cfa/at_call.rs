//! Inputs that calls of stubs read: a variable for each copy of a body that reads one, so that a trace has a value for each call.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::call_path;
use plc_frontend::ids::Id;
use plc_frontend::source::Span;

use super::network::{Graph, NetOp, Procedure};
use crate::expr::{ExprId, ExprPool, VarId};

/// Variable of one call, for an input of [`plc_frontend::hir::Project::at_call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtCall {
    /// The variable of the input's leaf.
    pub leaf: VarId,
    /// Its value at this call.
    pub var: VarId,
    /// The call, as a number of [`plc_frontend::hir::call_path`].
    pub path: u64,
}

/// Values that calls of stubs give, in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtCallVars {
    /// The variables, those of one call path in the order of their edges.
    pub rows: Vec<AtCall>,
    /// FOR loops that stay loops: their rounds are no part of call paths.
    pub whole_loops: BTreeSet<Span>,
}

/// The variables of a CFA that is being put together.
#[derive(Debug)]
pub(crate) struct AtCalls {
    /// Variables of the leaves.
    inputs: BTreeSet<VarId>,
    /// The variables of leaves are the first ones.
    n_leaves: usize,
    found: Vec<AtCall>,
    pub(crate) whole_loops: BTreeSet<Span>,
}

impl AtCalls {
    pub(crate) fn new(inputs: BTreeSet<VarId>, n_leaves: usize) -> AtCalls {
        AtCalls { inputs, n_leaves, found: Vec::new(), whole_loops: BTreeSet::new() }
    }

    pub(crate) fn finish(mut self) -> AtCallVars {
        // Copies of the calls of one body are made from the last one to the first.
        self.found.reverse();
        AtCallVars { rows: self.found, whole_loops: self.whole_loops }
    }

    /// Binds the inputs that a body reads to variables of this call.
    ///
    /// Soundness: only the body that havocs such an input reads it.
    pub(crate) fn bind(&mut self, pool: &mut ExprPool, graph: &Graph, path: u64, binding: &mut BTreeMap<VarId, ExprId>) {
        if self.inputs.is_empty() {
            return;
        }
        for edge in &graph.edges {
            let NetOp::Havoc(leaf) = edge.op else { continue };
            if !self.inputs.contains(&leaf) || binding.contains_key(&leaf) {
                continue;
            }
            let decl = pool.var_decl(leaf).clone();
            let var = pool.new_var(format!("{}#{}", decl.name, self.found.len() + 1), decl.sort);
            binding.insert(leaf, pool.var(var));
            self.found.push(AtCall { leaf, var, path });
        }
    }

    /// Returns the path of a call, as the interpreter makes it. `called`: a procedure, with a variable for each formal. `rounds`: those of
    /// the unrolled loops around it.
    pub(crate) fn path(&self, around: u64, span: Span, (called, binding): (&Procedure, &[VarId]), rounds: &[i128]) -> u64 {
        let bound: BTreeMap<VarId, VarId> = called.formals.iter().copied().zip(binding.iter().copied()).collect();
        let leaf = |var: &VarId| Some(var.index()).filter(|leaf| *leaf < self.n_leaves);
        let firsts = called.vars.iter_enumerated().filter_map(|(id, scalars)| Some((id, leaf(bound.get(scalars.first()?)?))));
        call_path(around, span, firsts, rounds)
    }
}
