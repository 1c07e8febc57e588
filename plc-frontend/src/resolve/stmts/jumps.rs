//! Labels and jumps, and the hidden variables of networks and instruction lists.
//!
//! A jump goes to a label of its own list of statements or of one around it. The body of an IF or a loop is entered by its head
//! only.

use crate::ast;
use crate::hir::{Elem, ExprKind, LabelId, Place, PouId, Project, Root, Section, Stmt, StmtKind, Type, TypeId, Var, VarId};
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Key, Local, Names, Unusable, VarRef, key};
use crate::resolve::resolver::{Bodies, Resolver, Scope, Want};
use crate::resolve::types::elementary;
use crate::text::codes;
use crate::text::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Labels of the current body.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Of the lists around the current statement, the innermost last.
    lists: Vec<BTreeMap<Key, LabelId>>,
    /// Of all lists of the body.
    all: BTreeSet<Key>,
    next: u32,
}

impl Resolver<'_> {
    /// Resolves `name := value` for a variable of the value's type. A later value of another type gets another variable.
    pub(crate) fn hidden(&mut self, scope: Scope, name: &ast::Ident, value: &ast::Expr, section: Section) -> Res<StmtKind> {
        let Some(owner) = scope.owner else { return Err(Bad::Reported) };
        if section == Section::Local && self.names.members.contains_key(&owner) {
            let effect = "its value would have to outlive the call: nothing after this statement in the cycle is verified";
            return Err(unsupported(
                name.span,
                "result of a block that may be skipped, in a method or an inherited body",
                effect,
            ));
        }
        match self.expr(scope, value, Want::Any) {
            Ok(value) => {
                let var = self.names.hidden_variable(&mut self.project, owner, name, value.ty, section);
                let target = Place::of(Root::Var(var), value.ty, name.span);
                Ok(StmtKind::Assign { target, value })
            }
            Err(Bad::Reported) => {
                self.names.locals[owner.0 as usize].insert(key(&name.text), Local::Broken);
                Err(Bad::Reported)
            }
            Err(Bad::Gap(gap)) => {
                let var = VarRef::Local(owner, self.names.new_hidden(&mut self.project, owner, name, elementary::BOOL, section));
                let unusable = Unusable::Gap { construct: gap.construct.clone(), effect: gap.effect.clone() };
                self.names.unusable.insert(var, unusable);
                Err(Bad::Gap(gap))
            }
        }
    }

    /// Resolves `value;`: only the effects of computing it count.
    pub(crate) fn lone_value(&mut self, scope: Scope, value: &ast::Expr, span: Span) -> Res<Vec<Stmt>> {
        let Some(owner) = scope.owner else { return Err(Bad::Reported) };
        let value = self.expr(scope, value, Want::Any)?;
        if let Type::FunctionBlock(_) = self.project.types[value.ty].ty {
            let message = "this instance is not called: it has no arguments";
            let help = Some("write `(…)` behind it to call it".to_owned());
            return Err(self.findings.error_with_help(codes::NOT_A_VALUE, span, message, "neither assigned nor called", help));
        }
        if let ExprKind::Read(place) = &value.kind
            && place.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Member(_) | Elem::Bits { .. }))
        {
            return Ok(Vec::new());
        }
        let name = ast::Ident::new("_value", span);
        let var = self.names.hidden_variable(&mut self.project, owner, &name, value.ty, Section::Temp);
        let target = Place::of(Root::Var(var), value.ty, span);
        Ok(vec![Stmt::assign(target, value, span)])
    }
}

impl Bodies {
    /// Gives ids to the labels of a list, before its statements.
    pub(crate) fn open_labels(&mut self, findings: &mut Findings, list: &[ast::Stmt]) {
        if self.labels.lists.is_empty() {
            self.labels = Labels::default();
            self.all_labels(findings, list);
        }
        let mut labels = BTreeMap::new();
        for stmt in list {
            if let ast::StmtKind::Label(name, _) = &stmt.kind
                && !labels.contains_key(&key(&name.text))
            {
                labels.insert(key(&name.text), LabelId(self.labels.next));
                self.labels.next += 1;
            }
        }
        self.labels.lists.push(labels);
    }

    /// Forgets the labels of a list, behind its statements.
    pub(crate) fn close_labels(&mut self) {
        self.labels.lists.pop();
    }

    /// Notes all labels of a body; two of one name are an error at the second.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements have no lists inside")]
    fn all_labels(&mut self, findings: &mut Findings, body: &[ast::Stmt]) {
        let mut found: Vec<&ast::Ident> = Vec::new();
        let mut waiting = vec![body];
        while let Some(list) = waiting.pop() {
            for stmt in list {
                match &stmt.kind {
                    ast::StmtKind::Label(name, _) => found.push(name),
                    ast::StmtKind::If(branches, otherwise) => {
                        waiting.extend(branches.iter().map(|(_, body)| body.as_slice()).chain([otherwise.as_slice()]));
                    }
                    ast::StmtKind::Case(_, arms, otherwise) => {
                        waiting.extend(arms.iter().map(|arm| arm.body.as_slice()).chain([otherwise.as_slice()]));
                    }
                    ast::StmtKind::For { body, .. } | ast::StmtKind::While(_, body) | ast::StmtKind::Repeat(body, _) => {
                        waiting.push(body);
                    }
                    _ => {}
                }
            }
        }
        found.sort_by_key(|name| name.span);
        for name in found {
            if !self.labels.all.insert(key(&name.text)) {
                let message = format!("the label `{}` stands in this body already", name.text);
                findings.error(codes::DUPLICATE_NAME, name.span, message, "again here");
            }
        }
    }

