//! Values that calls of stubs give: those of a trace belong to calls, those of a run to their order in a cycle.

use std::collections::BTreeMap;

use plc_frontend::hir::{Leaf, name_at_call};
use plc_frontend::ids::Id;
use plc_frontend::interp::{ByPath, Machine, Silent};

use super::inputs::iec;
use super::{Case, CycleInputs};
use kernel::cfa::AtCallVars;
use kernel::expr::VarId;
use kernel::verdict::Trace;

/// Adds the values at calls of a trace to the inputs of its cycles.
///
/// The interpreter runs once, so that the calls of each cycle get numbers in their order.
///
/// Soundness: none is needed, as the run that results is replayed.
pub fn at_calls(
    case: &Case<'_>,
    (leaves, vars): (&[(Leaf, VarId)], &AtCallVars),
    trace: &Trace,
    mut cycles: Vec<CycleInputs>,
) -> Vec<CycleInputs> {
    if vars.rows.is_empty() {
        return cycles;
    }
    let by_var: BTreeMap<VarId, &Leaf> = leaves.iter().map(|(leaf, var)| (*var, leaf)).collect();
    let mut machine = Machine::new(case.project, case.limits);
    for (number, (cycle, values)) in cycles.iter_mut().zip(&trace.cycles).enumerate() {
        if machine.begin(&cycle.inputs, cycle.dt_ns).is_err() {
            break;
        }
        let mut by_path = ByPath { whole_loops: vars.whole_loops.clone(), ..ByPath::default() };
        for row in &vars.rows {
            let later = trace.later.get(&(number, row.var)).into_iter().flatten();
            let taken = values.get(&row.var).into_iter().chain(later);
            let taken = taken.filter_map(|value| iec(case.project, by_var.get(&row.leaf)?, *value));
            by_path.values.entry((row.leaf.index(), row.path)).or_default().extend(taken);
        }
        machine.give_by_path(by_path);
        let ran = machine.run(&mut Silent);
        let mut by_leaf: BTreeMap<VarId, Vec<_>> = BTreeMap::new();
        for (leaf, value) in machine.taken() {
            by_leaf.entry(VarId::new(*leaf)).or_default().push(*value);
        }
        for (var, mut taken) in by_leaf {
            let Some(leaf) = by_var.get(&var).filter(|leaf| leaf.is_given(usize::from(machine.has_run()))) else { continue };
            // A condition of the requirement reads the stub behind all calls.
            taken.extend(cycle.inputs.get(&leaf.name));
            let mut before = None;
            for (n, value) in taken.into_iter().enumerate() {
                if before != Some(value) {
                    cycle.inputs.insert(name_at_call(&leaf.name, n + 1), value);
                }
                before = Some(value);
            }
        }
        if ran.is_err() {
            break;
        }
    }
    cycles
}
