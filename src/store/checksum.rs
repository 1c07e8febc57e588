//! The last line of a backup: SHA-256 over all bytes before it.
//!
//! SQLite checks the form of its pages, not the bytes inside of texts: one that changed could change a verdict. It does not read bytes
//! behind its last page, so the file is still a database.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::programs::hex;

const HEAD: &[u8] = b"\nScanproof backup, SHA-256 ";
/// Length of the line in bytes: with 64 digits and the end of the line.
const LINE: usize = HEAD.len() + 65;
/// Length of the part of a database that says its page size and its number of pages.
const SIZES: usize = 32;

/// Answer about the checksum of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checksum {
    /// All bytes are those that were written.
    Right,
    /// Some byte changed, or the end is missing.
    Wrong,
    /// A database without one, of an older version; or no database.
    Absent,
}

/// Writes the line behind a database, and waits until the disk has it.
pub(super) fn append(file: &Path) -> io::Result<()> {
    let digest = digest(&mut File::open(file)?, None)?;
    let mut file = OpenOptions::new().append(true).open(file)?;
    file.write_all(&line(&digest))?;
    file.sync_all()
}

/// Compares a file with its line. Cost: reads the file once.
pub(super) fn check(file: &Path) -> io::Result<Checksum> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let Some(start) = length.checked_sub(LINE as u64) else { return Ok(Checksum::Absent) };
    let mut last = [0; LINE];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut last)?;
    let mut first = [0; SIZES];
    file.rewind()?;
    file.read_exact(&mut first)?;
    file.rewind()?;
    if last.starts_with(HEAD) {
        let is_right = line(&digest(&mut file, Some(start))?) == last;
        return Ok(if is_right { Checksum::Right } else { Checksum::Wrong });
    }
    Ok(if database_bytes(&first).is_none_or(|bytes| bytes == length) { Checksum::Absent } else { Checksum::Wrong })
}

/// Returns the length of a database by its first bytes; `None` if it is none.
fn database_bytes(first: &[u8; SIZES]) -> Option<u64> {
    let page = u64::from(u16::from_be_bytes([first[16], first[17]]));
    let pages = u64::from(u32::from_be_bytes([first[28], first[29], first[30], first[31]]));
    // 1 stands for 65,536, which two bytes cannot hold.
    first.starts_with(b"SQLite format 3\0").then_some(if page == 1 { 65_536 } else { page } * pages)
}

fn line(digest: &str) -> Vec<u8> {
    [HEAD, digest.as_bytes(), b"\n"].concat()
}

/// Returns the digest of the first bytes of a file, or of all.
fn digest(file: &mut File, bytes: Option<u64>) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut part = vec![0; 1 << 16];
    let mut reader = file.take(bytes.unwrap_or(u64::MAX));
    loop {
        match reader.read(&mut part)? {
            0 => return Ok(hex(&hash.finalize())),
            n => hash.update(&part[..n]),
        }
    }
}
