//! Linear form of the path that a model takes through some cycles: each choice is made as in the model, and is a constraint.
//!
//! A term of bit vectors is an affine form over whole numbers, up to a multiple of 2^width. Where it is compared, widened or
//! bounded, it is read as a number: the multiple is that of the model, and a constraint says that the number is in range. So a
//! sum that wraps is another choice, and the form is exact on its path.
//!
//! Source: Gawlitza, Monniaux, "Improving strategies via SMT solving", ESOP 2011, doi:10.1007/978-3-642-19718-5_13 (a model
//! selects a path); Monniaux, Schrammel, SAS 2014, doi:10.1007/978-3-319-10936-7_16 (Booleans are part of the choice).

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::kiki::row::Sign;
use kernel::cfa::pass::System;
use kernel::expr::{BvBin, BvCmp, BvUn, Evaluator, Expr, ExprId, ExprPool, IntBin, IntCmp, Sort, Value, VarId};
use kernel::smt::Frame;

/// Widest bit vectors with a linear form.
const WIDEST: u16 = 64;

/// Mathematical integers are looked at up to this magnitude.
pub(super) const FAR: i128 = 1 << 40;

/// Deepest expression that is followed.
const DEEPEST: usize = 800;

/// A sum of numbered unknowns with whole factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Affine {
    pub(super) terms: BTreeMap<usize, i128>,
    pub(super) constant: i128,
}

impl Affine {
    pub(super) fn constant(constant: i128) -> Affine {
        Affine { terms: BTreeMap::new(), constant }
    }
    pub(super) fn times(&self, factor: i128) -> Option<Affine> {
        let terms = self.terms.iter().map(|(var, own)| Some((*var, own.checked_mul(factor)?)));
        let mut terms: BTreeMap<usize, i128> = terms.collect::<Option<_>>()?;
        terms.retain(|_, factor| *factor != 0);
        Some(Affine { terms, constant: self.constant.checked_mul(factor)? })
    }
    pub(super) fn plus(&self, other: &Affine) -> Option<Affine> {
        let mut sum = Affine { terms: self.terms.clone(), constant: self.constant.checked_add(other.constant)? };
        for (var, factor) in &other.terms {
            let to = sum.terms.entry(*var).or_default();
            *to = to.checked_add(*factor)?;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        Some(sum)
    }
    pub(super) fn minus(&self, other: &Affine) -> Option<Affine> {
        self.plus(&other.times(-1)?)
    }
}

/// Values of the variables and inputs of one frame.
pub(super) type Valuation = BTreeMap<VarId, Value>;

/// The path of a model.
pub(super) struct Linear<'a> {
    pool: &'a ExprPool,
    system: &'a System,
    /// By frame.
    model: &'a [Valuation],
    evaluators: Vec<Evaluator>,
    /// TRUE if variables of frame 0 have their initial values.
    from_start: bool,
    unknowns: BTreeMap<(Frame, VarId), usize>,
    /// Values of the unknowns, ends included.
    pub(super) ranges: Vec<(i128, i128)>,
    /// Forms that are at most 0.
    pub(super) constraints: Vec<Affine>,
    known: BTreeMap<(Frame, ExprId), Affine>,
    told: BTreeSet<(Frame, ExprId)>,
    depth: usize,
}

