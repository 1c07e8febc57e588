//! Instances of one function block of eight statements: a counter with a bound, and a latch behind some arithmetic.

use super::{Generated, each};

/// The function block. `Count` stays within its bound; nothing that it depends on is computed from `Share`.
const BLOCK: &str = "FUNCTION_BLOCK Filler
VAR_INPUT
    Fill, Drain : BOOL;
END_VAR
VAR_OUTPUT
    Full, Slow : BOOL;
END_VAR
VAR
    Count, Passes, Share : INT;
END_VAR

IF Fill AND NOT Drain AND Count < 10 THEN
    Count := Count + 1;
END_IF;
IF Drain THEN
    Count := 0;
    Passes := (Passes + 1) MOD 100;
END_IF;
Full := Count = 10;
Share := Count * 10 + Passes;
IF Share > 180 THEN
    Slow := TRUE;
END_IF;
END_FUNCTION_BLOCK
";

/// Returns a program with `n` instances: one requirement is about the middle one, the other about all.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Fill{i}, Drain{i} : BOOL;");
    let blocks = each(n, "    Filler{i} : Filler;");
    let calls = each(n, "Filler{i}(Fill := Fill{i}, Drain := Drain{i});");
    let program = format!(
        "//@ title: Instances of one function block, {n} of them\n{BLOCK}\nPROGRAM Fillers\nVAR_INPUT\n{inputs}END_VAR\nVAR\n\
         {blocks}END_VAR\n\n{calls}END_PROGRAM\n"
    );
    let bound = |i: usize| format!("(Filler{i}.Count >= 0 AND Filler{i}.Count <= 10)");
    let all: Vec<String> = (1..=n).map(bound).collect();
    let requirements = format!(
        "requirements:\n  - id: one\n    always: {}\n  - id: all\n    always: {}\n",
        bound(n.div_ceil(2)),
        all.join(" AND ")
    );
    Generated { program, requirements }
}
