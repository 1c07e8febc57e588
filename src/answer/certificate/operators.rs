//! Operators and literals of certificates with their sorts: Core, bit vectors, floats, integers, arrays.

use super::Flaw;
use super::sexp::{SexpId, Sexps};
use kernel::expr::{FloatSort, Scalar, Sort};

/// An operator that waits for its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Applied {
    /// Text before the operands.
    pub(super) head: String,
    /// Their number.
    pub(super) n_operands: usize,
    kind: Kind,
}

/// Rule from the sorts of operands to the sort of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One Bool or more.
    Connective,
    Not,
    /// Two of one sort.
    Equality,
    Ite,
    BvUnary,
    BvBinary,
    BvComparison,
    Concat,
    Extract {
        high: u16,
        low: u16,
    },
    Extend(u16),
    FpUnary,
    FpBinary,
    FpComparison,
    FpTest,
    /// Float or signed bit vector, rounded.
    ToFp(FloatSort),
    UnsignedToFp(FloatSort),
    BitsToFp(FloatSort),
    FpToBv(u16),
    Minus,
    IntBinary,
    IntComparison,
    Select,
    Store,
}

const CONNECTIVES: &[&str] = &["and", "or", "xor", "=>"];
const BV_BINARY: &[&str] =
    &["bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvand", "bvor", "bvxor", "bvshl", "bvlshr", "bvashr"];
const BV_COMPARISONS: &[&str] = &["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"];
const FP_COMPARISONS: &[&str] = &["fp.eq", "fp.lt", "fp.leq", "fp.gt", "fp.geq"];
const FP_TESTS: &[&str] =
    &["fp.isNaN", "fp.isInfinite", "fp.isZero", "fp.isNormal", "fp.isSubnormal", "fp.isNegative", "fp.isPositive"];
const ROUNDINGS: &[&str] = &["RNE", "RNA", "RTP", "RTN", "RTZ"];

impl Applied {
    /// Reads the operator of a list, whose last `n_operands` items are the operands.
    pub(super) fn read(sexps: &Sexps<'_>, list: &[SexpId]) -> Result<Applied, Flaw> {
        let unknown = |id: SexpId| Flaw(format!("`{}` is no operator that a certificate may use", sexps.show(id)));
        let Some(first) = list.first() else { return Err(Flaw("`()` is no term".to_owned())) };
        // A rounding mode belongs to the operator.
        let rounding = list.get(1).and_then(|id| sexps.atom(*id)).filter(|word| ROUNDINGS.contains(word));
        let mode = rounding.map(|mode| format!(" {mode}")).unwrap_or_default();
        let n_operands = list.len() - 1 - usize::from(rounding.is_some());
        let (head, kind) = match sexps.atom(*first) {
            Some(word) => (word.to_owned(), simple(word, rounding.is_some()).ok_or_else(|| unknown(*first))?),
            None => indexed(sexps, *first, rounding.is_some()).ok_or_else(|| unknown(*first))?,
        };
        Ok(Applied { head: format!("{head}{mode}"), n_operands, kind })
    }
}

fn simple(word: &str, is_rounded: bool) -> Option<Kind> {
    match (word, is_rounded) {
        ("fp.sqrt" | "fp.roundToIntegral", true) => Some(Kind::FpUnary),
        ("fp.add" | "fp.sub" | "fp.mul" | "fp.div", true) => Some(Kind::FpBinary),
        (_, true) => None,
        ("not", false) => Some(Kind::Not),
        ("=" | "distinct", false) => Some(Kind::Equality),
        ("ite", false) => Some(Kind::Ite),
        ("bvneg" | "bvnot", false) => Some(Kind::BvUnary),
        ("concat", false) => Some(Kind::Concat),
        ("fp.neg" | "fp.abs", false) => Some(Kind::FpUnary),
        ("-", false) => Some(Kind::Minus),
        ("+" | "*" | "div" | "mod", false) => Some(Kind::IntBinary),
        ("<" | "<=" | ">" | ">=", false) => Some(Kind::IntComparison),
        ("select", false) => Some(Kind::Select),
        ("store", false) => Some(Kind::Store),
        (word, false) if CONNECTIVES.contains(&word) => Some(Kind::Connective),
        (word, false) if BV_BINARY.contains(&word) => Some(Kind::BvBinary),
        (word, false) if BV_COMPARISONS.contains(&word) => Some(Kind::BvComparison),
        (word, false) if FP_COMPARISONS.contains(&word) => Some(Kind::FpComparison),
        (word, false) if FP_TESTS.contains(&word) => Some(Kind::FpTest),
        (_, false) => None,
    }
}

