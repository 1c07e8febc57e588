//! Invariants in the user's words: formulas over leaves printed as ST.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::value_to_st;
use plc_frontend::hir::{Leaf, Project, Type, TypeId};

use super::names::Names;
use kernel::expr::{BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FpCmp, FpTest, FpUn, IntBin, IntCmp, Sort, Value, VarId};

/// Longest formula in nodes; the certificate holds longer ones.
const MAX_NODES: usize = 120;

/// Prints formulas over the model's variables.
pub struct InvariantPrinter<'a> {
    /// The program, for types.
    pub project: &'a Project,
    /// Leaves with their variables.
    pub leaves: &'a [(Leaf, VarId)],
    /// Names for people.
    pub names: &'a Names,
}

/// An invariant as lines of ST.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Conjuncts over variables of the program, short ones first, each once.
    pub lines: Vec<String>,
    /// Those that speak of something the program does not name: inner state of standard blocks, monitors, rounds of loops.
    pub internal: Vec<String>,
}

impl InvariantPrinter<'_> {
    /// Prints the conjuncts of `invariant`, each as one line of ST. TRUE gives none. Those only about variables outside of
    /// `cone` are left out: reductions add facts that the answer does not depend on.
    pub fn conjuncts(&self, pool: &ExprPool, invariant: ExprId, cone: Option<&BTreeSet<VarId>>) -> Printed {
        let by_var: BTreeMap<VarId, &Leaf> = self.leaves.iter().map(|(leaf, var)| (*var, leaf)).collect();
        let matters = |e: ExprId| {
            let vars = pool.vars_of(&[e]);
            vars.is_empty() || cone.is_none_or(|cone| vars.iter().any(|var| cone.contains(var)))
        };
        let mut parts = pool.conjuncts(invariant);
        parts.retain(|e| !pool.is_true(*e) && matters(*e));
        parts.sort_unstable();
        parts.dedup();
        let mut printed = Printed::default();
        for e in parts {
            let mut printer = Printer { pool, by_var: &by_var, outer: self, left: MAX_NODES, internal: false };
            let text = printer.expr(e, None);
            let line = match printer.left {
                0 => "a formula too long to read here; the certificate holds it".to_string(),
                _ => strip(&text).to_string(),
            };
            if printer.internal { &mut printed.internal } else { &mut printed.lines }.push(line);
        }
        for lines in [&mut printed.lines, &mut printed.internal] {
            lines.sort_by_key(|line| line.chars().count());
            let mut known = BTreeSet::new();
            lines.retain(|line| known.insert(line.clone()));
        }
        printed
    }
}

fn strip(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inner
}

struct Printer<'a> {
    pool: &'a ExprPool,
    by_var: &'a BTreeMap<VarId, &'a Leaf>,
    outer: &'a InvariantPrinter<'a>,
    left: usize,
    /// Something was met that the program does not name.
    internal: bool,
}

