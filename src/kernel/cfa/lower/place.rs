//! Places: from paths with variable indices to scalars, exactly.
//!
//! A part of a flattened variable is `base + Σ offsetᵢ·strideᵢ`, with one term per variable index. Reading it
//! selects among all scalars it can mean, writing it updates each of them under its condition.

use std::rc::Rc;

use plc_frontend::hir::{Elem, Expr, FaultKind, Place, Root, Type, TypeId};

use plc_frontend::source::Span;

use super::builder::Builder;
use super::layout::is_formal;
use crate::cfa::model::ModelError;
use crate::expr::{BvBin, BvCmp, ExprId, Sort, Value, VarId};

/// Possible scalars of a place at one moment.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    vars: Rc<[VarId]>,
    base: usize,
    dims: Vec<Dim>,
    ty: TypeId,
    bits: Option<Bits>,
}

impl Spot {
    /// Returns its only variable, if its place is constant.
    pub(super) fn only(&self) -> Option<VarId> {
        if self.dims.is_empty() && self.bits.is_none() { self.vars.get(self.base).copied() } else { None }
    }
}

/// One variable index, in range.
#[derive(Clone, Copy, Debug)]
struct Dim {
    /// From 0, a bit vector.
    offset: ExprId,
    count: usize,
    stride: usize,
}

/// Part of a bit string.
#[derive(Clone, Copy, Debug)]
struct Bits {
    offset: u16,
    width: u16,
}

/// An array index after its check.
enum Offset {
    Constant(usize),
    Variable(ExprId),
}

impl Spot {
    /// Returns a variable of the function block instance at this spot.
    pub(super) fn member(&self, offset: usize, ty: TypeId) -> Spot {
        Spot { base: self.base + offset, ty, ..self.clone() }
    }
    /// Returns the spot of certain scalars.
    pub(super) fn whole(vars: Rc<[VarId]>, ty: TypeId) -> Spot {
        Spot { vars, base: 0, dims: Vec::new(), ty, bits: None }
    }
    /// Returns its possible scalars, each with its condition; `None` where it is certain. For references, which have no bits.
    pub(super) fn variants(&self, builder: &mut Builder<'_, '_>, size: usize) -> Option<Vec<(Option<ExprId>, Vec<VarId>)>> {
        if self.bits.is_some() {
            return None;
        }
        let mut bases = vec![(None, self.base)];
        for dim in &self.dims {
            let mut next = Vec::with_capacity(bases.len() * dim.count);
            for (condition, base) in bases {
                for i in 0..dim.count {
                    let here = builder.is_offset(dim, i);
                    let both = condition.map_or(here, |c| builder.pool.and(c, here));
                    next.push((Some(both), base + i * dim.stride));
                }
            }
            bases = next;
        }
        Some(bases.into_iter().map(|(condition, base)| (condition, self.vars[base..base + size].to_vec())).collect())
    }
    /// Returns the number of variants.
    pub(super) fn n_variants(&self) -> usize {
        self.dims.iter().map(|d| d.count).fold(1, usize::saturating_mul)
    }
}

