//! Plants: projects of many files, for measurements of reading. `cargo run -p xtask -- plants FOLDER N…` writes them.
//!
//! A plant is a file and a row. Its files come in cells: types, blocks, functions and data of one machine, which name each
//! other. One entry calls all cells, so a plant is one program, and each cell costs the same.

mod plcopen;
mod text;
mod tia;
mod twincat;

use std::path::Path;

/// A file of a plant.
pub(crate) struct PlantFile {
    /// Its path below the folder of the plant.
    path: String,
    /// Its text.
    text: String,
}

/// Plants of one shape.
struct Plant {
    /// Name; a plant of N files stands in the folder `NAME_N`.
    name: &'static str,
    /// Returns the files of a plant of about this number of files.
    files: fn(usize) -> Vec<PlantFile>,
}

/// All plants.
const PLANTS: &[Plant] = &[
    Plant { name: "tia", files: tia::files },
    Plant { name: "tia_missing", files: tia::files_without_library },
    Plant { name: "twincat", files: twincat::files },
    Plant { name: "text", files: text::files },
    Plant { name: "plcopen", files: plcopen::files },
];

/// Writes each plant in these numbers of files to a folder.
pub(crate) fn write(folder: &Path, sizes: &[&str]) -> Result<(), String> {
    for size in sizes {
        let n = size.parse().map_err(|_| format!("{size}: not a number of files"))?;
        for plant in PLANTS {
            let folder = folder.join(format!("{}_{n:05}", plant.name));
            plant.write(&folder, n).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    Ok(())
}

impl Plant {
    fn write(&self, folder: &Path, n: usize) -> std::io::Result<()> {
        for file in (self.files)(n) {
            let path = folder.join(&file.path);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, file.text)?;
        }
        Ok(())
    }
}

impl PlantFile {
    /// Returns a file.
    fn new(path: impl Into<String>, text: impl Into<String>) -> PlantFile {
        PlantFile { path: path.into(), text: text.into() }
    }

    /// Returns a file of the cell `cell`: `{c}` stands for its number in the path and in the text.
    fn of_cell(path: &str, text: &str, cell: usize) -> PlantFile {
        PlantFile { path: numbered(path, "{c}", cell), text: numbered(text, "{c}", cell) }
    }
}

/// Returns a text with a number in place of a word.
fn numbered(text: &str, word: &str, number: usize) -> String {
    text.replace(word, &number.to_string())
}

/// Returns a text once for each number, which stands in place of `{i}`.
fn each(numbers: impl IntoIterator<Item = usize>, text: &str) -> String {
    numbers.into_iter().map(|i| numbered(text, "{i}", i)).collect()
}

/// Returns the number of cells of `per_cell` files that make about `n` files.
fn cells(n: usize, per_cell: usize) -> usize {
    n.div_ceil(per_cell).max(1)
}

#[cfg(test)]
mod tests;
