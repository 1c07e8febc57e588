//! Conditions about POUs of one name in a folder and in another one inside of it.
//!
//! The nearer one is meant ([`crate::solution`]); no file tells which of them the controller has. Equal texts count once before.
//!
//! Soundness: each reading lets proofs pass that the other one breaks.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::{bodies, reached};
use crate::hir::{Extent, PouId, Project};
use crate::resolve::names::tables::Names;
use crate::text::{FileId, Gap, Ledger, Origin, SourceSet, Treatment, key};

/// Notes the conditions. `family` are POUs that the run reaches by blocks and bases.
///
/// An entry that was chosen is meant; programs that all run hide none.
pub(crate) fn note(
    project: &mut Project,
    ledger: &mut Ledger,
    (names, sources): (&Names, &SourceSet),
    family: BTreeSet<PouId>,
    entry_is_chosen: bool,
) {
    let spaces = &names.libraries;
    if !spaces.has_folders {
        return;
    }
    let entries: BTreeSet<PouId> = project.task.runs.iter().map(|run| project.instances[*run].pou).collect();
    let taken = reached(&bodies(project), entries.iter().copied().chain(family));
    let mut by_name: BTreeMap<_, Vec<PouId>> = BTreeMap::new();
    for (id, pou) in project.pous.iter_enumerated() {
        if pou.origin == Origin::User && !names.members.contains_key(&id) {
            let folder = format!("{}.", spaces.name(spaces.of(pou.span.file)));
            by_name.entry(key(pou.name.strip_prefix(&folder).unwrap_or(&pou.name))).or_default().push(id);
        }
    }
    let folder = |id: PouId| spaces.rows.get(spaces.of(project.pous[id].span.file)).map_or("", |row| row.folder.as_str());
    let file = |id: PouId| file_name(sources, project.pous[id].span.file);
    let mut found = Vec::new();
    for pous in by_name.values().filter(|pous| 1 < pous.len()) {
        for (at, id) in pous.iter().enumerate().filter(|(_, id)| taken.contains(id)) {
            let is_around = |other: &PouId| folder(*id).starts_with(folder(*other)) || folder(*other).starts_with(folder(*id));
            for (n, other) in pous.iter().enumerate().filter(|(n, other)| *n != at && is_around(other)) {
                let name = project.pous[*id].name.rsplit('.').next().unwrap_or_default();
                let (both_run, both) = (entries.contains(id) && entries.contains(other), taken.contains(other));
                if both_run || both && n < at || entry_is_chosen && entries.contains(id) {
                    continue;
                }
                let construct = if both {
                    format!("`{name}` of `{}` and `{name}` of `{}` are two POUs", file(*id), file(*other))
                } else {
                    format!("`{name}` is that of `{}`, and not that of `{}`", file(*id), file(*other))
                };
                let effect = "two folders declare it, and the nearer one is meant; leave out the other one".to_owned();
                found.push(Gap { span: project.pous[*id].span, construct, treatment: Treatment::Assumed, effect });
            }
        }
    }
    for gap in found {
        project.beside.insert(gap.span, Extent::All);
        ledger.gap(gap);
    }
}

fn file_name(sources: &SourceSet, file: FileId) -> &str {
    sources.files.get(file).map_or("", |file| file.name.as_str())
}

#[cfg(test)]
mod tests {
    use crate::hir::Extent;
    use crate::resolve::LoadOptions;
    use crate::text::SourceSet;

    /// Checks the conditions about functions `F` in these folders.
    #[track_caller]
    fn check(main: &str, functions: &[(&str, &str)], expected: &[&str]) {
        let mut sources = SourceSet::default();
        sources.add(main, "PROGRAM Main\nVAR n : INT; END_VAR\nn := F();\nEND_PROGRAM\n");
        for (folder, text) in functions {
            sources.add(format!("{folder}f.st"), format!("FUNCTION F : INT\n{text}\nEND_FUNCTION\n"));
        }
        let loaded = crate::load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let all = loaded.value.ledger.gaps.iter();
        let told: Vec<&str> = all.map(|gap| gap.construct.as_str()).collect();
        assert_eq!(told, expected, "{main} {functions:?}");
        let extents = loaded.value.ledger.gaps.iter().map(|gap| loaded.value.project.beside.get(&gap.span));
        assert!(extents.into_iter().all(|extent| extent == Some(&Extent::All)), "{main} {functions:?}");
    }

    #[test]
    fn a_pou_of_one_name_in_a_subfolder_is_a_condition() {
        let (one, two) = ("F := 1;", "F := 2;");
        check("A/m.st", &[("A/", one), ("A/old/", two)], &["`F` is that of `A/f.st`, and not that of `A/old/f.st`"]);
        check("A/old/m.st", &[("A/", one), ("A/old/", two)], &["`F` is that of `A/old/f.st`, and not that of `A/f.st`"]);
        check("m.st", &[("", one), ("old/", two)], &["`F` is that of `f.st`, and not that of `old/f.st`"]);
        check("A/m.st", &[("A/", one), ("A/old/", one)], &[]);
        check("A/m.st", &[("A/", one), ("B/", two)], &[]);
    }
}
