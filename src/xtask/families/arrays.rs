//! Loops over arrays: the maximum, one pass of bubble sort, a sum.

use super::{Generated, all};

/// Returns a program with the greatest of `n` inputs. `bounds` holds: the maximum is at least each of them.
pub(super) fn maximum(n: usize) -> Generated {
    let program = format!(
        "//@ title: The greatest of {n} values\nPROGRAM Maximum\nVAR_INPUT\n    Value : ARRAY [1..{n}] OF INT;\nEND_VAR\n\
         VAR_OUTPUT\n    Most : INT;\nEND_VAR\nVAR\n    i : INT;\nEND_VAR\n\nMost := Value[1];\nFOR i := 1 TO {n} DO\n    \
         IF Value[i] > Most THEN\n        Most := Value[i];\n    END_IF;\nEND_FOR;\nEND_PROGRAM\n"
    );
    let requirements = format!("requirements:\n  - id: bounds\n    always: {}\n", all(n, |i| format!("Most >= Value[{i}]")));
    Generated { program, requirements }
}

/// Returns a program that makes one pass of bubble sort over `n` + 1 inputs. `last` holds: after the pass the last one is at least
/// each of the others.
pub(super) fn pass(n: usize) -> Generated {
    let last = n + 1;
    let program = format!(
        "//@ title: One pass of sorting {last} values\nPROGRAM Pass\nVAR_INPUT\n    Value : ARRAY [1..{last}] OF INT;\nEND_VAR\n\
         VAR\n    Sorted : ARRAY [1..{last}] OF INT;\n    i, Swapped : INT;\nEND_VAR\n\nFOR i := 1 TO {last} DO\n    \
         Sorted[i] := Value[i];\nEND_FOR;\nFOR i := 1 TO {n} DO\n    IF Sorted[i] > Sorted[i + 1] THEN\n        \
         Swapped := Sorted[i];\n        Sorted[i] := Sorted[i + 1];\n        Sorted[i + 1] := Swapped;\n    END_IF;\nEND_FOR;\n\
         END_PROGRAM\n"
    );
    let requirements =
        format!("requirements:\n  - id: last\n    always: {}\n", all(n, |i| format!("Sorted[{last}] >= Sorted[{i}]")));
    Generated { program, requirements }
}

/// Returns a program that adds `n` inputs, each limited to 0..100. `range` holds: the sum is between 0 and 100 n. `most` can be
/// broken, in the first cycle, by the one sum that is 100 n.
pub(super) fn sum(n: usize) -> Generated {
    let most = 100 * n;
    let program = format!(
        "//@ title: The sum of {n} values\nPROGRAM Sum\nVAR_INPUT\n    Value : ARRAY [1..{n}] OF INT;\nEND_VAR\nVAR_OUTPUT\n    \
         Total : DINT;\nEND_VAR\nVAR\n    i : INT;\nEND_VAR\n\nTotal := 0;\nFOR i := 1 TO {n} DO\n    \
         Total := Total + INT_TO_DINT(LIMIT(0, Value[i], 100));\nEND_FOR;\nEND_PROGRAM\n"
    );
    let requirements = format!(
        "requirements:\n  - id: range\n    always: Total >= 0 AND Total <= {most}\n  - id: most\n    never: Total = {most}\n"
    );
    Generated { program, requirements }
}
