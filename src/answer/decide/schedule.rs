//! Strategies: the engines that run side by side, with the reasons.
//!
//! Most questions about programs are easy. Their main cost is a second thread that finds nothing, and members without need. So
//! one thread begins with the first eight cycles and then with proofs. A second one starts some milliseconds later and searches
//! for violations. There are two because many machines have two cores. Bounded model checking goes before random runs, because
//! shortest counterexamples are the most readable; random runs find violations thousands of cycles deep. Proofs by k-induction
//! are the most readable (`Count <= 30000`), and PDR decides most; so turns are short at first. Interval analysis comes between them, and
//! first where the state is large, has loops or many inputs: its cost is linear, and it decides sums and maxima of hundreds of values.
//!
//! PAR-2 in wall-clock seconds, release build, one question at a time on two cores, ten seconds each (the models: five);
//! (n): so many were decided. `docs/engines.md` has the processor time too.
//!
//! | suite | default | pdr | pdr on words | k-induction | cegar |
//! |---|---|---|---|---|---|
//! | 62 questions about small samples | 3.7 | 4.0 | 5.9 | 4.1 | 24.7 (61) |
//! | 14 questions about REAL programs | 2.3 | 1.9 | 1.6 | 2.0 | 2.0 |
//! | 25 published models in Theta's format | 1.2 | 1.2 | 1.1 | 21.1 (23) | 1.1 |
//! | 25 questions about large programs | 25.8 | 58.3 (23) | | 67.9 (23) | |
//!
//! With a large state PDR goes first: it considers only the variables that the property needs. Since guessing waits until
//! k = 2, k-induction is as quick there (`big/drives`, 1,000 flags: 2.2 s both for two proofs, the default 5.5 s).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Search, part};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, Reduced, reduce};
use kernel::context::exchange::Board;
use kernel::context::{ChooseSolvers, MakeSolver};
use kernel::expr::ExprPool;
use kernel::smt::{BitBlaster, Interrupt};
use search::engine::features::Features;
use search::engine::lemma_store::LemmaStore;
use search::engine::portfolio::{Ended, EngineGroup, Judge, MakeMember, Member, side_by_side};
use search::engine::{ENGINES, Pictures, configure, encoding, generator};

/// A checked choice of engines.
pub(super) enum Strategy {
    /// Chosen by the model's features.
    Default,
    /// One engine.
    Chosen(Choice),
}

/// An engine with its options.
pub(super) struct Choice {
    name: &'static str,
    options: BTreeMap<String, String>,
}

impl Choice {
    fn wants_generator(&self) -> bool {
        self.options.get("auxiliary").is_some_and(|word| word.trim() == "continuous")
    }
}

/// A default for models with certain features. The first row that fits counts.
struct Row {
    fits: fn(&Features) -> bool,
    /// Engines that answer most questions alone.
    first: &'static [Turn],
    /// Engines that start beside them after the head start of [`timing`].
    second: &'static [Turn],
}

/// Returns the head start of the first thread, and the first turn of each of its members.
///
/// Most questions are decided by then, and a second thread would only take the processor from them. Questions that are large, or
/// not about bits, take longer in any case.
fn timing(features: &Features) -> (Duration, Duration) {
    let bits = u32::try_from(features.bools + features.bits).unwrap_or(u32::MAX);
    let alone = Duration::from_millis(40) + Duration::from_micros(100) * bits.min(5_000);
    if features.beyond_bits {
        (Duration::from_millis(150), Duration::from_millis(200))
    } else {
        (alone, Duration::from_millis(60))
    }
}

const SHALLOW: Turn = ("bmc", &[("k", "8"), ("forward", "off")]);
const HUNT: &[Turn] = &[("bmc", &[("forward", "off")]), ("random", &[])];
const INDUCTION: Turn = ("k-induction", &[]);
const BITS: Turn = ("pdr", &[]);
const WORDS: Turn = ("pdr", &[("level", "words")]);
const EXPLICIT: Turn = ("cegar", &[("domain", "EXPL"), ("maxenum", "50")]);
const PREDICATES: Turn = ("cegar", &[("domain", "PRED_BOOL")]);
const BOUNDS: Turn = ("intervals", &[]);
const TEMPLATES: Turn = ("kiki", &[("inference", "strategy")]);

/// Bits of state from which on guesses of invariants come later.
const LARGE: usize = 300;

