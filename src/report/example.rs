//! An outcome for tests of pages and reports: one requirement of every verdict, about a pump that reads a stale valve state.

use std::collections::BTreeMap;

use super::exploration::{Exploration, ExplorationStep};
use super::outcome::*;
use super::sensitivity::{ChangeFate, ChangeSummary, Sensitivity};
use super::words::headline;
use answer::VerdictWord;
use kernel::draw::{Edge, Node, NodeKind, Picture};

/// The program.
pub(crate) const BOOSTER: &str = "\
PROGRAM Booster
VAR_INPUT
    StartCmd, StopCmd, ValveFB : BOOL;
END_VAR
VAR_OUTPUT
    PumpA : BOOL;
END_VAR
VAR
    StartEdge : R_TRIG;
    RunLatch, ValveOpen : BOOL;
    Starts : INT;
END_VAR

StartEdge(CLK := StartCmd);
IF StartEdge.Q AND ValveOpen THEN   // still the valve of the cycle before
    RunLatch := TRUE;
    Starts := Starts + 1;
END_IF;
IF StopCmd OR NOT ValveOpen THEN
    RunLatch := FALSE;
END_IF;
ValveOpen := ValveFB;
PumpA := RunLatch;
END_PROGRAM
";

fn place(line: u32, column: u32) -> Place {
    Place { source: Some(0), file: "booster.st".into(), line, column, end_line: line, editor: None }
}

fn result(id: &str, text: &str, pattern: &str, verdict: VerdictWord, reason: Option<&str>) -> RequirementResult {
    let meaning = "At the end of every cycle: NOT (PumpA AND NOT ValveFB).";
    let mut result = RequirementResult {
        verdict,
        reason: reason.map(str::to_string),
        safe_cycles: (verdict == VerdictWord::HoldsBounded).then_some(40),
        engine: Some("bmc".into()),
        duration_ms: 87,
        ..RequirementResult::before_answer(id, text, meaning, pattern)
    };
    result.headline = headline(&result);
    result
}

/// Returns two iterations of CEGAR with their last graph.
fn exploration() -> Exploration {
    let node = |id, text: &str, kind| Node { id, name: format!("n{id} at l{id}"), text: text.into(), kind };
    let edge = |from, to, covers| Edge { from, to, text: "PumpA := TRUE".into(), covers };
    let graph = Picture {
        title: "Abstract reachability graph".into(),
        nodes: vec![node(0, "NOT PumpA", NodeKind::Start), node(1, "RunLatch", NodeKind::Covered)],
        edges: vec![edge(0, 1, false), edge(1, 0, true)],
        n_left_out: 0,
    };
    let step = |number, graph| ExplorationStep {
        number,
        nodes: 2,
        abstract_ms: 3.5,
        refine_ms: 1.5,
        graph,
        ..ExplorationStep::default()
    };
    Exploration {
        engine: "cegar".into(),
        iterations: vec![step(1, None), step(2, Some(graph.clone()))],
        certify_ms: 12.0,
        automaton: Some(Picture { title: "Control-flow automaton".into(), ..graph }),
        blocks: Vec::new(),
        left_out: Vec::new(),
    }
}

