//! Certified answers: [`evidence`] replay and certification, [`certificate`] answers that leave a run, [`decide`] one
//! requirement from its monitor to its certified answer.

pub mod certificate;
pub mod decide;
pub mod evidence;
pub mod samples;
mod word;

pub use word::VerdictWord;
