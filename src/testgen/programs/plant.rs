//! Random plants: several programs in tasks of different rates, charts, standard blocks that are called in some cycles only,
//! inputs with edges, global variables between them.

use std::fmt::Write as _;

use super::chart::Chart;
use super::stmt::Block;
use super::types::Ty;
use super::{Call, Generator, Name, Size, TYPES};
use plc_frontend::dialect::DialectId;

/// A program with its dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plant {
    /// The source text.
    pub text: String,
    /// `None`: the detected one.
    pub dialect: Option<DialectId>,
}

/// Returns the plant of a seed. Objects and shared memory are not in it.
pub fn plant(seed: u64, size: Size) -> Plant {
    let mut generator = Generator::new(seed ^ 0x0091_a47e, Size { objects: false, memory: false, ..size });
    let dialect = *generator.rng.pick(&[None, Some(DialectId::Codesys), Some(DialectId::Matiec)]);
    let mut text = String::from(TYPES);
    generator.globals(&mut text);
    generator.functions(&mut text);
    generator.block(&mut text);
    let keeper = std::mem::take(&mut generator.calls);
    generator.station(&mut text);
    generator.line(&mut text);
    generator.program(&mut text, "Fast", &keeper);
    generator.program(&mut text, "Slow", &keeper);
    if dialect != Some(DialectId::Codesys) {
        generator.configuration(&mut text);
    }
    // Plants have jumps and the like, which MATIEC refuses: it is detected, not chosen.
    if dialect == Some(DialectId::Matiec) {
        text.push_str("\n(*DBG:*)\n");
        return Plant { text, dialect: None };
    }
    Plant { text, dialect }
}

/// Instances of standard blocks in one POU.
const INSTANCES: [&str; 4] = ["b0", "b1", "b2", "b3"];

type Parameters = &'static [(&'static str, Ty)];

const INT: Ty = Ty::Int("INT", plc_frontend::hir::IntType { bits: 16, signed: true });
const DINT: Ty = Ty::Int("DINT", plc_frontend::hir::IntType { bits: 32, signed: true });
const S7_TIMER: Parameters = &[("S", Ty::Bool), ("TV", Ty::Time), ("R", Ty::Bool)];
const DELAY: Parameters = &[("IN", Ty::Bool), ("PT", Ty::Time)];
const ELAPSED: Parameters = &[("Q", Ty::Bool), ("ET", Ty::Time)];
const Q: Parameters = &[("Q", Ty::Bool)];
const COUNT: Parameters = &[("Q", Ty::Bool), ("CV", INT)];

/// Blocks of the standard and of vendors, with their inputs and outputs.
const STANDARD: &[(&str, Parameters, Parameters)] = &[
    ("TON", DELAY, ELAPSED),
    ("TOF", DELAY, ELAPSED),
    ("TP", DELAY, ELAPSED),
    ("TONR", &[("IN", Ty::Bool), ("R", Ty::Bool), ("PT", Ty::Time)], ELAPSED),
    ("CTU", &[("CU", Ty::Bool), ("R", Ty::Bool), ("PV", INT)], COUNT),
    ("CTD", &[("CD", Ty::Bool), ("LD", Ty::Bool), ("PV", INT)], COUNT),
    (
        "CTUD",
        &[("CU", Ty::Bool), ("CD", Ty::Bool), ("R", Ty::Bool), ("LD", Ty::Bool), ("PV", INT)],
        &[("QU", Ty::Bool), ("QD", Ty::Bool), ("CV", INT)],
    ),
    ("CTU_DINT", &[("CU", Ty::Bool), ("R", Ty::Bool), ("PV", DINT)], &[("Q", Ty::Bool), ("CV", DINT)]),
    ("SR", &[("S1", Ty::Bool), ("R", Ty::Bool)], &[("Q1", Ty::Bool)]),
    ("RS", &[("S", Ty::Bool), ("R1", Ty::Bool)], &[("Q1", Ty::Bool)]),
    ("R_TRIG", &[("CLK", Ty::Bool)], Q),
    ("F_TRIG", &[("CLK", Ty::Bool)], Q),
    ("SEMA", &[("CLAIM", Ty::Bool), ("RELEASE", Ty::Bool)], &[("BUSY", Ty::Bool)]),
    ("S_PULSE", S7_TIMER, Q),
    ("S_PEXT", S7_TIMER, Q),
    ("S_ODT", S7_TIMER, Q),
    ("S_ODTS", S7_TIMER, Q),
    ("S_OFFDT", S7_TIMER, Q),
    (
        "S_CUD",
        &[("CU", Ty::Bool), ("CD", Ty::Bool), ("S", Ty::Bool), ("PV", Ty::Bits(16)), ("R", Ty::Bool)],
        &[("Q", Ty::Bool), ("CV", Ty::Bits(16))],
    ),
];

