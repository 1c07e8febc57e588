//! Copies of POUs for parameters of several types: ARRAY [*], and VAR_IN_OUT of a block that others extend.
//!
//! The parameters of a copy have the types of the arguments. So LOWER_BOUND and UPPER_BOUND are constants in it, each method is
//! the heir's, and later passes know nothing of it.

use crate::ast::walk::Node;
use crate::ast::{self, Arg, TypeSpecKind};
use crate::hir::{Init, Pou, PouId, PouKind, Project, Section, Type, TypeId, VarId};
use crate::resolve::calls::copy_table::Types;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Key, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::text::Span;
use std::collections::BTreeMap;

/// Most copies in one project.
const MAX_COPIES: usize = 1_000;

/// Types that a parameter takes.
enum Takes<'a> {
    /// ARRAY [*]: number of dimensions, type of elements.
    Arrays(usize, &'a ast::TypeSpec),
    /// Instances of a block and of its heirs.
    Heirs(PouId),
}

impl<'a> Resolver<'a> {
    /// Returns whether a POU has parameters whose types each call decides: only its copies have a body.
    pub(crate) fn is_open(&self, pou: PouId) -> bool {
        let Some(open) = self.decls.copies.open.get(&pou) else { return false };
        let Some(member) = self.names.members.get(&pou) else { return true };
        let lent: BTreeMap<VarId, VarId> = member.lent.iter().map(|(var, own)| (*own, *var)).collect();
        // A parameter that a method has from its block matters if it is used.
        open.keys().any(|var| match lent.get(var) {
            Some(of) => self.decls.mentions(&self.names, pou, member.block, &self.project.pous[member.block].vars[*of].name),
            None => true,
        })
    }

    /// Returns the POU for these arguments: a copy, or the POU itself if it has their types or they do not suit. `lent` are the
    /// types of variables in the call of the block that a member belongs to.
    pub(crate) fn copy_for(&mut self, scope: Scope, pou: PouId, args: &[Arg], lent: Types, span: Span) -> Res<PouId> {
        let types = match self.takes(pou) {
            takes if takes.is_empty() => Some(lent),
            takes => self.argument_types(scope, pou, takes, args).map(|own| own.into_iter().chain(lent).collect()),
        };
        let shaped = types.map_or(pou, |types| self.with_types(pou, types));
        if self.is_open(shaped) { Err(self.no_copy(span)) } else { Ok(shaped) }
    }

    /// Returns the types of VAR_IN_OUT that a call gives to the body of its block, if they differ from the declared ones.
    pub(crate) fn block_types(&mut self, scope: Scope, block: PouId, args: &[Arg], span: Span) -> Res<Types> {
        let takes = self.takes(block);
        if takes.is_empty() {
            return Ok(Types::new());
        }
        self.argument_types(scope, block, takes, args).ok_or_else(|| self.no_copy(span))
    }

    /// Returns the copy of a POU whose parameters have these types.
    pub(crate) fn with_types(&mut self, pou: PouId, types: Types) -> PouId {
        if types.is_empty() {
            return pou;
        }
        let row = (pou, types);
        if let Some(&known) = self.decls.copies.copies.get(&row) {
            return known;
        }
        if MAX_COPIES <= self.decls.copies.copies.len() || !self.dispatchers.can_copy(&self.names, pou) {
            return pou;
        }
        let id = self.copy(pou, &row.1);
        self.dispatchers.copy_dispatcher(pou, id);
        self.decls.copies.copies.insert(row, id);
        id
    }

    /// Returns whether a parameter can have this type in a copy.
    pub(crate) fn can_take(&mut self, pou: PouId, var: VarId, ty: TypeId) -> bool {
        let takes = self.takes(pou).into_iter().find(|row| row.0 == var);
        takes.is_some_and(|(_, takes)| self.suits(pou, &takes, ty))
    }

