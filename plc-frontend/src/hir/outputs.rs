//! Outputs of coils: the variables that the check `double_write` is about.

use super::leaves::{Leaf, LeafElem, Role};
use super::place::Root;
use super::pou::Var;
use super::project::Project;
use super::types::Type;

impl Project {
    /// Returns whether two coils of a leaf are a mistake: it is a BOOL output, or a tag that may be one.
    pub fn is_coil_output(&self, leaf: &Leaf) -> bool {
        if self.types[leaf.ty].ty != Type::Bool || leaf.constant {
            return false;
        }
        let var = match (leaf.root, leaf.path.as_slice()) {
            (Root::Global(id), []) => Some(&self.globals[id]),
            (Root::Instance(id), [LeafElem::Member(var)]) => Some(&self.pous[self.instances[id].pou].vars[*var]),
            (Root::Global(_) | Root::Instance(_) | Root::Var(_) | Root::This(_), _) => None,
        };
        leaf.role == Role::Output || (leaf.role == Role::Memory && var.is_some_and(|var| self.is_tag(var)))
    }

    /// Returns whether a variable of a program, or a global one, is a BOOL tag that may be an output.
    ///
    /// Names with two underscores are those of the import: no tag has them.
    pub fn is_tag(&self, var: &Var) -> bool {
        self.tags_are_outputs && self.types[var.ty].ty == Type::Bool && !var.name.contains("__")
    }
}
