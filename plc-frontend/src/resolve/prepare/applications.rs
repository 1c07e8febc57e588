//! Several applications in one file: an export of CODESYS holds a CONFIGURATION for each device, with names of its own. If two
//! of them declare the same name, one is read: the one of the chosen entry, or the first.
//!
//! The devices run apart from each other, so answers about one do not depend on the others; a warning and the ledger name the
//! omitted ones.

use crate::ast::{Assumed, Configuration, Item, Resource, Section, Unit, VarBlock};
use crate::lang::is_markup;
use crate::resolve::LoadOptions;
use crate::resolve::classes::inheritance;
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::declaration_order::configured_globals;
use crate::text::{Diagnostic, Ignored, SourceSet, Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Reason of the condition about programs of an application that is left out.
pub(crate) const BESIDE: &str = "it is left out, and what its programs write there can break what holds here";
/// Address of the schemas in exports of CODESYS.
const CODESYS: &str = "3s-software.com/plcopenxml";

/// Leaves out the declarations of other applications.
pub(crate) fn choose(units: &mut [Unit], sources: &SourceSet, options: &LoadOptions, findings: &mut Vec<Diagnostic>) {
    let text = |unit: &Unit| sources.files.get(unit.file).map_or("", |file| file.text.as_str());
    let is_list = |item: &Item| matches!(item, Item::Globals(_));
    let has_globals = units.iter().any(|unit| !is_markup(text(unit)) && unit.items.iter().any(is_list));
    for unit in units {
        let text = text(unit);
        match &options.project {
            Some(name) => choose_resource(unit, name, has_globals, findings),
            None if options.entry.is_none() => findings.extend(several_resources(unit, text.contains(CODESYS))),
            None => {}
        }
        choose_in(unit, options, findings);
    }
}

/// Returns the error that one of several applications of a device has to be chosen. `is_codesys`: each has variables of its own.
///
/// Resources of one configuration are read as one program, unless they declare variables of one name.
fn several_resources(unit: &Unit, is_codesys: bool) -> Option<Diagnostic> {
    unit.items.iter().filter_map(as_configuration).find_map(|configuration| {
        let runs = |it: &&Resource| !it.programs.is_empty() && !it.is_of_one_task;
        let running: Vec<&Resource> = configuration.resources.iter().filter(runs).collect();
        let mut homes: BTreeMap<Key, usize> = BTreeMap::new();
        let blocks = running.iter().enumerate().flat_map(|(at, it)| it.vars.iter().map(move |block| (at, block)));
        let vars = blocks.filter(|(_, block)| block.section == Section::Global).flat_map(|(at, block)| {
            let names = block_names(block);
            names.into_iter().map(move |name| (at, name))
        });
        let shared = vars.into_iter().find(|(at, name)| *homes.entry(name.clone()).or_insert(*at) != *at).map(|(_, name)| name);
        let names: Option<Vec<String>> = running.iter().map(|it| Some(format!("`{}`", it.name.as_ref()?.text))).collect();
        let names = names.filter(|names| 1 < names.len() && (is_codesys || shared.is_some()))?.join(", ");
        let why = match shared {
            Some(shared) if !is_codesys => format!(", and more than one declares `{shared}`"),
            Some(_) | None => String::new(),
        };
        let message =
            format!("`{}` runs {} applications{why}; one of them is verified: {names}", configuration.title(), running.len());
        // The error belongs to no part of the file: without one of them there is no program.
        let finding = Diagnostic::error(codes::SEVERAL_PROJECTS, Span::new(unit.file, 0, 0), message, "this file holds them");
        Some(finding.help("choose one with `--project NAME`, or with `project: NAME` among the requirements"))
    })
}

/// Leaves out the other applications of a device, if one of several has the chosen name.
///
/// Soundness: variables of the configuration, and in texts those of the file, belong to all of them. That the others do not write them
/// is a condition.
fn choose_resource(unit: &mut Unit, name: &str, has_globals: bool, findings: &mut Vec<Diagnostic>) {
    let is_chosen = |resource: &Resource| resource.name.as_ref().is_some_and(|own| own.text.eq_ignore_ascii_case(name.trim()));
    // A device with this name means all of its applications.
    if unit
        .items
        .iter()
        .filter_map(as_configuration)
        .any(|it| it.name.as_ref().is_some_and(|own| own.text.eq_ignore_ascii_case(name.trim())))
    {
        return;
    }
    let named = unit.items.iter().filter_map(as_configuration).flat_map(|it| &it.resources).filter(|it| is_chosen(it)).count();
    if named != 1 {
        return;
    }
    let mut others: Vec<Span> = Vec::new();
    for item in &mut unit.items {
        let Item::Configuration(configuration) = item else { continue };
        if !configuration.resources.iter().any(is_chosen) {
            continue;
        }
        let has_shared = has_globals || !configuration.vars.is_empty();
        for other in configuration.resources.iter().filter(|resource| !is_chosen(resource)) {
            let title = other.name.as_ref().map_or("", |own| own.text.as_str());
            let place = other.name.as_ref().map_or(other.span, |own| own.span);
            let what = format!("the application `{title}`");
            let message = format!("{what} is left out: another one is chosen");
            findings.push(
                Diagnostic::error(codes::OTHER_APPLICATION, place, message, "a program of its own")
                    .warning()
                    .help("applications have variables of their own: to verify this one, choose it with --project"),
            );
            let own = if has_shared { "" } else { "it has variables of its own, and " };
            let why = format!("{own}what is verified is another one's program");
            if has_shared && !other.programs.is_empty() {
                let condition = format!("{what} writes no variable that it shares with the chosen one");
                unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason: BESIDE, span: place });
            }
            unit.ignored.push(Ignored { span: place, what, why });
            others.push(other.span);
        }
        configuration.resources.retain(is_chosen);
    }
    let is_inside =
        |span: Span| others.iter().any(|other| other.file == span.file && other.start <= span.start && span.end <= other.end);
    unit.items.retain(|item| !is_inside(item.span()));
}

