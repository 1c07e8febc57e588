//! Tasks of the repository: `cargo run -p xtask -- TASK`. `tidy` checks the rules of the house (a test runs it too).

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::panic, reason = "a tool for developers")]

mod source;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => report(&tidy::findings(&source::repository())),
        _ => {
            eprintln!("usage: cargo run -p xtask -- tidy");
            ExitCode::from(2)
        }
    }
}

/// Prints findings; fails if there are any.
fn report(findings: &[String]) -> ExitCode {
    findings.iter().for_each(|finding| println!("{finding}"));
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
