//! Entry of a part: a PROGRAM or FUNCTION_BLOCK runs as it is. A FUNCTION gets a new PROGRAM that calls it.

use crate::ast::{
    Arg, Body, Expr, ExprKind, Ident, Name, Pou, PouKind, Section, Stmt, StmtKind, TypeSpecKind, VarBlock, VarDecl,
};

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

/// Returns a PROGRAM that declares the parameters of a function and calls the function with them.
fn caller(function: &Pou) -> Pou {
    let span = function.name.span;
    let ident = |text: &str| Ident::new(text, span);
    let read = |text: &str| Expr::variable(ident(text));
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
                let output = |name: &str| Arg::Output { name: ident(name), target: Some(read(name)), negated: false };
                args.extend(block.vars.iter().map(|v| output(&v.name.text)));
                give(Section::Output, block.vars.clone());
            }
            // Constants are kept: the bounds of parameters may name them.
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
    let callee = Name::plain(ident(&function.name.text));
    let kind = match &function.result {
        Some(ty) => {
            let result = format!("{}_result", function.name.text);
            vars.push(VarBlock::new(Section::Output, vec![VarDecl::new(ident(&result), ty.clone(), span)], span));
            StmtKind::Assign(read(&result), Expr { kind: ExprKind::Call(Box::new(callee), args), span })
        }
        None => StmtKind::Call(callee, args),
    };
    let body = Body::Statements(vec![Stmt { kind, span }]);
    let name = ident(&format!("{}_alone", function.name.text));
    Pou { vars, body, ..Pou::new(PouKind::Program, name, span) }
}

/// Returns the variable for a parameter. A reference becomes a variable of the type of its target.
fn concrete(mut var: VarDecl) -> VarDecl {
    if let TypeSpecKind::Reference(inner) = var.ty.kind {
        var.ty = *inner;
    }
    var
}
