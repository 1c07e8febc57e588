//! Variables that hold garbage at each call: temporary variables, results and outputs of functions.
//!
//! They occur in Siemens blocks without optimised access, whose stack is not cleared. A variable that may be read before it is
//! written gets an input of its own, with an arbitrary value at each call. Most variables are always written first and need none.

use crate::ast;
use crate::dialect::{Dialect, Stack};
use crate::hir::at_call::SUFFIX;
use crate::hir::{
    Address, AddressArea, AddressSize, Expr, ExprKind, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, TypeId,
    Var, VarId,
};
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::Findings;
use crate::resolve::memory::first_reads::read_before_written;
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::text::{Gap, Origin, SourceSet, Treatment};
use std::collections::{BTreeMap, BTreeSet};

impl Resolver<'_> {
    /// Lets each variable that is not initialised at a call begin the call with any value.
    pub(crate) fn uninitialise(&mut self, sources: &SourceSet) {
        let blocks = self.decls.pous.iter().enumerate().map(|(i, pou)| (PouId(i as u32), *pou));
        let declared: BTreeSet<PouId> =
            blocks.filter(|(_, pou)| self.dialect.clears_nothing(pou, sources)).map(|(id, _)| id).collect();
        self.stop_copied_bodies(&declared);
        let copies = self.decls.copies.originals.iter().filter(|(_, of)| declared.contains(of)).map(|(id, _)| *id);
        let blocks: Vec<PouId> = declared.iter().copied().chain(copies).collect();
        for pou in blocks {
            let candidates: BTreeSet<VarId> = self.uninitialised(pou);
            if candidates.is_empty() {
                continue;
            }
            let (returned, with) = (self.project.returned(pou), self.project.written_with(pou));
            let garbage = read_before_written(&self.project.pous[pou].body, &candidates, &returned, with);
            let starts: Vec<Stmt> =
                garbage.into_iter().map(|var| self.project.arbitrary_at_call(&mut self.findings, pou, var)).collect();
            self.project.pous[pou].body.splice(0..0, starts);
        }
    }

    /// Adds gaps to bodies that run with arguments of other types. Such bodies get VAR_TEMP by reference; garbage is not modelled
    /// there.
    fn stop_copied_bodies(&mut self, declared: &BTreeSet<PouId>) {
        let bodies: Vec<(PouId, PouId)> = self.decls.copies.bodies.iter().map(|(body, block)| (*body, *block)).collect();
        for (body, block) in bodies.into_iter().filter(|(_, block)| declared.contains(block)) {
            if self.uninitialised(block).is_empty() {
                continue;
            }
            let span = self.project.pous[block].span;
            let construct = "VAR_TEMP of a block with ARRAY [*], without optimised access".to_owned();
            let effect = "it is not initialised at a call: nothing after the call is verified".to_owned();
            let gap = self.findings.record_unsupported(span, construct, effect);
            self.project.pous[body].body.insert(0, Stmt { kind: StmtKind::Gap(gap), span });
        }
    }

    /// Returns variables that no declaration initialises at a call.
    fn uninitialised(&self, pou: PouId) -> BTreeSet<VarId> {
        let is_function = matches!(self.project.pous[pou].kind, PouKind::Function(_));
        let at_call = |var: &Var| match var.section {
            Section::Temp => true,
            Section::Local | Section::Output | Section::Result => is_function,
            Section::Input | Section::InOut | Section::Global => false,
        };
        let is_bare = |id: VarId| self.decls.vars.get(&VarRef::Local(pou, id)).is_none_or(|site| site.init.is_none());
        let vars = self.project.pous[pou].vars.iter_enumerated();
        let vars = vars.filter(|(id, var)| {
            // Hidden variables for wires and the like are always written before they are read.
            let is_users = !var.name.starts_with("__");
            is_users
                && at_call(var)
                && !self.decls.shows_value(&self.project, pou, *id)
                && !var.constant
                && !var.stopwatch
                && is_bare(*id)
                && self.project.is_plain(var.ty)
        });
        vars.map(|(id, _)| id).collect()
    }
}

impl Dialect {
    /// Returns whether a block runs on a stack that is not cleared.
    fn clears_nothing(&self, pou: &ast::Pou, sources: &SourceSet) -> bool {
        let Some(file) = sources.files.get(pou.span.file) else { return false };
        if file.origin != Origin::User {
            return false;
        }
        match (pou.optimized, self.stack) {
            (Some(optimized), _) => !optimized,
            (None, Stack::Cleared) => false,
            (None, Stack::Garbage) => true,
            (None, Stack::GarbageIn(endings)) => crate::lang::has_ending(&file.name, endings),
        }
    }
}

impl Declarations<'_> {
    /// Returns whether a variable is a view of another variable that has a value at the start of a call.
    fn shows_value(&self, project: &Project, pou: PouId, id: VarId) -> bool {
        let mut views = project.local_views.get(&pou).into_iter().flatten().filter(|row| row.0.0 == id);
        let has_value = |var: VarId| {
            let is_input = project.pous[pou].vars[var].section == Section::Input;
            is_input || self.vars.get(&VarRef::Local(pou, var)).is_some_and(|site| site.init.is_some())
        };
        views.any(|(_, view)| view.parts.iter().any(|part| has_value(part.of.0)))
    }
}

impl Project {
    /// Returns for each variable its views: a write to the variable writes them, too.
    fn written_with(&self, pou: PouId) -> BTreeMap<VarId, BTreeSet<VarId>> {
        let mut with: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
        for ((id, _), view) in self.local_views.get(&pou).into_iter().flatten() {
            view.parts.iter().for_each(|part| {
                with.entry(part.of.0).or_default().insert(*id);
            });
        }
        with
    }

