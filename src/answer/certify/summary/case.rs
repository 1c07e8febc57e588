//! Programs with kept calls, with proofs by summaries that are made by hand.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::super::proof::{Rejected, check_proof};
use kernel::cfa::{Cfa, ModelOptions, Recursion, RecursiveCalls, build};
use kernel::expr::{BvCmp, ExprId, ExprPool, VarId};
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::stated::Stated;

/// McCarthy's function: two calls of itself on one way, one inside of the other.
pub(crate) const MC_CARTHY: &str = "
    FUNCTION M : DINT
    VAR_INPUT n : DINT; END_VAR
    IF n > 100 THEN M := n - 10; ELSE M := M(M(n + 11)); END_IF;
    END_FUNCTION
    PROGRAM Main
    VAR_INPUT x : DINT; END_VAR
    VAR_OUTPUT y : DINT; END_VAR
    y := 91;
    IF x <= 100 AND x > -1000 THEN y := M(x); END_IF;
    END_PROGRAM";

pub(crate) const ALWAYS_91: &str = "{dialect: codesys, requirements: [{ always: y = 91 }]}";

/// Question with kept calls.
pub(crate) struct Case {
    pub(crate) pool: ExprPool,
    pub(crate) cfa: Cfa,
}

impl Case {
    pub(crate) fn new(program: &str, yaml: &str) -> Case {
        let stated = Stated::new(program, yaml);
        let options = ModelOptions { recursive_calls: RecursiveCalls::Kept, ..ModelOptions::default() };
        let model = build(&stated.loaded.project, &options).unwrap();
        let instrumented = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
        Case { pool: instrumented.pool.clone(), cfa: instrumented.strict_cfa() }
    }
    pub(crate) fn recursion(&self) -> &Recursion {
        self.cfa.recursion.as_deref().unwrap()
    }
    /// Returns the state variable of this name, and its value at entry.
    pub(crate) fn state(&self, name: &str) -> (VarId, VarId) {
        let procedure = &self.recursion().procedures[0];
        let at = procedure.state.iter().position(|var| self.pool.var_decl(*var).name == name);
        let at = at.unwrap_or_else(|| {
            panic!("{name} among {:?}", procedure.state.iter().map(|v| &self.pool.var_decl(*v).name).collect::<Vec<_>>())
        });
        (procedure.state[at], procedure.old[at])
    }
    pub(crate) fn check(&self, pool: ExprPool, entry: ExprId, exit: ExprId) -> Result<(), Rejected> {
        let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Interrupt::default() };
        check_proof(&self.pool, &self.cfa, &self.proof(pool, entry, exit), &interrupt).map(drop)
    }
    /// Returns the proof with this summary of the first procedure, and nothing at the head.
    pub(crate) fn proof(&self, mut pool: ExprPool, entry: ExprId, exit: ExprId) -> Proof {
        let procedure = &self.recursion().procedures[0];
        let yes = pool.bool(true);
        let invariants = BTreeMap::from([(procedure.entry, entry), (procedure.exit, exit), (self.cfa.head, yes)]);
        Proof { pool, argument: Argument::Inductive(invariants) }
    }
}

/// Returns the terms of McCarthy's summary: `old <= 100` → `new = result`, `old > 100` → `new = old - 10`.
pub(crate) fn mc_carthy(case: &Case, pool: &mut ExprPool, limit: u128, result: u128) -> ExprId {
    let (new, old) = (case.state("M#M passed").0, case.state("M#n passed").1);
    let (new, old) = (pool.var(new), pool.var(old));
    let mut number = |n: u128| pool.constant(kernel::expr::Value::bv(32, n));
    let (limit, ten, result) = (number(limit), number(10), number(result));
    let low = pool.bv_cmp(BvCmp::Sle, old, limit);
    let less = pool.bv(kernel::expr::BvBin::Sub, old, ten);
    let (is_result, is_less) = (pool.eq(new, result), pool.eq(new, less));
    pool.ite(low, is_result, is_less)
}
