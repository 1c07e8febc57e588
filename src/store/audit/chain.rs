//! The hash chain of the audit log, and its check. It knows no database: rows of a file are checked in the same way.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::store::programs::hex;

/// Result of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActResult {
    /// It was done.
    Done,
    /// The user may not do it.
    Refused,
    /// It was tried, and could not be done.
    Failed,
}

impl ActResult {
    /// All results.
    pub const ALL: [ActResult; 3] = [ActResult::Done, ActResult::Refused, ActResult::Failed];

    /// Returns the stored word.
    pub fn word(self) -> &'static str {
        match self {
            ActResult::Done => "done",
            ActResult::Refused => "refused",
            ActResult::Failed => "failed",
        }
    }

    /// Returns the result of a stored word.
    pub fn from_word(word: &str) -> Option<ActResult> {
        ActResult::ALL.into_iter().find(|result| result.word() == word)
    }
}

/// An act to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Act {
    /// Name of the user; empty before a log-in.
    pub who: String,
    /// Way of the request: a session, a token, the command line, the service itself.
    pub via: String,
    /// Address of the client; empty on this machine.
    pub address: String,
    /// Kind of act.
    pub action: String,
    /// Thing that it was about.
    pub object: String,
    /// Result.
    pub result: ActResult,
}

/// Row of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditRow {
    /// From 1, without gaps.
    pub number: i64,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// The act.
    #[serde(flatten)]
    pub act: Act,
    /// Hash of the row before; empty for the first.
    pub previous: String,
    /// SHA-256 over the hash of the row before and everything in this row.
    pub hash: String,
}

impl AuditRow {
    /// Returns the row of an act behind the row with the hash `previous`.
    pub(super) fn new(number: i64, at_ms: i64, act: Act, previous: String) -> AuditRow {
        let mut row = AuditRow { number, at_ms, act, previous, hash: String::new() };
        row.hash = row.computed_hash();
        row
    }

    /// Returns the hash that this row must have. Each field has its length before it, so that no two rows look alike.
    fn computed_hash(&self) -> String {
        let Act { who, via, address, action, object, result } = &self.act;
        let (number, at_ms) = (self.number.to_string(), self.at_ms.to_string());
        let fields: [&str; 9] = [&self.previous, &number, &at_ms, who, via, address, action, object, result.word()];
        let mut hash = Sha256::new();
        for field in fields {
            hash.update(format!("{}:", field.len()).as_bytes());
            hash.update(field.as_bytes());
        }
        hex(&hash.finalize())
    }
}

/// Place in the chain: the number of a row and its hash. The number 0 is the place before the first row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Number of the row.
    pub number: i64,
    /// Hash of the row.
    pub hash: String,
}

/// Action of the row that retention writes. Its object is the last row that was removed.
pub(super) const SHORTENED: &str = "audit log shortened";

/// Check of a chain, row by row.
#[derive(Clone, Debug)]
pub struct ChainCheck {
    last: Link,
    start: Link,
    known: Option<Link>,
    /// A row says that everything up to the start was removed.
    start_is_explained: bool,
    rows: u64,
}

impl ChainCheck {
    /// Returns the check of a chain that begins behind `start`. A `known` row, noted earlier, must be part of it.
    pub fn new(start: Link, known: Option<Link>) -> ChainCheck {
        let start_is_explained = start.number == 0;
        ChainCheck { last: start.clone(), start, known, start_is_explained, rows: 0 }
    }

    /// Checks the next row. The error is a sentence.
    pub fn next(&mut self, row: &AuditRow) -> Result<(), String> {
        let expected = self.last.number + 1;
        if row.number != expected {
            return Err(format!("row {expected} is missing: row {} follows row {}", row.number, self.last.number));
        }
        if row.previous != self.last.hash {
            return Err(format!("row {} does not follow the row before it: one of both was replaced", row.number));
        }
        if row.computed_hash() != row.hash {
            return Err(format!("row {} was changed", row.number));
        }
        if let Some(known) = self.known.take_if(|known| known.number == row.number)
            && known.hash != row.hash
        {
            return Err(format!("row {} is not the one that was noted", row.number));
        }
        self.start_is_explained |= row.act.action == SHORTENED && row.act.object == words(&self.start);
        self.last = Link { number: row.number, hash: row.hash.clone() };
        self.rows += 1;
        Ok(())
    }

    /// Checks the end of a whole log: its newest row, and the explanation of its beginning.
    pub fn end_of_log(self, newest: &Link) -> Result<u64, String> {
        if self.last != *newest {
            return Err(format!("rows after row {} are missing: the newest is row {}", self.last.number, newest.number));
        }
        if !self.start_is_explained {
            return Err(format!("rows up to {} were removed, and no row says so", self.start.number));
        }
        self.end()
    }

    /// Checks the end of a part of a log. Returns the number of rows.
    pub fn end(self) -> Result<u64, String> {
        match self.known {
            // Retention may have removed it.
            Some(known) if known.number <= self.start.number => Ok(self.rows),
            Some(known) => Err(format!("row {} was noted, but is missing", known.number)),
            None => Ok(self.rows),
        }
    }
}

/// Returns a place of the chain as a row names it.
pub(super) fn words(link: &Link) -> String {
    format!("rows up to {}:{}", link.number, link.hash)
}
