//! Statements of sequencers and of FAL: SQI, SQO, SQL, and FAL in its mode ALL, with a CONTROL structure each.
//!
//! Sources: 1756-RM003N, pages 438 (SQI), 442 (SQO), 446 (SQL) and 382 (prescan of AVE, which is a FAL in mode ALL); help of Studio 5000.

use std::ops::Range;

use super::arrays::Place;
use super::counters::member;
use super::ladder::Writer;
use super::numbers::{bits, complement};
use super::operands::{Class, STEP, call_at, class_of};
use super::registers::{element, root_of};
use super::types::integer;
use crate::ast::build::{binary, joined, not};
use crate::ast::{Expr, ExprKind, Literal, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Words for a control structure whose numbers the instruction does not take.
const LIMITS: &str = "sequencer or FAL with a position or length that it does not take";

/// Words for results of FAL that set its bit ER on some controllers.
const ERROR: &str = "FAL with a result that does not fit or a divisor of zero: it goes on with the next element";

impl Writer<'_> {
    /// Writes SQO, SQL or FAL; `Ok(false)` for other instructions and modes.
    pub(super) fn sequenced(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        span: Span,
    ) -> Result<bool, &'static str> {
        match (name, texts) {
            ("SQO", [array, mask, target, control, ..]) => self.output_step([array, mask, target, control], state, span)?,
            ("SQL", [array, source, control, ..]) => self.load_step([array, source, control], state, span)?,
            ("FAL", [control, _, _, mode, target, expression]) if self.text(mode).eq_ignore_ascii_case("ALL") => {
                self.all_elements([control, target, expression], state, span)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes SQO: the position moves where the rung becomes TRUE; the step is put out in each scan of a TRUE rung.
    fn output_step(
        &mut self,
        [array, mask, target, control]: [&Range<usize>; 4],
        state: &Expr,
        span: Span,
    ) -> Result<(), &'static str> {
        let control = self.structure(control, &["CONTROL"])?;
        let place = self.table(array, &control)?;
        let target = self.target(target)?;
        if root_of(&target) == root_of(&control) {
            return Err(self.because("its destination is a part of its CONTROL".to_owned()));
        }
        if self.scope.class(&target) != Some(Class::Integer) {
            return Err(self.because("its destination is a REAL".to_owned()));
        }
        let mask = self.bits_of(mask)?;
        let steps = Steps { place, control, span };
        self.look_at(&[target.clone(), mask.clone()], span);
        self.prescan(&steps.member("EN"), Expr::truth(true, span), span)?;
        let mut stmts = self.moved(&steps, Vec::new());
        let old = bits(BinOp::And, self.scope.filled(target.clone()), complement(mask.clone()), span);
        let new = bits(BinOp::And, self.scope.filled(steps.current()), mask, span);
        let value = self.scope.converted(&target, bits(BinOp::Or, old, new, span));
        stmts.push(Stmt::assign(target, value, span));
        self.stepped(&steps, stmts, state);
        Ok(())
    }

    /// Writes SQL: the position moves as that of SQO; the source becomes the step at the position in each scan of a TRUE rung.
    ///
    /// Soundness: by the page a length beyond the array is a major fault, by the help only a position there. So it is a gap.
    fn load_step(&mut self, [array, source, control]: [&Range<usize>; 3], state: &Expr, span: Span) -> Result<(), &'static str> {
        let control = self.structure(control, &["CONTROL"])?;
        let place = self.table(array, &control)?;
        let value = self.number(source)?;
        if self.scope.class(&value) != Some(Class::Integer) || root_of(&value) == root_of(&control) {
            return Err(self.refuse(source, "is no integer, or a part of its CONTROL"));
        }
        let n_elements = i128::from(place.length.saturating_sub(place.first));
        let steps = Steps { place, control, span };
        self.look_at(std::slice::from_ref(&value), span);
        self.prescan(&steps.member("EN"), Expr::truth(true, span), span)?;
        let mut stmts = self.moved(&steps, vec![steps.compared(BinOp::Gt, "LEN", integer(n_elements, span))]);
        let value = self.scope.as_type(&steps.place.ty, value);
        stmts.push(Stmt::assign(steps.current(), value, span));
        self.stepped(&steps, stmts, state);
        Ok(())
    }

    /// Returns the statements that move the position of SQO or SQL where its rung becomes TRUE, and set DN.
    ///
    /// Soundness: the charts set DN at the last position and do not show where it is cleared. So it may stay TRUE.
    fn moved(&mut self, steps: &Steps, mut refused: Vec<Expr>) -> Vec<Stmt> {
        let span = steps.span;
        let bool = |value| Expr::truth(value, span);
        let was_last = self.keep(steps.compared(BinOp::Eq, "POS", steps.member("LEN")), span);
        let zero = || integer(0, span);
        refused.extend([steps.compared(BinOp::Le, "LEN", zero()), steps.compared(BinOp::Lt, "POS", zero())]);
        let mut stmts = vec![steps.gap(refused)];
        let next = call_at(STEP, vec![steps.member("POS"), integer(1, span)], span);
        let first = vec![Stmt::assign(steps.member("POS"), integer(1, span), span)];
        let is_beyond = steps.compared(BinOp::Ge, "POS", steps.member("LEN"));
        let moved = StmtKind::If(vec![(is_beyond, first)], vec![Stmt::assign(steps.member("POS"), next, span)]);
        let once = vec![
            Stmt::assign(steps.member("EN"), bool(true), span),
            Stmt::assign(steps.member("ER"), bool(false), span),
            Stmt { kind: moved, span },
        ];
        stmts.push(Stmt::when(not(steps.member("EN")), once, span));
        stmts.push(steps.gap(vec![steps.compared(BinOp::Gt, "POS", steps.member("LEN"))]));
        let any = call_at("NOT_MODELLED__BOOL", Vec::new(), span);
        let kept = binary(BinOp::And, binary(BinOp::Or, steps.member("DN"), was_last, span), any, span);
        let is_last = steps.compared(BinOp::Eq, "POS", steps.member("LEN"));
        stmts.push(Stmt::assign(steps.member("DN"), binary(BinOp::Or, is_last, kept, span), span));
        stmts
    }

    /// Adds the statements of a sequencer: a FALSE rung clears EN.
    fn stepped(&mut self, steps: &Steps, stmts: Vec<Stmt>, state: &Expr) {
        let rest = vec![Stmt::assign(steps.member("EN"), Expr::truth(false, steps.span), steps.span)];
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), stmts)], rest), span: steps.span });
    }

    /// Writes SQI: the rung goes on where the bits of the source are those of the step. `None` for other instructions.
    pub(super) fn input_step(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        span: Span,
    ) -> Result<Option<Expr>, &'static str> {
        let ("SQI", [array, mask, source, control, ..]) = (name, texts) else { return Ok(None) };
        let control = self.structure(control, &["CONTROL"])?;
        let place = self.table(array, &control)?;
        let (source, mask) = (self.bits_of(source)?, self.bits_of(mask)?);
        let steps = Steps { place, control, span };
        let outside = [
            steps.compared(BinOp::Le, "LEN", integer(0, span)),
            steps.compared(BinOp::Lt, "POS", integer(0, span)),
            steps.compared(BinOp::Gt, "POS", steps.member("LEN")),
        ];
        let outside = self.keep(joined(BinOp::Or, outside.to_vec(), |_| span).unwrap_or_else(|| Expr::truth(true, span)), span);
        self.when(state, vec![Stmt::assign(steps.member("ER"), outside.clone(), span)], span);
        let masked = |value: Expr| bits(BinOp::And, value, mask.clone(), span);
        let step = self.scope.filled(steps.current());
        let is_equal = binary(BinOp::Eq, masked(source), masked(step), span);
        let state = self.keep(binary(BinOp::And, state.clone(), not(outside), span), span);
        Ok(Some(self.tested(state, is_equal, span)))
    }

    /// Writes FAL in mode ALL: where the rung becomes TRUE, the expression is computed for each position up to the length.
    ///
    /// Soundness: sources disagree whether the position becomes 0 in each scan of a FALSE rung or only behind DN. So either may be.
    fn all_elements(
        &mut self,
        [control, target, expression]: [&Range<usize>; 3],
        state: &Expr,
        span: Span,
    ) -> Result<(), &'static str> {
        let written = self.structure(control, &["CONTROL"])?;
        let target = self.target(target)?;
        if root_of(&target) == root_of(&written) {
            return Err(self.because("its destination is a part of its CONTROL".to_owned()));
        }
        let mut value = self.operand(expression)?;
        self.look_apart(&[target.clone(), value.clone()], &written, span);
        self.scope.exact(&mut value);
        let is_number = matches!(self.scope.class(&value), Some(Class::Integer | Class::Real));
        if !is_number || self.scope.is_mixed(&value) || !self.scope.shapes.before.borrow().is_empty() {
            return Err(self.because("an expression with bits and numbers, or numbers of unknown types".to_owned()));
        }
        // A divisor is tested before each element.
        let divisors = std::mem::take(&mut *self.scope.shapes.divisors.borrow_mut());
        self.scope.note_fraction(&target, &value);
        self.scope.assume(ERROR);
        let value = self.scope.converted(&target, value);
        let steps = Steps {
            place: Place { array: target.clone(), first: 0, length: 1, ty: String::new(), is_array: false },
            control: written,
            span,
        };
        let bool = |value| Expr::truth(value, span);
        for bit in ["EN", "DN", "ER"] {
            self.prescan(&steps.member(bit), bool(false), span)?;
        }
        let refused = [
            steps.compared(BinOp::Lt, "POS", integer(0, span)),
            steps.compared(BinOp::Ge, "POS", steps.member("LEN")),
            steps.member("ER"),
        ];
        let mut body = if divisors.is_empty() { Vec::new() } else { super::calls::not_zero(divisors) };
        if !body.is_empty() {
            self.scope.shapes.divides.set(true);
        }
        body.push(Stmt::assign(target, value, span));
        let next = call_at(STEP, vec![steps.member("POS"), integer(1, span)], span);
        body.push(Stmt::assign(steps.member("POS"), next, span));
        let is_inside = steps.compared(BinOp::Lt, "POS", steps.member("LEN"));
        let once = vec![
            steps.gap(refused.to_vec()),
            Stmt::assign(steps.member("EN"), bool(true), span),
            Stmt { kind: StmtKind::While(is_inside, body), span },
            Stmt::assign(steps.member("DN"), bool(true), span),
        ];
        let once = vec![Stmt::when(not(steps.member("EN")), once, span)];
        let any = call_at("NOT_MODELLED__BOOL", Vec::new(), span);
        let is_reset = binary(BinOp::Or, steps.member("DN"), any, span);
        let zero = vec![Stmt::assign(steps.member("POS"), integer(0, span), span)];
        let cleared = ["EN", "DN"].map(|bit| Stmt::assign(steps.member(bit), bool(false), span));
        let rest = std::iter::once(Stmt::when(is_reset, zero, span)).chain(cleared).collect();
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), once)], rest), span });
        Ok(())
    }

    /// Returns an operand that is an array of integers at a constant place and no part of the control structure.
    fn table(&self, range: &Range<usize>, control: &Expr) -> Result<Place, &'static str> {
        let place = self.array(range)?;
        if class_of(&place.ty) != Some(Class::Integer) || !place.is_array {
            return Err(self.refuse(range, "is no array of integers"));
        }
        if place.root() == root_of(control) {
            return Err(self.because("its array and CONTROL are parts of one tag".to_owned()));
        }
        Ok(place)
    }
}

/// Steps of a sequencer.
struct Steps {
    place: Place,
    control: Expr,
    span: Span,
}

impl Steps {
    fn member(&self, name: &str) -> Expr {
        member(&self.control, name, self.span)
    }

    fn compared(&self, op: BinOp, name: &str, other: Expr) -> Expr {
        binary(op, self.member(name), other, self.span)
    }

    /// Returns the step at the position.
    fn current(&self) -> Expr {
        let position = self.member("POS");
        let index = match self.place.first {
            0 => position,
            first => call_at(STEP, vec![position, integer(i128::from(first), self.span)], self.span),
        };
        element(&self.place, index)
    }

    /// Returns the gap where one of these conditions is TRUE.
    fn gap(&self, conditions: Vec<Expr>) -> Stmt {
        let any = joined(BinOp::Or, conditions, |_| self.span);
        let any = any.unwrap_or(Expr { kind: ExprKind::Literal(None, Literal::Bool(true)), span: self.span });
        Stmt::when(any, vec![Stmt::unsupported(LIMITS, self.span)], self.span)
    }
}
