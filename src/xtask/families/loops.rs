//! Instances of a function block with a WHILE loop: how often it runs depends on a value that is kept from cycle to cycle.

use super::{Generated, each};

/// The function block. `Level` stays within its bound, since the loop takes away what is above.
const BLOCK: &str = "FUNCTION_BLOCK Tank
VAR_INPUT
    Fill : BOOL;
    Amount : USINT;
END_VAR
VAR_OUTPUT
    Level : USINT;
END_VAR

IF Fill AND Amount < 50 THEN
    Level := Level + Amount;
END_IF;
WHILE Level > 10 DO
    Level := Level - 10;
END_WHILE;
END_FUNCTION_BLOCK
";

/// Returns a program with `n` instances and a requirement about all of them.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Fill{i} : BOOL;\n    Amount{i} : USINT;");
    let blocks = each(n, "    Tank{i} : Tank;");
    let calls = each(n, "Tank{i}(Fill := Fill{i}, Amount := Amount{i});");
    let all: Vec<String> = (1..=n).map(|i| format!("Tank{i}.Level <= 10")).collect();
    Generated {
        program: format!(
            "//@ title: Function blocks with a loop, {n} of them\n{BLOCK}\nPROGRAM Tanks\nVAR_INPUT\n{inputs}END_VAR\nVAR\n\
             {blocks}END_VAR\n\n{calls}END_PROGRAM\n"
        ),
        requirements: format!("requirements:\n  - id: all\n    always: {}\n", all.join(" AND ")),
    }
}
