//! Programs of tasks that no file declares.

use crate::ast;
use crate::hir::Extent;
use crate::resolve::classes::inheritance;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::text::{Diagnostic, codes};

impl Resolver<'_> {
    /// Notes the programs of tasks that no file declares, beside a chosen entry.
    ///
    /// Soundness: such a program runs on the controller, and its code may write what other programs can name.
    pub(crate) fn note_missing_programs(&mut self, units: &[ast::Unit]) {
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let programs = configurations.flat_map(|configuration| &configuration.resources).flat_map(|resource| &resource.programs);
        for program in programs {
            let ident = inheritance::last_name(&program.program);
            if self.names.pous.contains_key(&self.names.meant(ident)) {
                continue;
            }
            self.findings.report(Diagnostic { code: codes::MISSING_PROGRAM, ..missing_program(ident).warning() });
            let construct = format!(
                "`{}`, which a task runs and no file declares, writes no global variable and none of a program",
                ident.text
            );
            let effect = "what it writes can break what holds here; upload the file that declares it";
            self.findings.record_assumed(ident.span, construct, effect);
            self.project.beside.insert(ident.span, Extent::Nameable);
        }
    }
}

/// Returns the finding about a program of a task that no file declares.
pub(super) fn missing_program(ident: &ast::Ident) -> Diagnostic {
    let message = format!("there is no PROGRAM `{}`", ident.text);
    Diagnostic::error(codes::UNKNOWN_TYPE, ident.span, message, "not declared in any file")
        .help("upload the file that declares it")
}
