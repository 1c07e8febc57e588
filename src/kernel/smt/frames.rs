//! Expressions in frames, for both solvers: results by frame, definitions, and free variables. It alone decides when a result is
//! stale.

use crate::expr::{ExprId, ExprPool, FastMap, FastSet, VarId};

use super::{Frame, SolverError};

/// Results `T` (gates, terms) of expressions in frames, under the definitions of the open scopes.
#[derive(Debug)]
pub(super) struct Frames<T> {
    places: FastMap<Frame, Place<T>>,
    /// Open scopes; the first is never closed.
    scopes: Vec<Scope>,
}

/// Contents of one frame.
#[derive(Debug)]
pub(super) struct Place<T> {
    /// Results of expressions in this frame.
    pub(super) made: FastMap<ExprId, T>,
    /// Variables with a definition.
    pub(super) defined: FastMap<VarId, T>,
    /// Superset of the free variables in the results.
    pub(super) free: FastSet<VarId>,
}

impl<T> Default for Place<T> {
    fn default() -> Place<T> {
        Place { made: FastMap::default(), defined: FastMap::default(), free: FastSet::default() }
    }
}

#[derive(Debug, Default)]
struct Scope {
    /// Expressions that assertions and definitions of the scope read.
    reads: Vec<(ExprId, Frame)>,
    /// Variables that the scope constrains by an equality instead of a definition.
    equated: Vec<(VarId, Frame)>,
    defined: Vec<(VarId, Frame)>,
}

/// Result of a solver's last check.
pub(super) enum Last {
    /// No check, or an undecided one.
    Nothing,
    Sat,
    /// Positions of the assumptions in the core.
    Unsat(Vec<usize>),
}

impl Last {
    /// Fails if the last check has no model.
    pub(super) fn has_model(&self) -> Result<(), SolverError> {
        if matches!(self, Last::Sat) { Ok(()) } else { Err(SolverError("no model".into())) }
    }
    /// Returns the core; empty if the last check has none.
    pub(super) fn core(&self) -> Vec<usize> {
        if let Last::Unsat(core) = self { core.clone() } else { Vec::new() }
    }
}

/// Treatment of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// The variable becomes the result: [`Frames::alias`].
    Alias,
    /// The variable was mentioned before, so an equality must be asserted.
    Equality,
}

impl<T> Frames<T> {
    pub(super) fn new() -> Frames<T> {
        Frames { places: FastMap::default(), scopes: vec![Scope::default()] }
    }
    /// Takes a frame's place out, to fill it; put it back with [`Frames::put`].
    pub(super) fn take(&mut self, frame: Frame) -> Place<T> {
        std::mem::take(self.places.entry(frame).or_default())
    }
    pub(super) fn put(&mut self, frame: Frame, place: Place<T>) {
        self.places.insert(frame, place);
    }
    pub(super) fn push(&mut self) {
        self.scopes.push(Scope::default());
    }
    /// Ends the definitions of the innermost scope and forgets results over them. `false` if only the first scope is open.
    pub(super) fn pop(&mut self) -> bool {
        if self.scopes.len() < 2 {
            return false;
        }
        for (var, frame) in self.scopes.pop().unwrap_or_default().defined {
            if let Some(place) = self.places.get_mut(&frame) {
                place.defined.remove(&var);
                place.made.clear();
            }
        }
        true
    }
    /// Notes that the innermost scope asserts `e` in `frame`.
    pub(super) fn read(&mut self, e: ExprId, frame: Frame) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.reads.push((e, frame));
        }
    }
    /// Decides how the innermost scope defines `var` in `to` as `e` in `from`, and notes it.
    pub(super) fn plan(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Definition {
        self.read(e, from);
        let place = self.places.entry(to).or_default();
        let definition = if place.defined.contains_key(&var) {
            Definition::Equality
        } else if place.free.contains(&var) || from == to {
            // Mentioned, but perhaps only in past scopes and checks. Then the results may be dropped.
            let reads = self.scopes.iter().flat_map(|scope| &scope.reads).filter(|read| read.1 == to);
            let mut free: FastSet<VarId> = pool.vars_of(&reads.map(|read| read.0).collect::<Vec<_>>()).into_iter().collect();
            free.extend(self.scopes.iter().flat_map(|scope| &scope.equated).filter(|var| var.1 == to).map(|var| var.0));
            let mentioned = free.contains(&var);
            place.made.clear();
            place.free = free;
            if mentioned { Definition::Equality } else { Definition::Alias }
        } else {
            Definition::Alias
        };
        if definition == Definition::Equality
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.equated.push((var, to));
        }
        definition
    }
    /// Defines `var` in `frame` to be `result`, until the innermost scope ends.
    pub(super) fn alias(&mut self, var: VarId, frame: Frame, result: T) {
        self.places.entry(frame).or_default().defined.insert(var, result);
        if let Some(scope) = self.scopes.last_mut() {
            scope.defined.push((var, frame));
        }
    }
    /// Forgets all results, and returns the definitions in a fixed order.
    pub(super) fn forget(&mut self) -> Vec<(VarId, &mut T)> {
        let mut definitions = Vec::new();
        let mut places: Vec<(Frame, &mut Place<T>)> = self.places.iter_mut().map(|(&frame, place)| (frame, place)).collect();
        places.sort_by_key(|&(frame, _)| frame);
        for (_, place) in places {
            place.made.clear();
            let start = definitions.len();
            definitions.extend(place.defined.iter_mut().map(|(&var, result)| (var, result)));
            definitions[start..].sort_by_key(|&(var, _)| var);
        }
        definitions
    }
}
