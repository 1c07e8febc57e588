//! Expressions and initialisers.

use crate::hir::{BinOp, DateKind, UnOp};
use crate::text::Span;

/// An identifier as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// Its spelling.
    pub text: String,
    /// Its bytes.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Its bytes.
    pub span: Span,
}

/// Forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal, with its type prefix if it has one (`INT#5` → `Some("INT")`; also enumeration values `Color#Red`).
    Literal(Option<Box<Ident>>, Literal),
    /// A variable path: `a.b[i, j].3`.
    Name(Name),
    /// A direct address used as a variable: `%IX0.0`, text without spaces.
    Address(String),
    /// `f(…)`: a function call.
    Call(Box<Name>, Vec<Arg>),
    /// One operand. The dialect decides whether the sign of `-a ** b` belongs to `a` ([`SIGNED_POWER`]).
    Unary(UnOp, Box<Expr>),
    /// Two operands. `-->` is parsed as `NOT a OR b` (Or with a Not); `&` is And; `**` is `Call EXPT`.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A text that could not be read; a diagnostic says so.
    Error,
}

/// The name of the function `**` right behind a sign without parentheses between them, `-a ** b`; elsewhere it is EXPT.
pub const SIGNED_POWER: &str = "**";

/// A literal's value, not yet typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// TRUE, FALSE.
    Bool(bool),
    /// Integer, any base.
    Int(i128),
    /// Real: the digits without underscores, to be rounded once, to the type it gets.
    Real(String),
    /// Duration in nanoseconds; `long` if written LT# / LTIME#.
    Duration {
        /// Nanoseconds.
        ns: i128,
        /// LTIME.
        long: bool,
    },
    /// A name after `#`: an enumeration value.
    Variant(Ident),
    /// A string: its characters, escapes resolved; code points 0..256 each for STRING, UTF-16 units for WSTRING.
    String {
        /// Character codes.
        chars: Vec<u16>,
        /// WSTRING
        wide: bool,
    },
    /// A date or time of day.
    Date {
        /// Its kind.
        kind: DateKind,
        /// LDATE, LTOD, LDT.
        long: bool,
        /// Nanoseconds since 1970-01-01 00:00, or since midnight.
        ns: i128,
    },
    /// Read, not modelled. Its kind in the user's words.
    Opaque(&'static str),
}

/// A path to a variable. The root may be `THIS` or `SUPER` (then a dereference follows), or a namespace.
#[derive(Clone, Debug)]
pub struct Name {
    /// The first identifier.
    pub root: Ident,
    /// The steps from there.
    pub path: Vec<NameElem>,
    /// All of it.
    pub span: Span,
}

impl Name {
    /// Returns its first identifier and those behind dots.
    pub fn idents(&self) -> impl Iterator<Item = &Ident> {
        let fields = self.path.iter().filter_map(|elem| if let NameElem::Field(ident) = elem { Some(ident) } else { None });
        std::iter::once(&self.root).chain(fields)
    }
}

/// One step of a path.
#[derive(Clone, Debug)]
pub enum NameElem {
    /// `.x`
    Field(Ident),
    /// `[i, j]`
    Index(Vec<Expr>, Span),
    /// `.3`, `.%X3`, `.%B1`: lowest bit and width.
    Bits {
        /// Unit number, before scaling by the width.
        number: u32,
        /// 1, 8, 16, 32.
        width: u8,
        /// Its bytes.
        span: Span,
    },
    /// `^`: a dereference.
    Deref(Span),
    /// `(…)` inside a path: the result of a method call, of which a part follows.
    Call(Vec<Arg>, Span),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Arg {
    /// `expr`
    Positional(Expr),
    /// `name := expr`
    Input(Ident, Expr),
    /// `name => place`; `negated` for `NOT name => place`.
    Output {
        /// The parameter.
        name: Ident,
        /// The target of its value; `None` for `name =>` with nothing behind it.
        target: Option<Expr>,
        /// `NOT name => …`.
        negated: bool,
    },
}

/// An initial value.
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Its form.
    pub kind: InitializerKind,
    /// Its bytes.
    pub span: Span,
}

/// Forms of initial values.
#[derive(Clone, Debug)]
pub enum InitializerKind {
    /// A constant expression.
    Expr(Expr),
    /// `[1, 2, 3(0)]`: values with their repetition (a constant expression).
    Array(Vec<(Option<Expr>, Initializer)>),
    /// `(a := 1, b := 2)`: of a structure or an instance.
    Struct(Vec<(Ident, Initializer)>),
    /// Some elements of an array, by their indices; the others keep their values: data blocks of Siemens.
    Elements(Vec<(Vec<Expr>, Initializer)>),
}
