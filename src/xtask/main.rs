//! Tasks of the repository: `cargo run -p xtask -- TASK`.
//!
//! `tidy` checks the rules of the house (a test runs it too), `corpus FOLDER` published programs, `models FOLDER` published
//! models. `families FOLDER` writes programs of growing size, `plants FOLDER N…` projects of N files each. `certify-share PATH…`
//! measures the share of certification, `bam-table` the large table of docs/bam.md. `bench-tables` measures the tables of
//! docs/cegar.md and the small one of docs/bam.md. `load BINARY SECONDS` measures a service under fifty clients.
//! `fleet BINARY` measures a fleet against the embedded queue, `fleet-hard BINARY` one hard requirement, `fleet-simulation` plans
//! larger ones.
//! `schemathesis BINARY EXAMPLES` tests the API against its document. `growth` measures how families of programs grow, for
//! docs/engines.md. `lag PATH…` lists questions for which the default takes longer than a single engine. `licences FILE` checks the
//! licences of the product's crates and writes their texts.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, clippy::panic, reason = "a tool for developers")]

mod aiger;
mod bam_table;
mod bench_tables;
mod certify_share;
mod corpus;
mod families;
mod fleet;
mod growth;
mod licences;
mod load;
mod models;
mod plants;
mod schemathesis;
mod service;
mod source;
mod tidy;
mod tool;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let wrong = match task.as_slice() {
        ["tidy"] => tidy::findings(&source::repository()),
        ["corpus", folder, ..] => corpus::check(folder, &arguments[2..]),
        ["models", folder, ..] => models::check(folder, &arguments[2..]),
        ["families", folder] => families::write(Path::new(folder)).err().map(|e| format!("{folder}: {e}")).into_iter().collect(),
        ["plants", folder, sizes @ ..] if !sizes.is_empty() => {
            plants::write(Path::new(folder), sizes).err().into_iter().collect()
        }
        ["certify-share", paths @ ..] if !paths.is_empty() => certify_share::measure(paths),
        ["lag", paths @ ..] => growth::lag::measure(paths).err().into_iter().collect(),
        ["growth"] => growth::write().err().into_iter().collect(),
        ["bam-table"] => bam_table::write().err().into_iter().collect(),
        ["load", binary, seconds] => load::measure(binary, seconds).err().into_iter().collect(),
        ["fleet", binary] => fleet::measure(binary).err().into_iter().collect(),
        ["fleet-hard", binary, programs @ ..] => fleet::hard::measure(binary, programs).err().into_iter().collect(),
        ["licences", file] => licences::write(file),
        ["fleet-simulation"] => {
            fleet::simulation::print();
            Vec::new()
        }
        ["schemathesis", binary, examples] => schemathesis::check(binary, examples).err().into_iter().collect(),
        ["bench-tables"] => bench_tables::write().err().into_iter().collect(),
        _ => vec![
            "usage: cargo run -p xtask -- tidy | corpus FOLDER [SET …] | models FOLDER [ENGINE OPTION=VALUE …] | families FOLDER | \
             plants FOLDER N… | certify-share PATH… | load BINARY SECONDS | fleet BINARY | fleet-hard BINARY PROGRAM… | fleet-simulation | \
             schemathesis BINARY EXAMPLES | bam-table | bench-tables | growth | lag [PATH…] | licences FILE"
                .to_owned(),
        ],
    };
    wrong.iter().for_each(|line| eprintln!("{line}"));
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
