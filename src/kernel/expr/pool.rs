//! The pool: every expression exists once, so equality is equality of ids and work is shared.

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;

use super::float::FloatSort;
use super::hash::FastMap;
use super::node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding};
use super::sort::{Scalar, Sort, Value};

id_type!(
    /// An expression of a pool.
    ExprId,
    "e"
);
id_type!(
    /// A variable of a model.
    VarId,
    "v"
);

/// A variable's name and sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// Canonical name: a leaf's name (`Main.Timer.ET`), or a name with `#` for variables that the model adds.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// All expressions and variables of one model. Cloning gives an independent pool in which all old ids stay valid.
#[derive(Clone, Debug, Default)]
pub struct ExprPool {
    nodes: IndexVec<ExprId, (Expr, Sort)>,
    index: FastMap<Expr, ExprId>,
    vars: IndexVec<VarId, VarDecl>,
    /// TRUE if an integer or an array is among the nodes.
    unbounded: bool,
    /// TRUE if a float of another format than binary32 and binary64 is among them.
    odd_floats: bool,
}

impl ExprPool {
    /// Returns an empty pool.
    pub fn new() -> ExprPool {
        ExprPool::default()
    }
    /// Returns the node of an id.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.nodes[id].0
    }
    /// Returns the sort of an id.
    pub fn sort(&self, id: ExprId) -> Sort {
        self.nodes[id].1
    }
    /// Returns the number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Returns whether there are no expressions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// Returns a new variable; names need not be unique, ids are.
    pub fn new_var(&mut self, name: impl Into<String>, sort: Sort) -> VarId {
        self.vars.push(VarDecl { name: name.into(), sort })
    }
    /// Returns a variable's declaration.
    pub fn var_decl(&self, var: VarId) -> &VarDecl {
        &self.vars[var]
    }
    /// Returns all variables.
    pub fn vars(&self) -> impl DoubleEndedIterator<Item = (VarId, &VarDecl)> {
        self.vars.iter_enumerated()
    }
    /// Interns a node of a known sort without simplification.
    pub(super) fn intern(&mut self, expr: Expr, sort: Sort) -> ExprId {
        if let Some(&id) = self.index.get(&expr) {
            return id;
        }
        self.unbounded |= matches!(sort, Sort::Int | Sort::Array(..));
        self.odd_floats |= sort.has_odd_floats();
        let id = self.nodes.push((expr, sort));
        self.index.insert(expr, id);
        id
    }
    /// Returns whether some expression is a mathematical integer or an array: then logics of fixed widths are not enough.
    pub fn has_unbounded(&self) -> bool {
        self.unbounded
    }
    /// Returns whether some expression is a float of another format than binary32 and binary64, or an array of such.
    pub fn has_odd_floats(&self) -> bool {
        self.odd_floats
    }
    /// Returns the width of a bit vector.
    pub fn width(&self, e: ExprId) -> u16 {
        match self.sort(e) {
            Sort::BitVec(w) => w,
            sort @ (Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..)) => unreachable!("bit vector expected, got {sort}"),
        }
    }
    /// Returns the format of a float.
    pub fn float(&self, e: ExprId) -> FloatSort {
        match self.sort(e) {
            Sort::Float(s) => s,
            sort @ (Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Array(..)) => {
                unreachable!("float expected, got {sort}")
            }
        }
    }
    /// Returns the sorts of an array's indices and elements.
    pub fn array(&self, e: ExprId) -> (Scalar, Scalar) {
        match self.sort(e) {
            Sort::Array(index, element) => (index, element),
            sort @ (Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Float(_)) => {
                unreachable!("array expected, got {sort}")
            }
        }
    }

    /// Returns a constant.
    pub fn constant(&mut self, value: Value) -> ExprId {
        self.intern(Expr::Const(value.canonical()), value.sort())
    }
    /// Returns TRUE or FALSE.
    pub fn bool(&mut self, b: bool) -> ExprId {
        self.constant(Value::Bool(b))
    }
    /// Returns the value of a variable.
    pub fn var(&mut self, var: VarId) -> ExprId {
        let sort = self.vars[var].sort;
        self.intern(Expr::Var(var), sort)
    }
    /// Returns ¬a.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        assert_eq!(self.sort(a), Sort::Bool);
        self.make(Expr::Not(a), Sort::Bool)
    }
    /// Returns a ∧ b.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!((self.sort(a), self.sort(b)), (Sort::Bool, Sort::Bool));
        self.make(Expr::And(a, b), Sort::Bool)
    }
    /// Returns a ∨ b.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!((self.sort(a), self.sort(b)), (Sort::Bool, Sort::Bool));
        self.make(Expr::Or(a, b), Sort::Bool)
    }
    /// Returns the conjunction of all; TRUE if there is none.
    pub fn and_all(&mut self, all: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut result = self.bool(true);
        for e in all {
            result = self.and(result, e);
        }
        result
    }
    /// Returns the disjunction of all; FALSE if there is none.
    pub fn or_all(&mut self, all: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut result = self.bool(false);
        for e in all {
            result = self.or(result, e);
        }
        result
    }
    /// Returns a → b.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }
    /// Returns a = b, of one sort.
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.sort(a), self.sort(b));
        self.make(Expr::Eq(a, b), Sort::Bool)
    }
    /// Returns a ≠ b, of one sort.
    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let eq = self.eq(a, b);
        self.not(eq)
    }
    /// Returns "if c then a else b".
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.sort(c), Sort::Bool);
        assert_eq!(self.sort(a), self.sort(b));
        let sort = self.sort(a);
        self.make(Expr::Ite(c, a, b), sort)
    }
    /// Returns an operation on one bit vector.
    pub fn bv_un(&mut self, op: BvUn, a: ExprId) -> ExprId {
        let sort = Sort::BitVec(self.width(a));
        self.make(Expr::BvUn(op, a), sort)
    }
    /// Returns an operation on two bit vectors of one width.
    pub fn bv(&mut self, op: BvBin, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.width(a), self.width(b));
        let sort = Sort::BitVec(self.width(a));
        self.make(Expr::BvBin(op, a, b), sort)
    }
    /// Returns the comparison of two bit vectors of one width.
    pub fn bv_cmp(&mut self, op: BvCmp, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.width(a), self.width(b));
        self.make(Expr::BvCmp(op, a, b), Sort::Bool)
    }
    /// Returns bits `high..=low`.
    pub fn extract(&mut self, high: u16, low: u16, of: ExprId) -> ExprId {
        assert!(low <= high && high < self.width(of));
        self.make(Expr::Extract { high, low, of }, Sort::BitVec(high - low + 1))
    }
    /// Returns `a` above `b`.
    pub fn concat(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a) + self.width(b);
        assert!(width <= 128);
        self.make(Expr::Concat(a, b), Sort::BitVec(width))
    }
    /// Returns the operand with zeros above, to `width` in all; the operand itself if it has that width.
    pub fn zero_extend(&mut self, width: u16, a: ExprId) -> ExprId {
        assert!(self.width(a) <= width && width <= 128);
        if self.width(a) == width { a } else { self.make(Expr::ZeroExtend(width, a), Sort::BitVec(width)) }
    }
    /// Returns the operand with copies of the sign above, to `width` in all; the operand itself if it has that width.
    pub fn sign_extend(&mut self, width: u16, a: ExprId) -> ExprId {
        assert!(self.width(a) <= width && width <= 128);
        if self.width(a) == width { a } else { self.make(Expr::SignExtend(width, a), Sort::BitVec(width)) }
    }
    /// Returns an operation on one float.
    pub fn fp_un(&mut self, op: FpUn, a: ExprId) -> ExprId {
        let sort = Sort::Float(self.float(a));
        self.make(Expr::FpUn(op, a), sort)
    }
    /// Returns an operation on two floats of one sort, rounded to nearest even.
    pub fn fp(&mut self, op: FpBin, a: ExprId, b: ExprId) -> ExprId {
        self.fp_rounded(op, Rounding::NearestEven, a, b)
    }
    /// Returns an operation on two floats of one sort, rounded in a mode.
    pub fn fp_rounded(&mut self, op: FpBin, rounding: Rounding, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.float(a), self.float(b));
        let sort = Sort::Float(self.float(a));
        self.make(Expr::FpBin(op, rounding, a, b), sort)
    }
    /// Returns an IEEE comparison.
    pub fn fp_cmp(&mut self, op: FpCmp, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.float(a), self.float(b));
        self.make(Expr::FpCmp(op, a, b), Sort::Bool)
    }
    /// Returns a classification of a float.
    pub fn fp_test(&mut self, op: FpTest, a: ExprId) -> ExprId {
        let _ = self.float(a);
        self.make(Expr::FpTest(op, a), Sort::Bool)
    }
    /// Returns a float of another format, rounded to nearest even.
    pub fn fp_to_fp(&mut self, sort: FloatSort, a: ExprId) -> ExprId {
        self.fp_to_fp_rounded(sort, Rounding::NearestEven, a)
    }
    /// Returns a float of another format.
    pub fn fp_to_fp_rounded(&mut self, sort: FloatSort, rounding: Rounding, a: ExprId) -> ExprId {
        if self.float(a) == sort { a } else { self.make(Expr::FpToFp(sort, rounding, a), Sort::Float(sort)) }
    }
    /// Returns the float of a bit vector, rounded to nearest even.
    pub fn bv_to_fp(&mut self, signed: bool, sort: FloatSort, of: ExprId) -> ExprId {
        self.bv_to_fp_rounded(signed, sort, Rounding::NearestEven, of)
    }
    /// Returns the float of a bit vector.
    pub fn bv_to_fp_rounded(&mut self, signed: bool, sort: FloatSort, rounding: Rounding, of: ExprId) -> ExprId {
        let _ = self.width(of);
        self.make(Expr::BvToFp { signed, sort, rounding, of }, Sort::Float(sort))
    }
    /// Returns the integer of a float.
    pub fn fp_to_bv(&mut self, signed: bool, width: u16, rounding: Rounding, of: ExprId) -> ExprId {
        let _ = self.float(of);
        self.make(Expr::FpToBv { signed, width, rounding, of }, Sort::BitVec(width))
    }
    /// Returns the float with these bits: as many as the format has.
    pub fn bits_to_fp(&mut self, sort: FloatSort, of: ExprId) -> ExprId {
        assert_eq!(self.width(of), sort.width());
        self.make(Expr::BitsToFp(sort, of), Sort::Float(sort))
    }
    /// Returns a mathematical integer.
    pub fn int_const(&mut self, v: i128) -> ExprId {
        self.constant(Value::Int(v))
    }
    /// Returns -a, an integer.
    pub fn int_neg(&mut self, a: ExprId) -> ExprId {
        assert_eq!(self.sort(a), Sort::Int);
        self.make(Expr::IntNeg(a), Sort::Int)
    }
    /// Returns an operation on two integers.
    pub fn int(&mut self, op: IntBin, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!((self.sort(a), self.sort(b)), (Sort::Int, Sort::Int));
        self.make(Expr::IntBin(op, a, b), Sort::Int)
    }
    /// Returns the comparison of two integers.
    pub fn int_cmp(&mut self, op: IntCmp, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!((self.sort(a), self.sort(b)), (Sort::Int, Sort::Int));
        self.make(Expr::IntCmp(op, a, b), Sort::Bool)
    }
    /// Returns the element at an index.
    pub fn select(&mut self, array: ExprId, index: ExprId) -> ExprId {
        let (of, element) = self.array(array);
        assert_eq!(self.sort(index), Sort::from(of));
        self.make(Expr::Select(array, index), element.into())
    }
    /// Returns the array with another element at an index.
    pub fn store(&mut self, array: ExprId, index: ExprId, element: ExprId) -> ExprId {
        let (of, to) = self.array(array);
        assert_eq!((self.sort(index), self.sort(element)), (of.into(), to.into()));
        self.make(Expr::Store(array, index, element), Sort::Array(of, to))
    }
    /// Returns the node over well-sorted operands, simplified as the constructors do.
    pub fn rebuild(&mut self, expr: Expr) -> ExprId {
        let sort = self.sort_of(expr);
        self.make(expr, sort)
    }
    /// Returns the sort of a node over well-sorted operands.
    fn sort_of(&self, expr: Expr) -> Sort {
        match expr {
            Expr::Const(value) => value.sort(),
            Expr::Var(var) => self.vars[var].sort,
            Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Eq(..)
            | Expr::BvCmp(..)
            | Expr::FpCmp(..)
            | Expr::FpTest(..)
            | Expr::IntCmp(..) => Sort::Bool,
            Expr::Ite(_, a, _)
            | Expr::BvUn(_, a)
            | Expr::BvBin(_, a, _)
            | Expr::FpUn(_, a)
            | Expr::FpBin(_, _, a, _)
            | Expr::Store(a, ..) => self.sort(a),
            Expr::IntNeg(_) | Expr::IntBin(..) => Sort::Int,
            Expr::Select(a, _) => self.array(a).1.into(),
            Expr::Extract { high, low, .. } => Sort::BitVec(high - low + 1),
            Expr::Concat(a, b) => Sort::BitVec(self.width(a) + self.width(b)),
            Expr::ZeroExtend(width, _) | Expr::SignExtend(width, _) | Expr::FpToBv { width, .. } => Sort::BitVec(width),
            Expr::FpToFp(sort, ..) | Expr::BvToFp { sort, .. } | Expr::BitsToFp(sort, _) => Sort::Float(sort),
        }
    }
    /// Returns the node without simplification, for the laws about constructors.
    #[cfg(any(test, feature = "testing"))]
    pub fn raw(&mut self, expr: Expr) -> ExprId {
        let sort = self.sort_of(expr);
        self.intern(expr, sort)
    }
    /// Interns an expression. All public constructors end here: the one place for simplification.
    fn make(&mut self, expr: Expr, sort: Sort) -> ExprId {
        self.simplify(expr, sort)
    }
}

/// The value of a constant expression.
impl ExprPool {
    /// Returns the value, if `e` is a constant.
    pub fn as_const(&self, e: ExprId) -> Option<Value> {
        if let Expr::Const(value) = self.expr(e) { Some(value) } else { None }
    }
    /// Returns whether `e` is the constant TRUE.
    pub fn is_true(&self, e: ExprId) -> bool {
        self.as_const(e) == Some(Value::Bool(true))
    }
    /// Returns whether `e` is the constant FALSE.
    pub fn is_false(&self, e: ExprId) -> bool {
        self.as_const(e) == Some(Value::Bool(false))
    }
    /// Returns the number of variables.
    pub fn n_vars(&self) -> usize {
        self.vars.len()
    }
}
