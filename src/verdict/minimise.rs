//! Makes a counterexample short and calm: inputs that need not change do not, values that may be plain are.
//!
//! Every attempt is replayed on the interpreter; what it returns violates the claim for certain.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plc_frontend::hir::{Role, Value};

use super::replay::{Case, CycleInputs, Replayed};

/// How much to spend.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// At most this many replays.
    pub replays: usize,
    /// At most this long.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { replays: 4_000, time: Duration::from_secs(2) }
    }
}

/// A calmer and perhaps shorter run that violates the claim in its last cycle.
///
/// Each input is a row of values over time; a change is where a value differs from the one before (before the first
/// cycle: the initial value). Changes are removed greedily, longest stretches first; then values are made plain.
///
/// Shape:     every input in every cycle; `None` if `cycles` does not violate the claim.
/// Cost:      bounded by `effort`.
pub fn minimise(case: &Case<'_>, cycles: &[CycleInputs], effort: Effort) -> Option<Vec<CycleInputs>> {
    let Replayed::Violated { cycle, .. } = case.replay(cycles) else { return None };
    let mut search =
        Search { case, left: effort.replays, until: Instant::now() + effort.time, best: Rows::new(case, &cycles[..=cycle]) };
    // Repeated: what one input no longer does, another one may no longer need.
    while search.pass() {}
    Some(search.best.cycles())
}

/// Inputs as rows over time.
#[derive(Clone, PartialEq, Eq)]
struct Rows {
    names: Vec<String>,
    initial: Vec<Value>,
    /// Per input, per cycle.
    values: Vec<Vec<Value>>,
    dts: Vec<i64>,
}

impl Rows {
    fn new(case: &Case<'_>, cycles: &[CycleInputs]) -> Rows {
        let leaves = case.project.leaves();
        let inputs: BTreeMap<String, Value> = leaves
            .into_iter()
            .filter(|leaf| leaf.role == Role::Input && !leaf.constant && leaf.view.is_none())
            .filter_map(|leaf| leaf.init.map(|init| (leaf.name, init)))
            .collect();
        let values = inputs.iter().map(|(name, init)| {
            let mut current = *init;
            cycles
                .iter()
                .map(|cycle| {
                    current = cycle.inputs.get(name).copied().unwrap_or(current);
                    current
                })
                .collect()
        });
        Rows {
            values: values.collect(),
            initial: inputs.values().copied().collect(),
            names: inputs.into_keys().collect(),
            dts: cycles.iter().map(|cycle| cycle.dt_ns).collect(),
        }
    }

    fn cycles(&self) -> Vec<CycleInputs> {
        (0..self.dts.len())
            .map(|c| CycleInputs {
                inputs: self.names.iter().zip(&self.values).map(|(name, row)| (name.clone(), row[c])).collect(),
                dt_ns: self.dts[c],
            })
            .collect()
    }

    fn before(&self, input: usize, cycle: usize) -> Value {
        if cycle == 0 { self.initial[input] } else { self.values[input][cycle - 1] }
    }

    /// Where the values of an input start to be what they are at `cycle`, and where they end to be it.
    fn stretch_end(&self, input: usize, cycle: usize) -> usize {
        let row = &self.values[input];
        (cycle..row.len()).find(|c| row[*c] != row[cycle]).unwrap_or(row.len())
    }
}

struct Search<'a> {
    case: &'a Case<'a>,
    left: usize,
    until: Instant,
    best: Rows,
}

