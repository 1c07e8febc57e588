//! System calls that a worker does without: sockets, programs, other processes, and the parts of the kernel that attacks begin with
//! (seccomp).
//!
//! A list of what is refused, not of what is allowed: allocators, threads and solver libraries may need any ordinary call. A refused
//! call fails with EPERM; `clone3` fails with ENOSYS, and the C library then takes `clone`, whose flags can be looked at.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

/// Refused calls. Network by every way, other programs, other processes, and calls for administrators.
const REFUSED: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
];

/// Forks that only some processors have.
#[cfg(target_arch = "x86_64")]
const FORKS: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[i64] = &[];

/// Error of a filter.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// It cannot be made for this processor.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The kernel does not take it.
    #[error(transparent)]
    Kernel(#[from] seccompiler::Error),
}

/// Takes the refused calls from this thread and those that it starts, for the rest of their lives.
///
/// Soundness: none of an answer rests on it.
pub(super) fn refuse() -> Result<(), FilterError> {
    let eperm = u32::try_from(libc::EPERM).unwrap_or(1);
    let enosys = u32::try_from(libc::ENOSYS).unwrap_or(38);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().chain(FORKS).map(|call| (*call, Vec::new())).collect();
    // A new process; a new thread has the flag.
    let threads = u64::try_from(libc::CLONE_THREAD).unwrap_or_default();
    let no_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(threads), 0)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_thread])?]);
    apply_filter(&filter(rules, eperm)?)?;
    apply_filter(&filter(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), enosys)?)?;
    Ok(())
}

fn filter(rules: BTreeMap<i64, Vec<SeccompRule>>, error: u32) -> Result<BpfProgram, FilterError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// Returns whether workers keep these calls: the kernel has no filters, or none for this processor.
pub(super) fn is_missing() -> bool {
    let has_filters = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").is_ok_and(|all| all.contains("errno"));
    !has_filters || TargetArch::try_from(std::env::consts::ARCH).is_err()
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::net::{UnixDatagram, UnixStream};
    use std::process::Command;

    use nix::errno::Errno;

    use super::*;

    #[test]
    fn a_worker_opens_no_socket_starts_no_program_and_watches_no_process() {
        if is_missing() {
            return;
        }
        let tried = std::thread::spawn(|| {
            refuse().unwrap();
            // A thread that it starts is like it, and can be started at all.
            std::thread::spawn(|| {
                let kind = |result: std::io::Result<()>| result.err().map(|error| error.kind());
                let sockets = [
                    kind(UdpSocket::bind("127.0.0.1:0").map(drop)),
                    kind(TcpListener::bind("127.0.0.1:0").map(drop)),
                    kind(UnixStream::pair().map(drop)),
                    kind(UnixDatagram::unbound().map(drop)),
                ];
                let programs = kind(Command::new("/bin/true").status().map(drop));
                // A name that is not there: were it allowed, the error would be another one.
                let exec = nix::unistd::execv(c"/no/such/program", &[c"x"]).err();
                let watch = nix::sys::ptrace::traceme().err();
                (sockets, programs, exec, watch, std::fs::read("/proc/self/statm").is_ok())
            })
            .join()
            .unwrap()
        });
        let (sockets, programs, exec, watch, reads) = tried.join().unwrap();
        assert_eq!(sockets, [Some(ErrorKind::PermissionDenied); 4]);
        assert_eq!(programs, Some(ErrorKind::PermissionDenied));
        assert_eq!((exec, watch), (Some(Errno::EPERM), Some(Errno::EPERM)));
        assert!(reads, "ordinary calls");
    }
}