/// Inputs of a cycle from which on bounds come first.
const MANY_INPUTS: usize = 20;

const SCHEDULE: &[Row] = &[
    // Engines that work on bits do not apply, and each question is expensive. PDR over predicates decides most.
    Row {
        fits: |f| f.beyond_bits,
        first: &[WORDS, INDUCTION, BOUNDS, EXPLICIT, PREDICATES],
        second: &[("bmc", &[("forward", "off")])],
    },
    // With loops inside of the cycle, k counts rounds of loops, so induction is quick with invariants or not at all.
    Row { fits: |f| 0 < f.loops, first: &[BOUNDS, SHALLOW, INDUCTION, BITS, TEMPLATES, EXPLICIT, PREDICATES], second: HUNT },
    // Products of variables are many gates: predicates over words do better, and come sooner.
    Row { fits: |f| 0 < f.nonlinear, first: &[SHALLOW, INDUCTION, BOUNDS, WORDS, EXPLICIT, PREDICATES, BITS], second: HUNT },
    // Guesses take long here, and PDR considers only the variables that the property needs. Bounds take milliseconds.
    Row { fits: |f| LARGE < f.bools + f.bits, first: &[BOUNDS, SHALLOW, BITS, INDUCTION, EXPLICIT, PREDICATES], second: HUNT },
    // Sums and maxima of many inputs: one cycle alone is a hard question for bits.
    Row {
        fits: |f| MANY_INPUTS <= f.inputs,
        first: &[BOUNDS, SHALLOW, INDUCTION, BITS, EXPLICIT, PREDICATES, TEMPLATES],
        second: HUNT,
    },
    // If induction is quick, its invariants are the most readable. Bounds of sums and differences come last: few need them.
    Row { fits: |_| true, first: &[SHALLOW, INDUCTION, BOUNDS, BITS, EXPLICIT, PREDICATES, TEMPLATES], second: HUNT },
];

/// Engine after the first one where a procedure has many calls. It decides in one turn what others decide late: bounds of 25
/// instances of a block with a loop, or of 25 results of a function. `docs/bam.md` has the figures.
const BLOCKS: Turn = ("bam", &[]);

/// Calls of one procedure from which on [`BLOCKS`] has a turn.
const MANY_CALLS: usize = 10;

/// Engine before all others where the requirement is a conjunction. Claims that differ by names only cost it the time of one.
/// Among the others it would wait for their turns. The head start is an estimate and not measured.
const CLAIM_BY_CLAIM: Turn = ("k-induction", &[("claims", "only")]);

/// Returns how long the other engines wait for [`CLAIM_BY_CLAIM`]; `None` where it is not asked. They start sooner if it fails.
fn head_start(features: &Features) -> Option<Duration> {
    let is_wanted = 1 < features.claims && features.loops == 0 && !features.beyond_bits;
    let claims = u32::try_from(features.claims).unwrap_or(u32::MAX);
    is_wanted.then(|| Duration::from_millis(40) + Duration::from_millis(5) * claims.min(200))
}

/// Engines for recursive calls that are not written out. Values decide single arguments, and soon learn nothing more about others;
/// arguments that are not known stay so. Predicates decide all arguments at once.
const RECURSIVE: &[Turn] = &[("bam", &[("domain", "EXPL"), ("maxenum", "1")]), ("bam", &[]), ("bam", &[("domain", "PRED_CART")])];

/// First turn of an engine of [`RECURSIVE`].
const RECURSIVE_SLICE: Duration = Duration::from_secs(2);

/// Longest time for lemmas of other requirements before the engines begin.
const TELLING: Duration = Duration::from_secs(1);

/// An engine and its options.
type Turn = (&'static str, &'static [(&'static str, &'static str)]);

/// Returns the strategy of a search. The error is a sentence about its engine or options.
pub(super) fn chosen(search: &Search<'_>) -> Result<Strategy, String> {
    by_name(search.engine, search.options)
}

