//! Limits of a worker. Set by the worker on itself before it reads a byte of the user's.

use std::io::Write as _;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

/// Limits of a run, at which it ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Limits {
    /// Wall-clock seconds for the whole run.
    pub wall_s: u32,
    /// Memory of the worker (resident) in MiB.
    pub memory_mb: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { wall_s: 600, memory_mb: 4096 }
    }
}

/// Time between two looks of the watch. Memory that is allocated in between is written at some GB a second at most.
const PERIOD: Duration = Duration::from_millis(20);

/// Address space beyond the memory that may be used: stacks and the first pieces of solvers are reserved large and hardly
/// touched.
const RESERVED: u64 = 1 << 30;

/// Open files of a worker: its pipes, and what it looks up of itself.
const MOST_FILES: u64 = 64;

/// Limits this process for the rest of its life: memory, CPU seconds, files, and death when the parent dies.
///
/// CPU seconds are those that are given; else twice the wall clock on two cores, and a margin. There is no core file and no
/// file to write.
///
/// Memory is what is resident, since the address space says little about it; a thread watches it and ends the process with
/// the words of a failed allocation. Without `/proc` the address space has the limit.
pub fn apply(limits: &Limits, cpu_s: Option<u32>) -> std::io::Result<()> {
    let set = |resource, value: u64| setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    let memory = u64::from(limits.memory_mb) << 20;
    let can_look = resident_bytes().is_some();
    set(Resource::As, if can_look { memory.saturating_mul(2).saturating_add(RESERVED) } else { memory })?;
    let cpu_s = cpu_s.map_or(u64::from(limits.wall_s) * 4 + 30, u64::from);
    // Where both are the same the kernel kills without saying why: the signal is to tell the supervisor.
    setrlimit(Resource::Cpu, Rlimit { current: Some(cpu_s), maximum: Some(cpu_s + 2) })?;
    set(Resource::Core, 0)?;
    set(Resource::Nofile, MOST_FILES)?;
    set(Resource::Fsize, 0)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if can_look {
        std::thread::Builder::new().name("memory".into()).stack_size(64 << 10).spawn(move || watch(memory))?;
    }
    Ok(())
}

/// Ends the process when more than `most` bytes are resident.
fn watch(most: u64) {
    loop {
        std::thread::sleep(PERIOD);
        if resident_bytes().is_some_and(|bytes| most < bytes) {
            // As the runtime says it, so that the supervisor hears one cause of death in one form.
            let _ = writeln!(std::io::stderr().lock(), "memory allocation of more than {} MB", most >> 20);
            std::process::abort();
        }
    }
}

/// Returns the resident memory of this process without pages of files: these are of the program itself, and how many are
/// there depends on what the machine read before.
pub(super) fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut numbers = text.split_ascii_whitespace().skip(1).map(|number| number.parse::<u64>().ok());
    let (resident, of_files) = (numbers.next()??, numbers.next()??);
    Some(resident.saturating_sub(of_files) * rustix::param::page_size() as u64)
}

/// Returns the number of threads of this process.
pub(super) fn n_threads() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Output};

    use super::*;

    /// Name of the variable that says what [`a_process_that_goes_to_excess`] does.
    const EXCESS: &str = "SCANPROOF_TEST_EXCESS";

    /// Body of the processes of the next test; by itself it does nothing.
    #[test]
    fn a_process_that_goes_to_excess() {
        let Ok(what) = std::env::var(EXCESS) else { return };
        apply(&Limits { wall_s: 60, memory_mb: 256 }, Some(1)).unwrap();
        match what.as_str() {
            "processor" => while std::hint::black_box(true) {},
            "memory" => {
                let pieces: Vec<Vec<u8>> = (0..100).map(|n| vec![n; 16 << 20]).collect();
                std::thread::sleep(Duration::from_secs(30));
                std::hint::black_box(pieces);
            }
            "disk" => {
                let path = std::env::temp_dir().join(format!("scanproof-excess-{}", std::process::id()));
                let mut file = File::create(&path).unwrap();
                // Removed before it is filled: the kernel ends this process.
                std::fs::remove_file(&path).unwrap();
                let _ = file.write_all(b"x");
            }
            "files" => {
                let open: Vec<_> = (0..1000).map_while(|_| File::open("/dev/null").ok()).collect();
                std::process::exit(if open.len() <= MOST_FILES as usize { 42 } else { 43 });
            }
            other => panic!("{other}"),
        }
    }

    fn go(what: &str) -> Output {
        let name = format!("{}::a_process_that_goes_to_excess", module_path!().split_once("::").unwrap().1);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([name.as_str(), "--exact", "--nocapture", "--test-threads", "1"]).env(EXCESS, what).output().unwrap()
    }

    #[test]
    fn a_process_beyond_its_limits_is_ended_or_refused() {
        let of = |signal: Signal| Some(signal.as_raw());
        assert_eq!(go("processor").status.signal(), of(Signal::XCPU));
        assert_eq!(go("disk").status.signal(), of(Signal::XFSZ));
        assert_eq!(go("files").status.code(), Some(42));
        let memory = go("memory");
        assert_eq!(memory.status.signal(), of(Signal::ABORT));
        let said = String::from_utf8_lossy(&memory.stderr).into_owned();
        assert!(said.contains("memory allocation of"), "{said}");
    }
}
