//! The monitor's memory: past operators as variables that change once per cycle, after the observation of the claim.

use plc_frontend::hir::Expr;

use super::formula::Formula;
use super::monitor::Monitor;
use crate::cfa::model::ModelError;
use crate::cfa::{LocId, Op};
use crate::expr::{BvBin, BvCmp, ExprId, Sort, Value, VarId};

impl Monitor<'_, '_> {
    /// Returns the value of a formula at the end of the cycle. Its memories are noted for [`Monitor::remember`]. Places where one
    /// of its conditions cannot be evaluated are added to `faults`.
    ///
    /// Soundness: every condition is evaluated in every cycle, so that memories are those of the whole run.
    pub(super) fn look_back(&mut self, formula: &Formula, faults: &mut Vec<LocId>) -> Result<ExprId, ModelError> {
        Ok(match formula {
            Formula::Now(expr) => {
                let (value, failed, here) = self.splice(expr, self.end)?;
                self.end = here;
                faults.extend(failed);
                value
            }
            Formula::Began(expr) => self.began(expr, faults)?,
            Formula::Not(a) => {
                let a = self.look_back(a, faults)?;
                self.pool.not(a)
            }
            Formula::And(a, b) => {
                let (a, b) = (self.look_back(a, faults)?, self.look_back(b, faults)?);
                self.pool.and(a, b)
            }
            Formula::Or(a, b) => {
                let (a, b) = (self.look_back(a, faults)?, self.look_back(b, faults)?);
                self.pool.or(a, b)
            }
            Formula::Previous(a) => {
                let a = self.look_back(a, faults)?;
                let (memory, before) = self.remembered("#previous");
                self.next.push((memory, a));
                before
            }
            Formula::Once(a) => {
                let a = self.look_back(a, faults)?;
                let (memory, before) = self.remembered("#once");
                let now = self.pool.or(before, a);
                self.next.push((memory, now));
                now
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.look_back(a, faults)?, self.look_back(b, faults)?);
                let (memory, before) = self.remembered("#since");
                let goes_on = self.pool.and(a, before);
                let now = self.pool.or(b, goes_on);
                self.next.push((memory, now));
                now
            }
            Formula::Held(a, ms) => {
                let a = self.look_back(a, faults)?;
                self.held(a, *ms)
            }
        })
    }

    /// Returns whether `a` has been true at the ends of cycles for `ms`, by a stopwatch that stops there.
    fn held(&mut self, a: ExprId, ms: u32) -> ExprId {
        let most = u64::from(ms) + u64::from(self.model.options.dt_max_ms);
        // Enough bits for the sum of the longest time and the longest step; at most 33.
        let width = (u64::BITS - most.leading_zeros()).max(1) as u16;
        let watch = self.pool.new_var("#held", Sort::BitVec(width));
        self.initial.push((watch, Value::bv(width, 0)));
        let (memory, was) = self.remembered("#was");
        let dt = self.pool.var(self.model.dt);
        let dt = if width <= 32 { self.pool.extract(width - 1, 0, dt) } else { self.pool.zero_extend(width, dt) };
        let (before, limit, zero) =
            (self.pool.var(watch), self.pool.constant(Value::bv(width, u128::from(ms))), self.pool.constant(Value::bv(width, 0)));
        let sum = self.pool.bv(BvBin::Add, before, dt);
        let reached = self.pool.bv_cmp(BvCmp::Ule, limit, sum);
        let sum = self.pool.ite(reached, limit, sum);
        let sum = self.pool.ite(was, sum, zero);
        let now = self.pool.ite(a, sum, zero);
        self.next.extend([(watch, now), (memory, a)]);
        let long = self.pool.bv_cmp(BvCmp::Ule, limit, now);
        self.pool.and(a, long)
    }

    fn began(&mut self, expr: &Expr, faults: &mut Vec<LocId>) -> Result<ExprId, ModelError> {
        let (value, failed, here) = self.splice(expr, self.begin)?;
        self.begin = here;
        faults.extend(failed);
        Ok(value)
    }

    fn remembered(&mut self, name: &str) -> (VarId, ExprId) {
        let memory = self.memory(name);
        (memory, self.pool.var(memory))
    }

    /// Assigns the next values of all memories at once: one may depend on another's old value.
    pub(super) fn remember(&mut self) {
        let next = std::mem::take(&mut self.next);
        let mut taken = Vec::new();
        for (memory, value) in next {
            let fresh = self.pool.new_var("#next", self.pool.sort(value));
            self.end = self.flat.step(self.end, Op::Assign(fresh, value));
            taken.push((memory, fresh));
        }
        for (memory, fresh) in taken {
            let value = self.pool.var(fresh);
            self.end = self.flat.step(self.end, Op::Assign(memory, value));
        }
    }
}
