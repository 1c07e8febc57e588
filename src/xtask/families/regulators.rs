//! Loops of REAL arithmetic: a filter, a PI controller with clamps, and a switch with hysteresis.

use super::{Generated, all, each};

/// The controller. A measurement that is no number, or out of range, is not taken; `LIMIT` would let NaN pass.
const BLOCK: &str = "FUNCTION_BLOCK Regulator
VAR_INPUT
    Measured : REAL;
END_VAR
VAR_OUTPUT
    Out : REAL;
    Heat : BOOL;
END_VAR
VAR
    Taken, Smooth, Error, Sum : REAL;
END_VAR

IF Measured >= 0.0 AND Measured <= 100.0 THEN
    Taken := Measured;
END_IF;
Smooth := Smooth + 0.5 * (Taken - Smooth);
Error := 50.0 - Smooth;
Sum := LIMIT(0.0, Sum + 0.125 * Error, 100.0);
Out := LIMIT(0.0, 2.0 * Error + Sum, 100.0);
IF Taken < 40.0 THEN
    Heat := TRUE;
ELSIF Taken > 60.0 THEN
    Heat := FALSE;
END_IF;
END_FUNCTION_BLOCK
";

/// Returns a program with `n` controllers.
///
/// - `output` holds: the filter stays within 0..100, so no intermediate result is too large for a number, and the clamp bounds it.
/// - `filter` holds: half of the distance is added, and rounding never passes 0 or 100, which are exact.
/// - `switch` holds: below 40 the heating is on, above 60 it is off.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Measured{i} : REAL;");
    let blocks = each(n, "    Loop{i} : Regulator;");
    let calls = each(n, "Loop{i}(Measured := Measured{i});");
    let program = format!(
        "//@ title: Controllers with filter and hysteresis, {n} of them\n{BLOCK}\nPROGRAM Plant\nVAR_INPUT\n{inputs}END_VAR\nVAR\n\
         {blocks}END_VAR\n\n{calls}END_PROGRAM\n"
    );
    let requirements = format!(
        "requirements:\n  - id: output\n    always: {}\n  - id: filter\n    always: {}\n  - id: switch\n    always: {}\n",
        all(n, |i| format!("Loop{i}.Out >= 0.0 AND Loop{i}.Out <= 100.0")),
        all(n, |i| format!("Loop{i}.Smooth >= 0.0 AND Loop{i}.Smooth <= 100.0")),
        all(n, |i| { format!("(Loop{i}.Taken >= 40.0 OR Loop{i}.Heat) AND (Loop{i}.Taken <= 60.0 OR NOT Loop{i}.Heat)") }),
    );
    Generated { program, requirements }
}
