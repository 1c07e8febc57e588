//! Inputs for simulated runs: any values that the assumptions allow, some more likely than others.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use plc_frontend::hir::{Expr, Leaf, Project, RealType, Type, Value};
use plc_frontend::interp::Machine;

use super::spec::CycleTime;

/// Inputs that are tried for a cycle until the assumptions hold.
const ATTEMPTS: usize = 20;
/// [`Arbitrary::keep`] of runs whose inputs change often, and of runs whose inputs change rarely.
const LIVELY: u64 = 2;
const CALM: u64 = 7;

/// Generator of inputs, cycle by cycle; reproducible.
pub struct Arbitrary<'p> {
    project: &'p Project,
    /// Leaves that the environment gives in some cycle.
    inputs: Vec<Leaf>,
    cycle: CycleTime,
    numbers: Numbers,
    /// Number of inputs, of eight, that keep their values in a cycle.
    keep: u64,
}

impl<'p> Arbitrary<'p> {
    /// Returns the generator for runs of this program.
    pub fn new(project: &'p Project, cycle: CycleTime) -> Arbitrary<'p> {
        let is_input = |leaf: &Leaf| leaf.is_given(0) && leaf.init.is_some();
        let inputs = project.leaves().into_iter().filter(is_input).collect();
        Arbitrary { project, inputs, cycle, numbers: Numbers(0x5eed), keep: LIVELY }
    }
    /// Begins another run: every other one is calm, so that timers elapse.
    pub fn next_run(&mut self) {
        self.keep = if self.keep == LIVELY { CALM } else { LIVELY };
    }
    /// Returns the number of scalars that are inputs.
    pub fn n_inputs(&self) -> usize {
        self.inputs.len()
    }
    /// Begins a cycle. Returns its changed inputs and the nanoseconds since the one before; `None` if no values were found that
    /// the assumptions allow.
    pub fn begin<E: Borrow<Expr>>(
        &mut self,
        machine: &mut Machine<'_>,
        assumptions: &[E],
    ) -> Option<(BTreeMap<String, Value>, i64)> {
        let ms = if self.numbers.below(2) == 0 { self.cycle.min_ms } else { self.cycle.max_ms };
        let cycle_ns = i64::from(ms) * 1_000_000;
        let mut dt_ns = cycle_ns;
        let mut all = BTreeMap::new();
        for _ in 0..ATTEMPTS {
            let mut given = BTreeMap::new();
            for leaf in self.inputs.iter().filter(|leaf| leaf.is_given(usize::from(machine.has_run()))) {
                if self.keep <= self.numbers.below(8)
                    && let Some(value) = any_value(self.project, leaf, &mut self.numbers)
                {
                    given.insert(leaf.name.clone(), value);
                }
            }
            let begun = machine.begin(&given, dt_ns).is_ok();
            all.append(&mut given);
            // Further attempts are for the same cycle.
            dt_ns = 0;
            if begun && assumptions.iter().all(|assumed| machine.eval(assumed.borrow()) == Ok(Value::Bool(true))) {
                return Some((all, cycle_ns));
            }
        }
        None
    }
}

/// Returns a value for an input; `None`: values of its type are not chosen here.
fn any_value(project: &Project, leaf: &Leaf, numbers: &mut Numbers) -> Option<Value> {
    match (&project.types[leaf.ty].ty, project.int_type(leaf.ty)) {
        (Type::Bool, _) => Some(Value::Bool(numbers.below(2) == 0)),
        (Type::Enum { variants, .. }, _) if !variants.is_empty() => {
            variants.get(numbers.below(variants.len() as u64) as usize).map(|(_, value)| Value::Int(*value))
        }
        (Type::Subrange { low, high, .. }, Some(_)) if low <= high => {
            let width = u64::try_from(high - low).unwrap_or(u64::MAX).saturating_add(1);
            Some(Value::Int(low + i128::from(numbers.below(width))))
        }
        (Type::Real(real), _) => {
            let v = [0.0, 1.0, -1.0, 0.5, 20.0, 100.0, 1000.0, -273.0][numbers.below(8) as usize];
            Some(match real {
                RealType::Real => Value::real(v as f32),
                RealType::LReal => Value::lreal(v),
            })
        }
        (_, Some(int)) => Some(Value::Int(match numbers.below(8) {
            0 => int.min(),
            1 => int.max(),
            2 | 3 => int.wrap(i128::from(numbers.next())),
            4 | 5 => i128::from(numbers.below(100)),
            _ => i128::from(numbers.below(6)),
        })),
        (_, None) => None,
    }
}

/// Reproducible random numbers (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
}
