//! Bytes behind the end of a string that pointers reach.
//!
//! An assignment of a whole string writes its characters and their end. It is not known which bytes follow: those from before, zeros,
//! or others. So after each such assignment, and at the beginning of a call, they get any value. Bytes that pointers write there
//! are exact until then. The interpreter keeps the bytes of the model.

use super::Row;
use crate::ast;
use crate::hir::walk::{self, Access, Visit};
use crate::hir::{
    BinOp, Builtin, CallArgs, Elem, Expr, ExprKind, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, TypeId, VarId,
};
use crate::resolve::calls::standard::builtin;
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::Findings;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::text::{Gap, GapId, Span, Treatment};
use std::collections::BTreeSet;

/// Most statements that one POU gets.
const MAX_ADDED: usize = 30_000;

impl Resolver<'_> {
    /// Makes bytes behind the ends of strings unknown in all bodies with pointers to them.
    pub(crate) fn forget_tails(&mut self) {
        let groups = std::mem::take(&mut self.bodies.byte_pointers.groups);
        let owners: BTreeSet<PouId> = groups.iter().map(|group| group.owner).collect();
        if owners.is_empty() {
            return;
        }
        let writers = self.project.writers_of_texts();
        for owner in owners {
            let span = self.project.pous[owner].span;
            let mut rows: Vec<Row> = Vec::new();
            for row in groups.iter().filter(|group| group.owner == owner).flat_map(|group| &group.rows) {
                if row.is_text && !rows.contains(row) {
                    rows.push(row.clone());
                }
            }
            let is_function = matches!(self.project.pous[owner].kind, PouKind::Function(_));
            let body = std::mem::take(&mut self.project.pous[owner].body);
            if !is_function && self.project.copies_instances_of(owner) {
                let effect = "the copied pointers lead to variables of the other instance: nothing after a call is verified";
                self.stop_body(owner, "copy of an instance with pointers to its bytes", effect);
                continue;
            }
            if rows.is_empty() {
                self.project.pous[owner].body = body;
                continue;
            }
            let gap = self.findings.record(Gap {
                span,
                construct: "bytes behind the end of a string".to_owned(),
                treatment: Treatment::OverApproximated,
                effect: "after an assignment of a string, pointers find any value there".to_owned(),
            });
            let name = ast::Ident::new("_end", span);
            let end = self.names.new_hidden(&mut self.project, owner, &name, elementary::DINT, Section::Temp);
            let (project, findings) = (&self.project, &mut self.findings);
            let mut tails = Tails { project, findings, rows, writers: &writers, end, gap, n_added: 0 };
            let mut forgotten = tails.all(span);
            forgotten.extend(tails.list(body));
            let n_added = tails.n_added;
            self.project.pous[owner].body = forgotten;
            if MAX_ADDED < n_added {
                let effect = "the strings that pointers reach are assigned too often: nothing after a call is verified";
                self.stop_body(owner, "pointers to bytes of long strings", effect);
            }
        }
    }

    fn stop_body(&mut self, owner: PouId, construct: &str, effect: &str) {
        let span = self.project.pous[owner].span;
        let gap = self.findings.record_unsupported(span, construct, effect);
        self.project.pous[owner].body = vec![Stmt { kind: StmtKind::Gap(gap), span }];
    }
}

impl Project {
    /// Returns the POUs that may write a string that is no variable of theirs, themselves or by a call.
    fn writers_of_texts(&self) -> BTreeSet<PouId> {
        let mut writers = BTreeSet::new();
        let mut calls: Vec<(PouId, PouId)> = Vec::new();
        for (id, pou) in self.pous.iter_enumerated() {
            walk::calls(&pou.body, |callee| calls.push((id, callee)));
            // A function reaches only what it is lent, which its caller shows, and what has a name or an address.
            let is_function = matches!(pou.kind, PouKind::Function(_)) && pou.member_of.is_none();
            let mut writes = false;
            walk::writes(&pou.body, |place| {
                let is_own = is_function && matches!(place.root, Root::Var(_));
                let is_followed = place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
                writes |= (!is_own || is_followed) && self.holds_text(place.ty);
            });
            walk::stmts(&pou.body, |stmt| writes |= self.gives_text(stmt));
            if writes {
                writers.insert(id);
            }
        }
        loop {
            let more: Vec<PouId> = calls
                .iter()
                .filter(|(id, callee)| writers.contains(callee) && !writers.contains(id))
                .map(|(id, _)| *id)
                .collect();
            if more.is_empty() {
                return writers;
            }
            writers.extend(more);
        }
    }

