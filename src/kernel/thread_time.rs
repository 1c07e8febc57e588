//! The clock of processor time.

use std::time::Duration;

/// Returns the processor time of the calling thread: a busy machine does not change it.
pub fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.try_into().unwrap_or_default(), now.tv_nsec.try_into().unwrap_or_default())
}
