//! Files of other systems than that by whose rules everything is read.

use crate::ast::Unit;
use crate::dialect::written_elsewhere;
use crate::resolve::resolver::Resolver;
use crate::text::{SourceSet, Span};

impl Resolver<'_> {
    /// Names each such file: answers have it as a condition.
    pub(crate) fn name_other_systems(&mut self, sources: &SourceSet, units: &[Unit]) {
        let read_as = self.dialect;
        for (file, id, system) in written_elsewhere(sources, units, read_as.id, crate::lang::dialects(sources)) {
            let system = system.row().title;
            let construct = format!("`{}` is a file of {system}: it is read by the rules of {}", file.name, read_as.title);
            let effect = "systems differ in arithmetic, conversions and texts; upload the files of one, or choose a `dialect`";
            self.findings.record_assumed(Span { file: id, start: 0, end: 0 }, construct, effect);
        }
    }
}
