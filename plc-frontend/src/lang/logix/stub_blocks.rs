//! Blocks of process control, drives, filters and selection without a model: an execution writes members of their tags, and nothing else.
//!
//! Their types are not declared, so their tags are instances of stubs: every member has any value behind a call.

use super::calls::Scope;
use super::operands::class_of;
use super::types::{Members, Shape, Shapes};
use super::{attribute, ident_of, key};
use crate::ast::{Expr, ExprKind, Stmt, StmtKind};
use crate::lang::xml::Element;
use crate::text::Span;

/// Blocks whose only operand is their tag. Those that have arrays, or a tag of an autotune beside it, are not among them.
const BLOCKS: &[&str] = &[
    "ALM", "CC", "D2SD", "D3SD", "DERV", "DFF", "HLL", "HPF", "IMC", "INTG", "JKFF", "LDL2", "LDLG", "LPF", "MAXC", "MINC",
    "MMC", "MUX", "NTCH", "PI", "PIDE", "PMUL", "POSP", "RLIM", "SCL", "SCRV", "SNEG", "SOC", "SRTP", "SSUM", "TOT", "UPDN",
];

impl Shapes {
    /// Returns whether the export or the library declares a type.
    fn is_declared(&self, ty: &str) -> bool {
        self.members(ty).is_some() || class_of(&key(ty)).is_some()
    }

    /// Notes the members of a tag whose type no part of the export declares, as its data has them.
    pub(super) fn note_members(&mut self, tag: Element<'_>) {
        let Some(ty) = attribute(tag, "DataType").filter(|ty| !self.is_declared(ty)) else { return };
        let data = tag.children().find(|e| attribute(*e, "Format").as_deref() == Some("Decorated"));
        let Some(structure) = data.and_then(|data| data.child("Structure")) else { return };
        let member = |e: Element<'_>| {
            let shape = Shape { ty: attribute(e, "DataType")?, dimensions: Vec::new() };
            Some((key(&ident_of(e)?.text), shape))
        };
        let members: Members = structure.children_named("DataValueMember").filter_map(member).collect();
        self.stubs.insert(key(&ty), members);
    }
}

impl Scope<'_> {
    /// Returns the execution of a block without a model on its tag; `None` for other instructions and types.
    pub(super) fn stub_block(&self, instruction: &str, tag: &Expr, span: Span) -> Option<Stmt> {
        let ExprKind::Name(name) = &tag.kind else { return None };
        let shape = self.shapes.of(&self.variables, name).filter(|shape| shape.dimensions.is_empty())?;
        let is_stub = BLOCKS.contains(&instruction) && !self.shapes.is_declared(&shape.ty);
        is_stub.then(|| Stmt { kind: StmtKind::Call(name.clone(), Vec::new()), span })
    }
}