impl Search<'_> {
    /// Tries everything once; whether something became better.
    fn pass(&mut self) -> bool {
        let before = self.best.clone();
        let n_inputs = self.best.names.len();
        /// Of longer runs there is not the time to try each cycle: first they become calm, then pieces of them go.
        const LONG: usize = 500;
        if LONG < self.best.dts.len() {
            for input in 0..n_inputs {
                self.rest(input);
            }
            let mut piece = self.best.dts.len() / 2;
            while LONG / 10 < piece {
                let mut from = 0;
                while from < self.best.dts.len() {
                    let dropped = self.change(|rows| {
                        let to = (from + piece).min(rows.dts.len());
                        rows.dts.drain(from..to);
                        rows.values.iter_mut().for_each(|row| drop(row.drain(from..to)));
                    });
                    from += if dropped { 0 } else { piece };
                }
                piece /= 4;
            }
        }
        // Whole cycles first: not every engine finds shortest runs.
        let mut cycle = 0;
        while cycle < self.best.dts.len() {
            let dropped = self.change(|rows| {
                rows.dts.remove(cycle);
                for row in &mut rows.values {
                    row.remove(cycle);
                }
            });
            cycle += usize::from(!dropped);
        }
        for input in 0..n_inputs {
            self.rest(input);
        }
        for cycle in 1..self.best.dts.len() {
            self.change(|rows| {
                if cycle < rows.dts.len() {
                    rows.dts[cycle] = rows.dts[cycle - 1];
                }
            });
        }
        let mut cycle = 0;
        while cycle < self.best.dts.len() {
            for input in 0..n_inputs {
                self.join(input, cycle);
                self.simplify(input, cycle);
            }
            cycle += 1;
        }
        self.best != before
    }

    /// The input keeps its initial value.
    fn rest(&mut self, input: usize) {
        self.change(|rows| {
            let initial = rows.initial[input];
            rows.values[input].fill(initial);
        });
    }

    /// Keeps the value from before where the input changes.
    fn join(&mut self, input: usize, cycle: usize) {
        self.change(|rows| {
            if cycle < rows.dts.len() {
                let (before, end) = (rows.before(input, cycle), rows.stretch_end(input, cycle));
                rows.values[input][cycle..end].fill(before);
            }
        });
    }

    /// A plainer number for a stretch that has to differ from the one before.
    fn simplify(&mut self, input: usize, cycle: usize) {
        if self.best.dts.len() <= cycle || self.best.values[input][cycle] == self.best.before(input, cycle) {
            return;
        }
        let now = self.best.values[input][cycle];
        for plain in plainer(now) {
            let changed = self.change(|rows| {
                let end = rows.stretch_end(input, cycle);
                rows.values[input][cycle..end].fill(plain);
            });
            if changed {
                return;
            }
        }
    }

    /// Keeps the changed rows if they still violate the claim.
    fn change(&mut self, change: impl FnOnce(&mut Rows)) -> bool {
        // Looked at first: a run may have tens of thousands of cycles, and copying it costs too.
        if self.left == 0 || self.until <= Instant::now() {
            return false;
        }
        let mut rows = self.best.clone();
        change(&mut rows);
        if rows == self.best {
            return false;
        }
        self.left -= 1;
        let Replayed::Violated { cycle, .. } = self.case.replay(&rows.cycles()) else { return false };
        rows.dts.truncate(cycle + 1);
        rows.values.iter_mut().for_each(|row| row.truncate(cycle + 1));
        self.best = rows;
        true
    }
}

/// Values to try instead, plainest first; each strictly plainer, so that the search ends.
fn plainer(value: Value) -> Vec<Value> {
    match value {
        Value::Bool(_) => Vec::new(),
        Value::Int(v) => {
            let mut candidates = vec![0, 1, -1];
            let mut unit = 10i128;
            while unit <= v.abs() {
                candidates.extend([unit, -unit, v / unit * unit, v / unit * unit + v.signum() * unit]);
                unit *= 10;
            }
            candidates.retain(|c| weight(*c) < weight(v));
            candidates.sort_by_key(|c| weight(*c));
            candidates.dedup();
            candidates.into_iter().map(Value::Int).collect()
        }
        Value::Real(bits) => plainer_floats(f64::from(f32::from_bits(bits))).map(|f| Value::real(f as f32)).collect(),
        Value::LReal(bits) => plainer_floats(f64::from_bits(bits)).map(Value::lreal).collect(),
    }
}

/// Digits that are not trailing zeros, then size, then sign.
fn weight(v: i128) -> (usize, u128, bool) {
    let digits = v.unsigned_abs().to_string();
    (digits.trim_end_matches('0').len(), v.unsigned_abs(), v < 0)
}