fn station() -> Call {
    Call {
        instance: "station",
        inputs: vec![("up", Ty::Bool), ("down", Ty::Bool), ("on", Ty::Bool), ("time", Ty::Time)],
        outputs: vec![("done", Ty::Bool), ("value", INT)],
    }
}

fn line() -> Call {
    Call {
        instance: "line",
        inputs: vec![("go", Ty::Bool), ("n", INT)],
        outputs: vec![("lamp", Ty::Bool), ("horn", Ty::Bool), ("count", INT)],
    }
}

impl Generator {
    /// Declares some standard blocks, with their calls and the names of their outputs.
    fn standard_blocks(&mut self, text: &mut String, n_blocks: usize) {
        for instance in INSTANCES.into_iter().take(n_blocks) {
            let (name, inputs, outputs) = *self.rng.pick(STANDARD);
            let init = match inputs.iter().find(|(_, ty)| *ty == Ty::Time) {
                Some((input, _)) if self.rng.chance(50) => format!(" := ({input} := T#{}ms)", self.rng.below(8) * 50),
                Some(_) | None => String::new(),
            };
            let _ = writeln!(text, "    {instance} : {name}{init};");
            self.calls.push(Call { instance, inputs: inputs.to_vec(), outputs: outputs.to_vec() });
        }
    }

    /// Adds a block with edges at its inputs, timers, counters and retained memory.
    fn station(&mut self, text: &mut String) {
        let globals = self.names.clone();
        text.push_str("FUNCTION_BLOCK Station\nVAR_INPUT\n    up : BOOL R_EDGE;\n    down : BOOL F_EDGE;\n");
        self.name("up", Ty::Bool, false);
        self.name("down", Ty::Bool, false);
        self.declare(text, "on", Ty::Bool, false);
        self.declare(text, "time", Ty::Time, false);
        text.push_str("END_VAR\nVAR_OUTPUT\n");
        self.declare(text, "done", Ty::Bool, true);
        self.declare(text, "value", INT, true);
        let retain = *self.rng.pick(&["", " RETAIN"]);
        let _ = writeln!(text, "END_VAR\nVAR{retain}");
        let ty = self.ty();
        self.declare(text, "own", ty, true);
        self.standard_blocks(text, 3);
        text.push_str("END_VAR\n");
        self.name_outputs();
        self.may_call = true;
        self.body(text, Block { statements: self.size.statements.min(4), depth: self.size.depth.min(2) });
        text.push_str("END_FUNCTION_BLOCK\n\n");
        self.calls.clear();
        self.names = globals;
    }

    /// Adds a block whose body is a chart.
    fn line(&mut self, text: &mut String) {
        let globals = self.names.clone();
        text.push_str("FUNCTION_BLOCK Line\nVAR_INPUT\n");
        self.declare(text, "go", Ty::Bool, false);
        self.declare(text, "n", INT, false);
        text.push_str("END_VAR\nVAR_OUTPUT\n");
        self.declare(text, "count", INT, true);
        self.chart_of(text);
        text.push_str("END_FUNCTION_BLOCK\n\n");
        self.names = globals;
    }

