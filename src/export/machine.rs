//! The automaton as one step relation between scan cycles, for formats that have no locations.

use super::names::Names;
use super::{Feature, Question, Refused};
use kernel::cfa::pass::{System, blocks, monolithic};

/// Returns the step relation of a question, and names for its variables. Grows the question's pool.
pub(super) fn machine(question: &mut Question) -> (System, Names) {
    let large = blocks(&mut question.pool, &question.cfa);
    let system = monolithic(&mut question.pool, &large);
    let mut names = Names::default();
    for var in &system.vars {
        names.add(&question.pool, *var, "v");
    }
    for input in &system.inputs {
        names.add(&question.pool, input.var, "in");
    }
    (system, names)
}

/// Features that formats of bit vectors lack.
pub(super) const ONLY_BITS: &[Feature] = &[Feature::Float, Feature::Integer, Feature::Array];

/// Returns the refusal of a value that is no bit vector. Never needed: [`ONLY_BITS`] refuses such questions earlier.
pub(super) fn not_bits() -> Refused {
    Refused("internal: a value that is neither Boolean nor a bit vector".into())
}
