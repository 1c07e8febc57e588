//! Known conversions of strings to numbers, as [`plc_frontend::hir::Conversion`] lists them.
//!
//! Only as many characters matter as the type's largest number has digits, and one more on each side.

use plc_frontend::hir::{Expr, ExprKind, IntType, Type};

use super::builder::Builder;
use crate::cfa::model::ModelError;
use crate::expr::{BvBin, BvCmp, ExprId, Sort, Value};

/// Characters that may continue a number behind its digits.
const JOINTS: &[u8] = b"_#eExX";

impl Builder<'_, '_> {
    /// Returns the condition that the value of a string's conversion is known, and the value. `None` for other conversions, and
    /// for values that are never known.
    pub(super) fn known_reading(&mut self, conversion: &Expr) -> Result<Option<(ExprId, ExprId)>, ModelError> {
        let ExprKind::Convert(_, operand) = &conversion.kind else { return Ok(None) };
        let project = self.cx.project;
        if project.text(operand.ty).is_none() {
            return Ok(None);
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "a type that is not listed is never known, which is sound")]
        let int = match &project.types[conversion.ty].ty {
            Type::Bool => None,
            Type::Int(int) => Some(*int),
            Type::Bits(_) if project.converts_beginning => Some(self.int_of(conversion.ty)),
            _ => return Ok(None),
        };
        let values = self.expr_all(operand)?;
        let chars = self.cleaned(&values);
        self.check_size()?;
        Ok(Some(match int {
            Some(int) => self.whole(int, &chars),
            None => self.truth(&chars),
        }))
    }

    /// Returns a whole number in decimal.
    fn whole(&mut self, int: IntType, chars: &[ExprId]) -> (ExprId, ExprId) {
        let width = u16::from(int.bits) + 8;
        let most_digits = int.max().to_string().len();
        let negative = self.is_char(chars, 0, b'-');
        let mut size = self.pool.constant(Value::bv(width, 0));
        let ten = self.pool.constant(Value::bv(width, 10));
        let (mut digits_only, mut ended) = (self.pool.bool(true), self.pool.bool(false));
        for i in 0..=most_digits {
            let (plain, behind_minus) = (self.char_at(chars, i), self.char_at(chars, i + 1));
            let c = self.pool.ite(negative, behind_minus, plain);
            let is_digit = self.is_within(c, b'0', b'9');
            if 0 < i {
                let ends = self.ends_number(c);
                let no_digit = self.pool.not(is_digit);
                let here = self.pool.and_all([digits_only, no_digit, ends]);
                ended = self.pool.or(ended, here);
            }
            digits_only = self.pool.and(digits_only, is_digit);
            if i < most_digits {
                let digit = self.pool.extract(3, 0, c);
                let digit = self.pool.zero_extend(width, digit);
                let shifted = self.pool.bv(BvBin::Mul, size, ten);
                let longer = self.pool.bv(BvBin::Add, shifted, digit);
                size = self.pool.ite(digits_only, longer, size);
            }
        }
        let most = self.pool.constant(Value::int(width, int.max()));
        let most_below_zero = self.pool.constant(Value::int(width, -int.min()));
        let most = self.pool.ite(negative, most_below_zero, most);
        let over = self.pool.bv_cmp(BvCmp::Ult, most, size);
        let mut known = self.pool.not(over);
        known = self.pool.and(known, ended);
        if !int.signed {
            let positive = self.pool.not(negative);
            known = self.pool.and(known, positive);
        }
        let zero = self.pool.constant(Value::bv(width, 0));
        let opposite = self.pool.bv(BvBin::Sub, zero, size);
        let value = self.pool.ite(negative, opposite, size);
        let value = self.pool.extract(u16::from(int.bits) - 1, 0, value);
        if !self.cx.project.converts_beginning {
            return (known, value);
        }
        let word = self.is_word(chars);
        let zero = self.pool.constant(Value::bv(u16::from(int.bits), 0));
        (self.pool.or(word, known), self.pool.ite(word, zero, value))
    }

    fn truth(&mut self, chars: &[ExprId]) -> (ExprId, ExprId) {
        let (yes, mut no) = (self.spells(chars, b"TRUE"), self.spells(chars, b"FALSE"));
        if self.cx.project.converts_beginning {
            let (word, upper, lower) = (self.is_word(chars), self.is_char(chars, 0, b'T'), self.is_char(chars, 0, b't'));
            let t = self.pool.or(upper, lower);
            let other = self.pool.not(t);
            let other = self.pool.and(word, other);
            no = self.pool.or(no, other);
        }
        (self.pool.or(yes, no), yes)
    }

    /// Returns whether a number ends before this character.
    fn ends_number(&mut self, c: ExprId) -> ExprId {
        if !self.cx.project.converts_beginning {
            return self.is_end(c);
        }
        let joints: Vec<ExprId> = JOINTS.iter().map(|joint| self.is_within(c, *joint, *joint)).collect();
        let joined = self.pool.or_all(joints);
        self.pool.not(joined)
    }

    /// Returns whether a text is empty, or begins with a letter and has no `#`.
    fn is_word(&mut self, chars: &[ExprId]) -> ExprId {
        let first = self.char_at(chars, 0);
        let (upper, lower) = (self.is_within(first, b'A', b'Z'), self.is_within(first, b'a', b'z'));
        let empty = self.is_end(first);
        let begins = self.pool.or_all([upper, lower, empty]);
        let signs: Vec<ExprId> = (0..chars.len()).map(|i| self.is_char(chars, i, b'#')).collect();
        let typed = self.pool.or_all(signs);
        let plain = self.pool.not(typed);
        self.pool.and(begins, plain)
    }

    fn spells(&mut self, chars: &[ExprId], word: &[u8]) -> ExprId {
        let same: Vec<ExprId> = word.iter().enumerate().map(|(i, c)| self.is_char(chars, i, *c)).collect();
        let behind = self.char_at(chars, word.len());
        let end = self.is_end(behind);
        let same = self.pool.and_all(same);
        self.pool.and(same, end)
    }

    /// Returns a character, 0 behind the last one.
    fn char_at(&mut self, chars: &[ExprId], i: usize) -> ExprId {
        let width = chars.first().map_or(Sort::BitVec(8), |c| self.pool.sort(*c));
        chars.get(i).copied().unwrap_or_else(|| self.pool.constant(Value::zero(width)))
    }

    fn is_char(&mut self, chars: &[ExprId], i: usize, c: u8) -> ExprId {
        let found = self.char_at(chars, i);
        self.is_within(found, c, c)
    }

    fn is_within(&mut self, c: ExprId, low: u8, high: u8) -> ExprId {
        let Sort::BitVec(width) = self.pool.sort(c) else { unreachable!("a character is a bit vector") };
        let (low, high) = (Value::bv(width, u128::from(low)), Value::bv(width, u128::from(high)));
        let (low, high) = (self.pool.constant(low), self.pool.constant(high));
        if low == high {
            return self.pool.eq(c, low);
        }
        let (above, below) = (self.pool.bv_cmp(BvCmp::Ule, low, c), self.pool.bv_cmp(BvCmp::Ule, c, high));
        self.pool.and(above, below)
    }
}
