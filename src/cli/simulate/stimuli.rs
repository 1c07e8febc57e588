//! Input values by cycle: `--set` and `--stimuli`.

use std::collections::BTreeMap;
use std::path::Path;

use plc_frontend::Loaded;
use plc_frontend::ast::{ExprKind, Literal};
use plc_frontend::hir::{Leaf, Project, Type, Value, is_at_call, leaf_at_call, name_at_call};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::decode;

use super::super::SimulateArgs;
use super::super::print::complain;
use super::super::programs::bytes;
use super::DEFAULT_CYCLES;
use super::recorded_cell;
use super::recorded_run::GIVEN;
use crate::report::names::Names;
use answer::certificate::stated_value;

/// Input values by cycle and leaf name, and when cycles start.
#[derive(Debug, Default)]
pub(super) struct Stimuli {
    values: BTreeMap<(u32, String), Value>,
    /// Rows of the file.
    n_rows: Option<u32>,
    /// The start of each row's cycle, in nanoseconds, if the file says so.
    times_ns: Vec<i64>,
}

impl Stimuli {
    /// Returns the value that an input gets in a cycle.
    pub(super) fn value(&self, cycle: u32, leaf: &str) -> Option<Value> {
        self.values.get(&(cycle, leaf.to_owned())).copied()
    }
    /// Returns the values that calls of stubs behind the first one give in a cycle, by name.
    pub(super) fn at_calls(&self, cycle: u32) -> impl Iterator<Item = (String, Value)> {
        let of_cycle = self.values.range((cycle, String::new())..(cycle + 1, String::new()));
        of_cycle.filter(|((_, name), _)| leaf_at_call(name).is_some()).map(|((_, name), value)| (name.clone(), *value))
    }
    /// Returns the number of cycles in the file, if there is one.
    pub(super) fn cycles(&self) -> Option<u32> {
        self.n_rows
    }
    /// Returns the time that passes before a cycle.
    pub(super) fn step_ns(&self, cycle: u32, default_ns: i64) -> i64 {
        let time = |cycle: u32| self.times_ns.get(cycle as usize).copied();
        match (cycle.checked_sub(2), cycle.checked_sub(1).and_then(time)) {
            (Some(before), Some(now)) => now - time(before).unwrap_or(0),
            (None, Some(now)) if 0 < now => now,
            (None | Some(_), _) => default_ns,
        }
    }
}

/// Reads the inputs of the command line.
pub(super) fn read(args: &SimulateArgs, loaded: &mut Loaded) -> Result<Stimuli, String> {
    let mut reader = Reader {
        leaves: loaded.project.leaves(),
        names: Names::new(&loaded.project),
        known: BTreeMap::new(),
        n_cycles: DEFAULT_CYCLES,
        loaded,
        stimuli: Stimuli::default(),
    };
    if let Some(path) = &args.stimuli {
        reader.file(path)?;
    }
    reader.n_cycles = args.cycles.or(reader.stimuli.cycles()).unwrap_or(DEFAULT_CYCLES);
    for set in &args.sets {
        reader.set(set).map_err(|e| format!("--set {set}: {e}"))?;
    }
    Ok(reader.stimuli)
}

/// Checks that every name after `--show` is a variable.
pub(super) fn shown(args: &SimulateArgs, loaded: &Loaded) -> Result<(), String> {
    let names = Names::new(&loaded.project);
    let leaves = loaded.project.leaves();
    let called = |name: &&String| leaves.iter().any(|leaf| is_called(&loaded.project, &names, leaf, name));
    match args.show.iter().find(|name| !called(name)) {
        Some(name) => Err(format!("--show {name}: there is no variable of that name")),
        None => Ok(()),
    }
}

/// Returns whether a name means this leaf; the name of a string means all of its characters.
pub(super) fn is_called(project: &Project, names: &Names, leaf: &Leaf, name: &str) -> bool {
    let string = project.character(leaf).map(|(string, _, _)| string);
    let mut known = std::iter::once(leaf.name.as_str()).chain(string);
    known.any(|known| name.eq_ignore_ascii_case(known) || name.eq_ignore_ascii_case(&names.show(known)))
}

