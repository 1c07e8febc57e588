//! Obligations of proofs that count steps: k-induction (base and step, and those of auxiliary invariants that are inductive by
//! themselves), and exhaustion (base and end).
//!
//! A step leads from one place to the next. It is a cycle where the head is the only place. A step from the start of runs to the
//! first place is not counted.

use super::automaton::{Frame, Step};
use super::deciding::deciding;
use super::obligations::{Draft, Writer};
use super::script::Text;
use super::{Flaw, Rejected};
use kernel::expr::{Sort, VarId};
use kernel::verdict::{Paths, Support};

/// Consecutive steps between places.
#[derive(Clone)]
struct Chain {
    /// States before, between and after the steps.
    frames: Vec<Frame>,
    /// Terms: "the state of this frame satisfies the invariant of its place".
    holds: Vec<String>,
    /// For each step two terms: "it ends in a violation" and "it is completed".
    steps: Vec<(String, String)>,
}

/// Runs from their start to the first place, and on from there.
struct Start {
    /// Term: the first state is a start state.
    initial: String,
    /// Term: a run from there comes to a place.
    arrives: String,
    /// Terms: a run from there ends in a violation.
    violations: Vec<String>,
    chain: Chain,
}

impl Writer<'_, '_> {
    /// Returns the obligations of a proof by `k` steps.
    ///
    /// Soundness: for paths without repetition, two states count as the same if they are at the same place and agree on all
    /// deciding variables.
    pub(super) fn k_inductive(&mut self, k: u32, support: Support, paths: Paths) -> Result<Vec<Draft>, Rejected> {
        counted(k)?;
        if (support, paths) == (Support::Steps, Paths::Simple) {
            // States that are the same for the error may differ in the invariant.
            return Err(Flaw("an invariant that needs k steps needs all paths, not only those without repetition".into()).into());
        }
        let chain = self.any_chain(k + 1)?;
        let start = self.start(&chain, k)?;
        let mut drafts = match support {
            Support::Alone => self.auxiliary(&chain, &start),
            Support::Steps => Vec::new(),
        };
        drafts.push(self.base(&start, k, support).0);
        drafts.push(self.step(&chain, k as usize, support, paths));
        Ok(drafts)
    }

    /// Returns the obligations of a proof that runs have fewer than `k` complete steps, and no violation in the first `k`.
    ///
    /// Soundness: a violation in a later step needs `k` complete steps before it. For paths without repetition: a shortest run to
    /// a violation repeats no state, so the same is true of it.
    pub(super) fn exhaustive(&mut self, k: u32, paths: Paths) -> Result<Vec<Draft>, Rejected> {
        counted(k)?;
        let chain = self.any_chain(k)?;
        let start = self.start(&chain, k)?;
        let (base, completed) = self.base(&start, k, Support::Alone);
        let mut asserts = vec![start.initial.clone(), completed];
        let mut text = format!("no run has {}", self.counted_steps(k));
        if paths == Paths::Simple {
            text.push_str(" without a repeated state");
            asserts.extend(self.all_differ(&start.chain.frames[..=k as usize]));
        }
        Ok(vec![base, Draft::new("end", text, asserts)])
    }

    /// Returns whether steps end at heads of loops too.
    fn has_loops(&self) -> bool {
        1 < self.automaton.later_places().len()
    }
    fn counted_steps(&self, k: u32) -> String {
        let unit = if self.has_loops() { "step" } else { "cycle" };
        if k == 1 { format!("1 {unit}") } else { format!("{k} {unit}s") }
    }

    /// Follows `n` steps from any state at any place.
    fn any_chain(&mut self, n: u32) -> Result<Chain, Rejected> {
        self.script.comment("any state, and the steps from there");
        let with_place = self.has_loops();
        let first = self.automaton.frame(&mut self.script, "0", with_place);
        self.chain(first, n, "")
    }
    /// Follows `n` steps from a state at a place. `label` distinguishes their symbols from those of other chains.
    fn chain(&mut self, first: Frame, n: u32, label: &str) -> Result<Chain, Rejected> {
        let (automaton, places) = (self.automaton, self.automaton.later_places());
        let holds = vec![self.invariant(&first, &places)];
        let mut chain = Chain { frames: vec![first.clone()], holds, steps: Vec::new() };
        let mut before = first;
        for i in 0..n {
            if self.interrupt.is_raised() {
                return Err(Rejected::Stopped("base"));
            }
            let name = format!("{label}{i}");
            let Step { violation, goes_on, next } = automaton.step(&mut self.script, &before, &places, &name)?;
            chain.steps.push((violation.to_string(), goes_on.to_string()));
            chain.frames.push(next.clone());
            chain.holds.push(self.invariant(&next, &places));
            before = next;
        }
        Ok(chain)
    }

    /// Follows runs from the start through `k` steps: those of `chain` where runs start at the head.
    fn start(&mut self, chain: &Chain, k: u32) -> Result<Start, Rejected> {
        let automaton = self.automaton;
        if automaton.starts_at_head() {
            let initial = self.initial(&chain.frames[0]);
            return Ok(Start { initial, arrives: "true".to_owned(), violations: Vec::new(), chain: chain.clone() });
        }
        self.script.comment("runs from the start");
        let with_place = self.has_loops();
        let start = automaton.frame(&mut self.script, "start", with_place);
        let initial = self.initial(&start);
        let Step { violation, goes_on, next } = automaton.step(&mut self.script, &start, &[automaton.cfa.init], "start")?;
        let chain = self.chain(next, k, "start ")?;
        Ok(Start { initial, arrives: goes_on.to_string(), violations: vec![violation.to_string()], chain })
    }

