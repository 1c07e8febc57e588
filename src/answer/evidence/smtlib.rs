//! Writes SMT-LIB 2 text for certificates.
//!
//! Shares no code with the solvers behind [`kernel::smt::Solver`]: a mistake in their translation cannot hide in
//! a certificate. Knows expressions only; every symbol is declared or defined once, so the text stays linear.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use kernel::expr::{
    BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort, Value,
    VarId,
};

/// A term of the script: a symbol or a literal, never anything long.
pub(crate) type Text = Rc<str>;

/// What each variable currently is.
pub type Names = Rc<BTreeMap<VarId, Text>>;

/// A script in the making.
#[derive(Debug, Default)]
pub struct Script {
    body: String,
    n_symbols: usize,
    has_floats: bool,
    has_unbounded: bool,
    has_odd_floats: bool,
}

/// An expression that the certificate must not contain; the sentence says what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignVariable(pub String);

impl Script {
    /// A comment line.
    pub(super) fn comment(&mut self, text: &str) {
        for line in text.lines() {
            self.line(&format!("; {line}"));
        }
    }
    /// A fresh symbol with any value of `sort`; `hint` makes the text readable.
    pub(super) fn declare(&mut self, hint: &str, sort: Sort) -> Text {
        let symbol = self.symbol(hint, sort);
        self.line(&format!("(declare-const {symbol} {sort})"));
        symbol
    }
    /// A fresh symbol for `term`; short terms stand for themselves.
    pub(super) fn define(&mut self, hint: &str, sort: Sort, term: &str) -> Text {
        if !term.starts_with('(') || term.starts_with("(_ ") {
            return term.into();
        }
        let symbol = self.symbol(hint, sort);
        self.line(&format!("(define-fun {symbol} () {sort} {term})"));
        symbol
    }
    /// Asserts a term of sort Bool.
    pub(super) fn assert(&mut self, term: &str) {
        self.line(&format!("(assert {term})"));
    }
    /// The whole script, with its one `(check-sat)`. The second component says whether it is Bool and bit vectors only.
    pub(super) fn finish(self) -> (String, bool) {
        let logic = match (self.has_unbounded, self.has_floats) {
            (true, _) => "QF_ALL",
            (false, true) => "QF_BVFP",
            (false, false) => "QF_BV",
        };
        let mut options = String::new();
        for (needed, option) in [(self.has_unbounded, "arrays-exp"), (self.has_odd_floats, "fp-exp")] {
            if needed {
                options.push_str(&format!("(set-option :{option} true)\n"));
            }
        }
        (format!("{options}(set-logic {logic})\n{}(check-sat)\n", self.body), !self.has_floats && !self.has_unbounded)
    }
    /// The definitions alone, without options and questions.
    pub(super) fn definitions(self) -> String {
        self.body
    }
    /// The value of `e` where variables are `names`. Shared and long parts get symbols of their own.
    ///
    /// Cost: linear in the number of distinct nodes below `e`.
    pub(super) fn expr(&mut self, pool: &ExprPool, e: ExprId, names: &Names) -> Result<Text, ForeignVariable> {
        /// Terms longer than this get a symbol, so that text and nesting stay small.
        const LONG: usize = 160;
        let mut uses: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut todo = vec![e];
        while let Some(node) = todo.pop() {
            let count = uses.entry(node).or_insert(0);
            *count += 1;
            if *count == 1 {
                todo.extend(children(pool.expr(node)));
            }
        }
        // A node is made after its children, so ascending ids are bottom-up.
        let mut done: BTreeMap<ExprId, Text> = BTreeMap::new();
        for (node, n_uses) in uses {
            let term = self.node(pool, node, names, &done)?;
            let text = if n_uses == 1 && term.len() < LONG { term.into() } else { self.define("t", pool.sort(node), &term) };
            done.insert(node, text);
        }
        Ok(self.define("t", pool.sort(e), &done[&e]))
    }

