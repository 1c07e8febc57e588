//! ESEL, the choice of one of six numbers.
//!
//! Source: 1756-RM006, "Enhanced Select", from memory; no public copy was found. So only its modes "high" and "low" have a value, where
//! all of its inputs are in order; everything else that it writes has any value.

use super::counters::member;
use super::operands::call_at;
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Expr, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Type of the tag of an ESEL.
pub(super) const TYPE: &str = "SELECT_ENHANCED";

/// Condition of answers about its value.
pub(super) const MEMORY: &str = "instruction ESEL in the modes high and low: its rules are from memory of the manual";

/// Numbers that its inputs give.
const N_INPUTS: i128 = 6;

/// Members that an execution writes, besides Out, with the functions that give any value of their types.
const WRITTEN: &[(&str, &str)] = &[
    ("SelectedIn", "SYSTEM__DINT"),
    ("ProgOper", "SYSTEM__BOOL"),
    ("Override", "SYSTEM__BOOL"),
    ("Status", "SYSTEM__DINT"),
    ("InstructFault", "SYSTEM__BOOL"),
    ("InsFaulted", "SYSTEM__BOOL"),
    ("InsUsedInv", "SYSTEM__BOOL"),
    ("SelectorModeInv", "SYSTEM__BOOL"),
    ("ProgSelectorInv", "SYSTEM__BOOL"),
    ("OperSelectorInv", "SYSTEM__BOOL"),
    // Requests are reset once they are obeyed.
    ("OperProgReq", "SYSTEM__BOOL"),
    ("OperOperReq", "SYSTEM__BOOL"),
    ("ProgProgReq", "SYSTEM__BOOL"),
    ("ProgOperReq", "SYSTEM__BOOL"),
];

/// Returns the statements of an execution of ESEL on its tag.
///
/// Soundness: Out has any value in other modes, in an override, and where the number of inputs is not valid. It also has any value where a
/// used input is faulted or is no number. Inputs of the program that ProgValueReset resets have any value then.
pub(super) fn enhanced(tag: &Expr, span: Span) -> Vec<Stmt> {
    let of = |name: &str| member(tag, name, span);
    let input = |at: i128| of(&format!("In{at}"));
    let any = |name: &str, function: &str| Stmt::assign(of(name), call_at(function, Vec::new(), span), span);
    let is = |op, left, right| binary(op, left, right, span);
    let and = |left, right| is(BinOp::And, left, right);
    let or = |left, right| is(BinOp::Or, left, right);
    let in_order = |at: i128| {
        let is_used = is(BinOp::Ge, of("InsUsed"), integer(at, span));
        let is_number = is(BinOp::Eq, input(at), input(at));
        or(not(is_used), and(is_number, not(of(&format!("In{at}Fault")))))
    };
    let is_valid = and(is(BinOp::Ge, of("InsUsed"), integer(1, span)), is(BinOp::Le, of("InsUsed"), integer(N_INPUTS, span)));
    let all = (1..=N_INPUTS).fold(and(is_valid, not(of("ProgOverrideReq"))), |all, at| and(all, in_order(at)));
    let mut stmts = vec![any("Out", "SYSTEM__REAL")];
    let branches = [(1, BinOp::Gt), (2, BinOp::Lt)].map(|(mode, op)| {
        let better = |at: i128| {
            let is_used = is(BinOp::Ge, of("InsUsed"), integer(at, span));
            let is_better = and(is_used, is(op, input(at), of("Out")));
            Stmt::when(is_better, vec![Stmt::assign(of("Out"), input(at), span)], span)
        };
        let first = Stmt::assign(of("Out"), input(1), span);
        let chosen = std::iter::once(first).chain((2..=N_INPUTS).map(better)).collect();
        (and(all.clone(), is(BinOp::Eq, of("SelectorMode"), integer(mode, span))), chosen)
    });
    stmts.push(Stmt { kind: StmtKind::If(branches.into(), Vec::new()), span });
    stmts.extend(WRITTEN.iter().map(|(name, function)| any(name, function)));
    let reset = vec![any("ProgSelector", "SYSTEM__DINT"), any("ProgOverrideReq", "SYSTEM__BOOL")];
    stmts.push(Stmt::when(of("ProgValueReset"), reset, span));
    stmts
}