    /// Adds, inside of VAR_OUTPUT, the variables of a chart, then its actions and the chart.
    fn chart_of(&mut self, text: &mut String) {
        self.declare(text, "lamp", Ty::Bool, true);
        self.declare(text, "horn", Ty::Bool, true);
        text.push_str("END_VAR\nVAR\n");
        self.standard_blocks(text, 2);
        text.push_str("END_VAR\n");
        self.name_outputs();
        let n_steps = 1 + self.rng.below(self.size.statements + 2);
        let mut chart = Chart::random(&mut self.rng, n_steps, &["lamp", "horn", "Work", "Rest"]);
        for step in 0..chart.steps.len().min(4) {
            for (part, ty) in [("X", Ty::Bool), ("T", Ty::Time)] {
                self.names.push(Name { text: format!("s{step}.{part}"), ty, writable: false, variable: false });
            }
        }
        self.may_call = true;
        for action in ["Work", "Rest"] {
            let _ = writeln!(text, "ACTION {action}:");
            self.body(text, Block { statements: 2, depth: 1 });
            text.push_str("END_ACTION\n");
        }
        for transition in &mut chart.transitions {
            let step = transition.from.first().copied().unwrap_or(0);
            transition.condition = match self.rng.below(4) {
                0 => format!("s{step}.T >= T#{}ms", self.rng.below(5) * 50),
                _ => self.expr(Ty::Bool, 1),
            };
        }
        text.push_str(&chart.text());
        self.calls.clear();
    }

    fn program(&mut self, text: &mut String, name: &str, keeper: &[Call]) {
        let globals = self.names.clone();
        let _ = writeln!(text, "PROGRAM {name}\nVAR_INPUT");
        for i in 0..3 {
            let ty = if i == 0 { Ty::Bool } else { self.ty() };
            self.declare(text, &format!("in{i}"), ty, false);
        }
        text.push_str("END_VAR\n");
        if self.rng.chance(50) {
            text.push_str("VAR_EXTERNAL\n    gCount : INT;\nEND_VAR\n");
        }
        text.push_str("VAR\n");
        self.declare(text, "own", INT, true);
        for i in 0..2 {
            let ty = self.ty();
            self.declare(text, &format!("m{i}"), ty, true);
        }
        for (call, block) in keeper.iter().cloned().chain([station(), line()]).zip(["Keeper", "Station", "Line"]) {
            if self.rng.chance(60) {
                let _ = writeln!(text, "    {} : {block};", call.instance);
                self.calls.push(call);
            }
        }
        text.push_str("END_VAR\nVAR_OUTPUT\n");
        for i in 0..2 {
            let ty = self.ty();
            self.declare(text, &format!("out{i}"), ty, true);
        }
        self.may_call = true;
        if self.rng.chance(35) {
            self.chart_of(text);
        } else {
            text.push_str("END_VAR\nVAR\n");
            self.standard_blocks(text, 4);
            text.push_str("END_VAR\n");
            self.name_outputs();
            let Size { statements, depth, .. } = self.size;
            self.body(text, Block { statements, depth });
        }
        text.push_str("END_PROGRAM\n\n");
        self.calls.clear();
        self.names = globals;
    }

    /// Adds a configuration: instances of the programs in tasks; an input starts one of them.
    fn configuration(&mut self, text: &mut String) {
        text.push_str(
            "CONFIGURATION Works\nVAR_GLOBAL\n    start AT %IX0.0 : BOOL;\n    link : BOOL;\nEND_VAR\nRESOURCE Cpu ON PLC\n",
        );
        for task in 0..3 {
            let setting = match self.rng.below(4) {
                0 => format!("SINGLE := {}", self.rng.pick(&["start", "link", "NOT start OR link"])),
                _ => format!("INTERVAL := T#{}ms", self.rng.pick(&[100, 100, 200, 300, 500])),
            };
            let _ = writeln!(text, "    TASK t{task} ({setting}, PRIORITY := {});", self.rng.below(3));
        }
        let n_programs = 1 + self.rng.below(3);
        for instance in ["p", "q", "r"].into_iter().take(n_programs) {
            let task = match self.rng.below(4) {
                3 => String::new(),
                task => format!(" WITH t{task}"),
            };
            let program = *self.rng.pick(&["Fast", "Fast", "Slow"]);
            let args = match self.rng.below(4) {
                0 => " (in0 := link)",
                1 => " (in0 := start)",
                _ => "",
            };
            let _ = writeln!(text, "    PROGRAM {instance}{task} : {program}{args};");
        }
        text.push_str("END_RESOURCE\n");
        if self.rng.chance(50) {
            let _ = writeln!(text, "VAR_CONFIG\n    p.in0 : BOOL := TRUE;\n    p.own : INT := {};\nEND_VAR", self.rng.below(9));
        }
        text.push_str("END_CONFIGURATION\n");
    }
}
