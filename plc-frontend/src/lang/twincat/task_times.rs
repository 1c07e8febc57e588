//! Cycles of tasks in the settings of a solution (`.tsproj`): those that TwinCAT activates. A `.TcTTO` states one of its own.

use crate::ast::{Assumed, ExprKind, Item, Literal, TaskConfig, Unit};
use crate::lang::common::excluded::{folder_of, normal_path};
use crate::lang::{has_ending, xml};
use crate::text::{Origin, SourceSet, Span, key};

/// Reason of the condition of a task with two cycles.
pub(crate) const TWO_CYCLES: &str = "the files state two cycles of the task, and the controller has one of them";
/// Endings of settings of TwinCAT that list tasks with their cycles and names for conditional text.
const SETTINGS_OF_TASKS: &[&str] = &["tsproj", "tspproj", LINKED];
/// Ending of a part of these settings in a file of its own, which the solution links.
const LINKED: &str = "xti";
/// Folder of such parts, beside the solution.
const LINKED_FOLDER: &str = "_config/";
/// Nanoseconds of the unit of `CycleTime` in these settings.
const UNIT_NS: i128 = 100;

/// Returns whether a file holds settings of a solution of TwinCAT, by its name.
pub(crate) fn is_settings_of_tasks(name: &str) -> bool {
    has_ending(name, SETTINGS_OF_TASKS)
}

/// Task in the settings of a solution.
struct Row {
    /// Folder of the settings.
    folder: String,
    /// Name of the file.
    file: String,
    task: String,
    ns: i128,
}

