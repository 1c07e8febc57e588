//! Evaluation under a partial assignment. Every completion of the assignment has the same result; `None` means that it may depend
//! on an unassigned variable.

use super::hash::FastMap;
use super::node::Expr;
use super::pool::{ExprId, ExprPool, VarId};
use super::semantics::apply;
use super::sort::Value;

/// Evaluates many expressions under one assignment and shares the work between them.
///
/// The assignment given to [`Evaluator::eval`] must be the same each time, until [`Evaluator::clear`].
#[derive(Debug, Default)]
pub struct Evaluator {
    known: FastMap<ExprId, Option<Value>>,
    stack: Vec<ExprId>,
}

impl Evaluator {
    /// Returns an evaluator without cached values.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }
    /// Forgets all results: before the next assignment. Keeps the memory.
    pub fn clear(&mut self) {
        self.known.clear();
    }
    /// Returns the value of `e` under `env`, if the known values decide it.
    ///
    /// Cost: each node once until [`Evaluator::clear`]; operands that cannot matter are not visited. No recursion.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own is strict")]
    pub fn eval(&mut self, pool: &ExprPool, e: ExprId, env: &dyn Fn(VarId) -> Option<Value>) -> Option<Value> {
        if let Some(&known) = self.known.get(&e) {
            return known;
        }
        self.stack.push(e);
        while let Some(&e) = self.stack.last() {
            if self.known.contains_key(&e) {
                self.stack.pop();
                continue;
            }
            let expr = pool.expr(e);
            let value = match expr {
                Expr::Var(var) => Some(env(var).map(Value::canonical)),
                Expr::Const(value) => Some(Some(value)),
                Expr::And(a, b) => self.lazy(expr, [a, b], Value::Bool(false)),
                Expr::Or(a, b) => self.lazy(expr, [a, b], Value::Bool(true)),
                Expr::Ite(c, a, b) => match self.needed(c) {
                    None => None,
                    Some(Some(Value::Bool(true))) => self.needed(a),
                    Some(Some(Value::Bool(false))) => self.needed(b),
                    Some(_) => self.strict(expr),
                },
                _ => self.strict(expr),
            };
            // Otherwise an operand lies above `e` on the stack, and `e` is looked at again after it.
            if let Some(value) = value {
                self.known.insert(e, value);
                self.stack.pop();
            }
        }
        self.known.get(&e).copied().flatten()
    }
    /// Returns the result of an operand, or `None` after asking for it.
    fn needed(&mut self, e: ExprId) -> Option<Option<Value>> {
        let known = self.known.get(&e).copied();
        if known.is_none() {
            self.stack.push(e);
        }
        known
    }
    /// Returns all operands, then the node.
    fn strict(&mut self, expr: Expr) -> Option<Option<Value>> {
        let mut values = [None; 3];
        let mut ready = true;
        for (value, operand) in values.iter_mut().zip(expr.children()) {
            match self.needed(operand) {
                Some(known) => *value = known,
                None => ready = false,
            }
        }
        ready.then(|| apply(expr, values))
    }
    /// Returns the first operand; the second only if the first is not the dominant value.
    fn lazy(&mut self, expr: Expr, [a, b]: [ExprId; 2], dominant: Value) -> Option<Option<Value>> {
        let first = self.needed(a)?;
        if first == Some(dominant) {
            return Some(first);
        }
        let second = self.needed(b)?;
        Some(apply(expr, [first, second, None]))
    }
}

impl ExprPool {
    /// Returns the value of `e` under `env`, if the known values decide it. For many expressions use an [`Evaluator`].
    pub fn eval(&self, e: ExprId, env: &dyn Fn(VarId) -> Option<Value>) -> Option<Value> {
        Evaluator::new().eval(self, e, env)
    }
}
