//! Functions that take variables of several types: ARRAY [*], and VAR_IN_OUT of a block that others extend.
//!
//! What is called is a copy of the function whose parameters have the types of the arguments, so that LOWER_BOUND and
//! UPPER_BOUND are constants in it, each method is the heir's, and nothing behind the resolver knows of it.

use std::collections::BTreeMap;

use super::collect::{VarSite, placeholder};
use super::elementary;
use super::names::{Key, Slot, Typed, VarRef, key};
use super::resolver::{Bad, Res, Resolver, Scope, Want};
use super::widen::{Family, base, family};
use crate::ast::{self, Arg, TypeSpecKind};
use crate::hir::{Expr, Init, Pou, PouId, Section, Type, TypeId, Value};
use crate::source::Span;

/// Copies of one project.
const MOST_SHAPES: usize = 1_000;

impl<'a> Resolver<'a> {
    /// Whether a POU is a function with ARRAY [*] parameters: its own body is none.
    pub(crate) fn is_open(&self, pou: PouId) -> bool {
        let decl = self.decls.pous.get(pou.0 as usize);
        decl.is_some_and(|decl| decl.kind == ast::PouKind::Function && open(decl).next().is_some())
    }

    /// The copy of a function that these arguments call; the function itself if they have its types, or do not suit.
    pub(crate) fn shape(&mut self, scope: Scope, pou: PouId, args: &[Arg]) -> PouId {
        let blocks = self.extended(pou);
        if !self.is_open(pou) && blocks.is_empty() {
            return pou;
        }
        let decl: &'a ast::Pou = self.decls.pous[pou.0 as usize];
        let is_parameter = |block: &&ast::VarBlock| matches!(block.section, ast::Section::Input | ast::Section::InOut);
        let mut positional = decl.vars.iter().filter(is_parameter).flat_map(|block| &block.vars).map(|var| key(&var.name.text));
        let mut given: BTreeMap<Key, &ast::Expr> = BTreeMap::new();
        for arg in args {
            match arg {
                Arg::Positional(e) => given.extend(positional.next().map(|name| (name, e))),
                Arg::Input(name, e) => drop(given.insert(key(&name.text), e)),
                Arg::Output { .. } => {}
            }
        }
        let mut types = Vec::new();
        for (name, block) in blocks {
            // What calls a function is not resolved twice: calls in calls would take for ever.
            let Some(argument) = given.get(&name).filter(|e| is_plain(e)) else { continue };
            let Some(place) = self.attempt(|r| r.target(scope, argument)) else { return pou };
            let Type::FunctionBlock(heir) = self.project.types[place.ty].ty else { return pou };
            let class = self.names.classes.get(heir.0 as usize);
            if heir != block && class.is_some_and(|class| class.chain.contains(&block)) {
                types.push((name, place.ty));
            }
        }
        for (name, n_dims, elem) in open(decl) {
            let Some(argument) = given.get(&key(name)).filter(|e| is_plain(e)) else { return pou };
            let Some(place) = self.attempt(|r| r.target(scope, argument)) else { return pou };
            let Some(wanted) = self.attempt(|r| r.type_spec(Some(pou), elem, None)) else { return pou };
            match &self.project.types[place.ty].ty {
                Type::Array { dims, elem } if dims.len() == n_dims && *elem == wanted.ty => types.push((key(name), place.ty)),
                Type::Array { .. }
                | Type::Bool
                | Type::Int(_)
                | Type::Bits(_)
                | Type::Real(_)
                | Type::Time
                | Type::LTime
                | Type::Date(_)
                | Type::Char(_)
                | Type::Enum { .. }
                | Type::Subrange { .. }
                | Type::Struct { .. }
                | Type::FunctionBlock(_)
                | Type::Opaque(_) => return pou,
            }
        }
        if types.is_empty() {
            return pou;
        }
        let row = (pou, types.clone());
        if let Some(&known) = self.decls.shapes.get(&row) {
            return known;
        }
        if MOST_SHAPES <= self.decls.shapes.len() {
            return pou;
        }
        let id = self.copy(pou, decl, &types);
        self.decls.shapes.insert(row, id);
        id
    }

    /// The VAR_IN_OUT of a function that are instances of blocks which others extend.
    fn extended(&self, pou: PouId) -> Vec<(Key, PouId)> {
        let is_function = self.decls.pous.get(pou.0 as usize).is_some_and(|decl| decl.kind == ast::PouKind::Function);
        let vars = self.project.pous[pou].vars.iter().filter(|var| is_function && var.section == Section::InOut);
        let block = |var: &crate::hir::Var| match self.project.types[var.ty].ty {
            Type::FunctionBlock(block) => Some((key(&var.name), block)).filter(|_| self.has_heirs(block)),
            Type::Array { .. }
            | Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Struct { .. }
            | Type::Opaque(_) => None,
        };
        vars.filter_map(block).collect()
    }