/// Returns the places of the applications of a file, in its order.
pub(crate) fn homes(unit: &Unit) -> Vec<Span> {
    let configurations = unit.items.iter().filter_map(as_configuration);
    let mut spans: Vec<Span> = configurations.map(|configuration| configuration.span).collect();
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    // An application inside of another is a part of it.
    let mut end = 0;
    spans.retain(|span| {
        let is_outer = end <= span.start;
        end = end.max(span.end);
        is_outer
    });
    spans
}

/// Returns the position of the home that holds a declaration.
pub(crate) fn home_of(homes: &[Span], span: Span) -> Option<usize> {
    let before = homes.partition_point(|home| home.start <= span.start).checked_sub(1)?;
    homes.get(before).filter(|home| span.file == home.file && span.end <= home.end).map(|_| before)
}

/// Returns the names of the variables of a list; in a named list they include its name.
fn block_names(block: &VarBlock) -> Vec<Key> {
    let name = |var: &str| match &block.list {
        Some(list) => key(&format!("{}.{var}", list.name.text)),
        None => key(var),
    };
    block.vars.iter().map(|var| name(&var.name.text)).collect()
}

/// Returns the names that a declaration adds to the whole program; those of variables in named lists include their list.
pub(crate) fn names(item: &Item) -> Vec<Key> {
    match item {
        Item::Globals(block) => block_names(block),
        Item::Configuration(configuration) => configured_globals(configuration).flat_map(block_names).collect(),
        Item::Pou(_) | Item::Type(_) | Item::Interface(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {
            item.name().map(|name| key(&name.text)).into_iter().collect()
        }
    }
}

fn choose_in(unit: &mut Unit, options: &LoadOptions, findings: &mut Vec<Diagnostic>) {
    let homes = homes(unit);
    if homes.len() < 2 {
        return;
    }
    let mut first: BTreeMap<Key, usize> = BTreeMap::new();
    let mut shared: Option<Key> = None;
    for item in &unit.items {
        let Some(home) = home_of(&homes, item.span()) else { continue };
        for name in names(item) {
            if *first.entry(name.clone()).or_insert(home) != home {
                shared.get_or_insert(name);
            }
        }
    }
    let named = options.project.as_deref().and_then(|name| home_of_name(unit, &homes, name));
    if shared.is_none() && named.is_none() {
        return;
    }
    let of_entry = || options.entry.as_deref().and_then(|entry| home_of_entry(unit, &homes, entry));
    let chosen = named.or_else(of_entry).unwrap_or(0);
    let reason = match shared.filter(|_| named.is_none()) {
        Some(shared) => format!("it declares `{shared}` too, as another one of this project does"),
        None => "another one is chosen".to_owned(),
    };
    let mut left_out = BTreeSet::new();
    let items = std::mem::take(&mut unit.items);
    for item in items {
        match home_of(&homes, item.span()) {
            Some(home) if home != chosen => {
                if let Some(configuration) = as_configuration(&item)
                    && left_out.insert(home)
                {
                    let (name, span) = (configuration.title(), configuration.place());
                    let what = format!("the application `{name}`");
                    let message = format!("{what} is left out: {reason}");
                    let help =
                        "devices run apart from each other: to verify this one, export it alone, or choose it with --project";
                    findings.push(
                        Diagnostic::error(codes::OTHER_APPLICATION, span, message, "a program of its own").warning().help(help),
                    );
                    let why = "it runs on a device of its own, and what is verified is another one's program".to_owned();
                    unit.ignored.push(Ignored { span, what, why });
                }
            }
            Some(_) | None => unit.items.push(item),
        }
    }
}

/// Returns the home of the only application with this name.
fn home_of_name(unit: &Unit, homes: &[Span], name: &str) -> Option<usize> {
    application(unit, name).and_then(|configuration| home_of(homes, configuration.span))
}

/// Returns the application with this name, if there is exactly one.
pub(crate) fn application<'u>(unit: &'u Unit, name: &str) -> Option<&'u Configuration> {
    let mut named = unit.items.iter().filter_map(as_configuration).filter(|configuration| configuration.is_named(name));
    named.next().filter(|_| named.next().is_none())
}

