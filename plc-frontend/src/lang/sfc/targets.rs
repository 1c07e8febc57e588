//! Targets of charts: the actions and variables that steps control.

use std::collections::{BTreeMap, BTreeSet};

use super::Lowering;
use crate::ast::{ActionBlock, ActionBody, Chart, ChartStep, Pou, Qualifier};
use crate::text::{Span, key};

/// Association of a step with a target.
pub(super) struct Association<'c> {
    /// Position among all associations of the chart.
    pub(super) turn: usize,
    pub(super) step: &'c ChartStep,
    pub(super) block: &'c ActionBlock,
}

/// Action or BOOL variable that steps control, with all its associations.
pub(super) struct Target<'c> {
    /// Name of the action or variable; for statements written in place, of a hidden action.
    pub(super) name: String,
    pub(super) is_action: bool,
    /// Number in the names of its hidden variables.
    pub(super) number: usize,
    pub(super) span: Span,
    pub(super) associations: Vec<Association<'c>>,
}

impl Target<'_> {
    /// Returns whether one of these qualifiers controls it.
    pub(super) fn has(&self, wanted: &[Qualifier]) -> bool {
        self.associations.iter().any(|association| wanted.contains(&association.block.qualifier))
    }
}

/// Returns all targets in the order in which the chart first names them.
pub(super) fn targets<'c>(pou: &Pou, chart: &'c Chart, lowering: &mut Lowering) -> Vec<Target<'c>> {
    let declared: BTreeSet<String> = pou.actions.iter().map(|action| key(&action.name.text)).collect();
    let mut targets: Vec<Target<'c>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let blocks = chart.steps.iter().flat_map(|step| step.actions.iter().map(move |block| (step, block)));
    for (turn, (step, block)) in blocks.enumerate() {
        let next = targets.len();
        let (number, name, is_action, span) = match &block.action {
            ActionBody::Inline(stmts) => {
                (next, lowering.action(&format!("action{next}"), stmts.clone(), block.span), true, block.span)
            }
            ActionBody::Named(named) => {
                let number = *known.entry(key(&named.text)).or_insert(next);
                (number, named.text.clone(), declared.contains(&key(&named.text)), named.span)
            }
        };
        if number == next {
            targets.push(Target { name, is_action, number, span, associations: Vec::new() });
        }
        targets[number].associations.push(Association { turn, step, block });
    }
    targets
}
