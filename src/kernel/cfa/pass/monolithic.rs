//! One step relation for the whole automaton, for bounded model checking, k-induction and PDR.

use std::collections::{BTreeMap, BTreeSet};

use crate::cfa::automaton::{Cfa, LocId, LocKind};
use crate::cfa::block::{Block, BlockInput};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};

/// A transition system over states at cut points.
///
/// A step from state s with inputs i is possible iff `guard`; then every variable has its `next` value at once. The error
/// location is reached within a step from s with i iff `bad`; `guard` and `bad` exclude each other for the same i.
/// **Invariant:** `next` has every variable of `vars`, in their order.
#[derive(Clone, Debug)]
pub struct System {
    /// The variables of the state, ascending; `pc` among them if there is one.
    pub vars: Vec<VarId>,
    /// Their values at the start; a variable without one starts arbitrary.
    pub initial: BTreeMap<VarId, Value>,
    /// Arbitrary values of each step.
    pub inputs: Vec<BlockInput>,
    /// Those of each block, with the Bool that a step takes it.
    pub blocks: Vec<(ExprId, Vec<BlockInput>)>,
    /// The value of each variable after a step.
    pub next: Vec<(VarId, ExprId)>,
    /// Bool: a step is possible.
    pub guard: ExprId,
    /// Bool: the error location is reached within this step.
    pub bad: ExprId,
    /// Number of the cut point; `None` if the head of the scan cycle is the only one, and then one step is one cycle.
    pub pc: Option<VarId>,
    /// Value of `pc` at the start of runs, if the start is a cut point of its own: no step leads there.
    pub start: Option<Value>,
    /// Values of `pc` before and after a step that does not end at the error location.
    pub ways: Vec<(Value, Value)>,
    /// The cut points, by their location in the unreduced CFA, with the value of `pc`.
    pub cuts: Vec<(LocId, Value)>,
}

/// Returns the step relation of a CFA whose edges are blocks between cut points; see [`super::Encoding::Lbe`].
///
/// Edges that leave one location must exclude each other, as those that the large-block encoding makes do.
pub fn monolithic(pool: &mut ExprPool, cfa: &Cfa) -> System {
    let trivial = |block: &Block, pool: &ExprPool| pool.is_true(block.guard) && block.updates.is_empty();
    let blocks: Vec<(LocId, LocId, Block)> =
        cfa.edges.iter().map(|edge| (edge.source, edge.target, edge.op.to_block(pool))).collect();
    // A start that only goes to the head is no cut point of its own.
    let mut at_init = blocks.iter().filter(|(source, _, _)| *source == cfa.init);
    let starts_at_head = match (at_init.next(), at_init.next()) {
        (Some((_, target, block)), None) => *target == cfa.head && trivial(block, pool),
        (Some(_), Some(_)) => false,
        // No edge leads to the error location, so the cut point does not matter.
        (None, _) => true,
    };
    let mut places: Vec<LocId> = Vec::new();
    if !starts_at_head {
        places.push(cfa.init);
    }
    places.push(cfa.head);
    let loops = cfa.locs.iter_enumerated().filter(|(id, loc)| loc.kind == LocKind::LoopHead && *id != cfa.head);
    places.extend(loops.map(|(id, _)| id));
    // Cut points of the encoding only.
    let others = blocks.iter().flat_map(|(source, target, _)| [*source, *target]);
    for loc in others.filter(|loc| *loc != cfa.error && (*loc != cfa.init || !starts_at_head)) {
        if !places.contains(&loc) {
            places.push(loc);
        }
    }
    let width = (usize::BITS - (places.len() - 1).leading_zeros()).max(1) as u16;
    let number = |loc: LocId| {
        let at = places.iter().position(|p| *p == loc);
        Value::bv(width, at.unwrap_or(0) as u128)
    };
    let pc = if places.len() > 1 { Some(pool.new_var("#pc", Sort::BitVec(width))) } else { None };

    let mut next: BTreeMap<VarId, ExprId> = cfa.vars.iter().map(|var| (*var, pool.var(*var))).collect();
    if let Some(pc) = pc {
        next.insert(pc, pool.var(pc));
    }
    let (mut guard, mut bad) = (pool.bool(false), pool.bool(false));
    let (mut inputs, mut of_blocks): (Vec<BlockInput>, Vec<(ExprId, Vec<BlockInput>)>) = Default::default();
    for (source, target, block) in blocks.iter().filter(|(source, _, _)| *source != cfa.init || !starts_at_head) {
        let here = match pc {
            Some(pc) => {
                let (pc, at) = (pool.var(pc), pool.constant(number(*source)));
                pool.eq(pc, at)
            }
            None => pool.bool(true),
        };
        let taken = pool.and(here, block.guard);
        of_blocks.push((taken, block.inputs.clone()));
        inputs.extend(block.inputs.iter().filter(|input| !inputs.contains(input)).copied().collect::<Vec<_>>());
        if *target == cfa.error {
            bad = pool.or(bad, taken);
            continue;
        }
        guard = pool.or(guard, taken);
        for (var, e) in &block.updates {
            // A single way needs no condition for its values: they matter only if the step is possible.
            let value = if blocks.iter().filter(|(_, t, _)| *t != cfa.error).count() == 1 + usize::from(starts_at_head) {
                *e
            } else {
                let other = next.get(var).copied().unwrap_or_else(|| pool.var(*var));
                pool.ite(taken, *e, other)
            };
            next.insert(*var, value);
        }
        if let Some(pc) = pc {
            let (other, there) = (next[&pc], pool.constant(number(*target)));
            let value = pool.ite(taken, there, other);
            next.insert(pc, value);
        }
    }
    let mut initial = cfa.initial.clone();
    if let Some(pc) = pc {
        initial.insert(pc, number(if starts_at_head { cfa.head } else { cfa.init }));
    }
    inputs.sort_unstable();
    let good = blocks.iter().filter(|(source, target, _)| *target != cfa.error && places.contains(source));
    let ways: BTreeSet<(Value, Value)> = good.map(|(source, target, _)| (number(*source), number(*target))).collect();
    System {
        vars: next.keys().copied().collect(),
        initial,
        inputs,
        blocks: of_blocks,
        next: next.into_iter().collect(),
        guard,
        bad,
        pc,
        start: (!starts_at_head).then(|| number(cfa.init)),
        ways: ways.into_iter().collect(),
        cuts: places.iter().map(|loc| (cfa.locs[*loc].origin, number(*loc))).collect(),
    }
}

