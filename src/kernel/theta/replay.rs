//! A violation, followed in the written model: edge by edge, statement by statement, on concrete values.
//!
//! An engine's run is the values of its `havoc`s and its choices of edges, cycle by cycle. They are only hints: a run counts
//! because all its statements are executed here.

use std::collections::BTreeMap;

use super::ast::StmtKind;
use super::evaluate::Evaluator;
use super::model::Model;
use crate::cfa::Op;
use crate::expr::{Sort, Value, VarId};

/// A run from the initial to the error location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values of all variables at the start.
    pub start: Vec<Value>,
    /// The edges in order.
    pub steps: Vec<Step>,
}

/// An edge that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its position among the edges of the process.
    pub edge: usize,
    /// Writes in order: the statement, the variable, the value.
    pub writes: Vec<(usize, usize, Value)>,
}

impl Run {
    /// Returns the value of each `havoc` of the model's automaton in this run, in their order.
    pub fn havocs(&self, model: &Model) -> Vec<(VarId, Value)> {
        let process = &model.process;
        let mut given = Vec::new();
        // Variables of the process get arbitrary values only before the first location.
        for edge in model.cfa.edges.iter() {
            if let Op::Havoc(var) = edge.op
                && let Some(at) = model.vars.iter().position(|of| *of == var)
            {
                given.push((var, self.start[at]));
            }
        }
        let mut numbers = vec![0; process.edges.len()];
        let mut n_leaving = vec![0; process.locs.len()];
        for (number, edge) in numbers.iter_mut().zip(&process.edges) {
            *number = n_leaving[edge.source];
            n_leaving[edge.source] += 1;
        }
        for step in &self.steps {
            if let Some(choice) = model.choices.get(&process.edges[step.edge].source)
                && let Sort::BitVec(width) = model.pool.var_decl(*choice).sort
            {
                given.push((*choice, Value::bv(width, numbers[step.edge])));
            }
            let havocs =
                step.writes.iter().filter_map(|(stmt, _, value)| Some((*model.havocs.get(&(step.edge, *stmt))?, *value)));
            given.extend(havocs);
        }
        given
    }
}

/// Reason why no run was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// No run that the hints allow leads to the error location.
    NotFound,
    /// All runs need a value that the model leaves open: an integer divided by zero, or one of more than 128 bits.
    Open,
    /// The search was given up.
    TooLong,
    /// No run, but a loop inside of the counted one repeats choices, and the hints have only one choice of each kind.
    Vague,
}

/// Most tried edges.
const MOST_TRIES: usize = 4_000_000;

/// Searches for a run with these values at its choices: one map per visit of the head; the first one also has the choices before
/// the first visit.
///
/// Cost:      edges that are tried, at most 8 million; linear in the length of the run if the hints are right.
/// Soundness: all statements of the run are executed on concrete values; a condition without a value is false.
pub fn follow(model: &Model, hints: &[BTreeMap<VarId, Value>]) -> Result<Run, NoRun> {
    let mut why = NoRun::NotFound;
    // Choices before the first visit of the head may have a map of their own or share the first one.
    for own_start in [false, true] {
        match Search::new(model, hints, own_start).run() {
            Ok(run) => return Ok(run),
            Err(NoRun::NotFound) => {}
            Err(NoRun::Vague) if why != NoRun::NotFound => {}
            Err(other) => why = other,
        }
    }
    Err(why)
}

struct Search<'a> {
    model: &'a Model,
    hints: &'a [BTreeMap<VarId, Value>],
    /// TRUE if the first hints are for the choices before the head.
    own_start: bool,
    evaluator: Evaluator<'a>,
    outgoing: Vec<Vec<usize>>,
    /// Locations with a choice.
    inner: Vec<bool>,
    state: Vec<Value>,
    open: bool,
    /// Locations with a choice or a `havoc` that were left more than once between two visits of the head.
    vague: bool,
}