    fn symbol(&mut self, hint: &str, sort: Sort) -> Text {
        self.note(sort);
        self.n_symbols += 1;
        let clean: String = hint.chars().map(|c| if c == '|' || c == '\\' || c.is_control() { '_' } else { c }).collect();
        format!("|{clean}@{}|", self.n_symbols).into()
    }
    fn note(&mut self, sort: Sort) {
        self.has_floats |= matches!(sort, Sort::Float(_));
        self.has_odd_floats |= sort.has_odd_floats();
        self.has_unbounded |= matches!(sort, Sort::Int | Sort::Array(..));
    }
    fn line(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// One node, given the terms of variables and operands.
    pub fn node(
        &mut self,
        pool: &ExprPool,
        node: ExprId,
        names: &Names,
        done: &BTreeMap<ExprId, Text>,
    ) -> Result<String, ForeignVariable> {
        self.note(pool.sort(node));
        let t = |e: ExprId| &done[&e];
        Ok(match pool.expr(node) {
            Expr::Const(value) => literal(value),
            Expr::Var(var) => match names.get(&var) {
                Some(name) => name.to_string(),
                None => return Err(ForeignVariable(pool.var_decl(var).name.clone())),
            },
            Expr::Not(a) => format!("(not {})", t(a)),
            Expr::And(a, b) => format!("(and {} {})", t(a), t(b)),
            Expr::Or(a, b) => format!("(or {} {})", t(a), t(b)),
            Expr::Eq(a, b) => format!("(= {} {})", t(a), t(b)),
            Expr::Ite(c, a, b) => format!("(ite {} {} {})", t(c), t(a), t(b)),
            Expr::BvUn(op, a) => format!("({} {})", bv_un(op), t(a)),
            Expr::BvBin(op, a, b) => format!("({} {} {})", bv_bin(op), t(a), t(b)),
            Expr::BvCmp(op, a, b) => format!("({} {} {})", bv_cmp(op), t(a), t(b)),
            Expr::Extract { high, low, of } => format!("((_ extract {high} {low}) {})", t(of)),
            Expr::Concat(a, b) => format!("(concat {} {})", t(a), t(b)),
            Expr::ZeroExtend(to, a) => format!("((_ zero_extend {}) {})", to - width(pool, a), t(a)),
            Expr::SignExtend(to, a) => format!("((_ sign_extend {}) {})", to - width(pool, a), t(a)),
            Expr::FpUn(FpUn::Sqrt(mode), a) => format!("(fp.sqrt {} {})", rounding_mode(mode), t(a)),
            Expr::FpUn(FpUn::Integral(mode), a) => format!("(fp.roundToIntegral {} {})", rounding_mode(mode), t(a)),
            Expr::FpUn(FpUn::Neg, a) => format!("(fp.neg {})", t(a)),
            Expr::FpUn(FpUn::Abs, a) => format!("(fp.abs {})", t(a)),
            Expr::FpBin(op, mode, a, b) => format!("({} {} {} {})", fp_bin(op), rounding_mode(mode), t(a), t(b)),
            Expr::FpCmp(op, a, b) => format!("({} {} {})", fp_cmp(op), t(a), t(b)),
            Expr::FpTest(FpTest::IsNan, a) => format!("(fp.isNaN {})", t(a)),
            Expr::FpTest(FpTest::IsInfinite, a) => format!("(fp.isInfinite {})", t(a)),
            Expr::FpToFp(sort, mode, a) => format!("((_ to_fp {}) {} {})", format_of(sort), rounding_mode(mode), t(a)),
            Expr::BvToFp { signed, sort, rounding, of } => {
                let op = if signed { "to_fp" } else { "to_fp_unsigned" };
                format!("((_ {op} {}) {} {})", format_of(sort), rounding_mode(rounding), t(of))
            }
            // Outside the range SMT-LIB allows any value: a script that is unsatisfiable for all of them is so for ours.
            Expr::FpToBv { signed, width, rounding, of } => {
                let (op, mode) = (if signed { "fp.to_sbv" } else { "fp.to_ubv" }, rounding_mode(rounding));
                format!("((_ {op} {width}) {mode} {})", t(of))
            }
            Expr::BitsToFp(sort, of) => format!("((_ to_fp {}) {})", format_of(sort), t(of)),
            Expr::IntNeg(a) => format!("(- {})", t(a)),
            Expr::IntBin(op, a, b) => format!("({} {} {})", int_bin(op), t(a), t(b)),
            Expr::IntCmp(IntCmp::Lt, a, b) => format!("(< {} {})", t(a), t(b)),
            Expr::IntCmp(IntCmp::Le, a, b) => format!("(<= {} {})", t(a), t(b)),
            Expr::Select(a, i) => format!("(select {} {})", t(a), t(i)),
            Expr::Store(a, i, v) => format!("(store {} {} {})", t(a), t(i), t(v)),
        })
    }
}

/// The variables below `e`.
pub(super) fn variables(pool: &ExprPool, e: ExprId) -> BTreeSet<VarId> {
    let mut seen = BTreeSet::from([e]);
    let mut vars = BTreeSet::new();
    let mut todo = vec![e];
    while let Some(node) = todo.pop() {
        if let Expr::Var(var) = pool.expr(node) {
            vars.insert(var);
        }
        todo.extend(children(pool.expr(node)).into_iter().filter(|child| seen.insert(*child)));
    }
    vars
}

/// A constant as SMT-LIB writes it.
pub fn literal(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::BitVec { width, bits } => format!("(_ bv{bits} {width})"),
        Value::F32(bits) => float_literal(u128::from(bits), 8, 24),
        Value::F64(bits) => float_literal(u128::from(bits), 11, 53),
        Value::Float(format, bits) => {
            let (exponent, significand) = FloatSort::Other(format).bits();
            float_literal(bits, exponent as usize, significand as usize)
        }
        // Negative numbers are negations.
        Value::Int(v) if v < 0 => format!("(- {})", v.unsigned_abs()),
        Value::Int(v) => v.to_string(),
        Value::Array(array) => {
            let sort = Sort::Array(array.index_sort(), array.element_sort());
            let mut text = format!("((as const {sort}) {})", literal(array.default()));
            for (index, element) in array.entries() {
                text = format!("(store {text} {} {})", literal(index), literal(element));
            }
            text
        }
    }
}

