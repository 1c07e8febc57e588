//! Software configurations (`.sw`): the tasks of a controller, and the programs that they run.

use std::collections::BTreeMap;

use crate::lang::common::starts_with_tag;
use crate::lang::foreign::STUDIO;
use crate::lang::{has_ending, xml};
use crate::text::{Key, SourceSet, Span, key};

const ENDINGS: &[&str] = &["sw"];

/// Returns whether a file lists tasks, by its name.
pub fn is_task_list(name: &str) -> bool {
    has_ending(name, ENDINGS)
}

/// Returns the programs that several tasks of one configuration run, with the place of the second task.
///
/// `Source="Folder.Main.prg"` names the program of the folder `Main`.
pub(crate) fn repeated(sources: &SourceSet) -> BTreeMap<Key, Span> {
    let mut found = BTreeMap::new();
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| is_task_list(&file.name)) {
        if !starts_with_tag(&file.text, STUDIO) {
            continue;
        }
        let read = xml::read(id, &file.text);
        let mut n_tasks: BTreeMap<Key, usize> = BTreeMap::new();
        for task in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Task") {
            let Some(source) = task.attribute("Source") else { continue };
            let path = source.text.strip_suffix(".prg").unwrap_or(&source.text);
            let program = key(path.rsplit(['.', '/', '\\']).next().unwrap_or(path));
            let n = n_tasks.entry(program.clone()).or_default();
            *n += 1;
            if *n == 2 {
                found.entry(program).or_insert(source.span);
            }
        }
    }
    found
}
