//! Obligations of k-induction: base and step, and those of an auxiliary invariant that is inductive by itself.

use super::automaton::{Frame, Step};
use super::deciding::deciding;
use super::obligations::{Draft, Writer};
use super::{Flaw, Rejected};
use kernel::expr::Sort;
use kernel::verdict::{Paths, Support};

/// Consecutive cycles from the head.
#[derive(Clone)]
struct Chain {
    /// States before, between and after the cycles.
    frames: Vec<Frame>,
    /// For each cycle two terms: "it ends in a violation" and "it is completed".
    cycles: Vec<(String, String)>,
}

/// Runs from their start to the head, and on from there.
struct Start {
    /// Term: the first state is a start state.
    initial: String,
    /// Term: a run from there comes to the head.
    arrives: String,
    /// Terms: a run from there ends in a violation.
    violations: Vec<String>,
    chain: Chain,
}

impl Writer<'_, '_> {
    /// Returns the obligations of a proof by `k` cycles.
    ///
    /// Soundness: for paths without repetition, two states count as the same if they agree on all deciding variables.
    pub(super) fn k_inductive(&mut self, k: u32, support: Support, paths: Paths) -> Result<Vec<Draft>, Rejected> {
        if k == 0 {
            return Err(Flaw("k is 0: it is at least 1".into()).into());
        }
        if (support, paths) == (Support::Steps, Paths::Simple) {
            // States that are the same for the error may differ in the invariant.
            return Err(Flaw("an invariant that needs k steps needs all paths, not only those without repetition".into()).into());
        }
        self.script.comment("any state, and the steps from there");
        let first = self.automaton.frame(&mut self.script, "0", false);
        let chain = self.chain(first, k + 1, "")?;
        let start = self.start(&chain, k)?;
        let mut drafts = match support {
            Support::Alone => self.auxiliary(&chain, &start),
            Support::Steps => Vec::new(),
        };
        drafts.push(self.base(start, k, support));
        drafts.push(self.step(&chain, k as usize, support, paths));
        Ok(drafts)
    }

    /// Follows `n` cycles from a state at the head. `label` distinguishes their symbols from those of other chains.
    fn chain(&mut self, first: Frame, n: u32, label: &str) -> Result<Chain, Rejected> {
        let automaton = self.automaton;
        let mut chain = Chain { frames: vec![first.clone()], cycles: Vec::new() };
        let mut before = first;
        for i in 0..n {
            if self.interrupt.is_raised() {
                return Err(Rejected::Undecided("base", "the time was over".to_owned()));
            }
            let name = format!("{label}{i}");
            let Step { violation, goes_on, next } = automaton.step(&mut self.script, &before, &[automaton.cfa.head], &name)?;
            chain.cycles.push((violation.to_string(), goes_on.to_string()));
            chain.frames.push(next.clone());
            before = next;
        }
        Ok(chain)
    }

    /// Follows runs from the start through `k` cycles: those of `chain` where runs start at the head.
    fn start(&mut self, chain: &Chain, k: u32) -> Result<Start, Rejected> {
        let automaton = self.automaton;
        if automaton.starts_at_head() {
            let initial = self.initial(&chain.frames[0]);
            return Ok(Start { initial, arrives: "true".to_owned(), violations: Vec::new(), chain: chain.clone() });
        }
        self.script.comment("runs from the start");
        let start = automaton.frame(&mut self.script, "start", false);
        let initial = self.initial(&start);
        let Step { violation, goes_on, next } = automaton.step(&mut self.script, &start, &[automaton.cfa.init], "start")?;
        let chain = self.chain(next, k, "start ")?;
        Ok(Start { initial, arrives: goes_on.to_string(), violations: vec![violation.to_string()], chain })
    }

