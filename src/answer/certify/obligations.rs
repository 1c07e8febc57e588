//! Obligations of a proof as SMT-LIB: each is an unsatisfiable set of assertions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::automaton::{Automaton, Frame, Step};
use super::inductive::{CONSECUTION, INITIATION, SAFETY};
use super::predicate::Predicate;
use super::script::{Script, Sorts};
use super::smtlib::constant;
use super::solver::Asked;
use super::stated::{Kind, Stated};
use super::{Flaw, Rejected, summary};
use kernel::cfa::{Cfa, LocId, LocKind};
use kernel::expr::{ExprPool, Sort};
use kernel::smt::Interrupt;

/// An obligation before its check.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: &'static str,
    /// Its meaning, as a clause.
    pub(crate) text: String,
    /// Terms that cannot all be true.
    asserts: Vec<String>,
}

impl Draft {
    pub(super) fn new(name: &'static str, text: impl Into<String>, asserts: Vec<String>) -> Draft {
        Draft { name, text: text.into(), asserts }
    }
    fn asserted(&self) -> String {
        self.asserts.iter().map(|term| format!("(assert {term})\n")).collect()
    }
}

/// All obligations of a proof.
pub(crate) struct Obligations {
    /// Invariants, states and steps.
    definitions: String,
    pub(crate) sorts: Sorts,
    pub(crate) drafts: Vec<Draft>,
}

impl Obligations {
    /// Returns the script of one obligation for a solver: it is satisfiable iff the obligation does not hold.
    pub(super) fn script(&self, draft: &Draft, asked: Asked<'_>) -> String {
        let options = asked.options(self.sorts);
        format!("{options}{}{}{}(check-sat)\n", self.sorts.logic(), self.definitions, draft.asserted())
    }
    /// Adds definitions before all others.
    pub(crate) fn define_first(&mut self, definitions: &str, sorts: Sorts) {
        self.definitions.insert_str(0, definitions);
        self.sorts = self.sorts.and(sorts);
    }
    /// Returns everything in one script.
    pub(crate) fn whole(&self) -> String {
        let mut text = format!("{}{}", self.sorts.logic(), self.definitions);
        for draft in &self.drafts {
            let _ = writeln!(text, "\n; {}: {}", draft.name, draft.text);
            text.push_str("(push 1)\n");
            text.push_str(&draft.asserted());
            text.push_str("(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
        }
        text
    }
}

/// Returns the obligations which show that no run of an automaton arrives at its error location.
///
/// Cost:      linear in the automaton, times k.
/// Stops:     `Malformed`: the proof does not fit the automaton. `Stopped`: `interrupt`.
/// Soundness: if no obligation can be satisfied, no run arrives.
pub(crate) fn obligations(pool: &ExprPool, cfa: &Cfa, stated: &Stated, interrupt: &Interrupt) -> Result<Obligations, Rejected> {
    let automaton = fitting(pool, cfa, stated)?;
    let invariants: BTreeMap<LocId, Predicate> =
        stated.places.keys().filter_map(|place| Some((*place, stated.invariant(*place)?))).collect();
    let (mut definitions, mut sorts) = (String::new(), Sorts::default());
    for (loc, invariant) in &invariants {
        let _ = writeln!(definitions, "{}", invariant.definition(&name_of(cfa, *loc), &automaton.symbols, &mut sorts));
    }
    let mut writer = Writer { automaton: &automaton, invariants: &invariants, interrupt, script: Script::default() };
    let drafts = match stated.kind {
        Kind::Inductive => writer.inductive()?,
        Kind::KInductive { k, support, paths } => writer.k_inductive(k, support, paths)?,
        Kind::Exhaustive { k, paths } => writer.exhaustive(k, paths)?,
    };
    let (lines, of_steps) = writer.script.finish();
    Ok(Obligations { definitions: definitions + &lines, sorts: sorts.and(of_steps), drafts })
}

/// Returns the automaton, cut at the places of a proof.
///
/// Stops: a place that cannot have an invariant, a loop without one, or calls that no summary closes.
pub(super) fn fitting<'m>(pool: &'m ExprPool, cfa: &'m Cfa, stated: &Stated) -> Result<Automaton<'m>, Flaw> {
    if cfa.recursion.is_some() {
        return Err(Flaw("the recursive calls of the program are not closed by summaries".to_owned()));
    }
    let cuts: BTreeSet<LocId> = stated.places.keys().copied().collect();
    if let Some(loc) = cuts.iter().find(|loc| cfa.locs.get(**loc).is_none() || **loc == cfa.init || **loc == cfa.error) {
        return Err(Flaw(format!("{loc} is no place for an invariant in this program")));
    }
    Automaton::new(pool, cfa, &cuts).ok_or_else(|| Flaw("a loop of the program has no place for an invariant".into()))
}

/// Returns the name of the invariant of a place. That of a loop or a summary does not depend on the number of other locations.
pub(crate) fn name_of(cfa: &Cfa, loc: LocId) -> String {
    if let Some(name) = summary::name_of(cfa, loc) {
        return name;
    }
    match loops(cfa).position(|head| head == loc) {
        _ if loc == cfa.head => "invariant".to_owned(),
        Some(n) => format!("|invariant loop {}|", n + 1),
        None => format!("|invariant {loc}|"),
    }
}

/// Returns the heads of loops inside of the cycle.
pub(crate) fn loops(cfa: &Cfa) -> impl Iterator<Item = LocId> {
    cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(id, _)| id)
}

