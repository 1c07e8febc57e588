//! Theta's text: the structure of a small model, and that every expression is closed.

use super::{case, operators};
use crate::export::format;
use crate::expr::random::Flavour;

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
