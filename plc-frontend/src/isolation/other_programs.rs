//! Other programs of the same controller that write at indices which may lie outside of their arrays.
//!
//! The run reads their text for names only. Here each is read as a program, because ranges of indices need its declarations.

use std::collections::BTreeSet;

use super::load_isolated;
use crate::environment::{FixedNames, beside_array, bodies, index_write, outside_writes, reached, without_asides};
use crate::hir::{Extent, PouId, Project};
use crate::ids::Id;
use crate::lang::br::{compiled_from_elsewhere, is_in_c};
use crate::lang::normal_folder;
use crate::resolve::{LoadOptions, Loaded, is_standard_name};
use crate::solution::{Choice, Solution};
use crate::text::{FileId, Origin, SourceSet, Span};

/// Most programs that are read. Of further ones each write at a computed index counts.
const MOST_READ: usize = 8;

/// Adds a condition for each other program that may write beside an array.
///
/// Soundness: a program that is not understood counts if its text writes at a computed index.
/// Cost: reads each program whose text does so.
pub(super) fn note(sources: &SourceSet, options: &LoadOptions, loaded: &mut Loaded) {
    if loaded.dialect.row().checks_indices() {
        return;
    }
    let solution = Solution::of(sources);
    let Choice::One(chosen) = solution.choose(options.project.as_deref()) else { return };
    let nothing = FixedNames { constants: BTreeSet::new(), is_reader: is_standard_name };
    let mut n_read = 0;
    for other in solution.beside(chosen) {
        let Some(project) = solution.projects().get(other) else { continue };
        let linked = compiled_from_elsewhere(sources, &normal_folder(&project.folder));
        let files = project.files.iter().copied().chain(linked).chain(solution.library_files(other));
        let Some(place) = place(sources, files, &nothing) else { continue };
        let name = solution.label(other);
        n_read += 1;
        let found = if MOST_READ < n_read { None } else { read(sources, options, &name) };
        if let Some(place) = found.unwrap_or(Some(place)) {
            loaded.project.beside.insert(place, Extent::All);
            loaded.ledger.gap(beside_array(&name, place));
        }
    }
}

/// Returns the first place in some files where Structured Text writes at a computed index.
fn place(sources: &SourceSet, files: impl Iterator<Item = FileId>, known: &FixedNames) -> Option<Span> {
    let texts = files.filter_map(|id| Some((id, sources.files.get(id).filter(|file| !is_in_c(&file.name))?)));
    let mut places = texts.filter_map(|(id, file)| {
        let at = index_write(&without_asides(&file.text, false), known)?;
        Some(Span::new(id, at, at + 1))
    });
    places.next()
}

/// Returns the first place where a program of this name may write beside an array, if there is one; `None` if it cannot be read.
fn read(sources: &SourceSet, options: &LoadOptions, name: &str) -> Option<Option<Span>> {
    let alone = LoadOptions {
        project: Some(name.to_owned()),
        dialect: options.dialect,
        largest_array: options.largest_array,
        is_alone: true,
        ..LoadOptions::default()
    };
    let Loaded { project, left_out, runs, .. } = load_isolated(sources, &alone).value;
    if !runs || project.task.runs.is_empty() {
        return None;
    }
    let known = FixedNames::of(&project, is_standard_name);
    let is_written = |span: Span| index_write(&without_asides(sources.text(span), false), &known).is_some();
    let left_out = left_out.iter().map(|part| part.span).filter(|span| is_written(*span));
    let running = running(&project);
    let bodies = bodies(&project);
    let unmodelled = running.iter().flat_map(|pou| bodies[pou.index()].gaps.iter().map(|(_, span)| *span));
    let written = outside_writes(&project, &running).into_iter().map(|(_, span)| span);
    let mut found = written.chain(left_out).chain(unmodelled.filter(|span| is_written(*span)));
    Some(found.next())
}

/// Returns the user's POUs that run.
fn running(project: &Project) -> BTreeSet<PouId> {
    let runs = project.task.runs.iter().map(|id| project.instances[*id].pou);
    let all = reached(&bodies(project), runs.chain(project.start_up.map(|start| start.pou)));
    all.into_iter().filter(|pou| project.pous[*pou].origin == Origin::User).collect()
}
