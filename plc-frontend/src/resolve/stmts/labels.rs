//! Labels and jumps: a jump goes to a label of its own list of statements or of one around it. The body of an IF or a loop is
//! entered by its head only.

use crate::ast;
use crate::ast::walk::{self, Node};
use crate::hir::{LabelId, Stmt, StmtKind};
use crate::resolve::findings::{Findings, Res};
use crate::resolve::names::tables::{Key, key};
use crate::text::{Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Labels of the current body.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Those of the lists around the current statement, the innermost last.
    lists: Vec<BTreeMap<Key, LabelId>>,
    /// Those of all lists of the body.
    all: BTreeSet<Key>,
    next: u32,
}

impl Labels {
    /// Gives ids to the labels of a list, before its statements.
    pub(crate) fn open(&mut self, findings: &mut Findings, list: &[ast::Stmt]) {
        if self.lists.is_empty() {
            *self = Labels::default();
            self.all_labels(findings, list);
        }
        let mut labels = BTreeMap::new();
        for stmt in list {
            if let ast::StmtKind::Label(name, _) = &stmt.kind
                && !labels.contains_key(&key(&name.text))
            {
                labels.insert(key(&name.text), LabelId(self.next));
                self.next += 1;
            }
        }
        self.lists.push(labels);
    }

    /// Removes the labels of a list, behind its statements.
    pub(crate) fn close(&mut self) {
        self.lists.pop();
    }

    /// Notes all labels of a body; two of one name are an error at the second.
    fn all_labels(&mut self, findings: &mut Findings, body: &[ast::Stmt]) {
        let mut found: Vec<&ast::Ident> = Vec::new();
        walk::stmts(body, &mut |node| {
            if let Node::Stmt(ast::Stmt { kind: ast::StmtKind::Label(name, _), .. }) = node {
                found.push(name);
            }
        });
        found.sort_by_key(|name| name.span);
        for name in found {
            if !self.all.insert(key(&name.text)) {
                let message = format!("the label `{}` stands in this body already", name.text);
                let help = Some("rename one of them".to_owned());
                findings.error_with_help(codes::DUPLICATE_NAME, name.span, message, "again here", help);
            }
        }
    }

    pub(crate) fn label(&self, name: &ast::Ident, span: Span) -> Vec<Stmt> {
        let label = self.lists.last().and_then(|list| list.get(&key(&name.text)));
        label.map(|label| Stmt { kind: StmtKind::Label(*label), span }).into_iter().collect()
    }

    pub(crate) fn goto(&self, findings: &mut Findings, name: &ast::Ident) -> Res<StmtKind> {
        if let Some(label) = self.lists.iter().rev().find_map(|list| list.get(&key(&name.text))) {
            return Ok(StmtKind::Goto(*label));
        }
        let (message, here, help) = if self.all.contains(&key(&name.text)) {
            let message = format!("the label `{}` stands inside another statement", name.text);
            (message, "would jump into a body", "jump to a label in the same list of statements or around it")
        } else {
            (format!("there is no label `{}`", name.text), "no such label", "write the label followed by a colon: `name:`")
        };
        Err(findings.error_with_help(codes::BAD_JUMP, name.span, message, here, Some(help.to_owned())))
    }
}