/// Returns the strategy of this name. The error is a sentence about it.
pub(super) fn by_name(engine: Option<&str>, options: &BTreeMap<String, String>) -> Result<Strategy, String> {
    match engine {
        None | Some("default") => match options.keys().next() {
            Some(option) => Err(format!("option `{option}`: the default strategy has no options; choose an engine")),
            None => Ok(Strategy::Default),
        },
        Some(name) => {
            // Made here only for its error; the group makes its own on its thread.
            let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt))));
            configure(ENGINES, name, options, &solvers)?;
            let info = ENGINES.iter().find(|info| info.name == name);
            let chosen = info.map(|info| Strategy::Chosen(Choice { name: info.name, options: options.clone() }));
            chosen.ok_or_else(|| format!("there is no engine `{name}`"))
        }
    }
}

/// The engines that take turns on a thread: its start, the length of first turns, the engines.
type Thread = (Duration, Duration, Vec<Choice>);

/// Returns an engine with its options.
fn choice((name, options): &Turn) -> Choice {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Choice { name, options }
}

/// Returns the threads of the default strategy for a model.
fn schedule(features: &Features) -> Vec<Thread> {
    let row = SCHEDULE.iter().find(|row| (row.fits)(features));
    let (alone, slice) = timing(features);
    let groups = row.map(|row| [(Duration::ZERO, row.first), (alone, row.second)]);
    let mut threads: Vec<Thread> =
        groups.into_iter().flatten().map(|(after, turns)| (after, slice, turns.iter().map(choice).collect())).collect();
    if MANY_CALLS <= features.equal_calls && !features.beyond_bits {
        threads.iter_mut().take(1).for_each(|(.., first)| first.insert(1, choice(&BLOCKS)));
    }
    if let Some(head_start) = head_start(features) {
        for (after, _, choices) in &mut threads {
            *after += head_start;
            // Asked once.
            let inductions = choices.iter_mut().filter(|choice| choice.name == CLAIM_BY_CLAIM.0);
            inductions.for_each(|choice| drop(choice.options.insert("claims".to_owned(), "off".to_owned())));
        }
    }
    threads
}

/// Returns threads whose engines begin at the place of a part.
fn rotated(mut threads: Vec<Thread>, part: u32) -> Vec<Thread> {
    for (.., choices) in &mut threads {
        let begin = part::place(part, choices.len());
        choices.rotate_left(begin);
    }
    threads
}

/// Returns the thread of the default strategy for an open automaton.
fn recursive() -> Vec<Thread> {
    vec![(Duration::ZERO, RECURSIVE_SLICE, RECURSIVE.iter().map(choice).collect())]
}

/// Runs a strategy on the reductions of an automaton. `known`: lemmas of other requirements.
pub(super) fn run<T: Send>(
    strategy: Strategy,
    known: Option<&LemmaStore>,
    search: &Search<'_>,
    (pool, cfa): (&ExprPool, &Cfa),
    judge: Judge<'_, T>,
) -> Ended<T> {
    let Search { interrupt, solvers, pictures, events, .. } = *search;
    // Reduced once for all engines with this encoding: on large programs it takes as long as many an answer.
    let begin = Instant::now();
    let shared = reduce(pool, cfa, Encoding::Lbe);
    let simplification = begin.elapsed();
    let board = Arc::new(Board::new(pool));
    if let Some(known) = known {
        // Lemmas that take longer are left out: the engines find them again.
        let _ = known.tell(&board, &shared, &solvers(&shared.pool, &shared.cfa), &soon(interrupt, TELLING));
    }
    // k-induction with continuously refined invariants: their generator has a thread of its own.
    let wants_generator = matches!(&strategy, Strategy::Chosen(choice) if choice.wants_generator());
    let mut by_claim = None;
    let choices = match strategy {
        Strategy::Default if cfa.recursion.is_some() => rotated(recursive(), search.part),
        Strategy::Default => {
            let features = Features::of(&shared).with_calls(pool, cfa, MANY_CALLS);
            // The first part asks claim by claim; others do not wait for that.
            let claims = if search.part == 0 { features.claims } else { 0 };
            let features = Features { claims, ..features };
            by_claim = head_start(&features).map(|_| choice(&CLAIM_BY_CLAIM));
            rotated(schedule(&features), search.part)
        }
        Strategy::Chosen(choice) => vec![(Duration::ZERO, Duration::ZERO, vec![choice])],
    };
    let unreduced = Unreduced { pool, cfa, shared: &shared };
    let make = |choice| member(choice, solvers, pictures, unreduced);
    let group = |(after, slice, choices): Thread| {
        let members = choices.into_iter().map(make).collect();
        EngineGroup { after, slice, helps: false, members }
    };
    let mut groups: Vec<EngineGroup<'_>> = choices.into_iter().map(group).collect();
    if let Some(choice) = by_claim {
        groups.push(EngineGroup { after: Duration::ZERO, slice: Duration::ZERO, helps: true, members: vec![make(choice)] });
    }
    if wants_generator {
        let members = vec![helper(solvers, pictures, unreduced)];
        groups.push(EngineGroup { after: Duration::ZERO, slice: Duration::ZERO, helps: true, members });
    }
    let mut ended = side_by_side(interrupt, events, &board, groups, judge);
    ended.spent.simplification += simplification;
    ended
}

