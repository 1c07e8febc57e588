//! Replays a counterexample on the reference interpreter, from the program as it was read.
//!
//! Knows the HIR and the interpreter; no automaton, no monitor, no solver. The requirement is evaluated here a second
//! time, from its conditions, so a mistake in the model's monitors cannot pass as a violation.

mod at_calls;
mod double_write;
mod history;
mod inputs;
mod minimise;
mod nan_bits;

use std::collections::BTreeMap;

use plc_frontend::Loaded;
use plc_frontend::hir::{AnomalyKind, AssertId, Expr, Project, Value};
use plc_frontend::interp::{BadInput, Fault, FaultEnd, Limits, Machine, Recorder, Silent};
use plc_frontend::source::Span;

use double_write::DoubleWrite;
use history::History;
use kernel::property::check::Event;
use kernel::property::claim::Claim;
use kernel::property::mentions::is_about_start;

pub use at_calls::at_calls;
pub use inputs::inputs;
pub use minimise::{Effort, minimise};
pub use nan_bits::NanBits;

/// Inputs of a run in one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleInputs {
    /// By leaf name; an input that is missing keeps its value (at first its initial value).
    pub inputs: BTreeMap<String, Value>,
    /// Nanoseconds since the cycle before.
    pub dt_ns: i64,
}

/// A claim about a program, to be replayed.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The program.
    pub project: &'a Project,
    /// Limits of the interpreter: those of the model.
    pub limits: Limits,
    /// Conditions at the beginning of every cycle.
    pub assumptions: &'a [Expr],
    /// The claim.
    pub claim: &'a Claim,
}

/// Result of a replay.
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
        /// Its cycle.
        cycle: usize,
        /// The fault.
        fault: Fault,
    },
    /// An assumption does not hold, so the run does not count.
    Excluded {
        /// Its cycle.
        cycle: usize,
        /// Its number, from 0.
        assumption: usize,
    },
    /// The inputs do not fit the program.
    Unfit(BadInput),
}

