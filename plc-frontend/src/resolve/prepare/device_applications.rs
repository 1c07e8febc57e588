//! Several applications of one device: resources of a configuration. In an export of CODESYS each has names of its own.

use std::collections::BTreeMap;

use crate::ast::{Assumed, Configuration, Item, Resource, Section, Unit};
use crate::resolve::classes::inheritance::last_name;
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::application_names::{Application, configurations, label};
use crate::resolve::prepare::declared_names::{block_names, names};
use crate::text::{Diagnostic, Ignored, Span, codes};

/// Reason of the condition about programs of an application that is left out.
pub(crate) const BESIDE: &str = "it is left out, and what its programs write there can break what holds here";
/// Advice for the choice of an application.
const ADVICE: &str = "choose one with `--project NAME`, or with `project: NAME` among the requirements";

/// Leaves out all but one of the applications of a device, if no name is chosen.
///
/// Resources of one configuration are read as one program, unless they are applications of CODESYS or declare one name.
pub(crate) fn choose_on_device(
    unit: &mut Unit,
    entry: Option<&str>,
    is_codesys: bool,
    has_globals: bool,
    findings: &mut Vec<Diagnostic>,
) {
    for at in 0..configurations(unit).count() {
        let Some(configuration) = configurations(unit).nth(at) else { return };
        let (running, shared) = (running(configuration), shared_name(unit, configuration));
        if running.len() < 2 || (shared.is_none() && (entry.is_some() || !is_codesys)) {
            continue;
        }
        let of_entry = entry.map(|entry| homes_of_entry(unit, configuration, entry)).unwrap_or_default();
        if let [only] = of_entry.as_slice() {
            return choose_resource(unit, (at, *only), has_globals, findings);
        }
        return refuse(unit, at, shared.filter(|_| !is_codesys), findings);
    }
}

/// Refuses a device whose applications declare one name; otherwise the name of the device means all of them.
pub(crate) fn choose_all(unit: &mut Unit, at: usize, findings: &mut Vec<Diagnostic>) {
    let Some(configuration) = configurations(unit).nth(at) else { return };
    if let Some(shared) = shared_name(unit, configuration).filter(|_| 1 < running(configuration).len()) {
        refuse(unit, at, Some(shared), findings);
    }
}

/// Adds the error that several applications have a name, and keeps the first: the others would repeat its names.
pub(crate) fn refuse_name(unit: &mut Unit, name: &str, applications: &[Application], findings: &mut Vec<Diagnostic>) {
    let message = format!("{} applications have the name `{}`: {}", applications.len(), name.trim(), listed(unit, applications));
    // The error belongs to no part of the file: without one of them there is no program.
    let finding = Diagnostic::error(codes::SEVERAL_PROJECTS, Span::new(unit.file, 0, 0), message, "this file holds them");
    findings.push(finding.help(ADVICE));
    if let Some((first, resource)) = applications.first().and_then(|first| Some((first, first.resource?))) {
        choose_resource(unit, (first.configuration, resource), false, &mut Vec::new());
    }
}

/// Adds the error that one of the applications has to be chosen, and keeps the first: the others would repeat its names.
fn refuse(unit: &mut Unit, at: usize, shared: Option<Key>, findings: &mut Vec<Diagnostic>) {
    let Some(configuration) = configurations(unit).nth(at) else { return };
    let running = running(configuration);
    let of = |resource: usize| Application { configuration: at, resource: Some(resource) };
    let applications: Vec<Application> = running.iter().map(|resource| of(*resource)).collect();
    let why = shared.map(|shared| format!(", and more than one declares `{shared}`")).unwrap_or_default();
    let (title, n, listed) = (configuration.title(), running.len(), listed(unit, &applications));
    let message = format!("`{title}` runs {n} applications{why}; one of them is verified: {listed}");
    let finding = Diagnostic::error(codes::SEVERAL_PROJECTS, Span::new(unit.file, 0, 0), message, "this file holds them");
    findings.push(finding.help(ADVICE));
    if let Some(first) = running.first() {
        choose_resource(unit, (at, *first), false, &mut Vec::new());
    }
}

fn listed(unit: &Unit, applications: &[Application]) -> String {
    let names = applications.iter().filter_map(|application| label(unit, *application));
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the positions of the resources that run programs.
fn running(configuration: &Configuration) -> Vec<usize> {
    let runs = |it: &Resource| !it.programs.is_empty() && !it.is_of_one_task && it.name.is_some();
    let resources = configuration.resources.iter().enumerate();
    resources.filter(|(_, it)| runs(it)).map(|(at, _)| at).collect()
}

/// Returns a name that two running resources declare: of a variable, or of a declaration inside of them.
fn shared_name(unit: &Unit, configuration: &Configuration) -> Option<Key> {
    let mut homes: BTreeMap<Key, usize> = BTreeMap::new();
    for at in running(configuration) {
        let resource = configuration.resources.get(at)?;
        let lists = resource.vars.iter().filter(|block| block.section == Section::Global).flat_map(block_names);
        let inside = unit.items.iter().filter(|item| is_inside(item.span(), resource.span)).flat_map(names);
        for name in lists.chain(inside) {
            if *homes.entry(name.clone()).or_insert(at) != at {
                return Some(name);
            }
        }
    }
    None
}

/// Returns the running resources that declare the entry, or else those that run it.
fn homes_of_entry(unit: &Unit, configuration: &Configuration, entry: &str) -> Vec<usize> {
    let entry = key(entry);
    let declares = |resource: &Resource| {
        let inside = unit.items.iter().filter(|item| is_inside(item.span(), resource.span));
        inside.filter_map(Item::name).any(|name| key(&name.text) == entry)
    };
    let runs = |resource: &Resource| {
        let mut programs = resource.programs.iter();
        programs.any(|program| key(&last_name(&program.program).text) == entry || key(&program.name.text) == entry)
    };
    let of = |wanted: &dyn Fn(&Resource) -> bool| -> Vec<usize> {
        running(configuration).into_iter().filter(|at| configuration.resources.get(*at).is_some_and(wanted)).collect()
    };
    let declaring = of(&declares);
    if declaring.is_empty() { of(&runs) } else { declaring }
}

fn is_inside(span: Span, outer: Span) -> bool {
    outer.file == span.file && outer.start <= span.start && span.end <= outer.end
}

/// Leaves out the other applications of a device than the chosen one: its configuration, and its resource there.
///
/// Soundness: variables of the configuration, and in texts those of the file, belong to all of them. That the others do not write them
/// is a condition.
pub(crate) fn choose_resource(unit: &mut Unit, (at, chosen): (usize, usize), has_globals: bool, findings: &mut Vec<Diagnostic>) {
    let labels: Vec<Option<String>> = configurations(unit).nth(at).map_or_else(Vec::new, |configuration| {
        let all = 0..configuration.resources.len();
        all.map(|resource| label(unit, Application { configuration: at, resource: Some(resource) })).collect()
    });
    let mut others: Vec<Span> = Vec::new();
    let mut devices = unit.items.iter_mut().filter_map(|item| if let Item::Configuration(it) = item { Some(it) } else { None });
    let Some(configuration) = devices.nth(at) else { return };
    let has_shared = has_globals || !configuration.vars.is_empty();
    let mut kept = Vec::new();
    for (position, other) in std::mem::take(&mut configuration.resources).into_iter().enumerate() {
        if position == chosen {
            kept.push(other);
            continue;
        }
        let title = labels.get(position).cloned().flatten().unwrap_or_default();
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
    configuration.resources = kept;
    unit.items.retain(|item| !others.iter().any(|other| is_inside(item.span(), *other)));
}
