//! Answers of engines that certification refuted.

use std::sync::Mutex;

use super::judge::{Answer, show};
use super::reduced;
use crate::certify::{Certified, Evidence, KnownAnswers, Rejected};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;
use search::engine::portfolio::Judged;

/// Refuted answers of one search.
#[derive(Default)]
pub(super) struct Mistakes {
    found: Mutex<Vec<Mistake>>,
    /// Answers of the solver about proofs, for the next turn.
    known: KnownAnswers,
}

/// A refuted answer.
struct Mistake {
    engine: &'static str,
    says: Says,
    /// Finding of the check, with the evidence.
    text: String,
}

/// Answer of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Safe,
    Unsafe,
}

/// Consequence of the mistakes for the answer of a search.
pub(super) enum Closed {
    /// No answer survives, with the evidence.
    Contradiction(String),
    /// None but these notes.
    Notes(Vec<String>),
}

impl Mistakes {
    /// Adds a refuted answer.
    pub(super) fn add<T>(&self, engine: &'static str, says: Says, text: String) -> Judged<T> {
        if let Ok(mut mistakes) = self.found.lock() {
            mistakes.push(Mistake { engine, says, text });
        }
        Judged::Refused
    }

    /// Certifies a proof; adds one that is refuted.
    pub(super) fn proof(
        &self,
        engine: &'static str,
        (pool, cfa): (&ExprPool, &Cfa),
        proof: Proof,
        interrupt: &Interrupt,
    ) -> Judged<Answer> {
        match Certified::in_turns(pool, cfa, proof.clone(), &self.known, interrupt) {
            Ok(certified) => Judged::Accepted((engine, certified)),
            // The unreduced model can have longer runs, and more states that differ, than the engine's. Then the proof is too weak
            // here, and its claim is not wrong.
            Err(Rejected::Refuted(obligation)) if obligation.name == "end" => Judged::Refused,
            Err(why) if reduced::is_right(pool, cfa, &proof, &why, interrupt) => Judged::Refused,
            Err(Rejected::Refuted(obligation)) => {
                let text = format!("its proof does not pass `{}`:\n{}", obligation.name, obligation.script);
                self.add(engine, Says::Safe, text)
            }
            Err(Rejected::Malformed(why)) => self.add(engine, Says::Safe, format!("its proof is none: {why}")),
            Err(Rejected::Stopped(_)) => Judged::Stopped,
            Err(Rejected::Undecided(..)) if interrupt.is_raised() => Judged::Stopped,
            Err(Rejected::Undecided(..)) => Judged::Refused,
        }
    }

    /// Returns the contradiction between answers, if there is one, else notes about mistakes.
    ///
    /// A wrong answer beside a certified one of the other kind is a contradiction. One of the two pieces of evidence is wrong, and
    /// choosing one would be a guess: no answer survives.
    pub(super) fn close(self, certified: Option<&Certified>) -> Closed {
        let mistakes = self.found.into_inner().unwrap_or_default();
        let answer = certified.map(|certified| match certified.evidence() {
            Evidence::Holds { .. } => Says::Safe,
            Evidence::Violated { .. } | Evidence::Reached(_) => Says::Unsafe,
        });
        let text = |mistake: &Mistake| {
            let says = if mistake.says == Says::Safe { "`holds`" } else { "`violated`" };
            format!("{} says {says}, but {}", mistake.engine, mistake.text)
        };
        let contradicts = |mistake: &&Mistake| answer.is_none_or(|says| says != mistake.says);
        let contradictions: Vec<String> = mistakes.iter().filter(contradicts).map(text).collect();
        if contradictions.is_empty() {
            let note = |mistake: &Mistake| format!("internal: {} gave an answer that was not certified", mistake.engine);
            return Closed::Notes(mistakes.iter().map(note).collect());
        }
        let other = match certified.map(Certified::evidence) {
            None => String::new(),
            Some(Evidence::Holds { obligations, .. }) => {
                let scripts: Vec<&str> = obligations.iter().map(|o| o.script.as_str()).collect();
                format!("\nThe other answer is `holds`, certified by:\n{}", scripts.join("\n"))
            }
            Some(Evidence::Violated { cycles, .. }) => {
                format!("\nThe other answer is `violated`, replayed with {}", show(cycles))
            }
            Some(Evidence::Reached(run)) => {
                format!("\nThe other answer is `violated`, followed in the model over {} edges", run.steps.len())
            }
        };
        Closed::Contradiction(format!("{}{other}", contradictions.join("\n")))
    }
}