    /// Returns whether a statement assigns a string to an input of an instance.
    fn gives_text(&self, stmt: &Stmt) -> bool {
        let StmtKind::CallInstance { args, .. } = &stmt.kind else { return false };
        args.inputs.iter().any(|(_, value)| self.holds_text(value.ty))
    }

    fn holds_text(&self, ty: TypeId) -> bool {
        self.types_inside(ty).any(|ty| self.text(ty).is_some())
    }

    /// Returns whether a body copies an instance of a block, or one that holds such an instance.
    fn copies_instances_of(&self, owner: PouId) -> bool {
        let mut holders = BTreeSet::from([owner]);
        let is_holder = |holders: &BTreeSet<PouId>, ty: TypeId| {
            self.types_inside(ty).filter_map(|ty| self.block_of(ty)).any(|block| holders.contains(&block))
        };
        loop {
            let rows = self.pous.iter_enumerated();
            let more: Vec<PouId> = rows
                .filter(|(id, pou)| !holders.contains(id) && pou.vars.iter().any(|var| is_holder(&holders, var.ty)))
                .map(|(id, _)| id)
                .collect();
            if more.is_empty() {
                break;
            }
            holders.extend(more);
        }
        let mut copies = false;
        for pou in self.pous.iter() {
            walk::exprs(&pou.body, |e| copies |= matches!(e.kind, ExprKind::Read(_)) && is_holder(&holders, e.ty));
        }
        copies
    }
}

/// Pass over the body of one POU.
struct Tails<'p> {
    project: &'p Project,
    findings: &'p mut Findings,
    /// Strings that pointers reach.
    rows: Vec<Row>,
    /// POUs that may write strings of others.
    writers: &'p BTreeSet<PouId>,
    /// Variable for the length of a string.
    end: VarId,
    gap: GapId,
    n_added: usize,
}

impl Tails<'_> {
    fn list(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut all = Vec::with_capacity(body.len());
        for mut stmt in body {
            let (inside, behind) = self.written(&stmt);
            if !inside.is_empty() {
                let effect = "bytes behind its end are not known then: nothing after this statement in the cycle is verified";
                let construct = "call in an expression, with a string that pointers reach";
                let gap = self.findings.record_unsupported(stmt.span, construct, effect);
                all.push(Stmt { kind: StmtKind::Gap(gap), span: stmt.span });
                continue;
            }
            for inner in stmt.bodies_mut() {
                *inner = self.list(std::mem::take(inner));
            }
            let span = stmt.span;
            all.push(stmt);
            for row in behind {
                all.extend(self.forget(row, span));
            }
        }
        all
    }

    fn all(&mut self, span: Span) -> Vec<Stmt> {
        (0..self.rows.len()).flat_map(|row| self.forget(row, span)).collect()
    }

    /// Returns the strings that the expressions of a statement write, and those that it writes at its end.
    fn written(&self, stmt: &Stmt) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut inside = Written { tails: self, found: BTreeSet::new() };
        let mut behind = Written { tails: self, found: BTreeSet::new() };
        #[expect(clippy::wildcard_enum_match_arm, reason = "other statements write nothing at their end")]
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                if let (ExprKind::Call(callee, args), true) = (&value.kind, is_fixed(target)) {
                    Written::call(&mut inside, &mut behind, *callee, args);
                } else {
                    inside.expr(value);
                }
                inside.place_parts(target);
                behind.place(target, Access::Write);
            }
            StmtKind::CallInstance { instance, pou, args } => {
                inside.place_parts(instance);
                Written::call(&mut inside, &mut behind, *pou, args);
                if self.project.gives_text(stmt) {
                    behind.shared();
                }
            }
            StmtKind::Eval(Expr { kind: ExprKind::Call(callee, args), .. }) => {
                Written::call(&mut inside, &mut behind, *callee, args);
            }
            _ => inside.stmt_parts(stmt),
        }
        (inside.found, behind.found)
    }

    /// Returns statements that give the bytes behind the end of a string any value.
    fn forget(&mut self, row: usize, span: Span) -> Vec<Stmt> {
        let row = &self.rows[row];
        let end = Place::of(Root::Var(self.end), elementary::DINT, span);
        let whole = Expr::read(Place { span, ..row.place.clone() });
        let mut stmts = vec![Stmt::assign(end.clone(), builtin(Builtin::Len, vec![whole], elementary::DINT, span), span)];
        for at in 2..=row.n {
            let index = Expr::int(i128::from(at), elementary::LINT, span);
            let byte = Place { span, ..row.place.part(Elem::Index(vec![index]), row.cell) };
            let concrete = Some(Box::new(Expr::read(byte.clone())));
            let any = Expr::new(ExprKind::Arbitrary { gap: self.gap, concrete }, row.cell, span);
            let last = Expr::int(i128::from(at) - 1, elementary::DINT, span);
            let is_behind = node(BinOp::Lt, Expr::read(end.clone()), last, span);
            let branches = vec![(is_behind, vec![Stmt::assign(byte, any, span)])];
            stmts.push(Stmt { kind: StmtKind::If { branches, otherwise: Vec::new() }, span });
        }
        self.n_added += stmts.len();
        stmts
    }

    /// Returns the strings that a write of a place may assign as a whole.
    fn overlapping(&self, place: &Place) -> Vec<usize> {
        let rows = self.rows.iter().enumerate();
        let overlaps = |row: &Row| {
            let is_named = place.root == row.place.root && is_around(&place.path, &row.place.path);
            is_named || row.is_shared && self.project.holds_text(place.ty)
        };
        rows.filter(|(_, row)| overlaps(row)).map(|(at, _)| at).collect()
    }
}

