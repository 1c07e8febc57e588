//! The state of the program is bounded: all variables of all instances together are few enough to verify.
//!
//! ```st
//! FUNCTION_BLOCK Row  VAR a : ARRAY [1..60000] OF INT; END_VAR END_FUNCTION_BLOCK
//! PROGRAM Main  VAR rows : ARRAY [1..20] OF Row; END_VAR END_PROGRAM   (* P4008: 1200000 values, unless arrays are not kept *)
//! ```

use std::collections::BTreeMap;

use super::CheckedProgram;
use crate::hir::{Parts, PouId, Project, Section, Type, TypeId, Var};
use crate::text::{Diagnostic, codes::STATE_SIZE};

/// Most scalars that survive a cycle, of a type and of the project.
pub(crate) const MAX_SCALARS: usize = 1_000_000;

/// Most scalars with which all arrays are kept: the largest arrays of a larger state are not.
pub(crate) const MAX_WITH_ARRAYS: usize = 100_000;

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    if !super::depth::is_bounded(program) {
        return;
    }
    let (mut sizes, mut total) = (Sizes::new(program.project, usize::MAX), 0usize);
    let mut largest: Option<(usize, &str, crate::text::Span)> = None;
    for var in state(program.project) {
        let size = sizes.of_type(var.ty);
        total = total.saturating_add(size);
        if largest.is_none_or(|(most, _, _)| most < size) {
            largest = Some((size, &var.name, var.span));
        }
    }
    if let (true, Some((size, name, span))) = (MAX_SCALARS < total, largest) {
        let message = format!("the program has {total} values in its variables; at most {MAX_SCALARS} can be verified");
        let here = format!("`{name}` is the largest variable: {size} values");
        let help = "verify with smaller arrays or fewer instances";
        findings.push(Diagnostic::error(STATE_SIZE, span, message, here).help(help));
    }
}

/// Returns whether the program has too many values with the arrays that it keeps.
pub(crate) fn is_too_large(program: &CheckedProgram<'_>) -> bool {
    super::depth::is_bounded(program) && MAX_SCALARS < total(program.project, usize::MAX)
}

/// Returns the number of values of the state, if arrays of more than `most` count as one.
fn total(project: &Project, most: usize) -> usize {
    let mut sizes = Sizes::new(project, most);
    state(project).map(|var| sizes.of_type(var.ty)).fold(0, usize::saturating_add)
}

/// Returns the variables that survive a cycle.
fn state(project: &Project) -> impl Iterator<Item = &Var> {
    let locals = project.instances.iter().flat_map(|i| project.pous[i.pou].vars.iter());
    project.globals.iter().chain(locals.filter(|var| persists(var.section)))
}

/// Returns the number of values of the largest arrays to keep, if all larger ones count as one value; `None` if all can be kept, or
/// if no array is the reason why the state is large.
///
/// The state has at most [`MAX_WITH_ARRAYS`] values then, or twice those that it has without any array.
pub(crate) fn largest_to_keep(program: &CheckedProgram<'_>) -> Option<usize> {
    let project = program.project;
    if !super::depth::is_bounded(program) || total(project, usize::MAX) <= MAX_WITH_ARRAYS {
        return None;
    }
    let mut all = Sizes::new(project, usize::MAX);
    let mut sizes: Vec<usize> = project.types.ids().filter(|ty| is_array(project, *ty)).map(|ty| all.of_type(ty)).collect();
    sizes.push(1);
    sizes.sort_unstable();
    sizes.dedup();
    let limit = total(project, 1).saturating_mul(2).clamp(MAX_WITH_ARRAYS, MAX_SCALARS);
    let n_fitting = sizes.partition_point(|most| total(project, *most) <= limit);
    // All arrays are kept where even the largest fits.
    sizes.get(n_fitting.checked_sub(1)?).copied().filter(|_| n_fitting < sizes.len())
}

/// Returns whether a type is an array and no string.
fn is_array(project: &Project, ty: TypeId) -> bool {
    matches!(project.types[ty].ty, Type::Array { .. }) && project.text(ty).is_none()
}

fn persists(section: Section) -> bool {
    !matches!(section, Section::Temp | Section::Result)
}

struct Sizes<'p> {
    project: &'p Project,
    /// Most values of an array that counts with all of them; a larger one counts as one value.
    most: usize,
    /// `None` while a block is being counted: meeting it again is a cycle, which another rule reports.
    blocks: BTreeMap<PouId, Option<usize>>,
}

impl<'p> Sizes<'p> {
    fn new(project: &'p Project, most: usize) -> Self {
        Sizes { project, most, blocks: BTreeMap::new() }
    }

    fn of_type(&mut self, ty: TypeId) -> usize {
        match self.project.types[ty].ty.parts() {
            Parts::Elements(dims, elem) => {
                let count = dims.iter().fold(1usize, |n, (low, high)| n.saturating_mul((high - low + 1) as usize));
                let size = count.saturating_mul(self.of_type(elem));
                if self.most < size && is_array(self.project, ty) { 1 } else { size }
            }
            Parts::Fields(fields) => fields.iter().fold(0, |n, f| n.saturating_add(self.of_type(f.ty))),
            Parts::Variables(pou) => self.of_block(pou),
            Parts::Scalar => 1,
        }
    }

    fn of_block(&mut self, pou: PouId) -> usize {
        if let Some(known) = self.blocks.get(&pou) {
            return known.unwrap_or(0);
        }
        self.blocks.insert(pou, None);
        let vars = self.project.pous[pou].vars.iter().filter(|v| persists(v.section) && v.section != Section::InOut);
        let size = vars.fold(0usize, |n, v| n.saturating_add(self.of_type(v.ty)));
        self.blocks.insert(pou, Some(size));
        size
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check;

    #[test]
    fn a_state_of_too_many_values_is_an_error() {
        let row = "FUNCTION_BLOCK Row\nVAR\n a : ARRAY [1..60000] OF INT;\nEND_VAR\nEND_FUNCTION_BLOCK\n";
        let main = |n: usize| format!("{row}PROGRAM Main\nVAR\n rows : ARRAY [1..{n}] OF Row;\nEND_VAR\nEND_PROGRAM");
        check(&main(1), "");
        // The array of instances is not kept.
        check(&main(2), "");
        // Doubled many times: the state is counted without being built.
        let doubled = |n: usize| {
            let mut source = String::from("FUNCTION_BLOCK B0\nVAR\n a : INT;\nEND_VAR\nEND_FUNCTION_BLOCK\n");
            for i in 1..n {
                source += &format!("FUNCTION_BLOCK B{i}\nVAR\n a, b : B{};\nEND_VAR\nEND_FUNCTION_BLOCK\n", i - 1);
            }
            source + &format!("PROGRAM Main\nVAR\n b : B{};\nEND_VAR\nEND_PROGRAM", n - 1)
        };
        check(&doubled(17), "");
        check(&doubled(21), "P4008@108:2");
        check(&doubled(60), "P4008@303:2");
    }
}
