//! Semantic rules on the resolved program: one per file, each with an example that breaks it.
//!
//! A rule sees the HIR and the names as declared; it reports and changes nothing. A new rule is one file and one line in
//! [`RULES`].

mod c_order;
mod case_labels;
mod constant_assigned;
mod control_assigned;
mod copied_arguments;
mod depth;
mod duplicate_names;
mod function_result;
mod inputs;
mod output_assigned;
mod pure_assertions;
mod recursion;
mod short_circuit;
mod size;
mod within_loop;

pub(crate) use c_order::{COrder, c_order};
pub(crate) use constant_assigned::root_var;
pub(crate) use copied_arguments::copied_arguments;
pub(crate) use duplicate_names::{Declared, NameSet};
pub(crate) use inputs::writes_inputs;
pub(crate) use output_assigned::output_in;
pub(crate) use pure_assertions::side_effect;
pub(crate) use short_circuit::skippable;
pub(crate) use size::{MAX_SCALARS, MAX_WITH_ARRAYS, is_too_large, largest_to_keep};

use crate::dialect::Recursion;
use crate::hir::Project;
use crate::text::{Diagnostic, Span};
use std::collections::BTreeSet;

/// Program that the rules check.
pub struct CheckedProgram<'p> {
    pub(crate) project: &'p Project,
    /// Every name that was declared.
    pub(crate) declared: &'p [Declared],
    /// Functions that may call themselves.
    pub(crate) recursion: Recursion,
    /// Places of arguments for VAR_IN_OUT CONSTANT: calls do not write them.
    pub(crate) read_only_arguments: &'p BTreeSet<Span>,
}

/// A rule: its name and the function that reports violations.
pub struct Rule {
    /// Its demand in words for people.
    pub name: &'static str,
    pub(crate) check: fn(&CheckedProgram<'_>, &mut Vec<Diagnostic>),
    /// A program that violates it may have an unbounded state: later passes must not visit the instances.
    pub(crate) bounds_state: bool,
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule { name: "duplicate names", check: duplicate_names::check, bounds_state: false },
    Rule { name: "recursion", check: recursion::check, bounds_state: true },
    Rule { name: "depth of nesting", check: depth::check, bounds_state: true },
    Rule { name: "size of the state", check: size::check, bounds_state: true },
    Rule { name: "constants are not assigned", check: constant_assigned::check, bounds_state: false },
    Rule { name: "control variables are not assigned", check: control_assigned::check, bounds_state: false },
    Rule { name: "outputs are assigned by their block", check: output_assigned::check, bounds_state: false },
    Rule { name: "EXIT and CONTINUE stand in loops", check: within_loop::check, bounds_state: false },
    Rule { name: "functions assign their result", check: function_result::check, bounds_state: false },
    Rule { name: "labels differ", check: case_labels::check, bounds_state: false },
    Rule { name: "assertions change nothing", check: pure_assertions::check, bounds_state: false },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_own_name() {
        let names: std::collections::BTreeSet<&str> = RULES.iter().map(|r| r.name).collect();
        assert_eq!(names.len(), RULES.len());
    }
}
