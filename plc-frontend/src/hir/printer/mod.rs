//! HIR → Structured Text that loads to the same HIR again (spans aside; statements that are not modelled are comments).
//!
//! It relies on the resolver's types of literals and implicit conversions: a `Widen` prints as nothing, a literal without its
//! type where the context gives it that type.

mod decl;
mod expr;
mod literal;
mod stmt;

pub(crate) use decl::address_text;
pub(crate) use expr::{Strength, op_name, strength_of, tighter};
pub(crate) use literal::{duration, point, quoted};

use std::fmt::Write as _;

use super::expr::Expr;
use super::pou::{Pou, PouId, PouKind};
use super::project::Project;
use super::types::{Type, TypeId};
use super::value::Value;
use crate::text::Origin;

impl Project {
    /// Returns whether the text of [`Project::to_st`] loads to the same program: methods, references, configurations and
    /// shared memory are not printed yet.
    pub fn prints(&self) -> bool {
        let own = |name: &str, pou: PouId| self.pous[pou].name == name;
        let shares = !self.views.is_empty() || !self.type_views.is_empty() || !self.local_views.is_empty();
        self.references.is_empty()
            && !shares
            && self.at_call.is_empty()
            && self.pous.iter().all(|pou| pou.member_of.is_none())
            && self.instances.iter().all(|instance| own(&instance.name, instance.pou))
            && self.task.runs.len() == self.instances.len()
            && self.globals.iter().all(|global| {
                let held = |pou: PouId| self.pous[pou].kind == PouKind::Program;
                let is_program = if let Type::FunctionBlock(pou) = self.types[global.ty].ty { held(pou) } else { false };
                !is_program && (global.name.starts_with('%') || !global.name.contains('.'))
            })
    }

    /// Returns the types, global variables and POUs of the user as Structured Text.
    pub fn to_st(&self) -> String {
        let mut printer = Printer { project: self, pou: None, out: String::new(), indent: 0 };
        printer.types();
        printer.globals();
        for (id, pou) in self.pous.iter_enumerated().filter(|(_, pou)| pou.origin == Origin::User) {
            printer.pou_decl(id, pou);
        }
        printer.out
    }
}

/// Returns a condition over globals and instances as Structured Text.
pub fn expr_to_st(project: &Project, expr: &Expr) -> String {
    expr_in_pou_to_st(project, None, expr)
}

/// Returns an expression as Structured Text; `pou` declares its own variables (`Root::Var`).
pub fn expr_in_pou_to_st(project: &Project, pou: Option<PouId>, expr: &Expr) -> String {
    let mut printer = Printer { project, pou, out: String::new(), indent: 0 };
    printer.expr(expr, None);
    printer.out
}

/// Returns a value as people read it in a variable of this type: `T#1s500ms`, `Color#Red`, `16#00FF`, `-5`, `1.5`, `+Inf`.
///
/// NaN and infinities have no literal and are words here. In programs they are conversions of their bits, which can be read
/// again: `DWORD_TO_REAL(DWORD#16#7FC00000)`.
pub fn value_to_st(project: &Project, ty: TypeId, value: Value) -> String {
    match value.non_finite() {
        Some(word) => word.to_owned(),
        None => literal::literal(project, ty, value, literal::Prefix::Given),
    }
}

/// Returns a type's name, or its definition if it has none.
pub fn type_to_st(project: &Project, ty: TypeId) -> String {
    let mut printer = Printer { project, pou: None, out: String::new(), indent: 0 };
    printer.type_ref(ty);
    printer.out
}

struct Printer<'p> {
    project: &'p Project,
    /// The POU whose variables are visible.
    pou: Option<PouId>,
    out: String,
    indent: usize,
}

impl<'p> Printer<'p> {
    /// Starts a line.
    fn line(&mut self) -> &mut Self {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        let indent = "    ".repeat(self.indent);
        self.put(&indent)
    }

    /// Puts a whole line.
    fn put_line(&mut self, text: &str) -> &mut Self {
        self.line().put(text).put("\n")
    }

    fn put(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    fn put_args(&mut self, args: std::fmt::Arguments<'_>) -> &mut Self {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(args);
        self
    }

    /// Puts `items`, each by `each`, with `separator` between them.
    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        separator: &str,
        mut each: impl for<'s> FnMut(&'s mut Self, T) -> &'s mut Self,
    ) -> &mut Self {
        for (i, item) in items.into_iter().enumerate() {
            each(self.put(if i == 0 { "" } else { separator }), item);
        }
        self
    }

    /// Returns the base of a subrange; other types are their own.
    fn base(&self, ty: TypeId) -> TypeId {
        if let Type::Subrange { base, .. } = &self.project.types[ty].ty { *base } else { ty }
    }

    fn current(&self) -> Option<&'p Pou> {
        self.pou.map(|id| &self.project.pous[id])
    }
}

#[cfg(test)]
mod tests;
