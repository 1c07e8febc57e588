//! Measurements: cases × configurations, their results, and tables and pictures of these.
//!
//! [`configs`] what is compared, [`campaign`] what was measured, [`tally`] what it adds up to, [`csv`], [`markdown`] and
//! [`page`] how it is written down, [`plot`] the pictures. Plain data and text: knows no process and no file; `scanproof bench` runs the
//! workers and writes the files. Words and columns are those of BenchExec, pictures those of Hajdu, Micskei, "Efficient
//! Strategies for CEGAR-Based Model Checking", JAR 2020, doi:10.1007/s10817-019-09535-x, §4.

pub mod campaign;
pub mod configs;
pub mod csv;
pub mod markdown;
pub mod page;
pub mod plot;
pub mod tally;
