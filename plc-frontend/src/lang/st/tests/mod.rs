//! Tests of the ST parser.

mod constructs;
mod print;
mod spans;
