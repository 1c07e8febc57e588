//! Implicit checks of CODESYS and TwinCAT: functions of the user that the controller calls before operations of a kind.
//!
//! `CheckBounds` gets each index of an array with the bounds, and its result is the index. Calls of it are exact. The others are
//! named as conditions. Sources: CODESYS Online Help, "POUs for implicit checks"; Beckhoff Infosys, "POUs for implicit checks".

use crate::dialect::{BOUNDS, OTHERS, is_check};
use crate::hir::walk::{Access, VisitMut};
use crate::hir::{
    CallArgs, Conversion, Elem, Expr, ExprKind, Extent, IntType, LeafElem, Place, PouId, PouKind, Project, Root, Section, Type,
    TypeId, VarId, part_type,
};
use crate::resolve::findings::Findings;
use crate::resolve::resolver::Resolver;
use crate::text::{Origin, SourceSet, Span};
use std::collections::BTreeSet;

/// Attribute of declarations that are not checked.
const NO_CHECK: &str = "no_check";

impl Resolver<'_> {
    /// Puts calls of the user's `CheckBounds` around the indices of arrays, and names the other checks.
    ///
    /// Soundness: indices of a type that the parameter does not hold are conditions. So are all calls beside the attribute `no_check`,
    /// with several functions of the name, and in a dialect that tells no system. The compiler checks literals.
    /// Cost: linear in the bodies, if there is a check.
    pub(crate) fn call_implicit_checks(&mut self, sources: &SourceSet) {
        if !self.dialect.may_have_implicit_checks() {
            return;
        }
        let checks: BTreeSet<PouId> = self.project.pous.ids().filter(|pou| self.is_implicit_check(*pou)).collect();
        if checks.is_empty() {
            return;
        }
        let mut users = sources.files.iter().filter(|file| file.origin == Origin::User);
        let has_exceptions = users.any(|file| file.text.to_ascii_lowercase().contains(NO_CHECK));
        let named: Vec<PouId> =
            checks.iter().copied().filter(|pou| self.project.pous[*pou].name.eq_ignore_ascii_case(BOUNDS)).collect();
        let called = match named.as_slice() {
            [one] if self.dialect.has_implicit_checks() && !has_exceptions => Some(*one),
            _ => None,
        };
        let bounds = called.and_then(|pou| Signature::of(&self.project, pou));
        for &pou in checks.iter().filter(|pou| bounds.as_ref().is_none_or(|bounds| bounds.pou != **pou)) {
            let (name, span) = (self.project.pous[pou].name.clone(), self.project.pous[pou].span);
            self.findings.note_check(&name, span);
            // Operations anywhere may have another result.
            self.project.beside.insert(span, Extent::All);
        }
        let Some(bounds) = bounds else { return };
        for pou in self.project.pous.ids().filter(|pou| !checks.contains(pou)) {
            if self.project.pous[pou].origin != Origin::User {
                continue;
            }
            let mut body = std::mem::take(&mut self.project.pous[pou].body);
            let mut pass = Indices { project: &self.project, pou, bounds: &bounds, wide: BTreeSet::new() };
            pass.body(&mut body);
            let wide = pass.wide;
            self.project.pous[pou].body = body;
            for span in wide {
                self.findings.assume(span, "call of `CheckBounds` for an index that its parameter does not hold");
            }
        }
    }

    fn is_implicit_check(&self, pou: PouId) -> bool {
        let is_users = self.project.pous[pou].origin == Origin::User;
        is_users && self.decls.pous.get(pou.0 as usize).is_some_and(|decl| is_check(decl))
    }
}

impl Findings {
    /// Names a check whose calls are not made.
    fn note_check(&mut self, name: &str, span: Span) {
        let is_it = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let operations = OTHERS.iter().find(|(names, _)| is_it(names)).map_or("uses of an index", |(_, operations)| operations);
        let construct = format!("calls of `{name}` before {operations}");
        self.record_assumed(span, construct, "the controller calls this function, and no answer contains its calls");
    }
}

/// Parameters of `CheckBounds`.
struct Signature {
    pou: PouId,
    /// Index, lower and upper bound, with the type of all three.
    inputs: [VarId; 3],
    ty: TypeId,
    values: IntType,
    result: TypeId,
}