/// Returns the outcome.
pub(crate) fn booster() -> Outcome {
    let mut proved = result("R2", "The pump runs only after a start.", "pattern-implication", VerdictWord::Holds, None);
    proved.n_assumptions = 1;
    proved.headline = headline(&proved);
    proved.engine = Some("k-induction".into());
    proved.proof = Some(ProofSummary {
        method: "k-induction".into(),
        k: Some(2),
        invariant: vec!["NOT PumpA OR RunLatch".into(), "Starts >= 0 OR NOT RunLatch".into()],
        internal: Vec::new(),
        obligations: ["base", "step", "safety"]
            .iter()
            .map(|name| Obligation { name: (*name).into(), text: format!("the {name} case"), duration_ms: 12 })
            .collect(),
    });
    proved.exploration = Some(exploration());
    proved.example = Some(counterexample());
    let change = |line, what: &str, fate, cycles| ChangeSummary { place: place(line, 5), what: what.into(), fate, cycles };
    let changes = vec![
        change(15, "`AND` becomes `OR` in `StartEdge.Q AND ValveOpen`", ChangeFate::Noticed, Some(2)),
        change(22, "`ValveOpen := ValveFB` is left out", ChangeFate::Unaffected, None),
    ];
    proved.sensitivity = Some(Sensitivity::new(true, 2, changes, 1200));
    let mut broken = result(
        "R1",
        "Pump A must never run while the suction valve is closed.",
        "pattern-forbidden",
        VerdictWord::Violated,
        None,
    );
    broken.counterexample = Some(counterexample());
    let bounded = result("R4", "Starts never exceeds 1000.", "pattern-invariant", VerdictWord::HoldsBounded, None);
    let mut undecided = result(
        "R3",
        "The product of the counters stays small.",
        "pattern-invariant",
        VerdictWord::Unknown,
        Some("time limit of 10 min"),
    );
    undecided.safe_cycles = Some(23);
    let vacuous = Some("Interlock can never be TRUE");
    Outcome {
        format: 1,
        tool: "0.1.0".into(),
        sources: vec![Source { name: "booster.st".into(), sha256: "9c1f".repeat(16), text: BOOSTER.into() }],
        import: import(),
        problems: Vec::new(),
        rests_on: vec![
            "Cycle time exactly 100 ms.".into(),
            "Inputs may change every cycle.".into(),
            "Integers wrap at their declared width.".into(),
        ],
        environment: Vec::new(),
        checkable: Vec::new(),
        nothing_to_check: vec!["subrange".into()],
        results: vec![
            broken,
            proved,
            undecided,
            bounded,
            result("R5", "If Interlock then stop.", "pattern-implication", VerdictWord::Vacuous, vacuous),
            result(
                "R6",
                "The pointer is valid.",
                "pattern-invariant",
                VerdictWord::NotChecked,
                Some("`POINTER` on line 12 is not supported"),
            ),
            result("assert-1", "Stopped early.", "assertion", VerdictWord::Cancelled, None),
            result("check-division-by-zero", "No division by zero.", "check", VerdictWord::Error, Some("id 7f3a")),
        ],
        duration_ms: 4321,
    }
}

fn import() -> Import {
    let variable = |name: &str, ty: &str, role| VariableSummary { name: name.into(), ty: ty.into(), role, values: Vec::new() };
    Import {
        pous: vec![PouSummary { kind: "PROGRAM".into(), name: "Booster".into(), place: place(1, 1), n_statements: 8 }],
        runs: vec!["PROGRAM Booster".into()],
        variables: vec![
            variable("StartCmd", "BOOL", VariableRole::Input),
            variable("StopCmd", "BOOL", VariableRole::Input),
            variable("ValveFB", "BOOL", VariableRole::Input),
            variable("PumpA", "BOOL", VariableRole::Output),
            variable("StartEdge.Q", "BOOL", VariableRole::Memory),
            variable("RunLatch", "BOOL", VariableRole::Memory),
            variable("ValveOpen", "BOOL", VariableRole::Memory),
            variable("Starts", "INT", VariableRole::Memory),
        ],
        modelled: BTreeMap::from([("statement".to_string(), 8), ("variable".to_string(), 8)]),
        gaps: vec![GapSummary {
            construct: "SIN".into(),
            treatment: "over_approximated".into(),
            effect: "its result may be any value from -1 to 1".into(),
            place: place(17, 5),
        }],
        ignored: Vec::new(),
        diagrams: Vec::new(),
        diagnostics: vec![Finding {
            severity: "warning".into(),
            code: "P4001".into(),
            message: "`Starts` is never read".into(),
            help: Some("remove it, or use it".into()),
            place: place(11, 5),
            rendered: "warning[P4001]: `Starts` is never read\n   ┌─ booster.st:11:5\n".into(),
            left_out: false,
        }],
        left_out: Vec::new(),
        inferred: Vec::new(),
        entries: Vec::new(),
    }
}

