//! The kernel: formulas, automata, solvers and requirements. Pure: no files, no processes, no clock but the deadline.
//!
//! In reading order: [`expr`] formulas; [`cfa`] programs as control-flow automata with a scan-cycle loop; [`property`]
//! requirements and their monitors; [`smt`] solvers; [`theta`] published models; [`verdict`] answers and their evidence;
//! [`context`] budget and progress of a search; [`agree`] interpreter and automaton side by side; [`draw`] pictures of graphs.

pub mod agree;
pub mod cfa;
pub mod context;
pub mod draw;
pub mod expr;
pub mod property;
pub mod rng;
pub mod smt;
pub mod theta;
pub mod thread_time;
pub mod verdict;
