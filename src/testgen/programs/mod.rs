//! Random small programs: well typed, loading without diagnostics, ending every cycle; deterministic by seed.
//!
//! Tests of laws feed on them: print and load is the identity, the interpreter never panics, the verifier's automaton behaves
//! like the interpreter, no two engines contradict each other. They use every statement and most operators, and sometimes divide
//! by zero or index out of bounds. They call functions whose side effects show the order of evaluation.

mod bytes;
mod chart;
mod classes;
mod differences;
mod drawn_routines;
mod expr;
mod object;
mod plant;
mod recursive;
pub mod rng;
mod rungs;
mod stmt;
mod surrounded;
mod text;
mod tiny;
mod tongues;
mod types;

use std::fmt::Write as _;

pub use bytes::{Bytes, Memory, Stop, bytes};
pub use chart::{Association, Chart, QUALIFIERS, TIMED, Transition};
pub use classes::{Classes, Nothing, Run, classes};
pub use differences::{Difference, differences};
pub use drawn_routines::export as drawn_routines;
pub use plant::{Plant, plant};
pub use recursive::{recursive, recursive_values};
use rng::Rng;
pub use rungs::export as rungs;
use stmt::Block;
pub use surrounded::{Given, Moment, Surrounded, surrounded};
pub use tiny::{Tiny, tiny};
pub use tongues::{Tongues, tongues};
use types::{INTEGERS, Ty};

/// Size of a program, and the constructs it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Statements of the main program, not counting nested ones.
    pub statements: usize,
    /// Nesting of statements and of expressions.
    pub depth: usize,
    /// REAL variables and arithmetic.
    pub floats: bool,
    /// Unguarded divisions and array indices: some runs end in a fault.
    pub faults: bool,
    /// Methods, properties, inheritance, an interface, references and a chart.
    pub objects: bool,
    /// Global variables at addresses that overlap.
    pub memory: bool,
}

impl Default for Size {
    fn default() -> Size {
        Size { statements: 8, depth: 3, floats: false, faults: true, objects: false, memory: false }
    }
}

/// Returns the source text of a random program. Its entry is `PROGRAM Main`.
pub fn program(seed: u64, size: Size) -> String {
    let mut generator = Generator::new(seed, size);
    let mut text = String::from(TYPES);
    generator.globals(&mut text);
    generator.functions(&mut text);
    generator.block(&mut text);
    generator.objects(&mut text);
    generator.main(&mut text);
    text
}

const TYPES: &str = "\
TYPE
    Mode : (Idle, Busy := 4, Done);
    Small : INT (-10..10) := 3;
    Cell : STRUCT
        level : INT;
        on : BOOL := TRUE;
        mode : Mode := Busy;
    END_STRUCT;
END_TYPE

";

/// A readable and perhaps writable name.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    ty: Ty,
    writable: bool,
    /// TRUE for a whole variable: VAR_IN_OUT takes it.
    variable: bool,
}

/// Generator of a POU, with the names for its statements.
struct Generator {
    rng: Rng,
    size: Size,
    /// Integer types of this program: few, so that variables have common types.
    integers: Vec<Ty>,
    names: Vec<Name>,
    /// Arrays of five elements with their element types and their first index.
    arrays: Vec<(String, Ty, i64)>,
    /// Whole structures of type `Cell`.
    cells: Vec<String>,
    /// Calls of function block instances; `keepers` is an array of them.
    calls: Vec<Call>,
    /// TRUE if the user's functions can be called: not from inside themselves.
    may_call: bool,
    /// Number of loops around the present statement.
    loops: usize,
    /// Labels of this program so far.
    n_labels: usize,
    /// Labels behind the present statement, in enclosing lists.
    targets: Vec<String>,
    /// TRUE in an arm of a CASE, where a label would be read as the arm's.
    in_arm: bool,
}