impl System {
    /// Returns the inputs of steps, with the Bool that a step has them; `None`: each step has them.
    pub fn taken(&self) -> impl Iterator<Item = (Option<ExprId>, &[BlockInput])> {
        let all = self.pc.is_none().then_some((None, self.inputs.as_slice()));
        let blocks = self.blocks.iter().map(|(taken, inputs)| (Some(*taken), inputs.as_slice()));
        all.into_iter().chain(blocks.filter(|_| self.pc.is_some()))
    }
    /// Returns the condition that a state at a start of its own has the initial values; TRUE where runs start at the head.
    pub fn start_is_initial(&self, pool: &mut ExprPool) -> ExprId {
        let (Some(pc), Some(start)) = (self.pc, self.start) else { return pool.bool(true) };
        let mut equal = |(var, value): (&VarId, &Value)| {
            let (var, value) = (pool.var(*var), pool.constant(*value));
            pool.eq(var, value)
        };
        let (here, values) = (equal((&pc, &start)), self.initial.iter().map(&mut equal).collect::<Vec<_>>());
        let values = pool.and_all(values);
        pool.implies(here, values)
    }
    /// Returns the number of steps before the first visit of the head or of a loop: 1 where the start is a cut point of its own.
    pub fn n_start_steps(&self) -> u32 {
        u32::from(self.start.is_some())
    }

    /// Returns an invariant of the system as one per cut point, over the locations of the unreduced CFA.
    pub fn per_cut(&self, pool: &mut ExprPool, invariant: ExprId) -> BTreeMap<LocId, ExprId> {
        let mut per_cut = BTreeMap::new();
        for (loc, at) in &self.cuts {
            let here = match self.pc {
                Some(pc) => {
                    let at = pool.constant(*at);
                    pool.subst(invariant, &BTreeMap::from([(pc, at)]))
                }
                None => invariant,
            };
            per_cut.insert(*loc, here);
        }
        per_cut
    }
}
