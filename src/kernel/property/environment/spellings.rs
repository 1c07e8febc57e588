//! Names under which rows of the environment find variables.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{GlobalId, Leaf, ProgramInstance, Project, Root};

/// Returns the names under which a path finds a leaf, in lower case.
pub(super) fn spellings(project: &Project, leaf: &Leaf, names: &BTreeMap<GlobalId, BTreeSet<String>>) -> Vec<String> {
    let full = plain(&leaf.name);
    match leaf.root {
        Root::Global(global) => {
            let own = plain(&project.globals[global].name);
            let rest = full.strip_prefix(&own).unwrap_or_default().to_owned();
            let others = names.get(&global).into_iter().flatten().map(|name| format!("{}{rest}", plain(name)));
            let mut all: Vec<String> = others.filter(|name| *name != full).collect();
            all.push(full);
            all
        }
        Root::Instance(instance) => {
            let instance = &project.instances[instance];
            let prefix = format!("{}.", plain(&instance.name));
            let inside = full.strip_prefix(&prefix).unwrap_or(&full).to_owned();
            // PLCverif's name for the instance of the entry.
            let alias = (project.instances.len() == 1).then(|| format!("instance.{inside}"));
            let written = names_of(project, instance).into_iter().skip(1).map(|name| format!("{name}.{inside}"));
            [full, inside.clone()].into_iter().chain(written).chain(alias).collect()
        }
        Root::Var(_) | Root::This(_) => Vec::new(),
    }
}

/// Returns the names of a program, in lower case: its own, and the written one if the import of Studio 5000 renamed it.
pub(super) fn names_of(project: &Project, instance: &ProgramInstance) -> Vec<String> {
    let name = plain(&instance.name);
    let is_taken = |name: &&str| project.instances.iter().any(|other| plain(&other.name) == **name);
    let written = name.strip_suffix("_program").filter(|name| project.tags_are_outputs && !is_taken(name)).map(str::to_owned);
    std::iter::once(name).chain(written).collect()
}

/// Returns a name in lower case, without spaces, and with identifiers for names in quotes.
pub(super) fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for (at, piece) in name.split('"').enumerate() {
        let is_quoted = at % 2 == 1;
        let piece = if is_quoted { plc_frontend::identifier(piece) } else { piece.to_owned() };
        plain.extend(piece.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase));
    }
    plain
}
