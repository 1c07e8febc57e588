//! Processor time and memory of a command with all its processes. Linux only.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of a second in `/proc/PID/stat`.
const TICKS: f64 = 100.0;
/// Time between two looks at the processes; a limit can be passed for so long.
const PAUSE: Duration = Duration::from_millis(20);

/// Limits of a command.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Processor time of all processes, in seconds.
    pub(super) seconds: f64,
    /// Resident memory of all processes together, in megabytes.
    pub(super) megabytes: u64,
}

/// End of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It ended by itself.
    Itself,
    Time,
    Memory,
}

/// A command that has ended.
pub(super) struct Measured {
    pub(super) end: End,
    /// Processor time of all processes, in seconds.
    pub(super) seconds: f64,
    /// Most resident memory of all processes together, as far as it was seen.
    pub(super) megabytes: u64,
    /// Standard output.
    pub(super) said: String,
}

/// State of a process: its parent, its time with that of children it has waited for, and whether it has ended.
struct Row {
    parent: u32,
    seconds: f64,
    ended: bool,
}

/// Runs a command within limits. `folder` keeps its output.
///
/// Time that a process has used after the last look, before it was killed, is not counted. Twice the processor time may pass on
/// the clock, and ten seconds more; then it counts as [`End::Time`].
pub(super) fn measured(command: &mut Command, folder: &Path, limits: Limits) -> Result<Measured, String> {
    let path = folder.join("said.txt");
    let named = |e: std::io::Error| format!("{command:?}: {e}");
    let file = File::create(&path).map_err(named)?;
    let started = command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null()).spawn();
    let mut child = started.map_err(|e| format!("{command:?}: {e}"))?;
    let (end, seconds, megabytes) = watch(&child, limits);
    if end != End::Itself {
        kill(child.id());
    }
    child.wait().map_err(|e| e.to_string())?;
    let said = fs::read(&path).map_err(|e| e.to_string())?;
    Ok(Measured { end, seconds, megabytes, said: String::from_utf8_lossy(&said).into_owned() })
}

/// Waits until the process has ended, without taking its exit code, or until a limit is reached.
fn watch(child: &Child, limits: Limits) -> (End, f64, u64) {
    let (begin, longest) = (Instant::now(), Duration::from_secs_f64(2.0 * limits.seconds + 10.0));
    let (mut seconds, mut megabytes) = (0.0_f64, 0);
    loop {
        let family = family(child.id());
        seconds = seconds.max(family.iter().filter_map(|id| row(*id)).map(|row| row.seconds).sum());
        megabytes = megabytes.max(family.iter().map(|id| resident(*id)).sum::<u64>() / 1024);
        if limits.seconds < seconds || longest < begin.elapsed() {
            return (End::Time, seconds, megabytes);
        }
        if limits.megabytes < megabytes {
            return (End::Memory, seconds, megabytes);
        }
        if row(child.id()).is_none_or(|row| row.ended) {
            return (End::Itself, seconds, megabytes);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns the process and all below it.
fn family(root: u32) -> BTreeSet<u32> {
    let ids = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let parents: Vec<(u32, u32)> = ids.filter_map(|id| Some((id, row(id)?.parent))).collect();
    let mut family = BTreeSet::from([root]);
    loop {
        let more = parents.iter().filter(|(id, parent)| family.contains(parent) && !family.contains(id));
        let more: Vec<u32> = more.map(|(id, _)| *id).collect();
        if more.is_empty() {
            return family;
        }
        family.extend(more);
    }
}

fn row(id: u32) -> Option<Row> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the command stands in parentheses before these.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().filter_map(|text| text.parse::<f64>().ok()).sum::<f64>();
    Some(Row { parent: fields.get(1)?.parse().ok()?, seconds: ticks / TICKS, ended: *fields.first()? == "Z" })
}

/// Returns the resident memory of a process, in kilobytes.
fn resident(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Ends a process and all below it.
fn kill(root: u32) {
    let ids: Vec<String> = family(root).iter().map(u32::to_string).collect();
    let _ = Command::new("kill").arg("-KILL").args(ids).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, limits: Limits) -> Measured {
        let folder = std::env::temp_dir().join(format!("growth-{}-{}", std::process::id(), script.len()));
        fs::create_dir_all(&folder).unwrap();
        let measured = measured(Command::new("sh").args(["-c", script]), &folder, limits).unwrap();
        fs::remove_dir_all(folder).unwrap();
        measured
    }

    #[test]
    fn output_and_end_are_those_of_the_command() {
        let measured = run("echo sat; exit 3", Limits { seconds: 60.0, megabytes: 1_000 });
        assert_eq!((measured.end, measured.said.as_str()), (End::Itself, "sat\n"));
    }

    #[test]
    fn processes_below_count_and_are_ended() {
        let measured = run("sh -c 'while :; do :; done'; :", Limits { seconds: 0.2, megabytes: 1_000 });
        assert_eq!(measured.end, End::Time);
        assert!(0.2 < measured.seconds, "{}", measured.seconds);
    }

    #[test]
    fn memory_is_limited() {
        let script = "x=0123456789abcdef; while :; do x=$x$x; done";
        assert_eq!(run(script, Limits { seconds: 60.0, megabytes: 30 }).end, End::Memory);
    }
}
