//! Random sequential function charts: sequences, selections, simultaneous branches, loops, and sometimes a jump that no editor
//! draws. They are data first, so that a law can evaluate a chart itself; then text.

use std::fmt::Write as _;

use super::rng::Rng;

/// All qualifiers in text; those from [`TIMED`] on have a time.
pub const QUALIFIERS: [&str; 11] = ["N", "R", "S", "P", "P0", "P1", "L", "D", "SD", "DS", "SL"];
/// The first one in [`QUALIFIERS`] with a time.
pub const TIMED: usize = 6;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The first one is the initial step; `s0`, `s1` … are their names.
    pub steps: Vec<Vec<Association>>,
    /// In the order of the text.
    pub transitions: Vec<Transition>,
}

/// Action or variable of a step, with its qualifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association {
    /// Its name.
    pub target: String,
    /// One of [`QUALIFIERS`].
    pub qualifier: &'static str,
    /// In milliseconds, for those that have a time.
    pub time: u32,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The steps before it.
    pub from: Vec<usize>,
    /// The steps behind it.
    pub to: Vec<usize>,
    /// The lower the earlier.
    pub priority: Option<u32>,
    /// In ST; empty until it is filled in.
    pub condition: String,
}

impl Chart {
    /// Returns about `n_steps` steps with transitions, each step with some of the `targets`; conditions are still empty.
    pub fn random(rng: &mut Rng, n_steps: usize, targets: &[&str]) -> Chart {
        let mut chart = Chart { steps: vec![Vec::new()], transitions: Vec::new() };
        let last = chart.sequence(rng, 0, n_steps, 2);
        chart.lead(vec![last], vec![0]);
        for _ in 0..2 {
            if rng.chance(15) {
                let (from, to) = (rng.below(chart.steps.len()), rng.below(chart.steps.len()));
                chart.lead(vec![from], vec![to]);
            }
        }
        for transition in &mut chart.transitions {
            if rng.chance(30) {
                transition.priority = Some(1 + rng.below(3) as u32);
            }
        }
        if rng.chance(30) {
            let at = rng.below(chart.transitions.len());
            chart.transitions.rotate_left(at);
        }
        for step in &mut chart.steps {
            for target in targets {
                if rng.chance(45) {
                    let at = rng.below(QUALIFIERS.len());
                    let time = if at < TIMED { 0 } else { rng.below(6) as u32 * 50 };
                    let qualifier = QUALIFIERS.get(at).copied().unwrap_or("N");
                    step.push(Association { target: (*target).to_owned(), qualifier, time });
                }
            }
        }
        chart
    }

    fn step(&mut self) -> usize {
        self.steps.push(Vec::new());
        self.steps.len() - 1
    }

    fn lead(&mut self, from: Vec<usize>, to: Vec<usize>) {
        self.transitions.push(Transition { from, to, priority: None, condition: String::new() });
    }

    /// Adds about `n_steps` steps behind the step `first`, and returns the last one.
    fn sequence(&mut self, rng: &mut Rng, first: usize, n_steps: usize, depth: usize) -> usize {
        let mut last = first;
        let mut seen = vec![first];
        let mut left = n_steps;
        while 0 < left {
            let kind = if depth == 0 || left < 3 { 0 } else { rng.below(4) };
            let next = match kind {
                0 | 3 => {
                    let next = self.step();
                    self.lead(vec![last], vec![next]);
                    left -= 1;
                    next
                }
                kind => {
                    let part = left / 2;
                    let heads = [self.step(), self.step()];
                    if kind == 1 {
                        self.lead(vec![last], vec![heads[0]]);
                        self.lead(vec![last], vec![heads[1]]);
                    } else {
                        self.lead(vec![last], heads.to_vec());
                    }
                    let ends = heads.map(|head| self.sequence(rng, head, part.saturating_sub(2) / 2, depth - 1));
                    let next = self.step();
                    if kind == 1 {
                        self.lead(vec![ends[0]], vec![next]);
                        self.lead(vec![ends[1]], vec![next]);
                        if rng.chance(30) {
                            self.lead(vec![last], vec![next]);
                        }
                    } else {
                        self.lead(ends.to_vec(), vec![next]);
                    }
                    left -= part.max(1);
                    next
                }
            };
            last = next;
            seen.push(next);
            if rng.chance(25) {
                let back = *rng.pick(&seen);
                self.lead(vec![last], vec![back]);
            }
        }
        last
    }

    /// Returns the chart as text, in place of a body's statements.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (i, step) in self.steps.iter().enumerate() {
            let _ = writeln!(text, "{} s{i}:", if i == 0 { "INITIAL_STEP" } else { "STEP" });
            for Association { target, qualifier, time } in step {
                let is_timed = QUALIFIERS.iter().skip(TIMED).any(|timed| timed == qualifier);
                let time = if is_timed { format!(", T#{time}ms") } else { String::new() };
                let _ = writeln!(text, "    {target}({qualifier}{time});");
            }
            text.push_str("END_STEP\n");
        }
        let steps = |of: &[usize]| match of {
            [one] => format!("s{one}"),
            several => format!("({})", several.iter().map(|s| format!("s{s}")).collect::<Vec<_>>().join(", ")),
        };
        for Transition { from, to, priority, condition } in &self.transitions {
            let priority = priority.map(|p| format!("(PRIORITY := {p}) ")).unwrap_or_default();
            let (from, to) = (steps(from), steps(to));
            let _ = writeln!(text, "TRANSITION {priority}FROM {from} TO {to} := {condition};\nEND_TRANSITION");
        }
        text
    }
}
