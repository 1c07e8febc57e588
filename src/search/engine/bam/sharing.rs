//! Precisions by block: a thing learnt in one call is tracked in all calls of the block.
//!
//! A predicate belongs to the smallest place that has all its variables. Places are regions and, since actual values are made
//! there, the steps that lead to the entry of a region. All places of one form track it, each with its own variables.

use std::collections::{BTreeMap, BTreeSet};

use super::form::{Action, BlockId, Numbered, Target};
use super::names::Names;
use super::program::{Instance, Origin, Program};
use crate::domain::{Precision, SharedPrecision, StepId};
use kernel::cfa::Cfa;
use kernel::expr::{ExprId, ExprPool, Subst, VarId};

/// Form of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Block(BlockId),
    /// A step that leads to the entry of a call.
    Before(StepId, BlockId),
}

/// A place: its variables by number.
struct Place {
    owner: Owner,
    vars: Vec<VarId>,
    set: BTreeSet<VarId>,
}

/// Things tracked by form of place.
pub(super) struct Sharing<P> {
    places: Vec<Place>,
    of_owner: BTreeMap<Owner, Vec<usize>>,
    of_var: BTreeMap<VarId, Vec<usize>>,
    learnt: BTreeMap<Owner, P>,
    /// Everything tracked, in the names of the outermost block.
    pub(super) total: P,
    /// Names in the outermost block.
    main: BTreeMap<VarId, ExprId>,
}

impl<P: SharedPrecision> Sharing<P> {
    /// Returns the empty precision.
    ///
    /// Cost: the number of variables of all regions.
    pub(super) fn new(pool: &mut ExprPool, cfa: &Cfa, program: &Program, numbered: &mut Numbered) -> Sharing<P> {
        let mut places = vec![Place::new(Owner::Block(program.main.block), program.main.vars.clone())];
        for instance in program.regions.iter() {
            places.push(Place::new(Owner::Block(instance.block), instance.vars.clone()));
        }
        for instance in program.regions.iter().chain([&program.main]) {
            places.extend(steps_before_calls(cfa, program, instance));
        }
        let (mut of_owner, mut of_var): (BTreeMap<Owner, Vec<usize>>, BTreeMap<VarId, Vec<usize>>) = Default::default();
        for (i, place) in places.iter().enumerate() {
            of_owner.entry(place.owner).or_default().push(i);
            for var in &place.set {
                of_var.entry(*var).or_default().push(i);
            }
        }
        let main = Names::new(pool, numbered, &program.main.vars).into.map().clone();
        Sharing { places, of_owner, of_var, learnt: BTreeMap::new(), total: P::default(), main }
    }
    /// Adds what a precision over the automaton's variables tracks. Returns whether any of it was new.
    pub(super) fn learn(&mut self, pool: &mut ExprPool, numbered: &mut Numbered, prec: &P) -> bool {
        let mut grew = false;
        for (vars, item) in prec.items(pool) {
            let Some(place) = self.smallest(&vars).map(|at| &self.places[at]) else { continue };
            // Numbers of the variables at the place, with their names in the form.
            let numbers: Vec<(usize, VarId)> =
                place.vars.iter().copied().enumerate().filter(|(_, var)| vars.contains(var)).collect();
            let mut named = Vec::with_capacity(numbers.len());
            for &(number, var) in &numbers {
                let sort = pool.var_decl(var).sort;
                named.push((number, numbered.var(pool, number as u32, sort)));
            }
            let by = numbers.iter().zip(&named).map(|((_, var), (_, name))| (*var, pool.var(*name))).collect();
            let canonical = item.renamed(pool, &mut Subst::new(by));
            if !self.learnt.entry(place.owner).or_default().join(&canonical) {
                continue;
            }
            grew = true;
            for &at in &self.of_owner[&place.owner] {
                let place = &self.places[at];
                let here = |(number, name): &(usize, VarId)| Some((*name, *self.main.get(place.vars.get(*number)?)?));
                let by = named.iter().filter_map(here).collect();
                self.total.join(&canonical.renamed(pool, &mut Subst::new(by)));
            }
        }
        grew
    }
    /// Returns the number of different things tracked: the same predicate in many calls counts once.
    pub(super) fn size(&self) -> usize {
        self.learnt.values().map(Precision::size).sum()
    }
    /// Returns the smallest place that has all of `vars`.
    fn smallest(&self, vars: &BTreeSet<VarId>) -> Option<usize> {
        let candidates = vars.iter().map(|var| self.of_var.get(var)).collect::<Option<Vec<_>>>()?;
        let fewest = candidates.into_iter().min_by_key(|places| places.len())?;
        let has_all = |at: &&usize| vars.is_subset(&self.places[**at].set);
        fewest.iter().filter(has_all).min_by_key(|at| (self.places[**at].vars.len(), **at)).copied()
    }
}

impl Place {
    fn new(owner: Owner, vars: Vec<VarId>) -> Place {
        let set = vars.iter().copied().collect();
        Place { owner, vars, set }
    }
}

/// Returns the steps of a region that lead to calls.
fn steps_before_calls(cfa: &Cfa, program: &Program, instance: &Instance) -> Vec<Place> {
    let info = &program.blocks[instance.block];
    let mut callee: BTreeMap<u32, BlockId> = BTreeMap::new();
    for edge in &info.form.edges {
        if let Action::Call(block) = edge.action {
            callee.insert(edge.source, block);
        }
    }
    let mut places = Vec::new();
    for (edge, origin) in info.form.edges.iter().zip(&instance.edges) {
        let (Action::Step(step), Target::Loc(target)) = (edge.action, edge.target) else { continue };
        let is_step = matches!(origin, Origin::Edge(id) if cfa.edges[*id].source != cfa.init);
        if let Some(block) = callee.get(&target).filter(|_| is_step) {
            let vars = edge.binding.iter().map(|number| instance.vars[*number as usize]).collect();
            places.push(Place::new(Owner::Before(step, *block), vars));
        }
    }
    places
}
