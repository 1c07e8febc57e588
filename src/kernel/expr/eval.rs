//! Evaluation under a partial assignment. Every completion of the assignment has the same result; `None` means that it may depend
//! on an unassigned variable.

use super::hash::FastMap;
use super::node::Expr;
use super::pool::{ExprId, ExprPool, VarId};
use super::semantics::apply;
use super::sort::Value;
use plc_frontend::ids::Id;

/// Evaluates many expressions under one assignment and shares the work between them.
///
/// The assignment given to [`Evaluator::eval`] must be the same each time, until [`Evaluator::clear`].
#[derive(Debug, Default)]
pub struct Evaluator {
    known: NodeValues,
    stack: Vec<ExprId>,
}

/// Values of nodes. Constants and variables are read anew each time.
#[derive(Debug)]
enum NodeValues {
    /// Few nodes of a pool.
    Sparse(FastMap<ExprId, Option<Value>>),
    /// By number of the node: `values[i]` counts where `stamps[i]` is `now`.
    Dense { stamps: Vec<u32>, values: Vec<Option<Value>>, now: u32 },
}

impl Default for NodeValues {
    fn default() -> NodeValues {
        NodeValues::Sparse(FastMap::default())
    }
}

impl NodeValues {
    fn get(&self, e: ExprId) -> Option<Option<Value>> {
        match self {
            NodeValues::Sparse(map) => map.get(&e).copied(),
            NodeValues::Dense { stamps, values, now } => {
                let at = e.index();
                (stamps.get(at) == Some(now)).then(|| values[at])
            }
        }
    }
    fn insert(&mut self, e: ExprId, value: Option<Value>) {
        match self {
            NodeValues::Sparse(map) => {
                map.insert(e, value);
            }
            NodeValues::Dense { stamps, values, now } => {
                let at = e.index();
                if stamps.len() <= at {
                    stamps.resize(at + 1, 0);
                    values.resize(at + 1, None);
                }
                (stamps[at], values[at]) = (*now, value);
            }
        }
    }
    fn clear(&mut self) {
        match self {
            NodeValues::Sparse(map) => map.clear(),
            NodeValues::Dense { stamps, now, .. } => {
                *now = now.wrapping_add(1);
                if *now == 0 {
                    stamps.fill(0);
                    *now = 1;
                }
            }
        }
    }
}

impl Evaluator {
    /// Returns an evaluator without cached values.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }
    /// Returns an evaluator for long runs: faster, with memory for each node of the pool up to the largest one that it meets.
    pub fn dense() -> Evaluator {
        Evaluator { known: NodeValues::Dense { stamps: Vec::new(), values: Vec::new(), now: 1 }, stack: Vec::new() }
    }
    /// Forgets all results: before the next assignment. Keeps the memory.
    pub fn clear(&mut self) {
        self.known.clear();
    }
    /// Returns the value of `e` under `env`, if the known values decide it.
    ///
    /// Cost: each node once until [`Evaluator::clear`]; operands that cannot matter are not visited. No recursion.
    pub fn eval(&mut self, pool: &ExprPool, e: ExprId, env: &dyn Fn(VarId) -> Option<Value>) -> Option<Value> {
        let Evaluator { known, stack } = self;
        let mut run = Run { pool, env, known, stack };
        if let Some(value) = run.needed(e) {
            return value;
        }
        let mut last = None;
        while let Some(&e) = run.stack.last() {
            last = run.known.get(e).or_else(|| run.value(e));
            // Otherwise an operand lies above `e` on the stack, and `e` is looked at again after it.
            if let Some(value) = last {
                run.known.insert(e, value);
                run.stack.pop();
            }
        }
        last.flatten()
    }
}

/// One evaluation.
struct Run<'r> {
    pool: &'r ExprPool,
    env: &'r dyn Fn(VarId) -> Option<Value>,
    known: &'r mut NodeValues,
    /// Nodes to evaluate; the operands of a node lie above it.
    stack: &'r mut Vec<ExprId>,
}

impl Run<'_> {
    /// Returns the result of a node; `None` after asking for an operand.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own is strict")]
    fn value(&mut self, e: ExprId) -> Option<Option<Value>> {
        let expr = self.pool.expr(e);
        match expr {
            Expr::And(a, b) => self.lazy(expr, [a, b], Value::Bool(false)),
            Expr::Or(a, b) => self.lazy(expr, [a, b], Value::Bool(true)),
            Expr::Ite(c, a, b) => match self.needed(c)? {
                Some(Value::Bool(true)) => self.needed(a),
                Some(Value::Bool(false)) => self.needed(b),
                _ => self.strict(expr),
            },
            _ => self.strict(expr),
        }
    }
    /// Returns the result of an operand; `None` after asking for it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "operators all have operands")]
    fn needed(&mut self, e: ExprId) -> Option<Option<Value>> {
        match self.pool.expr(e) {
            Expr::Var(var) => Some((self.env)(var).map(Value::canonical)),
            Expr::Const(value) => Some(Some(value)),
            _ => {
                let known = self.known.get(e);
                if known.is_none() {
                    self.stack.push(e);
                }
                known
            }
        }
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
