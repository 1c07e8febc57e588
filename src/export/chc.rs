//! Constrained Horn clauses in SMT-LIB 2: one predicate per cut point (the head of the scan cycle, heads of loops), one rule
//! per large block.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::names::Names;
use super::terms::{Definition, Terms};
use super::{Feature, Format, Question, Refused};
use answer::certify::smtlib::{applied, constant, head};
use kernel::cfa::pass::blocks;
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

pub(super) const FORMAT: Format = Format {
    name: "chc",
    title: "constrained Horn clauses (SMT-LIB)",
    ending: "smt2",
    reading: "Horn clauses over the states at cut points. `sat`: {never}. `unsat`: {reached}.",
    lacks: &[Feature::Float],
    write,
};

fn write(question: &mut Question) -> Result<String, Refused> {
    let large = blocks(&mut question.pool, &question.cfa);
    let pool = &mut question.pool;
    let rules: Vec<_> = large.edges.iter().map(|edge| (edge.source, edge.target, edge.op.to_block(pool))).collect();
    let pool = &question.pool;
    let mut names = Names::default();
    large.vars.iter().for_each(|var| names.add(pool, *var, "v"));
    for (_, _, block) in &rules {
        block.inputs.iter().for_each(|input| names.add(pool, input.var, "in"));
    }
    let mut out = question.header(";", &[FORMAT.reading, "Bit vectors wrap; division by zero is SMT-LIB's."]);
    out.push_str("(set-logic HORN)\n");
    let places: Vec<LocId> = places(&large);
    let sorts: Vec<String> = large.vars.iter().map(|var| pool.var_decl(*var).sort.to_string()).collect();
    for loc in &places {
        let _ = writeln!(out, "(declare-fun {loc} ({}) Bool)", sorts.join(" "));
    }
    let start = large.vars.iter().map(|var| match large.initial.get(var) {
        Some(value) => constant(*value),
        None => names.of(*var).to_owned(),
    });
    let begin = apply(large.init, &start.collect::<Vec<_>>());
    let free: Vec<VarId> = large.vars.iter().copied().filter(|var| !large.initial.contains_key(var)).collect();
    let _ = writeln!(out, "(assert {})", closed(pool, &names, &free, &[], &begin));
    for (source, target, block) in rules {
        let mut roots = vec![block.guard];
        let updates: BTreeMap<VarId, ExprId> = block.updates.iter().copied().collect();
        roots.extend(updates.values().copied().filter(|_| target != large.error));
        let mut node = |e: ExprId, operands: &[Rc<str>]| {
            let operator = pool.expr(e);
            let Expr::Var(var) = operator else { return Ok(applied(&head(pool, operator), operands)) };
            Ok(names.of(var).to_owned())
        };
        let (definitions, texts) = Terms::default().texts(pool, &roots, &mut node)?;
        let before: Vec<String> = large.vars.iter().map(|var| names.of(*var).to_owned()).collect();
        let next: BTreeMap<VarId, &Rc<str>> = updates.keys().copied().zip(texts.iter().skip(1)).collect();
        let after = large.vars.iter().map(|var| next.get(var).map_or(names.of(*var), |text| text).to_owned());
        let conclusion = if target == large.error { "false".to_owned() } else { apply(target, &after.collect::<Vec<_>>()) };
        let rule = format!("(=> (and {} {}) {conclusion})", apply(source, &before), texts[0]);
        let bound: Vec<VarId> = large.vars.iter().copied().chain(block.inputs.iter().map(|input| input.var)).collect();
        let _ = writeln!(out, "(assert {})", closed(pool, &names, &bound, &definitions, &rule));
    }
    out.push_str("(check-sat)\n");
    Ok(out)
}

/// Returns the locations that have a predicate: all but the error location.
fn places(cfa: &Cfa) -> Vec<LocId> {
    let used = cfa.edges.iter().flat_map(|edge| [edge.source, edge.target]);
    let mut places: Vec<LocId> = used.chain([cfa.init]).filter(|loc| *loc != cfa.error).collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn apply(loc: LocId, arguments: &[String]) -> String {
    if arguments.is_empty() { loc.to_string() } else { format!("({loc} {})", arguments.join(" ")) }
}

/// Returns `body` for all values of `bound`, behind its definitions: those that do not need each other side by side.
fn closed(pool: &ExprPool, names: &Names, bound: &[VarId], definitions: &[Definition], body: &str) -> String {
    let mut levels: BTreeMap<u32, Vec<&Definition>> = BTreeMap::new();
    for definition in definitions {
        levels.entry(definition.depth).or_default().push(definition);
    }
    let mut text = String::new();
    if !bound.is_empty() {
        let binders = bound.iter().map(|var| format!("({} {})", names.of(*var), pool.var_decl(*var).sort));
        let _ = write!(text, "(forall ({}) ", binders.collect::<Vec<_>>().join(" "));
    }
    for level in levels.values() {
        let bindings: Vec<String> = level.iter().map(|d| format!("({} {})", d.name, d.text)).collect();
        let _ = write!(text, "(let ({}) ", bindings.join(" "));
    }
    text.push_str(body);
    text.push_str(&")".repeat(levels.len() + usize::from(!bound.is_empty())));
    text
}
