//! Hidden variables of networks and instruction lists, and values that stand alone.

use crate::ast;
use crate::hir::{Elem, ExprKind, Place, PouId, Project, Root, Section, Stmt, StmtKind, Type, TypeId, Var, VarId};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Local, Names, Unusable, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::types::elementary;
use crate::text::{Span, codes};

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

    /// Resolves `value;`: it has an effect only through the calls in it.
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

impl Names {
    pub(crate) fn hidden_variable(
        &mut self,
        project: &mut Project,
        owner: PouId,
        name: &ast::Ident,
        ty: TypeId,
        section: Section,
    ) -> VarId {
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
    use crate::text::SourceSet;

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
        resolver.bodies(&units, Vec::new());
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
        // A second assignment uses the same variable, unless the type differs.
        check("_a := i; _a := _a + 1; j := _a;", "_a : INT", "_a := i; _a := _a + 1; j := _a;");
        check("_a := i; _a := _a > 1; b := _a;", "_a : INT; _a_6 : BOOL", "_a := i; _a_6 := _a > 1; b := _a_6;");
        // A value with an error has no variable, and its uses have no second error.
        check("_a := i + b; j := _a;", "", "");
    }
}
