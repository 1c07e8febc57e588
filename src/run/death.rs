//! Causes of death of workers, in words for people.

use std::collections::VecDeque;

/// Returns the cause of death of a worker that gave no `Done` line, in words for people.
pub(super) fn cause_of_death(status: std::process::ExitStatus, complaints: &VecDeque<String>, memory_mb: u32) -> String {
    use std::os::unix::process::ExitStatusExt;
    let said = |words: &str| complaints.iter().any(|line| line.contains(words));
    if said("memory allocation of") || said("bad_alloc") || said("Cannot allocate memory") {
        return memory_limit(memory_mb);
    }
    if said("overflowed its stack") {
        return "the worker ran out of stack: an expression of this program is too deep".into();
    }
    match (status.signal(), status.code()) {
        (Some(24), _) => CPU_LIMIT.into(),
        (Some(9), _) => "the worker was killed (by an administrator, or the machine ran out of memory)".into(),
        (Some(signal), _) => format!("the worker ended by signal {signal}{}", last_words(complaints)),
        (None, Some(code)) => format!("the worker ended early with code {code}{}", last_words(complaints)),
        (None, None) => "the worker ended early".into(),
    }
}

/// Cause of death of a worker without processor time.
pub(super) const CPU_LIMIT: &str = "processor time limit";

/// Returns the cause of death of a worker without memory.
pub(super) fn memory_limit(memory_mb: u32) -> String {
    format!("memory limit of {memory_mb} MB")
}

fn last_words(complaints: &VecDeque<String>) -> String {
    complaints.iter().rev().find(|line| !line.is_empty()).map(|line| format!(": {line}")).unwrap_or_default()
}
