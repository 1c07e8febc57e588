//! Inputs of a run as assignments, and the values that it leads to.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{
    Address, AddressArea, Expr, ExprKind, Leaf, LeafElem, Project, Role, Root, Section, Shown, Type, TypeId, Value, expr_to_st,
    type_to_st,
};
use plc_frontend::interp::{FaultEnd, Machine, Silent};
use plc_frontend::source::Span;

use super::observer::Observer;
use super::paths::Paths;
use super::visibility::{Use, is_visible};
use super::{Recorded, identifier};
use crate::report::at_calls::AtCalls;
use kernel::property::check::Event;
use kernel::property::mentions;

/// Inputs and expected values of a run as text.
pub(super) struct Drive {
    /// Assignments at the beginning of each cycle.
    pub(super) given: Vec<Vec<String>>,
    /// Assignments at the beginning of every cycle, after those.
    pub(super) always_given: Vec<String>,
    /// Variables of the test, with their types.
    pub(super) declarations: Vec<(String, String)>,
    /// Expected values that change, by cycle.
    pub(super) expected: Vec<Vec<String>>,
    /// Condition under which values are not the expected ones; empty if none is compared.
    pub(super) differs: String,
    /// Sentence about a cycle that does not end.
    pub(super) ends_with: Option<String>,
    /// Inputs of the run that no statement can give.
    pub(super) not_expressed: Vec<String>,
    /// Inner variables of programs that the test writes.
    pub(super) inner: BTreeSet<String>,
}

/// Most variables whose values are compared.
const MOST_COMPARED: usize = 200;

/// Returns inputs and expected values of a run.
pub(super) fn drive(run: &Recorded<'_>, paths: &mut Paths, observer: &Observer) -> Result<Drive, String> {
    let leaves = run.project.leaves();
    let rows = run.project.shown(&leaves);
    let names = paths.rows(&rows);
    let mut writer = Writer::new(run, leaves, rows, names);
    let n_left = writer.choose_compared(run, paths);
    let mut machine = Machine::new(run.project, run.limits);
    let (mut given, mut expected, mut ends_with) = (Vec::new(), Vec::new(), None);
    let mut elapsed_ms = None;
    for (at, cycle) in run.cycles.iter().enumerate() {
        let before = writer.snapshot(&machine);
        machine.begin(&cycle.inputs, cycle.dt_ns).map_err(|e| e.to_string())?;
        let mut lines = writer.given(at, &cycle.inputs, &before, &machine, paths);
        let ms = cycle.dt_ns / 1_000_000;
        if let Some(elapsed) = observer.elapsed.as_ref().filter(|_| elapsed_ms.replace(ms) != Some(ms)) {
            lines.push(format!("{elapsed} := {ms};"));
        }
        given.push(lines);
        match machine.run(&mut Silent) {
            Ok(()) => expected.push(writer.expected(&machine)),
            Err(fault) if at + 1 == run.cycles.len() => ends_with = Some(end_sentence(run, fault.kind, fault.span)),
            Err(_) => return Err("the run ends before its last cycle".to_owned()),
        }
    }
    let differs: Vec<String> = writer.compared.iter().map(|of| format!("{} <> {}", writer.names[of.row], of.own)).collect();
    let mut not_expressed = writer.not_expressed();
    not_expressed.extend((0 < n_left).then(|| format!("the values of {n_left} more variables are not compared")));
    Ok(Drive {
        given,
        always_given: writer.held.values().map(|(row, own)| format!("{} := {own};", writer.names[*row])).collect(),
        declarations: writer.declarations,
        expected,
        differs: differs.join("\nOR "),
        ends_with,
        not_expressed,
        inner: writer.inner,
    })
}

