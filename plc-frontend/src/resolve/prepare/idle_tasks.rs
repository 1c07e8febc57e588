//! Tasks of a text or of TwinCAT that name no program: they run nothing.

use crate::ast::{Assumed, Resource, Unit};
use crate::lang::is_markup;
use crate::resolve::prepare::application_names::configurations;
use crate::text::{Ignored, SourceSet, Span, key};

/// Notes such tasks; where no task names a program, that all programs run is a condition. PLCopen's reader notes its own.
pub(crate) fn note(units: &mut [Unit], sources: &SourceSet, has_entry: bool) {
    let resources = |unit: &Unit| configurations(unit).flat_map(|it| it.resources.clone()).collect::<Vec<Resource>>();
    let runs_any = units.iter().any(|unit| resources(unit).iter().any(|resource| !resource.programs.is_empty()));
    for unit in units {
        let Some(file) = sources.files.get(unit.file) else { continue };
        // A task in a file of its own is TwinCAT's.
        let is_its = |resource: &&Resource| resource.is_of_one_task || !is_markup(&file.text);
        let idle: Vec<(String, Span)> = resources(unit).iter().filter(is_its).flat_map(idle_tasks).collect();
        if let Some((_, span)) = idle.first().filter(|_| !runs_any && !has_entry) {
            let (condition, reason) = ("each program runs once in each cycle".to_owned(), "no task of the file names a program");
            unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason, span: *span });
        }
        for (name, span) in idle {
            let (what, why) = (format!("task `{name}`"), "it names no PROGRAM, so it runs nothing".to_owned());
            unit.ignored.push(Ignored { span, what, why });
        }
    }
}

/// Returns the tasks of a resource that no program of it names.
fn idle_tasks(resource: &Resource) -> Vec<(String, Span)> {
    let named = |name: &str| resource.programs.iter().filter_map(|it| it.task.as_ref()).any(|task| key(&task.text) == key(name));
    let idle = resource.tasks.iter().filter(|task| !named(&task.name.text));
    idle.map(|task| (task.name.text.clone(), task.name.span)).collect()
}

#[cfg(test)]
mod tests {
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn a_task_that_names_no_program_is_told() {
        let check = |inside: &str, entry: Option<&str>, conditions: &[&str], told: &[&str]| {
            let mut sources = SourceSet::default();
            let text =
                format!("PROGRAM P\nEND_PROGRAM\nCONFIGURATION c\nRESOURCE r ON p\n{inside}\nEND_RESOURCE\nEND_CONFIGURATION\n");
            sources.add("a.st", text);
            let options = LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() };
            let ledger = load(&sources, &options).value.ledger;
            let gaps: Vec<&str> = ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
            let rows: Vec<&str> = ledger.ignored.iter().map(|row| row.what.as_str()).collect();
            assert_eq!((gaps.as_slice(), rows.as_slice()), (conditions, told), "{inside}");
        };
        let (one, two) = ("TASK t(INTERVAL := T#10ms);", "TASK t(INTERVAL := T#10ms); TASK u(INTERVAL := T#20ms);");
        let all = ["each program runs once in each cycle"];
        check(&format!("{one}\nPROGRAM i WITH T : P;"), None, &[], &[]);
        check(&format!("{two}\nPROGRAM i WITH t : P;"), None, &[], &["task `u`"]);
        check(one, None, &all, &["task `t`"]);
        let chosen = ["`P` runs in each cycle, though no task of the upload runs it"];
        check(one, Some("P"), &chosen, &["task `t`"]);
        check("PROGRAM i : P;", None, &[], &[]);
    }

    #[test]
    fn a_task_of_twincat_that_calls_no_program_is_told() {
        let check = |calls: &[&str], entry: Option<&str>, conditions: &[&str], told: &[&str]| {
            let mut sources = SourceSet::default();
            for name in ["P", "Q"] {
                let text = format!(
                    "<TcPlcObject><POU Name=\"{name}\"><Declaration><![CDATA[PROGRAM {name}\nVAR n : INT; END_VAR]]></Declaration>\
                    <Implementation><ST><![CDATA[n := 1;]]></ST></Implementation><Action Name=\"Act\"><Implementation><ST>\
                    <![CDATA[n := 2;]]></ST></Implementation></Action></POU></TcPlcObject>"
                );
                sources.add(format!("{name}.TcPOU"), text);
            }
            for (at, call) in calls.iter().enumerate() {
                let call = if call.is_empty() { String::new() } else { format!("<PouCall><Name>{call}</Name></PouCall>") };
                let task = format!("<Task Name=\"T{at}\"><CycleTime>10000</CycleTime><Priority>{at}</Priority>{call}</Task>");
                sources.add(format!("T{at}.TcTTO"), format!("<TcPlcObject>{task}</TcPlcObject>"));
            }
            let options = LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() };
            let loaded = load(&sources, &options).value;
            let gaps: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
            let rows: Vec<&str> = loaded.ledger.ignored.iter().map(|row| row.what.as_str()).collect();
            assert_eq!((gaps.as_slice(), rows.as_slice()), (conditions, told), "{calls:?} {entry:?}");
        };
        let (p, q) = (
            "`P` runs in each cycle, though no task of the upload runs it",
            "`Q` runs in each cycle, though no task of the upload runs it",
        );
        check(&[""], None, &["each program runs once in each cycle"], &["task `T0`"]);
        check(&[""], Some("P"), &[p], &["task `T0`"]);
        check(&["P", ""], None, &["PROGRAM `Q` in no task"], &["task `T1`"]);
        // Only an action of the program is called.
        let member = "`P.Act`, which a task runs by itself, writes no variables but inputs";
        check(&["P.Act"], None, &[member, p, q], &[]);
        check(&["P.Act"], Some("P"), &[p, member], &[]);
        check(&["P.Act", "P"], None, &[member, "PROGRAM `Q` in no task"], &[]);
    }
}
