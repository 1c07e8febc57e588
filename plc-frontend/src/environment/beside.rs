//! Conditions about code beside the run that may write variables without naming them.
//!
//! | code | variables that it may write |
//! |---|---|
//! | body in a form that is not read, calls of blocks in it that no file declares | all that other code can name |
//! | POU that no file declares, called by code that does not run here | the same |
//! | program of a task that no file declares | the same |
//! | code in C between statements | any |
//! | statement that is not modelled and writes through an address | any |
//! | reference whose block is not known | all that other code can name |
//! | POU that writes through pointers to bytes | any |
//! | POU that writes at indices which may lie outside of their array, also in a statement that is not modelled | any |
//! | VAR_IN_OUT of a block, used by a member outside of a call of the block | any |
//!
//! Soundness: what such code names is an input already (`mentions`); everything else that it may write is a condition of each answer that
//! depends on it.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::{Body, bodies, reached};
use super::called_names::without_asides;
use super::caller::CallerAccess;
use super::index_writes::{FixedNames, index_write};
use super::outside_writes::outside_writes;
use super::text_names::words;
use super::unread::{self, Texts};
use crate::hir::{Extent, PouId, Project};
use crate::ids::Id;
use crate::text::{Gap, GapId, Key, Ledger, Origin, SourceSet, Span, Treatment, key};

/// Construct of a use of a VAR_IN_OUT whose variable is not known.
const KEPT: &str = "use of the VAR_IN_OUT";

/// Construct of a reference whose block is not known.
const LOST: &str = "reference to ";

/// Construct of code in C between statements.
const IN_C: &str = "code in C";

/// Last words of a condition about indices.
pub(super) const BESIDE_ARRAYS: &str = "writes only to elements that its arrays have";

/// Effect of a statement that gives a string of another length to a VAR_IN_OUT.
const OTHER_STRING: &[&str] = &["is VAR_IN_OUT of type STRING", "is VAR_IN_OUT of type WSTRING"];

/// Parts of the program that decide what runs beside it.
pub(crate) struct Runs<'r> {
    /// The user's POUs that do not run here run elsewhere.
    pub(crate) others: bool,
    /// POUs that texts which are not read may call.
    pub(crate) called: &'r BTreeSet<PouId>,
    /// Methods that run before the first cycle.
    pub(crate) first: &'r BTreeSet<PouId>,
    /// Returns whether a standard function or block has this name.
    pub(crate) is_standard: fn(&str) -> bool,
    /// The controller checks each index before it writes.
    pub(crate) checks_indices: bool,
}

/// Notes the conditions.
pub(crate) fn note(project: &mut Project, ledger: &mut Ledger, sources: &SourceSet, runs: &Runs<'_>) {
    let bodies = bodies(project);
    let cyclic = project.task.runs.iter().map(|id| project.instances[*id].pou);
    let roots: Vec<PouId> = cyclic.chain(project.start_up.map(|start| start.pou)).chain(runs.first.iter().copied()).collect();
    let running = reached(&bodies, roots.iter().copied());
    let found = stubs(project, &bodies, &running, runs.others);
    project.beside.extend(found.into_iter().map(|span| (span, Extent::Nameable)));
    if runs.others {
        let cyclic = project.task.runs.iter().map(|id| project.instances[*id].pou);
        let running = reached(&bodies, cyclic.chain(project.start_up.map(|start| start.pou)));
        let is_other = |pou: &PouId| project.pous[*pou].origin == Origin::User && !running.contains(pou);
        let callable = CallerAccess::of_entries(project).into_iter().flat_map(|caller| caller.calls);
        let others: Vec<PouId> = project.pous.ids().filter(is_other).chain(callable).chain(runs.called.iter().copied()).collect();
        let elsewhere = reached(&bodies, others.into_iter());
        note_byte_writers(project, ledger, &elsewhere);
        let gaps = Gaps { bodies: &bodies, elsewhere: &elsewhere, is_standard: runs.is_standard };
        if !runs.checks_indices {
            note_outside_writers(project, ledger, sources, &gaps);
        }
        note_gaps(project, ledger, sources, &gaps);
    }
}

