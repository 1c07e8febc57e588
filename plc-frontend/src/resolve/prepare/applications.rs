//! Several applications in one file: an export of CODESYS holds a CONFIGURATION for each device, with names of its own. If two
//! of them declare the same name, one is read: the one of the chosen entry, or the first.
//!
//! The devices run apart from each other, so answers about one do not depend on the others; a warning and the ledger name the
//! omitted ones.

use crate::ast::{Item, Unit};
use crate::lang::is_markup;
use crate::resolve::LoadOptions;
use crate::resolve::classes::inheritance;
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::application_names::{self, Application, as_configuration};
use crate::resolve::prepare::declared_names::names;
use crate::resolve::prepare::device_applications::{choose_all, choose_on_device, choose_resource, refuse_name};
use crate::text::{Diagnostic, Ignored, SourceSet, Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Address of the schemas in exports of CODESYS.
const CODESYS: &str = "3s-software.com/plcopenxml";

/// Leaves out the declarations of other applications.
pub(crate) fn choose(units: &mut [Unit], sources: &SourceSet, options: &LoadOptions, findings: &mut Vec<Diagnostic>) {
    let text = |unit: &Unit| sources.files.get(unit.file).map_or("", |file| file.text.as_str());
    let is_list = |item: &Item| matches!(item, Item::Globals(_));
    let has_globals = units.iter().any(|unit| !is_markup(text(unit)) && unit.items.iter().any(is_list));
    for unit in units {
        let is_codesys = text(unit).contains(CODESYS);
        let applications = options.project.as_deref().map(|name| application_names::named(unit, name)).unwrap_or_default();
        let home = match applications.as_slice() {
            [] => {
                if options.project.is_none() {
                    choose_on_device(unit, options.entry.as_deref(), is_codesys, has_globals, findings);
                }
                None
            }
            [application] => {
                let configuration = application.configuration;
                let home = application_names::configurations(unit).nth(configuration).map(|it| it.span);
                match application.resource {
                    Some(resource) => choose_resource(unit, (configuration, resource), has_globals, findings),
                    None => choose_all(unit, configuration, findings),
                }
                home
            }
            [first, ..] => {
                let home = application_names::configurations(unit).nth(first.configuration).map(|it| it.span);
                refuse_name(unit, options.project.as_deref().unwrap_or_default(), &applications, findings);
                home
            }
        };
        choose_in(unit, options, home, findings);
    }
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

/// Leaves out the declarations of other configurations than the chosen one. `chosen`: its place, if its name is given.
fn choose_in(unit: &mut Unit, options: &LoadOptions, chosen: Option<Span>, findings: &mut Vec<Diagnostic>) {
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
    let named = chosen.and_then(|span| home_of(&homes, span));
    if shared.is_none() && named.is_none() {
        return;
    }
    let of_entry = || options.entry.as_deref().and_then(|entry| home_of_entry(unit, &homes, entry));
    let chosen = named.or_else(of_entry).unwrap_or(0);
    let reason = match shared.filter(|_| named.is_none()) {
        Some(shared) => format!("it declares `{shared}` too, as another one of this project does"),
        None => "another one is chosen".to_owned(),
    };
    let labels = home_labels(unit, &homes);
    let mut left_out = BTreeSet::new();
    let items = std::mem::take(&mut unit.items);
    for item in items {
        match home_of(&homes, item.span()) {
            Some(home) if home != chosen => {
                if let Some(configuration) = as_configuration(&item)
                    && left_out.insert(home)
                {
                    let (title, span) = (configuration.title(), configuration.place());
                    let name = labels.get(&home).map_or(title, String::as_str);
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

/// Returns the names by which users choose the homes.
fn home_labels(unit: &Unit, homes: &[Span]) -> BTreeMap<usize, String> {
    let all = application_names::configurations(unit).enumerate();
    let label = |configuration| application_names::label(unit, Application { configuration, resource: None });
    all.filter_map(|(at, it)| Some((home_of(homes, it.span)?, label(at)?))).collect()
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

#[cfg(test)]
mod tests;
