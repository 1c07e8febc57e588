//! The bit-blaster as a [`Solver`]: scopes are guard literals, definitions cost no clause.

use std::time::{Duration, Instant};

use super::aig::{Gate, Lit};
use super::blast::Blaster;
use super::cnf::Cnf;
use super::disjuncts::{disjuncts, refute_each};
use super::sat::{Answer, Batsat, SatLit, SatSolver};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};
use crate::smt::frames::Last;
use crate::smt::{Frame, Interrupt, Sat, Solver, SolverError};

/// Decides Bool and bit vectors.
///
/// Cost:      each expression becomes gates once per frame, and each gate clauses once, as long as it is in use.
/// Stops:     at the limit of the check and at the interrupt, also inside of one SAT search.
/// Soundness: gates are definitions and stay; assertions and definitions of a closed scope do not.
pub struct BitBlaster {
    interrupt: Interrupt,
    limit: Option<Duration>,
    blaster: Blaster,
    cnf: Cnf<Batsat>,
    /// Open scopes; the first is never closed.
    scopes: Vec<Scope>,
    last: Last,
    /// Values of nodes in the model, computed on demand: 0 unknown, 1 false, 2 true.
    model: Vec<u8>,
    /// Size at which unused parts are dropped.
    room: Room,
    /// Initial room.
    least: Room,
    stale: Stale,
}

/// Variables of the SAT solver that only closed scopes needed. It still decides on them before it finds a model, so many small
/// questions in scopes of their own get slower and slower.
struct Stale {
    /// Number of variables before the outermost open scope.
    before: Option<usize>,
    n_vars: usize,
    /// Most such variables, in addition to the number of used ones.
    most: usize,
}

/// Stale variables that cost less than a rebuild.
const FEW_STALE: usize = 1_000;

#[derive(Default)]
struct Scope {
    /// Assumed while the scope is open; all its clauses hold only under it. The outermost scope needs none.
    guard: Option<SatLit>,
    asserted: Vec<Lit>,
    /// Number of formulas in `asserted` that the SAT solver has.
    sent: usize,
}

/// Limits at which unused parts are dropped.
#[derive(Clone, Copy)]
struct Room {
    n_vars: usize,
    n_gates: usize,
    n_bits: usize,
    /// Checks since the last clean-up.
    checks: usize,
}

const ROOM: Room = Room { n_vars: 100_000, n_gates: 2_000_000, n_bits: 8_000_000, checks: 0 };

