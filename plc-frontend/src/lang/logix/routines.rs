//! Routines in any language as statements, with their prescan.

use std::collections::BTreeMap;

use super::calls::Scope;
use super::ladder::Ladder;
use super::types::integer;
use super::{Reader, aliases, attribute, conversions, flags, key, other_programs};
use crate::ast::{Expr, ExprKind, Literal, Stmt, StmtKind};
use crate::lang::xml::Element;

impl Reader {
    /// Reads a routine in any language.
    pub(super) fn statements(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Ladder {
        let mut ladder = self.read_routine(routine, scope);
        let span = routine.tag_span();
        other_programs::put_paths(&scope.shapes.others, &mut ladder.stmts, span);
        other_programs::put_paths(&scope.shapes.others, &mut ladder.prescan, span);
        conversions::assert(&mut ladder.stmts);
        conversions::assert(&mut ladder.prescan);
        ladder
    }

    fn read_routine(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Ladder {
        let is_ladder = language(routine).as_deref() == Some("RLL");
        let has_flags = |range: std::ops::Range<usize>| self.plain.get(range).is_some_and(flags::are_in);
        let mut stmts = match language(routine).as_deref() {
            _ if !is_ladder
                && scope.shapes.uses_flags
                && routine.descendants().filter_map(Element::text_range).any(has_flags) =>
            {
                vec![Stmt::unsupported("math status flag outside of ladder", routine.tag_span())]
            }
            _ if attribute(routine, "Use").as_deref() == Some("Reference") => {
                vec![Stmt::unsupported("routine that the export does not hold", routine.tag_span())]
            }
            _ if routine.name() == "EncodedData" => {
                vec![Stmt::unsupported("routine whose source is protected", routine.tag_span())]
            }
            _ if has_unknown_parts(routine) => {
                vec![Stmt::unsupported("routine with parts that are not known", routine.tag_span())]
            }
            Some("ST") => self.structured_text(routine),
            Some("RLL") => {
                let plain = std::mem::take(&mut self.plain);
                let ladder = self.ladder(routine, scope, &plain);
                self.plain = plain;
                return ladder;
            }
            Some("FBD") => {
                let mut ladder = self.diagram(routine, scope);
                ladder.prescan.extend(scope.prescan_of_calls(&ladder.stmts, true));
                return ladder;
            }
            Some("L5K") => vec![Stmt::unsupported("drawn or edited routine of a text export", routine.tag_span())],
            Some("SFC") => {
                let mut ladder = self.chart(routine, scope);
                ladder.calls = calls_of(&ladder.stmts, &scope.routines);
                ladder.jumps_to = ladder.calls.clone();
                ladder.prescan.extend(scope.prescan_of_calls(&ladder.stmts, true));
                return ladder;
            }
            _ => vec![Stmt::unsupported("routine in a language that is not known", routine.tag_span())],
        };
        if other_programs::has_unknown(&scope.variables, &mut stmts, routine.tag_span()) {
            stmts = vec![Stmt::unsupported(other_programs::GAP, routine.tag_span())];
        }
        aliases::substitute(&scope.aliases, &mut stmts, routine.tag_span());
        scope.shapes.put_hosts(&scope.variables, &mut stmts, routine.tag_span());
        // Its callers copy the parameters.
        if let Some(Stmt { kind, .. }) = stmts.first_mut()
            && matches!(kind, StmtKind::Call(name, _) if name.path.is_empty() && key(&name.root.text) == "SBR")
        {
            *kind = StmtKind::Empty;
        }
        scope.statements(&mut stmts);
        let calls = calls_of(&stmts, &scope.routines);
        let instructions = scope.prescan_of_calls(&stmts, false);
        let mut prescan = self.cleared(scope, &mut stmts);
        if !prescan.is_empty() && !instructions.is_empty() {
            scope.assume("order of assignments [:=] and calls in the prescan: assignments come first");
        }
        prescan.extend(instructions);
        Ladder { jumps_to: calls.clone(), calls, stmts, prescan, ..Ladder::default() }
    }

    /// Returns the statements of the prescan that clear the targets of `[:=]`.
    ///
    /// Soundness: a target whose type or place is not known is a gap.
    pub(super) fn cleared(&mut self, scope: &Scope<'_>, stmts: &mut Vec<Stmt>) -> Vec<Stmt> {
        let targets = std::mem::take(&mut *scope.shapes.cleared.borrow_mut());
        let mut prescan = Vec::new();
        for target in targets {
            let span = target.span;
            let zero = match scope.shape(&target).as_deref() {
                Some("BOOL") => Some(Expr::truth(false, span)),
                Some("SINT" | "INT" | "DINT") => Some(integer(0, span)),
                Some("REAL") => Some(Expr { kind: ExprKind::Literal(None, Literal::Real("0.0".to_owned())), span }),
                _ => None,
            };
            match zero.filter(|_| !scope.is_reference(&target) && scope.position(&target).is_none()) {
                Some(zero) => prescan.push(Stmt::assign(target, zero, span)),
                None => stmts.insert(0, Stmt::unsupported("prescan of an assignment [:=]", span)),
            }
        }
        prescan
    }
}

/// Returns the language of a routine; exports of rungs have routines without one.
pub(super) fn language(routine: Element<'_>) -> Option<String> {
    const CONTENTS: &[(&str, &str)] = &[("RLLContent", "RLL"), ("STContent", "ST"), ("FBDContent", "FBD"), ("SFCContent", "SFC")];
    let inferred =
        || CONTENTS.iter().find(|(content, _)| routine.child(content).is_some()).map(|(_, language)| (*language).to_owned());
    attribute(routine, "Type").or_else(inferred)
}

/// Returns whether a routine has elements beside those that are read, such as a protected source.
fn has_unknown_parts(routine: Element<'_>) -> bool {
    let (content, parts): (&str, Option<&[&str]>) = match language(routine).as_deref() {
        Some("RLL") => ("RLLContent", Some(&["Rung", "Labels"])),
        Some("ST") => ("STContent", Some(&["Line"])),
        Some("FBD") => ("FBDContent", Some(&["Sheet"])),
        // The reader of charts needs their steps.
        Some("SFC") => ("SFCContent", None),
        _ => return false,
    };
    let is_known = |name: &str| matches!(name, "Description" | "CustomProperties") || name == content;
    let is_part = |name: &str| parts.is_none_or(|parts| parts.contains(&name));
    let inside = |of: Element<'_>| of.children().any(|part| !is_part(part.name()));
    routine.children().any(|child| !is_known(child.name()) || (child.name() == content && inside(child)))
}

/// Returns the routines that statements call.
fn calls_of(stmts: &[Stmt], names: &BTreeMap<String, String>) -> Vec<String> {
    let mut stmts = stmts.to_vec();
    let mut calls = Vec::new();
    let mut open: Vec<&mut Vec<Stmt>> = vec![&mut stmts];
    while let Some(list) = open.pop() {
        for stmt in list {
            if let StmtKind::Call(name, _) = &stmt.kind {
                calls.extend(names.iter().filter(|(_, action)| **action == name.root.text).map(|(routine, _)| routine.clone()));
            }
            open.extend(stmt.lists_mut());
        }
    }
    calls
}
