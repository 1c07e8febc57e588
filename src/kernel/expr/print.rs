//! Expressions in infix, for users and logs. Parts that occur more than once are named, so that
//! the text is not larger than the graph. No recursion.

use super::float::FloatSort;
use super::hash::FastMap;
use super::node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding};
use super::pool::{ExprId, ExprPool};
use super::sort::{Value, mask};

/// Precedence of an operator; an operand of lower precedence gets parentheses.
type Level = u8;
const BRANCH: Level = 0;
const OR: Level = 1;
const AND: Level = 2;
const NOT: Level = 3;
const COMPARISON: Level = 4;
const ARITHMETIC: Level = 5;
const ATOM: Level = 6;

/// Remaining text, last first.
enum Piece {
    Text(&'static str),
    Owned(String),
    Node { e: ExprId, at_least: Level, signed: bool },
}

fn node(e: ExprId, at_least: Level) -> Piece {
    Piece::Node { e, at_least, signed: false }
}

impl ExprPool {
    /// Returns `e` in infix. A part that occurs more than once is written as `$1`, and explained after `where`.
    ///
    /// Signed comparisons are `<` and `<=` with signed constants; unsigned ones `<u` and `<=u`.
    pub fn show(&self, e: ExprId) -> String {
        self.show_up_to(e, usize::MAX)
    }
    /// Returns the beginning of such a text, with more than `longest` bytes; the whole if it is not longer. In a beginning, a part
    /// may be written out that is used again far behind.
    ///
    /// Cost: a few nodes for each byte.
    pub fn show_up_to(&self, e: ExprId, longest: usize) -> String {
        let uses = self.uses_up_to(e, longest);
        let mut names: FastMap<ExprId, usize> = FastMap::default();
        let mut named = Vec::new();
        let mut out = String::new();
        let mut explained = 0;
        let mut next = Some(e);
        while let Some(root) = next.filter(|_| out.len() <= longest) {
            let mut pieces = vec![node(root, BRANCH)];
            while let Some(piece) = pieces.pop().filter(|_| out.len() <= longest) {
                let (e, at_least, signed) = match piece {
                    Piece::Text(text) => {
                        out.push_str(text);
                        continue;
                    }
                    Piece::Owned(text) => {
                        out.push_str(&text);
                        continue;
                    }
                    Piece::Node { e, at_least, signed } => (e, at_least, signed),
                };
                let shared = e != root && 1 < uses.get(&e).copied().unwrap_or(0) && self.expr(e).children().next().is_some();
                if shared {
                    let number = *names.entry(e).or_insert_with(|| {
                        named.push(e);
                        named.len()
                    });
                    out.push_str(&format!("${number}"));
                } else {
                    let (level, mut parts) = self.pieces(e, signed);
                    if level < at_least {
                        parts.insert(0, Piece::Text("("));
                        parts.push(Piece::Text(")"));
                    }
                    pieces.extend(parts.into_iter().rev());
                }
            }
            next = named.get(explained).copied();
            explained += 1;
            if next.is_some() {
                out.push_str(&format!("{} ${explained} = ", if explained == 1 { " where" } else { "," }));
            }
        }
        out
    }
    /// Returns one node as text and operands, with its precedence.
    fn pieces(&self, e: ExprId, signed: bool) -> (Level, Vec<Piece>) {
        let call =
            |name: String, operand| (ATOM, vec![Piece::Owned(name), Piece::Text("("), node(operand, BRANCH), Piece::Text(")")]);
        let compared = |a, text, b| (COMPARISON, vec![node(a, ARITHMETIC), Piece::Text(text), node(b, ARITHMETIC)]);
        // Associative operators need no parentheses on either side.
        let infix = |level, a, text, b| (level, vec![node(a, level), Piece::Text(text), node(b, level)]);
        match self.expr(e) {
            Expr::Const(value) => (ATOM, vec![Piece::Owned(show_value(value, signed))]),
            Expr::Var(var) => (ATOM, vec![Piece::Owned(self.var_decl(var).name.clone())]),
            Expr::Not(a) => (NOT, vec![Piece::Text("not "), node(a, NOT)]),
            Expr::And(a, b) => infix(AND, a, " and ", b),
            Expr::Or(a, b) => infix(OR, a, " or ", b),
            Expr::Eq(a, b) => compared(a, " = ", b),
            Expr::Ite(c, a, b) => {
                let parts = vec![
                    Piece::Text("if "),
                    node(c, OR),
                    Piece::Text(" then "),
                    node(a, OR),
                    Piece::Text(" else "),
                    node(b, BRANCH),
                ];
                (BRANCH, parts)
            }
            Expr::BvUn(BvUn::Neg, a) | Expr::FpUn(FpUn::Neg, a) | Expr::IntNeg(a) => {
                (ARITHMETIC, vec![Piece::Text("-"), node(a, ATOM)])
            }
            Expr::BvUn(BvUn::Not, a) => (ARITHMETIC, vec![Piece::Text("~"), node(a, ATOM)]),
            Expr::BvBin(op, a, b) => self.arithmetic(op, a, b),
            Expr::BvCmp(op, a, b) => {
                let (text, signed) = match op {
                    BvCmp::Ult => (" <u ", false),
                    BvCmp::Ule => (" <=u ", false),
                    BvCmp::Slt => (" < ", true),
                    BvCmp::Sle => (" <= ", true),
                };
                let side = |e| Piece::Node { e, at_least: ARITHMETIC, signed };
                (COMPARISON, vec![side(a), Piece::Text(text), side(b)])
            }
            Expr::Extract { high, low, of } => (
                ATOM,
                vec![node(of, ATOM), Piece::Owned(if high == low { format!("[{low}]") } else { format!("[{high}:{low}]") })],
            ),
            Expr::Concat(a, b) => infix(ARITHMETIC, a, " ++ ", b),
            Expr::ZeroExtend(width, a) => call(format!("zext{width}"), a),
            Expr::SignExtend(width, a) => call(format!("sext{width}"), a),
            Expr::FpUn(FpUn::Abs, a) => call("abs".into(), a),
            Expr::FpUn(FpUn::Sqrt(rounding), a) => call(format!("sqrt{}", mode(rounding)), a),
            Expr::FpUn(FpUn::Integral(rounding), a) => call(format!("integral{}", mode(rounding)), a),
            Expr::FpBin(op, rounding, a, b) => {
                let text = match op {
                    FpBin::Add => "+",
                    FpBin::Sub => "-",
                    FpBin::Mul => "*",
                    FpBin::Div => "/",
                };
                (ARITHMETIC, vec![node(a, ATOM), Piece::Owned(format!(" {text}{} ", mode(rounding))), node(b, ATOM)])
            }
            Expr::FpCmp(FpCmp::Eq, a, b) => compared(a, " == ", b),
            Expr::FpCmp(FpCmp::Lt, a, b) | Expr::IntCmp(IntCmp::Lt, a, b) => compared(a, " < ", b),
            Expr::FpCmp(FpCmp::Le, a, b) | Expr::IntCmp(IntCmp::Le, a, b) => compared(a, " <= ", b),
            Expr::FpTest(FpTest::IsNan, a) => call("is_nan".into(), a),
            Expr::FpTest(FpTest::IsInfinite, a) => call("is_infinite".into(), a),
            Expr::FpToFp(sort, rounding, a) => call(format!("to_{}{}", format_name(sort), mode(rounding)), a),
            Expr::BvToFp { signed, sort, rounding, of } => {
                let of_what = if signed { "signed" } else { "unsigned" };
                call(format!("{}_of_{of_what}{}", format_name(sort), mode(rounding)), of)
            }
            Expr::FpToBv { signed, width, rounding, of } => {
                call(format!("{}_{}{width}", rounded(rounding), if signed { "i" } else { "u" }), of)
            }
            Expr::BitsToFp(sort, a) => call(format!("{}_of_bits", format_name(sort)), a),
            Expr::IntBin(op, a, b) => {
                let text = match op {
                    IntBin::Add => " + ",
                    IntBin::Sub => " - ",
                    IntBin::Mul => " * ",
                    IntBin::Div => " div ",
                    IntBin::Mod => " mod ",
                };
                (ARITHMETIC, vec![node(a, ATOM), Piece::Text(text), node(b, ATOM)])
            }
            Expr::Select(a, i) => (ATOM, vec![node(a, ATOM), Piece::Text("["), node(i, BRANCH), Piece::Text("]")]),
            Expr::Store(a, i, v) => {
                let parts = vec![
                    node(a, ATOM),
                    Piece::Text("["),
                    node(i, BRANCH),
                    Piece::Text(" <- "),
                    node(v, BRANCH),
                    Piece::Text("]"),
                ];
                (ATOM, parts)
            }
        }
    }
    fn arithmetic(&self, op: BvBin, a: ExprId, b: ExprId) -> (Level, Vec<Piece>) {
        let text = match op {
            // Adding a constant of the upper half is more readable as a subtraction.
            BvBin::Add => match self.as_const(b) {
                Some(Value::BitVec { width, bits }) if mask(width - 1) < bits => {
                    let subtracted = Value::bv(width, bits.wrapping_neg());
                    let parts = vec![node(a, ATOM), Piece::Text(" - "), Piece::Owned(show_value(subtracted, false))];
                    return (ARITHMETIC, parts);
                }
                Some(_) | None => " + ",
            },
            BvBin::Sub => " - ",
            BvBin::Mul => " * ",
            BvBin::Udiv => " /u ",
            BvBin::Urem => " %u ",
            BvBin::Sdiv => " / ",
            BvBin::Srem => " % ",
            BvBin::And => " & ",
            BvBin::Or => " | ",
            BvBin::Xor => " ^ ",
            BvBin::Shl => " << ",
            BvBin::Lshr => " >>u ",
            BvBin::Ashr => " >> ",
        };
        (ARITHMETIC, vec![node(a, ATOM), Piece::Text(text), node(b, ATOM)])
    }
}

fn show_value(value: Value, signed: bool) -> String {
    if signed {
        return value.to_string();
    }
    if let Value::BitVec { bits, .. } = value { bits.to_string() } else { value.to_string() }
}

/// Returns the name of a conversion to an integer.
fn rounded(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "round",
        Rounding::NearestAway => "round_away",
        Rounding::TowardPositive => "ceil",
        Rounding::TowardNegative => "floor",
        Rounding::TowardZero => "trunc",
    }
}

/// Returns the mark of a rounding mode; the usual one has none.
fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "",
        Rounding::NearestAway => "[RNA]",
        Rounding::TowardPositive => "[RTP]",
        Rounding::TowardNegative => "[RTN]",
        Rounding::TowardZero => "[RTZ]",
    }
}

fn format_name(sort: FloatSort) -> String {
    let (exponent, significand) = sort.bits();
    match sort {
        FloatSort::F32 | FloatSort::F64 => format!("f{}", exponent + significand),
        FloatSort::Other(_) => format!("fp{exponent}_{significand}"),
    }
}
