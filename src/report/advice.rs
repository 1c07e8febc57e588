//! Advice about a requirement that was not decided: what makes this program hard, each with a step to take.
//!
//! Looks only at the cone of influence: what cannot matter for the requirement is no advice.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::Value as IecValue;
use plc_frontend::source::{Origin, Span};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::names::Names;
use super::outcome::Place;
use super::place::place;
use crate::cfa::pass::Dependencies;
use crate::cfa::{Model, Op};
use crate::expr::{BvBin, Expr, ExprId, Sort};

/// A difficulty of the program, and the step that removes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Advice {
    /// The difficulty: a noun phrase with its numbers.
    pub text: String,
    /// The step to take.
    pub step: String,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// An engine that took part without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EngineProgress {
    /// Its name.
    pub engine: String,
    /// What it said last.
    pub text: String,
    /// When, in milliseconds since the start.
    pub at_ms: u64,
}

/// Most advice of one kind.
const MOST: usize = 3;
/// Fewer cycles are no difficulty.
const LONG: u128 = 20;

/// Difficulties in the cone of influence; `assumed` names the leaves that the assumptions speak of.
///
/// Cost:      linear in the automaton.
pub fn advice(loaded: &Loaded, model: &Model, depends: &Dependencies, assumed: &BTreeSet<String>) -> Vec<Advice> {
    let names = Names::new(&loaded.project);
    let mut all = Vec::new();
    let products = spans(loaded, model, depends, |e| {
        let is_known = |of: ExprId| matches!(model.pool.expr(of), Expr::Const(_));
        let is_hard = |op: &BvBin| matches!(op, BvBin::Mul | BvBin::Udiv | BvBin::Urem | BvBin::Sdiv | BvBin::Srem);
        matches!(e, Expr::BvBin(op, a, b) if is_hard(op) && !is_known(*a) && !is_known(*b))
    });
    let about = |span: &Span, text: String, step: &str| Advice {
        text,
        step: step.to_owned(),
        place: Some(place(&loaded.sources, *span)),
    };
    let line = |span: &Span| place(&loaded.sources, *span).line;
    for span in products.iter().take(MOST) {
        let text = format!("the product or quotient of two variables on line {}", line(span));
        all.push(about(span, text, "State the range of its operands as an assumption, or make one of them a constant."));
    }
    let floats = spans(loaded, model, depends, |e| matches!(e, Expr::FpBin(..)));
    if let Some(first) = floats.first() {
        let text = match floats.len() {
            1 => format!("REAL arithmetic on line {}", line(first)),
            n => format!("REAL arithmetic on {n} lines, first on line {}", line(first)),
        };
        all.push(about(first, text, "State the range of the REAL inputs, or compute in scaled integers."));
    }
    all.extend(timers(loaded, model, depends, &names));
    let wide = model.leaves.iter().filter(|(leaf, var)| {
        let width = match model.pool.var_decl(*var).sort {
            Sort::BitVec(width) => u32::from(width),
            Sort::Float(_) => 32,
            Sort::Bool | Sort::Int | Sort::Array(..) => 0,
        };
        16 <= width && leaf.is_given(1) && !leaf.hidden && depends.vars.contains(var) && !assumed.contains(&leaf.name)
    });
    for (leaf, _) in wide.take(MOST) {
        let name = names.show(&leaf.name);
        let step = format!("State its range as an assumption, for instance: 0 <= {name} AND {name} <= 100.");
        all.push(Advice { text: format!("the input {name}, which may have any value of its type"), step, place: None });
    }
    all
}

/// Statements of the user in the cone, one of whose expressions has a part of this kind.
fn spans(loaded: &Loaded, model: &Model, depends: &Dependencies, is_hard: impl Fn(&Expr) -> bool) -> Vec<Span> {
    let mut found: BTreeSet<Span> = BTreeSet::new();
    let mut lines: BTreeSet<(u32, u32)> = BTreeSet::new();
    for edge in model.cfa.edges.iter() {
        let Some(span) = edge.span.filter(|span| depends.spans.contains(span) && is_user(loaded, *span)) else { continue };
        let (Op::Assume(root) | Op::Assign(_, root)) = edge.op else { continue };
        let mut seen: BTreeSet<ExprId> = BTreeSet::new();
        let mut open = vec![root];
        while let Some(e) = open.pop() {
            if !seen.insert(e) {
                continue;
            }
            let expr = model.pool.expr(e);
            if is_hard(&expr) && lines.insert((span.file.0, place(&loaded.sources, span).line)) {
                found.insert(span);
                break;
            }
            open.extend(expr.children());
        }
    }
    found.into_iter().collect()
}

fn is_user(loaded: &Loaded, span: Span) -> bool {
    loaded.sources.files.get(span.file).is_some_and(|f| f.origin == Origin::User)
}

/// Timers with a constant preset of many cycles.
fn timers(loaded: &Loaded, model: &Model, depends: &Dependencies, names: &Names) -> Vec<Advice> {
    let dt = u128::from(model.options.dt_max_ms.max(1));
    let mut all: Vec<(u128, Advice)> = Vec::new();
    for (leaf, var) in model.leaves.iter().filter(|(leaf, var)| leaf.name.ends_with(".PT") && depends.vars.contains(var)) {
        let assigned = model.cfa.edges.iter().filter_map(|edge| match edge.op {
            Op::Assign(v, e) if v == *var => Some((edge.span, e)),
            Op::Assign(..) | Op::Assume(_) | Op::Skip | Op::Havoc(_) | Op::Block(_) => None,
        });
        let presets = assigned.filter_map(|(span, e)| {
            let ms = model.pool.as_const(e)?.as_unsigned()?;
            Some((span.filter(|s| is_user(loaded, *s)), ms))
        });
        let declared = leaf.init.and_then(IecValue::as_int).and_then(|n| u128::try_from(n).ok()).map(|n| (None, n));
        let Some((span, ms)) = presets.chain(declared).max_by_key(|(_, ms)| *ms) else { continue };
        let n = ms / dt;
        if n < LONG {
            continue;
        }
        let timer = names.show(leaf.name.trim_end_matches(".PT"));
        let text = format!("the timer {timer}, whose {ms} ms are {n} cycles");
        let step = format!("Check with a shorter time, for instance T#{}ms: a proof has to go through fewer cycles.", dt * 5);
        all.push((n, Advice { text, step, place: span.map(|span| place(&loaded.sources, span)) }));
    }
    all.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    all.into_iter().take(MOST).map(|(_, advice)| advice).collect()
}
