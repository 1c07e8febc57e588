//! Values of drawn networks in one cycle: inputs and results of each element when its network ran.
//!
//! Knows the places that the front end gives as sources of drawn values, and the events of the interpreter; nothing of statements.

use std::collections::BTreeMap;

use plc_frontend::hir::{Carrier, PouId, Project, TypeId, Value, value_to_st};
use plc_frontend::interp::Machine;
use plc_frontend::source::Span;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::diagram::drawn;

/// A network or chart of one instance in one cycle.
///
/// Values are those of the last execution, each at the moment it was read or written. None of them is a value of an earlier
/// execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NetworkRun {
    /// Index into `Import::diagrams`.
    pub diagram: usize,
    /// Canonical name of the instance; empty for a function.
    pub instance: String,
    /// Number of executions in this cycle.
    pub times: u32,
    /// First output of each element; `None` if it was not computed or is not known.
    pub outputs: Vec<Option<String>>,
    /// Variable of each element, when it was read or written.
    pub operands: Vec<Option<String>>,
    /// Value on each wire.
    pub wires: Vec<Option<String>>,
    /// Values of the operands in each box: when they were read or written, else at the end of the cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<Option<String>>>,
}

/// A value that a drawing shows.
#[derive(Clone, Copy, Debug)]
struct Slot {
    diagram: usize,
    part: Part,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Output(usize),
    Operand(usize),
    Wire(usize),
    /// Operand in a box: the element, its number there.
    Row(usize, usize),
}

/// One drawing, as the recorder needs it.
struct Sheet {
    owner: PouId,
    n_elements: usize,
    n_wires: usize,
    /// Values that are TRUE whenever it runs.
    always: Vec<Part>,
    /// Values at the end of the cycle, by the path in the instance.
    states: Vec<(Part, String)>,
    /// Number of operands in each box; empty if there are none.
    n_rows: Vec<usize>,
    /// Operands in boxes with the paths of their variables.
    paths: Vec<(Part, String)>,
}

/// A body that runs.
struct Activation {
    pou: PouId,
    owner: PouId,
    /// `None` for an instance that does not outlive the cycle.
    instance: Option<String>,
}

/// Execution of one network so far.
struct Execution {
    run: NetworkRun,
    /// Element whose statement ran last; `None` once its body has ended.
    last: Option<usize>,
    /// Body of that statement.
    body: Option<PouId>,
}

/// Most values that are kept; of longer runs those of the last cycles.
const MOST_VALUES: usize = 300_000;

/// Recorder of all drawings of a project.
pub(super) struct Networks<'p> {
    project: &'p Project,
    sheets: Vec<Sheet>,
    expressions: BTreeMap<Span, Vec<Slot>>,
    complements: BTreeMap<Span, Vec<Slot>>,
    targets: BTreeMap<Span, Vec<Slot>>,
    hidden: BTreeMap<(PouId, String), Vec<Slot>>,
    /// Places of statements: by drawing, the first and the last element that has a statement there.
    statements: BTreeMap<Span, BTreeMap<usize, (usize, usize)>>,
    instances: BTreeMap<(PouId, usize), String>,
    types: BTreeMap<String, TypeId>,
    open: Vec<Activation>,
    running: BTreeMap<(usize, String), Execution>,
    cycles: Vec<Vec<NetworkRun>>,
    n_values: usize,
    /// Cycles before this one are no longer kept.
    kept_from: usize,
}

