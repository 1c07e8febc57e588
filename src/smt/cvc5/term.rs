//! Expressions as cvc5's terms, each once per frame; and cvc5's values as ours.

use cvc5::{Kind, RoundingMode, Term, TermManager};

use crate::expr::{
    BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FastMap, FloatSort, FpBin, FpCmp, FpTest, FpUn, Rounding, Sort, Value, VarId,
};
use crate::smt::frames::{Definition, Frames, Place};
use crate::smt::{Frame, SolverError};

impl From<cvc5::Error> for SolverError {
    fn from(error: cvc5::Error) -> SolverError {
        SolverError(format!("cvc5: {error}"))
    }
}

type Built = Result<Term, SolverError>;

/// Terms and the expressions they stem from.
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
    /// The term of the Bool `e` in `frame`.
    pub(super) fn formula(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Built {
        if pool.sort(e) != Sort::Bool {
            return Err(SolverError("a formula must be Bool".into()));
        }
        self.term(pool, e, frame)
    }
    /// From now on `var` in `to` is what `e` is in `from`; or else the equality that says so, to be asserted.
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
    /// The term of `e` in `frame`.
    pub(super) fn term(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Built {
        let mut place = self.frames.take(frame);
        let result = self.term_in(pool, e, frame, &mut place);
        self.frames.put(frame, place);
        self.stack.clear();
        result
    }
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
                Sort::Bool | Sort::BitVec(_) => None,
            });
            let term = match expr {
                Expr::Var(var) => self.variable(pool, var, frame, place)?,
                Expr::Const(value) => constant(&mut self.manager, value)?,
                Expr::Not(_)
                | Expr::And(..)
                | Expr::Or(..)
                | Expr::Eq(..)
                | Expr::Ite(..)
                | Expr::BvUn(..)
                | Expr::BvBin(..)
                | Expr::BvCmp(..)
                | Expr::Extract { .. }
                | Expr::Concat(..)
                | Expr::ZeroExtend(..)
                | Expr::SignExtend(..)
                | Expr::FpUn(..)
                | Expr::FpBin(..)
                | Expr::FpCmp(..)
                | Expr::FpTest(..)
                | Expr::FpToFp(..)
                | Expr::BvToFp { .. }
                | Expr::FpToBv { .. }
                | Expr::BitsToFp(..) => self.node(expr, operands, float)?,
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
        // The user's names stay out: ids are enough, and need no quoting.
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
        Ok(match sort {
            Sort::Bool => self.manager.boolean_sort(),
            Sort::BitVec(width) => self.manager.mk_bv_sort(u32::from(width))?,
            Sort::Float(float) => {
                let (exponent, significand) = float.bits();
                self.manager.mk_fp_sort(exponent, significand)?
            }
        })
    }
    /// A node that is neither constant nor variable, over the terms of its operands; `float` is the first one's format.
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
            Expr::BvBin(op, ..) => match op {
                BvBin::Add => Kind::BitvectorAdd,
                BvBin::Sub => Kind::BitvectorSub,
                BvBin::Mul => Kind::BitvectorMult,
                BvBin::Udiv => Kind::BitvectorUdiv,
                BvBin::Urem => Kind::BitvectorUrem,
                BvBin::Sdiv => Kind::BitvectorSdiv,
                BvBin::Srem => Kind::BitvectorSrem,
                BvBin::And => Kind::BitvectorAnd,
                BvBin::Or => Kind::BitvectorOr,
                BvBin::Xor => Kind::BitvectorXor,
                BvBin::Shl => Kind::BitvectorShl,
                BvBin::Lshr => Kind::BitvectorLshr,
                BvBin::Ashr => Kind::BitvectorAshr,
            },
            Expr::BvCmp(op, ..) => match op {
                BvCmp::Ult => Kind::BitvectorUlt,
                BvCmp::Ule => Kind::BitvectorUle,
                BvCmp::Slt => Kind::BitvectorSlt,
                BvCmp::Sle => Kind::BitvectorSle,
            },
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
            Expr::FpUn(FpUn::Sqrt, _) => {
                operands.insert(0, nearest_even(manager));
                Kind::FloatingpointSqrt
            }
            Expr::FpBin(op, ..) => {
                operands.insert(0, nearest_even(manager));
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
            Expr::FpToFp(target, _) => {
                operands.insert(0, nearest_even(manager));
                let (exponent, significand) = target.bits();
                return indexed(manager, Kind::FloatingpointToFpFromFp, &[exponent, significand], &operands);
            }
            Expr::BvToFp { signed, sort, .. } => {
                operands.insert(0, nearest_even(manager));
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
        };
        Ok(manager.mk_term(kind, &operands)?)
    }
}

fn nearest_even(manager: &mut TermManager) -> Term {
    manager.mk_rm(RoundingMode::RoundNearestTiesToEven)
}

/// SMT-LIB leaves open what is outside the range, so it is guarded: 0 there, as our evaluator says.
fn float_to_integer(
    manager: &mut TermManager,
    of: Term,
    float: FloatSort,
    signed: bool,
    width: u16,
    rounding: Rounding,
) -> Built {
    let mode = manager.mk_rm(match rounding {
        Rounding::NearestEven => RoundingMode::RoundNearestTiesToEven,
        Rounding::TowardZero => RoundingMode::RoundTowardZero,
    });
    let rounded = manager.mk_term(Kind::FloatingpointRti, &[mode.clone(), of.clone()])?;
    // Powers of two: exact, or infinity where the format has no such number, which serves as well.
    let (least, beyond) = if signed {
        let half = 2f64.powi(i32::from(width) - 1);
        (-half, half)
    } else {
        (0.0, 2f64.powi(i32::from(width)))
    };
    let mut limit = |v: f64| {
        let value = match float {
            FloatSort::F32 => Value::f32(v as f32),
            FloatSort::F64 => Value::f64(v),
        };
        constant(manager, value)
    };
    let (least, beyond) = (limit(least)?, limit(beyond)?);
    let enough = manager.mk_term(Kind::FloatingpointLeq, &[least, rounded.clone()])?;
    let little = manager.mk_term(Kind::FloatingpointLt, &[rounded, beyond])?;
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
    }
}

/// The value that a constant term of our sorts is.
pub(super) fn value_of(term: &Term, sort: Sort) -> Result<Value, SolverError> {
    let bits = |term: &Term| {
        let digits = term.bv_value(2)?;
        u128::from_str_radix(&digits, 2).map_err(|_| SolverError(format!("cvc5 gave {digits:?} as bits")))
    };
    match sort {
        Sort::Bool => Ok(Value::Bool(term.boolean_value()?)),
        Sort::BitVec(width) => Ok(Value::bv(width, bits(term)?)),
        Sort::Float(float) => {
            let (value, nan) = match float {
                FloatSort::F32 => ((|bits| Value::F32(bits as u32)) as fn(u128) -> Value, Value::f32(f32::NAN)),
                FloatSort::F64 => ((|bits| Value::F64(bits as u64)) as fn(u128) -> Value, Value::f64(f64::NAN)),
            };
            if term.is_fp_nan() {
                return Ok(nan);
            }
            let (_, _, ieee) = term.fp_value()?;
            Ok(value(bits(&ieee)?).canonical())
        }
    }
}
