//! `scanproof bench`: cases × configurations, each in a worker process of its own.
//!
//! [`suite`] finds the cases, [`expect`] reads expected answers, [`limits`] the limits. [`cells`] measures them at a [`backend`]:
//! [`local`] or [`agents`]. Every measurement is written down the moment it is there, so that nothing is lost when the command is
//! stopped; the page comes last.

mod agents;
pub(super) mod args;
mod backend;
mod cells;
mod expect;
mod limits;
mod local;
mod suite;

use std::path::Path;

use super::print::{complain, out};
use super::session::Session;
use super::text::count;
use super::{BAD_INPUT, BenchArgs, Failure, INTERNAL, UNDECIDED};
use crate::bench::campaign::{self, Campaign, Case, Status};
use crate::bench::configs::{self, Config};
use crate::bench::tally::Merger;
use crate::bench::{csv, markdown, page};
use crate::fleet::binary::fingerprint;
use crate::fleet::cells::Cells;
use crate::fleet::settings::BrokerSettings;
use crate::run::limits::Limits;
use crate::run::recheck::Rechecked;
use agents::Agents;
use cells::{Done, Log, run_cells};
use expect::Expected;
use local::Local;
use suite::Runnable;

/// Measures all configurations on all cases. The last lines sum up; a wrong answer is never only a number in a table.
pub(super) fn run(args: &BenchArgs) -> Result<u8, Failure> {
    if args.configs == "help" {
        configs::SETS.iter().for_each(|(name, what)| out(&format!("{name:<12}{what}")));
        out("Behind the name of a research question, -lbe stands for large blocks instead of single operations.");
        return Ok(0);
    }
    let configs = configurations(&args.configs).map_err(Failure::usage)?;
    let pair = args.scatter.as_deref().map(|names| pair(names, &configs)).transpose().map_err(Failure::usage)?;
    let expected = args.expect.as_deref().map(expectation).transpose().map_err(Failure::bad_input)?;
    // A missing path would become a row of errors beside answers that look complete.
    if let Some((path, e)) = args.suite.iter().find_map(|path| Some((path, path.metadata().err()?))) {
        return Err(Failure::bad_input(format!("{}: {e}", path.display())));
    }
    let broker = if args.broker.broker.is_some() { args.broker.with_secret()?.settings()? } else { None };
    if broker.is_none() && !args.agent.needs().is_empty() {
        return Err(Failure::usage("--label and --cores choose agents: --broker names the broker of their fleet"));
    }
    let log = Log::new(&args.out).map_err(|e| Failure::bad_input(format!("{}: {e}", args.out.display())))?;
    let session = Session::start()?;
    let done = session.block_on(measured(args, configs, expected.as_ref(), log, (&session, broker)))?;
    let campaign = &done.campaign;
    if campaign.cases.is_empty() {
        return Err(Failure::bad_input("there is no program with a requirement in the suite"));
    }
    write(&args.out, campaign, pair).map_err(|e| Failure::internal(format!("{}: {e}", args.out.display())))?;
    let code = told(args, &done, expected.as_ref(), session.cancel.is_cancelled());
    let all_shown = !args.certificates || told_of_certificates(&done.certificates);
    Ok(if all_shown { code } else { INTERNAL })
}

/// Returns the sets that are named, one after the other. Names of configurations that are there already get that of their set.
fn configurations(names: &str) -> Result<Vec<Config>, String> {
    let mut all: Vec<Config> = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let set = if [".yaml", ".yml"].iter().any(|ending| name.ends_with(ending)) {
            text(Path::new(name)).and_then(|text| configs::from_yaml(&text).map_err(|e| format!("{name}: {e}")))?
        } else {
            configs::set(name)?
        };
        for config in set {
            let is_taken = all.iter().any(|other| other.name == config.name);
            let unique = if is_taken { format!("{name}:{}", config.name) } else { config.name };
            if all.iter().any(|other| other.name == unique) {
                return Err(format!("the configuration `{unique}` is named twice"));
            }
            all.push(Config { name: unique, ..config });
        }
    }
    if all.is_empty() { Err("--configs names no set of configurations".to_owned()) } else { Ok(all) }
}

