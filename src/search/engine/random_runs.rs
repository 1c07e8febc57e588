//! Random runs of the program's bits, 64 at once: finds violations thousands of cycles deep, proves nothing.
//!
//! Plants are mostly calm: a button is held, a pulse comes every cycle, a valve moves once an hour. Each input of each run
//! behaves in one of these ways, chosen at random; runs of many lengths begin again and again. In some runs all inputs are held
//! together, since a hundred timers elapse together in these only. A program of 1,000 gates makes about 30 million cycles per
//! second. Every second batch is one run that looks for new values, see `curious`.
//!
//! Deterministic: the same program gives the same runs.

mod curious;
mod steady;

use std::collections::{BTreeMap, BTreeSet};

use super::concrete::{self, Run};
use super::simulate::constants;
use super::{Algorithm, EngineInfo, OptionInfo, Resumable, Values, pdr};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, System, monolithic};
use kernel::context::{Ctx, Progress, Stop, count};
use kernel::expr::{ExprPool, Sort, Value, VarId};
use kernel::rng::Rng;
use kernel::smt::bitblast::{Circuit, Simulation};
use kernel::verdict::{Reason, Verdict};

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "random",
    title: "Random runs (finds deep violations, proves nothing)",
    source: "Biere, Heule, van Maaren, Walsh, Handbook of Satisfiability, ch. 18 (bit-parallel simulation); the behaviours are ours",
    options: &[OptionInfo {
        name: "runs",
        values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
        default: "none",
        help: "Number of batches; each batch has 64 runs.",
    }],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, _| Ok(Box::new(Resumable::new(RandomRuns { bound: settings.number("runs") }))),
};

/// Engine of random runs. After a deadline it goes on with the next ones.
pub struct RandomRuns {
    bound: Option<u32>,
}

/// State of a run.
pub struct State {
    system: System,
    circuit: Circuit,
    simulation: Simulation,
    /// Inputs of one variable, lowest bit first: positions in the circuit.
    words: Vec<Vec<usize>>,
    /// By word: values worth trying.
    values: Vec<Vec<u128>>,
    n_runs: u32,
}

impl Algorithm for RandomRuns {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        State::new(cx, cfa)
    }
    /// Simulates runs until one violates.
    ///
    /// Cost:      one pass over the gates per cycle, for 64 runs.
    /// Soundness: never `Safe`. A trace still has to be replayed.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        let head = cfa.locs[cfa.head].origin;
        loop {
            if self.bound.is_some_and(|bound| bound <= state.n_runs) {
                return Ok(Verdict::Unknown(Reason::NoProgress));
            }
            cx.tick()?;
            let n = state.n_runs;
            let found = state.batch(cx, n)?;
            state.n_runs += 1;
            if let Some(run) = found {
                return Ok(Verdict::Unsafe(concrete::trace(&cx.pool, &state.system, head, &run)));
            }
            if n.is_power_of_two() {
                let n_runs = 64 * (n / 2 + 1) + n.div_ceil(2);
                let text = format!("{n_runs} random runs, the longest of {}", count(length(n / 2) as usize, "cycle"));
                (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text });
            }
        }
    }
}

/// Returns the random numbers of the n-th runs.
fn seeded(n: u32) -> Rng {
    Rng(0x9e37_79b9_7f4a_7c15 ^ u64::from(n + 1).wrapping_mul(0xd134_2543_de82_ef95))
}

/// Returns the number of cycles of the n-th runs: mostly few, seldom many, as in the sequence of Luby.
fn length(n: u32) -> u32 {
    const LENGTHS: [u32; 6] = [64, 300, 1_500, 8_000, 40_000, 200_000];
    LENGTHS[((n + 1).trailing_zeros() as usize).min(LENGTHS.len() - 1)]
}

/// A violation in one of 64 runs.
struct Found {
    which: u32,
    /// Record of the run, if it was requested.
    run: Run,
}

/// Behaviour of one variable's inputs, by run.
struct Behaviour {
    toggles: u64,
    /// Runs in which it changes in every second, 16th, 256th cycle on average.
    often: u64,
    sometimes: u64,
    rarely: u64,
}

impl State {
    fn new(cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let circuit = pdr::circuit(&mut cx.pool, &system)?;
        let simulation = Simulation::new(&circuit);
        let mut by_var: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (i, input) in circuit.inputs.iter().enumerate() {
            by_var.entry(input.var).or_default().push(i);
        }
        let known = constants(&cx.pool, &system);
        let values = by_var.keys().map(|var| worth_trying(&cx.pool, &known, *var)).collect();
        Ok(State { system, circuit, simulation, words: by_var.into_values().collect(), values, n_runs: 0 })
    }

