//! The second reading of charts in MATIEC: tables of steps and actions, call by call, without statements.

use crate::hir::Value;
use crate::lang::sfc::law::{Condition, Meaning, TARGETS};
use testgen::programs::Chart;

#[derive(Clone, Debug, Default)]
struct Step {
    x: bool,
    before: bool,
    time: i128,
}

#[derive(Clone, Debug, Default)]
struct Action {
    stored: bool,
    state: bool,
    set: bool,
    reset: bool,
    /// Time until a request, if it is not 0.
    set_in: i128,
    reset_in: i128,
}

pub(in crate::lang::sfc) struct Tables<'a> {
    chart: &'a Chart,
    conditions: &'a [Condition],
    steps: Vec<Step>,
    actions: [Action; 4],
    on: [bool; 2],
    trace: i32,
    last: Option<i128>,
}

impl<'a> Tables<'a> {
    pub(in crate::lang::sfc) fn new(chart: &'a Chart, conditions: &'a [Condition]) -> Tables<'a> {
        let mut steps = vec![Step::default(); chart.steps.len()];
        steps[0].x = true;
        Tables { chart, conditions, steps, actions: Default::default(), on: [false; 2], trace: 0, last: None }
    }

    fn begin(&mut self, elapsed: i128) {
        for step in &mut self.steps {
            step.before = step.x;
            if step.x {
                step.time += elapsed;
            }
        }
        for action in &mut self.actions {
            (action.state, action.set, action.reset) = (false, false, false);
            for (left, request) in [(&mut action.set_in, &mut action.set), (&mut action.reset_in, &mut action.reset)] {
                if 0 < *left {
                    *left = (*left - elapsed).max(0);
                    *request = *left == 0;
                }
            }
        }
    }

    fn evolve(&mut self, inputs: [bool; 3]) {
        let mut list: Vec<usize> = Vec::new();
        for (t, transition) in self.chart.transitions.iter().enumerate() {
            match transition.priority {
                None => list.push(t),
                Some(priority) => {
                    let rank = |t: &usize| self.chart.transitions[*t].priority.unwrap_or(0);
                    let at = list.iter().take_while(|t| rank(t) <= priority).count();
                    list.insert(at, t);
                }
            }
        }
        let mut fired = vec![false; list.len()];
        for t in list {
            let transition = &self.chart.transitions[t];
            let holds = match self.conditions[t] {
                Condition::Input(i) => inputs[i],
                Condition::NotInput(i) => !inputs[i],
                Condition::Active(step) => self.steps[step].x,
                Condition::Long(step, ms) => ms <= self.steps[step].time,
                Condition::Off(target) => !self.on[target],
            };
            fired[t] = holds && transition.from.iter().all(|step| self.steps[*step].x);
            if fired[t] && transition.priority.is_some() {
                transition.from.iter().for_each(|step| self.steps[*step].x = false);
            }
        }
        let fired = |t: &(usize, _)| fired[t.0];
        for (_, transition) in self.chart.transitions.iter().enumerate().filter(|t| fired(&(t.0, ()))) {
            if transition.priority.is_none() {
                transition.from.iter().for_each(|step| self.steps[*step].x = false);
            }
        }
        for (_, transition) in self.chart.transitions.iter().enumerate().filter(|t| fired(&(t.0, ()))) {
            for step in &transition.to {
                (self.steps[*step].x, self.steps[*step].time) = (true, 0);
            }
        }
    }

    fn control(&mut self) {
        for (step, rows) in self.chart.steps.iter().enumerate() {
            let Step { x, before, time } = self.steps[step].clone();
            let (rises, falls) = (x && !before, !x && before);
            for row in rows {
                let at = TARGETS.iter().position(|t| *t == row.target).unwrap();
                let long = i128::from(row.time);
                // The state that the block gives its target now, if it gives one.
                let state = match row.qualifier {
                    "N" if falls => Some(false),
                    "N" => x.then_some(true),
                    "L" if x && time < long => Some(true),
                    "L" => (falls || x).then_some(false),
                    "D" if x && long <= time => Some(true),
                    "D" => falls.then_some(false),
                    "P" | "P1" => Some(rises),
                    "P0" => Some(falls),
                    _ => None,
                };
                match (state, at) {
                    (Some(state), 0..2) => self.on[at] = state,
                    (Some(state), _) => self.actions[at].state = state,
                    (None, _) => {}
                }
                let action = &mut self.actions[at];
                match row.qualifier {
                    "S" if x => action.set = true,
                    "R" if x => action.reset = true,
                    "SL" if rises => (action.set, action.reset_in) = (true, long),
                    "SD" | "DS" if rises => action.set_in = long,
                    "DS" if falls => action.set_in = 0,
                    _ => {}
                }
            }
        }
    }

    fn act(&mut self) {
        for (at, action) in self.actions.iter_mut().enumerate() {
            if action.set {
                (action.stored, action.set_in) = (true, 0);
            }
            if action.reset {
                (action.stored, action.reset_in) = (false, 0);
            }
            match at {
                0..2 if action.reset => self.on[at] = false,
                0..2 if action.set => self.on[at] = true,
                2.. if action.state || action.stored => self.trace = self.trace.wrapping_mul(4).wrapping_add(at as i32 - 1),
                _ => {}
            }
        }
    }
}

impl Meaning for Tables<'_> {
    fn call(&mut self, now: i128, inputs: [bool; 3]) {
        let elapsed = now - self.last.replace(now).unwrap_or(now);
        self.begin(elapsed);
        self.evolve(inputs);
        self.control();
        self.act();
    }

    fn shown(&self) -> Vec<(String, Value)> {
        let mut all = vec![
            ("lamp".to_owned(), Value::Bool(self.on[0])),
            ("horn".to_owned(), Value::Bool(self.on[1])),
            ("trace".to_owned(), Value::Int(self.trace.into())),
        ];
        for (n, step) in self.steps.iter().enumerate() {
            all.push((format!("s{n}.X"), Value::Bool(step.x)));
            all.push((format!("s{n}.T"), Value::Int(step.time)));
        }
        all
    }

    fn active(&self) -> Vec<bool> {
        self.steps.iter().map(|step| step.x).collect()
    }
}
