//! EN and ENO in calls: `f(EN := e, x, ENO => ok)` calls where `e` holds, and `ok` says whether it did.
//!
//! Where `e` does not hold nothing is called and nothing assigned: outputs and the target keep their values. A statement
//! that calls and an assignment of a call are rewritten to an IF; elsewhere in expressions EN and ENO are not modelled.

use super::names::{Local, key};
use super::resolver::{Res, Resolver, Scope};
use crate::ast::{Arg, Expr, ExprKind, Literal, Name, Stmt, StmtKind};
use crate::hir::{self, PouId, Type};
use crate::source::Span;

/// What a call says besides its arguments.
#[derive(Default)]
struct Enable<'e> {
    en: Option<&'e Expr>,
    /// Where ENO goes, and whether it is negated.
    eno: Option<(&'e Expr, bool)>,
    rest: Vec<Arg>,
}

impl Resolver<'_> {
    /// The statements of a call with EN or ENO; `None` for all others.
    pub(crate) fn enabled(&mut self, scope: Scope, stmt: &Stmt) -> Option<Res<Vec<hir::Stmt>>> {
        let (name, args) =
            if let StmtKind::Call(name, args) | StmtKind::Assign(_, Expr { kind: ExprKind::Call(name, args), .. }) = &stmt.kind {
                (name, args)
            } else {
                return None;
            };
        let found = self.split(scope, name, args)?;
        let span = stmt.span;
        let call = ExprKind::Call(name.clone(), found.rest.clone());
        let kind = if let StmtKind::Assign(target, value) = &stmt.kind {
            StmtKind::Assign(target.clone(), Expr { kind: call, span: value.span })
        } else {
            StmtKind::Call(name.clone(), found.rest)
        };
        let call = Stmt { kind, span };
        let said = |held: bool| found.eno.map(|(target, negated)| assign(target, held != negated));
        let calls: Vec<Stmt> = [Some(call), said(true)].into_iter().flatten().collect();
        Some(match found.en {
            Some(en) => self.if_stmt(scope, &[(en.clone(), calls)], &said(false).into_iter().collect::<Vec<_>>(), span),
            None => Ok(self.stmts(scope, &calls)),
        })
    }

    /// EN and ENO of a call, if it has them and what is called has no parameters of these names.
    fn split<'e>(&self, scope: Scope, name: &Name, args: &'e [Arg]) -> Option<Enable<'e>> {
        if !name.path.is_empty() || args.iter().all(|arg| !is_enable(arg)) {
            return None;
        }
        let called = self.called(scope, name)?;
        let own = |parameter: &str| {
            called.is_some_and(|pou| self.project.pous[pou].vars.iter().any(|v| v.name.eq_ignore_ascii_case(parameter)))
        };
        if own("EN") || own("ENO") {
            return None;
        }
        let mut found = Enable::default();
        for arg in args {
            match arg {
                Arg::Input(_, e) if is_enable(arg) => found.en = Some(e),
                Arg::Output { target: Some(target), negated, .. } if is_enable(arg) => found.eno = Some((target, *negated)),
                Arg::Output { target: None, .. } if is_enable(arg) => {}
                Arg::Input(..) | Arg::Output { .. } | Arg::Positional(_) => found.rest.push(arg.clone()),
            }
        }
        Some(found)
    }

    /// The function or function block behind a name without a path, if it is one of the user's; `None` if that is not known.
    fn called(&self, scope: Scope, name: &Name) -> Option<Option<PouId>> {
        let local = scope.owner.and_then(|owner| self.names.locals[owner.0 as usize].get(&key(&name.root.text)));
        let ty = match (local, scope.owner) {
            (Some(Local::Var(var)), Some(owner)) => self.project.pous[owner].vars[*var].ty,
            (Some(Local::External(global)), _) => self.project.globals[*global].ty,
            (Some(Local::Broken | Local::Inherent(..)), _) => return None,
            (Some(Local::Var(_)) | None, _) => match self.names.globals.get(&key(&name.root.text)) {
                Some(global) => self.project.globals[*global].ty,
                None => return Some(self.names.pous.get(&self.names.meant(&name.root)).copied()),
            },
        };
        if let Type::FunctionBlock(pou) = self.project.types[ty].ty { Some(Some(pou)) } else { None }
    }
}

fn is_enable(arg: &Arg) -> bool {
    match arg {
        Arg::Input(name, _) => name.text.eq_ignore_ascii_case("EN"),
        Arg::Output { name, .. } => name.text.eq_ignore_ascii_case("ENO"),
        Arg::Positional(_) => false,
    }
}

/// `target := value;`
fn assign(target: &Expr, value: bool) -> Stmt {
    let span: Span = target.span;
    let value = Expr { kind: ExprKind::Literal(None, Literal::Bool(value)), span };
    Stmt { kind: StmtKind::Assign(target.clone(), value), span }
}

#[cfg(test)]
mod tests {
    use crate::resolve::tests::show::{check_hir, check_hir_with};

    #[test]
    fn calls_with_en_happen_where_it_holds() {
        let vars = "VAR\n b, ok : BOOL; i : INT; t : TON;\nEND_VAR";
        check_hir(vars, "i := ABS(EN := b, i);", "IF b {i := Abs(i)} ELSE {}");
        check_hir(vars, "i := ADD(EN := b, i, 1, ENO => ok);", "IF b {i := (i + 1:INT); ok := TRUE} ELSE {ok := FALSE}");
        check_hir(vars, "t(EN := b, IN := ok, ENO => ok);", "IF b {t(IN := ok); ok := TRUE} ELSE {ok := FALSE}");
        check_hir(vars, "t(IN := b, NOT ENO => ok);", "t(IN := b); ok := FALSE");
        let own = "FUNCTION F : INT VAR_INPUT EN : BOOL; END_VAR F := 1; END_FUNCTION";
        check_hir_with(own, vars, "i := F(EN := b);", "i := F(EN := b)");
    }
}
