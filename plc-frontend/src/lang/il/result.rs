//! The current result: an expression until it has to be kept, then a hidden variable.

use super::lower::Lowering;
use super::read::Instruction;
use crate::ast::build;
use crate::ast::{Expr, ExprKind, Ident, Name, StmtKind};
use crate::hir::BinOp;
use crate::text::Diagnostic;

/// The current result.
pub(super) enum Current {
    /// Nothing was loaded, or control never comes here.
    Nothing,
    /// A value that is still unused, or that can be used again.
    Value(Tree),
    /// A target of jumps: the result depends on the jump.
    Unclear,
    /// None, because of a reported mistake.
    Wrong,
}

/// An expression with the height of its tree.
pub(super) struct Tree {
    pub(super) value: Expr,
    pub(super) height: u32,
}

/// A result that is taller becomes a hidden variable: later passes recurse over expressions.
const TALLEST: u32 = 100;

/// Hidden variables of lists start with it.
const HIDDEN: &str = "__il";

impl Lowering<'_> {
    pub(super) fn set(&mut self, value: Expr, height: u32) {
        self.current = Current::Value(Tree { value, height });
    }

    /// Takes the current result, from which the next one is made.
    pub(super) fn value(&mut self, instruction: &Instruction) -> Option<Tree> {
        if matches!(&self.current, Current::Value(tree) if TALLEST < tree.height) {
            self.keep();
        }
        let word = &instruction.word;
        let finding = match std::mem::replace(&mut self.current, Current::Wrong) {
            Current::Value(tree) => return Some(tree),
            Current::Wrong => return None,
            Current::Nothing => {
                let message = format!("{} uses the current result, but nothing is loaded", word.text);
                Diagnostic::error("P1212", word.span, message, "of what?").help("load a value first: LD x")
            }
            Current::Unclear => {
                // Nothing behind the gap runs, so the statements that need the result may be absent.
                self.push(StmtKind::Unsupported("current result behind a label, which depends on the jump".into()), word.span);
                return None;
            }
        };
        self.out.findings.push(finding);
        None
    }

    /// Returns the current result for a statement that follows. If it is needed afterwards it stays, under a hidden name.
    pub(super) fn take(&mut self, instruction: &Instruction, live: bool) -> Option<Expr> {
        self.keep_waiting();
        if live {
            self.keep();
        }
        let value = self.value(instruction)?.value;
        if live {
            self.set(value.clone(), 1);
        } else {
            self.current = Current::Nothing;
        }
        Some(value)
    }

    /// Makes the current result a hidden variable, unless its value cannot change.
    pub(super) fn keep(&mut self) {
        match std::mem::replace(&mut self.current, Current::Nothing) {
            Current::Value(mut tree) => {
                self.hide(&mut tree);
                self.current = Current::Value(tree);
            }
            other @ (Current::Nothing | Current::Unclear | Current::Wrong) => self.current = other,
        }
    }

    /// Makes the results that wait for their parenthesis hidden variables.
    pub(super) fn keep_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.iter_mut().filter_map(|waiting| waiting.left.as_mut()).for_each(|left| self.hide(left));
        self.waiting = waiting;
    }

    pub(super) fn hide(&mut self, tree: &mut Tree) {
        let is_hidden = |name: &Name| name.path.is_empty() && name.root.text.starts_with(HIDDEN);
        match &tree.value.kind {
            ExprKind::Literal(..) | ExprKind::Error => return,
            ExprKind::Name(name) if is_hidden(name) => return,
            ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Call(..) | ExprKind::Unary(..) | ExprKind::Binary(..) => {}
        }
        let span = tree.value.span;
        let root = Ident::new(format!("{HIDDEN}{}", self.n_hidden), span);
        self.n_hidden += 1;
        let computed = std::mem::replace(&mut tree.value, Expr::variable(root.clone()));
        tree.height = 1;
        self.push(StmtKind::Let(root, computed), span);
    }

    /// Drops the current result. An unused one is computed all the same: it may call or fail.
    pub(super) fn spill(&mut self) {
        if let Current::Value(mut tree) = std::mem::replace(&mut self.current, Current::Nothing) {
            let can_fail = match &tree.value.kind {
                ExprKind::Call(..) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
                ExprKind::Name(name) => !name.path.is_empty(),
                ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => false,
            };
            if can_fail {
                self.hide(&mut tree);
            }
        }
    }

    pub(super) fn combine(&mut self, op: BinOp, left: Tree, right: Tree) {
        let span = left.value.span.to(right.value.span);
        let height = 1 + left.height.max(right.height);
        self.set(build::binary(op, left.value, right.value, span), height);
    }
}

pub(super) fn not(operand: Tree) -> Tree {
    Tree { value: build::not(operand.value), height: 1 + operand.height }
}
