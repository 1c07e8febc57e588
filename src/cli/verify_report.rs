//! `scanproof verify-report`: whether a signed report is the one that the service gave out.

use std::path::PathBuf;

use clap::Args;

use super::print::out;
use super::programs::bytes;
use super::{BAD_INPUT, BROKEN, Failure, UNDECIDED};
use crate::report::signature::{Checked, check};

/// Arguments of `verify-report`.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 unchanged since this key signed it · 40 changed, or signed by another key · \
                        30 unchanged, but no key was given to compare · 3 it has no signature, or something cannot be read")]
pub struct VerifyReportArgs {
    /// The report: report.zip or report.html of the service
    #[arg(value_name = "FILE")]
    pub(super) report: PathBuf,
    /// The public key of the service: /api/v1/signing-key, saved, or its 64 digits in a file
    #[arg(long, value_name = "FILE")]
    pub(super) key: Option<PathBuf>,
}

/// Checks one report.
pub(super) fn run(args: &VerifyReportArgs) -> Result<u8, Failure> {
    let expected = args.key.as_ref().map(|file| read_key(&bytes(file)?, file)).transpose()?;
    let key = match check(&bytes(&args.report)?) {
        Checked::Unchanged { key } => key,
        Checked::Changed => {
            out("✖ changed: these bytes are not the ones that were signed");
            return Ok(BROKEN);
        }
        Checked::Unsigned => {
            out("? not signed: the file has no signature of Scanproof");
            return Ok(BAD_INPUT);
        }
    };
    match expected {
        Some(expected) if expected == key => {
            out(&format!("✔ unchanged since the key {key} signed it"));
            Ok(0)
        }
        Some(expected) => {
            out(&format!("✖ signed by another key: {key}, not {expected}"));
            Ok(BROKEN)
        }
        None => {
            out(&format!("? unchanged since the key {key} signed it; whose key that is was not checked: give it with --key"));
            Ok(UNDECIDED)
        }
    }
}

/// Returns the key in a file: its digits, or the answer of the service.
fn read_key(content: &[u8], file: &std::path::Path) -> Result<String, Failure> {
    let text = String::from_utf8_lossy(content);
    let digits = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Object(answer)) => answer.get("key").and_then(|key| key.as_str()).unwrap_or_default().to_owned(),
        Ok(_) | Err(_) => text.trim().to_ascii_lowercase(),
    };
    if crate::report::signature::bytes::<32>(&digits).is_none() {
        return Err(Failure::bad_input(format!("{}: no public key: 64 hexadecimal digits are expected", file.display())));
    }
    Ok(digits)
}
