//! What a dialect does not have. Run only when the user names a dialect: the reader itself accepts the union of all.

use crate::ast::walk::{self, Node};
use crate::ast::{ExprKind, Item, Notation, RefAssign, Section, StmtKind, TypeSpecKind, Unit};
use crate::dialect::{Construct, Dialect};
use crate::hir::BinOp;
use crate::text::codes;
use crate::text::diagnostic::Diagnostic;
use crate::text::source::Span;

/// Findings of one file; there may be one per line.
const MOST: usize = 50;

/// Everything in `unit` that `dialect` does not have.
pub(crate) fn check(unit: &Unit, dialect: &Dialect) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    walk::unit(unit, &mut |node| {
        let Some((construct, words, span)) = construct(node) else { return };
        if findings.len() < MOST && dialect.forbids.contains(&construct) {
            let message = format!("{} has no {words}", dialect.title);
            let finding = Diagnostic::error(codes::NOT_IN_DIALECT, span, message, "not in the chosen dialect");
            findings.push(finding.help("write it in the chosen dialect, or choose the dialect that the program is written in"));
        }
    });
    findings
}

/// The construct that a node is, in the user's words.
fn construct(node: Node<'_>) -> Option<(Construct, &'static str, Span)> {
    match node {
        Node::Item(item) => of_item(item),
        Node::Block(block) => match block.section {
            Section::Stat => Some((Construct::StaticSection, "VAR_STAT", block.span)),
            Section::Inst => Some((Construct::StaticSection, "VAR_INST", block.span)),
            Section::Var
            | Section::Input
            | Section::Output
            | Section::InOut
            | Section::Temp
            | Section::External
            | Section::Global
            | Section::Config
            | Section::Access => None,
        },
        Node::Method(method) => Some((Construct::ObjectOrientation, "METHOD", method.name.span)),
        Node::Type(ty) => match &ty.kind {
            TypeSpecKind::Pointer(_) => Some((Construct::Pointer, "POINTER TO", ty.span)),
            TypeSpecKind::Reference(_) => Some((Construct::Reference, "REFERENCE TO", ty.span)),
            TypeSpecKind::RefTo(_) => Some((Construct::RefTo, "REF_TO", ty.span)),
            TypeSpecKind::Union(_) => Some((Construct::Union, "UNION", ty.span)),
            TypeSpecKind::Name(_)
            | TypeSpecKind::Subrange(..)
            | TypeSpecKind::Array(..)
            | TypeSpecKind::Struct(_)
            | TypeSpecKind::Enum(..)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::OpenArray(..)
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => None,
        },
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::RefAssign(RefAssign::Set, ..) => Some((Construct::SetReset, "assignment with `S=`", stmt.span)),
            StmtKind::RefAssign(RefAssign::Reset, ..) => Some((Construct::SetReset, "assignment with `R=`", stmt.span)),
            StmtKind::RefAssign(RefAssign::Reference, ..) => Some((Construct::Reference, "assignment with `REF=`", stmt.span)),
            StmtKind::Label(_, Notation::StructuredText) | StmtKind::Goto(_, Notation::StructuredText) => {
                Some((Construct::Goto, "jumps", stmt.span))
            }
            StmtKind::Value(_) => Some((Construct::ValueStatement, "statement that is only a value", stmt.span)),
            StmtKind::Label(_, Notation::Other)
            | StmtKind::Goto(_, Notation::Other)
            | StmtKind::RefAssign(RefAssign::Attempt, ..)
            | StmtKind::Assign(..)
            | StmtKind::If(..)
            | StmtKind::Case(..)
            | StmtKind::For { .. }
            | StmtKind::While(..)
            | StmtKind::Repeat(..)
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Call(..)
            | StmtKind::Assert(..)
            | StmtKind::Let(..)
            | StmtKind::Keep(..)
            | StmtKind::Empty
            | StmtKind::Unsupported(_)
            | StmtKind::Error => None,
        },
        Node::Expr(e) => match &e.kind {
            ExprKind::Binary(BinOp::AndThen, ..) => Some((Construct::ShortCircuit, "AND_THEN", e.span)),
            ExprKind::Binary(BinOp::OrElse, ..) => Some((Construct::ShortCircuit, "OR_ELSE", e.span)),
            ExprKind::Binary(..)
            | ExprKind::Literal(..)
            | ExprKind::Name(_)
            | ExprKind::Address(_)
            | ExprKind::Call(..)
            | ExprKind::Unary(..)
            | ExprKind::Error => None,
        },
        Node::Name(_) => None,
    }
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
        Item::Configuration(configuration) => Some((Construct::Configuration, "CONFIGURATION", configuration.name.span)),
        Item::Namespace(namespace) => Some((Construct::Namespace, "NAMESPACE", namespace.name.span)),
        Item::Using(name) => Some((Construct::Namespace, "USING", name.span)),
        Item::Type(_) | Item::Globals(_) | Item::Unsupported(..) => None,
    }
}
