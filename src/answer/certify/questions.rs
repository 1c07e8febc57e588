//! Questions that make up the obligations of an inductive proof. Each is about the paths of one slice.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::Flaw;
use super::automaton::Automaton;
use super::effects::{Effect, Part};
use super::obligations::Stated;
use super::predicate::Predicate;
use super::region::Region;
use super::script::{Script, Sorts};
use super::slice::{Extent, Sink, Slice, Vars};
use super::slice_text::{SliceWriter, Values};
use super::smtlib::constant;
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::{Sort, VarId};

/// Parts of the invariant of a place; all hold there.
pub(super) struct Invariant {
    pub(super) parts: Vec<Predicate>,
    /// Parts that speak of each variable.
    of_var: BTreeMap<VarId, Vec<usize>>,
    /// Parts without variables.
    closed: Vec<usize>,
}

impl Invariant {
    fn new(parts: Vec<Predicate>) -> Invariant {
        let (mut of_var, mut closed): (BTreeMap<VarId, Vec<usize>>, Vec<usize>) = Default::default();
        for (n, part) in parts.iter().enumerate() {
            part.params.iter().for_each(|var| of_var.entry(*var).or_default().push(n));
            if part.params.is_empty() {
                closed.push(n);
            }
        }
        Invariant { parts, of_var, closed }
    }

    /// Returns the parts that a question of this extent gets, which reads these variables.
    fn around(&self, reads: &Vars, extent: Extent) -> BTreeSet<usize> {
        let all_of = |vars: &mut dyn Iterator<Item = &VarId>| -> BTreeSet<usize> {
            vars.filter_map(|var| self.of_var.get(var)).flatten().chain(&self.closed).copied().collect()
        };
        match extent {
            Extent::Narrow => {
                let within = |n: &usize| self.parts[*n].params.iter().all(|var| reads.contains(var));
                all_of(&mut reads.iter()).into_iter().filter(within).collect()
            }
            Extent::Wide => {
                let (mut vars, mut todo) = ((**reads).clone(), reads.iter().copied().collect::<Vec<_>>());
                let mut parts: BTreeSet<usize> = self.closed.iter().copied().collect();
                while let Some(var) = todo.pop() {
                    for n in self.of_var.get(&var).into_iter().flatten().filter(|n| parts.insert(**n)) {
                        todo.extend(self.parts[*n].params.iter().filter(|var| vars.insert(**var)));
                    }
                }
                parts
            }
            Extent::Whole => (0..self.parts.len()).collect(),
        }
    }
}

/// Way in which a path refutes the proof at its end.
pub(super) enum Way<'q> {
    /// It arrives in a state that breaks a part of the invariant.
    Breaks(&'q Predicate),
    /// It can take an edge to the error location: all parts of a guard hold.
    Takes(EdgeId, Vec<Part>),
}

impl Way<'_> {
    /// Returns the variables that it reads.
    pub(super) fn reads(&self) -> BTreeSet<VarId> {
        match self {
            Way::Breaks(part) => part.params.iter().copied().collect(),
            Way::Takes(_, parts) => parts.iter().flat_map(|part| part.reads.iter().copied()).collect(),
        }
    }
}

/// Script of a question, without the symbols of the automaton.
pub(super) struct Question {
    /// Declarations, definitions and assertions. Symbols are numbered by their first occurrence.
    pub(super) text: String,
    /// The same with the names of variables.
    pub(super) named: String,
    pub(super) sorts: Sorts,
}

/// An automaton with the invariants of a proof.
pub(super) struct Questions<'q> {
    pub(super) automaton: &'q Automaton<'q>,
    pub(super) effects: IndexVec<EdgeId, Effect>,
    pub(super) invariants: BTreeMap<LocId, Invariant>,
}

