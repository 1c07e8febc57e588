//! Tests of resolution as a whole.

mod whole;
