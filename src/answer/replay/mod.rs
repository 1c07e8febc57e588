//! Replays a counterexample on the reference interpreter, from the program as it was read.
//!
//! Knows the HIR and the interpreter; no automaton, no monitor, no solver. The requirement is evaluated here a second
//! time, from its conditions, so a mistake in the model's monitors cannot pass as a violation.

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

pub use inputs::inputs;
pub use minimise::{Effort, minimise};
pub use nan_bits::NanBits;

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
            match self.cycle(&mut machine, inputs, (&mut before, &at_start)) {
                Ok(()) => {}
                Err(End::Violated(place)) => return Replayed::Violated { cycle, place },
                Err(End::Fault(fault)) => return Replayed::Ended { cycle, fault },
                Err(End::Excluded(assumption)) => return Replayed::Excluded { cycle, assumption },
                Err(End::Unfit(bad)) => return Replayed::Unfit(bad),
            }
        }
        Replayed::Held
    }

    fn cycle(
        &self,
        machine: &mut Machine<'_>,
        inputs: &CycleInputs,
        (before, at_start): (&mut Before, &[bool]),
    ) -> Result<(), End> {
        let is_first = !machine.has_run();
        machine.begin(&inputs.inputs, inputs.dt_ns).map_err(End::Unfit)?;
        for (i, assumption) in self.assumptions.iter().enumerate() {
            if (is_first || !at_start[i]) && !truth(machine, assumption).map_err(End::Fault)? {
                return Err(End::Excluded(i));
            }
        }
        let started = match self.claim {
            Claim::DuringCycle { at_start, .. } => observed(machine, at_start)?,
            Claim::Temporal { when, then } => {
                for formula in when.iter().chain([then]) {
                    before.history.begin(formula, &mut |e| observed(machine, e))?;
                }
                false
            }
            Claim::Reachable(goal) => {
                before.history.begin(goal, &mut |e| truth(machine, e).map_err(End::Fault))?;
                false
            }
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::BetweenCycles { .. }
            | Claim::Repeatable(_)
            | Claim::Assert(_)
            | Claim::Unreached(_)
            | Claim::Executed(_)
            | Claim::Never(_) => false,
        };
        let ran = match self.claim {
            Claim::Assert(ids) | Claim::Unreached(ids) => {
                let whether_held = matches!(self.claim, Claim::Unreached(_));
                let mut watch = Watch { ids, whether_held, found: None };
                let ran = machine.run(&mut watch);
                if watch.found.is_some() {
                    return Err(End::Violated(watch.found));
                }
                ran
            }
            Claim::Executed(spans) => {
                let mut watch = FirstExecuted { spans, found: None };
                let ran = machine.run(&mut watch);
                if watch.found.is_some() {
                    return Err(End::Violated(watch.found));
                }
                ran
            }
            Claim::Never(Event::DoubleWrite) => {
                let mut watch = DoubleWrite::new(self.project);
                let ran = machine.run(&mut watch);
                if watch.found.is_some() {
                    return Err(End::Violated(watch.found));
                }
                ran
            }
            Claim::Never(Event::Anomaly(kind)) => {
                let mut watch = FirstAnomaly { kind: *kind, found: None };
                let ran = machine.run(&mut watch);
                if watch.found.is_some() {
                    return Err(End::Violated(watch.found));
                }
                ran
            }
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::DuringCycle { .. }
            | Claim::BetweenCycles { .. }
            | Claim::Temporal { .. }
            | Claim::Reachable(_)
            | Claim::Repeatable(_)
            | Claim::Never(Event::Fault(_)) => machine.run(&mut Silent),
        };
        match (ran, self.claim) {
            (Ok(()), _) => {}
            (Err(fault), Claim::Never(Event::Fault(kind))) if fault.kind == FaultEnd::Check(*kind) => {
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
                let holds = !before.after || !observed(machine, when)? || observed(machine, then)?;
                before.after = observed(machine, after)?;
                holds
            }
            Claim::Temporal { when, then } => {
                let mut read = |e: &Expr| observed(machine, e);
                let when = match when {
                    Some(when) => before.history.value(when, inputs.dt_ns, &mut read)?,
                    None => true,
                };
                let then = before.history.value(then, inputs.dt_ns, &mut read)?;
                before.history.end();
                !when || then
            }
            // The run that was looked for: it is told like a violation.
            Claim::Reachable(goal) => {
                let there = before.history.value(goal, inputs.dt_ns, &mut |e| truth(machine, e).map_err(End::Fault))?;
                before.history.end();
                !there
            }
            Claim::Repeatable(_) | Claim::Assert(_) | Claim::Unreached(_) | Claim::Executed(_) | Claim::Never(_) => true,
        };
        if holds { Ok(()) } else { Err(End::Violated(None)) }
    }
}