/// The script of a proof in the making.
pub(super) struct Writer<'w, 'm> {
    pub(super) automaton: &'w Automaton<'m>,
    invariants: &'w BTreeMap<LocId, Predicate>,
    pub(super) interrupt: &'w Interrupt,
    pub(super) script: Script,
}

impl Writer<'_, '_> {
    /// Returns the term for "the frame is a start state".
    pub(super) fn initial(&mut self, frame: &Frame) -> String {
        let automaton = self.automaton;
        let values = automaton.cfa.vars.iter().zip(frame.values.iter()).filter_map(|(var, text)| {
            let value = automaton.cfa.initial.get(var)?;
            Some(format!("(= {text} {})", constant(*value)))
        });
        let all: Vec<String> = std::iter::once(automaton.is_at(frame, automaton.start)).chain(values).collect();
        self.script.define("initial", Sort::Bool, &conjunction(&all)).to_string()
    }
    /// Returns the term for "the frame satisfies the invariant of its place, which is one of these".
    pub(super) fn invariant(&mut self, frame: &Frame, places: &[LocId]) -> String {
        let automaton = self.automaton;
        let mut all = Vec::new();
        for place in places {
            let here = automaton.is_at(frame, *place);
            let holds = if *place == automaton.cfa.init { self.initial(frame) } else { self.invariant_at(*place, frame) };
            all.push(if here == "true" { holds } else { format!("(=> {here} {holds})") });
        }
        self.script.define("invariant", Sort::Bool, &conjunction(&all)).to_string()
    }
    /// Returns the term for "the frame satisfies the invariant of this place".
    fn invariant_at(&self, place: LocId, frame: &Frame) -> String {
        let Some(predicate) = self.invariants.get(&place) else { return "true".to_owned() };
        let name = name_of(self.automaton.cfa, place);
        let values: Vec<String> =
            predicate.params.iter().filter_map(|var| self.automaton.value(frame, *var)).map(|text| text.to_string()).collect();
        if values.is_empty() { name } else { format!("({name} {})", values.join(" ")) }
    }

    fn inductive(&mut self) -> Result<Vec<Draft>, Flaw> {
        let automaton = self.automaton;
        self.script.comment("the state before a step");
        let before = automaton.frame(&mut self.script, "0", 1 < automaton.places.len());
        self.script.comment("the step");
        let Step { violation, goes_on, next } = automaton.step(&mut self.script, &before, &automaton.places, "0")?;
        self.script.comment("where runs start, and the invariants before and after the step");
        let initial = self.initial(&before);
        let (holds, holds_after) = (self.invariant(&before, &automaton.places), self.invariant(&next, &automaton.places));
        let keeps = vec![holds.clone(), goes_on.to_string(), format!("(not {holds_after})")];
        Ok(vec![
            Draft::new(INITIATION.0, INITIATION.1, vec![initial, format!("(not {holds})")]),
            Draft::new(CONSECUTION.0, CONSECUTION.1, keeps),
            Draft::new(SAFETY.0, SAFETY.1, vec![holds, violation.to_string()]),
        ])
    }
}

fn conjunction(all: &[String]) -> String {
    match all {
        [] => "true".to_owned(),
        [one] => one.clone(),
        several => format!("(and {})", several.join(" ")),
    }
}
