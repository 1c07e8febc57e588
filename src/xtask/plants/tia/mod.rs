//! A plant of TIA exports: twelve files per cell, half of them SCL sources, half SimaticML with ladder networks.
//!
//! A cell has two types, three blocks in SCL, two in ladder, two functions, a data block of structures, two instance data
//! blocks. Without its library, its blocks have variables of types that no file has, and call them.

mod scl;
mod simatic;

use super::{PlantFile, cells, each};

/// Files of a cell.
const PER_CELL: usize = 12;

/// Returns the files of a plant.
pub(super) fn files(n: usize) -> Vec<PlantFile> {
    plant(n, 0)
}

/// Returns the files of a plant whose library is missing.
pub(super) fn files_without_library(n: usize) -> Vec<PlantFile> {
    plant(n, 4)
}

/// Returns the files of a plant; each station uses `n_missing` types that no file has.
fn plant(n: usize, n_missing: usize) -> Vec<PlantFile> {
    let cells = cells(n.saturating_sub(2), PER_CELL);
    let ladder = simatic::objects();
    let texts = scl::sources(n_missing);
    let mut files = vec![simatic::tags(cells)];
    for cell in 1..=cells {
        for (path, text) in texts.iter().chain(&ladder) {
            files.push(PlantFile::of_cell(&format!("cell_{{c}}/{path}"), text, cell));
        }
    }
    let calls = each(1..=cells, scl::CELL_CALL);
    let head = "ORGANIZATION_BLOCK \"Main\"\nTITLE = \"Main Program Sweep (Cycle)\"\nVERSION : 0.1\nBEGIN\n";
    files.push(PlantFile::new("Main.scl", format!("{head}{calls}END_ORGANIZATION_BLOCK\n")));
    files
}
