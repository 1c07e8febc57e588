//! Programs that no task reaches. They do not run, which is a condition of the answers that depend on what they write.
//!
//! Soundness: only where tasks run programs is anything idle. Text that is not read counts as a call of all that it names. Methods that
//! the system calls count as called.

use std::collections::BTreeSet;

use super::bodies::{bodies, reached};
use super::mentions::Mentions;
use super::usage::usage_beside;
use crate::dialect::is_implicit_check;
use crate::hir::{Extent, Pou, PouId, PouKind, Project};
use crate::text::{Gap, Ledger, Origin, Treatment, key};

/// Methods that the system calls.
const OF_SYSTEM: &[&str] = &["fb_init", "fb_reinit", "fb_exit"];
/// POUs that are named; of more there is the number.
const NAMED: usize = 3;

/// Returns the user's POUs that neither the run nor these programs of tasks reach; none without such programs.
pub(crate) fn idle(
    project: &Project,
    mentions: &Mentions,
    of_tasks: &BTreeSet<PouId>,
    first: &BTreeSet<PouId>,
) -> BTreeSet<PouId> {
    let entries: Vec<PouId> = project.task.runs.iter().map(|run| project.instances[*run].pou).collect();
    let is_known = !of_tasks.is_empty() && project.events.is_empty();
    // Any code may call a block.
    if !is_known || entries.iter().any(|entry| project.pous[*entry].kind != PouKind::Program) {
        return BTreeSet::new();
    }
    let is_of_system = |pou: &Pou| {
        let last = pou.name.rsplit('.').next().unwrap_or(&pou.name);
        OF_SYSTEM.iter().any(|name| last.eq_ignore_ascii_case(name)) || is_implicit_check(last)
    };
    let system = project.pous.iter_enumerated().filter(|(_, pou)| is_of_system(pou)).map(|(id, _)| id);
    let start = project.start_up.map(|start| start.pou);
    let roots = entries.into_iter().chain(start).chain(of_tasks.iter().copied()).chain(first.iter().copied()).chain(system);
    let running = reached(&bodies(project), roots.chain(mentions.called(project)));
    // Blocks, functions and members may be reached by more than names: a reference to a base, an interface, an initial value, an
    // attribute, a call from outside.
    let is_idle = |id: &PouId| {
        let pou = &project.pous[*id];
        pou.kind == PouKind::Program && pou.origin == Origin::User && !running.contains(id)
    };
    project.pous.ids().filter(is_idle).collect()
}

/// Notes the condition about idle POUs that write variables which nothing else beside the run writes.
pub(crate) fn note_idle(project: &mut Project, ledger: &mut Ledger, mentions: &Mentions) {
    if project.idle.is_empty() {
        return;
    }
    let (leaves, called) = (project.leaves(), mentions.called(project));
    let without = usage_beside(project, &leaves, true, &called);
    let idle = std::mem::take(&mut project.idle);
    let with = usage_beside(project, &leaves, true, &called);
    project.idle = idle;
    let is_new = |at: &usize| with[*at].written_elsewhere.is_some() && without[*at].written_elsewhere.is_none();
    let written: Vec<usize> = (0..leaves.len()).filter(is_new).collect();
    let Some(first) = project.idle.first().filter(|_| !written.is_empty()) else { return };
    let writers: BTreeSet<PouId> =
        written.iter().filter_map(|at| with[*at].writer()).filter(|pou| project.idle.contains(pou)).collect();
    let first = writers.first().unwrap_or(first);
    let names: BTreeSet<_> = writers.iter().map(|pou| (key(&project.pous[*pou].name), &project.pous[*pou].name)).collect();
    let named: Vec<String> = names.iter().take(NAMED).map(|(_, name)| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMED);
    let named = if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) };
    let construct = format!("what no task reaches does not run: {named}");
    let effect = "no program of a task calls it, and what it writes is no input".to_owned();
    let span = project.pous[*first].span;
    ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
    let written = written.into_iter().map(|at| leaves[at].name.clone()).collect();
    project.beside.insert(span, Extent::Leaves(written));
}
