//! What a worker may use. Set by the worker on itself before it reads a byte of the user's.

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::job::Limits;

/// Limits this process for the rest of its life: address space, CPU seconds (those that are given; else twice the wall clock on
/// two cores, and a margin), no core file, no files to write, and death when the parent dies.
pub fn apply(limits: &Limits, cpu_s: Option<u32>) -> std::io::Result<()> {
    let set = |resource, value: u64| setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    set(Resource::As, u64::from(limits.memory_mb) << 20)?;
    let cpu_s = cpu_s.map_or(u64::from(limits.wall_s) * 4 + 30, u64::from);
    // Where both are the same the kernel kills without saying why: the signal is to tell the supervisor.
    setrlimit(Resource::Cpu, Rlimit { current: Some(cpu_s), maximum: Some(cpu_s + 2) })?;
    set(Resource::Core, 0)?;
    set(Resource::Fsize, 0)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}
