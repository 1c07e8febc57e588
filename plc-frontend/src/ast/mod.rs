//! What the textual languages parse into: names unresolved, every node with its bytes.
//!
//! Identifiers keep their spelling; IEC compares them without case.

mod decl;
mod expr;
mod stmt;

pub use decl::{Item, Pou, PouKind, Section, TypeDecl, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl};
pub use expr::{Arg, Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, Name, NameElem};
pub use stmt::{CaseArm, CaseLabel, Stmt, StmtKind};