impl<'p> Networks<'p> {
    /// Prepares the first cycle.
    pub(super) fn new(project: &'p Project) -> Networks<'p> {
        let mut networks = Networks {
            project,
            sheets: Vec::new(),
            expressions: BTreeMap::new(),
            complements: BTreeMap::new(),
            targets: BTreeMap::new(),
            hidden: BTreeMap::new(),
            statements: BTreeMap::new(),
            instances: BTreeMap::new(),
            types: BTreeMap::new(),
            open: Vec::new(),
            running: BTreeMap::new(),
            cycles: Vec::new(),
            n_values: 0,
            kept_from: 0,
        };
        for (owner, diagram) in drawn(project) {
            let number = networks.sheets.len();
            let mut sheet = Sheet {
                owner,
                n_elements: diagram.elements.len(),
                n_wires: diagram.wires.len(),
                always: Vec::new(),
                states: Vec::new(),
                n_rows: Vec::new(),
                paths: Vec::new(),
            };
            if diagram.elements.iter().any(|e| !e.rows.is_empty()) {
                sheet.n_rows = diagram.elements.iter().map(|e| e.rows.len()).collect();
            }
            let all_rows = || {
                diagram
                    .elements
                    .iter()
                    .enumerate()
                    .flat_map(|(i, e)| e.rows.iter().enumerate().map(move |(n, row)| (Part::Row(i, n), row)))
            };
            sheet.paths = all_rows().filter_map(|(part, row)| Some((part, row.path.clone()?))).collect();
            let outputs = diagram.elements.iter().enumerate().map(|(i, e)| (Part::Output(i), &e.carrier));
            let operands = diagram.elements.iter().enumerate().map(|(i, e)| (Part::Operand(i), &e.operand));
            let wires = diagram.wires.iter().enumerate().map(|(i, w)| (Part::Wire(i), &w.carrier));
            let rows = all_rows().map(|(part, row)| (part, &row.carrier));
            for (part, carrier) in outputs.chain(operands).chain(wires).chain(rows) {
                let slot = Slot { diagram: number, part };
                match carrier {
                    Carrier::Always => sheet.always.push(part),
                    Carrier::Hidden(name) => networks.hidden.entry((owner, name.clone())).or_default().push(slot),
                    Carrier::Expression(span) => networks.expressions.entry(*span).or_default().push(slot),
                    Carrier::Complement(span) => networks.complements.entry(*span).or_default().push(slot),
                    Carrier::Written(span) => networks.targets.entry(*span).or_default().push(slot),
                    Carrier::State(path) => sheet.states.push((part, path.clone())),
                    Carrier::Unknown => {}
                }
            }
            for (i, element) in diagram.elements.iter().enumerate() {
                // A statement with a condition stands for all of its element.
                for span in element.statement.into_iter().chain(element.statement.map(|_| element.span)) {
                    let range = networks.statements.entry(span).or_default().entry(number).or_insert((i, i));
                    range.1 = i;
                }
            }
            networks.sheets.push(sheet);
        }
        if !networks.sheets.is_empty() {
            let is_drawn = |pou: PouId| networks.sheets.iter().any(|s| s.owner == pou);
            networks.instances = Machine::new(project, plc_frontend::interp::Limits::default()).instances(&is_drawn);
            networks.types = project.leaves().into_iter().map(|leaf| (leaf.name, leaf.ty)).collect();
        }
        networks
    }

    /// Returns the values of each cycle so far, drawings in their order.
    pub(super) fn cycles(&self) -> &[Vec<NetworkRun>] {
        &self.cycles
    }

    /// Returns the number of cycles, from the start, whose values are not kept.
    pub(super) fn n_left_out(&self) -> usize {
        self.kept_from
    }

    /// Begins the next cycle.
    pub(super) fn begin_cycle(&mut self) {
        self.open.clear();
        self.running.clear();
    }

    /// Ends the cycle.
    pub(super) fn end_cycle(&mut self, machine: &Machine<'_>) {
        for (number, sheet) in self.sheets.iter().enumerate().filter(|(_, sheet)| !sheet.states.is_empty()) {
            for (_, instance) in self.instances.iter().filter(|((pou, _), _)| *pou == sheet.owner) {
                let run = &mut execution(&mut self.running, &self.sheets, number, instance).run;
                run.times = run.times.max(1);
                for (part, path) in &sheet.states {
                    let value = machine.leaf(&format!("{instance}.{path}"));
                    let value = value.map(|v| if v == Value::Bool(true) { "TRUE" } else { "FALSE" });
                    *place(run, *part) = value.map(str::to_owned);
                }
            }
        }
        self.fill_rows(machine);
        let runs: Vec<NetworkRun> =
            std::mem::take(&mut self.running).into_values().map(|e| e.run).filter(|r| 0 < r.times).collect();
        self.n_values += runs.iter().map(size).sum::<usize>();
        self.cycles.push(runs);
        while MOST_VALUES < self.n_values && self.kept_from + 1 < self.cycles.len() {
            self.n_values -= std::mem::take(&mut self.cycles[self.kept_from]).iter().map(size).sum::<usize>();
            self.kept_from += 1;
        }
    }

    /// Gives operands that no instruction used in this cycle their values of its end.
    fn fill_rows(&mut self, machine: &Machine<'_>) {
        for ((number, instance), execution) in self.running.iter_mut().filter(|(_, execution)| 0 < execution.run.times) {
            for (part, path) in &self.sheets[*number].paths {
                let slot = place(&mut execution.run, *part);
                let own = format!("{instance}.{path}");
                let known = [own.as_str(), path].into_iter().find_map(|name| Some((self.types.get(name)?, machine.leaf(name)?)));
                if let (None, Some((ty, value))) = (&slot, known) {
                    *slot = Some(value_to_st(self.project, *ty, value));
                }
            }
        }
    }

    pub(super) fn entered(&mut self, pou: PouId, this: usize) {
        if self.sheets.is_empty() {
            return;
        }
        let owner = self.project.pous[pou].member_of.unwrap_or(pou);
        let is_function = matches!(self.project.pous[owner].kind, plc_frontend::hir::PouKind::Function(_));
        let instance = if is_function { Some(String::new()) } else { self.instances.get(&(owner, this)).cloned() };
        self.open.push(Activation { pou, owner, instance });
    }

    pub(super) fn left(&mut self) {
        let Some(Activation { pou, owner, instance: Some(instance) }) = self.open.pop() else { return };
        for ((diagram, of), execution) in &mut self.running {
            // A routine that another one has called ends, and the network of the call goes on.
            if self.sheets[*diagram].owner == owner && *of == instance && execution.body == Some(pou) {
                execution.last = None;
            }
        }
    }

    /// Notes a statement that is about to run. One that stands before the last one of its network begins a new execution of it.
    pub(super) fn executed(&mut self, stmt: Span) {
        let Some(Activation { pou, owner, instance: Some(instance) }) = self.open.last() else { return };
        for (&diagram, &(first, last)) in self.statements.get(&stmt).into_iter().flatten() {
            if self.sheets[diagram].owner != *owner {
                continue;
            }
            let sheet = &self.sheets[diagram];
            let execution = execution(&mut self.running, &self.sheets, diagram, instance);
            if execution.last.is_none_or(|before| last < before) {
                execution.last = None;
                let times = execution.run.times + 1;
                execution.run = empty(sheet, diagram, instance);
                execution.run.times = times;
                for part in &sheet.always {
                    *place(&mut execution.run, *part) = Some("TRUE".to_owned());
                }
            }
            execution.last = execution.last.max(Some(first));
            execution.body = Some(*pou);
        }
    }

    pub(super) fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        if let Some(slots) = self.expressions.get(&span) {
            put(&self.open, &self.sheets, &mut self.running, slots, || value_to_st(self.project, ty, value));
        }
        // The operand itself, then its NOT: the last one counts.
        if let (Some(slots), Value::Bool(last)) = (self.complements.get(&span), value) {
            put(&self.open, &self.sheets, &mut self.running, slots, || super::counterexample::plain(Value::Bool(!last)));
        }
    }