/// What a claim remembers of earlier cycles.
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

/// A condition of the claim. One that cannot be evaluated (it divides by zero, an index is outside) is a violation, as
/// requirements say; one that the interpreter cannot follow says nothing.
fn observed(machine: &mut Machine<'_>, condition: &Expr) -> Result<bool, End> {
    truth(machine, condition).map_err(|fault| match fault.kind {
        FaultEnd::Check(_) => End::Violated(Some(fault.span)),
        FaultEnd::Unsupported(_) | FaultEnd::Exhausted => End::Fault(fault),
    })
}

/// Waits for one of these assertions to fail, or to be reached at all.
struct Watch<'a> {
    ids: &'a [AssertId],
    /// An assertion that holds counts too.
    whether_held: bool,
    found: Option<Span>,
}

impl Recorder for Watch<'_> {
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        if self.ids.contains(&id) && (self.whether_held || !held) && self.found.is_none() {
            self.found = Some(span);
        }
    }
}

/// Waits for the first of some statements.
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
pub(crate) mod tests {
    use testgen::stated::Stated;

    use super::*;

    const PROGRAM: &str = "PROGRAM P
        VAR_INPUT a, b : BOOL; n : INT := 1; END_VAR
        VAR_OUTPUT q, r : BOOL; m : INT; END_VAR
        q := a AND NOT b;
        //#ASSERT NOT (a AND b) : both
        m := 100 / n;
        r := a;
        END_PROGRAM";

    fn cycle(a: bool, b: bool, n: i128) -> CycleInputs {
        let inputs = [("P.a", Value::Bool(a)), ("P.b", Value::Bool(b)), ("P.n", Value::Int(n))];
        CycleInputs { inputs: inputs.into_iter().map(|(name, v)| (name.to_owned(), v)).collect(), dt_ns: 100_000_000 }
    }

