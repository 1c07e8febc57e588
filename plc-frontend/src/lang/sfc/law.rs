//! The law of charts: random charts behave, call by call, like a second reading of the rules.
//!
//! This reading of evolution and of the standard's ACTION_CONTROL has no statements: each step has the time of its activation,
//! each input of ACTION_CONTROL one memory.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::matiec::law::Tables;
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::text::SourceSet;
use crate::{LoadOptions, load};
use testgen::programs::rng::Rng;
use testgen::programs::{Chart, QUALIFIERS, TIMED};

const CALLS: usize = 60;
/// Targets of a chart: two variables and two actions, which write their number into a trace.
pub(super) const TARGETS: [&str; 4] = ["lamp", "horn", "Work", "Rest"];
const MAIN: &str = r"END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 run, i0, i1, i2 : BOOL;
END_VAR
VAR
 seq : Seq;
END_VAR
IF run THEN seq(i0 := i0, i1 := i1, i2 := i2); END_IF;
END_PROGRAM
";
const SEQ: &str = r"FUNCTION_BLOCK Seq
VAR_INPUT
 i0, i1, i2 : BOOL;
END_VAR
VAR_OUTPUT
 lamp, horn : BOOL;
 trace : DINT;
END_VAR
ACTION Work:
 trace := trace * DINT#4 + DINT#1;
END_ACTION
ACTION Rest:
 trace := trace * DINT#4 + DINT#2;
END_ACTION
";

/// A condition of a transition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Input(usize),
    NotInput(usize),
    Active(usize),
    /// The step has been active for so many milliseconds.
    Long(usize, i128),
    /// The variable `lamp` or `horn` is FALSE.
    Off(usize),
}

impl Condition {
    fn random(rng: &mut Rng, own: usize, n_steps: usize) -> Condition {
        match rng.below(8) {
            0..3 => Condition::Input(rng.below(3)),
            3 => Condition::NotInput(rng.below(3)),
            4 => Condition::Active(rng.below(n_steps)),
            5 => Condition::Long(rng.below(n_steps), rng.below(5) as i128 * 50),
            6 => Condition::Long(own, rng.below(5) as i128 * 50),
            _ => Condition::Off(rng.below(2)),
        }
    }
    fn text(self) -> String {
        match self {
            Condition::Input(i) => format!("i{i}"),
            Condition::NotInput(i) => format!("NOT i{i}"),
            Condition::Active(step) => format!("s{step}.X"),
            Condition::Long(step, ms) => format!("s{step}.T >= T#{ms}ms"),
            Condition::Off(target) => format!("NOT {}", TARGETS[target]),
        }
    }
}

/// A TON: the time at which its input became TRUE, and its output.
#[derive(Clone, Copy, Debug, Default)]
struct Delay {
    since: Option<i128>,
    q: bool,
}

impl Delay {
    fn call(&mut self, input: bool, time: i128, now: i128) -> bool {
        self.since = input.then(|| self.since.unwrap_or(now));
        self.q = self.since.is_some_and(|since| self.q || time <= now - since);
        self.q
    }
}

/// The standard's ACTION_CONTROL of one target.
#[derive(Clone, Debug, Default)]
struct Control {
    /// The time of L, D, SD, DS and SL.
    time: i128,
    /// Stored by S, SD, DS, SL.
    stored: BTreeMap<&'static str, bool>,
    delays: BTreeMap<&'static str, Delay>,
    /// Q of the call before, without P1 and P0.
    q: bool,
}

/// Second reading of a chart.
pub(super) trait Meaning {
    /// Runs one call at a time in milliseconds.
    fn call(&mut self, now: i128, inputs: [bool; 3]);
    /// Returns values to compare, by name.
    fn shown(&self) -> Vec<(String, Value)>;
    /// Returns the active steps.
    fn active(&self) -> Vec<bool>;
}

/// The chart's own semantics.
struct Reference<'a> {
    chart: &'a Chart,
    conditions: &'a [Condition],
    acts_first: bool,
    active: BTreeSet<usize>,
    /// The time at which each active step became active; for the initial step, that of the first call.
    since: BTreeMap<usize, i128>,
    times: Vec<i128>,
    /// Steps that were active in the last run of the actions.
    before: BTreeSet<usize>,
    controls: [Control; 4],
    on: [bool; 2],
    trace: i32,
    is_first: bool,
}

