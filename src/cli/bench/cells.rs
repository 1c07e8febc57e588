//! All cells of a campaign, measured at a back end and written down one by one.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::backend::{Backend, Order, Row, failed};
use super::suite::Runnable;
use crate::bench::campaign::{Campaign, Case, Cell};
use crate::bench::csv;
use crate::cli::BenchArgs;
use crate::cli::print::complain;
use crate::cli::session::{Progress, Session};
use crate::run::job::{Job, Strategy};
use crate::run::recheck::{Rechecked, recheck};

/// File to which measurements are appended as they come.
pub(super) struct Log {
    file: File,
}

impl Log {
    pub(super) fn new(folder: &Path) -> std::io::Result<Log> {
        std::fs::create_dir_all(folder)?;
        let mut file = File::create(folder.join("results.csv"))?;
        writeln!(file, "{}", csv::HEADER)?;
        Ok(Log { file })
    }
    fn add(&mut self, campaign: &Campaign, cell: &Cell) {
        let written = csv::row(campaign, cell).map_or(Ok(()), |row| writeln!(self.file, "{row}"));
        if let Err(e) = written {
            complain(&format!("a measurement could not be written down: {e}"));
        }
    }
}

/// Campaign at its end.
pub(super) struct Done {
    pub(super) campaign: Campaign,
    /// Number of unreadable programs.
    pub(super) unread: usize,
    pub(super) certificates: Rechecked,
    /// Answers of agents that do not count, each with its cell.
    pub(super) refused: Vec<String>,
}

/// Measures all cells at a back end.
pub(super) async fn run_cells<B: Backend>(
    backend: B,
    runnables: &[Runnable],
    mut done: Done,
    mut log: Log,
    (args, session): (&BenchArgs, &Session),
) -> Done {
    let progress = Progress::new(!args.quiet, runnables.len() * done.campaign.configs.len() * args.repeat as usize);
    let mut runs: JoinSet<Option<(Row, Rechecked)>> = JoinSet::new();
    let n_configs = done.campaign.configs.len();
    let order = (1..=args.repeat).flat_map(|repetition| (0..runnables.len()).map(move |case| (repetition, case)));
    let order = order.flat_map(|(repetition, case)| (0..n_configs).map(move |config| (case, config, repetition)));
    for (number, place @ (case, config, _)) in (0..).zip(order) {
        let (Runnable { case, job }, config) = (&runnables[case], &done.campaign.configs[config]);
        let named = format!("{} {case}", config.name);
        progress.program(&named);
        let job = match job {
            Ok(job) => {
                Arc::new(Job { strategy: Strategy { agent: args.agent.needs(), ..config.strategy.clone() }, ..Job::clone(job) })
            }
            Err(why) => {
                let row = Row { cell: failed(place, why), result: None, refused: None };
                done.keep(&mut log, &progress, (row, Rechecked::default()));
                continue;
            }
        };
        let room = tokio::select! {
            biased;
            () = session.cancel.cancelled() => break,
            room = backend.room() => room,
        };
        while let Some(ended) = runs.try_join_next() {
            ended.ok().flatten().into_iter().for_each(|row| done.keep(&mut log, &progress, row));
        }
        let order = Order { number, place, job, requirement: case.requirement.clone() };
        let (backend, exe, cancel, checks) = (backend.clone(), session.exe.clone(), session.cancel.clone(), args.certificates);
        runs.spawn(async move {
            let (row, _room) = backend.measure(room, order.clone()).await?;
            let rechecked = match &row.result {
                Some(result) if checks => recheck(&exe, &order.job, std::slice::from_ref(result), None, &cancel).await.of(&named),
                Some(_) | None => Rechecked::default(),
            };
            let refused = row.refused.map(|why| format!("{named}: {why}"));
            Some((Row { refused, ..row }, rechecked))
        });
    }
    while let Some(ended) = runs.join_next().await {
        ended.ok().flatten().into_iter().for_each(|row| done.keep(&mut log, &progress, row));
    }
    backend.end().await;
    progress.finish();
    done.campaign.cells.sort_by_key(|cell| (cell.config, cell.case, cell.repetition));
    done
}

impl Done {
    /// Writes a measurement down; shouts if it is wrong.
    fn keep(&mut self, log: &mut Log, progress: &Progress, (row, rechecked): (Row, Rechecked)) {
        let (campaign, cell) = (&mut self.campaign, row.cell);
        self.certificates.add(rechecked);
        self.refused.extend(row.refused);
        log.add(campaign, &cell);
        let Case { expected, .. } = campaign.cases[cell.case];
        if cell.status.answer().is_some_and(|answer| expected.is_some_and(|expected| answer != expected)) {
            let (case, config) = (&campaign.cases[cell.case], &campaign.configs[cell.config].name);
            progress.suspend(|| complain(&format!("WRONG: {case}: {config} says {}", cell.status)));
        }
        campaign.cells.push(cell);
    }
}
