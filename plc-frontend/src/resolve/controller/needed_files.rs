//! Files with declarations that decide what the entry does.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::bodies;
use crate::hir::{PouId, Project, Type, TypeId};
use crate::resolve::names::tables::Names;
use crate::text::{FileId, Span};

/// Returns the files of POUs that run, of blocks whose instances they hold with all members, of all types, and of all global
/// variables.
///
/// Soundness: other POUs only write variables, and what they may write has any value, by whatever rules they are read.
pub(crate) fn needed_files(project: &Project, names: &Names) -> BTreeSet<FileId> {
    let bodies = bodies(project);
    let blocks = |ty: TypeId| project.types_inside(ty).filter_map(|ty| project.block_of(ty)).collect::<Vec<PouId>>();
    let mut waiting: Vec<PouId> = project.instances.iter().map(|instance| instance.pou).collect();
    waiting.extend(project.start_up.map(|start| start.pou));
    waiting.extend(project.globals.iter().flat_map(|global| blocks(global.ty)));
    let mut members: BTreeMap<PouId, Vec<PouId>> = BTreeMap::new();
    for member in project.pous.ids() {
        let of = [Some(names.block_of(member)), project.pous[member].member_of];
        of.into_iter().flatten().for_each(|block| members.entry(block).or_default().push(member));
    }
    let mut needed: BTreeSet<PouId> = BTreeSet::new();
    while let Some(pou) = waiting.pop() {
        if !needed.insert(pou) {
            continue;
        }
        waiting.extend(names.chain(pou).iter().copied());
        waiting.extend(bodies[pou.0 as usize].calls.iter().copied());
        waiting.extend(project.pous[pou].vars.iter().flat_map(|var| blocks(var.ty)));
        waiting.extend(members.get(&pou).into_iter().flatten().copied());
    }
    let of_pous = needed.iter().map(|pou| project.pous[*pou].span);
    let of_types = project.types.iter().filter(|row| !matches!(row.ty, Type::FunctionBlock(_))).map(|ty| ty.span);
    let spans = of_pous.chain(of_types).chain(project.globals.iter().map(|global| global.span));
    // Types of the language stand nowhere.
    spans.filter(|span| *span != Span::none()).map(|span| span.file).collect()
}
