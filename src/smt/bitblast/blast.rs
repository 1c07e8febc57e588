//! Expressions as gates: each expression once per frame.

use super::aig::{Aig, Lit};
use super::word;
use crate::expr::{BvUn, Expr, ExprId, ExprPool, FastMap, FastSet, Sort, Value, VarId};
use crate::smt::{Frame, SolverError};

/// Where an expression's bits begin; how many there are its sort says.
type Start = u32;

/// What is known of one frame.
#[derive(Default)]
struct Place {
    /// Bits of expressions in this frame.
    bits: FastMap<ExprId, Start>,
    /// Variables that are defined to be something.
    defined: FastMap<VarId, Start>,
    /// Variables whose free bits may be in `bits`, or in assertions.
    free: FastSet<VarId>,
}

/// Gates and the expressions they stem from.
pub(super) struct Blaster {
    pub(super) aig: Aig,
    /// All bits of all expressions, variables and definitions.
    store: Vec<Lit>,
    places: FastMap<Frame, Place>,
    inputs: FastMap<(VarId, Frame), Start>,
    stack: Vec<ExprId>,
}

fn width(sort: Sort) -> Result<usize, SolverError> {
    match sort {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(usize::from(width)),
        Sort::Float(_) => Err(SolverError("the bit-blaster was given a float".into())),
    }
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        Blaster { aig: Aig::new(), store: Vec::new(), places: FastMap::default(), inputs: FastMap::default(), stack: Vec::new() }
    }
    /// Number of bits stored.
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }
    /// The bits of `e` in `frame`, lowest first.
    pub(super) fn bits(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<&[Lit], SolverError> {
        let width = width(pool.sort(e))?;
        let start = self.blast(pool, e, frame)? as usize;
        Ok(&self.store[start..start + width])
    }
    /// The bit of the Bool `e` in `frame`.
    pub(super) fn bit(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Lit, SolverError> {
        if pool.sort(e) != Sort::Bool {
            return Err(SolverError("a formula must be Bool".into()));
        }
        let start = self.blast(pool, e, frame)?;
        Ok(self.store[start as usize])
    }
    /// Whether free bits of `var` in `frame` may have been used.
    pub(super) fn may_be_free(&self, var: VarId, frame: Frame) -> bool {
        self.places.get(&frame).is_some_and(|place| place.free.contains(&var))
    }
    /// Whether `var` in `frame` is defined.
    pub(super) fn is_defined(&self, var: VarId, frame: Frame) -> bool {
        self.places.get(&frame).is_some_and(|place| place.defined.contains_key(&var))
    }
    /// From now on `var` in `to` is what `e` is in `from`. Free bits of `var` in `to` must not be in `bits`.
    pub(super) fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError> {
        let start = self.blast(pool, e, from)?;
        self.places.entry(to).or_default().defined.insert(var, start);
        Ok(())
    }
    /// The bit that says whether `var` in `to` equals `e` in `from`.
    pub(super) fn equality(
        &mut self,
        pool: &ExprPool,
        var: VarId,
        to: Frame,
        e: ExprId,
        from: Frame,
    ) -> Result<Lit, SolverError> {
        let width = width(pool.sort(e))?;
        let right = self.blast(pool, e, from)? as usize;
        let mut place = std::mem::take(self.places.entry(to).or_default());
        let left = self.variable(pool, var, to, &mut place);
        self.places.insert(to, place);
        let left = left? as usize;
        Ok(word::equal(&mut self.aig, &self.store[left..left + width], &self.store[right..right + width]))
    }
    /// Ends a definition. What was made of it must be forgotten: see [`Blaster::forget`].
    pub(super) fn undefine(&mut self, var: VarId, frame: Frame) {
        if let Some(place) = self.places.get_mut(&frame) {
            place.defined.remove(&var);
        }
    }
    /// Forgets the bits of the expressions of a frame, where only the variables `free` are still in use.
    pub(super) fn forget(&mut self, frame: Frame, free: Option<FastSet<VarId>>) {
        if let Some(place) = self.places.get_mut(&frame) {
            place.bits.clear();
            if let Some(free) = free {
                place.free = free;
            }
        }
    }
    /// Drops all gates and bits but those of `roots` and of definitions, and renames `roots`.
    pub(super) fn collect<'a>(&mut self, pool: &ExprPool, roots: impl Iterator<Item = &'a mut Lit>) -> Result<(), SolverError> {
        let mut roots: Vec<&mut Lit> = roots.collect();
        let old_store = std::mem::take(&mut self.store);
        let mut definitions: Vec<(&mut Start, usize)> = Vec::new();
        // The order decides positions in the store only, but let it be the same each time.
        let mut places: Vec<(Frame, &mut Place)> = self.places.iter_mut().map(|(&frame, place)| (frame, place)).collect();
        places.sort_by_key(|&(frame, _)| frame);
        for (_, place) in places {
            place.bits.clear();
            let mut defined: Vec<(VarId, &mut Start)> = place.defined.iter_mut().map(|(&var, start)| (var, start)).collect();
            defined.sort_by_key(|&(var, _)| var);
            for (var, start) in defined {
                definitions.push((start, width(pool.var_decl(var).sort)?));
            }
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
            // An input of which nothing is in use is made anew when it is met again. Of one in use all bits must stay together.
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
        // The frame's place is taken out while its expressions are made, for they need the rest of `self`.
        let mut place = std::mem::take(self.places.entry(frame).or_default());
        let result = self.blast_in(pool, e, frame, &mut place);
        self.places.insert(frame, place);
        self.stack.clear();
        result
    }
    fn blast_in(&mut self, pool: &ExprPool, root: ExprId, frame: Frame, place: &mut Place) -> Result<Start, SolverError> {
        if let Some(&start) = place.bits.get(&root) {
            return Ok(start);
        }
        self.stack.push(root);
        let mut last = 0;
        while let Some(&e) = self.stack.last() {
            if let Some(&start) = place.bits.get(&e) {
                last = start;
                self.stack.pop();
                continue;
            }
            let expr = pool.expr(e);
            let mut operands: [&[Lit]; 3] = [&[]; 3];
            let mut ready = true;
            for (bits, operand) in operands.iter_mut().zip(expr.children()) {
                match place.bits.get(&operand) {
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
                Expr::Const(_)
                | Expr::Not(_)
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
                | Expr::BitsToFp(..) => {
                    let bits = node(&mut self.aig, expr, operands)?;
                    let start = self.store.len() as Start;
                    self.store.extend(bits);
                    start
                }
            };
            place.bits.insert(e, last);
            self.stack.pop();
        }
        Ok(last)
    }
    fn variable(&mut self, pool: &ExprPool, var: VarId, frame: Frame, place: &mut Place) -> Result<Start, SolverError> {
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

/// The bits of one node over the bits of its operands.
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
        Expr::Const(Value::F32(_) | Value::F64(_))
        | Expr::Var(_)
        | Expr::FpUn(..)
        | Expr::FpBin(..)
        | Expr::FpCmp(..)
        | Expr::FpTest(..)
        | Expr::FpToFp(..)
        | Expr::BvToFp { .. }
        | Expr::FpToBv { .. }
        | Expr::BitsToFp(..) => return Err(SolverError("the bit-blaster was given a float".into())),
    })
}

fn extended(a: &[Lit], width: u16, with: Lit) -> Vec<Lit> {
    let mut bits = a.to_vec();
    bits.resize(usize::from(width), with);
    bits
}
