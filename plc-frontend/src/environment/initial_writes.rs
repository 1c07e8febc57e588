//! Variables to which statements write nothing but the initial value: they keep it, unless code or people beside the program write them.
//!
//! Soundness: `OTU(Cmd)` clears a command that an operator sets. Without the operator the command is never TRUE. A proof that rests
//! on this needs a condition, as of a variable that no statement writes.

use std::collections::BTreeMap;

use super::usage::{Use, usage};
use crate::hir::{Elem, ExprKind, InstanceId, Leaf, LeafElem, Place, Pou, PouId, Project, Root, Stmt, StmtKind, Value, VisitMut};

/// Returns the positions of the leaves of programs, and of global ones, to which statements write their initial values only.
///
/// Parts of arrays and of blocks are left out.
pub fn initial_writes(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<usize> {
    let own = leaves.iter().filter(|leaf| leaf.view.is_none() && !leaf.constant && !leaf.hidden && !leaf.name.contains("__"));
    let values = own.filter_map(|leaf| Some(((leaf.root, leaf.path.as_slice()), leaf.init?))).collect();
    let mut rest = project.clone();
    let mut writes = Initial { project, values, pou: PouId(0), found: false };
    for id in project.pous.ids() {
        writes.pou = id;
        writes.body(&mut rest.pous[id].body);
    }
    if !writes.found {
        return Vec::new();
    }
    let (all, other) = (usage(project, leaves, entry_is_chosen), usage(&rest, leaves, entry_is_chosen));
    let is_initial = |(all, other): (&Use, &Use)| all.written && all.read && !other.written;
    let rows = all.iter().zip(&other).enumerate();
    rows.filter(|(_, row)| is_initial(*row)).map(|(at, _)| at).filter(|at| leaves[*at].view.is_none()).collect()
}

/// A leaf, by its root and path, and the offset and width of the bits of it that are written.
type Part = (Root, Vec<LeafElem>, Option<(u8, u8)>);

/// Takes writes of initial values away.
struct Initial<'p> {
    project: &'p Project,
    values: BTreeMap<(Root, &'p [LeafElem]), Value>,
    pou: PouId,
    found: bool,
}

impl<'h> VisitMut<'h> for Initial<'_> {
    fn stmt(&mut self, stmt: &'h mut Stmt) {
        if self.is_initial(stmt) {
            self.found = true;
            stmt.kind = StmtKind::If { branches: Vec::new(), otherwise: Vec::new() };
            return;
        }
        self.stmt_parts(stmt);
    }
}

impl Initial<'_> {
    fn is_initial(&self, stmt: &Stmt) -> bool {
        let StmtKind::Assign { target, value } = &stmt.kind else { return false };
        let ExprKind::Literal(value) = &value.kind else { return false };
        let Some((root, path, bits)) = self.leaf(target) else { return false };
        let Some(initial) = self.values.get(&(root, path.as_slice())) else { return false };
        match (bits, initial, value) {
            (None, ..) => initial == value,
            (Some((offset, 1)), Value::Int(initial), Value::Bool(bit)) => (initial >> offset & 1 == 1) == *bit,
            (Some(_), ..) => false,
        }
    }

    /// Returns the leaf at a place without variable steps, and the bits of it.
    fn leaf(&self, place: &Place) -> Option<Part> {
        let pou = &self.project.pous[self.pou];
        let mut path = Vec::new();
        let root = match place.root {
            Root::Global(_) => place.root,
            Root::Var(var) => match pou.member_of {
                Some(owner) if var == Pou::THIS => Root::Instance(self.instance_of(owner)?),
                Some(_) => return None,
                None => {
                    path.push(LeafElem::Member(var));
                    Root::Instance(self.instance_of(self.pou)?)
                }
            },
            Root::This(_) | Root::Instance(_) => return None,
        };
        let mut bits = None;
        for elem in &place.path {
            match elem {
                Elem::Field(field) => path.push(LeafElem::Field(*field)),
                Elem::Member(var) => path.push(LeafElem::Member(*var)),
                Elem::Bits { offset, width } => bits = Some((*offset, *width)),
                Elem::Deref(_) | Elem::Index(_) => return None,
            }
        }
        Some((root, path, bits))
    }

    /// Returns the only instance of a program.
    fn instance_of(&self, pou: PouId) -> Option<InstanceId> {
        let mut found = self.project.instances.iter_enumerated().filter(|(_, instance)| instance.pou == pou);
        let (first, second) = (found.next(), found.next());
        first.filter(|_| second.is_none()).map(|(id, _)| id)
    }
}
