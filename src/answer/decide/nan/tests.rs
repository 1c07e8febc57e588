//! Programs whose answers depend on the bits of NaN, and programs whose answers only seem to.

use super::super::tests::decide_first;
use crate::VerdictWord::{self, Unknown, Violated};

#[test]
fn what_depends_on_the_bits_of_nan_is_not_decided_and_says_so() {
    let check = |vars: &str, body: &str, requirement: &str, expected: VerdictWord, words: &str| {
        // With a UNION it is CODESYS's, whose REAL_TO_DWORD converts the number.
        let union = if vars.contains('U') { "TYPE U : UNION r : REAL; d : DWORD; END_UNION; END_TYPE" } else { "" };
        let program = format!(
            "{union}\nPROGRAM P\nVAR_INPUT d : DWORD; x : REAL; END_VAR\nVAR_OUTPUT w : DWORD; END_VAR\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM"
        );
        let decision = decide_first(&program, &format!("requirements: [{{ {requirement} }}]"), None);
        let reason = decision.reason.unwrap_or_default();
        assert_eq!(decision.word, expected, "{body} {requirement}: {reason}");
        assert!(reason.contains(words), "{body} {requirement}: {reason}");
        assert_eq!(decision.certified.is_some(), expected == Violated, "{reason}");
    };
    let (unusual, never) = ("it holds as long as a value that is not a number (NaN)", "as long as no value that is not a number");
    // There and back: the interpreter keeps the bits, the model takes any.
    check("r : REAL;", "r := DWORD_TO_REAL(d); w := REAL_TO_DWORD(r);", "always: w = d", Unknown, never);
    check("a, b : U;", "a.d := d; b.r := a.r; w := b.d;", "always: w = d", Unknown, never);
    // The sign of NaN, and the rest of its bits.
    check("", "w := REAL_TO_DWORD(x / x);", "never: w = 16#7FC0_0001", Unknown, unusual);
    check("", "w := REAL_TO_DWORD(ABS(x));", "never: w >= 16#8000_0000", Unknown, unusual);
    check("a : U;", "a.r := x; w := a.d;", "never: w = 16#FF80_0001", Unknown, "on line 6");
    check("", "w := 0;", "always: REAL_TO_DWORD(x) <> 16#7FC0_0001", Unknown, "in the requirement");
    // Requirements that ask for a run.
    check("", "w := REAL_TO_DWORD(x / x);", "possible: w = 16#7FC0_0001", Unknown, "it is impossible as long as");
    // Violations with the interpreter's NaN, or without any.
    check("", "w := REAL_TO_DWORD(x);", "never: w >= 16#7FC0_0000 AND w < 16#7FC0_0005", Violated, "");
    check("r : REAL;", "r := DWORD_TO_REAL(d); w := REAL_TO_DWORD(r);", "always: w = d AND d <> 16#3F80_0000", Violated, "");
}
