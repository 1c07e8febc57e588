//! IF, CASE and loops.
//!
//! If a condition is not modelled, a gap stands before the statement: no run is followed beyond it. The statement stays, with an
//! arbitrary condition, so that the assertions inside keep their place.

use crate::ast;
use crate::dialect::{Dialect, Loops};
use crate::hir::{
    BinOp, Elem, Expr, ExprKind, LoopBounds, Place, PouId, Project, Root, Section, Stmt, StmtKind, TypeId, UnOp, Value,
};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::controller::loops;
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::Names;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::stmts::stmt::worse;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family, widened};
use crate::text::codes;
use crate::text::ledger::GapId;
use crate::text::source::Span;

/// First and last value and step of a FOR, as written.
type Bounds<'e> = (&'e ast::Expr, &'e ast::Expr, Option<&'e ast::Expr>);

impl Resolver<'_> {
    pub(crate) fn if_stmt(
        &mut self,
        scope: Scope,
        branches: &[(ast::Expr, Vec<ast::Stmt>)],
        otherwise: &[ast::Stmt],
        span: Span,
    ) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let mut rows = Vec::new();
        let mut bad = None;
        for (condition, body) in branches {
            let condition = self.condition_of(scope, condition, "the condition of IF", &mut stmts);
            let body = self.stmts(scope, body);
            match condition {
                Ok(condition) => rows.push((condition, body)),
                Err(why) => bad = Some(why),
            }
        }
        let otherwise = self.stmts(scope, otherwise);
        rows.shrink_to_fit();
        bad.map_or(Ok(with(stmts, StmtKind::If { branches: rows, otherwise }, span)), Err)
    }

    pub(crate) fn while_stmt(&mut self, scope: Scope, condition: &ast::Expr, body: &[ast::Stmt], span: Span) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let condition = self.condition_of(scope, condition, "the condition of WHILE", &mut stmts);
        let body = self.stmts(scope, body);
        Ok(with(stmts, StmtKind::While { condition: condition?, body }, span))
    }

    pub(crate) fn repeat(&mut self, scope: Scope, body: &[ast::Stmt], until: &ast::Expr, span: Span) -> Res<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let body = self.stmts(scope, body);
        let until = self.condition_of(scope, until, "the condition of UNTIL", &mut stmts)?;
        Ok(with(stmts, StmtKind::Repeat { body, until }, span))
    }

    /// Resolves a condition; a gap goes to `stmts`.
    fn condition_of(&mut self, scope: Scope, e: &ast::Expr, wanted: &str, stmts: &mut Vec<Stmt>) -> Res<Expr> {
        match self.expr_as(scope, e, elementary::BOOL, wanted) {
            Err(Bad::Gap(gap)) => {
                let gap = self.findings.record(*gap);
                stmts.push(Stmt { kind: StmtKind::Gap(gap), span: e.span });
                Ok(arbitrary(gap, e.span))
            }
            result => result,
        }
    }

    pub(crate) fn for_stmt(
        &mut self,
        scope: Scope,
        control: &ast::Name,
        bounds: Bounds<'_>,
        body: &[ast::Stmt],
        span: Span,
    ) -> Res<Vec<Stmt>> {
        let head = self.for_head(scope, control, bounds);
        let body = self.stmts(scope, body);
        match head {
            Ok((control, from, to, by)) => match (self.dialect.loops, scope.owner) {
                (Loops::EachRound, Some(owner)) if loops::changes(&self.project, owner, &control, &to, by.as_ref(), &body) => {
                    if self.dialect.compiles_to_c() {
                        // Every round, but the last value and the single round differ between versions of MATIEC.
                        self.findings.note_behaviour(self.dialect, Behaviour::LoopVariable, span);
                        self.findings.note_behaviour(self.dialect, Behaviour::SingleRound, span);
                    } else {
                        self.findings.note_behaviour(self.dialect, Behaviour::LoopBound, span);
                    }
                    Ok(self.names.rounds(&mut self.project, owner, (control, from, to, by), body, span))
                }
                (Loops::EachRound, _) if self.dialect.compiles_to_c() && loops::may_be_single(&from, &to, by.as_ref()) => {
                    self.findings.note_behaviour(self.dialect, Behaviour::SingleRound, span);
                    Ok(with(Vec::new(), StmtKind::For { control, bounds: Box::new(LoopBounds { from, to, by }), body }, span))
                }
                (Loops::EachRound | Loops::Once, _) => {
                    Ok(with(Vec::new(), StmtKind::For { control, bounds: Box::new(LoopBounds { from, to, by }), body }, span))
                }
            },
            Err(Bad::Reported) => Err(Bad::Reported),
            Err(Bad::Gap(gap)) => {
                let place = gap.span;
                let gap = self.findings.record(*gap);
                let stmts = vec![Stmt { kind: StmtKind::Gap(gap), span: place }];
                Ok(with(stmts, StmtKind::While { condition: arbitrary(gap, place), body }, span))
            }
        }
    }

    fn for_head(
        &mut self,
        scope: Scope,
        control: &ast::Name,
        (from, to, by): Bounds<'_>,
    ) -> Res<(Place, Expr, Expr, Option<Expr>)> {
        let place =
            self.place(scope, control).and_then(|place| self.dialect.control(&self.project, &mut self.findings, place))?;
        let ty = place.ty;
        let wanted = "the control variable of FOR";
        let from = self.expr_as(scope, from, ty, wanted);
        let to = self.expr_as(scope, to, ty, wanted);
        let by = by.map(|e| self.step_of(scope, e, ty)).transpose();
        match (from, to, by) {
            (Ok(from), Ok(to), Ok(by)) => Ok((place, from, to, by)),
            (from, to, by) => {
                let bad = [from.err(), to.err(), by.err()].into_iter().flatten().fold(None, |bad, why| Some(worse(bad, why)));
                Err(bad.unwrap_or(Bad::Reported))
            }
        }
    }

    fn step_of(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId) -> Res<Expr> {
        let by = self.expr_as(scope, e, base(&self.project, ty), "the control variable of FOR")?;
        // As a value of the type -1 is the largest one, and the loop would not run; a controller may count down instead.
        let is_negative = matches!(e.kind, ast::ExprKind::Unary(UnOp::Neg, _));
        if is_negative && self.project.int_type(base(&self.project, ty)).is_some_and(|int| !int.signed) {
            let effect = "whether it counts down is not settled: nothing after it in the cycle is verified";
            return Err(unsupported(e.span, "FOR of an unsigned variable with a negative step", effect));
        }
        if let ExprKind::Literal(Value::Int(0)) = by.kind {
            let message = "a FOR loop with a step of 0 does not end";
            return Err(self.findings.error(codes::ZERO_STEP, by.span, message, "the step is 0"));
        }
        Ok(by)
    }
}

