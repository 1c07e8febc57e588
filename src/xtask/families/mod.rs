//! Families of generated programs, for measurements of growth. `cargo run -p xtask -- families FOLDER` writes them.
//!
//! A family is a file and a row. Each program comes with its requirement file, so `scanproof verify FOLDER` reads the folder.

mod calls;
mod instances;
mod levels;
mod loops;
mod maxima;
mod recursion;
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
    Family { name: "instances", sizes: &[1, 5, 10, 25, 50, 100, 200, 400], program: instances::program },
    Family { name: "loops", sizes: &[1, 5, 10, 25, 50, 100, 200, 400], program: loops::program },
    Family { name: "levels", sizes: &[1, 5, 10, 25, 50, 100, 200], program: levels::program },
    Family { name: "maxima", sizes: &[1, 5, 10, 25, 50], program: maxima::program },
    Family { name: "recursion", sizes: &[1, 5, 10, 25, 50, 100, 200], program: recursion::program },
    Family { name: "calls", sizes: &[1, 5, 10, 20, 25, 50, 100, 200, 400], program: calls::program },
    Family { name: "wide", sizes: &[wide::LINES], program: wide::program },
];

/// Writes all programs of all families to a folder.
pub(crate) fn write(folder: &Path) -> std::io::Result<()> {
    FAMILIES.iter().try_for_each(|family| family.write(folder, usize::MAX))
}

/// Writes programs up to a size; each family has a folder of its own. Returns these.
pub(crate) fn write_small(folder: &Path, most: usize) -> std::io::Result<Vec<String>> {
    let families = FAMILIES.iter().filter(|family| family.sizes.iter().any(|size| *size <= most));
    let one = |family: &Family| {
        let folder = folder.join(family.name);
        family.write(&folder, most).map(|()| folder.to_string_lossy().into_owned())
    };
    families.map(one).collect()
}

impl Family {
    fn write(&self, folder: &Path, most: usize) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        for size in self.sizes.iter().filter(|size| **size <= most) {
            let Generated { program, requirements } = (self.program)(*size);
            let path = folder.join(format!("{}_{size:05}.st", self.name));
            std::fs::write(&path, program)?;
            std::fs::write(path.with_extension("yaml"), requirements)?;
        }
        Ok(())
    }
}

/// Returns the lines of `line` for each number from 1 to `n`, with the number in place of `{i}`.
fn each(n: usize, line: &str) -> String {
    (1..=n).map(|i| line.replace("{i}", &i.to_string()) + "\n").collect()
}

#[cfg(test)]
mod tests;