/// A location on the path.
struct Place {
    /// Step that reached it; `None` for the first one.
    step: Option<Step>,
    /// Overwritten values of the variables.
    before: Vec<(usize, Value)>,
    /// Its location.
    loc: usize,
    /// Visits of the head so far.
    visits: usize,
    /// Untried edges, the next one last.
    todo: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(model: &'a Model, hints: &'a [BTreeMap<VarId, Value>], own_start: bool) -> Search<'a> {
        let process = &model.process;
        let mut outgoing = vec![Vec::new(); process.locs.len()];
        for (i, edge) in process.edges.iter().enumerate() {
            outgoing[edge.source].push(i);
        }
        let mut inner: Vec<bool> = (0..process.locs.len()).map(|loc| model.choices.contains_key(&loc)).collect();
        for (edge, _) in model.havocs.keys() {
            inner[process.edges[*edge].source] = true;
        }
        let start = |(var, id): (&super::ast::Var, &VarId)| {
            let hint = hints.first().and_then(|values| values.get(id)).copied();
            hint.filter(|value| value.sort() == var.sort).unwrap_or(Value::zero(var.sort))
        };
        let state = process.vars.iter().zip(&model.vars).map(start).collect();
        Search { model, hints, own_start, evaluator: Evaluator::new(process), outgoing, inner, state, open: false, vague: false }
    }
    fn hint(&self, visits: usize, var: VarId) -> Option<Value> {
        let cycle = (visits + usize::from(self.own_start)).saturating_sub(1);
        self.hints.get(cycle).and_then(|values| values.get(&var)).copied()
    }
    fn place(&self, loc: usize, step: Option<Step>, before: Vec<(usize, Value)>, visits: usize) -> Place {
        let visits = visits + usize::from(loc == self.model.head);
        let leaving = &self.outgoing[loc];
        let mut todo: Vec<usize> = leaving.iter().rev().copied().collect();
        if let Some(choice) = self.model.choices.get(&loc)
            && let Some(k) = self.hint(visits, *choice).and_then(Value::as_unsigned)
            && let Some(&hinted) = leaving.get(usize::try_from(k).unwrap_or(usize::MAX)).or(leaving.last())
        {
            todo.retain(|edge| *edge != hinted);
            todo.push(hinted);
        }
        // There is nothing to find beyond the hints.
        if self.hints.len() + 1 < visits {
            todo.clear();
        }
        Place { step, before, loc, visits, todo }
    }
    fn run(mut self) -> Result<Run, NoRun> {
        let process = &self.model.process;
        let start = self.state.clone();
        if process.init == process.error {
            return Ok(Run { start, steps: Vec::new() });
        }
        let mut way = vec![self.place(process.init, None, Vec::new(), 0)];
        for _ in 0..MOST_TRIES {
            let Some(here) = way.last_mut() else {
                return Err(match (self.open, self.vague) {
                    (true, _) => NoRun::Open,
                    (false, true) => NoRun::Vague,
                    (false, false) => NoRun::NotFound,
                });
            };
            let Some(edge) = here.todo.pop() else {
                if let Some(left) = way.pop() {
                    self.undo(left.before);
                }
                continue;
            };
            let visits = here.visits;
            let source = process.edges[edge].source;
            let again = || way.iter().rev().skip(1).take_while(|at| at.visits == visits).any(|at| at.loc == source);
            self.vague = self.vague || (self.inner[source] && again());
            let Some((step, before)) = self.take(edge, visits) else { continue };
            let target = process.edges[edge].target;
            if target == process.error {
                let steps = way.into_iter().filter_map(|place| place.step).chain([step]).collect();
                return Ok(Run { start, steps });
            }
            let place = self.place(target, Some(step), before, visits);
            way.push(place);
        }
        Err(NoRun::TooLong)
    }
    fn undo(&mut self, before: Vec<(usize, Value)>) {
        for (var, value) in before.into_iter().rev() {
            self.state[var] = value;
        }
    }
    /// Executes the statements of an edge. Returns `None`, without a change, if it cannot be taken.
    fn take(&mut self, edge: usize, visits: usize) -> Option<(Step, Vec<(usize, Value)>)> {
        let (mut step, mut before) = (Step { edge, writes: Vec::new() }, Vec::new());
        let process = &self.model.process;
        for (i, stmt) in process.edges[edge].stmts.iter().enumerate() {
            let (var, value) = match stmt.kind {
                StmtKind::Assume(e) => {
                    let holds = self.evaluator.value(e, &self.state);
                    self.open |= holds.is_none();
                    if holds == Some(Value::Bool(true)) {
                        continue;
                    }
                    self.undo(before);
                    return None;
                }
                StmtKind::Assign(var, e) => (var, self.evaluator.value(e, &self.state)),
                StmtKind::Havoc(var) => {
                    let sort = process.vars[var].sort;
                    let hint = self.model.havocs.get(&(edge, i)).and_then(|id| self.hint(visits, *id));
                    (var, Some(hint.filter(|value| value.sort() == sort).unwrap_or(Value::zero(sort))))
                }
            };
            let Some(value) = value.filter(|value| value.sort() == process.vars[var].sort) else {
                self.open = true;
                self.undo(before);
                return None;
            };
            before.push((var, std::mem::replace(&mut self.state[var], value)));
            step.writes.push((i, var, value));
        }
        Some((step, before))
    }
}
