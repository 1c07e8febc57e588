//! Reading of all files as one program.

use super::selection::select;
use crate::ast;
use crate::resolve::{Given, LoadOptions, Loaded, load_units, merge_repeated};
use crate::text::{Diagnostic, Parsed, SourceSet};

/// Reads the files of one project as one program. Never fails: mistakes are in the diagnostics.
pub fn load(sources: &SourceSet, options: &LoadOptions) -> Parsed<Loaded> {
    let (units, diagnostics) = parse_all(sources, options);
    load_units(sources.clone(), units, diagnostics, options, Given::default())
}

/// Returns the syntax trees of all files, and the findings of the parsers.
pub(crate) fn parse_all(sources: &SourceSet, options: &LoadOptions) -> (Vec<ast::Unit>, Vec<Diagnostic>) {
    let (mut units, mut findings) = select(sources, options.project.as_deref()).units(sources);
    crate::lang::br::assemble(&mut units, sources, &mut findings);
    merge_repeated(&mut units, sources);
    (units, findings)
}
