//! No POU calls itself, and no block contains an instance of itself, not even by way of others: the standard
//! forbids it, a controller has no stack for it, and the state of the program would not be bounded.
//!
//! Dialects with [`Recursion::OfFunctions`] allow circles of functions and methods only. The automatic check `call_depth`
//! bounds them.
//!
//! ```st
//! FUNCTION Fac : DINT
//! VAR_INPUT n : DINT; END_VAR
//! Fac := n * Fac(n - 1);   (* P4001: Fac → Fac *)
//! END_FUNCTION
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::CheckedProgram;
use crate::components::components;
use crate::dialect::{DIALECTS, Recursion};
use crate::hir::{Expr, ExprKind, Parts, PouId, PouKind, Project, Section, Stmt, StmtKind, TypeId, Visit};
use crate::ids::Id;
use crate::text::{Diagnostic, Span, codes::RECURSION};

/// Reason of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    Contains,
    Calls,
}

/// Edges by start and end, with reason and place.
pub(super) type Graph = BTreeMap<PouId, BTreeMap<PouId, (Why, Span)>>;

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    let mut graph = nesting(program);
    loop {
        in_order(&graph).iter().for_each(|pou| drop(graph.remove(pou)));
        let Some(cycle) = any_cycle(&graph) else { return };
        findings.push(report(program, &cycle));
        for (pou, _, _) in cycle {
            graph.remove(&pou);
        }
    }
}

/// Returns the POUs that lead to no cycle, each behind all POUs that it calls and contains.
pub(super) fn in_order(graph: &Graph) -> Vec<PouId> {
    let mut callers: BTreeMap<PouId, Vec<PouId>> = BTreeMap::new();
    let mut left: BTreeMap<PouId, usize> = BTreeMap::new();
    for (&from, edges) in graph {
        let ahead = edges.keys().filter(|to| graph.contains_key(to));
        let n = ahead.map(|&to| callers.entry(to).or_default().push(from)).count();
        left.insert(from, n);
    }
    let mut ordered = Vec::new();
    let mut ends: Vec<PouId> = left.iter().filter(|(_, n)| **n == 0).map(|(pou, _)| *pou).collect();
    while let Some(end) = ends.pop() {
        ordered.push(end);
        for caller in callers.get(&end).into_iter().flatten() {
            if let Some(n) = left.get_mut(caller) {
                *n -= 1;
                if *n == 0 {
                    ends.push(*caller);
                }
            }
        }
    }
    ordered
}

/// An edge of a cycle: its start, its reason and its place.
type CycleEdge = (PouId, Why, Span);

fn report(program: &CheckedProgram<'_>, cycle: &[CycleEdge]) -> Diagnostic {
    let project = program.project;
    let name = |pou: PouId| project.pous[pou].name.as_str();
    let mut path: Vec<&str> = cycle.iter().map(|edge| name(edge.0)).collect();
    let first = path.first().copied().unwrap_or_default();
    path.push(first);
    let contains = cycle.iter().any(|edge| edge.1 == Why::Contains);
    let what = if contains { "contains an instance of itself" } else { "calls itself" };
    let message = format!("`{first}` {what}: {}", path.join(" → "));
    let words = |why: Why, to: &str| match why {
        Why::Contains => format!("an instance of {to}"),
        Why::Calls => format!("a call of {to}"),
    };
    let targets = path.iter().skip(1);
    let mut labels = cycle.iter().zip(targets).map(|(edge, to)| (edge.2, words(edge.1, to)));
    let (span, here) = labels.next().unwrap_or((Span::none(), String::new()));
    let mut finding = Diagnostic::error(RECURSION, span, message, here);
    for (span, here) in labels {
        finding = finding.label(span, here);
    }
    let are_functions = cycle.iter().all(|edge| matches!(project.pous[edge.0].kind, PouKind::Function(_)));
    if program.recursion == Recursion::Forbidden && are_functions {
        let others = DIALECTS.iter().filter(|row| row.recursion == Recursion::OfFunctions);
        let names: Vec<&str> = others.map(|row| row.name).collect();
        let names = names.join(", ");
        return finding.help(format!("use a loop instead; or choose a dialect in which functions may call themselves: {names}"));
    }
    finding.help("use a loop instead, or move what both need into a third block")
}

/// Returns a cycle of a graph in which every POU leads to one.
fn any_cycle(graph: &Graph) -> Option<Vec<CycleEdge>> {
    let mut at = *graph.keys().next()?;
    let mut way: Vec<CycleEdge> = Vec::new();
    let mut seen: BTreeMap<PouId, usize> = BTreeMap::new();
    loop {
        if let Some(&start) = seen.get(&at) {
            let mut cycle = way.split_off(start);
            let first = cycle.iter().enumerate().min_by_key(|(_, edge)| edge.0).map_or(0, |(i, _)| i);
            cycle.rotate_left(first);
            return Some(cycle);
        }
        seen.insert(at, way.len());
        let (&to, &(why, span)) = graph.get(&at)?.iter().find(|(to, _)| graph.contains_key(to))?;
        way.push((at, why, span));
        at = to;
    }
}

/// Returns the graph without the calls by which functions may call themselves: each of them then counts once.
pub(super) fn nesting(program: &CheckedProgram<'_>) -> Graph {
    let mut graph = graph(program.project);
    if program.recursion == Recursion::Forbidden {
        return graph;
    }
    let pous: Vec<PouId> = graph.keys().copied().collect();
    let edges: Vec<Vec<usize>> = graph.values().map(|to| to.keys().map(|pou| pou.index()).collect()).collect();
    let (component, sizes) = components(&edges);
    let mut are_functions = vec![true; sizes.len()];
    for (at, pou) in pous.iter().enumerate() {
        are_functions[component[at]] &= matches!(program.project.pous[*pou].kind, PouKind::Function(_));
    }
    for (at, calls) in graph.values_mut().enumerate() {
        calls.retain(|to, _| component[to.index()] != component[at] || !are_functions[component[at]]);
    }
    graph
}

