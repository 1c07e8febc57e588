//! One program in both: the interpreter runs a cycle, the automaton follows it, their states are compared.
//!
//! The automaton allows more than the interpreter does where something is not modelled exactly (SIN, the bits of a REAL). There
//! it gets the value that the interpreter computed, in the order in which both come to such places. So the rest of the cycle is
//! compared too. If the automaton comes to another place than the interpreter, that is a difference.

use std::collections::{BTreeMap, VecDeque};

use plc_frontend::hir::{AnomalyKind, FaultKind, Project, Root, TypeId, Value as IecValue};
use plc_frontend::ids::Id;
use plc_frontend::interp::{Fault, FaultEnd, Limits, Machine, Recorder};
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::inputs::Cycle;
use crate::cfa::lower::layout::value_of;
use crate::cfa::simulate::{self, Simulator};
use crate::cfa::{LocId, Marks, Model, Site, SiteKind};
use crate::expr::{ExprId, Value, VarId};

/// Most edges of one cycle.
const MAX_EDGES: usize = 2_000_000;
/// Most statements of one cycle.
const MAX_STATEMENTS: u64 = 1_000_000;

/// Interpreter and automaton in the middle of a run.
pub struct Pair<'a> {
    project: &'a Project,
    model: &'a Model,
    machine: Machine<'a>,
    simulator: Simulator<'a>,
    /// Values of the interpreter's variables before the cycle.
    before: Vec<IecValue>,
    /// Variables with arbitrary values, with their gaps.
    open: BTreeMap<VarId, GapId>,
    /// Gaps whose values were chosen in the last cycle; the bits of REALs have none.
    met: Vec<Option<GapId>>,
    cycle: u32,
}

/// End of a cycle in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At its end.
    Complete,
    /// In an automatic check.
    Fault(FaultKind, Span),
    /// At something that is not modelled.
    Gap(GapId),
    /// At values of a stub that an assumption excludes.
    Excluded,
    /// Not within the limits: nothing is known.
    TooLong,
}

/// A difference between the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// 0 is the first one.
    pub cycle: u32,
    /// Description of the difference, on one line.
    pub what: String,
}

/// Records the values that the interpreter computes where the automaton takes any value, and its anomalies.
#[derive(Default)]
struct Choices {
    made: VecDeque<(Option<GapId>, TypeId, IecValue)>,
    anomalies: Vec<(AnomalyKind, Span)>,
}

impl Recorder for Choices {
    fn chose(&mut self, gap: Option<GapId>, ty: TypeId, value: IecValue) {
        self.made.push_back((gap, ty, value));
    }
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        self.anomalies.push((kind, span));
    }
}

/// Returns the sites of anomalies with their kinds and conditions.
fn anomalies(model: &Model) -> impl Iterator<Item = (&Site, AnomalyKind, ExprId)> {
    model.sites.iter().filter_map(|site| {
        let SiteKind::Anomaly { kind, condition } = site.kind else { return None };
        Some((site, kind, condition))
    })
}

