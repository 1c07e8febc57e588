//! Entry for a POU by itself: a PROGRAM or FUNCTION_BLOCK runs as it is, a FUNCTION is called by a PROGRAM made for it.

use crate::ast::{
    Arg, Body, Expr, ExprKind, Ident, Modifiers, Name, Pou, PouKind, Section, Stmt, StmtKind, TypeSpec, TypeSpecKind, VarBlock,
    VarDecl,
};
use crate::hir::Retain;
use crate::text::source::Span;

/// Returns the name of the entry, and the PROGRAM to add for a function.
pub(super) fn entry(pou: &Pou) -> (String, Option<Pou>) {
    match pou.kind {
        PouKind::Program | PouKind::FunctionBlock => (pou.name.text.clone(), None),
        PouKind::Function => {
            let program = caller(pou);
            (program.name.text.clone(), Some(program))
        }
    }
}

/// Returns a PROGRAM with the parameters of a function that calls it with them.
fn caller(function: &Pou) -> Pou {
    let span = function.name.span;
    let ident = |text: &str| Ident { text: text.to_owned(), span };
    let name = |text: &str| Name { root: ident(text), path: Vec::new(), span };
    let read = |text: &str| Expr { kind: ExprKind::Name(name(text)), span };
    let mut vars = Vec::new();
    let mut args = Vec::new();
    for block in &function.vars {
        let mut give = |section: Section, vars_of: Vec<VarDecl>| vars.push(VarBlock { section, vars: vars_of, ..block.clone() });
        match block.section {
            Section::Input => {
                let (by_reference, by_value): (Vec<VarDecl>, Vec<VarDecl>) =
                    block.vars.iter().cloned().partition(|v| matches!(v.ty.kind, TypeSpecKind::Reference(_)));
                let names = by_reference.iter().chain(&by_value).map(|v| v.name.text.clone()).collect::<Vec<_>>();
                args.extend(names.iter().map(|n| Arg::Input(ident(n), read(n))));
                give(Section::Input, by_value.into_iter().map(concrete).collect());
                give(Section::InOut, by_reference.into_iter().map(concrete).collect());
            }
            Section::InOut => {
                args.extend(block.vars.iter().map(|v| Arg::Input(ident(&v.name.text), read(&v.name.text))));
                give(Section::InOut, block.vars.iter().cloned().map(concrete).collect());
            }
            Section::Output => {
                let target = |v: &VarDecl| Some(read(&v.name.text));
                args.extend(block.vars.iter().map(|v| Arg::Output {
                    name: ident(&v.name.text),
                    target: target(v),
                    negated: false,
                }));
                give(Section::Output, block.vars.clone());
            }
            // Bounds of parameters may speak of constants.
            Section::Var | Section::Stat if block.constant => give(Section::Var, block.vars.clone()),
            Section::Var
            | Section::Temp
            | Section::External
            | Section::Global
            | Section::Stat
            | Section::Inst
            | Section::Config
            | Section::Access => {}
        }
    }
    let result = function.result.as_ref().map(|ty| {
        let text = format!("{}_result", function.name.text);
        vars.push(VarBlock {
            section: Section::Output,
            constant: false,
            retain: Retain::Unspecified,
            access: crate::ast::Access::Unspecified,
            vars: vec![variable(&text, ty, span)],
            list: None,
            span,
        });
        text
    });
    let kind = match result {
        Some(result) => StmtKind::Assign(read(&result), Expr { kind: ExprKind::Call(name(&function.name.text), args), span }),
        None => StmtKind::Call(name(&function.name.text), args),
    };
    Pou {
        kind: PouKind::Program,
        name: ident(&format!("{}_alone", function.name.text)),
        modifiers: Modifiers::default(),
        extends: None,
        implements: Vec::new(),
        result: None,
        vars,
        body: Body::Statements(vec![Stmt { kind, span }]),
        methods: Vec::new(),
        properties: Vec::new(),
        actions: Vec::new(),
        optimized: None,
        diagrams: Vec::new(),
        span,
    }
}

/// Returns a variable for a parameter: for a reference, its target.
fn concrete(mut var: VarDecl) -> VarDecl {
    if let TypeSpecKind::Reference(inner) = var.ty.kind {
        var.ty = *inner;
    }
    var
}

fn variable(name: &str, ty: &TypeSpec, span: Span) -> VarDecl {
    VarDecl {
        name: Ident { text: name.to_owned(), span },
        address: None,
        view_of: None,
        ty: ty.clone(),
        edge: None,
        args: Vec::new(),
        init: None,
        stopwatch: false,
        span,
    }
}
