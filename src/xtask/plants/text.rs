//! A plant of ST files: two per cell, a station with its types and a machine of several stations.

use super::{PlantFile, cells, each};

/// Types, a function and the smaller block of a cell.
const STATION: &str = "TYPE
  Settings_{c} : STRUCT
    High, Low : INT;
    Ramp : REAL := 1.5;
    Limits : ARRAY[0..1] OF INT;
  END_STRUCT;
  Mode_{c} : (Idle_{c}, Fill_{c}, Heat_{c}, Empty_{c});
  Recipe_{c} : STRUCT
    Steps : ARRAY[1..8] OF Settings_{c};
    Last : Settings_{c};
    Count : INT;
  END_STRUCT;
END_TYPE

FUNCTION Clamp_{c} : INT
VAR_INPUT
  Value : INT;
  Within : Settings_{c};
END_VAR
IF Value > Within.High THEN
  Clamp_{c} := Within.High;
ELSIF Value < Within.Low THEN
  Clamp_{c} := Within.Low;
ELSE
  Clamp_{c} := Value;
END_IF;
END_FUNCTION

FUNCTION_BLOCK Station_{c}
VAR_INPUT
  Enable, Start, Stop, Reset : BOOL;
  Level, Speed : INT;
END_VAR
VAR_IN_OUT
  Recipe : Recipe_{c};
END_VAR
VAR_OUTPUT
  Done, Busy, Fault : BOOL;
  Position : INT;
END_VAR
VAR
  Mode : Mode_{c};
  Delay, Watch : TON;
  Edge : R_TRIG;
  Trace : ARRAY[0..9] OF INT;
  Sum : INT;
  Mean : REAL;
END_VAR
";

/// The steps of a station; `{i}` is a number.
const STEP: &str = "IF Enable AND Recipe.Steps[{i}].High > Level THEN
  Trace[{i}] := Clamp_{c}(Value := Level + {i}, Within := Recipe.Steps[{i}]); // step {i}
  Sum := Sum + Trace[{i}] MOD 100;
ELSIF Mode = Heat_{c} OR (Watch.Q AND NOT Stop) THEN
  Sum := 0;
END_IF;
";

/// The larger block of a cell.
const MACHINE: &str = "FUNCTION_BLOCK Machine_{c}
VAR_INPUT
  Enable, Start, Stop : BOOL;
  Level : INT;
END_VAR
VAR_OUTPUT
  Done : BOOL;
  Total : DINT;
END_VAR
VAR
  Left : Station_{c};
  Row : ARRAY[0..1] OF Station_{c};
  Recipe : Recipe_{c};
  i : INT;
END_VAR
Left(Enable := Enable, Start := Start, Stop := Stop, Level := Level, Recipe := Recipe);
FOR i := 0 TO 1 DO
  Row[i](Enable := Left.Done, Start := Start, Stop := Stop, Level := Level + i, Recipe := Recipe);
  Total := Total + INT_TO_DINT(Row[i].Position);
END_FOR;
Done := Left.Done AND NOT Row[0].Fault;
END_FUNCTION_BLOCK
";

/// Returns the files of a plant.
pub(super) fn files(n: usize) -> Vec<PlantFile> {
    let cells = cells(n.saturating_sub(1), 2);
    let station = station();
    let mut files = Vec::new();
    for cell in 1..=cells {
        files.push(PlantFile::of_cell("cell_{c}/station.st", &station, cell));
        files.push(PlantFile::of_cell("cell_{c}/machine.st", MACHINE, cell));
    }
    let machines = each(1..=cells, "  M{i} : Machine_{i};\n");
    let calls = each(1..=cells, "M{i}(Enable := Run, Start := Go, Stop := NOT Run, Level := Level);\n");
    let inputs = "VAR_INPUT\n  Run, Go : BOOL;\n  Level : INT;\nEND_VAR\n";
    files.push(PlantFile::new("main.st", format!("PROGRAM Main\n{inputs}VAR\n{machines}END_VAR\n{calls}END_PROGRAM\n")));
    files
}

/// Returns the text of a station with `{c}` for the number of its cell.
pub(super) fn station() -> String {
    let body = "Edge(CLK := Start);\nDelay(IN := Busy, PT := T#5s);\nWatch(IN := Delay.Q, PT := T#20s);\n";
    let end = "Position := Sum / 8;\nMean := INT_TO_REAL(Sum) * Recipe.Last.Ramp;\nDone := Watch.Q;\nEND_FUNCTION_BLOCK\n";
    format!("{STATION}{body}{}{end}", each(1..=8, STEP))
}
