//! `scanproof simulate`: a program cycle by cycle on the reference interpreter.

mod environment;
mod random;
mod recorded_cell;
mod recorded_run;
mod stimuli;
mod vcd;

use std::collections::BTreeMap;

use plc_frontend::hir::Leaf;
use plc_frontend::interp::{FaultEnd, Limits, Machine, Recorder};
use plc_frontend::source::Span;
use plc_frontend::{LoadOptions, Loaded};

use self::environment::Environment;
use self::random::Random;
use self::recorded_run::Run;
use self::stimuli::Stimuli;
use super::print::{complain, mistake, out};
use super::programs::{sources, stated};
use super::{BAD_INPUT, BROKEN, Failure, UNDECIDED};
use crate::cli::args::ReadingArgs;
use crate::report::names::Names;
use crate::report::outcome::Problem;
use clap::Args;
use kernel::property::environment::apply;
use kernel::property::spec::CycleTime;
use std::path::PathBuf;

/// Arguments of `simulate`.
#[derive(Args)]
pub struct SimulateArgs {
    /// Source files of one program
    #[arg(required = true, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) reading: ReadingArgs,
    /// Number of cycles; default: those of --stimuli, else 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(in crate::cli) cycles: Option<u32>,
    /// Requirement file (YAML); default: the file of the same name with .yaml or .yml, if there is one. Its environment counts:
    /// `inputs`, `parameters`, `memory`, `frozen`, their ranges and `start`, and `entry`, `dialect` and `cycle`. Requirements and
    /// assumptions are not looked at
    #[arg(long, alias = "requirements", value_name = "FILE")]
    pub(in crate::cli) req: Option<PathBuf>,
    /// CSV file of inputs: their names, then one row per cycle; empty cells change nothing. A column `time` says when each
    /// cycle starts, in milliseconds or as T#1s200ms
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) stimuli: Option<PathBuf>,
    /// Milliseconds between cycles; default: `cycle` of the requirement file (of a range the lower end, with --random any of it),
    /// else 100
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    pub(in crate::cli) dt: Option<u32>,
    /// From cycle C on the input has this value, as C:NAME=VALUE (an ST literal); may be repeated
    #[arg(long = "set", value_name = "C:NAME=VALUE")]
    pub(in crate::cli) sets: Vec<String>,
    /// Give every input a random value of its range in every cycle, reproducible by this number. Parameters, memory with any
    /// start and, at a warm start, RETAIN variables get one before the first cycle
    #[arg(long, value_name = "SEED")]
    pub(in crate::cli) random: Option<u64>,
    /// Only these variables; may be repeated
    #[arg(long = "show", value_name = "NAME")]
    pub(in crate::cli) show: Vec<String>,
    /// CSV instead of a table
    #[arg(long)]
    pub(in crate::cli) csv: bool,
    /// A value change dump (VCD) for waveform viewers instead of a table
    #[arg(long, conflicts_with = "csv")]
    pub(in crate::cli) vcd: bool,
    /// Write it to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) out: Option<PathBuf>,
}

/// Runs the program and prints one column per cycle, or CSV, or VCD.
pub(super) fn run(args: &SimulateArgs) -> Result<u8, Failure> {
    let set = sources(&args.files)?;
    let (specification, stated_in) = stated(&args.files, args.req.as_deref())?;
    let entry = args.reading.entry.clone().or(specification.entry.clone());
    let project = args.reading.project.clone().or(specification.project.clone());
    let dialect = args.reading.dialect.or(specification.dialect);
    let mut parsed = plc_frontend::load(&set, &LoadOptions { entry, project, dialect, ..LoadOptions::default() });
    if !parsed.diagnostics.is_empty() {
        complain(&plc_frontend::render::plain(&parsed.value.sources, &parsed.diagnostics));
    }
    if parsed.has_errors() {
        return Ok(BAD_INPUT);
    }
    let (ranges, wrong) = apply(&specification, &mut parsed.value);
    for problem in wrong.iter().map(Problem::from) {
        mistake(&problem, stated_in.as_ref(), "").iter().for_each(|line| complain(line));
    }
    if !wrong.is_empty() {
        return Ok(BAD_INPUT);
    }
    let cycle = specification.cycle.unwrap_or_default();
    let cycle = args.dt.map_or(cycle, |ms| CycleTime { min_ms: ms, max_ms: ms });
    stimuli::shown(args, &parsed.value).map_err(Failure::usage)?;
    let stimuli = stimuli::read(args, &mut parsed.value).map_err(Failure::usage)?;
    let environment = Environment::new(&mut parsed.value, &ranges).map_err(Failure::usage)?;
    simulate(args, &parsed.value, &stimuli, &environment, cycle)
}

