//! Bytes behind a pointer, read and written.

use super::{Address, BytePointer, Group, Row, followed, literal, not, plus, select, word};
use crate::ast;
use crate::hir::{BinOp, Conversion, Elem, Expr, ExprKind, Place, Root, Section, Stmt, StmtKind};
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::Res;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::Span;

/// A byte behind a pointer.
struct Cell {
    group: Group,
    address: Address,
    /// Offset of the byte in its target.
    offset: Expr,
    /// Condition that the index is one of the declared array.
    in_bounds: Option<Expr>,
    view: crate::hir::TypeId,
    span: Span,
}

impl Resolver<'_> {
    /// Resolves a name that begins with a pointer to a value; `None` for other names.
    pub(crate) fn read_byte(&mut self, scope: Scope, name: &ast::Name) -> Option<Res<Expr>> {
        let (_, pointer) = self.bodies.byte_pointers.named(&self.names, scope, name)?;
        let pointer = pointer.clone();
        Some(self.cell(scope, name, &pointer).map(|cell| {
            let value = cell.read();
            self.project.same_byte(value, cell.view)
        }))
    }

    /// Resolves `p := …` and `p^ := …`; `None` for other statements.
    pub(crate) fn assign_byte(
        &mut self,
        scope: Scope,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Res<Vec<Stmt>>> {
        let ast::ExprKind::Name(name) = &target.kind else { return None };
        let (_, pointer) = self.bodies.byte_pointers.named(&self.names, scope, name)?;
        if name.path.is_empty() {
            return Some(self.set_pointer(scope, name, value, span));
        }
        let pointer = pointer.clone();
        Some(self.cell(scope, name, &pointer).and_then(|cell| self.write_byte(scope, &cell, value, span)))
    }

    fn cell(&mut self, scope: Scope, name: &ast::Name, pointer: &BytePointer) -> Res<Cell> {
        let span = name.span;
        let Some(index) = followed(pointer, name) else { return Err(self.pointer_gap(span)) };
        let index = index.map(|e| self.distance(scope, e)).transpose()?;
        let pointers = &self.bodies.byte_pointers;
        let Some((var, _)) = pointers.named(&self.names, scope, name) else { return Err(self.pointer_gap(span)) };
        let group = pointers.groups[pointer.group].clone();
        let address = Address::of(&group, var, span);
        let (low, high) = pointer.bounds.unwrap_or((0, 0));
        let low = i128::from(low);
        let from_low = index.map(|index| match literal(&index) {
            Some(n) => word(n - low, span),
            None => plus(index, -low, span),
        });
        let count = word(i128::from(high) - low + 1, span);
        let in_bounds = pointer.bounds.and(from_low.clone()).map(|at| node(BinOp::Lt, at, count, span));
        let offset = match (from_low.as_ref().and_then(literal), from_low) {
            (_, None) => address.offset.clone(),
            (Some(n), Some(_)) => plus(address.offset.clone(), n, span),
            (None, Some(at)) => node(BinOp::Add, address.offset.clone(), at, span),
        };
        Ok(Cell { group, address, offset, in_bounds, view: pointer.view, span })
    }

    fn write_byte(&mut self, scope: Scope, cell: &Cell, value: &ast::Expr, span: Span) -> Res<Vec<Stmt>> {
        let value = self.expr_as(scope, value, cell.view, "what the pointer points to")?;
        let mut value = self.project.same_byte(value, elementary::BYTE);
        let mut stmts = Vec::new();
        if let (false, Some(owner)) = (matches!(value.kind, ExprKind::Literal(_)), scope.owner) {
            let name = ast::Ident::new("_byte", span);
            let var = self.names.hidden_variable(&mut self.project, owner, &name, elementary::BYTE, Section::Temp);
            let place = Place::of(Root::Var(var), elementary::BYTE, value.span);
            stmts.push(Stmt::assign(place.clone(), value, span));
            value = Expr::read(place);
        }
        let kind = StmtKind::If { branches: vec![(cell.refers(), Vec::new())], otherwise: Vec::new() };
        stmts.push(Stmt { kind, span });
        let mut arms: Vec<Vec<Stmt>> = Vec::new();
        for row in &cell.group.rows {
            let target = row.place.part(Elem::Index(vec![cell.index(row)]), row.cell);
            let target = Place { span: cell.span, ..target };
            let assign = Stmt::assign(target, self.project.same_byte(value.clone(), row.cell), span);
            arms.push(if row.is_text {
                // The byte behind the last character is 0, and stays so.
                let changes = node(BinOp::Ne, value.clone(), Expr::int(0, elementary::BYTE, span), span);
                let condition = node(BinOp::OrElse, not(cell.is_end(row)), changes, span);
                vec![Stmt { kind: StmtKind::If { branches: vec![(condition, vec![assign])], otherwise: Vec::new() }, span }]
            } else {
                vec![assign]
            });
        }
        let last = arms.pop().unwrap_or_default();
        if arms.is_empty() {
            stmts.extend(last);
        } else {
            let is_row = |i: usize| cell.group.is_number(&cell.address.number, i, span);
            let branches = arms.into_iter().enumerate().map(|(i, arm)| (is_row(i), arm)).collect();
            stmts.push(Stmt { kind: StmtKind::If { branches, otherwise: last }, span });
        }
        Ok(stmts)
    }
}

