//! Initial values of scalars that call functions: they are computed before the first cycle.
//!
//! A call is computed if it depends on nothing: it reads constants and its own variables, and writes only these. Any other
//! variable starts with any value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{
    Access, Builtin, CallArgs, Elem, Expr, ExprKind, Init, Leaf, LeafElem, LeafNames, Parts, Place, PouId, Project, Root, Stmt,
    StmtKind, TypeId, Value, Visit,
};
use crate::interp::Machine;
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::startup::fb_init::{LIMITS, Watch};
use crate::resolve::startup::uncertain::Unknown;
use crate::text::Span;

/// Call in an initial value that is not computed.
pub(crate) const VALUE: &str = "value of a function that an initial value calls";
/// Such a call where a constant gets its value.
const CONSTANT: &str = "CONSTANT whose initial value calls a function that cannot be computed";

/// Declaration whose initial value calls a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Called {
    Variable(VarRef),
    Field(TypeId, usize),
}

/// Initial value to compute; without an expression it cannot be.
#[derive(Debug)]
pub(crate) struct CalledStart {
    span: Span,
    value: Option<Expr>,
}

impl Resolver<'_> {
    /// Resolves the initial values that call functions. Bodies of members are resolved behind it.
    pub(crate) fn called_starts(&mut self) -> BTreeMap<Called, CalledStart> {
        let variables = self.vars.called.iter().map(|(var, value)| (Called::Variable(*var), value.clone()));
        let fields = self.types.values.iter().map(|((ty, at), value)| (Called::Field(*ty, *at), value.clone()));
        let all: Vec<_> = variables.chain(fields).collect();
        let mut starts = BTreeMap::new();
        for (called, value) in all {
            let scope = Scope { owner: value.owner, uses: Uses::Code };
            let resolved = self.attempt(|r| r.expr_as(scope, &value.value, value.ty, &format!("`{}`", value.name)));
            starts.insert(called, CalledStart { span: value.value.span, value: resolved });
        }
        starts
    }

    /// Gives the variables their values where these can be computed; all others start with any value.
    pub(crate) fn set_called_values(&mut self, starts: &BTreeMap<Called, CalledStart>, leaves: &[Leaf], unknown: &mut Unknown) {
        let names = LeafNames::new(leaves);
        let mut machine = Machine::of_leaves(&self.project, Cow::Borrowed(leaves), LIMITS);
        let mut compute = |start: &CalledStart| -> Option<Value> {
            let value = start.value.as_ref().filter(|value| Dependence::of(&self.project, value).is_none())?;
            let mut watch = Watch::new((leaves, &names), unknown);
            machine.eval_watched(value, &mut watch).ok().filter(|_| watch.is_alone())
        };
        let values: BTreeMap<Called, Option<Value>> = starts.iter().map(|(called, start)| (*called, compute(start))).collect();
        let mut computed = Vec::new();
        for leaf in leaves {
            let Some(called) = called_at(&self.project, leaf, starts) else { continue };
            // VAR_CONFIG gives it another value.
            if self.project.cold_start.contains_key(&leaf.name) {
                continue;
            }
            let span = starts.get(&called).map_or(leaf.span, |start| start.span);
            match values.get(&called).copied().flatten() {
                Some(value) if leaf.view.is_none() => computed.push((leaf.name.clone(), value)),
                Some(_) | None if leaf.constant => {
                    unknown.assumed.insert((span, CONSTANT));
                }
                Some(_) | None => unknown.start_with_any(leaf, span),
            }
        }
        self.project.cold_start.extend(computed);
    }
}

/// Returns the declaration whose initial value a leaf has, if it is one of `starts`.
fn called_at(project: &Project, leaf: &Leaf, starts: &BTreeMap<Called, CalledStart>) -> Option<Called> {
    let (mut ty, mut init, mut called) = match leaf.root {
        Root::Global(id) => {
            let var = &project.globals[id];
            (var.ty, &var.init, Some(Called::Variable(VarRef::Global(id))))
        }
        Root::Instance(id) => {
            let LeafElem::Member(var) = *leaf.path.first()? else { return None };
            let pou = project.instances[id].pou;
            let row = &project.pous[pou].vars[var];
            (row.ty, &row.init, Some(Called::Variable(VarRef::Local(pou, var))))
        }
        Root::Var(_) | Root::This(_) => return None,
    };
    let is_of_instance = matches!(leaf.root, Root::Instance(_));
    for step in leaf.path.iter().skip(usize::from(is_of_instance)) {
        let given;
        (ty, given, init, called) = match (*step, project.types[ty].ty.parts()) {
            (LeafElem::Field(at), Parts::Fields(fields)) => {
                let (at, field) = (at as usize, fields.get(at as usize)?);
                let given = init.part(at);
                (field.ty, given.is_some(), given.unwrap_or(&field.init), Some(Called::Field(ty, at)))
            }
            (LeafElem::Member(id), Parts::Variables(pou)) => {
                let (var, given) = (&project.pous[pou].vars[id], init.variable(id));
                (var.ty, given.is_some(), given.unwrap_or(&var.init), Some(Called::Variable(VarRef::Local(pou, id))))
            }
            (LeafElem::Index(at), Parts::Elements(_, elem)) => {
                let given = init.part(at as usize);
                (elem, true, given.unwrap_or(&Init::Default), None)
            }
            (_, _) => return None,
        };
        called = called.filter(|_| !given);
    }
    called.filter(|called| starts.contains_key(called))
}

