//! Session of a command that starts workers: its runtime, the path of its own binary, and its cancellation by a signal.

use std::future::Future;
use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::Failure;
use crate::run::event::Event;

/// Session of a command.
pub(super) struct Session {
    runtime: Runtime,
    /// Path of this binary, which is started again for each worker.
    pub(super) exe: PathBuf,
    /// Cancelled by Ctrl-C and SIGTERM. The signals stop the runs; the report is still written.
    pub(super) cancel: CancellationToken,
}

impl Session {
    /// Starts the runtime and listens to signals.
    pub(super) fn start() -> Result<Session, Failure> {
        let exe = this_program()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(Failure::internal)?;
        let cancel = CancellationToken::new();
        runtime.spawn(cancel_on_signal(cancel.clone()));
        Ok(Session { runtime, exe, cancel })
    }
    /// Runs a future to its end and returns its output.
    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

/// Returns the path of this binary.
pub(super) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|e| Failure::internal(format!("this binary cannot be found again: {e}")))
}

/// Returns the name of this machine, without its domain.
pub(super) fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().split('.').next().unwrap_or_default().to_owned()
}

async fn cancel_on_signal(cancel: CancellationToken) {
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
    cancel.cancel();
}

/// Progress line, on a terminal only.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Makes a line for `n` programs.
    pub(super) fn new(wanted: bool, n: usize) -> Progress {
        if !wanted || !std::io::stderr().is_terminal() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(n as u64);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {prefix} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        Progress { bar }
    }
    /// Goes on to the next program.
    pub(super) fn program(&self, name: &str) {
        self.bar.inc(1);
        self.bar.set_prefix(name.to_string());
        self.bar.set_message("reading");
    }
    /// Shows an event of the worker.
    pub(super) fn event(&self, event: &Event) {
        match event {
            Event::Progress { requirement, engine, text, .. } => self.bar.set_message(format!("{requirement}: {engine}: {text}")),
            Event::Verdict { requirement, headline, .. } => self.bar.set_message(format!("{requirement}: {headline}")),
            Event::Log { text } => self.bar.set_message(text.clone()),
        }
    }
    /// Hides the line while `print` runs.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
    /// Removes the line.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
