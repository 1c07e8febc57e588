//! Parts of a program that depend on stubs: their variables, and what calls of them give.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::environment::stub_around;
use plc_frontend::source::Span;

use kernel::cfa::Model;
use kernel::expr::VarId;

/// Returns the places of stubs that the model calls, also where a call gives no value and has no step.
pub(super) fn called_stubs(loaded: &Loaded, model: &Model) -> BTreeSet<Span> {
    let names: BTreeSet<&str> = model.cfa.calls.iter().map(|call| call.name.as_str()).collect();
    let called = loaded.project.stubs.iter().filter(|(pou, _)| names.contains(loaded.project.pous[**pou].name.as_str()));
    called.filter_map(|(_, stub)| loaded.ledger.gaps.get(stub.gap.0 as usize)).map(|gap| gap.span).collect()
}

/// Returns the variables inside of each stub and its heirs, by the place of the stub. They start with any value, also if no statement
/// calls the stub. With them are the places of the bodies that give results and outputs of its members.
pub(super) fn in_stubs(loaded: &Loaded, model: &Model) -> BTreeMap<Span, (BTreeSet<VarId>, BTreeSet<Span>)> {
    let mut found: BTreeMap<Span, (BTreeSet<VarId>, BTreeSet<Span>)> = BTreeMap::new();
    for (leaf, var) in &model.leaves {
        if let Some(stub) = stub_around(&loaded.project, leaf) {
            found.entry(loaded.project.pous[stub].span).or_default().0.insert(*var);
        }
    }
    for (pou, stub) in &loaded.project.stubs {
        let place = loaded.ledger.gaps.get(stub.gap.0 as usize).map(|gap| gap.span);
        if let Some((_, bodies)) = place.and_then(|place| found.get_mut(&place)) {
            bodies.insert(loaded.project.pous[*pou].span);
        }
    }
    found
}
