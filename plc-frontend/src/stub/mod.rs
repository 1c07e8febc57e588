//! Stubs: POUs of which only the interface is known.
//!
//! A declaration with `{attribute 'stub'}` in front of it is one. [`marks`] finds these attributes; the bodies of stubs are made in
//! `resolve/calls/stubs.rs`.

mod marks;

pub(crate) use marks::{Marks, marks, mentions_stub};

/// Endings of files that hold interfaces of blocks and functions (B&R Automation Studio).
pub(crate) const INTERFACES: &[&str] = &["fun"];
