//! Guesses of invariants: facts of forms that are common in PLC programs, true of all simulated states.
//!
//! A guess proves nothing; [`super::houdini`] keeps those that are inductive together.
//!
//! Source: the idea of templates over simulated states follows Kahsai, Ge, Tinelli, "Instantiation-based invariant
//! discovery", NFM 2011, doi:10.1007/978-3-642-20398-5_15.

use std::collections::{BTreeMap, BTreeSet};

use super::proportions::proportions;
use super::simulate::{State, constants};
use kernel::cfa::pass::System;
use kernel::expr::{BvCmp, Evaluator, Expr, ExprId, ExprPool, FpCmp, FpTest, IntCmp, Sort, Value, VarId};

mod implications;

/// Limits on the number of guesses of each form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateOptions {
    /// Facts about one variable, or comparisons of two.
    pub(crate) units: usize,
    /// Implications between two facts.
    pub(crate) implications: usize,
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions { units: 2_000, implications: 4_000 }
    }
}

/// Returns guesses that hold in each of `states`, without repetition, the most useful first.
///
/// With several cut points, each has guesses of its own.
pub(crate) fn candidates(pool: &mut ExprPool, system: &System, states: &[State], options: CandidateOptions) -> Vec<ExprId> {
    let Some((pc, column)) = system.pc.and_then(|pc| Some((pc, system.vars.binary_search(&pc).ok()?))) else {
        return at_one_place(pool, system, states, options);
    };
    let mut facts = Vec::new();
    for (_, place) in &system.cuts {
        let here: Vec<State> = states.iter().filter(|state| state[column] == *place).cloned().collect();
        let (at, place) = (pool.var(pc), pool.constant(*place));
        let elsewhere = pool.ne(at, place);
        if here.is_empty() {
            facts.push(elsewhere);
        } else {
            let own = at_one_place(pool, system, &here, options);
            facts.extend(own.into_iter().map(|fact| pool.or(elsewhere, fact)));
        }
    }
    facts
}

fn at_one_place(pool: &mut ExprPool, system: &System, states: &[State], options: CandidateOptions) -> Vec<ExprId> {
    let mut guess = Guess::new(pool, system, states);
    let mut units = Vec::new();
    for (i, var) in system.vars.iter().enumerate() {
        if Some(*var) != system.pc {
            guess.about_one(i, &mut units);
        }
    }
    proportions(&mut guess, &mut units);
    let atoms = guess.atoms();
    let mut facts = Vec::new();
    let mut varying = Vec::new();
    for atom in atoms {
        match guess.truth(atom.e) {
            Truth::Always => units.push(atom.e),
            Truth::Never => {
                let not = guess.pool.not(atom.e);
                units.push(not);
            }
            Truth::Sometimes(bits) => varying.push((atom, bits)),
            Truth::Undetermined => {}
        }
    }
    units.retain(|e| matches!(guess.truth(*e), Truth::Always));
    units.truncate(options.units);
    facts.append(&mut units);
    facts.append(&mut guess.implications(&varying, options.implications));
    let mut seen = BTreeSet::new();
    facts.retain(|e| guess.pool.as_const(*e).is_none() && seen.insert(*e));
    facts
}

/// One bit per state.
type Bits = Vec<u64>;

enum Truth {
    Always,
    Never,
    Sometimes(Bits),
    /// Not a value in some state.
    Undetermined,
}

/// Returns for each variable the related ones: some right-hand side reads both, or its next value reads them.
pub(crate) fn related(pool: &ExprPool, system: &System) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let mut related: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    /// Most variables of a right-hand side that relates them; a larger one says little about any two.
    const WIDE: usize = 24;
    let is_state = |var: &VarId| system.vars.binary_search(var).is_ok();
    for (target, e) in system.next.iter().map(|(var, e)| (Some(*var), *e)).chain([(None, system.bad)]) {
        let read: BTreeSet<VarId> = pool.vars_of(&[e]).into_iter().filter(is_state).collect();
        for var in &read {
            if let Some(target) = target {
                related.entry(target).or_default().insert(*var);
                related.entry(*var).or_default().insert(target);
            }
            if read.len() <= WIDE || target.is_none() {
                related.entry(*var).or_default().extend(&read);
            }
        }
    }
    // The next values of two variables may share inputs only; in a small system every pair is worth a try.
    if system.vars.len() <= 40 {
        for var in &system.vars {
            related.insert(*var, system.vars.iter().copied().collect());
        }
    }
    related
}

pub(super) struct Guess<'a> {
    pub(super) pool: &'a mut ExprPool,
    pub(super) system: &'a System,
    pub(super) states: &'a [State],
    pub(super) constants: BTreeMap<Sort, BTreeSet<Value>>,
    related: BTreeMap<VarId, BTreeSet<VarId>>,
    evaluator: Evaluator,
}