    #[test]
    fn every_pattern_is_evaluated_from_its_conditions() {
        // 0 both inputs FALSE, 1 only a, 2 only b, 3 both; n is 1.
        let check = |yaml: &str, cycles: &[usize], violated_in: Option<usize>| {
            let stated = Stated::new(PROGRAM, &format!("requirements: [{yaml}]"));
            let cycles: Vec<CycleInputs> = cycles.iter().map(|i| cycle(i & 1 == 1, i & 2 == 2, 1)).collect();
            let expected = match violated_in {
                Some(cycle) => Replayed::Violated { cycle, place: None },
                None => Replayed::Held,
            };
            assert_eq!(Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]).replay(&cycles), expected, "{yaml}");
        };
        check("{ never: q }", &[0, 2, 3], None);
        check("{ never: q }", &[0, 1, 1], Some(1));
        check("{ always: q }", &[1, 1], None);
        check("{ always: q }", &[1, 3], Some(1));
        check("{ if: r, then: q }", &[0, 1, 2], None);
        check("{ if: r, then: q }", &[0, 1, 3], Some(2));
        check("{ at_start: b, then: NOT q }", &[0, 1, 2, 3], None);
        check("{ at_start: a, then: q }", &[0, 1, 3], Some(2));
        // r is the one of the cycle before when the inputs are new.
        check("{ at_start: r, then: q }", &[1, 1], None);
        check("{ at_start: r, then: q }", &[1, 0], Some(1));
        check("{ after: r, if: b, then: q }", &[3, 1, 0, 2], None);
        check("{ after: r, if: b, then: q }", &[1, 2], Some(1));
        check("{ after: TRUE, if: b, then: q }", &[2], None);
        // What looks back. q is TRUE after cycles of kind 1, r after 1 and 3; a cycle takes 100 ms.
        check("{ if: r AND b, earlier: q }", &[1, 3], None);
        check("{ if: r AND b, earlier: q }", &[0, 3], Some(1));
        check("{ if: q, earlier: q }", &[1], Some(0));
        check("{ if: r AND b, from: q, to: NOT q }", &[1, 0, 3], None);
        check("{ if: r AND NOT q, from: q, to: NOT q }", &[1, 3], Some(1));
        check("{ if: q, started: b }", &[2, 1], None);
        check("{ if: q, started: b }", &[0, 1], Some(1));
        check("{ if: r, started: b }", &[3], None);
        check("{ if: r, for: 200ms, then: NOT q }", &[1, 1, 0, 1, 1, 3], None);
        check("{ if: r, for: 200ms, then: NOT q }", &[1, 1, 1], Some(2));
        check("{ if: r, for: 1ms, then: NOT q }", &[1, 1], Some(1));
        check("{ always: 'PREVIOUS(q) --> r' }", &[1, 3, 0], None);
        check("{ always: 'PREVIOUS(q) --> r' }", &[1, 0], Some(1));
        check("{ never: 'PREVIOUS(PREVIOUS(q)) AND q' }", &[1, 0, 0, 1], None);
        check("{ never: 'PREVIOUS(PREVIOUS(q)) AND q' }", &[1, 0, 1], Some(2));
        check("{ never: 'ROSE(r) AND q' }", &[3, 1], None);
        check("{ never: 'ROSE(r) AND q' }", &[1], Some(0));
        check("{ never: FELL(r) }", &[0, 1, 1], None);
        check("{ never: FELL(r) }", &[1, 0], Some(1));
        check("{ always: 'SINCE(NOT q, b) OR NOT ONCE(b)' }", &[2, 0, 0], None);
        check("{ always: 'SINCE(NOT q, b) OR NOT ONCE(b)' }", &[2, 0, 1], Some(2));
        check("{ always: 'HISTORICALLY(NOT q)' }", &[0, 2, 1, 0], Some(2));
        check("{ never: 'HELD(q, T#150ms)' }", &[1, 1, 0, 1], None);
        check("{ never: 'HELD(q, T#150ms) XOR FALSE' }", &[1, 1, 1], Some(2));
        // The run that is looked for.
        check("{ possible: q AND NOT PREVIOUS(r) }", &[3, 0, 1], Some(2));
        check("{ after: TRUE, if: b, then: q }", &[2, 2], Some(1));
    }

    #[test]
    fn places_faults_and_assumptions_count() {
        let replay = |yaml: &str, claim: usize, cycles: &[CycleInputs]| {
            let stated = Stated::new(PROGRAM, yaml);
            let text = |span: Span| stated.loaded.sources.text(span).to_owned();
            match Case::of(&stated.loaded, &stated.assumptions, &stated.claims[claim]).replay(cycles) {
                Replayed::Violated { cycle, place } => format!("violated in {cycle} at {:?}", place.map(text)),
                Replayed::Held => "held".into(),
                Replayed::Ended { cycle, fault } => format!("ended in {cycle} at {}", text(fault.span)),
                Replayed::Excluded { cycle, assumption } => format!("excluded in {cycle} by {assumption}"),
                Replayed::Unfit(bad) => bad.to_string(),
            }
        };
        let (assert, division) = (0, 1);
        assert_eq!(replay("", assert, &[cycle(true, false, 1)]), "held");
        let failed = "violated in 1 at Some(\"NOT (a AND b) : both\")";
        assert_eq!(replay("", assert, &[cycle(true, false, 1), cycle(true, true, 0)]), failed);
        assert_eq!(replay("", division, &[cycle(true, true, 1), cycle(true, true, 0)]), "violated in 1 at Some(\"n\")");
        assert_eq!(replay("requirements: [{ never: q }]", 0, &[cycle(true, false, 0)]), "ended in 0 at n");
        // Inputs that are missing keep their values; a condition that cannot be evaluated is a violation.
        assert_eq!(replay("", division, &[CycleInputs::default()]), "held");
        assert_eq!(
            replay("requirements: [{ never: 1 / m = 7 }]", 0, &[cycle(true, false, 1), cycle(true, false, 1000)]),
            "violated in 1 at Some(\"m\")"
        );
        let given = "assumptions: [{ expr: n > 0 }, { expr: NOT (a AND b) }]";
        assert_eq!(replay(given, assert, &[cycle(true, false, 5), cycle(true, true, 5)]), "excluded in 1 by 1");
        assert_eq!(replay(given, assert, &[cycle(true, true, 0)]), "excluded in 0 by 0");
        let stray = CycleInputs { inputs: BTreeMap::from([("P.q".to_owned(), Value::Bool(true))]), dt_ns: 0 };
        assert_eq!(replay("", assert, &[stray]), BadInput::NotAnInput("P.q".into()).to_string());
    }
}
