//! Random programs with classes: methods, properties, inheritance, interfaces, references, instances by reference.
//!
//! Beside the text stands a plan of what it means, which is executed without resolver and interpreter
//! ([`Run`]). So a program that both the interpreter and the automaton misread, because the resolver did, is found too.

mod declare;
mod entry;
mod meaning;
mod places;
mod plan;
mod stmts;
mod terms;

use self::declare::Maker;
pub use self::meaning::{Nothing, Run};
use self::plan::{Plan, Section, Ty};

/// A program with classes. Its entry is `PROGRAM Main`.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The source text.
    pub text: String,
    plan: Plan,
}

/// Returns the program of a seed.
pub fn classes(seed: u64) -> Classes {
    let (text, plan) = Maker::new(seed).program();
    Classes { text, plan }
}

impl Classes {
    /// Names of the inputs, and whether each is BOOL; the others are INT.
    pub fn inputs(&self) -> Vec<(String, bool)> {
        let fields = self.plan.classes.last().map_or(&[][..], |main| main.fields.as_slice());
        let inputs = fields.iter().filter(|field| field.section == Section::Input);
        inputs.map(|field| (format!("Main.{}", field.name), field.ty == Ty::Bool)).collect()
    }

    /// Returns its statements and classes, as data.
    pub fn run(&self) -> Run<'_> {
        Run::new(&self.plan)
    }
}

#[cfg(test)]
mod tests;
