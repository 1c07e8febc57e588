//! Families of generated programs, for measurements of growth. `cargo run -p xtask -- families FOLDER` writes them.
//!
//! A family is a file and a row. Each program comes with its requirement file, so `scanproof verify FOLDER` reads the folder.

mod calls;
mod instances;
mod levels;
mod loops;
mod wide;

use std::path::Path;

/// A program with its requirement file.
pub(crate) struct Generated {
    /// Structured text.
    pub(crate) program: String,
    /// YAML.
    pub(crate) requirements: String,
}

/// Family of programs of one shape.
struct Family {
    /// Name; a program is written to `NAME_SIZE.st`.
    name: &'static str,
    /// Sizes of its programs.
    sizes: &'static [usize],
    /// Returns the program of a size.
    program: fn(usize) -> Generated,
}

/// All families.
const FAMILIES: &[Family] = &[
    Family { name: "instances", sizes: &[1, 5, 10, 25, 50, 100, 200], program: instances::program },
    Family { name: "loops", sizes: &[1, 5, 10, 25, 50, 100, 200], program: loops::program },
    Family { name: "levels", sizes: &[1, 5, 10, 25, 50], program: levels::program },
    Family { name: "calls", sizes: &[1, 5, 10, 20, 25, 50, 100, 200], program: calls::program },
    Family { name: "wide", sizes: &[wide::LINES], program: wide::program },
];

/// Writes all programs of all families to a folder.
pub(crate) fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for family in FAMILIES {
        for size in family.sizes {
            let Generated { program, requirements } = (family.program)(*size);
            let path = folder.join(format!("{}_{size:05}.st", family.name));
            std::fs::write(&path, program)?;
            std::fs::write(path.with_extension("yaml"), requirements)?;
        }
    }
    Ok(())
}

/// Returns the lines of `line` for each number from 1 to `n`, with the number in place of `{i}`.
fn each(n: usize, line: &str) -> String {
    (1..=n).map(|i| line.replace("{i}", &i.to_string()) + "\n").collect()
}

#[cfg(test)]
mod tests;
