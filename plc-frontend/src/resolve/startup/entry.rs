//! The entry: the POU that runs in each cycle.

use crate::ast::BlockEvent;
use crate::hir::{Pou, PouId, PouKind, ProgramInstance, Project, StartUp, TypeId};
use crate::resolve::LoadOptions;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Names, key};
use crate::resolve::resolver::Resolver;
use crate::text::{Gap, Origin, Span, Treatment, codes, nearest};
use std::collections::BTreeSet;

impl Resolver<'_> {
    /// Makes an instance of the entry, or of each PROGRAM that no other one calls. Without `complain`, a missing entry is no
    /// finding: an unreadable file may have declared it.
    pub(crate) fn choose_entry(&mut self, options: &LoadOptions, place: Option<Span>, called: &BTreeSet<PouId>, complain: bool) {
        let chosen = match &options.entry {
            Some(name) => match self.own_entry(name, place) {
                Some(own) => vec![own],
                None => self.project.named_entry(&mut self.findings, name),
            },
            None => self.default_entry(called, complain),
        };
        for pou in chosen {
            self.bound_arrays(pou);
            let name = self.project.pous[pou].name.clone();
            let id = self.project.instances.push(ProgramInstance { name: name.clone(), pou });
            self.project.task.runs.push(id);
            self.names.instances.entry(key(&name)).or_insert(id);
        }
    }

    /// Returns the POU of the project that declares a name, if it has a full name of its own; `place` is that of the declaration.
    fn own_entry(&self, name: &str, place: Option<Span>) -> Option<PouId> {
        let head = |id: PouId| self.decls.pous.get(id.0 as usize).map(|pou| &pou.name);
        let is_named = |id: PouId| head(id).is_some_and(|head| key(&head.text) == key(name));
        let is_own = |id: PouId| head(id).is_some_and(|head| !self.names.libraries.is_library(head.span.file));
        let mut found: Vec<PouId> = self.project.candidates().into_iter().filter(|id| is_named(*id) && is_own(*id)).collect();
        if let Some(place) = place {
            found.retain(|id| head(*id).is_some_and(|head| head.span == place));
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    fn default_entry(&mut self, called: &BTreeSet<PouId>, complain: bool) -> Vec<PouId> {
        let candidates = self.project.candidates();
        // Programs of libraries do not run by themselves.
        let is_library = |id: PouId| self.names.libraries.is_library(self.decls.head_of(&self.project, id).file);
        let programs: Vec<PouId> =
            candidates.iter().copied().filter(|id| self.project.pous[*id].kind == PouKind::Program && !is_library(*id)).collect();
        let programs = self.in_the_cycle(programs);
        let free: Vec<PouId> = programs.iter().copied().filter(|id| !called.contains(id)).collect();
        if !programs.is_empty() {
            return self.in_order_of_numbers(if free.is_empty() { programs } else { free });
        }
        let used = self.names.instantiated(&self.project);
        let free: Vec<PouId> = candidates
            .into_iter()
            .filter(|id| !used.contains(id) && self.project.pous[*id].kind == PouKind::FunctionBlock)
            .collect();
        match free.as_slice() {
            [one] => vec![*one],
            [] if complain => {
                let help = "upload the file with the PROGRAM, or with the FUNCTION_BLOCK to be verified".to_owned();
                let message = "there is nothing to run: no PROGRAM, and no FUNCTION_BLOCK that could be one";
                self.findings.error_with_help(codes::NO_ENTRY, Span::none(), message, "no PROGRAM in any file", Some(help));
                Vec::new()
            }
            [] => Vec::new(),
            several => {
                let names: Vec<&str> = several.iter().map(|id| self.project.pous[*id].name.as_str()).collect();
                let first = names.first().copied().unwrap_or_default();
                let help = format!("choose one with --entry NAME, for example --entry {first}");
                let message = format!("there is no PROGRAM, and several function blocks could run: {}", names.join(", "));
                let span = several.first().map_or(Span::none(), |id| self.decls.head_of(&self.project, *id));
                self.findings.error_with_help(codes::NO_ENTRY, span, message, "one of them", Some(help));
                Vec::new()
            }
        }
    }

    /// Returns the programs without organization blocks that other events start; all of them if nothing else is there.
    fn in_the_cycle(&mut self, programs: Vec<PouId>) -> Vec<PouId> {
        let event = |id: PouId| self.decls.pous.get(id.0 as usize).and_then(|pou| pou.event);
        let others: Vec<(PouId, BlockEvent)> = programs.iter().filter_map(|id| Some((*id, event(*id)?))).collect();
        let cyclic: Vec<PouId> = programs.iter().copied().filter(|id| event(*id).is_none()).collect();
        if cyclic.is_empty() {
            for (id, event) in others {
                let construct = format!("`{}` runs in every cycle", self.project.pous[id].name);
                let effect = "another event starts it, and no block of the cycle is there";
                self.findings.record_assumed(event.span, construct, effect);
            }
            return programs;
        }
        // The order of several start-up blocks is not known, and some kinds of a start run only one of them.
        let (first, mut events): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, event)| event.is_start_up);
        match first.as_slice() {
            [(pou, event)] => self.project.start_up = Some(StartUp { pou: *pou, span: event.span }),
            several => events.extend(several),
        }
        for (_, event) in events {
            self.project.events.insert(event.span);
            self.findings.record(other_event(event.span));
        }
        cyclic
    }
}

