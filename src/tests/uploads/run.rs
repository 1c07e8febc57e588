//! A few cycles on the interpreter; the bytes of the file become inputs.

use std::collections::BTreeMap;

use plc_frontend::hir::{Project, RealType, Role, Type, Value};
use plc_frontend::interp::{FaultEnd, Limits, Machine, Silent};

const CYCLES: usize = 5;
/// A program that is larger than this is only read.
const MOST_LEAVES: usize = 20_000;

/// Runs up to the first fault. The bytes give the values of the inputs.
pub(crate) fn some_cycles(project: &Project, bytes: impl Iterator<Item = u8>) {
    let seed = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let leaves = project.leaves();
    if MOST_LEAVES < leaves.len() {
        return;
    }
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut machine = Machine::new(project, Limits { loop_rounds: 100, steps: 20_000 });
    for _ in 0..CYCLES {
        let mut inputs = BTreeMap::new();
        for leaf in leaves.iter().filter(|leaf| leaf.role == Role::Input && !leaf.constant && leaf.init.is_some()) {
            let raw = next();
            let ty = &project.types[leaf.ty].ty;
            let value = if matches!(ty, Type::Bool) {
                Value::Bool(raw & 1 == 1)
            } else if let Type::Real(real) = ty {
                match real {
                    RealType::Real => Value::Real(raw as u32),
                    RealType::LReal => Value::LReal(raw),
                }
            } else {
                match project.int_type(leaf.ty) {
                    Some(int) if raw & 4 == 0 => Value::Int(int.wrap(i128::from(raw >> 60))),
                    Some(int) => Value::Int(int.wrap(i128::from(raw))),
                    None => continue,
                }
            };
            inputs.insert(leaf.name.clone(), value);
        }
        machine.begin(&inputs, 50_000_000).expect("these are inputs");
        match machine.run(&mut Silent).map_err(|fault| fault.kind) {
            Ok(()) => {}
            Err(FaultEnd::Check(_) | FaultEnd::Unsupported(_) | FaultEnd::Exhausted | FaultEnd::Excluded) => return,
        }
        for (leaf, (name, value)) in leaves.iter().filter(|leaf| leaf.init.is_some()).zip(machine.leaves()) {
            assert_eq!(leaf.name, name);
            assert!(project.holds(leaf.ty, value), "{name} holds {value:?}");
        }
    }
}
