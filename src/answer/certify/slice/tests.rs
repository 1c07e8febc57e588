//! Slices from an index are those of a scan, on random automata, and obey the conditions that make them sound.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::super::automaton::Automaton;
use super::super::effects::{Effect, effects};
use super::super::obligations::loops;
use super::super::random_cases::{bytes, n_cases};
use super::super::region::{End, Region};
use super::{Extent, Goals, Index, Sink, Slice, SliceEdge};
use kernel::cfa::{Cfa, EdgeId, LocId, Op};
use kernel::expr::{Sort, Value, VarId};
use testgen::automata::examples::Builder;
use testgen::automata::{random, structured};

const EXTENTS: [Extent; 5] = [Extent::Own, Extent::Narrow, Extent::Wide, Extent::Lone, Extent::Whole];

/// Checks the conditions of the module on a slice. The error names the location that breaks one. In a slice with the variables of
/// the question alone, each other variable has any value where it is read. Its paths begin at `from`.
fn obeys(
    region: &Region,
    effects: &IndexVec<EdgeId, Effect>,
    (goals, extent): (&Goals, Extent),
    slice: &Slice<'_>,
    from: usize,
) -> Result<(), usize> {
    let may_be_any = |var: &VarId| extent == Extent::Own && goals.values().all(|goal| !goal.contains(var));
    let number = |sink: &Sink| if let Sink::Inner(n) = sink { *n } else { region.leaving.len() };
    let last = goals.keys().map(number).max().ok_or(0_usize)?;
    let mut landings: BTreeMap<usize, usize> = BTreeMap::new();
    for n in (from..=last).rev() {
        let landing = |end: End| match end {
            End::Inner(to) => landings.get(&to).copied(),
            End::Place(place) => goals.contains_key(&Sink::Place(place)).then_some(last),
            End::Error => None,
        };
        let ends = region.leaving.get(n).into_iter().flatten();
        let leaving: Vec<(EdgeId, usize)> = ends.filter_map(|(edge, end)| Some((*edge, landing(*end)?))).collect();
        let written = |edge: &EdgeId| -> Vec<VarId> { effects[*edge].writes.iter().map(|write| write.var).collect() };
        let here = goals.iter().find(|(sink, _)| number(sink) == n);
        let Some(loc) = slice.locs.get(&n) else {
            // It is skipped, or leads to no sink.
            let passed = region.passed.get(&n).into_iter().flatten();
            let mut writes = leaving.iter().flat_map(|(edge, _)| written(edge)).chain(passed.copied());
            let Some((_, first)) = leaving.first() else { continue };
            let is_kept = writes.any(|var| slice.locs[first].kept.contains(&var));
            if here.is_some() || is_kept || leaving.iter().any(|(_, other)| other != first) {
                return Err(n);
            }
            landings.insert(n, *first);
            continue;
        };
        let edges: Vec<(EdgeId, usize)> = loc.leaving.iter().map(|edge| (edge.edge, edge.landing)).collect();
        let is_known = |var: &VarId| loc.kept.contains(var) || loc.fresh.contains(var) || may_be_any(var);
        let follows = |edge: &SliceEdge<'_>| {
            let (kept, writes) = (&slice.locs[&edge.landing].kept, &effects[edge.edge].writes);
            let of_writes = writes.iter().filter(|write| kept.contains(&write.var)).flat_map(|write| &write.reads);
            let unwritten = kept.iter().filter(|var| writes.iter().all(|write| write.var != **var));
            edge.guard.iter().flat_map(|part| &part.reads).chain(of_writes).chain(unwritten).all(is_known)
        };
        let reads_goal = here.is_none_or(|(sink, goal)| loc.sink == Some(*sink) && goal.iter().all(is_known));
        if edges != leaving || !loc.leaving.iter().all(follows) || !reads_goal {
            return Err(n);
        }
        landings.insert(n, n);
    }
    (landings.get(&from) == Some(&slice.begin)).then_some(()).ok_or(from)
}

/// A pseudorandom choice.
struct Choice(std::vec::IntoIter<u8>);

