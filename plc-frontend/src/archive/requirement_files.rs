//! Requirement files beside programs: their names, on disk and in archives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::UploadedFile;
use crate::lang::has_ending;

/// Endings of requirement files.
pub(super) const ENDINGS: &[&str] = &["yaml", "yml"];

/// Returns the possible requirement files of a file: `pump.ladder.xml` has `pump.ladder.yaml`, or else `pump.yaml`, shared
/// with versions in other languages. `.yml` is read as well.
pub fn requirement_files(file: &Path) -> Vec<PathBuf> {
    let own = file.with_extension("yaml");
    let common = file.with_extension("").with_extension("yaml");
    let names = if own == common { vec![own] } else { vec![own, common] };
    names.into_iter().flat_map(|name| [name.clone(), name.with_extension("yml")]).collect()
}

/// Returns the files of `stated` with the requirements of these source files: `requirements.yaml` of a folder, then those beside
/// a source. Only the first is used.
pub fn beside<'n>(names: impl Iterator<Item = &'n str>, stated: Vec<UploadedFile>) -> Vec<UploadedFile> {
    let wanted = Wanted::new(names);
    let mut ranked: Vec<(usize, UploadedFile)> =
        stated.into_iter().filter_map(|given| Some((wanted.rank(&given.name)?, given))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, given)| given).collect()
}

/// Names of files that may hold the requirements of a project.
pub(super) struct Wanted {
    /// In lower case, with their ranks.
    beside: BTreeMap<String, usize>,
}

impl Wanted {
    /// Returns the names for a project of these files. Cost: linear in the names.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Wanted {
        let is_source = |name: &&str| !crate::lang::is_ignored(name) && crate::lang::refused(name).is_none();
        let mut beside = BTreeMap::new();
        for path in names.filter(is_source).flat_map(|name| requirement_files(Path::new(name))) {
            let rank = beside.len() + 1;
            beside.entry(path.to_string_lossy().to_lowercase()).or_insert(rank);
        }
        Wanted { beside }
    }
    /// Returns the rank of a file, the best first; `None` if it holds no requirements.
    pub(super) fn rank(&self, name: &str) -> Option<usize> {
        let stem = Path::new(name).file_stem().filter(|_| has_ending(name, ENDINGS));
        let is_of_folder = stem.is_some_and(|stem| stem.eq_ignore_ascii_case("requirements"));
        if is_of_folder { Some(0) } else { self.beside.get(&name.to_lowercase()).copied() }
    }
}
