//! Operators of Logix that differ from those of the other languages, and the walk over expressions.

use super::calls::Scope;
use super::key;
use super::numbers::{bits, complement, root};
use super::operands::{Class, DIVIDE, OUT_OF_RANGE, POWER, QUOTIENT, REMAINDER, TRUNCATE, call_at};
use super::strings::{hidden, keep};
use super::subroutines::number as signed;
use super::types::is_integer;
use crate::ast::build::not;
use crate::ast::{Arg, Expr, ExprKind, Literal, Name, NameElem, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};
use crate::text::Span;

/// Functions that are not modelled for all of their operands.
const FUNCTIONS: &[&str] = &["TRUNC", "EXPT", "**"];

/// Words for powers outside of their domain.
const DOMAIN: &str = "power of a negative number with an exponent that is no integer, a minor fault: its result is no number";

impl Scope<'_> {
    /// Gives all operations of an expression the form of the other languages.
    pub(super) fn exact(&self, e: &mut Expr) {
        inside(e, &mut |e| self.exact_operation(e));
    }

    /// Gives one operation the form of the other languages: bits of numbers, and division, which has a result for zero.
    pub(super) fn exact_operation(&self, e: &mut Expr) {
        let span = e.span;
        self.mixed(e);
        match &e.kind {
            ExprKind::Name(_) if self.position(e).is_some() => {
                let Some((number, ty, position)) = self.position(e) else { return };
                *e = call_at(&format!("BIT__{ty}"), vec![number, position], span);
            }
            ExprKind::Call(name, args) if key(&name.root.text) == "SQRT" && name.path.is_empty() => {
                e.kind = match args.as_slice() {
                    [Arg::Positional(number)] if self.class(number) == Some(Class::Real) => root(number.clone()).kind,
                    _ => ExprKind::Literal(None, Literal::Opaque("function SQRT of integers")),
                };
            }
            ExprKind::Call(name, args) if name.path.is_empty() && key(&name.root.text) == "TRUNC" => {
                let whole = if let [Arg::Positional(number)] = args.as_slice() { self.whole(number.clone()) } else { None };
                *e = whole.unwrap_or(Expr { kind: ExprKind::Literal(None, Literal::Opaque("function TRUNC of Logix")), span });
            }
            ExprKind::Call(name, args) if name.path.is_empty() && key(&name.root.text) == "EXPT" => {
                let [Arg::Positional(base), Arg::Positional(exponent)] = args.as_slice() else { return };
                let power = self.power(base.clone(), exponent.clone());
                *e = power.unwrap_or(Expr { kind: ExprKind::Literal(None, Literal::Opaque("power of Logix")), span });
            }
            ExprKind::Call(name, _) if FUNCTIONS.contains(&key(&name.root.text).as_str()) => {
                e.kind = ExprKind::Literal(None, Literal::Opaque("function TRUNC or power of Logix"));
            }
            ExprKind::Unary(UnOp::Not, operand) if self.class(operand) == Some(Class::Integer) => {
                *e = complement(self.filled_operand((**operand).clone()));
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), left, right)
                if self.class(left) == Some(Class::Integer) && self.class(right) == Some(Class::Integer) =>
            {
                let operands = (self.filled_operand((**left).clone()), self.filled_operand((**right).clone()));
                *e = bits(*op, operands.0, operands.1, span);
            }
            ExprKind::Binary(op @ (BinOp::Div | BinOp::Mod), left, right)
                if !is_nonzero(right)
                    || (*op == BinOp::Div && signed(right) == Some(-1) && self.class(left) == Some(Class::Integer)) =>
            {
                let (left, right) = ((**left).clone(), (**right).clone());
                match (op, self.class(&left), self.class(&right)) {
                    (_, Some(Class::Integer), Some(Class::Integer)) => {
                        let function = if *op == BinOp::Div { DIVIDE } else { REMAINDER };
                        if !is_nonzero(&right) {
                            self.shapes.divisors.borrow_mut().push(right.clone());
                        }
                        if *op == BinOp::Div && may_wrap(&left, &right) {
                            self.assume(QUOTIENT);
                        }
                        *e = call_at(function, vec![left, right], span);
                    }
                    // Division of REAL by zero has a result everywhere.
                    (BinOp::Div, Some(Class::Real), Some(Class::Real)) => {}
                    _ => e.kind = ExprKind::Literal(None, Literal::Opaque("division by a value that may be zero")),
                }
            }
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), left, right) if self.are_texts(left, right) => {
                *e = self.texts_are(*op == BinOp::Eq, left, right, span);
            }
            ExprKind::Literal(..)
            | ExprKind::Name(_)
            | ExprKind::Address(_)
            | ExprKind::Call(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Error => {}
        }
    }

    /// Returns whether both operands are texts, one of them a tag.
    pub(super) fn are_texts(&self, left: &Expr, right: &Expr) -> bool {
        let is_tag = |e: &Expr| self.room(e).is_some();
        let is_text = |e: &Expr| is_tag(e) || matches!(e.kind, ExprKind::Literal(None, Literal::String { .. }));
        (is_tag(left) && is_text(right)) || (is_text(left) && is_tag(right))
    }

    /// Returns whether two texts are equal, or different. Statements before the expression compare them.
    fn texts_are(&self, equal: bool, left: &Expr, right: &Expr, span: Span) -> Expr {
        let Some((mut stmts, is_equal)) = self.equal_texts(left, right, span) else {
            return Expr { kind: ExprKind::Literal(None, Literal::Opaque("comparison of texts")), span };
        };
        let number = self.shapes.n_states.get() + 1;
        self.shapes.n_states.set(number);
        let kept = hidden(&format!("_text__equal_{number}"), span);
        stmts.push(keep(&kept, is_equal, span));
        self.shapes.before.borrow_mut().extend(stmts);
        if equal { kept } else { not(kept) }
    }

    /// Returns an operand of NOT, AND, OR or XOR in an expression.
    ///
    /// Soundness: the source of [`Scope::filled`] is about instructions only, so answers name the rule.
    fn filled_operand(&self, e: Expr) -> Expr {
        if matches!(self.shape(&e).as_deref(), Some("SINT" | "INT")) {
            self.assume("SINT or INT as operand of NOT, AND, OR or XOR in an expression: the bits that it lacks are 0");
        }
        self.filled(e)
    }

    /// Returns the whole part of a number; `None` for other operands.
    pub(super) fn whole(&self, number: Expr) -> Option<Expr> {
        let span = number.span;
        match self.class(&number)? {
            Class::Real => Some(call_at(TRUNCATE, vec![number, call_at(OUT_OF_RANGE, Vec::new(), span)], span)),
            Class::Integer => Some(number),
            Class::Bit => None,
        }
    }

    /// Returns a power of two numbers, which is a REAL; `None` for other operands.
    pub(super) fn power(&self, base: Expr, exponent: Expr) -> Option<Expr> {
        let is_number = |e: &Expr| matches!(self.class(e), Some(Class::Integer | Class::Real));
        if !is_number(&base) || !is_number(&exponent) {
            return None;
        }
        self.assume(DOMAIN);
        let span = base.span;
        Some(call_at(POWER, vec![self.as_type("REAL", base), self.as_type("REAL", exponent)], span))
    }

    /// Returns the number, its type and the position of `number.[position]`; `None` for other expressions.
    pub(super) fn position(&self, e: &Expr) -> Option<(Expr, String, Expr)> {
        let ExprKind::Name(name) = &e.kind else { return None };
        let mut number = name.clone();
        let Some(NameElem::Index(indices, _)) = number.path.pop() else { return None };
        let [position] = indices.as_slice() else { return None };
        let shape = self.shapes.of(&self.variables, &number).filter(is_integer)?;
        Some((Expr { kind: ExprKind::Name(number), span: e.span }, key(&shape.ty), position.clone()))
    }

    /// Gives the integer of an operation with a REAL the type REAL.
    ///
    /// Soundness: of operations on integers inside of it no page says whether they are done in REAL, too, so answers name them.
    fn mixed(&self, e: &mut Expr) {
        let ExprKind::Binary(_, left, right) = &mut e.kind else { return };
        let classes = (self.class(left), self.class(right));
        let integer = match classes {
            (Some(Class::Integer), Some(Class::Real)) => left,
            (Some(Class::Real), Some(Class::Integer)) => right,
            _ => return,
        };
        if !matches!(integer.kind, ExprKind::Name(_) | ExprKind::Literal(..)) {
            self.assume("operation on integers inside of an expression with REAL: it is done in integers");
        }
        let number = std::mem::replace(&mut **integer, Expr::error(e.span));
        **integer = self.as_type("REAL", number);
    }

    /// Returns whether an operation has an integer and a REAL.
    pub(super) fn is_mixed(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Unary(_, operand) => self.is_mixed(operand),
            ExprKind::Binary(_, left, right) => {
                self.class(left) != self.class(right) || self.is_mixed(left) || self.is_mixed(right)
            }
            ExprKind::Literal(..) | ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Call(..) | ExprKind::Error => false,
        }
    }
}