impl<'a> Reference<'a> {
    fn new(chart: &'a Chart, conditions: &'a [Condition], acts_first: bool) -> Reference<'a> {
        Reference {
            chart,
            conditions,
            acts_first,
            active: BTreeSet::from([0]),
            since: BTreeMap::new(),
            times: vec![0; chart.steps.len()],
            before: BTreeSet::new(),
            controls: Default::default(),
            on: [false; 2],
            trace: 0,
            is_first: true,
        }
    }

    fn evolve(&mut self, now: i128, inputs: [bool; 3]) {
        let mut order: Vec<usize> = (0..self.chart.transitions.len()).collect();
        order.sort_by_key(|t| (self.chart.transitions[*t].priority.unwrap_or(u32::MAX), *t));
        let mut free = self.active.clone();
        let mut entered = Vec::new();
        for t in order {
            let transition = &self.chart.transitions[t];
            let holds = match self.conditions[t] {
                Condition::Input(i) => inputs[i],
                Condition::NotInput(i) => !inputs[i],
                Condition::Active(step) => self.active.contains(&step),
                Condition::Long(step, ms) => ms <= self.times[step],
                Condition::Off(target) => !self.on[target],
            };
            if holds && transition.from.iter().all(|step| free.contains(step)) {
                free.retain(|step| !transition.from.contains(step));
                entered.extend(&transition.to);
            }
        }
        self.active = free;
        for step in entered {
            self.active.insert(step);
            self.since.insert(step, now);
            self.times[step] = 0;
        }
    }

    fn act(&mut self, now: i128) {
        let (mut ended, mut running) = (Vec::new(), Vec::new());
        for (at, target) in self.in_order() {
            let rows: Vec<_> = self.chart.steps.iter().enumerate().flat_map(|(s, a)| a.iter().map(move |a| (s, a))).collect();
            let rows: Vec<_> = rows.into_iter().filter(|(_, a)| a.target == target).collect();
            let (active, before) = (self.active.clone(), self.before.clone());
            let any = |q: &str| {
                rows.iter().filter(|(_, a)| a.qualifier == q).any(|(step, _)| {
                    let (is, was) = (active.contains(step), before.contains(step));
                    match q {
                        "P" | "P1" => is && !was,
                        "P0" => was && !is,
                        _ => is,
                    }
                })
            };
            let control = &mut self.controls[at];
            for (step, row) in &rows {
                if self.active.contains(step) && QUALIFIERS[TIMED..].contains(&row.qualifier) {
                    control.time = i128::from(row.time);
                }
            }
            let (time, reset) = (control.time, any("R"));
            let mut stored = |q: &'static str, set: bool| {
                let kept = control.stored.entry(q).or_default();
                *kept = !reset && (set || *kept);
                *kept
            };
            let (s, sd, sl) = (stored("S", any("S")), stored("SD", any("SD")), stored("SL", any("SL")));
            let mut delayed = |q: &'static str, input: bool| control.delays.entry(q).or_default().call(input, time, now);
            let l = !delayed("L", any("L")) && any("L");
            let (d, sd) = (delayed("D", any("D")), delayed("SD", sd));
            let sl = !delayed("SL", sl) && sl;
            let ds = delayed("DS", any("DS"));
            let ds = stored("DS", ds);
            let q = !reset && (any("N") || any("P") || s || l || d || sd || ds || sl);
            let pulse = !reset && (any("P1") || any("P0"));
            match TARGETS.iter().position(|t| *t == target) {
                Some(variable @ 0..2) => {
                    let only_reset = rows.iter().all(|(_, a)| a.qualifier == "R");
                    if !only_reset {
                        self.on[variable] = q || pulse;
                    } else if reset {
                        self.on[variable] = false;
                    }
                }
                Some(action) => {
                    if q || pulse {
                        running.push(action);
                    } else if control.q {
                        ended.push(action);
                    }
                }
                None => unreachable!("{target}"),
            }
            control.q = q;
        }
        if self.acts_first {
            ended.sort_by_key(|action| TARGETS[*action]);
            running.sort_by_key(|action| TARGETS[*action]);
        }
        for action in ended.into_iter().chain(running) {
            self.trace = self.trace.wrapping_mul(4).wrapping_add(action as i32 - 1);
        }
        self.before = self.active.clone();
    }

    /// Returns the targets of the chart, in the order in which it first names them.
    fn in_order(&self) -> Vec<(usize, &'a str)> {
        let mut named: Vec<&str> = Vec::new();
        for row in self.chart.steps.iter().flatten() {
            if !named.contains(&row.target.as_str()) {
                named.push(&row.target);
            }
        }
        named.into_iter().enumerate().collect()
    }
}