/// Returns the home that declares the entry, or else runs it.
fn home_of_entry(unit: &Unit, homes: &[Span], entry: &str) -> Option<usize> {
    let declares = |item: &&Item| matches!(item, Item::Pou(pou) if key(&pou.name.text) == key(entry));
    let runs = |item: &&Item| {
        let resources = as_configuration(item).into_iter().flat_map(|configuration| &configuration.resources);
        resources.flat_map(|resource| &resource.programs).any(|program| {
            let ident = inheritance::last_name(&program.program);
            key(&ident.text) == key(entry) || key(&program.name.text) == key(entry)
        })
    };
    let declaring = unit.items.iter().filter(declares).find_map(|item| home_of(homes, item.span()));
    declaring.or_else(|| unit.items.iter().filter(runs).find_map(|item| home_of(homes, item.span())))
}

fn as_configuration(item: &Item) -> Option<&Configuration> {
    if let Item::Configuration(configuration) = item { Some(configuration) } else { None }
}

#[cfg(test)]
mod tests {
    use crate::part::Parts;
    use crate::resolve::testing::summary;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    /// Returns an application of CODESYS: a list of global variables, a program that uses it and a task.
    fn application(device: &str, list: &str, program: &str, value: &str) -> String {
        let words = "http://www.3s-software.com/plcopenxml";
        format!(
            "<configuration name=\"{device}\"><resource name=\"App\"><task name=\"T\" interval=\"PT0.01S\" priority=\"1\">\
             <pouInstance name=\"{program}\" typeName=\"\"/></task>\
             <globalVars name=\"{list}\"><variable name=\"x\"><type><INT/></type><initialValue><simpleValue value=\"{value}\"/>\
             </initialValue></variable></globalVars>\
             <addData><data name=\"{words}/pou\" handleUnknown=\"implementation\"><pou name=\"{program}\" pouType=\"program\">\
             <interface/><body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">{list}.x := F({list}.x);</xhtml></ST></body></pou></data></addData>\
             </resource></configuration>\n"
        )
    }

