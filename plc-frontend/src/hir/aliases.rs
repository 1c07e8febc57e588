//! Two names of one memory: places that may share bits although they start at different variables.

use super::{Elem, Place, PouId, PouKind, Project, Root, Section, VarId};

/// The part of a place that decides which memory it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Touched {
    /// The variable it starts at.
    pub root: Root,
    /// It goes through a reference.
    derefs: bool,
    /// It is, or may hold, variables of an instance.
    reaches_instances: bool,
}

impl Project {
    /// Returns whether the variable is memory of an instance, which references may lead to.
    pub(crate) fn persists_in(&self, pou: PouId, var: VarId) -> bool {
        let is_function = matches!(self.pous[pou].kind, PouKind::Function(_));
        match self.pous[pou].vars[var].section {
            Section::Input | Section::Output | Section::Local | Section::Global => !is_function,
            Section::InOut | Section::Temp | Section::Result => false,
        }
    }
}

impl Touched {
    /// Returns the summary of a place.
    pub(crate) fn new(project: &Project, place: &Place) -> Touched {
        let has = |is: fn(&Elem) -> bool| place.path.iter().any(is);
        Touched {
            root: place.root,
            derefs: has(|elem| matches!(elem, Elem::Deref(_))),
            reaches_instances: has(|elem| matches!(elem, Elem::Member(_))) || !project.types[place.ty].ty.is_scalar(),
        }
    }
}

/// Memory that a place can be.
enum Memory {
    /// Variables of one call, to which no reference leads.
    Call,
    /// Anything but variables of this call: behind a reference or a VAR_IN_OUT, and the instance of a method.
    Elsewhere,
    /// The instance whose body this is.
    Own,
    /// Global memory.
    Global,
}

/// Returns whether two places in the body of `pou` may share memory.
///
/// Soundness: TRUE wherever the declarations alone do not exclude it.
pub(crate) fn may_share(project: &Project, pou: PouId, a: Touched, b: Touched) -> bool {
    if a.root == b.root {
        return true;
    }
    let is_laid = |root: Root| is_laid(project, pou, root);
    if is_laid(a.root) && is_laid(b.root) {
        return true;
    }
    match (memory(project, pou, a), memory(project, pou, b)) {
        (Memory::Call, _) | (_, Memory::Call) => false,
        (Memory::Elsewhere, _) | (_, Memory::Elsewhere) => true,
        (Memory::Own, Memory::Own) => matches!(a.root, Root::This(_)) || matches!(b.root, Root::This(_)),
        (Memory::Own, Memory::Global) => b.reaches_instances,
        (Memory::Global, Memory::Own) => a.reaches_instances,
        (Memory::Global, Memory::Global) => false,
    }
}

/// Returns whether the place may be memory that other POUs name too: global, or behind a reference or a VAR_IN_OUT.
pub(crate) fn is_reached_from_outside(project: &Project, pou: PouId, touched: Touched) -> bool {
    matches!(memory(project, pou, touched), Memory::Elsewhere | Memory::Global)
}

fn memory(project: &Project, pou: PouId, touched: Touched) -> Memory {
    match touched.root {
        _ if touched.derefs => Memory::Elsewhere,
        Root::Var(var) if project.pous[pou].vars[var].section == Section::InOut => Memory::Elsewhere,
        Root::Var(var) if !project.persists_in(pou, var) => Memory::Call,
        Root::Var(_) | Root::This(_) => Memory::Own,
        Root::Global(_) | Root::Instance(_) => Memory::Global,
    }
}

/// Returns whether the variable's memory is laid out together with others: it has an address, or overlays a variable.
fn is_laid(project: &Project, pou: PouId, root: Root) -> bool {
    match root {
        Root::Var(var) => {
            let mut overlays = project.local_views.get(&pou).into_iter().flatten();
            project.pous[pou].vars[var].address.is_some()
                || overlays.any(|((view, _), bits)| *view == var || bits.parts.iter().any(|part| part.of.0 == var))
        }
        Root::Global(global) => project.globals[global].address.is_some(),
        Root::This(_) | Root::Instance(_) => false,
    }
}
