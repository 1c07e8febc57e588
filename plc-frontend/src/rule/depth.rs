//! POUs are not nested in each other too deeply, neither by calls nor by instances inside of instances: later passes walk
//! the program level by level.
//!
//! ```st
//! FUNCTION_BLOCK B0 VAR b : B1; END_VAR END_FUNCTION_BLOCK
//! FUNCTION_BLOCK B1 VAR b : B2; END_VAR END_FUNCTION_BLOCK   (* … and so on, 200 times: P5001 *)
//! ```

use std::collections::BTreeMap;

use super::CheckedProgram;
use super::recursion::{Why, in_order, nesting};
use crate::hir::{Parts, PouId, Project, TypeId};
use crate::ids::Id;
use crate::text::{Diagnostic, codes::TOO_DEEP};

/// Most levels of calls, instances and structures in each other.
const MAX_LEVELS: usize = 100;

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    let project = program.project;
    let levels = levels(program);
    if let Some((pou, n)) = levels.iter().find(|(_, n)| MAX_LEVELS < **n) {
        let span = project.pous[*pou].span;
        let message = format!("`{}` stands on {n} levels of blocks, functions and structures", project.pous[*pou].name);
        let finding = Diagnostic::error(TOO_DEEP, span, message, format!("more than {MAX_LEVELS} levels"));
        findings.push(finding.help("call and contain blocks side by side instead of inside of each other"));
    }
}

/// Returns whether the program has no forbidden cycle and not too many levels.
pub(super) fn is_bounded(program: &CheckedProgram<'_>) -> bool {
    let levels = levels(program);
    levels.len() == program.project.pous.len() && levels.values().all(|n| *n <= MAX_LEVELS)
}

/// Returns the levels below each POU; those in or above a cycle are missing.
fn levels(program: &CheckedProgram<'_>) -> BTreeMap<PouId, usize> {
    let (project, graph) = (program.project, nesting(program));
    let types = type_levels(project);
    let mut levels: BTreeMap<PouId, usize> = BTreeMap::new();
    for pou in in_order(&graph) {
        let inside = project.pous[pou].vars.iter().filter_map(|v| types.get(v.ty.index())).max().copied().unwrap_or(0);
        let below = graph[&pou].iter().map(|(to, (why, _))| {
            let own = if *why == Why::Contains { 1 + inside } else { 1 };
            own + levels.get(to).copied().unwrap_or(0)
        });
        let most = below.max().unwrap_or(0);
        levels.insert(pou, most);
    }
    levels
}

/// Returns the levels of structures and arrays in each type. A type's parts come before it in the table.
fn type_levels(project: &Project) -> Vec<usize> {
    let mut levels: Vec<usize> = Vec::new();
    for row in project.types.iter() {
        let of = |ty: TypeId| levels.get(ty.index()).copied().unwrap_or(0);
        levels.push(match row.ty.parts() {
            Parts::Elements(_, elem) => 1 + of(elem),
            Parts::Fields(fields) => 1 + fields.iter().map(|f| of(f.ty)).max().unwrap_or(0),
            Parts::Scalar | Parts::Variables(_) => 0,
        });
    }
    levels
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::findings;

    #[test]
    fn blocks_and_functions_are_not_nested_too_deeply() {
        let check = |n: usize, declaration: &dyn Fn(usize) -> String, last: &str, expected: &[&str]| {
            let source: String = (0..n).map(declaration).collect();
            let found = findings(&format!("PROGRAM Main\nEND_PROGRAM\n{source}{last}"));
            assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), expected, "{n}");
        };
        let block = |i: usize| format!("FUNCTION_BLOCK B{i} VAR b : B{}; END_VAR b(); END_FUNCTION_BLOCK\n", i + 1);
        let end = |n: usize| format!("FUNCTION_BLOCK B{n} END_FUNCTION_BLOCK");
        check(50, &block, &end(50), &[]);
        check(3_000, &block, &end(3_000), &["P5001"]);
        let function = |i: usize| format!("FUNCTION F{i} : INT F{i} := F{}(); END_FUNCTION\n", i + 1);
        check(50, &function, "FUNCTION F50 : INT F50 := 1; END_FUNCTION", &[]);
        check(3_000, &function, "FUNCTION F3000 : INT F3000 := 1; END_FUNCTION", &["P5001"]);
        check(3_000, &function, "FUNCTION F3000 : INT F3000 := F0(); END_FUNCTION", &["P4001"]);
        check(3_000, &block, "FUNCTION_BLOCK B3000 VAR b : B0; END_VAR END_FUNCTION_BLOCK", &["P4001"]);
    }
}
