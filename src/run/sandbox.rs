//! Isolation of a worker: no files, no connections, no programs, no new rights (Landlock and seccomp, in the kernel).
//!
//! A worker needs its standard input and output alone. A defect that a user's program can reach must not become a way to the
//! machine. Where the kernel lacks a part, the service says so in its log. Sockets of other kinds, programs and other processes are
//! taken by a filter of system calls.

use super::syscalls;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, path_beneath_rules,
};

/// Readable places of a worker: its own memory use, and the processors that it may use.
const READABLE: &[&str] = &["/proc/self", "/sys/fs/cgroup"];

/// First interface of the kernel that knows files, and first one that knows TCP.
const FILES: ABI = ABI::V1;
const NETWORK: ABI = ABI::V4;
/// Newest interface whose rights are asked for; an older kernel grants what it knows.
const NEWEST: ABI = ABI::V5;

/// Error of the isolation.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Files and TCP.
    #[error(transparent)]
    Files(#[from] RulesetError),
    /// System calls.
    #[error(transparent)]
    Calls(#[from] syscalls::FilterError),
}

/// Takes files, connections and programs from this thread and those that it starts, for the rest of their lives.
///
/// Where one part fails, the other is taken all the same. Soundness: none of an answer rests on it.
pub fn enter() -> Result<(), SandboxError> {
    let files = take_files();
    syscalls::refuse()?;
    Ok(files?)
}

fn take_files() -> Result<(), RulesetError> {
    let readable = path_beneath_rules(READABLE, AccessFs::ReadFile | AccessFs::ReadDir);
    ruleset(CompatLevel::BestEffort, NEWEST)?.add_rules(readable)?.restrict_self()?;
    Ok(())
}

/// Returns the rights that workers keep on this machine although they do not need them: `files`, `TCP connections`, `system calls`.
pub fn missing() -> Vec<&'static str> {
    let lacks = |abi: ABI| ruleset(CompatLevel::HardRequirement, abi).is_err();
    let places =
        [(FILES, "files"), (NETWORK, "TCP connections")].into_iter().filter(|(abi, _)| lacks(*abi)).map(|(_, what)| what);
    places.chain(syscalls::is_missing().then_some("system calls")).collect()
}

fn ruleset(level: CompatLevel, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let ruleset = Ruleset::default().set_compatibility(level).handle_access(AccessFs::from_all(abi))?;
    let network = AccessNet::from_all(abi);
    if network.is_empty() { ruleset.create() } else { ruleset.handle_access(network)?.create() }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_worker_reads_no_file_and_reaches_no_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "x").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let missing = missing();
        // The rights of this thread alone.
        let tried = std::thread::spawn(move || {
            enter().unwrap();
            let inner = std::thread::spawn(move || {
                let kind = |result: std::io::Result<()>| result.err().map(|error| error.kind());
                let read = kind(std::fs::read(&path).map(drop));
                let written = kind(std::fs::write(path.with_extension("new"), "y"));
                let reached = kind(TcpStream::connect(address).map(drop));
                (read, written, reached, std::fs::read_to_string("/proc/self/statm").is_ok())
            });
            inner.join().unwrap()
        });
        let (read, written, reached, own) = tried.join().unwrap();
        assert!(own, "its own memory use");
        let denied = |what: &str| (!missing.contains(&what)).then_some(ErrorKind::PermissionDenied);
        assert_eq!((read, written), (denied("files"), denied("files")));
        assert_eq!(reached, denied("TCP connections"));
    }
}