impl<'a> Linear<'a> {
    pub(super) fn new(pool: &'a ExprPool, system: &'a System, model: &'a [Valuation], from_start: bool) -> Linear<'a> {
        Linear {
            pool,
            system,
            model,
            evaluators: model.iter().map(|_| Evaluator::new()).collect(),
            from_start,
            unknowns: BTreeMap::new(),
            ranges: Vec::new(),
            constraints: Vec::new(),
            known: BTreeMap::new(),
            told: BTreeSet::new(),
            depth: 0,
        }
    }

    /// Returns the model's value.
    pub(super) fn value(&mut self, e: ExprId, frame: Frame) -> Option<Value> {
        let model = self.model.get(frame as usize)?;
        self.evaluators.get_mut(frame as usize)?.eval(self.pool, e, &|var| model.get(&var).copied())
    }
    pub(super) fn holds(&mut self, e: ExprId, frame: Frame) -> Option<bool> {
        if let Some(Value::Bool(truth)) = self.value(e, frame) { Some(truth) } else { None }
    }
    /// Returns whether an expression over frame 0 is about an unknown.
    pub(super) fn is_about_unknowns(&self, e: ExprId) -> bool {
        self.pool.vars_of(&[e]).into_iter().any(|var| self.unknowns.contains_key(&(0, var)))
    }

    /// Constrains the unknowns so that a Bool expression has the value of the model, for the reason of the model. `None` if the
    /// reason has no linear form.
    pub(super) fn tell(&mut self, e: ExprId, frame: Frame) -> Option<()> {
        if !self.told.insert((frame, e)) {
            return Some(());
        }
        self.depth += 1;
        let told = if self.depth < DEEPEST { self.tell_node(e, frame) } else { None };
        self.depth -= 1;
        told
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own has no linear form")]
    fn tell_node(&mut self, e: ExprId, frame: Frame) -> Option<()> {
        let holds = self.holds(e, frame)?;
        match self.pool.expr(e) {
            Expr::Const(_) => Some(()),
            Expr::Var(var) => match self.next(var, frame) {
                // Flags of frame 0 and inputs are part of the choice.
                None => Some(()),
                Some(next) => self.tell(next, frame - 1),
            },
            Expr::Not(a) => self.tell(a, frame),
            Expr::And(a, b) | Expr::Or(a, b) => {
                let is_and = matches!(self.pool.expr(e), Expr::And(..));
                if is_and == holds {
                    self.tell(a, frame)?;
                    return self.tell(b, frame);
                }
                let first = self.holds(a, frame)? == holds;
                self.tell(if first { a } else { b }, frame)
            }
            Expr::Ite(c, a, b) => {
                self.tell(c, frame)?;
                let chosen = if self.holds(c, frame)? { a } else { b };
                self.tell(chosen, frame)
            }
            Expr::Eq(a, b) if self.pool.sort(a) == Sort::Bool => {
                self.tell(a, frame)?;
                self.tell(b, frame)
            }
            Expr::Eq(a, b) => {
                let (x, y) = (self.read(a, frame, Sign::Signed)?, self.read(b, frame, Sign::Signed)?);
                if holds {
                    self.at_most(&x, &y, 0)?;
                    return self.at_most(&y, &x, 0);
                }
                let less = self.number(a, frame, Sign::Signed)? < self.number(b, frame, Sign::Signed)?;
                if less { self.at_most(&x, &y, 1) } else { self.at_most(&y, &x, 1) }
            }
            Expr::BvCmp(op, a, b) => {
                let sign = if matches!(op, BvCmp::Ult | BvCmp::Ule) { Sign::Unsigned } else { Sign::Signed };
                self.order((a, b), frame, sign, matches!(op, BvCmp::Ult | BvCmp::Slt), holds)
            }
            Expr::IntCmp(op, a, b) => self.order((a, b), frame, Sign::Signed, op == IntCmp::Lt, holds),
            _ => None,
        }
    }
    fn order(&mut self, (a, b): (ExprId, ExprId), frame: Frame, sign: Sign, strict: bool, holds: bool) -> Option<()> {
        let (x, y) = (self.read(a, frame, sign)?, self.read(b, frame, sign)?);
        if holds { self.at_most(&x, &y, strict.into()) } else { self.at_most(&y, &x, (!strict).into()) }
    }
    /// Adds `x + gap ≤ y`.
    fn at_most(&mut self, x: &Affine, y: &Affine, gap: i128) -> Option<()> {
        let left = x.plus(&Affine::constant(gap))?.minus(y)?;
        if left.terms.is_empty() {
            // True, since the model is on the path.
            return (left.constant <= 0).then_some(());
        }
        self.constraints.push(left);
        Some(())
    }

    /// Returns the affine form of a number, read with this sign. `None` if it has none.
    pub(super) fn read(&mut self, e: ExprId, frame: Frame, sign: Sign) -> Option<Affine> {
        let form = self.affine(e, frame)?;
        let Sort::BitVec(width) = self.pool.sort(e) else { return Some(form) };
        let size = 1i128 << width;
        let (low, high) = if sign == Sign::Signed { (-(size / 2), size / 2 - 1) } else { (0, size - 1) };
        // The form's own value in the model is the number up to a multiple.
        let now = self.at_model(&form)?;
        let number = self.number(e, frame, sign)?;
        let multiple = number.checked_sub(now)?;
        if multiple.rem_euclid(size) != 0 {
            return None;
        }
        let number = form.plus(&Affine::constant(multiple))?;
        self.at_most(&Affine::constant(low), &number, 0)?;
        self.at_most(&number, &Affine::constant(high), 0)?;
        Some(number)
    }
    /// Returns the number in the model.
    fn number(&mut self, e: ExprId, frame: Frame, sign: Sign) -> Option<i128> {
        let value = self.value(e, frame)?;
        match sign {
            _ if value.as_int().is_some() => value.as_int(),
            Sign::Signed => value.as_signed(),
            Sign::Unsigned => i128::try_from(value.as_unsigned()?).ok(),
        }
    }
    fn at_model(&self, form: &Affine) -> Option<i128> {
        let mut sum = form.constant;
        for ((frame, var), unknown) in &self.unknowns {
            if let Some(factor) = form.terms.get(unknown) {
                let value = self.model.get(*frame as usize)?.get(var)?;
                let value = value.as_int().or_else(|| value.as_signed())?;
                sum = sum.checked_add(factor.checked_mul(value)?)?;
            }
        }
        Some(sum)
    }

    fn affine(&mut self, e: ExprId, frame: Frame) -> Option<Affine> {
        if let Some(known) = self.known.get(&(frame, e)) {
            return Some(known.clone());
        }
        self.depth += 1;
        let form = if self.depth < DEEPEST { self.affine_node(e, frame) } else { None };
        self.depth -= 1;
        let form = form?;
        self.known.insert((frame, e), form.clone());
        Some(form)
    }
    fn affine_node(&mut self, e: ExprId, frame: Frame) -> Option<Affine> {
        match (self.pool.expr(e), self.pool.sort(e)) {
            (_, Sort::BitVec(width)) if WIDEST < width => None,
            (Expr::Const(value), _) => Some(Affine::constant(value.as_int().or_else(|| value.as_signed())?)),
            (Expr::Var(var), sort) => self.variable(var, sort, frame),
            (Expr::Ite(c, a, b), _) => {
                self.tell(c, frame)?;
                let chosen = if self.holds(c, frame)? { a } else { b };
                self.affine(chosen, frame)
            }
            (Expr::BvBin(BvBin::Add, a, b) | Expr::IntBin(IntBin::Add, a, b), _) => {
                self.affine(a, frame)?.plus(&self.affine(b, frame)?)
            }
            (Expr::BvBin(BvBin::Sub, a, b) | Expr::IntBin(IntBin::Sub, a, b), _) => {
                self.affine(a, frame)?.minus(&self.affine(b, frame)?)
            }
            (Expr::BvBin(BvBin::Mul, a, b) | Expr::IntBin(IntBin::Mul, a, b), _) => {
                let (x, y) = (self.affine(a, frame)?, self.affine(b, frame)?);
                if x.terms.is_empty() { y.times(x.constant) } else { y.terms.is_empty().then(|| x.times(y.constant)).flatten() }
            }
            (Expr::BvUn(BvUn::Neg, a) | Expr::IntNeg(a), _) => self.affine(a, frame)?.times(-1),
            // All ones minus the number.
            (Expr::BvUn(BvUn::Not, a), _) => self.affine(a, frame)?.times(-1)?.plus(&Affine::constant(-1)),
            (Expr::ZeroExtend(_, a), _) => self.read(a, frame, Sign::Unsigned),
            (Expr::SignExtend(_, a), _) => self.read(a, frame, Sign::Signed),
            // The same number up to a multiple of a smaller power.
            (Expr::Extract { low: 0, of, .. }, _) => self.affine(of, frame),
            _ => None,
        }
    }
    fn variable(&mut self, var: VarId, sort: Sort, frame: Frame) -> Option<Affine> {
        if let Some(next) = self.next(var, frame) {
            return self.affine(next, frame - 1);
        }
        let is_initial = self.from_start && self.system.initial.contains_key(&var);
        if Some(var) == self.system.pc || (frame == 0 && is_initial) {
            let value = self.model.get(frame as usize)?.get(&var)?;
            return Some(Affine::constant(value.as_int().or_else(|| value.as_signed())?));
        }
        let range = match sort {
            // Either reading is in it.
            Sort::BitVec(width) => (-(1i128 << width), (1i128 << width) - 1),
            Sort::Int => (-FAR, FAR),
            Sort::Bool | Sort::Float(_) | Sort::Array(..) => return None,
        };
        let new = self.ranges.len();
        let unknown = *self.unknowns.entry((frame, var)).or_insert(new);
        if unknown == new {
            self.ranges.push(range);
        }
        Some(Affine { terms: BTreeMap::from([(unknown, 1)]), constant: 0 })
    }
    /// Returns the expression over the frame before that gives a variable its value; `None` in frame 0 and for inputs.
    fn next(&self, var: VarId, frame: Frame) -> Option<ExprId> {
        if frame == 0 {
            return None;
        }
        let at = self.system.next.binary_search_by_key(&var, |(var, _)| *var).ok()?;
        Some(self.system.next[at].1)
    }
}