fn pair(names: &str, configs: &[Config]) -> Result<(usize, usize), String> {
    let at = |name: &str| {
        let found = configs.iter().position(|config| config.name == name.trim());
        found.ok_or_else(|| format!("--scatter: there is no configuration `{}` in the sets", name.trim()))
    };
    let (first, second) = names.split_once(',').ok_or_else(|| format!("--scatter {names}: write it as A,B"))?;
    Ok((at(first)?, at(second)?))
}

fn expectation(file: &Path) -> Result<Expected, String> {
    Expected::read(&text(file)?).map_err(|e| format!("{}: {e}", file.display()))
}

fn text(file: &Path) -> Result<String, String> {
    let bytes = super::programs::bytes(file).map_err(|problem| problem.0)?;
    String::from_utf8(bytes).map_err(|_| format!("{}: not UTF-8 text", file.display()))
}

/// Finds the cases, and measures them here or at the agents of a fleet.
async fn measured(
    args: &BenchArgs,
    configs: Vec<Config>,
    expected: Option<&Expected>,
    log: Log,
    (session, broker): (&Session, Option<BrokerSettings>),
) -> Result<Done, Failure> {
    let (runnables, unread) = cases(args, expected, session).await;
    let paths: Vec<String> = args.suite.iter().map(|path| path.display().to_string()).collect();
    let campaign = Campaign {
        title: format!("{} × {}", paths.join(" "), args.configs),
        limits: campaign::Limits { wall: args.time, cpu: args.cpu, memory_bytes: args.memory, repetitions: args.repeat },
        cases: runnables.iter().map(|runnable| runnable.case.clone()).collect(),
        configs,
        cells: Vec::new(),
        at_agents: broker.is_some(),
    };
    let done = Done { campaign, unread, certificates: Rechecked::default(), refused: Vec::new() };
    let cpu_s = args.cpu.map(|cpu| cpu.as_secs() as u32);
    match broker {
        None => Ok(run_cells(Local::new(session, args.jobs, cpu_s), &runnables, done, log, (args, session)).await),
        Some(settings) => {
            let binary = fingerprint(&session.exe).map_err(|e| Failure::internal(format!("{}: {e}", session.exe.display())))?;
            let cells = Cells::start(settings, binary, (limits(args).memory_mb, args.agent.needs()));
            Ok(run_cells(Agents::new(session, cells, args.jobs, cpu_s), &runnables, done, log, (args, session)).await)
        }
    }
}

fn limits(args: &BenchArgs) -> Limits {
    Limits { wall_s: args.time.as_secs() as u32, memory_mb: (args.memory >> 20) as u32 }
}

/// Returns the cases of the suite, and the number of unreadable programs.
async fn cases(args: &BenchArgs, expected: Option<&Expected>, session: &Session) -> (Vec<Runnable>, usize) {
    let mut runnables = Vec::new();
    let (mut unread, mut n_left_out) = (0, 0);
    for program in suite::programs(&args.suite) {
        if expected.is_some_and(|expected| expected.of(&program.0).is_none()) {
            n_left_out += 1;
            continue;
        }
        for runnable in suite::cases(program, limits(args), expected, session).await {
            if let Err(why) = &runnable.job {
                unread += 1;
                complain(&format!("{}: {why}", runnable.case.program));
            }
            runnables.push(runnable);
        }
        if session.cancel.is_cancelled() {
            break;
        }
    }
    if 0 < n_left_out {
        complain(&format!("{} left out: no answer is expected of them", count(n_left_out, "program")));
    }
    (runnables, unread)
}

fn write(folder: &Path, campaign: &Campaign, pair: Option<(usize, usize)>) -> std::io::Result<()> {
    let merger = Merger::new(campaign);
    // The order in which they came is of no use any more.
    let rows = campaign.cells.iter().filter_map(|cell| csv::row(campaign, cell));
    let lines: Vec<String> = [csv::HEADER.to_owned()].into_iter().chain(rows).chain([String::new()]).collect();
    std::fs::write(folder.join("results.csv"), lines.join("\n"))?;
    std::fs::write(folder.join("results.table.csv"), csv::table(&merger))?;
    std::fs::write(folder.join("summary.md"), markdown::table(&merger))?;
    let best_two = || match merger.ranking()[..] {
        [first, second, ..] => Some((first, second)),
        _ => None,
    };
    let page = page::render(&merger, pair.or_else(best_two)).map_err(std::io::Error::other)?;
    std::fs::write(folder.join("index.html"), page)
}

