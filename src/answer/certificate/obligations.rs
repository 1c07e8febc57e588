//! What has to be shown for a proof, as SMT-LIB: each obligation is a set of assertions that nothing satisfies.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Flaw;
use super::automaton::{Automaton, Frame, Step};
use super::live::deciding;
use super::terms::Predicate;
use super::text::{Script, Sorts};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{ExprPool, Sort};
use kernel::verdict::{Paths, Support};

/// A proof as a certificate states it.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) kind: Kind,
    /// By place; elsewhere everything is allowed.
    pub(super) invariants: BTreeMap<LocId, Predicate>,
}

/// Why the invariants show that no run arrives at the error location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// They hold at the start, every step keeps them, and none that begins where they hold ends in the error location.
    Inductive,
    /// The same of `k` steps, each of which is a whole cycle: no run comes to a loop inside of one.
    KInductive { k: u32, support: Support, paths: Paths },
}

/// One thing to show.
#[derive(Clone, Debug)]
pub(super) struct Obligation {
    pub(super) name: &'static str,
    /// What it says.
    pub(super) text: String,
    /// Terms that cannot all be true.
    pub(super) asserts: Vec<String>,
}

impl Obligation {
    fn asserted(&self) -> String {
        self.asserts.iter().map(|term| format!("(assert {term})\n")).collect()
    }
}

/// All obligations of a proof.
pub(super) struct Obligations {
    /// Invariants, states and steps.
    pub(super) definitions: String,
    pub(super) sorts: Sorts,
    pub(super) all: Vec<Obligation>,
    /// Symbols of the state that the steps begin with, with the names that people know.
    pub(super) state: Vec<(String, String)>,
}

impl Obligations {
    /// A script for one obligation: it is satisfiable iff the obligation does not hold.
    pub(super) fn script(&self, obligation: &Obligation) -> String {
        let mut text = format!("{}{}", self.sorts.logic(), self.definitions);
        text.push_str(&obligation.asserted());
        text.push_str("(check-sat)\n");
        text
    }
    /// Everything in one script.
    pub(super) fn whole(&self) -> String {
        let mut text = format!("{}{}", self.sorts.logic(), self.definitions);
        for obligation in &self.all {
            let _ = writeln!(text, "\n; {}: {}", obligation.name, obligation.text);
            text.push_str("(push 1)\n");
            text.push_str(&obligation.asserted());
            text.push_str("(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
        }
        text
    }
}

/// More steps are not written out.
const MOST_STEPS: u32 = 2_000;

/// What has to be shown so that no run of an automaton arrives at its error location.
///
/// Cost:      linear in the automaton, times k.
/// Stops:     [`Flaw`]: the proof does not fit the automaton.
/// Soundness: if no obligation can be satisfied, no run arrives.
pub(super) fn obligations(pool: &ExprPool, cfa: &Cfa, stated: &Stated) -> Result<Obligations, Flaw> {
    let cuts: BTreeSet<LocId> = stated.invariants.keys().copied().collect();
    if let Some(loc) = cuts.iter().find(|loc| cfa.locs.get(**loc).is_none() || **loc == cfa.init || **loc == cfa.error) {
        return Err(Flaw(format!("{loc} is no place for an invariant in this program")));
    }
    let mut automaton =
        Automaton::new(pool, cfa, &cuts).ok_or_else(|| Flaw("a loop of the program has no place for an invariant".into()))?;
    if let Kind::KInductive { .. } = stated.kind {
        // Its steps are whole cycles, so it also has to show that no run comes to a loop inside of one.
        let others = automaton.places.iter().copied().filter(|place| *place != cfa.head && *place != cfa.init);
        automaton.forbidden = others.collect();
    }
    let mut writer = Writer { automaton: &automaton, stated, script: Script::default(), sorts: Sorts::default() };
    let mut definitions = String::new();
    for (loc, invariant) in &stated.invariants {
        let _ = writeln!(definitions, "{}", invariant.definition(&name_of(cfa, *loc), &automaton.symbols, &mut writer.sorts));
    }
    let (state, all) = match stated.kind {
        Kind::Inductive => writer.inductive()?,
        Kind::KInductive { k, support, paths } => writer.k_inductive(k, support, paths)?,
    };
    let names = cfa.vars.iter().map(|var| pool.var_decl(*var).name.clone());
    let mut state: Vec<(String, String)> = state.values.iter().map(ToString::to_string).zip(names).collect();
    state.retain(|(symbol, _)| symbol.starts_with('|'));
    let invariants_need = writer.sorts;
    let (lines, sorts) = writer.script.finish();
    Ok(Obligations { definitions: definitions + &lines, sorts: sorts.and(invariants_need), all, state })
}

/// How the invariant of a place is called.
pub(super) fn name_of(cfa: &Cfa, loc: LocId) -> String {
    if loc == cfa.head { "invariant".to_owned() } else { format!("|invariant {loc}|") }
}

/// Frames, and between each two of them the symbols of the step: its violation, and that it goes on.
type Chain = (Vec<Frame>, Vec<(String, String)>);

struct Writer<'w, 'm> {
    automaton: &'w Automaton<'m>,
    stated: &'w Stated,
    script: Script,
    sorts: Sorts,
}

impl Writer<'_, '_> {
    /// The frame holds values of the start.
    fn initial(&mut self, frame: &Frame) -> String {
        let automaton = self.automaton;
        let start = automaton.places[0];
        let values = automaton.cfa.vars.iter().zip(frame.values.iter()).filter_map(|(var, text)| {
            let value = automaton.cfa.initial.get(var)?;
            Some(format!("(= {text} {})", super::text::constant(*value)))
        });
        let all: Vec<String> = std::iter::once(automaton.is_at(frame, start)).chain(values).collect();
        self.script.define("initial", Sort::Bool, &conjunction(&all)).to_string()
    }
    /// The invariant of the place that a frame is at.
    fn invariant(&mut self, frame: &Frame) -> String {
        let automaton = self.automaton;
        let mut all = Vec::new();
        for place in &automaton.places {
            let here = automaton.is_at(frame, *place);
            let holds = if *place == automaton.cfa.init { self.initial(frame) } else { self.at_place(*place, frame) };
            all.push(if here == "true" { holds } else { format!("(=> {here} {holds})") });
        }
        self.script.define("invariant", Sort::Bool, &conjunction(&all)).to_string()
    }
    fn at_place(&self, place: LocId, frame: &Frame) -> String {
        let Some(predicate) = self.stated.invariants.get(&place) else { return "true".to_owned() };
        let name = name_of(self.automaton.cfa, place);
        let values: Vec<String> =
            predicate.params.iter().filter_map(|var| self.automaton.value(frame, *var)).map(|text| text.to_string()).collect();
        if values.is_empty() { name } else { format!("({name} {})", values.join(" ")) }
    }

