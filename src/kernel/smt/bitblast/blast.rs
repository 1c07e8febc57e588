//! Expressions as gates: each expression once per frame.

use super::aig::{Aig, Lit};
use super::word;
use crate::expr::{BvUn, Expr, ExprId, ExprPool, FastMap, Sort, Value, VarId};
use crate::smt::frames::{Definition, Frames, Place};
use crate::smt::{Frame, SolverError};

/// Index of the first bit of an expression in the store. The sort of the expression gives the number of bits.
type Start = u32;

/// Gates of expressions.
pub(super) struct Blaster {
    pub(super) aig: Aig,
    /// All bits of all expressions, variables and definitions.
    store: Vec<Lit>,
    pub(super) frames: Frames<Start>,
    inputs: FastMap<(VarId, Frame), Start>,
    stack: Vec<ExprId>,
}

fn width(sort: Sort) -> Result<usize, SolverError> {
    match sort {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(usize::from(width)),
        Sort::Float(_) | Sort::Int | Sort::Array(..) => Err(SolverError(format!("the bit-blaster was given a {sort}"))),
    }
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        Blaster { aig: Aig::new(), store: Vec::new(), frames: Frames::new(), inputs: FastMap::default(), stack: Vec::new() }
    }
    /// Returns the number of bits stored.
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }
    /// Returns the bits of `e` in `frame`, lowest first.
    pub(super) fn bits(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<&[Lit], SolverError> {
        let width = width(pool.sort(e))?;
        let start = self.blast(pool, e, frame)? as usize;
        Ok(&self.store[start..start + width])
    }
    /// Returns the bit of the Bool `e` in `frame`.
    pub(super) fn bit(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Lit, SolverError> {
        if pool.sort(e) != Sort::Bool {
            return Err(SolverError("a formula must be Bool".into()));
        }
        let start = self.blast(pool, e, frame)?;
        Ok(self.store[start as usize])
    }
    /// Defines `var` in frame `to` as `e` in frame `from`. If that is not possible, returns the bit of the equality; the caller
    /// asserts it.
    pub(super) fn define(
        &mut self,
        pool: &ExprPool,
        var: VarId,
        to: Frame,
        e: ExprId,
        from: Frame,
    ) -> Result<Option<Lit>, SolverError> {
        let definition = self.frames.plan(pool, var, to, e, from);
        let right = self.blast(pool, e, from)?;
        match definition {
            Definition::Alias => {
                self.frames.alias(var, to, right);
                Ok(None)
            }
            Definition::Equality => {
                let width = width(pool.sort(e))?;
                let mut place = self.frames.take(to);
                let left = self.variable(pool, var, to, &mut place);
                self.frames.put(to, place);
                let (left, right) = (left? as usize, right as usize);
                let bits = |start: usize| &self.store[start..start + width];
                Ok(Some(word::equal(&mut self.aig, bits(left), bits(right))))
            }
        }
    }
    /// Drops all gates and bits except those of `roots`, definitions and inputs in use, and renames `roots`.
    pub(super) fn collect<'a>(&mut self, pool: &ExprPool, roots: impl Iterator<Item = &'a mut Lit>) -> Result<(), SolverError> {
        let mut roots: Vec<&mut Lit> = roots.collect();
        let old_store = std::mem::take(&mut self.store);
        let mut definitions: Vec<(&mut Start, usize)> = Vec::new();
        for (var, start) in self.frames.forget() {
            definitions.push((start, width(pool.var_decl(var).sort)?));
        }
        let mut inputs: Vec<((VarId, Frame), Start)> = self.inputs.drain().collect();
        inputs.sort_unstable();
        let kept = definitions.iter().flat_map(|(start, width)| &old_store[**start as usize..**start as usize + width]);
        let renaming = self.aig.collect(roots.iter().map(|l| **l).chain(kept.copied()));
        let renamed = |l: Lit| renaming.apply(l).ok_or_else(|| SolverError("a live gate was dropped".into()));
        for root in &mut roots {
            **root = renamed(**root)?;
        }
        for (start, width) in definitions {
            let at = *start as usize;
            *start = self.store.len() as Start;
            for &l in &old_store[at..at + width] {
                self.store.push(renamed(l)?);
            }
        }
        for ((var, frame), start) in inputs {
            let old = &old_store[start as usize..start as usize + width(pool.var_decl(var).sort)?];
            // An input without used bits is made anew when it is needed again. An input in use keeps all its bits together.
            if old.iter().any(|&l| renaming.apply(l).is_some()) {
                let start = self.store.len() as Start;
                for &l in old {
                    let l = renaming.apply(l).unwrap_or_else(|| self.aig.input());
                    self.store.push(l);
                }
                self.inputs.insert((var, frame), start);
            }
        }
        Ok(())
    }
    fn blast(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Start, SolverError> {
        // The frame's place is taken out while its expressions are made, because they need the rest of `self`.
        let mut place = self.frames.take(frame);
        let result = self.blast_in(pool, e, frame, &mut place);
        self.frames.put(frame, place);
        self.stack.clear();
        result
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "other operators have their bits from `node`")]
    fn blast_in(&mut self, pool: &ExprPool, root: ExprId, frame: Frame, place: &mut Place<Start>) -> Result<Start, SolverError> {
        if let Some(&start) = place.made.get(&root) {
            return Ok(start);
        }
        self.stack.push(root);
        let mut last = 0;
        while let Some(&e) = self.stack.last() {
            if let Some(&start) = place.made.get(&e) {
                last = start;
                self.stack.pop();
                continue;
            }
            let expr = pool.expr(e);
            let mut operands: [&[Lit]; 3] = [&[]; 3];
            let mut ready = true;
            for (bits, operand) in operands.iter_mut().zip(expr.children()) {
                match place.made.get(&operand) {
                    Some(&start) => {
                        let start = start as usize;
                        *bits = &self.store[start..start + width(pool.sort(operand))?];
                    }
                    None => {
                        ready = false;
                        self.stack.push(operand);
                    }
                }
            }
            if !ready {
                continue;
            }
            last = match expr {
                Expr::Var(var) => self.variable(pool, var, frame, place)?,
                _ => {
                    let bits = node(&mut self.aig, expr, operands)?;
                    let start = self.store.len() as Start;
                    self.store.extend(bits);
                    start
                }
            };
            place.made.insert(e, last);
            self.stack.pop();
        }
        Ok(last)
    }
    fn variable(&mut self, pool: &ExprPool, var: VarId, frame: Frame, place: &mut Place<Start>) -> Result<Start, SolverError> {
        if let Some(&start) = place.defined.get(&var) {
            return Ok(start);
        }
        place.free.insert(var);
        if let Some(&start) = self.inputs.get(&(var, frame)) {
            return Ok(start);
        }
        let start = self.store.len() as Start;
        for _ in 0..width(pool.var_decl(var).sort)? {
            let bit = self.aig.input();
            self.store.push(bit);
        }
        self.inputs.insert((var, frame), start);
        Ok(start)
    }
}

