//! Reproducible random inputs.

use plc_frontend::hir::{Leaf, Project, Type, Value};

/// xorshift64*: reproducible inputs need no better generator.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }
    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub(super) fn value(&mut self, project: &Project, leaf: &Leaf) -> Value {
        let n = self.next();
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
