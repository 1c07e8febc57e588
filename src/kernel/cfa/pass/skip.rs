//! Removes skips by merging locations.

use super::Lift;
use super::graph::contracted;
use crate::cfa::automaton::Cfa;
use crate::expr::ExprPool;

pub(super) fn run(_: &mut ExprPool, cfa: &Cfa, _: &mut Lift) -> Cfa {
    contracted(cfa)
}
