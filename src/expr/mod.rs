//! Sorts, values and hash-consed expressions: the language of models, invariants and queries.
//!
//! Pure: knows no program, no automaton, no solver. **Invariant:** every `ExprId` is
//! well-sorted; constructors check sorts and a violation is our bug, never the user's input.

mod node;
mod pool;
mod sort;

pub use node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, Rounding};
pub use pool::{ExprId, ExprPool, VarDecl, VarId};
pub use sort::{FloatSort, Sort, Value};
