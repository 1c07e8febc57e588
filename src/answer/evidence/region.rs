//! What happens between two cut points, edge by edge, as SMT-LIB definitions: the certificate's own reading of a CFA.
//!
//! Static single assignment along the acyclic region behind a cut point: each location has a truth value "the path
//! comes here" and knows what each variable is there. At most one outgoing edge of a location is taken (a free
//! choice where several are possible), so the taken edges are exactly one path, and the formulas are satisfiable
//! if and only if the path is feasible. Shares nothing with the large-block encoding that engines use.
//!
//! Source: Barnett, Leino, "Weakest-precondition of unstructured programs", PASTE 2005, doi:10.1145/1108792.1108813 (§3, passive form).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::inductive::Rejected;
use super::smtlib::{Names, Script, Text, literal};
use kernel::cfa::{Block, Cfa, EdgeId, LocId, Op};
use kernel::expr::{Expr, ExprPool, Sort};

/// A CFA with the locations that cut its loops.
pub(super) struct Regions<'a> {
    pub(super) pool: &'a ExprPool,
    pub(super) cfa: &'a Cfa,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    cuts: BTreeSet<LocId>,
}

/// The path arrives at a location.
#[derive(Clone)]
pub(super) struct Arrival {
    /// Whether it does.
    pub(super) reached: Text,
    /// What the variables are then.
    pub(super) names: Names,
}