    /// Returns the types of arguments that differ from those of the parameters; `None` if one of them does not suit.
    fn argument_types(&mut self, scope: Scope, pou: PouId, takes: Vec<(VarId, Takes<'a>)>, args: &[Arg]) -> Option<Types> {
        let vars = self.project.pous[pou].vars.iter_enumerated();
        let vars = vars.filter(|(id, v)| matches!(v.section, Section::Input | Section::InOut) && !self.names.is_hidden(pou, *id));
        let positional: Vec<VarId> = vars.map(|(id, _)| id).collect();
        let mut positional = positional.into_iter();
        let names: BTreeMap<Key, VarId> =
            takes.iter().map(|(id, _)| (key(&self.project.pous[pou].vars[*id].name), *id)).collect();
        let mut given: BTreeMap<VarId, &ast::Expr> = BTreeMap::new();
        for arg in args {
            match arg {
                Arg::Positional(e) => given.extend(positional.next().map(|id| (id, e))),
                Arg::Input(name, e) | Arg::Output { name, target: Some(e), .. } => {
                    given.extend(names.get(&key(&name.text)).map(|id| (*id, e)));
                }
                Arg::Output { target: None, .. } => {}
            }
        }
        let mut types = Types::new();
        for (var, takes) in takes {
            // An expression with calls is not resolved twice: the time for nested calls would double at each level.
            let place = given.get(&var).filter(|e| is_plain(e)).and_then(|e| self.attempt(|r| r.target(scope, e)));
            match (place, &takes) {
                (Some(place), _) if self.suits(pou, &takes, place.ty) => drop(types.insert(var, place.ty)),
                (Some(_) | None, Takes::Heirs(_)) => {}
                (Some(_) | None, Takes::Arrays(..)) => return None,
            }
        }
        Some(types)
    }

    /// Returns whether a parameter takes variables of this type besides its own.
    fn suits(&mut self, pou: PouId, takes: &Takes<'a>, ty: TypeId) -> bool {
        match takes {
            Takes::Arrays(n_dims, elem) => {
                let wanted = self.attempt(|r| r.type_spec(Some(pou), elem, None));
                let Type::Array { dims, elem } = &self.project.types[ty].ty else { return false };
                dims.len() == *n_dims && wanted.is_some_and(|wanted| wanted.ty == *elem)
            }
            Takes::Heirs(block) => {
                let Type::FunctionBlock(heir) = self.project.types[ty].ty else { return false };
                heir != *block && self.names.chain(heir).contains(block)
            }
        }
    }

    /// Returns the parameters of a POU that take variables of several types.
    fn takes(&self, pou: PouId) -> Vec<(VarId, Takes<'a>)> {
        let open = self.decls.copies.open.get(&pou);
        let row = &self.project.pous[pou];
        let heirs = |id: VarId, var: &crate::hir::Var| {
            let is_in_out = var.section == Section::InOut && row.kind != PouKind::Program && !self.names.is_hidden(pou, id);
            let Type::FunctionBlock(block) = self.project.types[var.ty].ty else { return None };
            (is_in_out && self.names.has_heirs(block)).then_some(Takes::Heirs(block))
        };
        let takes = |id: VarId, var: &crate::hir::Var| match open.and_then(|open| open.get(&id)) {
            Some((n_dims, elem)) => (!self.names.is_hidden(pou, id)).then_some(Takes::Arrays(*n_dims, elem)),
            None => heirs(id, var),
        };
        row.vars.iter_enumerated().filter_map(|(id, var)| Some((id, takes(id, var)?))).collect()
    }

    fn copy(&mut self, of: PouId, types: &Types) -> PouId {
        let original = &self.project.pous[of];
        let shapes: Vec<String> = types.values().map(|ty| self.project.type_name(*ty)).collect();
        let name = format!("{} ({})", original.name, shapes.join(", "));
        let row = Pou { name, body: Vec::new(), ..original.clone() };
        let id = self.project.pous.push(row);
        // VAR_STAT and VAR_EXTERNAL are those of the original.
        let locals = self.names.locals[of.0 as usize].clone();
        self.names.locals.push(locals);
        if let Some(member) = self.names.members.get(&of).cloned() {
            self.names.members.insert(id, member);
        }
        if self.names.dispatchers.contains(&of) {
            self.names.dispatchers.insert(id);
        }
        let vars: Vec<VarId> = self.project.pous[of].vars.ids().collect();
        for var in vars {
            let (from, to) = (VarRef::Local(of, var), VarRef::Local(id, var));
            if let Some(ty) = types.get(&var) {
                let row = self.project.var_mut(to);
                (row.ty, row.init) = (*ty, Init::Default);
                continue;
            }
            if let Some(&(n_dims, elem)) = self.decls.copies.open.get(&of).and_then(|open| open.get(&var)) {
                self.decls.copies.open.entry(id).or_default().insert(var, (n_dims, elem));
            }
            if let Some(args) = self.decls.args.get(&from).copied() {
                self.decls.args.insert(to, args);
            }
            if let Some(mut site) = self.decls.vars.get(&from).copied() {
                site.owner = if site.owner == Some(of) { Some(id) } else { site.owner };
                self.decls.site(&mut self.names, to, site);
            }
        }
        if let Some(rows) = self.decls.overlays.get(&of).cloned() {
            self.decls.overlays.insert(id, rows);
        }
        let body =
            self.decls.members.bodies.get(&of).copied().or_else(|| self.decls.pous.get(of.0 as usize).map(|decl| &decl.body));
        if let Some(body) = body {
            self.decls.members.bodies.insert(id, body);
        }
        self.decls.copies.originals.insert(id, of);
        self.decls.members.waiting.push(id);
        if self.decls.members.settled {
            self.settle(id);
        }
        id
    }

    /// Returns the gap of a call for which no copy is possible.
    pub(crate) fn no_copy(&self, span: Span) -> Bad {
        let effect = "what it is called with is no array whose bounds are known: nothing after this statement is verified";
        unsupported(span, "call with an argument for ARRAY [*]", effect)
    }
}

impl<'a> Declarations<'a> {
    /// Notes a parameter whose type depends on the call.
    pub(crate) fn note_open_parameter(&mut self, project: &Project, pou: PouId, var: VarId, ty: &'a ast::TypeSpec) {
        let TypeSpecKind::OpenArray(bounds, elem) = &ty.kind else { return };
        let row = &project.pous[pou];
        let is_parameter = match (row.kind, row.vars[var].section) {
            (PouKind::Function(_), Section::Input | Section::InOut | Section::Output) => true,
            (PouKind::FunctionBlock, Section::InOut) => true,
            (PouKind::Function(_) | PouKind::FunctionBlock | PouKind::Program, _) => false,
        };
        if is_parameter {
            self.copies.open.entry(pou).or_default().insert(var, (bounds.n_dims, elem));
        }
    }

