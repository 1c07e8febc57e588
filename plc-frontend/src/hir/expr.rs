//! Typed expressions. Operands of arithmetic and comparison have one common type: implicit
//! widening is an explicit [`ExprKind::Convert`].

use super::place::Place;
use super::pou::{PouId, VarId};
use super::types::TypeId;
use super::value::Value;
use crate::text::{GapId, Span};

/// An expression with its type and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Its kind with its operands.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TypeId,
    /// Its place.
    pub span: Span,
}

impl Expr {
    /// Returns whether this is the implicit conversion of an arithmetic result to a narrower target: a value that does not fit
    /// has overflown. An explicit conversion has a place of its own.
    pub fn cuts_what_was_computed(&self) -> bool {
        let ExprKind::Convert(_, of) = &self.kind else { return false };
        let is_arithmetic = matches!(
            of.kind,
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, ..) | ExprKind::Unary(UnOp::Neg, _)
        );
        is_arithmetic && of.span == self.span
    }
}

/// Kind of an expression with its operands. All operands are evaluated left to right, except for `AndThen`, `OrElse`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A constant of a scalar type.
    Literal(Value),
    /// A string: its characters; the type has as many or more.
    Text(Vec<u16>),
    /// The value of a place.
    Read(Place),
    /// One operand, of the result's type.
    Unary(UnOp, Box<Expr>),
    /// Two operands of one type (shift-free); comparison gives BOOL, arithmetic the operands' type.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// To the type of this expression; see [`Conversion`].
    Convert(Conversion, Box<Expr>),
    /// A standard function.
    Builtin(Builtin, Vec<Expr>),
    /// A call of a user's FUNCTION; may have side effects through globals, VAR_IN_OUT and VAR_OUTPUT.
    Call(PouId, Box<CallArgs>),
    /// Any value of the type: a construct that the model over-approximates (see the ledger). The interpreter computes
    /// `concrete`; a run through it without one cannot be replayed.
    Arbitrary {
        /// The ledger's entry.
        gap: GapId,
        /// The exact value, for functions the interpreter knows (SIN, EXP …); or one of [`super::Project::at_call`].
        concrete: Option<Box<Expr>>,
    },
}

/// Arguments of a call, sorted by the direction of the parameter; each list in source order.
/// An input without an argument has its declared initial value (functions) or keeps its last value (instances).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallArgs {
    /// VAR_INPUT: evaluated in source order before the body. An instance's input is assigned as soon as it is
    /// evaluated, so a later argument can see it.
    pub inputs: Vec<(VarId, Expr)>,
    /// VAR_IN_OUT: by reference. A variable index inside is evaluated once, after the inputs, before the body.
    pub in_outs: Vec<(VarId, Place)>,
    /// VAR_OUTPUT (`=>`): copied in source order after the body; each target's index is evaluated just before.
    pub outputs: Vec<(VarId, Place)>,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// Arithmetic negation (wraps; sign flip for REAL).
    Neg,
    /// Logical negation of BOOL, bitwise of bit strings.
    Not,
}

/// Operators with two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinOp {
    /// `+`, wraps; IEEE for REAL.
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: truncates toward zero; integer division by zero faults; smallest / -1 wraps. IEEE for REAL.
    Div,
    /// `MOD`: sign of the dividend; by zero faults. Integers only.
    Mod,
    /// AND of BOOL or bit strings; evaluates both sides.
    And,
    /// OR
    Or,
    /// XOR
    Xor,
    /// AND_THEN: short-circuit, BOOL.
    AndThen,
    /// OR_ELSE: short-circuit, BOOL.
    OrElse,
    /// `=`; IEEE equality for REAL (NaN is not equal to itself).
    Eq,
    /// `<>`; the negation of `=`.
    Ne,
    /// `<`; FALSE if an operand is NaN. FALSE < TRUE; bit strings and enumerations by value.
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl BinOp {
    /// Returns whether the result is the comparison of the operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }
}

