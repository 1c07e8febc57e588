//! Variables that the import adds to each file that reads them: S:FS and the math status flags. A controller has them once.

use std::collections::{BTreeMap, BTreeSet};

use super::{flags, program::FIRST_SCAN};
use crate::ast::{Item, TypeSpecKind, Unit, VarBlock};
use crate::text::FileId;

/// Leaves out what files repeat of these variables; `space` is the space of names of a file. A second call changes nothing.
///
/// Soundness: each program sets S:FS at its begin, and flags have any values there, so it makes no difference which file declares them.
/// A declaration whose value is not known counts only where no other file has a program.
pub(crate) fn share(units: &mut [Unit], space: impl Fn(FileId) -> usize) {
    // The file that declares a variable, and whether its value is known.
    let mut first: BTreeMap<(usize, String), (bool, FileId)> = BTreeMap::new();
    for unit in &*units {
        for var in unit.items.iter().filter_map(hidden).flat_map(|block| &block.vars) {
            let is_known = !matches!(var.ty.kind, TypeSpecKind::Opaque(_));
            let row = first.entry((space(unit.file), var.name.text.clone())).or_insert((is_known, unit.file));
            if is_known && !row.0 {
                *row = (true, unit.file);
            }
        }
    }
    let declaring: BTreeSet<(FileId, String)> = first.into_iter().map(|((_, name), (_, file))| (file, name)).collect();
    for unit in units {
        let file = unit.file;
        let is_first = |block: &VarBlock| block.vars.iter().all(|var| declaring.contains(&(file, var.name.text.clone())));
        unit.items.retain(|item| hidden(item).is_none_or(is_first));
    }
}

/// Returns the block of an item that declares hidden variables.
fn hidden(item: &Item) -> Option<&VarBlock> {
    let Item::Globals(block) = item else { return None };
    block.vars.first().is_some_and(|var| var.name.text == FIRST_SCAN || flags::is_flag(&var.name.text)).then_some(block)
}
