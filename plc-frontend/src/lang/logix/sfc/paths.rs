//! Lines of a chart: the steps before and behind each transition.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gap, Sequence};
use crate::lang::logix::attribute;
use crate::lang::xml::Element;
use crate::text::Span;

/// Element with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Step(usize),
    Transition(usize),
    Stop(usize),
    Branch(usize),
    /// Leg of a branch.
    Leg(usize),
}

/// A line between steps and transitions with several legs.
struct Branch {
    id: u64,
    legs: Vec<u64>,
    is_simultaneous: bool,
    is_user_ordered: bool,
    span: Span,
}

/// Elements and lines by numbers.
#[derive(Default)]
pub(super) struct Lines {
    nodes: BTreeMap<u64, Node>,
    branches: Vec<Branch>,
    /// From element to element.
    links: Vec<(u64, u64, Span)>,
}

/// Words for lines that lead to the wrong kind of element.
const WRONG: &str = "line of a chart between elements that it cannot join";

impl Lines {
    pub(super) fn add(&mut self, element: Element<'_>, node: Node) -> Result<(), Gap> {
        let id = element.parsed::<u64>("ID").ok_or(("element of a chart without a number", element.tag_span()))?;
        match self.nodes.insert(id, node) {
            None => Ok(()),
            Some(_) => Err(("number of several elements of a chart", element.tag_span())),
        }
    }

    pub(super) fn branch(&mut self, element: Element<'_>) -> Result<(), Gap> {
        let span = element.tag_span();
        let at = self.branches.len();
        self.add(element, Node::Branch(at))?;
        let mut legs = Vec::new();
        for leg in element.children_named("Leg") {
            if attribute(leg, "Force").is_some() {
                return Err(("force of a chart", leg.tag_span()));
            }
            self.add(leg, Node::Leg(at))?;
            legs.extend(leg.parsed::<u64>("ID"));
        }
        let is_simultaneous = match attribute(element, "BranchType").as_deref() {
            Some("Simultaneous") => true,
            Some("Selection") => false,
            _ => return Err(("branch of a chart that is not known", span)),
        };
        let is_user_ordered = attribute(element, "Priority").is_some_and(|priority| priority != "Default");
        let id = element.parsed::<u64>("ID").unwrap_or_default();
        self.branches.push(Branch { id, legs, is_simultaneous, is_user_ordered, span });
        Ok(())
    }

    pub(super) fn link(&mut self, element: Element<'_>) -> Result<(), Gap> {
        let ends = element.parsed::<u64>("FromID").zip(element.parsed::<u64>("ToID"));
        let (from, to) = ends.ok_or(("line of a chart without ends", element.tag_span()))?;
        self.links.push((from, to, element.tag_span()));
        Ok(())
    }

    /// Fills in the steps around each transition, and orders the transitions.
    ///
    /// Soundness: whatever is not surely a chart of steps and transitions that take turns is a gap.
    pub(super) fn follow(&self, sequence: &mut Sequence, places: &BTreeMap<usize, i64>) -> Result<(), Gap> {
        self.check(sequence)?;
        let mut ranks = BTreeMap::new();
        for (id, node) in &self.nodes {
            match node {
                Node::Step(step) => {
                    let step = &sequence.steps[*step];
                    let ends = self.ends(*id, false, step.span)?;
                    for (rank, end) in ends.iter().enumerate() {
                        let Node::Transition(at) = end else { return Err((WRONG, step.span)) };
                        ranks.entry(*at).or_insert(rank);
                        sequence.transitions[*at].from.push(step.name.clone());
                    }
                    let xs: Vec<_> = ends.iter().filter_map(|end| places.get(&transition_of(*end)?)).collect();
                    if !xs.is_sorted() {
                        return Err(("selection branch whose legs are not in the order of the drawing", step.span));
                    }
                }
                Node::Transition(at) => {
                    let transition = &mut sequence.transitions[*at];
                    for end in self.ends(*id, true, transition.span)? {
                        transition.to.push(match end {
                            Node::Step(step) => sequence.steps[step].name.clone(),
                            Node::Stop(stop) => sequence.stops[stop].clone(),
                            Node::Transition(_) | Node::Branch(_) | Node::Leg(_) => return Err((WRONG, transition.span)),
                        });
                    }
                }
                Node::Stop(_) | Node::Branch(_) | Node::Leg(_) => {}
            }
        }
        for transition in &sequence.transitions {
            if transition.from.is_empty() || transition.to.is_empty() {
                return Err(("transition of a chart with a loose end", transition.span));
            }
        }
        let mut order: Vec<_> = std::mem::take(&mut sequence.transitions).into_iter().enumerate().collect();
        order.sort_by_key(|(at, _)| (places.get(at).copied(), ranks.get(at).copied(), *at));
        sequence.transitions = order.into_iter().map(|(_, transition)| transition).collect();
        Ok(())
    }

