//! `scanproof audit`: checks the audit log of a data folder, or an export of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::print::{complain, out};
use super::{BROKEN, Failure};
use crate::store::StoreError;
use crate::store::audit::chain::{AuditRow, ChainCheck, Link};
use crate::store::audit::verify;
use kernel::context::count;

/// Arguments of `audit`.
#[derive(Args)]
pub struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Subcommand)]
enum AuditCommand {
    /// Find rows that were changed, removed or moved; the service may run
    Verify {
        /// Folder of the database
        #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
        data: PathBuf,
        /// Row that was noted earlier, as the page of the log shows it
        #[arg(long, value_name = "NUMBER:HASH", value_parser = link)]
        known: Option<Link>,
        /// Check this export instead, JSON lines. Give --known, too: the file alone cannot tell that rows at its end are missing
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

fn link(text: &str) -> Result<Link, String> {
    let parts = text.split_once(':').and_then(|(number, hash)| Some((number.parse().ok()?, hash)));
    match parts {
        Some((number, hash)) if hash.len() == 64 && 0 < number => Ok(Link { number, hash: hash.to_ascii_lowercase() }),
        _ => Err("a number, a colon, and the 64 characters of a hash".into()),
    }
}

/// Checks a log. Exits with 0 if it is whole, and with 40 if it was tampered with.
pub(super) fn run(args: &AuditArgs) -> Result<u8, Failure> {
    let AuditCommand::Verify { data, known, file } = &args.command;
    let answer = match file {
        Some(file) => check_file(file, known.clone())?,
        None => {
            let (last, answer) = verify(data, known.clone()).map_err(|error| {
                let is_missing = matches!(error, StoreError::Missing { .. });
                let help = if is_missing { ": name the folder of the service with --data" } else { "" };
                Failure::bad_input(format!("{error}{help}"))
            })?;
            answer.map(|rows| (rows, last))
        }
    };
    match answer {
        Ok((rows, last)) => {
            let (n_rows, newest) = (count(rows as usize, "row"), format!("the newest is {}:{}", last.number, last.hash));
            // A file cannot tell rows that were cut off from rows that were never exported.
            let first = last.number.saturating_sub(i64::try_from(rows).unwrap_or(i64::MAX)) + 1;
            match file {
                Some(_) if 1 < first => out(&format!(
                    "no row of this file was changed: {n_rows}, {newest}. It begins with row {first}: rows before it are not checked"
                )),
                Some(_) | None => out(&format!("the audit log is whole: {n_rows}, {newest}")),
            }
            Ok(0)
        }
        Err(defect) => {
            complain(&format!("the audit log was tampered with: {defect}"));
            Ok(BROKEN)
        }
    }
}

/// Checks an export. It may begin with any row.
fn check_file(file: &Path, known: Option<Link>) -> Result<Result<(u64, Link), String>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {error}", file.display()));
    let opened = std::fs::File::open(file).map_err(|error| failed(&error))?;
    let mut check: Option<ChainCheck> = None;
    let mut last = Link::default();
    for (n, line) in BufReader::new(opened).lines().enumerate() {
        let line = line.map_err(|error| failed(&error))?;
        let row: AuditRow = serde_json::from_str(&line).map_err(|error| failed(&format!("line {}: {error}", n + 1)))?;
        let start = || Link { number: row.number - 1, hash: row.previous.clone() };
        let check = check.get_or_insert_with(|| ChainCheck::new(start(), known.clone()));
        if let Err(defect) = check.next(&row) {
            return Ok(Err(defect));
        }
        last = Link { number: row.number, hash: row.hash };
    }
    let check = check.unwrap_or_else(|| ChainCheck::new(Link::default(), known));
    Ok(check.end().map(|rows| (rows, last)))
}