impl<'a> Case<'a> {
    /// Returns the case of a claim about a loaded program, with the interpreter's default limits.
    pub fn of(loaded: &'a Loaded, assumptions: &'a [Expr], claim: &'a Claim) -> Case<'a> {
        Case { project: &loaded.project, limits: Limits::default(), assumptions, claim }
    }
    /// Runs the program from cold start with these inputs.
    ///
    /// Cost: one interpreted run; the interpreter's limits bound each cycle.
    pub fn replay(&self, cycles: &[CycleInputs]) -> Replayed {
        let at_start: Vec<bool> = self.assumptions.iter().map(|a| is_about_start(a, self.project)).collect();
        let mut machine = Machine::new(self.project, self.limits);
        let mut before = Before::default();
        for (cycle, inputs) in cycles.iter().enumerate() {
            match self.cycle(&mut machine, inputs, &mut before, &at_start) {
                Ok(()) => {}
                Err(End::Violated(place)) => return Replayed::Violated { cycle, place },
                Err(End::Fault(fault)) => return Replayed::Ended { cycle, fault },
                Err(End::Excluded(assumption)) => return Replayed::Excluded { cycle, assumption },
                Err(End::Unfit(bad)) => return Replayed::Unfit(bad),
            }
        }
        Replayed::Held
    }

    fn cycle(&self, machine: &mut Machine<'_>, inputs: &CycleInputs, before: &mut Before, at_start: &[bool]) -> Result<(), End> {
        let is_first = !machine.has_run();
        machine.begin(&inputs.inputs, inputs.dt_ns).map_err(End::Unfit)?;
        for (i, assumption) in self.assumptions.iter().enumerate() {
            if (is_first || !at_start[i]) && !truth(machine, assumption).map_err(End::Fault)? {
                return Err(End::Excluded(i));
            }
        }
        let started = self.started(machine, before)?;
        self.run(machine)?;
        if self.holds(machine, inputs.dt_ns, started, before)? { Ok(()) } else { Err(End::Violated(None)) }
    }

    /// Reads the conditions about the beginning of a cycle, and returns that of [`Claim::DuringCycle`].
    fn started(&self, machine: &mut Machine<'_>, before: &mut Before) -> Result<bool, End> {
        if let Claim::DuringCycle { at_start, .. } = self.claim {
            return observed(machine, at_start);
        } else if let Claim::Temporal { when, then } = self.claim {
            for formula in when.iter().chain([then]) {
                before.history.begin(formula, &mut |e| observed(machine, e))?;
            }
        } else if let Claim::Reachable(goal) = self.claim {
            before.history.begin(goal, &mut |e| truth(machine, e).map_err(End::Fault))?;
        }
        Ok(false)
    }

    /// Runs the program once, and watches for a violation inside of the cycle.
    fn run(&self, machine: &mut Machine<'_>) -> Result<(), End> {
        let ran = match self.claim {
            Claim::Assert(ids) => watched(machine, FirstAssertion { ids, counts_held: false, found: None }, |w| w.found)?,
            Claim::Unreached(ids) => watched(machine, FirstAssertion { ids, counts_held: true, found: None }, |w| w.found)?,
            Claim::Executed(spans) => watched(machine, FirstExecuted { spans, found: None }, |w| w.found)?,
            Claim::Never(Event::Fault(kind)) => {
                let ids = &self.project.survived(*kind);
                watched(machine, FirstAssertion { ids, counts_held: false, found: None }, |w| w.found)?
            }
            Claim::Never(Event::DoubleWrite) => watched(machine, DoubleWrite::new(self.project), |w| w.found)?,
            Claim::Never(Event::Anomaly(kind)) => watched(machine, FirstAnomaly { kind: *kind, found: None }, |w| w.found)?,
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::DuringCycle { .. }
            | Claim::BetweenCycles { .. }
            | Claim::Temporal { .. }
            | Claim::Reachable(_)
            | Claim::Repeatable(_) => machine.run(&mut Silent),
        };
        ran.map_err(|fault| {
            let is_claimed = matches!(self.claim, Claim::Never(Event::Fault(kind)) if fault.kind == FaultEnd::Check(*kind));
            if is_claimed { End::Violated(Some(fault.span)) } else { End::Fault(fault) }
        })
    }

    /// Evaluates the claim at the end of a cycle.
    fn holds(&self, machine: &mut Machine<'_>, dt_ns: i64, started: bool, before: &mut Before) -> Result<bool, End> {
        Ok(match self.claim {
            Claim::Implication { when, then } => !observed(machine, when)? || observed(machine, then)?,
            Claim::Invariant(always) => observed(machine, always)?,
            Claim::Forbidden(never) => !observed(machine, never)?,
            Claim::DuringCycle { then, .. } => !started || observed(machine, then)?,
            Claim::BetweenCycles { after, when, then } => {
                let holds = !before.after || !observed(machine, when)? || observed(machine, then)?;
                before.after = observed(machine, after)?;
                holds
            }
            Claim::Temporal { when, then } => {
                let mut read = |e: &Expr| observed(machine, e);
                let when = match when {
                    Some(when) => before.history.value(when, dt_ns, &mut read)?,
                    None => true,
                };
                let then = before.history.value(then, dt_ns, &mut read)?;
                before.history.end();
                !when || then
            }
            // The run in question is reported like a violation.
            Claim::Reachable(goal) => {
                let there = before.history.value(goal, dt_ns, &mut |e| truth(machine, e).map_err(End::Fault))?;
                before.history.end();
                !there
            }
            Claim::Repeatable(_) | Claim::Assert(_) | Claim::Unreached(_) | Claim::Executed(_) | Claim::Never(_) => true,
        })
    }
}

/// Runs the program once with a watch. What the watch found is a violation; else the end of the run is returned.
fn watched<W: Recorder>(
    machine: &mut Machine<'_>,
    mut watch: W,
    found: impl Fn(&W) -> Option<Span>,
) -> Result<Result<(), Fault>, End> {
    let ran = machine.run(&mut watch);
    match found(&watch) {
        Some(place) => Err(End::Violated(Some(place))),
        None => Ok(ran),
    }
}

/// Memory of earlier cycles.
#[derive(Default)]
struct Before {
    /// [`Claim::BetweenCycles`]: its first condition at the end of the cycle before.
    after: bool,
    history: History,
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

/// Evaluates a condition of the claim. One with a fault (division by zero, index outside) is a violation, as requirements say;
/// one that the interpreter cannot follow decides nothing.
fn observed(machine: &mut Machine<'_>, condition: &Expr) -> Result<bool, End> {
    truth(machine, condition).map_err(|fault| match fault.kind {
        FaultEnd::Check(_) => End::Violated(Some(fault.span)),
        FaultEnd::Unsupported(_) | FaultEnd::Exhausted | FaultEnd::Excluded => End::Fault(fault),
    })
}

/// Watch for a failure of these assertions, or for the first one that is reached.
struct FirstAssertion<'a> {
    ids: &'a [AssertId],
    /// TRUE if an assertion that holds counts too.
    counts_held: bool,
    found: Option<Span>,
}

impl Recorder for FirstAssertion<'_> {
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        if self.ids.contains(&id) && (self.counts_held || !held) && self.found.is_none() {
            self.found = Some(span);
        }
    }
}

/// Watch for the first of some statements.
struct FirstExecuted<'a> {
    spans: &'a [Span],
    found: Option<Span>,
}

impl Recorder for FirstExecuted<'_> {
    fn executed(&mut self, stmt: Span) {
        if self.found.is_none() && self.spans.contains(&stmt) {
            self.found = Some(stmt);
        }
    }
}

/// Waits for the first anomaly of a kind.
struct FirstAnomaly {
    kind: AnomalyKind,
    found: Option<Span>,
}

impl Recorder for FirstAnomaly {
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        if kind == self.kind && self.found.is_none() {
            self.found = Some(span);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
