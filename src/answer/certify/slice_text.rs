//! Paths of a slice as SMT-LIB definitions: for each location a Bool for "the path comes here" and the values of its kept
//! variables. A variable without a value gets a fresh symbol when it is read: it may have any value.

use std::collections::BTreeMap;
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::Flaw;
use super::automaton::Automaton;
use super::effects::{Effect, Part};
use super::script::{Script, Text};
use super::slice::{Sink, Slice, SliceEdge, SliceLoc, Vars};
use kernel::cfa::EdgeId;
use kernel::expr::{ExprId, Sort, VarId};

/// Known values of variables.
pub(super) type Values = Rc<BTreeMap<VarId, Text>>;

/// Arrival at a location.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    /// Term: the path comes here.
    pub(super) reached: Text,
    pub(super) values: Values,
}

/// Writer of slices of one automaton.
pub(super) struct SliceWriter<'w, 'm> {
    pub(super) automaton: &'w Automaton<'m>,
    pub(super) effects: &'w IndexVec<EdgeId, Effect>,
    pub(super) script: Script,
}

impl<'m> SliceWriter<'_, 'm> {
    /// Writes the paths that begin with these values; returns the arrivals at the sinks.
    ///
    /// A sink has one arrival, where its paths are joined. The last one has all of them if these are more than `most`: a step
    /// of hundreds of alternatives has hundreds of short ends then, and no value that depends on all of them.
    ///
    /// Cost: each edge of the slice once, and the kept variables of each location.
    pub(super) fn paths(
        &mut self,
        slice: &Slice<'_>,
        mut values: Values,
        most: usize,
    ) -> Result<BTreeMap<Sink, Vec<Arrival>>, Flaw> {
        let reads = slice.reads();
        Rc::make_mut(&mut values).retain(|var, _| reads.contains(var));
        let mut arrivals: BTreeMap<usize, Vec<Arrival>> = BTreeMap::new();
        arrivals.insert(slice.begin, vec![Arrival { reached: "true".into(), values }]);
        let nowhere = || Flaw("no path leads to the end of a slice".to_owned());
        let mut ends = BTreeMap::new();
        while let Some((n, incoming)) = arrivals.pop_first() {
            let loc = slice.locs.get(&n).ok_or_else(nowhere)?;
            if let Some(sink) = loc.sink
                && loc.leaving.is_empty()
                && loc.fresh.is_empty()
                && most < incoming.len()
            {
                ends.insert(sink, incoming);
                continue;
            }
            let mut here = self.join(&loc.kept, incoming);
            for var in &loc.fresh {
                let symbol = self.script.any(self.name(*var), self.sort(*var));
                Rc::make_mut(&mut here.values).insert(*var, symbol);
            }
            if let Some(sink) = loc.sink {
                ends.insert(sink, vec![here.clone()]);
            }
            for (landing, arrival) in self.leave(slice, &loc.leaving, &here)? {
                arrivals.entry(landing).or_default().push(arrival);
            }
        }
        let is_missed = |loc: &SliceLoc<'_>| loc.sink.is_some_and(|sink| !ends.contains_key(&sink));
        if slice.locs.values().any(is_missed) { Err(nowhere()) } else { Ok(ends) }
    }

    /// Joins several paths; exactly one of them was taken, or none.
    fn join(&mut self, kept: &Vars, mut incoming: Vec<Arrival>) -> Arrival {
        if incoming.len() == 1 {
            return incoming.remove(0);
        }
        let all: Vec<&str> = incoming.iter().map(|arrival| arrival.reached.as_ref()).collect();
        let reached = self.script.define("here", Sort::Bool, &format!("(or {})", all.join(" ")));
        let mut values = BTreeMap::new();
        for var in kept.iter() {
            // A variable that has no value on some path has any value.
            let texts: Option<Vec<&Text>> = incoming.iter().map(|arrival| arrival.values.get(var)).collect();
            let Some((last, others)) = texts.as_deref().and_then(<[&Text]>::split_last) else { continue };
            let mut value: Text = (*last).clone();
            for (arrival, text) in incoming.iter().zip(others) {
                if **text != value {
                    let chosen = format!("(ite {} {text} {value})", arrival.reached);
                    value = self.script.define(self.name(*var), self.sort(*var), &chosen);
                }
            }
            values.insert(*var, value);
        }
        Arrival { reached, values: Rc::new(values) }
    }

    /// Takes at most one of the edges that leave a location.
    fn leave(&mut self, slice: &Slice<'_>, edges: &[SliceEdge<'_>], here: &Arrival) -> Result<Vec<(usize, Arrival)>, Flaw> {
        let is_decided = match edges {
            [] | [_] => true,
            [a, b] => self.is_entire(a) && self.is_entire(b) && self.automaton.are_opposite(a.edge, b.edge),
            [..] => false,
        };
        let mut rest = here.reached.clone();
        let mut taken = Vec::with_capacity(edges.len());
        for (i, edge) in edges.iter().enumerate() {
            let mut reached = rest.clone();
            if !is_decided && i + 1 < edges.len() {
                let choice = self.script.any("choice", Sort::Bool);
                reached = self.script.define("chosen", Sort::Bool, &both(&rest, &choice));
                rest = self.script.define("other", Sort::Bool, &both(&rest, &format!("(not {choice})")));
            }
            let Some(landing) = slice.locs.get(&edge.landing) else { continue };
            let values = here.values.clone();
            taken.push((edge.landing, self.follow(edge, &landing.kept, Arrival { reached, values })?));
        }
        Ok(taken)
    }

    /// Returns whether all parts of the edge's guard stay.
    fn is_entire(&self, edge: &SliceEdge<'_>) -> bool {
        edge.guard.len() == self.effects[edge.edge].guard.len()
    }
    /// Follows an edge. Only kept variables have values after it.
    fn follow(&mut self, edge: &SliceEdge<'_>, kept: &Vars, from: Arrival) -> Result<Arrival, Flaw> {
        let Arrival { mut reached, values } = from;
        let effect = &self.effects[edge.edge];
        let mut before = values.clone();
        for input in &effect.inputs {
            let symbol = self.script.any(self.name(*input), self.sort(*input));
            Rc::make_mut(&mut before).insert(*input, symbol);
        }
        for part in &edge.guard {
            let holds = self.part(part, &mut before)?;
            reached = self.script.define("if", Sort::Bool, &both(&reached, &holds));
        }
        let mut after = values;
        for write in effect.writes.iter().filter(|write| kept.contains(&write.var)) {
            let value = match write.value {
                Some(e) => self.expr(e, &mut before)?,
                None => self.script.any(self.name(write.var), self.sort(write.var)),
            };
            Rc::make_mut(&mut after).insert(write.var, value);
        }
        if after.keys().any(|var| !kept.contains(var)) {
            Rc::make_mut(&mut after).retain(|var, _| kept.contains(var));
        }
        Ok(Arrival { reached, values: after })
    }

    /// Returns the term for a condition or its negation.
    pub(super) fn part(&mut self, part: &Part, values: &mut Values) -> Result<Text, Flaw> {
        let text = self.expr(part.expr, values)?;
        Ok(if part.holds { text } else { format!("(not {text})").into() })
    }
    fn expr(&mut self, e: ExprId, values: &mut Values) -> Result<Text, Flaw> {
        let pool = self.automaton.pool;
        for var in pool.vars_of(&[e]) {
            self.value(var, values);
        }
        self.script.expr(pool, e, |var| values.get(&var).cloned())
    }
    /// Returns the value of a variable; a fresh symbol if it has none.
    pub(super) fn value(&mut self, var: VarId, values: &mut Values) -> Text {
        if let Some(text) = values.get(&var) {
            return text.clone();
        }
        let text = self.script.any(self.name(var), self.sort(var));
        Rc::make_mut(values).insert(var, text.clone());
        text
    }
    fn name(&self, var: VarId) -> &'m str {
        &self.automaton.pool.var_decl(var).name
    }
    pub(super) fn sort(&self, var: VarId) -> Sort {
        self.automaton.pool.var_decl(var).sort
    }
}

fn both(a: &str, b: &str) -> String {
    match (a, b) {
        ("true", _) => b.to_owned(),
        (_, "true") => a.to_owned(),
        (_, _) => format!("(and {a} {b})"),
    }
}
