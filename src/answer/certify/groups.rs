//! Groups of ways that are excluded by one question: those whose questions read the same variables, or some of them.

use std::collections::{BTreeMap, BTreeSet};

use super::questions::{Course, Questions, Way};
use super::slice::{Extent, Sink, Vars};
use kernel::expr::VarId;

/// Ways with the variables that their question reads.
pub(super) struct Group<'q> {
    reads: Vars,
    pub(super) ways: Vec<(Sink, Way<'q>)>,
}

/// Groups ways whose questions read the same variables, or some of them.
///
/// Stops: the error of `go_on`, which is asked before each slice.
pub(super) fn groups<'q, E>(
    questions: &Questions<'_>,
    course: &Course<'_>,
    ways: Vec<(Sink, Way<'q>)>,
    go_on: impl Fn() -> Result<(), E>,
) -> Result<Vec<Group<'q>>, E> {
    let mut sinks: BTreeMap<BTreeSet<VarId>, BTreeSet<Sink>> = BTreeMap::new();
    ways.iter().for_each(|(sink, way)| _ = sinks.entry(way.reads()).or_default().insert(*sink));
    let mut known: BTreeMap<(Sink, &BTreeSet<VarId>), Vars> = BTreeMap::new();
    for (goal, sinks) in &sinks {
        go_on()?;
        let sinks: Vec<Sink> = sinks.iter().copied().collect();
        reads(questions, course, goal, &sinks, &mut known);
    }
    let with = |(sink, way)| Some((known.get(&(sink, &Way::reads(&way)))?.clone(), (sink, way)));
    let mut with_reads: Vec<(Vars, (Sink, Way<'q>))> = ways.into_iter().filter_map(with).collect();
    // The order is stable: ways that read as much stay in their order.
    with_reads.sort_by_key(|(reads, _)| std::cmp::Reverse(reads.len()));
    let mut groups: Vec<Group<'q>> = Vec::new();
    // Groups that read each variable.
    let mut readers: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
    for (reads, way) in with_reads {
        let of = |var: &VarId| readers.get(var).map_or(&[] as &[usize], Vec::as_slice);
        let found = match reads.iter().map(of).min_by_key(|readers| readers.len()) {
            Some(fewest) => fewest.iter().copied().find(|group| reads.is_subset(&groups[*group].reads)),
            None => (!groups.is_empty()).then_some(0),
        };
        if let Some(group) = found {
            groups[group].ways.push(way);
            continue;
        }
        reads.iter().for_each(|var| readers.entry(*var).or_default().push(groups.len()));
        groups.push(Group { reads, ways: vec![way] });
    }
    Ok(groups)
}

/// Adds the variables that questions with this goal read, by sink. Sinks get the same variables if those of the last one are
/// enough for all.
///
/// Cost: two slices for sinks on one way; at most two for each sink, and for each half of the sinks.
fn reads<'g>(
    questions: &Questions<'_>,
    course: &Course<'_>,
    goal: &'g BTreeSet<VarId>,
    sinks: &[Sink],
    known: &mut BTreeMap<(Sink, &'g BTreeSet<VarId>), Vars>,
) {
    let of = |sinks: &[Sink]| {
        let goals = sinks.iter().map(|sink| (*sink, goal.clone()));
        questions.reads(course, goals.collect(), Extent::Narrow)
    };
    let (Some(all), [.., last]) = (of(sinks), sinks) else { return };
    if sinks.len() == 1 || of(&[*last]).is_some_and(|last| last == all) {
        known.extend(sinks.iter().map(|sink| ((*sink, goal), all.clone())));
        return;
    }
    let (first, second) = sinks.split_at(sinks.len() / 2);
    reads(questions, course, goal, first, known);
    reads(questions, course, goal, second, known);
}
