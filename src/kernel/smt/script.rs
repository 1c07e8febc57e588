//! SMT-LIB 2 scripts, read and decided by a fresh cvc5 through its own parser.
//!
//! Certificates are checked here: the solver gets nothing but the text, so the exported text is the checked one. Knows no
//! expressions and no engine's encoding, on purpose.

use cvc5::{InputLanguage, InputParser, Solver, SymbolManager, TermManager};

use super::{Interrupt, Sat, SolverError, Unknown};

/// Method of cvc5 for bit vectors. Neither dominates: they differ by a factor of 50 in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// cvc5's default.
    Lazy,
    /// All formulas to SAT at once, for scripts with Bool and bit vectors only.
    Eager,
}

/// Decides a script that has exactly one `(check-sat)`.
///
/// Alternates the `modes` with growing time slices, each in a fresh solver, until one answers or `interrupt` is raised.
///
/// Cost:      the answering slice, and at most about twice its time before it.
/// Stops:     `Unknown` when the theory is incomplete or the time is over; a script that cvc5 rejects is a [`SolverError`].
/// Soundness: an answer is cvc5's answer about the text, never a guess.
pub fn decide_script(script: &str, modes: &[Mode], interrupt: &Interrupt) -> Result<Sat, SolverError> {
    let mut slice_ms: u64 = 1_000;
    loop {
        for mode in modes {
            let left_ms = match interrupt.deadline {
                Some(deadline) => deadline.saturating_duration_since(std::time::Instant::now()).as_millis() as u64,
                None => u64::MAX,
            };
            if interrupt.is_raised() || left_ms == 0 {
                return Ok(Sat::Unknown(Unknown::Interrupted));
            }
            let answer = run_script(script, *mode, slice_ms.min(left_ms))?;
            match answer {
                Sat::Sat | Sat::Unsat => return Ok(answer),
                Sat::Unknown(Unknown::Limit | Unknown::Interrupted) => {}
                Sat::Unknown(Unknown::Incomplete) => return Ok(answer),
            }
        }
        slice_ms = slice_ms.saturating_mul(4);
    }
}

/// Decides a script in one attempt: a fresh term manager, solver and parser; about `limit_ms` milliseconds for the check.
pub fn run_script(script: &str, mode: Mode, limit_ms: u64) -> Result<Sat, SolverError> {
    let terms = TermManager::new();
    let mut solver = Solver::new(&terms);
    let mut symbols = SymbolManager::new(&terms);
    solver.set_option("tlimit-per", &limit_ms.clamp(1, 86_400_000).to_string()).map_err(failed)?;
    match mode {
        Mode::Lazy => {}
        Mode::Eager => {
            solver.set_option("bitblast", "eager").map_err(failed)?;
            solver.set_option("bv-assert-input", "true").map_err(failed)?;
        }
    }
    let mut parser = InputParser::new(&mut solver, &mut symbols);
    parser.set_str_input(InputLanguage::SmtLib26, script, "certificate").map_err(failed)?;
    let mut answer = None;
    while let Some(command) = parser.next_command().map_err(failed)? {
        let output = parser.invoke(&command).map_err(failed)?;
        match (output.trim(), &answer) {
            ("", _) => {}
            ("sat", None) => answer = Some(Sat::Sat),
            ("unsat", None) => answer = Some(Sat::Unsat),
            (unknown, None) if unknown.starts_with("unknown") => {
                let out_of_time = unknown.contains("TIMEOUT") || unknown.contains("RESOURCEOUT");
                answer = Some(Sat::Unknown(if out_of_time { Unknown::Limit } else { Unknown::Incomplete }));
            }
            (other, _) => return Err(SolverError(format!("cvc5 answered `{other}` to `{}`", command.name()))),
        }
    }
    answer.ok_or_else(|| SolverError("the script has no (check-sat)".into()))
}

