//! State machines: steps in a row, each left by a sensor of its own.

use super::{Generated, all, each};

/// Returns a program with `n` steps, from 0 to `n`; with `n` = 1 there is one step beside the start.
///
/// - `range` holds: only existing steps are entered.
/// - `exclusive` holds: a lamp says that its step is the current one.
/// - `order` holds: the last step is reached through the middle one, which the latch remembers until the start.
/// - `end` can be broken, first in cycle n: each cycle makes one step.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Sensor{i} : BOOL;");
    let lamps = each(n, "    Lamp{i} : BOOL;");
    let steps: String =
        (0..n).map(|i| format!("    {i}: IF Sensor{next} THEN Step := {next}; END_IF;\n", next = i + 1)).collect();
    let shown = each(n, "Lamp{i} := Step = {i};");
    let middle = n.div_ceil(2);
    let program = format!(
        "//@ title: A state machine of {n} steps\nPROGRAM Sequence\nVAR_INPUT\n    Reset : BOOL;\n{inputs}END_VAR\nVAR_OUTPUT\n\
         {lamps}END_VAR\nVAR\n    Step : INT;\n    Middle : BOOL;\nEND_VAR\n\nCASE Step OF\n{steps}END_CASE;\nIF Reset THEN\n    \
         Step := 0;\nEND_IF;\nIF Step = 0 THEN\n    Middle := FALSE;\nELSIF Step = {middle} THEN\n    Middle := TRUE;\nEND_IF;\n\
         {shown}END_PROGRAM\n"
    );
    let next = |i: usize| if i == n { 1 } else { i + 1 };
    let exclusive =
        if n == 1 { "NOT Lamp1 OR Step = 1".to_owned() } else { all(n, |i| format!("NOT (Lamp{i} AND Lamp{})", next(i))) };
    let requirements = format!(
        "requirements:\n  - id: range\n    always: Step >= 0 AND Step <= {n}\n  - id: exclusive\n    always: {exclusive}\n  \
         - id: order\n    if: Step = {n}\n    then: Middle\n  - id: end\n    never: Step = {n}\n",
    );
    Generated { program, requirements }
}
