//! The context of expressions and statements: all tables of a resolution, and the names that may be used at a place.

use crate::dialect::{Dialect, TextNumbers};
use crate::hir::{AssertId, PouId, Project, VarId};
use crate::resolve::budget::Budget;
use crate::resolve::classes::dispatcher_table::Dispatchers;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Findings, Res};
use crate::resolve::names::tables::Names;
use crate::resolve::places::byte_pointers::BytePointers;
use crate::resolve::places::reference_table::References;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::stmts::labels::Labels;
use crate::resolve::types::elementary;
use crate::resolve::types::table::TypeTable;
use crate::resolve::variables::progress::Variables;
use crate::text::{Ledger, Span, suggestion};
use std::collections::BTreeMap;

/// All tables of a resolution.
///
/// Only expressions need all of them: a path may call a method whose copy declares types and variables. Functions that need
/// less take the tables they use.
pub(crate) struct Resolver<'a> {
    /// Rules of the text where dialects differ.
    pub(crate) dialect: &'static Dialect,
    /// The program as far as it is built.
    pub(crate) project: Project,
    /// Meanings of names.
    pub(crate) names: Names,
    /// The declarations behind the ids.
    pub(crate) decls: Declarations<'a>,
    /// Diagnostics and ledger.
    pub(crate) findings: Findings,
    /// Nesting and initial values so far.
    pub(crate) budget: Budget,
    /// Sizes and forms of types.
    pub(crate) types: TypeTable,
    /// Progress of types and initial values of variables.
    pub(crate) vars: Variables,
    /// Reference types and their targets.
    pub(crate) references: References,
    /// Functions that call methods through references.
    pub(crate) dispatchers: Dispatchers,
    /// State of the bodies.
    pub(crate) bodies: Bodies,
}

/// State of bodies that are being resolved.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// Labels of the current body.
    pub(crate) labels: Labels,
    /// Assertions by the place of their condition.
    pub(crate) asserts: BTreeMap<Span, AssertId>,
    /// Pointers that are another variable of their function, and that variable.
    pub(crate) bit_pointers: BTreeMap<(PouId, VarId), VarId>,
    /// Pointers to the bytes of variables of their POU.
    pub(crate) byte_pointers: BytePointers,
}

impl<'a> Resolver<'a> {
    /// Creates a context without any declaration.
    pub(crate) fn new(dialect: &'static Dialect) -> Self {
        Resolver::on(dialect, elementary::project(), Names::default(), Ledger::default())
    }

    /// Creates a context on a resolved project.
    pub(crate) fn on(dialect: &'static Dialect, mut project: Project, names: Names, ledger: Ledger) -> Self {
        project.unsigned_time = !dialect.signed_time;
        project.converts_beginning = dialect.text_numbers == TextNumbers::Beginning;
        project.tags_are_outputs = dialect.tags_are_outputs;
        Resolver {
            dialect,
            project,
            names,
            decls: Declarations::default(),
            findings: Findings::on(ledger),
            budget: Budget::default(),
            types: TypeTable::default(),
            vars: Variables::default(),
            references: References::default(),
            dispatchers: Dispatchers::default(),
            bodies: Bodies::default(),
        }
    }

    /// Ends the resolution: keeps the program, the ledger and the names.
    pub(crate) fn finish(self) -> (Project, Ledger, Names) {
        (self.project, self.findings.ledger, self.names)
    }

    /// Returns the result of `inner`; without one, its findings are forgotten.
    pub(crate) fn attempt<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>) -> Option<T> {
        let mark = self.findings.mark();
        let result = inner(self).ok();
        if result.is_none() {
            self.findings.forget_since(mark);
        }
        result
    }

    /// Runs `inner` one level deeper; too deep is an error at `span`.
    pub(crate) fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.budget.enter(&mut self.findings, span)?;
        let result = inner(self);
        self.budget.leave();
        result
    }
}

impl Names {
    /// Returns "did you mean" for a variable's name in a scope.
    pub(crate) fn suggest_variable(&self, project: &Project, scope: Scope, name: &str) -> Option<String> {
        let own = scope.owner.into_iter().flat_map(|owner| project.pous[owner].vars.iter());
        let globals = project.globals.iter().map(|global| global.name.as_str());
        let instances = project.instances.iter().filter(|_| scope.uses == Uses::Condition);
        let parts = instances.flat_map(|instance| {
            let vars = project.pous[instance.pou].vars.iter().map(|var| var.name.as_str());
            std::iter::once(instance.name.as_str()).chain(vars)
        });
        let variants = self.variants.keys().map(String::as_str);
        let known = own.map(|var| var.name.as_str()).chain(globals).chain(parts).chain(variants);
        suggestion(name, known)
    }
}
