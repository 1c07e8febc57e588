//! SMV, as nuXmv and NuSMV read it: one step is one scan cycle (or one round of a loop in it). Words and booleans only.
//!
//! Every state has a successor: where a run ends, `running` becomes FALSE and nothing changes any more.

use std::fmt::Write as _;
use std::rc::Rc;

use super::machine::{ONLY_BITS, machine, not_bits};
use super::names::Names;
use super::terms::Terms;
use super::{Format, Question, Refused};
use kernel::expr::{BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, Sort, Value};

pub(super) const FORMAT: Format = Format {
    name: "smv",
    title: "SMV (nuXmv, NuSMV)",
    ending: "smv",
    reading: "If the invariant is true: {never}. If it is false: {reached}.",
    lacks: ONLY_BITS,
    write,
};

fn write(question: &mut Question) -> Result<String, Refused> {
    let (system, names) = machine(question);
    let pool = &question.pool;
    let own = [
        FORMAT.reading,
        "One step is one scan cycle, or one round of a loop inside of it.",
        "Where a run ends, `running` becomes FALSE and nothing changes any more.",
    ];
    let mut out = question.header("--", &own);
    out.push_str("MODULE main\nVAR\n  running : boolean;\n  violated : boolean;\n");
    for var in &system.vars {
        let _ = writeln!(out, "  {} : {};", names.of(*var), sort(pool.var_decl(*var).sort)?);
    }
    if !system.inputs.is_empty() {
        out.push_str("IVAR\n");
    }
    for input in &system.inputs {
        let _ = writeln!(out, "  {} : {};", names.of(input.var), sort(pool.var_decl(input.var).sort)?);
    }
    let roots: Vec<ExprId> = [system.guard, system.bad].into_iter().chain(system.next.iter().map(|(_, e)| *e)).collect();
    let mut node = |e: ExprId, operands: &[Rc<str>]| node(pool, &names, e, operands);
    let (definitions, texts) = Terms::default().texts(pool, &roots, &mut node)?;
    out.push_str("DEFINE\n");
    for definition in definitions {
        let _ = writeln!(out, "  {} := {};", definition.name, definition.text);
    }
    let _ = writeln!(out, "  step := running & {};\n  bad := running & {};", texts[0], texts[1]);
    out.push_str("ASSIGN\n  init(running) := TRUE;\n  next(running) := step;\n");
    out.push_str("  init(violated) := FALSE;\n  next(violated) := violated | bad;\n");
    for ((var, _), next) in system.next.iter().zip(&texts[2..]) {
        let name = names.of(*var);
        if let Some(value) = system.initial.get(var) {
            let _ = writeln!(out, "  init({name}) := {};", literal(*value)?);
        }
        let _ = writeln!(out, "  next({name}) := case step : {next}; TRUE : {name}; esac;");
    }
    out.push_str("INVARSPEC !violated;\n");
    Ok(out)
}

fn sort(sort: Sort) -> Result<String, Refused> {
    match sort {
        Sort::Bool => Ok("boolean".into()),
        Sort::BitVec(width) => Ok(format!("unsigned word[{width}]")),
        Sort::Float(_) | Sort::Int | Sort::Array(..) => Err(not_bits()),
    }
}

fn literal(value: Value) -> Result<String, Refused> {
    match value {
        Value::Bool(b) => Ok(if b { "TRUE" } else { "FALSE" }.into()),
        Value::BitVec { width, bits } => {
            let digits = usize::from(width);
            Ok(format!("0ub{width}_{bits:0digits$b}"))
        }
        Value::F32(_) | Value::F64(_) | Value::Float(..) | Value::Int(_) | Value::Array(_) => Err(not_bits()),
    }
}

