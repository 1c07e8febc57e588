//! Reading of all files as one program.

use super::folder_names;
use super::repeated_libraries;
use super::selection::{Selection, select};
use crate::ast;
use crate::environment::Mentions;
use crate::resolve::{Given, LoadOptions, Loaded, Spaces, load_units, merge_globals, merge_repeated};
use crate::text::{Diagnostic, Parsed, SourceSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files of one project as they were read.
#[derive(Clone)]
pub(crate) struct Files {
    /// Syntax trees of all files; empty for files that are not read.
    pub(crate) units: Vec<ast::Unit>,
    /// Findings of the parsers.
    pub(crate) findings: Vec<Diagnostic>,
    /// The project and its libraries.
    pub(crate) spaces: Arc<Spaces>,
    /// Names in programs that run beside the project and share its variables.
    pub(crate) elsewhere: Mentions,
}

/// Reads the files of one project as one program. Never fails: mistakes are in the diagnostics.
pub fn load(sources: &SourceSet, options: &LoadOptions) -> Parsed<Loaded> {
    let Files { units, findings, spaces, elsewhere } = parse_all(sources, options);
    load_units(sources.clone(), units, findings, options, Given { spaces, elsewhere, ..Given::default() })
}

/// Reads all files of one project.
pub(crate) fn parse_all(sources: &SourceSet, options: &LoadOptions) -> Files {
    let selection = select(sources, options.project.as_deref());
    let (mut units, mut findings) = selection.units(sources);
    crate::lang::br::assemble(&mut units, sources, &mut findings);
    let spaces = join(sources, &mut units, &selection);
    Files { units, findings, spaces, elsewhere: selection.mentions(sources) }
}

/// Takes repeated declarations and those of standard functions, and returns the spaces of names.
pub(crate) fn join(sources: &SourceSet, units: &mut [ast::Unit], selection: &Selection) -> Arc<Spaces> {
    crate::lang::br::leave_out_operators(units, sources);
    crate::lang::br::tell_apart(units, sources);
    let spaces = if selection.is_loose() {
        let differing = folder_names::differing(sources, units);
        merge_repeated(units, sources, &Spaces::default(), &differing);
        merge_globals(units, sources, &differing);
        let mut spaces = folder_names::spaces(sources, units).unwrap_or_default();
        spaces.references.extend(selection.spaces().references.iter().cloned());
        Arc::new(spaces)
    } else {
        let spaces = selection.spaces();
        merge_repeated(units, sources, &spaces, &BTreeSet::new());
        repeated_libraries::merge(units, sources, &spaces);
        spaces
    };
    crate::lang::logix::share_hidden_names(units, |file| spaces.of(file));
    spaces
}