impl<'a> Regions<'a> {
    /// Fails if a loop of the CFA has no cut point.
    pub(super) fn new(pool: &'a ExprPool, cfa: &'a Cfa, cuts: BTreeSet<LocId>) -> Result<Regions<'a>, Rejected> {
        let regions = Regions { pool, cfa, successors: cfa.successors(), cuts };
        for start in std::iter::once(cfa.init).chain(regions.cuts.iter().copied()) {
            regions.order(start)?;
        }
        Ok(regions)
    }

    /// Symbols for an arbitrary state.
    pub(super) fn any_state(&self, script: &mut Script) -> Names {
        Rc::new(self.cfa.vars.iter().map(|var| (*var, script.declare(&self.name(*var), self.sort(*var)))).collect())
    }

    /// The state at the start of a run: initial values, anything where there is none.
    pub(super) fn initial_state(&self, script: &mut Script) -> Names {
        let value = |script: &mut Script, var| match self.cfa.initial.get(&var) {
            Some(value) => literal(*value).into(),
            None => script.declare(&self.name(var), self.sort(var)),
        };
        Rc::new(self.cfa.vars.iter().map(|var| (*var, value(script, *var))).collect())
    }

    /// Follows the edges from `start` to the next cut points and the error location.
    ///
    /// Cost: one definition per edge, assignment and variable that differs at a join.
    pub(super) fn walk(&self, script: &mut Script, start: LocId, names: Names) -> Result<BTreeMap<LocId, Arrival>, Rejected> {
        let mut arrivals: BTreeMap<LocId, Vec<Arrival>> = BTreeMap::new();
        let mut ends = BTreeMap::new();
        for loc in self.order(start)? {
            let here = if loc == start {
                Arrival { reached: "true".into(), names: names.clone() }
            } else {
                let Some(incoming) = arrivals.remove(&loc) else { continue };
                self.join(script, loc, incoming)
            };
            if loc != start && self.ends(loc) {
                ends.insert(loc, here);
            } else {
                for (edge, arrival) in self.leave(script, loc, here)? {
                    arrivals.entry(self.cfa.edges[edge].target).or_default().push(arrival);
                }
            }
        }
        // A loop of one region: the path comes back to where it started.
        if let Some(incoming) = arrivals.remove(&start) {
            let back = self.join(script, start, incoming);
            ends.insert(start, back);
        }
        Ok(ends)
    }

    fn ends(&self, loc: LocId) -> bool {
        loc == self.cfa.error || self.cuts.contains(&loc)
    }

    fn name(&self, var: kernel::expr::VarId) -> String {
        self.pool.var_decl(var).name.clone()
    }

    fn sort(&self, var: kernel::expr::VarId) -> Sort {
        self.pool.var_decl(var).sort
    }

    /// The region behind `start` in topological order, `start` first, ends included.
    fn order(&self, start: LocId) -> Result<Vec<LocId>, Rejected> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Open,
            Done,
        }
        let mut visits: BTreeMap<LocId, Visit> = BTreeMap::new();
        let mut postorder = Vec::new();
        let mut stack = vec![(start, 0)];
        visits.insert(start, Visit::Open);
        while let Some((loc, next)) = stack.pop() {
            let outgoing: &[EdgeId] = if loc != start && self.ends(loc) { &[] } else { &self.successors[loc] };
            let Some(edge) = outgoing.get(next) else {
                visits.insert(loc, Visit::Done);
                postorder.push(loc);
                continue;
            };
            stack.push((loc, next + 1));
            let target = self.cfa.edges[*edge].target;
            match visits.get(&target) {
                None => {
                    visits.insert(target, Visit::Open);
                    stack.push((target, 0));
                }
                Some(Visit::Done) => {}
                Some(Visit::Open) if target == start && self.ends(start) => {}
                Some(Visit::Open) => return Err(Rejected::Malformed(format!("the loop through {target} has no cut point"))),
            }
        }
        postorder.reverse();
        Ok(postorder)
    }

    /// One path of several comes to `loc`: at most one `reached` is true.
    fn join(&self, script: &mut Script, loc: LocId, mut incoming: Vec<Arrival>) -> Arrival {
        if incoming.len() == 1 {
            return incoming.remove(0);
        }
        let any: Vec<&str> = incoming.iter().map(|a| a.reached.as_ref()).collect();
        let reached = script.define(&format!("reach {loc}"), Sort::Bool, &format!("(or {})", any.join(" ")));
        let mut names = incoming[0].names.clone();
        for var in &self.cfa.vars {
            let first = &incoming[0].names[var];
            if incoming.iter().all(|a| a.names[var] == *first) {
                continue;
            }
            // The last one is the value if no other edge was taken; where the path does not come here it does not matter.
            let mut value = incoming[incoming.len() - 1].names[var].to_string();
            for arrival in incoming[..incoming.len() - 1].iter().rev() {
                if *arrival.names[var] != *value {
                    value = script
                        .define("t", self.sort(*var), &format!("(ite {} {} {value})", arrival.reached, arrival.names[var]))
                        .to_string();
                }
            }
            Rc::make_mut(&mut names).insert(*var, value.into());
        }
        Arrival { reached, names }
    }

    /// Takes at most one of the edges that leave `loc`.
    fn leave(&self, script: &mut Script, loc: LocId, here: Arrival) -> Result<Vec<(EdgeId, Arrival)>, Rejected> {
        let edges = &self.successors[loc];
        let exclusive = match edges.as_slice() {
            [] | [_] => true,
            [a, b] => self.complementary(*a, *b),
            [..] => false,
        };
        let mut result = Vec::with_capacity(edges.len());
        let mut rest = here.reached;
        for (i, edge) in edges.iter().enumerate() {
            let mut reached = rest.clone();
            if !exclusive && i + 1 < edges.len() {
                let choice = script.declare(&format!("choose {edge}"), Sort::Bool);
                reached = script.define(&format!("take {edge}"), Sort::Bool, &format!("(and {rest} {choice})"));
                rest = script.define(&format!("rest {loc}"), Sort::Bool, &format!("(and {rest} (not {choice}))"));
            }
            result.push((*edge, self.follow(script, *edge, Arrival { reached, names: here.names.clone() })?));
        }
        Ok(result)
    }

    /// Whether the guards of two edges are `g` and `¬g`, literally.
    fn complementary(&self, a: EdgeId, b: EdgeId) -> bool {
        let (Op::Assume(a), Op::Assume(b)) = (&self.cfa.edges[a].op, &self.cfa.edges[b].op) else { return false };
        self.pool.expr(*a) == Expr::Not(*b) || self.pool.expr(*b) == Expr::Not(*a)
    }

    fn follow(&self, script: &mut Script, edge: EdgeId, from: Arrival) -> Result<Arrival, Rejected> {
        let Arrival { reached, mut names } = from;
        match &self.cfa.edges[edge].op {
            Op::Skip => Ok(Arrival { reached, names }),
            Op::Assume(guard) => {
                let guard = script.expr(self.pool, *guard, &names)?;
                Ok(Arrival { reached: self.and(script, edge, &reached, &guard), names })
            }
            Op::Assign(var, value) => {
                let value = script.expr(self.pool, *value, &names)?;
                self.write(&mut names, *var, value)?;
                Ok(Arrival { reached, names })
            }
            Op::Havoc(var) => {
                let value = script.declare(&self.name(*var), self.sort(*var));
                self.write(&mut names, *var, value)?;
                Ok(Arrival { reached, names })
            }
            Op::Block(block) => self.block(script, edge, block, Arrival { reached, names }),
        }
    }

    fn block(&self, script: &mut Script, edge: EdgeId, block: &Block, from: Arrival) -> Result<Arrival, Rejected> {
        let mut inside = from.names.clone();
        for input in &block.inputs {
            let value = script.declare(&self.name(input.var), self.sort(input.var));
            Rc::make_mut(&mut inside).insert(input.var, value);
        }
        let guard = script.expr(self.pool, block.guard, &inside)?;
        let mut names = from.names;
        for (var, value) in &block.updates {
            let value = script.expr(self.pool, *value, &inside)?;
            self.write(&mut names, *var, value)?;
        }
        Ok(Arrival { reached: self.and(script, edge, &from.reached, &guard), names })
    }

    fn and(&self, script: &mut Script, edge: EdgeId, reached: &Text, guard: &Text) -> Text {
        match (reached.as_ref(), guard.as_ref()) {
            (_, "true") => reached.clone(),
            ("true", _) => guard.clone(),
            _ => script.define(&format!("take {edge}"), Sort::Bool, &format!("(and {reached} {guard})")),
        }
    }

    fn write(&self, names: &mut Names, var: kernel::expr::VarId, value: Text) -> Result<(), Rejected> {
        if !names.contains_key(&var) {
            return Err(Rejected::Malformed(format!("`{}` is assigned but is not a variable of the model", self.name(var))));
        }
        Rc::make_mut(names).insert(var, value);
        Ok(())
    }
}
