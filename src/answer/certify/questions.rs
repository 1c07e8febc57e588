//! Questions that make up the obligations of an inductive proof. Each is about the paths of one slice.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::Flaw;
use super::automaton::Automaton;
use super::effects::{Effect, Part};
#[cfg(test)]
use super::fault::Fault;
use super::frame::touched;
use super::invariant::Invariants;
use super::part_set::PartSet;
use super::parts::Parts;
use super::predicate::Predicate;
use super::region::Region;
use super::script::{Script, Sorts, Text};
use super::slice::{Extent, Goals, Piece, Sink, Slice, Slicer, Vars};
use super::slice_text::{SliceWriter, Values};
use super::smtlib::constant;
use super::stated::Stated;
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::{Sort, VarId};

/// Way in which a path refutes the proof at its end.
pub(super) enum Way<'q> {
    /// It arrives in a state that breaks a part of the invariant.
    Breaks(&'q Predicate),
    /// It can take an edge to the error location: all parts of a guard hold.
    Takes(EdgeId, Vec<Part>),
    /// It arrives at all.
    Arrives,
}

impl Way<'_> {
    /// Returns the variables that it reads.
    pub(super) fn reads(&self) -> BTreeSet<VarId> {
        match self {
            Way::Breaks(part) => part.params.iter().copied().collect(),
            Way::Takes(_, parts) => parts.iter().flat_map(|part| part.reads.iter().copied()).collect(),
            Way::Arrives => BTreeSet::new(),
        }
    }
}

/// Regions that a path passes, each from its place to that of the next one.
pub(super) struct Course<'r> {
    pub(super) regions: Vec<&'r Region>,
    /// TRUE if it begins in a start state. Otherwise each region begins in a state of its place's invariant.
    pub(super) from_start: bool,
}

/// Region of a course, as one question sees it.
struct Leg<'r> {
    slice: Slice<'r>,
    /// Place where it begins.
    place: LocId,
    /// Numbers of the parts of the invariant that hold there.
    parts: BTreeSet<usize>,
    /// Variables that are read where it begins.
    reads: Vars,
}

/// Script of a question, without the symbols of the automaton.
pub(super) struct Question {
    /// Declarations, definitions and assertions. Symbols are numbered by their first occurrence.
    pub(super) text: String,
    /// The same with the names of variables.
    pub(super) named: String,
    pub(super) sorts: Sorts,
    /// Parts of invariants that it asserts.
    pub(super) uses: Parts,
}

/// An automaton with the invariants of a proof.
pub(super) struct Questions<'q> {
    pub(super) automaton: &'q Automaton<'q>,
    pub(super) effects: IndexVec<EdgeId, Effect>,
    pub(super) invariants: Invariants<'q>,
    /// Parts of the invariant of each place, by number. Other places allow every state.
    pub(super) places: &'q BTreeMap<LocId, PartSet>,
    /// Parts that each region touches, once they are known.
    pub(super) touched: RefCell<BTreeMap<LocId, Rc<PartSet>>>,
    pub(super) slicer: Slicer,
    #[cfg(test)]
    pub(super) fault: Option<Fault>,
}

impl<'q> Questions<'q> {
    pub(super) fn new(automaton: &'q Automaton<'q>, stated: &'q Stated) -> Questions<'q> {
        let effects = super::effects::effects(automaton);
        Questions {
            automaton,
            effects,
            invariants: Invariants::new(&stated.parts),
            places: &stated.places,
            touched: RefCell::default(),
            slicer: Slicer::default(),
            #[cfg(test)]
            fault: None,
        }
    }

    /// Returns a part by its number.
    pub(super) fn part(&self, part: usize) -> &'q Predicate {
        &self.invariants.parts[part]
    }

    /// Returns the parts that the last step of a course keeps by the frame rule, and the place where that step begins.
    ///
    /// `parts`: those of the place where the course ends.
    ///
    /// Soundness: they hold at the end if they hold at that place, see [`super::frame`].
    pub(super) fn framed(&self, course: &Course<'_>, parts: &PartSet) -> Option<(LocId, PartSet)> {
        let region = course.regions.last().filter(|_| !course.from_start)?;
        let held = self.places.get(&region.place)?.and(parts);
        if held.is_empty() {
            return None;
        }
        Some((region.place, held.without(&self.touched(region))))
    }
    fn touched(&self, region: &Region) -> Rc<PartSet> {
        let mut known = self.touched.borrow_mut();
        let touched = || {
            let of_var = &self.invariants.of_var;
            Rc::new(touched(
                region,
                &self.effects,
                of_var,
                #[cfg(test)]
                self.fault,
            ))
        };
        known.entry(region.place).or_insert_with(touched).clone()
    }

