//! Tests of the ST parser.

mod constructs;
mod embedded;
mod ends;
mod mistakes;
mod print;
mod robust;
mod scl;
mod soup;
mod spans;
