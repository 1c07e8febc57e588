//! On-delays of ten seconds, each with an input of its own and a count of the cycles in which it was on.

use super::{Generated, all, each};

/// Returns a program with `n` timers in cycles of 100 ms.
///
/// - `off`, `time` hold by what a TON is: without IN its output is off, and its time stops at PT.
/// - `held` holds: time 0 is the cycle in which IN rises, so the output comes in the 101st cycle of IN.
/// - `together` can be broken, and first in cycle 101: all inputs are on all the time.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    In{i} : BOOL;");
    let timers = each(n, "    Delay{i} : TON;\n    Held{i} : INT;");
    let calls = each(
        n,
        "Delay{i}(IN := In{i}, PT := T#10s);\nIF NOT In{i} THEN\n    Held{i} := 0;\nELSIF Held{i} < 200 THEN\n    \
         Held{i} := Held{i} + 1;\nEND_IF;",
    );
    let program = format!(
        "//@ title: On-delays of ten seconds, {n} of them\nPROGRAM Delays\nVAR_INPUT\n{inputs}END_VAR\nVAR\n{timers}END_VAR\n\n\
         {calls}END_PROGRAM\n"
    );
    let requirements = format!(
        "cycle: 100ms\nrequirements:\n  - id: off\n    always: {}\n  - id: time\n    always: {}\n  - id: held\n    always: {}\n  \
         - id: together\n    never: {}\n",
        all(n, |i| format!("(NOT Delay{i}.Q OR In{i})")),
        all(n, |i| format!("Delay{i}.ET <= T#10s")),
        all(n, |i| format!("(NOT Delay{i}.Q OR Held{i} > 100)")),
        all(n, |i| format!("Delay{i}.Q")),
    );
    Generated { program, requirements }
}
