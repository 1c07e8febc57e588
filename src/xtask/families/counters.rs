//! A counter that does something wrong at its end.

use super::Generated;

/// Returns a program that counts to `n`.
///
/// - `range` holds: the count stops at `n`.
/// - `full` can be broken, first in cycle `n`: each cycle counts at most once.
pub(super) fn program(n: usize) -> Generated {
    let program = format!(
        "//@ title: A counter to {n}\nPROGRAM Counter\nVAR_INPUT\n    Part, Reset : BOOL;\nEND_VAR\nVAR_OUTPUT\n    Full : BOOL;\n\
         END_VAR\nVAR\n    Count : DINT;\nEND_VAR\n\nIF Reset THEN\n    Count := 0;\nELSIF Part AND Count < {n} THEN\n    \
         Count := Count + 1;\nEND_IF;\nFull := Count = {n};\nEND_PROGRAM\n"
    );
    let requirements =
        format!("requirements:\n  - id: range\n    always: Count >= 0 AND Count <= {n}\n  - id: full\n    never: Full\n");
    Generated { program, requirements }
}
