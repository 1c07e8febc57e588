//! Statements of shift registers and stacks: BSL, BSR, FFL, FFU, LFL and LFU, with a CONTROL structure each.

use std::ops::Range;

use super::arrays::Place;
use super::counters::member;
use super::key;
use super::ladder::Writer;
use super::operands::{STEP, call_at, class_of};
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Expr, ExprKind, Literal, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Most words of a shift register.
const MOST_WORDS: u64 = 64;

/// Most elements of a stack.
const MOST_ELEMENTS: u64 = 256;

/// Words for a shift register whose length is none that is modelled.
const LENGTH: &str = "BSL or BSR where LEN of its CONTROL is below 1, beyond its array, or not the length of its rung";

/// Words for a stack whose numbers are none that are modelled.
const LIMITS: &str = "FFL, FFU, LFL or LFU where LEN of its CONTROL is below 1 or beyond its array, or POS is outside of LEN";

impl Writer<'_> {
    /// Writes an instruction of a shift register or stack; `Ok(false)` for other instructions.
    pub(super) fn register(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        span: Span,
    ) -> Result<bool, &'static str> {
        match (name, texts) {
            ("BSL" | "BSR", [array, control, source, length]) => {
                self.shift(name == "BSL", [array, control, source, length], state, span)?;
            }
            ("FFL" | "LFL", [source, array, control, ..]) => {
                let stack = self.stack(array, control, span)?;
                let source = self.number(source)?;
                self.look_at(std::slice::from_ref(&source), span);
                let value = self.scope.as_type(&stack.place.ty, source);
                self.stacked(&stack, stack.load(value), "EN", state)?;
            }
            ("FFU" | "LFU", [array, target, control, ..]) => {
                let stack = self.stack(array, control, span)?;
                let target = self.target(target)?;
                let root = root_of(&target);
                if root == root_of(&stack.control) || root == stack.place.root() {
                    return Err(self.because("its destination is a part of its array or CONTROL".to_owned()));
                }
                self.look_at(std::slice::from_ref(&target), span);
                let value = if name == "FFU" { stack.element(integer(0, span)) } else { stack.element(stack.position()) };
                let value = self.scope.converted(&target, value);
                let zero = self.scope.converted(&target, integer(0, span));
                let taken = if name == "FFU" { stack.first(&target, value) } else { stack.last(&target, value) };
                let is_filled = binary(BinOp::Gt, stack.position(), integer(0, span), span);
                let empty = vec![Stmt::assign(target, zero, span)];
                let unload = vec![Stmt { kind: StmtKind::If(vec![(is_filled, taken)], empty), span }];
                self.stacked(&stack, unload, "EU", state)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes BSL and BSR, which shift whole words.
    ///
    /// Soundness: the manuals call the bits beyond the length invalid. They shift along, and answers name it.
    fn shift(
        &mut self,
        is_left: bool,
        [array, control, source, length]: [&Range<usize>; 4],
        state: &Expr,
        span: Span,
    ) -> Result<(), &'static str> {
        let control = self.structure(control, &["CONTROL"])?;
        let place = self.array(array)?;
        let n_words = place.length.saturating_sub(place.first).min(MOST_WORDS);
        let mut source = self.bit(source)?;
        let root = root_of(&source);
        if key(&place.ty) != "DINT" || n_words == 0 {
            return Err(self.refuse(array, "is no DINT or element of a DINT array"));
        }
        if root == place.root() || root == root_of(&control) {
            return Err(self.because("its source bit is a part of its array or CONTROL".to_owned()));
        }
        self.look_at(std::slice::from_ref(&source), span);
        self.scope.exact(&mut source);
        let register = Register { place, control, n_words, span };
        for bit in ["EN", "DN", "ER"] {
            self.prescan(&register.member(bit), Expr::truth(false, span), span)?;
        }
        self.prescan(&register.member("POS"), integer(0, span), span)?;
        let fixed = self.operand(length).ok().filter(|length| matches!(length.kind, ExprKind::Literal(None, Literal::Int(_))));
        let is_whole = fixed.as_ref().is_some_and(|e| matches!(e.kind, ExprKind::Literal(_, Literal::Int(n)) if n % 32 == 0));
        if !is_whole {
            self.scope.assume("bits of a shift register beyond its length: they shift along");
        }
        let beyond = register.beyond(fixed);
        let mut shift = vec![Stmt::when(beyond, vec![Stmt::unsupported(LENGTH, span)], span)];
        shift.push(Stmt::assign(register.member("EN"), Expr::truth(true, span), span));
        shift.extend(if is_left { register.left(&source) } else { register.right(&source) });
        shift.push(Stmt::assign(register.member("POS"), register.member("LEN"), span));
        shift.push(Stmt::assign(register.member("DN"), Expr::truth(true, span), span));
        let shift = vec![Stmt::when(not(register.member("EN")), shift, span)];
        let cleared = ["EN", "DN", "ER"].map(|bit| Stmt::assign(register.member(bit), Expr::truth(false, span), span));
        let mut rest = cleared.to_vec();
        rest.push(Stmt::assign(register.member("POS"), integer(0, span), span));
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), shift)], rest), span });
        Ok(())
    }

    /// Returns an operand that is an array at a constant place.
    pub(super) fn array(&self, range: &Range<usize>) -> Result<Place, &'static str> {
        let array = self.operand(range)?;
        self.scope.place(&array).ok_or_else(|| self.refuse(range, "is no array at a constant place, or an InOut parameter"))
    }

    fn stack(&self, array: &Range<usize>, control: &Range<usize>, span: Span) -> Result<Stack, &'static str> {
        let control = self.structure(control, &["CONTROL"])?;
        let place = self.array(array)?;
        let n_elements = place.length.saturating_sub(place.first);
        let is_number = class_of(&place.ty).is_some_and(|class| class != super::operands::Class::Bit);
        if !is_number || n_elements == 0 || MOST_ELEMENTS < n_elements {
            return Err(self.refuse(array, &format!("is no array of numbers, or has more than {MOST_ELEMENTS} elements")));
        }
        if place.root() == root_of(&control) {
            return Err(self.because("its array and CONTROL are parts of one tag".to_owned()));
        }
        Ok(Stack { place, control, n_elements, span })
    }

    /// Writes the load or unload of a stack where its rung becomes TRUE, and the bits of its fill.
    fn stacked(&mut self, stack: &Stack, action: Vec<Stmt>, enable: &str, state: &Expr) -> Result<(), &'static str> {
        let span = stack.span;
        self.scope.assume("bits DN and EM of a stack: they follow its position in every scan");
        let enable = stack.member(enable);
        let bool = |value| Expr::truth(value, span);
        self.prescan(&enable, bool(true), span)?;
        let compared = |op, left: &str, right: Expr| binary(op, stack.member(left), right, span);
        let zero = || integer(0, span);
        let faults = [
            compared(BinOp::Le, "LEN", zero()),
            compared(BinOp::Lt, "POS", zero()),
            compared(BinOp::Gt, "POS", stack.member("LEN")),
            compared(BinOp::Gt, "LEN", integer(i128::from(stack.n_elements), span)),
        ];
        let faults = crate::ast::build::joined(BinOp::Or, faults.to_vec(), |_| span).unwrap_or_else(|| bool(true));
        self.when(&faults, vec![Stmt::unsupported(LIMITS, span)], span);
        let mut once = vec![Stmt::assign(enable.clone(), bool(true), span)];
        once.extend(action);
        let once = vec![Stmt::when(not(enable.clone()), once, span)];
        let rest = vec![Stmt::assign(enable, bool(false), span)];
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), once)], rest), span });
        self.ladder.stmts.push(Stmt::assign(stack.member("EM"), compared(BinOp::Eq, "POS", zero()), span));
        self.ladder.stmts.push(Stmt::assign(stack.member("DN"), compared(BinOp::Ge, "POS", stack.member("LEN")), span));
        Ok(())
    }
}