/// Adds a condition for each task whose settings state another cycle.
pub(crate) fn note(units: &mut [Unit], sources: &SourceSet) {
    let rows = rows(sources);
    if rows.is_empty() {
        return;
    }
    for unit in units {
        let Some(file) = sources.files.get(unit.file) else { continue };
        let path = normal_path(&file.name);
        let configurations = unit
            .items
            .iter()
            .filter_map(|item| if let Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let resources = configurations
            .flat_map(|configuration| &configuration.resources)
            .filter(|it| it.is_of_one_task && !it.programs.is_empty());
        let mut found = Vec::new();
        for task in resources.flat_map(|resource| &resource.tasks) {
            let Some((ns, span)) = interval(task) else { continue };
            let is_other = |row: &&Row| path.starts_with(&row.folder) && key(&row.task) == key(&task.name.text) && row.ns != ns;
            let Some(row) = rows.iter().find(is_other) else { continue };
            let ms = |ns: i128| ns as f64 / 1e6;
            let (name, own) = (&task.name.text, last_part(&file.name));
            let condition = format!(
                "task `{name}` runs every {} ms, as `{own}` says, not every {} ms, as `{}` says",
                ms(ns),
                ms(row.ns),
                row.file
            );
            found.push(Assumed { is_cut: false, about: Vec::new(), condition, reason: TWO_CYCLES, span });
        }
        unit.assumed.append(&mut found);
    }
}

/// Returns the interval of a task in nanoseconds, with its place.
fn interval(task: &TaskConfig) -> Option<(i128, Span)> {
    let setting = task.settings.iter().find(|setting| setting.name.text == "INTERVAL")?;
    let ExprKind::Literal(_, Literal::Duration { ns, .. }) = setting.value.kind else { return None };
    Some((ns, setting.value.span))
}

/// Returns the tasks of all settings of solutions.
fn rows(sources: &SourceSet) -> Vec<Row> {
    let users = sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    let mut rows = Vec::new();
    for (id, file) in users.filter(|(_, file)| is_settings_of_tasks(&file.name)) {
        let path = normal_path(&file.name);
        let read = xml::read(id, &file.text);
        for task in read.value.root().into_iter().flat_map(|root| root.descendants()).filter(|e| e.name() == "Task") {
            let name = task.child("Name").map(|name| name.text().trim().to_owned()).filter(|name| !name.is_empty());
            let (Some(name), Some(units)) = (name, task.parsed::<u32>("CycleTime")) else { continue };
            let (folder, file) = (solution_folder(&path).to_owned(), last_part(&file.name).to_owned());
            rows.push(Row { folder, file, task: name, ns: i128::from(units) * UNIT_NS });
        }
    }
    rows
}

/// Returns the folder of the solution that settings belong to.
fn solution_folder(path: &str) -> &str {
    let inside = path.find(LINKED_FOLDER).filter(|at| *at == 0 || path[..*at].ends_with('/'));
    match inside.filter(|_| has_ending(path, &[LINKED])) {
        Some(at) => &path[..at],
        None => folder_of(path),
    }
}

/// Returns a name without its folders, as it is written.
fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use crate::hir::Extent;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    /// Checks the conditions about cycles for a cycle in microseconds, and one in the settings.
    fn check(settings: &str, tasks: &[(&str, u32)], units: u32, expected: &[(&str, Extent)]) {
        let mut sources = SourceSet::default();
        let listed: Vec<String> = (1..=tasks.len()).map(|at| format!("<Compile Include=\"T{at}.TcTTO\"/>")).collect();
        sources.add(
            "P/P.plcproj",
            format!(
                "<Project><PropertyGroup><Name>P</Name></PropertyGroup><ItemGroup><Compile Include=\"A.TcPOU\"/>{}</ItemGroup></Project>",
                listed.concat()
            ),
        );
        sources.add(
            "P/A.TcPOU",
            "<TcPlcObject><POU Name=\"A\"><Declaration><![CDATA[PROGRAM A\nVAR n : INT; END_VAR]]></Declaration>\
            <Implementation><ST><![CDATA[n := 1;]]></ST></Implementation></POU></TcPlcObject>",
        );
        for (at, (name, us)) in tasks.iter().enumerate() {
            let text = format!(
                "<TcPlcObject><Task Name=\"{name}\"><CycleTime>{us}</CycleTime><Priority>{at}</Priority><PouCall><Name>A\
                </Name></PouCall></Task></TcPlcObject>"
            );
            sources.add(format!("P/T{}.TcTTO", at + 1), text);
        }
        let text = format!(
            "<TcSmProject><Project><System><Tasks><Task Id=\"3\" Priority=\"20\" CycleTime=\"{units}\"><Name>plctask</Name>\
            </Task></Tasks></System></Project></TcSmProject>"
        );
        sources.add(settings, text);
        let loaded = load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains(" ms"));
        let found: Vec<(&str, Extent)> = gaps
            .map(|gap| (gap.construct.as_str(), loaded.value.project.beside.get(&gap.span).cloned().expect("an extent")))
            .collect();
        assert_eq!(found, expected, "{settings} {tasks:?} {units}");
    }

    #[test]
    fn settings_of_a_solution_that_state_another_cycle_are_a_condition() {
        let told = "task `PlcTask` runs every 10 ms, as `T1.TcTTO` says, not every 50 ms, as `S.tsproj` says";
        check("S.tsproj", &[("PlcTask", 10_000)], 500_000, &[(told, Extent::Time)]);
        check("S.tsproj", &[("PlcTask", 10_000)], 100_000, &[]);
        check("S.tsproj", &[("Other", 10_000)], 500_000, &[]);
        check("Q/S.tsproj", &[("PlcTask", 10_000)], 500_000, &[]);
        check("S.tsproj", &[("PlcTask", 10_000), ("Slow", 20_000)], 500_000, &[(told, Extent::All)]);
        // The solution links a file for the task.
        let linked = "task `PlcTask` runs every 10 ms, as `T1.TcTTO` says, not every 50 ms, as `PlcTask.xti` says";
        check("_Config/TASK/PlcTask.xti", &[("PlcTask", 10_000)], 500_000, &[(linked, Extent::Time)]);
        check("_Config/TASK/PlcTask.xti", &[("PlcTask", 10_000)], 100_000, &[]);
        check("Q/_Config/TASK/PlcTask.xti", &[("PlcTask", 10_000)], 500_000, &[]);
    }

    #[test]
    fn intervals_below_a_millisecond_are_rounded() {
        check("Q/S.tsproj", &[("T", 500)], 1, &[("the interval of task `T`, 0.5 ms, is 1 ms", Extent::Time)]);
        check("Q/S.tsproj", &[("T", 1_400)], 1, &[("the interval of task `T`, 1.4 ms, is 1 ms", Extent::Time)]);
        check("Q/S.tsproj", &[("T", 1_500), ("U", 2_000)], 1, &[("the interval of task `T`, 1.5 ms, is 2 ms", Extent::All)]);
        check("Q/S.tsproj", &[("T", 2_000)], 1, &[]);
    }
}