/// Reads `(_ extract 7 0)` and the like, written anew.
fn indexed(sexps: &Sexps<'_>, id: SexpId, is_rounded: bool) -> Option<(String, Kind)> {
    let [mark, name, indices @ ..] = sexps.list(id)? else { return None };
    let name = sexps.atom(*name).filter(|_| sexps.atom(*mark) == Some("_"))?;
    let numbers: Vec<u16> = indices.iter().map(|id| number(sexps, *id)).collect::<Option<_>>()?;
    let format = |e: u16, s: u16| FloatSort::new(e.into(), s.into());
    let kind = match (name, numbers.as_slice(), is_rounded) {
        ("extract", [high, low], false) if low <= high => Kind::Extract { high: *high, low: *low },
        ("zero_extend" | "sign_extend", [by], false) => Kind::Extend(*by),
        ("to_fp", [e, s], true) => Kind::ToFp(format(*e, *s)?),
        ("to_fp", [e, s], false) => Kind::BitsToFp(format(*e, *s)?),
        ("to_fp_unsigned", [e, s], true) => Kind::UnsignedToFp(format(*e, *s)?),
        ("fp.to_sbv" | "fp.to_ubv", [width @ 1..=WIDEST], true) => Kind::FpToBv(*width),
        _ => return None,
    };
    let numbers: Vec<String> = numbers.iter().map(u16::to_string).collect();
    Some((format!("(_ {name} {})", numbers.join(" ")), kind))
}

/// Bits of the widest bit vector of a model.
const WIDEST: u16 = 128;

pub(super) fn number(sexps: &Sexps<'_>, id: SexpId) -> Option<u16> {
    sexps.atom(id).filter(|word| word.bytes().all(|b| b.is_ascii_digit())).and_then(|word| word.parse().ok())
}

/// Returns the sort of the result; `None` if the operands do not fit.
pub(super) fn apply(operator: &Applied, operands: &[Sort]) -> Option<Sort> {
    let bits = |width: u16| if (1..=WIDEST).contains(&width) { Some(Sort::BitVec(width)) } else { None };
    match (operator.kind, operands) {
        (Kind::Connective, [Sort::Bool, Sort::Bool, rest @ ..]) if rest.iter().all(|sort| *sort == Sort::Bool) => {
            // These two are not associative: readers could differ on more operands.
            let is_binary = matches!(operator.head.as_str(), "xor" | "=>");
            if is_binary && !rest.is_empty() { None } else { Some(Sort::Bool) }
        }
        (Kind::Not, [Sort::Bool]) => Some(Sort::Bool),
        (Kind::Equality, [a, b]) if a == b => Some(Sort::Bool),
        (Kind::Ite, [Sort::Bool, a, b]) if a == b => Some(*a),
        (Kind::BvUnary, [Sort::BitVec(width)]) => bits(*width),
        (Kind::BvBinary, [Sort::BitVec(a), Sort::BitVec(b)]) if a == b => bits(*a),
        (Kind::BvComparison, [Sort::BitVec(a), Sort::BitVec(b)]) if a == b => Some(Sort::Bool),
        (Kind::Concat, [Sort::BitVec(a), Sort::BitVec(b)]) => bits(a.checked_add(*b)?),
        (Kind::Extract { high, low }, [Sort::BitVec(width)]) if high < *width => bits(high - low + 1),
        (Kind::Extend(by), [Sort::BitVec(width)]) => bits(width.checked_add(by)?),
        (Kind::FpUnary, [Sort::Float(a)]) => Some(Sort::Float(*a)),
        (Kind::FpBinary, [Sort::Float(a), Sort::Float(b)]) if a == b => Some(Sort::Float(*a)),
        (Kind::FpComparison, [Sort::Float(a), Sort::Float(b)]) if a == b => Some(Sort::Bool),
        (Kind::FpTest, [Sort::Float(_)]) => Some(Sort::Bool),
        (Kind::ToFp(to), [Sort::Float(_) | Sort::BitVec(_)]) => Some(Sort::Float(to)),
        (Kind::UnsignedToFp(to), [Sort::BitVec(_)]) => Some(Sort::Float(to)),
        (Kind::BitsToFp(to), [Sort::BitVec(width)]) if to.width() == *width => Some(Sort::Float(to)),
        (Kind::FpToBv(width), [Sort::Float(_)]) => bits(width),
        (Kind::Minus, [Sort::Int]) | (Kind::Minus | Kind::IntBinary, [Sort::Int, Sort::Int]) => Some(Sort::Int),
        (Kind::IntComparison, [Sort::Int, Sort::Int]) => Some(Sort::Bool),
        (Kind::Select, [Sort::Array(index, element), of]) if Sort::from(*index) == *of => Some((*element).into()),
        (Kind::Store, [array @ Sort::Array(index, element), of, to])
            if Sort::from(*index) == *of && Sort::from(*element) == *to =>
        {
            Some(*array)
        }
        (_, _) => None,
    }
}