impl Choice {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.next().unwrap_or_default()) * 7 % n.max(1)
    }
    /// Returns goals at the next place, at one location, or at several.
    fn goals(&mut self, region: &Region, cfa: &Cfa) -> Goals {
        let n_sinks = 1 + self.below(3) * self.below(2);
        let places: Vec<LocId> = region.next_places().iter().copied().collect();
        let place = places.get(self.below(places.len())).copied();
        let mut goals = Goals::new();
        for _ in 0..n_sinks {
            let sink = match place {
                Some(place) if self.below(2) == 0 => Sink::Place(place),
                _ => Sink::Inner(self.below(region.leaving.len())),
            };
            let vars: BTreeSet<VarId> = cfa.vars.iter().copied().filter(|_| self.below(3) == 0).collect();
            goals.insert(sink, vars);
        }
        goals
    }
}

#[test]
fn slices_from_an_index_are_those_of_a_scan() {
    // Slices from an index, by the number of their sinks; those with skipped locations; slices that only a scan finds.
    let (mut n_indexed, mut n_skipping, mut n_scanned) = ([0_u64; 2], 0, 0);
    for seed in 0..4 * n_cases() {
        let (pool, cfa) = if seed % 2 == 0 { structured::cycle(&bytes(seed, 120)) } else { random::automaton(&bytes(seed, 160)) };
        let mut choice = Choice(bytes(seed ^ 0xff_00ff, 400).into_iter());
        let places: BTreeSet<LocId> = loops(&cfa).filter(|_| choice.below(2) == 0).collect();
        let Some(automaton) = Automaton::new(&pool, &cfa, &places) else { continue };
        let effects = effects(&automaton);
        for place in automaton.places.clone() {
            let region = Region::of(&automaton, place);
            let indices: Vec<Index> =
                region.next_places().iter().filter_map(|next| Index::of(&region, &effects, *next)).collect();
            assert_eq!(indices.len(), region.next_places().len(), "seed {seed}");
            for _ in 0..6 {
                let goals = choice.goals(&region, &cfa);
                for extent in EXTENTS {
                    let expected = Slice::of(&region, &effects, &goals, extent);
                    let mut found = indices.iter().filter_map(|index| index.slice(&region, &effects, &goals, extent)).peekable();
                    n_scanned += u64::from(expected.is_some() && found.peek().is_none());
                    for slice in found {
                        assert_eq!(Some(&slice), expected.as_ref(), "seed {seed}, {goals:?}, {extent:?}\n{cfa:?}");
                        n_indexed[usize::from(1 < goals.len())] += 1;
                        n_skipping += u64::from(slice.locs.len() < region.leaving.len() / 2);
                    }
                    if let Some(slice) = expected {
                        assert_eq!(
                            obeys(&region, &effects, (&goals, extent), &slice, 0),
                            Ok(()),
                            "seed {seed}, {goals:?}, {extent:?}\n{cfa:?}"
                        );
                    }
                }
            }
        }
    }
    let shares = format!("{n_indexed:?} indexed, {n_skipping} with few locations, {n_scanned} scanned");
    println!("{shares}");
    let few = n_cases();
    assert!(n_indexed.iter().all(|n| few < *n) && few < n_skipping && few < n_scanned, "{shares}");
}

/// Returns whether some path from the first location comes to a sink and does not pass `n`.
fn is_avoided(region: &Region, goals: &Goals, n: usize) -> bool {
    let mut is_met = vec![false; region.leaving.len()];
    is_met[0] = true;
    for at in (0..region.leaving.len()).filter(|at| *at != n) {
        if !is_met[at] {
            continue;
        }
        if goals.contains_key(&Sink::Inner(at)) {
            return true;
        }
        for (_, end) in &region.leaving[at] {
            match end {
                End::Inner(to) => is_met[*to] = true,
                End::Place(place) if goals.contains_key(&Sink::Place(*place)) => return true,
                End::Place(_) | End::Error => {}
            }
        }
    }
    false
}