/// Returns the calls of each POU and the blocks of which it contains instances.
fn graph(project: &Project) -> Graph {
    let mut graph = Graph::new();
    for (id, pou) in project.pous.iter_enumerated() {
        let mut calls = Calls { found: BTreeMap::new() };
        for var in pou.vars.iter() {
            // The target of a VAR_IN_OUT is an instance of the caller.
            if var.section != Section::InOut {
                for block in blocks_in(project, var.ty) {
                    calls.found.entry(block).or_insert((Why::Contains, var.span));
                }
            }
        }
        calls.body(&pou.body);
        graph.insert(id, calls.found);
    }
    graph
}

/// Returns the function blocks with instances in a value of this type, without those inside of these.
pub(super) fn blocks_in(project: &Project, ty: TypeId) -> BTreeSet<PouId> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match project.types[ty].ty.parts() {
            Parts::Variables(pou) => {
                found.insert(pou);
            }
            Parts::Elements(_, elem) => waiting.push(elem),
            Parts::Fields(fields) => waiting.extend(fields.iter().map(|f| f.ty)),
            Parts::Scalar => {}
        }
    }
    found
}

struct Calls {
    found: BTreeMap<PouId, (Why, Span)>,
}

impl<'h> Visit<'h> for Calls {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::CallInstance { pou, .. } = &stmt.kind {
            self.found.entry(*pou).or_insert((Why::Calls, stmt.span));
        }
        self.stmt_parts(stmt);
    }
    fn expr(&mut self, e: &'h Expr) {
        if let ExprKind::Call(pou, _) = &e.kind {
            self.found.entry(*pou).or_insert((Why::Calls, e.span));
        }
        self.expr_parts(e);
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId::{Codesys, Iec, Matiec, SiemensClassic, SiemensTia, Twincat};
    use crate::resolve::testing::{check, findings};
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    const MAIN: &str = "PROGRAM Main\nEND_PROGRAM\n";

    #[test]
    fn a_pou_that_needs_itself_is_an_error() {
        let check = |source: &str, expected| check(&format!("{MAIN}{source}"), expected);
        check("FUNCTION F : INT\nVAR_INPUT\n n : INT;\nEND_VAR\nF := n * F(n - 1);\nEND_FUNCTION", "P4001@7:10");
        check("FUNCTION_BLOCK A\nVAR\n a : A;\nEND_VAR\nEND_FUNCTION_BLOCK", "P4001@5:2");
        check(
            r"FUNCTION_BLOCK A
VAR
 b : ARRAY [1..2] OF B;
END_VAR
END_FUNCTION_BLOCK
FUNCTION_BLOCK B
VAR
 s : STRUCT a : A; END_STRUCT;
END_VAR
END_FUNCTION_BLOCK",
            "P4001@5:2",
        );
        check(
            r"FUNCTION F : INT
F := G();
END_FUNCTION
FUNCTION G : INT
G := H() + F();
END_FUNCTION
FUNCTION H : INT
H := 1;
END_FUNCTION",
            "P4001@4:6",
        );
        check(
            r"FUNCTION F : INT
F := G(G(1));
END_FUNCTION
FUNCTION G : INT
VAR_INPUT
 i : INT;
END_VAR
G := i;
END_FUNCTION",
            "",
        );
    }

    #[test]
    fn functions_may_call_themselves_in_some_dialects() {
        let check = |dialect, source: &str, expected: &[&str]| {
            let mut sources = SourceSet::default();
            sources.add("p.st", format!("{MAIN}{source}"));
            let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..Default::default() });
            let found: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!(found, expected, "{dialect:?} {source}");
        };
        let own = "FUNCTION F : INT VAR_INPUT n : INT; END_VAR IF n > 0 THEN F := n * F(n - 1); END_IF; END_FUNCTION";
        let two = "FUNCTION F : INT VAR_INPUT n : INT; END_VAR IF n > 0 THEN F := G(n - 1); END_IF; END_FUNCTION\n\
                   FUNCTION G : INT VAR_INPUT n : INT; END_VAR IF n > 0 THEN G := F(n - 1); END_IF; END_FUNCTION";
        let contained = "FUNCTION_BLOCK B VAR b : B; END_VAR END_FUNCTION_BLOCK";
        let by_block = "VAR_GLOBAL g : B; END_VAR FUNCTION F : INT g(); F := F(); END_FUNCTION\n\
                        FUNCTION_BLOCK B VAR x : INT; END_VAR x := F(); END_FUNCTION_BLOCK";
        for dialect in [Codesys, Twincat, SiemensTia] {
            check(dialect, own, &[]);
            check(dialect, two, &[]);
            check(dialect, contained, &["P4001"]);
            check(dialect, by_block, &["P4001"]);
        }
        for dialect in [Iec, SiemensClassic, Matiec] {
            check(dialect, own, &["P4001"]);
        }
    }

    #[test]
    fn the_cycle_is_named() {
        let found = findings(
            r"FUNCTION F : INT
F := G();
END_FUNCTION
FUNCTION G : INT
G := F();
END_FUNCTION
PROGRAM Main
END_PROGRAM",
        );
        assert_eq!(found[0].message, "`F` calls itself: F → G → F");
        assert_eq!(found[0].labels.len(), 2);
    }
}