fn float_literal(bits: u128, exponent: usize, significand: usize) -> String {
    let fraction = significand - 1;
    let (sign, rest) = (bits >> (exponent + fraction), bits & !(1 << (exponent + fraction)));
    let (e, f) = (rest >> fraction, rest & ((1 << fraction) - 1));
    if e == (1 << exponent) - 1 && f != 0 {
        return format!("(_ NaN {exponent} {significand})");
    }
    let mut text = String::new();
    let _ = write!(text, "(fp #b{sign} #b{e:0exponent$b} #b{f:0fraction$b})");
    text
}

fn children(e: Expr) -> Vec<ExprId> {
    match e {
        Expr::Const(_) | Expr::Var(_) => Vec::new(),
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
        | Expr::IntNeg(a) => vec![a],
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
        | Expr::Select(a, b) => vec![a, b],
        Expr::Ite(a, b, c) | Expr::Store(a, b, c) => vec![a, b, c],
    }
}

fn width(pool: &ExprPool, e: ExprId) -> u16 {
    match pool.sort(e) {
        Sort::BitVec(width) => width,
        Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => unreachable!("extensions are of bit vectors"),
    }
}

fn format_of(sort: FloatSort) -> String {
    let (exponent, significand) = sort.bits();
    format!("{exponent} {significand}")
}

fn rounding_mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::TowardPositive => "RTP",
        Rounding::TowardNegative => "RTN",
        Rounding::TowardZero => "RTZ",
    }
}

fn bv_un(op: BvUn) -> &'static str {
    match op {
        BvUn::Neg => "bvneg",
        BvUn::Not => "bvnot",
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

fn int_bin(op: IntBin) -> &'static str {
    match op {
        IntBin::Add => "+",
        IntBin::Sub => "-",
        IntBin::Mul => "*",
        IntBin::Div => "div",
        IntBin::Mod => "mod",
    }
}