    /// Notes a variable that was read or written under its name.
    pub(super) fn seen(&mut self, name: &str, value: Value) {
        let Some(top) = self.open.last() else { return };
        let last = name.rsplit('.').next().unwrap_or(name);
        // Hidden variables have two underscores in a row.
        if !last.contains("__") {
            return;
        }
        let Some(slots) = self.hidden.get(&(top.owner, last.to_owned())) else { return };
        let ty = self.project.pous[top.pou].vars.iter().find(|v| v.name == last).map(|v| v.ty);
        put(&self.open, &self.sheets, &mut self.running, slots, || text(self.project, ty, value));
    }

    pub(super) fn wrote(&mut self, name: &str, span: Span, value: Value) {
        if let Some(slots) = self.targets.get(&span) {
            let ty = self.types.get(name).copied();
            put(&self.open, &self.sheets, &mut self.running, slots, || text(self.project, ty, value));
        }
        self.seen(name, value);
    }
}

fn text(project: &Project, ty: Option<TypeId>, value: Value) -> String {
    ty.map_or_else(|| super::counterexample::plain(value), |ty| value_to_st(project, ty, value))
}

fn size(run: &NetworkRun) -> usize {
    run.outputs.len() + run.operands.len() + run.wires.len() + run.rows.iter().map(Vec::len).sum::<usize>()
}

fn empty(sheet: &Sheet, diagram: usize, instance: &str) -> NetworkRun {
    NetworkRun {
        diagram,
        instance: instance.to_owned(),
        times: 0,
        outputs: vec![None; sheet.n_elements],
        operands: vec![None; sheet.n_elements],
        wires: vec![None; sheet.n_wires],
        rows: sheet.n_rows.iter().map(|n| vec![None; *n]).collect(),
    }
}

fn execution<'e>(
    running: &'e mut BTreeMap<(usize, String), Execution>,
    sheets: &[Sheet],
    diagram: usize,
    instance: &str,
) -> &'e mut Execution {
    let new = || Execution { run: empty(&sheets[diagram], diagram, instance), last: None, body: None };
    running.entry((diagram, instance.to_owned())).or_insert_with(new)
}

/// Notes a value for the body that runs. An element whose network has not begun (its operand is part of another
/// statement) is no execution.
fn put(
    open: &[Activation],
    sheets: &[Sheet],
    running: &mut BTreeMap<(usize, String), Execution>,
    slots: &[Slot],
    text: impl Fn() -> String,
) {
    let Some(Activation { owner, instance: Some(instance), .. }) = open.last() else { return };
    for slot in slots.iter().filter(|slot| sheets[slot.diagram].owner == *owner) {
        let execution = execution(running, sheets, slot.diagram, instance);
        *place(&mut execution.run, slot.part) = Some(text());
    }
}

fn place(run: &mut NetworkRun, part: Part) -> &mut Option<String> {
    match part {
        Part::Output(i) => &mut run.outputs[i],
        Part::Operand(i) => &mut run.operands[i],
        Part::Wire(i) => &mut run.wires[i],
        Part::Row(i, number) => &mut run.rows[i][number],
    }
}
