//! Starts that a user states, of variables that computed code reads before the first cycle.

use crate::hir::{AddressArea, Kind, Leaf, Project, Reason, Root, Start};
use crate::text::{Gap, Ledger, Treatment};

/// Notes a condition for each such variable: the code was computed with its declared initial value.
///
/// Soundness: a variable that no code read before the first cycle cannot change what was computed. Repeated calls add nothing.
pub(crate) fn note(project: &mut Project, ledger: &mut Ledger) {
    if project.start_reads.is_empty() {
        return;
    }
    let leaves = project.leaves();
    let read = leaves.iter().filter(|leaf| is_stated(project, leaf));
    let found: Vec<_> = read.filter_map(|leaf| Some((leaf.name.clone(), *project.start_reads.get(&leaf.name)?))).collect();
    for (name, span) in found {
        let construct = format!("`{name}` has its declared initial value before the first cycle");
        if !ledger.gaps.iter().any(|gap| gap.construct == construct) {
            let effect = "code that runs before the first cycle reads it".to_owned();
            ledger.gap(Gap { span, construct, treatment: Treatment::Assumed, effect });
            project.unclear_starts.insert(span);
        }
    }
}

/// Returns whether a user gives a leaf another value before the first cycle. Inputs of a process image are zero there.
fn is_stated(project: &Project, leaf: &Leaf) -> bool {
    let Some(setting) = project.environment.get(&leaf.name) else { return false };
    let address = if let Root::Global(global) = leaf.root { project.globals[global].address.as_ref() } else { None };
    let is_image = address.is_some_and(|address| address.area == AddressArea::Input);
    let is_other = match setting.kind {
        Kind::Input => !is_image,
        Kind::Parameter => true,
        Kind::Memory | Kind::Frozen => setting.start == Start::Any,
    };
    is_other && matches!(setting.reason, Reason::Stated(_) | Reason::Retained)
}
