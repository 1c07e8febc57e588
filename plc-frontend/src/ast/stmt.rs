//! Statements.

use std::borrow::Cow;

use super::expr::{Arg, Expr, Ident, Name};
use crate::text::Span;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its form.
    pub kind: StmtKind,
    /// Its bytes.
    pub span: Span,
}

/// Forms of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `target := value;` (the target is a `Name` or an `Address` in a well-formed program)
    Assign(Expr, Expr),
    /// IF with ELSIFs, and ELSE.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// CASE
    Case(Expr, Vec<CaseArm>, Vec<Stmt>),
    /// FOR
    For {
        /// Control variable.
        control: Name,
        /// First and last value, and step.
        bounds: Box<LoopBounds>,
        /// Body.
        body: Vec<Stmt>,
    },
    /// WHILE
    While(Expr, Vec<Stmt>),
    /// REPEAT
    Repeat(Vec<Stmt>, Expr),
    /// EXIT
    Exit,
    /// CONTINUE
    Continue,
    /// RETURN
    Return,
    /// `name(args);`: an instance or a function.
    Call(Name, Vec<Arg>),
    /// `name;`: a value that is not used.
    Value(Expr),
    /// `//#ASSERT condition : name`
    Assert(Expr, Option<Ident>),
    /// `S=`, `R=`, `REF=`, `?=`
    RefAssign(RefAssign, Expr, Expr),
    /// `label:`, a target of GOTO and jumps of networks in this list of statements or in lists inside of it.
    Label(Ident, Notation),
    /// GOTO, JMP.
    Goto(Ident, Notation),
    /// A hidden temporary variable with the type of the value, assigned here: wires of networks and results of
    /// instruction lists, which are computed once and used often. No source text has it; its name starts with `_`.
    Let(Ident, Expr),
    /// As `Let`, but the variable keeps its value from call to call, where the POU has memory: the result of a network's block
    /// that may be skipped.
    Keep(Ident, Expr),
    /// A lone `;`
    Empty,
    /// A statement of a form that is read but not modelled, in the user's words.
    Unsupported(Cow<'static, str>),
    /// A text that could not be read; a diagnostic says so.
    Error,
}

/// Language of a jump: lists of instructions and networks have jumps in every dialect, ST in some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// ST
    StructuredText,
    /// IL, LD, FBD.
    Other,
}

/// Assignments that are not plain ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefAssign {
    /// `S=`: becomes TRUE if the value is.
    Set,
    /// `R=`: becomes FALSE if the value is TRUE.
    Reset,
    /// `REF=`: refers to the variable from here on.
    Reference,
    /// `?=`: refers to it if its type allows, else to nothing.
    Attempt,
}

/// Values of a FOR loop. They are kept apart, so that other statements stay small.
#[derive(Clone, Debug)]
pub struct LoopBounds {
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
    /// Step.
    pub by: Option<Expr>,
}

/// An arm of a CASE.
#[derive(Clone, Debug)]
pub struct CaseArm {
    /// Its labels.
    pub labels: Vec<CaseLabel>,
    /// Its body.
    pub body: Vec<Stmt>,
    /// The labels' bytes.
    pub span: Span,
}

/// A label: a constant or an inclusive range of constants.
#[derive(Clone, Debug)]
pub struct CaseLabel {
    /// First value.
    pub low: Expr,
    /// Last value, for a range.
    pub high: Option<Expr>,
}

impl Stmt {
    /// Returns the lists of statements inside of the statement.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements hold no statements")]
    pub fn lists_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match &mut self.kind {
            StmtKind::If(branches, otherwise) => branches.iter_mut().map(|(_, body)| body).chain([otherwise]).collect(),
            StmtKind::Case(_, arms, otherwise) => arms.iter_mut().map(|arm| &mut arm.body).chain([otherwise]).collect(),
            StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::Repeat(body, _) => vec![body],
            _ => Vec::new(),
        }
    }
}