    /// Simulates the n-th batch. A violation is simulated once more, with a record.
    fn batch(&mut self, cx: &Ctx<'_>, n: u32) -> Result<Option<Run>, Stop> {
        if n % 2 == 1 {
            return Ok(match curious::attempt(self, cx, n / 2, false)? {
                Some(_) => curious::attempt(self, cx, n / 2, true)?,
                None => None,
            });
        }
        Ok(match self.attempt(cx, n / 2, None)? {
            Some(found) => self.attempt(cx, n / 2, Some(found.which))?.map(|found| found.run),
            None => None,
        })
    }

    /// Simulates the n-th 64 runs; records the run with the number `record`.
    fn attempt(&mut self, cx: &Ctx<'_>, n: u32, record: Option<u32>) -> Result<Option<Found>, Stop> {
        /// Instructions between two looks at the clock.
        const PATIENCE: usize = 2_000_000;
        let every = (PATIENCE / self.simulation.n_instructions().max(1)).max(1) as u32;
        let mut rng = seeded(n);
        let State { system: _, circuit, simulation, words, values, .. } = self;
        let mut run = Run::default();
        simulation.start(|i| match circuit.latches[i].initial {
            Some(value) => u64::from(value).wrapping_neg(),
            None => rng.next(),
        });
        if let Some(which) = record {
            let bits = circuit.latches.iter().map(|latch| (latch.var, latch.bit));
            run.start = Circuit::words(&cx.pool, bits, |i| simulation.latch(i) >> which & 1 == 1);
        }
        let behaviours: Vec<Behaviour> = words.iter().map(|_| Behaviour::new(&mut rng)).collect();
        let n_flags = words.iter().filter(|word| word.len() == 1).count();
        let mut first = steady::flags(n_flags, &mut rng).into_iter();
        let choice = rng.below(1 << 16);
        let mut inputs = vec![0u64; circuit.inputs.len()];
        // Runs whose inputs are all new: at first, and where the present inputs allow no step.
        let mut fresh = u64::MAX;
        for cycle in 0..length(n) {
            if cycle % every == every - 1 {
                cx.tick()?;
            }
            for ((word, behaviour), values) in words.iter().zip(&behaviours).zip(values.iter()) {
                let change = behaviour.changes(&mut rng);
                if let [bit] = word[..] {
                    inputs[bit] = (inputs[bit] ^ change) & !fresh | rng.next() & fresh;
                    // There is a value for each flag in the first cycle, and none later.
                    if let Some(first) = first.next() {
                        inputs[bit] = inputs[bit] & !steady::RUNS | first;
                    }
                } else {
                    renew(&mut inputs, word, values, change | fresh, &mut rng);
                    if cycle == 0 {
                        steady::hold(&mut inputs, word, values, choice);
                    }
                }
            }
            let done = simulation.look(&inputs);
            if let Some(which) = record
                && (done.possible | done.bad) >> which & 1 == 1
            {
                let bits = circuit.inputs.iter().map(|input| (input.var, input.bit));
                run.steps.push(Circuit::words(&cx.pool, bits, |i| inputs[i] >> which & 1 == 1));
            }
            let bad = record.map_or(done.bad, |which| done.bad & 1 << which);
            if bad != 0 {
                return Ok(Some(Found { which: bad.trailing_zeros(), run }));
            }
            simulation.go(done.possible);
            fresh = !done.possible;
        }
        Ok(None)
    }
}

/// Sets new values of a word in some runs.
fn renew(inputs: &mut [u64], word: &[usize], values: &[u128], which: u64, rng: &mut Rng) {
    let mut left = which;
    while left != 0 {
        let run = left.trailing_zeros();
        left &= left - 1;
        let value = match rng.below(4) {
            0 => u128::from(rng.next() & 15),
            1 => u128::from(rng.next()) << 64 | u128::from(rng.next()),
            _ => values.get(rng.below(values.len().max(1))).copied().unwrap_or_default(),
        };
        for (bit, at) in word.iter().enumerate() {
            let new = (value >> bit & 1) as u64;
            inputs[*at] = inputs[*at] & !(1 << run) | new << run;
        }
    }
}

/// Returns the constants of the program at this width, and their neighbours: there comparisons change their answer.
fn worth_trying(pool: &ExprPool, known: &BTreeMap<Sort, BTreeSet<Value>>, var: VarId) -> Vec<u128> {
    const MANY: usize = 400;
    let constants = known.get(&pool.var_decl(var).sort).into_iter().flatten().filter_map(|value| value.as_unsigned());
    let near = constants.flat_map(|bits| [bits, bits.wrapping_add(1), bits.wrapping_sub(1)]);
    near.chain([0]).take(MANY).collect()
}

