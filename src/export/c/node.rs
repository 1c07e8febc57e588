//! Expression nodes in C. Every text is a complete operand of its type, and its value is below 2^width.

use std::rc::Rc;

use super::helpers::Helpers;
use crate::export::names::Names;
use kernel::expr::{BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, FpCmp, FpTest, FpUn, Sort, Value};

/// Returns the type of variables of a sort.
pub(super) fn type_of(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "bool",
        Sort::BitVec(width) => word(width),
        Sort::Float(FloatSort::F32) => "float",
        Sort::Float(FloatSort::F64) => "double",
        sort @ (Sort::Float(FloatSort::Other(_)) | Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
    }
}

/// Returns the smallest unsigned type that holds `width` bits.
pub(super) fn word(width: u16) -> &'static str {
    match width {
        0..=8 => "uint8_t",
        9..=16 => "uint16_t",
        17..=32 => "uint32_t",
        33..=64 => "uint64_t",
        _ => "u128",
    }
}

/// Returns the type to compute in: at least as wide as `int`, or operands would become signed.
pub(super) fn wide(width: u16) -> &'static str {
    if width <= 32 { "uint32_t" } else { word(width) }
}

/// Returns a constant of the type to compute in.
pub(super) fn number(width: u16, bits: u128) -> String {
    match width {
        0..=32 => format!("{bits:#x}u"),
        33..=64 => format!("{bits:#x}ull"),
        _ => format!("(((u128){:#x}ull << 64) | {:#x}ull)", (bits >> 64) as u64, bits as u64),
    }
}

/// Returns `width` ones.
pub(super) fn ones(width: u16) -> String {
    number(width, if width < 128 { (1 << width) - 1 } else { u128::MAX })
}

/// Cuts a value of the wide type to `width` bits.
pub(super) fn narrowed(width: u16, text: &str) -> String {
    match width {
        8 | 16 | 32 | 64 | 128 => format!("({})({text})", word(width)),
        _ => format!("({})(({text}) & {})", word(width), ones(width)),
    }
}

/// Returns a constant.
pub(super) fn literal(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::BitVec { width, bits } => format!("({}){}", word(width), number(width, bits)),
        Value::F32(bits) => float(f64::from(f32::from_bits(bits)), "f"),
        Value::F64(bits) => float(f64::from_bits(bits), ""),
        Value::Float(..) | Value::Int(_) | Value::Array(_) => unreachable!("no program has a {}", value.sort()),
    }
}

