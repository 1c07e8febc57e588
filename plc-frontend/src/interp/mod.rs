//! The reference interpreter: it defines the meaning of a program.
//!
//! A [`Machine`] runs a [`crate::hir::Project`] cycle by cycle on concrete values. The verifier lowers the same HIR a second
//! time, on purpose. Every counterexample is replayed here, so this module knows nothing of automata, solvers or
//! reductions. It walks the HIR directly, without a compilation step that could hide a mistake, and shares no code with
//! the verifier's evaluator.
//!
//! In reading order: [`machine`](Machine) is the state between cycles. `exec` and `call` run statements and calls, `eval`
//! expressions, `anomaly` reports their anomalies. `place` and `name` read and write. [`arith`], [`convert`] and [`builtin`]
//! are pure arithmetic; `memory` lays out variables.
//!
//! Details that the HIR leaves to the interpreter:
//! - Each array index is checked as soon as it is evaluated, before the next one.
//! - A call evaluates the instance's place first, then the inputs, then the VAR_IN_OUT places. An instance's
//!   input is assigned as soon as it is evaluated, so a later argument sees it. Each output is read after the
//!   body, then its target's indices are evaluated, then it is assigned, one after the other.
//! - NaN that arithmetic produces is the quiet NaN without payload and sign, whatever the host computes.
//! - REAL and DWORD (LREAL and LWORD) exchange bits by `Convert` only; `Truncate` to a bit string is numeric.

mod anomaly;
pub mod arith;
mod at_call;
pub mod builtin;
mod call;
pub mod convert;
mod eval;
mod exec;
mod fault;
mod machine;
mod memory;
mod name;
mod place;
mod reading;
mod record;
mod share;
#[cfg(test)]
mod tests;
pub(crate) mod text;

pub(crate) use memory::initial;

pub use at_call::ByPath;
pub use fault::{BadInput, Fault, FaultEnd};
pub use machine::{Limits, Machine};
pub use record::{Recorder, Silent};