    /// Returns the obligations of an auxiliary invariant: it holds at the start of the first cycle, and every cycle keeps it.
    fn auxiliary(&self, chain: &Chain, start: &Start) -> Vec<Draft> {
        let broken_in = |frame: &Frame| format!("(not {})", self.invariant_at(self.automaton.cfa.head, frame));
        let at_start = vec![start.initial.clone(), start.arrives.clone(), broken_in(&start.chain.frames[0])];
        let holds = self.invariant_at(self.automaton.cfa.head, &chain.frames[0]);
        let after_cycle = vec![holds, chain.cycles[0].1.clone(), broken_in(&chain.frames[1])];
        vec![
            Draft::new("initiation", "the invariant holds at the start of the first cycle", at_start),
            Draft::new("consecution", "every cycle keeps the invariant", after_cycle),
        ]
    }

    /// Adds the base case: the first `k` cycles have no violation, and if all are completed, they began in states of a
    /// k-inductive invariant.
    fn base(&mut self, start: Start, k: u32, support: Support) -> Draft {
        let head = self.automaton.cfa.head;
        let Start { initial, arrives, mut violations, chain } = start;
        let mut completed = arrives;
        // A violation in a cycle means that all cycles before it were completed.
        for (violation, is_completed) in chain.cycles.iter().take(k as usize) {
            violations.push(format!("(and {completed} {violation})"));
            completed = self.script.define("completed", Sort::Bool, &format!("(and {completed} {is_completed})")).to_string();
        }
        let mut text = match k {
            1 => "the first cycle reaches no violation".to_owned(),
            k => format!("the first {k} cycles reach no violation"),
        };
        if support == Support::Steps {
            let frames = chain.frames.iter().take(k as usize);
            let broken = frames.map(|frame| format!(" (not {})", self.invariant_at(head, frame)));
            violations.push(format!("(and {completed} (or false{}))", broken.collect::<String>()));
            let begin = if k == 1 { "begins in a state that satisfies" } else { "begin in states that satisfy" };
            text.push_str(&format!(", and {begin} the invariant"));
        }
        Draft::new("base", text, vec![initial, format!("(or false {})", violations.join(" "))])
    }

    /// Adds the step case: after `k` cycles through states of the invariant there is no violation, and a k-inductive invariant
    /// holds again.
    fn step(&self, chain: &Chain, k: usize, support: Support, paths: Paths) -> Draft {
        let holds = |frame: &Frame| self.invariant_at(self.automaton.cfa.head, frame);
        let mut asserts: Vec<String> = chain.frames.iter().take(k).map(holds).collect();
        asserts.extend(chain.cycles.iter().take(k).map(|(_, is_completed)| is_completed.clone()));
        let mut text = match k {
            1 => "after a cycle from a state that satisfies the invariant".to_owned(),
            k => format!("after {k} cycles through states that satisfy the invariant"),
        };
        if paths == Paths::Simple {
            text.push_str(", no two states on the way the same for the future,");
            asserts.extend(self.all_differ(&chain.frames[..=k]));
        }
        let (last, violation) = (holds(&chain.frames[k]), chain.cycles[k].0.clone());
        match support {
            Support::Alone => asserts.extend([last, violation]),
            Support::Steps => {
                text.push_str(" it holds again, and");
                asserts.push(format!("(or (not {last}) {violation})"));
            }
        }
        Draft::new("step", format!("{text} the next cycle has no violation"), asserts)
    }

    /// Returns the terms for "no two frames agree on all deciding variables".
    fn all_differ(&self, frames: &[Frame]) -> Vec<String> {
        let vars = deciding(self.automaton.pool, self.automaton.cfa);
        let differ = |earlier: &Frame, later: &Frame| {
            let pairs = vars.iter().filter_map(|var| {
                let (a, b) = (self.automaton.value(earlier, *var)?, self.automaton.value(later, *var)?);
                // The same text is the same value.
                (a != b).then(|| format!(" (distinct {a} {b})"))
            });
            format!("(or false false{})", pairs.collect::<String>())
        };
        let pairs = frames.iter().enumerate().flat_map(|(i, later)| frames[..i].iter().map(move |earlier| (earlier, later)));
        pairs.map(|(earlier, later)| differ(earlier, later)).collect()
    }
}