impl Signature {
    /// Returns the parameters; `None`: they are not those of the manual.
    fn of(project: &Project, pou: PouId) -> Option<Signature> {
        let PouKind::Function(Some(result)) = project.pous[pou].kind else { return None };
        let inputs = project.pous[pou].vars.iter_enumerated().filter(|(_, var)| var.section == Section::Input);
        let inputs: Vec<(VarId, TypeId, String)> = inputs.map(|(id, var)| (id, var.ty, var.name.to_ascii_lowercase())).collect();
        let [(index, ty, first), (lower, low, second), (upper, high, third)] = inputs.as_slice() else { return None };
        let Type::Int(values) = project.types[*ty].ty else { return None };
        let has_in_outs = project.pous[pou].vars.iter().any(|var| var.section == Section::InOut);
        let result = project.pous[pou].vars[result].ty;
        let is_known = [first.as_str(), second.as_str(), third.as_str()] == ["index", "lower", "upper"]
            && ty == low
            && ty == high
            && matches!(project.types[result].ty, Type::Int(_))
            && !has_in_outs;
        is_known.then_some(Signature { pou, inputs: [*index, *lower, *upper], ty: *ty, values, result })
    }

    /// Returns the call for an index; `None`: a parameter does not hold it.
    fn call(&self, project: &Project, index: &Expr, (low, high): (i64, i64)) -> Option<Expr> {
        let (least, most) = project.values_of(index.ty)?;
        let bounds = [i128::from(low), i128::from(high)];
        if !self.values.holds(least) || !self.values.holds(most) || bounds.iter().any(|bound| !self.values.holds(*bound)) {
            return None;
        }
        let span = index.span;
        let given = if index.ty == self.ty { index.clone() } else { index.clone().converted(Conversion::Widen, self.ty) };
        let [index, lower, upper] = self.inputs;
        let [low, high] = bounds.map(|bound| Expr::int(bound, self.ty, span));
        let args = CallArgs { inputs: vec![(index, given), (lower, low), (upper, high)], ..CallArgs::default() };
        Some(Expr::call(self.pou, args, self.result, span))
    }
}

/// Pass over a body that puts the calls around indices.
struct Indices<'p> {
    project: &'p Project,
    pou: PouId,
    bounds: &'p Signature,
    /// Indices that the parameter does not hold.
    wide: BTreeSet<Span>,
}

impl VisitMut<'_> for Indices<'_> {
    fn place(&mut self, place: &mut Place, _access: Access) {
        // Indices inside of indices come first.
        self.place_parts(place);
        let project = self.project;
        let mut ty = match place.root {
            Root::Var(var) => Some(project.pous[self.pou].vars[var].ty),
            Root::Global(global) => Some(project.globals[global].ty),
            Root::This(ty) => Some(ty),
            Root::Instance(_) => None,
        };
        let root = place.root;
        for elem in &mut place.path {
            ty = match (elem, ty) {
                (Elem::Index(indices), Some(array)) => {
                    if let Type::Array { dims, elem } = &project.types[array].ty
                        && !matches!(project.types[*elem].ty, Type::Char(_))
                    {
                        for (index, dim) in indices.iter_mut().zip(dims) {
                            self.check(index, *dim);
                        }
                    }
                    part_type(project, array, LeafElem::Index(0))
                }
                (Elem::Field(field), Some(ty)) => part_type(project, ty, LeafElem::Field(*field)),
                (Elem::Member(var), Some(ty)) => part_type(project, ty, LeafElem::Member(*var)),
                (Elem::Member(var), None) => match root {
                    Root::Instance(id) => Some(project.pous[project.instances[id].pou].vars[*var].ty),
                    Root::Var(_) | Root::Global(_) | Root::This(_) => None,
                },
                (Elem::Deref(seen_as), _) => Some(*seen_as),
                (Elem::Bits { .. } | Elem::Index(_) | Elem::Field(_), _) => None,
            };
        }
    }
}

