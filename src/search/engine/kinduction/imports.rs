//! Facts of other engines as facts about the step relation.

use kernel::cfa::pass::System;
use kernel::context::Ctx;
use kernel::context::exchange::Cursor;
use kernel::expr::ExprId;

/// Returns the new lemmas of the board if all of them can be expressed over this system, else none. A part of an inductive set
/// need not be inductive.
pub(crate) fn news(cx: &mut Ctx<'_>, system: &System, read: &mut Cursor) -> Vec<ExprId> {
    if !cx.board.has_news(*read) {
        return Vec::new();
    }
    let board = cx.board.clone();
    let mut facts = Vec::new();
    for fact in board.news(&mut cx.pool, read) {
        let Some((_, place)) = system.cuts.iter().find(|(loc, _)| *loc == fact.at) else { return Vec::new() };
        if cx.pool.vars_of(&[fact.e]).iter().any(|var| system.vars.binary_search(var).is_err()) {
            return Vec::new();
        }
        facts.push(match system.pc {
            None => fact.e,
            Some(pc) => {
                let (pc, place) = (cx.pool.var(pc), cx.pool.constant(*place));
                let here = cx.pool.eq(pc, place);
                cx.pool.implies(here, fact.e)
            }
        });
    }
    facts
}