    fn inductive(&mut self) -> Result<(Frame, Vec<Obligation>), Flaw> {
        let automaton = self.automaton;
        self.script.comment("the state before a step");
        let before = automaton.frame(&mut self.script, "0", 1 < automaton.places.len());
        self.script.comment("the step");
        let Step { violation, goes_on, next } = automaton.step(&mut self.script, &before, &automaton.places, "0")?;
        self.script.comment("where runs start, and the invariants before and after the step");
        let initial = self.initial(&before);
        let (holds, holds_after) = (self.invariant(&before), self.invariant(&next));
        let show = |name, text: &str, asserts: Vec<String>| Obligation { name, text: text.to_owned(), asserts };
        Ok((
            before,
            vec![
                show("initiation", "the invariant holds at the start", vec![initial, format!("(not {holds})")]),
                show(
                    "consecution",
                    "every step from a state that satisfies the invariant leads to one that does",
                    vec![holds.clone(), goes_on.to_string(), format!("(not {holds_after})")],
                ),
                show(
                    "safety",
                    "no step from a state that satisfies the invariant leads to a violation",
                    vec![holds, violation.to_string()],
                ),
            ],
        ))
    }

    /// Frames before, between and after `n` steps from the head; the last step is only asked for its violation.
    fn chain(&mut self, first: Frame, n: u32, name: &str) -> Result<Chain, Flaw> {
        let (automaton, head) = (self.automaton, self.automaton.cfa.head);
        let (mut frames, mut steps) = (vec![first], Vec::new());
        for i in 0..n {
            let Some(before) = frames.last().cloned() else { break };
            let label = format!("{name}{i}");
            let Step { violation, goes_on, next } = automaton.step(&mut self.script, &before, &[head], &label)?;
            steps.push((violation.to_string(), goes_on.to_string()));
            frames.push(next);
        }
        Ok((frames, steps))
    }