impl<'q> Questions<'q> {
    pub(super) fn new(automaton: &'q Automaton<'q>, stated: &Stated) -> Questions<'q> {
        let parts = |predicate: &Predicate| {
            predicate.conjuncts().into_iter().map(|part| predicate.part(part, &automaton.symbols)).collect()
        };
        let invariants = stated.invariants.iter().map(|(place, predicate)| (*place, Invariant::new(parts(predicate))));
        let effects = super::effects::effects(automaton.pool, automaton.cfa);
        Questions { automaton, effects, invariants: invariants.collect() }
    }

    /// Returns the parts of the invariant of a place. Other places allow every state.
    pub(super) fn parts(&self, place: LocId) -> &[Predicate] {
        self.invariants.get(&place).map_or(&[], |invariant| &invariant.parts)
    }

    /// Returns the variables that paths from a place read for these goals at their sink; `None` if there is no path.
    pub(super) fn reads(&self, region: &Region, sink: Sink, goal: BTreeSet<VarId>, extent: Extent) -> Option<Vars> {
        Slice::of(region, &self.effects, sink, &Rc::new(goal), extent).map(|slice| slice.reads())
    }

    /// Returns the question "can a path from the place of this region to the sink end in one of these ways".
    ///
    /// Paths begin in a state of the place's invariant; at the start of runs in a state with the initial values.
    pub(super) fn question(
        &self,
        region: &Region,
        sink: Sink,
        ways: &[&Way<'_>],
        extent: Extent,
    ) -> Result<Option<Question>, Flaw> {
        let goal: Vars = Rc::new(ways.iter().flat_map(|way| way.reads()).collect());
        let Some(slice) = Slice::of(region, &self.effects, sink, &goal, extent) else { return Ok(None) };
        let mut writer = SliceWriter { automaton: self.automaton, effects: &self.effects, script: Script::default() };
        let (values, mut asserts) = self.begin(&mut writer, region.place, &slice.reads(), extent);
        let end = writer.paths(&slice, values)?;
        let mut values = end.values;
        let mut ends = Vec::with_capacity(ways.len());
        for way in ways {
            ends.push(self.way(&mut writer, way, &mut values)?);
        }
        asserts.extend([end.reached.to_string(), format!("(or false {})", ends.join(" "))]);
        let (mut named, sorts) = writer.script.finish();
        for assert in asserts {
            named.push_str(&format!("(assert {assert})\n"));
        }
        Ok(Some(Question { text: numbered(&named), named, sorts }))
    }

    /// Returns the question "does a start state break one of these parts".
    pub(super) fn at_start(&self, parts: &[&Way<'_>]) -> Result<Question, Flaw> {
        let mut writer = SliceWriter { automaton: self.automaton, effects: &self.effects, script: Script::default() };
        let reads: Vars = Rc::new(parts.iter().flat_map(|way| way.reads()).collect());
        let mut values = self.start_values(&mut writer, &reads);
        let mut ends = Vec::with_capacity(parts.len());
        for part in parts {
            ends.push(self.way(&mut writer, part, &mut values)?);
        }
        let (mut named, sorts) = writer.script.finish();
        named.push_str(&format!("(assert (or false {}))\n", ends.join(" ")));
        Ok(Question { text: numbered(&named), named, sorts })
    }

    /// Returns the values where paths begin, and terms that hold there.
    fn begin(&self, writer: &mut SliceWriter<'_, '_>, place: LocId, reads: &Vars, extent: Extent) -> (Values, Vec<String>) {
        if place == self.automaton.cfa.init {
            return (self.start_values(writer, reads), Vec::new());
        }
        let Some(invariant) = self.invariants.get(&place) else {
            return (Rc::new(reads.iter().map(|var| (*var, self.symbol(writer, *var))).collect()), Vec::new());
        };
        let parts = invariant.around(reads, extent);
        let of_parts = parts.iter().flat_map(|n| invariant.parts[*n].params.iter());
        let vars: BTreeSet<VarId> = reads.iter().chain(of_parts).copied().collect();
        let values: BTreeMap<VarId, _> = vars.into_iter().map(|var| (var, self.symbol(writer, var))).collect();
        let symbols = &self.automaton.symbols;
        let holds =
            parts.iter().map(|n| invariant.parts[*n].of_values(symbols, writer.script.sorts(), |var| values.get(&var).cloned()));
        let holds = holds.collect();
        (Rc::new(values), holds)
    }
    /// Declares the value of a variable where paths begin.
    fn symbol(&self, writer: &mut SliceWriter<'_, '_>, var: VarId) -> super::script::Text {
        writer.script.declare(&self.automaton.symbols.in_frame(var, "0"), writer.sort(var))
    }
    fn start_values(&self, writer: &mut SliceWriter<'_, '_>, reads: &Vars) -> Values {
        let value = |var: &VarId| match self.automaton.cfa.initial.get(var) {
            Some(value) => {
                writer.script.sorts().note(value.sort());
                constant(*value).into()
            }
            None => self.symbol(writer, *var),
        };
        let mut value = value;
        Rc::new(reads.iter().map(|var| (*var, value(var))).collect())
    }

    /// Returns the term for a way.
    fn way(&self, writer: &mut SliceWriter<'_, '_>, way: &Way<'_>, values: &mut Values) -> Result<String, Flaw> {
        let term = match way {
            Way::Breaks(part) => {
                for var in &part.params {
                    writer.value(*var, values);
                }
                let text = part.of_values(&self.automaton.symbols, writer.script.sorts(), |var| values.get(&var).cloned());
                format!("(not {text})")
            }
            Way::Takes(edge, parts) => {
                for input in &self.effects[*edge].inputs {
                    writer.value(*input, values);
                }
                let holds = parts.iter().map(|part| writer.part(part, values)).collect::<Result<Vec<_>, _>>()?;
                format!("(and true {})", holds.join(" "))
            }
        };
        Ok(writer.script.define("end", Sort::Bool, &term).to_string())
    }
}

/// Returns a text in which each symbol between bars is its number in the order of first occurrences.
fn numbered(text: &str) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    for (i, piece) in text.split('|').enumerate() {
        if i % 2 == 0 {
            out.push_str(piece);
        } else {
            let next = numbers.len();
            out.push_str(&format!("|{}|", numbers.entry(piece).or_insert(next)));
        }
    }
    out
}