impl Cell {
    /// Returns the condition that the pointer refers to something. Evaluating it is a fault if it does not.
    fn refers(&self) -> Expr {
        let (number, span) = (&self.address.number, self.span);
        let is_set = node(BinOp::Ne, number.clone(), Expr::int(0, self.group.number, span), span);
        let ExprKind::Read(place) = &number.kind else { return is_set };
        let nothing = Expr::read(place.part(Elem::Deref(elementary::BOOL), elementary::BOOL));
        node(BinOp::OrElse, is_set, nothing, span)
    }

    /// Returns the index of the byte before it is checked; one outside of the declared array is below the first.
    fn position(&self, row: &Row) -> Expr {
        let at = plus(self.offset.clone(), i128::from(row.low), self.span);
        match &self.in_bounds {
            Some(condition) => select(condition.clone(), at, word(i128::from(row.low) - 1, self.span)),
            None => at,
        }
    }

    /// Returns the condition that the byte is the one behind the declared length of a string.
    fn is_end(&self, row: &Row) -> Expr {
        node(BinOp::Eq, self.position(row), word(i128::from(row.low + row.n), self.span), self.span)
    }

    fn index(&self, row: &Row) -> Expr {
        self.position(row).converted(Conversion::Convert, elementary::LINT)
    }

    /// Returns the value as a bit string.
    fn read(&self) -> Expr {
        let span = self.span;
        let zero = || Expr::int(0, elementary::BYTE, span);
        let mut value: Option<Expr> = None;
        for (i, row) in self.group.rows.iter().enumerate().rev() {
            let is_row = self.group.is_number(&self.address.number, i, span);
            let others = value.take();
            // Only the index into the target is checked.
            let unused = match (row.is_text, &others, i) {
                (true, None, 0) => Some(self.is_end(row)),
                (true, _, _) => Some(node(BinOp::Or, self.is_end(row), not(is_row.clone()), span)),
                (false, None, 0) => None,
                (false, _, _) => Some(not(is_row.clone())),
            };
            let first = Expr::int(i128::from(row.low), elementary::LINT, span);
            let index = match unused {
                Some(unused) => select(unused, first, self.index(row)),
                None => self.index(row),
            };
            let place = Place { span, ..row.place.part(Elem::Index(vec![index]), row.cell) };
            let byte = Expr::read(place).converted(Conversion::Convert, elementary::BYTE);
            let byte = if row.is_text { select(self.is_end(row), zero(), byte) } else { byte };
            value = Some(match others {
                Some(others) => select(is_row, byte, others),
                None => byte,
            });
        }
        let value = value.unwrap_or_else(zero);
        select(self.refers(), value, zero())
    }
}
