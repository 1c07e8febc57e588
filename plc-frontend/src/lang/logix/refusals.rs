//! Reasons why an instruction of a rung is not modelled.

use std::ops::Range;

use super::ladder::{OPERAND, Writer};
use super::other_programs;
use crate::ast::{Expr, ExprKind};
use crate::lang::common::clipped;

impl Writer<'_> {
    /// Notes why an instruction cannot have an operand.
    pub(super) fn refuse(&self, range: &Range<usize>, why: &str) -> &'static str {
        let text = clipped(other_programs::as_written(&self.text(range)), 60);
        self.because(format!("operand `{text}` {why}"))
    }

    /// Notes why an instruction is not modelled.
    pub(super) fn because(&self, why: String) -> &'static str {
        self.refused.replace(Some(why));
        OPERAND
    }

    /// Notes that an operand is not of a kind that an instruction can have.
    pub(super) fn not_of_kind(&self, range: &Range<usize>, operand: &Expr, wanted: &str) -> &'static str {
        let ExprKind::Name(name) = &operand.kind else {
            return self.refuse(range, &format!("is an expression, and {wanted} is needed"));
        };
        // Tags of structures that the export does not declare have no type.
        let shape = self.scope.shapes.of(&self.scope.variables, name).filter(|shape| !shape.ty.is_empty());
        let why = match shape {
            Some(shape) if shape.dimensions.is_empty() => format!("is of the type {}, and {wanted} is needed", shape.ty),
            Some(shape) => format!("is an array of {}, and {wanted} is needed", shape.ty),
            None if other_programs::is_other(&name.root.text) => other_programs::NOT_READ.to_owned(),
            None => format!("is no tag whose type this export states, and {wanted} is needed"),
        };
        self.refuse(range, &why)
    }
}
