//! Expressions as cvc5's terms, each once per frame; and cvc5's values as ours.

use cvc5::{Kind, RoundingMode, Term, TermManager};

use super::kinds;
use crate::expr::{
    ArrayRef, BvUn, Expr, ExprId, ExprPool, FastMap, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort,
    Value, VarId,
};
use crate::smt::frames::{Definition, Frames, Place};
use crate::smt::{Frame, SolverError};

impl From<cvc5::Error> for SolverError {
    fn from(error: cvc5::Error) -> SolverError {
        SolverError(format!("cvc5: {error}"))
    }
}

type Built = Result<Term, SolverError>;

/// Terms of expressions.
pub(super) struct Terms {
    pub(super) manager: TermManager,
    pub(super) frames: Frames<Term>,
    constants: FastMap<(VarId, Frame), Term>,
    stack: Vec<ExprId>,
}

impl Terms {
    pub(super) fn new() -> Terms {
        Terms { manager: TermManager::new(), frames: Frames::new(), constants: FastMap::default(), stack: Vec::new() }
    }
    /// Returns the term of the Bool `e` in `frame`.
    pub(super) fn formula(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Built {
        if pool.sort(e) != Sort::Bool {
            return Err(SolverError("a formula must be Bool".into()));
        }
        self.term(pool, e, frame)
    }
    /// Defines `var` in `to` as `e` in `from`. If that is not possible, returns the equality, to be asserted.
    pub(super) fn define(
        &mut self,
        pool: &ExprPool,
        var: VarId,
        to: Frame,
        e: ExprId,
        from: Frame,
    ) -> Result<Option<Term>, SolverError> {
        let definition = self.frames.plan(pool, var, to, e, from);
        let right = self.term(pool, e, from)?;
        match definition {
            Definition::Alias => {
                self.frames.alias(var, to, right);
                Ok(None)
            }
            Definition::Equality => {
                let mut place = self.frames.take(to);
                let left = self.variable(pool, var, to, &mut place);
                self.frames.put(to, place);
                Ok(Some(self.manager.mk_term(Kind::Equal, &[left?, right])?))
            }
        }
    }
    /// Returns the term of `e` in `frame`.
    pub(super) fn term(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Built {
        let mut place = self.frames.take(frame);
        let result = self.term_in(pool, e, frame, &mut place);
        self.frames.put(frame, place);
        self.stack.clear();
        result
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "other operators are terms over their operands")]
    fn term_in(&mut self, pool: &ExprPool, root: ExprId, frame: Frame, place: &mut Place<Term>) -> Built {
        self.stack.push(root);
        while let Some(&e) = self.stack.last() {
            if place.made.contains_key(&e) {
                self.stack.pop();
                continue;
            }
            let expr = pool.expr(e);
            let mut operands = Vec::with_capacity(3);
            let mut ready = true;
            for operand in expr.children() {
                match place.made.get(&operand) {
                    Some(term) if ready => operands.push(term.clone()),
                    Some(_) => {}
                    None => {
                        ready = false;
                        self.stack.push(operand);
                    }
                }
            }
            if !ready {
                continue;
            }
            let float = expr.children().next().and_then(|operand| match pool.sort(operand) {
                Sort::Float(float) => Some(float),
                Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Array(..) => None,
            });
            let term = match expr {
                Expr::Var(var) => self.variable(pool, var, frame, place)?,
                Expr::Const(value) => constant(&mut self.manager, value)?,
                _ => self.node(expr, operands, float)?,
            };
            place.made.insert(e, term);
            self.stack.pop();
        }
        place.made.get(&root).cloned().ok_or_else(|| SolverError("a term was not made".into()))
    }
    fn variable(&mut self, pool: &ExprPool, var: VarId, frame: Frame, place: &mut Place<Term>) -> Built {
        if let Some(term) = place.defined.get(&var) {
            return Ok(term.clone());
        }
        place.free.insert(var);
        if let Some(term) = self.constants.get(&(var, frame)) {
            return Ok(term.clone());
        }
        let sort = self.sort(pool.var_decl(var).sort)?;
        // Not the user's names: ids are enough, and need no quoting.
        let term = self.manager.mk_const(sort, &format!("{var}@{frame}"))?;
        self.constants.insert((var, frame), term.clone());
        Ok(term)
    }
    /// Makes `var` in `frame` a variable to quantify, instead of a constant.
    pub(super) fn bind(&mut self, pool: &ExprPool, var: VarId, frame: Frame) -> Built {
        let sort = self.sort(pool.var_decl(var).sort)?;
        let term = self.manager.mk_var(sort, &format!("{var}@{frame}"))?;
        self.constants.insert((var, frame), term.clone());
        Ok(term)
    }
    fn sort(&mut self, sort: Sort) -> Result<cvc5::Sort, SolverError> {
        sort_of(&mut self.manager, sort)
    }
    /// Returns a node that is neither constant nor variable, over the terms of its operands; `float` is the first one's format.
    fn node(&mut self, expr: Expr, mut operands: Vec<Term>, float: Option<FloatSort>) -> Built {
        let manager = &mut self.manager;
        let indexed = |manager: &mut TermManager, kind: Kind, indices: &[u32], operands: &[Term]| -> Built {
            let op = manager.mk_op(kind, indices)?;
            Ok(manager.mk_term_from_op(op, operands)?)
        };
        let kind = match expr {
            Expr::Const(_) | Expr::Var(_) => return Err(SolverError("a leaf has no operands".into())),
            Expr::Not(_) => Kind::Not,
            Expr::And(..) => Kind::And,
            Expr::Or(..) => Kind::Or,
            Expr::Eq(..) => Kind::Equal,
            Expr::Ite(..) => Kind::Ite,
            Expr::BvUn(BvUn::Neg, _) => Kind::BitvectorNeg,
            Expr::BvUn(BvUn::Not, _) => Kind::BitvectorNot,
            Expr::BvBin(op, ..) => kinds::bv_bin(op),
            Expr::BvCmp(op, ..) => kinds::bv_cmp(op),
            Expr::Extract { high, low, .. } => {
                return indexed(manager, Kind::BitvectorExtract, &[high.into(), low.into()], &operands);
            }
            Expr::Concat(..) => Kind::BitvectorConcat,
            Expr::ZeroExtend(width, _) | Expr::SignExtend(width, _) => {
                let kind =
                    if matches!(expr, Expr::ZeroExtend(..)) { Kind::BitvectorZeroExtend } else { Kind::BitvectorSignExtend };
                let narrow = operands.first().map_or(Ok(0), |operand| operand.sort().bv_size())?;
                return indexed(manager, kind, &[u32::from(width).saturating_sub(narrow)], &operands);
            }
            Expr::FpUn(FpUn::Neg, _) => Kind::FloatingpointNeg,
            Expr::FpUn(FpUn::Abs, _) => Kind::FloatingpointAbs,
            Expr::FpUn(FpUn::Sqrt(rounding), _) => {
                operands.insert(0, mode(manager, rounding));
                Kind::FloatingpointSqrt
            }
            Expr::FpUn(FpUn::Integral(rounding), _) => {
                operands.insert(0, mode(manager, rounding));
                Kind::FloatingpointRti
            }
            Expr::FpBin(op, rounding, ..) => {
                operands.insert(0, mode(manager, rounding));
                match op {
                    FpBin::Add => Kind::FloatingpointAdd,
                    FpBin::Sub => Kind::FloatingpointSub,
                    FpBin::Mul => Kind::FloatingpointMult,
                    FpBin::Div => Kind::FloatingpointDiv,
                }
            }
            Expr::FpCmp(FpCmp::Eq, ..) => Kind::FloatingpointEq,
            Expr::FpCmp(FpCmp::Lt, ..) => Kind::FloatingpointLt,
            Expr::FpCmp(FpCmp::Le, ..) => Kind::FloatingpointLeq,
            Expr::FpTest(FpTest::IsNan, _) => Kind::FloatingpointIsNan,
            Expr::FpTest(FpTest::IsInfinite, _) => Kind::FloatingpointIsInf,
            Expr::FpToFp(target, rounding, _) => {
                operands.insert(0, mode(manager, rounding));
                let (exponent, significand) = target.bits();
                return indexed(manager, Kind::FloatingpointToFpFromFp, &[exponent, significand], &operands);
            }
            Expr::BvToFp { signed, sort, rounding, .. } => {
                operands.insert(0, mode(manager, rounding));
                let (exponent, significand) = sort.bits();
                let kind = if signed { Kind::FloatingpointToFpFromSbv } else { Kind::FloatingpointToFpFromUbv };
                return indexed(manager, kind, &[exponent, significand], &operands);
            }
            Expr::FpToBv { signed, width, rounding, .. } => {
                let (Some(of), Some(float)) = (operands.pop(), float) else {
                    return Err(SolverError("a float was expected".into()));
                };
                return float_to_integer(manager, of, float, signed, width, rounding);
            }
            Expr::BitsToFp(target, _) => {
                let (exponent, significand) = target.bits();
                return indexed(manager, Kind::FloatingpointToFpFromIeeeBv, &[exponent, significand], &operands);
            }
            Expr::IntNeg(_) => Kind::Neg,
            Expr::IntBin(op, ..) => match op {
                IntBin::Add => Kind::Add,
                IntBin::Sub => Kind::Sub,
                IntBin::Mul => Kind::Mult,
                IntBin::Div => Kind::IntsDivision,
                IntBin::Mod => Kind::IntsModulus,
            },
            Expr::IntCmp(IntCmp::Lt, ..) => Kind::Lt,
            Expr::IntCmp(IntCmp::Le, ..) => Kind::Leq,
            Expr::Select(..) => Kind::Select,
            Expr::Store(..) => Kind::Store,
        };
        Ok(manager.mk_term(kind, &operands)?)
    }
}

fn mode(manager: &mut TermManager, rounding: Rounding) -> Term {
    manager.mk_rm(match rounding {
        Rounding::NearestEven => RoundingMode::RoundNearestTiesToEven,
        Rounding::NearestAway => RoundingMode::RoundNearestTiesToAway,
        Rounding::TowardPositive => RoundingMode::RoundTowardPositive,
        Rounding::TowardNegative => RoundingMode::RoundTowardNegative,
        Rounding::TowardZero => RoundingMode::RoundTowardZero,
    })
}

fn sort_of(manager: &mut TermManager, sort: Sort) -> Result<cvc5::Sort, SolverError> {
    Ok(match sort {
        Sort::Bool => manager.boolean_sort(),
        Sort::BitVec(width) => manager.mk_bv_sort(u32::from(width))?,
        Sort::Float(float) => {
            let (exponent, significand) = float.bits();
            manager.mk_fp_sort(exponent, significand)?
        }
        Sort::Int => manager.integer_sort(),
        Sort::Array(index, element) => {
            let (index, element) = (sort_of(manager, index.into())?, sort_of(manager, element.into())?);
            manager.mk_array_sort(index, element)?
        }
    })
}

/// Returns a float as an integer. SMT-LIB leaves values outside of the range open, so a guard gives them our evaluator's 0.
fn float_to_integer(
    manager: &mut TermManager,
    of: Term,
    float: FloatSort,
    signed: bool,
    width: u16,
    rounding: Rounding,
) -> Built {
    let mode = mode(manager, rounding);
    let rounded = manager.mk_term(Kind::FloatingpointRti, &[mode.clone(), of.clone()])?;
    // Powers of two are exact. A format without this one has no number that is too large, and integers near its numbers may not
    // be among its numbers.
    let beyond = float.power_of_two(u32::from(width) - u32::from(signed));
    let greatest = float.infinity(false) - 1;
    let mut limit = |bits: u128| constant(manager, Value::float(float, bits));
    let (zero, least, greatest, negative) =
        (limit(0)?, limit(float.negate(beyond))?, limit(greatest)?, limit(float.negate(greatest))?);
    let limit = limit(beyond)?;
    let (enough, little) = match (float.is_infinite(beyond), signed) {
        (true, true) => ([negative, of.clone()], (Kind::FloatingpointLeq, [of.clone(), greatest])),
        (true, false) => ([zero, rounded], (Kind::FloatingpointLeq, [of.clone(), greatest])),
        (false, true) => ([least, rounded.clone()], (Kind::FloatingpointLt, [rounded, limit])),
        (false, false) => ([zero, rounded.clone()], (Kind::FloatingpointLt, [rounded, limit])),
    };
    let enough = manager.mk_term(Kind::FloatingpointLeq, &enough)?;
    let little = manager.mk_term(little.0, &little.1)?;
    let inside = manager.mk_term(Kind::And, &[enough, little])?;
    let kind = if signed { Kind::FloatingpointToSbv } else { Kind::FloatingpointToUbv };
    let op = manager.mk_op(kind, &[u32::from(width)])?;
    let integer = manager.mk_term_from_op(op, &[mode, of])?;
    let zero = manager.mk_bv(u32::from(width), 0)?;
    Ok(manager.mk_term(Kind::Ite, &[inside, integer, zero])?)
}

fn constant(manager: &mut TermManager, value: Value) -> Built {
    let float = |manager: &mut TermManager, float: FloatSort, bits: u128, nan: bool| -> Built {
        let (exponent, significand) = float.bits();
        if nan {
            return Ok(manager.mk_fp_nan(exponent, significand)?);
        }
        let width = exponent + significand;
        let bits = manager.mk_bv_from_str(width, &format!("{bits:x}"), 16)?;
        Ok(manager.mk_fp(exponent, significand, bits)?)
    };
    match value {
        Value::Bool(b) => Ok(manager.mk_boolean(b)),
        Value::BitVec { width, bits } => Ok(manager.mk_bv_from_str(u32::from(width), &format!("{bits:x}"), 16)?),
        Value::F32(bits) => float(manager, FloatSort::F32, u128::from(bits), f32::from_bits(bits).is_nan()),
        Value::F64(bits) => float(manager, FloatSort::F64, u128::from(bits), f64::from_bits(bits).is_nan()),
        Value::Float(format, bits) => {
            let sort = FloatSort::Other(format);
            float(manager, sort, bits, sort.is_nan(bits))
        }
        Value::Int(v) => Ok(manager.mk_integer_from_str(&v.to_string())?),
        Value::Array(array) => {
            let sort = sort_of(manager, Sort::Array(array.index_sort(), array.element_sort()))?;
            let default = constant(manager, array.default())?;
            let mut term = manager.mk_const_array(sort, default)?;
            for (index, element) in array.entries() {
                let (index, element) = (constant(manager, index)?, constant(manager, element)?);
                term = manager.mk_term(Kind::Store, &[term, index, element])?;
            }
            Ok(term)
        }
    }
}

/// Returns the value of a constant term of our sorts.
pub(super) fn value_of(term: &Term, sort: Sort) -> Result<Value, SolverError> {
    let bits = |term: &Term| {
        let digits = term.bv_value(2)?;
        u128::from_str_radix(&digits, 2).map_err(|_| SolverError(format!("cvc5 gave {digits:?} as bits")))
    };
    match sort {
        Sort::Bool => Ok(Value::Bool(term.boolean_value()?)),
        Sort::BitVec(width) => Ok(Value::bv(width, bits(term)?)),
        Sort::Float(float) => {
            if term.is_fp_nan() {
                return Ok(Value::float(float, float.nan()));
            }
            let (_, _, ieee) = term.fp_value()?;
            Ok(Value::float(float, bits(&ieee)?))
        }
        Sort::Int => {
            let digits = term.integer_value()?;
            match digits.parse() {
                Ok(v) => Ok(Value::Int(v)),
                Err(_) => Err(SolverError("a model needs an integer of more than 128 bits".into())),
            }
        }
        Sort::Array(index, element) => {
            let (mut at, mut stores) = (term.clone(), Vec::new());
            while at.kind() == Kind::Store {
                stores.push((value_of(&at.child(1)?, index.into())?, value_of(&at.child(2)?, element.into())?));
                at = at.child(0)?;
            }
            if !at.is_const_array() {
                return Err(SolverError(format!("cvc5 gave an array as {:?}", at.kind())));
            }
            let mut array = ArrayRef::constant(index, value_of(&at.const_array_base()?, element.into())?);
            for (index, element) in stores.into_iter().rev() {
                let stored = array.store(index, element);
                array = stored.ok_or_else(|| SolverError("a model needs an array of too many entries".into()))?;
            }
            Ok(Value::Array(array))
        }
    }
}
