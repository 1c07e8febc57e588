//! Durations of CONSTANT variables, as presets of timers name them.

use std::collections::BTreeMap;

use crate::ast::walk::{self, Node};
use crate::ast::{Expr, ExprKind, InitializerKind, Literal, Section, Unit, VarBlock};
use crate::text::key;

/// Returns the durations of CONSTANT variables by declaration and name; `None` where a name has several meanings.
pub(super) fn constants(units: &[&Unit]) -> BTreeMap<(usize, String), Option<i128>> {
    let mut found: BTreeMap<(usize, String), Option<i128>> = BTreeMap::new();
    let mut n_items = 0;
    for unit in units {
        walk::unit(unit, &mut |node| match node {
            Node::Item(_) => n_items += 1,
            Node::Block(block) if block.section != Section::External => {
                let owner = if is_global(block) { 0 } else { n_items };
                for var in &block.vars {
                    let number = var.init.as_ref().filter(|_| block.constant).and_then(|init| match &init.kind {
                        InitializerKind::Expr(e) => literal(e),
                        InitializerKind::Struct(_) | InitializerKind::Array(_) | InitializerKind::Elements(_) => None,
                    });
                    let slot = (owner, key(&var.name.text));
                    let is_new = !found.contains_key(&slot);
                    found.insert(slot, number.filter(|_| is_new));
                }
            }
            Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
    }
    found
}

pub(super) fn is_global(block: &VarBlock) -> bool {
    matches!(block.section, Section::Global | Section::Config | Section::Access)
}

/// Returns the value of a duration literal.
pub(super) fn literal(e: &Expr) -> Option<i128> {
    if let ExprKind::Literal(_, Literal::Duration { ns, .. }) = &e.kind { Some(*ns) } else { None }
}
