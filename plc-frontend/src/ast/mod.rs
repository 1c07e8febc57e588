//! The syntax tree of all languages, textual and graphical: names unresolved, every node with its bytes.
//!
//! Identifiers keep their spelling; IEC compares them without case.

pub mod build;
pub(crate) mod calls;
mod chart;
mod config;
mod decl;
pub mod edit;
mod expr;
mod pou;
pub(crate) mod starting_types;
mod stmt;
pub(crate) mod unnamed_pin;
pub mod walk;

pub use chart::{ActionBlock, ActionBody, Chart, ChartStep, ChartTransition, Qualifier};
pub use config::{Configuration, ProgramConfig, Resource, Setting, TaskConfig};
pub use decl::{
    Alias, AnyBounds, Edge, GlobalList, Item, Namespace, Section, TypeDecl, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
};
pub use expr::{Arg, Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, Name, NameElem, SIGNED_POWER};
pub use pou::{
    Access, ActionDecl, Assumed, BlockEvent, Body, Interface, Method, Modifiers, OrganizationBlock, Pou, PouKind, Property,
};
pub use stmt::{CaseArm, CaseLabel, LoopBounds, Notation, RefAssign, Stmt, StmtKind};
