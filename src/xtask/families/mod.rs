//! Families of generated programs, for measurements of growth. `cargo run -p xtask -- families FOLDER` writes them.
//!
//! A family is a file and a row. Each program comes with its requirement file, so `scanproof verify FOLDER` reads the folder.

mod arrays;
mod calls;
mod chains;
mod counters;
mod instances;
mod ladders;
mod levels;
mod loops;
mod machines;
mod maxima;
mod recursion;
mod regulators;
mod tables;
mod timers;
mod wide;

use std::path::{Path, PathBuf};

/// A program with its requirement file.
pub(crate) struct Generated {
    /// Structured text.
    pub(crate) program: String,
    /// YAML.
    pub(crate) requirements: String,
}

/// Family of programs of one shape.
pub(crate) struct Family {
    /// Name; a program is written to `NAME_SIZE.st`.
    pub(crate) name: &'static str,
    /// Sizes of its programs, in ascending order.
    pub(crate) sizes: &'static [usize],
    /// Returns the program of a size.
    pub(crate) program: fn(usize) -> Generated,
    /// Requirements with their answers, which are the same for all sizes. The file of the family says why.
    pub(crate) answers: &'static [(&'static str, Answer)],
}

/// Answer to a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Holds,
    Violated,
}
use Answer::{Holds, Violated};

/// Families whose programs consist of calls; docs/bam.md measures them.
const CALLS: &[Family] = &[
    Family { name: "instances", sizes: &[1, 5, 10, 25, 50, 100, 200, 400], program: instances::program, answers: BOUNDS },
    Family { name: "loops", sizes: &[1, 5, 10, 25, 50, 100, 200, 400], program: loops::program, answers: &[("all", Holds)] },
    Family { name: "levels", sizes: &[1, 5, 10, 25, 50, 100, 200], program: levels::program, answers: &[("all", Holds)] },
    Family { name: "maxima", sizes: &[1, 5, 10, 25, 50], program: maxima::program, answers: &[("all", Holds)] },
    Family { name: "recursion", sizes: &[1, 5, 10, 25, 50, 100, 200], program: recursion::program, answers: &[("all", Holds)] },
    Family { name: "calls", sizes: &[1, 5, 10, 20, 25, 50, 100, 200, 400], program: calls::program, answers: &[("all", Holds)] },
    Family { name: "wide", sizes: &[wide::LINES], program: wide::program, answers: &[("level", Holds)] },
];
const BOUNDS: &[(&str, Answer)] = &[("one", Holds), ("all", Holds)];

/// Families whose growth docs/engines.md measures.
pub(crate) const GROWING: &[Family] = &[
    Family { name: "ladders", sizes: &[10, 30, 100, 300, 1_000, 3_000, 10_000], program: ladders::program, answers: BOUNDS },
    Family {
        name: "timers",
        sizes: &[1, 3, 10, 30, 100],
        program: timers::program,
        answers: &[("off", Holds), ("time", Holds), ("held", Holds), ("together", Violated)],
    },
    Family {
        name: "chains",
        sizes: &[1, 3, 10, 30, 100],
        program: chains::program,
        answers: &[("order", Holds), ("time", Holds), ("end", Violated)],
    },
    Family {
        name: "machines",
        sizes: &[1, 3, 10, 30, 100, 300, 1_000],
        program: machines::program,
        answers: &[("range", Holds), ("exclusive", Holds), ("order", Holds), ("end", Violated)],
    },
    Family { name: "maximum", sizes: &[1, 3, 10, 30, 100, 300, 1_000], program: arrays::maximum, answers: &[("bounds", Holds)] },
    Family { name: "pass", sizes: &[1, 3, 10, 30, 100, 300, 1_000], program: arrays::pass, answers: &[("last", Holds)] },
    Family {
        name: "sum",
        sizes: &[1, 3, 10, 30, 100, 300, 1_000],
        program: arrays::sum,
        answers: &[("range", Holds), ("most", Violated)],
    },
    Family {
        name: "tables",
        sizes: &[1, 3, 6, 12, 24, 60],
        program: tables::program,
        answers: &[("range", Holds), ("last", Violated)],
    },
    Family {
        name: "counters",
        sizes: &[100, 1_000, 10_000, 100_000, 1_000_000],
        program: counters::program,
        answers: &[("range", Holds), ("full", Violated)],
    },
    Family { name: "instances", sizes: &[1, 3, 10, 30, 100, 200], program: instances::program, answers: BOUNDS },
    Family {
        name: "regulators",
        sizes: &[1, 3, 10, 30],
        program: regulators::program,
        answers: &[("output", Holds), ("filter", Holds), ("switch", Holds)],
    },
];

/// Writes all programs of all families to a folder.
pub(crate) fn write(folder: &Path) -> std::io::Result<()> {
    CALLS.iter().chain(GROWING).try_for_each(|family| family.write(folder, usize::MAX))
}

/// Writes programs of calls up to a size; each family has a folder of its own. Returns these.
pub(crate) fn write_small(folder: &Path, most: usize) -> std::io::Result<Vec<String>> {
    let families = CALLS.iter().filter(|family| family.sizes.iter().any(|size| *size <= most));
    let one = |family: &Family| {
        let folder = folder.join(family.name);
        family.write(&folder, most).map(|()| folder.to_string_lossy().into_owned())
    };
    families.map(one).collect()
}

impl Family {
    fn write(&self, folder: &Path, most: usize) -> std::io::Result<()> {
        self.sizes.iter().filter(|size| **size <= most).try_for_each(|size| self.write_one(folder, *size).map(|_| ()))
    }
    /// Writes the program of a size; returns its path.
    pub(crate) fn write_one(&self, folder: &Path, size: usize) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let Generated { program, requirements } = (self.program)(size);
        let path = folder.join(format!("{}_{size:05}.st", self.name));
        std::fs::write(&path, program)?;
        std::fs::write(path.with_extension("yaml"), requirements)?;
        Ok(path)
    }
}

/// Returns the lines of `line` for each number from 1 to `n`, with the number in place of `{i}`.
fn each(n: usize, line: &str) -> String {
    (1..=n).map(|i| line.replace("{i}", &i.to_string()) + "\n").collect()
}

/// Returns the conjunction of `part` for each number from 1 to `n`.
fn all(n: usize, part: impl Fn(usize) -> String) -> String {
    (1..=n).map(part).collect::<Vec<_>>().join(" AND ")
}

#[cfg(test)]
mod tests;
