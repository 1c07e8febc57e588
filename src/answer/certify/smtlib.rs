//! Expressions of the model in SMT-LIB 2.
//!
//! Independent of the solvers behind [`kernel::smt::Solver`]: a mistake in their translation cannot hide in a certificate.

use std::rc::Rc;

use super::Flaw;
use kernel::expr::{
    BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort, Value,
    VarId,
};

/// Returns the flaw of a text with a variable that is not one of the state.
pub(super) fn foreign(pool: &ExprPool, var: VarId) -> Flaw {
    Flaw(format!("`{}` is not a variable of the model's state", pool.var_decl(var).name))
}

/// Returns an operator with its operands; without operands it is a literal.
pub fn applied(head: &str, operands: &[Rc<str>]) -> String {
    match operands {
        [] => head.to_owned(),
        [..] => format!("({head} {})", operands.join(" ")),
    }
}

/// Returns a name as it may stand between bars.
pub(super) fn clean(name: &str) -> String {
    name.chars().map(|c| if (c.is_ascii_graphic() || c == ' ') && c != '|' && c != '\\' { c } else { '_' }).collect()
}

/// Returns the text before the operands of a node: operator, indices, rounding mode. The whole text of a constant.
pub fn head(pool: &ExprPool, e: Expr) -> String {
    let width = |of: ExprId| match pool.sort(of) {
        Sort::BitVec(width) => width,
        Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => 0,
    };
    let format = |sort: FloatSort| {
        let (exponent, significand) = sort.bits();
        format!("{exponent} {significand}")
    };
    let word = match e {
        Expr::Const(value) => return constant(value),
        Expr::Extract { high, low, .. } => return format!("(_ extract {high} {low})"),
        Expr::ZeroExtend(to, of) => return format!("(_ zero_extend {})", to.saturating_sub(width(of))),
        Expr::SignExtend(to, of) => return format!("(_ sign_extend {})", to.saturating_sub(width(of))),
        Expr::FpUn(FpUn::Sqrt(mode), _) => return format!("fp.sqrt {}", rounding(mode)),
        Expr::FpUn(FpUn::Integral(mode), _) => return format!("fp.roundToIntegral {}", rounding(mode)),
        Expr::FpBin(op, mode, ..) => return format!("{} {}", fp_bin(op), rounding(mode)),
        Expr::FpToFp(sort, mode, _) => return format!("(_ to_fp {}) {}", format(sort), rounding(mode)),
        Expr::BvToFp { signed: true, sort, rounding: mode, .. } => {
            return format!("(_ to_fp {}) {}", format(sort), rounding(mode));
        }
        Expr::BvToFp { signed: false, sort, rounding: mode, .. } => {
            return format!("(_ to_fp_unsigned {}) {}", format(sort), rounding(mode));
        }
        // Outside of the range SMT-LIB allows any value: a script that is unsatisfiable for all values is so for ours.
        Expr::FpToBv { signed: true, width, rounding: mode, .. } => return format!("(_ fp.to_sbv {width}) {}", rounding(mode)),
        Expr::FpToBv { signed: false, width, rounding: mode, .. } => return format!("(_ fp.to_ubv {width}) {}", rounding(mode)),
        Expr::BitsToFp(sort, _) => return format!("(_ to_fp {})", format(sort)),
        Expr::Var(var) => return format!("|{}|", clean(&pool.var_decl(var).name)),
        Expr::Not(_) => "not",
        Expr::And(..) => "and",
        Expr::Or(..) => "or",
        Expr::Eq(..) => "=",
        Expr::Ite(..) => "ite",
        Expr::BvUn(BvUn::Neg, _) => "bvneg",
        Expr::BvUn(BvUn::Not, _) => "bvnot",
        Expr::BvBin(op, ..) => bv_bin(op),
        Expr::BvCmp(BvCmp::Ult, ..) => "bvult",
        Expr::BvCmp(BvCmp::Ule, ..) => "bvule",
        Expr::BvCmp(BvCmp::Slt, ..) => "bvslt",
        Expr::BvCmp(BvCmp::Sle, ..) => "bvsle",
        Expr::Concat(..) => "concat",
        Expr::FpUn(FpUn::Neg, _) => "fp.neg",
        Expr::FpUn(FpUn::Abs, _) => "fp.abs",
        Expr::FpCmp(FpCmp::Eq, ..) => "fp.eq",
        Expr::FpCmp(FpCmp::Lt, ..) => "fp.lt",
        Expr::FpCmp(FpCmp::Le, ..) => "fp.leq",
        Expr::FpTest(FpTest::IsNan, _) => "fp.isNaN",
        Expr::FpTest(FpTest::IsInfinite, _) => "fp.isInfinite",
        Expr::IntNeg(_) | Expr::IntBin(IntBin::Sub, ..) => "-",
        Expr::IntBin(IntBin::Add, ..) => "+",
        Expr::IntBin(IntBin::Mul, ..) => "*",
        Expr::IntBin(IntBin::Div, ..) => "div",
        Expr::IntBin(IntBin::Mod, ..) => "mod",
        Expr::IntCmp(IntCmp::Lt, ..) => "<",
        Expr::IntCmp(IntCmp::Le, ..) => "<=",
        Expr::Select(..) => "select",
        Expr::Store(..) => "store",
    };
    word.to_owned()
}