impl BitBlaster {
    /// Returns a solver without assertions, which stops when `interrupt` is raised.
    pub fn new(interrupt: &Interrupt) -> BitBlaster {
        BitBlaster {
            interrupt: interrupt.clone(),
            limit: None,
            blaster: Blaster::new(),
            cnf: Cnf::new(Batsat::new(interrupt)),
            scopes: vec![Scope::default()],
            last: Last::Nothing,
            model: Vec::new(),
            room: ROOM,
            least: ROOM,
            stale: Stale { before: None, n_vars: 0, most: FEW_STALE },
        }
    }
    /// Returns a solver that drops unused parts before every check.
    #[cfg(any(test, feature = "testing"))]
    pub fn cramped(interrupt: &Interrupt) -> BitBlaster {
        let none = Room { n_vars: 0, n_gates: 0, n_bits: 0, checks: 0 };
        BitBlaster { room: none, least: none, ..BitBlaster::new(interrupt) }
    }
    /// Returns assumptions under which nothing is possible, if one of them is a disjunction that is refuted disjunct by disjunct.
    fn refuted(&mut self, assumed: &[(SatLit, Option<Lit>)], until: Option<Instant>) -> Option<Vec<SatLit>> {
        assumed.iter().enumerate().find_map(|(at, &(literal, gate))| {
            let parts = disjuncts(&self.blaster.aig, gate?);
            let others: Vec<SatLit> = assumed.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, (l, _))| *l).collect();
            let core = (!parts.is_empty()).then(|| refute_each(&mut self.cnf, &self.blaster.aig, &parts, &others, until))??;
            Some(core.into_iter().chain([literal]).collect())
        })
    }
    fn scope(&mut self) -> Result<&mut Scope, SolverError> {
        self.scopes.last_mut().ok_or_else(|| SolverError("no scope is open".into()))
    }
    /// Drops unused clauses, gates and bits, if there may be many of them.
    fn tidy(&mut self, pool: &ExprPool) -> Result<(), SolverError> {
        self.room.checks += 1;
        let full = self.room.n_vars < self.cnf.sat.n_vars()
            || self.room.n_gates < self.blaster.aig.len()
            || self.room.n_bits < self.blaster.len();
        let in_use = self.cnf.sat.n_vars().saturating_sub(self.stale.n_vars);
        let full = full || self.stale.most.max(in_use) < self.stale.n_vars;
        if full { self.rebuild(pool) } else { Ok(()) }
    }
    fn rebuild(&mut self, pool: &ExprPool) -> Result<(), SolverError> {
        self.cnf = Cnf::new(Batsat::new(&self.interrupt));
        let mut asserted = Vec::new();
        for scope in &mut self.scopes {
            scope.guard = None;
            scope.sent = 0;
            asserted.push(&mut scope.asserted);
        }
        self.blaster.collect(pool, asserted.into_iter().flatten())?;
        // If they are soon needed again, the room was too small.
        let soon = self.room.checks < 200;
        let most = if soon { self.stale.most.saturating_mul(2) } else { FEW_STALE };
        self.stale = Stale { before: self.stale.before.map(|_| 0), n_vars: 0, most };
        let grown = |before: usize, least: usize, now: usize| (if soon { 2 * before } else { least }).max(4 * now);
        self.room = Room {
            n_vars: grown(self.room.n_vars, self.least.n_vars, 0),
            n_gates: grown(self.room.n_gates, self.least.n_gates, self.blaster.aig.len()),
            n_bits: grown(self.room.n_bits, self.least.n_bits, self.blaster.len()),
            checks: 0,
        };
        Ok(())
    }
    /// Gives the SAT solver its missing assertions. Returns the guards of open scopes.
    fn send(&mut self) -> Vec<SatLit> {
        let mut guards = Vec::new();
        for (depth, scope) in self.scopes.iter_mut().enumerate() {
            if 0 < depth && scope.guard.is_none() && !scope.asserted.is_empty() {
                scope.guard = Some(self.cnf.sat.new_var(true));
            }
            for &l in &scope.asserted[scope.sent..] {
                self.cnf.assert(&self.blaster.aig, l, scope.guard);
            }
            scope.sent = scope.asserted.len();
            guards.extend(scope.guard);
        }
        guards
    }
    /// Returns the value of a gate in the last model.
    fn evaluate(&mut self, l: Lit) -> bool {
        let aig = &self.blaster.aig;
        if self.model.len() < aig.len() {
            self.model.resize(aig.len(), 0);
        }
        self.model[0] = 1;
        let mut stack = vec![l.node()];
        while let Some(&node) = stack.last() {
            if self.model[node] != 0 {
                stack.pop();
                continue;
            }
            let of = |l: Lit| match self.model[l.node()] {
                0 => Err(l.node()),
                known => Ok((known == 2) ^ l.negated()),
            };
            let all =
                |operands: [Lit; 3]| -> Result<[bool; 3], usize> { Ok([of(operands[0])?, of(operands[1])?, of(operands[2])?]) };
            let value = match aig.gate(node) {
                Gate::False => Ok(false),
                // An input unknown to the SAT solver is free: 0 will do.
                Gate::Input => Ok(self.cnf.existing(Lit::of_node(node)).is_some_and(|l| self.cnf.sat.model(l))),
                Gate::And(a, b) => all([a, b, Lit::FALSE]).map(|[a, b, _]| a && b),
                Gate::Xor(a, b) => all([a, b, Lit::FALSE]).map(|[a, b, _]| a ^ b),
                Gate::Mux(c, a, b) => all([c, a, b]).map(|[c, a, b]| if c { a } else { b }),
                Gate::Maj(a, b, c) => all([a, b, c]).map(|[a, b, c]| if a { b || c } else { b && c }),
            };
            match value {
                Ok(value) => {
                    self.model[node] = if value { 2 } else { 1 };
                    stack.pop();
                }
                Err(operand) => stack.push(operand),
            }
        }
        (self.model[l.node()] == 2) ^ l.negated()
    }
}

