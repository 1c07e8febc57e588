//! Tests of the ST parser.

mod constructs;
mod mistakes;
mod print;
mod robust;
mod spans;
