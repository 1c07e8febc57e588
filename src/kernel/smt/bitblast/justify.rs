//! Justification: latches that make a gate TRUE. A state and inputs are reduced to a cube of states for which
//! the same inputs give the same result. Cheaper than a solver, and nearly as good.
//!
//! Source: Ravi, Somenzi, "Minimal assignments for bounded model checking", TACAS 2004, doi:10.1007/978-3-540-24730-2_3
//! (justification); Eén, Mishchenko, Brayton, "Efficient implementation of property directed reachability", FMCAD 2011, §III-B,
//! whose ternary simulation it stands for.

use super::aig::{Gate, Lit};
use super::circuit::{Circuit, Role, StateLit};

/// Work space of [`Circuit::justify`], kept between calls.
#[derive(Default)]
pub struct Justifier {
    /// By node: when it was computed last, its value, and about how many latches it needs.
    known: Vec<(u32, bool, u32)>,
    marked: Vec<u32>,
    round: u32,
}

/// Question to be justified.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// The step is a violation.
    Bad,
    /// The step is possible and leads into the cube.
    Into(&'a [StateLit]),
}

impl Justifier {
    fn value(&self, l: Lit) -> bool {
        self.known[l.node()].1 ^ l.negated()
    }
    fn cost(&self, l: Lit) -> u32 {
        self.known[l.node()].2
    }
}

impl Circuit {
    fn roots(&self, goal: Goal<'_>) -> Vec<Lit> {
        match goal {
            Goal::Bad => vec![self.bad],
            Goal::Into(cube) => {
                cube.iter().map(|l| self.latches[l.latch()].next.flip_if(!l.value())).chain([self.guard]).collect()
            }
        }
    }

    /// Latches whose values suffice for the goal with these inputs, ascending; `None` if the goal is not reached (which a
    /// model of it excludes).
    ///
    /// Cost: linear in the gates below the goal.
    pub fn justify(
        &self,
        work: &mut Justifier,
        goal: Goal<'_>,
        latch: impl Fn(usize) -> bool,
        input: impl Fn(usize) -> bool,
    ) -> Option<Vec<StateLit>> {
        let aig = &self.blaster.aig;
        if work.known.len() < aig.len() {
            work.known.resize(aig.len(), (0, false, 0));
            work.marked.resize(aig.len(), 0);
        }
        work.round += 1;
        let round = work.round;
        let roots = self.roots(goal);
        let mut stack: Vec<usize> = roots.iter().map(|l| l.node()).collect();
        while let Some(&node) = stack.last() {
            if work.known[node].0 == round {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let gate = aig.gate(node);
            match gate {
                Gate::False | Gate::Input => {}
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    stack.extend([a, b].iter().map(|l| l.node()).filter(|n| work.known[*n].0 != round));
                }
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => {
                    stack.extend([a, b, c].iter().map(|l| l.node()).filter(|n| work.known[*n].0 != round));
                }
            }
            if before < stack.len() {
                continue;
            }
            let (value, cost) = match gate {
                Gate::False => (false, 0),
                Gate::Input => match self.role(node) {
                    Some(Role::Latch(i)) => (latch(i), 1),
                    Some(Role::Input(i)) => (input(i), 0),
                    None => (false, 0),
                },
                Gate::And(a, b) => match (work.value(a), work.value(b)) {
                    (true, true) => (true, work.cost(a).saturating_add(work.cost(b))),
                    (false, true) => (false, work.cost(a)),
                    (true, false) => (false, work.cost(b)),
                    (false, false) => (false, work.cost(a).min(work.cost(b))),
                },
                Gate::Xor(a, b) => (work.value(a) ^ work.value(b), work.cost(a).saturating_add(work.cost(b))),
                Gate::Mux(c, a, b) => {
                    let taken = if work.value(c) { a } else { b };
                    (work.value(taken), work.cost(c).saturating_add(work.cost(taken)))
                }
                Gate::Maj(a, b, c) => {
                    let value = [a, b, c].iter().filter(|l| work.value(**l)).count() >= 2;
                    let mut costs: Vec<u32> =
                        [a, b, c].iter().filter(|l| work.value(**l) == value).map(|l| work.cost(*l)).collect();
                    costs.sort_unstable();
                    (value, costs[0].saturating_add(costs[1]))
                }
            };
            work.known[node] = (round, value, cost);
            stack.pop();
        }
        if roots.iter().any(|l| !work.value(*l)) {
            return None;
        }
        let mut cube = Vec::new();
        let mut open: Vec<usize> = roots.iter().map(|l| l.node()).collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut work.marked[node], round) == round {
                continue;
            }
            // What is needed already costs nothing.
            let price = |l: Lit| if work.marked[l.node()] == round { 0 } else { work.cost(l).saturating_add(1) };
            match aig.gate(node) {
                Gate::False => {}
                Gate::Input => {
                    if let Some(Role::Latch(i)) = self.role(node) {
                        cube.push(StateLit::new(i, work.known[node].1));
                    }
                }
                Gate::And(a, b) => match (work.value(a), work.value(b)) {
                    (true, true) => open.extend([a.node(), b.node()]),
                    (false, true) => open.push(a.node()),
                    (true, false) => open.push(b.node()),
                    (false, false) => open.push(if price(a) <= price(b) { a.node() } else { b.node() }),
                },
                Gate::Xor(a, b) => open.extend([a.node(), b.node()]),
                Gate::Mux(c, a, b) => {
                    let taken = if work.value(c) { a } else { b };
                    // Where both branches agree the condition does not matter.
                    let both = price(a).saturating_add(price(b));
                    if work.value(a) == work.value(b) && both < price(c).saturating_add(price(taken)) {
                        open.extend([a.node(), b.node()]);
                    } else {
                        open.extend([c.node(), taken.node()]);
                    }
                }
                Gate::Maj(a, b, c) => {
                    let mut agree: Vec<Lit> = [a, b, c].into_iter().filter(|l| work.value(*l) == work.known[node].1).collect();
                    agree.sort_by_key(|l| price(*l));
                    open.extend(agree.iter().take(2).map(|l| l.node()));
                }
            }
        }
        cube.sort_unstable();
        Some(cube)
    }
}
