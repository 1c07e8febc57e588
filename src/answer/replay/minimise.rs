//! Makes a counterexample short and calm: fewest changes of inputs, plain values.
//!
//! Every attempt is replayed on the interpreter, so the result violates the claim for certain.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plc_frontend::environment::usage;
use plc_frontend::hir::{Value, leaf_at_call};

use super::{Case, CycleInputs, Replayed};

/// Bounds of the search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Most replays.
    pub replays: usize,
    /// Longest time.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { replays: 4_000, time: Duration::from_secs(2) }
    }
}

/// Returns a calmer and perhaps shorter run that violates the claim in its last cycle.
///
/// Each input is a row of values over time; a change is where a value differs from the one before (before the first
/// cycle: the initial value). Changes are removed greedily, longest stretches first; then values are made plain.
/// An input that the program writes too (VAR_IN_OUT) has no value in cycles in which it may keep what the program wrote:
/// a value that stays is a write from outside.
///
/// Shape:     every input that only the environment writes in every cycle, values before the first cycle in the first;
///            `None` if `cycles` does not violate the claim.
/// Cost:      bounded by `effort`.
pub fn minimise(case: &Case<'_>, cycles: &[CycleInputs], effort: Effort) -> Option<Vec<CycleInputs>> {
    let Replayed::Violated { cycle, .. } = case.replay(cycles) else { return None };
    let mut search =
        Search { case, left: effort.replays, until: Instant::now() + effort.time, best: Rows::new(case, &cycles[..=cycle]) };
    // Repeated: after a change of one input another one may become possible.
    while search.pass() {}
    Some(search.best.cycles())
}

/// Inputs as rows over time.
#[derive(Clone, PartialEq, Eq)]
struct Rows {
    names: Vec<String>,
    writers: Vec<Writer>,
    initial: Vec<Value>,
    /// Per input, per cycle; `None`: it keeps its value.
    values: Vec<Vec<Option<Value>>>,
    dts: Vec<i64>,
}

/// Writer of a leaf that the environment gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// The environment, in every cycle.
    Outside,
    /// The environment and the program; or a call, which else takes the value of the call before.
    Both,
    /// The environment before the first cycle.
    Start,
}

impl Rows {
    fn new(case: &Case<'_>, cycles: &[CycleInputs]) -> Rows {
        let leaves = case.project.leaves();
        let uses = usage(case.project, &leaves, false);
        let given = leaves.iter().zip(&uses).filter(|(leaf, _)| leaf.is_given(0) && leaf.view.is_none());
        let mut inputs: BTreeMap<&str, (Value, Writer)> = given
            .filter_map(|(leaf, used)| {
                let writer = match (leaf.is_given(1), used.written) {
                    (false, _) => Writer::Start,
                    (true, false) => Writer::Outside,
                    (true, true) => Writer::Both,
                };
                Some((leaf.name.as_str(), (leaf.init?, writer)))
            })
            .collect();
        // Later calls of a cycle take the value before them, unless they have one of their own.
        for name in cycles.iter().flat_map(|cycle| cycle.inputs.keys()) {
            if let Some(init) =
                leaf_at_call(name).and_then(|(leaves, _)| leaves.iter().find_map(|leaf| inputs.get(leaf.as_str())))
            {
                inputs.insert(name, (init.0, Writer::Both));
            }
        }
        let values = inputs.iter().map(|(name, (init, writer))| {
            let mut current = *init;
            let given = cycles.iter().enumerate().map(|(number, cycle)| {
                let given = cycle.inputs.get(*name).copied();
                current = given.unwrap_or(current);
                match writer {
                    Writer::Outside => Some(current),
                    Writer::Both => given,
                    Writer::Start => Some(current).filter(|_| number == 0),
                }
            });
            given.collect()
        });
        Rows {
            values: values.collect(),
            initial: inputs.values().map(|(init, _)| *init).collect(),
            writers: inputs.values().map(|(_, writer)| *writer).collect(),
            names: inputs.into_keys().map(str::to_owned).collect(),
            dts: cycles.iter().map(|cycle| cycle.dt_ns).collect(),
        }
    }

    fn cycles(&self) -> Vec<CycleInputs> {
        (0..self.dts.len())
            .map(|c| CycleInputs {
                inputs: self.names.iter().zip(&self.values).filter_map(|(name, row)| Some((name.clone(), row[c]?))).collect(),
                dt_ns: self.dts[c],
            })
            .collect()
    }