/// A call of an instance, its inputs still to be chosen.
#[derive(Clone, Debug)]
struct Call {
    instance: &'static str,
    inputs: Vec<(&'static str, Ty)>,
    outputs: Vec<(&'static str, Ty)>,
}

impl Generator {
    fn new(seed: u64, size: Size) -> Generator {
        let mut rng = Rng::new(seed);
        let mut integers = vec![Ty::int("INT")];
        for _ in 0..3 {
            integers.push(*rng.pick(INTEGERS));
        }
        Generator {
            rng,
            size,
            integers,
            names: Vec::new(),
            arrays: Vec::new(),
            cells: Vec::new(),
            calls: Vec::new(),
            may_call: false,
            loops: 0,
            n_labels: 0,
            targets: Vec::new(),
            in_arm: false,
        }
    }

    /// Returns a type of this program.
    fn ty(&mut self) -> Ty {
        match self.rng.below(10) {
            0..3 => Ty::Bool,
            3..6 => *self.rng.pick(&self.integers),
            6 => Ty::bits(*self.rng.pick(&[8, 16, 32])),
            7 => Ty::Time,
            8 if self.rng.chance(50) => Ty::Mode,
            8 => *self.rng.pick(&[Ty::Tod, Ty::Dt]),
            _ if self.size.floats => Ty::Real,
            _ => Ty::int("INT"),
        }
    }

    fn name(&mut self, text: impl Into<String>, ty: Ty, writable: bool) {
        self.names.push(Name { text: text.into(), ty, writable, variable: true });
    }

    fn globals(&mut self, text: &mut String) {
        text.push_str("VAR_GLOBAL\n");
        for i in 0..2 {
            let ty = self.ty();
            self.declare(text, &format!("g{i}"), ty, true);
        }
        self.declare(text, "gCount", Ty::int("INT"), true);
        if self.size.memory {
            self.shared(text);
        }
        text.push_str("END_VAR\n\nVAR_GLOBAL CONSTANT\n");
        self.declare(text, "gTen", Ty::int("INT"), false);
        text.push_str("END_VAR\n\n");
    }

    /// Declares variables at one address. Bits above 7 show that bits are counted in words, so that the layout is certain.
    fn shared(&mut self, text: &mut String) {
        let long = if self.size.floats { Ty::Real } else { Ty::Time };
        let bytes = [Ty::bits(8), Ty::int("SINT"), Ty::int("USINT")];
        let words = [Ty::bits(16), Ty::int("INT"), Ty::int("INT"), Ty::int("UINT")];
        let longs = [Ty::bits(32), Ty::int("DINT"), Ty::int("UDINT"), long];
        let rows = [("%MX0.12", &[Ty::Bool][..]), ("%MX0.0", &[Ty::Bool]), ("%MX0.3", &[Ty::Bool]), ("%MB0", &bytes)];
        for (i, (address, types)) in
            rows.into_iter().chain([("%MW0", &words[..]), ("%MW0", &words), ("%MD0", &longs)]).enumerate()
        {
            if i == 0 || self.rng.chance(70) {
                let ty = *self.rng.pick(types);
                let _ = writeln!(text, "    at{i} AT {address} : {};", ty.name());
                self.name(format!("at{i}"), ty, true);
            }
        }
    }

    /// Declares a variable, half of the time with an initial value.
    fn declare(&mut self, text: &mut String, name: &str, ty: Ty, writable: bool) {
        let init = if self.rng.chance(50) { format!(" := {}", self.literal(ty)) } else { String::new() };
        // Writing to a string does not fail.
        let _ = writeln!(text, "    {name} : {}{init};", ty.name());
        self.name(name, ty, writable);
    }

    fn functions(&mut self, text: &mut String) {
        let globals = self.names.clone();
        text.push_str("FUNCTION Mix : INT\nVAR_INPUT\n    a : INT;\n    b : BOOL := TRUE;\nEND_VAR\nVAR_IN_OUT\n    x : INT;\n    y : INT;\nEND_VAR\n");
        text.push_str("VAR_OUTPUT\n    spare : INT;\nEND_VAR\nVAR\n    t : INT := 7;\nEND_VAR\n");
        for (name, ty, writable) in
            [("a", Ty::int("INT"), false), ("b", Ty::Bool, false), ("x", Ty::int("INT"), true), ("y", Ty::int("INT"), true)]
        {
            self.name(name, ty, writable);
        }
        self.name("t", Ty::int("INT"), true);
        self.name("spare", Ty::int("INT"), true);
        self.name("Mix", Ty::int("INT"), true);
        text.push_str("Mix := a;\n");
        self.body(text, Block { statements: 3, depth: self.size.depth.min(2) });
        text.push_str("END_FUNCTION\n\n");
        self.names = globals.clone();
        text.push_str("FUNCTION Pass : INT\nVAR_IN_OUT\n    z : INT;\nEND_VAR\nVAR\n    own : INT := 4;\nEND_VAR\n");
        text.push_str("Pass := Mix(a := own, x := z, y := own) + own;\nEND_FUNCTION\n\n");
        text.push_str("FUNCTION Bump : BOOL\nVAR_INPUT\n    step : INT;\nEND_VAR\ngCount := gCount + step;\nBump := gCount > 3;\nEND_FUNCTION\n\n");
        text.push_str("FUNCTION Glue : STRING[5]\nVAR_INPUT\n    a : STRING[3];\n    b : STRING[4];\nEND_VAR\ngCount := gCount + LEN(b);\nGlue := CONCAT(a, '-', b);\nEND_FUNCTION\n\n");
        self.names = globals;
    }

    fn block(&mut self, text: &mut String) {
        let globals = self.names.clone();
        let ty = self.ty();
        text.push_str("FUNCTION_BLOCK Keeper\nVAR_INPUT\n");
        self.declare(text, "set", Ty::Bool, false);
        self.declare(text, "value", ty, false);
        text.push_str("END_VAR\nVAR_OUTPUT\n");
        self.declare(text, "held", ty, true);
        self.declare(text, "count", Ty::int("INT"), true);
        text.push_str("END_VAR\nVAR\n");
        self.declare(text, "state", Ty::Mode, true);
        text.push_str("    edge : R_TRIG;\nEND_VAR\nVAR_TEMP\n");
        self.declare(text, "scratch", Ty::int("INT"), true);
        text.push_str("END_VAR\n");
        self.calls.push(Call { instance: "edge", inputs: vec![("CLK", Ty::Bool)], outputs: vec![("Q", Ty::Bool)] });
        self.name_outputs();
        self.may_call = true;
        self.body(text, Block { statements: 3, depth: self.size.depth.min(2) });
        text.push_str("END_FUNCTION_BLOCK\n\n");
        self.names = globals;
        self.calls = vec![Call {
            instance: "keeper",
            inputs: vec![("set", Ty::Bool), ("value", ty)],
            outputs: vec![("held", ty), ("count", Ty::int("INT"))],
        }];
    }

    fn main(&mut self, text: &mut String) {
        text.push_str("PROGRAM Main\nVAR_INPUT\n");
        for i in 0..4 {
            let ty = if i == 0 { Ty::Bool } else { self.ty() };
            self.declare(text, &format!("in{i}"), ty, false);
        }
        text.push_str("END_VAR\nVAR_OUTPUT\n");
        for i in 0..3 {
            let ty = self.ty();
            self.declare(text, &format!("out{i}"), ty, true);
        }
        text.push_str("END_VAR\nVAR\n");
        for i in 0..5 {
            let ty = self.ty();
            self.declare(text, &format!("m{i}"), ty, true);
        }
        text.push_str("    small : Small;\n    s1 : STRING[4];\n    s2 : STRING[6] := 'abc';\n    s3 : STRING[1];\n");
        self.instances(text);
        self.aggregates(text);
        self.object_variables(text);
        text.push_str("    k1 : INT;\n    k2 : INT;\n    k3 : INT;\n    w1 : INT;\n    w2 : INT;\n    w3 : INT;\n");
        text.push_str("END_VAR\nVAR_TEMP\n");
        let ty = self.ty();
        self.declare(text, "temp", ty, true);
        text.push_str("END_VAR\n");
        self.name_outputs();
        self.may_call = true;
        self.bind(text);
        let Size { statements, depth, .. } = self.size;
        self.body(text, Block { statements, depth });
        text.push_str("END_PROGRAM\n");
    }

    fn instances(&mut self, text: &mut String) {
        text.push_str("    keeper : Keeper;\n    keepers : ARRAY [1..3] OF Keeper;\n");
        if let Some(keeper) = self.calls.first().cloned() {
            self.calls.push(Call { instance: "keepers", ..keeper });
        }
        let timer = *self.rng.pick(&["TON", "TOF", "TP"]);
        let _ = writeln!(text, "    timer : {timer} := (PT := T#{}ms);", self.rng.below(8) * 50);
        text.push_str("    edge : F_TRIG;\n    counter : CTU;\n");
        let q = vec![("Q", Ty::Bool)];
        self.calls.push(Call {
            instance: "timer",
            inputs: vec![("IN", Ty::Bool), ("PT", Ty::Time)],
            outputs: vec![("Q", Ty::Bool), ("ET", Ty::Time)],
        });
        self.calls.push(Call { instance: "edge", inputs: vec![("CLK", Ty::Bool)], outputs: q });
        self.calls.push(Call {
            instance: "counter",
            inputs: vec![("CU", Ty::Bool), ("R", Ty::Bool), ("PV", Ty::int("INT"))],
            outputs: vec![("Q", Ty::Bool), ("CV", Ty::int("INT"))],
        });
    }

    fn aggregates(&mut self, text: &mut String) {
        for (i, low) in [(0, 0), (1, -2)] {
            let ty = self.ty();
            let init = if self.rng.chance(50) { format!(" := [2({})]", self.literal(ty)) } else { String::new() };
            let _ = writeln!(text, "    row{i} : ARRAY [{low}..{}] OF {}{init};", low + 4, ty.name());
            self.arrays.push((format!("row{i}"), ty, low));
        }
        let ty = self.arrays.first().map_or(Ty::Bool, |first| first.1);
        let _ = writeln!(text, "    copy : ARRAY [0..4] OF {};", ty.name());
        self.arrays.push(("copy".into(), ty, 0));
        text.push_str("    cell : Cell := (level := 5);\n    other : Cell;\n    cells : ARRAY [0..4] OF Cell;\n");
        for cell in ["cell", "other"] {
            self.cells.push(cell.into());
            self.name(format!("{cell}.level"), Ty::int("INT"), true);
            self.name(format!("{cell}.on"), Ty::Bool, true);
            self.name(format!("{cell}.mode"), Ty::Mode, true);
        }
    }

    /// Adds the names of outputs of instances in an array, at a fixed and at a variable index.
    fn name_kept(&mut self, call: Call) {
        for (output, ty) in call.outputs {
            for index in ["2", "LIMIT(1, gCount, 3)"] {
                let text = format!("keepers[{index}].{output}");
                self.names.push(Name { text, ty, writable: false, variable: false });
            }
        }
    }

    /// Adds the names of instances' outputs.
    fn name_outputs(&mut self) {
        for call in self.calls.clone() {
            if call.instance == "keepers" {
                self.name_kept(call);
                continue;
            }
            for (output, ty) in call.outputs {
                let text = format!("{}.{output}", call.instance);
                self.names.push(Name { text, ty, writable: false, variable: false });
            }
        }
    }
}

#[cfg(test)]
mod tests;
