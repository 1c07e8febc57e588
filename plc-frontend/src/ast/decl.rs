//! Declarations.

use super::expr::{Expr, Ident, Initializer};
use super::stmt::Stmt;
use crate::hir::{Address, Retain};
use crate::source::{FileId, Span};

/// One file, as far as it could be read.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub file: FileId,
    /// Its declarations in order.
    pub items: Vec<Item>,
}

/// A declaration of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// PROGRAM, FUNCTION_BLOCK, FUNCTION.
    Pou(Pou),
    /// One declaration of a TYPE block.
    Type(TypeDecl),
    /// VAR_GLOBAL of the file.
    Globals(VarBlock),
    /// A declaration that is read but not modelled (CONFIGURATION, INTERFACE, NAMESPACE …): its kind, name and place.
    Unsupported(&'static str, Span),
}

/// A program organisation unit.
#[derive(Clone, Debug)]
pub struct Pou {
    /// What it is.
    pub kind: PouKind,
    /// Its name.
    pub name: Ident,
    /// The result's type, of a function.
    pub result: Option<TypeSpec>,
    /// Its declaration sections.
    pub vars: Vec<VarBlock>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// All of it.
    pub span: Span,
}

/// What kind of POU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PouKind {
    /// PROGRAM
    Program,
    /// FUNCTION_BLOCK
    FunctionBlock,
    /// FUNCTION
    Function,
}

/// A declaration section.
#[derive(Clone, Debug)]
pub struct VarBlock {
    /// Which.
    pub section: Section,
    /// CONSTANT
    pub constant: bool,
    /// RETAIN, PERSISTENT, NON_RETAIN
    pub retain: Retain,
    /// The variables, one per name.
    pub vars: Vec<VarDecl>,
    /// All of it.
    pub span: Span,
}

/// The section's keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// VAR
    Var,
    /// VAR_INPUT
    Input,
    /// VAR_OUTPUT
    Output,
    /// VAR_IN_OUT
    InOut,
    /// VAR_TEMP
    Temp,
    /// VAR_EXTERNAL
    External,
    /// VAR_GLOBAL
    Global,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Its name.
    pub name: Ident,
    /// AT.
    pub address: Option<(Address, Span)>,
    /// Its type.
    pub ty: TypeSpec,
    /// Its initial value.
    pub init: Option<Initializer>,
    /// `{stopwatch}` stood before it.
    pub stopwatch: bool,
    /// All of it.
    pub span: Span,
}

/// A declaration of a TYPE block.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// What it stands for.
    pub ty: TypeSpec,
    /// The initial value of its variables.
    pub init: Option<Initializer>,
    /// All of it.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// What is written.
    pub kind: TypeSpecKind,
    /// Its bytes.
    pub span: Span,
}

/// Forms of types.
#[derive(Clone, Debug)]
pub enum TypeSpecKind {
    /// An elementary or declared name.
    Name(Ident),
    /// `INT (0..100)`
    Subrange(Ident, Expr, Expr),
    /// `ARRAY [a..b, c..d] OF t`
    Array(Vec<(Expr, Expr)>, Box<TypeSpec>),
    /// `STRUCT … END_STRUCT`
    Struct(Vec<VarDecl>),
    /// `(Red, Green := 5) INT`: variants with their values, base type.
    Enum(Vec<(Ident, Option<Expr>)>, Option<Ident>),
    /// STRING[…], POINTER TO, REF_TO …: read, not modelled. Its words.
    Opaque(String),
    /// Could not be read.
    Error,
}
