//! Uploads, among them projects in zip files: bytes under a name become source texts.
//!
//! Made for untrusted archives: limits on number, size and ratio hold while unpacking, independent of the headers. Names
//! become labels inside of the project. A file that cannot be unpacked is reported. Reads from memory only.

mod name;
mod requirement_files;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::lang::{has_ending, holds_no_text};
use crate::text::{TextProblem, decode};
use requirement_files::Wanted;
pub use requirement_files::{beside, requirement_files};

/// Limits of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Files, with those of archives inside of it.
    pub n_files: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// Largest ratio of the size of a file to its packed size.
    pub ratio: u64,
    /// Levels of archives inside of archives.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { n_files: 5_000, file_bytes: 20 << 20, total_bytes: 64 << 20, ratio: 200, depth: 2 }
    }
}

/// A source text of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedFile {
    /// Its path inside of the project: a label, never a path to open.
    pub name: String,
    /// Its text; empty for files that are known not to be programs.
    pub text: String,
    /// Guesses about its bytes.
    pub problems: Vec<TextProblem>,
}

/// Reason for which a file of an upload is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, with the archive it is in.
    pub name: String,
    /// The problem: "is larger than 20 MB".
    pub message: String,
    /// Advice.
    pub help: &'static str,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}; {}", self.name, self.message, self.help)
    }
}

/// Content of an upload. With a problem, a part of the program may be missing, and nothing should be verified.
#[derive(Clone, Debug, Default)]
pub struct Upload {
    /// In the order of the archive.
    pub files: Vec<UploadedFile>,
    /// Files of `files` that may hold requirements, with their texts. They are part of no program.
    pub stated: Vec<UploadedFile>,
    /// Files that are missing, with reasons.
    pub problems: Vec<Problem>,
}

/// Returns the source texts in a file: those of a zip, or its own.
pub fn open(name: &str, bytes: &[u8], limits: &Limits) -> Upload {
    let mut upload = Unpacking { limits, upload: Upload::default(), left_bytes: limits.total_bytes, names: BTreeSet::new() };
    upload.file(name.to_owned(), bytes, 0);
    upload.upload
}

/// Returns whether these bytes are a zip.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

struct Unpacking<'l> {
    limits: &'l Limits,
    upload: Upload,
    left_bytes: u64,
    /// Labels taken, in lower case: engineering systems ignore the case of names.
    names: BTreeSet<String>,
}

/// The state after a limit was reached: unpacking ends.
struct Full;

