//! Statements. A statement that touches an unmodelled construct becomes a gap. A wrong one is left out with a diagnostic, and becomes
//! a gap where the rest of the program runs without it.

use crate::ast;
use crate::hir::{AssertId, Expr, Extent, Place, PouId, PouKind, Project, Shape, Stmt, StmtKind, Value};
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Unusable, VarRef};
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::startup::fb_init::Starts;
use crate::resolve::stmts::control_flow::arbitrary;
use crate::resolve::types::elementary;
use crate::text::{FileId, Gap, Span, Treatment, WRONG_ASSERTION};
use std::collections::BTreeSet;

impl Resolver<'_> {
    /// Resolves the statements of a body.
    pub(crate) fn stmts(&mut self, scope: Scope, body: &[ast::Stmt]) -> Vec<Stmt> {
        let mut resolved = Vec::new();
        self.bodies.labels.open(&mut self.findings, body);
        let n_guesses = self.findings.n_guesses();
        for stmt in body {
            let mark = self.findings.mark();
            self.findings.forget_guesses(n_guesses);
            match self.deeper(stmt.span, |r| r.stmt(scope, stmt)) {
                Ok(stmts) => {
                    self.findings.ledger.count("statement");
                    resolved.extend(stmts);
                }
                Err(Bad::Reported) if let Some(gap) = self.findings.blame_guess(mark, n_guesses, stmt.span) => {
                    resolved.push(self.findings.gap_stmt(gap, stmt.span));
                }
                Err(Bad::Reported) => {
                    let owner = scope.owner.map_or("", |owner| self.project.pous[owner].name.as_str());
                    resolved.extend(self.findings.leave_out(mark, owner, stmt.span));
                }
                Err(Bad::Gap(gap)) => resolved.push(self.findings.gap_stmt(*gap, stmt.span)),
            }
        }
        self.findings.forget_guesses(n_guesses);
        self.bodies.labels.close();
        resolved.shrink_to_fit();
        resolved
    }

    fn stmt(&mut self, scope: Scope, stmt: &ast::Stmt) -> Res<Vec<Stmt>> {
        let span = stmt.span;
        if let Some(resolved) = self.enabled(scope, stmt) {
            return resolved;
        }
        let kind = match &stmt.kind {
            ast::StmtKind::Assign(target, value) if let Some(resolved) = self.assign_byte(scope, target, value, span) => {
                return resolved;
            }
            ast::StmtKind::Assign(target, value) if let Some(resolved) = self.assign_bits(scope, target, value, span) => {
                return resolved;
            }
            ast::StmtKind::Assign(target, value) => {
                let mut stmts = Vec::new();
                let kind = self.assign(scope, target, value, &mut stmts)?;
                stmts.extend(kind.map(|kind| Stmt { kind, span }));
                return Ok(stmts);
            }
            ast::StmtKind::If(branches, otherwise) => return self.if_stmt(scope, branches, otherwise, span),
            ast::StmtKind::Case(selector, arms, otherwise) => return self.case(scope, selector, arms, otherwise, span),
            ast::StmtKind::For { control, bounds, body } => {
                let ast::LoopBounds { from, to, by } = &**bounds;
                return self.for_stmt(scope, control, (from, to, by.as_ref()), body, span);
            }
            ast::StmtKind::While(condition, body) => return self.while_stmt(scope, condition, body, span),
            ast::StmtKind::Repeat(body, until) => return self.repeat(scope, body, until, span),
            ast::StmtKind::Exit => StmtKind::Exit,
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Return => StmtKind::Return,
            ast::StmtKind::Call(name, args) => return self.call_stmt(scope, name, args, span),
            ast::StmtKind::Assert(condition, name) => self.assertion(scope, condition, name.as_ref()),
            ast::StmtKind::Value(value) => return self.lone_value(scope, value, span),
            ast::StmtKind::Empty => return Ok(Vec::new()),
            ast::StmtKind::Unsupported(words) => {
                let effect = "the statement is not modelled: nothing after it in the cycle is verified";
                return Err(unsupported(span, words.as_ref(), effect));
            }
            ast::StmtKind::RefAssign(how, target, value) => self.ref_assign(scope, *how, target, value, span)?,
            ast::StmtKind::Label(label, _) => return Ok(self.bodies.labels.label(label, span)),
            ast::StmtKind::Goto(label, _) => self.bodies.labels.goto(&mut self.findings, label)?,
            ast::StmtKind::Let(name, value) => self.hidden(scope, name, value, crate::hir::Section::Temp)?,
            ast::StmtKind::Keep(name, value) => self.hidden(scope, name, value, crate::hir::Section::Local)?,
            ast::StmtKind::Error => return Err(Bad::Reported),
        };
        Ok(vec![Stmt { kind, span }])
    }

    /// Resolves `target := value`; `before` takes statements that have to come first. `None`: nothing can show the write.
    fn assign(&mut self, scope: Scope, target: &ast::Expr, value: &ast::Expr, before: &mut Vec<Stmt>) -> Res<Option<StmtKind>> {
        if let Some(call) = self.assign_property(scope, target, value, before)? {
            return Ok(Some(call));
        }
        before.clear();
        let place = if let ast::ExprKind::Name(name) = &target.kind {
            self.place_before(scope, name, before)
        } else {
            self.target(scope, target)
        };
        if let Ok(place) = &place
            && self.project.holds_opaque(place.ty)
        {
            let is_lost = self.is_lost(scope, place, value);
            return if is_lost { Ok(None) } else { Err(self.project.opaque_value(place.ty, place.span)) };
        }
        let want = match &place {
            Ok(place) => Want::Ty(place.ty),
            Err(_) => Want::Unknown,
        };
        let value = self.expr(scope, value, want);
        // An error of the target is reported first; a gap on one side does not hide an error on the other.
        let (place, value) = match (place, value) {
            (Ok(place), Ok(value)) => (place, value),
            (Err(Bad::Reported), _) | (_, Err(Bad::Reported)) => return Err(Bad::Reported),
            (Err(gap), _) | (_, Err(gap)) => return Err(gap),
        };
        let wanted = format!("`{}`", self.project.place_words(&place, target));
        let value = self.coerce(value, place.ty, &wanted)?;
        Ok(Some(StmtKind::Assign { target: place, value }))
    }

    /// Resolves an assertion. One with a mistake, or that cannot be modelled, does not stop the program.
    fn assertion(&mut self, scope: Scope, condition: &ast::Expr, name: Option<&ast::Ident>) -> StmtKind {
        // Inherited code is resolved again; its assertions stay the same.
        let next = AssertId(self.bodies.asserts.len() as u32);
        let id = *self.bodies.asserts.entry(condition.span).or_insert(next);
        let name = name.map_or_else(|| format!("assert-{}", id.0 + 1), |n| n.text.clone());
        let mark = self.findings.mark();
        let resolved = self.expr_as(scope, condition, elementary::BOOL, "the assertion");
        // The rest of the program does not depend on the assertion.
        let mistake = self.findings.warn_since(mark);
        let condition = match resolved {
            Ok(condition) => condition,
            Err(why) => {
                let span = condition.span;
                match why {
                    Bad::Gap(gap) => arbitrary(self.findings.record(*gap), span),
                    Bad::Reported => {
                        let gap = self.findings.record(Gap {
                            span,
                            construct: WRONG_ASSERTION.to_owned(),
                            treatment: Treatment::Unsupported,
                            effect: mistake.unwrap_or_else(|| "the assertion cannot be read".to_owned()),
                        });
                        self.project.wrong_assertions.insert(id, gap);
                        Expr::literal(Value::Bool(true), elementary::BOOL, span)
                    }
                }
            }
        };
        StmtKind::Assert { id, name, condition }
    }

    /// Enters a variable into the ledger, modelled or not.
    fn account(&mut self, var: VarRef) {
        let (ty, span, name) = (self.project.var(var).ty, self.project.var(var).span, self.project.var(var).name.clone());
        let gap = match self.names.unusable.get(&var) {
            Some(Unusable::Broken) => return,
            Some(Unusable::Gap { construct, effect }) => (construct.clone(), effect.clone()),
            None if self.project.holds_opaque(ty) && self.types.lacks_large_only(&self.project, ty) => {
                return self.findings.record_large(&name, &self.project.type_name(ty), span);
            }
            None if self.project.holds_opaque(ty) => (
                format!("variable `{name}` of type {}", self.project.type_name(ty)),
                "its value is not modelled: nothing after a statement that uses it is verified".to_owned(),
            ),
            None => return self.findings.ledger.count("variable"),
        };
        self.findings.record_unsupported(span, gap.0, gap.1);
    }

    /// Resolves a body. A chart in it is not modelled, and no run is followed beyond it.
    fn body(&mut self, scope: Scope, body: &ast::Body) -> Vec<Stmt> {
        match body {
            ast::Body::Statements(stmts) => self.stmts(scope, stmts),
            ast::Body::Chart(chart) => {
                let effect = "it is not modelled: nothing after it in the cycle is verified".to_owned();
                let construct = "sequential function chart".to_owned();
                let gap = self.findings.record_unsupported(chart.span, construct, effect);
                vec![Stmt { kind: StmtKind::Gap(gap), span: chart.span }]
            }
        }
    }

    /// Resolves the bodies of methods, properties and actions, also of members that are added on the way.
    pub(crate) fn member_bodies(&mut self) {
        loop {
            self.reach_targets();
            if self.decls.members.waiting.is_empty() {
                break;
            }
            for id in std::mem::take(&mut self.decls.members.waiting) {
                let declares = self.names.members.get(&id).is_some_and(|member| member.block == member.definer);
                let is_open = self.is_open(id);
                if declares && !self.decls.is_copy(id) {
                    self.findings.ledger.count("method, property or action");
                    for var in self.project.pous[id].vars.ids().skip(1) {
                        if !self.decls.is_open_parameter(id, var) {
                            self.account(VarRef::Local(id, var));
                        }
                    }
                }
                if is_open {
                    continue;
                }
                if let Some(&body) = self.decls.members.bodies.get(&id) {
                    let scope = Scope { owner: Some(id), uses: Uses::Code };
                    self.project.pous[id].body = self.body(scope, body);
                }
            }
        }
    }

    /// Resolves all bodies, in source order, each behind its variables. Returns the calls before the first cycle.
    pub(crate) fn bodies(&mut self, units: &[ast::Unit], after_init: Vec<(Span, u32)>) -> Starts {
        let mut pous = self.project.pous.ids();
        let mut globals = self.project.globals.ids();
        for item in declaration_order::all(units) {
            match item {
                ast::Item::Pou(pou) => {
                    let Some(id) = pous.next() else { return Starts::default() };
                    self.findings.ledger.count("POU");
                    for block in pou.vars.iter().filter(|b| b.section == ast::Section::Global) {
                        globals.by_ref().take(block.vars.len()).for_each(|id| self.account(VarRef::Global(id)));
                    }
                    if self.is_open(id) && !self.decls.copies.bounded.contains(&id) {
                        self.project.pous[id].body = self.project.open_body(&mut self.findings, id);
                        continue;
                    }
                    for var in self.project.pous[id].vars.ids() {
                        self.account(VarRef::Local(id, var));
                    }
                    let scope = Scope { owner: Some(id), uses: Uses::Code };
                    self.bodies.find_bit_pointers(&self.names, id, pou);
                    self.project.pous[id].body = self.body(scope, &pou.body);
                }
                ast::Item::Globals(block) => {
                    globals.by_ref().take(block.vars.len()).for_each(|id| self.account(VarRef::Global(id)));
                }
                ast::Item::Type(_) => self.findings.ledger.count("type"),
                ast::Item::Interface(_) => self.findings.ledger.count("interface"),
                ast::Item::Configuration(configuration) => {
                    let inner = configuration.resources.iter().flat_map(|resource| &resource.vars);
                    for block in configuration.vars.iter().chain(inner) {
                        if let ast::Section::Global = block.section {
                            globals.by_ref().take(block.vars.len()).for_each(|id| self.account(VarRef::Global(id)));
                        } else if let ast::Section::Config | ast::Section::Access = block.section {
                            // They are read after all instances are known.
                        } else {
                            self.findings.assume(block.span, "section of a CONFIGURATION")
                        }
                    }
                    self.findings.ledger.count("configuration");
                }
                ast::Item::Namespace(_) | ast::Item::Using(_) => {}
                ast::Item::Unsupported(words, span) if item.not_modelled().is_none() => {
                    self.findings.record_assumed(*span, *words, "answers count for a controller that does so");
                }
                // It may be a part of any program, and only the first one of its kind is told.
                ast::Item::Unsupported(words, span) => {
                    self.findings.assume(*span, words);
                    self.project.beside.insert(*span, Extent::All);
                }
            }
        }
        // The remaining globals have no declaration: direct addresses in code.
        globals.for_each(|id| self.account(VarRef::Global(id)));
        self.member_bodies();
        // Arguments of declarations are targets of references, too. FB_init may bring new bodies of members.
        let starts = self.find_starts(after_init);
        self.member_bodies();
        self.references.fill_attempts(&mut self.project);
        self.fill_dispatchers();
        self.project.count_diagrams(&mut self.findings);
        starts
    }
}

