//! Global variables of whose names variables of programs are, too.

use super::place::Root;
use super::project::Project;
use std::collections::BTreeSet;

impl Project {
    /// Returns the names, in capitals, that a global variable and a variable of a program both have.
    pub fn shadowed_names(&self) -> BTreeSet<String> {
        let globals: BTreeSet<String> = self.globals.iter().map(|global| global.name.to_uppercase()).collect();
        let own = self.instances.iter().flat_map(|instance| self.pous[instance.pou].vars.iter());
        own.map(|var| var.name.to_uppercase()).filter(|name| globals.contains(name)).collect()
    }

    /// Returns the name of a leaf as conditions have it: `\X` for a controller tag of Logix where a program has a tag `X`.
    pub fn spelled(&self, root: Root, name: &str, shadowed: &BTreeSet<String>) -> String {
        let variable = name.split(['.', '[']).next().unwrap_or(name);
        let is_global = matches!(root, Root::Global(_)) && self.tags_are_outputs;
        if is_global && shadowed.contains(&variable.to_uppercase()) { format!("\\{name}") } else { name.to_owned() }
    }
}
