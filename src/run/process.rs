//! A worker process as its parent holds it: pipes, end, and what it has used.

use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait4::Wait4;

/// Resources that worker processes have used.
///
/// Units:     `peak_bytes` is resident memory, not address space. It is never less than what the parent held when it
///            started the process: the kernel counts the moment before the new image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time of all threads, user and system.
    pub cpu: Duration,
    /// Peak of the resident memory.
    pub peak_bytes: u64,
}

impl Usage {
    /// Of two processes that ran one after the other.
    pub(super) fn and(self, other: Usage) -> Usage {
        Usage { cpu: self.cpu + other.cpu, peak_bytes: self.peak_bytes.max(other.peak_bytes) }
    }
}

/// A worker. Dropping it kills it.
pub(super) struct Process {
    child: Child,
    is_gone: bool,
}

/// The parent's ends of a worker's pipes.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    /// Starts `program worker`.
    pub(super) fn start(program: &Path) -> io::Result<(Process, Pipes)> {
        use std::os::unix::process::CommandExt;
        let child = Command::new(program)
            .arg("worker")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let mut process = Process { child, is_gone: false };
        let child = &mut process.child;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
            _ => Err(io::Error::other("the worker has no pipes")),
        }
    }
    /// Ends it.
    pub(super) fn kill(&mut self) {
        // It may have ended by itself already.
        let _ = self.child.kill();
    }
    /// Waits until it has ended. Can be dropped and called again.
    pub(super) async fn end(&mut self) -> io::Result<(ExitStatus, Usage)> {
        let pid = Pid::from_child(&self.child);
        // Left as it is: its number stays taken until it is asked what it has used.
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
            // It dies at once, but giving back its memory takes a moment; the time limit of the kernel's is the only one.
            let _ = self.child.wait();
        }
    }
}
