//! The main program: its fields and its body.

use super::declare::{Here, Maker};
use super::plan::{Class, Section, Stmt, Ty, Unit, Var};
use super::terms::MAIN;

impl Maker {
    /// Returns the fields of the main program; its local variables are in VAR_TEMP.
    pub(super) fn main(&mut self) -> Vec<Var> {
        let mut fields = vec![Var::new("i0", Ty::Bool, Section::Input), Var::new("i1", Ty::Int, Section::Input)];
        fields.push(Var::new("i2", Ty::Bool, Section::Input));
        fields.push(Var::new("o0", Ty::Int, Section::Output));
        for i in 0..3 {
            let var = self.scalar(format!("m{i}"), Section::Local);
            fields.push(var);
        }
        fields.push(Var::new("row", Ty::Row, Section::Local));
        fields.push(Var::new("pair", Ty::Pair, Section::Local));
        for class in self.instances() {
            let name = self.plan.classes[class].name.to_ascii_lowercase();
            if self.rng.chance(75) {
                let var = self.instance(format!("{name}x"), Ty::Block(class));
                fields.push(var);
            }
            // Arguments for the instances of an array are a gap.
            if !self.plan.classes[class].is_started && self.rng.chance(35) {
                let var = self.instance(format!("{name}s"), Ty::Blocks(class));
                fields.push(var);
            }
        }
        for i in 0..2 + self.rng.below(3) {
            let ty = self.reference();
            fields.push(Var::new(format!("r{i}"), ty, Section::Local));
        }
        let temps = vec![Var::new("temp", Ty::Int, Section::Temp), Var::new("k", Ty::Int, Section::Temp)];
        self.plan.classes.push(Class { name: "Main".to_owned(), fields, ..Class::default() });
        temps
    }

    pub(super) fn write_main(&mut self, text: &mut String, temps: &[Var]) {
        let index = self.plan.classes.len() - 1;
        let mut vars = self.plan.classes[index].fields.clone();
        vars.extend_from_slice(temps);
        text.push_str("PROGRAM Main\n");
        self.sections(text, &vars, &Section::words);
        self.here = Here { vars: temps.to_vec(), class: Some(index), level: MAIN, is_main: true, ..Here::default() };
        let mut body: Vec<Stmt> = self.bind_all(text);
        let n = 4 + self.rng.below(6);
        body.extend(self.stmts(text, n, 2, 0));
        text.push_str("END_PROGRAM\n");
        self.plan.classes[index].body = Unit { vars: temps.to_vec(), result: None, body };
    }
}
