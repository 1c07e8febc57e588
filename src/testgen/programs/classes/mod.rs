//! Random programs with classes: methods, properties, inheritance, interfaces, references, instances by reference.
//!
//! A plan beside the text gives its meaning, and is executed without resolver and interpreter ([`Run`]). So mistakes of the
//! resolver, which interpreter and automaton share, are found too.

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
    /// Returns the names of the inputs, TRUE for each BOOL; the others are INT.
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