impl Builder<'_, '_> {
    /// Evaluates the indices of a place, left to right, each checked at once.
    pub(super) fn place(&mut self, place: &Place) -> Result<Spot, ModelError> {
        let project = self.cx.project;
        let mut path = place.path.as_slice();
        let mut spot = Spot { vars: self.root(place.root), base: 0, dims: Vec::new(), ty: place.ty, bits: None };
        match place.root {
            Root::Var(var) => spot.ty = self.own_pou().vars[var].ty,
            Root::This(ty) => spot.ty = ty,
            Root::Global(global) => spot.ty = project.globals[global].ty,
            Root::Instance(instance) => {
                let pou = &project.pous[project.instances[instance].pou];
                // Without a path the place is the whole instance.
                if let Some((Elem::Member(var), rest)) = path.split_first() {
                    let before = pou.held().take_while(|(id, _)| id != var).filter(|(_, v)| is_formal(pou, v));
                    spot.base = before.map(|(_, v)| self.cx.layout.size(v.ty)).sum();
                    spot.ty = pou.vars[*var].ty;
                    path = rest;
                }
            }
        }
        for (position, elem) in path.iter().enumerate() {
            match (elem, &project.types[spot.ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => {
                    spot.base += self.cx.layout.field(fields, *k);
                    spot.ty = fields[*k as usize].ty;
                }
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    let Some(offset) = self.cx.layout.member(*pou, *var) else {
                        let name = &project.pous[*pou].vars[*var].name;
                        return Err(ModelError::unsupported(
                            format!("`{name}` does not persist and cannot be seen from outside"),
                            place.span,
                        ));
                    };
                    spot.base += offset;
                    spot.ty = project.pous[*pou].vars[*var].ty;
                }
                (Elem::Index(indices), Type::Array { dims, elem }) => {
                    let mut stride = self.cx.layout.size(spot.ty);
                    for (i, (index, (low, high))) in indices.iter().zip(dims).enumerate() {
                        let count = (high - low + 1) as usize;
                        stride /= count;
                        match self.index(index, *low, *high)? {
                            Offset::Constant(offset) => spot.base += offset * stride,
                            Offset::Variable(offset) => {
                                let later = indices[i + 1..].iter().any(super::effects::has_call)
                                    || path[position + 1..].iter().any(super::effects::elem_has_call);
                                let offset = if later { self.hold(offset) } else { offset };
                                spot.dims.push(Dim { offset, count, stride });
                            }
                        }
                    }
                    spot.ty = *elem;
                }
                (Elem::Deref(view), _) => {
                    let later = path[position + 1..].iter().any(super::effects::elem_has_call);
                    spot = self.follow(&spot, *view, later, place.span)?;
                }
                (Elem::Bits { offset, width }, _) => {
                    let outer = spot.bits.map_or(0, |b| b.offset);
                    spot.bits = Some(Bits { offset: outer + u16::from(*offset), width: u16::from(*width) });
                }
                (Elem::Field(_) | Elem::Member(_) | Elem::Index(_), ty) => unreachable!("{elem:?} is no part of {ty:?}"),
            }
        }
        Ok(spot)
    }
    /// Returns the target of a reference. Its possible targets are like the elements of an array.
    fn follow(&mut self, reference: &Spot, view: TypeId, hold: bool, span: Span) -> Result<Spot, ModelError> {
        let project = self.cx.project;
        let mut number = self.read(reference);
        if hold {
            number = self.hold(number);
        }
        let Sort::BitVec(width) = self.pool.sort(number) else { unreachable!("a reference is a number") };
        let targets = project.references.get(&reference.ty).map_or(&[][..], Vec::as_slice);
        let size = self.cx.layout.size(view);
        let (mut row, mut nothing, mut offset, mut count) = (Vec::new(), self.pool.bool(true), None, 0);
        for target in targets.iter().filter(|target| target.views.contains(&view)) {
            let spot = self.place(&target.place)?;
            row.extend_from_slice(&spot.vars[spot.base..spot.base + size]);
            let value = self.pool.constant(Value::int(width, target.number));
            let here = self.pool.eq(number, value);
            let not_here = self.pool.not(here);
            nothing = if count == 0 { not_here } else { self.pool.and(nothing, not_here) };
            let index = self.pool.constant(Value::int(16, count as i128));
            offset = Some(offset.map_or(index, |before| self.pool.ite(here, index, before)));
            count += 1;
        }
        self.fault(FaultKind::NullReference, span, nothing);
        let mut dims = Vec::new();
        match offset {
            Some(offset) if count > 1 => dims.push(Dim { offset, count, stride: size }),
            Some(_) => {}
            // It never refers to anything: the following is not reached.
            None => {
                let all = super::layout::scalars(project, view, &plc_frontend::hir::Init::Default);
                row.extend(all.iter().map(|scalar| self.temp("nothing", super::layout::sort_of(project, scalar.ty))));
            }
        }
        Ok(Spot { vars: row.into(), base: 0, dims, ty: view, bits: None })
    }
    /// Evaluates a place as [`Builder::place`] does; later assignments do not change the indices.
    pub(super) fn held_place(&mut self, place: &Place) -> Result<Spot, ModelError> {
        let mut spot = self.place(place)?;
        for dim in &mut spot.dims {
            dim.offset = self.hold(dim.offset);
        }
        Ok(spot)
    }
    fn own_pou(&self) -> &plc_frontend::hir::Pou {
        &self.cx.project.pous[self.own_id()]
    }
    /// Returns the POU whose body it is.
    pub(super) fn own_id(&self) -> plc_frontend::hir::PouId {
        let Some(proc) = self.own else { unreachable!("conditions have no variables of their own") };
        self.cx.headers[proc].pou
    }