/// Returns the places of POUs whose bodies may name what the project declares, and that code beside the run may call.
///
/// Soundness: a function that no body calls stands in an initial value.
fn stubs(project: &Project, bodies: &[Body], running: &BTreeSet<PouId>, others_run: bool) -> Vec<Span> {
    let is_idle = |stub: PouId| {
        let mut callers = project.pous.ids().filter(|pou| bodies[pou.index()].calls.contains(&stub)).peekable();
        callers.peek().is_some() && callers.all(|caller| !running.contains(&caller))
    };
    let inferred = project.stubs.iter().filter(|(_, stub)| stub.interface.may_be_of_project()).map(|(pou, _)| *pou);
    inferred.filter(|stub| others_run || !is_idle(*stub)).map(|stub| project.pous[stub].span).collect()
}

/// Statements that are not modelled in POUs that run elsewhere.
struct Gaps<'g> {
    bodies: &'g [Body],
    elsewhere: &'g BTreeSet<PouId>,
    is_standard: fn(&str) -> bool,
}

/// Notes the conditions about statements that are not modelled.
fn note_gaps(project: &mut Project, ledger: &mut Ledger, sources: &SourceSet, gaps: &Gaps<'_>) {
    let known = declared(project);
    let is_known = |name: &str| known.contains(&key(name)) || (gaps.is_standard)(name);
    let texts = Texts::new(sources);
    // A pointer may be changed where its value is not modelled, too.
    let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
    let pointers: BTreeSet<Key> = vars.filter(|var| project.references.contains_key(&var.ty)).map(|var| key(&var.name)).collect();
    let is_past = |text: &str| unread::writes_by_address(text) || words(text).any(|word| pointers.contains(&key(word)));
    let (mut seen, mut past, mut lost): (BTreeSet<Span>, BTreeSet<PouId>, BTreeSet<PouId>) = Default::default();
    for pou in gaps.elsewhere {
        for (gap, span) in &gaps.bodies[pou.index()].gaps {
            if !seen.insert(*span) {
                continue;
            }
            let Some(construct) = construct(ledger, *gap) else { continue };
            let name = &project.pous[*pou].name;
            if construct.starts_with(KEPT) {
                let construct = format!("`{name}`, called outside of a call of its block, writes nothing through a VAR_IN_OUT");
                let effect = "it may write the variable of an earlier call".to_owned();
                ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
                project.beside.insert(*span, Extent::All);
            } else if construct.starts_with(IN_C) {
                let construct = format!("`{name}` (code in C) writes no other variables");
                let effect = "the code is not read, and it can write any variable".to_owned();
                ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
                project.beside.insert(*span, Extent::All);
            } else if unread::is_unread(&construct, texts.of_body(*span), is_known) {
                let construct = format!("`{name}` ({construct}) writes no variables but those that its text names");
                let effect = "the body is not read, and what else it writes can break what holds here".to_owned();
                ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
                project.beside.insert(*span, Extent::Nameable);
            } else if is_past(texts.of_body(*span)) {
                if past.insert(*pou) {
                    let construct = format!("`{name}` writes through addresses only within the variables that it names");
                    let effect = "the statement is not modelled, and a write past its variable can change any other".to_owned();
                    ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
                    project.beside.insert(*span, Extent::All);
                }
            } else if construct.starts_with(LOST) && lost.insert(*pou) {
                let construct = format!("`{name}` writes nothing through references that are not followed");
                let effect = "the block behind such a reference is not known, and its call may write its arguments".to_owned();
                ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
                project.beside.insert(*span, Extent::Nameable);
            }
        }
    }
}