    fn k_inductive(&mut self, k: u32, support: Support, paths: Paths) -> Result<(Frame, Vec<Obligation>), Flaw> {
        let automaton = self.automaton;
        let head = automaton.cfa.head;
        if k == 0 || MOST_STEPS < k {
            return Err(Flaw(format!("k is {k}: it is between 1 and {MOST_STEPS}")));
        }
        if (support, paths) == (Support::Steps, Paths::Simple) {
            // States that are the same for the error may differ for the invariant.
            return Err(Flaw("an invariant that needs k steps needs all paths, not only those without repetition".into()));
        }
        let k_steps = k as usize;
        self.script.comment("any state, and the steps from there");
        let first = automaton.frame(&mut self.script, "0", false);
        let (frames, steps) = self.chain(first.clone(), k + 1, "")?;
        // Runs from the start: the same steps where it is the head.
        let (mut came, mut violations) = ("true".to_owned(), vec!["false".to_owned()]);
        let (initial, base_frames, base_steps);
        if automaton.starts_at_head() {
            initial = self.initial(&first);
            (base_frames, base_steps) = (frames.clone(), steps.clone());
        } else {
            self.script.comment("runs from the start");
            let start = automaton.frame(&mut self.script, "start", false);
            initial = self.initial(&start);
            let Step { violation, goes_on, next } = automaton.step(&mut self.script, &start, &[automaton.cfa.init], "start")?;
            violations.push(violation.to_string());
            came = goes_on.to_string();
            (base_frames, base_steps) = self.chain(next, k, "start ")?;
        }
        let arrived = came.clone();
        for (violation, goes_on) in base_steps.iter().take(k_steps) {
            violations.push(format!("(and {came} {violation})"));
            came = self.script.define("completed", Sort::Bool, &format!("(and {came} {goes_on})")).to_string();
        }
        let holds: Vec<String> = frames.iter().take(k_steps + 1).map(|frame| self.at_place(head, frame)).collect();
        let mut all = Vec::new();
        let show = |name, text: String, asserts: Vec<String>| Obligation { name, text, asserts };
        match support {
            Support::Alone => {
                let at_start = base_frames.first().map_or_else(String::new, |frame| self.at_place(head, frame));
                let broken = vec![initial.clone(), arrived, format!("(not {at_start})")];
                all.push(show("initiation", "the invariant holds at the start of the first cycle".into(), broken));
                let broken = vec![holds[0].clone(), steps[0].1.clone(), format!("(not {})", holds[1])];
                all.push(show("consecution", "every cycle keeps the invariant".into(), broken));
                let text = match k {
                    1 => "the first cycle reaches no violation".to_owned(),
                    k => format!("the first {k} cycles reach no violation"),
                };
                all.push(show("base", text, vec![initial, format!("(or {})", violations.join(" "))]));
            }
            Support::Steps => {
                let broken = base_frames.iter().take(k_steps).map(|frame| format!("(not {})", self.at_place(head, frame)));
                violations.push(format!("(and {came} (or false {}))", broken.collect::<Vec<_>>().join(" ")));
                let text = match k {
                    1 => "the first cycle reaches no violation, and begins in a state that satisfies the invariant".to_owned(),
                    k => format!("the first {k} cycles reach no violation, and begin in states that satisfy the invariant"),
                };
                all.push(show("base", text, vec![initial, format!("(or {})", violations.join(" "))]));
            }
        }
        let mut step: Vec<String> = holds[..k_steps].to_vec();
        step.extend(steps.iter().take(k_steps).map(|(_, goes_on)| goes_on.clone()));
        let mut text = match k {
            1 => "after a cycle from a state that satisfies the invariant".to_owned(),
            k => format!("after {k} cycles through states that satisfy the invariant"),
        };
        match paths {
            Paths::Any => {}
            Paths::Simple => {
                text.push_str(", no two states on the way the same for the future,");
                step.extend(self.all_differ(&frames[..=k_steps]));
            }
        }
        let (last, violation) = (&holds[k_steps], &steps[k_steps].0);
        match support {
            Support::Alone => step.extend([last.clone(), violation.clone()]),
            Support::Steps => {
                text.push_str(" it holds again, and");
                step.push(format!("(or (not {last}) {violation})"));
            }
        }
        all.push(show("step", format!("{text} the next cycle has no violation"), step));
        Ok((first, all))
    }

    /// No two frames agree on everything that decides what comes after them.
    fn all_differ(&self, frames: &[Frame]) -> Vec<String> {
        let vars = deciding(self.automaton.pool, self.automaton.cfa);
        let mut differences = Vec::new();
        for (i, later) in frames.iter().enumerate() {
            for earlier in &frames[..i] {
                let pairs = vars.iter().filter_map(|var| {
                    let (a, b) = (self.automaton.value(earlier, *var)?, self.automaton.value(later, *var)?);
                    (a != b).then(|| format!(" (distinct {a} {b})"))
                });
                differences.push(format!("(or false false{})", pairs.collect::<String>()));
            }
        }
        differences
    }
}

fn conjunction(all: &[String]) -> String {
    match all {
        [] => "true".to_owned(),
        [one] => one.clone(),
        several => format!("(and {})", several.join(" ")),
    }
}