/// Prints the results, and returns the exit code.
fn told(args: &BenchArgs, done: &Done, expected: Option<&Expected>, is_stopped: bool) -> u8 {
    let (campaign, unread) = (&done.campaign, done.unread);
    let merger = Merger::new(campaign);
    let width = campaign.configs.iter().map(|config| config.name.chars().count()).max().unwrap_or(0);
    for config in 0..campaign.configs.len() {
        let tally = merger.tally(config, None);
        let (name, time) = (&campaign.configs[config].name, tally.cpu.as_secs_f64());
        let share = format!("{:>4} of {} solved", tally.solved, tally.total);
        let wrong = if tally.wrong == 0 { String::new() } else { format!(", {} WRONG", tally.wrong) };
        let par2 = merger.par2(config);
        let penalised = format!("PAR-2 {:>7.2} s, CPU {:>7.2} s", par2.wall.as_secs_f64(), par2.cpu.as_secs_f64());
        let peak = tally.peak_bytes.div_ceil(1_000_000);
        out(&format!("{name:<width$}  {share}{wrong}  {time:>8.2} s  {peak:>5} MB  {penalised}"));
    }
    if campaign.at_agents && !campaign.cells.is_empty() {
        let hosts: Vec<String> = merger.hosts().iter().map(|(host, n)| format!("{host} ({})", count(*n, "cell"))).collect();
        out(&format!("measured by agents: {}; their answers are certified here", hosts.join(", ")));
    }
    out(&format!("page: {}", args.out.join("index.html").display()));
    done.refused.iter().for_each(|line| out(&format!("REFUSED: {line}")));
    let wrong = merger.wrong();
    for line in &wrong {
        out(&format!("WRONG: {line}"));
    }
    if 0 < unread {
        out(&format!("{} could not be read", count(unread, "program")));
    }
    let mut all_as_expected = true;
    if let Some(expected) = expected {
        let (line, all) = as_expected(&merger, expected);
        out(&line);
        all_as_expected = all;
    }
    match () {
        () if !wrong.is_empty() || !done.refused.is_empty() => INTERNAL,
        () if is_stopped => 130,
        () if 0 < unread => BAD_INPUT,
        () if !all_as_expected => UNDECIDED,
        () => 0,
    }
}

/// Prints the results for certificates. Returns whether none was refused.
fn told_of_certificates(certificates: &Rechecked) -> bool {
    certificates.refused.iter().for_each(|line| out(&format!("REFUSED: {line}")));
    certificates.open.iter().for_each(|line| out(&format!("not certified: {line}")));
    out(&certificates.summary());
    certificates.refused.is_empty()
}

/// Returns `models: N of M as expected, W wrong`, and whether all are. A model is as expected if some configuration answers it
/// and none answers it wrongly.
fn as_expected(merger: &Merger<'_>, expected: &Expected) -> (String, bool) {
    let (mut n_all, mut n_good, mut n_wrong) = (0, 0, 0);
    for model in expected.models() {
        let of_model = |case: &Case| expected.of(&case.program).is_some_and(|(name, _)| name == model);
        let cells: Vec<Status> =
            merger.campaign.cells.iter().filter(|c| of_model(&merger.campaign.cases[c.case])).map(|c| c.status).collect();
        let right = merger.campaign.cases.iter().find(|case| of_model(case)).and_then(|case| case.expected);
        n_all += 1;
        match right {
            Some(right) if cells.iter().any(|status| status.answer() == Some(!right)) => n_wrong += 1,
            Some(right) if cells.iter().any(|status| status.answer() == Some(right)) => n_good += 1,
            Some(_) | None => {}
        }
    }
    (format!("models: {n_good} of {n_all} as expected, {n_wrong} wrong"), n_good == n_all)
}