/// First thing besides constants that a value depends on, or that it writes.
#[derive(Default)]
struct Dependence {
    found: Option<Span>,
    seen: BTreeSet<PouId>,
    to_see: Vec<PouId>,
    is_inside: bool,
}

impl Dependence {
    fn of(project: &Project, value: &Expr) -> Option<Span> {
        let mut search = Dependence::default();
        search.expr(value);
        search.is_inside = true;
        while let Some(pou) = search.to_see.pop() {
            if search.seen.insert(pou) {
                if project.stubs.contains_key(&pou) || project.stub_heirs.contains_key(&pou) {
                    search.found.get_or_insert(project.pous[pou].span);
                }
                search.body(&project.pous[pou].body);
            }
        }
        search.found
    }
}

impl Visit<'_> for Dependence {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Gap(_) = stmt.kind {
            self.found.get_or_insert(stmt.span);
        }
        self.stmt_parts(stmt);
    }

    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Arbitrary { .. } | ExprKind::Builtin(Builtin::Clock, _) = &e.kind {
            self.found.get_or_insert(e.span);
        }
        self.expr_parts(e);
    }

    fn place(&mut self, place: &Place, access: Access) {
        // Variables of the POU around the declaration have no place here. The machine watches global ones.
        let is_own = matches!(place.root, Root::Var(_)) && self.is_inside;
        let is_read = matches!(place.root, Root::Global(_)) && access == Access::Read;
        let is_followed = place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        if is_followed || !(is_own || is_read) {
            self.found.get_or_insert(place.span);
        }
        self.place_parts(place);
    }

    fn call(&mut self, callee: PouId, args: &CallArgs) {
        self.to_see.push(callee);
        self.call_parts(args);
    }
}

#[cfg(test)]
mod tests {
    use crate::hir::Start;
    use crate::text::{SourceSet, Treatment};
    use crate::{LoadOptions, load_isolated};

    const DECLARED: &str = "VAR_GLOBAL\n n : INT := 1; k : INT;\nEND_VAR\nVAR_GLOBAL CONSTANT\n two : INT := 2;\nEND_VAR\n\
        FUNCTION Twice : INT\nVAR_INPUT\n i : INT;\nEND_VAR\nTwice := i * two;\nEND_FUNCTION\n\
        FUNCTION Count : INT\nn := n + 1; Count := n;\nEND_FUNCTION\n\
        FUNCTION Half : INT\nVAR_INPUT\n i : INT;\nEND_VAR\nHalf := 8 / i;\nEND_FUNCTION\n\
        FUNCTION Now : TIME\nNow := TIME();\nEND_FUNCTION\n\
        TYPE\n T : STRUCT a : INT := Twice(3); b : INT := 4; END_STRUCT;\n U EXTENDS T : STRUCT c : INT; END_STRUCT;\n\
        V : STRUCT t : ARRAY [0..1] OF T; END_STRUCT;\n W : STRUCT a : INT := Count(); END_STRUCT;\n\
        L : STRUCT t : T := (a := Twice(1)); b : INT := 4; END_STRUCT;\n I : INT := Twice(3);\nEND_TYPE\n\
        FUNCTION_BLOCK B\nVAR\n t : T; i : INT := Twice(i := 5);\nEND_VAR\nEND_FUNCTION_BLOCK\n";

    /// Checks the leaves of the program: their values at cold start, `?` for any value and `-` for one that is not modelled.
    #[track_caller]
    fn check(vars: &str, expected: &str) {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{DECLARED}PROGRAM P\n{vars}\nk := n; n := 1;\nEND_PROGRAM\n"));
        let loaded = load_isolated(&sources, &LoadOptions::default());
        let project = &loaded.value.project;
        let value = |leaf: &crate::hir::Leaf| match leaf.init.and_then(crate::hir::Value::as_int) {
            _ if leaf.start == Start::Any => "?".to_owned(),
            Some(value) => value.to_string(),
            None => "-".to_owned(),
        };
        let leaves = project.leaves();
        let own = leaves.iter().filter_map(|leaf| Some(format!("{}={}", leaf.name.strip_prefix("P.")?, value(leaf))));
        let told = loaded.value.ledger.gaps.iter().filter(|gap| gap.construct == super::VALUE).count();
        let found = own.collect::<Vec<_>>().join(" ");
        assert_eq!(found, expected, "{:#?}\n{:#?}", loaded.diagnostics, loaded.value.ledger.gaps);
        assert_eq!(told > 0, expected.contains('?'), "{:#?}", loaded.value.ledger.gaps);
        assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    }