    /// Checks the parts of a chart one by one.
    fn check(&self, sequence: &Sequence) -> Result<(), Gap> {
        let mut initial = sequence.steps.iter().filter(|step| step.is_initial);
        if initial.next().is_none() || initial.next().is_some() {
            return Err(("chart without exactly one initial step", sequence.span));
        }
        let mut names = BTreeSet::new();
        for name in sequence.steps.iter().map(|step| &step.name).chain(&sequence.stops) {
            if !names.insert(crate::lang::logix::key(&name.text)) {
                return Err(("tag of several elements of a chart", name.span));
            }
        }
        for (from, to, span) in &self.links {
            if !self.nodes.contains_key(from) || !self.nodes.contains_key(to) {
                return Err(("line of a chart with a loose end", *span));
            }
        }
        for branch in &self.branches {
            if branch.is_user_ordered {
                return Err(("selection branch with priorities of its own", branch.span));
            }
            let count = |id: &u64| self.links.iter().filter(|(from, to, _)| from == id || to == id).count();
            if branch.legs.is_empty() || branch.legs.iter().chain([&branch.id]).any(|id| count(id) != 1) {
                return Err(("branch of a chart with a loose end", branch.span));
            }
        }
        // Only a branch joins several steps before a transition, or several transitions behind a step.
        for (id, node) in &self.nodes {
            let n_in = self.links.iter().filter(|(_, to, _)| to == id).count();
            let n_out = self.links.iter().filter(|(from, ..)| from == id).count();
            let is_wrong = match node {
                Node::Step(_) => 1 < n_out,
                Node::Transition(_) => 1 < n_out || 1 < n_in,
                Node::Stop(_) => 0 < n_out,
                Node::Branch(_) | Node::Leg(_) => false,
            };
            if is_wrong {
                return Err(("several lines of a chart at one element, without a branch", sequence.span));
            }
        }
        Ok(())
    }

    /// Returns the steps, stops and transitions that the lines behind an element reach, in the order of legs.
    ///
    /// Behind a step a selection branch divides and a simultaneous one joins; behind a transition it is the other way round.
    fn ends(&self, start: u64, is_transition: bool, span: Span) -> Result<Vec<Node>, Gap> {
        let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![start]);
        while let Some(id) = open.pop() {
            let next: Vec<u64> = self.links.iter().filter(|(from, ..)| *from == id).map(|(_, to, _)| *to).collect();
            let mut behind = Vec::new();
            for to in next {
                let Some(node) = self.nodes.get(&to) else { return Err((WRONG, span)) };
                let (Node::Branch(at) | Node::Leg(at)) = node else {
                    found.push(*node);
                    continue;
                };
                let branch = &self.branches[*at];
                let divides = matches!(node, Node::Branch(_));
                if branch.is_simultaneous != (divides == is_transition) || !seen.insert(to) {
                    return Err((WRONG, branch.span));
                }
                if divides {
                    behind.extend(&branch.legs);
                } else {
                    behind.push(branch.id);
                }
            }
            behind.reverse();
            open.extend(behind);
        }
        Ok(found)
    }
}

fn transition_of(node: Node) -> Option<usize> {
    if let Node::Transition(at) = node { Some(at) } else { None }
}