#[test]
fn ends_of_paths_are_slices_behind_a_location_that_all_pass() {
    let (mut n_ends, mut n_short) = (0, 0);
    for seed in 0..4 * n_cases() {
        let (pool, cfa) = if seed % 4 == 0 { random::automaton(&bytes(seed, 160)) } else { structured::cycle(&bytes(seed, 160)) };
        let mut choice = Choice(bytes(seed ^ 0xff_00ff, 400).into_iter());
        let Some(automaton) = Automaton::new(&pool, &cfa, &BTreeSet::new()) else { continue };
        let effects = effects(&automaton);
        for place in automaton.places.clone() {
            let region = Region::of(&automaton, place);
            for index in region.next_places().iter().filter_map(|next| Index::of(&region, &effects, *next)) {
                let (goals, least) = (choice.goals(&region, &cfa), 1 + choice.below(4));
                let Some(end) = index.tail(&region, &effects, &goals, least) else { continue };
                let about = format!("seed {seed}, {goals:?}, {least}\n{cfa:?}");
                assert!(least < end.locs.len() && 0 < end.begin, "{about}");
                assert!(!is_avoided(&region, &goals, end.begin), "{about}");
                assert_eq!(obeys(&region, &effects, (&goals, Extent::Narrow), &end, end.begin), Ok(()), "{about}");
                n_ends += 1;
                let whole = index.slice(&region, &effects, &goals, Extent::Narrow).unwrap();
                n_short += u64::from(end.locs.len() < whole.locs.len());
            }
        }
    }
    assert!(n_cases() < n_ends && n_cases() / 2 < n_short, "{n_ends} ends, {n_short} shorter than the whole");
}

/// Returns a cycle of counters behind branches, with the variables that are counted.
fn counters(n: usize) -> (Builder, Vec<VarId>) {
    let mut b = Builder::new();
    let vars: Vec<VarId> = (0..n).map(|i| b.var(&format!("counter {i}"), Value::int(8, 0))).collect();
    let mut at = b.cfa.head;
    for (i, var) in vars.iter().enumerate() {
        let input = b.input(&format!("input {i}"), Sort::Bool);
        let (condition, next) = (b.v(input), b.plus(*var, 1));
        at = b.when(at, condition, Op::Assign(*var, next));
    }
    b.edge(at, b.cfa.head, Op::Skip);
    (b, vars)
}

#[test]
fn slice_visits_locations_that_matter_to_its_question() {
    let visits = |n: usize| -> Vec<usize> {
        let (b, vars) = counters(n);
        let automaton = Automaton::new(&b.pool, &b.cfa, &BTreeSet::new()).unwrap();
        let (effects, region) = (effects(&automaton), Region::of(&automaton, b.cfa.head));
        let index = Index::of(&region, &effects, b.cfa.head).unwrap();
        let visits = |var: &VarId| {
            let goals = Goals::from([(Sink::Place(b.cfa.head), BTreeSet::from([*var]))]);
            index.slice(&region, &effects, &goals, Extent::Wide).unwrap();
            index.n_visits.take()
        };
        vars.iter().map(visits).collect()
    };
    let few = visits(4);
    assert!(0 < few[0] && few.iter().chain(&visits(60)).all(|n| *n == few[0]), "{few:?}");
}

#[test]
fn conditions_notice_a_location_that_is_left_out() {
    let (b, vars) = counters(3);
    let automaton = Automaton::new(&b.pool, &b.cfa, &BTreeSet::new()).unwrap();
    let (effects, region) = (effects(&automaton), Region::of(&automaton, b.cfa.head));
    let goals = Goals::from([(Sink::Place(b.cfa.head), BTreeSet::from([vars[1]]))]);
    let slice = || Slice::of(&region, &effects, &goals, Extent::Narrow).unwrap();
    assert_eq!(obeys(&region, &effects, (&goals, Extent::Narrow), &slice(), 0), Ok(()));
    let locs: Vec<usize> = slice().locs.into_keys().filter(|n| *n < region.leaving.len()).collect();
    assert!(!locs.is_empty());
    for n in locs {
        let mut wrong = slice();
        wrong.locs.remove(&n);
        let landing = *wrong.locs.range(n..).next().unwrap().0;
        wrong
            .locs
            .values_mut()
            .flat_map(|loc| &mut loc.leaving)
            .filter(|edge| edge.landing == n)
            .for_each(|edge| edge.landing = landing);
        if wrong.begin == n {
            wrong.begin = landing;
        }
        assert!(obeys(&region, &effects, (&goals, Extent::Narrow), &wrong, 0).is_err(), "{n}");
    }
}
