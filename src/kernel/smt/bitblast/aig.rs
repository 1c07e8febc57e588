//! The graph of gates: and-inverter graph with exclusive-or, multiplexer and majority as gates of their own, because they have
//! fewer clauses than the equivalent conjunctions.
//!
//! **Invariant:** every gate exists once, its operands are older than it, and the rules here find no gate constant or equal to an
//! operand.

use std::ops::Not;

/// A gate or its negation: `2 * node`, plus 1 if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    /// The constant 0.
    pub(super) const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub(super) const TRUE: Lit = Lit(1);
    /// Returns the constant.
    pub(super) fn constant(b: bool) -> Lit {
        if b { Lit::TRUE } else { Lit::FALSE }
    }
    /// Returns a gate, not negated.
    pub(super) fn of_node(node: usize) -> Lit {
        Lit((node as u32) << 1)
    }
    /// Returns its gate.
    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    /// Returns whether it negates its gate.
    pub(super) fn negated(self) -> bool {
        self.0 & 1 == 1
    }
    /// Returns the literal, negated if `flip`.
    pub(super) fn flip_if(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }
    /// Returns whether it is a constant.
    pub(super) fn is_constant(self) -> bool {
        self.0 < 2
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// The constant 0: node 0 only.
    False,
    /// Free.
    Input,
    /// Conjunction.
    And(Lit, Lit),
    /// Exclusive disjunction.
    Xor(Lit, Lit),
    /// The second operand if the first is 1, the third otherwise.
    Mux(Lit, Lit, Lit),
    /// At least two of three.
    Maj(Lit, Lit, Lit),
}

/// A gate in memory: 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: Kind,
    /// Number of gates that use it, up to 255.
    fanout: u8,
    operands: [Lit; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    False,
    Input,
    And,
    Xor,
    Mux,
    Maj,
}

/// The graph.
#[derive(Clone, Debug)]
pub(super) struct Aig {
    rows: Vec<Row>,
    /// Hash table with open addressing; 0 is empty, because node 0 is never looked up.
    table: Vec<u32>,
}