    /// Returns the obligations of auxiliary invariants: they hold at the first place, and every step keeps them.
    fn auxiliary(&self, chain: &Chain, start: &Start) -> Vec<Draft> {
        let at_start = vec![start.initial.clone(), start.arrives.clone(), format!("(not {})", start.chain.holds[0])];
        let after_step = vec![chain.holds[0].clone(), chain.steps[0].1.clone(), format!("(not {})", chain.holds[1])];
        let step = if self.has_loops() { "every step" } else { "every cycle" };
        vec![
            Draft::new("initiation", "the invariant holds at the start of the first cycle", at_start),
            Draft::new("consecution", format!("{step} keeps the invariant"), after_step),
        ]
    }

    /// Returns the base case: the first `k` steps have no violation, and if all are completed, they began in states of a
    /// k-inductive invariant. Also the term for "a run from the start completes `k` steps".
    fn base(&mut self, start: &Start, k: u32, support: Support) -> (Draft, String) {
        let Start { initial, arrives, violations, chain } = start;
        let (mut violations, mut completed) = (violations.clone(), arrives.clone());
        // A violation in a step means that all steps before it were completed.
        for (violation, is_completed) in chain.steps.iter().take(k as usize) {
            violations.push(format!("(and {completed} {violation})"));
            completed = self.script.define("completed", Sort::Bool, &format!("(and {completed} {is_completed})")).to_string();
        }
        let mut text = match (self.has_loops(), k) {
            (false, 1) => "the first cycle reaches no violation".to_owned(),
            (true, 1) => "the first step reaches no violation".to_owned(),
            (_, _) => format!("the first {} reach no violation", self.counted_steps(k)),
        };
        if support == Support::Steps {
            let broken = chain.holds.iter().take(k as usize).map(|holds| format!(" (not {holds})"));
            violations.push(format!("(and {completed} (or false{}))", broken.collect::<String>()));
            let begin = if k == 1 { "begins in a state that satisfies" } else { "begin in states that satisfy" };
            text.push_str(&format!(", and {begin} the invariant"));
        }
        let violated = format!("(or false {})", violations.join(" "));
        (Draft::new("base", text, vec![initial.clone(), violated]), completed)
    }

    /// Adds the step case: after `k` steps through states of the invariant there is no violation, and a k-inductive invariant
    /// holds again.
    fn step(&self, chain: &Chain, k: usize, support: Support, paths: Paths) -> Draft {
        let mut asserts: Vec<String> = chain.holds.iter().take(k).cloned().collect();
        asserts.extend(chain.steps.iter().take(k).map(|(_, is_completed)| is_completed.clone()));
        let unit = if self.has_loops() { "step" } else { "cycle" };
        let mut text = match k {
            1 => format!("after a {unit} from a state that satisfies the invariant"),
            k => format!("after {k} {unit}s through states that satisfy the invariant"),
        };
        if paths == Paths::Simple {
            text.push_str(", no two states on the way the same for the future,");
            asserts.extend(self.all_differ(&chain.frames[..=k]));
        }
        let (last, violation) = (chain.holds[k].clone(), chain.steps[k].0.clone());
        match support {
            Support::Alone => asserts.extend([last, violation]),
            Support::Steps => {
                text.push_str(" it holds again, and");
                asserts.push(format!("(or (not {last}) {violation})"));
            }
        }
        Draft::new("step", format!("{text} the next {unit} has no violation"), asserts)
    }

    /// Returns the terms for "no two frames are at the same place and agree on all variables that are deciding there".
    fn all_differ(&self, frames: &[Frame]) -> Vec<String> {
        let automaton = self.automaton;
        let (places, vars) = (automaton.later_places(), deciding(automaton));
        let differ = |earlier: &Frame, later: &Frame| {
            let values = |var: &VarId| Some((automaton.value(earlier, *var)?, automaton.value(later, *var)?));
            // The same text is the same value.
            let distinct = |(a, b): (Text, Text)| (a != b).then(|| format!(" (distinct {a} {b})"));
            let there = places.iter().map(|place| {
                let differ: String = vars.get(place).into_iter().flatten().filter_map(values).filter_map(distinct).collect();
                format!(" (and {} (or false false{differ}))", automaton.is_at(earlier, *place))
            });
            let elsewhere = earlier.at.clone().zip(later.at.clone()).and_then(distinct).unwrap_or_default();
            format!("(or false{}{elsewhere})", there.collect::<String>())
        };
        let pairs = frames.iter().enumerate().flat_map(|(i, later)| frames[..i].iter().map(move |earlier| (earlier, later)));
        pairs.map(|(earlier, later)| differ(earlier, later)).collect()
    }
}

fn counted(k: u32) -> Result<(), Flaw> {
    if k == 0 { Err(Flaw("k is 0: it is at least 1".into())) } else { Ok(()) }
}
