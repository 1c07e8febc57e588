//! Left-out parts as they stay in the syntax tree: names remain, so that no use finds another declaration.

use crate::ast::{
    Body, Interface, Method, Pou, Property, Section, Stmt, StmtKind, TypeDecl, TypeSpec, TypeSpecKind, VarBlock, VarDecl,
};
use crate::hir::Retain;
use crate::text::{STATEMENT, Span};

/// Construct of a body that is left out.
pub(super) const BODY: &str = "body with an error";
/// Words of an opaque type.
const TYPE: &str = "with an error";

/// Returns whether a construct of the ledger stands for a part that is left out.
pub(super) fn is_ours(construct: &str) -> bool {
    construct == STATEMENT || construct == BODY
}

/// Leaves out a statement; `false` if it is left out already.
pub(super) fn statement(stmt: &mut Stmt) -> bool {
    let is_new = !matches!(&stmt.kind, StmtKind::Unsupported(words) if is_ours(words));
    stmt.kind = StmtKind::Unsupported(STATEMENT.into());
    is_new
}

/// Leaves out a body at `span`; `false` if it is left out already.
pub(super) fn body(body: &mut Body, span: Span) -> bool {
    let is_new = !matches!(body.stmts(), [Stmt { kind: StmtKind::Unsupported(words), .. }] if *words == BODY);
    *body = Body::Statements(vec![Stmt { kind: StmtKind::Unsupported(BODY.into()), span }]);
    is_new
}

pub(super) fn opaque(span: Span) -> TypeSpec {
    TypeSpec { kind: TypeSpecKind::Opaque(TYPE.to_owned()), span }
}

fn is_opaque(spec: &TypeSpec) -> bool {
    matches!(&spec.kind, TypeSpecKind::Opaque(words) if words == TYPE)
}

/// Leaves out the type and the initial value of a variable; `false` if they are left out already.
pub(super) fn variable(var: &mut VarDecl) -> bool {
    let is_new = !is_opaque(&var.ty);
    var.ty = opaque(var.ty.span);
    (var.address, var.view_of, var.edge, var.init) = (None, None, None, None);
    var.args.clear();
    is_new
}

/// Leaves out a variable of a section. One that is declared outside of the POU becomes one of its own.
pub(super) fn variable_of(blocks: &mut Vec<VarBlock>, at: usize, var: usize) -> bool {
    let block = &mut blocks[at];
    if block.section != Section::External {
        return variable(&mut block.vars[var]);
    }
    let mut own = block.vars.remove(var);
    variable(&mut own);
    let block = VarBlock { section: Section::Var, constant: false, vars: vec![own], ..block.clone() };
    blocks.push(block);
    true
}

/// Leaves out a type; `false` if it is left out already.
pub(super) fn type_decl(decl: &mut TypeDecl) -> bool {
    let is_new = !is_opaque(&decl.ty);
    decl.ty = opaque(decl.ty.span);
    (decl.extends, decl.init) = (None, None);
    is_new
}

/// Leaves out a method; `false` if it is left out already.
pub(super) fn method(method: &mut Method) -> bool {
    let was_empty = method.vars.is_empty();
    method.vars.clear();
    let span = method.span;
    method.result.iter_mut().for_each(|ty| *ty = opaque(ty.span));
    let is_new = method.body.as_mut().is_some_and(|inner| body(inner, span));
    is_new || !was_empty
}

/// Leaves out a property; `false` if it is left out already.
pub(super) fn property(property: &mut Property) -> bool {
    let is_new = !is_opaque(&property.ty);
    property.ty = opaque(property.ty.span);
    property.getter.iter_mut().chain(&mut property.setter).for_each(|half| {
        method(half);
    });
    is_new
}

/// Leaves out a POU: its name, its kind and an opaque variable stay; `false` if it is left out already.
///
/// Soundness: the opaque variable keeps sizes and copies of its instances out of the model.
pub(super) fn pou(pou: &mut Pou) -> bool {
    let is_new = !matches!(pou.vars.as_slice(), [VarBlock { vars, .. }] if matches!(vars.as_slice(), [var] if is_opaque(&var.ty) && var.name.text.starts_with("__")));
    let span = pou.span;
    pou.result.iter_mut().for_each(|ty| *ty = opaque(ty.span));
    (pou.extends, pou.implements) = (None, Vec::new());
    let mut name = pou.name.clone();
    name.text = "__left_out".to_owned();
    let hidden = VarDecl {
        name,
        address: None,
        view_of: None,
        alias_of: None,
        ty: opaque(span),
        edge: None,
        args: Vec::new(),
        init: None,
        stopwatch: false,
        span,
    };
    let section = Section::Var;
    let (constant, retain, access, list) = (false, Retain::Unspecified, crate::ast::Access::Unspecified, None);
    pou.vars = vec![VarBlock { section, constant, retain, access, vars: vec![hidden], list, span }];
    pou.methods.clear();
    pou.properties.clear();
    pou.actions.clear();
    pou.diagrams.clear();
    body(&mut pou.body, span);
    is_new
}

/// Leaves out the members of an interface; `false` if they are left out already.
pub(super) fn interface(interface: &mut Interface) -> bool {
    let is_new = !(interface.methods.is_empty() && interface.properties.is_empty() && interface.extends.is_empty());
    interface.methods.clear();
    interface.properties.clear();
    interface.extends.clear();
    is_new
}