impl Unpacking<'_> {
    /// Takes a plain file, or an archive at this depth.
    fn file(&mut self, name: String, bytes: &[u8], depth: u32) {
        let holds_no_text = holds_no_text(&name);
        if is_archive(bytes) && !holds_no_text {
            if self.archive(&name, bytes, depth).is_err() {
                // One note is enough: further files would only repeat it.
                self.left_bytes = 0;
            }
            return;
        }
        let (text, problems) = if holds_no_text { Default::default() } else { decode(bytes) };
        if has_ending(&name, requirement_files::ENDINGS) {
            let (text, problems) = decode(bytes);
            self.upload.stated.push(UploadedFile { name: name.clone(), text, problems });
        }
        self.upload.files.push(UploadedFile { name, text, problems });
    }

    fn archive(&mut self, name: &str, bytes: &[u8], depth: u32) -> Result<(), Full> {
        if self.limits.depth <= depth {
            return self.problem(name, "is an archive inside of too many archives", "unpack it first");
        }
        let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(e) => {
                return self.problem(name, words(&e), "pack the project's folder again as a .zip");
            }
        };
        if archive.has_duplicate_names() {
            return self.problem(name, "holds two files of the same name", "pack the project's folder again as a .zip");
        }
        let names: Vec<String> = (0..archive.len()).filter_map(|index| label_of(&archive, name, index, depth)).collect();
        let wanted = Wanted::new(names.iter().map(String::as_str));
        for index in 0..archive.len() {
            self.entry(name, &mut archive, &wanted, index, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        archive: &str,
        from: &mut ZipArchive<Cursor<&[u8]>>,
        wanted: &Wanted,
        index: usize,
        depth: u32,
    ) -> Result<(), Full> {
        let name = from.name_for_index(index).and_then(Result::ok).map_or_else(String::new, |n| name::label(&n));
        let mut entry = match from.by_index(index) {
            Ok(entry) => entry,
            Err(e) => {
                return self.problem(&format!("{archive}/{name}"), words(&e), "pack the project's folder again as a .zip");
            }
        };
        let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let written = entry.name().map_or(raw, |n| n.into_owned());
        if entry.is_dir() || name::is_hidden(&written) {
            return Ok(());
        }
        let label = match depth {
            0 => name::label(&written),
            _ => format!("{archive}/{}", name::label(&written)),
        };
        if entry.is_symlink() {
            return self.problem(&label, "is a link, not a file", "pack the file that it leads to");
        }
        if self.limits.n_files <= self.upload.files.len() {
            let message = format!("holds more than {} files", self.limits.n_files);
            self.problem(archive, &message, "pack the sources of the program only")?;
            return Err(Full);
        }
        if !self.names.insert(label.to_lowercase()) {
            return self.problem(&label, "is in the archive twice", "pack the project's folder again as a .zip");
        }
        if wanted.rank(&label).is_none() && holds_no_text(&label) {
            self.upload.files.push(UploadedFile { name: label, text: String::new(), problems: Vec::new() });
            return Ok(());
        }
        let packed_bytes = entry.compressed_size().max(1);
        let by_ratio = packed_bytes.saturating_mul(self.limits.ratio).max(1 << 20);
        let limit = self.limits.file_bytes.min(by_ratio).min(self.left_bytes);
        let mut bytes = Vec::new();
        let read = entry.by_ref().take(limit + 1).read_to_end(&mut bytes);
        if let Err(e) = read {
            return self.problem(&label, &format!("is damaged: {e}"), "pack the project's folder again as a .zip");
        }
        let n_bytes = bytes.len() as u64;
        if limit < n_bytes {
            let message = match limit {
                _ if limit == self.left_bytes => {
                    format!("is beyond the {} MB that an archive may hold", self.limits.total_bytes >> 20)
                }
                _ if limit == self.limits.file_bytes => format!("is larger than {} MB", self.limits.file_bytes >> 20),
                _ => format!("is more than {} times as large as it is packed", self.limits.ratio),
            };
            self.problem(&label, &message, "pack the sources of the program only")?;
            return if limit == self.left_bytes { Err(Full) } else { Ok(()) };
        }
        self.left_bytes -= n_bytes;
        self.file(label, &bytes, depth + 1);
        Ok(())
    }

    /// Notes that a file is missing; unpacking goes on.
    fn problem(&mut self, name: &str, message: &str, help: &'static str) -> Result<(), Full> {
        /// Most problems in the list.
        const MOST: usize = 100;
        if self.upload.problems.len() < MOST {
            self.upload.problems.push(Problem { name: name.to_owned(), message: message.to_owned(), help });
        }
        Ok(())
    }
}

/// Returns the label of a file in an archive.
fn label_of(from: &ZipArchive<Cursor<&[u8]>>, archive: &str, index: usize, depth: u32) -> Option<String> {
    let label = name::label(&from.name_for_index(index)?.ok()?);
    Some(if depth == 0 { label } else { format!("{archive}/{label}") })
}

fn words(error: &ZipError) -> &'static str {
    if matches!(error, ZipError::UnsupportedArchive(_) | ZipError::InvalidPassword) {
        "is locked with a password or of a kind that is not read"
    } else if matches!(error, ZipError::CompressionMethodNotSupported(_)) {
        "is packed in a way that is not read (only Deflate is)"
    } else {
        "is a damaged zip archive"
    }
}
