//! EN and ENO in calls: `f(EN := e, x, ENO => ok)` calls if `e` holds, and `ok` says whether it did.
//!
//! If `e` does not hold, nothing is called or assigned: outputs and the target keep their values. In MATIEC a function returns
//! the initial value of its type instead, and EN and ENO of blocks are variables (`prepare/enable_variables.rs`). A call
//! statement and an assignment of a call are rewritten to an IF; elsewhere in expressions EN and ENO are not modelled.

use crate::ast::{Arg, Expr, ExprKind, Literal, Name, Stmt, StmtKind};
use crate::dialect::Enable;
use crate::hir::{self, Init, PouId, PouKind, Project, Type};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Local, Names, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::families::{Family, base, family};
use crate::text::Span;

/// EN and ENO of a call apart from its other arguments.
#[derive(Default)]
struct Arguments<'e> {
    en: Option<&'e Expr>,
    /// Target of ENO, and whether it is negated.
    eno: Option<(&'e Expr, bool)>,
    rest: Vec<Arg>,
}

impl Resolver<'_> {
    /// Returns the statements of a call with EN or ENO; `None` for all others.
    pub(crate) fn enabled(&mut self, scope: Scope, stmt: &Stmt) -> Option<Res<Vec<hir::Stmt>>> {
        let (name, args) = if let StmtKind::Call(name, args) = &stmt.kind {
            (name, args)
        } else if let StmtKind::Assign(_, Expr { kind: ExprKind::Call(name, args), .. }) = &stmt.kind {
            (name.as_ref(), args)
        } else {
            return None;
        };
        let found = self.split(scope, name, args)?;
        let span = stmt.span;
        let call = ExprKind::Call(Box::new(name.clone()), found.rest.clone());
        let kind = if let StmtKind::Assign(target, value) = &stmt.kind {
            StmtKind::Assign(target.clone(), Expr { kind: call, span: value.span })
        } else {
            StmtKind::Call(name.clone(), found.rest)
        };
        let call = Stmt { kind, span };
        let said = |held: bool| {
            let (target, negated) = found.eno?;
            Some(Stmt::assign(target.clone(), Expr::truth(held != negated, target.span), target.span))
        };
        let calls: Vec<Stmt> = [Some(call), said(true)].into_iter().flatten().collect();
        let Some(en) = found.en else { return Some(Ok(self.stmts(scope, &calls))) };
        let mut otherwise: Vec<Stmt> = Vec::new();
        if let StmtKind::Assign(target, _) = &stmt.kind {
            match self.dialect.enable {
                Enable::SkipsBody => match self.initial(scope, name, target) {
                    Ok(value) => otherwise.push(Stmt::assign(target.clone(), value, span)),
                    Err(why) => return Some(Err(why)),
                },
                Enable::SkipsCall | Enable::ControllerDependent if !is_true(en) => {
                    self.dialect.note_disabled(&mut self.findings, Behaviour::DisabledResult, &name.root.text, false, span)
                }
                Enable::SkipsCall | Enable::ControllerDependent | Enable::NoMeaning => {}
            }
        } else if !is_true(en) && args.iter().any(|arg| !is_enable(arg) && !matches!(arg, Arg::Output { .. })) {
            self.dialect.note_disabled(&mut self.findings, Behaviour::DisabledInputs, &name.root.text, false, span);
        }
        otherwise.extend(said(false));
        Some(self.if_stmt(scope, &[(en.clone(), calls)], &otherwise, span))
    }

    /// Returns the value of a function of elementary type that is not executed.
    fn initial(&mut self, scope: Scope, name: &Name, target: &Expr) -> Res<Expr> {
        let span = target.span;
        let ty = if let ExprKind::Name(place) = &target.kind {
            self.place(scope, place)?.ty
        } else {
            return Err(not_modelled(span));
        };
        // The function's own type may have another initial value.
        let called = self.names.called(&self.project, scope, name).flatten();
        let is_plain = called.is_none_or(|pou| match self.project.pous[pou].kind {
            PouKind::Function(Some(result)) => {
                let result = &self.project.pous[pou].vars[result];
                result.init == Init::Default && base(&self.project, result.ty) == result.ty
            }
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => true,
        });
        let literal = match (family(&self.project, ty), is_plain) {
            (Family::Bool, true) => Literal::Bool(false),
            (Family::Int | Family::Bits, true) => Literal::Int(0),
            (Family::Real, true) => Literal::Real("0.0".to_owned()),
            (Family::Time, true) => Literal::Duration { ns: 0, long: false },
            (_, _) => return Err(not_modelled(span)),
        };
        Ok(Expr { kind: ExprKind::Literal(None, literal), span })
    }

    /// Splits EN and ENO from the other arguments; `None` without them, or if the callee has parameters of these names.
    fn split<'e>(&self, scope: Scope, name: &Name, args: &'e [Arg]) -> Option<Arguments<'e>> {
        if self.dialect.enable == Enable::NoMeaning || !name.path.is_empty() || args.iter().all(|arg| !is_enable(arg)) {
            return None;
        }
        let called = self.names.called(&self.project, scope, name)?;
        let own = |parameter: &str| {
            called.is_some_and(|pou| self.project.pous[pou].vars.iter().any(|v| v.name.eq_ignore_ascii_case(parameter)))
        };
        if own("EN") || own("ENO") {
            return None;
        }
        let mut found = Arguments::default();
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
}

impl Names {
    /// Returns the user's function or function block behind a name without a path. The outer `None` stands for an unknown one.
    fn called(&self, project: &Project, scope: Scope, name: &Name) -> Option<Option<PouId>> {
        let local = scope.owner.and_then(|owner| self.locals[owner.0 as usize].get(&key(&name.root.text)));
        let ty = match (local, scope.owner) {
            (Some(Local::Var(var)), Some(owner)) => project.pous[owner].vars[*var].ty,
            (Some(Local::External(global)), _) => project.globals[*global].ty,
            (Some(Local::Broken | Local::Inherent(..)), _) => return None,
            (Some(Local::Var(_)) | None, _) => match self.globals.get(&self.meant_value(&name.root)) {
                Some(global) => project.globals[*global].ty,
                None => return Some(self.pous.get(&self.meant(&name.root)).copied()),
            },
        };
        if let Type::FunctionBlock(pou) = project.types[ty].ty { Some(Some(pou)) } else { None }
    }
}

/// Returns the gap of a call whose result while EN is FALSE is not modelled.
fn not_modelled(span: Span) -> Bad {
    let effect = "the value while EN is FALSE is not modelled: nothing after this statement in the cycle is verified";
    unsupported(span, "EN/ENO", effect)
}

fn is_enable(arg: &Arg) -> bool {
    match arg {
        Arg::Input(name, _) => name.text.eq_ignore_ascii_case("EN"),
        Arg::Output { name, .. } => name.text.eq_ignore_ascii_case("ENO"),
        Arg::Positional(_) => false,
    }
}

fn is_true(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Literal(_, Literal::Bool(true)))
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
