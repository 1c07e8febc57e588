//! Inputs of the program, from a trace of the automaton.

use std::collections::BTreeMap;

use plc_frontend::hir::{self, Leaf, Project};

use super::CycleInputs;
use kernel::expr::{Value, VarId};
use kernel::verdict::Trace;

/// Returns the inputs of a trace, by leaf name, with the time steps.
///
/// Values before the first cycle count as inputs of the first. Inputs that the trace does not mention keep their value; a time
/// step that it does not mention is `dt_ms`.
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

/// Returns a value of a sort as one of the leaf's type.
pub(super) fn iec(project: &Project, leaf: &Leaf, value: Value) -> Option<hir::Value> {
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