/// Strings that parts of a statement write; lists of statements inside are left out.
struct Written<'t, 'p> {
    tails: &'t Tails<'p>,
    found: BTreeSet<usize>,
}

impl Written<'_, '_> {
    /// Adds the writes of a call that is a whole statement: those of its arguments come before it.
    fn call(inside: &mut Self, behind: &mut Self, callee: PouId, args: &CallArgs) {
        args.inputs.iter().for_each(|(_, value)| inside.expr(value));
        for (_, place) in args.in_outs.iter().chain(&args.outputs) {
            inside.place_parts(place);
        }
        args.in_outs.iter().for_each(|(_, place)| behind.place(place, Access::InOut));
        args.outputs.iter().for_each(|(_, place)| behind.place(place, Access::Write));
        behind.callee(callee);
    }

    fn callee(&mut self, callee: PouId) {
        if self.tails.writers.contains(&callee) {
            self.shared();
        }
    }

    /// Adds all strings that may have other names.
    fn shared(&mut self) {
        let rows = self.tails.rows.iter().enumerate();
        self.found.extend(rows.filter(|(_, row)| row.is_shared).map(|(at, _)| at));
    }
}

impl<'h> Visit<'h> for Written<'_, '_> {
    fn body(&mut self, _: &'h [Stmt]) {}

    fn place(&mut self, place: &'h Place, access: Access) {
        self.place_parts(place);
        if matches!(access, Access::Write | Access::InOut) {
            self.found.extend(self.tails.overlapping(place));
        }
    }

    fn call(&mut self, callee: PouId, args: &'h CallArgs) {
        self.callee(callee);
        self.call_parts(args);
    }
}

fn is_fixed(place: &Place) -> bool {
    place.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Member(_)))
}

/// Returns whether a path may lead to something that holds what the other one leads to.
fn is_around(outer: &[Elem], inner: &[Elem]) -> bool {
    let literal = |e: &Expr| if let ExprKind::Literal(value) = e.kind { Some(value) } else { None };
    let may_be_same = |a: &Elem, b: &Elem| match (a, b) {
        (Elem::Index(a), Elem::Index(b)) => a.iter().zip(b).all(|(a, b)| match (literal(a), literal(b)) {
            (Some(a), Some(b)) => a == b,
            (_, _) => true,
        }),
        (_, _) => a == b,
    };
    outer.len() <= inner.len() && outer.iter().zip(inner).all(|(a, b)| may_be_same(a, b))
}
