//! Lemmas of the refinement: its predicates that hold at the start of every cycle.
//!
//! A predicate that excludes a spurious path is often always true, or one of two predicates is. Those that are inductive together
//! go to the board, where k-induction and PDR read them.

use std::time::Duration;

use super::INFO;
use crate::engine::houdini;
use kernel::cfa::pass::monolithic;
use kernel::cfa::{Cfa, LocKind};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprId;

/// Progress of the search for lemmas.
#[derive(Debug, Default)]
pub(super) struct Facts {
    n_refinements: u32,
    n_predicates: usize,
}

impl Facts {
    /// Counts a refinement; after the 4th, 8th, 16th … publishes the inductive ones among the head's predicates.
    ///
    /// Cost: at most [`PATIENCE`](publish), once for each doubling of the number of refinements.
    pub(super) fn refined(
        &mut self,
        cx: &mut Ctx<'_>,
        cfa: &Cfa,
        solvers: &MakeSolver,
        predicates: impl FnOnce(&Ctx<'_>) -> Vec<ExprId>,
    ) -> Result<(), Stop> {
        /// First refinement with a publication.
        const FIRST: u32 = 4;
        self.n_refinements += 1;
        if self.n_refinements < FIRST || !self.n_refinements.is_power_of_two() {
            return Ok(());
        }
        let predicates = predicates(cx);
        if predicates.len() == self.n_predicates {
            return Ok(());
        }
        self.n_predicates = predicates.len();
        publish(cx, cfa, solvers, predicates)
    }
}

fn publish(cx: &mut Ctx<'_>, cfa: &Cfa, solvers: &MakeSolver, mut predicates: Vec<ExprId>) -> Result<(), Stop> {
    /// Time for lemmas that only other engines use.
    const PATIENCE: Duration = Duration::from_millis(200);
    /// Number of predicates whose pairs are all tried.
    const MANY: usize = 12;
    // Only if a step is a cycle.
    let is_cycle = |kind| matches!(kind, LocKind::Init | LocKind::Head | LocKind::Error);
    let used = cfa.edges.iter().flat_map(|edge| [edge.source, edge.target]);
    if !used.into_iter().all(|loc| is_cycle(cfa.locs[loc].kind)) {
        return Ok(());
    }
    let mut short = cx.within(PATIENCE);
    let system = monolithic(&mut short.pool, cfa);
    predicates.retain(|e| short.pool.vars_of(&[*e]).iter().all(|var| system.vars.binary_search(var).is_ok()));
    predicates.truncate(MANY);
    let literals: Vec<ExprId> = predicates.into_iter().flat_map(|e| [e, short.pool.not(e)]).collect();
    let mut guesses = literals.clone();
    for (i, a) in literals.iter().enumerate() {
        // Not the pair with its own negation.
        for b in &literals[(i | 1) + 1..] {
            guesses.push(short.pool.or(*a, *b));
        }
    }
    if system.pc.is_some() || guesses.is_empty() {
        return Ok(());
    }
    match houdini::inductive(&mut short, &system, solvers, guesses) {
        Ok(facts) => {
            cx.board.publish(&short.pool, INFO.name, &[(cfa.locs[cfa.head].origin, facts)].into());
            Ok(())
        }
        Err(Stop::Reason(_)) => Ok(()),
        Err(stop @ Stop::Solver(_)) => Err(stop),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use kernel::cfa::pass::{Encoding, reduce};
    use kernel::context::exchange::{Board, Cursor};
    use kernel::expr::{BvCmp, Value};
    use kernel::smt::{BitBlaster, Solver};
    use testgen::automata::examples::{by_name, wrapping};

    #[test]
    fn what_is_inductive_of_the_predicates_is_published_and_nothing_else() {
        let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>));
        let example = wrapping(4, 9);
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let board = Arc::new(Board::new(&reduced.pool));
        let mut cx = Ctx { board: board.clone(), ..Ctx::new(reduced.pool, kernel::smt::Interrupt::default(), &|_| {}) };
        let c = cx.pool.var(reduced.cfa.vars[0]);
        let mut below = |limit| {
            let limit = cx.pool.constant(Value::int(16, limit));
            cx.pool.bv_cmp(BvCmp::Ult, c, limit)
        };
        // Always; never after the third cycle; of no use.
        let predicates = vec![below(5), below(3), below(100)];
        let always = predicates[0];
        let mut facts = Facts::default();
        for n in 1..=8 {
            let had_news = board.has_news(Cursor::default());
            facts.refined(&mut cx, &reduced.cfa, &solvers, |_| predicates.clone()).unwrap();
            assert_eq!((had_news, board.has_news(Cursor::default())), (4 < n, 4 <= n), "{n}");
        }
        let mut read = Cursor::default();
        let news: Vec<ExprId> = board.news(&mut cx.pool, &mut read).iter().map(|fact| fact.e).collect();
        assert!(news.contains(&always) && !news.contains(&predicates[1]), "{news:?}");
        let system = monolithic(&mut cx.pool, &reduced.cfa);
        assert!(houdini::is_inductive(&mut cx, &system, &solvers, &news, 1).unwrap());
    }

    #[test]
    fn with_a_loop_inside_the_cycle_nothing_is_published() {
        let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>));
        let example = by_name("inner loop", true);
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let board = Arc::new(Board::new(&reduced.pool));
        let mut cx = Ctx { board: board.clone(), ..Ctx::new(reduced.pool, kernel::smt::Interrupt::default(), &|_| {}) };
        let c = cx.pool.var(reduced.cfa.vars[0]);
        let same = cx.pool.eq(c, c);
        publish(&mut cx, &reduced.cfa, &solvers, vec![same]).unwrap();
        assert!(!board.has_news(Cursor::default()));
    }
}
