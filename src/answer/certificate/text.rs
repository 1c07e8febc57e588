//! Expressions of the model as SMT-LIB 2 text, and scripts in the making.
//!
//! Written for certificates alone: neither the solvers behind [`kernel::smt::Solver`] nor the certification inside of a run
//! use it, so a mistake of theirs cannot hide here. Every symbol is declared or defined once; terms stay short.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::Flaw;
use kernel::expr::{
    BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort, Value,
    VarId,
};

/// A symbol, a literal or a short term.
pub(super) type Text = Rc<str>;

/// Terms longer than this get a symbol of their own.
pub(super) const LONG: usize = 120;

/// Declarations and definitions, in their order.
#[derive(Debug, Default)]
pub(super) struct Script {
    lines: String,
    n_symbols: usize,
    sorts: Sorts,
}

/// Which theories a text needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sorts {
    floats: bool,
    odd_floats: bool,
    unbounded: bool,
}

impl Sorts {
    /// A term of this sort is used.
    pub(super) fn note(&mut self, sort: Sort) {
        self.floats |= matches!(sort, Sort::Float(_));
        self.odd_floats |= sort.has_odd_floats();
        self.unbounded |= matches!(sort, Sort::Int | Sort::Array(..));
    }
    /// What either needs.
    pub(super) fn and(self, other: Sorts) -> Sorts {
        Sorts {
            floats: self.floats || other.floats,
            odd_floats: self.odd_floats || other.odd_floats,
            unbounded: self.unbounded || other.unbounded,
        }
    }
    /// Whether everything is Bool or a bit vector.
    pub(super) fn only_bits(self) -> bool {
        !self.floats && !self.unbounded
    }
    /// What cvc5 has to be told before it reads them. Other solvers know no such options and need none.
    pub(super) fn options(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.unbounded, "arrays-exp"), (self.odd_floats, "fp-exp")];
        all.into_iter().filter(|(needed, _)| *needed).map(|(_, option)| option)
    }
    /// The command at the beginning of a script.
    pub(super) fn logic(self) -> &'static str {
        match (self.unbounded, self.floats) {
            (true, _) => "(set-logic ALL)\n",
            (false, true) => "(set-logic QF_BVFP)\n",
            (false, false) => "(set-logic QF_BV)\n",
        }
    }
}

impl Script {
    /// What was written, and what it needs.
    pub(super) fn finish(self) -> (String, Sorts) {
        (self.lines, self.sorts)
    }
    /// A comment.
    pub(super) fn comment(&mut self, text: &str) {
        let _ = writeln!(self.lines, "; {text}");
    }
    /// A symbol of any value.
    pub(super) fn declare(&mut self, name: &str, sort: Sort) -> Text {
        self.sorts.note(sort);
        let _ = writeln!(self.lines, "(declare-const {name} {sort})");
        name.into()
    }
    /// A fresh symbol of any value.
    pub(super) fn any(&mut self, hint: &str, sort: Sort) -> Text {
        let name = self.fresh(hint);
        self.declare(&name, sort)
    }
    /// A symbol of this name for a term.
    pub(super) fn name(&mut self, name: &str, sort: Sort, term: &str) -> Text {
        self.sorts.note(sort);
        let _ = writeln!(self.lines, "(define-fun {name} () {sort} {term})");
        name.into()
    }
    /// A fresh symbol for a term; what is a symbol or a literal stays as it is.
    pub(super) fn define(&mut self, hint: &str, sort: Sort, term: &str) -> Text {
        if !term.starts_with('(') || term.starts_with("(_ ") {
            self.sorts.note(sort);
            return term.into();
        }
        let name = self.fresh(hint);
        self.name(&name, sort, term)
    }
    fn fresh(&mut self, hint: &str) -> String {
        self.n_symbols += 1;
        format!("|{}#{}|", clean(hint), self.n_symbols)
    }

    /// The value of an expression where its variables have these values.
    ///
    /// Cost: linear in the distinct nodes below it.
    pub(super) fn expr(&mut self, pool: &ExprPool, e: ExprId, values: impl Fn(VarId) -> Option<Text>) -> Result<Text, Flaw> {
        let mut uses: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut todo = vec![e];
        while let Some(node) = todo.pop() {
            let n = uses.entry(node).or_insert(0);
            *n += 1;
            if *n == 1 {
                todo.extend(pool.expr(node).children());
            }
        }
        // A node is made after its operands, so ascending ids are bottom-up.
        let mut done: BTreeMap<ExprId, Text> = BTreeMap::new();
        for (node, n_uses) in uses {
            let sort = pool.sort(node);
            self.sorts.note(sort);
            let expr = pool.expr(node);
            let term = if let Expr::Var(var) = expr {
                values(var).ok_or_else(|| foreign(pool, var))?.to_string()
            } else {
                let operands: Vec<Text> = expr.children().map(|child| done[&child].clone()).collect();
                applied(&head(pool, expr), &operands)
            };
            let text = if n_uses == 1 && term.len() < LONG { term.into() } else { self.define("t", sort, &term) };
            done.insert(node, text);
        }
        Ok(self.define("t", pool.sort(e), &done[&e]))
    }
}

/// A variable that is not one of the state.
pub(super) fn foreign(pool: &ExprPool, var: VarId) -> Flaw {
    Flaw(format!("`{}` is not a variable of the model's state", pool.var_decl(var).name))
}

/// An operator with its operands; without operands it is a literal.
pub(super) fn applied(head: &str, operands: &[Text]) -> String {
    match operands {
        [] => head.to_owned(),
        [..] => format!("({head} {})", operands.join(" ")),
    }
}

/// Text that may stand between bars.
pub(super) fn clean(name: &str) -> String {
    name.chars().map(|c| if (c.is_ascii_graphic() || c == ' ') && c != '|' && c != '\\' { c } else { '_' }).collect()
}

/// What stands before the operands of a node: operator, indices, rounding mode. The whole text of a constant.
pub(super) fn head(pool: &ExprPool, e: Expr) -> String {
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
        // Outside of the range SMT-LIB allows any value: what is unsatisfiable for all of them is so for ours.
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

/// A constant.
pub(super) fn constant(value: Value) -> String {
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

fn rounding(mode: Rounding) -> &'static str {
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

fn bv_bin(op: BvBin) -> &'static str {
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
