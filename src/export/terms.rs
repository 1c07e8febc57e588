//! Expressions as text: bottom-up, each part once. Shared and long parts get names, so that text stays linear and shallow.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Refused;
use kernel::expr::{Expr, ExprId, ExprPool, FastMap};

/// Writes one node, given the texts of its operands.
pub(super) type WriteNode<'a> = &'a mut dyn FnMut(ExprId, &[Rc<str>]) -> Result<String, Refused>;

/// A part with a name of its own.
pub(super) struct Definition {
    /// Its name.
    pub(super) name: Rc<str>,
    /// The expression.
    pub(super) of: ExprId,
    /// Its text, over the names before it.
    pub(super) text: String,
    /// Nesting depth of the definitions in it.
    pub(super) depth: u32,
}

/// Texts of expressions.
#[derive(Default)]
pub(super) struct Terms {
    done: FastMap<ExprId, (Rc<str>, u32)>,
    n_named: usize,
    inline: usize,
}

/// Texts longer than this get a name.
const LONG: usize = 100;

/// Operators and operands of all roots together, shared ones each time. `below`: everything below the roots.
fn written_out(pool: &ExprPool, below: &BTreeMap<ExprId, usize>, roots: &[ExprId]) -> usize {
    let mut sizes: FastMap<ExprId, usize> = FastMap::default();
    for node in below.keys() {
        let operands = pool.expr(*node).children().map(|child| sizes.get(&child).copied().unwrap_or(1));
        let size = operands.fold(1, usize::saturating_add);
        sizes.insert(*node, size);
    }
    roots.iter().map(|root| sizes.get(root).copied().unwrap_or(1)).fold(0, usize::saturating_add)
}

impl Terms {
    /// Makes texts without names for expressions of at most `inline` operators, shared ones counted each time.
    pub(super) fn writing_out(inline: usize) -> Terms {
        Terms { inline, ..Terms::default() }
    }
    /// Writes `roots`, and the definitions they need; those of earlier calls can be used again until [`Terms::forget`].
    ///
    /// Cost: linear in the distinct nodes below `roots`.
    pub(super) fn texts(
        &mut self,
        pool: &ExprPool,
        roots: &[ExprId],
        write: WriteNode<'_>,
    ) -> Result<(Vec<Definition>, Vec<Rc<str>>), Refused> {
        let mut uses: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut todo: Vec<ExprId> = Vec::new();
        for &root in roots {
            *uses.entry(root).or_insert(0) += 1;
            if uses[&root] == 1 && !self.done.contains_key(&root) {
                todo.push(root);
            }
        }
        while let Some(node) = todo.pop() {
            for child in pool.expr(node).children() {
                let count = uses.entry(child).or_insert(0);
                *count += 1;
                if *count == 1 && !self.done.contains_key(&child) {
                    todo.push(child);
                }
            }
        }
        let mut definitions = Vec::new();
        let is_inline = 0 < self.inline && written_out(pool, &uses, roots) <= self.inline;
        // A node is made after its operands, so ascending ids are bottom-up.
        for (node, n_uses) in uses {
            if self.done.contains_key(&node) {
                continue;
            }
            let operands: Vec<(Rc<str>, u32)> = pool.expr(node).children().filter_map(|c| self.done.get(&c).cloned()).collect();
            let depth = operands.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
            let texts: Vec<Rc<str>> = operands.into_iter().map(|(text, _)| text).collect();
            let text = write(node, &texts)?;
            let is_leaf = matches!(pool.expr(node), Expr::Const(_) | Expr::Var(_));
            if is_leaf || is_inline || (n_uses == 1 && text.len() < LONG) {
                self.done.insert(node, (text.into(), depth));
            } else {
                self.n_named += 1;
                let name: Rc<str> = format!("t{}", self.n_named).into();
                self.done.insert(node, (name.clone(), depth + 1));
                definitions.push(Definition { name, of: node, text, depth });
            }
        }
        let texts = roots.iter().filter_map(|root| self.done.get(root).map(|(text, _)| text.clone())).collect();
        Ok((definitions, texts))
    }
    /// Parts that were named are written anew from here on; names stay unique.
    pub(super) fn forget(&mut self) {
        self.done.clear();
    }
}
