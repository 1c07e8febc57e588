//! Strings: their functions on characters, exactly as [`plc_frontend::hir::Builtin`] lists them.
//!
//! Every function works on characters that are 0 from the string's end on, and returns such characters. Parts are moved by shifts
//! of whole characters, one stage per bit of the distance.

use plc_frontend::hir::{BinOp, Builtin, Expr};

use super::builder::Builder;
use super::effects::has_call;
use crate::cfa::model::ModelError;
use crate::expr::{BvBin, BvCmp, ExprId, Sort, Value};

/// Bits of lengths and positions: strings have at most 65,536 characters; counts go up to two strings and one character.
const COUNT: u16 = 18;

/// Direction of moved characters.
#[derive(Clone, Copy)]
enum Direction {
    ToFront,
    ToBack,
}

impl Builder<'_, '_> {
    /// Returns the value of a string function, or the characters of its result. All arguments are evaluated first.
    pub(super) fn text(&mut self, function: Builtin, args: &[Expr], expr: &Expr) -> Result<Vec<ExprId>, ModelError> {
        let (texts, numbers) = self.text_arguments(args)?;
        self.check_size()?;
        let width = self.cx.project.text(expr.ty).map_or(8, |text| u16::from(text.bits));
        let length = self.cx.project.text(expr.ty).map_or(0, |text| text.length);
        let chars = match (function, texts.as_slice(), numbers.as_slice()) {
            (Builtin::Len, [text], []) => {
                let n = self.length(text);
                return Ok(vec![self.as_int(expr, n)]);
            }
            (Builtin::Find, [text, part], []) => {
                let found = self.find(text, part)?;
                return Ok(vec![self.as_int(expr, found)]);
            }
            (Builtin::Compare(op), [a, b], []) => return Ok(vec![self.compare(op, a, b)]),
            (Builtin::Left, [text], [l]) => self.take(text, *l),
            (Builtin::Right, [text], [l]) => {
                let n = self.length(text);
                let l = self.at_most(*l, n);
                let start = self.pool.bv(BvBin::Sub, n, l);
                self.shifted(text, start, Direction::ToFront)
            }
            (Builtin::Mid, [text], [l, p]) => {
                let start = self.before(*p);
                let rest = self.shifted(text, start, Direction::ToFront);
                self.take(&rest, *l)
            }
            (Builtin::Concat, texts, []) => {
                let mut all = Vec::new();
                for text in texts {
                    all = self.joined(&all, text, width, length)?;
                }
                all
            }
            (Builtin::Insert, [text, part], [p]) => self.spliced(text, *p, part, None, width, length)?,
            (Builtin::Delete, [text], [l, p]) => {
                let start = self.before(*p);
                self.spliced(text, start, &[], Some(*l), width, length)?
            }
            (Builtin::Replace, [text, part], [l, p]) => {
                let start = self.before(*p);
                self.spliced(text, start, part, Some(*l), width, length)?
            }
            (f, texts, numbers) => unreachable!("{f:?} has no meaning for {} and {} arguments", texts.len(), numbers.len()),
        };
        Ok(self.fitted(chars, width, length))
    }

    /// Returns the arguments: strings, each 0 from its end on, and numbers, each from 0 to a bound that no string reaches.
    fn text_arguments(&mut self, args: &[Expr]) -> Result<(Vec<Vec<ExprId>>, Vec<ExprId>), ModelError> {
        let last_call = args.iter().rposition(has_call).unwrap_or(0);
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        for (i, arg) in args.iter().enumerate() {
            let mut values = self.expr_all(arg)?;
            if i < last_call {
                values = values.into_iter().map(|v| self.hold(v)).collect();
            }
            match self.cx.project.text(arg.ty) {
                Some(_) => texts.push(self.cleaned(&values)),
                None => numbers.push(self.counted(arg, values[0])),
            }
        }
        Ok((texts, numbers))
    }

    /// Converts a string or a character to a string, or a string to its first character.
    pub(super) fn convert_text(&mut self, operand: &Expr, expr: &Expr) -> Result<Vec<ExprId>, ModelError> {
        let values = self.expr_all(operand)?;
        match self.cx.project.text(expr.ty) {
            Some(text) => Ok(self.fitted(values, u16::from(text.bits), text.length)),
            None => {
                let width = u16::from(self.int_of(expr.ty).bits);
                let first = values[0];
                Ok(vec![match self.pool.sort(first) {
                    Sort::BitVec(from) if from < width => self.pool.zero_extend(width, first),
                    Sort::BitVec(from) if width < from => self.pool.extract(width - 1, 0, first),
                    Sort::BitVec(_) | Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => first,
                }])
            }
        }
    }