/// Returns the text of a constant.
pub fn constant(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::BitVec { width, bits } => format!("(_ bv{bits} {width})"),
        Value::F32(bits) => float(FloatSort::F32, bits.into()),
        Value::F64(bits) => float(FloatSort::F64, bits.into()),
        Value::Float(format, bits) => float(FloatSort::Other(format), bits),
        Value::Int(v) if v < 0 => format!("(- {})", v.unsigned_abs()),
        Value::Int(v) => v.to_string(),
        Value::Array(array) => {
            let sort = Sort::Array(array.index_sort(), array.element_sort());
            let first = format!("((as const {sort}) {})", constant(array.default()));
            array
                .entries()
                .fold(first, |text, (index, element)| format!("(store {text} {} {})", constant(index), constant(element)))
        }
    }
}

fn float(sort: FloatSort, bits: u128) -> String {
    let (exponent, significand) = sort.bits();
    if sort.is_nan(bits) {
        return format!("(_ NaN {exponent} {significand})");
    }
    let digits = format!("{bits:0width$b}", width = usize::from(sort.width()));
    let (sign, rest) = digits.split_at(1);
    let (e, fraction) = rest.split_at(exponent as usize);
    format!("(fp #b{sign} #b{e} #b{fraction})")
}

/// Returns the name of a rounding mode.
pub fn rounding(mode: Rounding) -> &'static str {
    match mode {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::TowardPositive => "RTP",
        Rounding::TowardNegative => "RTN",
        Rounding::TowardZero => "RTZ",
    }
}

fn fp_bin(op: FpBin) -> &'static str {
    match op {
        FpBin::Add => "fp.add",
        FpBin::Sub => "fp.sub",
        FpBin::Mul => "fp.mul",
        FpBin::Div => "fp.div",
    }
}

/// Returns the name of an operation on words.
pub fn bv_bin(op: BvBin) -> &'static str {
    match op {
        BvBin::Add => "bvadd",
        BvBin::Sub => "bvsub",
        BvBin::Mul => "bvmul",
        BvBin::Udiv => "bvudiv",
        BvBin::Urem => "bvurem",
        BvBin::Sdiv => "bvsdiv",
        BvBin::Srem => "bvsrem",
        BvBin::And => "bvand",
        BvBin::Or => "bvor",
        BvBin::Xor => "bvxor",
        BvBin::Shl => "bvshl",
        BvBin::Lshr => "bvlshr",
        BvBin::Ashr => "bvashr",
    }
}