impl Printer<'_> {
    /// Returns the IEC type that the variables of `e` suggest for constants beside them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions have types of their own")]
    fn type_of(&self, e: ExprId) -> Option<TypeId> {
        match self.pool.expr(e) {
            Expr::Var(v) => self.by_var.get(&v).map(|leaf| leaf.ty),
            Expr::Ite(_, a, b) | Expr::BvBin(_, a, b) | Expr::FpBin(_, _, a, b) => self.type_of(a).or_else(|| self.type_of(b)),
            Expr::BvUn(_, a) | Expr::FpUn(_, a) => self.type_of(a),
            _ => None,
        }
    }

    fn pair(&mut self, op: &str, a: ExprId, b: ExprId) -> String {
        let hint = self.type_of(a).or_else(|| self.type_of(b));
        let is_bits = hint.is_none() && (self.is_bits(a) || self.is_bits(b));
        format!("({} {op} {})", self.operand(a, hint, is_bits), self.operand(b, hint, is_bits))
    }

    /// Returns an operand; beside bits without a sign a constant has none.
    fn operand(&mut self, e: ExprId, hint: Option<TypeId>, is_bits: bool) -> String {
        match self.pool.as_const(e).and_then(|value| value.as_unsigned()) {
            Some(number) if is_bits => number.to_string(),
            Some(_) | None => self.expr(e, hint),
        }
    }

    /// Returns whether an expression picks bits of others.
    fn is_bits(&self, e: ExprId) -> bool {
        matches!(self.pool.expr(e), Expr::Extract { .. } | Expr::Concat(..))
    }

    /// Returns a comparison of one bit with a constant: the bit and its value.
    fn bit(&self, a: ExprId, b: ExprId) -> Option<(ExprId, bool)> {
        let is_bit = |e: ExprId| matches!(self.pool.expr(e), Expr::Extract { high, low, .. } if high == low);
        let (bit, value) = if is_bit(a) { (a, b) } else { (b, a) };
        is_bit(bit).then_some(())?;
        Some((bit, self.pool.as_const(value)?.as_unsigned()? == 1))
    }

    /// Returns `x.3` or `NOT x.3`.
    fn bit_text(&mut self, bit: ExprId, is_set: bool) -> String {
        let text = self.expr(bit, None);
        if is_set { text } else { format!("NOT {text}") }
    }

    fn call(&mut self, name: &str, a: ExprId) -> String {
        format!("{name}({})", strip(&self.expr(a, None)))
    }

    fn expr(&mut self, e: ExprId, hint: Option<TypeId>) -> String {
        if self.left == 0 {
            return String::new();
        }
        self.left -= 1;
        match self.pool.expr(e) {
            Expr::Const(value) => self.constant(value, hint),
            Expr::Var(v) => match self.by_var.get(&v) {
                Some(leaf) => {
                    self.internal |= leaf.hidden || self.outer.names.is_added(&leaf.name);
                    self.outer.names.show(&leaf.name)
                }
                None => {
                    self.internal = true;
                    self.pool.var_decl(v).name.clone()
                }
            },
            Expr::Not(a) => self.negation(a),
            Expr::And(a, b) => self.pair("AND", a, b),
            Expr::Or(a, b) => self.pair("OR", a, b),
            Expr::Eq(a, b) => match self.bit(a, b) {
                Some((bit, is_set)) => self.bit_text(bit, is_set),
                None => self.pair("=", a, b),
            },
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.expr(c, None), self.expr(a, hint), self.expr(b, hint));
                format!("SEL({}, {}, {})", strip(&c), strip(&b), strip(&a))
            }
            Expr::BvUn(BvUn::Neg, a) => format!("-{}", self.expr(a, hint)),
            Expr::BvUn(BvUn::Not, a) => format!("NOT {}", self.expr(a, hint)),
            Expr::BvBin(op, a, b) => self.pair(word_operator(op), a, b),
            Expr::BvCmp(op @ (BvCmp::Ult | BvCmp::Slt), a, b) => self.comparison(op, "<", a, b),
            Expr::BvCmp(op @ (BvCmp::Ule | BvCmp::Sle), a, b) => self.comparison(op, "<=", a, b),
            Expr::Extract { high, low, of } => {
                if high == low {
                    format!("{}.{low}", self.expr(of, None))
                } else {
                    format!("bits {high}..{low} of {}", self.expr(of, None))
                }
            }
            Expr::Concat(a, b) => self.pair("joined with", a, b),
            Expr::ZeroExtend(_, a) | Expr::SignExtend(_, a) => self.expr(a, hint),
            Expr::FpUn(FpUn::Neg, a) => format!("-{}", self.expr(a, hint)),
            Expr::FpUn(FpUn::Abs, a) => self.call("ABS", a),
            Expr::FpUn(FpUn::Sqrt(_), a) => self.call("SQRT", a),
            Expr::FpUn(FpUn::Integral(_), a) => self.call("ROUND", a),
            Expr::FpBin(op, _, a, b) => self.pair(op.symbol(), a, b),
            Expr::FpCmp(FpCmp::Eq, a, b) => self.pair("=", a, b),
            Expr::FpCmp(FpCmp::Lt, a, b) => self.pair("<", a, b),
            Expr::FpCmp(FpCmp::Le, a, b) => self.pair("<=", a, b),
            Expr::FpTest(FpTest::IsNan, a) => format!("{} is not a number", self.expr(a, None)),
            Expr::FpTest(FpTest::IsInfinite, a) => format!("{} is infinite", self.expr(a, None)),
            Expr::FpToFp(_, _, a) => self.expr(a, None),
            Expr::BvToFp { of, .. } => self.call("TO_REAL", of),
            Expr::FpToBv { of, .. } => self.call("TO_INT", of),
            Expr::BitsToFp(_, a) => self.call("bits as REAL", a),
            Expr::IntNeg(a) => format!("-{}", self.expr(a, hint)),
            Expr::IntBin(op, a, b) => self.pair(
                match op {
                    IntBin::Add => "+",
                    IntBin::Sub => "-",
                    IntBin::Mul => "*",
                    IntBin::Div => "/",
                    IntBin::Mod => "MOD",
                },
                a,
                b,
            ),
            Expr::IntCmp(IntCmp::Lt, a, b) => self.pair("<", a, b),
            Expr::IntCmp(IntCmp::Le, a, b) => self.pair("<=", a, b),
            Expr::Select(a, i) => format!("{}[{}]", self.expr(a, None), strip(&self.expr(i, None))),
            Expr::Store(a, i, v) => {
                format!("{}[{} <- {}]", self.expr(a, None), strip(&self.expr(i, None)), strip(&self.expr(v, None)))
            }
        }
    }

    /// Prints a comparison of words. Where it reads them with another sign than their type has, both sides are converted:
    /// `TO_DINT(dw) <= 0` of a DWORD.
    fn comparison(&mut self, op: BvCmp, symbol: &str, a: ExprId, b: ExprId) -> String {
        let is_signed = matches!(op, BvCmp::Slt | BvCmp::Sle);
        let int = self.type_of(a).or_else(|| self.type_of(b)).and_then(|ty| self.outer.project.int_type(ty));
        let other = match (self.pool.sort(a), is_signed) {
            (Sort::BitVec(8), true) => "SINT",
            (Sort::BitVec(8), false) => "USINT",
            (Sort::BitVec(16), true) => "INT",
            (Sort::BitVec(16), false) => "UINT",
            (Sort::BitVec(32), true) => "DINT",
            (Sort::BitVec(32), false) => "UDINT",
            (Sort::BitVec(64), true) => "LINT",
            (Sort::BitVec(64), false) => "ULINT",
            (Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..), _) => return self.pair(symbol, a, b),
        };
        if int.is_none_or(|int| int.signed == is_signed) {
            return self.pair(symbol, a, b);
        }
        let mut side = |e: ExprId| match self.pool.as_const(e) {
            Some(value) if is_signed => value.as_signed().map_or_else(String::new, |number| number.to_string()),
            Some(value) => value.as_unsigned().map_or_else(String::new, |number| number.to_string()),
            None => self.call(&format!("TO_{other}"), e),
        };
        format!("({} {symbol} {})", side(a), side(b))
    }

    /// Prints a negation: NOT of a comparison is the opposite comparison.
    fn negation(&mut self, a: ExprId) -> String {
        let inner = self.pool.expr(a);
        if let Expr::Eq(x, y) = inner
            && let Some((bit, is_set)) = self.bit(x, y)
        {
            self.bit_text(bit, !is_set)
        } else if let Expr::Eq(x, y) = inner {
            let op = if self.pool.sort(x) == Sort::Bool { "XOR" } else { "<>" };
            self.pair(op, x, y)
        } else if let Expr::BvCmp(op, x, y) = inner {
            let symbol = match op {
                BvCmp::Ult | BvCmp::Slt => ">=",
                BvCmp::Ule | BvCmp::Sle => ">",
            };
            self.comparison(op, symbol, x, y)
        } else {
            format!("NOT {}", self.expr(a, None))
        }
    }

    fn constant(&self, value: Value, hint: Option<TypeId>) -> String {
        let project = self.outer.project;
        match value {
            Value::Bool(b) => if b { "TRUE" } else { "FALSE" }.into(),
            Value::BitVec { .. } => {
                let signed = hint.and_then(|ty| project.int_type(ty)).is_none_or(|int| int.signed);
                let number = if signed { value.as_signed() } else { value.as_unsigned().map(|u| u as i128) }.unwrap_or(0);
                match hint {
                    Some(ty) if !matches!(project.types[ty].ty, Type::Int(_) | Type::Subrange { .. }) => {
                        value_to_st(project, ty, plc_frontend::hir::Value::Int(number))
                    }
                    Some(_) | None => number.to_string(),
                }
            }
            Value::F32(bits) => float(plc_frontend::hir::Value::Real(bits), value),
            Value::F64(bits) => float(plc_frontend::hir::Value::LReal(bits), value),
            Value::Float(..) | Value::Int(_) | Value::Array(_) => value.to_string(),
        }
    }
}