/// Words of a shift register.
struct Register {
    place: Place,
    control: Expr,
    n_words: u64,
    span: Span,
}

impl Register {
    fn member(&self, name: &str) -> Expr {
        member(&self.control, name, self.span)
    }

    fn word(&self, at: u64) -> Expr {
        element(&self.place, integer(i128::from(self.place.first + at), self.span))
    }

    fn bit(&self, word: u64, position: Expr) -> Expr {
        call_at("BIT__DINT", vec![self.word(word), position], self.span)
    }

    /// Returns whether a word has bits of the register.
    fn reaches(&self, word: u64) -> Expr {
        binary(BinOp::Lt, integer(32 * i128::from(word), self.span), self.member("LEN"), self.span)
    }

    /// Returns the position of the last bit of the register within a word.
    fn last(&self, word: u64) -> Expr {
        let before = integer(-(32 * i128::from(word) + 1), self.span);
        call_at(STEP, vec![self.member("LEN"), before], self.span)
    }

    /// Returns whether the length is none that the instruction takes.
    fn beyond(&self, fixed: Option<Expr>) -> Expr {
        let most = integer(32 * i128::from(self.n_words), self.span);
        let length = || self.member("LEN");
        let is_long = binary(BinOp::Gt, length(), most, self.span);
        let is_short = binary(BinOp::Le, length(), integer(0, self.span), self.span);
        let mut beyond = binary(BinOp::Or, is_long, is_short, self.span);
        if let Some(fixed) = fixed {
            let differs = binary(BinOp::Ne, length(), fixed, self.span);
            beyond = binary(BinOp::Or, beyond, differs, self.span);
        }
        beyond
    }

