//! Addresses as values: assignments to pointers, arithmetic and comparisons.

use super::find::address_of;
use super::{Address, Group, NUMBER, OFFSET, literal, not, plus, word};
use crate::ast;
use crate::hir::{BinOp, Conversion, Elem, Expr, ExprKind, Place, PouKind, Root, Stmt, TypeId, Value, VarId};
use crate::resolve::exprs::expr::repeatable;
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, family};
use crate::text::{Gap, Span, Treatment};

/// Offsets up to this distance mean the same address with pointers of 32 and of 64 bits.
const NEAR: i128 = 1 << 31;

impl Resolver<'_> {
    /// Returns the gap of a use of a pointer that is not analysed.
    pub(crate) fn pointer_gap(&self, span: Span) -> Bad {
        let effect = "what is done with it there is not modelled: nothing after this statement in the cycle is verified";
        unsupported(span, "pointer to bytes outside of assignments, `^` and comparisons", effect)
    }

    /// Resolves `p := address`; the offset first, because it may depend on both parts of `p`.
    pub(super) fn set_pointer(&mut self, scope: Scope, target: &ast::Name, value: &ast::Expr, span: Span) -> Res<Vec<Stmt>> {
        let pointers = &self.bodies.byte_pointers;
        let Some((var, pointer)) = pointers.named(&self.names, scope, target) else { return Err(Bad::Reported) };
        let group = pointers.groups[pointer.group].clone();
        let Some(address) = self.address(scope, &group, value)? else { return Err(self.pointer_gap(span)) };
        let whole = Place::of(Root::Var(var), group.ty, target.span);
        let part = |field: u32, ty: TypeId, value: Expr| Stmt::assign(whole.part(Elem::Field(field), ty), value, span);
        Ok(vec![part(OFFSET, elementary::LWORD, address.offset), part(NUMBER, group.number, address.number)])
    }

    /// Resolves an address: ADR, a pointer of the group or 0, with numbers added and subtracted. `None` for other expressions.
    fn address(&mut self, scope: Scope, group: &Group, e: &ast::Expr) -> Res<Option<Address>> {
        let span = e.span;
        if self.names.is_null(&self.project, scope, e) {
            return Ok(Some(Address { number: Expr::int(0, group.number, span), offset: word(0, span) }));
        }
        if let Some(variable) = address_of(e) {
            let place = self.target(scope, variable)?;
            let at = group.rows.iter().position(|row| row.place.root == place.root && row.place.path == place.path);
            let Some(at) = at else {
                let effect = "what it then reads and writes is not modelled: nothing after this statement is verified";
                let ty = self.project.type_name(place.ty);
                let construct =
                    format!("pointer to bytes of a variable of type {ty} that is no variable of this POU, or too long");
                return Err(unsupported(span, construct, effect));
            };
            return Ok(Some(Address { number: Expr::int(at as i128 + 1, group.number, span), offset: word(0, span) }));
        }
        if let Some((var, group)) = self.pointer_itself(scope, e) {
            return Ok(Some(Address::of(group, var, span)));
        }
        let Some((op, left, right)) = sum(e) else { return Ok(None) };
        let (of, number) = match self.address(scope, group, left)? {
            Some(of) => (of, right),
            None if op == BinOp::Sub => return Ok(None),
            None => match self.address(scope, group, right)? {
                Some(of) => (of, left),
                None => return Ok(None),
            },
        };
        let distance = self.distance(scope, number)?;
        let offset = match (literal(&distance), op) {
            (Some(n), BinOp::Sub) => plus(of.offset, -n, span),
            (Some(n), _) => plus(of.offset, n, span),
            (None, op) => node(op, of.offset, distance, span),
        };
        Ok(Some(Address { offset, ..of }))
    }

    /// Resolves a number of bytes; below zero it is modulo 2^64.
    pub(super) fn distance(&mut self, scope: Scope, e: &ast::Expr) -> Res<Expr> {
        if self.is_address(scope, e) {
            return Err(self.pointer_gap(e.span));
        }
        let value = self.expr(scope, e, Want::Any)?;
        let (of, span) = (family(&self.project, value.ty), value.span);
        if !matches!(of, Family::Int | Family::Bits) || !repeatable(&value) {
            return Err(self.pointer_gap(span));
        }
        Ok(match literal(&value) {
            Some(n) => word(n, span),
            None if value.ty == elementary::LWORD => value,
            None => value.converted(Conversion::Convert, elementary::LWORD),
        })
    }

    /// Returns the pointer that an expression is, with its group.
    fn pointer_itself(&self, scope: Scope, e: &ast::Expr) -> Option<(VarId, &Group)> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        let pointers = &self.bodies.byte_pointers;
        let (var, pointer) = pointers.named(&self.names, scope, name).filter(|_| name.path.is_empty())?;
        Some((var, &pointers.groups[pointer.group]))
    }

    /// Returns whether an expression is an address, with numbers added or not.
    fn is_address(&self, scope: Scope, e: &ast::Expr) -> bool {
        let is_sum = || sum(e).is_some_and(|(_, left, right)| self.is_address(scope, left) || self.is_address(scope, right));
        self.pointer_itself(scope, e).is_some() || address_of(e).is_some() || is_sum()
    }

    /// Returns the group of the first pointer in an address.
    fn group_in(&self, scope: Scope, e: &ast::Expr) -> Option<&Group> {
        let of_sum = || sum(e).and_then(|(_, left, right)| self.group_in(scope, left).or_else(|| self.group_in(scope, right)));
        self.pointer_itself(scope, e).map(|(_, group)| group).or_else(of_sum)
    }

    /// Resolves a comparison of addresses; `None` for other expressions.
    ///
    /// Soundness: the order of variables in memory is not known, and addresses outside of them may be equal. Where the result
    /// depends on it, it is arbitrary.
    pub(crate) fn compare_addresses(&mut self, scope: Scope, e: &ast::Expr) -> Option<Res<Expr>> {
        let ast::ExprKind::Binary(op, left, right) = &e.kind else { return None };
        let group = self.group_in(scope, left).or_else(|| self.group_in(scope, right)).filter(|_| op.is_comparison())?.clone();
        let both = (self.address(scope, &group, left), self.address(scope, &group, right));
        Some(match both {
            (Ok(Some(a)), Ok(Some(b))) => Ok(self.compared(&group, *op, a, b, e.span)),
            (Err(why), _) | (_, Err(why)) => Err(why),
            (Ok(None), _) | (_, Ok(None)) => Err(self.pointer_gap(e.span)),
        })
    }

    fn compared(&mut self, group: &Group, op: BinOp, a: Address, b: Address, span: Span) -> Expr {
        let and = |a: Expr, b: Expr| node(BinOp::AndThen, a, b, span);
        let or = |a: Expr, b: Expr| node(BinOp::OrElse, a, b, span);
        let moved = |offset: &Expr| plus(offset.clone(), NEAR, span);
        let near = |offset: &Expr| node(BinOp::Lt, moved(offset), word(2 * NEAR, span), span);
        let inside = |address: &Address| {
            let size = |n: i128| word(n, span);
            let mut most = size(1);
            for (i, row) in group.rows.iter().enumerate() {
                let is_row = group.is_number(&address.number, i, span);
                most = super::select(is_row, size(row.size()), most);
            }
            node(BinOp::Lt, address.offset.clone(), most, span)
        };
        let is_null = |address: &Address| node(BinOp::Eq, address.number.clone(), Expr::int(0, group.number, span), span);
        let same = node(BinOp::Eq, a.number.clone(), b.number.clone(), span);
        let same = and(same, and(near(&a.offset), near(&b.offset)));
        let exact = node(op, moved(&a.offset), moved(&b.offset), span);
        let both_inside = and(inside(&a), inside(&b));
        // Variables do not overlap, and nothing is at address 0.
        let is_below = and(is_null(&a), not(is_null(&b)));
        let is_above = and(is_null(&b), not(is_null(&a)));
        let (known, result) = if matches!(op, BinOp::Eq | BinOp::Ne) {
            // Two VAR_IN_OUT may be one variable.
            let is_function = matches!(self.project.pous[group.owner].kind, PouKind::Function(_));
            let may_be_one = is_function && 1 < group.rows.iter().filter(|row| row.is_shared).count();
            let differ = match may_be_one {
                true => or(is_below.clone(), is_above.clone()),
                false => not(node(BinOp::Eq, a.number.clone(), b.number.clone(), span)),
            };
            (and(both_inside, differ), Expr::literal(Value::Bool(op == BinOp::Ne), elementary::BOOL, span))
        } else {
            let result = if matches!(op, BinOp::Lt | BinOp::Le) { is_below.clone() } else { is_above.clone() };
            (and(both_inside, or(is_below, is_above)), result)
        };
        let gap = self.findings.record(Gap {
            span,
            construct: "comparison of addresses".to_owned(),
            treatment: Treatment::OverApproximated,
            effect: "for addresses of different variables the model allows both results".to_owned(),
        });
        let any = Expr::new(ExprKind::Arbitrary { gap, concrete: None }, elementary::BOOL, span);
        let apart = or(and(known.clone(), result), and(not(known), any));
        or(and(same.clone(), exact), and(not(same), apart))
    }
}

impl Group {
    /// Returns whether a number is that of the row at a position.
    pub(super) fn is_number(&self, number: &Expr, row: usize, span: Span) -> Expr {
        node(BinOp::Eq, number.clone(), Expr::int(row as i128 + 1, self.number, span), span)
    }
}

/// Returns the operands of `a + b` and `a - b`.
fn sum(e: &ast::Expr) -> Option<(BinOp, &ast::Expr, &ast::Expr)> {
    if let ast::ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), left, right) = &e.kind { Some((*op, left, right)) } else { None }
}