/// Content of a column of the file.
enum Column {
    Cycle,
    Time,
    /// A scalar, or the characters of a string.
    Input(Vec<Leaf>),
    /// Values at the end of a recorded cycle.
    Unread,
}

struct Reader<'l> {
    leaves: Vec<Leaf>,
    names: Names,
    /// Values that were read already: files repeat them.
    known: BTreeMap<(String, String), Value>,
    n_cycles: u32,
    loaded: &'l mut Loaded,
    stimuli: Stimuli,
}

impl Reader<'_> {
    /// Reads `C:NAME=VALUE`.
    fn set(&mut self, set: &str) -> Result<(), String> {
        let form = || "write it as CYCLE:NAME=VALUE, as in 3:Start=TRUE".to_owned();
        let (cycle, rest) = set.split_once(':').ok_or_else(form)?;
        let cycle: u32 = cycle.trim().parse().map_err(|_| form())?;
        if cycle < 1 || self.n_cycles < cycle {
            return Err(format!("the cycles of this run are 1 to {}; --cycles sets how many there are", self.n_cycles));
        }
        let (name, value) = rest.split_once('=').ok_or_else(form)?;
        let leaves = self.input(name.trim())?;
        self.give(cycle, &leaves, value.trim())
    }

    /// Reads a CSV file: names of inputs, then one row per cycle. An empty cell leaves the input as it is.
    fn file(&mut self, path: &Path) -> Result<(), String> {
        let name = path.display().to_string();
        let (text, _) = decode(&bytes(path).map_err(|problem| problem.0)?);
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, head) = lines.next().ok_or_else(|| format!("{name}: empty; the first line names the inputs"))?;
        let separator = if head.contains(';') { ';' } else { ',' };
        let head = cells(head.trim_start_matches('\u{feff}'), separator);
        let columns = head.iter().map(|cell| self.column(cell, &head)).collect::<Result<Vec<_>, _>>();
        let columns = columns.map_err(|e| format!("{name}:1: {e}"))?;
        let unread: Vec<&str> =
            columns.iter().zip(&head).filter(|(c, _)| matches!(c, Column::Unread)).map(|(_, h)| h.as_str()).collect();
        if !unread.is_empty() {
            complain(&format!("note: {name}: columns that give no input are not read: {}", unread.join(", ")));
        }
        let mut cycle = 0;
        for (n, line) in lines {
            cycle += 1;
            self.row(cycle, &columns, &cells(line, separator)).map_err(|e| format!("{name}:{}: {e}", n + 1))?;
        }
        if cycle == 0 {
            return Err(format!("{name}: only a first line; each further line is one cycle"));
        }
        self.stimuli.n_rows = Some(cycle);
        Ok(())
    }

    /// Returns the content of a column. A file with a column `cycle` is one that was written by a simulation: it has columns of all variables.
    fn column(&self, name: &str, head: &[String]) -> Result<Column, String> {
        let is_recorded = head.first().is_some_and(|first| first.eq_ignore_ascii_case("cycle"));
        let is_given_apart = || head.iter().any(|other| other.strip_suffix(GIVEN) == Some(name));
        if is_recorded && (is_given_apart() || self.leaves.iter().any(|l| self.is_called(l, name)) && self.input(name).is_err()) {
            return Ok(Column::Unread);
        }
        match self.input(name.strip_suffix(GIVEN).unwrap_or(name)) {
            Ok(leaves) => Ok(Column::Input(leaves)),
            Err(_) if name.eq_ignore_ascii_case("cycle") => Ok(Column::Cycle),
            Err(_) if name.eq_ignore_ascii_case("time") || name.eq_ignore_ascii_case("time_ms") => Ok(Column::Time),
            Err(problem) => Err(problem),
        }
    }

    fn row(&mut self, cycle: u32, columns: &[Column], cells: &[String]) -> Result<(), String> {
        if cells.len() != columns.len() {
            return Err(format!("{} cells, but the first line has {}", cells.len(), columns.len()));
        }
        let is_recorded = matches!(columns.first(), Some(Column::Cycle));
        for (column, cell) in columns.iter().zip(cells) {
            match column {
                Column::Cycle if cell.parse() == Ok(cycle) => {}
                Column::Cycle => return Err(format!("`{cell}` is not the number of this cycle, {cycle}")),
                Column::Time => {
                    let time =
                        time_ns(cell).ok_or_else(|| format!("`{cell}` is not a time: write milliseconds, or T#1s200ms"))?;
                    if self.stimuli.times_ns.last().is_some_and(|before| time <= *before) || time < 0 {
                        return Err(format!("the time `{cell}` is not later than the one before"));
                    }
                    self.stimuli.times_ns.push(time);
                }
                Column::Unread => {}
                Column::Input(_) if cell.is_empty() => {}
                // Memory has its value from outside before the first cycle only.
                Column::Input(leaves) if is_recorded && !leaves.iter().all(|leaf| leaf.is_given(cycle as usize - 1)) => {}
                Column::Input(leaves) => {
                    let name = leaves.first().map_or(String::new(), |leaf| self.names.show(&leaf.name));
                    self.recorded(cycle, leaves, cell).map_err(|e| format!("{name}: {e}"))?;
                }
            }
        }
        Ok(())
    }

    fn is_called(&self, leaf: &Leaf, name: &str) -> bool {
        is_called(&self.loaded.project, &self.names, leaf, name)
    }

    fn input(&self, name: &str) -> Result<Vec<Leaf>, String> {
        let is_it = |l: &&Leaf| self.is_called(l, name);
        let mut leaves: Vec<Leaf> = self.leaves.iter().filter(is_it).cloned().collect();
        if let (true, Some((bases, n))) = (leaves.is_empty(), leaf_at_call(name)) {
            let of_base = self.leaves.iter().filter(|leaf| bases.iter().any(|base| self.is_called(leaf, base)));
            leaves = of_base.map(|leaf| Leaf { name: name_at_call(&leaf.name, n), ..leaf.clone() }).collect();
        }
        if leaves.is_empty() {
            return Err(format!("there is no variable `{name}`"));
        }
        if leaves.iter().any(|leaf| !leaf.is_given(0)) {
            return Err(format!("`{name}` is not an input"));
        }
        Ok(leaves)
    }

    /// Gives the values of a cell: of a recorded run it may hold those of several calls.
    fn recorded(&mut self, cycle: u32, leaves: &[Leaf], text: &str) -> Result<(), String> {
        let cell = recorded_cell::read(text);
        self.give(cycle, leaves, cell.given)?;
        for (n, value) in cell.later {
            let later: Vec<Leaf> = leaves.iter().map(|leaf| Leaf { name: name_at_call(&leaf.name, n), ..leaf.clone() }).collect();
            self.give(cycle, &later, value)?;
        }
        Ok(())
    }

    /// Gives a value to an input: to a string each of its characters, and 0 behind them.
    fn give(&mut self, cycle: u32, leaves: &[Leaf], text: &str) -> Result<(), String> {
        if let Some(leaf) = leaves.iter().find(|leaf| !leaf.is_given(cycle as usize - 1)) {
            return Err(format!("`{}` is no input: it has any value before cycle 1 only", self.names.show(&leaf.name)));
        }
        let is_text = leaves.iter().any(|leaf| self.loaded.project.character(leaf).is_some());
        let Some(chars) = string(text).filter(|_| is_text) else {
            let [leaf] = leaves else { return Err(format!("`{text}` is no string: write it in quotes")) };
            let value = self.literal(leaf, text)?;
            self.stimuli.values.insert((cycle, leaf.name.clone()), value);
            return Ok(());
        };
        if leaves.len() < chars.len() {
            return Err(format!("{text} has {} characters, the variable {}", chars.len(), leaves.len()));
        }
        for (leaf, code) in leaves.iter().zip(chars.into_iter().chain(std::iter::repeat(0))) {
            self.stimuli.values.insert((cycle, leaf.name.clone()), Value::Int(i128::from(code)));
        }
        Ok(())
    }

    /// Returns the value of a constant text; files repeat them.
    fn literal(&mut self, leaf: &Leaf, text: &str) -> Result<Value, String> {
        let key = (leaf.name.clone(), text.to_owned());
        if let Some(value) = self.known.get(&key) {
            return Ok(*value);
        }
        let value = constant(self.loaded, leaf, text)?;
        self.known.insert(key, value);
        Ok(value)
    }
}

