//! A run that looks for what it has not seen: of 64 ways to go on in each cycle, it takes the one with the most new values.
//!
//! A sequence of 300 steps, each left by a sensor of its own, is passed by no run of fixed habits: a single press of the reset
//! begins it anew. Here the 64 simulated runs are 64 choices of inputs for one cycle of a single run. Values count as new by variable,
//! and a new one counts more where few are known: the next step of a sequence more than the next value of a counter.
//!
//! Source: Lehman, Stanley, "Abandoning objectives: evolution through the search for novelty alone", Evolutionary Computation 19(2),
//! 2011, doi:10.1162/EVCO_a_00025 (§3: the most novel goes on).

use std::collections::{BTreeMap, BTreeSet};

use super::{State, length, renew, seeded};
use crate::engine::concrete::Run;
use kernel::context::{Ctx, Stop};
use kernel::expr::VarId;
use kernel::rng::Rng;
use kernel::smt::bitblast::Circuit;

/// Cycles without anything new after which the run ends.
const PATIENCE: u32 = 400;
/// Runs of a cycle that keep all inputs.
const KEEP: u64 = 0xf;
/// Those that change one of them.
const ONE: u64 = 0xff_fff0;
/// Those that change every 16th; the others change every second.
const FEW: u64 = 0xfff << 24;

/// Values of the variables of state so far.
struct Seen {
    /// By variable: places of its bits among the latches, lowest first, and its values.
    vars: Vec<(Vec<usize>, BTreeSet<u64>)>,
}

impl Seen {
    fn new(circuit: &Circuit) -> Seen {
        let mut by_var: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (i, latch) in circuit.latches.iter().enumerate() {
            by_var.entry(latch.var).or_default().push(i);
        }
        Seen { vars: by_var.into_values().map(|bits| (bits, BTreeSet::new())).collect() }
    }

    /// Returns the run with the most new values among `which`, and whether it has any. Runs that are alike are chosen at random.
    fn choose(&self, latch: &dyn Fn(usize) -> u64, which: u64, rng: &mut Rng) -> (u32, bool) {
        let mut worth = [0_u64; 64];
        for (bits, known) in &self.vars {
            let weight = (1 << 20) / (1 + known.len() as u64);
            // In most cycles most variables have one value in all runs, which makes none of them better.
            let is_one_value = bits.iter().all(|bit| [0, which].contains(&(latch(*bit) & which)));
            if is_one_value {
                if !known.contains(&value(bits, latch, which.trailing_zeros())) {
                    worth.iter_mut().for_each(|worth| *worth += weight);
                }
                continue;
            }
            for (run, worth) in worth.iter_mut().enumerate() {
                if which >> run & 1 == 1 && !known.contains(&value(bits, latch, run as u32)) {
                    *worth += weight;
                }
            }
        }
        let best = (0..64).filter(|run| which >> run & 1 == 1).map(|run| worth[run]).max().unwrap_or_default();
        let alike: Vec<u32> = (0..64).filter(|run| which >> run & 1 == 1 && worth[*run as usize] == best).collect();
        (alike.get(rng.below(alike.len().max(1))).copied().unwrap_or_default(), 0 < best)
    }

    fn add(&mut self, latch: &dyn Fn(usize) -> u64, run: u32) {
        for (bits, known) in &mut self.vars {
            known.insert(value(bits, latch, run));
        }
    }
}

/// Returns the value of a variable in a run. Words of more than 64 bits are mixed: two values may count as one.
fn value(bits: &[usize], latch: &dyn Fn(usize) -> u64, run: u32) -> u64 {
    bits.iter().enumerate().fold(0, |value, (i, bit)| value ^ (latch(*bit) >> run & 1).rotate_left(i as u32))
}

/// Sets the inputs of 64 ways to go on: those of the last cycle with changes.
fn change(state: &State, inputs: &mut [u64], fresh: u64, rng: &mut Rng) {
    let State { words, values, .. } = state;
    let mut one: Vec<u64> = vec![0; words.len()];
    for run in (0..64).filter(|run| ONE >> run & 1 == 1) {
        if let Some(word) = one.get_mut(rng.below(words.len().max(1))) {
            *word |= 1 << run;
        }
    }
    for ((word, values), one) in words.iter().zip(values).zip(one) {
        let half = rng.next();
        let sixteenth = half & rng.next() & half.rotate_left(17) & half.rotate_left(41);
        let change = (one | sixteenth & FEW | half & !(KEEP | ONE | FEW)) & !fresh;
        if let [bit] = word[..] {
            inputs[bit] = (inputs[bit] ^ change) & !fresh | rng.next() & fresh;
        } else {
            renew(inputs, word, values, change | fresh, rng);
        }
    }
}

/// Makes the n-th run. Returns the run with a violation if there is one; it holds inputs only if `is_recorded`.
///
/// Cost: one pass over the gates and the state in each cycle.
pub(super) fn attempt(state: &mut State, cx: &Ctx<'_>, n: u32, is_recorded: bool) -> Result<Option<Run>, Stop> {
    const WORK: usize = 2_000_000;
    let work = state.simulation.n_instructions() + 64 * state.circuit.latches.len();
    let every = (WORK / work.max(1)).max(1) as u32;
    let mut rng = seeded(n.wrapping_add(1 << 31));
    let mut run = Run::default();
    let all = |bit: bool| u64::from(bit).wrapping_neg();
    state.simulation.start(|i| all(state.circuit.latches[i].initial.unwrap_or_else(|| rng.next() & 1 == 1)));
    if is_recorded {
        let bits = state.circuit.latches.iter().map(|latch| (latch.var, latch.bit));
        run.start = Circuit::words(&cx.pool, bits, |i| state.simulation.latch(i) & 1 == 1);
    }
    let mut seen = Seen::new(&state.circuit);
    seen.add(&|i| state.simulation.latch(i), 0);
    let mut inputs = vec![0_u64; state.circuit.inputs.len()];
    // In the first cycle, and where the present inputs allow no step, all inputs are new.
    let (mut fresh, mut since_new) = (u64::MAX, 0);
    // A short run finds nothing that others do not.
    for cycle in 0..length(n).max(length(1)) {
        if cycle % every == every - 1 {
            cx.tick()?;
        }
        change(state, &mut inputs, fresh, &mut rng);
        let done = state.simulation.look(&inputs);
        let simulation = &mut state.simulation;
        let (chosen, is_new) = if done.bad != 0 {
            (done.bad.trailing_zeros(), true)
        } else if done.possible == 0 {
            (0, false)
        } else {
            simulation.go(done.possible);
            seen.choose(&|i| simulation.latch(i), done.possible, &mut rng)
        };
        if is_recorded && (done.possible | done.bad) != 0 {
            let bits = state.circuit.inputs.iter().map(|input| (input.var, input.bit));
            run.steps.push(Circuit::words(&cx.pool, bits, |i| inputs[i] >> chosen & 1 == 1));
        }
        if done.bad != 0 {
            return Ok(Some(run));
        }
        since_new = if is_new { 0 } else { since_new + 1 };
        if PATIENCE < since_new {
            break;
        }
        fresh = if done.possible == 0 { u64::MAX } else { 0 };
        if done.possible != 0 {
            seen.add(&|i| simulation.latch(i), chosen);
            let latches: Vec<u64> =
                (0..state.circuit.latches.len()).map(|i| all(simulation.latch(i) >> chosen & 1 == 1)).collect();
            simulation.start(|i| latches[i]);
            inputs.iter_mut().for_each(|input| *input = all(*input >> chosen & 1 == 1));
        }
    }
    Ok(None)
}
