//! Sorts, values and hash-consed expressions: the language of models, invariants and queries.
//!
//! Pure: knows no program, no automaton, no solver. **Invariant:** every `ExprId` is
//! well-sorted; constructors check sorts and a violation is our bug, never the user's input.

mod array;
mod eval;
mod few_vars;
mod float;
#[cfg(test)]
mod float_tests;
mod hash;
mod node;
mod pool;
mod print;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, missing_docs, reason = "a generator for tests")]
pub mod random;
mod semantics;
mod simplify;
mod sort;
#[cfg(test)]
mod tests;
mod walk;

pub use array::{ArrayRef, MOST_ENTRIES};
pub use eval::Evaluator;
pub use few_vars::FewVars;
pub use float::{FloatSort, Format};
pub use hash::{FastMap, FastSet};
pub use node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding};
pub use pool::{ExprId, ExprPool, VarDecl, VarId};
pub use sort::{Scalar, Sort, Value};
pub use walk::{Import, Subst, bottom_up};
