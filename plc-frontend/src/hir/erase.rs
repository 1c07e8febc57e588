//! The program without its places in the text, for comparing two texts of one program.

use super::expr::{Expr, ExprKind};
use super::place::Place;
use super::project::Project;
use super::stmt::{Stmt, StmtKind};
use super::walk::{Access, VisitMut};
use crate::text::{GapId, Span};

impl Project {
    /// Returns the same program without places, and without the statements that are not modelled: only their place tells
    /// them apart.
    pub fn erase_spans(mut self) -> Project {
        for def in self.types.iter_mut() {
            def.span = Span::none();
        }
        self.references.values_mut().flatten().for_each(|target| Erase.place(&mut target.place, Access::Read));
        for pou in self.pous.iter_mut() {
            pou.span = Span::none();
            // Drawings are places on paper, not meaning.
            pou.diagrams.clear();
            Erase.body(&mut pou.body);
        }
        let locals = self.pous.iter_mut().flat_map(|pou| pou.vars.iter_mut());
        self.globals.iter_mut().chain(locals).for_each(|var| var.span = Span::none());
        // Which variables have any value stands in the environment, by name.
        for spans in [&mut self.unclear_starts, &mut self.open_starts, &mut self.unknown_starts, &mut self.events] {
            *spans = spans.iter().map(|_| Span::none()).collect();
        }
        self.beside = self.beside.values().map(|extent| (Span::none(), extent.clone())).collect();
        self.start_up.iter_mut().for_each(|start| start.span = Span::none());
        self.start_reads.values_mut().for_each(|span| *span = Span::none());
        self
    }
}

impl Expr {
    /// Returns the same expression without places.
    pub fn erase_spans(mut self) -> Expr {
        Erase.expr(&mut self);
        self
    }
}

struct Erase;

impl<'h> VisitMut<'h> for Erase {
    fn body(&mut self, body: &'h mut Vec<Stmt>) {
        body.retain(|stmt| !matches!(stmt.kind, StmtKind::Gap(_)));
        body.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'h mut Stmt) {
        stmt.span = Span::none();
        if let StmtKind::Case { arms, .. } = &mut stmt.kind {
            arms.iter_mut().for_each(|arm| arm.span = Span::none());
        }
        self.stmt_parts(stmt);
    }

    fn expr(&mut self, e: &'h mut Expr) {
        e.span = Span::none();
        if let ExprKind::Arbitrary { gap, .. } = &mut e.kind {
            *gap = GapId(0);
        }
        self.expr_parts(e);
    }

    fn place(&mut self, place: &'h mut Place, _access: Access) {
        place.span = Span::none();
        self.place_parts(place);
    }
}
