//! Constructs that a dialect lacks. Run only when the user names a dialect: the reader itself accepts the union of all.

use super::{Construct, Dialect};
use crate::ast::walk::{self, Node};
use crate::ast::{ExprKind, Item, Notation, RefAssign, Section, StmtKind, TypeSpecKind, Unit};
use crate::hir::BinOp;
use crate::text::{Diagnostic, Span, codes};

/// Findings of one file; there may be one per line.
const MOST: usize = 50;

/// Returns an error for each construct in `unit` that `dialect` lacks. Formats of XML have tasks as a system saves them.
pub(crate) fn check(unit: &Unit, dialect: &Dialect, is_markup: bool) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    walk::unit(unit, &mut |node| {
        let Some((construct, words, span)) = construct(node) else { return };
        if is_markup && construct == Construct::Configuration {
            return;
        }
        if findings.len() < MOST && dialect.forbids.contains(&construct) {
            let message = format!("{} has no {words}", dialect.title);
            let finding = Diagnostic::error(codes::NOT_IN_DIALECT, span, message, "not in the chosen dialect");
            findings.push(finding.help("write it in the chosen dialect, or choose the dialect that the program is written in"));
        }
    });
    findings
}

/// Returns the construct that a node is, in the user's words, and its place.
#[expect(clippy::wildcard_enum_match_arm, reason = "every dialect has the constructs that are not named")]
fn construct(node: Node<'_>) -> Option<(Construct, &'static str, Span)> {
    let (construct, words, span) = match node {
        Node::Item(item) => return of_item(item),
        Node::Block(block) => match block.section {
            Section::Stat => (Construct::StaticSection, "VAR_STAT", block.span),
            Section::Inst => (Construct::StaticSection, "VAR_INST", block.span),
            _ => return None,
        },
        Node::Method(method) => (Construct::ObjectOrientation, "METHOD", method.name.span),
        Node::Type(ty) => match &ty.kind {
            TypeSpecKind::Pointer(_) => (Construct::Pointer, "POINTER TO", ty.span),
            TypeSpecKind::Reference(_) => (Construct::Reference, "REFERENCE TO", ty.span),
            TypeSpecKind::RefTo(_) => (Construct::RefTo, "REF_TO", ty.span),
            TypeSpecKind::Union(_) => (Construct::Union, "UNION", ty.span),
            _ => return None,
        },
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::RefAssign(RefAssign::Set, ..) => (Construct::SetReset, "assignment with `S=`", stmt.span),
            StmtKind::RefAssign(RefAssign::Reset, ..) => (Construct::SetReset, "assignment with `R=`", stmt.span),
            StmtKind::RefAssign(RefAssign::Reference, ..) => (Construct::Reference, "assignment with `REF=`", stmt.span),
            StmtKind::Label(_, Notation::StructuredText) | StmtKind::Goto(_, Notation::StructuredText) => {
                (Construct::Goto, "jumps", stmt.span)
            }
            StmtKind::Value(_) => (Construct::ValueStatement, "statement that is only a value", stmt.span),
            _ => return None,
        },
        Node::Expr(e) => match &e.kind {
            ExprKind::Binary(BinOp::AndThen, ..) => (Construct::ShortCircuit, "AND_THEN", e.span),
            ExprKind::Binary(BinOp::OrElse, ..) => (Construct::ShortCircuit, "OR_ELSE", e.span),
            _ => return None,
        },
        Node::Name(_) => return None,
    };
    Some((construct, words, span))
}

fn of_item(item: &Item) -> Option<(Construct, &'static str, Span)> {
    match item {
        Item::Pou(pou) => {
            if let Some(base) = &pou.extends {
                return Some((Construct::ObjectOrientation, "EXTENDS", base.span));
            }
            if let Some(interface) = pou.implements.first() {
                return Some((Construct::ObjectOrientation, "IMPLEMENTS", interface.span));
            }
            if let Some(property) = pou.properties.first() {
                return Some((Construct::Property, "PROPERTY", property.name.span));
            }
            match (pou.actions.first(), &pou.body) {
                (Some(action), crate::ast::Body::Statements(_)) => {
                    Some((Construct::Action, "ACTION outside of a chart", action.name.span))
                }
                (Some(_) | None, _) => None,
            }
        }
        Item::Interface(interface) => Some((Construct::ObjectOrientation, "INTERFACE", interface.name.span)),
        // Words of a text that is none may look like the beginning of a configuration.
        Item::Configuration(configuration) => {
            let runs = configuration.resources.iter().any(|resource| !resource.programs.is_empty());
            runs.then_some((Construct::Configuration, "CONFIGURATION", configuration.place()))
        }
        Item::Namespace(namespace) => Some((Construct::Namespace, "NAMESPACE", namespace.name.span)),
        Item::Using(name) => Some((Construct::Namespace, "USING", name.span)),
        Item::Type(_) | Item::Globals(_) | Item::Unsupported(..) => None,
    }
}