fn plainer_floats(value: f64) -> impl Iterator<Item = f64> {
    const PLAIN: [f64; 9] = [0.0, 1.0, -1.0, 10.0, -10.0, 100.0, -100.0, 1000.0, -1000.0];
    let position = PLAIN.iter().position(|p| p.to_bits() == value.to_bits()).unwrap_or(PLAIN.len());
    let rounded = [value.trunc(), (value * 10.0).trunc() / 10.0].into_iter();
    let is_plain = value.to_bits() == value.trunc().to_bits();
    PLAIN.into_iter().take(position).chain(rounded.filter(move |r| !is_plain && r.is_finite() && r.to_bits() != value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::replay::tests::Stated;

    const PROGRAM: &str = "PROGRAM P
        VAR_INPUT start, stop, noise : BOOL; level : INT; END_VAR
        VAR_OUTPUT run : BOOL; n : INT; END_VAR
        IF stop THEN run := FALSE; ELSIF start THEN run := TRUE; END_IF;
        IF run THEN n := n + 1; ELSE n := 0; END_IF;
        END_PROGRAM";

    fn cycle(start: bool, stop: bool, noise: bool, level: i128) -> CycleInputs {
        let inputs = [
            ("P.start", Value::Bool(start)),
            ("P.stop", Value::Bool(stop)),
            ("P.noise", Value::Bool(noise)),
            ("P.level", Value::Int(level)),
        ];
        CycleInputs { inputs: inputs.into_iter().map(|(name, v)| (name.to_owned(), v)).collect(), dt_ns: 100_000_000 }
    }

    fn rows(stated: &Stated, cycles: &[CycleInputs]) -> Option<Vec<String>> {
        let calm = minimise(&stated.case(0), cycles, Effort::default())?;
        let of = |c: &CycleInputs| {
            let names = ["start", "stop", "noise"].into_iter().filter(|n| c.inputs[&format!("P.{n}")] == Value::Bool(true));
            format!("{} {:?} {}", names.collect::<Vec<_>>().join("+"), c.inputs["P.level"].as_int().unwrap(), c.dt_ns / 1_000_000)
        };
        Some(calm.iter().map(of).collect())
    }

    #[test]
    fn inputs_that_need_not_change_do_not() {
        let stated = Stated::new(PROGRAM, "requirements: [{ never: n >= 3 }]");
        let noisy = [
            cycle(false, true, true, 31_744),
            cycle(true, false, false, -7),
            cycle(false, false, true, 12),
            cycle(true, false, true, 99),
            cycle(true, true, true, 4),
        ];
        // The stop at the beginning is not needed, so the run gets shorter too.
        assert_eq!(rows(&stated, &noisy).unwrap(), ["start 0 100"; 3]);
        assert_eq!(rows(&stated, &noisy[..3]), None);
    }

    #[test]
    fn numbers_become_plain_as_far_as_they_can() {
        let stated = Stated::new(PROGRAM, "requirements: [{ never: level > 130 AND run }]");
        assert_eq!(rows(&stated, &[cycle(true, false, true, 31_744)]).unwrap(), ["start 1000 100"]);
        let stated = Stated::new(PROGRAM, "requirements: [{ never: level > 130 AND level < 170 AND run }]");
        assert_eq!(rows(&stated, &[cycle(true, false, true, 157)]).unwrap(), ["start 150 100"]);
        let given = "assumptions: [{ expr: level >= 5 }]\nrequirements: [{ never: run }]";
        let stated = Stated::new(PROGRAM, given);
        assert_eq!(rows(&stated, &[cycle(false, false, false, 77), cycle(true, false, true, 78)]).unwrap(), ["start 10 100"]);
    }

    #[test]
    fn plainer_values_are_strictly_plainer() {
        for v in [0, 1, -1, 10, 17, -32_768, 32_767, i128::from(i64::MIN)] {
            for plain in plainer(Value::Int(v)) {
                assert!(weight(plain.as_int().unwrap()) < weight(v), "{plain:?} for {v}");
            }
        }
        assert!(plainer(Value::real(0.0)).is_empty());
        assert!(plainer(Value::real(3.75)).contains(&Value::real(3.0)));
        assert!(!plainer(Value::lreal(f64::NAN)).is_empty());
    }
}