    fn export(applications: &str) -> SourceSet {
        let mut sources = SourceSet::default();
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<project xmlns=\"http://www.plcopen.org/xml/tc6_0200\">\n<types><dataTypes/><pous>\
             <pou name=\"F\" pouType=\"function\"><interface><returnType><INT/></returnType><inputVars><variable name=\"a\"><type><INT/></type></variable></inputVars>\
             </interface><body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">F := a; </xhtml></ST></body></pou>\
             <pou name=\"G\" pouType=\"function\"><interface><returnType><INT/></returnType></interface>\
             <body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">G := L.x;</xhtml></ST></body></pou></pous></types>\n\
             <instances><configurations>\n{applications}</configurations></instances></project>"
        );
        sources.add("export.xml", text);
        sources
    }

    /// Checks initial values of the global variables, and the findings.
    #[track_caller]
    fn check(applications: &[(&str, &str, &str, &str)], entry: Option<&str>, globals: &str, findings: &str) {
        let text: String = applications.iter().map(|(d, l, p, v)| application(d, l, p, v)).collect();
        let entry = entry.map(str::to_owned);
        let loaded = load(&export(&text), &LoadOptions { entry, ..LoadOptions::default() });
        let project = &loaded.value.project;
        let found: Vec<String> = project.globals.iter().map(|g| format!("{}={:?}", g.name, g.init)).collect();
        let found = found.join(" ").replace("Scalar(Int(", "").replace("))", "");
        let codes = summary(&loaded.value.sources, &loaded.diagnostics, 1);
        assert_eq!((found.as_str(), codes.as_str()), (globals, findings), "{:#?}", loaded.diagnostics);
        let others = loaded.value.ledger.ignored.iter().filter(|i| i.what.starts_with("the application")).count();
        assert_eq!(others, loaded.diagnostics.len());
    }

    #[test]
    fn one_of_several_applications_is_read() {
        let (a, b) = (("A", "L", "P", "1"), ("B", "L", "Q", "2"));
        check(&[a], None, "x=1", "");
        check(&[a, b], None, "x=1", "P4107@6:22 warning");
        check(&[a, b], Some("P"), "x=1", "P4107@6:22 warning");
        check(&[a, b], Some("q"), "x=2", "P4107@5:22 warning");
        // Each application has its own main program.
        check(&[a, ("B", "M", "P", "2")], None, "x=1", "P4107@6:22 warning");
        // Different names: both run.
        check(&[a, ("B", "M", "Q", "2")], None, "x=1 M.x=2", "");
    }

    #[test]
    fn an_application_is_chosen_by_its_name() {
        let check = |text: &str, project: &str, globals: &[&str], codes: &[&str]| {
            let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
            let loaded = load(&export(text), &options);
            let found: Vec<&str> = loaded.value.project.globals.iter().map(|global| global.name.as_str()).collect();
            let found_codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!((found.as_slice(), found_codes.as_slice()), (globals, codes), "{project}: {:#?}", loaded.diagnostics);
        };
        let text = application("A", "L", "P", "1") + &application("B", "M", "Q", "2");
        check(&text, "a", &["x"], &["P4107"]);
        check(&text, "B", &["x"], &["P4006", "P2001", "P4107"]);
        // Both have a resource of this name.
        check(&text, "App", &["x", "M.x"], &["P4109"]);
        check(&text, "C", &["x", "M.x"], &["P4109"]);
    }

    /// One device runs several applications.
    #[test]
    fn an_application_of_a_device_is_chosen_by_its_name() {
        let both = application("A", "L", "P", "1").replace("</configuration>\n", "").replace("\"App\"", "\"App1\"")
            + application("A", "M", "Q", "2")
                .split_once('>')
                .map_or("", |(_, rest)| rest)
                .replace("\"App\"", "\"App2\"")
                .as_str();
        let check = |project: &str, globals: &[&str], codes: &[&str]| {
            let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
            let loaded = load(&export(&both), &options);
            let found: Vec<&str> = loaded.value.project.globals.iter().map(|global| global.name.as_str()).collect();
            let found_codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!((found.as_slice(), found_codes.as_slice()), (globals, codes), "{project}: {:#?}", loaded.diagnostics);
        };
        check("app1", &["x"], &["P4107"]);
        // `G` reads `L.x`, which `App1` declares.
        check("App2", &["x"], &["P4006", "P2001", "P4107"]);
        check("A", &["x", "M.x"], &[]);
        let loaded = crate::load_isolated(&export(&both), &LoadOptions::default());
        let findings = summary(&loaded.value.sources, &loaded.diagnostics, 1);
        assert_eq!((findings.as_str(), loaded.value.runs), ("P4108@1:1", false), "{:#?}", loaded.diagnostics);
        assert!(loaded.diagnostics[0].message.contains("`App1`, `App2`"), "{}", loaded.diagnostics[0].message);
    }

    /// Resources of a configuration, with the variables of the configuration and of each resource.
    fn resources(globals: &str, first: &str, second: &str) -> SourceSet {
        let resource = |name: &str, vars: &str, program: &str| {
            format!(
                "RESOURCE {name} ON p\n{vars}TASK t(INTERVAL := T#10ms);\nPROGRAM i{name} WITH t : {program};\nEND_RESOURCE\n"
            )
        };
        let programs = "PROGRAM P\nVAR_EXTERNAL g : INT; END_VAR\nVAR x : INT; END_VAR\nx := g; g := 1;\nEND_PROGRAM\n\
            PROGRAM Q\nVAR_EXTERNAL g : INT; END_VAR\ng := 7;\nEND_PROGRAM\n";
        let both = resource("r", first, "P") + &resource("s", second, "Q");
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{programs}CONFIGURATION c\n{globals}{both}END_CONFIGURATION\n"));
        sources
    }

    #[test]
    fn a_resource_that_is_left_out_may_write_what_it_shares() {
        const G: &str = "VAR_GLOBAL g : INT; END_VAR\n";
        let conditions = |sources: &SourceSet| -> Vec<String> {
            let options = LoadOptions { project: Some("r".to_owned()), ..LoadOptions::default() };
            let loaded = crate::load_isolated(sources, &options).value;
            assert!(loaded.runs);
            let told = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("writes no variable that it shares"));
            told.map(|gap| format!("{:?}", loaded.project.beside.get(&gap.span))).collect()
        };
        assert_eq!(conditions(&resources(G, "", "")), ["Some(Nameable)"]);
        assert_eq!(conditions(&resources("", G, G)), Vec::<String>::new());
        let mut file = resources("", "", "");
        file.add("b.st", G);
        assert_eq!(conditions(&file).len(), 1);
    }

    #[test]
    fn variables_of_one_name_in_two_resources_demand_a_choice() {
        const G: &str = "VAR_GLOBAL g : INT; END_VAR\n";
        let loaded = crate::load_isolated(&resources("", G, G), &LoadOptions::default());
        let codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
        assert!(codes.contains(&"P4108") && !loaded.value.runs, "{:#?}", loaded.diagnostics);
        let found = loaded.diagnostics.iter().find(|d| d.code == "P4108").map_or("", |d| d.message.as_str());
        assert_eq!(found, "`c` runs 2 applications, and more than one declares `g`; one of them is verified: `r`, `s`");
        let loaded = crate::load_isolated(&resources(G, "", ""), &LoadOptions::default());
        assert!(loaded.value.runs, "{:#?}", loaded.diagnostics);
    }

    #[test]
    fn a_part_is_of_one_application() {
        let text = application("A", "L", "P", "1") + &application("B", "L", "Q", "2");
        let parts = Parts::read(&export(&text));
        for (pou, expected) in [("P", 1), ("Q", 2), ("G", 1)] {
            let (id, _) = parts.pous().find(|(_, p)| p.name.text == pou).unwrap();
            let loaded = parts.alone(id, &LoadOptions::default());
            assert!(!loaded.has_errors(), "{pou}: {:#?}", loaded.diagnostics);
            let globals: Vec<_> = loaded.value.project.globals.iter().map(|g| g.init.clone()).collect();
            assert_eq!(globals, [crate::hir::Init::Scalar(crate::hir::Value::Int(expected))], "{pou}");
        }
    }
}