impl Project {
    /// Returns the target's name for a message: its last part.
    fn place_words(&self, place: &Place, target: &ast::Expr) -> String {
        match &target.kind {
            ast::ExprKind::Name(name) if name.path.is_empty() => name.root.text.clone(),
            ast::ExprKind::Name(name) => match name.path.last() {
                Some(ast::NameElem::Field(field)) => format!("{}.{}", name.root.text, field.text),
                Some(_) | None => format!("{}…", name.root.text),
            },
            ast::ExprKind::Address(text) => text.clone(),
            ast::ExprKind::Literal(..)
            | ast::ExprKind::Call(..)
            | ast::ExprKind::Unary(..)
            | ast::ExprKind::Binary(..)
            | ast::ExprKind::Error => self.type_name(place.ty),
        }
    }

    /// Returns the body of a POU with ARRAY [*] parameters: only its copies run, unless the block is the entry.
    fn open_body(&self, findings: &mut Findings, id: PouId) -> Vec<Stmt> {
        let row = &self.pous[id];
        let span = row.span;
        if row.kind != PouKind::FunctionBlock || self.instances.iter().all(|instance| instance.pou != id) {
            return Vec::new();
        }
        let construct = "ARRAY [*] of the entry".to_owned();
        let effect = "its bounds are not known: write a program that calls the block with arrays".to_owned();
        let gap = findings.record_unsupported(span, construct, effect);
        vec![Stmt { kind: StmtKind::Gap(gap), span }]
    }

