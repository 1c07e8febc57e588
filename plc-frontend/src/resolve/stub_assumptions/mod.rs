//! Assumptions about stubs: what a user knows about the values that their calls give.
//!
//! `Main.valve.Level >= 0` is about an instance, and holds behind each of its calls. `FB_Valve.Level >= 0` is about all instances,
//! `FB_Valve.Weight > 0` about each call of a method, and `F_Scale <= 100` about each call of a function. They become statements at
//! the end of the bodies of stubs ([`StmtKind::Assume`]).
//!
//! Soundness: an assumption excludes runs behind the calls that it names, and nowhere else. What it says of the start of a cycle is the
//! business of `kernel::property`.

mod reach;
#[cfg(test)]
mod tests;

use super::condition::{read, resolved};
use super::{Loaded, key};
use crate::ast::walk::Node;
use crate::ast::{self, NameElem};
use crate::hir::at_call::blank_calls;
use crate::hir::{
    Assumed, Elem, Expr, ExprKind, Place, Pou, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Type, TypeId, Value,
    VarId, VisitMut, walk,
};
use crate::ids::Id;
use crate::resolve::names::tables::{Local, Member};
use crate::resolve::types::elementary;
use crate::text::{Diagnostic, FileId, Parsed, Severity, Span, codes};
use std::collections::BTreeSet;

/// Sentence about a problem, and a way out.
type Problem = (String, String);

impl Loaded {
    /// Reads an assumption whose names begin with that of a stub, and lets it hold behind each call. Returns `None` if the text names no
    /// stub; else what it says of the state between calls: TRUE.
    pub fn assume_of_stub(&mut self, name: &str, text: &str) -> Option<Parsed<Option<Expr>>> {
        // Columns of findings stay.
        let text = blank_calls(text);
        let file = FileId::new(self.sources.files.len());
        let stubs = self.stubs_named(&crate::lang::parse_condition(file, &text, self.dialect).value?);
        if stubs.is_empty() {
            return None;
        }
        let parsed = read(self, name, &text);
        let Some(mut written) = parsed.value else { return Some(Parsed { value: None, diagnostics: parsed.diagnostics }) };
        let diagnostics = match self.put_own_names(&mut written, &stubs) {
            Ok(owner) => self.assume_in(owner, &written, parsed.diagnostics),
            Err(finding) => vec![finding],
        };
        let is_stated = !diagnostics.iter().any(|finding| finding.severity == Severity::Error);
        let holds = Expr::new(ExprKind::Literal(Value::Bool(true)), elementary::BOOL, written.span);
        Some(Parsed { value: is_stated.then_some(holds), diagnostics })
    }

