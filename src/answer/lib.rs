//! Certified answers: [`replay`] of runs on the interpreter, [`certify`] proofs and runs, [`certificate`] answers in files,
//! [`decide`] one requirement from its monitor to its certified answer.

pub mod certificate;
pub mod certify;
pub mod decide;
pub mod replay;
pub mod samples;
mod word;

pub use word::VerdictWord;
