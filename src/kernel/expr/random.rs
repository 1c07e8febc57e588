//! Random well-sorted expressions for the laws. A tape of numbers decides everything, so that
//! shrinking the tape shrinks the expression.

use std::collections::BTreeMap;

use super::array::ArrayRef;
use super::float::FloatSort;
use super::node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding};
use super::pool::{ExprId, ExprPool, VarId};
use super::sort::{Scalar, Sort, Value};

/// Sorts that may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Bool and bit vectors.
    Bits,
    /// Floats too.
    Floats,
    /// Floats of other formats too, rounded in every way.
    Formats,
    /// Bits, integers and arrays.
    Unbounded,
}

/// Builds expressions from a tape.
pub struct Random<'a> {
    pub pool: &'a mut ExprPool,
    tape: &'a [u32],
    at: usize,
    flavour: Flavour,
    /// Widest bit vector that is chosen freely.
    widest: u16,
    made: BTreeMap<Sort, Vec<ExprId>>,
    vars: BTreeMap<Sort, Vec<VarId>>,
}

const FLOATS: [FloatSort; 2] = [FloatSort::F32, FloatSort::F64];
const BV_BIN: [BvBin; 13] = [
    BvBin::Add,
    BvBin::Sub,
    BvBin::Mul,
    BvBin::Udiv,
    BvBin::Urem,
    BvBin::Sdiv,
    BvBin::Srem,
    BvBin::And,
    BvBin::Or,
    BvBin::Xor,
    BvBin::Shl,
    BvBin::Lshr,
    BvBin::Ashr,
];
const BV_CMP: [BvCmp; 4] = [BvCmp::Ult, BvCmp::Ule, BvCmp::Slt, BvCmp::Sle];
const FP_BIN: [FpBin; 4] = [FpBin::Add, FpBin::Sub, FpBin::Mul, FpBin::Div];
const ROUNDINGS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardPositive, Rounding::TowardNegative, Rounding::TowardZero];
/// Exponent and significand bits of small and odd formats.
const FORMATS: [(u32, u32); 6] = [(8, 24), (5, 11), (2, 3), (3, 5), (4, 12), (9, 7)];
const INT_BIN: [IntBin; 7] = [IntBin::Add, IntBin::Sub, IntBin::Mul, IntBin::Div, IntBin::Mod, IntBin::Add, IntBin::Sub];
const ARRAYS: [(Scalar, Scalar); 4] = [
    (Scalar::Int, Scalar::Int),
    (Scalar::Int, Scalar::Bool),
    (Scalar::BitVec(2), Scalar::BitVec(3)),
    (Scalar::Bool, Scalar::Int),
];
const FP_CMP: [FpCmp; 3] = [FpCmp::Eq, FpCmp::Lt, FpCmp::Le];

