//! The check `double_write`: BOOL outputs that two statements write in one cycle.
//!
//! For each output the monitor keeps the statement that computed its last value in this cycle, and that value. A different value
//! computed by another statement overwrites a decision: of two coils of one output the second wins. A constant written in between
//! does not count.

mod body;
mod jumps;
mod named;
mod outputs;
mod unobserved;

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::Project;
use plc_frontend::source::Span;

pub(super) use self::unobserved::unobserved_write;
use super::{Asked, Check, CheckKind, Event, event_never_happens};
use crate::cfa::{LocId, LocKind, Op, SiteKind};
use crate::expr::{ExprId, Sort, Value, VarId};
use crate::property::monitor::Monitor;
use crate::property::requirements::ResolvedRequirement;

pub(super) const ROW: Check = Check {
    name: "double_write",
    kind: CheckKind::Event(Event::DoubleWrite),
    text: "No BOOL output is given two different computed values in one cycle.",
    condition: None,
    mistake: Some("the output is written again, with another value"),
    meaning: "No statement gives a BOOL output a computed value after another one has given it a different computed value in the \
              same cycle: two coils of one output. Constants do not count, so presetting (`q := FALSE;`) and setting \
              (`IF x THEN q := TRUE;`) are fine. Where outputs may be written in ways that are not looked at (one statement that is \
              executed several times, an index, a reference, single bits, whole structures, a call's output, memory that \
              variables share), there is no proof. In exports of Studio 5000 each BOOL tag of a program or the controller counts as \
              an output, since few are declared so; members of structures do not.",
    requirements,
};

/// Returns the requirement; none for a program that gives no BOOL output a computed value.
fn requirements(check: &Check, asked: &mut Asked<'_>) -> Result<Vec<ResolvedRequirement>, String> {
    if unobserved::writes_nothing(&asked.loaded.project) {
        return Ok(Vec::new());
    }
    event_never_happens(check, asked)
}

/// Assignment of a computed value to an output.
struct Coil {
    span: Span,
    loc: LocId,
    value: ExprId,
}

/// Leads the second of two different computed values within a cycle to the error location.
pub(super) fn monitor(m: &mut Monitor<'_, '_>, project: &Project) {
    let mut passed: BTreeMap<LocId, (ExprId, [(VarId, ExprId); 2])> = BTreeMap::new();
    for (output, coils) in coils_of_outputs(m, project) {
        let mut writers: Vec<Span> = coils.iter().map(|coil| coil.span).collect();
        writers.sort();
        writers.dedup();
        if writers.len() < 2 {
            continue;
        }
        let width = (usize::BITS - writers.len().leading_zeros()) as u16;
        let name = format!("#writer of {}", m.pool.var_decl(output).name);
        let writer = m.pool.new_var(name, Sort::BitVec(width));
        let no_writer = Value::bv(width, 0);
        m.initial.push((writer, no_writer));
        let computed = m.memory(&format!("#computed for {}", m.pool.var_decl(output).name));
        let no_writer = m.pool.constant(no_writer);
        m.begin = m.flat.step(m.begin, Op::Assign(writer, no_writer));
        for coil in coils {
            let number = writers.binary_search(&coil.span).map_or(0, |at| at as u128 + 1);
            let own = m.pool.constant(Value::bv(width, number));
            let (before, last) = (m.pool.var(writer), m.pool.var(computed));
            let (written, other) = (m.pool.ne(before, no_writer), m.pool.ne(before, own));
            let (by_other, differs) = (m.pool.and(written, other), m.pool.ne(last, coil.value));
            let bad = m.pool.and(by_other, differs);
            m.flat.edge(coil.loc, m.model.cfa.error, Op::Assume(bad), Some(coil.span));
            passed.insert(coil.loc, (m.pool.not(bad), [(writer, own), (computed, coil.value)]));
        }
    }
    let error = m.model.cfa.error;
    for at in 0..m.flat.edges.len() {
        let source = m.flat.edges[at].source;
        if let Some((fine, [(writer, own), (computed, value)])) = passed.get(&source).copied()
            && m.flat.edges[at].target != error
        {
            let (noted, kept) = (m.flat.loc(LocKind::Inner), m.flat.loc(LocKind::Inner));
            let target = std::mem::replace(&mut m.flat.edges[at].target, noted);
            m.flat.edges[at].op = Op::Assume(fine);
            m.flat.edge(noted, kept, Op::Assign(writer, own), None);
            m.flat.edge(kept, target, Op::Assign(computed, value), None);
        }
    }
}

/// Returns the coils of each BOOL output, in the order of the model.
fn coils_of_outputs(m: &Monitor<'_, '_>, project: &Project) -> BTreeMap<VarId, Vec<Coil>> {
    let outputs = m.model.leaves.iter().filter(|(leaf, _)| project.is_coil_output(leaf));
    let outputs: BTreeSet<VarId> = outputs.map(|(_, var)| *var).collect();
    let mut coils: BTreeMap<VarId, Vec<Coil>> = BTreeMap::new();
    for site in &m.model.sites {
        if let SiteKind::Coil { var, value } = site.kind
            && outputs.contains(&var)
        {
            coils.entry(var).or_default().push(Coil { span: site.span, loc: site.loc, value });
        }
    }
    coils
}
