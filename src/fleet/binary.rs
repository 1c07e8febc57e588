//! Fingerprint of a program file: measurements of two builds are told apart by it.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

/// Returns the fingerprint of a file: its SHA-256 in hex.
pub fn fingerprint(program: &Path) -> io::Result<String> {
    let mut file = File::open(program)?;
    let (mut context, mut part) = (Context::new(&SHA256), vec![0; 1 << 20]);
    loop {
        match file.read(&mut part)? {
            0 => break,
            n => context.update(&part[..n]),
        }
    }
    Ok(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Program file that workers are started from.
#[derive(Debug)]
pub(super) struct Binary {
    program: PathBuf,
    fingerprint: String,
    /// Identity of the file when the fingerprint was taken; `None` if it cannot be read.
    identity: Option<Identity>,
}

/// Device, number, size, and time of the last change.
type Identity = (u64, u64, u64, (i64, i64));

fn identity(program: &Path) -> Option<Identity> {
    let of = |data: Metadata| (data.dev(), data.ino(), data.len(), (data.ctime(), data.ctime_nsec()));
    std::fs::metadata(program).ok().map(of)
}

impl Binary {
    /// Takes note of a file with its fingerprint.
    pub(super) fn new(program: &Path, fingerprint: &str) -> Binary {
        Binary { program: program.to_owned(), fingerprint: fingerprint.to_owned(), identity: identity(program) }
    }

    /// Returns the fingerprint; empty if the file is another one now: an update replaces it while an agent works.
    pub(super) fn fingerprint(&self) -> &str {
        if self.identity.is_some() && identity(&self.program) == self.identity { &self.fingerprint } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_replaced_has_no_fingerprint() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        std::fs::write(&program, "abc").unwrap();
        let own = fingerprint(&program).unwrap();
        assert_eq!(own, answer::certificate::sha256("abc"));
        let binary = Binary::new(&program, &own);
        assert_eq!(binary.fingerprint(), own);
        let update = dir.path().join("update");
        std::fs::write(&update, "abd").unwrap();
        std::fs::rename(&update, &program).unwrap();
        assert_eq!(binary.fingerprint(), "");
        std::fs::remove_file(&program).unwrap();
        assert_eq!(binary.fingerprint(), "");
        assert_eq!(Binary::new(&program, &own).fingerprint(), "");
    }
}
