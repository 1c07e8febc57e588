//! Rules for arrays: reading over writing.

use crate::expr::node::Expr;
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::Value;

/// Longest chain of writes that a read passes.
const FAR: usize = 64;

impl ExprPool {
    pub(super) fn simplify_select(&mut self, array: ExprId, index: ExprId) -> Option<ExprId> {
        if let Some(constant) = self.as_const(array).and_then(Value::as_array)
            && constant.entries().len() == 0
        {
            return Some(self.constant(constant.default()));
        }
        let mut at = array;
        for _ in 0..FAR {
            let Expr::Store(rest, i, element) = self.expr(at) else { break };
            if i == index {
                return Some(element);
            }
            // Two constants are different indices.
            if self.as_const(i).is_none() || self.as_const(index).is_none() {
                break;
            }
            at = rest;
        }
        (at != array).then(|| self.select(at, index))
    }
    pub(super) fn simplify_store(&mut self, array: ExprId, index: ExprId, element: ExprId) -> Option<ExprId> {
        if let Expr::Select(same, i) = self.expr(element)
            && same == array
            && i == index
        {
            return Some(array);
        }
        if let Expr::Store(rest, i, _) = self.expr(array)
            && i == index
        {
            return Some(self.store(rest, index, element));
        }
        None
    }
}