/// Returns the ledger's entry of an organization block that another event than the cycle starts.
pub(crate) fn other_event(span: Span) -> Gap {
    let construct = "organization blocks of other events can write as in the run".to_owned();
    let effect = "what they write may have any value at the beginning of each cycle, also in later ones".to_owned();
    Gap { span, construct, treatment: Treatment::AssumedByRuns, effect }
}

impl Project {
    fn candidates(&self) -> Vec<PouId> {
        let runs = |pou: &Pou| pou.origin == Origin::User && !matches!(pou.kind, PouKind::Function(_));
        self.pous.iter_enumerated().filter(|(_, pou)| runs(pou)).map(|(id, _)| id).collect()
    }

    fn named_entry(&self, findings: &mut Findings, name: &str) -> Vec<PouId> {
        let candidates = self.candidates();
        let found = candidates.iter().find(|id| key(&self.pous[**id].name) == key(name));
        if let Some(&id) = found {
            return vec![id];
        }
        let names: Vec<String> = candidates.iter().map(|id| self.pous[*id].name.clone()).collect();
        let help = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "upload the file that declares it".to_owned(),
            None if names.len() == 1 => format!("choose {}", names[0]),
            None => format!("choose one of {}", names.join(", ")),
        };
        let message = format!("there is no PROGRAM or FUNCTION_BLOCK `{name}` to run");
        findings.error_with_help(codes::UNKNOWN_ENTRY, Span::none(), message, "not declared in any file", Some(help));
        Vec::new()
    }
}

impl Declarations<'_> {
    /// Returns the place of the name in a POU's declaration.
    fn head_of(&self, project: &Project, pou: PouId) -> Span {
        self.pous.get(pou.0 as usize).map_or(project.pous[pou].span, |p| p.name.span)
    }
}

impl Names {
    /// Returns function blocks that a user's POU or a global variable has instances of.
    fn instantiated(&self, project: &Project) -> BTreeSet<PouId> {
        let globals = project.globals.iter().map(|v| v.ty);
        let declared = project.pous.iter_enumerated().filter(|(id, _)| !self.members.contains_key(id));
        let members = self.members.keys().flat_map(|id| project.pous[*id].vars.iter().skip(1).map(|v| v.ty));
        let locals = declared.flat_map(|(_, p)| p.vars.iter().map(|v| v.ty)).chain(members);
        let types: BTreeSet<TypeId> = globals.chain(locals).collect();
        let inside: BTreeSet<TypeId> = types.into_iter().flat_map(|ty| project.types_inside(ty)).collect();
        inside.into_iter().filter_map(|ty| project.block_of(ty)).collect()
    }
}
