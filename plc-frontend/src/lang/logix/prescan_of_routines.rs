//! Prescan of a program: that of its main routine, with those of the routines that it calls.
//!
//! A routine has its prescan where each call of it stands (help, "Ladder Diagram Rung Condition").

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::ladder::Ladder;
use super::{key, prescan_order};
use crate::ast::{Arg, Expr, Ident, Name, Stmt, StmtKind};
use crate::text::Span;

/// Beginning of the name of a statement that stands for the prescan of a routine.
const ROUTINE: &str = "Prescan__of__";

/// Most statements and calls in the prescan of a program.
const MOST_STEPS: usize = 100_000;

/// Returns the statement of a prescan at which that of a routine stands; [`whole`] replaces it.
pub(super) fn of_routine(routine: &str, span: Span) -> Stmt {
    let name = Ident::new(format!("{ROUTINE}{}", key(routine)), span);
    Stmt { kind: StmtKind::Call(Name::plain(name), Vec::new()), span }
}

/// Returns the same for a routine that a loop calls.
pub(super) fn of_loop(routine: &str, span: Span) -> Vec<Stmt> {
    // The second one only shows whether the number of prescans makes a difference.
    let once = of_routine(routine, span);
    let mut again = once.clone();
    if let StmtKind::Call(_, args) = &mut again.kind {
        args.push(Arg::Positional(Expr::truth(true, span)));
    }
    vec![once, again]
}

/// Prescan of a program.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) stmts: Vec<Stmt>,
    /// Routines that it reaches.
    pub(super) reached: BTreeSet<String>,
    /// Prescan of the routines that it does not reach.
    pub(super) unreached: Vec<Stmt>,
    /// Rules without a source, or with sources that disagree, that make a difference here.
    pub(super) rules: BTreeSet<&'static str>,
}

/// Returns the prescan of a program: that of its main routine, with those of other routines where it calls them.
///
/// Soundness: a prescan of too many statements is a gap.
pub(super) fn whole(main: &str, ladders: &BTreeMap<String, Ladder>, span: Span) -> Whole {
    let (mut all, mut n_steps) = (Whole::default(), 0usize);
    // Statements of the first prescan of each routine.
    let mut first: BTreeMap<String, Range<usize>> = BTreeMap::new();
    let mut open: Vec<RoutinePrescan<'_>> = RoutinePrescan::of(&key(main), ladders, 0).into_iter().collect();
    while let Some(routine) = open.last_mut() {
        let end = all.stmts.len();
        routine.elements.push(routine.last..end);
        routine.last = end;
        let Some(stmt) = routine.rest.next() else {
            let done = open.pop();
            all.end(done, &mut first);
            continue;
        };
        match routine_of(stmt) {
            None => all.stmts.push(stmt.clone()),
            // A call in a circle is a gap where it stands.
            Some((called, _)) if open.iter().any(|around| around.name == called) => {}
            Some((called, is_again)) => {
                let before = first.get(called).filter(|_| !all.rules.contains(prescan_order::SEVERAL));
                if let Some(range) = before {
                    let (own, behind) = (all.stmts.get(range.clone()), all.stmts.get(range.end..));
                    if !prescan_order::is_repeated_alike(own.unwrap_or_default(), behind.unwrap_or_default()) {
                        all.rules.insert(prescan_order::SEVERAL);
                    }
                }
                open.extend(if is_again { None } else { RoutinePrescan::of(called, ladders, end) });
            }
        }
        n_steps += 1;
        if MOST_STEPS < n_steps {
            all.stmts = vec![Stmt::unsupported("prescan of routines that call each other very often", span)];
            return all;
        }
    }
    all.unreached(ladders);
    all
}

/// Routine whose prescan is written.
struct RoutinePrescan<'l> {
    name: String,
    rest: std::slice::Iter<'l, Stmt>,
    is_chart: bool,
    /// Place of its first statement.
    begin: usize,
    /// Statements of each of its elements so far.
    elements: Vec<Range<usize>>,
    /// End of the last element.
    last: usize,
}

impl<'l> RoutinePrescan<'l> {
    fn of(name: &str, ladders: &'l BTreeMap<String, Ladder>, begin: usize) -> Option<Self> {
        let ladder = ladders.get(name)?;
        let (rest, is_chart) = (ladder.prescan.iter(), ladder.is_chart);
        Some(Self { name: name.to_owned(), rest, is_chart, begin, elements: Vec::new(), last: begin })
    }
}

impl Whole {
    /// Ends the prescan of a routine.
    fn end(&mut self, routine: Option<RoutinePrescan<'_>>, first: &mut BTreeMap<String, Range<usize>>) {
        let Some(routine) = routine else { return };
        if routine.is_chart && !prescan_order::is_ordered_alike(&self.stmts, &routine.elements) {
            self.rules.insert(prescan_order::CHART);
        }
        first.entry(routine.name.clone()).or_insert(routine.begin..self.stmts.len());
        self.reached.insert(routine.name);
    }

    fn unreached(&mut self, ladders: &BTreeMap<String, Ladder>) {
        let others = ladders.iter().filter(|(name, _)| !self.reached.contains(*name));
        let others = others.flat_map(|(_, ladder)| &ladder.prescan).filter(|stmt| routine_of(stmt).is_none());
        self.unreached = others.cloned().collect();
    }
}

/// Returns the routine whose prescan stands here, and whether it stands there for the further rounds of a loop.
fn routine_of(stmt: &Stmt) -> Option<(&str, bool)> {
    let StmtKind::Call(name, args) = &stmt.kind else { return None };
    Some((name.root.text.strip_prefix(ROUTINE)?, !args.is_empty()))
}
