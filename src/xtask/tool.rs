//! The release binary, and the answers that it gives as JSON.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// Returns the path of the binary under test: `BINARY`, or the one of `make build`.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("BINARY").map_or_else(|| PathBuf::from("target/release/scanproof"), PathBuf::from)
}

/// Runs the binary; returns its exit code and standard output.
pub(crate) fn run(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(binary()).args(arguments).output().unwrap_or_else(|e| panic!("{}: {e}", binary().display()));
    let code = output.status.code().unwrap_or(-1);
    if output.stdout.is_empty() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    (code, String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the binary; returns its standard output as JSON, `Null` if it is none.
pub(crate) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments).1).unwrap_or(Value::Null)
}
