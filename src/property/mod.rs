//! Requirements: what users state, and the monitors that check it.
//!
//! One pattern or automatic check per file; `PATTERNS` and `CHECKS` are the tables from which
//! forms, API enumerations, `--help` and docs are made.

pub mod spec;
