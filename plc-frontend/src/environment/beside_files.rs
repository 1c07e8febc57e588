//! Conditions about texts beside the program: other programs of the controller that are not read, parts that are left out, and operator
//! panels.
//!
//! | file | variables that it may write |
//! |---|---|
//! | program, or part that is left out, that calls a block which no file declares | all that other code can name |
//! | program that writes through an address | any |
//! | panel | those that its text names |
//! | panel whose text names none, or that calls a POU | all that other code can name |
//!
//! Soundness: what programs name is an input already (`mentions`). Panels are conditions: most of them only show what they name.

use std::collections::BTreeSet;

use super::beside::declared;
use super::called_names::CalledNames;
use super::mentions::Mentions;
use super::unread;
use crate::hir::{Extent, PouKind, Project};
use crate::lang::has_ending;
use crate::text::{FileId, Gap, Key, Ledger, Origin, SourceSet, Span, Treatment, key};

/// Notes the conditions.
///
/// Cost: linear in the texts of these files, times the number of panels for the variables.
pub(crate) fn note(
    project: &mut Project,
    ledger: &mut Ledger,
    sources: &SourceSet,
    mentions: &Mentions,
    is_standard: fn(&str) -> bool,
) {
    let mut known = declared(project);
    let globals = project.globals.iter().flat_map(|var| var.name.split('.'));
    let types = project.types.iter().filter_map(|def| def.name.as_deref());
    let lists = project.pous.iter().map(|pou| pou.name.as_str());
    // Names in quotes may have blanks.
    known.extend(globals.chain(types).chain(lists).flat_map(|name| name.split_whitespace().chain([name])).map(key));
    let text = |file: FileId| sources.files.get(file).map_or("", |file| file.text.as_str());
    let programs: Vec<(FileId, CalledNames)> = mentions.programs().map(|file| (file, CalledNames::of(text(file)))).collect();
    known.extend(programs.iter().flat_map(|(_, names)| names.declared.iter().cloned()));
    let mut found: Vec<(Gap, Extent)> = Vec::new();
    for (file, names) in &programs {
        let unknown = names.called.iter().find(|(name, _)| !known.contains(&key(name)) && !is_standard(name));
        if let Some((name, at)) = unknown {
            let construct = format!(
                "`{name}`, which another program calls and no file declares, writes no global variable and none of a program"
            );
            let effect = "what it writes can break what holds here; upload the file that declares it";
            found.push((assumed(span(*file, *at, name), construct, effect), Extent::Nameable));
        }
        let code = names.code.as_str();
        if unread::writes_by_address(code) {
            let construct = "another program writes through addresses only within the variables that it names".to_owned();
            let effect = "the program is not read, and a write past its variable can change any other";
            found.push((assumed(Span::new(*file, 0, 0), construct, effect), Extent::All));
        }
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    for (place, text) in mentions.left_out() {
        // Blocks of Studio 5000 write only what their calls name.
        if sources.files.get(place.file).is_some_and(|file| has_ending(&file.name, &["l5x", "l5k"])) {
            continue;
        }
        let names = CalledNames::of(text);
        let is_known = |name: &str| known.contains(&key(name)) || names.declared.contains(&key(name)) || is_standard(name);
        if let Some((name, _)) =
            names.called.iter().find(|(name, _)| !is_known(name)).filter(|(name, _)| told.insert(name.clone()))
        {
            let construct =
                format!("`{name}`, named in a part that is left out, writes no global variable and none of a program");
            let effect = "no file declares it, and what it writes can break what holds here";
            found.push((assumed(*place, construct, effect), Extent::Nameable));
        }
    }
    let leaves = project.leaves();
    for file in mentions.panels() {
        let names = sources.files.get(file).map_or("", |file| file.name.rsplit(['/', '\\']).next().unwrap_or_default());
        let panel = mentions.of_panel(text(file));
        let written = leaves.iter().zip(panel.written(project, &leaves)).filter(|(_, is_written)| *is_written);
        let written: BTreeSet<String> = written.map(|(leaf, _)| leaf.name.clone()).collect();
        let effect = "the visualisation is not read, and what it writes can break what holds here";
        let (construct, extent) = if written.is_empty() || calls_pou(project, text(file)) {
            let construct = format!("`{names}`, a visualisation, writes no global variable and none of a program");
            (construct, Extent::Nameable)
        } else {
            let construct = format!("`{names}`, a visualisation, only shows the variables that it names");
            (construct, Extent::Leaves(written))
        };
        found.push((assumed(Span::new(file, 0, 0), construct, effect), extent));
    }
    for (gap, extent) in found {
        // Two conditions at one place are about all that either of them is about.
        let extent = match project.beside.get(&gap.span) {
            Some(before) if *before != extent => Extent::All,
            Some(_) | None => extent,
        };
        project.beside.insert(gap.span, extent);
        ledger.gap(gap);
    }
}

fn assumed(span: Span, construct: String, effect: &str) -> Gap {
    Gap { span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() }
}

fn span(file: FileId, at: usize, name: &str) -> Span {
    Span::new(file, at, at + name.len())
}

/// Returns whether a panel may call a POU of the user: a function, an instance, a method or a property.
///
/// Soundness: a property needs no bracket, so its name behind a point counts.
fn calls_pou(project: &Project, text: &str) -> bool {
    let names = CalledNames::of(text);
    let called: BTreeSet<Key> = names.called.iter().chain(&names.members).map(|(name, _)| key(name)).collect();
    let is_called = |name: &str| called.contains(&key(name));
    let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
    let users = project.pous.iter().filter(|pou| pou.origin == Origin::User);
    let is_member = |name: &str| name.split('.').rev().take(2).any(|part| names.parts.contains(&key(part)));
    let mut pous = users.filter(|pou| {
        let last = pou.name.rsplit('.').next().unwrap_or(&pou.name);
        is_called(last) || (pou.kind != PouKind::FunctionBlock && pou.name.contains('.') && is_member(&pou.name))
    });
    let instances: BTreeSet<Key> = vars.filter(|var| project.block_of(var.ty).is_some()).map(|var| key(&var.name)).collect();
    pous.next().is_some() || instances.iter().any(|name| called.contains(name))
}