/// A model, and the reduction that most engines use.
#[derive(Clone, Copy)]
struct Unreduced<'a> {
    pool: &'a ExprPool,
    cfa: &'a Cfa,
    shared: &'a Reduced,
}

fn member<'a>(choice: Choice, solvers: &'a ChooseSolvers, pictures: Pictures, model: Unreduced<'a>) -> MakeMember<'a> {
    Box::new(move || {
        let info = ENGINES.iter().find(|info| info.name == choice.name);
        if model.cfa.recursion.is_some() && choice.name != "bam" {
            // To another engine the results of these calls are arbitrary.
            let why = "recursive calls that are too many to be written out; the engine `bam` decides programs with them";
            return Err(why.to_owned());
        }
        let model = match info.map_or(Ok(Encoding::Lbe), |info| encoding::wanted(info, &choice.options))? {
            Encoding::Lbe => model.shared.clone(),
            other @ (Encoding::Plain | Encoding::Sbe | Encoding::SbeWithCalls | Encoding::LbeWithCalls) => {
                reduce(model.pool, model.cfa, other)
            }
        };
        let mut engine = configure(ENGINES, choice.name, &choice.options, &solvers(&model.pool, &model.cfa))?;
        engine.keep(pictures);
        Ok(Member { name: choice.name, engine, model, pictures })
    })
}

/// Returns the generator of invariants beside k-induction.
fn helper<'a>(solvers: &'a ChooseSolvers, pictures: Pictures, model: Unreduced<'a>) -> MakeMember<'a> {
    Box::new(move || {
        let model = model.shared.clone();
        let engine = generator::generator(solvers(&model.pool, &model.cfa));
        Ok(Member { name: generator::NAME, engine, model, pictures })
    })
}

/// Returns the interrupt with a deadline at most this far away.
pub(super) fn soon(interrupt: &Interrupt, time: Duration) -> Interrupt {
    let end = Instant::now() + time;
    Interrupt { deadline: Some(interrupt.deadline.map_or(end, |deadline| deadline.min(end))), cancel: interrupt.cancel.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_all_engines_in_another_order() {
        let engines = |part| -> Vec<Vec<&str>> {
            let threads = rotated(schedule(&Features { bools: 2 * LARGE, ..Features::default() }), part);
            threads.iter().map(|(.., choices)| choices.iter().map(|choice| choice.name).collect()).collect()
        };
        assert_eq!(engines(0), [vec!["intervals", "bmc", "pdr", "k-induction", "cegar", "cegar"], vec!["bmc", "random"]]);
        assert_eq!(engines(1), [vec!["k-induction", "cegar", "cegar", "intervals", "bmc", "pdr"], vec!["random", "bmc"]]);
        for part in 2..9 {
            for (own, usual) in engines(part).iter_mut().zip(engines(0).iter_mut()) {
                own.sort_unstable();
                usual.sort_unstable();
                assert_eq!(own, usual, "{part}");
            }
        }
    }

    #[test]
    fn many_equal_calls_give_blocks_a_turn() {
        let engines = |features: Features| -> Vec<Vec<&str>> {
            schedule(&features).iter().map(|(.., choices)| choices.iter().map(|choice| choice.name).collect()).collect()
        };
        let few = engines(Features { equal_calls: MANY_CALLS - 1, ..Features::default() });
        let mut many = engines(Features { equal_calls: MANY_CALLS, ..Features::default() });
        assert_eq!(many[0].remove(1), "bam");
        assert_eq!(few, many);
        let floats = Features { equal_calls: MANY_CALLS, beyond_bits: true, ..Features::default() };
        assert!(engines(floats).iter().flatten().all(|name| *name != "bam"));
    }
}