impl Aig {
    pub(super) fn new() -> Aig {
        let constant = Row { kind: Kind::False, fanout: 0, operands: [Lit::FALSE; 3] };
        Aig { rows: vec![constant], table: vec![0; 1024] }
    }
    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
    /// Returns the kind of a node.
    pub(super) fn gate(&self, node: usize) -> Gate {
        let Row { kind, operands: [a, b, c], .. } = self.rows[node];
        match kind {
            Kind::False => Gate::False,
            Kind::Input => Gate::Input,
            Kind::And => Gate::And(a, b),
            Kind::Xor => Gate::Xor(a, b),
            Kind::Mux => Gate::Mux(a, b, c),
            Kind::Maj => Gate::Maj(a, b, c),
        }
    }
    /// Returns whether at most one gate uses the node.
    pub(super) fn is_unshared(&self, node: usize) -> bool {
        self.rows[node].fanout < 2
    }
    /// Returns the operands of a literal's gate if the literal is an unnegated conjunction.
    fn conjuncts(&self, l: Lit) -> Option<(Lit, Lit)> {
        let row = &self.rows[l.node()];
        (row.kind == Kind::And && !l.negated()).then(|| (row.operands[0], row.operands[1]))
    }
    /// Returns a new free bit.
    pub(super) fn input(&mut self) -> Lit {
        self.push(Kind::Input, [Lit::FALSE; 3])
    }
    fn push(&mut self, kind: Kind, operands: [Lit; 3]) -> Lit {
        let node = self.rows.len() as u32;
        self.rows.push(Row { kind, fanout: 0, operands });
        Lit(node << 1)
    }
    fn find(&self, kind: Kind, operands: [Lit; 3]) -> Result<Lit, usize> {
        let mask = self.table.len() - 1;
        let mut hash = kind as u64;
        for l in operands {
            hash = (hash.rotate_left(21) ^ u64::from(l.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mut at = (hash >> 20) as usize & mask;
        loop {
            match self.table[at] {
                0 => return Err(at),
                node => {
                    let row = &self.rows[node as usize];
                    if row.operands == operands && row.kind == kind {
                        return Ok(Lit(node << 1));
                    }
                }
            }
            at = (at + 1) & mask;
        }
    }
    fn intern(&mut self, kind: Kind, operands: [Lit; 3]) -> Lit {
        match self.find(kind, operands) {
            Ok(l) => l,
            Err(at) => {
                let l = self.push(kind, operands);
                for operand in operands {
                    let fanout = &mut self.rows[operand.node()].fanout;
                    *fanout = fanout.saturating_add(1);
                }
                self.table[at] = l.node() as u32;
                if self.table.len() < 2 * self.rows.len() {
                    self.grow();
                }
                l
            }
        }
    }
    fn grow(&mut self) {
        self.table = vec![0; 4 * self.table.len()];
        for node in 1..self.rows.len() {
            let row = self.rows[node];
            if row.kind != Kind::Input
                && let Err(at) = self.find(row.kind, row.operands)
            {
                self.table[at] = node as u32;
            }
        }
    }
    /// Returns a ∧ b.
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == b || b == Lit::TRUE {
            return a;
        }
        if a == Lit::TRUE {
            return b;
        }
        if a == !b || a == Lit::FALSE || b == Lit::FALSE {
            return Lit::FALSE;
        }
        match self.two_levels(a, b).or_else(|| self.two_levels(b, a)) {
            Some(l) => l,
            None => self.intern(Kind::And, [a.min(b), a.max(b), Lit::FALSE]),
        }
    }
    /// Simplifies the conjunction of `a` with the operands of `b`.
    fn two_levels(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        if let Some((x, y)) = self.conjuncts(b) {
            if a == x || a == y {
                return Some(b);
            }
            if a == !x || a == !y {
                return Some(Lit::FALSE);
            }
            if let Some((u, v)) = self.conjuncts(a)
                && (u == !x || u == !y || v == !x || v == !y)
            {
                return Some(Lit::FALSE);
            }
        } else if let Some((x, y)) = self.conjuncts(!b) {
            // b is ¬x ∨ ¬y.
            if a == !x || a == !y {
                return Some(a);
            }
            if a == x {
                return Some(self.and(a, !y));
            }
            if a == y {
                return Some(self.and(a, !x));
            }
        }
        None
    }
    /// Returns a ∨ b.
    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }
    /// Returns a ⊕ b.
    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.negated() ^ b.negated();
        let (a, b) = (a.flip_if(a.negated()), b.flip_if(b.negated()));
        if a == b {
            return Lit::FALSE.flip_if(flip);
        }
        // The constant without negation is 0.
        if a == Lit::FALSE {
            return b.flip_if(flip);
        }
        if b == Lit::FALSE {
            return a.flip_if(flip);
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = self.gate(b.node()) {
                if a == x {
                    return y.flip_if(flip);
                }
                if a == y {
                    return x.flip_if(flip);
                }
            }
        }
        self.intern(Kind::Xor, [a.min(b), a.max(b), Lit::FALSE]).flip_if(flip)
    }
    /// Returns a ↔ b.
    pub(super) fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }
    /// Returns "if c then a else b".
    pub(super) fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == Lit::TRUE || a == b {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        let (c, a, b) = if c.negated() { (!c, b, a) } else { (c, a, b) };
        if a == !b {
            return self.xor(c, b);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        // The same condition one level below.
        let under = |aig: &Aig, l: Lit, then: bool| match aig.gate(l.node()) {
            Gate::Mux(d, x, y) if d == c => if then { x } else { y }.flip_if(l.negated()),
            Gate::Mux(..) | Gate::False | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Maj(..) => l,
        };
        let below = (under(self, a, true), under(self, b, false));
        if below != (a, b) {
            return self.mux(c, below.0, below.1);
        }
        let flip = a.negated();
        self.intern(Kind::Mux, [c, a.flip_if(flip), b.flip_if(flip)]).flip_if(flip)
    }
    /// Returns "at least two of a, b, c".
    pub(super) fn maj(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut operands = [a, b, c];
        operands.sort_unstable();
        let [a, b, c] = operands;
        // Sorted: equal, complementary and constant operands are neighbours or first.
        if a == Lit::FALSE {
            return self.and(b, c);
        }
        if a == Lit::TRUE {
            return self.or(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let flip = a.negated();
        self.intern(Kind::Maj, operands.map(|l| l.flip_if(flip))).flip_if(flip)
    }
    /// Drops every node that `roots` do not need. Returns the new literals of old nodes.
    pub(super) fn collect(&mut self, roots: impl Iterator<Item = Lit>) -> Renaming {
        let mut live = vec![false; self.rows.len()];
        live[0] = true;
        for root in roots {
            live[root.node()] = true;
        }
        // Operands are older, so one pass from the youngest node finds all.
        for node in (1..self.rows.len()).rev() {
            if live[node] {
                for operand in self.rows[node].operands {
                    live[operand.node()] = true;
                }
            }
        }
        let old = std::mem::replace(self, Aig::new());
        let mut new = vec![None; old.rows.len()];
        new[0] = Some(Lit::FALSE);
        for node in 1..old.rows.len() {
            if !live[node] {
                continue;
            }
            let row = old.rows[node];
            let operands = row.operands.map(|l| new[l.node()].unwrap_or(Lit::FALSE).flip_if(l.negated()));
            new[node] = Some(match row.kind {
                Kind::False => Lit::FALSE,
                Kind::Input => self.input(),
                Kind::And | Kind::Xor | Kind::Mux | Kind::Maj => self.intern(row.kind, operands),
            });
        }
        Renaming(new)
    }
}

/// New literals of the nodes after a collection.
pub(super) struct Renaming(Vec<Option<Lit>>);

impl Renaming {
    /// Returns the new literal; `None` if its node was dropped.
    pub(super) fn apply(&self, l: Lit) -> Option<Lit> {
        Some(self.0[l.node()]?.flip_if(l.negated()))
    }
}