fn counterexample() -> Counterexample {
    let read =
        |name: &str, value: &str, from_cycle| StepValue { name: name.into(), value: value.into(), written: false, from_cycle };
    let wrote = |name: &str, value: &str| StepValue { name: name.into(), value: value.into(), written: true, from_cycle: None };
    /// Lines that are causes when they run.
    const CAUSES: [u32; 5] = [14, 15, 16, 22, 23];
    let step = |line, values| Step { place: place(line, 5), values, cause: CAUSES.contains(&line) };
    let names = ["StartCmd", "StopCmd", "ValveFB", "PumpA", "StartEdge.Q", "RunLatch", "ValveOpen", "Starts"];
    let values = |before: [&str; 8], after: [&str; 8]| {
        let row =
            |i: usize| NamedValue { name: names[i].into(), value: after[i].into(), changed: before[i] != after[i], given: None };
        (0..8).map(row).collect()
    };
    let initial = ["FALSE", "FALSE", "FALSE", "FALSE", "FALSE", "FALSE", "FALSE", "0"];
    let first = ["FALSE", "FALSE", "TRUE", "FALSE", "FALSE", "FALSE", "TRUE", "0"];
    let second = ["TRUE", "FALSE", "FALSE", "TRUE", "TRUE", "TRUE", "FALSE", "1"];
    Counterexample {
        confirmed: true,
        explanation: vec![
            "In 2 scan cycles (about 200 ms), at the end of cycle 2, PumpA is TRUE and ValveFB is FALSE.".into(),
            "PumpA was written on line 23 in this cycle.".into(),
            "In cycle 2 StartCmd rises and ValveFB drops.".into(),
        ],
        cycles: vec![
            Cycle {
                number: 1,
                dt_ms: 100.0,
                values: values(initial, first),
                steps: vec![
                    step(14, vec![read("StartCmd", "FALSE", None), wrote("StartEdge.Q", "FALSE")]),
                    step(15, vec![read("StartEdge.Q", "FALSE", None), read("ValveOpen", "FALSE", Some(0))]),
                    step(19, vec![read("StopCmd", "FALSE", None), read("ValveOpen", "FALSE", Some(0))]),
                    step(20, vec![wrote("RunLatch", "FALSE")]),
                    step(22, vec![read("ValveFB", "TRUE", None), wrote("ValveOpen", "TRUE")]),
                    step(23, vec![read("RunLatch", "FALSE", None), wrote("PumpA", "FALSE")]),
                ],
                networks: Vec::new(),
            },
            Cycle {
                number: 2,
                dt_ms: 100.0,
                values: values(first, second),
                steps: vec![
                    step(14, vec![read("StartCmd", "TRUE", None), wrote("StartEdge.Q", "TRUE")]),
                    step(15, vec![read("StartEdge.Q", "TRUE", None), read("ValveOpen", "TRUE", Some(1))]),
                    step(16, vec![wrote("RunLatch", "TRUE")]),
                    step(17, vec![read("Starts", "0", Some(0)), wrote("Starts", "1")]),
                    step(19, vec![read("StopCmd", "FALSE", None), read("ValveOpen", "TRUE", Some(1))]),
                    step(22, vec![read("ValveFB", "FALSE", None), wrote("ValveOpen", "FALSE")]),
                    step(23, vec![read("RunLatch", "TRUE", None), wrote("PumpA", "TRUE")]),
                ],
                networks: Vec::new(),
            },
        ],
        relevant: ["PumpA", "RunLatch", "StartCmd", "StartEdge.Q", "StopCmd", "ValveFB", "ValveOpen"].map(String::from).to_vec(),
        causes: vec![Cause { cycle: 2, inputs: ["StartCmd", "ValveFB"].map(String::from).to_vec() }],
        goal: ["PumpA", "ValveFB"].map(String::from).to_vec(),
        place: None,
    }
}
