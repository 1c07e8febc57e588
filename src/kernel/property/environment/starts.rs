//! Variables that a controller keeps, and problems of rows about starts and restarts.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::dialect::Retention;
use plc_frontend::hir::{Leaf, Role};

use crate::property::requirements::SpecProblem;

/// Returns the leaves that keep their values over a restart: RETAIN or PERSISTENT themselves, or memory under such a variable.
pub(super) fn retained(leaves: &[Leaf]) -> impl Iterator<Item = &Leaf> {
    let views = leaves.iter().filter(|leaf| leaf.retain).filter_map(|leaf| leaf.view.as_ref());
    let under: BTreeSet<usize> = views.flat_map(|view| view.parts.iter().map(|part| part.of)).collect();
    let is_own = |leaf: &Leaf| matches!(leaf.role, Role::Memory | Role::Output) && !leaf.constant && leaf.init.is_some();
    let is_kept = move |at: usize, leaf: &Leaf| (leaf.retain || under.contains(&at)) && leaf.view.is_none() && is_own(leaf);
    leaves.iter().enumerate().filter(move |(at, leaf)| is_kept(*at, leaf)).map(|(_, leaf)| leaf)
}

/// Returns the problem of a warm start where sources do not state all variables that the controller keeps.
pub(super) fn unknown_retention(loaded: &Loaded) -> Option<SpecProblem> {
    if loaded.dialect.row().retention == Retention::Declared {
        return None;
    }
    let title = loaded.dialect.row().title;
    let message = format!("`start: warm`: sources of {title} do not say everything that the controller keeps over a restart");
    let help = "Leave `start` out and name what is kept under `memory`: `- {path: Data, start: any}`.";
    Some(SpecProblem::new("/start".to_owned(), message, Some(help.to_owned())))
}

/// Returns the problem of restarts where the controller has no prescan.
pub(super) fn no_prescan(loaded: &Loaded) -> Option<SpecProblem> {
    let row = loaded.dialect.row();
    if loaded.project.tags_are_outputs {
        return None;
    }
    let message =
        format!("`restarts: any`: only programs of Studio 5000 restart with a prescan, and this one is of {}", row.title);
    let help = match row.retention {
        Retention::Declared => {
            "Leave `restarts` out. `start: warm` looks at runs that begin with any values of RETAIN variables."
        }
        Retention::Settings => "Leave `restarts` out and name what is kept under `memory`: `- {path: Data, start: any}`.",
    };
    Some(SpecProblem::new("/restarts".to_owned(), message, Some(help.to_owned())))
}