/// Reads a literal, written anew, with its sort; `None` for anything else.
pub(super) fn literal(sexps: &Sexps<'_>, id: SexpId) -> Result<Option<(String, Sort)>, Flaw> {
    match constant_array(sexps, id)? {
        Some(array) => Ok(Some(array)),
        None => scalar_literal(sexps, id),
    }
}

/// Reads `((as const (Array I E)) value)`: the same value everywhere.
fn constant_array(sexps: &Sexps<'_>, id: SexpId) -> Result<Option<(String, Sort)>, Flaw> {
    let Some([constant, value]) = sexps.list(id) else { return Ok(None) };
    let Some([mark, word, sort]) = sexps.list(*constant) else { return Ok(None) };
    if (sexps.atom(*mark), sexps.atom(*word)) != (Some("as"), Some("const")) {
        return Ok(None);
    }
    let bad = || Flaw(format!("`{}` is no constant array that a certificate may use", sexps.show(id)));
    let sort = sort_of(sexps, *sort)?;
    // A number below zero is written as an application.
    let (text, of) = scalar_literal(sexps, *value)?.or_else(|| negative(sexps, *value)).ok_or_else(bad)?;
    match sort {
        Sort::Array(_, element) if Sort::from(element) == of => Ok(Some((format!("((as const {sort}) {text})"), sort))),
        Sort::Array(..) | Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int => Err(bad()),
    }
}

fn scalar_literal(sexps: &Sexps<'_>, id: SexpId) -> Result<Option<(String, Sort)>, Flaw> {
    let bad = || Flaw(format!("`{}` is no literal that a certificate may use", sexps.show(id)));
    if let Some(word) = sexps.atom(id) {
        return match word {
            "true" | "false" => Ok(Some((word.to_owned(), Sort::Bool))),
            word if word.starts_with('#') => {
                let (width, bits) = hash_literal(word).ok_or_else(bad)?;
                Ok(Some((format!("(_ bv{bits} {width})"), Sort::BitVec(width))))
            }
            word if word.starts_with(|c: char| c.is_ascii_digit()) => match integer(word) {
                Some(()) => Ok(Some((word.to_owned(), Sort::Int))),
                None => Err(bad()),
            },
            _ => Ok(None),
        };
    }
    let Some(list) = sexps.list(id) else { return Ok(None) };
    let words: Vec<Option<&str>> = list.iter().take(4).map(|id| sexps.atom(*id)).collect();
    match (words.as_slice(), list) {
        ([Some("_"), Some(value), Some(_)], [_, _, width]) if value.starts_with("bv") => {
            let width = number(sexps, *width).filter(|width| (1..=WIDEST).contains(width)).ok_or_else(bad)?;
            let digits = value.get(2..).filter(|digits| integer(digits).is_some()).ok_or_else(bad)?;
            let bits: u128 = digits.parse().map_err(|_| bad())?;
            if bits.checked_shr(width.into()).unwrap_or(0) != 0 {
                return Err(bad());
            }
            Ok(Some((format!("(_ bv{bits} {width})"), Sort::BitVec(width))))
        }
        ([Some("_"), Some(name @ ("NaN" | "+oo" | "-oo" | "+zero" | "-zero")), Some(_), Some(_)], [_, _, e, s]) => {
            let sort = format(sexps, *e, *s).ok_or_else(bad)?;
            let (e, s) = sort.bits();
            Ok(Some((format!("(_ {name} {e} {s})"), Sort::Float(sort))))
        }
        ([Some("fp"), Some(sign), Some(e), Some(fraction)], [_, _, _, _]) => {
            let parts = [*sign, *e, *fraction].map(|part| hash_literal(part).map(|(width, bits)| (width, bits, part)));
            let [Some((1, sign, _)), Some((ew, e, _)), Some((fw, fraction, _))] = parts else { return Err(bad()) };
            let sort = FloatSort::new(ew.into(), u32::from(fw) + 1).ok_or_else(bad)?;
            let (ew, fw) = (usize::from(ew), usize::from(fw));
            Ok(Some((format!("(fp #b{sign} #b{e:0ew$b} #b{fraction:0fw$b})"), Sort::Float(sort))))
        }
        (_, _) => Ok(None),
    }
}

