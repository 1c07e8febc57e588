//! Runs a CFA on concrete values: for tests, and to complete a counterexample from its inputs.

use std::collections::BTreeMap;

use plc_frontend::ids::{Id, IndexVec};

use super::automaton::{Cfa, EdgeId, LocId, Op};
use crate::expr::{Evaluator, ExprId, ExprPool, Value, VarDecl, VarId};

/// A CFA in the middle of a run.
///
/// At a location with several feasible edges the first one is taken: for automata whose branches exclude each
/// other, as all lowered ones do. A variable without a value has its sort's zero.
pub struct Simulator<'a> {
    pool: &'a ExprPool,
    cfa: &'a Cfa,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// Location of control.
    pub at: LocId,
    /// Values of all variables of the pool, by their numbers.
    state: Vec<Value>,
    /// The same at the initial location.
    initial: Vec<Value>,
    /// Variables that were written since this was emptied, some several times.
    pub written: Vec<VarId>,
    /// Conditions to evaluate when control leaves these locations.
    pub watched: BTreeMap<LocId, ExprId>,
    /// Locations whose condition was true, in order, since this was emptied.
    pub met: Vec<LocId>,
    evaluator: Evaluator,
}

/// End of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the head: the next cycle may start.
    Head,
    /// At the error location.
    Error,
    /// At a location that no feasible edge leaves.
    Stuck(LocId),
    /// Not within the allowed number of edges.
    TooLong,
}

impl<'a> Simulator<'a> {
    /// Returns a run at the initial location with the initial values.
    pub fn new(pool: &'a ExprPool, cfa: &'a Cfa) -> Simulator<'a> {
        let value = |(var, decl): (VarId, &VarDecl)| cfa.initial.get(&var).copied().unwrap_or_else(|| Value::zero(decl.sort));
        let initial: Vec<Value> = pool.vars().map(value).collect();
        Simulator {
            pool,
            cfa,
            successors: cfa.successors(),
            at: cfa.init,
            state: initial.clone(),
            initial,
            written: Vec::new(),
            watched: BTreeMap::new(),
            met: Vec::new(),
            evaluator: Evaluator::dense(),
        }
    }

    /// Goes back to the initial location with the initial values.
    pub fn restart(&mut self) {
        self.at = self.cfa.init;
        self.state.clone_from(&self.initial);
        self.written.clear();
        self.met.clear();
    }

    /// Gives variables without an initial value their values at the start.
    pub fn start(&mut self, given: &BTreeMap<VarId, Value>) {
        for var in self.cfa.vars.iter().filter(|var| !self.cfa.initial.contains_key(var)) {
            if let Some(value) = given.get(var) {
                self.state[var.index()] = *value;
            }
        }
    }

    /// Runs until control is at the head (again), at the error location, or stuck.
    ///
    /// `input` gives the value of each havocked variable; of the input itself where a block chooses between paths.
    pub fn cycle(&mut self, max_edges: usize, input: &mut dyn FnMut(VarId) -> Value) -> End {
        for _ in 0..max_edges {
            if !self.step(input) {
                return End::Stuck(self.at);
            }
            if self.at == self.cfa.error {
                return End::Error;
            }
            if self.at == self.cfa.head {
                return End::Head;
            }
        }
        End::TooLong
    }

    /// Follows the first feasible edge, if there is one.
    pub fn step(&mut self, input: &mut dyn FnMut(VarId) -> Value) -> bool {
        if let Some(condition) = self.watched.get(&self.at).copied()
            && self.value(condition) == Value::Bool(true)
        {
            self.met.push(self.at);
        }
        for i in 0..self.successors[self.at].len() {
            let edge = &self.cfa.edges[self.successors[self.at][i]];
            let feasible = match &edge.op {
                Op::Skip => true,
                Op::Assume(e) => self.value(*e) == Value::Bool(true),
                Op::Assign(var, e) => {
                    let value = self.value(*e);
                    self.state[var.index()] = value;
                    self.written.push(*var);
                    true
                }
                Op::Havoc(var) => {
                    self.state[var.index()] = input(*var);
                    self.written.push(*var);
                    true
                }
                Op::Block(block) => {
                    let given = block.inputs.iter().map(|i| (i.var, input(i.origin.unwrap_or(i.var))));
                    let given: BTreeMap<VarId, Value> = given.collect();
                    self.evaluator.clear();
                    let feasible = self.value_with(&given, block.guard) == Value::Bool(true);
                    if feasible {
                        let updates = block.updates.iter().map(|(var, e)| (*var, self.value_with(&given, *e)));
                        let updates: Vec<(VarId, Value)> = updates.collect();
                        self.written.extend(updates.iter().map(|(var, _)| *var));
                        updates.into_iter().for_each(|(var, value)| self.state[var.index()] = value);
                    }
                    feasible
                }
            };
            if feasible {
                self.at = edge.target;
                return true;
            }
        }
        false
    }

    /// Returns the value of a variable.
    pub fn variable(&self, var: VarId) -> Value {
        self.state[var.index()]
    }
    /// Returns the value of an expression now.
    pub fn value(&mut self, e: ExprId) -> Value {
        self.evaluator.clear();
        self.value_with(&BTreeMap::new(), e)
    }
    /// Returns the value with some variables replaced; results since the last `clear` are used again.
    fn value_with(&mut self, given: &BTreeMap<VarId, Value>, e: ExprId) -> Value {
        let (state, pool) = (&self.state, self.pool);
        match self.evaluator.eval(pool, e, &|var| Some(given.get(&var).copied().unwrap_or_else(|| state[var.index()]))) {
            Some(value) => value,
            None => unreachable!("every variable has a value"),
        }
    }
}
