//! `target ACCESS address;` of B&R: an assignment to a reference.

use super::parser::Parser;
use crate::ast::{Arg, Expr, ExprKind, RefAssign, StmtKind};

impl Parser<'_> {
    /// Reads the rest: the reference refers to the variable at the address.
    pub(super) fn access(&mut self, target: Expr) -> StmtKind {
        self.bump();
        let value = self.expression();
        if self.is_lost() {
            return StmtKind::Error;
        }
        if let ExprKind::Call(function, mut args) = value.kind
            && function.path.is_empty()
            && function.root.text.eq_ignore_ascii_case("ADR")
            && let (Some(Arg::Positional(place)), true) = (args.pop(), args.is_empty())
        {
            return StmtKind::RefAssign(RefAssign::Reference, target, place);
        }
        StmtKind::Unsupported("ACCESS of an address that is computed".into())
    }
}
