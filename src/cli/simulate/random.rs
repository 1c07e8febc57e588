//! Reproducible random inputs.

use kernel::rng::Rng;
use plc_frontend::hir::{Leaf, Project, Type, Value};

/// Random inputs of a seed.
pub(super) struct Random(Rng);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }
    /// Returns a value from `low` to `high`; `None` where these are no numbers of one kind in this order.
    pub(super) fn between(&mut self, low: Value, high: Value) -> Option<Value> {
        let n = self.0.next();
        let share = (n >> 11) as f64 / (1u64 << 53) as f64;
        match (low, high) {
            (Value::Int(low), Value::Int(high)) if low <= high => {
                let width = high.checked_sub(low)?.checked_add(1)?;
                Some(Value::Int(low + i128::from(n) % width))
            }
            (Value::Real(low), Value::Real(high)) => {
                let (low, high) = (f32::from_bits(low), f32::from_bits(high));
                let value = low + (high - low) * share as f32;
                (low <= high).then(|| Value::real(value.clamp(low, high)))
            }
            (Value::LReal(low), Value::LReal(high)) => {
                let (low, high) = (f64::from_bits(low), f64::from_bits(high));
                let value = low + (high - low) * share;
                (low <= high).then(|| Value::lreal(value.clamp(low, high)))
            }
            (Value::Bool(low), Value::Bool(high)) if low <= high => Some(Value::Bool(low || (high && n >> 63 == 1))),
            (Value::Int(_) | Value::Real(_) | Value::LReal(_) | Value::Bool(_), _) => None,
        }
    }
    /// Returns a time between two cycles. A time that does not vary takes no random number.
    pub(super) fn milliseconds(&mut self, low: u32, high: u32) -> u32 {
        if low < high { low + (self.0.next() % (u64::from(high - low) + 1)) as u32 } else { low }
    }
    /// Returns a value of the leaf's type.
    pub(super) fn value(&mut self, project: &Project, leaf: &Leaf) -> Value {
        let n = self.0.next();
        match &project.types[leaf.ty].ty {
            Type::Bool => Value::Bool(n >> 63 == 1),
            Type::Real(plc_frontend::hir::RealType::Real) => Value::real(((n >> 40) as f32) / 65536.0 - 128.0),
            Type::Real(plc_frontend::hir::RealType::LReal) => Value::lreal(((n >> 40) as f64) / 65536.0 - 128.0),
            Type::Enum { variants, .. } => Value::Int(variants.get(n as usize % variants.len().max(1)).map_or(0, |v| v.1)),
            Type::Subrange { low, high, .. } => Value::Int(low + i128::from(n) % (high - low + 1)),
            Type::Int(_) | Type::Bits(_) | Type::Time | Type::LTime | Type::Date(_) | Type::Char(_) => {
                let int = project.int_type(leaf.ty).unwrap_or(plc_frontend::hir::IntType { bits: 8, signed: false });
                Value::Int(int.wrap(i128::from(n)))
            }
            Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) | Type::Opaque(_) => Value::Int(0),
        }
    }
}
