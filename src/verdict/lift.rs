//! From the reduced automaton back: proofs over the unreduced one, traces as inputs of the program.

use std::collections::BTreeMap;

use plc_frontend::hir::{self, Leaf, Project};

use super::replay::CycleInputs;
use super::{Argument, Proof, Reason, Trace};
use crate::cfa::pass::Lift;
use crate::expr::{Value, VarId};

/// A proof over the reduced CFA as one over the unreduced. Not believed yet: it is checked there.
///
/// Stops: [`Reason::Unsupported`] for k-induction over cycles where a run may come to a loop that the reductions took away.
pub fn lift_proof(lift: &Lift, proof: Proof) -> Result<Proof, Reason> {
    let Proof { mut pool, argument } = proof;
    let argument = match argument {
        Argument::Inductive(invariants) => Argument::Inductive(lift.invariants(&mut pool, &invariants)),
        Argument::KInductive { k, invariant, support, paths } => {
            let Some(head) = lift.only_cut() else {
                return Err(Reason::Unsupported(
                    "k-induction over cycles, where a loop inside of the cycle may never end".into(),
                ));
            };
            let lifted = lift.invariants(&mut pool, &BTreeMap::from([(head, invariant)]));
            Argument::KInductive { k, invariant: lifted.get(&head).copied().unwrap_or(invariant), support, paths }
        }
    };
    Ok(Proof { pool, argument })
}

/// A trace as what the program is given: inputs by leaf name, and the time step.
///
/// Values before the first cycle count as inputs of the first. Inputs that the trace does not mention keep their value; a time step it does not mention is `dt_ms`.
pub fn inputs(project: &Project, leaves: &[(Leaf, VarId)], dt: VarId, dt_ms: u32, trace: &Trace) -> Vec<CycleInputs> {
    let cycle = |(number, values): (usize, &BTreeMap<VarId, Value>)| {
        let of_leaf = |(leaf, var): &(Leaf, VarId)| {
            if !leaf.is_given(number) {
                return None;
            }
            Some((leaf.name.clone(), iec(project, leaf, *values.get(var)?)?))
        };
        let ms = values.get(&dt).and_then(|v| v.as_unsigned()).unwrap_or(u128::from(dt_ms));
        CycleInputs { inputs: leaves.iter().filter_map(of_leaf).collect(), dt_ns: (ms as i64).saturating_mul(1_000_000) }
    };
    trace.cycles.iter().enumerate().map(cycle).collect()
}

/// A value of a sort as one of the leaf's type.
fn iec(project: &Project, leaf: &Leaf, value: Value) -> Option<hir::Value> {
    match value {
        Value::Bool(b) => Some(hir::Value::Bool(b)),
        Value::BitVec { .. } => {
            let int = project.int_type(leaf.ty)?;
            let v = if int.signed { value.as_signed() } else { value.as_unsigned().map(|u| u as i128) };
            v.map(hir::Value::Int)
        }
        Value::F32(bits) => Some(hir::Value::Real(bits)),
        Value::F64(bits) => Some(hir::Value::LReal(bits)),
        // No program has variables of these sorts.
        Value::Float(..) | Value::Int(_) | Value::Array(_) => None,
    }
}