impl<'a> Guess<'a> {
    fn new(pool: &'a mut ExprPool, system: &'a System, states: &'a [State]) -> Guess<'a> {
        let constants = constants(pool, system);
        let related = related(pool, system);
        Guess { pool, system, states, constants, related, evaluator: Evaluator::new() }
    }

    fn column(&self, i: usize) -> BTreeSet<Value> {
        self.states.iter().map(|state| state[i]).collect()
    }

    pub(super) fn is_related(&self, a: VarId, b: VarId) -> bool {
        self.related.get(&a).is_some_and(|set| set.contains(&b))
    }

    /// Adds guesses about one variable: constants, sets of values, bounds.
    fn about_one(&mut self, i: usize, out: &mut Vec<ExprId>) {
        let var = self.system.vars[i];
        let x = self.pool.var(var);
        let seen = self.column(i);
        if let (Some(value), 1) = (seen.first(), seen.len()) {
            let value = self.pool.constant(*value);
            out.push(self.pool.eq(x, value));
        }
        match self.pool.sort(x) {
            Sort::Bool => {}
            Sort::BitVec(width) => {
                if let Some(values) = self.values_of(var) {
                    out.push(self.one_of(x, &values));
                }
                /// Most values of a set; more are a range.
                const FEW: usize = 8;
                if seen.len() <= FEW {
                    out.push(self.one_of(x, &seen));
                }
                self.bounds(x, width, &seen, out);
            }
            Sort::Int => {
                /// Most values of a set; more are a range.
                const FEW: usize = 8;
                if let Some(values) = self.values_of(var) {
                    out.push(self.one_of(x, &values));
                }
                if seen.len() <= FEW {
                    out.push(self.one_of(x, &seen));
                }
                // Extremes of the states, and constants of the model.
                let known = self.constants.get(&Sort::Int).into_iter().flatten();
                let ends: BTreeSet<Value> = seen.first().into_iter().chain(seen.last()).chain(known).copied().collect();
                for c in ends {
                    let c = self.pool.constant(c);
                    out.push(self.pool.int_cmp(IntCmp::Le, c, x));
                    out.push(self.pool.int_cmp(IntCmp::Le, x, c));
                }
            }
            Sort::Array(..) => {}
            Sort::Float(_) => {
                let nan = self.pool.fp_test(FpTest::IsNan, x);
                out.push(self.pool.not(nan));
                let known: Vec<Value> = self.constants.get(&self.pool.sort(x)).into_iter().flatten().copied().collect();
                for c in known {
                    let c = self.pool.constant(c);
                    out.push(self.pool.fp_cmp(FpCmp::Le, c, x));
                    out.push(self.pool.fp_cmp(FpCmp::Le, x, c));
                }
            }
        }
    }

    fn one_of(&mut self, x: ExprId, values: &BTreeSet<Value>) -> ExprId {
        let mut any = Vec::new();
        for value in values {
            let value = self.pool.constant(*value);
            any.push(self.pool.eq(x, value));
        }
        self.pool.or_all(any)
    }

    /// Returns all values of a variable whose next value is always its old one or one of finitely many constants.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own has values that are not known")]
    fn values_of(&self, var: VarId) -> Option<BTreeSet<Value>> {
        const MANY: usize = 40;
        let (_, next) = self.system.next.iter().find(|(v, _)| *v == var)?;
        let mut values = BTreeSet::from([*self.system.initial.get(&var)?]);
        let (mut open, mut seen) = (vec![*next], BTreeSet::new());
        while let Some(e) = open.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.pool.expr(e) {
                Expr::Ite(_, a, b) => open.extend([a, b]),
                Expr::Const(value) => {
                    values.insert(value);
                }
                Expr::Var(v) if v == var => {}
                _ => return None,
            }
            if MANY < values.len() {
                return None;
            }
        }
        Some(values)
    }

    /// Adds bounds: the extremes of the values in the states, and constants of the program beyond them.
    fn bounds(&mut self, x: ExprId, width: u16, seen: &BTreeSet<Value>, out: &mut Vec<ExprId>) {
        /// Bounds per side; the true one is mostly the next constant or the one after.
        const PER_SIDE: usize = 4;
        let known: Vec<u128> = self
            .constants
            .get(&Sort::BitVec(width))
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_unsigned())
            .flat_map(|bits| [bits, bits.wrapping_add(1), bits.wrapping_sub(1)])
            .chain([0])
            .collect();
        let signed = |bits: u128| Value::bv(width, bits).as_signed().unwrap_or(0);
        let values: Vec<i128> = seen.iter().filter_map(|value| value.as_signed()).collect();
        let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else { return };
        let limits: BTreeSet<i128> = known.iter().map(|bits| signed(*bits)).chain([*low, *high]).collect();
        for limit in limits.range(*high..).take(PER_SIDE) {
            let c = self.pool.constant(Value::int(width, *limit));
            out.push(self.pool.bv_cmp(BvCmp::Sle, x, c));
        }
        for limit in limits.range(..=*low).rev().take(PER_SIDE) {
            let c = self.pool.constant(Value::int(width, *limit));
            out.push(self.pool.bv_cmp(BvCmp::Sle, c, x));
        }
        let values: Vec<u128> = seen.iter().filter_map(|value| value.as_unsigned()).collect();
        let Some(high) = values.iter().max() else { return };
        let limits: BTreeSet<u128> =
            known.iter().filter_map(|bits| Value::bv(width, *bits).as_unsigned()).chain([*high]).collect();
        for limit in limits.range(*high..).take(PER_SIDE) {
            let c = self.pool.constant(Value::bv(width, *limit));
            out.push(self.pool.bv_cmp(BvCmp::Ule, x, c));
        }
    }

    fn truth(&mut self, e: ExprId) -> Truth {
        let mut bits = vec![0u64; self.states.len().div_ceil(64)];
        let mut n_true = 0;
        for (i, state) in self.states.iter().enumerate() {
            self.evaluator.clear();
            let system = self.system;
            let env = |var: VarId| system.vars.binary_search(&var).ok().map(|i| state[i]);
            match self.evaluator.eval(self.pool, e, &env) {
                Some(Value::Bool(true)) => {
                    bits[i / 64] |= 1 << (i % 64);
                    n_true += 1;
                }
                Some(Value::Bool(false)) => {}
                Some(_) | None => return Truth::Undetermined,
            }
        }
        match n_true {
            0 => Truth::Never,
            n if n == self.states.len() => Truth::Always,
            _ => Truth::Sometimes(bits),
        }
    }
}
