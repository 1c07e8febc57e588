//! Conditions of requirements that read the control variable of a FOR: its value behind the loop differs between controllers.
//!
//! The import notes the loops whose control variable the program reads elsewhere. A requirement reads it, too.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{Elem, Leaf, LeafElem, PouId, Project, Root, Section, Stmt, StmtKind, Type, TypeId, VarId, walk};
use plc_frontend::source::Span;

use super::names::Names;
use super::outcome::Condition;
use super::place::place;

/// Effect of the value on answers.
const DETAIL: &str =
    "Behind the loop it is the first value beyond the last one; on some controllers it is the last value in range.";

/// A loop with a local control variable.
struct Loop<'p> {
    /// The POU with the loop.
    pou: PouId,
    /// The variable of that POU, and the part of it that counts.
    var: VarId,
    path: &'p [Elem],
    span: Span,
}

/// Returns one condition for each local control variable among the leaves that a requirement reads.
///
/// Soundness: instances of a block stand in programs, in global variables, in arrays, in structures and in other instances.
pub fn loop_values(loaded: &Loaded, read: &BTreeSet<String>) -> Vec<Condition> {
    let project = &loaded.project;
    // Those that the import has noted are in the ledger.
    let is_noted =
        |span: Span| loaded.ledger.gaps.iter().any(|gap| gap.span == span && gap.construct.starts_with("control variable"));
    let loops: Vec<_> = loops(project).into_iter().filter(|of| !is_noted(of.span)).collect();
    if loops.is_empty() {
        return Vec::new();
    }
    let names = Names::new(project);
    let mut conditions = Vec::new();
    for leaf in project.leaves().iter().filter(|leaf| read.contains(&leaf.name)) {
        for (owner, var, rest) in owners(project, leaf) {
            let counts = |of: &&Loop<'_>| (of.pou, of.var) == (owner, var) && is_part(of.path, rest);
            conditions.extend(loops.iter().filter(counts).map(|of| Condition {
                text: format!("`{}` is one step beyond the last value behind its FOR", names.show(&leaf.name)),
                detail: Some(DETAIL.to_owned()),
                place: Some(place(&loaded.sources, of.span)),
            }));
        }
    }
    conditions
}

/// Returns the POUs whose variables hold a leaf, from the outside to the inside: the variable, and the path from there.
fn owners<'l>(project: &Project, leaf: &'l Leaf) -> Vec<(PouId, VarId, &'l [LeafElem])> {
    let block = |ty: TypeId| if let Type::FunctionBlock(block) = project.types[ty].ty { Some(block) } else { None };
    let (mut owner, mut ty) = match leaf.root {
        Root::Instance(instance) => (Some(project.instances[instance].pou), None),
        Root::Global(global) => (block(project.globals[global].ty), Some(project.globals[global].ty)),
        Root::Var(_) | Root::This(_) => return Vec::new(),
    };
    let mut found = Vec::new();
    for (at, step) in leaf.path.iter().enumerate() {
        let inner = match (step, owner, ty.map(|ty| &project.types[ty].ty)) {
            (LeafElem::Member(var), Some(pou), _) => {
                found.push((pou, *var, leaf.path.get(at + 1..).unwrap_or_default()));
                project.pous[pou].vars[*var].ty
            }
            (LeafElem::Field(field), _, Some(Type::Struct { fields })) => fields[*field as usize].ty,
            (LeafElem::Index(_), _, Some(Type::Array { elem, .. })) => *elem,
            _ => break,
        };
        (owner, ty) = (block(inner), Some(inner));
    }
    found
}

/// Returns whether a part of a variable is, or may be, this part or in it; an index may be any.
fn is_part(control: &[Elem], leaf: &[LeafElem]) -> bool {
    let is_same = |(control, leaf): (&Elem, &LeafElem)| match (control, leaf) {
        (Elem::Field(one), LeafElem::Field(other)) => one == other,
        (Elem::Member(one), LeafElem::Member(other)) => one == other,
        _ => true,
    };
    control.iter().zip(leaf).all(is_same)
}

