//! Tests that span modules or drive the real binary.

#[cfg(test)]
mod administration;
#[cfg(test)]
mod advice;
#[cfg(test)]
mod backup;
#[cfg(test)]
mod beside;
#[cfg(test)]
mod causes;
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod drawings;
#[cfg(test)]
mod exports;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod inferred;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod left_out;
#[cfg(test)]
mod logix;
#[cfg(test)]
mod logix_restarts;
#[cfg(test)]
mod logix_runs;
#[cfg(test)]
mod plc_tests;
#[cfg(test)]
mod pressure;
#[cfg(test)]
mod project_versions;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod random;
#[cfg(test)]
mod recursion;
#[cfg(test)]
mod remote;
#[cfg(test)]
mod requirement_gaps;
#[cfg(test)]
mod reuse;
#[cfg(test)]
mod sample_projects;
#[cfg(test)]
mod service;
#[cfg(test)]
mod signed_reports;
#[cfg(test)]
mod simulate;
#[cfg(test)]
mod theta;