/// Returns whether a quotient may be that of -2147483648 and -1.
pub(super) fn may_wrap(dividend: &Expr, divisor: &Expr) -> bool {
    signed(divisor).is_none_or(|number| number == -1) && signed(dividend).is_none_or(|number| number == i128::from(i32::MIN))
}

/// Returns whether an expression is a number other than zero.
pub(super) fn is_nonzero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Literal(None, Literal::Int(number)) => *number != 0,
        ExprKind::Literal(None, Literal::Real(digits)) => digits.parse::<f32>().is_ok_and(|number| number != 0.0),
        ExprKind::Unary(UnOp::Neg, operand) => is_nonzero(operand),
        ExprKind::Literal(..)
        | ExprKind::Name(_)
        | ExprKind::Address(_)
        | ExprKind::Call(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Error => false,
    }
}

/// Calls `edit` with each expression of a statement, without those of statements inside.
pub(super) fn of_statement(stmt: &mut Stmt, edit: &mut dyn FnMut(&mut Expr)) {
    match &mut stmt.kind {
        StmtKind::Assign(target, value) | StmtKind::RefAssign(_, target, value) => {
            inside(target, edit);
            inside(value, edit);
        }
        StmtKind::If(branches, _) => branches.iter_mut().for_each(|(condition, _)| inside(condition, edit)),
        StmtKind::Case(e, ..) | StmtKind::While(e, _) | StmtKind::Repeat(_, e) => inside(e, edit),
        StmtKind::For { bounds, .. } => {
            inside(&mut bounds.from, edit);
            inside(&mut bounds.to, edit);
            bounds.by.iter_mut().for_each(|by| inside(by, edit));
        }
        StmtKind::Call(name, args) => {
            of_path(name, edit);
            of_arguments(args, edit);
        }
        StmtKind::Value(e) | StmtKind::Assert(e, _) | StmtKind::Let(_, e) | StmtKind::Keep(_, e) => inside(e, edit),
        StmtKind::Exit
        | StmtKind::Continue
        | StmtKind::Return
        | StmtKind::Label(..)
        | StmtKind::Goto(..)
        | StmtKind::Empty
        | StmtKind::Unsupported(_)
        | StmtKind::Error => {}
    }
}

pub(super) fn inside(e: &mut Expr, edit: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Name(name) => of_path(name, edit),
        ExprKind::Call(name, args) => {
            of_path(name, edit);
            of_arguments(args, edit);
        }
        ExprKind::Unary(_, operand) => inside(operand, edit),
        ExprKind::Binary(_, left, right) => {
            inside(left, edit);
            inside(right, edit);
        }
        ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => {}
    }
    edit(e);
}

pub(super) fn of_path(name: &mut Name, edit: &mut dyn FnMut(&mut Expr)) {
    for element in &mut name.path {
        if let NameElem::Index(indices, _) = element {
            indices.iter_mut().for_each(|index| inside(index, edit));
        }
    }
}

fn of_arguments(args: &mut [Arg], edit: &mut dyn FnMut(&mut Expr)) {
    for arg in args {
        if let Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } = arg {
            inside(e, edit);
        }
    }
}
