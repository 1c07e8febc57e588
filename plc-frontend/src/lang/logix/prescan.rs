//! Prescan of Add-On Instructions: each program prescans the calls that it reaches, with the parameters of the call.
//!
//! After the help "Add-On Instruction Scan Modes" and 1756-PM010, chapter 2: inputs are passed, the logic is prescanned, the routine
//! Prescan executes, outputs are passed.

use std::collections::BTreeSet;

use super::calls::{Scope, number_in};
use super::counters::member;
use super::prescan_of_routines::of_routine;
use super::types::{Shapes, integer};
use super::{expressions, key};
use crate::ast::build::{binary, joined};
use crate::ast::{
    Arg, Expr, ExprKind, Ident, Initializer, Name, NameElem, Pou, Section, Stmt, StmtKind, TypeSpec, VarBlock, VarDecl,
};
use crate::hir::BinOp;
use crate::text::Span;

/// Name of the bit that asks a call for the prescan.
const PRESCAN: &str = "Prescan__";

/// Name of the bit that is TRUE until the first call of an instance.
const FIRST: &str = "First__";

/// Condition of a prescan that reads inputs: a controller prescans with values from before its first scan.
pub(super) const INPUTS: &str = "inputs in the prescan of Add-On Instructions: they have the values of the first scan";

/// Returns whether statements of a prescan routine use local tags and outputs only, without calls.
pub(super) fn is_closed(stmts: &[Stmt], pou: &Pou) -> bool {
    let given = pou.vars.iter().filter(|block| matches!(block.section, Section::Input | Section::InOut));
    let given: BTreeSet<String> = given.flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect();
    let mut stmts = stmts.to_vec();
    let mut open: Vec<&mut Vec<Stmt>> = vec![&mut stmts];
    while let Some(list) = open.pop() {
        for stmt in list {
            let mut is_free = !matches!(stmt.kind, StmtKind::Call(..) | StmtKind::Unsupported(_) | StmtKind::Return);
            expressions::of_statement(stmt, &mut |e| {
                is_free &= match &e.kind {
                    ExprKind::Name(name) => !given.contains(&key(&name.root.text)),
                    ExprKind::Call(..) | ExprKind::Address(_) | ExprKind::Error => false,
                    ExprKind::Literal(..) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
                };
            });
            if !is_free {
                return false;
            }
            open.extend(stmt.lists_mut());
        }
    }
    true
}

/// Returns whether statements end their routine early.
pub(super) fn returns(stmts: &mut [Stmt]) -> bool {
    stmts.iter_mut().any(|stmt| matches!(stmt.kind, StmtKind::Return) || stmt.lists_mut().into_iter().any(|list| returns(list)))
}

/// Returns whether a path has an index that is no number.
fn is_variable(name: &Name) -> bool {
    let is_fixed = |indices: &[Expr]| indices.iter().all(|index| number_in(index).is_some());
    name.path.iter().any(|element| matches!(element, NameElem::Index(indices, _) if !is_fixed(indices)))
}

impl Shapes {
    /// Returns whether an Add-On Instruction may do more in the prescan than pass its parameters.
    pub(super) fn has_prescan(&self, instruction: &str) -> bool {
        let is_instruction = |shape: &super::types::Shape| self.required(&shape.ty).is_some();
        self.prescanned.contains(&key(instruction))
            || self.members(instruction).is_some_and(|all| all.values().any(is_instruction))
    }

    /// Returns the statement that makes EnableIn of an instance FALSE, for calls that do not execute its logic.
    pub(super) fn not_enabled(&self, instruction: &str, tag: &Expr, span: Span) -> Option<Stmt> {
        let has_bit = self.members(instruction).is_some_and(|all| all.contains_key("ENABLEIN"));
        has_bit.then(|| Stmt::assign(member(tag, "EnableIn", span), Expr::truth(false, span), span))
    }
}