    fn is_plain(&self, ty: TypeId) -> bool {
        !self.holds_instance(ty) && !self.holds_opaque(ty)
    }

    /// Returns the variables that the caller reads after the call.
    fn returned(&self, pou: PouId) -> BTreeSet<VarId> {
        let vars = self.pous[pou].vars.iter_enumerated();
        let vars = vars.filter(|(_, var)| matches!(var.section, Section::Output | Section::Result));
        vars.map(|(id, _)| id).collect()
    }

    /// Returns the statement that gives a variable an arbitrary value, from an input of its own.
    fn arbitrary_at_call(&mut self, findings: &mut Findings, pou: PouId, id: VarId) -> Stmt {
        let (block, var) = (&self.pous[pou], &self.pous[pou].vars[id]);
        let own = if var.section == Section::Result { String::new() } else { format!(".{}", var.name) };
        let (ty, span, name) = (var.ty, var.span, format!("{}{own}{SUFFIX}", block.name));
        let construct = match var.section {
            Section::Output | Section::Result => format!("output `{}` that is not written on every path", var.name),
            Section::Temp | Section::Local | Section::Input | Section::InOut | Section::Global => {
                format!("temporary variable `{}` that may be read before it is written", var.name)
            }
        };
        let effect = "without optimised access it is not initialised: the model lets it hold any value at each call".to_owned();
        let gap = findings.record(Gap { span, construct, treatment: Treatment::OverApproximated, effect });
        let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
        let global = self.globals.push(Var { address, ..Var::new(name, ty, Section::Global, span) });
        self.at_call.insert(global);
        let place = |root| Place::of(root, ty, span);
        let read = Expr::read(place(Root::Global(global)));
        let value = Expr::new(ExprKind::Arbitrary { gap, concrete: Some(Box::new(read)) }, ty, span);
        Stmt::assign(place(Root::Var(id)), value, span)
    }
}

#[cfg(test)]
mod tests {
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    /// Checks the inputs of a program of SCL for variables without an initial value.
    #[track_caller]
    fn check(file: &str, text: &str, expected: &[&str]) {
        let mut sources = SourceSet::default();
        sources.add(file, text);
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let globals = parsed.value.project.globals.iter().map(|g| g.name.as_str());
        let found: Vec<&str> = globals.filter_map(|name| name.strip_suffix(" (at call)")).collect();
        assert_eq!(found, expected, "{text}");
        let gaps = &parsed.value.ledger.gaps;
        assert_eq!(gaps.iter().filter(|gap| gap.effect.contains("optimised access")).count(), expected.len(), "{gaps:#?}");
    }

    fn block(head: &str, body: &str) -> String {
        format!(
            r#"FUNCTION_BLOCK "F"
{head}
VAR_INPUT a : BOOL; END_VAR
VAR k : INT; END_VAR
VAR_TEMP t, u : INT; s : STRUCT x, y : INT; END_STRUCT; END_VAR
BEGIN
{body}
END_FUNCTION_BLOCK
"#
        )
    }

    #[test]
    fn what_may_be_read_before_it_is_written_is_garbage() {
        let check = |body: &str, expected: &[&str]| check("f.scl", &block("", body), expected);
        check("t := 1; k := t;", &[]);
        check("k := t;", &["F.t"]);
        check("IF a THEN t := 1; END_IF; k := t;", &["F.t"]);
        check("IF a THEN t := 1; ELSE t := 2; END_IF; k := t;", &[]);
        check("IF a THEN t := 1; ELSE RETURN; END_IF; k := t;", &[]);
        check("CASE k OF 1: t := 1; 2: t := 2; END_CASE; k := t;", &["F.t"]);
        check("FOR t := 1 TO 3 DO u := t; END_FOR; k := u;", &["F.u"]);
        check("WHILE k < t DO k := k + 1; t := 3; END_WHILE;", &["F.t"]);
        check("REPEAT t := 1; UNTIL t > 0 END_REPEAT; k := t;", &[]);
        check("REPEAT IF a THEN EXIT; END_IF; t := 1; UNTIL t > 0 END_REPEAT; k := t;", &["F.t"]);
        check("s.x := 1; k := s.x;", &["F.s"]);
        check("t := t + 1;", &["F.t"]);
    }

    #[test]
    fn functions_return_garbage() {
        let function = |body: &str| {
            format!(
                r#"FUNCTION "G" : INT
VAR_INPUT a : BOOL; END_VAR
VAR_OUTPUT o : INT; END_VAR
VAR v : INT; END_VAR
BEGIN
{body}
END_FUNCTION
ORGANIZATION_BLOCK "Main"
BEGIN
END_ORGANIZATION_BLOCK
"#
            )
        };
        let check = |body: &str, expected: &[&str]| check("g.scl", &function(body), expected);
        check("G := 1; o := 1;", &[]);
        check("IF a THEN G := 1; END_IF; o := v;", &["G", "G.v"]);
        check("o := 1; IF a THEN RETURN; END_IF; G := o;", &["G"]);
    }

    #[test]
    fn only_what_is_not_optimised_is_garbage() {
        let block = |head: &str| block(head, "k := t;");
        check("f.scl", &block("{ S7_Optimized_Access := 'TRUE' }"), &[]);
        check("f.scl", &block("{ S7_Optimized_Access := 'FALSE' }"), &["F.t"]);
        check("f.scl", &block("{ A := '1'; S7_Optimized_Access:='FALSE' }\nVERSION : 0.1"), &["F.t"]);
        check("f.scl", &block("// { S7_Optimized_Access := 'TRUE' }"), &["F.t"]);
        check("f.st", "FUNCTION_BLOCK F\nVAR k : INT; END_VAR\nVAR_TEMP t : INT; END_VAR\nk := t;\nEND_FUNCTION_BLOCK\n", &[]);
    }
}
