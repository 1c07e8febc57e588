//! Gates as clauses (Tseitin), on demand and once each.
//!
//! **Invariant:** clauses of gates are definitions: they restrict no input, so they may outlive the assertion that needed them.

use super::aig::{Aig, Gate, Lit};
use super::sat::{SatLit, SatSolver};

/// Longest clause of a flattened chain of conjunctions.
const LONGEST: usize = 64;

/// The clauses so far, in a SAT solver.
pub(super) struct Cnf<S> {
    pub(super) sat: S,
    /// Variable of each node, plus 1; 0 if it has none.
    of_node: Vec<u32>,
    pending: Vec<usize>,
    leaves: Vec<Lit>,
    clause: Vec<SatLit>,
}

impl<S: SatSolver> Cnf<S> {
    pub(super) fn new(sat: S) -> Cnf<S> {
        Cnf { sat, of_node: Vec::new(), pending: Vec::new(), leaves: Vec::new(), clause: Vec::new() }
    }
    /// Returns the existing literal of a gate.
    pub(super) fn existing(&self, l: Lit) -> Option<SatLit> {
        let var = self.of_node.get(l.node()).copied().unwrap_or(0);
        (var != 0).then(|| SatLit(2 * (var - 1) + u32::from(l.negated())))
    }
    /// Returns the literal of a gate, and adds its definition with all it needs.
    pub(super) fn literal(&mut self, aig: &Aig, l: Lit) -> SatLit {
        let literal = self.reserve(aig, l);
        while let Some(node) = self.pending.pop() {
            self.define(aig, node);
        }
        literal
    }
    /// Returns the literal of a gate, whose definition may be pending.
    fn reserve(&mut self, aig: &Aig, l: Lit) -> SatLit {
        if let Some(literal) = self.existing(l) {
            return literal;
        }
        if self.of_node.len() < aig.len() {
            self.of_node.resize(aig.len(), 0);
        }
        // Decisions on gates with several uses pay: without them proofs about products are 10 times longer. Decisions on others
        // only cost: without them queries with a model are twice as fast.
        let decide = aig.gate(l.node()) == Gate::Input || !aig.is_unshared(l.node());
        let positive = self.sat.new_var(decide);
        self.of_node[l.node()] = positive.0 / 2 + 1;
        self.pending.push(l.node());
        SatLit(positive.0 + u32::from(l.negated()))
    }
    fn define(&mut self, aig: &Aig, node: usize) {
        let Some(n) = self.existing(Lit::of_node(node)) else { return };
        match aig.gate(node) {
            Gate::Input => {}
            Gate::False => self.sat.add(&[!n]),
            Gate::And(a, b) => {
                let leaves = self.conjuncts(aig, [a, b]);
                self.clause.clear();
                self.clause.push(n);
                for &leaf in &leaves {
                    let leaf = self.reserve(aig, leaf);
                    self.sat.add(&[!n, leaf]);
                    self.clause.push(!leaf);
                }
                self.sat.add(&self.clause);
                self.leaves = leaves;
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.reserve(aig, a), self.reserve(aig, b));
                for clause in [[!n, a, b], [!n, !a, !b], [n, !a, b], [n, a, !b]] {
                    self.sat.add(&clause);
                }
            }
            Gate::Mux(c, a, b) => {
                let (c, a, b) = (self.reserve(aig, c), self.reserve(aig, a), self.reserve(aig, b));
                // The last two follow from the others, but propagate a value before the condition is known.
                for clause in [[!c, !a, n], [!c, a, !n], [c, !b, n], [c, b, !n], [!a, !b, n], [a, b, !n]] {
                    self.sat.add(&clause);
                }
            }
            Gate::Maj(a, b, c) => {
                let (a, b, c) = (self.reserve(aig, a), self.reserve(aig, b), self.reserve(aig, c));
                for clause in [[!a, !b, n], [!a, !c, n], [!b, !c, n], [a, b, !n], [a, c, !n], [b, c, !n]] {
                    self.sat.add(&clause);
                }
            }
        }
    }
    /// Returns the operands of a chain of conjunctions without other uses.
    fn conjuncts(&mut self, aig: &Aig, roots: [Lit; 2]) -> Vec<Lit> {
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.clear();
        leaves.extend(roots);
        let mut at = 0;
        while at < leaves.len() {
            let l = leaves[at];
            match aig.gate(l.node()) {
                Gate::And(a, b)
                    if !l.negated() && leaves.len() < LONGEST && aig.is_unshared(l.node()) && self.existing(l).is_none() =>
                {
                    leaves[at] = a;
                    leaves.push(b);
                }
                Gate::And(..) | Gate::False | Gate::Input | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => at += 1,
            }
        }
        leaves
    }
    /// Asserts a gate, in the scope of `guard` if there is one: conjunctions become many clauses and disjunctions one.
    pub(super) fn assert(&mut self, aig: &Aig, l: Lit, guard: Option<SatLit>) {
        let mut all = vec![l];
        while let Some(l) = all.pop() {
            if l == Lit::TRUE {
                continue;
            }
            let mut clause: Vec<SatLit> = guard.iter().map(|&g| !g).collect();
            if l != Lit::FALSE {
                match aig.gate(l.node()) {
                    Gate::And(a, b) if self.existing(l).is_none() => {
                        if !l.negated() {
                            all.extend([a, b]);
                            continue;
                        }
                        let leaves = self.conjuncts(aig, [a, b]);
                        for &leaf in &leaves {
                            clause.push(!self.literal(aig, leaf));
                        }
                        self.leaves = leaves;
                    }
                    Gate::And(..) | Gate::False | Gate::Input | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                        clause.push(self.literal(aig, l));
                    }
                }
            }
            self.sat.add(&clause);
        }
    }
}