impl Scope<'_> {
    /// Returns whether the indices of a target are within their arrays; `None` where all of them are numbers.
    ///
    /// In the prescan a handler of the controller clears the fault of an index (1756-PM014G, page 12).
    pub(super) fn is_inside(&self, target: &Expr, span: Span) -> Option<Expr> {
        let ExprKind::Name(name) = &target.kind else { return None };
        let mut tests = Vec::new();
        for (at, element) in name.path.iter().enumerate() {
            let NameElem::Index(indices, _) = element else { continue };
            let array = Name { path: name.path.get(..at)?.to_vec(), ..name.clone() };
            let Some(shape) = self.shapes.of(&self.variables, &array) else { continue };
            for (index, length) in indices.iter().zip(&shape.dimensions).filter(|(index, _)| number_in(index).is_none()) {
                tests.push(binary(BinOp::Ge, index.clone(), integer(0, span), span));
                tests.push(binary(BinOp::Lt, index.clone(), integer(i128::from(*length), span), span));
            }
        }
        joined(BinOp::And, tests, |_| span)
    }

    /// Returns the statements of the prescan of a call: inputs are passed, its logic is prescanned, and outputs are passed.
    pub(super) fn prescan_of_call(&self, instruction: &str, instance: &Name, args: &[Arg], span: Span) -> Vec<Stmt> {
        // No drawing of the rung shows it as an execution.
        let span = Span { end: span.start, ..span };
        if is_variable(instance) {
            return vec![Stmt::unsupported("prescan of an Add-On Instruction at an index that changes", span)];
        }
        if args.iter().any(|arg| matches!(arg, Arg::Input(_, value) if !matches!(value.kind, ExprKind::Literal(..)))) {
            self.assume(INPUTS);
        }
        let mut args = args.to_vec();
        let is_known = |arg: &Arg| {
            args.iter().any(|known| matches!((known, arg), (Arg::Output { name, .. }, Arg::Output { name: other, .. }) if name.text == other.text))
        };
        let apart = self.shapes.outputs.borrow().get(&instance.span).cloned().unwrap_or_default();
        let apart: Vec<Arg> = apart.into_iter().filter(|arg| !is_known(arg)).collect();
        args.extend(apart);
        let args = args.as_slice();
        let tag = Expr { kind: ExprKind::Name(instance.clone()), span };
        if self.shapes.has_prescan(instruction) {
            let is_enable = |arg: &Arg| matches!(arg, Arg::Input(name, _) if name.text.eq_ignore_ascii_case("EnableIn"));
            let mut args: Vec<Arg> = args.iter().filter(|arg| !is_enable(arg)).cloned().collect();
            if self.shapes.runs_disabled(instruction) {
                args.push(Arg::Input(Ident::new("EnableIn", span), Expr::truth(false, span)));
            }
            let mark = Stmt::assign(member(&tag, PRESCAN, span), Expr::truth(true, span), span);
            return std::iter::once(mark).chain(self.call_and_outputs(instance.clone(), args, span)).collect();
        }
        let mut stmts = self.passed_inputs(instruction, instance, args, span);
        stmts.extend(self.shapes.not_enabled(instruction, &tag, span));
        for arg in args {
            if let Arg::Output { name, target: Some(target), .. } = arg {
                let value = self.converted(target, member(&tag, &name.text, span));
                stmts.push(Stmt::assign(target.clone(), value, span));
            }
        }
        stmts
    }

    /// Returns the statements that pass the inputs of a call whose logic does not execute.
    pub(super) fn passed_inputs(&self, instruction: &str, instance: &Name, args: &[Arg], span: Span) -> Vec<Stmt> {
        let tag = Expr { kind: ExprKind::Name(instance.clone()), span };
        let required = self.shapes.required(instruction).unwrap_or_default();
        let is_input = |name: &Ident| {
            required.iter().any(|parameter| parameter.usage == "Input" && parameter.name.eq_ignore_ascii_case(&name.text))
        };
        let passed = args.iter().filter_map(|arg| match arg {
            Arg::Input(name, value) if is_input(name) => Some(Stmt::assign(member(&tag, &name.text, span), value.clone(), span)),
            Arg::Positional(_) | Arg::Input(..) | Arg::Output { .. } => None,
        });
        passed.collect()
    }

    /// Returns the statements of the prescan of all calls among statements, in the order of the text: of Add-On Instructions, and of
    /// routines as [`of_routine`](super::prescan_of_routines::of_routine).
    ///
    /// Soundness: values on wires of a drawing are not known before its first scan, so only its InOut parameters are passed.
    pub(super) fn prescan_of_calls(&self, stmts: &[Stmt], is_drawn: bool) -> Vec<Stmt> {
        let mut found = Vec::new();
        for stmt in stmts {
            if let StmtKind::Call(instance, args) = &stmt.kind
                && let Some(shape) = self.shapes.of(&self.variables, instance).filter(|shape| shape.dimensions.is_empty())
                && let Some(required) = self.shapes.required(&shape.ty)
            {
                let is_reference = |arg: &Arg| {
                    let Arg::Input(name, _) = arg else { return false };
                    required.iter().any(|row| row.usage == "InOut" && row.name.eq_ignore_ascii_case(&name.text))
                };
                let args: Vec<Arg> = args.iter().filter(|arg| !is_drawn || is_reference(arg)).cloned().collect();
                if is_drawn {
                    self.assume("prescan of an Add-On Instruction in a chart or diagram: its inputs keep their values");
                }
                found.extend(self.prescan_of_call(&shape.ty, instance, &args, stmt.span));
            }
            if let StmtKind::Call(action, _) = &stmt.kind {
                let called = self.routines.iter().filter(|(_, name)| **name == action.root.text);
                found.extend(called.map(|(routine, _)| of_routine(routine, stmt.span)));
            }
            for list in stmt.clone().lists_mut() {
                found.extend(self.prescan_of_calls(list, is_drawn));
            }
        }
        found
    }
}

/// Returns the declarations of the bits of [`PRESCAN`] and [`FIRST`].
pub(super) fn bits(span: Span) -> VarBlock {
    let bit = |name: &str, value: bool| {
        let mut var = VarDecl::new(Ident::new(name, span), TypeSpec::named("BOOL", span), span);
        var.init = Some(Initializer::value(Expr::truth(value, span)));
        var
    };
    VarBlock::new(Section::Var, vec![bit(PRESCAN, false), bit(FIRST, true)], span)
}

/// Returns the statements before the logic: the prescan, with which the call ends if its caller has asked for it. `last` are the
/// statements at the end of each call.
///
/// Soundness: an instruction that runs alone has no caller, so its prescan comes with the parameters of the first scan.
pub(super) fn before_logic(prescan: Vec<Stmt>, last: Vec<Stmt>, span: Span) -> Vec<Stmt> {
    let bit = |name: &str| Expr::variable(Ident::new(name, span));
    let clear = |name: &str| Stmt::assign(bit(name), Expr::truth(false, span), span);
    let mut stmts = vec![clear(FIRST)];
    stmts.extend(prescan);
    let mut end = vec![clear(PRESCAN)];
    end.extend(last);
    end.push(Stmt { kind: StmtKind::Return, span });
    let either = binary(BinOp::Or, bit(PRESCAN), bit(FIRST), span);
    vec![Stmt::when(either, stmts, span), Stmt::when(bit(PRESCAN), end, span)]
}
