//! Ladders: rungs that latch two directions of each drive and lock them against each other, after the drive before.

use super::{Generated, all, each};

/// Returns a program with `n` rungs, two for each drive: one requirement is about the middle drive, the other about all.
///
/// Both hold. A direction is switched on only while the other is off, and the later rung sees the value of the earlier one.
pub(super) fn program(n: usize) -> Generated {
    let drives = n.div_ceil(2);
    let inputs = each(drives, "    GoLeft{i}, GoRight{i}, Stop{i} : BOOL;");
    let outputs = each(drives, "    Left{i}, Right{i} : BOOL;");
    let rungs: String = (1..=drives).map(rungs).collect();
    let program = format!(
        "//@ title: Interlocks of a ladder of {n} rungs\nPROGRAM Ladder\nVAR_INPUT\n{inputs}END_VAR\nVAR_OUTPUT\n{outputs}\
         END_VAR\n\n{rungs}END_PROGRAM\n"
    );
    let never = |i: usize| format!("NOT (Left{i} AND Right{i})");
    let requirements = format!(
        "requirements:\n  - id: one\n    always: {}\n  - id: all\n    always: {}\n",
        never(drives.div_ceil(2)),
        all(drives, never)
    );
    Generated { program, requirements }
}

/// Returns the two rungs of a drive. The first drive waits for none.
fn rungs(i: usize) -> String {
    let ready = if i == 1 { String::new() } else { format!(" AND (Left{0} OR Right{0})", i - 1) };
    format!(
        "Left{i} := (Left{i} OR GoLeft{i} AND NOT Right{i}{ready}) AND NOT Stop{i};\n\
         Right{i} := (Right{i} OR GoRight{i} AND NOT Left{i}{ready}) AND NOT Stop{i};\n"
    )
}
