//! Blocks: the effect of an acyclic piece of program as one guarded parallel assignment.
//!
//! A PLC program is a function of its state and its inputs, so a summary needs no relation:
//! each variable's next value is an expression over the state before and fresh inputs.

use super::automaton::Op;
use crate::expr::{ExprId, ExprPool, VarId};

/// A guarded parallel assignment: feasible where `guard` holds; then all `updates` happen at once.
///
/// Guard and right-hand sides are over the state before the block and over `inputs`, which take arbitrary values at each
/// execution. Variables without an update keep their value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Bool.
    pub guard: ExprId,
    /// Ascending by variable, each at most once.
    pub updates: Vec<(VarId, ExprId)>,
    /// The arbitrary values it consumes.
    pub inputs: Vec<BlockInput>,
}

/// One arbitrary value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockInput {
    /// Variable of the value in guard and updates. It belongs to this block, or to several blocks that never run in the same
    /// step.
    pub var: VarId,
    /// The state variable that was havocked; `None` for a nondeterministic choice between paths.
    pub origin: Option<VarId>,
}

impl Op {
    /// Returns the operation as a block. A havoc gets a fresh pool variable as its input.
    pub fn to_block(&self, pool: &mut ExprPool) -> Block {
        let yes = pool.bool(true);
        match self {
            Op::Skip => Block { guard: yes, updates: Vec::new(), inputs: Vec::new() },
            Op::Assume(e) => Block { guard: *e, updates: Vec::new(), inputs: Vec::new() },
            Op::Assign(v, e) => Block { guard: yes, updates: vec![(*v, *e)], inputs: Vec::new() },
            Op::Havoc(v) => {
                let decl = pool.var_decl(*v).clone();
                let input = pool.new_var(format!("{}#in", decl.name), decl.sort);
                let value = pool.var(input);
                Block { guard: yes, updates: vec![(*v, value)], inputs: vec![BlockInput { var: input, origin: Some(*v) }] }
            }
            Op::Block(block) => (**block).clone(),
        }
    }
}
