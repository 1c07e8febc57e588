//! Time to read one megabyte of ST: the best and the middle of some rounds.
//!
//! `cargo bench -p plc-frontend --bench parse`

#![expect(clippy::print_stdout, reason = "a measurement is for a person")]

use std::time::{Duration, Instant};

use plc_frontend::lang::parse;
use plc_frontend::source::{FileId, Origin, SourceFile};

const SIZE: usize = 1_000_000;
const ROUNDS: usize = 21;

fn main() {
    let file = SourceFile::new("large.st", program(), Origin::User);
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| time(&file)).collect();
    times.sort();
    let ms = |at: usize| times.get(at).map_or(0.0, |t| t.as_secs_f64() * 1000.0);
    println!("{} bytes of ST: {:.1} ms at best, {:.1} ms in the middle of {ROUNDS}", file.text.len(), ms(0), ms(ROUNDS / 2));
}

fn time(file: &SourceFile) -> Duration {
    let start = Instant::now();
    let parsed = parse(FileId(0), file);
    let elapsed = start.elapsed();
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics.first());
    elapsed
}

/// Returns typical function blocks, up to the size.
fn program() -> String {
    let mut text = String::with_capacity(SIZE + 10_000);
    for block in 0.. {
        if SIZE <= text.len() {
            break;
        }
        text.push_str(&format!(
            "FUNCTION_BLOCK FB_{block} EXTENDS Base\nVAR_INPUT\n  enable : BOOL; (* the input *)\n  level, limit : INT := 5;\nEND_VAR\nVAR\n  \
             t : TON; // a timer\n  a : ARRAY [0..9] OF REAL := [10(0.0)];\n  s : STRING[80] := 'hello';\nEND_VAR\n"
        ));
        for i in 0..20 {
            text.push_str(&format!(
                "IF enable AND NOT (level > limit * {i} + 2) OR t.Q THEN\n    level := level + {i}; // count\n    \
                 a[{index}] := a[{index}] * 1.5E-3 + INT_TO_REAL(level);\nELSIF level = 16#FF THEN\n    t(IN := enable, PT := T#1s500ms);\nELSE\n    \
                 CASE level OF\n      1: level := 2;\n      2, 3..5: level := 7; (* several *)\n    ELSE level := 0;\n    END_CASE\nEND_IF\n",
                index = i % 10
            ));
        }
        text.push_str(
            "METHOD PUBLIC m : BOOL\nVAR_INPUT x : INT; END_VAR\nm := THIS^.level > x;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\n",
        );
    }
    text
}