    #[test]
    fn an_initial_value_that_calls_a_function_is_computed() {
        check("VAR\nx : INT := Twice(3);\nEND_VAR", "x=6");
        check("VAR\nx : INT := 1 + Twice(Twice(i := 2));\nEND_VAR", "x=9");
        check("VAR\nt : T;\nEND_VAR", "t.a=6 t.b=4");
        check("VAR\nt : T := (b := 9);\nEND_VAR", "t.a=6 t.b=9");
        check("VAR\nt : T := (a := 9);\nEND_VAR", "t.a=9 t.b=4");
        check("VAR\nu : U;\nEND_VAR", "u.a=6 u.b=4 u.c=0");
        check("VAR\nv : V := (t := [(b := 1), (a := 1)]);\nEND_VAR", "v.t[0].a=6 v.t[0].b=1 v.t[1].a=1 v.t[1].b=4");
        check("VAR\nb : B; c : B := (i := 7);\nEND_VAR", "b.t.a=6 b.t.b=4 b.i=10 c.t.a=6 c.t.b=4 c.i=7");
        check("VAR CONSTANT\nt : T;\nEND_VAR", "t.a=6 t.b=4");
    }

    #[test]
    fn a_value_that_cannot_be_computed_is_any() {
        check("VAR\nx : INT := Count();\nEND_VAR", "x=?");
        check("VAR\nw : W;\nEND_VAR", "w.a=?");
        check("VAR\nx : INT := Half(0);\nEND_VAR", "x=?");
        check("VAR\nx : INT := Twice(n);\nEND_VAR", "x=?");
        check("VAR\nx : TIME := Now();\nEND_VAR", "x=?");
        check("VAR\nx : INT := Twice(2);\nEND_VAR\nVAR\ny : INT := Twice(x);\nEND_VAR", "x=4 y=?");
        // Values in lists are not modelled.
        check("VAR\nl : L;\nEND_VAR", "l.t=- l.b=4");
        check("VAR\ni : I;\nEND_VAR", "i=-");
    }

    #[test]
    fn the_value_of_a_constant_that_is_not_computed_is_a_condition() {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{DECLARED}PROGRAM P\nVAR CONSTANT\nw : W;\nEND_VAR\nk := w.a;\nEND_PROGRAM\n"));
        let loaded = load_isolated(&sources, &LoadOptions::default()).value;
        let told =
            loaded.ledger.gaps.iter().filter(|gap| gap.construct == super::CONSTANT && gap.treatment == Treatment::Assumed);
        let spans: Vec<_> = told.map(|gap| gap.span).collect();
        assert_eq!(spans.len(), 1, "{:#?}", loaded.ledger.gaps);
        assert!(loaded.project.unclear_starts.contains(&spans[0]));
    }

    #[test]
    fn a_type_that_calls_a_function_in_each_call_is_a_gap_there() {
        let n_gaps = |text: &str| {
            let mut sources = SourceSet::default();
            sources.add("a.st", format!("{DECLARED}{text}"));
            let loaded = load_isolated(&sources, &LoadOptions::default()).value;
            let is_gap = |gap: &&crate::text::Gap| gap.construct == "type with an initial value that calls a function";
            loaded.ledger.gaps.iter().filter(is_gap).count()
        };
        for ty in ["T", "U", "V", "W", "I", "L", "STRUCT a : INT := Count(); END_STRUCT", "ARRAY [0..1] OF W"] {
            let program = format!("PROGRAM P\nVAR_TEMP\n t : {ty};\nEND_VAR\nk := n;\nEND_PROGRAM\n");
            assert_eq!(n_gaps(&program), 1, "{ty}");
        }
        assert_eq!(n_gaps("PROGRAM P\nVAR_TEMP\n t : INT;\nEND_VAR\nVAR\n w : W;\nEND_VAR\nk := n;\nEND_PROGRAM\n"), 0);
        let method = "FUNCTION_BLOCK C\nMETHOD M : T\nVAR\n b : B;\nEND_VAR\nk := 1;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
        assert_eq!(n_gaps(&format!("{method}PROGRAM P\nVAR\n c : C;\nEND_VAR\nc.M();\nEND_PROGRAM\n")), 2);
    }

    /// A part of a type that is not modelled must not lose its statements.
    #[test]
    fn a_field_with_a_value_that_is_not_modelled_is_not_modelled() {
        let union = "TYPE\n N : UNION a : INT; b : WORD; END_UNION;\n S : STRUCT u : N := (a := 1); c : INT := 3; END_STRUCT;\nEND_TYPE\n";
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{union}PROGRAM P\nVAR\n s : S; k, w : INT;\nEND_VAR\nk := s.c; w := s.u.a;\nEND_PROGRAM\n"));
        let loaded = load_isolated(&sources, &LoadOptions::default()).value;
        let text = loaded.project.to_st();
        assert!(text.contains("k := s.c"), "{text}\n{:#?}", loaded.ledger.gaps);
        let told = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("initial value of a UNION"));
        assert_eq!(told.count(), 2, "{:#?}", loaded.ledger.gaps);
    }
}
