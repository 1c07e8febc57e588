//! Random blocks with methods, properties and actions, one that extends another, an interface, references, and a chart.

use std::fmt::Write as _;

use super::stmt::Block;
use super::types::Ty;
use super::{Call, Generator, Name};

/// Targets of [`Generator::targets_of_references`]: whole variables of the main program and parts of them.
const TARGETS: [&str; 4] = ["o1", "o2", "cell.level", "cells[2].level"];

const INTERFACE: &str = "INTERFACE IStore\nMETHOD Put : INT\nVAR_INPUT\n    much : INT;\nEND_VAR\nEND_METHOD\nEND_INTERFACE\n\n";
const STORE: &str = "FUNCTION_BLOCK Store IMPLEMENTS IStore\nVAR_INPUT\n    feed : INT;\nEND_VAR\nVAR_OUTPUT\n    full : BOOL;\nEND_VAR\n\
                     VAR\n    level : INT := 2;\n    flag : BOOL;\nEND_VAR\n";
const PUT: &str = "METHOD PUBLIC Put : INT\nVAR_INPUT\n    much : INT;\nEND_VAR\nVAR\n    t : INT := 3;\nEND_VAR\n";

impl Generator {
    /// Adds types with members, before the main program.
    pub(super) fn objects(&mut self, text: &mut String) {
        if !self.size.objects {
            return;
        }
        let (globals, calls) = (self.names.clone(), std::mem::take(&mut self.calls));
        let may_call = std::mem::replace(&mut self.may_call, false);
        let int = Ty::int("INT");
        text.push_str(INTERFACE);
        text.push_str(STORE);
        for (name, ty, writable) in
            [("feed", int, false), ("full", Ty::Bool, true), ("level", int, true), ("flag", Ty::Bool, true)]
        {
            self.name(name, ty, writable);
        }
        let fields = self.names.clone();
        self.put_method(text, "Put := much;\n");
        self.names = fields.clone();
        let value = self.expr(int, 2);
        let _ = writeln!(text, "PROPERTY PUBLIC Height : INT\nGET\nHeight := {value};\nEND_GET");
        self.name("Height", int, false);
        let value = self.expr(int, 2);
        let _ = writeln!(text, "SET\nlevel := {value};\nEND_SET\nEND_PROPERTY");
        self.names = fields.clone();
        text.push_str("ACTION Drain:\n");
        self.body(text, Block { statements: 2, depth: 1 });
        text.push_str("END_ACTION\n");
        let value = self.expr(int, 1);
        let _ = writeln!(text, "full := Put(much := {value}) > 3;\nDrain();");
        self.body(text, Block { statements: 2, depth: 1 });
        text.push_str("END_FUNCTION_BLOCK\n\n");

        text.push_str("FUNCTION_BLOCK Vat EXTENDS Store\nVAR\n    extra : INT;\nEND_VAR\n");
        self.name("extra", int, true);
        let value = self.expr(int, 1);
        let first = format!("Put := SUPER^.Put(much := {value}) + much;\n");
        self.put_method(text, &first);
        self.names = fields;
        self.name("extra", int, true);
        let first = *self.rng.pick(&[
            "SUPER^();\n",
            "SUPER^(feed := feed + 1, full => flag);\n",
            "THIS^.Drain(feed := level);\n",
            "THIS^.Drain();\n",
            "level := level + 1;\n",
        ]);
        text.push_str(first);
        self.body(text, Block { statements: 2, depth: 1 });
        text.push_str("END_FUNCTION_BLOCK\n\n");
        self.names = globals.clone();
        self.chart(text);
        (self.names, self.calls, self.may_call) = (globals, calls, may_call);
    }

    fn put_method(&mut self, text: &mut String, first: &str) {
        let int = Ty::int("INT");
        text.push_str(PUT);
        text.push_str(first);
        for (name, writable) in [("much", false), ("t", true), ("Put", true)] {
            self.name(name, int, writable);
        }
        self.body(text, Block { statements: 2, depth: 1 });
        text.push_str("END_METHOD\n");
    }

