//! Programs that no task runs: they are not verified, and the ledger says why.

use crate::ast;
use crate::hir::{PouId, PouKind};
use crate::resolve::resolver::Resolver;
use crate::text::Span;

impl Resolver<'_> {
    /// Notes the programs that no task runs in the ledger.
    pub(super) fn note_idle_programs(&mut self, units: &[ast::Unit]) {
        let (named, _) = self.names.named_programs(&self.project, units);
        let running: Vec<PouId> = self.project.instances.iter().map(|i| i.pou).collect();
        for id in self.project.pous.ids() {
            if self.project.pous[id].kind == PouKind::Program && !running.contains(&id) && !named.contains(&id) {
                let span = self.decls.pous.get(id.0 as usize).map_or(Span::none(), |p| p.name.span);
                let name = &self.project.pous[id].name;
                let mut ignored = units.iter().flat_map(|unit| &unit.ignored);
                let construct = match ignored.find(|ignored| ignored.what == format!("program {name}")) {
                    Some(ignored) => format!("PROGRAM `{name}`: {}", ignored.why),
                    None => format!("PROGRAM `{name}` in no task"),
                };
                let effect = "nothing runs it, so it is not verified".to_owned();
                self.findings.record_unsupported(span, construct, effect);
            }
        }
    }
}
