//! Routines that are function block diagrams.
//!
//! In reading order: [`sheets`] the boxes and wires of an export, [`order`] the order of blocks, [`blocks`] their statements,
//! [`draw`] pictures.
//!
//! Manual: Rockwell Automation, 1756-PM009. A scan of a diagram reads all its input references first (page 12). Then blocks execute
//! in the order of the data that flows between them (page 13). A wire with "assume data available" has the value of the scan
//! before (page 14).

mod blocks;
mod draw;
mod order;
mod sheets;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::calls::Scope;
use super::counters::member;
use super::ladder::Ladder;
use super::operands::Class;
use super::{Reader, aliases, attribute, key};
use crate::ast::{Expr, ExprKind, Ident, Stmt, StmtKind};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;
use sheets::{Kind, Sheets, Source};

/// Part of a diagram that is not modelled: its words in the ledger, its place.
type Gap = (&'static str, Span);

impl Reader {
    /// Reads a routine that is a function block diagram.
    pub(super) fn diagram(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Ladder {
        let stmts = self.sheets(routine, scope).and_then(|sheets| {
            let order = order::order(&sheets)?;
            let stmts = scan(&sheets, &order, scope)?;
            let home = attribute(routine, "Name").map(|name| scope.action_of(&name));
            self.pictures.extend(draw::draw(&sheets, home.as_deref(), &self.plain));
            Ok(stmts)
        });
        match stmts {
            Ok(stmts) => Ladder { stmts, ..Ladder::default() },
            Err((words, span)) => Ladder { stmts: vec![Stmt::unsupported(words, span)], ..Ladder::default() },
        }
    }

    /// Returns the operand of a reference or block.
    fn operand_of(&mut self, element: Element<'_>, name: &str, scope: &Scope<'_>) -> Result<Expr, Gap> {
        const WORDS: &str = "operand of a diagram that is not modelled";
        let place = element.tag_span();
        let operand = element.filled(name).ok_or((WORDS, place))?;
        let parsed = embedded::logix_expression(self.unit.file, &self.plain, operand.range);
        let value = parsed.value.filter(|_| parsed.diagnostics.is_empty()).ok_or((WORDS, place))?;
        let span = value.span;
        let mut stmts = vec![Stmt { kind: StmtKind::Value(value), span }];
        aliases::substitute(&scope.aliases, &mut stmts, span);
        scope.shapes.put_hosts(&scope.variables, &mut stmts, span);
        scope.statements(&mut stmts);
        match stmts.pop().map(|stmt| stmt.kind) {
            Some(StmtKind::Value(value)) => Ok(value),
            _ => Err((WORDS, place)),
        }
    }
}

/// Returns the statements of one scan: input references, blocks, output references.
fn scan(sheets: &Sheets, order: &[usize], scope: &Scope<'_>) -> Result<Vec<Stmt>, Gap> {
    check(sheets)?;
    let mut stmts = Vec::new();
    for (at, node) in sheets.nodes.iter().enumerate() {
        if let Kind::Input(value) = &node.kind
            && !matches!(value.kind, ExprKind::Literal(..))
        {
            let bit = Ident::new(latch(at), node.span);
            stmts.push(Stmt { kind: StmtKind::Let(bit, value.clone()), span: node.span });
        }
    }
    for at in order {
        let node = &sheets.nodes[*at];
        if let Kind::Block(block) = &node.kind {
            let wired = sheets.wires.iter().filter(|wire| wire.to == *at);
            let wired = wired.map(|wire| Ok((wire.to_pin.as_str(), value(sheets, &wire.from, scope)?)));
            let wired = wired.collect::<Result<Vec<_>, Gap>>()?;
            stmts.extend(blocks::execute(block, wired, scope, node.span)?);
        }
    }
    for (at, node) in sheets.nodes.iter().enumerate() {
        let Kind::Output(target) = &node.kind else { continue };
        let Some(wire) = sheets.wires.iter().find(|wire| wire.to == at) else {
            return Err(("output reference without a wire", node.span));
        };
        let value = value(sheets, &wire.from, scope)?;
        stmts.push(Stmt::assign(target.clone(), blocks::fit(target, value, scope, node.span)?, node.span));
    }
    Ok(stmts)
}

/// Returns the value at the beginning of a wire with its class.
fn value(sheets: &Sheets, source: &Source, scope: &Scope<'_>) -> Result<Typed, Gap> {
    let node = &sheets.nodes[source.node];
    match &node.kind {
        Kind::Input(value) => {
            let class = scope.class(value).ok_or(("type of an input reference", node.span))?;
            if matches!(value.kind, ExprKind::Literal(..)) {
                return Ok(Typed { value: value.clone(), class });
            }
            Ok(Typed { value: Expr::variable(Ident::new(latch(source.node), node.span)), class })
        }
        Kind::Block(block) => {
            let value = member(&block.tag, &source.pin, node.span);
            let class = scope.class(&value).ok_or(("pin of a diagram that is not known", node.span))?;
            Ok(Typed { value, class })
        }
        Kind::Output(_) => Err(("wire of a diagram between elements that it cannot join", node.span)),
    }
}

/// Value on a wire: hidden variables have no class of their own.
struct Typed {
    value: Expr,
    class: Class,
}

/// Returns the name of the hidden variable of an input reference.
fn latch(at: usize) -> String {
    format!("_wire__{}", at + 1)
}

/// Checks that the order of blocks without wires makes no difference.
///
/// Soundness: data flows through tags too. So a tag that a block, an output reference or an InOut argument may write has one such
/// use only. Input references are read before all.
fn check(sheets: &Sheets) -> Result<(), Gap> {
    let mut seen = BTreeSet::new();
    for node in &sheets.nodes {
        let written: Vec<&Expr> = match &node.kind {
            Kind::Input(_) => Vec::new(),
            Kind::Output(target) => vec![target],
            Kind::Block(block) => std::iter::once(&block.tag).chain(block.references.iter().map(|(_, e)| e)).collect(),
        };
        for tag in written {
            let ExprKind::Name(name) = &tag.kind else { return Err(("operand of a diagram that is not a tag", node.span)) };
            // Parts of one structure are told apart where no index or bit stands in their paths.
            let path: Vec<String> = name.idents().map(|ident| key(&ident.text)).collect();
            let is_new = seen.iter().all(|other: &Vec<String>| !other.starts_with(&path) && !path.starts_with(other));
            if !is_new || !seen.insert(path) {
                return Err(("tag that several parts of a diagram write", node.span));
            }
        }
    }
    Ok(())
}
