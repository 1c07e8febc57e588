//! A program of many lines whose requirement depends on one variable.

use super::{Generated, each};

/// Lines of the program.
pub(super) const LINES: usize = 11_406;

/// Type of one station. No two stations are the same.
const STATION: &str = "FUNCTION_BLOCK Station{i}
VAR_INPUT
    Start, Stop, Guard : BOOL;
    Speed : INT;
END_VAR
VAR_OUTPUT
    Motor, Lamp, Fault : BOOL;
END_VAR
VAR
    Step, Parts, Sum : INT;
    Runtime : TON;
    Last : ARRAY[0..3] OF INT;
END_VAR

Runtime(IN := Motor, PT := T#20s);
IF Stop OR NOT Guard THEN
    Motor := FALSE;
    Step := 0;
ELSIF Start AND NOT Fault THEN
    Motor := TRUE;
END_IF;
CASE Step OF
    0: IF Motor THEN Step := 1; END_IF;
    1: IF Speed > {i} THEN Step := 2; END_IF;
    2: Parts := (Parts + 1) MOD (100 + {i}); Step := 3;
ELSE
    Step := 0;
END_CASE;
Last[3] := Last[2]; Last[2] := Last[1]; Last[1] := Last[0]; Last[0] := Speed;
Sum := Last[0] / 4 + Last[1] / 4 + Last[2] / 4 + Last[3] / 4;
IF Runtime.Q AND Sum < {i} THEN
    Fault := TRUE;
END_IF;
Lamp := Fault OR Motor;
END_FUNCTION_BLOCK
";
/// Returns a program of `lines` lines.
pub(super) fn program(lines: usize) -> Generated {
    const HEAD: &str = "//@ title: A long program with a requirement about one variable\n";
    const BEGIN: &str = "PROGRAM Plant\nVAR_INPUT\n    Fill, Drain, Start, Stop, Guard : BOOL;\n    Speed : INT;\nEND_VAR\nVAR\n    \
         Level : INT;\n";
    const END: &str = "IF Drain THEN\n    Level := 0;\nELSIF Fill AND Level < 100 THEN\n    Level := Level + 1;\nEND_IF;\n\
         END_PROGRAM\n";
    let n_others = [HEAD, BEGIN, "END_VAR\n", END].iter().map(|text| text.lines().count()).sum::<usize>();
    // Each station has one line more for its declaration, and one for its call.
    let n_of_station = STATION.lines().count() + 2;
    let n = lines.saturating_sub(n_others) / n_of_station;
    let rest = "\n".repeat(lines.saturating_sub(n_others + n * n_of_station));
    let types: String = (1..=n).map(|i| STATION.replace("{i}", &i.to_string())).collect();
    let stations = each(n, "    Station_{i} : Station{i};");
    let calls = each(n, "Station_{i}(Start := Start, Stop := Stop, Guard := Guard, Speed := Speed);");
    Generated {
        program: format!("{HEAD}{types}{rest}{BEGIN}{stations}END_VAR\n{calls}{END}"),
        requirements: "requirements:\n  - id: level\n    always: Level >= 0 AND Level <= 100\n".to_owned(),
    }
}
