//! Constructors of the nodes that passes add to a program.

use super::expr::{BinOp, CallArgs, Conversion, Expr, ExprKind, UnOp};
use super::place::{Elem, Place, Root};
use super::pou::{Init, Pou, PouId, PouKind, Retain, Section, Var, VarId};
use super::stmt::{Stmt, StmtKind};
use super::types::TypeId;
use super::value::Value;
use crate::ids::IndexVec;
use crate::text::{Origin, Span};

impl Expr {
    /// Returns an expression of a kind.
    pub(crate) fn new(kind: ExprKind, ty: TypeId, span: Span) -> Self {
        Expr { kind, ty, span }
    }
    /// Returns a constant.
    pub(crate) fn literal(value: Value, ty: TypeId, span: Span) -> Self {
        Expr::new(ExprKind::Literal(value), ty, span)
    }
    /// Returns an integer, or another constant that an integer stands for.
    pub(crate) fn int(value: i128, ty: TypeId, span: Span) -> Self {
        Expr::literal(Value::Int(value), ty, span)
    }

    /// Returns the value of a place.
    pub(crate) fn read(place: Place) -> Self {
        let (ty, span) = (place.ty, place.span);
        Expr::new(ExprKind::Read(place), ty, span)
    }
    /// Returns an operation on one operand, with a value of its type.
    pub(crate) fn unary(op: UnOp, operand: Expr, span: Span) -> Self {
        let ty = operand.ty;
        Expr::new(ExprKind::Unary(op, Box::new(operand)), ty, span)
    }
    /// Returns an operation on two operands.
    pub(crate) fn binary(op: BinOp, left: Expr, right: Expr, ty: TypeId, span: Span) -> Self {
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span)
    }
    /// Returns the conversion of this expression to another type.
    pub(crate) fn converted(self, how: Conversion, ty: TypeId) -> Self {
        let span = self.span;
        Expr::new(ExprKind::Convert(how, Box::new(self)), ty, span)
    }
    /// Returns a call of a function.
    pub(crate) fn call(pou: PouId, args: CallArgs, ty: TypeId, span: Span) -> Self {
        Expr::new(ExprKind::Call(pou, Box::new(args)), ty, span)
    }
}

impl Place {
    /// Returns a whole variable.
    pub(crate) fn of(root: Root, ty: TypeId, span: Span) -> Self {
        Place { root, path: Vec::new(), ty, span }
    }
    /// Goes into a part of this place, whose text ends at `span`.
    pub(crate) fn enter(&mut self, elem: Elem, ty: TypeId, span: Span) {
        self.path.push(elem);
        self.ty = ty;
        self.span = self.span.to(span);
    }

    /// Returns a part of this place.
    pub(crate) fn part(&self, elem: Elem, ty: TypeId) -> Self {
        let mut path = self.path.clone();
        path.push(elem);
        Place { root: self.root, path, ty, span: self.span }
    }
}

impl Stmt {
    /// Returns `target := value;`.
    pub(crate) fn assign(target: Place, value: Expr, span: Span) -> Self {
        Stmt { kind: StmtKind::Assign { target, value }, span }
    }
}

impl Var {
    /// Returns a variable with the default initial value of its type.
    pub(crate) fn new(name: String, ty: TypeId, section: Section, span: Span) -> Self {
        let (init, retain) = (Init::Default, Retain::Unspecified);
        Var { name, ty, section, init, constant: false, retain, address: None, stopwatch: false, span }
    }
}

impl Pou {
    /// Returns a POU that no user declares, without a body.
    pub(crate) fn hidden(name: String, kind: PouKind, vars: IndexVec<VarId, Var>, span: Span) -> Self {
        let (body, diagrams) = (Vec::new(), Vec::new());
        Pou { name, kind, member_of: None, is_public: false, vars, body, diagrams, span, origin: Origin::Stdlib }
    }
}