impl Meaning for Reference<'_> {
    fn call(&mut self, now: i128, inputs: [bool; 3]) {
        if self.is_first {
            self.since.insert(0, now);
        }
        for step in &self.active {
            self.times[*step] = now - self.since[step];
        }
        if self.acts_first {
            self.act(now);
        }
        if self.acts_first || !self.is_first {
            self.evolve(now, inputs);
        }
        if !self.acts_first {
            self.act(now);
        }
        self.is_first = false;
    }

    fn shown(&self) -> Vec<(String, Value)> {
        let mut all = vec![
            ("lamp".to_owned(), Value::Bool(self.on[0])),
            ("horn".to_owned(), Value::Bool(self.on[1])),
            ("trace".to_owned(), Value::Int(self.trace.into())),
        ];
        for step in 0..self.chart.steps.len() {
            all.push((format!("s{step}.X"), Value::Bool(self.active.contains(&step))));
            all.push((format!("s{step}.T"), Value::Int(self.times[step])));
        }
        all
    }

    fn active(&self) -> Vec<bool> {
        (0..self.chart.steps.len()).map(|step| self.active.contains(&step)).collect()
    }
}

/// Returns the calls in which more than times changed.
fn case(seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let n_steps = 1 + rng.below(7);
    let mut chart = Chart::random(&mut rng, n_steps, &TARGETS);
    let own = |chart: &Chart, t: usize| chart.transitions[t].from[0];
    let conditions: Vec<Condition> =
        (0..chart.transitions.len()).map(|t| Condition::random(&mut rng, own(&chart, t), chart.steps.len())).collect();
    for (transition, condition) in chart.transitions.iter_mut().zip(&conditions) {
        transition.condition = condition.text();
    }
    let text = [SEQ, &chart.text(), MAIN].concat();
    let dialect = *rng.pick(&[None, Some(DialectId::Codesys), Some(DialectId::Matiec)]);
    let mut sources = SourceSet::default();
    sources.add("a.st", text.as_str());
    let parsed = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{text}\n{}", crate::text::render::plain(&sources, &parsed.diagnostics));
    let mut machine = Machine::new(&parsed.value.project, Limits::default());
    let mut reference: Box<dyn Meaning> = match dialect {
        Some(DialectId::Matiec) => Box::new(Tables::new(&chart, &conditions)),
        Some(_) | None => Box::new(Reference::new(&chart, &conditions, dialect.is_some())),
    };
    let (mut now, mut n_changed, mut last) = (0, 0, reference.active());
    for call in 0..CALLS {
        let inputs = [(); 3].map(|()| rng.chance(50));
        let runs = rng.chance(85);
        let ms = 10 + rng.below(15) as i128 * 10;
        now += ms;
        let given = [("run", runs), ("i0", inputs[0]), ("i1", inputs[1]), ("i2", inputs[2])];
        let given: BTreeMap<String, Value> =
            given.into_iter().map(|(name, v)| (format!("Main.{name}"), Value::Bool(v))).collect();
        machine.begin(&given, ms as i64 * 1_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        if runs {
            reference.call(now, inputs);
        }
        for (name, expected) in reference.shown() {
            let found = machine.leaf(&format!("Main.seq.{name}"));
            assert_eq!(found, Some(expected), "call {call}: {name} in {dialect:?}, seed {seed}\n{text}");
        }
        n_changed += usize::from(reference.active() != last);
        last = reference.active();
    }
    n_changed
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_charts_do_what_the_rules_say(seed: u64) {
        case(seed);
    }
}

#[test]
fn random_charts_move() {
    let n_changed: usize = (0..100).map(case).sum();
    assert!(10 * 100 < n_changed, "{n_changed}");
}
