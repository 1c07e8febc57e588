//! EN and ENO as variables of function blocks, for dialects in which a call with EN = FALSE assigns inputs and skips the body
//! only: each block gets an input EN, TRUE at first, and an output ENO, which any code may read.
//!
//! Runs on the syntax tree, behind the standard blocks and before names are resolved. Programs that mention neither EN nor ENO
//! stay as they are: no state is added to them.

use crate::ast::walk::{self, Node};
use crate::ast::{
    Access, Arg, Body, Expr, ExprKind, Ident, Initializer, InitializerKind, Item, Literal, Name, NameElem, Pou, PouKind, Section,
    Stmt, StmtKind, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};
use crate::hir::Retain;
use crate::source::Span;

/// Adds EN and ENO to every function block, if some code of the program mentions them.
pub(super) fn add_enable(units: &mut [Unit]) {
    if !units.iter().any(mentions_enable) {
        return;
    }
    for unit in units {
        let mut waiting: Vec<&mut Item> = unit.items.iter_mut().collect();
        while let Some(item) = waiting.pop() {
            match item {
                Item::Pou(pou) if pou.kind == PouKind::FunctionBlock && !pou.name.text.starts_with("__") => add_to(pou),
                Item::Namespace(namespace) => waiting.extend(&mut namespace.items),
                Item::Pou(_)
                | Item::Type(_)
                | Item::Globals(_)
                | Item::Interface(_)
                | Item::Configuration(_)
                | Item::Using(_)
                | Item::Unsupported(..) => {}
            }
        }
    }
}

fn is_enable(name: &str) -> bool {
    name.eq_ignore_ascii_case("EN") || name.eq_ignore_ascii_case("ENO")
}

/// Returns whether some call or path of the unit names EN or ENO.
fn mentions_enable(unit: &Unit) -> bool {
    let mut found = false;
    walk::unit(unit, &mut |node| {
        found |= match node {
            Node::Stmt(Stmt { kind: StmtKind::Call(_, args), .. }) => args.iter().any(|arg| match arg {
                Arg::Input(name, _) | Arg::Output { name, .. } => is_enable(&name.text),
                Arg::Positional(_) => false,
            }),
            Node::Name(name) => name.path.iter().any(|elem| matches!(elem, NameElem::Field(field) if is_enable(&field.text))),
            Node::Block(block) => block.vars.iter().any(|var| is_enable(&var.name.text)),
            Node::Item(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) => false,
        };
    });
    found
}

/// Declares what the block does not declare itself, and makes its body depend on EN.
fn add_to(pou: &mut Pou) {
    let at = pou.name.span;
    let Body::Statements(body) = &mut pou.body else { return };
    for (name, section) in [("EN", Section::Input), ("ENO", Section::Output)] {
        let declared = pou.vars.iter().flat_map(|block| &block.vars).any(|var| var.name.text.eq_ignore_ascii_case(name));
        if !declared {
            pou.vars.push(VarBlock {
                section,
                constant: false,
                retain: Retain::Unspecified,
                access: Access::Unspecified,
                list: None,
                vars: vec![truth_variable(name, at)],
                span: at,
            });
        }
    }
    let stmt = |kind: StmtKind| Stmt { kind, span: at };
    let report = stmt(StmtKind::Assign(variable("ENO", at), variable("EN", at)));
    let statements = std::mem::take(body);
    let has_labels = statements.iter().any(|stmt| matches!(stmt.kind, StmtKind::Label(..)));
    *body = vec![report];
    if has_labels {
        // A jump does not lead into a statement.
        let negated = Expr { kind: ExprKind::Unary(crate::hir::UnOp::Not, Box::new(variable("EN", at))), span: at };
        body.push(stmt(StmtKind::If(vec![(negated, vec![stmt(StmtKind::Return)])], Vec::new())));
        body.extend(statements);
    } else if !statements.is_empty() {
        body.push(stmt(StmtKind::If(vec![(variable("EN", at), statements)], Vec::new())));
    }
}

fn variable(name: &str, span: Span) -> Expr {
    let root = Ident { text: name.to_owned(), span };
    Expr { kind: ExprKind::Name(Name { root, path: Vec::new(), span }), span }
}

/// `name : BOOL := TRUE`
fn truth_variable(name: &str, span: Span) -> VarDecl {
    let truth = Expr { kind: ExprKind::Literal(None, Literal::Bool(true)), span };
    VarDecl {
        name: Ident { text: name.to_owned(), span },
        address: None,
        view_of: None,
        ty: TypeSpec { kind: TypeSpecKind::Name(Ident { text: "BOOL".to_owned(), span }), span },
        edge: None,
        args: Vec::new(),
        init: Some(Initializer { kind: InitializerKind::Expr(truth), span }),
        stopwatch: false,
        span,
    }
}