/// Returns the sentence about a fault in the last cycle.
fn end_sentence(run: &Recorded<'_>, kind: FaultEnd, span: Span) -> String {
    let line = run.sources.line_col(span).line;
    let file = run.sources.files.get(span.file).map_or("the program", |file| file.name.as_str());
    let what = match kind {
        FaultEnd::Check(kind) => Event::Fault(kind).mistake().to_owned(),
        FaultEnd::Unsupported(_) | FaultEnd::Exhausted | FaultEnd::Excluded => "the interpreter cannot follow it".to_owned(),
    };
    format!("The call in cycle {} does not end as written: {what} on line {line} of {file}.", run.cycles.len())
}

/// Variable whose value is compared, with the variable of the test that has the expected value.
struct Compared {
    row: usize,
    own: String,
    last: Option<String>,
}

/// Writes values of rows.
struct Writer<'p> {
    project: &'p Project,
    leaves: Vec<Leaf>,
    rows: Vec<Shown>,
    /// Name of each row in the test.
    names: Vec<String>,
    /// Row of each leaf.
    row_of: BTreeMap<String, usize>,
    compared: Vec<Compared>,
    /// Located inputs, with the variable of the test that keeps the value: the controller reads them anew in each cycle.
    held: BTreeMap<usize, (usize, String)>,
    declarations: Vec<(String, String)>,
    /// Inner variables of programs that are given values.
    inner: BTreeSet<String>,
    /// Values that no statement can give, by name.
    refused: BTreeMap<String, Vec<String>>,
    at_calls: AtCalls<'p>,
}

