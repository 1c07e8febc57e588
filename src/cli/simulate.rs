//! `scanproof simulate`: a program cycle by cycle on the reference interpreter.

use std::collections::BTreeMap;

use plc_frontend::hir::{Leaf, Project, Role, Type, Value, value_to_st};
use plc_frontend::interp::{FaultEnd, Limits, Machine, Recorder};
use plc_frontend::source::{SourceSet, Span};
use plc_frontend::{LoadOptions, Loaded};

use super::print::{complain, out};
use super::programs::sources;
use super::{BAD_INPUT, SimulateArgs, USAGE};
use crate::report::names::Names;

/// Runs the program and prints one column per cycle (or CSV, one row per cycle).
pub(super) fn run(args: &SimulateArgs) -> u8 {
    let files = match sources(&args.files) {
        Ok(files) => files,
        Err(problem) => {
            complain(&format!("error: {}", problem.0));
            return BAD_INPUT;
        }
    };
    let mut set = SourceSet::default();
    for file in files {
        set.add(file.name, file.text);
    }
    let mut parsed = plc_frontend::load(&set, &LoadOptions { entry: args.entry.clone(), ..LoadOptions::default() });
    if !parsed.diagnostics.is_empty() {
        complain(&plc_frontend::render::plain(&parsed.value.sources, &parsed.diagnostics));
    }
    if parsed.has_errors() {
        return BAD_INPUT;
    }
    match stimuli(args, &mut parsed.value) {
        Ok(stimuli) => simulate(args, &parsed.value, &stimuli),
        Err(e) => {
            complain(&format!("error: {e}"));
            USAGE
        }
    }
}

/// Input values by cycle and leaf name.
type Stimuli = BTreeMap<(u32, String), Value>;

/// `C:NAME=VALUE`: the value is read as an ST expression of the input's type, by the front end.
fn stimuli(args: &SimulateArgs, loaded: &mut Loaded) -> Result<Stimuli, String> {
    let names = Names::new(&loaded.project);
    let leaves = loaded.project.leaves();
    let mut table = Stimuli::new();
    for set in &args.sets {
        let form = || format!("--set {set}: write it as CYCLE:NAME=VALUE, as in 3:Start=TRUE");
        let (cycle, rest) = set.split_once(':').ok_or_else(form)?;
        let cycle: u32 = cycle.trim().parse().map_err(|_| form())?;
        let (name, value) = rest.split_once('=').ok_or_else(form)?;
        let name = name.trim();
        let leaf = leaves
            .iter()
            .find(|l| l.name.eq_ignore_ascii_case(name) || names.show(&l.name).eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("--set {set}: there is no variable `{name}`"))?;
        if leaf.role != Role::Input {
            return Err(format!("--set {set}: `{name}` is not an input"));
        }
        table.insert((cycle, leaf.name.clone()), literal(loaded, leaf, value.trim()).map_err(|e| format!("--set {set}: {e}"))?);
    }
    Ok(table)
}

/// The value of a constant text, found by asking the front end what `NAME = text` compares with.
fn literal(loaded: &mut Loaded, leaf: &Leaf, text: &str) -> Result<Value, String> {
    use plc_frontend::hir::{BinOp, ExprKind};
    let condition = format!("{} = ({text})", leaf.name);
    let parsed = plc_frontend::condition(loaded, "--set", &condition);
    let bad = || format!("`{text}` is not a value of the input's type");
    let expr = match parsed.value {
        Some(expr) if !parsed.diagnostics.iter().any(|d| d.severity == plc_frontend::diagnostic::Severity::Error) => expr,
        Some(_) | None => return Err(bad()),
    };
    let ExprKind::Binary(BinOp::Eq, _, right) = expr.kind else { return Err(bad()) };
    let machine_value = Machine::new(&loaded.project, Limits::default()).eval(&right).map_err(|_| bad())?;
    if loaded.project.holds(leaf.ty, machine_value) { Ok(machine_value) } else { Err(bad()) }
}

