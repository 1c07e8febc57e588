//! One step of an automaton between cut points, as SMT-LIB definitions.
//!
//! Every cut point is split into a source and a sink. The graph between them is written location by location: a Bool for "the
//! path comes here", and the value of each variable. At most one edge that leaves a location is taken; where guards do not
//! exclude each other literally, a free Bool chooses. So the true Bools are exactly one path.
//!
//! A loop without a cut point is passed within the step: at its head, variables that the loop writes get any value ([`Cut`]).
//!
//! Source: Barnett, Leino, "Weakest-precondition of unstructured programs", PASTE 2005, doi:10.1145/1108792.1108813 (§3, passive form).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::Flaw;
use super::cut::Cut;
use super::predicate::Symbols;
use super::script::{Script, Text};
use super::smtlib::{constant, foreign};
use kernel::cfa::{Cfa, EdgeId, LocId, Op};
use kernel::expr::{BvCmp, Expr, ExprId, ExprPool, IntCmp, Sort, Value, VarId};

/// An automaton whose steps have no loops.
pub(super) struct Automaton<'m> {
    pub(super) pool: &'m ExprPool,
    pub(super) cfa: &'m Cfa,
    pub(super) symbols: Symbols,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// Cut points, without a start that only leads to the head.
    pub(super) places: Vec<LocId>,
    /// Place where runs start.
    pub(super) start: LocId,
    cut: Cut,
    /// Position of each location between places: greater than those of the locations that lead there.
    ranks: IndexVec<LocId, Option<usize>>,
}

/// The values of all variables, in the order of `cfa.vars`.
type Values = Rc<Vec<Text>>;

/// A state at a place.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) values: Values,
    /// The number of the place; `None` where there is only one.
    pub(super) at: Option<Text>,
}

/// Results of a step from a frame.
pub(super) struct Step {
    /// Term: the step arrives at the error location.
    pub(super) violation: Text,
    /// Term: the step arrives at a place.
    pub(super) goes_on: Text,
    /// The state there.
    pub(super) next: Frame,
}

#[derive(Clone)]
struct Arrival {
    reached: Text,
    values: Values,
}

