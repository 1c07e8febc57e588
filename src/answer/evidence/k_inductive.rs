//! The obligations of a k-induction: base and step, and those of an auxiliary invariant that stands alone.

use std::collections::{BTreeMap, BTreeSet};

use super::inductive::{Draft, Rejected, speaks_of_the_model};
use super::live::live;
use super::region::{Arrival, Regions};
use super::smtlib::{Names, Script, Text};
use kernel::cfa::{Cfa, LocId, LocKind};
use kernel::expr::{ExprId, ExprPool, Sort, VarId};
use kernel::smt::{Interrupt, Unknown};
use kernel::verdict::{Paths, Support};

/// The auxiliary invariant of a k-induction.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) pool: &'a ExprPool,
    pub(super) invariant: ExprId,
    pub(super) support: Support,
    pub(super) paths: Paths,
}

pub(super) fn k_inductive(
    pool: &ExprPool,
    cfa: &Cfa,
    k: u32,
    given: Given<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Draft>, Rejected> {
    if k == 0 {
        return Err(Rejected::Malformed("k-induction needs a k of at least 1".into()));
    }
    if (given.support, given.paths) == (Support::Steps, Paths::Simple) {
        // A run without repetitions as far as the error is concerned may still differ in what the invariant speaks of.
        return Err(Rejected::Malformed("a k-inductive invariant needs all paths, not only those without repetition".into()));
    }
    speaks_of_the_model(cfa, given.pool, given.invariant)?;
    let regions = regions(pool, cfa)?;
    let mut drafts = match given.support {
        Support::Alone => alone(&regions, given)?,
        Support::Steps => Vec::new(),
    };
    drafts.push(base(&regions, k, given, interrupt)?);
    drafts.push(step(&regions, k, given, interrupt)?);
    Ok(drafts)
}

/// Whole cycles. Where that leaves a loop without a cut point, all heads of loops are cut points too: see [`violated`].
fn regions<'a>(pool: &'a ExprPool, cfa: &'a Cfa) -> Result<Regions<'a>, Rejected> {
    let head = BTreeSet::from([cfa.head]);
    Regions::new(pool, cfa, head.clone()).or_else(|_| {
        let loops = cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(id, _)| id);
        Regions::new(pool, cfa, head.into_iter().chain(loops).collect())
    })
}

/// The ways of a cycle that must not be taken: those to the error location, and those to a loop inside of the cycle, whose
/// rounds k-induction does not speak of. So a proof shows that no run comes to such a loop.
fn violated<'a>(cfa: &Cfa, ends: &'a BTreeMap<LocId, Arrival>) -> impl Iterator<Item = &'a str> {
    let head = cfa.head;
    ends.iter().filter(move |(loc, _)| **loc != head).map(|(_, end)| end.reached.as_ref())
}

/// The invariant is inductive, as far as cycles go that [`violated`] does not speak of.
fn alone(regions: &Regions<'_>, given: Given<'_>) -> Result<Vec<Draft>, Rejected> {
    let Given { pool, invariant, .. } = given;
    let cfa = regions.cfa;
    let mut initiation = Draft::new("initiation", "the auxiliary invariant holds at the start of the first cycle".into());
    let names = regions.initial_state(&mut initiation.script);
    let ends = regions.walk(&mut initiation.script, cfa.init, names)?;
    break_invariant(&mut initiation.script, pool, invariant, ends.get(&cfa.head))?;

    let mut consecution = Draft::new("consecution", "every cycle keeps the auxiliary invariant".into());
    let names = regions.any_state(&mut consecution.script);
    let holds = consecution.script.expr(pool, invariant, &names)?;
    consecution.script.assert(&holds);
    let ends = regions.walk(&mut consecution.script, cfa.head, names)?;
    break_invariant(&mut consecution.script, pool, invariant, ends.get(&cfa.head))?;
    Ok(vec![initiation, consecution])
}

