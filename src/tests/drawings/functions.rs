//! Results of functions of the standard, computed from the values at the pins of their block.

use std::cmp::Ordering;

use super::values::{Kind, Shown};

/// A pin: its name, value and type.
pub(super) struct Pin {
    pub(super) name: String,
    pub(super) value: Shown,
    pub(super) kind: Option<Kind>,
}

/// Result of a function.
pub(super) enum Result {
    Known(Shown),
    /// Not computed here for these values, e.g. a selector out of its range or operands without a common type.
    Open,
    /// A function without a law.
    NoLaw,
}

/// Pins of a function that are not `IN1`, `IN2` …, in their order.
fn formal(label: &str) -> &'static [&'static str] {
    match label {
        "SEL" => &["G", "IN0", "IN1"],
        "MUX" => &["K", "IN0", "IN1", "IN2", "IN3", "IN4", "IN5", "IN6", "IN7"],
        "LIMIT" => &["MN", "IN", "MX"],
        "EXPT" => &["IN1", "IN2"],
        _ => &["IN", "IN1", "IN2", "IN3", "IN4", "IN5", "IN6", "IN7", "IN8"],
    }
}

/// Pins that the common type of a function's operands comes from.
pub(super) fn operands<'p>(label: &str, pins: &'p [Pin]) -> &'p [Pin] {
    let skipped = usize::from(matches!(label, "SEL" | "MUX"));
    pins.get(skipped..).unwrap_or_default()
}

/// Returns the pins in the order of the formal parameters, if all are named so; else as they are drawn.
pub(super) fn ordered(label: &str, mut pins: Vec<Pin>) -> Vec<Pin> {
    let rank = |pin: &Pin| formal(label).iter().position(|name| pin.name.eq_ignore_ascii_case(name));
    if pins.iter().all(|pin| rank(pin).is_some()) {
        pins.sort_by_key(rank);
    }
    pins
}

/// Returns the type of a function's result.
pub(super) fn kind(label: &str, kinds: &[Option<Kind>]) -> Option<Kind> {
    match label {
        "GT" | "GE" | "LT" | "LE" | "EQ" | "NE" => Some(Kind::Truth),
        _ => kinds.iter().try_fold(Kind::Literal, |joined, kind| joined.join((*kind)?)),
    }
}

/// Evaluates a function; `pins` are in order.
pub(super) fn evaluate(label: &str, pins: &[Pin]) -> Result {
    let values: Vec<Shown> = pins.iter().map(|p| p.value).collect();
    let kinds: Vec<Option<Kind>> = operands(label, pins).iter().map(|p| p.kind).collect();
    let joined = kind(label, &kinds);
    let known = |value: Option<Shown>| value.map_or(Result::Open, Result::Known);
    match (label, values.as_slice()) {
        ("AND" | "OR" | "XOR", values) => known(bitwise(label, values)),
        ("NOT", [Shown::Truth(b)]) => Result::Known(Shown::Truth(!b)),
        ("NOT", [Shown::Whole(i)]) => known(joined.filter(is_whole).map(|k| Shown::Whole(k.wrapped(!i)))),
        ("GT" | "GE" | "LT" | "LE" | "EQ" | "NE", values) => known(compared(label, values)),
        ("MOVE", [one]) => Result::Known(*one),
        ("SEL", [Shown::Truth(choice), zero, one]) => Result::Known(if *choice { *one } else { *zero }),
        ("MUX", [Shown::Whole(choice), rest @ ..]) => known(usize::try_from(*choice).ok().and_then(|k| rest.get(k).copied())),
        // Systems do not agree on bounds that are the wrong way round.
        ("LIMIT", [low, _, high]) if low.order(*high) == Some(Ordering::Greater) => Result::Open,
        ("LIMIT", [low, value, high]) => {
            let raised = extreme(Ordering::Greater, &[*value, *low]);
            known(raised.and_then(|raised| extreme(Ordering::Less, &[raised, *high])))
        }
        ("MIN", values) => known(extreme(Ordering::Less, values)),
        ("MAX", values) => known(extreme(Ordering::Greater, values)),
        ("ABS", [Shown::Whole(i)]) => known(joined.filter(is_whole).map(|k| Shown::Whole(k.wrapped(i.abs())))),
        ("ABS", [Shown::Real(v)]) => Result::Known(Shown::Real(v.abs())),
        ("ADD" | "SUB" | "MUL" | "DIV" | "MOD", values) => known(joined.and_then(|kind| arithmetic(label, kind, values))),
        ("NOT" | "MOVE" | "SEL" | "MUX" | "LIMIT" | "ABS", _) => Result::Open,
        _ => Result::NoLaw,
    }
}