impl<'a> Pair<'a> {
    /// Returns both at a cold start.
    pub fn new(project: &'a Project, model: &'a Model) -> Pair<'a> {
        let machine = Machine::new(project, Limits { steps: MAX_STATEMENTS, ..Limits::default() });
        let mut simulator = Simulator::new(&model.pool, &model.cfa);
        simulator.watched = anomalies(model).map(|(site, _, condition)| (site.loc, condition)).collect();
        let mut pair = Pair {
            project,
            model,
            before: machine.state().to_vec(),
            open: model.arbitrary.iter().map(|(gap, var)| (*var, *gap)).collect(),
            machine,
            simulator,
            met: Vec::new(),
            cycle: 0,
        };
        pair.restart();
        pair
    }

    /// Goes back to a cold start.
    pub fn restart(&mut self) {
        let pool = &self.model.pool;
        self.machine.restart();
        self.before.copy_from_slice(self.machine.state());
        self.simulator.restart();
        // One edge leads to the head.
        self.simulator.step(&mut |var| Value::zero(pool.var_decl(var).sort));
        self.met.clear();
        self.cycle = 0;
    }

    /// Returns the gaps whose values were chosen in the last cycle.
    pub fn met(&self) -> &[Option<GapId>] {
        &self.met
    }

    /// Returns the number of the next cycle; 0 is the first.
    pub fn n_cycles(&self) -> usize {
        self.cycle as usize
    }

    /// Runs one cycle in both.
    pub fn cycle(&mut self, given: &Cycle) -> Result<End, Difference> {
        let cycle = self.cycle;
        self.cycle += 1;
        let different = |what: String| Difference { cycle, what };
        if let Err(problem) = self.machine.begin_leaves(&given.by_leaf, i64::from(given.dt_ms) * 1_000_000) {
            return Err(different(format!("the interpreter does not take the inputs: {problem}")));
        }
        if cycle == 0 {
            self.simulator.start(&given.by_var);
        }
        let mut choices = Choices::default();
        let expected = self.machine.run(&mut choices);
        self.met = choices.made.iter().map(|(gap, ..)| *gap).collect();
        let (project, model, left, mut anomalies) = (self.project, self.model, choices.made, choices.anomalies);
        anomalies.retain(|(kind, _)| model.options.marks == Marks::Anomalies(*kind));
        let mut follow = Follow { project, model, open: &self.open, given, left, wrong: None, beyond: None };
        let end = self.simulator.cycle(MAX_EDGES, &mut |var| follow.value(var));
        let Follow { left, wrong, beyond, .. } = follow;
        if let Some(what) = wrong {
            return Err(different(what));
        }
        let end = match (expected, end) {
            (Err(Fault { kind: FaultEnd::Exhausted, .. }), _) | (_, simulate::End::TooLong) => return Ok(End::TooLong),
            // The interpreter failed to compute a value that the model leaves open: the model goes on with any value.
            (Err(Fault { kind: FaultEnd::Check(kind), .. }), _) if beyond.is_some() => {
                return match beyond {
                    Some(Some(gap)) => Ok(End::Gap(gap)),
                    Some(None) | None => Err(different(format!("{kind:?} in the interpreter only"))),
                };
            }
            // The same for a value that is known for some operands only.
            (Err(Fault { kind: FaultEnd::Unsupported(gap), .. }), _) if beyond == Some(Some(gap)) => return Ok(End::Gap(gap)),
            (_, _) if beyond.is_some() => {
                return Err(different("the automaton takes a value that the interpreter does not compute".to_owned()));
            }
            (Ok(()), simulate::End::Head) => End::Complete,
            (Err(Fault { kind: FaultEnd::Check(kind), span }), simulate::End::Stuck(at)) => {
                match self.model.sites.iter().find(|site| site.loc == at) {
                    Some(site) if (&site.kind, site.span) == (&SiteKind::Fault(kind), span) => End::Fault(kind, span),
                    Some(site) => {
                        let (other, place) = (&site.kind, site.span);
                        return Err(different(format!("{kind:?} at {span:?}, the automaton has {other:?} at {place:?}")));
                    }
                    None => return Err(different(format!("{kind:?} at {span:?}, the automaton is stuck at {at}"))),
                }
            }
            (Err(Fault { kind: FaultEnd::Unsupported(gap), .. }), simulate::End::Stuck(at)) => {
                if self.model.gaps.iter().any(|(known, loc)| (*known, *loc) == (gap, at)) {
                    End::Gap(gap)
                } else {
                    return Err(different(format!("the interpreter stops at {gap}, the automaton is stuck at {at}")));
                }
            }
            (Err(Fault { kind: FaultEnd::Excluded, .. }), simulate::End::Stuck(at)) => {
                let is_fault = |site: &Site| site.loc == at && matches!(site.kind, SiteKind::Fault(_));
                if self.model.sites.iter().any(is_fault) || self.model.gaps.iter().any(|(_, loc)| *loc == at) {
                    return Err(different(format!("an assumption excludes the run, the automaton is stuck at {at}")));
                }
                End::Excluded
            }
            (expected, end) => {
                return Err(different(format!("the interpreter ends with {expected:?}, the automaton with {end:?}")));
            }
        };
        if end == End::Complete && !left.is_empty() {
            return Err(different("the interpreter computes a value that the automaton does not take".to_owned()));
        }
        self.same_anomalies(&anomalies).map_err(different)?;
        self.compare().map_err(different)?;
        Ok(end)
    }

    /// Checks that both had the same anomalies in the same order.
    fn same_anomalies(&mut self, expected: &[(AnomalyKind, Span)]) -> Result<(), String> {
        let met = std::mem::take(&mut self.simulator.met);
        let at = |loc: &LocId| anomalies(self.model).find(|(site, ..)| site.loc == *loc).map(|(site, kind, _)| (kind, site.span));
        let found: Vec<(AnomalyKind, Span)> = met.iter().filter_map(at).collect();
        if found == expected { Ok(()) } else { Err(format!("the interpreter tells of {expected:?}, the automaton of {found:?}")) }
    }

    /// Compares every variable that either of them wrote.
    fn compare(&mut self) -> Result<(), String> {
        let now = self.machine.state();
        let written = std::mem::take(&mut self.simulator.written);
        let changed = (0..now.len()).filter(|i| self.before[*i] != now[*i]).map(VarId::new);
        let mut wrong = None;
        for var in changed.chain(written) {
            // The variables of leaves are the first ones, in their order.
            let Ok(at) = self.model.leaves.binary_search_by_key(&var, |(_, var)| *var) else { continue };
            let (leaf, _) = &self.model.leaves[at];
            // A variable that is not initialised has a value in the model only once its block is called.
            let at_call = matches!(leaf.root, Root::Global(global) if self.project.at_call.contains(&global));
            if leaf.stopwatch || at_call {
                continue;
            }
            let expected = value_of(self.project, leaf.ty, now[var.index()]);
            let found = self.simulator.variable(var);
            if found != expected {
                wrong = wrong.or_else(|| Some(format!("`{}` is {expected:?}, in the automaton {found:?}", leaf.name)));
            }
        }
        self.before.copy_from_slice(now);
        wrong.map_or(Ok(()), Err)
    }
}

