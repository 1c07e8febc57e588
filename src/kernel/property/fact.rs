//! Fact about the state between two cycles, from a requirement that holds.
//!
//! A proof by induction may have no invariant besides the requirement itself; then the requirement is the lemma for others.

use std::collections::BTreeMap;

use plc_frontend::hir::{Expr, Project};

use crate::cfa::lower::{Condition, Context, condition, context, extend_for};
use crate::cfa::network::{NetEdge, NetOp};
use crate::cfa::{LocId, Model};
use crate::expr::{ExprId, ExprPool, VarId};
use crate::property::claim::Claim;

/// Returns the claim as an expression over the model's variables. `None` for claims about more than the end of a cycle, and for
/// conditions that need several steps.
pub fn at_the_head(project: &Project, model: &Model, claim: &Claim) -> Option<(ExprPool, ExprId)> {
    if !matches!(claim, Claim::Invariant(_) | Claim::Forbidden(_) | Claim::Implication { .. }) {
        return None;
    }
    let conditions = claim.conditions();
    let (mut pool, mut network, options) = (model.pool.clone(), model.network.clone(), model.options.lowering());
    for condition in &conditions {
        extend_for(project, &mut pool, &mut network, condition, options).ok()?;
    }
    let cx = context(project, &network, options);
    let mut cells = network.shared.subst();
    let mut values = Vec::new();
    for condition in conditions {
        let value = value(&cx, &mut pool, condition)?;
        values.push(cells.apply(&mut pool, value));
    }
    let fact = match (claim, values.as_slice()) {
        (Claim::Implication { .. }, [when, then]) => pool.implies(*when, *then),
        (Claim::Forbidden(_), [never]) => pool.not(*never),
        (_, [always]) => *always,
        (_, _) => return None,
    };
    Some((pool, fact))
}

/// Returns the value of a condition that is computed without a choice.
fn value(cx: &Context<'_>, pool: &mut ExprPool, of: &Expr) -> Option<ExprId> {
    let Condition { graph, value } = condition(cx, pool, "#fact", of).ok()?;
    let mut ways: BTreeMap<LocId, Vec<&NetEdge>> = BTreeMap::new();
    for edge in &graph.edges {
        ways.entry(edge.source).or_default().push(edge);
    }
    let mut now: BTreeMap<VarId, ExprId> = BTreeMap::new();
    let mut here = graph.entry;
    for _ in 0..=graph.edges.len() {
        if here == graph.exit {
            return now.get(&value).copied();
        }
        let [edge] = ways.get(&here)?.as_slice() else { return None };
        match &edge.op {
            NetOp::Skip => {}
            NetOp::Assign(var, e) => {
                let e = pool.subst(*e, &now);
                now.insert(*var, e);
            }
            NetOp::Assume(_) | NetOp::AssumeOf { .. } | NetOp::Havoc(_) | NetOp::Call { .. } => return None,
        }
        here = edge.target;
    }
    None
}