impl<'a> Random<'a> {
    pub fn new(pool: &'a mut ExprPool, tape: &'a [u32], flavour: Flavour) -> Random<'a> {
        Random { pool, tape, at: 0, flavour, widest: 64, made: BTreeMap::new(), vars: BTreeMap::new() }
    }
    /// Returns the generator with bit vectors so narrow that every formula over a few of them is easy.
    pub fn narrow(self) -> Random<'a> {
        Random { widest: 7, ..self }
    }
    /// Returns a number below `n`; 0 at the end of the tape.
    fn below(&mut self, n: usize) -> usize {
        let word = self.tape.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        word as usize % n
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
    fn width(&mut self, up_to: u16) -> u16 {
        let width = self.pick(&[8, 1, 3, 16, 5, 32, 64, 13]);
        if width <= up_to { width } else { 1 + self.below(usize::from(up_to)) as u16 }
    }
    fn float(&mut self) -> FloatSort {
        if self.flavour != Flavour::Formats {
            return self.pick(&FLOATS);
        }
        let (exponent, significand) = self.pick(&FORMATS);
        FloatSort::new(exponent, significand).unwrap()
    }
    fn rounding(&mut self) -> Rounding {
        if self.flavour == Flavour::Formats { self.pick(&ROUNDINGS) } else { Rounding::NearestEven }
    }
    fn array(&mut self) -> Sort {
        let (index, element) = self.pick(&ARRAYS);
        Sort::Array(index, element)
    }
    /// Returns a sort.
    pub fn sort(&mut self) -> Sort {
        match (self.flavour, self.below(4)) {
            (_, 0) => Sort::Bool,
            (Flavour::Floats | Flavour::Formats, 1 | 2) => Sort::Float(self.float()),
            (Flavour::Unbounded, 1) => Sort::Int,
            (Flavour::Unbounded, 2) => self.array(),
            _ => Sort::BitVec(self.width(self.widest)),
        }
    }
    /// Returns a value of a sort, often a corner case.
    pub fn value(&mut self, sort: Sort) -> Value {
        let random = (0..4).fold(0u128, |v, _| (v << 32) | (self.below(1 << 31) as u128 * 3));
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 1),
            Sort::BitVec(width) => {
                let corner = 1u128 << (width - 1);
                let bits = self.pick(&[0, 1, u128::MAX, corner, corner - 1, 2, 3, u128::from(width), random, random]);
                Value::bv(width, bits)
            }
            Sort::Float(FloatSort::F32) => {
                let random = f32::from_bits(random as u32);
                Value::f32(self.pick(&[
                    0.0,
                    -0.0,
                    1.0,
                    -1.5,
                    f32::NAN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    f32::MAX,
                    f32::MIN_POSITIVE,
                    1e-40,
                    127.5,
                    random,
                    random,
                ]))
            }
            Sort::Float(FloatSort::F64) => {
                let random = f64::from_bits(random as u64);
                Value::f64(self.pick(&[
                    0.0,
                    -0.0,
                    1.0,
                    -1.5,
                    f64::NAN,
                    f64::INFINITY,
                    f64::NEG_INFINITY,
                    f64::MAX,
                    f64::MIN_POSITIVE,
                    1e-310,
                    127.5,
                    random,
                    random,
                ]))
            }
            Sort::Float(float) => {
                let negative_zero = 1 << (float.width() - 1);
                let corners =
                    [0, negative_zero, 1, float.infinity(false), float.infinity(true), float.infinity(false) - 1, float.nan()];
                let corner = self.pick(&corners);
                Value::float(float, self.pick(&[corner, random, random, random]))
            }
            Sort::Int => {
                let small = (random % 20) as i128 - 10;
                Value::Int(self.pick(&[0, 1, -1, small, small, small, i128::from(u64::MAX), -1_000_000_007]))
            }
            Sort::Array(index, element) => {
                let default = self.value(element.into());
                let mut array = ArrayRef::constant(index, default);
                for _ in 0..self.below(3) {
                    let (at, is) = (self.value(index.into()), self.value(element.into()));
                    array = array.store(at, is).unwrap();
                }
                Value::Array(array)
            }
        }
    }
    /// Returns a value for every variable that was made.
    pub fn assignment(&mut self) -> BTreeMap<VarId, Value> {
        let vars: Vec<(VarId, Sort)> = self.pool.vars().map(|(var, decl)| (var, decl.sort)).collect();
        vars.into_iter().map(|(var, sort)| (var, self.value(sort))).collect()
    }
    fn leaf(&mut self, sort: Sort) -> ExprId {
        match self.below(3) {
            0 => {
                let which = self.below(2);
                let known = self.vars.entry(sort).or_default();
                let var = match known.get(which) {
                    Some(&var) => var,
                    None => {
                        let var = self.pool.new_var(format!("x{}", self.pool.n_vars()), sort);
                        known.push(var);
                        var
                    }
                };
                self.pool.raw(Expr::Var(var))
            }
            1 => {
                let value = self.value(sort);
                self.pool.raw(Expr::Const(value))
            }
            _ => match self.made.get(&sort).cloned() {
                Some(made) => self.pick(&made),
                None => self.leaf(sort),
            },
        }
    }
    /// Returns an expression of a sort, built without simplification.
    pub fn expr(&mut self, sort: Sort, depth: u32) -> ExprId {
        if depth == 0 || self.tape.len() <= self.at {
            return self.leaf(sort);
        }
        let expr = match sort {
            Sort::Bool => self.bool_node(depth - 1),
            Sort::BitVec(width) => self.bv_node(width, depth - 1),
            Sort::Float(float) => self.float_node(float, depth - 1),
            Sort::Int => self.int_node(depth - 1),
            Sort::Array(index, element) => self.array_node(index, element, depth - 1),
        };
        let Some(expr) = expr else { return self.leaf(sort) };
        let e = self.pool.raw(expr);
        self.made.entry(sort).or_default().push(e);
        e
    }
    fn two(&mut self, sort: Sort, depth: u32) -> (ExprId, ExprId) {
        (self.expr(sort, depth), self.expr(sort, depth))
    }
    fn ite(&mut self, sort: Sort, depth: u32) -> Expr {
        let condition = self.expr(Sort::Bool, depth);
        let (a, b) = self.two(sort, depth);
        Expr::Ite(condition, a, b)
    }
    fn bool_node(&mut self, depth: u32) -> Option<Expr> {
        let (choices, from) = match self.flavour {
            Flavour::Bits => (8, 8),
            Flavour::Floats | Flavour::Formats => (10, 8),
            Flavour::Unbounded => (10, 10),
        };
        let choice = self.below(choices);
        Some(match if choice < 8 { choice } else { choice - 8 + from } {
            0 => return None,
            1 => Expr::Not(self.expr(Sort::Bool, depth)),
            2 | 3 => {
                let (a, b) = self.two(Sort::Bool, depth);
                if self.below(2) == 0 { Expr::And(a, b) } else { Expr::Or(a, b) }
            }
            4 => self.ite(Sort::Bool, depth),
            5 => {
                let sort = self.sort();
                let (a, b) = self.two(sort, depth);
                Expr::Eq(a, b)
            }
            6 | 7 => {
                let sort = Sort::BitVec(self.width(self.widest));
                let (a, b) = self.two(sort, depth);
                Expr::BvCmp(self.pick(&BV_CMP), a, b)
            }
            8 => {
                let sort = Sort::Float(self.float());
                let (a, b) = self.two(sort, depth);
                Expr::FpCmp(self.pick(&FP_CMP), a, b)
            }
            10 => {
                let (a, b) = self.two(Sort::Int, depth);
                Expr::IntCmp(self.pick(&[IntCmp::Lt, IntCmp::Le]), a, b)
            }
            11 => self.select(Scalar::Int, Scalar::Bool, depth),
            _ => {
                let sort = Sort::Float(self.float());
                let a = self.expr(sort, depth);
                Expr::FpTest(self.pick(&[FpTest::IsNan, FpTest::IsInfinite]), a)
            }
        })
    }
    fn bv_node(&mut self, width: u16, depth: u32) -> Option<Expr> {
        let choices = match self.flavour {
            Flavour::Floats | Flavour::Formats => 13,
            Flavour::Bits | Flavour::Unbounded => 12,
        };
        let sort = Sort::BitVec(width);
        Some(match self.below(choices) {
            0 => return None,
            1 => Expr::BvUn(self.pick(&[BvUn::Neg, BvUn::Not]), self.expr(sort, depth)),
            2..=6 => {
                let op = self.pick(&BV_BIN);
                let (a, b) = self.two(sort, depth);
                Expr::BvBin(op, a, b)
            }
            7 => self.ite(sort, depth),
            8 => {
                let low = self.below(5) as u16;
                let wider = (width + low + self.below(5) as u16).min(96);
                let low = low.min(wider - width);
                Expr::Extract { high: low + width - 1, low, of: self.expr(Sort::BitVec(wider), depth) }
            }
            9 if 1 < width => {
                let low = self.width(width - 1);
                let high = self.expr(Sort::BitVec(width - low), depth);
                Expr::Concat(high, self.expr(Sort::BitVec(low), depth))
            }
            10 if 1 < width => {
                let narrow = self.width(width - 1);
                Expr::ZeroExtend(width, self.expr(Sort::BitVec(narrow), depth))
            }
            11 if 1 < width => {
                let narrow = self.width(width - 1);
                Expr::SignExtend(width, self.expr(Sort::BitVec(narrow), depth))
            }
            12 => {
                let float = Sort::Float(self.float());
                let rounding = self.rounding();
                let rounding = self.pick(&[rounding, Rounding::TowardZero]);
                Expr::FpToBv { signed: self.below(2) == 0, width, rounding, of: self.expr(float, depth) }
            }
            _ => return None,
        })
    }
    fn int_node(&mut self, depth: u32) -> Option<Expr> {
        Some(match self.below(7) {
            0 => return None,
            1 => Expr::IntNeg(self.expr(Sort::Int, depth)),
            2..=4 => {
                let op = self.pick(&INT_BIN);
                let (a, b) = self.two(Sort::Int, depth);
                Expr::IntBin(op, a, b)
            }
            5 => self.ite(Sort::Int, depth),
            _ => {
                let index = self.pick(&[Scalar::Int, Scalar::Bool]);
                self.select(index, Scalar::Int, depth)
            }
        })
    }
    fn select(&mut self, index: Scalar, element: Scalar, depth: u32) -> Expr {
        let array = self.expr(Sort::Array(index, element), depth);
        Expr::Select(array, self.expr(index.into(), depth))
    }
    fn array_node(&mut self, index: Scalar, element: Scalar, depth: u32) -> Option<Expr> {
        let sort = Sort::Array(index, element);
        Some(match self.below(4) {
            0 => return None,
            1 => self.ite(sort, depth),
            _ => {
                let array = self.expr(sort, depth);
                let at = self.expr(index.into(), depth);
                Expr::Store(array, at, self.expr(element.into(), depth))
            }
        })
    }
    fn float_node(&mut self, sort: FloatSort, depth: u32) -> Option<Expr> {
        let (e, m) = sort.bits();
        Some(match self.below(9) {
            0 => return None,
            1 => {
                let rounding = self.rounding();
                let ops = [FpUn::Neg, FpUn::Abs, FpUn::Sqrt(rounding), FpUn::Integral(rounding)];
                let n_ops = if self.flavour == Flavour::Formats { 4 } else { 3 };
                Expr::FpUn(self.pick(&ops[..n_ops]), self.expr(Sort::Float(sort), depth))
            }
            2..=4 => {
                let (op, rounding) = (self.pick(&FP_BIN), self.rounding());
                let (a, b) = self.two(Sort::Float(sort), depth);
                Expr::FpBin(op, rounding, a, b)
            }
            5 => self.ite(Sort::Float(sort), depth),
            6 => {
                let other = if sort == FloatSort::F32 { FloatSort::F64 } else { FloatSort::F32 };
                Expr::FpToFp(sort, self.rounding(), self.expr(Sort::Float(other), depth))
            }
            7 => {
                let width = self.width(self.widest);
                let (signed, rounding) = (self.below(2) == 0, self.rounding());
                Expr::BvToFp { signed, sort, rounding, of: self.expr(Sort::BitVec(width), depth) }
            }
            _ => Expr::BitsToFp(sort, self.expr(Sort::BitVec((e + m) as u16), depth)),
        })
    }
}