/// Returns the value of a constant text: the front end reads it in `NAME = text`.
pub(super) fn constant(loaded: &mut Loaded, leaf: &Leaf, text: &str) -> Result<Value, String> {
    use plc_frontend::hir::{BinOp, ExprKind};
    if let (Type::Bool, "0" | "1") = (&loaded.project.types[leaf.ty].ty, text) {
        return Ok(Value::Bool(text == "1"));
    }
    if let Type::Real(real) = loaded.project.types[leaf.ty].ty
        && let Some(value) = Value::of_non_finite(text, real)
    {
        return Ok(value);
    }
    // No expression has the name of such an input.
    if is_at_call(&leaf.name) {
        let value = stated_value(leaf, text).filter(|value| loaded.project.holds(leaf.ty, *value));
        return value.ok_or_else(|| format!("`{text}` is not a value of the input's type"));
    }
    let condition = format!("{} = ({text})", leaf.name);
    let parsed = plc_frontend::condition(loaded, "input", &condition);
    let bad = || format!("`{text}` is not a value of the input's type");
    let expr = match parsed.value {
        Some(expr) if !parsed.diagnostics.iter().any(|d| d.severity == plc_frontend::diagnostic::Severity::Error) => expr,
        Some(_) | None => return Err(bad()),
    };
    let ExprKind::Binary(BinOp::Eq, _, right) = expr.kind else { return Err(bad()) };
    let value = Machine::new(&loaded.project, Limits::default()).eval(&right).map_err(|_| bad())?;
    if !loaded.project.holds(leaf.ty, value) {
        return Err(bad());
    }
    Ok(value)
}