/// No violation in the first cycles; and if all `k` are completed, the states they began in satisfy a k-inductive invariant.
fn base(regions: &Regions<'_>, k: u32, given: Given<'_>, interrupt: &Interrupt) -> Result<Draft, Rejected> {
    let cfa = regions.cfa;
    let text = match given.support {
        Support::Alone => format!("no violation in {}", cycles_up_to(k)),
        Support::Steps => {
            format!("no violation in {}, from states that satisfy the auxiliary invariant", cycles_up_to(k))
        }
    };
    let mut base = Draft::new("base", text);
    let names = regions.initial_state(&mut base.script);
    let mut ends = regions.walk(&mut base.script, cfa.init, names)?;
    // A violation in cycle j means that cycles 1 to j-1 were completed: each cycle's arrival is conjoined to the next.
    let mut completed = Text::from("true");
    let mut violations = vec!["false".to_owned()];
    let mut broken = Vec::new();
    for cycle in 0..=k {
        within(interrupt)?;
        violations.extend(violated(cfa, &ends).map(|reached| format!("(and {completed} {reached})")));
        let Some(head) = ends.remove(&cfa.head) else {
            // No run completes this cycle, so none completes all of them.
            broken.clear();
            break;
        };
        completed = base.script.define("completed", Sort::Bool, &format!("(and {completed} {})", head.reached));
        if cycle == k {
            break;
        }
        match given.support {
            Support::Alone => {}
            Support::Steps => {
                let holds = base.script.expr(given.pool, given.invariant, &head.names)?;
                broken.push(format!("(not {holds})"));
            }
        }
        ends = regions.walk(&mut base.script, cfa.head, head.names)?;
    }
    if !broken.is_empty() {
        violations.push(format!("(and {completed} (or {}))", broken.join(" ")));
    }
    base.script.assert(&format!("(or {})", violations.join(" ")));
    Ok(base)
}

fn cycles(k: u32) -> String {
    if k == 1 { "1 cycle".to_owned() } else { format!("{k} cycles") }
}

fn cycles_up_to(k: u32) -> String {
    if k == 1 { "cycle 1".to_owned() } else { format!("cycles 1 to {k}") }
}

/// After `k` cycles through states that satisfy the invariant there is no violation, and a k-inductive one holds again.
fn step(regions: &Regions<'_>, k: u32, given: Given<'_>, interrupt: &Interrupt) -> Result<Draft, Rejected> {
    let cfa = regions.cfa;
    let text = match given.support {
        Support::Alone => {
            format!("after {} without a violation, from any state the invariant allows, the next has none either", cycles(k))
        }
        Support::Steps => format!(
            "after {} without a violation through states that satisfy the auxiliary invariant, \
             it holds again, and the next cycle has no violation either",
            cycles(k)
        ),
    };
    let text = match given.paths {
        Paths::Any => text,
        Paths::Simple => format!("{text}, as long as no state comes twice"),
    };
    let mut step = Draft::new("step", text);
    let mut names = regions.any_state(&mut step.script);
    let deciding = match given.paths {
        Paths::Any => BTreeSet::new(),
        Paths::Simple => live(regions.pool, cfa, cfa.head),
    };
    let mut before: Vec<Names> = Vec::new();
    for _ in 0..k {
        within(interrupt)?;
        let holds = step.script.expr(given.pool, given.invariant, &names)?;
        step.script.assert(&holds);
        let Some(next) = regions.walk(&mut step.script, cfa.head, names.clone())?.remove(&cfa.head) else {
            step.script.assert("false");
            break;
        };
        step.script.assert(&next.reached);
        before.push(std::mem::replace(&mut names, next.names));
        match given.paths {
            Paths::Any => {}
            Paths::Simple => {
                for old in &before {
                    step.script.assert(&differ(&deciding, old, &names));
                }
            }
        }
    }
    let holds = step.script.expr(given.pool, given.invariant, &names)?;
    let ends = regions.walk(&mut step.script, cfa.head, names)?;
    let violated = format!("(or false {})", violated(cfa, &ends).collect::<Vec<_>>().join(" "));
    match given.support {
        Support::Alone => {
            step.script.assert(&holds);
            step.script.assert(&violated);
        }
        Support::Steps => step.script.assert(&format!("(or (not {holds}) {violated})")),
    }
    Ok(step)
}

/// Two states differ in one of these variables.
fn differ(vars: &BTreeSet<VarId>, a: &Names, b: &Names) -> String {
    let pairs = vars.iter().filter_map(|var| Some((a.get(var)?, b.get(var)?)));
    // The same text is the same value.
    let differ = pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("(distinct {a} {b})"));
    format!("(or false {})", differ.collect::<Vec<_>>().join(" "))
}

fn within(interrupt: &Interrupt) -> Result<(), Rejected> {
    if interrupt.is_raised() { Err(Rejected::Undecided("base", Unknown::Interrupted)) } else { Ok(()) }
}

fn break_invariant(script: &mut Script, pool: &ExprPool, invariant: ExprId, end: Option<&Arrival>) -> Result<(), Rejected> {
    match end {
        Some(end) => {
            let holds = script.expr(pool, invariant, &end.names)?;
            script.assert(&format!("(and {} (not {holds}))", end.reached));
        }
        None => script.assert("false"),
    }
    Ok(())
}
