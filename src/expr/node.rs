//! The forms of expressions. Operators mean what SMT-LIB's FixedSizeBitVectors and
//! FloatingPoint theories say (division by zero included), rounding to nearest even.

use super::pool::{ExprId, VarId};
use super::sort::{FloatSort, Value};

/// One node; children are ids of the same pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A variable (of a frame that the context decides).
    Var(VarId),
    /// Boolean negation.
    Not(ExprId),
    /// Boolean conjunction.
    And(ExprId, ExprId),
    /// Boolean disjunction.
    Or(ExprId, ExprId),
    /// Equality of two expressions of one sort: identity of values (for floats: NaN = NaN, +0 ≠ -0). Boolean equivalence too.
    Eq(ExprId, ExprId),
    /// If-then-else of any sort.
    Ite(ExprId, ExprId, ExprId),
    /// Bit vector, one operand.
    BvUn(BvUn, ExprId),
    /// Bit vectors of one width.
    BvBin(BvBin, ExprId, ExprId),
    /// Comparison of bit vectors of one width.
    BvCmp(BvCmp, ExprId, ExprId),
    /// Bits `high..=low`.
    Extract {
        /// Highest bit.
        high: u16,
        /// Lowest bit.
        low: u16,
        /// Operand.
        of: ExprId,
    },
    /// The first operand's bits above the second's.
    Concat(ExprId, ExprId),
    /// Zeros above, to `width` in all.
    ZeroExtend(u16, ExprId),
    /// Copies of the sign above, to `width` in all.
    SignExtend(u16, ExprId),
    /// Float, one operand.
    FpUn(FpUn, ExprId),
    /// Floats of one sort, rounded to nearest even.
    FpBin(FpBin, ExprId, ExprId),
    /// IEEE comparison: false if an operand is NaN; +0 equals -0.
    FpCmp(FpCmp, ExprId, ExprId),
    /// Classification.
    FpTest(FpTest, ExprId),
    /// Float to another float format, to nearest even.
    FpToFp(FloatSort, ExprId),
    /// Integer to float, to nearest even.
    BvToFp {
        /// Two's complement if true.
        signed: bool,
        /// Target.
        sort: FloatSort,
        /// Operand.
        of: ExprId,
    },
    /// Float to integer; outside the range (and NaN): 0 in our evaluator, so guard it (SMT-LIB leaves it open).
    FpToBv {
        /// Two's complement if true.
        signed: bool,
        /// Target width.
        width: u16,
        /// How to round.
        rounding: Rounding,
        /// Operand.
        of: ExprId,
    },
    /// The float that has these bits (every NaN pattern gives the one NaN).
    BitsToFp(FloatSort, ExprId),
}

/// One bit vector operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvUn {
    /// Two's complement.
    Neg,
    /// All bits flipped.
    Not,
}

/// Two bit vectors of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvBin {
    /// Sum modulo 2^width.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; all ones if the divisor is 0.
    Udiv,
    /// Unsigned remainder; the dividend if the divisor is 0.
    Urem,
    /// Signed quotient toward zero; 1 or -1 if the divisor is 0 (as SMT-LIB's bvsdiv).
    Sdiv,
    /// Signed remainder with the dividend's sign; the dividend if the divisor is 0.
    Srem,
    /// Conjunction of bits.
    And,
    /// Disjunction of bits.
    Or,
    /// Exclusive disjunction of bits.
    Xor,
    /// Left shift; the width or more gives 0.
    Shl,
    /// Right shift, zeros come in.
    Lshr,
    /// Right shift, the sign comes in.
    Ashr,
}

/// Comparison of bit vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvCmp {
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
}

/// One float operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FpUn {
    /// Sign flipped.
    Neg,
    /// Sign cleared.
    Abs,
    /// Square root.
    Sqrt,
}

/// Two floats of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FpBin {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// IEEE comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FpCmp {
    /// Equal.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// Classification of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FpTest {
    /// Not a number.
    IsNan,
    /// An infinity.
    IsInfinite,
}

/// Rounding of float to integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
}