    fn left(&self, source: &Expr) -> Vec<Stmt> {
        let span = self.span;
        // The last word that has bits gives the bit that leaves.
        let mut stmts: Vec<Stmt> = (0..self.n_words)
            .map(|word| {
                let unloaded = Stmt::assign(self.member("UL"), self.last_bit(word), span);
                Stmt::when(self.is_last(word), vec![unloaded], span)
            })
            .collect();
        for word in (0..self.n_words).rev() {
            let carry = if word == 0 { source.clone() } else { self.bit(word - 1, integer(31, span)) };
            let value = call_at("SHIFT_LEFT__DINT", vec![self.word(word), carry], span);
            stmts.push(Stmt::when(self.reaches(word), vec![Stmt::assign(self.word(word), value, span)], span));
        }
        stmts
    }

    fn right(&self, source: &Expr) -> Vec<Stmt> {
        let span = self.span;
        let mut stmts = vec![Stmt::assign(self.member("UL"), self.bit(0, integer(0, span)), span)];
        for word in 0..self.n_words {
            let shifted = |carry| call_at("SHIFT_RIGHT__DINT", vec![self.word(word), carry], span);
            let assign = |value| vec![Stmt::assign(self.word(word), value, span)];
            let next = word + 1;
            let mut ways = Vec::new();
            if next < self.n_words {
                ways.push((self.reaches(next), assign(shifted(self.bit(next, integer(0, span))))));
            }
            let set = call_at("SET_BIT__DINT", vec![shifted(Expr::truth(false, span)), self.last(word), source.clone()], span);
            ways.push((self.reaches(word), assign(set)));
            stmts.push(Stmt { kind: StmtKind::If(ways, Vec::new()), span });
        }
        stmts
    }

    fn is_last(&self, word: u64) -> Expr {
        let end = integer(32 * i128::from(word + 1), self.span);
        let is_end = binary(BinOp::Le, self.member("LEN"), end, self.span);
        binary(BinOp::And, self.reaches(word), is_end, self.span)
    }

    fn last_bit(&self, word: u64) -> Expr {
        self.bit(word, self.last(word))
    }
}

/// Elements of a stack.
struct Stack {
    place: Place,
    control: Expr,
    n_elements: u64,
    span: Span,
}

impl Stack {
    fn member(&self, name: &str) -> Expr {
        member(&self.control, name, self.span)
    }

    fn position(&self) -> Expr {
        self.member("POS")
    }

    /// Returns the element at a position of the stack.
    fn element(&self, position: Expr) -> Expr {
        let index = match (&position.kind, self.place.first) {
            (ExprKind::Literal(None, Literal::Int(number)), first) => integer(number + i128::from(first), self.span),
            (_, 0) => position,
            (_, first) => call_at(STEP, vec![position, integer(i128::from(first), self.span)], self.span),
        };
        element(&self.place, index)
    }

    fn moved(&self, by: i128) -> Stmt {
        Stmt::assign(self.position(), call_at(STEP, vec![self.position(), integer(by, self.span)], self.span), self.span)
    }

    /// Returns statements that store a value at the position, unless the stack is full.
    fn load(&self, value: Expr) -> Vec<Stmt> {
        let has_room = binary(BinOp::Lt, self.position(), self.member("LEN"), self.span);
        let store = Stmt::assign(self.element(self.position()), value, self.span);
        vec![Stmt::when(has_room, vec![store, self.moved(1)], self.span)]
    }

    /// Returns statements that take the first element; the others move down, and 0 follows.
    fn first(&self, target: &Expr, value: Expr) -> Vec<Stmt> {
        let span = self.span;
        let mut stmts = vec![Stmt::assign(target.clone(), value, span)];
        for at in 1..i128::from(self.n_elements) {
            let is_inside = binary(BinOp::Lt, integer(at, span), self.member("LEN"), span);
            let (down, up) = (self.element(integer(at - 1, span)), self.element(integer(at, span)));
            stmts.push(Stmt::when(is_inside, vec![Stmt::assign(down, up, span)], span));
        }
        let last = call_at(STEP, vec![self.member("LEN"), integer(-1, span)], span);
        stmts.push(Stmt::assign(self.element(last), self.zero(), span));
        stmts.push(self.moved(-1));
        stmts
    }

    /// Returns statements that take the last element, which becomes 0.
    fn last(&self, target: &Expr, value: Expr) -> Vec<Stmt> {
        let store = Stmt::assign(target.clone(), value, self.span);
        let clear = Stmt::assign(self.element(self.position()), self.zero(), self.span);
        vec![self.moved(-1), store, clear]
    }

    fn zero(&self) -> Expr {
        let is_real = class_of(&self.place.ty) == Some(super::operands::Class::Real);
        let literal = if is_real { Literal::Real("0.0".to_owned()) } else { Literal::Int(0) };
        Expr { kind: ExprKind::Literal(None, literal), span: self.span }
    }
}

pub(super) fn element(place: &Place, index: Expr) -> Expr {
    let mut element = place.array.clone();
    if let ExprKind::Name(name) = &mut element.kind
        && place.is_array
    {
        let span = index.span;
        name.path.push(NameElem::Index(vec![index], span));
    }
    element
}

pub(super) fn root_of(e: &Expr) -> Option<String> {
    if let ExprKind::Name(name) = &e.kind { Some(key(&name.root.text)) } else { None }
}