    /// Returns an index from 0, after its bounds check.
    fn index(&mut self, index: &Expr, low: i64, high: i64) -> Result<Offset, ModelError> {
        let (low, high) = (i128::from(low), i128::from(high));
        let value = self.expr(index)?;
        let int = self.int_of(index.ty);
        if let Some(i) = self.int_const(value, int.signed) {
            if i < low || high < i {
                let bad = self.pool.bool(true);
                self.fault(FaultKind::IndexOutOfBounds, index.span, bad);
                return Ok(Offset::Constant(0));
            }
            return Ok(Offset::Constant((i - low) as usize));
        }
        let bad = self.outside(value, int, low, high);
        self.fault(FaultKind::IndexOutOfBounds, index.span, bad);
        // Wide enough for an exact subtraction: a lower bound need not be a value of the index's type.
        let wide = if int.min() <= low && high <= int.max() { value } else { self.extend(int.signed, 66, value) };
        let Sort::BitVec(width) = self.pool.sort(wide) else { unreachable!("an index is an integer") };
        let low = self.pool.constant(Value::int(width, low));
        Ok(Offset::Variable(self.subtract(wide, low)))
    }
    fn subtract(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match self.pool.as_const(b).and_then(Value::as_unsigned) {
            Some(0) => a,
            Some(_) | None => self.pool.bv(BvBin::Sub, a, b),
        }
    }
    /// Returns whether a value of an integer type is below `low` or above `high`.
    pub(super) fn outside(&mut self, value: ExprId, int: plc_frontend::hir::IntType, low: i128, high: i128) -> ExprId {
        if high < int.min() || int.max() < low {
            return self.pool.bool(true);
        }
        let cmp = if int.signed { BvCmp::Slt } else { BvCmp::Ult };
        let width = u16::from(int.bits);
        let mut bad = self.pool.bool(false);
        if int.min() < low {
            let low = self.pool.constant(Value::int(width, low));
            bad = self.pool.bv_cmp(cmp, value, low);
        }
        if high < int.max() {
            let high = self.pool.constant(Value::int(width, high));
            let above = self.pool.bv_cmp(cmp, high, value);
            bad = if self.pool.is_false(bad) { above } else { self.pool.or(bad, above) };
        }
        bad
    }