/// Writes a float in hexadecimal, which is exact.
fn float(v: f64, suffix: &str) -> String {
    let cast = if suffix.is_empty() { "(double)" } else { "(float)" };
    let sign = if v.is_sign_negative() { "-" } else { "" };
    let bits = v.abs().to_bits();
    match v {
        _ if v.is_nan() => format!("({cast}NAN)"),
        _ if v.is_infinite() => format!("({sign}{cast}INFINITY)"),
        _ if bits == 0 => format!("({sign}0x0p+0{suffix})"),
        _ => {
            let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
            let (lead, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
            format!("({sign}0x{lead}.{fraction:013x}p{exponent:+}{suffix})")
        }
    }
}

pub(super) fn node(pool: &ExprPool, names: &Names, helpers: &mut Helpers, e: ExprId, t: &[Rc<str>]) -> String {
    let width = |e: ExprId| pool.width(e);
    match pool.expr(e) {
        Expr::Const(value) => format!("({})", literal(value)),
        Expr::Var(var) => names.of(var).to_owned(),
        Expr::Not(_) => format!("(!{})", t[0]),
        Expr::And(..) => format!("({} && {})", t[0], t[1]),
        Expr::Or(..) => format!("({} || {})", t[0], t[1]),
        Expr::Eq(a, _) => match pool.sort(a) {
            Sort::Bool | Sort::BitVec(_) => format!("({} == {})", t[0], t[1]),
            Sort::Float(sort) => format!("{}({}, {})", helpers.same(sort), t[0], t[1]),
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        },
        Expr::Ite(..) => format!("({} ? {} : {})", t[0], t[1], t[2]),
        Expr::BvUn(op, a) => {
            let (w, wide) = (width(a), wide(width(a)));
            let text = match op {
                BvUn::Neg => format!("({wide})0 - ({wide}){}", t[0]),
                BvUn::Not => format!("~({wide}){}", t[0]),
            };
            format!("({})", narrowed(w, &text))
        }
        Expr::BvBin(op, a, _) => binary(helpers, op, width(a), &t[0], &t[1]),
        Expr::BvCmp(op, a, _) => {
            let sign = number(width(a), 1 << (width(a) - 1));
            let wide = wide(width(a));
            match op {
                BvCmp::Ult => format!("({} < {})", t[0], t[1]),
                BvCmp::Ule => format!("({} <= {})", t[0], t[1]),
                BvCmp::Slt => format!("((({wide}){} ^ {sign}) < (({wide}){} ^ {sign}))", t[0], t[1]),
                BvCmp::Sle => format!("((({wide}){} ^ {sign}) <= (({wide}){} ^ {sign}))", t[0], t[1]),
            }
        }
        Expr::Extract { high, low, of } => {
            format!("({})", narrowed_from(high - low + 1, &format!("({}){} >> {low}", wide(width(of)), t[0])))
        }
        Expr::Concat(_, b) => {
            let w = pool.width(e);
            format!("({})(((({}){}) << {}) | {})", word(w), wide(w), t[0], width(b), t[1])
        }
        Expr::ZeroExtend(to, _) => format!("(({}){})", word(to), t[0]),
        Expr::SignExtend(to, a) => {
            let (wide, sign) = (wide(to), number(to, 1 << (width(a) - 1)));
            format!("({})", narrowed(to, &format!("(({wide}){} ^ {sign}) - {sign}", t[0])))
        }
        Expr::FpUn(op, a) => match op {
            FpUn::Neg => format!("(-{})", t[0]),
            FpUn::Abs => format!("{}({})", math("fabs", pool.float(a)), t[0]),
            FpUn::Sqrt(_) => format!("{}({})", math("sqrt", pool.float(a)), t[0]),
            FpUn::Integral(_) => unreachable!("no program rounds to a whole REAL"),
        },
        Expr::FpBin(op, ..) => format!("({} {} {})", t[0], op.symbol(), t[1]),
        Expr::FpCmp(op, ..) => {
            let op = match op {
                FpCmp::Eq => "==",
                FpCmp::Lt => "<",
                FpCmp::Le => "<=",
            };
            format!("({} {op} {})", t[0], t[1])
        }
        Expr::FpTest(FpTest::IsNan, _) => format!("(isnan({}) != 0)", t[0]),
        Expr::FpTest(FpTest::IsInfinite, _) => format!("(isinf({}) != 0)", t[0]),
        Expr::FpToFp(sort, ..) => format!("(({}){})", type_of(Sort::Float(sort)), t[0]),
        Expr::BvToFp { signed, sort, of, .. } => {
            if signed {
                format!("{}({})", helpers.float_of_signed(sort, width(of)), t[0])
            } else {
                format!("(({}){})", type_of(Sort::Float(sort)), t[0])
            }
        }
        Expr::FpToBv { signed, width, rounding, .. } => format!("{}({})", helpers.word_of_float(signed, width, rounding), t[0]),
        Expr::BitsToFp(sort, _) => format!("{}({})", helpers.of_bits(sort), t[0]),
        Expr::IntNeg(_) | Expr::IntBin(..) | Expr::IntCmp(..) | Expr::Select(..) | Expr::Store(..) => {
            unreachable!("no program has integers without a width, or arrays that are values")
        }
    }
}

/// Cuts a value to `width` bits, like [`narrowed`]. The value may be wider than the type to compute in.
fn narrowed_from(width: u16, text: &str) -> String {
    format!("({})(({text}) & {})", word(width), ones(width))
}

fn math(name: &str, sort: FloatSort) -> String {
    match sort {
        FloatSort::F32 => format!("{name}f"),
        FloatSort::F64 | FloatSort::Other(_) => name.to_owned(),
    }
}

fn binary(helpers: &mut Helpers, op: BvBin, w: u16, a: &str, b: &str) -> String {
    let wide = wide(w);
    let infix = |op: &str| format!("({})", narrowed(w, &format!("({wide}){a} {op} ({wide}){b}")));
    match op {
        BvBin::Add => infix("+"),
        BvBin::Sub => infix("-"),
        BvBin::Mul => infix("*"),
        BvBin::And => infix("&"),
        BvBin::Or => infix("|"),
        BvBin::Xor => infix("^"),
        BvBin::Udiv | BvBin::Urem | BvBin::Sdiv | BvBin::Srem | BvBin::Shl | BvBin::Lshr | BvBin::Ashr => {
            format!("{}({a}, {b})", helpers.partial(op, w))
        }
    }
}
