//! Expressions: literals, operators and conversions, each with the type that its place asks for.
//!
//! Reads types and places; returns typed expressions and writes findings only.

pub(crate) mod conversions;
pub(crate) mod dates;
pub(crate) mod durations;
pub(crate) mod expr;
pub(crate) mod literals;
pub(crate) mod number_texts;
pub(crate) mod operands;
pub(crate) mod operators;
pub(crate) mod shifts;
pub(crate) mod signed_power;
pub(crate) mod strings;
pub(crate) mod untyped;
