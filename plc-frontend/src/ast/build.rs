//! Constructors of the usual forms of syntax trees, for code that makes trees of drawings, charts and lists.

use std::borrow::Cow;

use super::{
    Access, Body, Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, Modifiers, Name, Pou, PouKind, Section, Stmt,
    StmtKind, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};
use crate::hir::{BinOp, Retain, UnOp};
use crate::text::{FileId, Ignored, Span};

impl Ident {
    /// Returns a name at a place.
    pub fn new(text: impl Into<String>, span: Span) -> Ident {
        Ident { text: text.into(), span }
    }
}

impl Name {
    /// Returns the path of a name alone.
    pub fn plain(root: Ident) -> Name {
        Name { span: root.span, root, path: Vec::new() }
    }
}

impl Expr {
    /// Returns the replacement of an expression that was reported.
    pub fn error(span: Span) -> Expr {
        Expr { kind: ExprKind::Error, span }
    }
    /// Returns the use of a variable.
    pub fn variable(name: Ident) -> Expr {
        Expr { span: name.span, kind: ExprKind::Name(Name::plain(name)) }
    }
    /// Returns TRUE or FALSE.
    pub fn truth(value: bool, span: Span) -> Expr {
        Expr { kind: ExprKind::Literal(None, Literal::Bool(value)), span }
    }
}

/// Returns `NOT operand`, at the place of the operand.
pub fn not(operand: Expr) -> Expr {
    Expr { span: operand.span, kind: ExprKind::Unary(UnOp::Not, Box::new(operand)) }
}

/// Returns `left op right`.
pub fn binary(op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

/// Joins operands by `op`, as a balanced tree; `place` gives each pair its place by its left operand. `None` without operands.
pub fn joined(op: BinOp, mut operands: Vec<Expr>, place: impl Fn(&Expr) -> Span) -> Option<Expr> {
    while 1 < operands.len() {
        let mut rest = operands.into_iter();
        let mut pairs = Vec::new();
        while let Some(left) = rest.next() {
            let span = place(&left);
            pairs.push(match rest.next() {
                Some(right) => binary(op, left, right, span),
                None => left,
            });
        }
        operands = pairs;
    }
    operands.pop()
}

impl Initializer {
    /// Returns an initial value that is one expression.
    pub fn value(value: Expr) -> Initializer {
        Initializer { span: value.span, kind: InitializerKind::Expr(value) }
    }
}

impl Stmt {
    /// Returns `target := value;`.
    pub fn assign(target: Expr, value: Expr, span: Span) -> Stmt {
        Stmt { kind: StmtKind::Assign(target, value), span }
    }
    /// Returns `IF condition THEN body END_IF`.
    pub fn when(condition: Expr, body: Vec<Stmt>, span: Span) -> Stmt {
        Stmt { kind: StmtKind::If(vec![(condition, body)], Vec::new()), span }
    }
    /// Returns a statement that is read and not modelled, in a user's words.
    pub fn unsupported(words: impl Into<Cow<'static, str>>, span: Span) -> Stmt {
        Stmt { kind: StmtKind::Unsupported(words.into()), span }
    }
}

impl TypeSpec {
    /// Returns a type by its name.
    pub fn named(name: impl Into<String>, span: Span) -> TypeSpec {
        TypeSpec { kind: TypeSpecKind::Name(Ident::new(name, span)), span }
    }
    /// Returns the replacement of a type that was reported.
    pub fn error(span: Span) -> TypeSpec {
        TypeSpec { kind: TypeSpecKind::Error, span }
    }
}

impl VarDecl {
    /// Returns a variable with only a name and a type.
    pub fn new(name: Ident, ty: TypeSpec, span: Span) -> VarDecl {
        VarDecl {
            name,
            address: None,
            view_of: None,
            alias_of: None,
            ty,
            edge: None,
            args: Vec::new(),
            init: None,
            stopwatch: false,
            span,
        }
    }
}

impl VarBlock {
    /// Returns a section without qualifiers.
    pub fn new(section: Section, vars: Vec<VarDecl>, span: Span) -> VarBlock {
        let (retain, access) = (Retain::Unspecified, Access::Unspecified);
        VarBlock { section, constant: false, retain, access, vars, list: None, span }
    }
}

impl Pou {
    /// Returns a POU without variables, statements and members.
    pub fn new(kind: PouKind, name: Ident, span: Span) -> Pou {
        Pou {
            kind,
            name,
            modifiers: Modifiers::default(),
            extends: None,
            implements: Vec::new(),
            result: None,
            vars: Vec::new(),
            body: Body::empty(),
            methods: Vec::new(),
            properties: Vec::new(),
            actions: Vec::new(),
            diagrams: Vec::new(),
            optimized: None,
            event: None,
            organization_block: None,
            assumed: Vec::new(),
            is_protected: false,
            span,
        }
    }
}

impl Unit {
    /// Returns the unit of a file without declarations.
    pub fn new(file: FileId) -> Unit {
        Unit { file, items: Vec::new(), ignored: Vec::new(), assumed: Vec::new(), aliases: Vec::new() }
    }
    /// Adds a construct without a meaning for the program, for the ledger.
    pub fn ignore(&mut self, span: Span, what: impl Into<String>, why: &str) {
        self.ignored.push(Ignored { span, what: what.into(), why: why.to_owned() });
    }
}