impl Behaviour {
    fn new(rng: &mut Rng) -> Behaviour {
        let mut behaviour = Behaviour { toggles: 0, often: 0, sometimes: 0, rarely: 0 };
        for run in steady::N_RUNS..64 {
            // In three of eight cases the input keeps its first value.
            match rng.below(8) {
                0 => behaviour.toggles |= 1 << run,
                1 => behaviour.often |= 1 << run,
                2 => behaviour.sometimes |= 1 << run,
                3 | 4 => behaviour.rarely |= 1 << run,
                _ => {}
            }
        }
        behaviour
    }
    /// Returns the runs in which the input changes now.
    fn changes(&self, rng: &mut Rng) -> u64 {
        let (a, b) = (rng.next(), rng.next());
        let second = a;
        let sixteenth = a & b & a.rotate_left(17) & b.rotate_left(41);
        let seldom = sixteenth & a.rotate_left(29) & b.rotate_left(7) & a.rotate_left(53) & b.rotate_left(23);
        self.toggles | self.often & second | self.sometimes & sixteenth | self.rarely & seldom
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use kernel::cfa::model::{ModelOptions, build};
    use kernel::cfa::pass::{Encoding, reduce};
    use kernel::property::instrument::instrument;
    use kernel::smt::Interrupt;
    use testgen::automata::examples::{Answer, all, saturating};
    use testgen::stated::Stated;

    /// Returns the number of cycles of the violation that 64 batches find in a program.
    fn violation(program: &str, requirement: &str) -> Option<usize> {
        let stated = Stated::new(program, &format!("requirements: [{requirement}]"));
        let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
        let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
        let reduced = reduce(&question.pool, &question.cfa, Encoding::Lbe);
        let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
        match Resumable::new(RandomRuns { bound: Some(64) }).run(&mut cx, &reduced.cfa) {
            Ok(Verdict::Unsafe(trace)) => Some(trace.cycles.len()),
            _ => None,
        }
    }

    /// Returns a program in which `n` flags have to be on for 50 cycles without a pause.
    fn together(n: usize) -> String {
        let each = |text: &str| (1..=n).map(|i| text.replace('#', &i.to_string())).collect::<String>();
        let (inputs, counts) = (each("In# : BOOL; "), each("Held# : INT; "));
        let body = each("IF NOT In# OR Reset THEN Held# := 0; ELSIF Held# < 50 THEN Held# := Held# + 1; END_IF; ");
        format!("PROGRAM T VAR_INPUT Reset : BOOL; {inputs}END_VAR VAR {counts}END_VAR {body}END_PROGRAM")
    }

    #[test]
    fn many_inputs_are_held_together() {
        let all: Vec<String> = (1..=40).map(|i| format!("Held{i} = 50")).collect();
        assert_eq!(violation(&together(40), &format!("{{ never: '{}' }}", all.join(" AND "))), Some(50));
        // The flags that nothing holds are open.
        let none = together(40).replace("NOT In", "In");
        assert_eq!(violation(&none, &format!("{{ never: '{}' }}", all.join(" AND "))), Some(50));
    }

    #[test]
    fn many_numbers_reach_their_limits_together() {
        let program = |limit: &str| {
            format!(
                "PROGRAM T VAR_INPUT Value : ARRAY [1..60] OF INT; END_VAR VAR Total : DINT; i : INT; END_VAR Total := 0;
                 FOR i := 1 TO 60 DO Total := Total + INT_TO_DINT({limit}); END_FOR; END_PROGRAM"
            )
        };
        let limited = program("LIMIT(0, Value[i], 100)");
        assert_eq!(violation(&limited, "{ never: Total = 6000 }"), Some(1));
        assert_eq!(violation(&program("LIMIT(-7, Value[i], 100)"), "{ never: Total = -420 }"), Some(1));
        // Only one value of each number counts.
        assert_eq!(violation(&program("SEL(Value[i] = 1234, 0, 1)"), "{ never: Total = 60 }"), Some(1));
        assert_eq!(violation(&limited, "{ never: Total > 6000 }"), None);
    }

    #[test]
    fn long_sequences_are_passed() {
        let steps: String = (0..250).map(|i| format!("{i}: IF In{} THEN Step := {}; END_IF; ", i + 1, i + 1)).collect();
        let inputs: String = (1..=250).map(|i| format!("In{i} : BOOL; ")).collect();
        let program = format!(
            "PROGRAM T VAR_INPUT Reset : BOOL; {inputs}END_VAR VAR Step : INT; n : DINT; END_VAR
             CASE Step OF {steps} END_CASE; IF Reset THEN Step := 0; END_IF; n := (n + 1) MOD 100000; END_PROGRAM"
        );
        assert!(violation(&program, "{ never: Step = 250 }").is_some_and(|n| n < 300));
    }

    #[test]
    fn violations_are_found_however_deep_and_nothing_is_ever_proved() {
        for example in all().into_iter().chain([saturating(9_000, 9_000), saturating(9_000, 9_001)]) {
            let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
            let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
            let answer = Resumable::new(RandomRuns { bound: Some(40) }).run(&mut cx, &reduced.cfa);
            match (answer, example.answer) {
                (Ok(Verdict::Unsafe(trace)), Answer::Unsafe(n)) => assert!(n <= trace.cycles.len(), "{}", example.name),
                (Ok(Verdict::Unknown(Reason::NoProgress)), Answer::Safe) => {}
                (other, expected) => unreachable!("{}: {other:?} instead of {expected:?}", example.name),
            }
        }
    }
}