    /// Returns the value that changes nothing.
    fn before(&self, input: usize, cycle: usize) -> Option<Value> {
        match (self.writers[input], cycle) {
            (Writer::Both, _) => None,
            (Writer::Outside | Writer::Start, 0) => Some(self.initial[input]),
            (Writer::Outside | Writer::Start, _) => self.values[input][cycle - 1],
        }
    }

    /// Makes the input keep its value from the first cycle on.
    fn rest(&mut self, input: usize) {
        let initial = Some(self.initial[input]);
        match self.writers[input] {
            Writer::Outside => self.values[input].fill(initial),
            Writer::Both => self.values[input].fill(None),
            Writer::Start => self.values[input].iter_mut().take(1).for_each(|value| *value = initial),
        }
    }

    /// Removes cycles; values before the first one stay.
    fn remove(&mut self, cycles: std::ops::Range<usize>) {
        self.dts.drain(cycles.clone());
        for (row, writer) in self.values.iter_mut().zip(&self.writers) {
            let start = row[0];
            row.drain(cycles.clone());
            if let (Writer::Start, Some(first)) = (writer, row.first_mut()) {
                *first = start;
            }
        }
    }

    /// Returns the end of the stretch of cycles from `cycle` on in which an input keeps its value.
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
    /// Tries everything once and returns whether the run became better.
    fn pass(&mut self) -> bool {
        let before = self.best.clone();
        let n_inputs = self.best.names.len();
        /// Longest run whose cycles are tried one by one. Longer ones first become calm, then pieces are removed.
        const LONG: usize = 500;
        if LONG < self.best.dts.len() {
            for input in 0..n_inputs {
                self.rest(input);
            }
            let mut piece = self.best.dts.len() / 2;
            while LONG / 10 < piece {
                let mut from = 0;
                while from < self.best.dts.len() {
                    let dropped = self.change(|rows| rows.remove(from..(from + piece).min(rows.dts.len())));
                    from += if dropped { 0 } else { piece };
                }
                piece /= 4;
            }
        }
        // Whole cycles first: not every engine finds shortest runs.
        let mut cycle = 0;
        while cycle < self.best.dts.len() {
            let dropped = self.change(|rows| rows.remove(cycle..cycle + 1));
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
                if self.is_restart(input) {
                    self.go_on(input, cycle);
                    continue;
                }
                self.join(input, cycle);
                self.simplify(input, cycle);
            }
            cycle += 1;
        }
        self.best != before
    }

    /// Tries the initial value for an input.
    fn rest(&mut self, input: usize) {
        self.change(|rows| rows.rest(input));
    }

    /// Returns whether the input says where the controller restarts.
    fn is_restart(&self, input: usize) -> bool {
        let restart = self.case.project.restart.map(|id| self.case.project.globals[id].name.as_str());
        restart == Some(self.best.names[input].as_str())
    }

    /// Leaves out the restart of a cycle: each one is an event of its own, so that few of them are calm, and not few changes.
    fn go_on(&mut self, input: usize, cycle: usize) {
        self.change(|rows| {
            if let Some(value) = rows.values[input].get_mut(cycle).filter(|value| **value == Some(Value::Bool(true))) {
                *value = Some(Value::Bool(false));
            }
        });
    }

    /// Keeps the value from before where the input changes.
    fn join(&mut self, input: usize, cycle: usize) {
        self.change(|rows| {
            if cycle < rows.dts.len() && (cycle == 0 || rows.writers[input] != Writer::Start) {
                let (before, end) = (rows.before(input, cycle), rows.stretch_end(input, cycle));
                rows.values[input][cycle..end].fill(before);
            }
        });
    }

    /// Tries plainer numbers for a stretch that has to differ from the one before.
    fn simplify(&mut self, input: usize, cycle: usize) {
        if self.best.dts.len() <= cycle || self.best.values[input][cycle] == self.best.before(input, cycle) {
            return;
        }
        let Some(now) = self.best.values[input][cycle] else { return };
        for plain in plainer(now) {
            let changed = self.change(|rows| {
                let end = rows.stretch_end(input, cycle);
                rows.values[input][cycle..end].fill(Some(plain));
            });
            if changed {
                return;
            }
        }
    }

    /// Keeps the changed rows if they still violate the claim.
    fn change(&mut self, change: impl FnOnce(&mut Rows)) -> bool {
        // Checked first: copying a run of tens of thousands of cycles takes time too.
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

/// Returns values to try instead, plainest first; each strictly plainer, so that the search ends.
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

/// Returns the order of plainness: digits that are not trailing zeros, then size, then sign.
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
    use testgen::stated::Stated;

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
        let calm = minimise(&Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]), cycles, Effort::default())?;
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