    /// Returns the slices of the regions of a course for these goals; `None` if there is no path.
    ///
    /// Each comes with the parts of the invariant that hold where it begins.
    fn slices<'r>(&'r self, course: &Course<'r>, mut goals: Goals, extent: Extent) -> Option<Vec<Leg<'r>>> {
        let mut legs = Vec::with_capacity(course.regions.len());
        for region in course.regions.iter().rev() {
            let slice = self.slice(region, &goals, extent)?;
            let place = if course.from_start { None } else { self.places.get(&region.place) };
            let mut goal = slice.reads();
            let parts = place.map(|place| self.invariants.around(place, &goal, extent)).unwrap_or_default();
            let params = || parts.iter().flat_map(|part| &self.part(*part).params);
            if params().any(|var| !goal.contains(var)) {
                Rc::make_mut(&mut goal).extend(params().copied());
            }
            goals = Goals::from([(Sink::Place(region.place), (*goal).clone())]);
            legs.push(Leg { slice, place: region.place, parts, reads: goal });
        }
        legs.reverse();
        Some(legs)
    }

    /// Returns the slice of a region.
    fn slice<'r>(&'r self, region: &'r Region, goals: &Goals, extent: Extent) -> Option<Slice<'r>> {
        self.mistaken(self.slicer.slice(region, &self.effects, goals, extent))
    }

    /// Returns the slice, with the fault of a test.
    fn mistaken<'r>(&'r self, slice: Option<Slice<'r>>) -> Option<Slice<'r>> {
        #[cfg(test)]
        if let Some(fault) = self.fault {
            let mut slice = slice?;
            fault.put(&mut slice, &self.effects);
            return Some(slice);
        }
        slice
    }

    /// Returns the variables that paths of a course read for these goals; `None` if there is no path.
    pub(super) fn reads(&self, course: &Course<'_>, goals: Goals, extent: Extent) -> Option<Vars> {
        self.slices(course, goals, extent)?.first().map(|leg| leg.reads.clone())
    }

