//! Inputs of random runs: reproducible from a seed; small and extreme values are more frequent than others.

use std::collections::BTreeMap;

use plc_frontend::hir::{Project, TypeId, Value as IecValue};
use plc_frontend::ids::Id;

use crate::cfa::Model;
use crate::cfa::lower::layout::value_of;
use crate::expr::{Value, VarId};

/// Generator of numbers for cases that are reproducible from their seed.
pub struct Numbers(
    /// The seed, then the state.
    pub u64,
);

impl Numbers {
    /// Returns the next one.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (x >> 29)
    }
    /// Returns one of `0..n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next_number() % n.max(1)
    }
    /// Returns a value of a scalar type.
    fn value(&mut self, project: &Project, ty: TypeId) -> IecValue {
        match project.default_value(ty) {
            Some(IecValue::Bool(_)) => IecValue::Bool(self.below(2) == 1),
            Some(IecValue::Real(_)) => {
                let special = [0.0, -0.0, 1.5, -2.5, 1e10, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE, 32767.5];
                IecValue::real(if self.below(2) == 0 {
                    self.below(200) as f32 / 8.0 - 10.0
                } else {
                    special[self.below(9) as usize]
                })
            }
            Some(IecValue::LReal(_)) => IecValue::lreal(self.below(1000) as f64 / 16.0 - 20.0),
            Some(IecValue::Int(_)) | None => {
                let int = project.int_type(ty).unwrap_or(plc_frontend::hir::IntType { bits: 8, signed: false });
                let raw = match self.below(4) {
                    0 => i128::from(self.next_number()),
                    1 => int.max() - i128::from(self.below(3)),
                    _ => i128::from(self.below(12)) - 3,
                };
                IecValue::Int(int.wrap(raw))
            }
        }
    }
}

/// Inputs of one cycle.
pub struct Cycle {
    /// Inputs, by the numbers of their leaves.
    pub by_leaf: Vec<(usize, IecValue)>,
    /// The same for the automaton, with the time that passes.
    pub by_var: BTreeMap<VarId, Value>,
    /// The time since the last cycle.
    pub dt_ms: u32,
}

/// Returns random inputs for a cycle, counted from 0; for the first one with values before it.
pub fn inputs_of(project: &Project, model: &Model, number: usize, numbers: &mut Numbers) -> Cycle {
    let (mut by_leaf, mut by_var) = (Vec::new(), BTreeMap::new());
    for (leaf, var) in model.leaves.iter().filter(|(l, _)| l.is_given(number)) {
        let value = numbers.value(project, leaf.ty);
        // The variables of leaves are the first ones, in their order.
        by_leaf.push((var.index(), value));
        by_var.insert(*var, value_of(project, leaf.ty, value));
    }
    let range = model.options.dt_max_ms - model.options.dt_min_ms + 1;
    let dt_ms = model.options.dt_min_ms + numbers.below(u64::from(range)) as u32;
    by_var.insert(model.dt, Value::bv(32, u128::from(dt_ms)));
    Cycle { by_leaf, by_var, dt_ms }
}