    /// Lets a condition hold behind each call of the stubs' instances that it names; returns whether it names any.
    pub fn assume_behind_calls(&mut self, condition: &Expr) -> Result<bool, Problem> {
        self.has_no_call(condition)?;
        let mut instances: Vec<(PouId, Place)> = Vec::new();
        let mut problem = None;
        walk::exprs_of(condition, |e| {
            let ExprKind::Read(place) = &e.kind else { return };
            match self.stubs_on(place) {
                Ok(found) => {
                    for one in found {
                        if !instances.contains(&one) {
                            instances.push(one);
                        }
                    }
                }
                Err(found) => problem = Some(found),
            }
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        for (block, meant) in &instances {
            self.note_other_variables(*block, condition, Some(meant));
            for pou in self.bodies_of(*block) {
                let root = if pou == *block { Root::This(meant.ty) } else { Root::Var(Member::THIS) };
                let own = Place::of(root, meant.ty, meant.span);
                self.push_assumed(pou, Assumed { instance: Some((own, meant.clone())), condition: condition.clone() });
            }
        }
        Ok(!instances.is_empty())
    }

    /// Adds an assumption to the end of the body of a stub. Its place is that of the stub.
    fn push_assumed(&mut self, pou: PouId, assumed: Assumed) {
        let span = self.project.pous[pou].span;
        self.project.pous[pou].body.push(Stmt { kind: StmtKind::Assume(Box::new(assumed)), span });
    }

    /// Returns a block and its members, as far as they are stubs: a call of each gives the variables of the instance new values.
    fn bodies_of(&self, block: PouId) -> Vec<PouId> {
        let is_own = |pou: &PouId| *pou == block || self.names.members.get(pou).is_some_and(|member| member.block == block);
        self.project.stubs.keys().copied().filter(is_own).collect()
    }

    /// Returns the error of a condition with a call: a stub gives new values there.
    fn has_no_call(&self, condition: &Expr) -> Result<(), Problem> {
        let mut found = None;
        walk::exprs_of(condition, |e| {
            if let ExprKind::Call(pou, _) = e.kind
                && self.project.stubs.contains_key(&pou)
            {
                found = Some(pou);
            }
        });
        let Some(pou) = found else { return Ok(()) };
        Err(self.called_in_assumption(pou))
    }

    fn called_in_assumption(&self, pou: PouId) -> Problem {
        let name = &self.project.pous[pou].name;
        let message = format!("an assumption cannot call the stub `{name}`, because each call has new values");
        (message, format!("Name it without arguments, and the assumption holds for each of its calls: `{name} >= 0`."))
    }

    /// Returns the stubs and their instances on the way to a place, and blocks that extend a stub.
    fn stubs_on(&self, place: &Place) -> Result<Vec<(PouId, Place)>, Problem> {
        let is_member = |elem: &Elem| matches!(elem, Elem::Member(_));
        // The first member of a program is no part of a block.
        let first = usize::from(matches!(place.root, Root::Instance(_)));
        let members = place.path.iter().enumerate().filter(|(_, elem)| is_member(elem)).skip(first).map(|(at, _)| at);
        let blocks = self.project.members_on(None, place);
        let gives = |block: PouId, var: VarId| match self.project.stub_heirs.contains_key(&block) {
            true => self.project.is_of_stub(block, &self.project.pous[block].vars[var]),
            false => self.project.stubs.contains_key(&block),
        };
        let mut found = Vec::new();
        for ((block, _), at) in blocks.into_iter().zip(members).filter(|((block, var), _)| gives(*block, *var)) {
            let path = place.path[..at].to_vec();
            let is_certain = |elem: &Elem| match elem {
                Elem::Index(indices) => indices.iter().all(|index| matches!(index.kind, ExprKind::Literal(_))),
                Elem::Field(_) | Elem::Member(_) | Elem::Bits { .. } => true,
                Elem::Deref(_) => false,
            };
            let name = &self.project.pous[block].name;
            if !path.iter().all(is_certain) {
                let message = format!("an assumption names an instance of the stub `{name}` by a variable index or a reference");
                return Err((message, format!("Name the instance itself, or each of them by the stub: `{name}.x >= 0`.")));
            }
            let Some(ty) = self.type_of_block(block) else { continue };
            found.push((block, Place { root: place.root, path, ty, span: place.span }));
        }
        Ok(found)
    }

    fn type_of_block(&self, block: PouId) -> Option<TypeId> {
        self.project.types.iter_enumerated().find(|(_, row)| row.ty == Type::FunctionBlock(block)).map(|(id, _)| id)
    }

    /// Returns the stubs with which names of a condition begin.
    fn stubs_named(&self, written: &ast::Expr) -> BTreeSet<PouId> {
        let mut found = BTreeSet::new();
        ast::walk::expr(written, &mut |node| {
            if let Node::Name(name) = node {
                found.extend(self.stub_named(&name.root.text));
            }
        });
        found
    }

    /// Returns the stub of a name that is none of a variable or a program.
    fn stub_named(&self, name: &str) -> Option<PouId> {
        let name = key(name);
        let is_variable = self.names.globals.contains_key(&name)
            || self.names.instances.contains_key(&name)
            || self.project.instances.iter().any(|instance| self.names.locals[instance.pou.0 as usize].contains_key(&name));
        self.names.pous.get(&name).copied().filter(|pou| !is_variable && self.project.stubs.contains_key(pou))
    }

    /// Takes the stub off the beginning of names; returns the POU in which these are variables.
    fn put_own_names(&self, written: &mut ast::Expr, stubs: &BTreeSet<PouId>) -> Result<PouId, Diagnostic> {
        let error = |span: Span, message: String, help: String| {
            Err(Diagnostic::error(codes::NOT_A_VALUE, span, message, "in an assumption about a stub").help(help))
        };
        let (Some(stub), 1) = (stubs.first().copied(), stubs.len()) else {
            let help = "state an assumption for each of them".to_owned();
            return error(written.span, "an assumption names several stubs".to_owned(), help);
        };
        let mut owners: BTreeSet<PouId> = BTreeSet::new();
        let (mut unknown, mut others) = (None, Vec::new());
        ast::edit::names_of_expr(written, &mut |name| {
            let ast::edit::NameMut::Path(path) = name else { return };
            if self.stub_named(&path.root.text) != Some(stub) {
                others.push(path.root.clone());
                return;
            }
            match self.owner_of(stub, path) {
                Some(owner) => owners.extend([owner]),
                None => unknown = Some(path.span),
            }
        });
        let name = &self.project.pous[stub].name;
        if let Some(span) = unknown {
            let known = self.named_parts(stub).join("`, `");
            return error(span, format!("the stub `{name}` has no variable of this name"), format!("it has `{known}`"));
        }
        let (Some(owner), 1) = (owners.first().copied(), owners.len()) else {
            let help = "state an assumption for each of them".to_owned();
            return error(written.span, format!("an assumption names several members of the stub `{name}`"), help);
        };
        match others.iter().find(|other| self.names.local(Some(owner), &key(&other.text)).is_some()) {
            Some(other) => {
                let message = format!("`{}` may be a variable of the stub `{name}` or one of the program", other.text);
                error(other.span, message, format!("write `{name}.{0}`, or the program in front: `Main.{0}`", other.text))
            }
            None => Ok(owner),
        }
    }

    /// Takes the stub off the beginning of a name; returns the POU of which the rest is a variable.
    fn owner_of(&self, stub: PouId, path: &mut ast::Name) -> Option<PouId> {
        if matches!(self.project.pous[stub].kind, PouKind::Function(_)) && path.path.is_empty() {
            return Some(stub);
        }
        let Some(NameElem::Field(first)) = path.path.first().cloned() else { return None };
        let name = key(&first.text);
        if let Some(Local::Var(_)) = self.names.locals[stub.0 as usize].get(&name) {
            path.root = first;
            path.path.remove(0);
            return Some(stub);
        }
        let member = self.member_of(stub, &name)?;
        // A variable of the block or of the member, in calls of the member.
        if let Some(NameElem::Field(second)) = path.path.get(1).cloned()
            && self.names.local(Some(member), &key(&second.text)).is_some()
        {
            path.root = second;
            path.path.drain(..2);
            return Some(member);
        }
        path.root = first;
        path.path.remove(0);
        Some(member).filter(|member| matches!(self.project.pous[*member].kind, PouKind::Function(Some(_))))
    }

    /// Returns the method or the half of a property with a name; the half that gives a value, if there is one.
    fn member_of(&self, stub: PouId, name: &str) -> Option<PouId> {
        let is_named = |pou: &PouId| self.project.pous[*pou].name.rsplit('.').next().is_some_and(|own| key(own) == *name);
        let has_result = |pou: &PouId| matches!(self.project.pous[*pou].kind, PouKind::Function(Some(_)));
        let named: Vec<PouId> = self.bodies_of(stub).into_iter().filter(is_named).collect();
        named.iter().copied().find(has_result).or(named.first().copied())
    }

    /// Returns the names that an assumption about a stub may have behind that of the stub.
    fn named_parts(&self, stub: PouId) -> Vec<String> {
        let is_hidden = |section: Section| matches!(section, Section::Temp | Section::Global);
        let row = &self.project.pous[stub];
        let vars = row.vars.iter().filter(|var| !is_hidden(var.section)).map(|var| var.name.clone());
        let members = self.bodies_of(stub).into_iter().filter(|pou| *pou != stub);
        let members = members.filter_map(|pou| Some(self.project.pous[pou].name.rsplit('.').next()?.to_owned()));
        vars.chain(members).collect()
    }

    /// Resolves an assumption as code of a stub, and adds it to its bodies. Returns the findings.
    fn assume_in(&mut self, owner: PouId, written: &ast::Expr, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let span = self.project.pous[owner].span;
        let is_block = self.project.pous[owner].kind == PouKind::FunctionBlock;
        // Copies for other arguments have the declaration in common.
        let is_copy = |pou: &PouId| {
            let [is_member, of_member] = [*pou, owner].map(|pou| self.project.pous[pou].member_of.is_some());
            self.project.pous[*pou].span == span && is_member == of_member
        };
        let copies: Vec<PouId> = self.project.stubs.keys().copied().filter(is_copy).collect();
        let mut noted = false;
        for copy in copies {
            let parsed = resolved(self, Some(copy), written, std::mem::take(&mut diagnostics));
            diagnostics = parsed.diagnostics;
            let Some(condition) = parsed.value else { return diagnostics };
            if let Some(finding) = self.refusal(copy, &condition, is_block) {
                diagnostics.push(finding);
                return diagnostics;
            }
            if !std::mem::replace(&mut noted, true) {
                self.note_other_variables(copy, &condition, None);
            }
            if !is_block {
                self.push_assumed(copy, Assumed { instance: None, condition });
                continue;
            }
            for pou in self.bodies_of(copy) {
                let mut condition = condition.clone();
                if pou != copy {
                    InMember.expr(&mut condition);
                }
                self.push_assumed(pou, Assumed { instance: None, condition });
            }
            self.assume_in_heirs(copy, written);
        }
        diagnostics
    }

    /// Returns the error of an assumption that calls something, or names what exists in calls of the block's body only.
    fn refusal(&self, owner: PouId, condition: &Expr, is_block: bool) -> Option<Diagnostic> {
        let (mut calls, mut passing) = (None, None);
        walk::exprs_of(condition, |e| match &e.kind {
            ExprKind::Call(pou, _) => calls = Some((e.span, Some(*pou))),
            ExprKind::Arbitrary { .. } => calls = Some((e.span, None)),
            ExprKind::Read(Place { root: Root::Var(var), .. }) if is_block => {
                let section = self.project.pous[owner].vars[*var].section;
                if !matches!(section, Section::Input | Section::Output | Section::Local) {
                    passing = Some(e.span);
                }
            }
            ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..) => {}
        });
        let error = |span: Span, message: String, help: String| {
            Diagnostic::error(codes::NOT_A_VALUE, span, message, "in an assumption about a stub").help(help)
        };
        let calls = calls.map(|(span, pou)| match pou.filter(|pou| self.project.stubs.contains_key(pou)) {
            Some(stub) => {
                let (message, help) = self.called_in_assumption(stub);
                error(span, message, help)
            }
            None => error(
                span,
                "an assumption about a stub cannot call functions of the program".to_owned(),
                "compare its variables".to_owned(),
            ),
        });
        calls.or_else(|| {
            let message = "an assumption about a block cannot name its VAR_IN_OUT and VAR_TEMP".to_owned();
            Some(error(passing?, message, "name its inputs and outputs".to_owned()))
        })
    }
}

impl Project {
    /// Returns whether calls of stubs have assumptions behind them.
    pub fn assumes_of_calls(&self) -> bool {
        self.assumed_stubs().next().is_some()
    }

    /// Returns the stubs whose calls have assumptions behind them.
    pub fn assumed_stubs(&self) -> impl Iterator<Item = &Pou> {
        self.stubs.keys().map(|pou| &self.pous[*pou]).filter(|pou| pou.body.iter().any(is_assumption))
    }

    /// Returns the program without assumptions about calls.
    pub fn without_assumptions(&self) -> Project {
        let mut project = self.clone();
        for pou in self.stubs.keys() {
            project.pous[*pou].body.retain(|stmt| !is_assumption(stmt));
        }
        project
    }
}

fn is_assumption(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Assume(_))
}

/// Makes the variables of a block those of the instance of a member.
struct InMember;

impl<'h> VisitMut<'h> for InMember {
    fn place(&mut self, place: &'h mut Place, _: walk::Access) {
        if let Root::Var(var) = place.root {
            place.root = Root::Var(Member::THIS);
            place.path.insert(0, Elem::Member(var));
        }
        self.place_parts(place);
    }
}
