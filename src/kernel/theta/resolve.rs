//! Resolves names of variables and locations, and checks that exactly one start and one error location exist.

use std::collections::BTreeMap;

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::ast::{Edge, Loc, NodeKind, Process, Stmt, StmtKind};
use super::parse::{Body, Draft, Parser, Written};

impl<'a> Parser<'a, '_> {
    /// Resolves names, and checks that exactly one start and one error location exist.
    pub(super) fn resolved(&mut self, body: Body<'a>) -> Option<Process> {
        let Body { mut process, span, inits, finals, errors, edges } = body;
        // The process's own variables come before global ones.
        let own = process.vars.len();
        process.vars.append(&mut self.globals);
        let mut vars: BTreeMap<String, usize> = BTreeMap::new();
        for (i, var) in process.vars.iter().enumerate() {
            match vars.get(&var.name) {
                Some(&first) if (i < own) == (first < own) => {
                    let finding = Diagnostic::error("P6003", var.span, format!("`{}` is declared twice", var.name), "again");
                    let first = process.vars[first].span;
                    self.report(finding.label(first, "first"));
                }
                Some(_) => {}
                None => {
                    vars.insert(var.name.clone(), i);
                }
            }
        }
        let mut locs: BTreeMap<String, usize> = BTreeMap::new();
        for (i, loc) in process.locs.iter().enumerate() {
            if let Some(first) = locs.insert(loc.name.clone(), i) {
                let finding = Diagnostic::error("P6003", loc.span, format!("`{}` is declared twice", loc.name), "again");
                self.report(finding.label(process.locs[first].span, "first"));
            }
        }
        let mut nodes = std::mem::take(&mut self.nodes);
        for node in &mut nodes {
            if let NodeKind::Var(name, var) = &mut node.kind {
                *var = self.named(&vars, name, node.span, "variable");
            }
        }
        process.nodes = nodes;
        for Draft { source, target, stmts } in edges {
            let span = source.1.to(target.1);
            let (from, to) =
                (self.named(&locs, source.0, source.1, "location"), self.named(&locs, target.0, target.1, "location"));
            let mut all = Vec::with_capacity(stmts.len());
            for (stmt, span) in stmts {
                let kind = match stmt {
                    Written::Assume(e) => Some(StmtKind::Assume(e)),
                    Written::Assign(var, e) => self.named(&vars, var.0, var.1, "variable").map(|var| StmtKind::Assign(var, e)),
                    Written::Havoc(var) => self.named(&vars, var.0, var.1, "variable").map(StmtKind::Havoc),
                };
                all.extend(kind.map(|kind| Stmt { kind, span }));
            }
            if let (Some(source), Some(target)) = (from, to) {
                process.edges.push(Edge { source, target, stmts: all, span });
            }
        }
        let place = |i: usize| process.locs.get(i).map_or(span, |loc: &Loc| loc.span);
        match inits.as_slice() {
            [one] => process.init = *one,
            [] => self.report(
                Diagnostic::error("P6006", span, "the process has no initial location", "this one")
                    .help("mark the location where runs start: `init loc L0`"),
            ),
            [first, second, ..] => self.report(
                Diagnostic::error("P6006", place(*second), "the process has more than one initial location", "another one")
                    .label(place(*first), "the first one"),
            ),
        }
        if 1 < finals {
            self.report(Diagnostic::error("P6006", span, "the process has more than one final location", "this one"));
        }
        match errors.as_slice() {
            [one] => process.error = *one,
            [] => self.report(
                Diagnostic::error("P6006", span, "there is nothing to check: the model has no error location", "this process")
                    .help("mark the location that must not be reached: `error loc ERR`"),
            ),
            [first, second, ..] => self.report(
                Diagnostic::error("P6006", place(*second), "the process has more than one error location", "another one")
                    .label(place(*first), "the first one")
                    .help("lead edges from all of them to one location"),
            ),
        }
        if self.has_errors() { None } else { Some(process) }
    }
    fn named(&mut self, names: &BTreeMap<String, usize>, name: &str, span: Span, of: &str) -> Option<usize> {
        let found = names.get(name).copied();
        if found.is_none() {
            self.report(Diagnostic::error("P6003", span, format!("no {of} has the name `{name}`"), "used here"));
        }
        found
    }
}