/// Returns the bits of one node over the bits of its operands.
#[expect(clippy::wildcard_enum_match_arm, reason = "an operator without bits is refused")]
fn node(aig: &mut Aig, expr: Expr, [a, b, c]: [&[Lit]; 3]) -> Result<Vec<Lit>, SolverError> {
    Ok(match expr {
        Expr::Const(Value::Bool(b)) => vec![Lit::constant(b)],
        Expr::Const(Value::BitVec { width, bits }) => (0..width).map(|i| Lit::constant(bits >> i & 1 == 1)).collect(),
        Expr::Not(_) => vec![!a[0]],
        Expr::And(..) => vec![aig.and(a[0], b[0])],
        Expr::Or(..) => vec![aig.or(a[0], b[0])],
        Expr::Eq(..) => vec![word::equal(aig, a, b)],
        Expr::Ite(..) => word::choose(aig, a[0], b, c),
        Expr::BvUn(BvUn::Neg, _) => word::negate(aig, a),
        Expr::BvUn(BvUn::Not, _) => a.iter().map(|&l| !l).collect(),
        Expr::BvBin(op, ..) => word::binary(aig, op, a, b),
        Expr::BvCmp(op, ..) => vec![word::compare(aig, op, a, b)],
        Expr::Extract { high, low, .. } => a[usize::from(low)..=usize::from(high)].to_vec(),
        Expr::Concat(..) => b.iter().chain(a).copied().collect(),
        Expr::ZeroExtend(width, _) => extended(a, width, Lit::FALSE),
        Expr::SignExtend(width, _) => extended(a, width, a[a.len() - 1]),
        _ => return Err(SolverError("the bit-blaster was given more than bits".into())),
    })
}

fn extended(a: &[Lit], width: u16, with: Lit) -> Vec<Lit> {
    let mut bits = a.to_vec();
    bits.resize(usize::from(width), with);
    bits
}
