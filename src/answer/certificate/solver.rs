//! Who decides the obligations: a fresh cvc5 through its own parser, or any program that reads SMT-LIB from its standard input.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::obligations::{Obligation, Obligations};
use kernel::smt::{Interrupt, Mode, Sat, decide_script, values_script};

/// Which solver is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// The cvc5 that is part of this program; each script gets a new one.
    Cvc5,
    /// A program with its arguments, separated by blanks.
    Other(&'a str),
}

/// What it says of one obligation.
pub(super) enum Said {
    /// Nothing satisfies it.
    Holds,
    /// A state from which it does not hold: names and values, as far as the solver says them.
    Fails(Vec<String>),
    /// No answer, because.
    Open(String),
}

/// Asks whether an obligation holds.
///
/// Cost:      until `interrupt`.
/// Soundness: only the solver's own `unsat` counts.
pub(super) fn ask(asked: Asked<'_>, all: &Obligations, obligation: &Obligation, interrupt: &Interrupt) -> Said {
    let script = all.script(obligation);
    match asked {
        Asked::Other(command) => other(command, &script, interrupt),
        Asked::Cvc5 => {
            let options: String = all.sorts.options().map(|option| format!("(set-option :{option} true)\n")).collect();
            let script = options + &script;
            let modes: &[Mode] = if all.sorts.only_bits() { &[Mode::Lazy, Mode::Eager] } else { &[Mode::Lazy] };
            match decide_script(&script, modes, interrupt) {
                Ok(Sat::Unsat) => Said::Holds,
                Ok(Sat::Sat) => Said::Fails(state(&script, all)),
                Ok(Sat::Unknown(_)) => Said::Open("the solver came to no answer in time".to_owned()),
                Err(e) => Said::Open(e.to_string()),
            }
        }
    }
}

/// The state before the step that breaks it; empty if the solver does not say it soon.
fn state(script: &str, all: &Obligations) -> Vec<String> {
    /// A model was found before; to find it again takes as long.
    const LIMIT_MS: u64 = 20_000;
    /// More values are nothing to read.
    const MOST: usize = 40;
    let symbols: Vec<&str> = all.state.iter().map(|(symbol, _)| symbol.as_str()).take(MOST).collect();
    let values = values_script(script, &symbols, LIMIT_MS).ok().flatten().unwrap_or_default();
    all.state.iter().zip(values).map(|((_, name), value)| format!("{name} = {value}")).collect()
}

fn other(command: &str, script: &str, interrupt: &Interrupt) -> Said {
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return Said::Open("no solver is named".to_owned()) };
    let started = Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(e) => return Said::Open(format!("`{program}` could not be started: {e}")),
    };
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let text = format!("{script}(exit)\n");
    // Written and read beside each other: a solver that talks before it has read everything must not block.
    let writer = std::thread::spawn(move || {
        if let Some(mut input) = input {
            // A solver that ends early closes its end; what it said is what counts.
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
        return Said::Open(format!("`{program}` came to no answer in time"));
    }
    let said = reader.join().unwrap_or_default();
    // One answer to one question: anything beside it makes it no answer.
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        ["unsat"] => Said::Holds,
        ["sat"] => Said::Fails(Vec::new()),
        ["unknown"] => Said::Open(format!("`{program}` came to no answer")),
        other => {
            let first = other.first().copied().unwrap_or("nothing");
            Said::Open(format!("`{program}` says `{}`", super::sexp::shorten(first)))
        }
    }
}
