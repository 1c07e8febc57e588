//! One recursive function that calls itself with its own result, called many times. Written out, its calls are too many.

use super::{Generated, each};

/// McCarthy's function: 91 for all arguments up to 100.
const FUNCTION: &str = "{attribute 'estimated-stack-usage' := '2000'}
FUNCTION Level : DINT
VAR_INPUT
    n : DINT;
END_VAR

IF n > 100 THEN
    Level := n - 10;
ELSE
    Level := Level(Level(n + 11));
END_IF;
END_FUNCTION
";

/// Returns a program with `n` calls and a requirement about all results.
pub(super) fn program(n: usize) -> Generated {
    let inputs = each(n, "    Wanted{i} : INT;");
    let outputs = each(n, "    Reached{i} : DINT := 91;");
    let calls = each(n, "IF Wanted{i} <= 100 THEN\n    Reached{i} := Level(Wanted{i});\nEND_IF;");
    let all: Vec<String> = (1..=n).map(|i| format!("Reached{i} = 91")).collect();
    Generated {
        program: format!(
            "//@ title: One recursive function, called {n} times\n{FUNCTION}\nPROGRAM Levels\nVAR_INPUT\n{inputs}END_VAR\n\
             VAR_OUTPUT\n{outputs}END_VAR\n\n{calls}END_PROGRAM\n"
        ),
        requirements: format!("dialect: codesys\nrequirements:\n  - id: all\n    always: {}\n", all.join(" AND ")),
    }
}
