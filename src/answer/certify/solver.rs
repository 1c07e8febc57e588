//! Solvers that decide obligations: a fresh cvc5 through its own parser, or any program that reads SMT-LIB from its standard
//! input.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::known::KnownAnswers;
use super::predicate::Symbols;
use super::script::Sorts;
use kernel::cfa::Cfa;
use kernel::expr::{ExprPool, VarId};
use kernel::smt::{Interrupt, Mode, Sat, decide_script, values_script};

/// Bytes of a script about bits from which on it goes to a SAT solver at once first. A step of 300 alternatives takes a fourth
/// of the time there.
const LARGE: usize = 64 << 10;

/// Solver of choice.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// The cvc5 that is part of this program; each script gets a new one.
    Cvc5,
    /// The same, which is asked each question once.
    Known(&'a KnownAnswers),
    /// A program with its arguments, separated by blanks.
    Other(&'a str),
}

/// Answer of a solver about one obligation.
pub(super) enum SolverAnswer {
    /// Nothing satisfies it.
    Holds,
    /// Some state satisfies it.
    Fails,
    /// No answer, with the reason.
    Undecided(String),
}

impl Asked<'_> {
    /// Returns the commands that the solver needs before it reads terms of these sorts.
    pub(super) fn options(self, sorts: Sorts) -> String {
        // Options of cvc5 only.
        match self {
            Asked::Cvc5 | Asked::Known(_) => sorts.options().map(|option| format!("(set-option :{option} true)\n")).collect(),
            Asked::Other(_) => String::new(),
        }
    }

    /// Returns whether an earlier attempt shows that this time is too short for a script.
    pub(super) fn is_late(self, script: &str, time: Duration) -> bool {
        matches!(self, Asked::Known(known) if known.is_late(script, time))
    }

    /// Returns whether the answer about a script is known.
    pub(super) fn is_known(self, script: &str) -> bool {
        matches!(self, Asked::Known(known) if known.is_known(script))
    }

    /// Decides a script with one `(check-sat)`.
    ///
    /// Cost:      until `interrupt`.
    /// Soundness: only the solver's own `unsat` counts.
    pub(super) fn decide(self, script: &str, sorts: Sorts, interrupt: &Interrupt) -> SolverAnswer {
        let modes: &[Mode] = match (sorts.only_bits(), script.len() < LARGE) {
            (true, true) => &[Mode::Lazy, Mode::Eager],
            (true, false) => &[Mode::Eager, Mode::Lazy],
            (false, _) => &[Mode::Lazy],
        };
        match self {
            Asked::Other(command) => other(command, script, interrupt),
            Asked::Known(known) => known.decide(script, sorts, interrupt),
            Asked::Cvc5 => match decide_script(script, modes, interrupt) {
                Ok(Sat::Unsat) => SolverAnswer::Holds,
                Ok(Sat::Sat) => SolverAnswer::Fails,
                Ok(Sat::Unknown(_)) => SolverAnswer::Undecided("the solver came to no answer in time".to_owned()),
                Err(e) => SolverAnswer::Undecided(e.to_string()),
            },
        }
    }
}

/// Returns a state from which an obligation fails, as `name = value`; empty if cvc5 finds none soon.
pub(crate) fn failing_state(script: &str, pool: &ExprPool, cfa: &Cfa) -> Vec<String> {
    /// Time limit; the check before has taken as long to find a model.
    const LIMIT_MS: u64 = 20_000;
    /// Most values that are shown.
    const MOST: usize = 40;
    let symbols = Symbols::new(pool, &cfa.vars);
    // A question is about some variables only.
    let declared: BTreeSet<&str> =
        script.lines().filter_map(|line| line.strip_prefix("(declare-const |")?.split('|').next()).collect();
    let named = cfa.vars.iter().map(|var| (*var, symbols.in_frame(*var, "0")));
    let first: Vec<(VarId, String)> = named.filter(|(_, name)| declared.contains(name.trim_matches('|'))).take(MOST).collect();
    let terms: Vec<&str> = first.iter().map(|(_, name)| name.as_str()).collect();
    let values = values_script(script, &terms, LIMIT_MS).ok().flatten().unwrap_or_default();
    first.iter().zip(values).map(|((var, _), value)| format!("{} = {value}", pool.var_decl(*var).name)).collect()
}

fn other(command: &str, script: &str, interrupt: &Interrupt) -> SolverAnswer {
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return SolverAnswer::Undecided("no solver is named".to_owned()) };
    let started = Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(e) => return SolverAnswer::Undecided(format!("`{program}` could not be started: {e}")),
    };
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let text = format!("{script}(exit)\n");
    // Written and read at the same time: a solver that writes before it has read everything must not block.
    let writer = std::thread::spawn(move || {
        if let Some(mut input) = input {
            // A solver that ends early closes its input; only its output counts.
            let _ = input.write_all(text.as_bytes());
        }
    });
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        if let Some(output) = output {
            let _ = output.take(1 << 20).read_to_string(&mut said);
        }
        said
    });
    let in_time = loop {
        match child.try_wait() {
            Ok(Some(_)) => break true,
            Ok(None) if interrupt.is_raised() => break false,
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => break false,
        }
    };
    if !in_time {
        let _ = child.kill();
        let _ = child.wait();
    }
    let gave_up = Instant::now() + Duration::from_secs(5);
    while !(reader.is_finished() && writer.is_finished()) && Instant::now() < gave_up {
        std::thread::sleep(Duration::from_millis(1));
    }
    if !in_time || !reader.is_finished() {
        return SolverAnswer::Undecided(format!("`{program}` came to no answer in time"));
    }
    let said = reader.join().unwrap_or_default();
    // One answer to one question; further output makes it invalid.
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        ["unsat"] => SolverAnswer::Holds,
        ["sat"] => SolverAnswer::Fails,
        ["unknown"] => SolverAnswer::Undecided(format!("`{program}` came to no answer")),
        other => {
            let first = other.first().copied().unwrap_or("nothing");
            SolverAnswer::Undecided(format!("`{program}` says `{}`", super::shorten(first)))
        }
    }
}