    /// Counts each network and chart in the ledger: as modelled, or as one construct with gaps.
    fn count_diagrams(&self, findings: &mut Findings) {
        let gaps: BTreeSet<(FileId, u32)> = findings.ledger.gaps.iter().map(|g| (g.span.file, g.span.start)).collect();
        let has_gap =
            |span: Span| gaps.range((span.file, span.start)..(span.file, span.end.max(span.start + 1))).next().is_some();
        let mut broken = Vec::new();
        for diagram in self.pous.iter().flat_map(|pou| &pou.diagrams) {
            let is_chart = diagram.elements.iter().any(|e| matches!(e.shape, Shape::Step | Shape::InitialStep));
            let kind = if is_chart { "chart" } else { "network" };
            let parts = || diagram.elements.iter().filter(|e| e.shape != Shape::LeftRail);
            match parts().find(|e| has_gap(e.span)) {
                None => findings.ledger.count(kind),
                Some(e) if !is_chart => broken.push(e.span),
                // A chart that is not modelled is already one gap.
                Some(_) => {}
            }
        }
        for span in broken {
            let construct = "network with parts that are not modelled".to_owned();
            let effect = "its other parts are modelled; what follows the missing ones in a cycle is not verified".to_owned();
            findings.record_unsupported(span, construct, effect);
        }
    }
}

/// Returns an error if either is one, else the first gap.
pub(crate) fn worse(before: Option<Bad>, why: Bad) -> Bad {
    match (before, why) {
        (Some(Bad::Reported), _) | (_, Bad::Reported) => Bad::Reported,
        (Some(gap), _) | (None, gap) => gap,
    }
}
