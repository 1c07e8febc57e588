//! Files of other systems than that by whose rules everything is read, and other conditions about files.

use std::collections::BTreeMap;

use crate::ast::Unit;
use crate::dialect::{DialectId, written_elsewhere};
use crate::resolve::controller::needed_files::needed_files;
use crate::resolve::resolver::Resolver;
use crate::text::{FileId, SourceSet, Span};

/// Files that are named; of more there is the number.
const NAMED: usize = 3;

impl Resolver<'_> {
    /// Notes the conditions about files of which the entry needs a declaration; `systems` are those of files, if no dialect is chosen.
    pub(crate) fn note_needed_files(&mut self, sources: &SourceSet, units: &[Unit], systems: &BTreeMap<FileId, DialectId>) {
        let about = || units.iter().flat_map(|unit| &unit.assumed).filter(|assumed| !assumed.about.is_empty());
        let elsewhere = written_elsewhere(systems, units, self.dialect.id);
        if elsewhere.is_empty() && about().next().is_none() {
            return;
        }
        let needed = needed_files(&self.project, &self.names);
        for assumed in about().filter(|assumed| assumed.about.iter().any(|file| needed.contains(file))) {
            self.findings.record_assumed(assumed.span, assumed.condition.clone(), assumed.reason);
        }
        let mut of_systems: BTreeMap<DialectId, Vec<(FileId, &str)>> = BTreeMap::new();
        for (id, system) in elsewhere.into_iter().filter(|(id, _)| needed.contains(id)) {
            let name = sources.files.get(id).map_or("", |file| file.name.as_str());
            of_systems.entry(system).or_default().push((id, name));
        }
        for (system, files) in of_systems {
            let Some((first, _)) = files.first() else { continue };
            let names: Vec<String> = files.iter().take(NAMED).map(|(_, name)| format!("`{name}`")).collect();
            let more = files.len().saturating_sub(NAMED);
            let names = if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) };
            let are = if files.len() == 1 { "is a file" } else { "are files" };
            let read = if files.len() == 1 { "it is read" } else { "they are read" };
            let (system, read_as) = (system.row().title, self.dialect.title);
            let construct = format!("{names} {are} of {system}: {read} by the rules of {read_as}");
            let effect = "systems differ in arithmetic, conversions and texts; upload the files of one, or choose a `dialect`";
            self.findings.record_assumed(Span { file: *first, start: 0, end: 0 }, construct, effect);
        }
    }
}
