//! Theta's text: the structure of a small model, and that every expression is closed.

use std::collections::VecDeque;

use super::c::walk;
use super::{Case, case, operators};
use crate::export::format;
use kernel::cfa::simulate::Simulator;
use kernel::expr::Value;
use kernel::expr::random::Flavour;
use kernel::theta::{Model, read};
use plc_frontend::source::FileId;

/// Returns the text, read by our reader of published models.
fn model(text: &str) -> Model {
    let parsed = read(FileId(0), text);
    assert!(!parsed.has_errors(), "{:?}\n{text}", parsed.diagnostics);
    parsed.value.model.unwrap()
}

/// Returns whether a run with these values of havocs reaches the error location.
fn reaches(model: &Model, mut values: VecDeque<Value>) -> bool {
    let mut simulator = Simulator::new(&model.pool, &model.cfa);
    let mut is_over = false;
    for _ in 0..200_000 {
        if simulator.at == model.cfa.error {
            return true;
        }
        let more = simulator.step(&mut |var| {
            let zero = Value::zero(model.pool.var_decl(var).sort);
            // Variables of the text start arbitrary; what a `havoc` gives them has a variable of its own.
            if model.vars.contains(&var) {
                return zero;
            }
            let value = values.pop_front();
            is_over |= value.is_none();
            value.unwrap_or(zero)
        });
        if !more || is_over {
            return false;
        }
    }
    false
}

#[test]
fn programs_run_alike_when_the_text_is_read_again() {
    let mut n_checked = 0;
    for seed in 80..92 {
        let Case { mut question, inputs, text, .. } = case(seed, seed % 3 == 0);
        let Ok(written) = format("theta").unwrap().write(&mut question.clone()) else { continue };
        let model = model(&written);
        if !model.choices.is_empty() || !crate::export::c::choices(&mut question).is_empty() {
            continue;
        }
        let (values, error) = walk(&mut question, &inputs, seed);
        assert_eq!(reaches(&model, values.into()), error, "seed {seed}\n{text}\n{written}");
        n_checked += 1;
    }
    assert!(3 < n_checked, "{n_checked}");
}

#[test]
fn operators_mean_the_same_when_the_text_is_read_again() {
    for (seed, flavour) in [(1, Flavour::Bits), (2, Flavour::Bits), (3, Flavour::Bits)] {
        for wrong in [false, true] {
            let written = format("theta").unwrap().write(&mut operators(seed, flavour, 60, wrong)).unwrap();
            let again = [Value::Bool(true), Value::Bool(false)];
            let model = model(&written);
            assert!(model.choices.is_empty(), "{written}");
            assert_eq!(reaches(&model, again.into()), wrong, "seed {seed}\n{written}");
        }
    }
}

#[test]
fn a_small_model_is_written_as_published_ones_are() {
    let text = format("theta").unwrap().write(&mut operators(3, Flavour::Bits, 1, false)).unwrap();
    for words in ["main process model {", "    init loc start", "    error loc l2", "    start -> l_init {", "        assume "] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(text.ends_with("}\n"));
}

#[test]
fn texts_of_programs_are_balanced_and_every_name_is_declared() {
    for seed in 0..6 {
        let mut case = case(seed, seed % 2 == 0);
        let Ok(text) = format("theta").unwrap().write(&mut case.question) else { continue };
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
            assert_eq!(code.matches(open).count(), code.matches(close).count(), "{open}{close}");
        }
        let declared: std::collections::BTreeSet<&str> =
            code.lines().filter_map(|line| line.trim().strip_prefix("var ")?.split(" : ").next()).collect();
        let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_name = |word: &&str| ["v_", "in_", "new_"].iter().any(|prefix| word.starts_with(prefix));
        let missing: Vec<&str> = words.filter(is_name).filter(|word| !declared.contains(word)).collect();
        assert!(missing.is_empty(), "{missing:?}\n{text}");
    }
}