fn is_whole(kind: &Kind) -> bool {
    matches!(kind, Kind::Whole { .. })
}

fn bitwise(label: &str, values: &[Shown]) -> Option<Shown> {
    let fold = |a: i128, b: i128| match label {
        "AND" => a & b,
        "OR" => a | b,
        _ => a ^ b,
    };
    let is_truth = values.iter().all(|v| v.truth().is_some());
    let numbers: Option<Vec<i128>> = values
        .iter()
        .map(|v| match v {
            Shown::Truth(b) if is_truth => Some(i128::from(*b)),
            Shown::Whole(i) => Some(*i),
            Shown::Truth(_) | Shown::Time(_) | Shown::Real(_) => None,
        })
        .collect();
    let result = numbers?.into_iter().reduce(fold)?;
    Some(if is_truth { Shown::Truth(result != 0) } else { Shown::Whole(result) })
}

fn compared(label: &str, values: &[Shown]) -> Option<Shown> {
    let pairs: Option<Vec<Ordering>> = values.windows(2).map(|pair| pair[0].order(pair[1])).collect();
    let holds = |order: &Ordering| match label {
        "GT" => order.is_gt(),
        "GE" => order.is_ge(),
        "LT" => order.is_lt(),
        "LE" => order.is_le(),
        "EQ" => order.is_eq(),
        _ => order.is_ne(),
    };
    Some(Shown::Truth(pairs?.iter().all(holds)))
}

fn extreme(better: Ordering, values: &[Shown]) -> Option<Shown> {
    let mut values = values.iter();
    let first = *values.next()?;
    values.try_fold(first, |best, v| Some(if v.order(best)? == better { *v } else { best }))
}

fn arithmetic(label: &str, kind: Kind, values: &[Shown]) -> Option<Shown> {
    if matches!(kind, Kind::Real | Kind::LReal) {
        let floats = values.iter().map(|v| v.float());
        let step = |a: f64, b: f64| match label {
            "ADD" => Some(a + b),
            "SUB" => Some(a - b),
            "MUL" => Some(a * b),
            "DIV" => Some(a / b),
            _ => None,
        };
        // Two roundings of one operation on binary32 give the same as one.
        let rounded = |v: f64| if kind == Kind::Real { f64::from(v as f32) } else { v };
        let mut floats = floats.map(rounded);
        let first = floats.next()?;
        return floats.try_fold(first, |a, b| step(a, b).map(rounded)).filter(|v| v.is_finite()).map(Shown::Real);
    }
    let numbers: Option<Vec<i128>> = values
        .iter()
        .map(|v| match (v, kind) {
            (Shown::Whole(i), Kind::Whole { .. }) | (Shown::Time(i), Kind::Time) => Some(*i),
            (_, _) => None,
        })
        .collect();
    let step = |a: i128, b: i128| {
        let exact = match (label, kind) {
            ("ADD", _) => a.checked_add(b),
            ("SUB", _) => a.checked_sub(b),
            ("MUL", Kind::Whole { .. }) => a.checked_mul(b),
            ("DIV", Kind::Whole { .. }) => a.checked_div(b),
            ("MOD", Kind::Whole { .. }) => a.checked_rem(b),
            _ => None,
        };
        exact.map(|v| kind.wrapped(v))
    };
    let mut numbers = numbers?.into_iter();
    let first = numbers.next()?;
    let result = numbers.try_fold(first, step)?;
    Some(if kind == Kind::Time { Shown::Time(result) } else { Shown::Whole(result) })
}
