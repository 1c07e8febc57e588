//! Live variables of a block: those that may be read before they are written, on a way to its exit or to the error location.
//!
//! At the exit of a block all its variables count as live: its callers may read any.

use plc_frontend::ids::IndexVec;

use super::form::{Action, BlockId, Form, FormEdge, Numbered, Steps, Target};
use super::program::BlockInfo;
use kernel::expr::{ExprId, ExprPool};

/// Set of numbers of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn none(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }
    fn all(n: usize) -> Bits {
        let mut all = Bits::none(n);
        (0..n).for_each(|i| all.insert(i));
        all
    }
    fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }
    pub(super) fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
    /// Adds all of `other`. Returns whether any was new.
    fn extend(&mut self, other: &Bits) -> bool {
        let mut grew = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grew |= *word | more != *word;
            *word |= more;
        }
        grew
    }
}

/// Live variables of a block.
pub(super) struct Liveness {
    /// At each location, if all are live at the exit.
    at: Vec<Bits>,
    /// At the entry, if none is live at the exit.
    needed: Bits,
}

/// Reads and writes of an edge, in numbers of the block.
enum Effect {
    Step {
        guard: Vec<usize>,
        updates: Vec<(usize, Vec<usize>)>,
    },
    /// Variables of the callee: all, those it always reads, those it reads if its results matter.
    Call {
        all: Vec<usize>,
        needed: Vec<usize>,
        read: Vec<usize>,
    },
}

impl Liveness {
    /// Computes the live variables. The blocks that the form calls are in `blocks`.
    pub(super) fn new(
        pool: &ExprPool,
        form: &Form,
        numbered: &Numbered,
        steps: &Steps,
        blocks: &IndexVec<BlockId, BlockInfo>,
    ) -> Liveness {
        let effects: Vec<Effect> = form.edges.iter().map(|edge| effect(pool, edge, numbered, steps, blocks)).collect();
        let n = form.vars.len();
        let at = fixpoint(form, &effects, &Bits::all(n));
        let needed = fixpoint(form, &effects, &Bits::none(n)).swap_remove(0);
        Liveness { at, needed }
    }
    /// Returns the live variables at a location.
    pub(super) fn at(&self, loc: u32) -> &Bits {
        &self.at[loc as usize]
    }
}

fn effect(pool: &ExprPool, edge: &FormEdge, numbered: &Numbered, steps: &Steps, blocks: &IndexVec<BlockId, BlockInfo>) -> Effect {
    let bound = |number: usize| edge.binding[number] as usize;
    match edge.action {
        Action::Step(step) => {
            let block = &steps.all[step];
            let reads = |e: ExprId| -> Vec<usize> {
                pool.vars_of(&[e]).into_iter().filter_map(|var| Some(bound(numbered.number(var)? as usize))).collect()
            };
            let updates = block.updates.iter().filter_map(|(var, e)| Some((bound(numbered.number(*var)? as usize), reads(*e))));
            Effect::Step { guard: reads(block.guard), updates: updates.collect() }
        }
        Action::Call(callee) => {
            let live = &blocks[callee].live;
            let all = 0..edge.binding.len();
            let only = |bits: &Bits| all.clone().filter(|number| bits.contains(*number)).map(bound).collect();
            Effect::Call { needed: only(&live.needed), read: only(&live.at[0]), all: all.clone().map(bound).collect() }
        }
    }
}

fn fixpoint(form: &Form, effects: &[Effect], at_exit: &Bits) -> Vec<Bits> {
    let n = form.vars.len();
    let none = Bits::none(n);
    let mut live = vec![none.clone(); form.n_locs as usize];
    if let Some(exit) = form.exit.loc() {
        live[exit as usize] = at_exit.clone();
    }
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); form.n_locs as usize];
    for (i, edge) in form.edges.iter().enumerate() {
        if let Target::Loc(target) = edge.target {
            entering[target as usize].push(i);
        }
    }
    let mut waiting = vec![true; form.edges.len()];
    let mut todo: Vec<usize> = (0..form.edges.len()).collect();
    while let Some(i) = todo.pop() {
        waiting[i] = false;
        let edge = &form.edges[i];
        let after = match edge.target {
            Target::Loc(target) => &live[target as usize],
            Target::Error => &none,
        };
        let before = before(&effects[i], after);
        if live[edge.source as usize].extend(&before) {
            for &other in &entering[edge.source as usize] {
                if !std::mem::replace(&mut waiting[other], true) {
                    todo.push(other);
                }
            }
        }
    }
    live
}

fn before(effect: &Effect, after: &Bits) -> Bits {
    let mut before = after.clone();
    match effect {
        Effect::Step { guard, updates } => {
            updates.iter().for_each(|(var, _)| before.remove(*var));
            guard.iter().for_each(|var| before.insert(*var));
            for (_, reads) in updates.iter().filter(|(var, _)| after.contains(*var)) {
                reads.iter().for_each(|var| before.insert(*var));
            }
        }
        Effect::Call { all, needed, read } => {
            all.iter().for_each(|var| before.remove(*var));
            let matters = all.iter().any(|var| after.contains(*var));
            needed.iter().chain(if matters { read.as_slice() } else { &[] }).for_each(|var| before.insert(*var));
        }
    }
    before
}
