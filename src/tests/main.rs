//! Tests that span modules or drive the real binary.

fn main() {}