    fn copy(&mut self, of: PouId, decl: &'a ast::Pou, types: &[(Key, TypeId)]) -> PouId {
        let original = &self.project.pous[of];
        let shapes: Vec<String> = types.iter().map(|(_, ty)| self.type_name(*ty)).collect();
        let name = format!("{} ({})", original.name, shapes.join(", "));
        let row = Pou { name, vars: crate::ids::IndexVec::new(), body: Vec::new(), ..original.clone() };
        let id = self.project.pous.push(row);
        self.names.locals.push(BTreeMap::new());
        if let Some(result) = &decl.result {
            let var = placeholder(&decl.name, Section::Result);
            self.collect_var(Some(id), var, VarSite { ty: result, init: None, owner: Some(id) });
        }
        let n_externals = self.decls.externals.len();
        for block in &decl.vars {
            self.collect_block(Some(id), block);
        }
        for i in n_externals..self.decls.externals.len() {
            let (pou, decl) = self.decls.externals[i];
            self.collect_external(pou, decl);
        }
        for (name, ty) in types {
            let found = self.project.pous[id].vars.iter_enumerated().find(|(_, var)| key(&var.name) == *name).map(|(var, _)| var);
            if let Some(var) = found {
                self.project.pous[id].vars[var].ty = *ty;
                self.var_types.insert(VarRef::Local(id, var), Slot::Done(Typed { ty: *ty, init: Init::Default }));
            }
        }
        self.decls.members.bodies.insert(id, &decl.body);
        self.decls.members.waiting.push(id);
        if self.decls.members.settled {
            self.settle(id);
        }
        id
    }

    /// LOWER_BOUND(a, 1), UPPER_BOUND(a, 1); `None` for other functions.
    pub(crate) fn bound_of(
        &mut self,
        scope: Scope,
        name: &ast::Ident,
        args: &[Arg],
        span: Span,
        want: Want,
    ) -> Option<Res<Expr>> {
        let is_lower = name.text.eq_ignore_ascii_case("LOWER_BOUND");
        if !is_lower && !name.text.eq_ignore_ascii_case("UPPER_BOUND") {
            return None;
        }
        let values: Vec<&ast::Expr> = args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Positional(e) | Arg::Input(_, e) => Some(e),
                Arg::Output { .. } => None,
            })
            .collect();
        let [array, dim] = values.as_slice() else { return None };
        Some(self.bound(scope, (array, dim), is_lower, span, want))
    }

    fn bound(
        &mut self,
        scope: Scope,
        (array, dim): (&ast::Expr, &ast::Expr),
        is_lower: bool,
        span: Span,
        want: Want,
    ) -> Res<Expr> {
        let place = self.target(scope, array)?;
        let dim = self.constant_int(scope.owner, dim, Want::Any)?;
        let bounds = match &self.project.types[place.ty].ty {
            Type::Array { dims, .. } => usize::try_from(dim - 1).ok().and_then(|dim| dims.get(dim).copied()),
            Type::Opaque(_) => return Err(self.opaque_value(place.ty, array.span)),
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Struct { .. }
            | Type::FunctionBlock(_) => None,
        };
        let Some((low, high)) = bounds else {
            let effect = "there is no such dimension: nothing after this statement in the cycle is verified";
            return Err(self.unsupported(span, "bound of a dimension that does not exist", effect));
        };
        let ty = match want {
            Want::Ty(ty) if family(&self.project, ty) == Family::Int => base(&self.project, ty),
            Want::Ty(_) | Want::Any | Want::Unknown => elementary::DINT,
        };
        let value = i128::from(if is_lower { low } else { high });
        let fits = self.project.int_type(ty).is_some_and(|int| int.min() <= value && value <= int.max());
        let ty = if fits { ty } else { elementary::DINT };
        Ok(super::literal::constant(Value::Int(value), ty, span))
    }

    /// What a call of an open function is that no shape suits.
    pub(crate) fn shapeless(&self, span: Span) -> Bad {
        let effect = "what it is called with is no array whose bounds are known: nothing after this statement is verified";
        self.unsupported(span, "call with an argument for ARRAY [*]", effect)
    }
}

/// Whether an expression calls nothing.
fn is_plain(e: &ast::Expr) -> bool {
    match &e.kind {
        ast::ExprKind::Literal(..) | ast::ExprKind::Address(_) => true,
        ast::ExprKind::Name(name) => name.path.iter().all(|elem| match elem {
            ast::NameElem::Index(indices, _) => indices.iter().all(is_plain),
            ast::NameElem::Field(_) | ast::NameElem::Bits { .. } | ast::NameElem::Deref(_) => true,
            ast::NameElem::Call(..) => false,
        }),
        ast::ExprKind::Unary(_, a) => is_plain(a),
        ast::ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        ast::ExprKind::Call(..) | ast::ExprKind::Error => false,
    }
}

/// ARRAY [*] parameters: name, number of dimensions, type of elements.
fn open(decl: &ast::Pou) -> impl Iterator<Item = (&str, usize, &ast::TypeSpec)> {
    let vars = decl.vars.iter().flat_map(|block| &block.vars);
    vars.filter_map(|var| {
        if let TypeSpecKind::OpenArray(n, elem) = &var.ty.kind { Some((var.name.text.as_str(), *n, &**elem)) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use crate::hir::value_to_st;
    use crate::interp::{Limits, Machine, Silent};
    use crate::source::SourceSet;
    use crate::{LoadOptions, load};

    /// The values of `x` and `y` behind one cycle, and the gaps.
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