impl Solver for BitBlaster {
    fn push(&mut self) -> Result<(), SolverError> {
        self.stale.before.get_or_insert(self.cnf.sat.n_vars());
        self.scopes.push(Scope::default());
        self.blaster.frames.push();
        Ok(())
    }
    fn pop(&mut self) -> Result<(), SolverError> {
        if !self.blaster.frames.pop() {
            return Err(SolverError("pop without push".into()));
        }
        if let Some(guard) = self.scopes.pop().and_then(|scope| scope.guard) {
            // Its clauses are satisfied forever, and the SAT solver drops them.
            self.cnf.sat.add(&[!guard]);
        }
        if self.scopes.len() == 1
            && let Some(before) = self.stale.before.take()
        {
            self.stale.n_vars += self.cnf.sat.n_vars().saturating_sub(before);
        }
        Ok(())
    }
    fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError> {
        if pool.var_decl(var).sort != pool.sort(e) {
            return Err(SolverError(format!("definition of {var} of another sort")));
        }
        if let Some(equal) = self.blaster.define(pool, var, to, e, from)? {
            self.scope()?.asserted.push(equal);
        }
        Ok(())
    }
    fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), SolverError> {
        let l = self.blaster.bit(pool, e, frame)?;
        self.scope()?.asserted.push(l);
        self.blaster.frames.read(e, frame);
        Ok(())
    }
    fn check(&mut self, pool: &ExprPool, assumptions: &[(ExprId, Frame)]) -> Result<Sat, SolverError> {
        let until = self.limit.map(|limit| Instant::now() + limit);
        self.last = Last::Nothing;
        self.model.clear();
        self.tidy(pool)?;
        let mut assumed: Vec<(SatLit, Option<Lit>)> = self.send().into_iter().map(|guard| (guard, None)).collect();
        let mut positions = Vec::with_capacity(assumptions.len());
        for (i, &(e, frame)) in assumptions.iter().enumerate() {
            let l = self.blaster.bit(pool, e, frame)?;
            if l == Lit::FALSE {
                self.last = Last::Unsat(vec![i]);
                return Ok(Sat::Unsat);
            }
            if l != Lit::TRUE {
                let literal = self.cnf.literal(&self.blaster.aig, l);
                positions.push((literal, i));
                assumed.push((literal, Some(l)));
            }
        }
        let refuted = self.refuted(&assumed, until);
        let assumed: Vec<SatLit> = assumed.into_iter().map(|(literal, _)| literal).collect();
        let answer = if refuted.is_some() { Answer::Unsat } else { self.cnf.sat.solve(&assumed, until) };
        Ok(match answer {
            Answer::Sat => {
                self.last = Last::Sat;
                Sat::Sat
            }
            Answer::Unsat => {
                let mut failed = refuted.unwrap_or_else(|| self.cnf.sat.core());
                failed.sort_unstable();
                failed.dedup();
                // Of equal assumptions one is enough.
                let mut core = Vec::new();
                for &(literal, i) in &positions {
                    if let Ok(at) = failed.binary_search(&literal) {
                        failed.remove(at);
                        core.push(i);
                    }
                }
                self.last = Last::Unsat(core);
                Sat::Unsat
            }
            Answer::Stopped(unknown) => Sat::Unknown(unknown),
        })
    }
    fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Value, SolverError> {
        self.last.has_model()?;
        let bits: Vec<Lit> = self.blaster.bits(pool, e, frame)?.to_vec();
        let mut value = 0u128;
        for (i, &l) in bits.iter().enumerate() {
            value |= u128::from(self.evaluate(l)) << i;
        }
        match pool.sort(e) {
            Sort::Bool => Ok(Value::Bool(value == 1)),
            Sort::BitVec(width) => Ok(Value::bv(width, value)),
            sort @ (Sort::Float(_) | Sort::Int | Sort::Array(..)) => {
                Err(SolverError(format!("the bit-blaster was asked for a {sort}")))
            }
        }
    }
    fn core(&self) -> Vec<usize> {
        self.last.core()
    }
    fn limit(&mut self, ms: Option<u64>) {
        self.limit = ms.map(Duration::from_millis);
    }
}