fn negative(sexps: &Sexps<'_>, id: SexpId) -> Option<(String, Sort)> {
    let [minus, number] = sexps.list(id)? else { return None };
    let digits = sexps.atom(*number).filter(|_| sexps.atom(*minus) == Some("-"))?;
    integer(digits).map(|()| (format!("(- {digits})"), Sort::Int))
}

/// Checks a numeral of SMT-LIB that fits into 128 bits.
pub(super) fn integer(digits: &str) -> Option<()> {
    let is_plain = !digits.is_empty() && digits.len() <= 40 && digits.bytes().all(|b| b.is_ascii_digit());
    if is_plain && (digits == "0" || !digits.starts_with('0')) { Some(()) } else { None }
}

/// Reads width and bits of `#b…` and `#x…`.
pub(super) fn hash_literal(word: &str) -> Option<(u16, u128)> {
    let (radix, each, digits) = match (word.strip_prefix("#b"), word.strip_prefix("#x")) {
        (Some(digits), _) => (2, 1, digits),
        (None, Some(digits)) => (16, 4, digits),
        (None, None) => return None,
    };
    if digits.is_empty() || usize::from(WIDEST) < digits.len() * each || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some(((digits.len() * each) as u16, u128::from_str_radix(digits, radix).ok()?))
}

pub(super) fn format(sexps: &Sexps<'_>, e: SexpId, s: SexpId) -> Option<FloatSort> {
    FloatSort::new(number(sexps, e)?.into(), number(sexps, s)?.into())
}

/// Reads a sort that a model may have.
pub(super) fn sort_of(sexps: &Sexps<'_>, id: SexpId) -> Result<Sort, Flaw> {
    let bad = || Flaw(format!("`{}` is no sort of a model", sexps.show(id)));
    scalar(sexps, id).map(Sort::from).or_else(|| array(sexps, id)).ok_or_else(bad)
}

fn scalar(sexps: &Sexps<'_>, id: SexpId) -> Option<Scalar> {
    if let Some(word) = sexps.atom(id) {
        return match word {
            "Bool" => Some(Scalar::Bool),
            "Int" => Some(Scalar::Int),
            _ => None,
        };
    }
    let [mark, name, numbers @ ..] = sexps.list(id)? else { return None };
    match (sexps.atom(*mark)?, sexps.atom(*name)?, numbers) {
        ("_", "BitVec", [width]) => number(sexps, *width).filter(|w| (1..=WIDEST).contains(w)).map(Scalar::BitVec),
        ("_", "FloatingPoint", [e, s]) => format(sexps, *e, *s).map(Scalar::Float),
        (_, _, _) => None,
    }
}

fn array(sexps: &Sexps<'_>, id: SexpId) -> Option<Sort> {
    let [name, index, element] = sexps.list(id)? else { return None };
    (sexps.atom(*name)? == "Array").then_some(())?;
    Some(Sort::Array(scalar(sexps, *index)?, scalar(sexps, *element)?))
}