/// Notes the condition about a POU that runs elsewhere and writes through pointers to bytes, which may lead past their targets.
fn note_byte_writers(project: &mut Project, ledger: &mut Ledger, elsewhere: &BTreeSet<PouId>) {
    let writers: Vec<PouId> = project.byte_writers.intersection(elsewhere).copied().collect();
    for pou in writers {
        let (name, span) = (project.pous[pou].name.clone(), project.pous[pou].span);
        let construct = format!("`{name}` writes through pointers only within the variables to which they point");
        let effect =
            "it runs elsewhere, where nothing checks this, and a write past its variable can change any other".to_owned();
        ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
        project.beside.insert(span, Extent::All);
    }
}

/// Notes the condition about a POU that runs elsewhere and writes at an index that may lie outside of its array.
fn note_outside_writers(project: &mut Project, ledger: &mut Ledger, sources: &SourceSet, gaps: &Gaps<'_>) {
    let is_checked = |pou: &PouId| project.pous[*pou].origin == Origin::User && !project.byte_writers.contains(pou);
    let users: BTreeSet<PouId> = gaps.elsewhere.iter().copied().filter(is_checked).collect();
    let mut found: BTreeMap<PouId, Span> = outside_writes(project, &users).into_iter().collect();
    let (texts, known) = (Texts::new(sources), FixedNames::of(project, gaps.is_standard));
    note_other_strings(project, ledger, &users, gaps.bodies);
    for pou in users {
        let unmodelled = gaps.bodies[pou.index()].gaps.iter().map(|(_, span)| *span);
        let mut written = unmodelled.filter(|span| index_write(&without_asides(texts.of_body(*span), false), &known).is_some());
        if let Some(span) = written.next() {
            found.entry(pou).or_insert(span);
        }
    }
    for (pou, span) in found {
        let gap = beside_array(&project.pous[pou].name, span);
        ledger.gap(gap);
        project.beside.insert(span, Extent::All);
    }
}

/// Notes the condition about a POU that gives a string to a VAR_IN_OUT of another length, which may be longer.
fn note_other_strings(project: &mut Project, ledger: &mut Ledger, pous: &BTreeSet<PouId>, bodies: &[Body]) {
    for pou in pous {
        let is_given = |gap: &GapId| {
            let effect = ledger.gaps.get(gap.index()).map_or("", |gap| gap.effect.as_str());
            OTHER_STRING.iter().any(|words| effect.contains(words))
        };
        let Some((_, span)) = bodies[pou.index()].gaps.iter().find(|(gap, _)| is_given(gap)) else { continue };
        let construct = format!("`{}` writes only within the strings that it gives to VAR_IN_OUT", project.pous[*pou].name);
        let effect = "the VAR_IN_OUT may be longer, and a write behind the string can change any other variable".to_owned();
        ledger.gap(Gap { span: *span, construct, treatment: Treatment::Assumed, effect });
        project.beside.insert(*span, Extent::All);
    }
}

/// Returns the condition about a POU that may write beside an array.
pub(crate) fn beside_array(pou: &str, span: Span) -> Gap {
    let construct = format!("`{pou}` {BESIDE_ARRAYS}");
    let effect = "it runs elsewhere, where nothing checks this index, and a write beside an array can change any other variable";
    Gap { span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() }
}

fn construct(ledger: &Ledger, gap: GapId) -> Option<String> {
    ledger.gaps.get(gap.index()).map(|gap| gap.construct.clone())
}

/// Returns the names that a call in a text may mean: POUs, types, and variables, which may be instances.
pub(super) fn declared(project: &Project) -> BTreeSet<Key> {
    let is_read = |pou: &PouId| !project.stubs.contains_key(pou);
    let pous = project.pous.ids().filter(is_read).map(|pou| &project.pous[pou]);
    let last = |name: &str| key(name.rsplit('.').next().unwrap_or(name));
    let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
    pous.map(|pou| last(&pou.name)).chain(vars.map(|var| key(&var.name))).collect()
}
