//! Automata of known answer, random automata with their explicit search, and solvers that fail.

pub mod examples;
pub mod execute;
pub mod faulty;
pub mod random;
pub mod structured;
