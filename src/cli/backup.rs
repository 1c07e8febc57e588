//! `scanproof backup` and `scanproof restore`: the data of the service as one file.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::print::out;
use crate::store::StoreError;
use crate::store::backup::{Content, back_up, check, restore};

/// Arguments of `backup`.
#[derive(Args)]
pub struct BackupArgs {
    /// File to write; it must not exist
    pub(super) file: PathBuf,
    /// Folder of the database; the service may run
    #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
    pub(super) data: PathBuf,
}

/// Arguments of `restore`.
#[derive(Args)]
pub struct RestoreArgs {
    /// File that `scanproof backup` wrote
    pub(super) file: PathBuf,
    /// Folder for the database; it must not hold one
    #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
    pub(super) data: PathBuf,
    /// Only check the file; write nothing
    #[arg(long)]
    pub(super) verify: bool,
}

/// Writes a checked backup.
pub(super) fn run(args: &BackupArgs) -> Result<u8, Failure> {
    let content = back_up(&args.data, &args.file).map_err(|error| {
        let is_missing = matches!(error, StoreError::Missing { .. });
        let help = if is_missing { ": name the folder of the service with --data" } else { "" };
        Failure::bad_input(format!("{error}{help}"))
    })?;
    out(&format!("{} written and checked: {}", args.file.display(), words(content)));
    Ok(0)
}

/// Puts a backup back, or checks it.
pub(super) fn run_restore(args: &RestoreArgs) -> Result<u8, Failure> {
    if args.verify {
        let content = check(&args.file).map_err(Failure::bad_input)?;
        out(&format!("{} can be restored: {}", args.file.display(), words(content)));
    } else {
        let content = restore(&args.file, &args.data).map_err(Failure::bad_input)?;
        out(&format!("{} restored to {}: {}", args.file.display(), args.data.display(), words(content)));
    }
    Ok(0)
}

fn words(content: Content) -> String {
    let count = |n: i64, noun: &str| kernel::context::count(n as usize, noun);
    let Content { programs, jobs, outcomes, has_checksum } = content;
    let numbers = format!("{}, {}, {} with results", count(programs, "program"), count(jobs, "run"), count(outcomes, "run"));
    let note = "; it has no checksum (of an older version), so bytes inside of texts were not checked";
    numbers + if has_checksum { "" } else { note }
}