/// Returns the loops with a local control variable.
fn loops(project: &Project) -> Vec<Loop<'_>> {
    let mut found = Vec::new();
    for (id, pou) in project.pous.iter_enumerated() {
        walk::stmts(&pou.body, |stmt: &Stmt| {
            if let StmtKind::For { control, .. } = &stmt.kind
                && let Root::Var(var) = control.root
                && pou.vars.get(var).is_some_and(|var| var.section == Section::Local)
            {
                found.push(Loop { pou: id, var, path: &control.path, span: stmt.span });
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use plc_frontend::source::SourceSet;
    use plc_frontend::{LoadOptions, load};

    #[test]
    fn instances_elsewhere_have_control_variables_too() {
        let block = "TYPE S : STRUCT f : F; END_STRUCT; END_TYPE VAR_GLOBAL g : F; END_VAR \
            FUNCTION_BLOCK F VAR i, n : INT; END_VAR FOR i := 1 TO 3 DO n := 0; END_FOR; END_FUNCTION_BLOCK \
            FUNCTION_BLOCK Holder VAR f : F; END_VAR f(); END_FUNCTION_BLOCK \
            FUNCTION_BLOCK Plain VAR_INPUT i, n : INT; END_VAR n := 1; END_FUNCTION_BLOCK ";
        let main = "PROGRAM Main VAR l : ARRAY [0..1] OF F; s : S; h : ARRAY [2..3] OF Holder; p : Plain; END_VAR \
            g(); l[1](); s.f(); h[2](); FOR p.i := 1 TO 3 DO ; END_FOR; END_PROGRAM";
        let mut sources = SourceSet::default();
        sources.add("main.st", format!("{block} {main}"));
        let loaded = load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        for (read, expected) in [
            ("g.i", 1),
            ("g.n", 0),
            ("Main.l[1].i", 1),
            ("Main.l[1].n", 0),
            ("Main.s.f.i", 1),
            ("Main.h[3].f.i", 1),
            // The import has noted it: another block may read an input.
            ("Main.p.i", 0),
            ("Main.p.n", 0),
        ] {
            assert!(loaded.value.project.leaves().iter().any(|leaf| leaf.name == read), "{read}");
            assert_eq!(loop_values(&loaded.value, &BTreeSet::from([read.to_owned()])).len(), expected, "{read}");
        }
    }

    #[test]
    fn requirements_that_read_a_control_variable_have_a_condition() {
        let block = "FUNCTION_BLOCK F VAR i, n : INT; END_VAR FOR i := 1 TO 3 DO n := 0; END_FOR; END_FUNCTION_BLOCK ";
        let main = |body: &str| format!("{block} PROGRAM Main VAR f : F; i, x : INT; END_VAR f(); {body} END_PROGRAM");
        let loop_alone = "FOR i := 1 TO 3 DO x := 0; END_FOR;";
        let read_behind = "FOR i := 1 TO 3 DO x := 0; END_FOR; x := i;";
        for (body, read, expected) in [
            (loop_alone, "Main.i", vec!["`i` is one step beyond the last value behind its FOR"]),
            (loop_alone, "Main.x", vec![]),
            (loop_alone, "Main.f.i", vec!["`f.i` is one step beyond the last value behind its FOR"]),
            (loop_alone, "Main.f.n", vec![]),
            // The import has noted it.
            (read_behind, "Main.i", vec![]),
        ] {
            let mut sources = SourceSet::default();
            sources.add("main.st", main(body));
            let loaded = load(&sources, &LoadOptions::default());
            let found = loop_values(&loaded.value, &BTreeSet::from([read.to_owned()]));
            let texts: Vec<&str> = found.iter().map(|condition| condition.text.as_str()).collect();
            assert_eq!(texts, expected, "{body} {read}");
        }
    }
}
