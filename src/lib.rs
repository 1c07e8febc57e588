//! Scanproof verifies PLC programs: a proof, a counterexample in the user's own code, or an
//! honest "not decided, because".
//!
//! The modules in reading order: [`expr`] the language of formulas; [`cfa`] programs as
//! control-flow automata with a scan-cycle loop; [`agree`] the interpreter and the automaton side by side;
//! [`property`] requirements; [`smt`] deciding formulas; [`engine`] what
//! decides reachability; [`verdict`] answers and their evidence; [`decide`] one requirement from claim to certified answer;
//! [`certificate`] answers that leave a run, and their checker; [`draw`] pictures of graphs; [`export`] models for other tools; [`report`] what people and machines read; [`run`] the child process that does
//! it; [`bench`] what was measured; [`store`] what outlives a restart.

pub mod bench;
pub mod cli;
pub mod export;
pub mod report;
pub mod run;
pub mod store;
pub mod web;
