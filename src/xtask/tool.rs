//! The release binary, and the answers that it gives as JSON.

use std::path::{Path, PathBuf};
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

/// Runs the binary as [`json`] does; returns also the most kilobytes that one of its processes had in memory. `None` without GNU
/// time.
pub(crate) fn json_and_memory(arguments: &[&str]) -> (Value, Option<u64>) {
    const TIME: &str = "/usr/bin/time";
    if !Path::new(TIME).exists() {
        return (json(arguments), None);
    }
    let output = Command::new(TIME).args(["-f", "%M"]).arg(binary()).args(arguments).output();
    let output = output.unwrap_or_else(|e| panic!("{TIME}: {e}"));
    // The number comes behind everything that the binary writes there.
    let kilobytes = String::from_utf8_lossy(&output.stderr).lines().last().and_then(|line| line.trim().parse().ok());
    (serde_json::from_slice(&output.stdout).unwrap_or(Value::Null), kilobytes)
}