    /// Returns the number of edges of the narrow slices for these ways.
    pub(super) fn n_edges(&self, course: &Course<'_>, ways: &[&(Sink, Way<'_>)]) -> usize {
        let legs = self.slices(course, goals(ways), Extent::Narrow).unwrap_or_default();
        legs.iter().flat_map(|leg| leg.slice.locs.values()).map(|loc| loc.leaving.len()).sum()
    }

    /// Returns the question "can a path of this course end in one of these ways"; each begins at a sink.
    pub(super) fn question(
        &self,
        course: &Course<'_>,
        ways: &[&(Sink, Way<'_>)],
        extent: Extent,
    ) -> Result<Option<Question>, Flaw> {
        let Some(legs) = self.slices(course, goals(ways), extent) else { return Ok(None) };
        self.written(&legs, course.from_start, ways).map(Some)
    }

    /// Returns the question "can the end of a path of this course end in this way". The end has more than `least` locations, and
    /// begins with any values. `None` if no end is as long.
    ///
    /// Soundness: each path of the course has such an end.
    pub(super) fn of_end(&self, course: &Course<'_>, way: &(Sink, Way<'_>), least: usize) -> Result<Option<Question>, Flaw> {
        let Some(region) = course.regions.last() else { return Ok(None) };
        let slice = self.slicer.tail(region, &self.effects, &goals(&[way]), least);
        let Some(slice) = self.mistaken(slice) else { return Ok(None) };
        let leg = Leg { reads: slice.reads(), slice, place: region.place, parts: BTreeSet::new() };
        self.written(&[leg], false, &[way]).map(Some)
    }

    /// Returns the questions "can a path of this course end in one of these ways" about the pieces of its last region; empty if
    /// it is not in pieces.
    ///
    /// Soundness: each path ends with one of the pieces. A part of the invariant holds where a piece begins if all variables of the
    /// part are unchanged there. See [`super::slice::Piece`].
    pub(super) fn of_pieces(&self, course: &Course<'_>, ways: &[&(Sink, Way<'_>)]) -> Result<Vec<Question>, Flaw> {
        let Some(region) = course.regions.last().filter(|_| !course.from_start) else { return Ok(Vec::new()) };
        let extent = Extent::Narrow;
        let Some(slice) = self.slice(region, &goals(ways), extent) else { return Ok(Vec::new()) };
        let place = self.places.get(&region.place);
        let question = |Piece { slice, unchanged }: Piece<'_>| {
            let parts = place.map(|place| self.invariants.around(place, &Vars::new(unchanged), extent)).unwrap_or_default();
            let leg = Leg { reads: slice.reads(), slice, place: region.place, parts };
            self.written(&[leg], false, ways)
        };
        #[cfg_attr(not(test), expect(unused_mut, reason = "a fault of a test"))]
        let mut pieces = slice.pieces(&self.effects);
        #[cfg(test)]
        if let Some(fault) = self.fault {
            fault.put_into_pieces(&mut pieces);
        }
        pieces.into_iter().map(question).collect()
    }

    /// Writes a question.
    fn written(&self, legs: &[Leg<'_>], from_start: bool, ways: &[&(Sink, Way<'_>)]) -> Result<Question, Flaw> {
        /// Most arrivals at the end that are joined to one.
        const MANY: usize = if cfg!(test) { 1 } else { 8 };
        /// Most ways with a term for each arrival.
        const FEW: usize = 16;
        let mut writer = SliceWriter { automaton: self.automaton, effects: &self.effects, script: Script::default() };
        let first: &[Leg<'_>] = legs.get(..1).unwrap_or_default();
        let mut values = Values::default();
        for leg in first {
            values = if from_start { self.start_values(&mut writer, &leg.reads) } else { self.any(&mut writer, &leg.reads) };
        }
        #[cfg(test)]
        if let Some(fault) = self.fault {
            fault.put_into_values(self.automaton.pool, &mut values);
        }
        let (mut asserts, mut uses, mut arrivals) = (Vec::new(), Parts::default(), BTreeMap::new());
        for (n, Leg { slice, place, parts, .. }) in legs.iter().enumerate() {
            for part in parts {
                asserts.push(self.holds(&mut writer, self.part(*part), &mut values));
                uses.insert(*place, *part);
            }
            let is_last = n + 1 == legs.len();
            arrivals = writer.paths(slice, values, if is_last && ways.len() <= FEW { MANY } else { usize::MAX })?;
            // Only the last region has several sinks, or several arrivals at one.
            values = Values::default();
            if let [end] = arrivals.values().flatten().collect::<Vec<_>>().as_slice() {
                asserts.push(end.reached.to_string());
                values = end.values.clone();
            }
        }
        let mut ends = Vec::with_capacity(ways.len());
        for (sink, way) in ways {
            for end in arrivals.get_mut(sink).ok_or_else(|| Flaw("a question has no end".to_owned()))? {
                let (reached, way) = (end.reached.clone(), self.way(&mut writer, way, &mut end.values)?);
                ends.push(format!("(and {reached} {way})"));
            }
        }
        #[cfg(test)]
        if let Some(fault) = self.fault {
            fault.put_into_uses(&mut uses);
            fault.put_into_ends(&mut ends);
        }
        asserts.push(format!("(or false {})", ends.join(" ")));
        let (mut named, sorts) = writer.script.finish();
        for assert in asserts {
            named.push_str(&format!("(assert {assert})\n"));
        }
        Ok(Question { text: numbered(&named), named, sorts, uses })
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
        Ok(Question { text: numbered(&named), named, sorts, uses: Parts::default() })
    }

    /// Declares values of variables where paths begin.
    fn any(&self, writer: &mut SliceWriter<'_, '_>, reads: &Vars) -> Values {
        Rc::new(reads.iter().map(|var| (*var, self.symbol(writer, *var))).collect())
    }
    /// Returns the term for "this part of an invariant holds".
    fn holds(&self, writer: &mut SliceWriter<'_, '_>, part: &Predicate, values: &mut Values) -> String {
        for var in &part.params {
            writer.value(*var, values);
        }
        part.of_values(&self.automaton.symbols, writer.script.sorts(), |var| values.get(&var).cloned())
    }
    /// Declares the value of a variable where paths begin.
    fn symbol(&self, writer: &mut SliceWriter<'_, '_>, var: VarId) -> Text {
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
            Way::Breaks(part) => format!("(not {})", self.holds(writer, part, values)),
            Way::Arrives => "true".to_owned(),
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

/// Returns the sinks of these ways, with the variables that they read there.
fn goals(ways: &[&(Sink, Way<'_>)]) -> Goals {
    let mut goals = Goals::new();
    for (sink, way) in ways {
        goals.entry(*sink).or_default().extend(way.reads());
    }
    goals
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
