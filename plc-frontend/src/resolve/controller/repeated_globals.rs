//! Conditions about global variables that several loose files declare.
//!
//! An application has one variable of a name. Loose files may belong to one application or to several, and no file tells which.
//!
//! | declarations | read as | condition |
//! |---|---|---|
//! | equal word for word | one variable | they belong to one application |
//! | others, in two folders | two variables | the folders belong to two applications |
//!
//! Soundness: each reading lets proofs pass that the other one breaks.

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{Extent, GlobalId, Project, Root};
use crate::resolve::names::spaces::Spaces;
use crate::resolve::prepare::repeated_declarations::REPEATED_GLOBALS;
use crate::text::quoted::is_from_quotes;
use crate::text::{FileId, Gap, Ledger, Origin, SourceSet, Span, Treatment, key};

/// Notes the conditions.
///
/// Cost: linear in the global variables and in the texts of repeated declarations.
pub(crate) fn note(project: &mut Project, ledger: &mut Ledger, sources: &SourceSet, spaces: &Spaces) {
    let found: Vec<(Gap, BTreeSet<GlobalId>)> =
        merged(project, ledger, sources).into_iter().chain(divided(project, sources, spaces)).collect();
    if found.is_empty() {
        return;
    }
    let leaves = project.leaves();
    for (gap, globals) in found {
        let is_one = |root: Root| matches!(root, Root::Global(global) if globals.contains(&global));
        let names = leaves.iter().filter(|leaf| is_one(leaf.root) && !leaf.constant).map(|leaf| leaf.name.clone());
        let names: BTreeSet<String> = names.collect();
        if !names.is_empty() {
            project.beside.insert(gap.span, Extent::Leaves(names));
            ledger.gap(gap);
        }
    }
}

/// Returns the conditions about variables that are one, with these variables.
fn merged(project: &Project, ledger: &Ledger, sources: &SourceSet) -> Vec<(Gap, BTreeSet<GlobalId>)> {
    let condition = |span: Span, why: &str| {
        let text = sources.declaration(span);
        let words: BTreeSet<_> = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(key).collect();
        // Names in quotes have other words in the text.
        let is_named = |name: &str| is_from_quotes(name) || words.contains(&key(name));
        let rows = project.globals.iter_enumerated().filter(|(_, var)| is_of_user(sources, var.span.file));
        let globals = rows.filter(|(_, var)| is_named(var.name.rsplit('.').next().unwrap_or(&var.name))).map(|(id, _)| id);
        let globals = globals.collect();
        let construct = format!("the global variables of `{}` are {why}", file_name(sources, span.file));
        let effect = "in two applications each has variables of its own; leave out the files of the other one".to_owned();
        (Gap { span, construct, treatment: Treatment::Assumed, effect }, globals)
    };
    let rows = ledger.ignored.iter().filter(|row| row.what == REPEATED_GLOBALS);
    rows.map(|row| condition(row.span, &row.why)).collect()
}

/// Returns the conditions about variables of one name that are two, with these variables.
fn divided(project: &Project, sources: &SourceSet, spaces: &Spaces) -> Vec<(Gap, BTreeSet<GlobalId>)> {
    if !spaces.has_folders {
        return Vec::new();
    }
    let mut by_name: BTreeMap<_, Vec<GlobalId>> = BTreeMap::new();
    for (id, var) in project.globals.iter_enumerated().filter(|(_, var)| is_of_user(sources, var.span.file)) {
        let folder = format!("{}.", spaces.name(spaces.of(var.span.file)));
        by_name.entry(key(var.name.strip_prefix(&folder).unwrap_or(&var.name))).or_default().push(id);
    }
    let mut found = Vec::new();
    for globals in by_name.into_values() {
        let [first, others @ ..] = globals.as_slice() else { continue };
        let files = |other: &GlobalId| [*first, *other].map(|id| file_name(sources, project.globals[id].span.file));
        for other in others {
            let var = &project.globals[*other];
            let name = var.name.rsplit('.').next().unwrap_or(&var.name);
            let [a, b] = files(other);
            let construct = format!("`{name}` of `{a}` and `{name}` of `{b}` are two variables");
            let effect = "in one application there is one variable of a name; leave out one declaration".to_owned();
            let gap = Gap { span: var.span, construct, treatment: Treatment::Assumed, effect };
            found.push((gap, BTreeSet::from([*first, *other])));
        }
    }
    found
}

