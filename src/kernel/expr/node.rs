//! The forms of expressions. Operators have their meaning in SMT-LIB's theories FixedSizeBitVectors, FloatingPoint, Ints and
//! ArraysEx. Results that a theory leaves open (an integer divided by zero) have no value here: every answer must hold for all
//! values.

use super::float::FloatSort;
use super::pool::{ExprId, VarId};
use super::sort::Value;

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
    /// Floats of one sort.
    FpBin(FpBin, Rounding, ExprId, ExprId),
    /// IEEE comparison: false if an operand is NaN; +0 equals -0.
    FpCmp(FpCmp, ExprId, ExprId),
    /// Classification.
    FpTest(FpTest, ExprId),
    /// Float to another float format.
    FpToFp(FloatSort, Rounding, ExprId),
    /// Bit vector to float.
    BvToFp {
        /// Two's complement if true.
        signed: bool,
        /// Target.
        sort: FloatSort,
        /// Rounding mode.
        rounding: Rounding,
        /// Operand.
        of: ExprId,
    },
    /// Float to integer; outside the range (and NaN): 0 in our evaluator, so guard it (SMT-LIB leaves it open).
    FpToBv {
        /// Two's complement if true.
        signed: bool,
        /// Target width.
        width: u16,
        /// Rounding mode.
        rounding: Rounding,
        /// Operand.
        of: ExprId,
    },
    /// The float that has these bits (every NaN pattern gives the one NaN).
    BitsToFp(FloatSort, ExprId),
    /// Integer, sign changed.
    IntNeg(ExprId),
    /// Two integers.
    IntBin(IntBin, ExprId, ExprId),
    /// Comparison of integers.
    IntCmp(IntCmp, ExprId, ExprId),
    /// The element of an array (first) at an index.
    Select(ExprId, ExprId),
    /// The array with another element (last) at an index.
    Store(ExprId, ExprId, ExprId),
}

impl Expr {
    /// Returns the operands in order, padded with `None`.
    pub fn operands(self) -> [Option<ExprId>; 3] {
        match self {
            Expr::Const(_) | Expr::Var(_) => [None, None, None],
            Expr::Not(a)
            | Expr::BvUn(_, a)
            | Expr::Extract { of: a, .. }
            | Expr::ZeroExtend(_, a)
            | Expr::SignExtend(_, a)
            | Expr::FpUn(_, a)
            | Expr::FpTest(_, a)
            | Expr::FpToFp(_, _, a)
            | Expr::BvToFp { of: a, .. }
            | Expr::FpToBv { of: a, .. }
            | Expr::BitsToFp(_, a)
            | Expr::IntNeg(a) => [Some(a), None, None],
            Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Eq(a, b)
            | Expr::BvBin(_, a, b)
            | Expr::BvCmp(_, a, b)
            | Expr::Concat(a, b)
            | Expr::FpBin(_, _, a, b)
            | Expr::FpCmp(_, a, b)
            | Expr::IntBin(_, a, b)
            | Expr::IntCmp(_, a, b)
            | Expr::Select(a, b) => [Some(a), Some(b), None],
            Expr::Ite(a, b, c) | Expr::Store(a, b, c) => [Some(a), Some(b), Some(c)],
        }
    }
    /// Returns the operands in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = ExprId> {
        self.operands().into_iter().flatten()
    }
    /// Returns the same form over other operands.
    pub fn map_children(self, mut f: impl FnMut(ExprId) -> ExprId) -> Expr {
        match self {
            Expr::Const(_) | Expr::Var(_) => self,
            Expr::Not(a) => Expr::Not(f(a)),
            Expr::And(a, b) => Expr::And(f(a), f(b)),
            Expr::Or(a, b) => Expr::Or(f(a), f(b)),
            Expr::Eq(a, b) => Expr::Eq(f(a), f(b)),
            Expr::Ite(c, a, b) => Expr::Ite(f(c), f(a), f(b)),
            Expr::BvUn(op, a) => Expr::BvUn(op, f(a)),
            Expr::BvBin(op, a, b) => Expr::BvBin(op, f(a), f(b)),
            Expr::BvCmp(op, a, b) => Expr::BvCmp(op, f(a), f(b)),
            Expr::Extract { high, low, of } => Expr::Extract { high, low, of: f(of) },
            Expr::Concat(a, b) => Expr::Concat(f(a), f(b)),
            Expr::ZeroExtend(width, a) => Expr::ZeroExtend(width, f(a)),
            Expr::SignExtend(width, a) => Expr::SignExtend(width, f(a)),
            Expr::FpUn(op, a) => Expr::FpUn(op, f(a)),
            Expr::FpBin(op, rounding, a, b) => Expr::FpBin(op, rounding, f(a), f(b)),
            Expr::FpCmp(op, a, b) => Expr::FpCmp(op, f(a), f(b)),
            Expr::FpTest(op, a) => Expr::FpTest(op, f(a)),
            Expr::FpToFp(sort, rounding, a) => Expr::FpToFp(sort, rounding, f(a)),
            Expr::BvToFp { signed, sort, rounding, of } => Expr::BvToFp { signed, sort, rounding, of: f(of) },
            Expr::FpToBv { signed, width, rounding, of } => Expr::FpToBv { signed, width, rounding, of: f(of) },
            Expr::BitsToFp(sort, a) => Expr::BitsToFp(sort, f(a)),
            Expr::IntNeg(a) => Expr::IntNeg(f(a)),
            Expr::IntBin(op, a, b) => Expr::IntBin(op, f(a), f(b)),
            Expr::IntCmp(op, a, b) => Expr::IntCmp(op, f(a), f(b)),
            Expr::Select(a, b) => Expr::Select(f(a), f(b)),
            Expr::Store(a, b, c) => Expr::Store(f(a), f(b), f(c)),
        }
    }
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
    Sqrt(Rounding),
    /// The nearest integer, as a float.
    Integral(Rounding),
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

impl FpBin {
    /// Returns the operator of ST and C.
    pub fn symbol(self) -> &'static str {
        match self {
            FpBin::Add => "+",
            FpBin::Sub => "-",
            FpBin::Mul => "*",
            FpBin::Div => "/",
        }
    }
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

/// Rounding of a result that a float or an integer cannot hold. PLC programs round to nearest even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Toward +∞.
    TowardPositive,
    /// Toward -∞.
    TowardNegative,
    /// Toward zero.
    TowardZero,
}

/// Two mathematical integers. Quotient and remainder of a division by zero may be any integer, but the same for the same
/// dividend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntBin {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// The quotient with a remainder of at least 0: rounded down for positive divisors, up for negative ones.
    Div,
    /// The remainder of Euclidean division: 0 or more, less than the divisor's magnitude.
    Mod,
}

/// Comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntCmp {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}