fn simulate(args: &SimulateArgs, loaded: &Loaded, stimuli: &Stimuli) -> u8 {
    let project = &loaded.project;
    let names = Names::new(project);
    let leaves: Vec<Leaf> = project
        .leaves()
        .into_iter()
        .filter(|l| !l.hidden && !l.constant && l.init.is_some())
        .filter(|l| {
            args.show.is_empty()
                || args.show.iter().any(|s| s.eq_ignore_ascii_case(&names.show(&l.name)) || s.eq_ignore_ascii_case(&l.name))
        })
        .collect();
    let inputs: Vec<Leaf> = project.leaves().into_iter().filter(|l| l.role == Role::Input && l.init.is_some()).collect();
    let mut random = args.random.map(Random::new);
    let mut machine = Machine::new(project, Limits::default());
    let mut rows = vec![leaves.iter().map(|l| l.init).collect::<Vec<_>>()];
    let mut asserts = FailedAsserts::default();
    let mut fault = None;
    for cycle in 1..=args.cycles {
        let mut given = BTreeMap::new();
        for input in &inputs {
            if let Some(random) = &mut random {
                given.insert(input.name.clone(), random.value(project, input));
            }
            if let Some(value) = stimuli.get(&(cycle, input.name.clone())) {
                given.insert(input.name.clone(), *value);
            }
        }
        if let Err(e) = machine.begin(&given, i64::from(args.dt) * 1_000_000) {
            complain(&format!("error: cycle {cycle}: {e}"));
            return USAGE;
        }
        asserts.cycle = cycle;
        let end = machine.run(&mut asserts);
        rows.push(leaves.iter().map(|l| machine.leaf(&l.name)).collect());
        if let Err(f) = end {
            fault = Some((cycle, f));
            break;
        }
    }
    let text = |leaf: &Leaf, value: Option<Value>| value.map(|v| value_to_st(project, leaf.ty, v)).unwrap_or_default();
    if args.csv {
        out(&std::iter::once("cycle".to_string())
            .chain(leaves.iter().map(|l| names.show(&l.name)))
            .collect::<Vec<_>>()
            .join(","));
        for (cycle, row) in rows.iter().enumerate().skip(1) {
            let cells = leaves.iter().zip(row).map(|(l, v)| text(l, *v));
            out(&std::iter::once(cycle.to_string()).chain(cells).collect::<Vec<_>>().join(","));
        }
    } else {
        table(&names, &leaves, &rows, text);
    }
    for (cycle, span) in &asserts.failed {
        out(&format!("cycle {cycle}: the assertion on line {} does not hold", loaded.sources.line_col(*span).line));
    }
    if let Some((cycle, fault)) = fault {
        let what = match fault.kind {
            FaultEnd::Check(kind) => format!("{kind:?}"),
            FaultEnd::Unsupported(gap) => loaded.ledger.gaps.get(gap.0 as usize).map(|g| g.construct.clone()).unwrap_or_default(),
            FaultEnd::Exhausted => "too many statements in one cycle".to_string(),
        };
        out(&format!("cycle {cycle}: the run ends on line {}: {what}", loaded.sources.line_col(fault.span).line));
    }
    0
}

/// One row per variable, one column per cycle, as many columns as fit on a line.
fn table(names: &Names, leaves: &[Leaf], rows: &[Vec<Option<Value>>], text: impl Fn(&Leaf, Option<Value>) -> String) {
    const PER_BLOCK: usize = 10;
    let n = rows.len() - 1;
    for first in (1..=n).step_by(PER_BLOCK) {
        let cycles: Vec<usize> = (first..=n.min(first + PER_BLOCK - 1)).collect();
        let mut lines: Vec<Vec<String>> =
            vec![std::iter::once("cycle".to_string()).chain(cycles.iter().map(|c| c.to_string())).collect()];
        for (i, leaf) in leaves.iter().enumerate() {
            lines.push(std::iter::once(names.show(&leaf.name)).chain(cycles.iter().map(|&c| text(leaf, rows[c][i]))).collect());
        }
        let widths: Vec<usize> =
            (0..=cycles.len()).map(|c| lines.iter().map(|l| l[c].chars().count()).max().unwrap_or(0)).collect();
        for line in &lines {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(c, w)| format!("{c}{}", " ".repeat(w - c.chars().count()))).collect();
            out(cells.join("  ").trim_end());
        }
        out("");
    }
}

#[derive(Default)]
struct FailedAsserts {
    cycle: u32,
    failed: Vec<(u32, Span)>,
}

impl Recorder for FailedAsserts {
    fn assert(&mut self, _id: plc_frontend::hir::AssertId, span: Span, held: bool) {
        if !held {
            self.failed.push((self.cycle, span));
        }
    }
}

/// xorshift64*: reproducible inputs need no better generator.
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }
    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn value(&mut self, project: &Project, leaf: &Leaf) -> Value {
        let n = self.next();
        match &project.types[leaf.ty].ty {
            Type::Bool => Value::Bool(n >> 63 == 1),
            Type::Real(plc_frontend::hir::RealType::Real) => Value::real(((n >> 40) as f32) / 65536.0 - 128.0),
            Type::Real(plc_frontend::hir::RealType::LReal) => Value::lreal(((n >> 40) as f64) / 65536.0 - 128.0),
            Type::Enum { variants, .. } => Value::Int(variants.get(n as usize % variants.len().max(1)).map_or(0, |v| v.1)),
            Type::Subrange { low, high, .. } => Value::Int(low + i128::from(n) % (high - low + 1)),
            Type::Int(_) | Type::Bits(_) | Type::Time | Type::LTime | Type::Date(_) | Type::Char(_) => {
                let int = project.int_type(leaf.ty).unwrap_or(plc_frontend::hir::IntType { bits: 8, signed: false });
                Value::Int(int.wrap(i128::from(n)))
            }
            Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) | Type::Opaque(_) => Value::Int(0),
        }
    }
}