fn float(real: plc_frontend::hir::Value, value: Value) -> String {
    real.non_finite().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the operator of ST for an operation on words.
fn word_operator(op: BvBin) -> &'static str {
    match op {
        BvBin::Add => "+",
        BvBin::Sub => "-",
        BvBin::Mul => "*",
        BvBin::Udiv | BvBin::Sdiv => "/",
        BvBin::Urem | BvBin::Srem => "MOD",
        BvBin::And => "AND",
        BvBin::Or => "OR",
        BvBin::Xor => "XOR",
        BvBin::Shl => "SHL",
        BvBin::Lshr => "SHR",
        BvBin::Ashr => "ASHR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cfa::model::{ModelOptions, build};

    #[test]
    fn bits_are_conditions_and_parts_of_words_have_no_sign() {
        let text = "PROGRAM Main VAR w : INT; END_VAR w := w + 1; END_PROGRAM";
        let mut set = plc_frontend::source::SourceSet::default();
        set.add("main.st".to_owned(), text.to_owned());
        let loaded = plc_frontend::load(&set, &plc_frontend::LoadOptions::default()).value;
        let mut model = build(&loaded.project, &ModelOptions::default()).unwrap();
        let var = model.leaves.iter().find(|(leaf, _)| leaf.name.ends_with('w')).unwrap().1;
        let names = Names::new(&loaded.project);
        let pool = &mut model.pool;
        let word = pool.var(var);
        let part = |pool: &mut ExprPool, high, low| pool.extract(high, low, word);
        let (bit, nibble) = (part(pool, 9, 9), part(pool, 11, 8));
        let (one, zero, top) = (pool.constant(Value::bv(1, 1)), pool.constant(Value::bv(1, 0)), pool.constant(Value::bv(4, 15)));
        let set = pool.eq(bit, one);
        let clear = pool.eq(bit, zero);
        let not_clear = pool.not(clear);
        let full = pool.eq(nibble, top);
        let printer = InvariantPrinter { project: &loaded.project, leaves: &model.leaves, names: &names };
        let check = |e: ExprId, expected: &str| assert_eq!(printer.conjuncts(&model.pool, e, None).lines, [expected]);
        check(set, "w.9");
        check(clear, "NOT w.9");
        check(not_clear, "w.9");
        check(full, "bits 11..8 of w = 15");
    }

    #[test]
    fn comparisons_with_another_sign_than_that_of_the_type_are_written_as_such() {
        let text = "PROGRAM Main VAR dw : DWORD; n : DINT; END_VAR dw := dw; n := n; END_PROGRAM";
        let mut set = plc_frontend::source::SourceSet::default();
        set.add("main.st".to_owned(), text.to_owned());
        let loaded = plc_frontend::load(&set, &plc_frontend::LoadOptions::default()).value;
        let mut model = build(&loaded.project, &ModelOptions::default()).unwrap();
        let var = |model: &kernel::cfa::model::Model, end: &str| {
            model.leaves.iter().find(|(leaf, _)| leaf.name.ends_with(end)).unwrap().1
        };
        let (dw, n) = (var(&model, ".dw"), var(&model, ".n"));
        let names = Names::new(&loaded.project);
        let pool = &mut model.pool;
        let (dw, n) = (pool.var(dw), pool.var(n));
        let [zero, top] = [0, (1 << 31) + 1].map(|bits| pool.constant(Value::bv(32, bits)));
        let printed = [
            (pool.bv_cmp(BvCmp::Sle, dw, zero), "TO_DINT(dw) <= 0"),
            (pool.bv_cmp(BvCmp::Sle, dw, top), "TO_DINT(dw) <= -2147483647"),
            (pool.bv_cmp(BvCmp::Ule, dw, top), "dw <= 16#80000001"),
            (pool.bv_cmp(BvCmp::Sle, n, top), "n <= -2147483647"),
            (pool.bv_cmp(BvCmp::Ule, n, top), "TO_UDINT(n) <= 2147483649"),
        ];
        let printer = InvariantPrinter { project: &loaded.project, leaves: &model.leaves, names: &names };
        for (e, expected) in printed {
            assert_eq!(printer.conjuncts(&model.pool, e, None).lines, [expected]);
        }
    }
}