impl Names {
    /// Returns a loop that computes its last value and its step before every round.
    ///
    /// The step stands at the beginning of the next round, so that CONTINUE does not miss it.
    fn rounds(
        &mut self,
        project: &mut Project,
        owner: PouId,
        (control, from, to, by): (Place, Expr, Expr, Option<Expr>),
        body: Vec<Stmt>,
        span: Span,
    ) -> Vec<Stmt> {
        let stmt = |kind: StmtKind| Stmt { kind, span };
        let name = ast::Ident::new("_first_round", span);
        let first = self.new_hidden(project, owner, &name, elementary::BOOL, Section::Temp);
        let first = Place::of(Root::Var(first), elementary::BOOL, span);
        let set = |value: bool| {
            let value = Expr::literal(Value::Bool(value), elementary::BOOL, span);
            stmt(StmtKind::Assign { target: first.clone(), value })
        };
        let ty = base(project, control.ty);
        let now = || widened(Expr::new(ExprKind::Read(control.clone()), control.ty, span), ty);
        let (zero, to) = (Expr::literal(Value::Int(0), ty, span), widened(to, ty));
        let up = node(BinOp::Le, now(), to.clone(), span);
        let down = node(BinOp::Ge, now(), to, span);
        let goes_on = match &by {
            None => up,
            Some(Expr { kind: ExprKind::Literal(Value::Int(i)), .. }) => {
                if 0 < *i {
                    up
                } else {
                    down
                }
            }
            Some(by) => {
                let rises = node(BinOp::Ge, by.clone(), zero.clone(), span);
                let falls = node(BinOp::Lt, by.clone(), zero, span);
                // Once in a round: the last value may be a call that changes something.
                node(BinOp::OrElse, node(BinOp::AndThen, rises, up, span), node(BinOp::AndThen, falls, down, span), span)
            }
        };
        let ends = Expr::new(ExprKind::Unary(UnOp::Not, Box::new(goes_on)), elementary::BOOL, span);
        let by = by.unwrap_or_else(|| Expr::literal(Value::Int(1), ty, span));
        let next = project.as_number(node(BinOp::Add, now(), by, span), control.ty);
        let step = stmt(StmtKind::Assign { target: control.clone(), value: next });
        let is_first = Expr::new(ExprKind::Read(first.clone()), elementary::BOOL, span);
        let mut round = vec![
            stmt(StmtKind::If { branches: vec![(is_first, vec![set(false)])], otherwise: vec![step] }),
            stmt(StmtKind::If { branches: vec![(ends, vec![stmt(StmtKind::Exit)])], otherwise: Vec::new() }),
        ];
        round.extend(body);
        let always = Expr::literal(Value::Bool(true), elementary::BOOL, span);
        vec![
            set(true),
            stmt(StmtKind::Assign { target: control, value: from }),
            stmt(StmtKind::While { condition: always, body: round }),
        ]
    }
}

impl Dialect {
    fn control(&self, project: &Project, findings: &mut Findings, place: Place) -> Res<Place> {
        if family(project, place.ty) == Family::Opaque {
            return Err(project.opaque_value(place.ty, place.span));
        }
        let counts = if let Family::Int = family(project, place.ty) {
            true
        } else if let Family::Enum | Family::Bits = family(project, place.ty) {
            // Enumerations and bit strings are numbers there: FOR goes through their values.
            self.mixes()
        } else {
            false
        };
        if !counts {
            let message =
                format!("the control variable of FOR is an integer, but this is of type {}", project.type_name(place.ty));
            return Err(findings.error(codes::OPERAND_TYPE, place.span, message, "not an integer"));
        }
        let fixed = place.path.iter().all(|elem| match elem {
            Elem::Field(_) | Elem::Member(_) => true,
            Elem::Deref(_) | Elem::Bits { .. } => false,
            Elem::Index(indices) => indices.iter().all(|e| matches!(e.kind, ExprKind::Literal(_))),
        });
        if fixed {
            return Ok(place);
        }
        let message = "the control variable of FOR is one variable, without indices that change";
        let help = Some("count with a local variable and copy it".to_owned());
        Err(findings.error_with_help(codes::NOT_A_PLACE, place.span, message, "depends on a variable", help))
    }
}

pub(crate) fn with(mut stmts: Vec<Stmt>, kind: StmtKind, span: Span) -> Vec<Stmt> {
    stmts.push(Stmt { kind, span });
    stmts
}

/// Returns any truth value.
pub(crate) fn arbitrary(gap: GapId, span: Span) -> Expr {
    Expr { kind: ExprKind::Arbitrary { gap, concrete: None }, ty: elementary::BOOL, span }
}
