//! One function that is called many times.

use super::{Generated, each};

/// The function. Its result is never more than its bound, nor less than zero.
const FUNCTION: &str = "FUNCTION Ramp : INT
VAR_INPUT
    Now, Wish, Most : INT;
END_VAR
VAR
    Next : INT;
END_VAR

Next := Now;
IF Wish > Now THEN
    Next := Now + 5;
ELSIF Wish < Now THEN
    Next := Now - 5;
END_IF;
IF Next > Most THEN
    Next := Most;
END_IF;
IF Next < 0 THEN
    Next := 0;
END_IF;
Ramp := Next;
END_FUNCTION
";

/// Returns a program with `n` calls and a requirement about all results.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Wish{i} : INT;");
    let outputs = each(n, "    Speed{i} : INT;");
    let calls = each(n, "Speed{i} := Ramp(Now := Speed{i}, Wish := Wish{i}, Most := 100);");
    let all: Vec<String> = (1..=n).map(|i| format!("(Speed{i} >= 0 AND Speed{i} <= 100)")).collect();
    Generated {
        program: format!(
            "//@ title: One function, called {n} times\n{FUNCTION}\nPROGRAM Ramps\nVAR_INPUT\n{inputs}END_VAR\nVAR_OUTPUT\n\
             {outputs}END_VAR\n\n{calls}END_PROGRAM\n"
        ),
        requirements: format!("requirements:\n  - id: all\n    always: {}\n", all.join(" AND ")),
    }
}
