//! Conditions of requirements that read the control variable of a FOR: its value behind the loop differs between controllers.
//!
//! The import notes the loops whose control variable the program reads elsewhere. A requirement reads it, too.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{LeafElem, PouId, Project, Root, Section, Stmt, StmtKind, Type, VarId, walk};
use plc_frontend::source::Span;

use super::names::Names;
use super::outcome::Condition;
use super::place::place;

/// Effect of the value on answers.
const DETAIL: &str =
    "Behind the loop it is the first value beyond the last one; on some controllers it is the last value in range.";

/// Returns one condition for each local control variable among the leaves that a requirement reads.
pub fn loop_values(loaded: &Loaded, read: &BTreeSet<String>) -> Vec<Condition> {
    let project = &loaded.project;
    // Those that the import has noted are in the ledger.
    let is_noted =
        |span: Span| loaded.ledger.gaps.iter().any(|gap| gap.span == span && gap.construct.starts_with("control variable"));
    let loops: Vec<_> = loops(project).into_iter().filter(|(.., span)| !is_noted(*span)).collect();
    if loops.is_empty() {
        return Vec::new();
    }
    let names = Names::new(project);
    let mut conditions = Vec::new();
    for leaf in project.leaves().iter().filter(|leaf| read.contains(&leaf.name)) {
        let Root::Instance(instance) = leaf.root else { continue };
        let mut owner = Some(project.instances[instance].pou);
        for step in &leaf.path {
            let (LeafElem::Member(var), Some(pou)) = (step, owner) else { break };
            conditions.extend(loops.iter().filter(|(of, control, _)| (*of, *control) == (pou, *var)).map(|(.., span)| {
                Condition {
                    text: format!("`{}` is one step beyond the last value behind its FOR", names.show(&leaf.name)),
                    detail: Some(DETAIL.to_owned()),
                    place: Some(place(&loaded.sources, *span)),
                }
            }));
            let ty = &project.types[project.pous[pou].vars[*var].ty].ty;
            owner = if let Type::FunctionBlock(block) = ty { Some(*block) } else { None };
        }
    }
    conditions
}

/// Returns the loops with a local control variable.
fn loops(project: &Project) -> Vec<(PouId, VarId, Span)> {
    let mut found = Vec::new();
    for (id, pou) in project.pous.iter_enumerated() {
        walk::stmts(&pou.body, |stmt: &Stmt| {
            if let StmtKind::For { control, .. } = &stmt.kind
                && let Root::Var(var) = control.root
                && pou.vars.get(var).is_some_and(|var| var.section == Section::Local)
            {
                found.push((id, var, stmt.span));
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