    /// Returns the characters of a literal.
    pub(super) fn text_constant(&mut self, chars: &[u16], expr: &Expr) -> Vec<ExprId> {
        let Some(text) = self.cx.project.text(expr.ty) else { unreachable!("a string literal is a string") };
        let width = u16::from(text.bits);
        let constants = chars.iter().map(|c| self.pool.constant(Value::bv(width, u128::from(*c)))).collect();
        self.fitted(constants, width, text.length)
    }

    /// Returns the characters cut off, or padded with 0.
    fn fitted(&mut self, mut chars: Vec<ExprId>, width: u16, length: usize) -> Vec<ExprId> {
        let zero = self.pool.constant(Value::bv(width, 0));
        chars.resize(length, zero);
        chars
    }

    fn count(&mut self, n: usize) -> ExprId {
        self.pool.constant(Value::bv(COUNT, n as u128))
    }

    /// Returns a length or position: 0 for negative ones, at most 2^17.
    fn counted(&mut self, arg: &Expr, value: ExprId) -> ExprId {
        let int = self.int_of(arg.ty);
        let wide = self.extend(int.signed, 66, value);
        let zero = self.pool.constant(Value::bv(66, 0));
        let most = self.pool.constant(Value::bv(66, 1 << (COUNT - 1)));
        let negative = self.pool.bv_cmp(BvCmp::Slt, wide, zero);
        let large = self.pool.bv_cmp(BvCmp::Slt, most, wide);
        let low = self.pool.ite(large, most, wide);
        let value = self.pool.ite(negative, zero, low);
        self.pool.extract(COUNT - 1, 0, value)
    }

    /// Returns `p - 1`, but at least 0.
    fn before(&mut self, p: ExprId) -> ExprId {
        let (zero, one) = (self.count(0), self.count(1));
        let none = self.pool.eq(p, zero);
        let less = self.pool.bv(BvBin::Sub, p, one);
        self.pool.ite(none, zero, less)
    }

    fn at_most(&mut self, n: ExprId, most: ExprId) -> ExprId {
        let over = self.pool.bv_cmp(BvCmp::Ult, most, n);
        self.pool.ite(over, most, n)
    }

    /// Returns a count as a value of an expression's type.
    fn as_int(&mut self, expr: &Expr, n: ExprId) -> ExprId {
        let width = u16::from(self.int_of(expr.ty).bits);
        if width < COUNT { self.pool.extract(width - 1, 0, n) } else { self.pool.zero_extend(width, n) }
    }

    pub(super) fn is_end(&mut self, c: ExprId) -> ExprId {
        let zero = self.pool.constant(Value::zero(self.pool.sort(c)));
        self.pool.eq(c, zero)
    }

    /// Returns the characters, 0 from the first 0 on.
    pub(super) fn cleaned(&mut self, chars: &[ExprId]) -> Vec<ExprId> {
        let mut ended = self.pool.bool(false);
        let mut clean = Vec::with_capacity(chars.len());
        for c in chars {
            let zero = self.pool.constant(Value::zero(self.pool.sort(*c)));
            let end = self.is_end(*c);
            ended = self.pool.or(ended, end);
            clean.push(self.pool.ite(ended, zero, *c));
        }
        clean
    }

    /// Returns the number of characters before the end.
    fn length(&mut self, chars: &[ExprId]) -> ExprId {
        let mut n = self.count(chars.len());
        for (i, c) in chars.iter().enumerate().rev() {
            let here = self.count(i);
            let end = self.is_end(*c);
            n = self.pool.ite(end, here, n);
        }
        n
    }

    /// Returns the first `n` characters.
    fn take(&mut self, chars: &[ExprId], n: ExprId) -> Vec<ExprId> {
        let mut kept = Vec::with_capacity(chars.len());
        for (i, c) in chars.iter().enumerate() {
            let zero = self.pool.constant(Value::zero(self.pool.sort(*c)));
            let here = self.count(i);
            let inside = self.pool.bv_cmp(BvCmp::Ult, here, n);
            kept.push(self.pool.ite(inside, *c, zero));
        }
        kept
    }