fn simulate(
    args: &SimulateArgs,
    loaded: &Loaded,
    stimuli: &Stimuli,
    environment: &Environment,
    time: CycleTime,
) -> Result<u8, Failure> {
    let project = &loaded.project;
    let names = Names::new(project);
    let leaves: Vec<Leaf> = project
        .leaves()
        .into_iter()
        .filter(|l| !l.hidden && !l.constant && l.init.is_some())
        .filter(|l| args.show.is_empty() || args.show.iter().any(|s| stimuli::is_called(project, &names, l, s)))
        .collect();
    let mut random = args.random.map(Random::new);
    let mut machine = Machine::new(project, Limits::default());
    let rows = vec![leaves.iter().map(|l| l.init).collect::<Vec<_>>()];
    let mut run = Run { project, names, leaves, rows, begun: Vec::new(), times_ns: vec![0] };
    let mut now_ns = 0;
    let mut asserts = FailedAsserts::default();
    let mut fault = None;
    for cycle in 1..=args.cycles.or(stimuli.cycles()).unwrap_or(DEFAULT_CYCLES) {
        let mut given = BTreeMap::new();
        for input in environment.given(cycle) {
            if let Some(random) = &mut random {
                given.insert(input.name.clone(), environment.random(random, project, input));
            }
            if let Some(value) = stimuli.value(cycle, &input.name) {
                given.insert(input.name.clone(), value);
            }
        }
        let ms = random.as_mut().map_or(time.min_ms, |random| random.milliseconds(time.min_ms, time.max_ms));
        given.extend(stimuli.at_calls(cycle));
        let step_ns = stimuli.step_ns(cycle, i64::from(ms) * 1_000_000);
        machine.begin(&given, step_ns).map_err(|e| Failure::usage(format!("cycle {cycle}: {e}")))?;
        run.begun.push(run.leaves.iter().map(|l| machine.leaf(&l.name)).collect());
        now_ns += step_ns;
        asserts.cycle = cycle;
        let end = machine.run(&mut asserts);
        run.rows.push(run.leaves.iter().map(|l| machine.leaf(&l.name)).collect());
        run.times_ns.push(now_ns);
        if let Err(f) = end {
            fault = Some((cycle, f));
            break;
        }
    }
    let text = match (args.csv, args.vcd) {
        (true, _) => run.csv(),
        (false, true) => run.vcd(),
        (false, false) => run.table(),
    };
    match &args.out {
        None => out(text.trim_end_matches('\n')),
        Some(path) => std::fs::write(path, text).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?,
    }
    // A table for other programs has nothing else on its output.
    let tell: fn(&str) = if args.out.is_none() && (args.csv || args.vcd) { complain } else { out };
    for (cycle, span) in &asserts.failed {
        tell(&format!("cycle {cycle}: the assertion on {} does not hold", loaded.sources.line_words(*span)));
    }
    if let Some((cycle, fault)) = fault {
        let what = match fault.kind {
            FaultEnd::Check(kind) => kernel::property::check::Event::Fault(kind).mistake().to_string(),
            FaultEnd::Unsupported(gap) => {
                let construct = loaded.ledger.gaps.get(gap.0 as usize).map(|g| g.construct.clone()).unwrap_or_default();
                format!("{construct} is not supported")
            }
            FaultEnd::Excluded => "the values are none that an assumption about a stub allows".to_string(),
            FaultEnd::Exhausted => "the cycle runs through more statements than are simulated".to_string(),
        };
        tell(&format!("cycle {cycle}: the run ends on {}: {what}", loaded.sources.line_words(fault.span)));
        return Ok(match fault.kind {
            FaultEnd::Check(_) => BROKEN,
            FaultEnd::Unsupported(_) | FaultEnd::Exhausted | FaultEnd::Excluded => UNDECIDED,
        });
    }
    Ok(if asserts.failed.is_empty() { 0 } else { BROKEN })
}

/// Cycles to run if nothing says how many.
const DEFAULT_CYCLES: u32 = 10;

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
