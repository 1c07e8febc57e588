//! Each path of a slice ends in a piece, with the values that the piece calls unchanged.

use std::collections::BTreeSet;

use super::super::super::automaton::Automaton;
use super::super::super::effects::{Effect, effects};
use super::super::super::obligations::loops;
use super::super::super::random_cases::{bytes, n_cases};
use super::super::super::region::Region;
use super::super::{Extent, Goals, Sink};
use super::*;
use kernel::cfa::Op;
use kernel::expr::{Sort, Value};
use testgen::automata::examples::Builder;
use testgen::automata::structured::cycle;

/// Edges of a path: number of the source, place among its edges.
type Path = Vec<(usize, usize)>;

/// Returns paths of a slice from its beginning to its end, at most a thousand.
fn paths(slice: &Slice<'_>) -> Vec<Path> {
    let (mut paths, mut todo) = (Vec::new(), vec![(slice.begin, Path::new())]);
    while let Some((at, path)) = todo.pop() {
        let leaving = slice.locs.get(&at).map(|loc| loc.leaving.as_slice()).unwrap_or_default();
        if leaving.is_empty() {
            paths.push(path);
            continue;
        }
        if 1000 < paths.len() + todo.len() {
            continue;
        }
        for (n, edge) in leaving.iter().enumerate() {
            todo.push((edge.landing, path.iter().copied().chain([(at, n)]).collect()));
        }
    }
    paths
}

/// Returns whether a piece has the end of a path, and whether its unchanged variables are unchanged on the way there.
fn has_end(slice: &Slice<'_>, effects: &IndexVec<EdgeId, Effect>, piece: &Piece<'_>, path: &Path) -> Option<bool> {
    let from = path.iter().position(|(source, _)| *source == piece.slice.begin)?;
    let edge = |(source, n): &(usize, usize)| &slice.locs[source].leaving[*n];
    for step in &path[from..] {
        let (whole, own) = (edge(step), piece.slice.locs.get(&step.0)?);
        let same = own.leaving.iter().find(|own| own.edge == whole.edge && own.landing == whole.landing)?;
        assert_eq!(same.guard, whole.guard);
    }
    let is_changed = |var: &VarId| {
        path[..from].iter().any(|step| {
            let loc = &slice.locs[&step.0];
            !loc.kept.contains(var) || loc.fresh.contains(var) || effects[edge(step).edge].writes.iter().any(|w| w.var == *var)
        })
    };
    Some(piece.unchanged.iter().all(|var| !is_changed(var) && piece.slice.reads().contains(var)))
}

#[test]
fn paths_of_random_slices_end_in_pieces() {
    let (mut n_slices, mut n_late, mut n_unchanged) = (0, 0, 0);
    for seed in 0..4 * n_cases() {
        let (pool, cfa) = cycle(&bytes(seed, 160));
        let places = loops(&cfa).collect();
        let Some(automaton) = Automaton::new(&pool, &cfa, &places) else { continue };
        let effects = effects(&automaton);
        for place in automaton.places.clone() {
            let region = Region::of(&automaton, place);
            for next in region.next_places() {
                let goals = Goals::from([(Sink::Place(*next), cfa.vars.iter().copied().take(1 + seed as usize % 3).collect())]);
                let Some(slice) = Slice::of(&region, &effects, &goals, Extent::Narrow) else { continue };
                let pieces = slice.pieces(&effects);
                if pieces.is_empty() {
                    continue;
                }
                n_slices += 1;
                n_late += pieces.iter().filter(|piece| piece.slice.begin != slice.begin).count();
                n_unchanged += pieces.iter().filter(|piece| !piece.unchanged.is_empty()).count();
                for path in paths(&slice) {
                    let ends: Vec<bool> = pieces.iter().filter_map(|piece| has_end(&slice, &effects, piece, &path)).collect();
                    assert!(
                        !ends.is_empty() && ends.iter().all(|is_right| *is_right),
                        "seed {seed}: {path:?}, {ends:?}\n{cfa:?}"
                    );
                }
            }
        }
    }
    assert!(10 < n_slices && 10 < n_late && 10 < n_unchanged, "{n_slices} slices, {n_late} late pieces, {n_unchanged} unchanged");
}

/// Returns the numbers of locations of the pieces of a step of a machine with `n` states.
fn machine(n: usize) -> Vec<usize> {
    let mut b = Builder::new();
    let state = b.var("state", Value::int(8, 0));
    let input = b.input("go", Sort::Bool);
    let mut at = b.cfa.head;
    for i in 0..n {
        let (here, next) = (b.less(state, i as i128 + 1), b.n(8, i as i128 + 1));
        let (other, go) = (b.pool.not(here), b.v(input));
        let (inside, stay) = (b.then(at, Op::Assume(here)), b.pool.not(go));
        let moves = b.then(inside, Op::Assume(go));
        b.edge(moves, b.cfa.head, Op::Assign(state, next));
        b.edge(inside, b.cfa.head, Op::Assume(stay));
        at = b.then(at, Op::Assume(other));
    }
    b.edge(at, b.cfa.head, Op::Skip);
    let automaton = Automaton::new(&b.pool, &b.cfa, &BTreeSet::from([b.cfa.head])).unwrap();
    let (effects, region) = (effects(&automaton), Region::of(&automaton, b.cfa.head));
    let goals = Goals::from([(Sink::Place(b.cfa.head), BTreeSet::from([state]))]);
    let slice = Slice::of(&region, &effects, &goals, Extent::Narrow).unwrap();
    // Nothing writes the state before the last edges.
    let pieces = slice.pieces(&effects);
    assert!(pieces.iter().all(|piece| piece.unchanged == *piece.slice.reads()));
    pieces.iter().map(|piece| piece.slice.locs.len()).collect()
}

#[test]
fn pieces_of_a_machine_are_about_few_states_each() {
    for n in [4, 40] {
        let pieces = machine(n);
        assert!(2 * n < pieces.len() && pieces.iter().all(|n_locs| *n_locs < 6), "{pieces:?}");
    }
}