impl<'m> Automaton<'m> {
    /// Ends steps at the head and at `places`; if another loop cannot be passed within a step, at all heads of loops. `None` if
    /// some loop remains.
    pub(super) fn new(pool: &'m ExprPool, cfa: &'m Cfa, places: &BTreeSet<LocId>) -> Option<Automaton<'m>> {
        let successors = cfa.successors();
        let leads_to_head = match successors[cfa.init].as_slice() {
            [edge] => cfa.edges[*edge].target == cfa.head && cfa.edges[*edge].op == Op::Skip,
            [] | [..] => false,
        };
        let start = if leads_to_head { cfa.head } else { cfa.init };
        let few: BTreeSet<LocId> = places.iter().copied().chain([cfa.head]).collect();
        let many: BTreeSet<LocId> = few.iter().copied().chain(super::obligations::loops(cfa)).collect();
        [few, many].into_iter().find_map(|mut places| {
            if leads_to_head {
                places.remove(&cfa.init);
            } else {
                places.insert(cfa.init);
            }
            let cut = Cut::new(cfa, &successors, &places)?;
            let mut ranks: IndexVec<LocId, Option<usize>> = cfa.locs.ids().map(|_| None).collect();
            cut.between().iter().enumerate().for_each(|(rank, loc)| ranks[*loc] = Some(rank));
            let (symbols, places) = (Symbols::new(pool, &cfa.vars), places.into_iter().collect());
            Some(Automaton { pool, cfa, symbols, successors: successors.clone(), places, start, cut, ranks })
        })
    }

    /// Returns whether runs begin at the head.
    pub(super) fn starts_at_head(&self) -> bool {
        self.start == self.cfa.head
    }
    /// Returns the places where steps of a run begin after the first one.
    pub(super) fn later_places(&self) -> Vec<LocId> {
        self.places.iter().copied().filter(|place| *place != self.cfa.init).collect()
    }

    /// Returns the edges by which steps leave a location, with their targets.
    pub(super) fn leaving(&self, loc: LocId) -> impl Iterator<Item = (EdgeId, LocId)> {
        let edges = self.successors[loc].iter().filter(|edge| !self.cut.is_back(**edge));
        edges.map(|edge| (*edge, self.cfa.edges[*edge].target))
    }
    /// Returns the variables that get any value when a step comes to a location: those of a loop without a place.
    pub(super) fn passed(&self, loc: LocId) -> Option<&BTreeSet<VarId>> {
        self.cut.written(loc)
    }
    /// Returns the position of a location between places: greater than those of the locations that lead there.
    pub(super) fn rank(&self, loc: LocId) -> Option<usize> {
        self.ranks[loc]
    }
    /// Returns a frame of any values.
    pub(super) fn frame(&self, script: &mut Script, n: &str, with_place: bool) -> Frame {
        let values = self.cfa.vars.iter().map(|var| script.declare(&self.symbols.in_frame(*var, n), self.sort(*var))).collect();
        let at = with_place.then(|| script.declare(&format!("|place {n}|"), Sort::BitVec(self.width())));
        Frame { values: Rc::new(values), at }
    }
    fn sort(&self, var: VarId) -> Sort {
        self.pool.var_decl(var).sort
    }
    /// Returns the number of bits of a place's number.
    pub(super) fn width(&self) -> u16 {
        (usize::BITS - self.places.len().leading_zeros()) as u16
    }
    /// Returns the number of a place.
    fn number(&self, place: LocId) -> Value {
        let n = self.places.iter().position(|p| *p == place).unwrap_or(self.places.len());
        Value::bv(self.width(), n as u128)
    }
    /// Returns the term for "the frame is at this place".
    pub(super) fn is_at(&self, frame: &Frame, place: LocId) -> String {
        match &frame.at {
            Some(at) => format!("(= {at} {})", constant(self.number(place))),
            None => "true".to_owned(),
        }
    }
    /// Returns the value of a variable in a frame.
    pub(super) fn value(&self, frame: &Frame, var: VarId) -> Option<Text> {
        self.cfa.vars.binary_search(&var).ok().map(|at| frame.values[at].clone())
    }

    /// Follows the edges from the places of a frame to the next ones.
    ///
    /// Cost: each location and edge between the places once, and the variables that differ where paths meet.
    pub(super) fn step(&self, script: &mut Script, frame: &Frame, from: &[LocId], n: &str) -> Result<Step, Flaw> {
        let mut arrivals: BTreeMap<LocId, Vec<Arrival>> = BTreeMap::new();
        for place in from {
            let here = script.define("from", Sort::Bool, &self.is_at(frame, *place));
            self.leave(script, *place, Arrival { reached: here, values: frame.values.clone() }, &mut arrivals)?;
        }
        for loc in self.cut.between() {
            if let Some(incoming) = arrivals.remove(loc) {
                let mut here = self.join(script, *loc, incoming);
                if let Some(written) = self.cut.written(*loc) {
                    self.forget(script, &mut here.values, written)?;
                }
                self.leave(script, *loc, here, &mut arrivals)?;
            }
        }
        let wrong = arrivals.remove(&self.cfa.error).unwrap_or_default();
        let violation = any(&wrong);
        let violation = script.name(&format!("|violation {n}|"), Sort::Bool, &violation);
        let all: Vec<Arrival> = arrivals.values().flatten().cloned().collect();
        let goes_on = script.name(&format!("|step {n}|"), Sort::Bool, &any(&all));
        // If no path goes on, any state will do.
        let next = if all.is_empty() { frame.values.clone() } else { self.merge(script, &all) };
        let at = frame.at.as_ref().map(|_| {
            let numbers = arrivals.iter().map(|(place, arrivals)| (any(arrivals), constant(self.number(*place))));
            let chosen = numbers
                .rev()
                .reduce(|(_, other), (reached, number)| (String::new(), format!("(ite {reached} {number} {other})")));
            let chosen = chosen.map_or_else(|| constant(self.number(self.cfa.error)), |(_, chosen)| chosen);
            script.define("place", Sort::BitVec(self.width()), &chosen)
        });
        Ok(Step { violation, goes_on, next: Frame { values: next, at } })
    }

    fn join(&self, script: &mut Script, loc: LocId, mut incoming: Vec<Arrival>) -> Arrival {
        if incoming.len() == 1 {
            return incoming.remove(0);
        }
        let reached = script.define(&loc.to_string(), Sort::Bool, &any(&incoming));
        Arrival { reached, values: self.merge(script, &incoming) }
    }
    /// Returns the values of variables after one of several paths. They do not matter if none was taken.
    fn merge(&self, script: &mut Script, paths: &[Arrival]) -> Values {
        let Some((last, others)) = paths.split_last() else { return Rc::default() };
        let mut values = last.values.clone();
        for (at, var) in self.cfa.vars.iter().enumerate() {
            for path in others {
                if path.values[at] != values[at] {
                    let chosen = format!("(ite {} {} {})", path.reached, path.values[at], values[at]);
                    let name = &self.pool.var_decl(*var).name;
                    Rc::make_mut(&mut values)[at] = script.define(name, self.sort(*var), &chosen);
                }
            }
        }
        values
    }

    /// Takes at most one of the edges that leave a location.
    fn leave(&self, script: &mut Script, loc: LocId, here: Arrival, to: &mut BTreeMap<LocId, Vec<Arrival>>) -> Result<(), Flaw> {
        let edges = &self.successors[loc];
        let is_decided = match edges.as_slice() {
            [] | [_] => true,
            [a, b] => self.are_opposite(*a, *b),
            [..] => false,
        };
        let mut rest = here.reached;
        for (i, edge) in edges.iter().enumerate() {
            if self.cut.is_back(*edge) {
                continue;
            }
            let mut reached = rest.clone();
            if !is_decided && i + 1 < edges.len() {
                let choice = script.any("choice", Sort::Bool);
                reached = script.define("chosen", Sort::Bool, &both(&rest, &choice));
                rest = script.define("other", Sort::Bool, &both(&rest, &format!("(not {choice})")));
            }
            let arrival = self.follow(script, *edge, Arrival { reached, values: here.values.clone() })?;
            to.entry(self.cfa.edges[*edge].target).or_default().push(arrival);
        }
        Ok(())
    }
    /// Returns whether the guards of two edges are a condition and its negation: literally, or as comparisons such as `a < b`
    /// and `b <= a`. (Of floats both may be false.)
    pub(super) fn are_opposite(&self, a: EdgeId, b: EdgeId) -> bool {
        let is_negation = |x: ExprId, y: ExprId| match (self.pool.expr(x), self.pool.expr(y)) {
            (Expr::Not(of), _) if of == y => true,
            (Expr::BvCmp(BvCmp::Slt, a, b), Expr::BvCmp(BvCmp::Sle, c, d))
            | (Expr::BvCmp(BvCmp::Ult, a, b), Expr::BvCmp(BvCmp::Ule, c, d))
            | (Expr::IntCmp(IntCmp::Lt, a, b), Expr::IntCmp(IntCmp::Le, c, d)) => (a, b) == (d, c),
            (_, _) => false,
        };
        match (&self.cfa.edges[a].op, &self.cfa.edges[b].op) {
            (Op::Assume(a), Op::Assume(b)) => is_negation(*a, *b) || is_negation(*b, *a),
            (_, _) => false,
        }
    }
    fn follow(&self, script: &mut Script, edge: EdgeId, from: Arrival) -> Result<Arrival, Flaw> {
        let Arrival { mut reached, mut values } = from;
        match &self.cfa.edges[edge].op {
            Op::Skip => {}
            Op::Assume(guard) => {
                let guard = self.expr(script, *guard, &values, &BTreeMap::new())?;
                reached = script.define("if", Sort::Bool, &both(&reached, &guard));
            }
            Op::Assign(var, e) => {
                let value = self.expr(script, *e, &values, &BTreeMap::new())?;
                self.write(&mut values, *var, value)?;
            }
            Op::Havoc(var) => {
                let value = script.any(&self.pool.var_decl(*var).name, self.sort(*var));
                self.write(&mut values, *var, value)?;
            }
            Op::Block(block) => {
                let inputs = block
                    .inputs
                    .iter()
                    .map(|input| (input.var, script.any(&self.pool.var_decl(input.var).name, self.sort(input.var))));
                let inputs: BTreeMap<VarId, Text> = inputs.collect();
                let guard = self.expr(script, block.guard, &values, &inputs)?;
                reached = script.define("if", Sort::Bool, &both(&reached, &guard));
                let before = values.clone();
                for (var, e) in &block.updates {
                    let value = self.expr(script, *e, &before, &inputs)?;
                    self.write(&mut values, *var, value)?;
                }
            }
        }
        Ok(Arrival { reached, values })
    }
    fn expr(&self, script: &mut Script, e: ExprId, values: &Values, inputs: &BTreeMap<VarId, Text>) -> Result<Text, Flaw> {
        let of_state = |var: VarId| self.cfa.vars.binary_search(&var).ok().map(|at| values[at].clone());
        script.expr(self.pool, e, |var| inputs.get(&var).cloned().or_else(|| of_state(var)))
    }
    /// Gives variables any value.
    fn forget(&self, script: &mut Script, values: &mut Values, vars: &BTreeSet<VarId>) -> Result<(), Flaw> {
        for var in vars {
            let value = script.any(&self.pool.var_decl(*var).name, self.sort(*var));
            self.write(values, *var, value)?;
        }
        Ok(())
    }
    fn write(&self, values: &mut Values, var: VarId, value: Text) -> Result<(), Flaw> {
        match self.cfa.vars.binary_search(&var) {
            Ok(at) => {
                Rc::make_mut(values)[at] = value;
                Ok(())
            }
            Err(_) => Err(foreign(self.pool, var)),
        }
    }
}

fn both(a: &str, b: &str) -> String {
    match (a, b) {
        ("true", _) => b.to_owned(),
        (_, "true") => a.to_owned(),
        (_, _) => format!("(and {a} {b})"),
    }
}

fn any(arrivals: &[Arrival]) -> String {
    match arrivals {
        [] => "false".to_owned(),
        [one] => one.reached.to_string(),
        several => format!("(or {})", several.iter().map(|a| a.reached.as_ref()).collect::<Vec<_>>().join(" ")),
    }
}
