//! Watches one cycle for a BOOL output with different computed values of two coils.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Project, Value, walk};
use plc_frontend::interp::Recorder;
use plc_frontend::source::Span;

/// Writes of this cycle.
pub(super) struct DoubleWrite {
    /// Places of coils.
    coils: BTreeSet<Span>,
    /// Names of BOOL outputs.
    outputs: BTreeSet<String>,
    /// By output: the coil that wrote it last, and its value.
    written: BTreeMap<String, (Span, Value)>,
    /// The coil that overwrote another one's value.
    pub(super) found: Option<Span>,
}

impl DoubleWrite {
    /// Returns the watch of a cycle without writes.
    pub(super) fn new(project: &Project) -> DoubleWrite {
        let mut coils = BTreeSet::new();
        for pou in project.pous.iter() {
            walk::stmts(&pou.body, |stmt| coils.extend(stmt.coil(project).map(|place| place.span)));
        }
        let outputs = project.leaves().into_iter().filter(|leaf| project.is_coil_output(leaf)).map(|leaf| leaf.name).collect();
        DoubleWrite { coils, outputs, written: BTreeMap::new(), found: None }
    }
}

impl Recorder for DoubleWrite {
    fn wants_names(&self) -> bool {
        true
    }
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        if !self.outputs.contains(name) {
            return;
        }
        if !self.coils.contains(&span) {
            return;
        }
        if let Some((other, computed)) = self.written.insert(name.to_owned(), (span, value))
            && other != span
            && computed != value
        {
            self.found = self.found.or(Some(span));
        }
    }
}
