//! Places where a run turns NaN into bits.
//!
//! NaN has many bit patterns. The model allows any of them; the interpreter has one, like every controller. So a run of the model
//! that the interpreter does not confirm may need another pattern, if the interpreter came to such a place. Up to the first such
//! place both do the same.

use std::collections::BTreeSet;

use plc_frontend::hir::{Expr, Type, TypeId, Value};
use plc_frontend::interp::{Machine, Recorder};
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::{Case, CycleInputs};

/// Values of NaN that a run turned into bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NanBits {
    /// The statements.
    pub stmts: BTreeSet<Span>,
    /// TRUE if it happened in a condition of the requirement or an assumption.
    pub in_conditions: bool,
    /// Numbers of bits.
    pub widths: BTreeSet<u16>,
}

impl NanBits {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.widths.is_empty()
    }
    /// Adds those of another run.
    pub fn add(&mut self, other: NanBits) {
        self.stmts.extend(other.stmts);
        self.in_conditions |= other.in_conditions;
        self.widths.extend(other.widths);
    }
}

impl Case<'_> {
    /// Returns the places at which the run with these inputs turns NaN into bits, up to the first cycle that is not complete.
    ///
    /// Cost: one interpreted run.
    pub fn nan_bits(&self, cycles: &[CycleInputs]) -> NanBits {
        let mut machine = Machine::new(self.project, self.limits);
        let mut found = NanBits::default();
        let conditions = self.claim.conditions();
        let look = |machine: &mut Machine<'_>, found: &mut NanBits, which: &mut dyn Iterator<Item = &Expr>| {
            for condition in which {
                let mut watch = Watch { case: self, now: None, found };
                // A condition that cannot be evaluated has reported its beginning.
                let _ = machine.eval_watched(condition, &mut watch);
            }
        };
        for inputs in cycles {
            if machine.begin(&inputs.inputs, inputs.dt_ns).is_err() {
                break;
            }
            look(&mut machine, &mut found, &mut self.assumptions.iter().chain(conditions.iter().copied()));
            if machine.run(&mut Watch { case: self, now: None, found: &mut found }).is_err() {
                break;
            }
            look(&mut machine, &mut found, &mut conditions.iter().copied());
        }
        found
    }
}

struct Watch<'a, 'c> {
    case: &'a Case<'c>,
    /// The current statement.
    now: Option<Span>,
    found: &'a mut NanBits,
}

impl Recorder for Watch<'_, '_> {
    fn executed(&mut self, stmt: Span) {
        self.now = Some(stmt);
    }
    fn chose(&mut self, gap: Option<GapId>, ty: TypeId, value: Value) {
        let width = if gap.is_some() { None } else { width_of_nan(&self.case.project.types[ty].ty, value) };
        let Some(width) = width else { return };
        self.found.widths.insert(width);
        match self.now {
            Some(stmt) => drop(self.found.stmts.insert(stmt)),
            None => self.found.in_conditions = true,
        }
    }
}

/// Returns the number of bits of a bit string that is NaN.
fn width_of_nan(ty: &Type, value: Value) -> Option<u16> {
    match (ty, value) {
        (Type::Bits(32), Value::Int(bits)) if f32::from_bits(bits as u32).is_nan() => Some(32),
        (Type::Bits(64), Value::Int(bits)) if f64::from_bits(bits as u64).is_nan() => Some(64),
        (_, Value::Int(_) | Value::Bool(_) | Value::Real(_) | Value::LReal(_)) => None,
    }
}
