//! Configurations, resources, tasks and program instances.

use super::decl::VarBlock;
use super::expr::{Arg, Expr, Ident, Name};
use crate::text::Span;

/// CONFIGURATION … END_CONFIGURATION, or a VAR_CONFIG or VAR_ACCESS by itself.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Its name; a section by itself has none.
    pub name: Option<Ident>,
    /// VAR_GLOBAL, VAR_CONFIG, VAR_ACCESS.
    pub vars: Vec<VarBlock>,
    /// Its resources; tasks and programs that stand outside of any are in one without a name.
    pub resources: Vec<Resource>,
    /// All of it.
    pub span: Span,
}

/// RESOURCE … ON … END_RESOURCE.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// It has one task of a controller; others stand in other files.
    pub is_of_one_task: bool,
    /// VAR_GLOBAL.
    pub vars: Vec<VarBlock>,
    /// In order.
    pub tasks: Vec<TaskConfig>,
    /// In order.
    pub programs: Vec<ProgramConfig>,
    /// All of it.
    pub span: Span,
}

/// `TASK name (INTERVAL := T#10ms, PRIORITY := 1);`
#[derive(Clone, Debug)]
pub struct TaskConfig {
    /// Its name.
    pub name: Ident,
    /// INTERVAL, PRIORITY, SINGLE as written.
    pub settings: Vec<Setting>,
    /// All of it.
    pub span: Span,
}

/// `NAME := value`
#[derive(Clone, Debug)]
pub struct Setting {
    /// INTERVAL, PRIORITY, SINGLE.
    pub name: Ident,
    /// A constant expression.
    pub value: Expr,
}

/// `PROGRAM name WITH task : Type (in := x, out => y);`
#[derive(Clone, Debug)]
pub struct ProgramConfig {
    /// The instance's name.
    pub name: Ident,
    /// The task that runs it; without one it runs as often as possible.
    pub task: Option<Ident>,
    /// The PROGRAM.
    pub program: Name,
    /// Connections of its inputs and outputs.
    pub args: Vec<Arg>,
    /// All of it.
    pub span: Span,
}

impl Configuration {
    /// Returns the place of its name, else all of it.
    pub fn place(&self) -> Span {
        self.name.as_ref().map_or(self.span, |name| name.span)
    }

    /// Returns its name, else the words of a section by itself.
    pub fn title(&self) -> &str {
        self.name.as_ref().map_or("VAR_CONFIG", |name| &name.text)
    }

    /// Returns whether it, or one of its resources, has this name.
    pub fn is_named(&self, name: &str) -> bool {
        let resources = self.resources.iter().filter_map(|resource| resource.name.as_ref());
        self.name.iter().chain(resources).any(|own| own.text.eq_ignore_ascii_case(name.trim()))
    }
}