impl<'p> Writer<'p> {
    fn new(run: &Recorded<'p>, leaves: Vec<Leaf>, rows: Vec<Shown>, names: Vec<String>) -> Writer<'p> {
        let of = |(n, row): (usize, &Shown)| row.leaves.clone().map(move |leaf| (leaf, n)).collect::<Vec<_>>();
        let row_of = rows.iter().enumerate().flat_map(of).map(|(leaf, n)| (leaves[leaf].name.clone(), n)).collect();
        let (compared, held, declarations, refused) = (Vec::new(), BTreeMap::new(), Vec::new(), BTreeMap::new());
        let (inner, at_calls, project) = (BTreeSet::new(), AtCalls::new(run.cycles), run.project);
        Writer { project, leaves, rows, names, row_of, compared, held, declarations, inner, refused, at_calls }
    }

    /// Chooses the variables whose values are compared; returns the number of those that are left.
    fn choose_compared(&mut self, run: &Recorded<'_>, paths: &mut Paths) -> usize {
        let spoken: BTreeSet<String> = mentions::leaves(&run.claim.conditions(), self.project);
        let is_compared = |row: &&(usize, &Shown)| {
            self.leaves[row.1.leaves.clone()].iter().all(|leaf| {
                let is_wanted = leaf.role == Role::Output || spoken.contains(&leaf.name);
                let is_plain = is_visible(self.project, leaf, Use::Read)
                    && !leaf.hidden
                    && !leaf.is_given(1)
                    && !self.project.references.contains_key(&leaf.ty);
                is_wanted && is_plain && leaf.init.is_some_and(|value| value.as_float().is_none())
            })
        };
        let chosen: Vec<(usize, Shown)> =
            self.rows.iter().enumerate().filter(|row| is_compared(&row)).map(|(n, row)| (n, row.clone())).collect();
        for (row, shown) in chosen.iter().take(MOST_COMPARED) {
            let own = paths.free(&format!("Expected_{}", identifier(&self.names[*row])));
            self.declarations.push((own.clone(), self.type_of(shown)));
            self.compared.push(Compared { row: *row, own, last: None });
        }
        chosen.len().saturating_sub(MOST_COMPARED)
    }

    /// Returns the type of a row.
    fn type_of(&self, row: &Shown) -> String {
        match row.text {
            Some(wide) => format!("{}STRING[{}]", if wide { "W" } else { "" }, row.leaves.len()),
            None => {
                self.leaves.get(row.leaves.start).map_or_else(String::new, |leaf| type_to_st(self.project, self.base(leaf.ty)))
            }
        }
    }

    /// Returns the type behind a subrange: a value of a run may be outside of it.
    fn base(&self, ty: TypeId) -> TypeId {
        if let Type::Subrange { base, .. } = self.project.types[ty].ty { self.base(base) } else { ty }
    }

    /// Returns the variable of the test through which a value outside of a subrange is given: no literal has it.
    fn detour(&mut self, n: usize, row: &Shown, value: Option<Value>, paths: &mut Paths) -> Option<String> {
        let leaf = self.leaves.get(row.leaves.start)?;
        let (Type::Subrange { low, high, .. }, Some(Value::Int(number))) = (&self.project.types[leaf.ty].ty, value) else {
            return None;
        };
        if *low <= number && number <= *high {
            return None;
        }
        let own = paths.free(&format!("Given_{}", identifier(&self.names[n])));
        self.declarations.push((own.clone(), self.type_of(row)));
        Some(own)
    }

    /// Returns the values of all leaves that the environment may give.
    fn snapshot(&self, machine: &Machine<'_>) -> Vec<Option<Value>> {
        self.leaves.iter().map(|leaf| if leaf.is_given(0) { machine.leaf(&leaf.name) } else { leaf.init }).collect()
    }

    /// Returns the assignments at the beginning of a cycle.
    fn given(
        &mut self,
        cycle: usize,
        inputs: &BTreeMap<String, Value>,
        before: &[Option<Value>],
        machine: &Machine<'_>,
        paths: &mut Paths,
    ) -> Vec<String> {
        // No tag has the name of this input; it is FALSE in the run.
        let restart = self.project.restart.map(|id| self.project.globals[id].name.as_str());
        let tags = inputs.keys().filter(|name| restart != Some(name.as_str()));
        let mut rows: BTreeSet<usize> = tags.filter_map(|name| self.row_of.get(name).copied()).collect();
        if cycle == 0 {
            // The controller reads these from the field, also those that have their declared value in the run.
            rows.extend((0..self.rows.len()).filter(|n| self.is_from_the_field(&self.rows[*n])));
        }
        let mut lines = Vec::new();
        for n in rows {
            let row = self.rows[n].clone();
            let mut now = before.to_vec();
            row.leaves.clone().for_each(|leaf| now[leaf] = machine.leaf(&self.leaves[leaf].name));
            let is_held = self.held.contains_key(&n);
            let is_first = cycle == 0 && self.is_from_the_field(&row);
            let is_same = now[row.leaves.clone()] == before[row.leaves.clone()];
            let first = self.project.shown_value(&row, &self.leaves, &now).unwrap_or_default();
            let several =
                self.leaves.get(row.leaves.start).and_then(|leaf| self.at_calls.words(self.project, leaf, cycle, &first));
            if is_same && !is_held && !is_first && several.is_none() {
                continue;
            }
            let is_written = self.leaves.get(row.leaves.start).is_some_and(|leaf| is_visible(self.project, leaf, Use::Write));
            let Some(value) = self.value(&row, &now).filter(|_| is_written) else {
                self.refuse(&row, cycle, &several.unwrap_or(first));
                continue;
            };
            several.iter().for_each(|told| self.refuse(&row, cycle, told));
            if self.leaves.get(row.leaves.start).is_some_and(|leaf| is_inner(self.project, leaf)) {
                self.inner.insert(self.names[n].clone());
            }
            if let Some(own) = self.held_name(n, &row, paths) {
                lines.push(format!("{own} := {value};"));
            } else if let Some(own) = self.detour(n, &row, now.get(row.leaves.start).copied().flatten(), paths) {
                lines.push(format!("{own} := {value};"));
                lines.push(format!("{} := {own};", self.names[n]));
            } else {
                lines.push(format!("{} := {value};", self.names[n]));
            }
        }
        lines
    }

    /// Returns whether the controller reads a row from an input address at the start of each cycle.
    fn is_from_the_field(&self, row: &Shown) -> bool {
        self.leaves.get(row.leaves.start).is_some_and(|leaf| {
            let is_restart = matches!(leaf.root, Root::Global(id) if self.project.restart == Some(id));
            !is_restart
                && leaf.is_given(0)
                && address(self.project, leaf).is_some_and(|address| address.area == AddressArea::Input)
        })
    }

    /// Returns the variable of the test that keeps the value of a located input.
    fn held_name(&mut self, n: usize, row: &Shown, paths: &mut Paths) -> Option<String> {
        if let Some((_, own)) = self.held.get(&n) {
            return Some(own.clone());
        }
        if !self.is_from_the_field(row) {
            return None;
        }
        let own = paths.free(&format!("Given_{}", identifier(&self.names[n])));
        self.declarations.push((own.clone(), self.type_of(row)));
        self.held.insert(n, (n, own.clone()));
        Some(own)
    }

    /// Returns a value as program text; `None` where no statement can give it.
    fn value(&self, row: &Shown, values: &[Option<Value>]) -> Option<String> {
        let leaf = self.leaves.get(row.leaves.start)?;
        let is_at_call = matches!(leaf.root, Root::Global(id) if self.project.at_call.contains(&id));
        if leaf.hidden || is_at_call || self.project.references.contains_key(&leaf.ty) {
            return None;
        }
        let value = values.get(row.leaves.start).copied().flatten()?;
        if let (Type::Enum { variants, .. }, Value::Int(number)) = (&self.project.types[leaf.ty].ty, value)
            && !variants.iter().any(|(_, of)| *of == number)
        {
            return None;
        }
        if value.non_finite().is_some() {
            return Some(expr_to_st(self.project, &Expr { kind: ExprKind::Literal(value), ty: leaf.ty, span: leaf.span }));
        }
        self.project.shown_value(row, &self.leaves, values)
    }

    /// Returns the expected values that change at the end of a cycle.
    fn expected(&mut self, machine: &Machine<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut compared = std::mem::take(&mut self.compared);
        for of in &mut compared {
            let row = &self.rows[of.row];
            let mut values: Vec<Option<Value>> = vec![None; self.leaves.len()];
            row.leaves.clone().for_each(|leaf| values[leaf] = machine.leaf(&self.leaves[leaf].name));
            let value = self.value(row, &values);
            if of.last != value {
                lines.extend(value.iter().map(|value| format!("{} := {value};", of.own)));
                of.last = value;
            }
        }
        self.compared = compared;
        lines
    }

    /// Notes a value that no statement can give.
    fn refuse(&mut self, row: &Shown, cycle: usize, told: &str) {
        self.refused.entry(row.name.clone()).or_default().push(format!("{told} in cycle {}", cycle + 1));
    }

    /// Returns sentences about values that no statement can give.
    fn not_expressed(&self) -> Vec<String> {
        self.refused.iter().map(|(name, values)| format!("{name} is {}", values.join(", "))).collect()
    }
}

/// Returns whether a leaf belongs to an inner variable of a program: some systems let no other POU write it.
fn is_inner(project: &Project, leaf: &Leaf) -> bool {
    match (leaf.root, leaf.path.first()) {
        (Root::Instance(id), Some(LeafElem::Member(var))) => {
            project.pous[project.instances[id].pou].vars[*var].section == Section::Local
        }
        (Root::Instance(_) | Root::Global(_) | Root::Var(_) | Root::This(_), _) => false,
    }
}

/// Returns the address of the variable around a leaf.
fn address<'p>(project: &'p Project, leaf: &Leaf) -> Option<&'p Address> {
    match (leaf.root, leaf.path.first()) {
        (Root::Global(id), _) => project.globals[id].address.as_ref(),
        (Root::Instance(id), Some(LeafElem::Member(var))) => project.pous[project.instances[id].pou].vars[*var].address.as_ref(),
        (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => None,
    }
}