/// Returns the values of terms in a model of a script with one `(check-sat)`. `None` if it is unsatisfiable, or has no model
/// within about `limit_ms` milliseconds.
pub fn values_script(script: &str, terms: &[&str], limit_ms: u64) -> Result<Option<Vec<String>>, SolverError> {
    let manager = TermManager::new();
    let mut solver = Solver::new(&manager);
    let mut symbols = SymbolManager::new(&manager);
    solver.set_option("tlimit-per", &limit_ms.clamp(1, 86_400_000).to_string()).map_err(failed)?;
    solver.set_option("produce-models", "true").map_err(failed)?;
    let asking: String = terms.iter().map(|term| format!("(get-value ({term}))\n")).collect();
    let mut parser = InputParser::new(&mut solver, &mut symbols);
    parser.set_str_input(InputLanguage::SmtLib26, &format!("{script}{asking}"), "certificate").map_err(failed)?;
    let mut values = Vec::new();
    let mut is_sat = false;
    while let Some(command) = parser.next_command().map_err(failed)? {
        let output = parser.invoke(&command).map_err(failed)?;
        match (output.trim(), is_sat) {
            ("", _) => {}
            ("sat", false) => is_sat = true,
            (_, false) => return Ok(None),
            // ((term value))
            (pair, true) => {
                let inside = pair.trim_start_matches('(').trim_end_matches("))");
                let term = terms.get(values.len()).copied().unwrap_or_default();
                let value = inside.strip_prefix(term).unwrap_or(inside).trim();
                values.push(if value.starts_with('(') { format!("{value})") } else { value.to_owned() });
            }
        }
    }
    Ok(Some(values))
}

fn failed(e: cvc5::Error) -> SolverError {
    SolverError(format!("cvc5: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(n: usize) -> String {
        let mut s = String::from("(set-logic QF_BV)(declare-const x0 (_ BitVec 16))(declare-const b Bool)");
        for i in 1..=n {
            let before = i - 1;
            s += &format!("(define-fun x{i} () (_ BitVec 16) (ite b (bvadd x{before} #x0001) (bvsub x{before} #x0001)))");
        }
        s + &format!("(assert (not (= (ite b (bvsub x{n} x0) (bvsub x0 x{n})) (_ bv{n} 16))))(check-sat)")
    }

    #[test]
    fn scripts_are_decided() {
        // Far more than these need: a busy machine must not make an answer wrong.
        const LIMIT_MS: u64 = 600_000;
        let check = |script: &str, expected: Sat| {
            for mode in [Mode::Lazy, Mode::Eager] {
                assert_eq!(run_script(script, mode, LIMIT_MS), Ok(expected.clone()), "{script}");
            }
        };
        let x = "(set-logic QF_BV)(declare-const x (_ BitVec 8))";
        check(&format!("{x}(assert (bvult x #x05))(check-sat)"), Sat::Sat);
        check(&format!("{x}(assert (bvult x #x00))(check-sat)"), Sat::Unsat);
        check(&deep(12), Sat::Unsat);
    }

    #[test]
    fn hard_script_runs_into_its_limit() {
        let script = "(set-logic QF_BV)(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))
            (assert (= (bvmul x y) #x7fffffffffffffe7))(assert (bvult #x0000000000000001 x))(assert (bvult x #x0000000100000000))
            (assert (bvult #x0000000000000001 y))(assert (bvult y #x0000000100000000))(check-sat)";
        assert_eq!(run_script(script, Mode::Lazy, 50), Ok(Sat::Unknown(Unknown::Limit)));
        let soon = Interrupt {
            deadline: Some(std::time::Instant::now() + std::time::Duration::from_millis(100)),
            ..Interrupt::default()
        };
        assert_eq!(decide_script(script, &[Mode::Lazy, Mode::Eager], &soon), Ok(Sat::Unknown(Unknown::Interrupted)));
    }

    #[test]
    fn broken_script_is_an_error_and_never_an_answer() {
        for script in ["", "(", "(check-sat", "(set-logic QF_BV)(assert x)(check-sat)", "(set-logic QF_BV)(check-sat)(check-sat)"]
        {
            assert!(run_script(script, Mode::Lazy, 1000).is_err(), "{script}");
        }
    }
}
