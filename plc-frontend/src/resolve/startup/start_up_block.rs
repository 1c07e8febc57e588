//! Start-up organization block of Siemens: it runs once, before the first cycle and behind the declared initial values.
//!
//! Its run is computed where all that it reads is known; the values that it leaves are the initial values
//! ([`Project::cold_start`]). Else the variables that it may write start with any value.
//!
//! Source: Siemens, S7-1200 System Manual, 11/2011, page 65: before the start-up blocks the process image of inputs is cleared, and
//! they read zero there. Interrupts wait until all of them have run.

use crate::environment::{bodies, reached, writes_of};
use crate::hir::{
    AddressArea, Builtin, ExprKind, FaultKind, Leaf, PouId, ProgramInstance, Project, Role, Root, Start, StartUp, TypeId, Value,
    walk,
};
use crate::ids::Id;
use crate::interp::{FaultEnd, Machine, Recorder};
use crate::resolve::startup::entry::other_event;
use crate::resolve::startup::fb_init::LIMITS;
use crate::text::{Gap, GapId, Ledger, Span, Treatment};
use std::collections::{BTreeMap, BTreeSet};

/// Effect of the block on the values before the first cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// All values are computed, or there is no such block.
    Computed,
    /// Some variables start with any value ([`Project::not_computed`]).
    Widened,
    /// It has statements that are not modelled. So it counts as a block of any event.
    AnyEvent,
}

/// Runs the block. The environment must be settled as if its effect were computed; any other effect changes the environment.
///
/// Soundness: a computed run reads constants, variables of the program with their initial values, and inputs of the process image,
/// which are zero. Other inputs, timers and the clock have no known value before the first cycle.
///
/// Cost: that of one cycle, at most a million steps.
pub(crate) fn run(project: &mut Project, ledger: &mut Ledger) -> Effect {
    let Some(block) = project.start_up else { return Effect::Computed };
    let bodies = bodies(project);
    let own = reached(&bodies, [block.pou].into_iter());
    if own.iter().any(|pou| !bodies[pou.index()].gaps.is_empty()) {
        return any_event(project, ledger, block);
    }
    let leaves = project.leaves();
    let written = writes_of(project, &leaves, block.pou);
    let times = leaves.iter().zip(&written).any(|(leaf, is_written)| leaf.stopwatch && *is_written);
    if times {
        return any_event(project, ledger, block);
    }
    let mut watch = Watch::new(project, &leaves);
    watch.is_guessed = own.iter().any(|pou| reads_clock(project, *pou));
    let (ended, values) = perform(project, block.pou, &mut watch);
    let name = project.pous[block.pou].name.clone();
    match ended {
        Ok(()) if !watch.is_guessed => {
            let changed = leaves.iter().filter_map(|leaf| Some((leaf, *values.get(&leaf.name)?)));
            let changed: BTreeMap<String, Value> = changed
                .filter(|(leaf, value)| leaf.init != Some(*value))
                .map(|(leaf, value)| (leaf.name.clone(), value))
                .collect();
            project.cold_start.extend(changed);
            let reads = watch.reads;
            project.start_reads.extend(reads.into_iter().map(|name| (name, block.span)));
            return Effect::Computed;
        }
        Err(FaultEnd::Check(kind)) if !watch.is_guessed => {
            let effect = format!("its run before the first cycle ends with an error: {}", error(kind));
            ledger.gap(Gap {
                span: block.span,
                construct: format!("`{name}` runs without an error"),
                treatment: Treatment::Assumed,
                effect,
            });
        }
        _ => {}
    }
    let widened = leaves.iter().zip(&written).filter(|(_, is_written)| **is_written).map(|(leaf, _)| leaf.name.clone());
    project.not_computed.extend(widened);
    project.open_starts.insert(block.span);
    ledger.gap(Gap {
        span: block.span,
        construct: format!("start-up block `{name}`, which cannot be computed"),
        treatment: Treatment::OverApproximated,
        effect: "the variables that it may write have any value before the first cycle".to_owned(),
    });
    ledger.gap(Gap {
        span: block.span,
        construct: format!("variables that `{name}` may write can start with the values of the run"),
        treatment: Treatment::AssumedByRuns,
        effect: "it runs before the first cycle and is not computed: the run starts with any values".to_owned(),
    });
    Effect::Widened
}