    pub(crate) fn label(&self, name: &ast::Ident, span: Span) -> Vec<Stmt> {
        let label = self.labels.lists.last().and_then(|list| list.get(&key(&name.text)));
        label.map(|label| Stmt { kind: StmtKind::Label(*label), span }).into_iter().collect()
    }

    pub(crate) fn goto(&self, findings: &mut Findings, name: &ast::Ident) -> Res<StmtKind> {
        if let Some(label) = self.labels.lists.iter().rev().find_map(|list| list.get(&key(&name.text))) {
            return Ok(StmtKind::Goto(*label));
        }
        let (message, here, help) = if self.labels.all.contains(&key(&name.text)) {
            let message = format!("the label `{}` stands inside another statement", name.text);
            (message, "would jump into a body", "jump to a label in the same list of statements or around it")
        } else {
            (format!("there is no label `{}`", name.text), "no such label", "write the label followed by a colon: `name:`")
        };
        Err(findings.error_with_help(codes::BAD_JUMP, name.span, message, here, Some(help.to_owned())))
    }
}

impl Names {
    fn hidden_variable(&mut self, project: &mut Project, owner: PouId, name: &ast::Ident, ty: TypeId, section: Section) -> VarId {
        match self.locals[owner.0 as usize].get(&key(&name.text)) {
            Some(Local::Var(var))
                if project.pous[owner].vars[*var].ty == ty && !self.unusable.contains_key(&VarRef::Local(owner, *var)) =>
            {
                *var
            }
            Some(Local::Var(_) | Local::External(_) | Local::Inherent(..) | Local::Broken) | None => {
                self.new_hidden(project, owner, name, ty, section)
            }
        }
    }

    pub(crate) fn new_hidden(
        &mut self,
        project: &mut Project,
        owner: PouId,
        name: &ast::Ident,
        ty: TypeId,
        section: Section,
    ) -> VarId {
        let vars = &mut project.pous[owner].vars;
        let taken = self.locals[owner.0 as usize].contains_key(&key(&name.text));
        let var = vars.push(Var::new(
            if taken { format!("{}_{}", name.text, vars.len()) } else { name.text.clone() },
            ty,
            section,
            name.span,
        ));
        self.locals[owner.0 as usize].insert(key(&name.text), Local::Var(var));
        var
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::SourceSet;

    /// Checks the hidden variables and the statements of a program in which each `_x := …` is a `Let`.
    fn check(body: &str, expected_vars: &str, expected_body: &str) {
        let mut sources = SourceSet::default();
        let text = format!("PROGRAM Main VAR b : BOOL; i, j : INT; r : REAL; s : NOTHING; END_VAR {body} END_PROGRAM");
        let file = sources.add("main.st", text);
        let mut unit = crate::lang::parse(file, &sources.files[file]).value;
        for item in &mut unit.items {
            let ast::Item::Pou(pou) = item else { continue };
            let ast::Body::Statements(stmts) = &mut pou.body else { continue };
            for stmt in stmts {
                if let ast::StmtKind::Assign(ast::Expr { kind: ast::ExprKind::Name(name), .. }, value) = &stmt.kind
                    && name.root.text.starts_with('_')
                {
                    stmt.kind = ast::StmtKind::Let(name.root.clone(), value.clone());
                }
            }
        }
        let units = [unit];
        let mut resolver = Resolver::new(crate::dialect::DialectId::default().row());
        resolver.collect(&units, &sources);
        resolver.finish_vars();
        resolver.bodies(&units);
        let project = &resolver.project;
        let hidden: Vec<String> = (project.pous.iter().flat_map(|pou| pou.vars.iter()))
            .filter(|var| var.section == Section::Temp)
            .map(|var| format!("{} : {}", var.name, crate::hir::type_to_st(project, var.ty)))
            .collect();
        assert_eq!(hidden.join("; "), expected_vars, "{body}");
        let printed = project.to_st();
        let printed = printed.split_once("END_VAR\n").map_or("", |(_, rest)| rest);
        let printed = printed.split("END_VAR\n").last().unwrap_or("").replace("END_PROGRAM", "");
        assert_eq!(printed.split_whitespace().collect::<Vec<_>>().join(" "), expected_body, "{body}");
    }

    #[test]
    fn hidden_variables_have_the_type_of_their_value() {
        check("_a := i + 1; j := _a;", "_a : INT", "_a := i + 1; j := _a;");
        check(
            "_a := 1; _b := 1.5; _c := b AND TRUE;",
            "_a : INT; _b : LREAL; _c : BOOL",
            "_a := 1; _b := 1.5; _c := b AND TRUE;",
        );
        // Set again it is the same variable, unless the type differs.
        check("_a := i; _a := _a + 1; j := _a;", "_a : INT", "_a := i; _a := _a + 1; j := _a;");
        check("_a := i; _a := _a > 1; b := _a;", "_a : INT; _a_6 : BOOL", "_a := i; _a_6 := _a > 1; b := _a_6;");
        // A value with an error has no variable, and its uses have no second error.
        check("_a := i + b; j := _a;", "", "");
    }
}
