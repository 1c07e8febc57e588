//! On-delays of one second, each of which starts the next one.

use super::{Generated, all, each};

/// Returns a program with `n` timers in cycles of 100 ms.
///
/// - `order` holds: a timer whose predecessor is off is off in the same cycle, since it is called later.
/// - `time` holds by what a TON is.
/// - `end` can be broken, first in cycle 10 n + 1: each timer needs ten cycles more, and starts in the cycle of its predecessor.
pub(super) fn program(n: usize) -> Generated {
    let timers = each(n, "    Delay{i} : TON;");
    let calls: String = (1..=n).map(call).collect();
    let program = format!(
        "//@ title: A chain of on-delays of one second, {n} of them\nPROGRAM Chain\nVAR_INPUT\n    Start : BOOL;\nEND_VAR\nVAR\n\
         {timers}END_VAR\n\n{calls}END_PROGRAM\n"
    );
    let requirements = format!(
        "cycle: 100ms\nrequirements:\n  - id: order\n    if: Delay{n}.Q\n    then: Delay1.Q\n  - id: time\n    always: {}\n  \
         - id: end\n    never: Delay{n}.Q\n",
        all(n, |i| format!("Delay{i}.ET <= T#1s")),
    );
    Generated { program, requirements }
}

fn call(i: usize) -> String {
    let start = if i == 1 { "Start".to_owned() } else { format!("Delay{}.Q", i - 1) };
    format!("Delay{i}(IN := {start}, PT := T#1s);\n")
}
