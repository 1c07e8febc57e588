//! Replays a counterexample on the reference interpreter, from the program as it was read.
//!
//! Knows the HIR and the interpreter; no automaton, no monitor, no solver. The requirement is evaluated here a second
//! time, from its conditions, so a mistake in the model's monitors cannot pass as a violation.

use std::collections::BTreeMap;

use plc_frontend::hir::{AssertId, Expr, Project, Value};
use plc_frontend::interp::{BadInput, Fault, FaultEnd, Limits, Machine, Recorder, Silent};
use plc_frontend::source::Span;

use crate::property::claim::Claim;

/// What a run is given in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleInputs {
    /// By leaf name; an input that is missing keeps its value (at first its initial value).
    pub inputs: BTreeMap<String, Value>,
    /// Nanoseconds since the cycle before.
    pub dt_ns: i64,
}

/// What is replayed against what.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The program.
    pub project: &'a Project,
    /// The interpreter's limits; those that the model was made with.
    pub limits: Limits,
    /// Conditions at the beginning of every cycle.
    pub assumptions: &'a [Expr],
    /// What is claimed to be violated.
    pub claim: &'a Claim,
}

/// What the interpreter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The claim is violated in this cycle (0 is the first), at a place in the code if it has one.
    Violated {
        /// The cycle.
        cycle: usize,
        /// The assertion or the fault.
        place: Option<Span>,
    },
    /// All cycles ran and the claim held in each.
    Held,
    /// The run ended before the claim was violated.
    Ended {
        /// In this cycle.
        cycle: usize,
        /// Why.
        fault: Fault,
    },
    /// An assumption does not hold, so the run does not count.
    Excluded {
        /// In this cycle.
        cycle: usize,
        /// Which, from 0.
        assumption: usize,
    },
    /// The inputs do not fit the program.
    Unfit(BadInput),
}

impl Case<'_> {
    /// Runs the program from cold start with these inputs.
    ///
    /// Cost: one interpreted run; the interpreter's limits bound each cycle.
    pub fn replay(&self, cycles: &[CycleInputs]) -> Replayed {
        let mut machine = Machine::new(self.project, self.limits);
        let mut before = false;
        for (cycle, inputs) in cycles.iter().enumerate() {
            match self.cycle(&mut machine, inputs, &mut before) {
                Ok(()) => {}
                Err(End::Violated(place)) => return Replayed::Violated { cycle, place },
                Err(End::Fault(fault)) => return Replayed::Ended { cycle, fault },
                Err(End::Excluded(assumption)) => return Replayed::Excluded { cycle, assumption },
                Err(End::Unfit(bad)) => return Replayed::Unfit(bad),
            }
        }
        Replayed::Held
    }

    fn cycle(&self, machine: &mut Machine<'_>, inputs: &CycleInputs, before: &mut bool) -> Result<(), End> {
        machine.begin(&inputs.inputs, inputs.dt_ns).map_err(End::Unfit)?;
        for (i, assumption) in self.assumptions.iter().enumerate() {
            if !truth(machine, assumption).map_err(End::Fault)? {
                return Err(End::Excluded(i));
            }
        }
        let started = match self.claim {
            Claim::DuringCycle { at_start, .. } => observed(machine, at_start)?,
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::BetweenCycles { .. }
            | Claim::Assert(_)
            | Claim::NoFault(_) => false,
        };
        let ran = match self.claim {
            Claim::Assert(ids) => {
                let mut watch = Watch { ids, failed: None };
                let ran = machine.run(&mut watch);
                if watch.failed.is_some() {
                    return Err(End::Violated(watch.failed));
                }
                ran
            }
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::DuringCycle { .. }
            | Claim::BetweenCycles { .. }
            | Claim::NoFault(_) => machine.run(&mut Silent),
        };
        match (ran, self.claim) {
            (Ok(()), _) => {}
            (Err(fault), Claim::NoFault(kind)) if fault.kind == FaultEnd::Check(*kind) => {
                return Err(End::Violated(Some(fault.span)));
            }
            (Err(fault), _) => return Err(End::Fault(fault)),
        }
        let holds = match self.claim {
            Claim::Implication { when, then } => !observed(machine, when)? || observed(machine, then)?,
            Claim::Invariant(always) => observed(machine, always)?,
            Claim::Forbidden(never) => !observed(machine, never)?,
            Claim::DuringCycle { then, .. } => !started || observed(machine, then)?,
            Claim::BetweenCycles { after, when, then } => {
                let holds = !*before || !observed(machine, when)? || observed(machine, then)?;
                *before = observed(machine, after)?;
                holds
            }
            Claim::Assert(_) | Claim::NoFault(_) => true,
        };
        if holds { Ok(()) } else { Err(End::Violated(None)) }
    }
}

enum End {
    Violated(Option<Span>),
    Fault(Fault),
    Excluded(usize),
    Unfit(BadInput),
}

fn truth(machine: &mut Machine<'_>, condition: &Expr) -> Result<bool, Fault> {
    // Conditions are BOOL by construction; anything else would be a value that is not true.
    Ok(machine.eval(condition)? == Value::Bool(true))
}

/// A condition of the claim. One that cannot be evaluated (it divides by zero, an index is outside) is a violation, as
/// requirements say; one that the interpreter cannot follow says nothing.
fn observed(machine: &mut Machine<'_>, condition: &Expr) -> Result<bool, End> {
    truth(machine, condition).map_err(|fault| match fault.kind {
        FaultEnd::Check(_) => End::Violated(Some(fault.span)),
        FaultEnd::Unsupported(_) | FaultEnd::Exhausted => End::Fault(fault),
    })
}

/// Waits for one of these assertions to fail.
struct Watch<'a> {
    ids: &'a [AssertId],
    failed: Option<Span>,
}

impl Recorder for Watch<'_> {
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        if self.ids.contains(&id) && !held && self.failed.is_none() {
            self.failed = Some(span);
        }
    }
}