impl Indices<'_> {
    fn check(&mut self, index: &mut Expr, bounds: (i64, i64)) {
        if matches!(index.kind, ExprKind::Literal(_)) {
            return;
        }
        match self.bounds.call(self.project, index, bounds) {
            Some(call) => *index = call,
            None => _ = self.wide.insert(index.span),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId;
    use crate::interp::{Limits, Machine, Silent};
    use crate::text::{SourceSet, Treatment};
    use crate::{LoadOptions, load};

    /// Returns the value of `P.n` after one cycle, and the conditions of all answers.
    fn run(text: &str, dialect: DialectId) -> (Option<i128>, Vec<String>) {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let mut machine = Machine::new(&parsed.value.project, Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        let n = machine.run(&mut Silent).ok().and_then(|_| machine.leaf("P.n")).and_then(|value| value.as_int());
        let gaps = parsed.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed);
        let conditions: Vec<String> = gaps.map(|gap| gap.construct.clone()).collect();
        let of_checks = conditions.iter().filter(|condition| condition.starts_with("calls of `Check"));
        assert_eq!(parsed.value.project.beside.len(), of_checks.count(), "conditions of each answer");
        (n, conditions)
    }

    const CHECK: &str = "FUNCTION CheckBounds : DINT\nVAR_INPUT index, lower, upper : DINT; END_VAR\n\
        IF index < lower THEN CheckBounds := lower; ELSIF index > upper THEN CheckBounds := upper; ELSE CheckBounds := index; END_IF\n\
        END_FUNCTION\n";

    #[test]
    fn indices_are_results_of_the_check() {
        let program = |vars: &str, body: &str| {
            format!(
                "{CHECK}PROGRAM P\nVAR n : INT; a : ARRAY [1..3] OF INT := [10, 20, 30]; {vars} END_VAR\n{body}\nEND_PROGRAM\n"
            )
        };
        let check = |vars: &str, body: &str, expected: i128| {
            assert_eq!(run(&program(vars, body), DialectId::Codesys), (Some(expected), Vec::new()), "{body}");
        };
        check("i : INT := 2;", "n := a[i];", 20);
        check("i : INT := 7;", "n := a[i];", 30);
        check("i : SINT := -1;", "a[i] := 5; n := a[1];", 5);
        check("i : INT := 9; b : ARRAY [0..1, 0..1] OF INT := [1, 2, 3, 4];", "n := b[i, 0] + a[b[0, i]];", 23);
        check("i : INT := 9; s : STRUCT b : ARRAY [0..1] OF INT; END_STRUCT;", "s.b[i] := 6; n := s.b[1];", 6);
        check("i : BYTE := 200;", "n := a[i];", 30);
    }

    #[test]
    fn checks_that_are_not_called_are_conditions() {
        let program = |head: &str, vars: &str, body: &str| {
            format!(
                "{{attribute 'x'}}\n{head}PROGRAM P\nVAR n : INT; a : ARRAY [1..3] OF INT := [10, 20, 30]; {vars} END_VAR\n{body}\nEND_PROGRAM\n"
            )
        };
        let check = |text: &str, words: &[&str]| {
            let (_, conditions) = run(text, DialectId::Codesys);
            assert_eq!(conditions.len(), words.len(), "{conditions:?}\n{text}");
            assert!(conditions.iter().zip(words).all(|(found, words)| found.contains(words)), "{conditions:?}\n{text}");
        };
        check(&program(CHECK, "i : LINT;", "n := a[i];"), &["that its parameter does not hold"]);
        check(&program(&format!("{CHECK}// no_check\n"), "i : INT;", "n := a[i];"), &["calls of `CheckBounds` before uses"]);
        let division = "FUNCTION CheckDivDInt : DINT\nVAR_INPUT divisor : DINT; END_VAR\nCheckDivDInt := 1;\nEND_FUNCTION\n";
        check(&program(division, "", "n := 1;"), &["calls of `CheckDivDInt` before divisions"]);
        let range = "FUNCTION CheckRangeSigned : DINT\nVAR_INPUT value, lower, upper : DINT; END_VAR\nCheckRangeSigned := value;\nEND_FUNCTION\n";
        check(&program(range, "s : INT (0..10);", "n := s;"), &["before assignments to variables of a subrange"]);
        let other = "FUNCTION CheckBounds : DINT\nVAR_INPUT i : DINT; END_VAR\nCheckBounds := i;\nEND_FUNCTION\n";
        check(&program(other, "", "n := 1;"), &["calls of `CheckBounds` before uses"]);
    }

    #[test]
    fn other_systems_may_have_implicit_checks() {
        let program = |index: &str| {
            format!(
                "{CHECK}PROGRAM P\nVAR a : ARRAY [1..3] OF INT := [10, 20, 30]; i : INT := {index}; n : INT; END_VAR\nn := a[i];\nEND_PROGRAM\n"
            )
        };
        // Without a system that is known to call it, the call is a condition.
        let (n, conditions) = run(&program("2"), DialectId::Iec);
        assert!(
            n == Some(20) && matches!(conditions.as_slice(), [one] if one.contains("calls of `CheckBounds`")),
            "{conditions:?}"
        );
        assert_eq!(run(&program("7"), DialectId::Iec).0, None);
        assert_eq!(run(&program("2"), DialectId::Matiec).1, Vec::<String>::new());
    }
}