fn is_of_user(sources: &SourceSet, file: FileId) -> bool {
    sources.files.get(file).is_some_and(|file| file.origin == Origin::User)
}

fn file_name(sources: &SourceSet, file: FileId) -> &str {
    sources.files.get(file).map_or("", |file| file.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::load_isolated;
    use crate::resolve::LoadOptions;

    /// Checks the variables of each condition.
    #[track_caller]
    fn check(first: &str, second: &str, expected: &[(&str, &[&str])]) {
        for names in [["a.st", "B/b.st"], ["A/a.st", "B/b.st"]] {
            let mut sources = SourceSet::default();
            sources.add(names[0], format!("{first}PROGRAM Main\nVAR n : INT; END_VAR\nn := n + 1;\nEND_PROGRAM\n"));
            sources.add(names[1], format!("{second}PROGRAM Other\nVAR n : INT; END_VAR\nn := 1;\nEND_PROGRAM\n"));
            let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
            assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
            let project = &loaded.value.project;
            let told = loaded.value.ledger.gaps.iter().filter_map(|gap| {
                let words: Vec<&str> = gap.construct.rsplit(' ').take(2).collect();
                let Some(Extent::Leaves(names)) = project.beside.get(&gap.span) else { return None };
                Some((
                    words[0],
                    names.iter().map(|name| name.rsplit('.').next().unwrap_or(name).to_lowercase()).collect::<Vec<_>>(),
                ))
            });
            let told: Vec<(&str, Vec<String>)> = told.collect();
            let names_of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let expected: Vec<(&str, Vec<String>)> = expected.iter().map(|(word, names)| (*word, names_of(names))).collect();
            assert_eq!(told, expected, "{names:?} {first} {second}");
        }
    }

    #[test]
    fn global_variables_that_two_folders_declare() {
        let block = |vars: &str| format!("VAR_GLOBAL\n {vars}\nEND_VAR\n");
        let (o, both) = (block("o : BOOL;"), block("o : BOOL; p : INT := 7;"));
        check(&o, &o, &[("1", &["o"])]);
        check(&both, &both.replace(";", " ;").replace(" ;", ";"), &[("1", &["o", "p"])]);
        check(&o, &both, &[("variables", &["o", "o"])]);
        check(&o, &block("o : BOOL := TRUE;"), &[("variables", &["o", "o"])]);
        check(&o, &block("O : BOOL;"), &[("variables", &["o", "o"])]);
        check(&o, &block("p : BOOL;"), &[]);
        let constant = o.replace("GLOBAL", "GLOBAL CONSTANT").replace("BOOL", "BOOL := TRUE");
        check(&constant, &constant, &[]);
    }

    /// The other program writes the variable.
    #[test]
    fn equal_declarations_are_one_variable() {
        let globals = "VAR_GLOBAL\n o : BOOL;\nEND_VAR\n";
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{globals}PROGRAM Main\nVAR n : INT; END_VAR\nn := n + 1;\nEND_PROGRAM\n"));
        sources.add("B/b.st", format!("{globals}PROGRAM Other\no := TRUE;\nEND_PROGRAM\n"));
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
        let project = &loaded.value.project;
        assert_eq!(project.globals.iter().map(|var| var.name.as_str()).collect::<Vec<_>>(), ["o"]);
        assert!(project.environment.contains_key("o"), "{:?}", project.environment);
    }
}
