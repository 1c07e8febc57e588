//! Function blocks in three levels, whose outputs are maxima of those inside.

use super::{Generated, each};

/// The function blocks, inner ones first.
const BLOCKS: &str = "FUNCTION_BLOCK Drive
VAR_INPUT
    Go, Reset : BOOL;
END_VAR
VAR_OUTPUT
    Steps : INT;
END_VAR
IF Reset THEN
    Steps := 0;
ELSIF Go AND Steps < 8 THEN
    Steps := Steps + 1;
END_IF;
END_FUNCTION_BLOCK

FUNCTION_BLOCK Station
VAR_INPUT
    Go, Reset : BOOL;
END_VAR
VAR_OUTPUT
    Most : INT;
END_VAR
VAR
    Left, Right : Drive;
END_VAR
Left(Go := Go, Reset := Reset);
Right(Go := NOT Go, Reset := Reset);
Most := MAX(Left.Steps, Right.Steps);
END_FUNCTION_BLOCK

FUNCTION_BLOCK Line
VAR_INPUT
    Go, Reset : BOOL;
END_VAR
VAR_OUTPUT
    Most : INT;
END_VAR
VAR
    First, Second : Station;
END_VAR
First(Go := Go, Reset := Reset);
Second(Go := First.Most > 4, Reset := Reset);
Most := MAX(First.Most, Second.Most);
END_FUNCTION_BLOCK
";

/// Returns a program with `n` lines and a requirement about all of them.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Go{i}, Reset{i} : BOOL;");
    let lines = each(n, "    Line{i} : Line;");
    let calls = each(n, "Line{i}(Go := Go{i}, Reset := Reset{i});");
    let all: Vec<String> = (1..=n).map(|i| format!("Line{i}.Most <= 8")).collect();
    Generated {
        program: format!(
            "//@ title: Maxima of three levels of function blocks, {n} lines\n{BLOCKS}\nPROGRAM Plant\nVAR_INPUT\n{inputs}END_VAR\n\
             VAR\n{lines}END_VAR\n\n{calls}END_PROGRAM\n"
        ),
        requirements: format!("requirements:\n  - id: all\n    always: {}\n", all.join(" AND ")),
    }
}
