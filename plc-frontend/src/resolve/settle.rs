//! The environment of a resolved program, with the code that does not run here.

use crate::ast;
use crate::environment::{
    CallerAccess, Mentions, NotRead, RunsBeside, idle, note_beside, note_beside_files, note_idle, written_beside,
};
use crate::hir::{Extent, Pou, PouId, PouKind, Project, Section};
use crate::resolve::calls::standard_table::is_standard_name;
use crate::resolve::controller::outside_writers::{self, OutsideWriter};
use crate::resolve::controller::{repeated_globals, repeated_pous};
use crate::resolve::names::tables::{Names, VarRef};
use crate::resolve::prepare::declaration_order;
use crate::resolve::startup::fb_init::Starts;
use crate::resolve::startup::start_up_block::{self, Effect};
use crate::resolve::startup::task_programs::TaskPrograms;
use crate::text::{Gap, Key, Ledger, SourceSet, Span, Treatment, key};
use std::collections::BTreeSet;

/// Returns the POUs that declare instances with arguments of FB_init.
pub(crate) fn with_arguments(starts: &Starts) -> BTreeSet<PouId> {
    let declared = starts.args.keys().chain(&starts.refused);
    declared.filter_map(|var| if let VarRef::Local(pou, _) = var { Some(*pou) } else { None }).collect()
}

/// Returns the methods that run before the first cycle.
pub(crate) fn first_methods(starts: &Starts) -> BTreeSet<PouId> {
    starts.methods.values().flatten().chain(starts.after.values()).copied().collect()
}

/// Knowledge about code that does not run here.
pub(crate) struct Beside {
    /// Names in its texts.
    pub(crate) mentions: Mentions,
    /// Declarations are left out.
    pub(crate) leaves_out: bool,
    pub(crate) not_read: NotRead,
    /// Methods that run before the first cycle.
    pub(crate) first: BTreeSet<PouId>,
    /// The controller checks each index before it writes.
    pub(crate) checks_indices: bool,
    /// Clients outside of the controller that may write variables, and programs of tasks beside a chosen entry.
    pub(crate) others: (Vec<OutsideWriter>, TaskPrograms),
}

