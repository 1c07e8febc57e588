//! A Theta model as written: locations, edges, statements, and expressions without types.
//!
//! Expressions are nodes in one table, operands before their users. A reader goes through a range of the table, without
//! recursion.

use plc_frontend::source::Span;

use crate::expr::{BvBin, FloatSort, Rounding, Sort};

/// A process that runs: the main one, with the global variables.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Global variables, its parameters, its variables.
    pub vars: Vec<Var>,
    /// Its locations.
    pub locs: Vec<Loc>,
    /// Its edges, in written order.
    pub edges: Vec<Edge>,
    /// Start of runs: a position in `locs`.
    pub init: usize,
    /// Location that no run may reach.
    pub error: usize,
    /// Parts of all expressions.
    pub nodes: Vec<Node>,
}

/// A variable. It starts with any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub sort: Sort,
    /// Its declaration.
    pub span: Span,
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From: a position in the locations.
    pub source: usize,
    /// To.
    pub target: usize,
    /// Statements in their order.
    pub stmts: Vec<Stmt>,
    /// `source -> target`.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// Kind of a statement. Variables are positions in the variables of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Runs go on only where this holds.
    Assume(Expr),
    /// A variable gets a value.
    Assign(usize, Expr),
    /// A variable gets any value.
    Havoc(usize),
}

/// An expression: the nodes `first..=root`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Its first node.
    pub first: usize,
    /// Its last node: the whole expression.
    pub root: usize,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its kind; operands are positions in the table of nodes.
    pub kind: NodeKind,
    /// Its place.
    pub span: Span,
}

/// Kind of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `true`, `false`.
    Bool(bool),
    /// `12`
    Int(i128),
    /// `4'd12`: width and bits.
    Bits(u16, u128),
    /// `8'd0.23'd0`: the format and its bits without the sign.
    Float(FloatSort, u128),
    /// A name; its variable once names are resolved.
    Var(String, Option<usize>),
    /// One operand.
    Unary(Unary, usize),
    /// Two operands.
    Binary(Binary, usize, usize),
    /// `if c then a else b`
    Ite(usize, usize, usize),
    /// `a[i]`
    Read(usize, usize),
    /// `a[i <- v]`
    Write(usize, usize, usize),
    /// `[i <- v, <int> default <- d]`
    Array {
        /// Entries in written order.
        entries: Vec<(usize, usize)>,
        /// The index type, if it is written.
        index: Option<Sort>,
        /// The element at all other indices.
        default: usize,
    },
    /// `x[until:from]`: bits from `from`, up to but not with `until`.
    Slice {
        /// Operand.
        of: usize,
        /// One above the highest bit.
        until: u16,
        /// The lowest bit.
        from: u16,
    },
    /// A refused expression; a finding reports it.
    Refused,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `+`, `bvpos`, `fppos`
    Plus,
    /// `-`
    Minus,
    /// `not`
    Not,
    /// `bvneg`
    BvNeg,
    /// `bvnot`
    BvNot,
    /// `bv_zero_extend bv[n]`, `bv_sign_extend bv[n]`
    Extend {
        /// With copies of the sign.
        signed: bool,
        /// To so many bits.
        width: u16,
    },
    /// `fpneg`
    FpNeg,
    /// `fpabs`
    FpAbs,
    /// `fpisnan`
    FpIsNan,
    /// `fpsqrt`
    FpSqrt(Rounding),
    /// `fproundtoint`
    FpRound(Rounding),
    /// `fptofp`
    FpToFp(FloatSort, Rounding),
    /// `fptobv`
    FpToBv {
        /// Target width.
        width: u16,
        /// Two's complement.
        signed: bool,
        /// Rounding mode.
        rounding: Rounding,
    },
    /// `fpfrombv`
    FpFromBv {
        /// Target.
        sort: FloatSort,
        /// Two's complement.
        signed: bool,
        /// Rounding mode.
        rounding: Rounding,
    },
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `iff`
    Iff,
    /// `imply`
    Imply,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `and`
    And,
    /// `=`
    Eq,
    /// `/=`
    Neq,
    /// `<`
    Lt,
    /// `<=`
    Leq,
    /// `>`
    Gt,
    /// `>=`
    Geq,
    /// `bvult` and its like.
    Bv(BvRelation),
    /// `bvadd` and its like.
    BvOp(BvOperator),
    /// `++`
    Concat,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `mod`
    Mod,
    /// `rem`
    Rem,
    /// `fpadd`
    FpAdd(Rounding),
    /// `fpsub`
    FpSub(Rounding),
    /// `fpmul`
    FpMul(Rounding),
    /// `fpdiv`
    FpDiv(Rounding),
}

/// Comparisons of bit vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the model's own words without `bv`")]
pub enum BvRelation {
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Operators on bit vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BvOperator {
    /// An operator of our expressions.
    Plain(BvBin),
    /// `bvrol`
    Rol,
    /// `bvror`
    Ror,
    /// `bvsmod`
    Smod,
}
