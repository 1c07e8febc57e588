//! Program organisation units, their methods, properties and actions.

use super::chart::Chart;
use super::decl::{TypeSpec, VarBlock};
use super::expr::{Ident, Name};
use super::stmt::Stmt;
use crate::text::{FileId, Span};

/// A program organisation unit.
#[derive(Clone, Debug)]
pub struct Pou {
    /// PROGRAM, FUNCTION_BLOCK or FUNCTION.
    pub kind: PouKind,
    /// Its name.
    pub name: Ident,
    /// ABSTRACT, FINAL, PUBLIC …
    pub modifiers: Modifiers,
    /// EXTENDS.
    pub extends: Option<Name>,
    /// IMPLEMENTS.
    pub implements: Vec<Name>,
    /// The result's type, of a function.
    pub result: Option<TypeSpec>,
    /// Its declaration sections.
    pub vars: Vec<VarBlock>,
    /// Its body.
    pub body: Body,
    /// Its methods.
    pub methods: Vec<Method>,
    /// Its properties.
    pub properties: Vec<Property>,
    /// Its actions.
    pub actions: Vec<ActionDecl>,
    /// Drawings of its networks and charts.
    pub diagrams: Vec<crate::hir::Diagram>,
    /// Optimised access of a block of Siemens; `None` if the source does not state it.
    pub optimized: Option<bool>,
    /// Event of an organization block of Siemens that the cycle does not start.
    pub event: Option<BlockEvent>,
    /// Organization block of Siemens.
    pub organization_block: Option<OrganizationBlock>,
    /// Assumptions that its file makes necessary.
    pub assumed: Vec<Assumed>,
    /// Its file has its interface, and a body that cannot be read.
    pub is_protected: bool,
    /// All of it.
    pub span: Span,
}

/// Organization block: those of one event run in the order of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct OrganizationBlock {
    /// Its number, if its file tells.
    pub number: Option<u32>,
}

/// Event that starts an organization block outside of the cycle.
#[derive(Clone, Copy, Debug)]
pub struct BlockEvent {
    /// It comes once, before the first cycle; any other one may come at any time.
    pub is_start_up: bool,
    /// Place that names the event.
    pub span: Span,
}

/// Assumption about a POU that each answer names.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// Statements may be missing in the text.
    pub is_cut: bool,
    /// Files whose declarations it is about, if that is known: it stands under no answer that needs none of them.
    pub about: Vec<FileId>,
    /// The assumption as a phrase.
    pub condition: String,
    /// A sentence with its reason.
    pub reason: &'static str,
    /// Its place.
    pub span: Span,
}

/// Kind of a POU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PouKind {
    /// PROGRAM; ORGANIZATION_BLOCK of SCL too.
    Program,
    /// FUNCTION_BLOCK; CLASS too (a class has no body).
    FunctionBlock,
    /// FUNCTION
    Function,
}

/// Forms of bodies.
#[derive(Clone, Debug)]
pub enum Body {
    /// Statements: of ST, IL, LD and FBD alike.
    Statements(Vec<Stmt>),
    /// A sequential function chart.
    Chart(Chart),
}

/// Modifiers of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// PUBLIC, PROTECTED, PRIVATE, INTERNAL.
    pub access: Access,
    /// ABSTRACT
    pub is_abstract: bool,
    /// FINAL
    pub is_final: bool,
    /// OVERRIDE
    pub is_override: bool,
}

/// Access to a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// None is written: PUBLIC in vendors' dialects.
    #[default]
    Unspecified,
    /// PUBLIC
    Public,
    /// PROTECTED
    Protected,
    /// PRIVATE
    Private,
    /// INTERNAL
    Internal,
}

/// A method of a function block, or its prototype in an interface (then without a body).
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Ident,
    /// PUBLIC, ABSTRACT …
    pub modifiers: Modifiers,
    /// The result's type.
    pub result: Option<TypeSpec>,
    /// Its declaration sections.
    pub vars: Vec<VarBlock>,
    /// Its body; `None` for prototypes.
    pub body: Option<Body>,
    /// All of it.
    pub span: Span,
}

/// A property: a pair of methods that is read and assigned like a variable.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Ident,
    /// PUBLIC, ABSTRACT …
    pub modifiers: Modifiers,
    /// Its type.
    pub ty: TypeSpec,
    /// GET: its result is the property's value, assigned under the property's name.
    pub getter: Option<Method>,
    /// SET: has one input, named like the property.
    pub setter: Option<Method>,
    /// All of it.
    pub span: Span,
}

/// An action of a POU: statements that use its variables and have none of their own.
#[derive(Clone, Debug)]
pub struct ActionDecl {
    /// Its name.
    pub name: Ident,
    /// Its body.
    pub body: Body,
    /// All of it.
    pub span: Span,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Its name.
    pub name: Ident,
    /// EXTENDS.
    pub extends: Vec<Name>,
    /// Prototypes.
    pub methods: Vec<Method>,
    /// Prototypes.
    pub properties: Vec<Property>,
    /// All of it.
    pub span: Span,
}

impl Pou {
    /// Returns whether it consists of statements outside of any POU.
    pub fn is_unnamed(&self) -> bool {
        self.kind == PouKind::Program && self.name.span.start == self.name.span.end && self.name.span.start == self.span.start
    }
}

impl Body {
    /// Returns a body without statements.
    pub fn empty() -> Body {
        Body::Statements(Vec::new())
    }
    /// Returns the statements; none of a chart.
    pub fn stmts(&self) -> &[Stmt] {
        match self {
            Body::Statements(stmts) => stmts,
            Body::Chart(_) => &[],
        }
    }
}