    /// Returns the value of the `k`-th scalar of a spot.
    fn load(&mut self, spot: &Spot, k: usize) -> ExprId {
        self.select(&spot.vars, spot.base + k, &spot.dims)
    }
    fn select(&mut self, vars: &[VarId], at: usize, dims: &[Dim]) -> ExprId {
        let Some((dim, rest)) = dims.split_first() else { return self.value(vars[at]) };
        let mut values = Vec::with_capacity(dim.count);
        for i in 0..dim.count {
            values.push(self.select(vars, at + i * dim.stride, rest));
        }
        self.mux(dim.offset, &values)
    }
    /// Returns `values[offset]` for an offset in range. For few values it has tests of equality, which are readable and good for
    /// predicates; for many a balanced tree over the offset's bits.
    pub(super) fn mux(&mut self, offset: ExprId, values: &[ExprId]) -> ExprId {
        const FEW: usize = 8;
        let Sort::BitVec(width) = self.pool.sort(offset) else { unreachable!("an offset is a bit vector") };
        let Some((last, others)) = values.split_last() else { unreachable!("arrays have elements") };
        if values.len() <= FEW {
            let mut result = *last;
            for (i, value) in others.iter().enumerate().rev() {
                let i = self.pool.constant(Value::int(width, i as i128));
                let here = self.pool.eq(offset, i);
                result = self.pool.ite(here, *value, result);
            }
            return result;
        }
        // Level by level from the lowest bit: each pass halves the values.
        let mut level = values.to_vec();
        let mut bit = 0;
        while level.len() > 1 {
            let set = self.pool.extract(bit, bit, offset);
            let one = self.pool.constant(Value::bv(1, 1));
            let odd = self.pool.eq(set, one);
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                next.push(match pair {
                    [even, up] => self.pool.ite(odd, *up, *even),
                    other => other[0],
                });
            }
            level = next;
            bit += 1;
        }
        level[0]
    }
    fn is_offset(&mut self, dim: &Dim, i: usize) -> ExprId {
        let Sort::BitVec(width) = self.pool.sort(dim.offset) else { unreachable!("an offset is a bit vector") };
        let i = self.pool.constant(Value::int(width, i as i128));
        self.pool.eq(dim.offset, i)
    }

    /// Returns the value of a scalar place.
    pub(super) fn read(&mut self, spot: &Spot) -> ExprId {
        let whole = self.load(spot, 0);
        match spot.bits {
            None => whole,
            Some(Bits { offset, width }) => {
                let part = self.pool.extract(offset + width - 1, offset, whole);
                if width == 1 {
                    let one = self.pool.constant(Value::bv(1, 1));
                    self.pool.eq(part, one)
                } else {
                    part
                }
            }
        }
    }
    /// Returns the values of all scalars of a place.
    pub(super) fn read_all(&mut self, spot: &Spot) -> Vec<ExprId> {
        if spot.bits.is_some() {
            return vec![self.read(spot)];
        }
        (0..self.cx.layout.size(spot.ty)).map(|k| self.load(spot, k)).collect()
    }
    /// Writes the scalars of a place, whose indices must be held, by any number of edges. Values that these edges read are held
    /// first. (A plain variable need not be held unless it shares memory: if it is written at all, then with its own value.)
    pub(super) fn write(&mut self, spot: &Spot, values: &[ExprId]) -> Result<(), ModelError> {
        let spread = !spot.dims.is_empty() || values.len() > 1;
        let mut held = Vec::with_capacity(values.len());
        for value in values {
            let is_var = matches!(self.pool.expr(*value), crate::expr::Expr::Var(_));
            let plain = self.pool.as_const(*value).is_some() || (is_var && !self.cx.shares_memory);
            held.push(if spread && !plain { self.hold(*value) } else { *value });
        }
        let whole = spot.bits.is_none();
        for (k, value) in held.into_iter().enumerate().filter(|(k, _)| !(whole && self.cx.layout.is_view(spot.ty, *k))) {
            self.store(spot, spot.base + k, &spot.dims, None, value)?;
        }
        Ok(())
    }
    fn store(
        &mut self,
        spot: &Spot,
        at: usize,
        dims: &[Dim],
        condition: Option<ExprId>,
        value: ExprId,
    ) -> Result<(), ModelError> {
        if let Some((dim, rest)) = dims.split_first() {
            for i in 0..dim.count {
                let here = self.is_offset(dim, i);
                let both = condition.map_or(here, |c| self.pool.and(c, here));
                self.store(spot, at + i * dim.stride, rest, Some(both), value)?;
            }
            return Ok(());
        }
        self.check_size()?;
        let var = spot.vars[at];
        let before = self.pool.var(var);
        let new = match spot.bits {
            None => value,
            Some(bits) => self.replaced(before, bits, value),
        };
        let new = condition.map_or(new, |c| self.pool.ite(c, new, before));
        self.assign(var, new);
        Ok(())
    }
    /// Returns `whole` with some of its bits replaced.
    fn replaced(&mut self, whole: ExprId, bits: Bits, part: ExprId) -> ExprId {
        let Sort::BitVec(width) = self.pool.sort(whole) else { unreachable!("bits are parts of bit vectors") };
        let mut new = if self.pool.sort(part) == Sort::Bool {
            let (one, zero) = (self.pool.constant(Value::bv(1, 1)), self.pool.constant(Value::bv(1, 0)));
            self.pool.ite(part, one, zero)
        } else {
            part
        };
        if bits.offset > 0 {
            let low = self.pool.extract(bits.offset - 1, 0, whole);
            new = self.pool.concat(new, low);
        }
        let end = bits.offset + bits.width;
        if end < width {
            let high = self.pool.extract(width - 1, end, whole);
            new = self.pool.concat(high, new);
        }
        new
    }
}