/// Settles the environment, and the values before the first cycle that the start-up block leaves.
pub(crate) fn settle(
    project: &mut Project,
    ledger: &mut Ledger,
    names: &Names,
    sources: &SourceSet,
    beside: Beside,
    entry_is_chosen: &mut bool,
) {
    let is_chosen = *entry_is_chosen;
    let Beside { mut mentions, leaves_out, not_read, first, checks_indices, others: (writers, of_tasks) } = beside;
    let entries = project.task.runs.iter().map(|id| project.instances[*id].pou);
    let reached = CallerAccess::of_entries(project).into_iter().flat_map(|caller| caller.blocks);
    let family: BTreeSet<PouId> = entries.chain(reached).flat_map(|pou| names.chain(pou).iter().copied().chain([pou])).collect();
    let files = family.iter().map(|pou| project.pous[*pou].span.file).collect();
    mentions.set_family(family.iter().flat_map(|pou| project.pous[*pou].name.split('.').map(key)).collect(), files);
    let with_gaps = |project: &Project| {
        let mut all = mentions.clone();
        all.add_gaps(project, sources, &not_read);
        all
    };
    let mut all = with_gaps(project);
    project.idle = idle(project, &all, &of_tasks.run, &first);
    let environment = |project: &mut Project, entry_is_chosen: bool, all: &Mentions| {
        // Without others, all programs run here, and nothing else does.
        let mentions = if leaves_out || entry_is_chosen { all } else { &mentions };
        // Defaults are those of leaves as they are declared.
        project.environment.clear();
        project.environment = crate::environment::defaults(project, entry_is_chosen, mentions);
    };
    environment(project, *entry_is_chosen, &all);
    // Inputs are known now: the start-up block may read them.
    let effect = start_up_block::run(project, ledger);
    *entry_is_chosen |= effect == Effect::AnyEvent;
    if effect != Effect::Computed {
        all = with_gaps(project);
        environment(project, *entry_is_chosen, &all);
    }
    let others = leaves_out || *entry_is_chosen;
    let mentions = if others { all } else { mentions };
    note_lost_starts(project, ledger, names, &mentions);
    let called = mentions.called(project);
    let runs = RunsBeside { others, called: &called, first: &first, is_standard: is_standard_name, checks_indices };
    note_beside(project, ledger, sources, &runs);
    note_beside_files(project, ledger, sources, &mentions, (is_standard_name, checks_indices));
    repeated_globals::note(project, ledger, sources, &names.libraries);
    note_kept(project, ledger, names, sources, &called);
    outside_writers::extend(project, writers);
    note_idle(project, ledger, &mentions);
    repeated_pous::note(project, ledger, (names, sources), family, is_chosen);
    if !of_tasks.inputs.is_empty() {
        let leaves = project.leaves();
        for (span, inputs) in &of_tasks.inputs {
            let is_part = |leaf: &str, input: &str| {
                let rest =
                    leaf.get(..input.len()).filter(|start| start.eq_ignore_ascii_case(input)).map(|_| &leaf[input.len()..]);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let own = leaves.iter().filter(|leaf| inputs.iter().any(|input| is_part(&leaf.name, input)));
            project.beside.insert(*span, Extent::Leaves(own.map(|leaf| leaf.name.clone()).collect()));
        }
    }
    // Another condition at the same place may be about more.
    let is_alone = |span: &Span| ledger.gaps.iter().filter(|gap| gap.span == *span).count() == 1;
    if let Some(span) = of_tasks.interrupts.filter(is_alone)
        && let Some(written) = written_beside(project, &mentions)
    {
        project.beside.insert(span, Extent::Leaves(written));
    }
}

/// Notes a condition about members that code which is left out may call. They write nothing through a VAR_IN_OUT of an earlier call.
fn note_kept(project: &mut Project, ledger: &mut Ledger, names: &Names, sources: &SourceSet, called: &BTreeSet<PouId>) {
    // A condition about one call stands under all answers.
    let is_told = |ledger: &Ledger| ledger.gaps.iter().any(|gap| gap.construct.ends_with("writes nothing through a VAR_IN_OUT"));
    for pou in called {
        if is_told(ledger) {
            return;
        }
        let Some(member) = names.members.get(pou) else { continue };
        let text = sources.declaration(project.pous[*pou].span).to_lowercase();
        let block = &project.pous[member.block];
        let mut lent = member.lent.keys().map(|var| &block.vars[*var]);
        if lent.any(|var| var.section == Section::InOut && text.contains(&*var.name.to_lowercase())) {
            let Pou { name, span, .. } = &project.pous[*pou];
            let construct = format!("`{name}`, called by what is left out, writes nothing through a VAR_IN_OUT");
            let (span, effect) = (*span, "it may write the variable of an earlier call".to_owned());
            ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
            project.beside.insert(span, Extent::All);
        }
    }
}

/// Notes a condition about an entry that is a block: code that is left out gives no other initial values to its instances.
fn note_lost_starts(project: &mut Project, ledger: &mut Ledger, names: &Names, mentions: &Mentions) {
    let runs: Vec<PouId> = project.task.runs.iter().map(|id| project.instances[*id].pou).collect();
    for entry in runs {
        let is_entry = |block: PouId| block == entry || names.chain(block).contains(&entry);
        let Pou { name, span, kind, .. } = &project.pous[entry];
        if *kind != PouKind::FunctionBlock || !mentions.may_hold(project, is_entry) {
            continue;
        }
        let construct = format!("`{name}` has no other initial values in what is left out");
        let effect = "instances there may start with other values than the block declares".to_owned();
        let span = *span;
        ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
        project.beside.insert(span, Extent::Entry);
    }
}

/// Returns the names of POUs in whose text statements may be missing, without their namespaces.
pub(crate) fn cut_pous(units: &[ast::Unit]) -> impl Iterator<Item = Key> + '_ {
    let pous = declaration_order::all(units).filter_map(|item| if let ast::Item::Pou(pou) = item { Some(pou) } else { None });
    pous.filter(|pou| pou.assumed.iter().any(|assumed| assumed.is_cut)).map(|pou| key(&pou.name.text))
}
