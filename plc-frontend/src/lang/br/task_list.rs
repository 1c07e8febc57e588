//! Software configurations (`.sw`): the tasks of a controller, and the programs that they run.

use std::collections::BTreeSet;

use crate::lang::common::starts_with_tag;
use crate::lang::foreign::STUDIO;
use crate::lang::{has_ending, is_ignored, xml};
use crate::text::{Key, SourceSet, Span, key};

const ENDINGS: &[&str] = &["sw"];

/// Returns whether a file lists tasks, by its name.
pub fn is_task_list(name: &str) -> bool {
    has_ending(name, ENDINGS)
}

/// Program that a task runs.
pub(crate) struct ListedProgram {
    /// Its name: that of its folder. `Source="Folder.Main.prg"` names the program of the folder `Main`.
    pub(crate) name: String,
    /// Place of the name.
    pub(crate) span: Span,
    /// TRUE if another task of the same configuration that stands before runs it.
    pub(crate) is_again: bool,
    /// TRUE if the upload has files of its folder that may hold its code.
    pub(crate) has_files: bool,
}

/// Returns the programs that tasks run, each time.
pub(crate) fn listed_programs(sources: &SourceSet) -> Vec<ListedProgram> {
    let folder = |name: &str| name.rsplit(['/', '\\']).nth(1).map(key);
    let may_have_code = sources.files.iter().filter(|file| !is_ignored(&file.name));
    let folders: BTreeSet<Key> = may_have_code.filter_map(|file| folder(&file.name)).collect();
    let mut found = Vec::new();
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| is_task_list(&file.name)) {
        if !starts_with_tag(&file.text, STUDIO) {
            continue;
        }
        let read = xml::read(id, &file.text);
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        for task in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Task") {
            let Some(source) = task.attribute("Source") else { continue };
            let path = source.text.strip_suffix(".prg").unwrap_or(&source.text);
            let name = path.rsplit(['.', '/', '\\']).next().unwrap_or(path).to_owned();
            let (is_again, has_files) = (!seen.insert(key(&name)), folders.contains(&key(&name)));
            found.push(ListedProgram { name, span: source.span, is_again, has_files });
        }
    }
    found
}
