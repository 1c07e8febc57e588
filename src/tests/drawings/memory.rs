//! Standard blocks with memory: outputs of this execution from its inputs and from what earlier cycles left.
//!
//! Written from the standard's description of each block. What is not known of the past makes outputs unknown, not wrong.

use super::values::Shown;

/// A block's past. `None`: not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Last value of the input whose edges count: CLK, CU, IN.
    before: Option<bool>,
    /// Last value of CD.
    before_down: Option<bool>,
    /// Output that is remembered.
    on: Option<bool>,
    /// Count, or ET.
    value: Option<i128>,
    /// Time at which the time that is measured began.
    since: Option<i128>,
}

impl State {
    /// Returns the state before the first execution.
    pub(super) fn first() -> State {
        let (before, on) = (Some(false), Some(false));
        State { before, before_down: before, on, value: Some(0), since: None }
    }
    /// Returns the state after executions that were not seen.
    pub(super) fn lost() -> State {
        State { before: None, before_down: None, on: None, value: None, since: None }
    }
    /// Returns a rising or falling edge of a pin, contact or coil; `None` if the value or the past is not known.
    pub(super) fn edge(&mut self, rises: bool, now: Option<bool>) -> Option<bool> {
        let before = std::mem::replace(&mut self.before, now);
        if rises { and(now, not(before)) } else { and(not(now), before) }
    }
}

/// Values at the inputs, by name; what is not wired has the initial value of its type.
pub(super) struct Inputs<'a>(pub(super) &'a dyn Fn(&str) -> Option<Option<Shown>>);

impl Inputs<'_> {
    fn truth(&self, names: &[&str]) -> Option<bool> {
        match names.iter().find_map(|name| (self.0)(name)) {
            Some(value) => value?.truth(),
            None => Some(false),
        }
    }
    fn number(&self, name: &str) -> Option<i128> {
        match (self.0)(name) {
            Some(value) => match value? {
                Shown::Whole(i) | Shown::Time(i) => Some(i),
                Shown::Truth(_) | Shown::Real(_) => None,
            },
            None => Some(0),
        }
    }
}

/// Outputs by name; `None` in place of a value that is not known.
type Outputs = Vec<(&'static str, Option<Shown>)>;

/// Executes a block; `None` for a type without a law.
pub(super) fn execute(label: &str, inputs: &Inputs<'_>, state: &mut State, now: i128) -> Option<Outputs> {
    let truth = |b: Option<bool>| b.map(Shown::Truth);
    let outputs = match label {
        "R_TRIG" => vec![("Q", truth(state.edge(true, inputs.truth(&["CLK"]))))],
        "F_TRIG" => {
            // Systems do not agree on the first execution.
            let first = state.value.replace(1).is_none_or(|n| n == 0);
            let falls = state.edge(false, inputs.truth(&["CLK"]));
            vec![("Q", truth(falls.filter(|_| !first)))]
        }
        "SR" => {
            let (set, reset) = (inputs.truth(&["S1", "SET1"]), inputs.truth(&["R", "RESET"]));
            state.on = or(set, and(not(reset), state.on));
            vec![("Q1", truth(state.on))]
        }
        "RS" => {
            let (set, reset) = (inputs.truth(&["S", "SET"]), inputs.truth(&["R1", "RESET1"]));
            state.on = and(not(reset), or(set, state.on));
            vec![("Q1", truth(state.on))]
        }
        "CTU" | "CTD" | "CTUD" => counter(label, inputs, state),
        "TON" | "TOF" | "TP" => timer(label, inputs, state, now),
        _ => return None,
    };
    Some(outputs)
}

fn counter(label: &str, inputs: &Inputs<'_>, state: &mut State) -> Outputs {
    let edge = |before: &mut Option<bool>, now: Option<bool>| {
        let was = std::mem::replace(before, now);
        and(now, not(was))
    };
    let (counts_up, counts_down) = (label != "CTD", label != "CTU");
    let up = if counts_up { edge(&mut state.before, inputs.truth(&["CU"])) } else { Some(false) };
    let down = if counts_down { edge(&mut state.before_down, inputs.truth(&["CD"])) } else { Some(false) };
    let reset = if counts_up { inputs.truth(&["R", "RESET"]) } else { Some(false) };
    let load = if counts_down { inputs.truth(&["LD", "LOAD"]) } else { Some(false) };
    let preset = inputs.number("PV");
    // Both edges at once cancel.
    let step = match (up, down) {
        (Some(up), Some(down)) => Some(i128::from(up) - i128::from(down)),
        (_, _) => None,
    };
    state.value = match (reset, load) {
        (Some(true), _) => Some(0),
        (Some(false), Some(true)) => preset,
        (Some(false), Some(false)) => {
            let count = |v: i128| Some((v + step?).clamp(i16::MIN.into(), i16::MAX.into()));
            state.value.and_then(count)
        }
        (_, _) => None,
    };
    let reached = preset.and_then(|preset| state.value.map(|v| Shown::Truth(preset <= v)));
    let empty = state.value.map(|v| Shown::Truth(v <= 0));
    let mut outputs = vec![("CV", state.value.map(Shown::Whole))];
    match label {
        "CTU" => outputs.push(("Q", reached)),
        "CTD" => outputs.push(("Q", empty)),
        _ => outputs.extend([("QU", reached), ("QD", empty)]),
    }
    outputs
}

fn timer(label: &str, inputs: &Inputs<'_>, state: &mut State, now: i128) -> Outputs {
    let (Some(on), Some(preset)) = (inputs.truth(&["IN"]), inputs.number("PT")) else {
        *state = State::lost();
        return Vec::new();
    };
    let preset = preset.max(0);
    let before = state.before.replace(on);
    let elapsed = |state: &State| state.since.map(|since| now - since);
    match label {
        "TON" if !on => (state.on, state.value) = (Some(false), Some(0)),
        "TON" => {
            if before != Some(true) {
                state.since = before.map(|_| now);
            }
            if state.on != Some(true) {
                let known = elapsed(state).filter(|_| state.on.is_some());
                (state.on, state.value) = (known.map(|t| preset <= t), known.map(|t| t.min(preset)));
            }
        }
        "TOF" if on => (state.on, state.value) = (Some(true), Some(0)),
        "TOF" => {
            if before != Some(false) {
                state.since = before.map(|_| now);
            }
            if state.on != Some(false) {
                let known = elapsed(state).filter(|_| state.on.is_some());
                (state.on, state.value) = (known.map(|t| t < preset), known.map(|t| t.min(preset)));
            }
        }
        _ => {
            match (state.on, before) {
                (Some(true), _) => {
                    let known = elapsed(state);
                    (state.on, state.value) = (known.map(|t| t < preset), known.map(|t| t.min(preset)));
                }
                (Some(false), Some(before)) if on && !before => {
                    (state.on, state.value, state.since) = (Some(0 < preset), Some(0), Some(now));
                }
                (Some(false), _) if !on => {}
                (Some(false), Some(_)) => {}
                (Some(false) | None, _) => (state.on, state.value) = (None, None),
            }
            if state.on == Some(false) && !on {
                state.value = Some(0);
            }
        }
    }
    vec![("Q", state.on.map(Shown::Truth)), ("ET", state.value.map(Shown::Time))]
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        (_, _) => None,
    }
}

fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}
