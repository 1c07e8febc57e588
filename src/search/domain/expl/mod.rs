//! `EXPL`: explicit values of the tracked variables, with a configurable number of successors.
//!
//! Source: Hajdu, Micskei, "Efficient Strategies for CEGAR-Based Model Checking", JAR 2020, §2.2.1 and §3.1.1.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::rc::Rc;

use super::step_solver::StepSolvers;
use super::{Domain, Precision, Refutation, RefutationToPrec, Step};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Evaluator, ExprId, ExprPool, FastMap, Value, VarId};

mod compress;
mod learn;
mod post;

/// `maxenum`: limit on enumerated successors; beyond it, undetermined variables become unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxEnum {
    /// `auto`: up to 1,024; if there are more, only of variables that the step assigns; if there are still more, undetermined
    /// variables are unknown.
    Auto,
    /// `0`: all of them, however many. Only time and memory limit it.
    Unlimited,
    /// `1*`: no solver; values that evaluation does not determine are unknown.
    NoSolver,
    /// `k`: up to k; if there are more, values that evaluation does not determine are unknown.
    UpTo(NonZeroU32),
}

/// The tracked variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExplPrec {
    /// In the order of their ids.
    pub vars: BTreeSet<VarId>,
}

impl Precision for ExplPrec {
    fn join(&mut self, other: &Self) -> bool {
        let before = self.vars.len();
        self.vars.extend(&other.vars);
        before < self.vars.len()
    }
    fn restrict(&self, _: &ExprPool, live: &BTreeSet<VarId>) -> Self {
        ExplPrec { vars: self.vars.intersection(live).copied().collect() }
    }
    fn size(&self) -> usize {
        self.vars.len()
    }
    fn predicates(&self) -> Vec<ExprId> {
        Vec::new()
    }
    fn describe(&self, pool: &ExprPool) -> Vec<String> {
        self.vars.iter().map(|&var| pool.var_decl(var).name.clone()).collect()
    }
}

/// Values of variables, ascending by variable; a variable that is missing may have any value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExplState(Rc<[(VarId, Value)]>);

impl ExplState {
    /// Makes a state of values, ascending by variable.
    pub(crate) fn new(values: Vec<(VarId, Value)>) -> ExplState {
        debug_assert!(values.is_sorted_by_key(|(var, _)| *var));
        ExplState(values.into())
    }
    /// Returns the value of `var`, if it is known.
    pub fn get(&self, var: VarId) -> Option<Value> {
        self.0.binary_search_by_key(&var, |(v, _)| *v).ok().map(|i| self.0[i].1)
    }
    /// Returns the known values, ascending by variable.
    pub fn values(&self) -> &[(VarId, Value)] {
        &self.0
    }
    /// Returns the state restricted to `vars`; `None` if one of them is unknown.
    fn project(&self, vars: &[VarId]) -> Option<ExplState> {
        vars.iter().map(|&var| Some((var, self.get(var)?))).collect::<Option<Vec<_>>>().map(ExplState::new)
    }
}

/// States by their sets of known variables. A state covers another one iff it equals the other's restriction to its own
/// variables.
#[derive(Default)]
pub struct ExplShelf {
    shapes: BTreeMap<Vec<VarId>, FastMap<ExplState, Vec<u32>>>,
}

/// The explicit-value domain.
pub struct Expl {
    max_enum: MaxEnum,
    solvers: StepSolvers,
    evaluator: Evaluator,
}

impl Expl {
    /// Returns a domain with a limit on enumeration and a source of solvers.
    pub fn new(max_enum: MaxEnum, solvers: MakeSolver) -> Expl {
        Expl { max_enum, solvers: StepSolvers::new(solvers), evaluator: Evaluator::new() }
    }
}

impl Domain for Expl {
    type State = ExplState;
    type Prec = ExplPrec;
    type Shelf = ExplShelf;

    fn top(&self) -> ExplState {
        ExplState::new(Vec::new())
    }
    /// Returns the successors; `under` is the solver's question where one is asked.
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &ExplState,
        step: Step<'_>,
        prec: &ExplPrec,
        under: ExprId,
    ) -> Result<Vec<ExplState>, Stop> {
        self.successors(cx, state, step, prec, under)
    }
    fn leq(&self, a: &ExplState, b: &ExplState) -> bool {
        b.values().iter().all(|&(var, value)| a.get(var) == Some(value))
    }
    fn shelve(&self, shelf: &mut ExplShelf, state: &ExplState, key: u32) {
        let shape = state.values().iter().map(|(var, _)| *var).collect();
        shelf.shapes.entry(shape).or_default().entry(state.clone()).or_default().push(key);
    }
    fn candidates(&self, shelf: &ExplShelf, state: &ExplState) -> Vec<u32> {
        let of_shape =
            |(shape, states): (&Vec<VarId>, &FastMap<ExplState, Vec<u32>>)| states.get(&state.project(shape)?).cloned();
        // Of equal states the newest: older ones were covered, or they would cover it.
        shelf.shapes.iter().filter_map(of_shape).flat_map(|keys| keys.into_iter().rev()).collect()
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&ExplState]) -> ExprId {
        compress::union(pool, states)
    }
    fn describe(&self, pool: &ExprPool, state: &ExplState) -> String {
        let values: Vec<String> =
            state.values().iter().map(|&(var, value)| format!("{} = {}", pool.var_decl(var).name, text(value))).collect();
        if values.is_empty() { "true".to_owned() } else { values.join("\n") }
    }
}

impl RefutationToPrec for Expl {
    /// Returns the variables of the interpolants; without interpolants those through which the causes act.
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(match &refutation.itps {
            Some(itps) => itps.iter().map(|&itp| ExplPrec { vars: pool.vars_of(&[itp]) }).collect(),
            None => return self.to_more_prec(pool, refutation),
        })
    }
    /// Returns all variables through which the causes act: a relation between variables can be lost where only one of them is
    /// tracked, so both are tracked from where they are assigned.
    fn to_more_prec(&self, _: &mut ExprPool, refutation: &Refutation) -> Option<Vec<ExplPrec>> {
        Some(refutation.vars.iter().map(|vars| ExplPrec { vars: vars.clone() }).collect())
    }
}

/// Returns a value for people: numbers as signed.
fn text(value: Value) -> String {
    match value {
        Value::Bool(b) => if b { "TRUE" } else { "FALSE" }.to_owned(),
        Value::BitVec { .. } | Value::F32(_) | Value::F64(_) | Value::Float(..) | Value::Int(_) | Value::Array(_) => {
            value.to_string()
        }
    }
}
