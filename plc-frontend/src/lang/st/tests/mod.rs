//! Tests of the ST parser.

mod constructs;
mod embedded;
mod mistakes;
mod print;
mod robust;
mod scl;
mod soup;
mod spans;
