//! Measurements: cases × configurations, their results, and tables and pictures of these.
//!
//! [`configs`]: configurations. [`campaign`]: measurements. [`tally`]: their sums. [`csv`], [`markdown`], [`page`] and
//! [`plot`]: tables and pictures. Plain data and text: knows no process and no file; `scanproof bench` runs the
//! workers and writes the files. Words and columns are those of BenchExec, pictures those of Hajdu, Micskei, "Efficient
//! Strategies for CEGAR-Based Model Checking", JAR 2020, doi:10.1007/s10817-019-09535-x, §4.

pub mod campaign;
pub mod configs;
pub mod csv;
pub mod markdown;
pub mod page;
pub mod plot;
pub mod tally;
