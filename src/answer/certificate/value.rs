//! Values of runs of published models as literals of SMT-LIB.

use super::operators::{format, hash_literal, integer, number, sort_of};
use super::sexp::{SexpId, Sexps};
use crate::certify::smtlib::constant;
use kernel::expr::{ArrayRef, FloatSort, Sort, Value};

/// Writes a literal.
pub(super) fn write(value: Value) -> String {
    constant(value)
}

/// Reads a literal; `None` if it has another sort.
///
/// Cost: linear in the text, and the entries of an array for each of them. No recursion.
pub(super) fn read(text: &str, sort: Sort) -> Option<Value> {
    let sexps = Sexps::read(text).ok()?;
    let [id] = sexps.top.as_slice() else { return None };
    let value = match sort {
        Sort::Array(..) => array(&sexps, *id, sort)?,
        Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int => scalar(&sexps, *id)?,
    };
    (value.sort() == sort).then_some(value)
}

/// Returns `(store (store ((as const (Array I E)) default) index element) …)`.
fn array(sexps: &Sexps<'_>, mut id: SexpId, sort: Sort) -> Option<Value> {
    let Sort::Array(index_sort, _) = sort else { return None };
    let mut entries = Vec::new();
    let default = loop {
        match sexps.list(id)? {
            [word, inner, index, element] if sexps.atom(*word) == Some("store") => {
                entries.push((scalar(sexps, *index)?, scalar(sexps, *element)?));
                id = *inner;
            }
            [constant, default] => {
                let [mark, word, of] = sexps.list(*constant)? else { return None };
                let is_constant = sexps.atom(*mark) == Some("as") && sexps.atom(*word) == Some("const");
                (is_constant && sort_of(sexps, *of).ok()? == sort).then_some(())?;
                break scalar(sexps, *default)?;
            }
            [..] => return None,
        }
    };
    // The innermost entry is the first one that was written.
    let array = entries
        .into_iter()
        .rev()
        .try_fold(ArrayRef::constant(index_sort, default), |array, (index, element)| array.store(index, element));
    array.map(Value::Array)
}

fn scalar(sexps: &Sexps<'_>, id: SexpId) -> Option<Value> {
    if let Some(word) = sexps.atom(id) {
        return match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            word if word.starts_with('#') => hash_literal(word).map(|(width, bits)| Value::bv(width, bits)),
            word => integer(word).and_then(|()| word.parse().ok()).map(Value::Int),
        };
    }
    match sexps.list(id)? {
        [minus, digits] if sexps.atom(*minus) == Some("-") => {
            let digits = sexps.atom(*digits)?;
            integer(digits)?;
            format!("-{digits}").parse().ok().map(Value::Int)
        }
        [mark, bits, width] if sexps.atom(*mark) == Some("_") => {
            let digits = sexps.atom(*bits)?.strip_prefix("bv")?;
            integer(digits)?;
            let (bits, width): (u128, u16) = (digits.parse().ok()?, number(sexps, *width)?);
            let fits = (1..=128).contains(&width) && bits.checked_shr(width.into()).unwrap_or(0) == 0;
            fits.then(|| Value::bv(width, bits))
        }
        [mark, name, e, s] if sexps.atom(*mark) == Some("_") => {
            let sort = format(sexps, *e, *s)?;
            (sexps.atom(*name)? == "NaN").then(|| Value::float(sort, sort.nan()))
        }
        [mark, sign, e, fraction] if sexps.atom(*mark) == Some("fp") => {
            let part = |id: SexpId| hash_literal(sexps.atom(id)?);
            let ((1, sign), (ew, e), (fw, fraction)) = (part(*sign)?, part(*e)?, part(*fraction)?) else { return None };
            let sort = FloatSort::new(ew.into(), u32::from(fw) + 1)?;
            Some(Value::float(sort, (sign << ew | e) << fw | fraction))
        }
        [..] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::Scalar;

    #[test]
    fn literals_are_read_back_as_the_same_values() {
        let array = ArrayRef::constant(Scalar::Int, Value::bv(8, 3));
        let array = array.store(Value::Int(-4), Value::bv(8, 255)).and_then(|array| array.store(Value::Int(9), Value::bv(8, 0)));
        let half = FloatSort::new(5, 11).unwrap();
        let values = [
            Value::Bool(true),
            Value::Bool(false),
            Value::bv(1, 1),
            Value::bv(128, u128::MAX),
            Value::Int(0),
            Value::Int(i128::MIN),
            Value::Int(i128::MAX),
            Value::f32(-0.0),
            Value::f32(f32::NAN),
            Value::f64(1.5e300),
            Value::f64(f64::NEG_INFINITY),
            Value::float(half, 0x3c01),
            Value::Array(array.unwrap()),
        ];
        for value in values {
            assert_eq!(read(&write(value), value.sort()), Some(value), "{}", write(value));
        }
    }

    #[test]
    fn what_is_no_literal_of_the_sort_is_refused() {
        let ints = Sort::Array(Scalar::Int, Scalar::Int);
        let bits = Sort::BitVec(8);
        for (text, sort) in [
            ("", Sort::Int),
            ("1 2", Sort::Int),
            ("01", Sort::Int),
            ("(- 170141183460469231731687303715884105729)", Sort::Int),
            ("170141183460469231731687303715884105728", Sort::Int),
            ("(_ bv1 16)", bits),
            ("(_ bv256 8)", bits),
            ("(_ bv1 0)", Sort::BitVec(1)),
            ("(_ bv1 129)", Sort::BitVec(128)),
            ("(+ 1 1)", Sort::Int),
            ("true", Sort::Int),
            ("(fp #b0 #b1 #b1)", Sort::Float(FloatSort::F32)),
            ("((as const (Array Int Int)) true)", ints),
            ("((as const (Array Int Bool)) true)", ints),
            ("(store ((as const (Array Int Int)) 0) true 1)", ints),
            ("(store", ints),
        ] {
            assert_eq!(read(text, sort), None, "{text}");
        }
    }
}
