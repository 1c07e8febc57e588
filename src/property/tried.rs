//! What some simulated runs do: which statements they come to, which values outputs have at the ends of cycles. A check that
//! asks whether something can happen at all then asks engines about the rest only.
//!
//! The same program is always tried with the same inputs; assumptions are kept.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::hir::{Expr, Leaf, RealType, Role, Type, Value};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::Span;

use super::spec::CycleTime;

const RUNS: usize = 60;
const CYCLES: usize = 60;
/// Statements of all runs together, and of one cycle.
const STATEMENTS: u64 = 400_000;
const STATEMENTS_OF_A_CYCLE: u64 = 100_000;
/// Inputs that are tried for a cycle until the assumptions hold.
const ATTEMPTS: usize = 20;

/// What was seen.
pub(super) struct Tried {
    /// Statements that were executed.
    pub(super) executed: BTreeSet<Span>,
    /// The one that was executed for the first time last.
    pub(super) last: Option<Span>,
    /// Outputs, each with its first value at the end of a cycle and whether it had another one later.
    pub(super) outputs: Vec<Output>,
}

/// One scalar of an output.
pub(super) struct Output {
    pub(super) leaf: Leaf,
    pub(super) first: Option<Value>,
    pub(super) changed: bool,
}

/// Runs the program.
///
/// Cost: bounded by the number of statements, whatever the program.
pub(super) fn tried(loaded: &Loaded, assumptions: &[&Expr], cycle: CycleTime) -> Tried {
    let project = &loaded.project;
    let leaves = project.leaves();
    let is_input = |leaf: &&Leaf| leaf.role == Role::Input && !leaf.constant && leaf.init.is_some();
    let inputs: Vec<&Leaf> = leaves.iter().filter(is_input).collect();
    let is_output = |leaf: &&Leaf| leaf.role == Role::Output && !leaf.constant && !leaf.hidden && leaf.init.is_some();
    let outputs = leaves.iter().filter(is_output).cloned();
    let outputs = outputs.map(|leaf| Output { leaf, first: None, changed: false }).collect();
    let mut seen = Tried { executed: BTreeSet::new(), last: None, outputs };
    let mut numbers = Numbers(0x5eed);
    let mut spent = 0;
    // A cold start, and a cycle with its inputs and outputs, cost what they hold.
    let per_run = leaves.len() as u64;
    let per_assumption = per_run / 8;
    let per_cycle = (inputs.len() + seen.outputs.len()) as u64 + assumptions.len() as u64 * per_assumption;
    for _ in 0..RUNS {
        spent += per_run;
        if STATEMENTS < spent {
            break;
        }
        let mut machine = Machine::new(project, Limits { steps: STATEMENTS_OF_A_CYCLE, ..Limits::default() });
        for _ in 0..CYCLES {
            spent += per_cycle;
            let ms = if numbers.below(2) == 0 { cycle.min_ms } else { cycle.max_ms };
            let mut dt_ns = i64::from(ms) * 1_000_000;
            let allowed = (0..ATTEMPTS).any(|_| {
                let given = inputs.iter().filter_map(|leaf| Some((leaf.name.clone(), any_value(loaded, leaf, &mut numbers)?)));
                let given: BTreeMap<String, Value> = given.collect();
                let begun = machine.begin(&given, dt_ns).is_ok();
                // Another attempt is one for the same cycle.
                dt_ns = 0;
                begun && assumptions.iter().all(|assumed| machine.eval(assumed) == Ok(Value::Bool(true)))
            });
            let mut watch = Watch { seen: &mut seen, spent: &mut spent };
            if !allowed || machine.run(&mut watch).is_err() {
                break;
            }
            for output in seen.outputs.iter_mut().filter(|output| !output.changed) {
                match (machine.leaf(&output.leaf.name), output.first) {
                    (Some(now), None) => output.first = Some(now),
                    (Some(now), Some(first)) => output.changed = now != first,
                    (None, _) => {}
                }
            }
            if STATEMENTS < spent {
                return seen;
            }
        }
    }
    seen
}

struct Watch<'a> {
    seen: &'a mut Tried,
    spent: &'a mut u64,
}

impl Recorder for Watch<'_> {
    fn executed(&mut self, stmt: Span) {
        *self.spent += 1;
        if self.seen.executed.insert(stmt) {
            self.seen.last = Some(stmt);
        }
    }
}

/// A value for an input; `None`: it keeps the one that it has.
fn any_value(loaded: &Loaded, leaf: &Leaf, numbers: &mut Numbers) -> Option<Value> {
    let project = &loaded.project;
    if numbers.below(3) == 0 {
        return None;
    }
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

/// Numbers that are as good as random and the same each time (splitmix64).
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