/// Gives the automaton its values.
struct Follow<'f> {
    project: &'f Project,
    model: &'f Model,
    open: &'f BTreeMap<VarId, GapId>,
    given: &'f Cycle,
    left: VecDeque<(Option<GapId>, TypeId, IecValue)>,
    wrong: Option<String>,
    /// Gap of a value that the interpreter did not compute.
    beyond: Option<Option<GapId>>,
}

impl Follow<'_> {
    fn value(&mut self, var: VarId) -> Value {
        let gap = self.open.get(&var).copied();
        // A variable that is not initialised is an input too, read when its block is called.
        if let (None, Some(value)) = (gap, self.given.by_var.get(&var)) {
            return *value;
        }
        let sort = self.model.pool.var_decl(var).sort;
        match self.left.pop_front() {
            Some((of, ty, value)) if of == gap => {
                let value = value_of(self.project, ty, value);
                if value.sort() == sort {
                    return value;
                }
                self.wrong.get_or_insert_with(|| format!("{value:?} where the automaton takes a {sort}"));
            }
            Some((of, ..)) => {
                self.wrong
                    .get_or_insert_with(|| format!("the interpreter computes {of:?}, the automaton takes a value of {gap:?}"));
            }
            None => {
                self.beyond.get_or_insert(gap);
            }
        }
        Value::zero(sort)
    }
}