fn bv_cmp(op: BvCmp) -> &'static str {
    match op {
        BvCmp::Ult => "bvult",
        BvCmp::Ule => "bvule",
        BvCmp::Slt => "bvslt",
        BvCmp::Sle => "bvsle",
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

fn fp_cmp(op: FpCmp) -> &'static str {
    match op {
        FpCmp::Eq => "fp.eq",
        FpCmp::Lt => "fp.lt",
        FpCmp::Le => "fp.leq",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::smt::{Mode, Sat, run_script};

    /// Asserts `make(x…) = expected` negated, with the variables fixed to `values`: must be unsatisfiable.
    fn check(values: &[Value], expected: Value, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) {
        let mut pool = ExprPool::new();
        let vars: Vec<VarId> = values.iter().map(|v| pool.new_var("x|\\", v.sort())).collect();
        let args: Vec<ExprId> = vars.iter().map(|v| pool.var(*v)).collect();
        let e = make(&mut pool, &args);
        for (claim, sat) in [("(not (= {} {}))", Sat::Unsat), ("(= {} {})", Sat::Sat)] {
            let mut script = Script::default();
            let mut names = BTreeMap::new();
            for (var, value) in vars.iter().zip(values) {
                let name = script.declare(&pool.var_decl(*var).name, value.sort());
                script.assert(&format!("(= {name} {})", literal(*value)));
                names.insert(*var, name);
            }
            let text = script.expr(&pool, e, &Rc::new(names)).unwrap();
            script.assert(&claim.replacen("{}", &text, 1).replacen("{}", &literal(expected), 1));
            let (script, _) = script.finish();
            assert_eq!(run_script(&script, Mode::Lazy, 10_000), Ok(sat), "{script}");
        }
    }

    #[test]
    fn every_operator_means_what_the_expression_means() {
        let bv = |v: i128| Value::int(8, v);
        let yes = Value::Bool(true);
        let two = |op: BvBin, a: i128, b: i128, r: i128| check(&[bv(a), bv(b)], bv(r), |p, x| p.bv(op, x[0], x[1]));
        two(BvBin::Add, 200, 100, 44);
        two(BvBin::Sub, 1, 2, -1);
        two(BvBin::Mul, 20, 20, 144);
        two(BvBin::Udiv, 200, 3, 66);
        two(BvBin::Udiv, 7, 0, 255);
        two(BvBin::Urem, 200, 3, 2);
        two(BvBin::Sdiv, -7, 2, -3);
        two(BvBin::Srem, -7, 2, -1);
        two(BvBin::And, 12, 10, 8);
        two(BvBin::Or, 12, 10, 14);
        two(BvBin::Xor, 12, 10, 6);
        two(BvBin::Shl, 3, 2, 12);
        two(BvBin::Lshr, -1, 7, 1);
        two(BvBin::Ashr, -128, 7, -1);
        check(&[bv(5)], bv(-5), |p, x| p.bv_un(BvUn::Neg, x[0]));
        check(&[bv(5)], bv(-6), |p, x| p.bv_un(BvUn::Not, x[0]));
        for (op, holds) in [(BvCmp::Ult, false), (BvCmp::Ule, false), (BvCmp::Slt, true), (BvCmp::Sle, true)] {
            check(&[bv(-1), bv(1)], Value::Bool(holds), |p, x| p.bv_cmp(op, x[0], x[1]));
        }
        check(&[bv(0b1010_0110)], Value::bv(3, 0b100), |p, x| p.extract(5, 3, x[0]));
        check(&[bv(1), bv(2)], Value::bv(16, 258), |p, x| p.concat(x[0], x[1]));
        check(&[bv(-1)], Value::bv(16, 255), |p, x| p.zero_extend(16, x[0]));
        check(&[bv(-1)], Value::int(16, -1), |p, x| p.sign_extend(16, x[0]));
        check(&[yes, Value::Bool(false)], Value::Bool(false), |p, x| p.and(x[0], x[1]));
        check(&[yes, Value::Bool(false)], yes, |p, x| p.or(x[0], x[1]));
        check(&[yes, bv(1), bv(2)], bv(1), |p, x| p.ite(x[0], x[1], x[2]));
    }

    #[test]
    fn floats_are_written_bit_by_bit() {
        let f = Value::f32;
        let two = |op: FpBin, a: f32, b: f32, r: f32| check(&[f(a), f(b)], f(r), |p, x| p.fp(op, x[0], x[1]));
        two(FpBin::Add, 0.1, 0.2, 0.1 + 0.2);
        two(FpBin::Sub, 0.1, 0.2, 0.1 - 0.2);
        two(FpBin::Mul, 1e30, 1e30, f32::INFINITY);
        two(FpBin::Div, 0.0, 0.0, f32::NAN);
        check(&[f(-2.5)], f(2.5), |p, x| p.fp_un(FpUn::Abs, x[0]));
        check(&[f(2.5)], f(-2.5), |p, x| p.fp_un(FpUn::Neg, x[0]));
        check(&[f(2.0)], f(2.0f32.sqrt()), |p, x| p.fp_un(FpUn::Sqrt(Rounding::NearestEven), x[0]));
        check(&[f(f32::NAN), f(f32::NAN)], Value::Bool(true), |p, x| p.eq(x[0], x[1]));
        check(&[f(f32::NAN), f(f32::NAN)], Value::Bool(false), |p, x| p.fp_cmp(FpCmp::Eq, x[0], x[1]));
        check(&[f(0.0), f(-0.0)], Value::Bool(false), |p, x| p.eq(x[0], x[1]));
        check(&[f(1.0), f(2.0)], Value::Bool(true), |p, x| p.fp_cmp(FpCmp::Lt, x[0], x[1]));
        check(&[f(2.0), f(2.0)], Value::Bool(true), |p, x| p.fp_cmp(FpCmp::Le, x[0], x[1]));
        check(&[f(f32::NAN)], Value::Bool(true), |p, x| p.fp_test(FpTest::IsNan, x[0]));
        check(&[f(f32::INFINITY)], Value::Bool(true), |p, x| p.fp_test(FpTest::IsInfinite, x[0]));
        check(&[f(0.1)], Value::f64(f64::from(0.1f32)), |p, x| p.fp_to_fp(FloatSort::F64, x[0]));
        check(&[Value::f64(0.1)], f(0.1), |p, x| p.fp_to_fp(FloatSort::F32, x[0]));
        check(&[Value::int(8, -3)], f(-3.0), |p, x| p.bv_to_fp(true, FloatSort::F32, x[0]));
        check(&[Value::int(8, -3)], f(253.0), |p, x| p.bv_to_fp(false, FloatSort::F32, x[0]));
        check(&[f(-2.5)], Value::int(16, -2), |p, x| p.fp_to_bv(true, 16, Rounding::NearestEven, x[0]));
        check(&[f(2.9)], Value::int(16, 2), |p, x| p.fp_to_bv(false, 16, Rounding::TowardZero, x[0]));
        check(&[Value::bv(32, 0x3f80_0000)], f(1.0), |p, x| p.bits_to_fp(FloatSort::F32, x[0]));
    }

    #[test]
    fn shared_parts_are_written_once() {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(16));
        let mut e = pool.var(x);
        for _ in 0..5_000 {
            e = pool.bv(BvBin::Mul, e, e);
        }
        let mut script = Script::default();
        let names = Rc::new(BTreeMap::from([(x, script.declare("x", Sort::BitVec(16)))]));
        script.expr(&pool, e, &names).unwrap();
        assert!(script.finish().0.len() < 500_000);
    }

    #[test]
    fn variable_without_a_name_is_refused() {
        let mut pool = ExprPool::new();
        let x = pool.new_var("Main.x", Sort::Bool);
        let e = pool.var(x);
        assert_eq!(variables(&pool, e), BTreeSet::from([x]));
        assert_eq!(Script::default().expr(&pool, e, &Names::default()), Err(ForeignVariable("Main.x".into())));
    }
}
