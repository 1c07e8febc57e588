//! Software configurations (`.sw`): the tasks of a controller, and the programs that they run. Hardware configurations (`.hw`) state
//! the durations of classes of tasks.

use std::collections::BTreeSet;

use crate::lang::common::excluded::{folder_of, normal_path};
use crate::lang::common::starts_with_tag;
use crate::lang::foreign::STUDIO;
use crate::lang::{has_ending, is_ignored, is_settings_of_tasks, xml};
use crate::text::{Key, SourceSet, Span, key};

const ENDINGS: &[&str] = &["sw"];
const HARDWARE: &[&str] = &["hw"];

/// Returns whether a file lists tasks of a controller or states their cycles, by its name.
pub fn is_task_list(name: &str) -> bool {
    has_ending(name, ENDINGS) || has_ending(name, HARDWARE) || is_settings_of_tasks(name)
}

/// Class of tasks with its duration.
#[derive(Clone)]
pub(crate) struct TaskClass {
    /// `Cyclic#1`.
    pub(crate) name: String,
    /// Its duration in nanoseconds.
    pub(crate) ns: i128,
    /// Place of the duration.
    pub(crate) span: Span,
}

/// Returns the class of the tasks that run these programs; `None` where a duration is not stated, or several differ.
///
/// Soundness: the time between two cycles is known only where all configurations of the upload state the same one.
pub(crate) fn class_of(sources: &SourceSet, runs: &BTreeSet<Key>) -> Option<TaskClass> {
    let mut found: Option<TaskClass> = None;
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| has_ending(&file.name, ENDINGS)) {
        let read = xml::read(id, &file.text);
        for task in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Task") {
            let is_its = task.attribute("Source").is_some_and(|source| runs.contains(&key(&program_of(&source.text))));
            if !is_its {
                continue;
            }
            let class = task.parent().filter(|parent| parent.name() == "TaskClass")?.attribute("Name")?;
            let class = duration(sources, &file.name, class.text.trim())?;
            if found.as_ref().is_some_and(|found| found.ns != class.ns) {
                return None;
            }
            found = Some(class);
        }
    }
    found
}

/// Returns a class with its duration, as the hardware configuration of a folder around a software configuration states it.
fn duration(sources: &SourceSet, software: &str, class: &str) -> Option<TaskClass> {
    let number = class.strip_prefix("Cyclic#")?;
    let (parameter, path) = (format!("Cyclic{number}Duration"), normal_path(software));
    let mut found: Option<TaskClass> = None;
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| has_ending(&file.name, HARDWARE)) {
        if !path.starts_with(folder_of(&normal_path(&file.name))) {
            continue;
        }
        let read = xml::read(id, &file.text);
        for element in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Parameter") {
            if element.attribute("ID").is_none_or(|name| name.text.trim() != parameter) {
                continue;
            }
            let value = element.attribute("Value")?;
            // In microseconds.
            let us = value.text.trim().parse::<u32>().ok().filter(|us| 0 < *us)?;
            let ns = i128::from(us) * 1000;
            if found.as_ref().is_some_and(|found| found.ns != ns) {
                return None;
            }
            found = Some(TaskClass { name: class.to_owned(), ns, span: value.span });
        }
    }
    found
}

/// Returns the name of a program, which is that of its folder: `Source="Folder.Main.prg"`.
fn program_of(source: &str) -> String {
    let path = source.strip_suffix(".prg").unwrap_or(source);
    path.rsplit(['.', '/', '\\']).next().unwrap_or(path).to_owned()
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

/// Returns the place of the first software configuration of Automation Studio.
pub(crate) fn first_task_list(sources: &SourceSet) -> Option<Span> {
    let mut lists = sources.files.iter_enumerated().filter(|(_, file)| has_ending(&file.name, ENDINGS));
    let (file, _) = lists.find(|(_, file)| starts_with_tag(&file.text, STUDIO))?;
    Some(Span { file, start: 0, end: 0 })
}

/// Returns the programs that tasks run, each time.
pub(crate) fn listed_programs(sources: &SourceSet) -> Vec<ListedProgram> {
    let folder = |name: &str| name.rsplit(['/', '\\']).nth(1).map(key);
    let may_have_code = sources.files.iter().filter(|file| !is_ignored(&file.name));
    let folders: BTreeSet<Key> = may_have_code.filter_map(|file| folder(&file.name)).collect();
    let mut found = Vec::new();
    for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| has_ending(&file.name, ENDINGS)) {
        if !starts_with_tag(&file.text, STUDIO) {
            continue;
        }
        let read = xml::read(id, &file.text);
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        for task in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Task") {
            let Some(source) = task.attribute("Source") else { continue };
            let name = program_of(&source.text);
            let (is_again, has_files) = (!seen.insert(key(&name)), folders.contains(&key(&name)));
            found.push(ListedProgram { name, span: source.span, is_again, has_files });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the duration of the class of the program `A`, in microseconds.
    fn check(hardware: &[(&str, &str)], expected: Option<i128>) {
        let mut sources = SourceSet::default();
        let head = "<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.12?>\n";
        let software = format!(
            "{head}<SwConfiguration><TaskClass Name=\"Cyclic#1\"><Task Name=\"A\" Source=\"Line.A.prg\"/></TaskClass>\
             <TaskClass Name=\"Cyclic#4\"><Task Name=\"B\" Source=\"B.prg\"/></TaskClass></SwConfiguration>"
        );
        sources.add("Physical/C/PLC1/Cpu.sw", software.clone());
        sources.add("Physical/D/PLC1/Cpu.sw", software);
        for (folder, parameters) in hardware {
            sources.add(
                format!("Physical/{folder}/Hardware.hw"),
                format!("{head}<Hardware><Module>{parameters}</Module></Hardware>"),
            );
        }
        let class = class_of(&sources, &BTreeSet::from([key("A")]));
        assert_eq!(
            class.map(|class| (class.name, class.ns)),
            expected.map(|us| ("Cyclic#1".to_owned(), us * 1000)),
            "{hardware:?}"
        );
    }

    #[test]
    fn classes_of_tasks_have_durations() {
        let both = "<Parameter ID=\"Cyclic1Duration\" Value=\"10000\"/><Parameter ID=\"Cyclic4Duration\" Value=\"200000\"/>";
        let other = "<Parameter ID=\"Cyclic1Duration\" Value=\"2000\"/>";
        check(&[("C", both), ("D", both)], Some(10_000));
        check(&[("C", both), ("D", other)], None);
        check(&[("C", both)], None);
        check(&[("C", other), ("D", other)], Some(2_000));
        check(&[("C", "<Parameter ID=\"Cyclic4Duration\" Value=\"200000\"/>"), ("D", both)], None);
        check(&[("C", &other.replace("2000", "x")), ("D", both)], None);
    }
}
