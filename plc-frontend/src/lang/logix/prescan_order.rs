//! Orders and repetitions in a prescan that sources do not settle: a condition where they make a difference.
//!
//! Sources about a routine that is called several times: help, "Ladder Diagram Rung Condition" (each time); LOGIX-UM001B-EN-P, page 57
//! (once). No page has the order of the actions of a chart.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::calls::number_in;
use super::{expressions, key};
use crate::ast::{Expr, ExprKind, InitializerKind, Name, NameElem, Stmt, StmtKind, VarBlock};

/// Condition of a routine that the prescan reaches several times.
pub(super) const SEVERAL: &str = "prescan of a routine that is called several times or in a loop: it comes once for each call";

/// Condition of the calls of a chart.
pub(super) const CHART: &str = "prescan of the actions of a chart: they come in the order of their steps";

/// Condition of routines that nothing calls.
pub(super) const UNREACHED: &str = "prescan of routines that the main routine does not reach: they have none";

/// Most elements of a chart whose order is looked at.
const MOST: usize = 500;

/// Effects of statements of a prescan.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Tags with the values that they get, by the first words of their paths.
    values: BTreeMap<String, BTreeMap<Vec<String>, BTreeSet<String>>>,
    /// Tags that are copied.
    reads: BTreeSet<Vec<String>>,
    /// First words of the paths in all other statements.
    others: BTreeSet<String>,
}

impl Effects {
    pub(super) fn of(stmts: &[Stmt]) -> Self {
        let mut effects = Self::default();
        stmts.iter().for_each(|stmt| effects.add(stmt));
        effects
    }

    fn add(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign(Expr { kind: ExprKind::Name(target), .. }, value) = &stmt.kind
            && let Some(target) = steps(target)
        {
            let value = match &value.kind {
                ExprKind::Literal(_, literal) => Some(format!("{literal:?}")),
                ExprKind::Name(source) => steps(source).map(|source| {
                    let text = source.join(".");
                    self.reads.insert(source);
                    text
                }),
                ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Call(..) | ExprKind::Address(_) | ExprKind::Error => None,
            };
            if let (Some(value), Some(root)) = (value, target.first()) {
                self.values.entry(root.clone()).or_default().entry(target.clone()).or_default().insert(value);
                return;
            }
        }
        let mut stmt = stmt.clone();
        if let StmtKind::Call(name, _) = &stmt.kind {
            self.others.insert(key(&name.root.text));
        }
        expressions::of_statement(&mut stmt, &mut |e| {
            if let ExprKind::Name(name) = &e.kind {
                self.others.insert(key(&name.root.text));
            }
        });
        stmt.lists_mut().into_iter().flatten().for_each(|inner| self.add(inner));
    }

    fn mentions(&self, root: &str) -> bool {
        self.others.contains(root)
            || self.values.contains_key(root)
            || self.reads.iter().any(|path| path.first().is_some_and(|first| first == root))
    }

    /// Returns whether the effects of both together depend on no order. Those of `self` alone are compared with `self`.
    fn is_free_of_order(&self, other: &Self) -> bool {
        let is_apart = |a: &Self, b: &Self| a.others.iter().all(|root| !b.mentions(root));
        let is_read = |a: &Self, b: &Self| {
            a.reads.iter().any(|read| {
                let written = read.first().and_then(|root| b.values.get(root));
                written.into_iter().flat_map(BTreeMap::keys).any(|path| overlap(path, read))
            })
        };
        let differ = self.values.iter().any(|(root, paths)| {
            let mut others = other.values.get(root).into_iter().flatten();
            others.any(|(path, values)| {
                paths.iter().any(|(own, of_own)| {
                    overlap(own, path) && (own != path || values.union(of_own).collect::<BTreeSet<_>>().len() != 1)
                })
            })
        });
        is_apart(self, other) && is_apart(other, self) && !is_read(self, other) && !is_read(other, self) && !differ
    }

    /// Returns whether the statements, executed again, change nothing.
    fn is_idempotent(&self) -> bool {
        self.others.is_empty() && self.is_free_of_order(self)
    }
}

/// Returns the words of a path; `None` where one of them is no constant.
fn steps(name: &Name) -> Option<Vec<String>> {
    let element = |element: &NameElem| match element {
        NameElem::Field(field) => Some(key(&field.text)),
        NameElem::Index(indices, _) => {
            let numbers: Option<Vec<String>> = indices.iter().map(|index| number_in(index).map(|n| n.to_string())).collect();
            numbers.map(|numbers| format!("[{}]", numbers.join(",")))
        }
        NameElem::Bits { number, width: 1, .. } => Some(number.to_string()),
        NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => None,
    };
    std::iter::once(Some(key(&name.root.text))).chain(name.path.iter().map(element)).collect()
}

/// Returns whether a tag is a part of another, or the same.
fn overlap(a: &[String], b: &[String]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Returns whether a second prescan of a routine changes nothing. `first` are the statements of the first one, `between` those behind it.
pub(super) fn is_repeated_alike(first: &[Stmt], between: &[Stmt]) -> bool {
    let effects = Effects::of(first);
    effects.is_idempotent() && effects.is_free_of_order(&Effects::of(between))
}

/// Returns whether the order of the elements of a chart makes no difference; `elements` are their places among the statements.
///
/// The statements of one instruction have one place in the text and stay together.
pub(super) fn is_ordered_alike(stmts: &[Stmt], elements: &[Range<usize>]) -> bool {
    let mut all: Vec<(Option<u32>, Effects)> = Vec::new();
    for element in elements {
        let own = stmts.get(element.clone()).unwrap_or_default();
        let place = match own {
            [stmt] => Some(stmt.span.start),
            _ => None,
        };
        match all.last_mut() {
            Some((last, effects)) if place.is_some() && *last == place => own.iter().for_each(|stmt| effects.add(stmt)),
            _ => all.push((place, Effects::of(own))),
        }
    }
    let is_alike = |(at, (_, effects)): (usize, &(Option<u32>, Effects))| {
        all.iter().skip(at + 1).all(|(_, other)| effects.is_free_of_order(other))
    };
    all.len() <= MOST && all.iter().enumerate().all(is_alike)
}

/// Returns whether a prescan of routines that are not reached would change nothing: it clears only tags that start as FALSE or 0.
pub(super) fn changes_nothing(unreached: &[Stmt], reached: &[Stmt], vars: &[VarBlock]) -> bool {
    let effects = Effects::of(unreached);
    let clear = ["Bool(false)", "Int(0)", "Real(\"0.0\")"];
    let is_clear = |path: &[String], values: &BTreeSet<String>| {
        let [root] = path else { return false };
        let var = vars.iter().flat_map(|block| &block.vars).find(|var| key(&var.name.text) == *root);
        let starts_clear = var.is_some_and(|var| match &var.init {
            None => true,
            Some(init) => matches!(&init.kind, InitializerKind::Expr(Expr { kind: ExprKind::Literal(_, literal), .. })
                if ["Int(0)", "Bool(false)", "Real(\"0.0\")"].contains(&format!("{literal:?}").as_str())),
        });
        starts_clear && values.iter().all(|value| clear.contains(&value.as_str()))
    };
    let all_clear = effects.values.values().flatten().all(|(path, values)| is_clear(path, values));
    effects.others.is_empty() && all_clear && effects.is_free_of_order(&Effects::of(reached))
}
