//! A worker process as its parent holds it: pipes, end, and usage.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, Take};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use wait4::Wait4;

use super::protocol::{Assignment, MAX_LINE_BYTES, encode};

/// Lines of a worker's standard error that are kept, from its end.
const STDERR_LINES: usize = 20;

/// Set once workers give way to this process.
static IS_BACKGROUND: AtomicBool = AtomicBool::new(false);

/// Variable of the environment that tells a worker so.
pub(super) const BACKGROUND: &str = "SCANPROOF_BACKGROUND";

/// Lets workers give way to this process: a service answers requests while they compute.
pub fn work_in_background() {
    IS_BACKGROUND.store(true, Ordering::Relaxed);
}

/// Set once workers may start the solver that a user of the command line names.
static MAY_START_SOLVER: AtomicBool = AtomicBool::new(false);

/// Variable of the environment that tells a worker so.
pub(super) const OTHER_SOLVER: &str = "SCANPROOF_OTHER_SOLVER";

/// Lets workers start the solver of a [`super::job::CertificateText`]: never in a service or an agent, whose jobs come from others.
pub fn allow_other_solver() {
    MAY_START_SOLVER.store(true, Ordering::Relaxed);
}

/// Resources that worker processes have used.
///
/// Units:     `peak_bytes` is resident memory, not address space. It is never less than what the parent held when it
///            started the process: the kernel counts the moment before the new image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time of all threads, user and system.
    pub cpu: Duration,
    /// Peak of the resident memory.
    pub peak_bytes: u64,
}

impl Usage {
    /// Adds up two processes that ran one after the other.
    pub(super) fn and(self, other: Usage) -> Usage {
        Usage { cpu: self.cpu + other.cpu, peak_bytes: self.peak_bytes.max(other.peak_bytes) }
    }
}

/// A worker. Dropping it kills it.
pub(super) struct Process {
    child: Child,
    is_gone: bool,
}

/// A worker with its assignment, as its parent listens to it.
pub(super) struct Conversation {
    pub(super) process: Process,
    lines: BufReader<Take<ChildStdout>>,
    feed: JoinHandle<()>,
    /// Way of its next assignment, if it waits for one.
    next: Option<mpsc::UnboundedSender<String>>,
    complaints: JoinHandle<VecDeque<String>>,
}

impl Conversation {
    /// Starts `program worker`, and writes its assignment.
    pub(super) fn start(program: &Path, assignment: &Assignment) -> io::Result<Conversation> {
        let text = encode(assignment).map_err(io::Error::other)?;
        let (sender, mut receiver) = mpsc::unbounded_channel::<String>();
        let (process, stdin, stdout, stderr) = Process::start(program)?;
        let (mut stdin, stdout) = (ChildStdin::from_std(stdin)?, ChildStdout::from_std(stdout)?);
        let feed = tokio::spawn(async move {
            // A worker that dies early closes the pipe. Its exit status tells the cause.
            let _ = stdin.write_all(format!("{text}\n").as_bytes()).await;
            drop(text);
            while let Some(text) = receiver.recv().await {
                let _ = stdin.write_all(format!("{text}\n").as_bytes()).await;
            }
        });
        let next = Some(sender).filter(|_| assignment.reads_ahead || assignment.stays);
        let complaints = tokio::spawn(last_lines(ChildStderr::from_std(stderr)?));
        Ok(Conversation { process, lines: BufReader::new(stdout.take(MAX_LINE_BYTES)), feed, next, complaints })
    }
    /// Gives it its next assignment, if it waits for one.
    pub(super) fn assign(&mut self, assignment: &Assignment) -> io::Result<()> {
        let text = encode(assignment).map_err(io::Error::other)?;
        let sender = self.next.as_ref().ok_or_else(|| io::Error::other("the worker waits for no assignment"))?;
        // A worker that is gone is noticed at its next line.
        let _ = sender.send(text);
        Ok(())
    }
    /// Returns the next line; `None` at the end.
    pub(super) async fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let read = self.lines.read_until(b'\n', &mut line).await;
        self.lines.get_mut().set_limit(MAX_LINE_BYTES);
        read.is_ok_and(|n| 0 < n).then(|| String::from_utf8_lossy(&line).into_owned())
    }
    /// Stops feeding it.
    pub(super) fn stop(&self) {
        self.feed.abort();
    }
    /// Returns the last lines of its standard error.
    pub(super) async fn complaints(self) -> VecDeque<String> {
        self.complaints.await.unwrap_or_default()
    }
}

async fn last_lines(stream: impl AsyncRead + Unpin) -> VecDeque<String> {
    let mut kept = VecDeque::new();
    let mut reader = BufReader::new(stream.take(64 << 20));
    let mut line = Vec::new();
    while let Ok(n) = reader.read_until(b'\n', &mut line).await {
        if n == 0 {
            break;
        }
        kept.push_back(String::from_utf8_lossy(&line).trim_end().to_string());
        if STDERR_LINES < kept.len() {
            kept.pop_front();
        }
        line.clear();
    }
    kept
}

/// Returns the variables of the environment of a worker that may start another solver: it is found as by the caller.
fn other_solver() -> Vec<(&'static str, OsString)> {
    let path = std::env::var_os("PATH").map(|path| ("PATH", path));
    let allowed = MAY_START_SOLVER.load(Ordering::Relaxed).then(|| (OTHER_SOLVER, OsString::from("1")));
    allowed.map_or_else(Vec::new, |allowed| path.into_iter().chain([allowed]).collect())
}

impl Process {
    /// Starts `program worker`. Returns also its standard input, output and error.
    fn start(program: &Path) -> io::Result<(Process, process::ChildStdin, process::ChildStdout, process::ChildStderr)> {
        use std::os::unix::process::CommandExt;
        let child = Command::new(program)
            .arg("worker")
            .env_clear()
            .envs(IS_BACKGROUND.load(Ordering::Relaxed).then_some((BACKGROUND, "1")))
            .envs(other_solver())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let mut process = Process { child, is_gone: false };
        let child = &mut process.child;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, stdin, stdout, stderr)),
            _ => Err(io::Error::other("the worker has no pipes")),
        }
    }
    /// Returns its number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
    /// Ends it.
    pub(super) fn kill(&mut self) {
        // It may have ended by itself already.
        let _ = self.child.kill();
    }
    /// Waits until it has ended. Can be dropped and called again.
    pub(super) async fn end(&mut self) -> io::Result<(ExitStatus, Usage)> {
        let pid = Pid::from_child(&self.child);
        // It is not reaped yet: its number stays taken until its usage is read.
        let seen = tokio::task::spawn_blocking(move || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
        seen.await.map_err(io::Error::other)??;
        let used = self.child.wait4()?;
        self.is_gone = true;
        Ok((used.status, Usage { cpu: used.rusage.utime + used.rusage.stime, peak_bytes: used.rusage.maxrss }))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_gone {
            self.kill();
            // It dies at once, but the kernel needs a moment to free its memory.
            let _ = self.child.wait();
        }
    }
}
