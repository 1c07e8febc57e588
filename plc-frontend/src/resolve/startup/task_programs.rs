//! Programs of tasks beside a chosen entry: those that no file declares, connections, and other runs of the entry itself.

use crate::ast;
use crate::hir::Extent;
use crate::resolve::classes::inheritance;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::text::{Diagnostic, codes};

impl Resolver<'_> {
    /// Notes what programs of tasks do beside a chosen entry.
    ///
    /// Soundness: a program that no file declares may write what other programs can name. A connection writes its variable when a
    /// program ends. The entry may have several instances, or run in several tasks: only one run in each cycle is modelled.
    pub(crate) fn note_task_programs(&mut self, units: &[ast::Unit]) {
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let programs = configurations.flat_map(|configuration| &configuration.resources).flat_map(|resource| &resource.programs);
        let mut own_runs = 0;
        for program in programs {
            let ident = inheritance::last_name(&program.program);
            if program.args.iter().any(|arg| matches!(arg, ast::Arg::Output { target: Some(_), .. })) {
                let construct = format!("the connections of `{}` write nothing", program.name.text);
                let effect = "connections of programs are left out where one program is chosen; leave out `entry` to have them";
                self.findings.record_assumed(program.name.span, construct, effect);
                self.project.beside.insert(program.name.span, Extent::Nameable);
            }
            match self.names.pous.get(&self.names.meant(ident)) {
                None => self.note_missing_program(ident),
                Some(pou) if self.project.task.runs.iter().any(|run| self.project.instances[*run].pou == *pou) => {
                    own_runs += 1;
                    if own_runs == 2 {
                        let construct = format!("`{}` runs once in each cycle, though tasks run it several times", ident.text);
                        let effect = "runs of other tasks and instances are not modelled, and neither are their intervals";
                        self.findings.record_assumed(ident.span, construct, effect);
                        self.project.beside.insert(ident.span, Extent::All);
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn note_missing_program(&mut self, ident: &ast::Ident) {
        self.findings.report(Diagnostic { code: codes::MISSING_PROGRAM, ..missing_program(ident).warning() });
        let construct =
            format!("`{}`, which a task runs and no file declares, writes no global variable and none of a program", ident.text);
        let effect = "what it writes can break what holds here; upload the file that declares it";
        self.findings.record_assumed(ident.span, construct, effect);
        self.project.beside.insert(ident.span, Extent::Nameable);
    }
}

/// Returns the finding about a program of a task that no file declares.
pub(super) fn missing_program(ident: &ast::Ident) -> Diagnostic {
    let message = format!("there is no PROGRAM `{}`", ident.text);
    Diagnostic::error(codes::UNKNOWN_TYPE, ident.span, message, "not declared in any file")
        .help("upload the file that declares it")
}
