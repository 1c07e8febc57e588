//! Justification: latches that make a gate TRUE. A state and inputs are reduced to a cube of states with the same result for the
//! same inputs. Cheaper than a solver, and nearly as good.
//!
//! Source: Ravi, Somenzi, "Minimal assignments for bounded model checking", TACAS 2004, doi:10.1007/978-3-540-24730-2_3
//! (justification); Eén, Mishchenko, Brayton, "Efficient implementation of property directed reachability", FMCAD 2011, §III-B,
//! whose ternary simulation it replaces.

use super::aig::{Gate, Lit};
use super::circuit::{Circuit, Role, StateLit};

/// Work space of [`Circuit::justify`], kept between calls.
#[derive(Default)]
pub struct Justifier {
    /// By node: the round of its last computation, its value, and roughly the number of latches that it needs.
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
    fn is_known(&self, node: usize) -> bool {
        self.known[node].0 == self.round
    }
    /// Begins a round over a graph of `n_nodes`.
    fn begin(&mut self, n_nodes: usize) {
        if self.known.len() < n_nodes {
            self.known.resize(n_nodes, (0, false, 0));
            self.marked.resize(n_nodes, 0);
        }
        self.round += 1;
    }
    /// Returns the value and the cost of a gate by those of its operands.
    fn gate(&self, gate: Gate) -> (bool, u32) {
        match gate {
            Gate::False | Gate::Input => (false, 0),
            Gate::And(a, b) => match (self.value(a), self.value(b)) {
                (true, true) => (true, self.cost(a).saturating_add(self.cost(b))),
                (false, true) => (false, self.cost(a)),
                (true, false) => (false, self.cost(b)),
                (false, false) => (false, self.cost(a).min(self.cost(b))),
            },
            Gate::Xor(a, b) => (self.value(a) ^ self.value(b), self.cost(a).saturating_add(self.cost(b))),
            Gate::Mux(c, a, b) => {
                let taken = if self.value(c) { a } else { b };
                (self.value(taken), self.cost(c).saturating_add(self.cost(taken)))
            }
            Gate::Maj(a, b, c) => {
                let value = [a, b, c].iter().filter(|l| self.value(**l)).count() >= 2;
                let mut costs: Vec<u32> = [a, b, c].iter().filter(|l| self.value(**l) == value).map(|l| self.cost(*l)).collect();
                costs.sort_unstable();
                (value, costs[0].saturating_add(costs[1]))
            }
        }
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

    /// Returns latches whose values suffice for the goal with these inputs, ascending; `None` if the goal is not reached
    /// (impossible for a model of it).
    ///
    /// Cost: linear in the gates below the goal.
    pub fn justify(
        &self,
        work: &mut Justifier,
        goal: Goal<'_>,
        latch: impl Fn(usize) -> bool,
        input: impl Fn(usize) -> bool,
    ) -> Option<Vec<StateLit>> {
        work.begin(self.blaster.aig.len());
        let roots = self.roots(goal);
        self.evaluate(work, &roots, latch, input);
        if roots.iter().any(|l| !work.value(*l)) {
            return None;
        }
        Some(self.cube(work, &roots))
    }

    /// Computes the value and the cost of each gate below the roots.
    fn evaluate(&self, work: &mut Justifier, roots: &[Lit], latch: impl Fn(usize) -> bool, input: impl Fn(usize) -> bool) {
        let aig = &self.blaster.aig;
        let mut stack: Vec<usize> = roots.iter().map(|l| l.node()).collect();
        while let Some(&node) = stack.last() {
            if work.is_known(node) {
                stack.pop();
                continue;
            }
            let (before, gate) = (stack.len(), aig.gate(node));
            match gate {
                Gate::False | Gate::Input => {}
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    stack.extend([a, b].iter().map(|l| l.node()).filter(|n| !work.is_known(*n)));
                }
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => {
                    stack.extend([a, b, c].iter().map(|l| l.node()).filter(|n| !work.is_known(*n)));
                }
            }
            if before < stack.len() {
                continue;
            }
            let (value, cost) = match (gate, self.role(node)) {
                (Gate::Input, Some(Role::Latch(i))) => (latch(i), 1),
                (Gate::Input, Some(Role::Input(i))) => (input(i), 0),
                (_, _) => work.gate(gate),
            };
            work.known[node] = (work.round, value, cost);
            stack.pop();
        }
    }

    /// Returns the cheapest latches that make the roots TRUE.
    fn cube(&self, work: &mut Justifier, roots: &[Lit]) -> Vec<StateLit> {
        let aig = &self.blaster.aig;
        let round = work.round;
        let mut cube = Vec::new();
        let mut open: Vec<usize> = roots.iter().map(|l| l.node()).collect();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut work.marked[node], round) == round {
                continue;
            }
            // A gate that is already needed costs nothing.
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
                    // If both branches agree, the condition does not matter.
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
        cube
    }
}