/// Change of a value's type. Integer-like means integers, bit strings, enumerations, subranges, TIME, LTIME, points in
/// time, characters.
///
/// - integer-like → integer-like: modulo 2^width of the target, read with the target's sign.
/// - BOOL → integer-like: 0 or 1; integer-like → BOOL: `<> 0`; BOOL → REAL: 0.0 or 1.0; REAL → BOOL: `<> 0.0`.
/// - integer-like → REAL/LREAL: nearest even. REAL ↔ LREAL: nearest even.
/// - REAL/LREAL → integer-like: to nearest, halves to even (`Convert`) or away from zero (`Round`), or toward zero (`Truncate`);
///   NaN, infinities and results outside the target's range fault with [`super::FaultKind::ConversionRange`].
/// - TIME ↔ LTIME: scaled by 1,000,000 (division truncates toward zero), then modulo 2^width.
/// - string → string: the characters, cut off or padded with 0, also those behind the first 0.
/// - character → string of one character; string → character: its first, 0 if it is empty.
/// - other → string: as people write it. Only inside of [`ExprKind::Arbitrary`]: the model does not compute it.
/// - string → other: only inside of [`ExprKind::Arbitrary`], because the result is known for few strings. Known are,
///   for integers: digits of a number of the type, at most as many as its largest number has; a minus before them, if the
///   type has negative numbers; for BOOL: `TRUE` and `FALSE`. With [`super::Project::converts_beginning`], further
///   strings are known. For integers and bit strings: such digits followed by anything but a digit or one of `_#eExX`.
///   0 for a string that is empty, or begins with a letter and has no `#`; FALSE for such a one that does not begin with `t`
///   or `T`. The model gives any other string any value; REAL and TIME any value always.
/// - DWORD → REAL, LWORD → LREAL, and back, transfer the bits unchanged. (NaN bits from the interpreter are kept.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Implicit widening: never loses information about the value, except LINT/ULINT → LREAL (rounds).
    Widen,
    /// `X_TO_Y`, `TO_Y`.
    Convert,
    /// `X_TO_Y`, `TO_Y` from REAL or LREAL to an integer, where halves go away from zero.
    Round,
    /// `TRUNC`, `X_TRUNC_Y`.
    Truncate,
}

/// Standard functions that are not operators. MOVE, ADD, GT … become operators; conversions become [`ExprKind::Convert`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// ABS: integers (smallest wraps to itself) and REAL (clears the sign).
    Abs,
    /// SQRT: correctly rounded; NaN below zero.
    Sqrt,
    /// MIN of two or more values of one type: `IF b < a THEN b ELSE a`, from the left.
    Min,
    /// MAX of two or more: `IF b > a THEN b ELSE a`, from the left.
    Max,
    /// LIMIT(MN, IN, MX) = MIN(MAX(IN, MN), MX).
    Limit,
    /// SEL(G, IN0, IN1): IN1 if G.
    Sel,
    /// MUX(K, IN0, …): K integer-typed; outside 0..n-1 faults with IndexOutOfBounds.
    Mux,
    /// SHL(IN, N): zeros come in; N (any integer type) read as unsigned, the width or more gives 0. Result BOOL: not allowed.
    Shl,
    /// SHR(IN, N): zeros come in (bit strings are unsigned).
    Shr,
    /// ROL(IN, N): N modulo the width (Euclidean).
    Rol,
    /// ROR(IN, N)
    Ror,
    /// LN, natural logarithm. This and those below are over-approximated in the model; the interpreter rounds the f64 result.
    Ln,
    /// LOG, base 10.
    Log,
    /// EXP
    Exp,
    /// SIN
    Sin,
    /// COS
    Cos,
    /// TAN
    Tan,
    /// ASIN
    Asin,
    /// ACOS
    Acos,
    /// ATAN
    Atan,
    /// EXPT(base, exponent), `**`: both REAL or both LREAL.
    Expt,
    /// ATAN2(y, x): both REAL or both LREAL.
    Atan2,
    /// TIME(), LTIME(): the time since cold start, modulo 2^width; any value in the model.
    Clock,
    /// The bytes of a bit string or integer in reverse order.
    SwapBytes,
    /// IS_VALID: a REAL is neither NaN nor infinite.
    IsValid,
    /// IS_VALID_BCD: each group of four bits of a bit string is a decimal digit.
    IsValidBcd,
    /// The number whose decimal digits are the groups of four bits; a group above 9 counts as its value. Modulo 2^width.
    FromBcd,
    /// The decimal digits of an unsigned number, four bits each, as many as fit.
    ToBcd,
    /// LEN of a string: the characters before its first 0.
    Len,
    /// LEFT(IN, L): the first L characters. Here and below a length below 0 is 0, and one that is too large means all.
    Left,
    /// RIGHT(IN, L): the last L characters.
    Right,
    /// MID(IN, L, P): L characters from the P-th on. Here and below a position below 1 is 1, one beyond the end is the end.
    Mid,
    /// CONCAT of two or more; here and below, a result too long for its type is cut off.
    Concat,
    /// INSERT(IN1, IN2, P): IN2 behind the P-th character of IN1, before all for P below 1.
    Insert,
    /// DELETE(IN, L, P): without L characters from the P-th on.
    Delete,
    /// REPLACE(IN1, IN2, L, P): IN2 instead of L characters from the P-th on.
    Replace,
    /// FIND(IN1, IN2): position of the first IN2 in IN1, from 1; 0 without one, or if IN2 is empty.
    Find,
    /// A comparison of two strings, character by character; a string is less than those it begins.
    Compare(BinOp),
}

impl Builtin {
    /// Returns whether its arguments are strings (and lengths and positions).
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Builtin::Len
                | Builtin::Left
                | Builtin::Right
                | Builtin::Mid
                | Builtin::Concat
                | Builtin::Insert
                | Builtin::Delete
                | Builtin::Replace
                | Builtin::Find
                | Builtin::Compare(_)
        )
    }
}
