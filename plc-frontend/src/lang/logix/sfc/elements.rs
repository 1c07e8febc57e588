//! Elements of a chart as an export has them: steps with their actions, transitions, stops, branches and lines.

use std::collections::BTreeMap;

use super::paths::{Lines, Node};
use super::{Action, Gap, Sequence, Step, Transition};
use crate::ast::{Ident, Qualifier};
use crate::lang::logix::calls::Scope;
use crate::lang::logix::{Reader, attribute, key};
use crate::lang::xml::Element;

/// Words of qualifiers in exports, behind those of the standard.
const QUALIFIERS: &[(&str, Qualifier)] = &[
    ("NonStored", Qualifier::NonStored),
    ("Reset", Qualifier::Reset),
    ("Stored", Qualifier::Set),
    ("TimeLimited", Qualifier::Limited),
    ("TimeDelayed", Qualifier::Delayed),
    ("Pulse", Qualifier::Pulse),
    ("PulseRisingEdge", Qualifier::PulseRising),
    ("PulseFallingEdge", Qualifier::PulseFalling),
    ("StoredAndTimeDelayed", Qualifier::StoredDelayed),
    ("StoredTimeDelayed", Qualifier::StoredDelayed),
    ("DelayedAndStored", Qualifier::DelayedStored),
    ("TimeDelayedStored", Qualifier::DelayedStored),
    ("StoredAndTimeLimited", Qualifier::StoredLimited),
    ("StoredTimeLimited", Qualifier::StoredLimited),
];

impl Reader {
    /// Reads the chart of a routine and follows its lines.
    pub(super) fn sequence(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Result<Sequence, Gap> {
        let mut contents = routine.children_named("SFCContent");
        let content = contents.next().ok_or(("chart without content", routine.tag_span()))?;
        let is_edited = |e: Element<'_>| attribute(e, "OnlineEditType").is_some_and(|ty| ty != "Original");
        if contents.next().is_some() || is_edited(content) {
            return Err(("chart with pending edits", content.tag_span()));
        }
        let mut sequence = Sequence { steps: Vec::new(), stops: Vec::new(), transitions: Vec::new(), span: content.tag_span() };
        let mut lines = Lines::default();
        let mut places = BTreeMap::new();
        for element in content.children() {
            let span = element.tag_span();
            if attribute(element, "Force").is_some() {
                return Err(("force of a chart", span));
            }
            match element.name() {
                "Step" => {
                    lines.add(element, Node::Step(sequence.steps.len()))?;
                    sequence.steps.push(self.step(element, scope)?);
                }
                "Transition" => {
                    lines.add(element, Node::Transition(sequence.transitions.len()))?;
                    let condition = element.child("Condition").and_then(|e| self.condition(e, scope));
                    let condition = condition.ok_or(("condition of a transition that is no expression", span))?;
                    let x = element.parsed::<i64>("X").unwrap_or(0);
                    places.insert(sequence.transitions.len(), x);
                    let name = operand(element);
                    let (from, to) = (Vec::new(), Vec::new());
                    sequence.transitions.push(Transition { name, condition, from, to, span });
                }
                "Stop" => {
                    lines.add(element, Node::Stop(sequence.stops.len()))?;
                    sequence.stops.push(tag(element, "SFC_STOP", scope)?);
                }
                "Branch" => lines.branch(element)?,
                "DirectedLink" => lines.link(element)?,
                "TextBox" | "Attachment" | "Description" => {}
                _ => return Err(("element of a chart that is not known", span)),
            }
        }
        lines.follow(&mut sequence, &places)?;
        Ok(sequence)
    }

    fn step(&mut self, element: Element<'_>, scope: &Scope<'_>) -> Result<Step, Gap> {
        let span = element.tag_span();
        let is_on = |name: &str| attribute(element, name).as_deref() == Some("true");
        if ["PresetUsesExpr", "LimitHighUsesExpr", "LimitLowUsesExpr"].into_iter().any(is_on) {
            return Err(("step with a time from an expression", span));
        }
        let name = tag(element, "SFC_STEP", scope)?;
        let actions = element.children_named("Action").map(|action| self.action(action, scope));
        let actions = actions.collect::<Result<Vec<_>, _>>()?;
        Ok(Step { name, is_initial: is_on("InitialStep"), actions, span })
    }

    fn action(&mut self, element: Element<'_>, scope: &Scope<'_>) -> Result<Action, Gap> {
        let span = element.tag_span();
        let is_on = |name: &str| attribute(element, name).as_deref() == Some("true");
        if is_on("PresetUsesExpr") {
            return Err(("action with a time from an expression", span));
        }
        let name = tag(element, "SFC_ACTION", scope)?;
        let qualifier = match attribute(element, "Qualifier") {
            None => Qualifier::NonStored,
            Some(word) => {
                let row = QUALIFIERS.iter().find(|(known, _)| *known == word).map(|(_, qualifier)| *qualifier);
                row.or_else(|| Qualifier::of_word(&word)).ok_or(("qualifier of an action that is not known", span))?
            }
        };
        let body = match element.child("Body") {
            Some(body) if !is_on("IsBoolean") => self.action_body(body, scope),
            _ => Vec::new(),
        };
        let body = (!is_on("IsBoolean")).then_some(body);
        Ok(Action { name, qualifier, body, span })
    }
}

/// Returns the operand of an element and its place.
fn operand(element: Element<'_>) -> Option<Ident> {
    let operand = element.filled("Operand")?;
    Some(Ident::new(operand.text.trim(), operand.span))
}

/// Returns the tag of an element.
fn tag(element: Element<'_>, ty: &str, scope: &Scope<'_>) -> Result<Ident, Gap> {
    let name = operand(element).ok_or(("element of a chart without a tag", element.tag_span()))?;
    let shape = scope.variables.get(&key(&name.text));
    let is_it = shape.is_some_and(|shape| key(&shape.ty) == ty && shape.dimensions.is_empty());
    if is_it && !scope.aliases.contains_key(&key(&name.text)) {
        Ok(name)
    } else {
        Err(("tag of a chart that is not declared as such", name.span))
    }
}
