//! Time to read and resolve projects of growing size: twice the files should take twice the time.
//!
//! `cargo bench -p plc-frontend --bench growth`

#![expect(clippy::print_stdout, reason = "a measurement is for a person")]

use std::time::{Duration, Instant};

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

const SIZES: &[usize] = &[100, 200, 400, 800];
const ROUNDS: usize = 5;

fn main() {
    for (shape, mistakes) in [("without mistakes", 0), ("with five unknown names a file", 5)] {
        for n in SIZES {
            let sources = project(*n, mistakes);
            let bytes: usize = sources.files.iter().map(|file| file.text.len()).sum();
            let best = (0..ROUNDS).map(|_| time(&sources, n * mistakes)).min().unwrap_or_default();
            let of_file = best.as_secs_f64() * 1e6 / *n as f64;
            println!("{n} files {shape}: {:.0} ms, {of_file:.0} µs a file, {bytes} bytes", best.as_secs_f64() * 1000.0);
        }
    }
}

fn time(sources: &SourceSet, n_findings: usize) -> Duration {
    let start = Instant::now();
    let loaded = load(sources, &LoadOptions { most_findings: Some(usize::MAX), ..LoadOptions::default() });
    let elapsed = start.elapsed();
    assert_eq!(loaded.diagnostics.len(), n_findings, "{:?}", loaded.diagnostics.first());
    elapsed
}

/// Returns blocks that call each other, one a file, and a program that calls each tenth. `mistakes` is the number of names in
/// each block that nothing declares.
fn project(n: usize, mistakes: usize) -> SourceSet {
    let mut sources = SourceSet::default();
    for at in 1..=n {
        let inner = if at % 10 == 1 { String::new() } else { format!("  before : Block_{};\n", at - 1) };
        let call = if at % 10 == 1 { "" } else { "before(enable := enable, level := level);\n" };
        let steps: String = (0..10).map(|i| STEP.replace("{i}", &i.to_string())).collect();
        let wrong: String = (0..mistakes).map(|i| format!("sum := sum + Station_{at}_{i};\n")).collect();
        sources.add(format!("block_{at}.st"), format!(
            "FUNCTION_BLOCK Block_{at}\nVAR_INPUT\n  enable : BOOL;\n  level : INT;\nEND_VAR\nVAR\n{inner}  delay : TON;\n  \
             trace : ARRAY[0..9] OF INT;\n  sum : INT;\nEND_VAR\n{call}delay(IN := enable, PT := T#5s);\n{steps}{wrong}END_FUNCTION_BLOCK\n"
        ));
    }
    let called = || (1..=n).filter(|at| at % 10 == 0);
    let vars: String = called().map(|at| format!("  b{at} : Block_{at};\n")).collect();
    let calls: String = called().map(|at| format!("b{at}(enable := run, level := {at});\n")).collect();
    sources.add("main.st", format!("PROGRAM Main\nVAR\n  run : BOOL;\n{vars}END_VAR\n{calls}END_PROGRAM\n"));
    sources
}

/// A statement of a block; `{i}` is a number.
const STEP: &str = "IF enable AND level > {i} OR delay.Q THEN\n  trace[{i}] := level + {i}; // step {i}\nELSE\n  sum := sum + trace[{i}] MOD 100;\nEND_IF;\n";