fn word(width: u16, bits: u128) -> String {
    let (digits, bits) = (usize::from(width), if width < 128 { bits & ((1 << width) - 1) } else { bits });
    format!("0ub{width}_{bits:0digits$b}")
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are refused")]
fn node(pool: &ExprPool, names: &Names, e: ExprId, t: &[Rc<str>]) -> Result<String, Refused> {
    Ok(match pool.expr(e) {
        Expr::Const(value) => literal(value)?,
        Expr::Var(var) => names.of(var).to_owned(),
        Expr::Not(_) => format!("(!{})", t[0]),
        Expr::And(..) => format!("({} & {})", t[0], t[1]),
        Expr::Or(..) => format!("({} | {})", t[0], t[1]),
        Expr::Eq(a, _) if pool.sort(a) == Sort::Bool => format!("({} <-> {})", t[0], t[1]),
        Expr::Eq(..) => format!("({} = {})", t[0], t[1]),
        Expr::Ite(..) => format!("(case {} : {}; TRUE : {}; esac)", t[0], t[1], t[2]),
        Expr::BvUn(BvUn::Neg, _) => format!("(-{})", t[0]),
        Expr::BvUn(BvUn::Not, _) => format!("(!{})", t[0]),
        Expr::BvBin(op, a, _) => binary(op, pool.width(a), &t[0], &t[1]),
        Expr::BvCmp(op, ..) => match op {
            BvCmp::Ult => format!("({} < {})", t[0], t[1]),
            BvCmp::Ule => format!("({} <= {})", t[0], t[1]),
            BvCmp::Slt => format!("(signed({}) < signed({}))", t[0], t[1]),
            BvCmp::Sle => format!("(signed({}) <= signed({}))", t[0], t[1]),
        },
        Expr::Extract { high, low, .. } => format!("({})[{high}:{low}]", t[0]),
        Expr::Concat(..) => format!("({} :: {})", t[0], t[1]),
        Expr::ZeroExtend(to, a) => format!("extend({}, {})", t[0], to - pool.width(a)),
        Expr::SignExtend(to, a) => format!("unsigned(extend(signed({}), {}))", t[0], to - pool.width(a)),
        _ => return Err(not_bits()),
    })
}

/// Writes an operation on words. SMV leaves division by zero and shifts by more than the width undefined, and its versions disagree about the sign of
/// quotients: neither is ever asked for.
fn binary(op: BvBin, w: u16, a: &str, b: &str) -> String {
    let (zero, one, ones) = (word(w, 0), word(w, 1), word(w, u128::MAX));
    // Divided by 1 where the divisor is 0; the case around it gives the result then.
    let divisor = |b: &str| format!("(case {b} = {zero} : {one}; TRUE : {b}; esac)");
    let negative = |x: &str| format!("(({x})[{0}:{0}] = 0ub1_1)", w - 1);
    let magnitude = |x: &str| format!("(case {} : (-{x}); TRUE : {x}; esac)", negative(x));
    // The width itself always fits into the operand.
    let shifted = |x: &str, op: &str| {
        let width = word(w, u128::from(w));
        format!("(case {b} < {width} : ({x} {op} (case {b} < {width} : {b}; TRUE : {zero}; esac)); TRUE : {zero}; esac)")
    };
    match op {
        BvBin::Add => format!("({a} + {b})"),
        BvBin::Sub => format!("({a} - {b})"),
        BvBin::Mul => format!("({a} * {b})"),
        BvBin::And => format!("({a} & {b})"),
        BvBin::Or => format!("({a} | {b})"),
        BvBin::Xor => format!("({a} xor {b})"),
        BvBin::Udiv => format!("(case {b} = {zero} : {ones}; TRUE : ({a} / {}); esac)", divisor(b)),
        BvBin::Urem => format!("(case {b} = {zero} : {a}; TRUE : ({a} mod {}); esac)", divisor(b)),
        BvBin::Sdiv => {
            let quotient = format!("({} / {})", magnitude(a), divisor(&magnitude(b)));
            format!(
                "(case {b} = {zero} : (case {na} : {one}; TRUE : {ones}; esac); {na} = {nb} : {quotient}; TRUE : (-{quotient}); esac)",
                na = negative(a),
                nb = negative(b),
            )
        }
        BvBin::Srem => {
            let rest = format!("({} mod {})", magnitude(a), divisor(&magnitude(b)));
            format!("(case {b} = {zero} : {a}; {} : (-{rest}); TRUE : {rest}; esac)", negative(a))
        }
        BvBin::Shl => shifted(a, "<<"),
        BvBin::Lshr => shifted(a, ">>"),
        BvBin::Ashr => {
            // The sign comes in where a shift of ones leaves zeros.
            let (logical, kept) = (shifted(a, ">>"), shifted(&ones, ">>"));
            format!("(case {} : ({logical} | (!{kept})); TRUE : {logical}; esac)", negative(a))
        }
    }
}