/// Returns the characters of a string literal.
fn string(text: &str) -> Option<Vec<u16>> {
    if !text.starts_with(['\'', '"']) {
        return None;
    }
    if let Literal::String { chars, .. } = literal(text)? { Some(chars) } else { None }
}

/// Returns the literal that a text is.
fn literal(text: &str) -> Option<Literal> {
    let expr = plc_frontend::lang::parse_expression(plc_frontend::source::FileId(0), text).value?;
    if let ExprKind::Literal(_, literal) = expr.kind { Some(literal) } else { None }
}

/// Reads milliseconds, also with a fraction, or a duration as in a program.
fn time_ns(cell: &str) -> Option<i64> {
    if let Ok(ms) = cell.parse::<f64>() {
        let ns = (ms * 1e6).round();
        return (0.0..9e18).contains(&ns).then_some(ns as i64);
    }
    if let Literal::Duration { ns, .. } = literal(cell)? { i64::try_from(ns).ok() } else { None }
}

/// Returns the cells of a line; in quotes a separator is text and `""` a quote.
fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        let Some(cell) = cells.last_mut() else { break };
        if c == '"' && quoted && chars.peek() == Some(&'"') {
            chars.next();
            cell.push('"');
        } else if c == '"' {
            quoted = !quoted;
        } else if c == separator && !quoted {
            cells.push(String::new());
        } else {
            cell.push(c);
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_line() {
        let check = |line: &str, separator, expected: &[&str]| assert_eq!(cells(line, separator), expected, "{line}");
        check("a, b ,c", ',', &["a", "b", "c"]);
        check("a;;T#1s\r", ';', &["a", "", "T#1s"]);
        check("\"a,b\",\"say \"\"x\"\"\"", ',', &["a,b", "say \"x\""]);
        check("", ',', &[""]);
    }

    #[test]
    fn times_are_milliseconds_or_durations() {
        for (text, expected) in [
            ("100", Some(100_000_000)),
            ("0.5", Some(500_000)),
            ("T#1s", Some(1_000_000_000)),
            ("x", None),
            ("-1", None),
            ("1e30", None),
        ] {
            assert_eq!(time_ns(text), expected, "{text}");
        }
    }

    #[test]
    fn steps_come_from_times() {
        let stimuli = Stimuli { times_ns: vec![0, 30, 100], ..Stimuli::default() };
        assert_eq!([1, 2, 3, 4].map(|cycle| stimuli.step_ns(cycle, 7)), [7, 30, 70, 7]);
        let stimuli = Stimuli { times_ns: vec![20], ..Stimuli::default() };
        assert_eq!([1, 2].map(|cycle| stimuli.step_ns(cycle, 7)), [20, 7]);
    }
}