/// Makes the block one of any event.
fn any_event(project: &mut Project, ledger: &mut Ledger, block: StartUp) -> Effect {
    project.start_up = None;
    project.events.insert(block.span);
    ledger.gap(other_event(block.span));
    Effect::AnyEvent
}

/// Runs the block by itself; returns its end and the values behind it, by the names of leaves.
fn perform(project: &mut Project, pou: PouId, watch: &mut Watch) -> (Result<(), FaultEnd>, BTreeMap<String, Value>) {
    let name = project.pous[pou].name.clone();
    let instance = project.instances.push(ProgramInstance { name, pou });
    let mut machine = Machine::new(project, LIMITS);
    let ended = machine.run_once(instance, watch).map_err(|fault| fault.kind);
    let values = machine.leaves().into_iter().collect();
    drop(machine);
    project.instances.pop();
    (ended, values)
}

fn reads_clock(project: &Project, pou: PouId) -> bool {
    let mut reads = false;
    walk::exprs(&project.pous[pou].body, |e| reads |= matches!(e.kind, ExprKind::Builtin(Builtin::Clock, _)));
    reads
}

/// Recorder that notices values that are not known before the first cycle.
struct Watch {
    known: BTreeSet<String>,
    unknown: BTreeSet<String>,
    /// Known leaves that were read.
    reads: BTreeSet<String>,
    is_guessed: bool,
}

impl Watch {
    fn new(project: &Project, leaves: &[Leaf]) -> Watch {
        let is_image = |leaf: &Leaf| {
            let address = if let Root::Global(global) = leaf.root { project.globals[global].address.as_ref() } else { None };
            address.is_some_and(|address| address.area == AddressArea::Input) && leaf.init.is_some_and(is_zero)
        };
        let is_known = |leaf: &Leaf| match leaf.role {
            Role::Input => is_image(leaf),
            Role::Parameter => false,
            Role::Memory | Role::Output => leaf.start == Start::Initial,
        };
        // A variable that shares memory has the values of its parts.
        let has_parts = |leaf: &Leaf| leaf.view.iter().flat_map(|view| &view.parts).all(|part| is_known(&leaves[part.of]));
        let (known, unknown): (Vec<&Leaf>, Vec<&Leaf>) = leaves.iter().partition(|leaf| is_known(leaf) && has_parts(leaf));
        let names = |leaves: Vec<&Leaf>| leaves.into_iter().map(|leaf| leaf.name.clone()).collect();
        Watch { known: names(known), unknown: names(unknown), reads: BTreeSet::new(), is_guessed: false }
    }
}

impl Recorder for Watch {
    fn wants_names(&self) -> bool {
        true
    }
    fn read(&mut self, name: &str, _span: Span, _value: Value) {
        if self.known.contains(name) {
            self.reads.insert(name.to_owned());
        }
        self.is_guessed |= self.unknown.contains(name);
    }
    fn chose(&mut self, _gap: Option<GapId>, _ty: TypeId, _value: Value) {
        self.is_guessed = true;
    }
}

fn is_zero(value: Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Int(value) => value == 0,
        Value::Real(bits) => bits == 0,
        Value::LReal(bits) => bits == 0,
    }
}

/// Returns words for an error.
fn error(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::DivisionByZero => "division by zero",
        FaultKind::IndexOutOfBounds => "index out of bounds",
        FaultKind::ConversionRange => "number that does not fit its new type",
        FaultKind::LoopWrap => "FOR loop that leaves the range of its variable",
        FaultKind::NullReference => "reference to nothing",
        FaultKind::Watchdog => "loop that does not end",
        FaultKind::CallDepth => "too many calls of a function by itself",
    }
}

#[cfg(test)]
mod tests;