    /// Returns the characters moved by `n`, with 0 behind or before them.
    fn shifted(&mut self, chars: &[ExprId], n: ExprId, way: Direction) -> Vec<ExprId> {
        let Some(first) = chars.first() else { return Vec::new() };
        let zero = self.pool.constant(Value::zero(self.pool.sort(*first)));
        let mut level = chars.to_vec();
        for bit in 0..COUNT {
            let set = self.pool.extract(bit, bit, n);
            let one = self.pool.constant(Value::bv(1, 1));
            let moves = self.pool.eq(set, one);
            let distance = 1usize << bit;
            level = (0..level.len())
                .map(|i| {
                    let from = match way {
                        Direction::ToFront => i.checked_add(distance),
                        Direction::ToBack => i.checked_sub(distance),
                    };
                    let moved = from.and_then(|from| level.get(from)).copied().unwrap_or(zero);
                    self.pool.ite(moves, moved, level[i])
                })
                .collect();
        }
        level
    }

    /// Returns one string behind the other, cut to `length`.
    fn joined(&mut self, a: &[ExprId], b: &[ExprId], width: u16, length: usize) -> Result<Vec<ExprId>, ModelError> {
        self.check_size()?;
        let end = self.length(a);
        let wanted = length.min(a.len() + b.len());
        let b = self.fitted(b.to_vec(), width, wanted);
        let b = self.shifted(&b, end, Direction::ToBack);
        let a = self.fitted(a.to_vec(), width, wanted);
        Ok(a.into_iter().zip(b).map(|(a, b)| self.pool.bv(BvBin::Or, a, b)).collect())
    }

    /// Returns `text` with `part` at `start`, instead of so many characters.
    fn spliced(
        &mut self,
        text: &[ExprId],
        start: ExprId,
        part: &[ExprId],
        instead: Option<ExprId>,
        width: u16,
        length: usize,
    ) -> Result<Vec<ExprId>, ModelError> {
        let n = self.length(text);
        let start = self.at_most(start, n);
        let front = self.take(text, start);
        let behind = match instead {
            Some(l) => {
                let l = self.at_most(l, n);
                self.pool.bv(BvBin::Add, start, l)
            }
            None => start,
        };
        let rest = self.shifted(text, behind, Direction::ToFront);
        // The result is cut at its end only: the parts are joined at full length.
        let whole = text.len() + part.len();
        let front = self.joined(&front, part, width, whole)?;
        let all = self.joined(&front, &rest, width, whole)?;
        Ok(self.fitted(all, width, length))
    }

    /// Returns the first position of `part`, from 1; 0 if there is none.
    fn find(&mut self, text: &[ExprId], part: &[ExprId]) -> Result<ExprId, ModelError> {
        let mut found = self.count(0);
        let Some(first) = part.first() else { return Ok(found) };
        let zero = self.pool.constant(Value::zero(self.pool.sort(*first)));
        for start in (0..text.len()).rev() {
            self.check_size()?;
            let mut here = self.pool.bool(true);
            for (i, c) in part.iter().enumerate().rev() {
                let end = self.is_end(*c);
                let there = text.get(start + i).copied().unwrap_or(zero);
                let same = self.pool.eq(there, *c);
                let goes_on = self.pool.and(same, here);
                here = self.pool.or(end, goes_on);
            }
            let place = self.count(start + 1);
            found = self.pool.ite(here, place, found);
        }
        let none = self.is_end(*first);
        let zero = self.count(0);
        // An empty string has no position. No part begins behind the text's end, where the characters are 0.
        Ok(self.pool.ite(none, zero, found))
    }

    fn compare(&mut self, op: BinOp, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let Some(first) = a.first().or(b.first()) else { return self.pool.bool(true) };
        let zero = self.pool.constant(Value::zero(self.pool.sort(*first)));
        let (mut equal, mut less) = (self.pool.bool(true), self.pool.bool(false));
        for i in (0..a.len().max(b.len())).rev() {
            let (x, y) = (a.get(i).copied().unwrap_or(zero), b.get(i).copied().unwrap_or(zero));
            let (same, below) = (self.pool.eq(x, y), self.pool.bv_cmp(BvCmp::Ult, x, y));
            equal = self.pool.and(same, equal);
            less = self.pool.ite(same, less, below);
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "the other operators compare nothing")]
        match op {
            BinOp::Eq => equal,
            BinOp::Ne => self.pool.not(equal),
            BinOp::Lt => less,
            BinOp::Le => self.pool.or(less, equal),
            BinOp::Gt => {
                let no_more = self.pool.or(less, equal);
                self.pool.not(no_more)
            }
            BinOp::Ge => self.pool.not(less),
            _ => unreachable!("{op:?} is not a comparison"),
        }
    }
}