    /// Adds a block whose body is a chart of three steps in a ring, and perhaps a way across.
    fn chart(&mut self, text: &mut String) {
        let int = Ty::int("INT");
        text.push_str("FUNCTION_BLOCK Seq\nVAR_INPUT\n    go : BOOL;\n    n : INT;\nEND_VAR\nVAR_OUTPUT\n    lamp : BOOL;\n    count : INT;\nEND_VAR\n");
        for (name, ty, writable) in [("go", Ty::Bool, false), ("n", int, false), ("count", int, true)] {
            self.name(name, ty, writable);
        }
        text.push_str("ACTION Work:\n");
        self.body(text, Block { statements: 2, depth: 1 });
        text.push_str("END_ACTION\n");
        for step in 0..3 {
            let _ = writeln!(text, "{} s{step}:", if step == 0 { "INITIAL_STEP" } else { "STEP" });
            for action in ["lamp", "Work"] {
                if self.rng.chance(70) {
                    let qualifier = *self.rng.pick(&["N", "N", "P", "P0", "P1", "S", "R", "D, T#200ms", "L, T#100ms"]);
                    let _ = writeln!(text, "    {action}({qualifier});");
                }
            }
            text.push_str("END_STEP\n");
        }
        let across = *self.rng.pick(&[(0, 2), (1, 0)]);
        for (i, (from, to)) in [(0, 1), (1, 2), (2, 0), across].into_iter().enumerate() {
            if i < 3 || self.rng.chance(50) {
                let condition = self.expr(Ty::Bool, 2);
                let _ = writeln!(text, "TRANSITION t{i} FROM s{from} TO s{to} := {condition};\nEND_TRANSITION");
            }
        }
        text.push_str("END_FUNCTION_BLOCK\n\n");
    }

    /// Declares instances and references of the main program.
    pub(super) fn object_variables(&mut self, text: &mut String) {
        if !self.size.objects {
            return;
        }
        text.push_str("    o1 : INT;\n    o2 : INT := 4;\n    store : Store;\n    vat : Vat;\n    vats : ARRAY [1..3] OF Vat;\n");
        text.push_str("    any : IStore;\n    ref : REFERENCE TO INT;\n    ptr : POINTER TO INT;\n    seq : Seq;\n");
        let int = Ty::int("INT");
        self.name("o1", int, true);
        self.name("o2", int, true);
        for text in ["ref", "ptr^"] {
            self.names.push(Name { text: text.into(), ty: int, writable: true, variable: false });
        }
        for instance in ["store", "vat"] {
            self.calls.push(Call { instance, inputs: vec![("feed", int)], outputs: vec![("full", Ty::Bool)] });
        }
        self.calls.push(Call {
            instance: "seq",
            inputs: vec![("go", Ty::Bool), ("n", int)],
            outputs: vec![("lamp", Ty::Bool), ("count", int)],
        });
    }

    /// Adds the first statements of the main program: most references refer to a variable from the start.
    pub(super) fn bind(&mut self, text: &mut String) {
        if !self.size.objects || (self.size.faults && self.rng.chance(5)) {
            return;
        }
        text.push_str("any := store;\nref REF= o1;\nptr := ADR(o2);\n");
    }

    /// Returns a call of a method, or the value of a property.
    pub(super) fn member_value(&mut self, depth: usize) -> String {
        let instance = self.instance(depth);
        match self.rng.below(3) {
            0 if instance != "any" => format!("{instance}.Height"),
            _ => format!("{instance}.Put(much := {})", self.expr(Ty::int("INT"), depth.min(1))),
        }
    }

    /// Returns a statement that uses a member or changes a reference.
    pub(super) fn member_statement(&mut self, depth: usize) -> String {
        let target = *self.rng.pick(&TARGETS);
        match self.rng.below(6) {
            0 => format!("any := {};\n", self.rng.pick(&["store", "vat", "vats[2]"])),
            1 => format!("ref REF= {target};\n"),
            2 => format!("ptr := ADR({target});\n"),
            3 => format!("{}.Drain();\n", self.rng.pick(&["store", "vat", "vats[1]"])),
            4 => format!("{}.Height := {};\n", self.rng.pick(&["store", "vat"]), self.expr(Ty::int("INT"), depth)),
            _ => format!("{}.Put(much := {});\n", self.instance(depth), self.expr(Ty::int("INT"), depth.min(1))),
        }
    }

    fn instance(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 => "store".into(),
            1 => "vat".into(),
            2 => format!("vats[{}]", self.three(depth.min(1))),
            _ => "any".into(),
        }
    }
}
