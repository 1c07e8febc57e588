//! SMT-LIB scripts in the making. Every symbol is declared or defined once; terms stay short.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::Flaw;
use super::smtlib::{applied, clean, foreign, head};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, VarId};

/// A symbol, a literal or a short term.
pub(crate) type Text = Rc<str>;

/// Terms longer than this get a symbol of their own.
pub(super) const LONG: usize = 120;

/// Declarations and definitions, in their order.
#[derive(Debug, Default)]
pub(crate) struct Script {
    lines: String,
    n_symbols: usize,
    sorts: Sorts,
}

/// Theories that a text needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sorts {
    floats: bool,
    odd_floats: bool,
    unbounded: bool,
}

impl Sorts {
    /// Notes that a term of this sort is used.
    pub(crate) fn note(&mut self, sort: Sort) {
        self.floats |= matches!(sort, Sort::Float(_));
        self.odd_floats |= sort.has_odd_floats();
        self.unbounded |= matches!(sort, Sort::Int | Sort::Array(..));
    }
    /// Returns the theories of both.
    pub(crate) fn and(self, other: Sorts) -> Sorts {
        Sorts {
            floats: self.floats || other.floats,
            odd_floats: self.odd_floats || other.odd_floats,
            unbounded: self.unbounded || other.unbounded,
        }
    }
    /// Returns whether everything is Bool or a bit vector.
    pub(crate) fn only_bits(self) -> bool {
        !self.floats && !self.unbounded
    }
    /// Returns the options that cvc5 needs before it reads such terms. Other solvers know no such options and need none.
    pub(crate) fn options(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.unbounded, "arrays-exp"), (self.odd_floats, "fp-exp")];
        all.into_iter().filter(|(needed, _)| *needed).map(|(_, option)| option)
    }
    /// Returns the command at the beginning of a script.
    pub(crate) fn logic(self) -> &'static str {
        match (self.unbounded, self.floats) {
            (true, _) => "(set-logic ALL)\n",
            (false, true) => "(set-logic QF_BVFP)\n",
            (false, false) => "(set-logic QF_BV)\n",
        }
    }
}

impl Script {
    /// Returns the lines, and the theories that they need.
    pub(crate) fn finish(self) -> (String, Sorts) {
        (self.lines, self.sorts)
    }
    /// Returns the theories of its terms, to note those of further ones.
    pub(super) fn sorts(&mut self) -> &mut Sorts {
        &mut self.sorts
    }
    /// Adds a comment.
    pub(crate) fn comment(&mut self, text: &str) {
        let _ = writeln!(self.lines, "; {text}");
    }
    /// Adds a symbol of any value.
    pub(crate) fn declare(&mut self, name: &str, sort: Sort) -> Text {
        self.sorts.note(sort);
        let _ = writeln!(self.lines, "(declare-const {name} {sort})");
        name.into()
    }
    /// Adds a fresh symbol of any value.
    pub(crate) fn any(&mut self, hint: &str, sort: Sort) -> Text {
        let name = self.fresh(hint);
        self.declare(&name, sort)
    }
    /// Adds a symbol of this name for a term.
    pub(crate) fn name(&mut self, name: &str, sort: Sort, term: &str) -> Text {
        self.sorts.note(sort);
        let _ = writeln!(self.lines, "(define-fun {name} () {sort} {term})");
        name.into()
    }
    /// Adds a fresh symbol for a term. A symbol or a literal stays as it is.
    pub(crate) fn define(&mut self, hint: &str, sort: Sort, term: &str) -> Text {
        if !term.starts_with('(') || term.starts_with("(_ ") {
            self.sorts.note(sort);
            return term.into();
        }
        let name = self.fresh(hint);
        self.name(&name, sort, term)
    }
    fn fresh(&mut self, hint: &str) -> String {
        self.n_symbols += 1;
        format!("|{}#{}|", clean(hint), self.n_symbols)
    }

    /// Returns the value of an expression whose variables have these values. Shared and long parts get symbols of their own.
    ///
    /// Cost: linear in the distinct nodes below it.
    pub(crate) fn expr(&mut self, pool: &ExprPool, e: ExprId, values: impl Fn(VarId) -> Option<Text>) -> Result<Text, Flaw> {
        let mut done: BTreeMap<ExprId, Text> = BTreeMap::new();
        for (node, n_uses) in pool.uses(e) {
            let sort = pool.sort(node);
            self.sorts.note(sort);
            let expr = pool.expr(node);
            let term = if let Expr::Var(var) = expr {
                values(var).ok_or_else(|| foreign(pool, var))?.to_string()
            } else {
                let operands: Vec<Text> = expr.children().map(|child| done[&child].clone()).collect();
                applied(&head(pool, expr), &operands)
            };
            let text = if n_uses == 1 && term.len() < LONG { term.into() } else { self.define("t", sort, &term) };
            done.insert(node, text);
        }
        Ok(self.define("t", pool.sort(e), &done[&e]))
    }
}

#[cfg(test)]
mod tests;
