//! Which engines work on a requirement, and how they share the machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::job::Strategy;
use crate::cfa::Op;
use crate::cfa::pass::{Encoding, Reduced, reduce};
use crate::engine::portfolio::{MakeLane, Member};
use crate::engine::{ENGINES, MakeSolver, configure};
use crate::expr::Sort;
use crate::property::instrument::Instrumented;
use crate::smt::{BitBlaster, Cvc5, Interrupt, Solver, SolverError, bitblast};

/// The word for the strategy that needs no configuration.
pub const DEFAULT: &str = "default";

/// Checks a choice before anything runs. The error is one sentence that names the engine or the option.
pub fn validate(strategy: &Strategy) -> Result<(), String> {
    match strategy.engine.as_deref() {
        None | Some(DEFAULT) => match strategy.options.keys().next() {
            Some(name) => Err(format!("option `{name}`: the default strategy has no options; choose an engine")),
            None => Ok(()),
        },
        Some(name) => {
            let solvers: MakeSolver = Arc::new(|_, interrupt: &Interrupt| Ok(Box::new(BitBlaster::new(interrupt))));
            configure(ENGINES, name, &strategy.options, &solvers).map(|_| ())
        }
    }
}

/// The default: bug hunting on one thread; proof attempts on the other, in growing turns.
const LANES: [&[(&str, &[(&str, &str)])]; 2] = [&[("bmc", &[])], &[("k-induction", &[])]];

/// The solver for a question: the bit-blaster where the reduced model has only Booleans and bit vectors, else cvc5.
pub fn solvers(reduced: &Reduced) -> MakeSolver {
    let mut exprs = Vec::new();
    for edge in reduced.cfa.edges.iter() {
        match &edge.op {
            Op::Skip | Op::Havoc(_) => {}
            Op::Assume(e) | Op::Assign(_, e) => exprs.push(*e),
            Op::Block(block) => {
                exprs.push(block.guard);
                exprs.extend(block.updates.iter().map(|(_, e)| *e));
            }
        }
    }
    // A variable that is only havocked may still be a float.
    let floats = reduced.cfa.vars.iter().any(|v| matches!(reduced.pool.var_decl(*v).sort, Sort::Float(_)));
    let bits = !floats && bitblast::supports(&reduced.pool, &exprs);
    Arc::new(move |_, interrupt| -> Result<Box<dyn Solver>, SolverError> {
        if bits { Ok(Box::new(BitBlaster::new(interrupt))) } else { Ok(Box::new(Cvc5::new(interrupt)?)) }
    })
}

/// One lane per thread, each with its engines and its own copy of the reduced model.
pub fn lanes<'a>(
    strategy: &'a Strategy,
    instrumented: &'a Instrumented,
    reduced: &'a Reduced,
    solvers: &'a MakeSolver,
) -> Vec<MakeLane<'a>> {
    let choices: Vec<Vec<(String, BTreeMap<String, String>)>> = match strategy.engine.as_deref() {
        None | Some(DEFAULT) => LANES
            .iter()
            .map(|lane| {
                let owned = |(name, options): &(&str, &[(&str, &str)])| {
                    (name.to_string(), options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect())
                };
                lane.iter().map(owned).collect()
            })
            .collect(),
        Some(name) => vec![vec![(name.to_string(), strategy.options.clone())]],
    };
    choices
        .into_iter()
        .map(|lane| -> MakeLane<'a> {
            Box::new(move || {
                lane.into_iter()
                    .map(|(name, options)| {
                        let engine = configure(ENGINES, &name, &options, solvers)?;
                        let encoding = match options.get("encoding").map(String::as_str) {
                            Some("SBE") => Encoding::Sbe,
                            Some(_) | None => Encoding::Lbe,
                        };
                        let name = ENGINES.iter().find(|info| info.name == name).map_or("engine", |info| info.name);
                        let model = match encoding {
                            Encoding::Lbe => reduced.clone(),
                            Encoding::Sbe => reduce(&instrumented.pool, &instrumented.cfa, encoding),
                        };
                        Ok(Member { name, engine, model })
                    })
                    .collect()
            })
        })
        .collect()
}