    /// Returns whether a parameter has a type in copies only.
    pub(crate) fn is_open_parameter(&self, pou: PouId, var: VarId) -> bool {
        self.copies.open.get(&pou).is_some_and(|open| open.contains_key(&var))
    }

    /// Returns whether a POU is a copy; the declarations of a copy are in the ledger already.
    pub(crate) fn is_copy(&self, pou: PouId) -> bool {
        self.copies.originals.contains_key(&pou)
    }
}

/// Returns whether an expression calls nothing.
fn is_plain(e: &ast::Expr) -> bool {
    let mut is_plain = true;
    ast::walk::expr(e, &mut |node| match node {
        Node::Expr(e) => is_plain &= !matches!(e.kind, ast::ExprKind::Call(..) | ast::ExprKind::Error),
        Node::Name(name) => is_plain &= !name.path.iter().any(|elem| matches!(elem, ast::NameElem::Call(..))),
        Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) => {}
    });
    is_plain
}

#[cfg(test)]
mod tests {
    use crate::hir::value_to_st;
    use crate::interp::{Limits, Machine, Silent};
    use crate::resolve::testing::check_run;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    /// Checks the values of `x` and `y` after one cycle, and the gaps.
    #[track_caller]
    fn check(body: &str, expected: &str, gaps: &[&str]) {
        let text = format!(
            "FUNCTION Sum : INT\nVAR_IN_OUT\n a : ARRAY [*] OF INT;\nEND_VAR\nVAR_INPUT\n first : INT;\nEND_VAR\nVAR\n i : DINT;\nEND_VAR\n\
            Sum := first;\nFOR i := LOWER_BOUND(a, 1) TO UPPER_BOUND(a, 1) DO Sum := Sum + a[i]; a[i] := 0; END_FOR;\nEND_FUNCTION\n\
            FUNCTION Both : INT\nVAR_IN_OUT\n m : ARRAY [*, *] OF INT; a : ARRAY [*] OF INT;\nEND_VAR\n\
            Both := Sum(a, UPPER_BOUND(m, 2)) + m[LOWER_BOUND(m, 1), LOWER_BOUND(m, 2)];\nEND_FUNCTION\n\
            PROGRAM P\nVAR\n x, y : INT; a : ARRAY [1..3] OF INT := [1, 2, 3]; b : ARRAY [-1..0] OF INT := [5, 6];\n\
             m : ARRAY [2..3, 4..5] OF INT := [7, 0, 0, 0]; l : ARRAY [0..1] OF DINT;\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        let mut sources = SourceSet::default();
        sources.add("a.st", text.as_str());
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let found: Vec<&str> = parsed.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(found, gaps, "{text}");
        let project = &parsed.value.project;
        let mut machine = Machine::new(project, Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        let _fault = machine.run(&mut Silent);
        let leaves = project.leaves();
        let value = |name: &str| {
            let leaf = leaves.iter().find(|leaf| leaf.name == name).unwrap();
            value_to_st(project, leaf.ty, machine.leaf(name).unwrap())
        };
        assert_eq!(format!("{} {}", value("P.x"), value("P.y")), expected, "{body}");
    }

    #[test]
    fn functions_take_arrays_of_any_bounds() {
        check("x := Sum(a, 10); y := Sum(a := b, first := 100);", "16 111", &[]);
        check("x := Sum(a, 0); y := Sum(a, 0);", "6 0", &[]);
        check("x := Both(m, a);", "18 0", &[]);
        check("x := 1; y := Sum(l, 1); x := 2;", "1 0", &["call with an argument for ARRAY [*]"]);
    }

    const BLOCKS: &str = "FUNCTION_BLOCK Total
VAR_IN_OUT
 a : ARRAY [*] OF INT;
END_VAR
VAR_INPUT
 gain : INT := 1; up : BOOL R_EDGE;
END_VAR
VAR_OUTPUT
 sum : INT; n_edges : INT;
END_VAR
VAR
 i : DINT; n_calls : INT;
END_VAR
VAR_TEMP
 part : INT;
END_VAR
METHOD First : INT
First := a[LOWER_BOUND(a, 1)];
END_METHOD
METHOD Calls : INT
Calls := n_calls;
END_METHOD
METHOD Count : DINT
VAR_IN_OUT
 l : ARRAY [*] OF INT;
END_VAR
Count := UPPER_BOUND(l, 1) - LOWER_BOUND(l, 1) + 1 + Calls();
END_METHOD
n_calls := n_calls + 1;
IF up THEN n_edges := n_edges + 1; END_IF;
FOR i := LOWER_BOUND(a, 1) TO UPPER_BOUND(a, 1) DO part := part + a[i] * gain; END_FOR;
sum := part + First();
END_FUNCTION_BLOCK
FUNCTION_BLOCK More EXTENDS Total
METHOD First : INT
First := SUPER^.First() * 100;
END_METHOD
SUPER^();
END_FUNCTION_BLOCK
";

    #[test]
    fn blocks_take_arrays_of_any_bounds() {
        let check = |body: &str, expected: &[i128], gaps: &[&str]| {
            let main = "PROGRAM P\nVAR\n t : Total; m : ARRAY [0..1] OF More; x, y : INT; i : INT; a : ARRAY [1..3] OF INT := [1, 2, 3];\n\
                b : ARRAY [-1..0] OF INT := [5, 6];\nEND_VAR\n";
            check_run(
                &format!("{BLOCKS}{main}{body}\nEND_PROGRAM"),
                &["P.x", "P.y", "P.t.n_calls", "P.t.n_edges"],
                expected,
                gaps,
            );
        };
        check("t(a := a, gain := 2, sum => x); t(a := b, up := TRUE, sum => y); t(a);", &[13, 27, 3, 1], &[]);
        check("t(a := b, gain := 3); x := t.sum; y := t.Calls();", &[38, 1, 1, 0], &[]);
        check("i := 1; m[i](a := a, gain := i + 1, sum => i); x := i; y := m[1].n_calls;", &[112, 1, 0, 0], &[]);
        check("x := DINT_TO_INT(t.Count(a) + t.Count(l := b));", &[5, 0, 0, 0], &[]);
        check("x := 1; y := t.First(); x := 2;", &[1, 0, 0, 0], &["call with an argument for ARRAY [*]"]);
    }

    #[test]
    fn calls_through_interfaces_take_arrays_of_any_bounds() {
        let text = "INTERFACE I\nMETHOD Last : INT\nVAR_IN_OUT\n l : ARRAY [*] OF INT;\nEND_VAR\nEND_METHOD\nEND_INTERFACE\n\
            FUNCTION_BLOCK A IMPLEMENTS I\nMETHOD Last : INT\nVAR_IN_OUT\n l : ARRAY [*] OF INT;\nEND_VAR\nLast := l[UPPER_BOUND(l, 1)];\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
            FUNCTION_BLOCK B EXTENDS A\nMETHOD Last : INT\nVAR_IN_OUT\n l : ARRAY [*] OF INT;\nEND_VAR\nLast := 1 + SUPER^.Last(l);\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
            PROGRAM P\nVAR\n o : A; p : B; i : I; x, y : INT; a : ARRAY [1..3] OF INT := [1, 2, 3]; b : ARRAY [-1..0] OF INT := [5, 6];\nEND_VAR\n\
            i := o; x := i.Last(a) + i.Last(b); i := p; y := i.Last(l := b);\nEND_PROGRAM";
        check_run(text, &["P.x", "P.y"], &[9, 7], &[]);
    }

    #[test]
    fn what_a_function_keeps_it_keeps_for_all_arrays() {
        let text = "FUNCTION F : INT\nVAR_IN_OUT\n a : ARRAY [*] OF INT;\nEND_VAR\nVAR_STAT\n n : INT;\nEND_VAR\nn := n + 1; F := n;\nEND_FUNCTION\n\
            PROGRAM P\nVAR\n x, y : INT; a : ARRAY [1..3] OF INT; b : ARRAY [0..1] OF INT;\nEND_VAR\nx := F(a); y := F(b);\nEND_PROGRAM";
        check_run(text, &["P.x", "P.y"], &[1, 2], &[]);
    }

    #[test]
    fn functions_take_heirs() {
        let text = "FUNCTION_BLOCK B\nVAR_OUTPUT\n n : INT;\nEND_VAR\nMETHOD Step : INT\nn := n + 1; Step := n;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
            FUNCTION_BLOCK D EXTENDS B\nVAR_OUTPUT\n k : INT;\nEND_VAR\nMETHOD Step : INT\nn := n + 10; k := 1; Step := n;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
            FUNCTION Twice : INT\nVAR_IN_OUT\n b : B;\nEND_VAR\nb.Step(); Twice := b.Step() + b.n;\nEND_FUNCTION\n\
            PROGRAM P\nVAR\n b : B; d : ARRAY [0..1] OF D; x, y : INT;\nEND_VAR\nx := Twice(b); y := Twice(d[1]);\nEND_PROGRAM\n";
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        assert!(parsed.value.ledger.gaps.is_empty(), "{:?}", parsed.value.ledger.gaps);
        let mut machine = Machine::new(&parsed.value.project, Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).unwrap();
        let value = |name: &str| machine.leaf(name).and_then(|value| value.as_int());
        assert_eq!([value("P.x"), value("P.y"), value("P.d[1].k"), value("P.d[0].n")], [Some(4), Some(40), Some(1), Some(0)]);
    }
}
