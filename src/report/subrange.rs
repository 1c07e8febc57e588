//! Inputs outside of their subranges: the environment is not checked, so runs may have such values.

use std::collections::BTreeSet;

use plc_frontend::hir::{Leaf, Project, Type, Value, value_to_st};

/// Returns the ends of an input's subrange.
pub(super) fn range_of(project: &Project, leaf: &Leaf) -> Option<(i128, i128)> {
    if !leaf.is_given(0) {
        return None;
    }
    if let Type::Subrange { low, high, .. } = project.types[leaf.ty].ty { Some((low, high)) } else { None }
}

/// Returns a sentence about the first input that matters and leaves its subrange, with the number of others.
///
/// `cycles` has the values of all leaves, cycle by cycle.
pub(super) fn outside(
    project: &Project,
    leaves: &[Leaf],
    cycles: &[Vec<Option<Value>>],
    matters: impl Fn(&Leaf) -> bool,
    show: impl Fn(&str) -> String,
) -> Option<String> {
    let ranged: Vec<(usize, &Leaf, (i128, i128))> = (leaves.iter().enumerate())
        .filter_map(|(at, leaf)| Some((at, leaf, range_of(project, leaf)?)))
        .filter(|(_, leaf, _)| matters(leaf))
        .collect();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut first = None;
    for (number, values) in cycles.iter().enumerate() {
        for (at, leaf, (low, high)) in &ranged {
            let value = values.get(*at).copied().flatten();
            let leaves_range = value.and_then(Value::as_int).is_some_and(|n| n < *low || *high < n);
            if leaves_range && names.insert(&leaf.name) && first.is_none() {
                first = value.map(|value| (number + 1, *leaf, (*low, *high), value));
            }
        }
    }
    let (number, leaf, (low, high), value) = first?;
    let (name, value) = (show(&leaf.name), value_to_st(project, leaf.ty, value));
    let others = match names.len() - 1 {
        0 => String::new(),
        1 => " So is one more input.".to_owned(),
        n => format!(" So are {n} more inputs."),
    };
    Some(format!(
        "{name} is {value} in cycle {number}, outside of its subrange {low}..{high}: nothing checks what comes from outside.{others} \
         The assumption `{low} <= {name} AND {name} <= {high}` leaves such runs out."
    ))
}
